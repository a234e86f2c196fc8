//! Moves as text: `e1-c1-c3-e3` names every cell that the man lands on.
//!
//! In a list of moves a trailing `-` means that the middle of the solution falls inside this move; `(reflect)`
//! that the second half is the first, mirrored in ρ and reversed (Appendix A.2 of the paper).
//!
//! ```
//! use halma_rules::board::Board;
//! use halma_rules::notation::{Script, write_chain};
//! let board = Board::named("9x9").unwrap();
//! let script = Script::parse("b1-d1-d3, b2-d2- (reflect)", &board).unwrap();
//! assert_eq!(write_chain(&script.moves[0].cells, &board), "b1-d1-d3");
//! assert_eq!((script.len(), script.moves[1].open), (3, true));
//! assert_eq!(script.write(&board), "b1-d1-d3, b2-d2- (reflect)");
//! ```

use std::ops::Range;

use crate::board::Board;
use crate::cells::Cells;
use crate::lattice::Lattice;

/// Moves as written in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The moves that are written out.
    pub moves: Vec<Move>,
    /// Whether the rest is the mirrored reversal.
    pub reflect: bool,
}

/// One move as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where the man starts and each cell he lands on.
    pub cells: Vec<usize>,
    /// Whether the middle of the solution falls inside it: its rest is its own mirrored reversal.
    pub open: bool,
    /// The bytes of the text that spell it.
    pub span: Range<usize>,
}

/// An error in a text of moves, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// The bytes at fault.
    pub span: Range<usize>,
    /// What was found, and what is allowed.
    pub message: String,
}

const REFLECT: &str = "(reflect)";

impl Script {
    /// Parses moves, separated by commas, spaces or line breaks; after a `-` these may also stand within a move.
    ///
    /// # Errors
    /// The first text that is no move.
    pub fn parse(text: &str, board: &Board) -> Result<Self, NotationError> {
        Reader { text, board, at: 0 }.script()
    }

    /// The length of the solution: the moves written out and those that `(reflect)` stands for.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no moves are a solution, too")]
    pub fn len(&self) -> usize {
        let open = usize::from(self.moves.last().is_some_and(|m| m.open));
        if self.reflect { 2 * self.moves.len() - open } else { self.moves.len() }
    }

    /// All moves as lists of landings, the second half filled in by `mirror`.
    ///
    /// `None` where the script reflects and there is no mirror.
    #[must_use]
    pub fn expand(&self, mirror: Option<&[u8]>) -> Option<Vec<Vec<usize>>> {
        let mut all: Vec<Vec<usize>> = self.moves.iter().map(|m| m.cells.clone()).collect();
        if !self.reflect {
            return Some(all);
        }
        let mirror = mirror?;
        let mirrored = |m: &Move| m.cells.iter().rev().map(|&c| usize::from(mirror[c])).collect::<Vec<_>>();
        let mut half: Vec<&Move> = self.moves.iter().collect();
        if let Some(middle) = half.pop_if(|m| m.open) {
            let mut rest = mirrored(middle);
            // Where the man stands on the mirror's axis in the middle, that landing is in both halves.
            if rest.first() == middle.cells.last() {
                rest.remove(0);
            }
            let last = all.len() - 1;
            all[last].extend(rest);
        }
        all.extend(half.into_iter().rev().map(mirrored));
        Some(all)
    }

    /// The moves as text, on one line.
    #[must_use]
    pub fn write(&self, board: &Board) -> String {
        let mut text: Vec<String> = self.moves.iter().map(|m| write_chain(&m.cells, board)).collect();
        match (self.reflect, text.last_mut()) {
            (true, Some(last)) if self.moves.last().is_some_and(|m| m.open) => {
                last.push_str("- ");
                last.push_str(REFLECT);
            }
            (true, _) => text.push(REFLECT.into()),
            (false, _) => {}
        }
        text.join(", ")
    }
}

/// A move as text.
#[must_use]
pub fn write_chain(cells: &[usize], board: &Board) -> String {
    cells.iter().map(|&c| board.name_of(c)).collect::<Vec<_>>().join("-")
}

