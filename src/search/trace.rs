//! From level sets back to a walk.

use super::Stopped;
use super::exchange::{Alone, Exchange};
use crate::puzzle::Puzzle;
use crate::store::{Level, StoreError};

/// The keys of a walk through `levels`, from level 0 to `last` on the last level: of several predecessors the least.
///
/// `free` is the puzzle without bounds, whose moves can all be undone by moves, so that predecessors are successors.
///
/// # Errors
/// Where a level cannot be read.
pub fn trace<P: Puzzle>(free: &P, levels: &[Level<P::Key>], last: P::Key) -> Result<Vec<P::Key>, StoreError> {
    trace_shared(free, levels, last, &Alone).map_err(|stopped| match stopped {
        Stopped::Store(error) => error,
        stopped => unreachable!("nobody else can stop it: {stopped}"),
    })
}

/// The same where each process has its share of the levels; all of them get the same walk.
///
/// # Errors
/// Where a level cannot be read, or a process is lost.
pub fn trace_shared<P: Puzzle>(
    free: &P,
    levels: &[Level<P::Key>],
    last: P::Key,
    exchange: &dyn Exchange,
) -> Result<Vec<P::Key>, Stopped> {
    let (mut scratch, mut walk) = (free.scratch(), vec![last]);
    for level in levels[..levels.len() - 1].iter().rev() {
        let mut before = Vec::new();
        free.successors(&mut scratch, walk[walk.len() - 1], 0, &mut |k| before.push(k));
        let found = exchange.least(level.first_of(before)?)?;
        walk.push(found.unwrap_or_else(|| unreachable!("a state on a level has a predecessor on the one before")));
    }
    walk.reverse();
    Ok(walk)
}
