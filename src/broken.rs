//! Searches that are broken on purpose, for tests of what checks them. Only unit tests are built with this.

use std::cell::Cell;
use std::sync::Arc;

use crate::bound::game::{GameBound, Position};
use crate::symmetry::Symmetries;

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// One state in so many is lost while a level is made.
    DropOneIn(u64),
    /// Pattern databases, and all bounds of games, cut what just fits.
    BoundOffByOne,
    /// The look-ahead takes the way to be one move shorter than it is.
    LookAheadOffByOne,
    /// Two cells of ρ are exchanged.
    WrongMirror,
    /// The middle is compared with something else than its mirror image.
    Unmirrored,
    /// One range of keys is lost on every level that has several.
    LoseShard,
    /// The last level is not made.
    StopEarly,
    /// "Not finished" becomes "none".
    NoneWhenStopped,
}

thread_local! {
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// What is broken in searches that this thread begins.
pub(crate) fn current() -> Option<Fault> {
    FAULT.get()
}

/// Does `work`, whose searches are broken.
pub(crate) fn with<R>(fault: Option<Fault>, work: impl FnOnce() -> R) -> R {
    FAULT.set(fault);
    let result = work();
    FAULT.set(None);
    result
}

/// Whether a state of the range `shard` gets lost.
pub(crate) fn loses(fault: Option<Fault>, mixed: u64, shard: usize) -> bool {
    match fault {
        Some(Fault::DropOneIn(n)) => mixed.is_multiple_of(n),
        Some(Fault::LoseShard) => shard == 1,
        _ => false,
    }
}

/// The symmetries that the search goes by.
pub(crate) fn symmetries(fault: Option<Fault>, mut symmetries: Symmetries) -> Symmetries {
    if let Some(mirror) = symmetries.mirror.as_mut().filter(|_| fault == Some(Fault::WrongMirror)) {
        // Cells of no army, so that start and target are still swapped.
        let middle = mirror.cells.len() / 2;
        mirror.cells.swap(middle, middle + 1);
    }
    symmetries
}

/// A bound that takes every game to be two moves shorter.
struct Hasty<const W: usize>(Arc<dyn GameBound<W>>);

impl<const W: usize> GameBound<W> for Hasty<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        let remaining = position.remaining.checked_sub(2).unwrap_or(position.remaining);
        self.0.admits(&Position { remaining, ..*position })
    }
}

/// The bounds that a search of games goes by.
pub(crate) fn bounds<const W: usize>(
    fault: Option<Fault>,
    bounds: &[Arc<dyn GameBound<W>>],
) -> Vec<Arc<dyn GameBound<W>>> {
    let hasty = |bound: &Arc<dyn GameBound<W>>| -> Arc<dyn GameBound<W>> { Arc::new(Hasty(Arc::clone(bound))) };
    match fault {
        Some(Fault::BoundOffByOne) => bounds.iter().map(hasty).collect(),
        _ => bounds.to_vec(),
    }
}
