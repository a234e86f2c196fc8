//! The trait that a puzzle implements for the engine, and a test that an implementation keeps its contract.

use std::collections::BTreeSet;

use crate::batch::Batches;
use crate::key::Key;
use crate::store::{Level, StoreError};

/// A puzzle as the engine sees it: exact keys, and the successors of each.
///
/// A key stands for one state. Where a puzzle has symmetries, a key stands for a class of states, and it is the key of
/// the class's canonical member. The engine stores every key that it meets once and never interprets it.
///
/// Contract:
/// - The same key always has the same successors, in any order, on any thread.
/// - `emit` is called with every successor that no bound prunes, and with nothing else. The same successor may come
///   twice.
/// - The returned number counts all successors, pruned ones included: `generated = pruned + emitted`. A puzzle may leave a state
///   unexpanded: it emits nothing then, and returns 0.
/// - No key equals [`Key::MAX`].
/// - A [`Self::leader`] has been emitted, and nothing that was emitted has a larger measure.
///
/// [`check_contract`] tests what can be seen from outside, on the states near the start: that repeated calls agree, the count, the
/// reserved key, the leader. It cannot see that a successor is missing.
pub trait Puzzle: Sync {
    /// The keys of its states.
    type Key: Key;
    /// What one thread needs to compute successors without allocating.
    type Scratch: Send;

    /// Scratch space for one thread.
    fn scratch(&self) -> Self::Scratch;

    /// The states at level 0.
    fn start(&self) -> Vec<Self::Key>;

    /// Calls `emit` with the successors of the state `key` on level `depth`; they belong to level `depth + 1`. Returns
    /// how many successors there are, pruned ones included.
    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        key: Self::Key,
        depth: u32,
        emit: &mut impl FnMut(Self::Key),
    ) -> u64;

    /// Whether [`Self::batches`] may have an answer.
    fn may_batch(&self) -> bool {
        false
    }

    /// A faster way to expand the states of level `depth`, if there is one: many of them together. The successors, and how many
    /// there are, must be those of [`Self::successors`].
    ///
    /// # Errors
    /// Where the level cannot be read.
    fn batches(
        &self,
        _depth: u32,
        _level: &Level<Self::Key>,
    ) -> Result<Option<Box<dyn Batches<Self::Key>>>, StoreError> {
        Ok(None)
    }

    /// Whether a key that was read from a file is the key of a state. [`Self::successors`] need not handle other keys.
    fn is_state(&self, _scratch: &mut Self::Scratch, _key: Self::Key) -> bool {
        true
    }

    /// Whether [`Self::admits`] may drop states of level `depth`.
    fn filters(&self, _depth: u32) -> bool {
        false
    }

    /// A filter for new states of level `depth`, for bounds that cost too much to ask for every successor: it is asked
    /// once for each state that is neither a duplicate nor on an earlier level. The answer depends on the state and the
    /// level alone.
    fn admits(&self, _scratch: &mut Self::Scratch, _key: Self::Key, _depth: u32) -> bool {
        true
    }

    /// A number of which each level reports the largest, for instance the centroid of an army. `None` where the puzzle
    /// has no such number.
    fn measure(&self, _scratch: &mut Self::Scratch, _key: Self::Key) -> Option<i64> {
        None
    }

    /// Of all successors that [`Self::successors`] has emitted with this scratch space, one with the largest
    /// [`Self::measure`], and that measure. If it proves to be a new state, no other state has to be measured. `None`
    /// where the puzzle keeps no such record.
    fn leader(&self, _scratch: &Self::Scratch) -> Option<(i64, Self::Key)> {
        None
    }
}

/// Tests the contract of [`Puzzle`] on the first `levels` levels, by plain sets.
///
/// # Errors
/// The first violation, in words.
pub fn check_contract<P: Puzzle>(puzzle: &P, levels: u32) -> Result<(), String> {
    let mut one = puzzle.scratch();
    let mut level: BTreeSet<P::Key> = puzzle.start().into_iter().collect();
    for depth in 0..levels {
        let mut next = BTreeSet::new();
        // New on each level, so that its leader is the level's.
        let mut other = puzzle.scratch();
        for &key in &level {
            let mut emitted = Vec::new();
            let generated = puzzle.successors(&mut one, key, depth, &mut |k| emitted.push(k));
            if (emitted.len() as u64) > generated {
                return Err(format!("{key:?} emits {} successors and reports {generated}", emitted.len()));
            }
            let mut again = Vec::new();
            puzzle.successors(&mut other, key, depth, &mut |k| again.push(k));
            again.sort_unstable();
            emitted.sort_unstable();
            if again != emitted {
                return Err(format!("{key:?} has other successors when asked again"));
            }
            if emitted.contains(&P::Key::MAX) {
                return Err(format!("{key:?} emits the reserved key"));
            }
            next.extend(emitted);
        }
        if let Some((measure, key)) = puzzle.leader(&other) {
            let largest = next.iter().filter_map(|&key| puzzle.measure(&mut one, key)).max();
            if !next.contains(&key) || largest != Some(measure) || puzzle.measure(&mut one, key) != largest {
                return Err(format!("{key:?} with {measure} is no successor with the largest measure, {largest:?}"));
            }
        }
        level = next;
    }
    Ok(())
}
