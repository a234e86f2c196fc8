//! From level sets back to a walk.

use crate::puzzle::Puzzle;
use crate::store::{Level, StoreError};

/// The keys of a walk through `levels`, from level 0 to `last` on the last level: of several predecessors the least.
///
/// `free` is the puzzle without bounds, whose moves can all be undone by moves, so that predecessors are successors.
///
/// # Errors
/// Where a level cannot be read.
pub fn trace<P: Puzzle>(free: &P, levels: &[Level<P::Key>], last: P::Key) -> Result<Vec<P::Key>, StoreError> {
    let (mut scratch, mut walk) = (free.scratch(), vec![last]);
    for level in levels[..levels.len() - 1].iter().rev() {
        let mut before = Vec::new();
        free.successors(&mut scratch, walk[walk.len() - 1], 0, &mut |k| before.push(k));
        let found = level.first_of(before)?;
        walk.push(found.unwrap_or_else(|| unreachable!("a state on a level has a predecessor on the one before")));
    }
    walk.reverse();
    Ok(walk)
}
