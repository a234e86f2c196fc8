//! Admissible bounds: they prune a state only if it cannot lie on a solution of the length in question.
//!
//! A bound judges all successors of a state at once: it removes from each man's reachable cells those after which no
//! solution can follow. So a pruned successor is never made.

pub mod abstraction;
pub mod cells_by_value;
pub mod covered;
pub mod database;
mod distance_table;
pub mod frontier;
pub mod game_bounds;
pub mod histogram;
pub mod leading_moves;
pub mod mcc;
pub mod middle;
pub mod palindrome;
pub mod partition;
pub mod pattern;
pub mod relaxed;
pub mod theorem1;

use halma_rules::cells::Cells;

use pattern::HistogramBound;

/// An army, as a list of cells and as a set.
#[derive(Clone, Copy, Debug)]
pub struct Army<'a, const W: usize> {
    /// The cells, ascending.
    pub men: &'a [u8],
    /// The cells.
    pub set: Cells<W>,
}

/// An admissible bound, for one search.
pub trait Bound<const W: usize>: Send + Sync {
    /// The working part of one thread.
    fn pruner(&self) -> Box<dyn Pruner<W>>;

    /// What [`Pruner::filter`] asks of a successor.
    fn asked(&self) -> Asked {
        Asked::Move
    }
}

/// What a bound asks of a successor.
#[derive(Clone, Debug)]
pub enum Asked {
    /// Nothing: the bound asks only whether anything can follow from a state.
    Nothing,
    /// Its histogram and its level, and nothing of the state before it.
    Histogram(HistogramBound),
    /// The values of its cells and of those of the state before it.
    Values(ValueBound),
    /// Anything: [`Pruner::filter`] has to be called.
    Move,
}

/// Prunes a move X → Y unless f(X) + f(Y) >= 0, where f is the sum of the values of an army's cells.
#[derive(Clone, Debug)]
pub struct ValueBound {
    /// The values, by cell.
    pub values: Vec<i32>,
    /// Whether all moves from an X with f(X) >= 0 stay.
    pub all_if_positive: bool,
}

/// The working part of a [`Bound`], for one thread.
pub trait Pruner<const W: usize>: Send {
    /// Whether anything can follow from `army`. If not, its successors are neither made nor counted.
    fn has_successors(&mut self, _army: Army<'_, W>) -> bool {
        true
    }

    /// Removes from `reach[i]`, the cells that the man on `army.men[i]` can go to, those after which no solution can
    /// follow. The successors belong to level `depth`.
    fn filter(&mut self, army: Army<'_, W>, depth: u32, reach: &mut [Cells<W>]);
}
