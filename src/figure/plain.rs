//! Boards as text: in their shape, with names of columns and rows, targets in brackets, and optional colours.

use anstyle::{AnsiColor, Effects, Style};

use halma_rules::board::{Board, column_name};
use halma_rules::cells::Cells;
use halma_rules::game::Side;
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::notation::write_chain;
use halma_rules::problem::set;
use halma_rules::replay::{Checked, played};

/// What is on a cell: a letter, and how it looks in colour.
pub(crate) type Glyph = (char, Style);

/// Columns of a terminal.
const WIDE: usize = 80;

/// A man of that type of cell.
pub(crate) fn of_type(kind: usize) -> Style {
    let colours = [AnsiColor::Blue, AnsiColor::Yellow, AnsiColor::Green, AnsiColor::Magenta];
    colours[kind % 4].on_default()
}

/// A man of that side.
pub(crate) fn of_side(side: Side) -> Style {
    if side == Side::Blue { AnsiColor::Blue.on_default() } else { AnsiColor::Red.on_default() }
}

/// What is of less weight.
pub(crate) fn faint() -> Style {
    Style::new().effects(Effects::DIMMED)
}

/// The board of a lattice as text, `framed` cells in brackets. Ends with a line break.
pub(crate) fn board(lattice: &Lattice, framed: Cells<4>, coloured: bool, glyph: impl Fn(usize) -> Glyph) -> String {
    let board = &lattice.board;
    let leaning = lattice.rule == Rule::Six || board.name() == "checkers-32";
    let canvas = Canvas::of(board, framed, leaning, &glyph);
    if canvas.width() <= WIDE {
        return canvas.text(coloured);
    }
    // Too wide for its shape: a letter a cell.
    board.draw(|cell| glyph(cell).0)
}

/// Letters in rows.
struct Canvas {
    rows: Vec<Vec<Option<Glyph>>>,
}

impl Canvas {
    fn of(board: &Board, framed: Cells<4>, leaning: bool, glyph: &impl Fn(usize) -> Glyph) -> Self {
        // The middle of a place, in letters; one place is left free on all sides for names.
        let height = board.height() as i32;
        let spot = |(x, y): (i32, i32)| match leaning {
            true => (2 * (x - y) + 2 * height + 2, x + y + 1),
            false => (3 * x + 4, y + 1),
        };
        let mut canvas = Self { rows: Vec::new() };
        for cell in 0..board.len() {
            let (column, row) = spot(board.xy(cell));
            canvas.put(column, row, glyph(cell));
            if framed.contains(cell) {
                canvas.put(column - 1, row, ('[', faint()));
                canvas.put(column + 1, row, (']', faint()));
            }
        }
        if board.name() == "map" && !leaning {
            let places = (0..height).flat_map(|y| (0..board.width() as i32).map(move |x| (x, y)));
            places.filter(|&(x, y)| board.at(x, y).is_none()).for_each(|place| {
                let (column, row) = spot(place);
                canvas.put(column, row, ('#', faint()));
            });
        }
        for x in 0..board.width() as i32 {
            let cells: Vec<i32> = (0..height).filter(|&y| board.at(x, y).is_some()).collect();
            let ends = if leaning { ends(&cells) } else { Some([-1, -1]) };
            canvas.name(ends.map(|ends| ends.map(|y| spot((x, y)))), &column_name(x as usize));
        }
        for y in 0..height {
            let cells: Vec<i32> = (0..board.width() as i32).filter(|&x| board.at(x, y).is_some()).collect();
            let ends = if leaning { ends(&cells) } else { Some([-1, -1]) };
            canvas.name(ends.map(|ends| ends.map(|x| spot((x, y)))), &(y + 1).to_string());
        }
        canvas.trimmed()
    }

    fn put(&mut self, column: i32, row: i32, glyph: Glyph) {
        let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) else { return };
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Vec::new());
        }
        let letters = &mut self.rows[row];
        if letters.len() <= column {
            letters.resize(column + 1, None);
        }
        letters[column] = Some(glyph);
    }

    /// Writes a name at the first of the places where nothing stands in its way.
    fn name(&mut self, places: Option<[(i32, i32); 2]>, name: &str) {
        let Some(places) = places else { return };
        let length = name.len() as i32;
        let letters = |(column, row): (i32, i32)| (0..length).map(move |i| (column - length / 2 + i, row));
        let is_free = |&(column, row): &(i32, i32)| {
            let at = |c: i32| usize::try_from(c).ok().zip(usize::try_from(row).ok());
            let taken = |c| {
                at(c).is_some_and(|(c, r)| self.rows.get(r).and_then(|row| row.get(c)).is_some_and(Option::is_some))
            };
            let first = column - length / 2;
            first >= 0 && row >= 0 && !(first - 1..=first + length).any(taken)
        };
        // Where lines of both kinds end at one spot, a little aside.
        let aside = places.iter().flat_map(|&(column, row)| [(column + 3, row), (column - 3, row)]);
        let Some(place) = places.iter().copied().chain(aside).find(is_free) else { return };
        letters(place).zip(name.chars()).for_each(|((column, row), letter)| self.put(column, row, (letter, faint())));
    }

    /// Without what is empty to the left and above.
    fn trimmed(mut self) -> Self {
        let first = |row: &Vec<Option<Glyph>>| row.iter().position(Option::is_some);
        let left = self.rows.iter().filter_map(first).min().unwrap_or(0);
        self.rows.retain(|row| first(row).is_some());
        self.rows.iter_mut().for_each(|row| drop(row.drain(..left)));
        self
    }

    fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn text(&self, coloured: bool) -> String {
        let mut text = String::new();
        for row in &self.rows {
            for glyph in row {
                match glyph {
                    Some((letter, style)) if coloured => text += &format!("{style}{letter}{style:#}"),
                    Some((letter, _)) => text.push(*letter),
                    None => text.push(' '),
                }
            }
            text.push('\n');
        }
        text
    }
}

