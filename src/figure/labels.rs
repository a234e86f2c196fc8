//! Places the names of columns and rows: each at an end of its line, clear of cells and of other names.

use halma_rules::board::Board;

use super::plane::{Plane, UNIT};

/// A name, and the middle of where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) at: (i32, i32),
}

/// The names of all columns and rows that have a cell.
pub(super) fn labels(board: &Board, plane: &Plane) -> Vec<Label> {
    let mut placed: Vec<Label> = Vec::new();
    let columns = (0..board.width() as i32).filter_map(|x| line(board, |c| board.xy(c).0 == x, (0, -1)));
    let rows = (0..board.height() as i32).filter_map(|y| line(board, |c| board.xy(c).1 == y, (-1, 0)));
    for (ends, is_column) in columns.map(|line| (line, true)).chain(rows.map(|line| (line, false))) {
        let name = board.name_of(ends[0].0);
        let text = match is_column {
            true => name.trim_end_matches(|c: char| c.is_ascii_digit()).to_string(),
            false => name.trim_start_matches(|c: char| c.is_ascii_lowercase()).to_string(),
        };
        // On squares, at the edge of the drawing: never in a hole.
        let places = ends.iter().map(|&(cell, way)| match plane.squares() {
            true if is_column => plane.toward((board.xy(cell).0, 0), (0, -1)),
            true => plane.toward((0, board.xy(cell).1), (-1, 0)),
            false => plane.toward(board.xy(cell), way),
        });
        let labels = places.map(|at| Label { text: text.clone(), at });
        let crowded = |label: &Label| overlap(label, board, plane, &placed);
        placed.extend(labels.min_by_key(crowded));
    }
    placed
}

/// The first and the last cell of a line, each with the way that leads off the board there.
fn line(board: &Board, on_line: impl Fn(usize) -> bool, (dx, dy): (i32, i32)) -> Option<[(usize, (i32, i32)); 2]> {
    let mut cells = (0..board.len()).filter(|&c| on_line(c));
    let first = cells.next()?;
    Some([(first, (dx, dy)), (cells.next_back().unwrap_or(first), (-dx, -dy))])
}

/// How much of a name lies on cells and other names.
fn overlap(label: &Label, board: &Board, plane: &Plane, placed: &[Label]) -> i32 {
    // Half of what a name takes across: letters are narrower than high.
    let half = |text: &str| 1 + 5 * text.len() as i32 / 2;
    let shared = |at: (i32, i32), across: i32, down: i32| {
        let (dx, dy) = ((at.0 - label.at.0).abs(), (at.1 - label.at.1).abs());
        (across - dx).max(0) * (down - dy).max(0)
    };
    let cell = UNIT * 2 / 5;
    let on_cells = (0..board.len())
        .filter(|_| !plane.squares())
        .map(|c| shared(plane.place(board, c), half(&label.text) + cell, 4 + cell));
    let on_names = placed.iter().map(|other| shared(other.at, half(&label.text) + half(&other.text), 8));
    on_cells.chain(on_names).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_rules::lattice::{Lattice, Rule};

    fn crowded(board: Board, rule: Rule) -> (usize, i32) {
        let lattice = Lattice::new(board, rule);
        let plane = Plane::of(&lattice);
        let all = labels(&lattice.board, &plane);
        let parts = (0..all.len()).map(|i| overlap(&all[i], &lattice.board, &plane, &all[..i]));
        (all.len(), parts.sum())
    }

    #[test]
    fn no_name_of_the_star_stands_on_a_cell_or_on_another_name() {
        assert_eq!(crowded(Board::named("star-121").unwrap(), Rule::Six), (34, 0));
    }

    #[test]
    fn names_of_a_board_with_holes_stand_at_its_edge() {
        let holed = "##..\n#...\n....\n..#.";
        assert_eq!(crowded(Board::from_map(holed).unwrap().0, Rule::Eight), (8, 0));
        assert_eq!(crowded(Board::from_map(holed).unwrap().0, Rule::Six), (8, 0));
    }
}
