//! Draws states of puzzles: a map of letters as coloured squares, any other text unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use maud::{Markup, html};

use super::Scene;
use super::armies::holes;
use super::plane::UNIT;

/// Room for a letter of a text that is no map.
const LETTER: i32 = 8;

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
    columns: usize,
    rows: usize,
}

impl LetterMaps {
    pub(super) fn new(pictures: &[String], moves: &[String]) -> Self {
        let positions: Vec<Vec<Vec<char>>> =
            pictures.iter().map(|text| text.lines().map(|line| line.chars().collect()).collect()).collect();
        let all = || positions.iter().flatten();
        let columns = all().map(Vec::len).max().unwrap_or(0).max(1);
        let rows = positions.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let letters: BTreeSet<char> = all().flatten().copied().filter(|c| !".#".contains(*c)).collect();
        let maps = all().all(|row| row.len() == columns && !row.contains(&' '))
            && positions.iter().all(|position| position.len() == rows);
        Self { moves: moves.to_vec(), letters: letters.into_iter().collect(), maps, columns, rows, positions }
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

    /// Whether a cell has another letter than before the move.
    fn is_new(&self, number: usize, (x, y): (i32, i32), letter: char) -> bool {
        let before = number.checked_sub(1).and_then(|n| self.positions[n].get(y as usize)?.get(x as usize));
        before.is_some_and(|&before| before != letter)
    }
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
                        rect class="cell" x=(UNIT + x * UNIT) y=(UNIT + y * UNIT) width=(UNIT) height=(UNIT) {}
                    }
                }
            }
        }
    }

    fn names(&self) -> Markup {
        let name = |x: usize| char::from(b'a' + (x % 26) as u8);
        html! {
            g.names aria-hidden="true" {
                @if self.maps {
                    @for x in 0..self.columns.min(26) {
                        text x=(UNIT + x as i32 * UNIT + UNIT / 2) y=(UNIT * 3 / 5) { (name(x)) }
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
        let mut squares: BTreeMap<String, String> = BTreeMap::new();
        let mut letters: Vec<Vec<(i32, char)>> = vec![Vec::new(); self.rows];
        for (x, y, letter) in self.cells(number).filter(|&(_, _, letter)| self.maps && letter != '.') {
            let moved = if self.is_new(number, (x, y), letter) { " moved" } else { "" };
            let (left, top, side) = (UNIT + x * UNIT + 1, UNIT + y * UNIT + 1, UNIT - 2);
            let path = squares.entry(format!("l{}{moved}", colour(letter))).or_default();
            let _ = write!(path, "M{left} {top}h{side}v{side}h-{side}z");
            letters[y as usize].push((x, letter));
        }
        html! {
            @if self.maps {
                // One path a colour and one text a row: a page holds a board for each of a hundred moves.
                @for (class, squares) in &squares {
                    path class={ "piece " (class) } d=(squares) {}
                }
                @for (y, letters) in (0i32..).zip(&letters) {
                    @if !letters.is_empty() {
                        @let places: Vec<String> = letters.iter().map(|(x, _)| (UNIT + x * UNIT + UNIT / 2).to_string()).collect();
                        text.letter x=(places.join(" ")) y=(UNIT + y * UNIT + UNIT * 7 / 10) {
                            (letters.iter().map(|(_, letter)| letter).collect::<String>())
                        }
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