/// One before the first and one after the last.
fn ends(cells: &[i32]) -> Option<[i32; 2]> {
    Some([cells.first()? - 1, cells.last()? + 1])
}

/// A checked solution: the board before the first move and after each.
pub(crate) fn solution(checked: &Checked, coloured: bool) -> String {
    let (lattice, start, target, moves) = match checked {
        Checked::Transfer(r) => {
            (&r.transfer.lattice, [set(&r.transfer.start), Cells::EMPTY], set(&r.transfer.target), &r.moves)
        }
        Checked::Game(r) => (&r.game.lattice, [set(&r.game.blue), set(&r.game.red)], Cells::EMPTY, &r.moves),
    };
    let is_game = matches!(checked, Checked::Game(_));
    let drawn = |armies: &[Cells<4>; 2], ends: Option<(usize, usize)>| {
        board(lattice, target, coloured, |cell| {
            let side = if armies[1].contains(cell) { Side::Red } else { Side::Blue };
            let (letter, style) = match (armies[0].contains(cell) || armies[1].contains(cell), is_game) {
                (true, true) => (if side == Side::Blue { 'b' } else { 'r' }, of_side(side)),
                (true, false) => ('o', of_type(lattice.board.type_of(cell))),
                (false, _) => ('.', faint()),
            };
            match ends {
                Some((_, to)) if to == cell => (letter.to_ascii_uppercase(), style.bold()),
                Some((from, _)) if from == cell => ('+', style),
                _ => (letter, style),
            }
        })
    };
    let mut text = format!("start\n{}", drawn(&start, None));
    for (number, (cells, armies)) in (1..).zip(played(start, moves)) {
        let [from, .., to] = **cells else { continue };
        let side = match (is_game, armies[1].contains(to)) {
            (false, _) => "",
            (true, false) => "blue ",
            (true, true) => "red ",
        };
        let chain = write_chain(cells, &lattice.board);
        text += &format!("\n{number}. {side}{chain}\n{}", drawn(&armies, Some((from, to))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(name_or_map: &str, rule: Rule, framed: &[&str]) -> String {
        let board = Board::named(name_or_map).unwrap_or_else(|| Board::from_map(name_or_map).unwrap().0);
        let framed = framed.iter().map(|name| board.cell(name).unwrap()).collect();
        super::board(&Lattice::new(board, rule), framed, false, |c| (if c == 0 { 'o' } else { '.' }, faint()))
    }

    #[test]
    fn squares_have_names_targets_stand_in_brackets_and_holes_are_drawn() {
        let text = drawn("..#\n...", Rule::Eight, &["a1", "b2"]);
        assert_eq!(text, "   a  b  c\n1 [o] .  #\n2  . [.] .\n");
    }

    #[test]
    fn a_triangular_grid_leans_as_it_is() {
        let text = drawn("...\n...\n...", Rule::Six, &["c3"]);
        assert_eq!(text, "    1   a\n  2   o   b\n3   .   .   c\n  .   .   .\n    .   .\n     [.]\n");
    }

    #[test]
    fn the_star_is_drawn_in_its_shape_with_every_name_and_fits_a_terminal() {
        let text = drawn("star-121", Rule::Six, &[]);
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert_eq!(text.matches('.').count(), 120, "{text}");
        // The man, and 34 names.
        assert_eq!(text.split_whitespace().filter(|word| *word != ".").count(), 35, "{text}");
    }

    #[test]
    fn no_name_gets_lost_beside_a_bracket() {
        let text = drawn(&"..\n".repeat(12), Rule::Four, &["a11", "a12"]);
        assert!(text.ends_with("11 [.] .\n12 [.] .\n"), "{text}");
    }

    #[test]
    fn what_does_not_fit_has_a_letter_a_cell() {
        assert_eq!(drawn(&".".repeat(60), Rule::Four, &[]).lines().next().map(str::len), Some(60));
    }
}
