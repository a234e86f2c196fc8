//! Fault injection: searches that are broken on purpose, to test what checks them. Compiled into tests alone.

use std::cell::Cell;

/// The fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// One state in so many is lost while a level is made.
    DropOneIn(u64),
    /// Pattern databases, and all bounds of games, also prune states that just fit.
    BoundOffByOne,
    /// The look-ahead assumes one move less than there is.
    LookAheadOffByOne,
    /// From the middles of an even length only those moves are made that the next length needs.
    OddMovesOnly,
    /// States count as covered that are one move too far from the middles.
    CoversTooMuch,
    /// Two cells of ρ are exchanged.
    WrongMirror,
    /// The middle is not compared with its mirror image but with something else.
    Unmirrored,
    /// One shard is lost on every level that has several.
    LoseShard,
    /// The last level is not made.
    StopEarly,
    /// "Not finished" becomes "none".
    NoneWhenStopped,
}

thread_local! {
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
    static SMALL: Cell<bool> = const { Cell::new(cfg!(test)) };
}

/// The fault in searches that this thread begins.
pub fn current() -> Option<Fault> {
    FAULT.get()
}

/// Whether searches that this thread begins have small parts; see
/// [`Expander::small_parts`](crate::search::Expander::small_parts).
pub(crate) fn small_parts() -> bool {
    SMALL.get()
}

/// Runs `work`, whose searches have small parts and that fault.
pub fn with<R>(fault: Option<Fault>, work: impl FnOnce() -> R) -> R {
    let small = SMALL.replace(true);
    FAULT.set(fault);
    let result = work();
    FAULT.set(None);
    SMALL.set(small);
    result
}

/// Whether the fault loses a state of the shard.
pub(crate) fn loses(fault: Option<Fault>, mixed: u64, shard: usize) -> bool {
    match fault {
        Some(Fault::DropOneIn(n)) => mixed.is_multiple_of(n),
        Some(Fault::LoseShard) => shard == 1,
        _ => false,
    }
}
