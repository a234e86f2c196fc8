//! Sums over the states of a level.

use super::digest;
use crate::key::Key;
use crate::puzzle::Puzzle;

/// Sums over the states of a level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) digest: u128,
    pub(super) second: u128,
    pub(super) measure_max: Option<i64>,
}

impl Sums {
    pub(super) fn of<P: Puzzle>(puzzle: &P, scratch: &mut P::Scratch, keys: &[P::Key]) -> Self {
        Self::measured(keys, keys.iter().filter_map(|&key| puzzle.measure(scratch, key)).max())
    }

    /// The sums over states whose largest measure is known.
    pub(super) fn measured<K: Key>(keys: &[K], measure_max: Option<i64>) -> Self {
        Self { digest: digest::of(digest::KEY, keys), second: digest::of(digest::SECOND_KEY, keys), measure_max }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            digest: self.digest.wrapping_add(other.digest),
            second: self.second.wrapping_add(other.second),
            measure_max: self.measure_max.max(other.measure_max),
        }
    }
}
