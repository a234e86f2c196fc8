//! Draws states of puzzles: a map of letters as coloured squares, any other text unchanged.

use std::collections::{BTreeMap, BTreeSet};

use halma_record::job::PuzzleSpec;
use halma_rules::board::column_name;
use maud::{Markup, html};

use super::Scene;
use super::armies::holes;
use super::joined::{self, Piece, Shapes};
use super::plane::UNIT;

/// Room for a letter of a text that is no map.
const LETTER: i32 = 8;
/// A longer line of such a text is broken.
const LINE: usize = 40;

/// Pictures of states one after another.
#[derive(Clone, Debug)]
pub(super) struct LetterMaps {
    /// By position, by row: its letters.
    positions: Vec<Vec<Vec<char>>>,
    moves: Vec<String>,
    /// All letters but `.` and `#`, in order: each has a colour.
    letters: Vec<char>,
    /// Whether all pictures are maps of one shape.
    maps: bool,
    /// Whether a move is said by what it does to the map ([`joined::speaks`]).
    speaks: bool,
    /// The blocks that have more than one cell.
    shapes: Shapes,
    /// The cells that the goal names.
    places: Vec<String>,
    columns: usize,
    rows: usize,
}

impl LetterMaps {
    pub(super) fn new(spec: &PuzzleSpec, pictures: &[String], moves: &[String]) -> Self {
        let mut positions: Vec<Vec<Vec<char>>> = pictures.iter().map(|picture| joined::rows(picture)).collect();
        let width = |positions: &[Vec<Vec<char>>]| positions.iter().flatten().map(Vec::len).max().unwrap_or(0).max(1);
        let height = |positions: &[Vec<Vec<char>>]| positions.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let (columns, lines) = (width(&positions), height(&positions));
        let maps = positions.iter().flatten().all(|row| row.len() == columns && !row.contains(&' '))
            && positions.iter().all(|position| position.len() == lines);
        if !maps {
            positions.iter_mut().for_each(|position| *position = broken(position));
        }
        let letters: BTreeSet<char> =
            positions.iter().flatten().flatten().copied().filter(|c| !".#".contains(*c)).collect();
        Self {
            moves: moves.to_vec(),
            letters: letters.into_iter().collect(),
            maps,
            speaks: maps && joined::speaks(spec),
            shapes: positions.first().map(|start| joined::shapes(spec, start)).unwrap_or_default(),
            places: joined::places(spec),
            columns: width(&positions),
            rows: height(&positions),
            positions,
        }
    }

    fn pieces(&self, number: usize) -> Vec<Piece> {
        joined::pieces(&self.positions[number], &self.shapes)
    }

    /// The cells of a position that are no holes: column, row, letter.
    fn cells(&self, number: usize) -> impl Iterator<Item = (i32, i32, char)> {
        let rows = (0i32..).zip(&self.positions[number]);
        rows.flat_map(|(y, row)| (0i32..).zip(row).filter(|(_, c)| **c != '#').map(move |(x, &c)| (x, y, c)))
    }

    /// The upper left corners of the places without a cell.
    fn holes(&self) -> Vec<(i32, i32)> {
        let rows = (1i32..).zip(&self.positions[0]);
        let places = rows.flat_map(|(y, row)| (1i32..).zip(row).filter(|(_, c)| **c == '#').map(move |(x, _)| (x, y)));
        places.map(|(x, y)| (x * UNIT, y * UNIT)).collect()
    }
}

/// Lines of at most [`LINE`] letters, parted at spaces, where they can be.
fn broken(lines: &[Vec<char>]) -> Vec<Vec<char>> {
    let mut parts: Vec<Vec<char>> = Vec::new();
    for line in lines {
        parts.push(Vec::new());
        for word in line.split_inclusive(|&c| c == ' ') {
            match parts.last_mut() {
                Some(part) if part.is_empty() || (part.len() + word.len() <= LINE && word[0] != '|') => {
                    part.extend(word)
                }
                _ => parts.push(word.to_vec()),
            }
        }
    }
    parts
}

