//! What stands on a map of letters: men of one cell, blocks of several, drawn as one piece each.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use halma_record::job::PuzzleSpec;
use halma_rules::board::place_name;
use halma_rules::job::puzzle_tables::{Conditions, Goal, Places, RulesTable};

use super::plane::UNIT;
use crate::report::goal;

/// Column and row.
pub(super) type Cell = (i32, i32);

/// One piece: its cells, row by row, and the letter that all of them have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) letter: char,
    pub(super) cells: Vec<Cell>,
}

/// By letter the cells of a block, seen from its first one; letters that are not there have one cell.
pub(super) type Shapes = BTreeMap<char, Vec<Cell>>;

fn letters(rows: &[Vec<char>]) -> impl Iterator<Item = (Cell, char)> {
    (0..).zip(rows).flat_map(|(y, row)| (0..).zip(row).map(move |(x, &letter)| ((x, y), letter)))
}

pub(super) fn letter_at(rows: &[Vec<char>], (x, y): Cell) -> Option<char> {
    rows.get(usize::try_from(y).ok()?)?.get(usize::try_from(x).ok()?).copied()
}

/// The rows of a map of letters.
pub(super) fn rows(text: &str) -> Vec<Vec<char>> {
    text.lines().map(|line| line.chars().collect()).collect()
}

/// Whether moves are said by what they do to the map: of puzzles from files, whose own words for them are hard to read.
pub(super) fn speaks(spec: &PuzzleSpec) -> bool {
    ["rules", "blocks"].contains(&spec.kind.as_str())
}

/// The board of a puzzle of blocks, in the letters of its file.
pub(super) fn board_of_blocks(spec: &PuzzleSpec) -> Option<Vec<Vec<char>>> {
    goal::board(spec).map(|board| rows(&board))
}

/// The shapes of a puzzle's blocks, by the letters that its start shows them with.
pub(super) fn shapes(spec: &PuzzleSpec, start: &[Vec<char>]) -> Shapes {
    let Some(lines) = board_of_blocks(spec) else { return Shapes::new() };
    let mut blocks: BTreeMap<char, Vec<Cell>> = BTreeMap::new();
    letters(&lines).for_each(|(cell, letter)| blocks.entry(letter).or_default().push(cell));
    let shape = |cells: &Vec<Cell>| {
        let (x, y) = *cells.first()?;
        let letter = letter_at(start, (x, y)).filter(|letter| !".#".contains(*letter))?;
        Some((letter, cells.iter().map(|(u, v)| (u - x, v - y)).collect()))
    };
    blocks.values().filter_map(shape).collect()
}

/// The cells that a puzzle's goal names.
pub(super) fn places(spec: &PuzzleSpec) -> Vec<String> {
    let table = Some(spec).filter(|spec| spec.kind == "rules").and_then(|spec| spec.table::<RulesTable>().ok());
    match table.and_then(|table| table.goal).as_ref().map(|goal| goal.as_slice()) {
        Some([Goal::Conditions(Conditions { at: Some(places), .. })]) => match places {
            Places::Cell(cell) => vec![cell.clone()],
            Places::Cells(cells) => cells.clone(),
            Places::Letters(letters) => letters.keys().cloned().collect(),
        },
        _ => Vec::new(),
    }
}

/// The pieces after a move in letters of their own: `own_before` are those of `before` in such letters.
pub(super) fn followed(before: &[Piece], own_before: &[Piece], after: &[Piece]) -> Vec<Piece> {
    let both = || before.iter().zip(own_before);
    let mut gone: Vec<(char, char)> =
        both().filter(|(piece, _)| !after.contains(piece)).map(|(piece, own)| (piece.letter, own.letter)).collect();
    let mut own = |piece: &Piece| {
        let stayed = both().find(|(earlier, _)| *earlier == piece).map(|(_, own)| own.letter);
        let mut moved = || {
            let at = gone.iter().position(|(letter, _)| *letter == piece.letter)?;
            Some(gone.remove(at).1)
        };
        stayed.or_else(&mut moved).unwrap_or(piece.letter)
    };
    after.iter().map(|piece| Piece { letter: own(piece), cells: piece.cells.clone() }).collect()
}

/// The pieces of a position. A block's letter is on all of its cells, and the first cell that no block before it has is its first.
pub(super) fn pieces(rows: &[Vec<char>], shapes: &Shapes) -> Vec<Piece> {
    let mut taken: Vec<Cell> = Vec::new();
    let mut pieces = Vec::new();
    for ((x, y), letter) in letters(rows).filter(|(_, letter)| !".#".contains(*letter)) {
        if taken.contains(&(x, y)) {
            continue;
        }
        let one = vec![(0, 0)];
        let cells: Vec<Cell> = shapes.get(&letter).unwrap_or(&one).iter().map(|(u, v)| (x + u, y + v)).collect();
        let fits = cells.iter().all(|&cell| letter_at(rows, cell) == Some(letter) && !taken.contains(&cell));
        let cells = if fits { cells } else { vec![(x, y)] };
        taken.extend(&cells);
        pieces.push(Piece { letter, cells });
    }
    pieces
}

