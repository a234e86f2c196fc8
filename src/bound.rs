//! Bounds: what lets a search cut a state because it cannot be part of a solution of the length in question.
//!
//! A bound judges all successors of one state at once: it takes out of each man's reachable cells those that lead
//! nowhere, so that a pruned successor is never made.

pub mod abstraction;
pub mod database;
pub mod frontier;
pub mod game;
pub mod histogram;
pub mod mcc;
pub mod middle;
pub mod palindrome;
pub mod pattern;
pub mod relaxed;
pub mod shelf;
pub mod theorem1;

use crate::cells::Cells;
use crate::puzzle::transfer::Army;

/// A bound for one search.
pub trait Bound<const W: usize>: Send + Sync {
    /// Its working part, one for each thread.
    fn judge(&self) -> Box<dyn Judge<W>>;
}

/// One thread's part of a [`Bound`].
pub trait Judge<const W: usize>: Send {
    /// Whether anything may follow from `army`; where not, its successors are neither made nor counted.
    fn leaves(&mut self, _army: Army<'_, W>) -> bool {
        true
    }

    /// Takes out of `reach[i]`, the cells that the man on `army.men[i]` can go to, those after which no solution can
    /// follow; the successors stand on level `depth`.
    fn restrict(&mut self, army: Army<'_, W>, depth: u32, reach: &mut [Cells<W>]);
}
