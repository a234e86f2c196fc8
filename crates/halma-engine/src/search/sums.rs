//! Sums over the states of a level.

use halma_files::number::Digest;

use super::{Expander, Expansion, Stopped, Tally, digest};
use crate::parallel;
use crate::puzzle::Puzzle;
use crate::store::{Level, StoreError};

/// Sums over the states of a level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) digest: u128,
    pub(super) second: u128,
    pub(super) measure_max: Option<i64>,
}

impl Sums {
    pub(super) fn of<P: Puzzle>(puzzle: &P, scratch: &mut P::Scratch, keys: &[P::Key]) -> Self {
        Self {
            digest: digest::of(digest::KEY, keys),
            second: digest::of(digest::SECOND_KEY, keys),
            measure_max: keys.iter().filter_map(|&key| puzzle.measure(scratch, key)).max(),
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            digest: self.digest.wrapping_add(other.digest),
            second: self.second.wrapping_add(other.second),
            measure_max: self.measure_max.max(other.measure_max),
        }
    }
}

impl Expander {
    /// A level of selected states, for beam search, as if it had been made so. `made` are the figures of the level that they were
    /// selected from; the states that are left out count as pruned.
    ///
    /// # Errors
    /// Where a process is lost or a file cannot be read.
    pub fn selected<P: Puzzle>(
        &self,
        puzzle: &P,
        level: Level<P::Key>,
        made: &Tally,
    ) -> Result<Expansion<P::Key>, Stopped> {
        let block = |(scratch, keys): &mut (P::Scratch, Vec<P::Key>), number: usize| {
            level.read_block(number, keys)?;
            Ok::<_, StoreError>(Sums::of(puzzle, scratch, keys))
        };
        let scratch = || (puzzle.scratch(), Vec::new());
        let parts = self.install(|| parallel::map(level.blocks(), scratch, block))?;
        let here = parts.into_iter().fold(Sums::default(), Sums::and);
        let share = (Digest(here.digest), Digest(here.second), here.measure_max, level.bytes());
        let (mut whole, mut bytes) = (Sums::default(), 0);
        for (Digest(digest), Digest(second), measure_max, there) in self.exchange().all_gather(share)? {
            whole = whole.and(Sums { digest, second, measure_max });
            bytes += there;
        }
        let Sums { digest, second, measure_max } = whole;
        let states = level.whole();
        let pruned = made.pruned + made.states - states;
        let measure_max = made.measure_max.and(measure_max);
        let tally = Tally { states, pruned, digest, second: Digest(second), measure_max, ..made.clone() };
        Ok(Expansion { level, tally, digest: here.digest, bytes })
    }
}
