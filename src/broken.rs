//! Searches that are broken on purpose, for tests of what checks them. Only unit tests are built with this.

use std::cell::Cell;

use crate::symmetry::Symmetries;

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// One state in so many is lost while a level is made.
    DropOneIn(u64),
    /// Pattern databases cut what just fits.
    BoundOffByOne,
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