/// The moves between armies that follow one another (of a game: both armies together) as text, with every landing.
///
/// # Errors
/// The number, from 1, of the first step that is not a move.
pub fn write_walk<const W: usize>(
    lattice: &Lattice,
    jumps_only: bool,
    walk: &[Cells<W>],
) -> Result<Vec<String>, usize> {
    let step = |(number, pair): (usize, &[Cells<W>])| {
        let (from, to) = pair[0].moved(pair[1]).ok_or(number)?;
        let cells = chain(lattice, pair[0], from, to, jumps_only).ok_or(number)?;
        Ok(write_chain(&cells, &lattice.board))
    };
    (1..).zip(walk.windows(2)).map(step).collect()
}

/// The shortest way for the man on `from` to land on `to` in one move, both ends included; of several, the first in the
/// order of the lattice's neighbours. `None` if one move is not enough.
#[must_use]
pub fn chain<const W: usize>(
    lattice: &Lattice,
    occupied: Cells<W>,
    from: usize,
    to: usize,
    jumps_only: bool,
) -> Option<Vec<usize>> {
    let others = occupied.without(from);
    if from == to || others.contains(to) {
        return None;
    }
    if !jumps_only && lattice.neighbours(from).contains(&(to as u8)) {
        return Some(vec![from, to]);
    }
    // Breadth first: each cell is reached along a shortest chain, and keeps the landing before it.
    let mut before = vec![None; lattice.len()];
    let mut queue = vec![from];
    let mut head = 0;
    while before[to].is_none() {
        let here = *queue.get(head)?;
        head += 1;
        for landing in landings(lattice, others, here) {
            if landing != from && before[landing].is_none() {
                before[landing] = Some(here);
                queue.push(landing);
            }
        }
    }
    let mut cells: Vec<usize> = std::iter::successors(Some(to), |&cell| before[cell]).collect();
    cells.reverse();
    Some(cells)
}

/// Where one jump from `cell` may land, with the other men on `others`.
fn landings<const W: usize>(lattice: &Lattice, others: Cells<W>, cell: usize) -> impl Iterator<Item = usize> {
    let over = lattice.neighbours(cell).iter().map(|&n| usize::from(n)).filter(move |&n| others.contains(n));
    over.filter_map(move |over| beyond(lattice, cell, over)).filter(move |&landing| !others.contains(landing))
}

/// The cell behind `over`, seen from its neighbour `cell`.
fn beyond(lattice: &Lattice, cell: usize, over: usize) -> Option<usize> {
    lattice.jumps_over(over).iter().find_map(|&(a, b)| match (usize::from(a), usize::from(b)) {
        (a, b) if a == cell => Some(b),
        (a, b) if b == cell => Some(a),
        _ => None,
    })
}

/// The cell that a jump from `from` to `to` passes over, if the two are one jump apart.
#[must_use]
pub(crate) fn jumped(lattice: &Lattice, from: usize, to: usize) -> Option<usize> {
    lattice.neighbours(from).iter().map(|&n| usize::from(n)).find(|&over| beyond(lattice, from, over) == Some(to))
}