/// Where the letter of a piece stands: in its middle, if that is one of its cells, else in its first cell.
fn middle(piece: &Piece) -> (i32, i32) {
    let ends = |of: fn(&joined::Cell) -> i32| {
        let all = || piece.cells.iter().map(of);
        (all().min().unwrap_or(0), all().max().unwrap_or(0))
    };
    let ((left, right), (top, bottom)) = (ends(|cell| cell.0), ends(|cell| cell.1));
    let whole = piece.cells.len() as i32 == (right - left + 1) * (bottom - top + 1);
    let (x, y) = if whole { (left + right, top + bottom) } else { (2 * piece.cells[0].0, 2 * piece.cells[0].1) };
    (UNIT + (x + 1) * UNIT / 2, UNIT + y * UNIT / 2 + UNIT * 7 / 10)
}

impl Scene for LetterMaps {
    fn len(&self) -> usize {
        self.positions.len()
    }

    fn size(&self) -> (i32, i32) {
        let width = if self.maps { self.columns as i32 * UNIT } else { self.columns as i32 * LETTER };
        (width + 2 * UNIT, self.rows as i32 * UNIT + 2 * UNIT)
    }

    fn caption(&self, number: usize) -> String {
        match number.checked_sub(1) {
            None => "start".into(),
            Some(before) if self.speaks => {
                let alone = self.letters.len() == 1;
                format!("{number}. {}", joined::said(&self.pieces(before), &self.pieces(number), alone))
            }
            Some(before) => format!("{number}. {}", self.moves.get(before).map_or("", String::as_str)),
        }
    }

    fn words(&self, number: usize) -> String {
        let rows = self.positions[number].iter().map(|row| row.iter().collect::<String>());
        let rows = rows.collect::<Vec<_>>().join(" / ");
        if number == 0 { format!("Start: {rows}") } else { format!("After move {}: {rows}", self.caption(number)) }
    }

    fn ground(&self, id: &str) -> Markup {
        html! {
            g id=(id) {
                @if self.maps {
                    (holes(&self.holes()))
                    @for (x, y, _) in self.cells(0) {
                        @let named = self.places.contains(&joined::name((x, y)));
                        rect class=(if named { "cell target" } else { "cell" }) x=(UNIT + x * UNIT) y=(UNIT + y * UNIT) width=(UNIT) height=(UNIT) {}
                    }
                }
            }
        }
    }

    fn names(&self) -> Markup {
        html! {
            g.names aria-hidden="true" {
                @if self.maps {
                    @for x in 0..self.columns {
                        text x=(UNIT + x as i32 * UNIT + UNIT / 2) y=(UNIT * 3 / 5) { (column_name(x)) }
                    }
                    @for y in 0..self.rows {
                        text x=(UNIT / 2) y=(UNIT + y as i32 * UNIT + UNIT * 7 / 10) { (y + 1) }
                    }
                }
            }
        }
    }

    fn position(&self, number: usize) -> Markup {
        let colour = |letter: char| self.letters.iter().position(|&l| l == letter).unwrap_or(0) % 8;
        let before = number.checked_sub(1).map(|before| self.pieces(before));
        let mut outlines: BTreeMap<String, String> = BTreeMap::new();
        let mut letters: BTreeMap<i32, Vec<(i32, char)>> = BTreeMap::new();
        for piece in self.pieces(number).into_iter().filter(|_| self.maps) {
            let moved = if before.as_ref().is_some_and(|before| !before.contains(&piece)) { " moved" } else { "" };
            *outlines.entry(format!("l{}{moved}", colour(piece.letter))).or_default() += &joined::outline(&piece.cells);
            let (x, y) = middle(&piece);
            letters.entry(y).or_default().push((x, piece.letter));
        }
        html! {
            @if self.maps {
                // One path a colour and one text a row: a page holds a board for each of a hundred moves.
                @for (class, path) in &outlines {
                    path class={ "piece " (class) } d=(path) {}
                }
                @for (y, letters) in &letters {
                    @let places: Vec<String> = letters.iter().map(|(x, _)| x.to_string()).collect();
                    text.letter x=(places.join(" ")) y=(y) {
                        (letters.iter().map(|(_, letter)| letter).collect::<String>())
                    }
                }
            } @else {
                @for (y, row) in (0i32..).zip(&self.positions[number]) {
                    text.line x=(UNIT) y=(UNIT + y * UNIT + UNIT * 7 / 10) { (row.iter().collect::<String>()) }
                }
            }
        }
    }
}
