//! A puzzle on a board as steps: each needs certain letters on certain cells, and writes others.
//!
//! In planning this is a *grounded* task: no class of letters, no direction and no shape is left, only cells. Search, inverse
//! moves, symmetries and abstractions all work on it, whatever language the puzzle was stated in.

use crate::board::Board;
pub use halma_record::job::puzzle::Until;

/// A set of letters, one bit each.
pub type Letters = u64;

/// The most letters.
pub const MAX_LETTERS: usize = 63;

/// A puzzle on a board.
#[derive(Clone, Debug)]
pub struct Ground {
    /// Its cells.
    pub board: Board,
    /// How each letter is drawn. The first [`Self::ranked`] letters are what states are numbered by; of blocks, each shape at
    /// its first cell. Those after them follow from these; `.` comes last, where the puzzle has it.
    pub letters: Vec<char>,
    /// How many letters number a state (`.` not among them).
    pub ranked: usize,
    /// Whether the puzzle has the letter `.`: then it is the last one.
    pub has_empty: bool,
    /// Of blocks: by ranked letter and cell, the other cells of the block whose first cell this is, with their letters; empty
    /// where it cannot stand there. Of rules nothing.
    pub bodies: Vec<Vec<Vec<(u8, u8)>>>,
    /// The starts: a letter for each cell.
    pub starts: Vec<Vec<u8>>,
    /// All steps.
    pub steps: Vec<Step>,
    /// Whether sides take turns.
    pub turns: bool,
    /// Any of these ends the puzzle; none where it has no goal.
    pub goals: Vec<GoalCondition>,
    /// What may be a symmetry: candidates, each a map of cells with the map of letters that goes with it. Which of them
    /// keep steps, starts and goals is found from the steps ([`Self::symmetries`]).
    pub candidates: Vec<CellMap>,
}

/// One application of a rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The rule's number, from 0.
    pub rule: u16,
    /// The direction's number: with the rule and [`Self::from`] it names those steps that a repetition goes on with.
    pub direction: u8,
    /// What each cell must have, one bit a letter; cells ascending, each once. A cell that is written has one letter here.
    pub needs: Vec<(u8, Letters)>,
    /// What cells have afterwards; cells ascending, and each gets another letter than it had.
    pub writes: Vec<(u8, u8)>,
    /// The cell of the man that moves, and where he goes; the same cell where no man is said to move.
    pub from: u8,
    /// Where he goes.
    pub to: u8,
    /// His letter.
    pub man: u8,
    /// Whether he may go on by any step that chains, within the same move.
    pub chain: bool,
    /// How often the rule repeats.
    pub until: Until,
    /// The side that may use it, 1 or 2; 0 where there are none.
    pub turn: u8,
}

/// Conditions that all have to hold at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoalCondition {
    /// What cells must have; cells ascending, each once.
    pub cells: Vec<(u8, Letters)>,
    /// How many cells have one of these letters.
    pub counts: Vec<(Letters, u32)>,
}

/// A map of the cells onto themselves, with what becomes of letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellMap {
    /// Cell `i` goes to the `i`-th entry.
    pub cells: Vec<u8>,
    /// Letter `l` becomes the `l`-th entry.
    pub letters: Vec<u8>,
}