struct Reader<'a> {
    text: &'a str,
    board: &'a Board,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn error<T>(&self, start: usize, message: String) -> Result<T, NotationError> {
        let width = self.text[start..].chars().next().map_or(0, char::len_utf8);
        Err(NotationError { span: start..self.at.max(start + width), message })
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn script(mut self) -> Result<Script, NotationError> {
        let mut script = Script { moves: Vec::new(), reflect: false };
        loop {
            self.skip_space();
            let start = self.at;
            if self.rest().is_empty() {
                break;
            }
            if script.reflect {
                return self.error(start, format!("nothing may follow {REFLECT}"));
            }
            if self.take(REFLECT) {
                script.reflect = true;
                continue;
            }
            if let Some(open) = script.moves.last().filter(|m| m.open) {
                return Err(NotationError {
                    span: open.span.clone(),
                    message: format!("a `-` at the end of a move is allowed only before {REFLECT}"),
                });
            }
            script.moves.push(self.one_move()?);
            self.skip_space();
            self.take(",");
        }
        match script.moves.last() {
            Some(Move { open: true, span, .. }) if !script.reflect => Err(NotationError {
                span: span.clone(),
                message: format!("a `-` at the end of a move is allowed only before {REFLECT}"),
            }),
            None if script.reflect => self.error(0, format!("{REFLECT} has no move before it")),
            _ => Ok(script),
        }
    }

    fn one_move(&mut self) -> Result<Move, NotationError> {
        let start = self.at;
        let mut cells = vec![self.cell()?];
        let mut open = false;
        let mut end = self.at;
        while self.take("-") {
            end = self.at;
            self.skip_space();
            open = self.rest().is_empty() || self.rest().starts_with(['(', ',']);
            if open {
                break;
            }
            cells.push(self.cell()?);
            end = self.at;
        }
        if cells.len() == 1 && !open {
            let found = &self.text[start..end];
            return self.error(start, format!("`{found}` is no move: allowed are cells joined by `-`, as in c2-d2"));
        }
        Ok(Move { cells, open, span: start..end })
    }

    fn cell(&mut self) -> Result<usize, NotationError> {
        let start = self.at;
        let length = self.rest().find(|c: char| c.is_whitespace() || "-,()".contains(c)).unwrap_or(self.rest().len());
        self.at += length;
        let name = &self.text[start..self.at];
        match self.board.cell(name) {
            Some(cell) => Ok(cell),
            None if name.is_empty() => {
                let found = self.rest().chars().next().map_or("the end".into(), |c| format!("`{c}`"));
                self.error(start, format!("found {found} where a cell is expected, as in c2-d2"))
            }
            None => self.error(start, format!("`{name}` is no cell of the board: {}", self.board.names())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Rule;
    use proptest::prelude::*;

    fn board(name: &str) -> Board {
        Board::named(name).unwrap()
    }

    #[test]
    fn a_chain_may_go_on_after_a_line_break() {
        let script = Script::parse("a4-c4-\n  c6,\nb2-b3 b4-c3,", &board("9x9")).unwrap();
        assert_eq!(script.write(&board("9x9")), "a4-c4-c6, b2-b3, b4-c3");
        assert_eq!(script.moves[0].span, 0..11);
        assert_eq!(Script::parse(" \n", &board("9x9")).unwrap().len(), 0);
    }

    #[test]
    fn the_middle_move_is_completed_by_its_mirrored_reversal() {
        // ρ of the board of one row turns it end for end.
        let (row, _) = Board::from_map(".......").unwrap();
        let mirror: Vec<u8> = (0..7).rev().collect();
        let expand = |text| Script::parse(text, &row).unwrap().expand(Some(&mirror)).unwrap();
        assert_eq!(expand("a1-b1, (reflect)"), [vec![0, 1], vec![5, 6]]);
        assert_eq!(expand("a1-b1, c1-d1- (reflect)"), [vec![0, 1], vec![2, 3, 4], vec![5, 6]]);
        assert_eq!(expand("a1-c1- (reflect)"), [vec![0, 2, 4, 6]]);
        assert_eq!(expand("c1- (reflect)"), [vec![2, 4]]);
        assert_eq!(Script::parse("a1-b1 (reflect)", &row).unwrap().expand(None), None);
    }

    #[test]
    fn what_is_no_move_is_refused_with_its_place() {
        for (text, span, message) in [
            ("a1", 0..2, "`a1` is no move: allowed are cells joined by `-`, as in c2-d2"),
            ("a1-j1", 3..5, "`j1` is no cell of the board: it has columns a to i, rows 1 to 9"),
            ("a1--b1", 3..4, "found `-` where a cell is expected, as in c2-d2"),
            ("a1-b1,,", 6..7, "found `,` where a cell is expected, as in c2-d2"),
            ("a1-b1-", 0..6, "a `-` at the end of a move is allowed only before (reflect)"),
            ("a1-b1-, b1-c1", 0..6, "a `-` at the end of a move is allowed only before (reflect)"),
            ("(reflect)", 0..9, "(reflect) has no move before it"),
            ("a1-b1 (reflect) c1-d1", 16..17, "nothing may follow (reflect)"),
            ("a1-b1 (mirror)", 6..7, "found `(` where a cell is expected, as in c2-d2"),
        ] {
            let expected = NotationError { span, message: message.into() };
            assert_eq!(Script::parse(text, &board("9x9")), Err(expected), "{text}");
        }
    }

    #[test]
    fn a_step_is_taken_before_a_chain_and_only_where_steps_count() {
        let lattice = Lattice::new(Board::from_map("....\n....").unwrap().0, Rule::Four);
        let men: Cells<1> = [0, 1].into_iter().collect();
        assert_eq!(chain(&lattice, men, 1, 2, false), Some(vec![1, 2]));
        assert_eq!(chain(&lattice, men, 1, 2, true), None);
        assert_eq!(chain(&lattice, men, 0, 2, true), Some(vec![0, 2]));
        assert_eq!(chain(&lattice, men, 0, 1, false), None);
        assert_eq!(chain(&lattice, men, 0, 0, false), None);
        assert_eq!(chain(&lattice, men, 0, 7, false), None);
    }

    #[test]
    fn a_walk_is_written_up_to_the_first_pair_that_no_move_leads_between() {
        let lattice = Lattice::new(Board::from_map("....\n....").unwrap().0, Rule::Four);
        let army = |cells: [usize; 2]| cells.into_iter().collect::<Cells<1>>();
        let walk = [[0, 1], [1, 2], [1, 3], [0, 7], [0, 7]].map(army);
        let written = |jumps_only, armies: &[Cells<1>]| write_walk(&lattice, jumps_only, armies);
        assert_eq!(written(false, &walk[..3]), Ok(vec!["a1-c1".into(), "c1-d1".into()]));
        assert_eq!(written(true, &walk[..3]), Err(2));
        // Two men at once, and nobody.
        assert_eq!(written(false, &walk), Err(3));
        assert_eq!(written(false, &walk[3..]), Err(1));
    }

    /// All cells reachable by jumps, found without tables: by columns, rows and directions.
    fn jumps_by_hand(lattice: &Lattice, men: Cells<2>, from: usize) -> Cells<2> {
        let (others, board) = (men.without(from), &lattice.board);
        let mut reached = Cells::of(from);
        loop {
            let before = reached;
            for cell in before.iter() {
                let (x, y) = board.xy(cell);
                for (dx, dy) in lattice.rule.directions() {
                    if let (Some(over), Some(to)) = (board.at(x + dx, y + dy), board.at(x + 2 * dx, y + 2 * dy))
                        && others.contains(over)
                        && !others.contains(to)
                    {
                        reached.add(to);
                    }
                }
            }
            if reached == before {
                return reached.without(from);
            }
        }
    }

    proptest! {
        #[test]
        fn a_chain_exists_where_jumps_lead_and_each_of_its_jumps_is_one(
            cells in proptest::collection::btree_set(0usize..81, 1..40),
            rule in proptest::sample::select(&[Rule::Four, Rule::Six, Rule::Eight][..]),
        ) {
            let lattice = Lattice::new(board("9x9"), rule);
            let men: Cells<2> = cells.iter().copied().collect();
            let from = *cells.first().unwrap();
            let reached = jumps_by_hand(&lattice, men, from);
            for to in 0..81 {
                let found = chain(&lattice, men, from, to, true);
                prop_assert_eq!(found.is_some(), reached.contains(to));
                for pair in found.unwrap_or_default().windows(2) {
                    let over = jumped(&lattice, pair[0], pair[1]).unwrap();
                    prop_assert!(men.contains(over) && over != from && !men.without(from).contains(pair[1]));
                }
            }
        }

        #[test]
        fn a_script_reads_back_as_it_is_written(
            lists in proptest::collection::vec(proptest::collection::vec(0usize..256, 2..6), 1..9),
            reflect: bool,
            open: bool,
        ) {
            let (wide, _) = Board::from_map(&format!("{}\n", ".".repeat(256))).unwrap();
            let mut moves: Vec<Move> =
                lists.into_iter().map(|cells| Move { cells, open: false, span: 0..0 }).collect();
            moves.last_mut().unwrap().open = open && reflect;
            let script = Script { moves, reflect };
            let mut read = Script::parse(&script.write(&wide), &wide).unwrap();
            read.moves.iter_mut().for_each(|m| m.span = 0..0);
            prop_assert_eq!(read, script);
        }
    }
}
