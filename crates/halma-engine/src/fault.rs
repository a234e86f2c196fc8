//! Searches that are broken on purpose, for tests of what checks them. Only tests are built with this.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
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

/// Whether searches of this process part small levels, too: no result depends on it.
static SMALL: AtomicBool = AtomicBool::new(cfg!(test));

/// Whether small levels are parted, so that tests come through every path.
#[must_use]
pub fn small_parts() -> bool {
    SMALL.load(Ordering::Relaxed)
}

thread_local! {
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// What is broken in searches that this thread begins.
pub fn current() -> Option<Fault> {
    FAULT.get()
}

/// Does `work`, whose searches are broken.
pub fn with<R>(fault: Option<Fault>, work: impl FnOnce() -> R) -> R {
    SMALL.store(true, Ordering::Relaxed);
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
