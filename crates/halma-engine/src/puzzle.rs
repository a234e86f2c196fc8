//! What the search needs to know of a puzzle, and a check that a puzzle keeps to it.

use std::collections::BTreeSet;

use crate::key::Key;

/// A puzzle as the level search sees it: exact keys, and the successors of each.
///
/// A key stands for one state; where a puzzle has symmetries, for a class of states, and the key is that of the
/// class's canonical member. The search stores every key it meets once and never looks inside.
///
/// Implementations keep to this:
/// - the same key always has the same successors, in any order, whoever asks;
/// - `emit` is called with every admitted successor, and with nothing else; the same successor may come twice;
/// - the number returned counts all successors, those that a bound kept from being emitted included, so that
///   `generated = pruned + emitted`;
/// - no key equals [`Key::MAX`].
///
/// [`check_contract`] tries the first three on the states near the start.
pub trait Puzzle: Sync {
    /// The keys of its states.
    type Key: Key;
    /// What one thread needs to compute successors without allocating.
    type Scratch: Send;

    /// Scratch space for one thread.
    fn scratch(&self) -> Self::Scratch;

    /// The states at level 0.
    fn start(&self) -> Vec<Self::Key>;

    /// Calls `emit` with the successors of the state `key`, which stands on level `depth` (its successors on
    /// `depth + 1`), and returns how many there are, pruned ones included.
    fn successors(
        &self,
        scratch: &mut Self::Scratch,
        key: Self::Key,
        depth: u32,
        emit: &mut impl FnMut(Self::Key),
    ) -> u64;

    /// Whether a key that was read from a file is one of a state. Of others it is not known what [`Self::successors`] does.
    fn is_state(&self, _scratch: &mut Self::Scratch, _key: Self::Key) -> bool {
        true
    }

    /// Whether [`Self::admits`] drops states of level `depth`.
    fn sifts(&self, _depth: u32) -> bool {
        false
    }

    /// Whether a new state may stay on level `depth`: asked once for each, when duplicates and states of earlier levels are
    /// out. The answer depends on the state and the level alone.
    fn admits(&self, _scratch: &mut Self::Scratch, _key: Self::Key, _depth: u32) -> bool {
        true
    }

    /// A number to report the largest of on each level: the centroid of a transfer's army. `None` where the puzzle
    /// has no such number.
    fn measure(&self, _scratch: &mut Self::Scratch, _key: Self::Key) -> Option<i64> {
        None
    }
}

/// Follows the contract of [`Puzzle`] over the first `levels` levels, by plain sets.
///
/// # Errors
/// The first broken promise, in words.
pub fn check_contract<P: Puzzle>(puzzle: &P, levels: u32) -> Result<(), String> {
    let (mut one, mut other) = (puzzle.scratch(), puzzle.scratch());
    let mut level: BTreeSet<P::Key> = puzzle.start().into_iter().collect();
    for depth in 0..levels {
        let mut next = BTreeSet::new();
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
        level = next;
    }
    Ok(())
}