/// The outline of a piece, one unit within its cells, as a path that goes along rows and columns.
pub(super) fn outline(cells: &[Cell]) -> String {
    // Clockwise: from, to, and the way inwards.
    let mut edges: Vec<(Cell, Cell, Cell)> = Vec::new();
    for &(x, y) in cells {
        let sides = [
            ((x, y), (x + 1, y), (0, -1)),
            ((x + 1, y), (x + 1, y + 1), (1, 0)),
            ((x + 1, y + 1), (x, y + 1), (0, 1)),
            ((x, y + 1), (x, y), (-1, 0)),
        ];
        let outer = sides.into_iter().filter(|(_, _, (u, v))| !cells.contains(&(x + u, y + v)));
        edges.extend(outer.map(|(from, to, (u, v))| (from, to, (-u, -v))));
    }
    let mut path = String::new();
    while let Some(first) = edges.pop() {
        let (mut edge, mut corners) = (first, Vec::new());
        loop {
            let next = match edges.iter().position(|next| next.0 == edge.1) {
                Some(at) => edges.swap_remove(at),
                None => first,
            };
            let ((x, y), (u, v), (s, t)) = (edge.1, edge.2, next.2);
            if edge.2 != next.2 {
                corners.push((UNIT + x * UNIT + u + s, UNIT + y * UNIT + v + t));
            }
            if next == first {
                break;
            }
            edge = next;
        }
        // Writing to a string cannot fail.
        let _ = write!(path, "M{} {}", corners[0].0, corners[0].1);
        for pair in corners.windows(2) {
            let (across, down) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            let _ = if across == 0 { write!(path, "v{down}") } else { write!(path, "h{across}") };
        }
        path.push('z');
    }
    path
}

/// A move as people say it: who went where, or what became of which cells. A puzzle of `alone` has one letter, which goes without saying.
pub(super) fn said(before: &[Piece], after: &[Piece], alone: bool) -> String {
    let mut parts: BTreeMap<char, [Vec<String>; 2]> = BTreeMap::new();
    for (side, (here, there)) in [(before, after), (after, before)].into_iter().enumerate() {
        for piece in here.iter().filter(|piece| !there.contains(piece)) {
            parts.entry(piece.letter).or_default()[side].push(name(piece.cells[0]));
        }
    }
    if parts.values().all(|sides| sides.iter().all(|cells| !cells.is_empty())) {
        let went = parts.iter().map(|(letter, [from, to])| {
            let who = if alone { String::new() } else { format!("{letter} ") };
            format!("{who}{} → {}", from.join(" "), to.join(" "))
        });
        return went.collect::<Vec<_>>().join(", ");
    }
    let mut cells: BTreeMap<&String, [char; 2]> = BTreeMap::new();
    for (letter, sides) in &parts {
        for (side, names) in sides.iter().enumerate() {
            names.iter().for_each(|name| cells.entry(name).or_insert(['.'; 2])[side] = *letter);
        }
    }
    let became = cells.iter().map(|(cell, [from, to])| format!("{cell}: {from} → {to}"));
    became.collect::<Vec<_>>().join(", ")
}

/// The name of a cell.
pub(super) fn name((x, y): Cell) -> String {
    place_name(x as usize, y as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(board: &str) -> PuzzleSpec {
        let table = serde_json::json!({"kind": "blocks", "board": board, "metric": "step"});
        serde_json::from_value(table).unwrap()
    }

    #[test]
    fn blocks_of_one_shape_that_touch_are_told_apart() {
        let start = rows("AB\nAB\nCC\n..");
        let shapes = shapes(&blocks("AB\nAB\nCC\n..\n"), &rows("AA\nAA\nCC\n.."));
        assert_eq!(shapes.keys().collect::<String>(), "AC");
        let found = pieces(&rows("A.\nA.\nAA\nAA"), &shapes);
        let cells: Vec<_> = found.iter().map(|piece| piece.cells.clone()).collect();
        assert_eq!(cells, [vec![(0, 0), (0, 1)], vec![(0, 2), (0, 3)], vec![(1, 2), (1, 3)]]);
        assert_eq!(pieces(&start, &Shapes::new()).len(), 6);
    }

    #[test]
    fn a_board_of_rush_hour_has_cars_of_several_cells() {
        let text = "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM";
        let map: Vec<Vec<char>> = text
            .replace('o', ".")
            .replace('x', "#")
            .chars()
            .collect::<Vec<_>>()
            .chunks(6)
            .map(<[char]>::to_vec)
            .collect();
        let shapes = shapes(&blocks(text), &map);
        assert_eq!((shapes[&'H'].len(), shapes[&'A'].len()), (3, 2));
        assert_eq!(pieces(&map, &shapes).len(), 12);
    }

    #[test]
    fn an_outline_goes_round_all_cells_of_a_piece_and_round_its_hole() {
        assert_eq!(outline(&[(0, 0)]), "M21 21h18v18h-18z");
        assert_eq!(outline(&[(0, 0), (1, 0)]), "M21 39v-18h38v18z");
        // An L has a corner that points inwards.
        assert_eq!(outline(&[(0, 0), (0, 1), (1, 1)]).matches(['h', 'v']).count(), 5);
        let ring: Vec<Cell> = (0..9).map(|i| (i % 3, i / 3)).filter(|&cell| cell != (1, 1)).collect();
        assert_eq!(outline(&ring).matches('z').count(), 2);
    }

    #[test]
    fn a_move_is_said_as_people_say_it() {
        let said = |before: &str, after: &str, alone| {
            let shapes = shapes(&blocks("BB\nBB\n..\n"), &rows("BB\nBB\n.."));
            said(&pieces(&rows(before), &shapes), &pieces(&rows(after), &shapes), alone)
        };
        assert_eq!(said("12\n3.", "12\n.3", false), "3 a2 → b2");
        assert_eq!(said("BB\nBB\n..", "..\nBB\nBB", false), "B a1 → a2");
        assert_eq!(said("@$.", ".@$", false), "$ b1 → c1, @ a1 → b1");
        assert_eq!(said("PP.", "..P", true), "a1 b1 → c1");
        assert_eq!(said("AA", "AC", false), "b1: A → C");
    }
}
