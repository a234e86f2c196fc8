//! Levels in a layout of the puzzle's own. The next level is made from the layout itself. Keys are sorted and coded only
//! when they are first read in order.

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, OnceLock};

use rayon::slice::ParallelSliceMut;

use super::{BLOCK, Coded, Level, Segment};
use crate::key::Key;
use crate::parallel;

/// Blocks that a thread codes at a time.
const CODED_AT_ONCE: usize = 16;

/// The states of a level, in memory, as its puzzle lays them out.
pub trait Layout<K>: Any + Send + Sync + fmt::Debug {
    /// How many bytes it takes.
    fn bytes(&self) -> u64;

    /// In how many parts threads share it out.
    fn parts(&self) -> usize;

    /// Appends the keys of a part, in any order. Each state is in one part.
    fn keys(&self, part: usize, keys: &mut Vec<K>);

    /// Whether the level has the state with this key. The key must be that of a state of the puzzle.
    fn has(&self, key: K) -> bool;
}

impl<K: Key> Level<K> {
    /// The level of so many states that are laid out so.
    #[must_use]
    pub fn laid_out(layout: Arc<dyn Layout<K>>, states: u64) -> Self {
        Self { coded: Arc::new(OnceLock::new()), layout: Some(layout), keys: states, whole: states }
    }

    /// The puzzle's own layout, if there is one.
    #[must_use]
    pub fn layout(&self) -> Option<&Arc<dyn Layout<K>>> {
        self.layout.as_ref()
    }

    /// This level, with the layout of `other`, which has the same states.
    #[must_use]
    pub fn laid_out_as(self, other: &Self) -> Self {
        Self { layout: other.layout.clone(), ..self }
    }

    /// Frees the layout, if the keys are coded.
    pub fn free_layout(&mut self) {
        self.layout.take_if(|_| self.coded.get().is_some());
    }

    /// Sorts and codes the keys, by all threads of the current pool. Without this, the first who asks for a key does so alone.
    pub fn code(&self) {
        let Some(layout) = self.layout.as_ref().filter(|_| self.coded.get().is_none()) else { return };
        let part = |(): &mut (), part: usize| Ok::<_, Infallible>(keys_of(&**layout, part..part + 1));
        let Ok(parts) = parallel::map(layout.parts(), || (), part);
        let mut keys = parts.concat();
        drop(parts);
        keys.par_sort_unstable();
        self.check(&keys);
        let coded = |(): &mut (), keys: &[K]| Ok::<_, Infallible>(Segment::of(keys));
        let Ok(segments) = parallel::map_chunks(&keys, CODED_AT_ONCE * BLOCK, || (), coded);
        // Another thread may have been faster; it made the same.
        let _ = self.coded.set(segments.into_iter().collect());
    }

    /// The layout, if it is all that there is: whoever asks for few keys need not have them coded.
    pub(super) fn layout_alone(&self) -> Option<&dyn Layout<K>> {
        self.layout.as_deref().filter(|_| self.coded.get().is_none())
    }

    /// Stops where a layout does not have the states that were counted.
    fn check(&self, sorted: &[K]) {
        let ascend = sorted.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(ascend && sorted.len() as u64 == self.keys, "{:?} has other states than were counted", self.layout);
    }

    /// The coded keys.
    pub(super) fn coded(&self) -> &Coded<K> {
        self.coded.get_or_init(|| {
            // Without other threads: while they wait for this one, they could take no other work.
            let mut keys = self.layout.as_ref().map_or_else(Vec::new, |layout| keys_of(&**layout, 0..layout.parts()));
            keys.sort_unstable();
            self.check(&keys);
            keys.chunks(CODED_AT_ONCE * BLOCK).map(Segment::of).collect()
        })
    }
}

/// The keys of these parts.
fn keys_of<K: Key>(layout: &dyn Layout<K>, parts: std::ops::Range<usize>) -> Vec<K> {
    let mut keys = Vec::new();
    parts.for_each(|part| layout.keys(part, &mut keys));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers, by their last digit.
    #[derive(Debug)]
    struct ByDigit(Vec<u64>);

    impl Layout<u64> for ByDigit {
        fn bytes(&self) -> u64 {
            8 * self.0.len() as u64
        }

        fn parts(&self) -> usize {
            10
        }

        fn keys(&self, part: usize, keys: &mut Vec<u64>) {
            keys.extend(self.0.iter().filter(|&number| number % 10 == part as u64));
        }

        fn has(&self, key: u64) -> bool {
            self.0.contains(&key)
        }
    }

    #[test]
    fn a_level_in_a_layout_has_the_same_blocks_as_one_of_keys() {
        let keys: Vec<u64> = (0..3 * (CODED_AT_ONCE * BLOCK) as u64 + 5).map(|i| i * 7).collect();
        let laid_out = || Level::laid_out(Arc::new(ByDigit(keys.clone())), keys.len() as u64);
        let (one, other, plain) = (laid_out(), laid_out(), Level::of(keys.clone()));
        assert_eq!((one.len(), one.bytes(), one.resident_bytes()), (keys.len() as u64, 8 * one.len(), 8 * one.len()));
        assert!(one.contains(7).unwrap() && !one.contains(8).unwrap());
        assert_eq!(one.first_of(vec![9, 21, 8, 14]).unwrap(), Some(14));
        assert!(one.layout_alone().is_some(), "looking up few keys codes none");
        one.code();
        let copy = other.clone();
        for level in [&one, &other, &copy] {
            assert_eq!(level.to_vec().unwrap(), keys);
            assert_eq!(level.fingerprint(), plain.fingerprint());
            assert_eq!(level.bytes(), plain.bytes() + 8 * level.len());
            assert!(level.contains(7).unwrap() && !level.contains(8).unwrap());
        }
    }
}
