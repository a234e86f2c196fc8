//! Solution reconstruction: backward through the levels, one predecessor on each.

use super::Stopped;
use super::exchange::{Alone, Exchange};
use crate::key::Key;
use crate::puzzle::Puzzle;
use crate::store::Level;

/// A path through `levels` as keys, from level 0 to `last` on the last level. Of several predecessors the least is
/// taken.
///
/// `free` is the puzzle without bounds. Its moves must be reversible, so that predecessors are successors.
///
/// # Errors
/// Where a level cannot be read, or a state has no predecessor because some move is not reversible.
pub fn trace<P: Puzzle>(free: &P, levels: &[Level<P::Key>], last: P::Key) -> Result<Vec<P::Key>, Stopped> {
    trace_shared(free, levels, last, &Alone)
}

/// The same for several processes, each with its share of the levels; all get the same path.
///
/// # Errors
/// As [`trace`], and where a process is lost.
pub fn trace_shared<P: Puzzle>(
    free: &P,
    levels: &[Level<P::Key>],
    last: P::Key,
    exchange: &dyn Exchange,
) -> Result<Vec<P::Key>, Stopped> {
    let mut scratch = free.scratch();
    let traced = trace_by(levels, last, exchange, |state, _, level| {
        let mut before = Vec::new();
        free.successors(&mut scratch, state, 0, &mut |k| before.push(k));
        Ok(level.first_of(before)?)
    });
    traced.map_err(|stopped| match stopped {
        Stopped::Contradiction(what) => Stopped::Contradiction(format!("{what}, or a move cannot be undone")),
        stopped => stopped,
    })
}

/// The same path, where `before(state, depth, level)` finds predecessors: it gets a state of level `depth + 1` and this
/// process's share of level `depth`, and returns the least predecessor in it.
///
/// # Errors
/// As [`trace_shared`], and those of `before`.
pub fn trace_by<K: Key>(
    levels: &[Level<K>],
    last: K,
    exchange: &dyn Exchange,
    mut before: impl FnMut(K, usize, &Level<K>) -> Result<Option<K>, Stopped>,
) -> Result<Vec<K>, Stopped> {
    let mut walk = vec![last];
    for (depth, level) in levels[..levels.len().saturating_sub(1)].iter().enumerate().rev() {
        let (state, next) = (walk[walk.len() - 1], depth + 1);
        let found = exchange.all_reduce_min(before(state, depth, level)?)?;
        walk.push(found.ok_or_else(|| {
            Stopped::Contradiction(format!("no state of level {depth} leads to state {state:?} of level {next}"))
        })?);
    }
    walk.reverse();
    Ok(walk)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From each number only the next one.
    struct OneWay;

    impl Puzzle for OneWay {
        type Key = u64;
        type Scratch = ();

        fn scratch(&self) {}

        fn start(&self) -> Vec<u64> {
            vec![0]
        }

        fn successors(&self, (): &mut (), key: u64, _depth: u32, emit: &mut impl FnMut(u64)) -> u64 {
            emit(key + 1);
            1
        }
    }

    #[test]
    fn a_puzzle_whose_moves_cannot_be_undone_is_an_error() {
        let levels = [0, 1, 2].map(|key| Level::of(vec![key]));
        let error = trace(&OneWay, &levels, 2).unwrap_err().to_string();
        assert!(
            error.ends_with("no state of level 1 leads to state 2 of level 2, or a move cannot be undone"),
            "{error}"
        );
        assert_eq!(trace(&OneWay, &levels[..1], 0).unwrap(), [0]);
    }
}
