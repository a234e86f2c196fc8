//! The expansion of a level of which a beam search keeps some states.

use halma_files::number::Digest;

use super::sums::Sums;
use super::{Expander, Expansion, Stopped, Tally};
use crate::parallel;
use crate::puzzle::Puzzle;
use crate::store::{Level, StoreError};

impl Expander {
    /// The expansion for a level of which only `level` is kept, in a beam search. `made` are the figures of the whole
    /// level. What is left out counts as pruned.
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
        let tally = Tally { states, pruned, digest, second: Digest(second), measure_max, ..made.clone() };
        Ok(Expansion { level, tally, digest: here.digest, bytes })
    }
}
