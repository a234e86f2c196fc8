//! Bounds: what lets a search cut a state because it cannot be part of a solution of the length in question.
//!
//! A bound judges all successors of one state at once: it takes out of each man's reachable cells those that lead
//! nowhere, so that a pruned successor is never made.

pub mod abstraction;
pub mod database;
pub mod frontier;
pub mod game_bounds;
pub mod histogram;
pub mod mcc;
pub mod middle;
pub mod palindrome;
pub mod pattern;
pub mod relaxed;
pub mod theorem1;

use halma_rules::cells::Cells;

/// An army: its cells, ascending, and the same as a set.
#[derive(Clone, Copy, Debug)]
pub struct Army<'a, const W: usize> {
    /// The cells, ascending.
    pub men: &'a [u8],
    /// The cells.
    pub set: Cells<W>,
}

/// A bound for one search.
pub trait Bound<const W: usize>: Send + Sync {
    /// Its working part, one for each thread.
    fn pruner(&self) -> Box<dyn Pruner<W>>;
}

/// One thread's part of a [`Bound`].
pub trait Pruner<const W: usize>: Send {
    /// Whether anything may follow from `army`; where not, its successors are neither made nor counted.
    fn has_successors(&mut self, _army: Army<'_, W>) -> bool {
        true
    }

    /// Takes out of `reach[i]`, the cells that the man on `army.men[i]` can go to, those after which no solution can
    /// follow; the successors stand on level `depth`.
    fn filter(&mut self, army: Army<'_, W>, depth: u32, reach: &mut [Cells<W>]);
}
