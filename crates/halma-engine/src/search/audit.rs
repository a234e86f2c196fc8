//! Full checks of levels that are read from a run's folder. Checksums are not enough there: whoever forges a file can
//! forge its checksums, too.

use super::sums::Sums;
use super::{CancellationToken, Expander, Stopped, Tally};
use crate::parallel;
use crate::puzzle::Puzzle;
use crate::store::{Level, StoreError};

impl Expander {
    /// Reads all of a level that comes from a file. Its keys must ascend, be keys of states, and have this digest.
    /// Where the file holds the whole level, `tally` must agree with it.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] where that does not hold; [`Stopped`] where `cancel` asks for it.
    pub fn audit<P: Puzzle>(
        &self,
        puzzle: &P,
        level: &Level<P::Key>,
        tally: &Tally,
        digest: u128,
        cancel: &CancellationToken,
    ) -> Result<(), Stopped> {
        let found = self.read_through(puzzle, level, true, cancel, |_, _| ())?;
        let damaged = |reason: &str| Err(level.damaged(reason).into());
        if found.digest != digest {
            return damaged("its states have another digest than its header and the run's list say");
        }
        let Tally { states, generated, pruned, duplicates, old, .. } = *tally;
        let parts = [states, pruned, duplicates, old].into_iter().map(u128::from).sum::<u128>();
        if parts != u128::from(generated) {
            return damaged("what the run's list says of it does not account for all successors");
        }
        // The share of one of several processes cannot be compared with the figures of the whole level.
        let is_share = self.exchange().is_shared() && tally.digest != digest;
        let stated = (tally.states, tally.digest, tally.second.0, tally.measure_max);
        match is_share || stated == (level.len(), found.digest, found.second, found.measure_max) {
            true => Ok(()),
            false => damaged("what the run's list says of it is not so"),
        }
    }

    /// The sums over a part of a level. Its keys must ascend and be keys of states. `block` is told the first and the last key of each
    /// block.
    pub(super) fn audit_part<P: Puzzle>(
        &self,
        puzzle: &P,
        part: &Level<P::Key>,
        block: impl Fn(P::Key, P::Key) + Sync,
        cancel: &CancellationToken,
    ) -> Result<Sums, Stopped> {
        self.read_through(puzzle, part, true, cancel, block)
    }

    /// The same for a layer of sorted successors, which has no sums.
    pub(super) fn audit_layer<P: Puzzle>(
        &self,
        puzzle: &P,
        layer: &Level<P::Key>,
        block: impl Fn(P::Key, P::Key) + Sync,
        cancel: &CancellationToken,
    ) -> Result<(), Stopped> {
        self.read_through(puzzle, layer, false, cancel, block).map(drop)
    }

    /// The largest measure of the states of `level`.
    pub(super) fn largest_measure<P: Puzzle>(
        &self,
        puzzle: &P,
        level: &Level<P::Key>,
    ) -> Result<Option<i64>, StoreError> {
        let block = |(scratch, keys): &mut (P::Scratch, Vec<P::Key>), number: usize| {
            level.read_block(number, keys)?;
            Ok(keys.iter().filter_map(|&key| puzzle.measure(scratch, key)).max())
        };
        let scratch = || (puzzle.scratch(), Vec::new());
        let parts = self.install(|| parallel::map(level.blocks(), scratch, block))?;
        Ok(parts.into_iter().flatten().max())
    }

    fn read_through<P: Puzzle>(
        &self,
        puzzle: &P,
        level: &Level<P::Key>,
        summed: bool,
        cancel: &CancellationToken,
        ends: impl Fn(P::Key, P::Key) + Sync,
    ) -> Result<Sums, Stopped> {
        let block = |(scratch, keys): &mut (P::Scratch, Vec<P::Key>), number: usize| {
            cancel.check()?;
            level.audit_block(number, keys)?;
            if let Some(key) = keys.iter().find(|&&key| !puzzle.is_state(scratch, key)) {
                return Err(level.damaged(&format!("{key:?} is the number of no state")).into());
            }
            if let (Some(&first), Some(&last)) = (keys.first(), keys.last()) {
                ends(first, last);
            }
            Ok::<_, Stopped>(match summed {
                false => Sums::default(),
                true => Sums::of(puzzle, scratch, keys),
            })
        };
        let scratch = || (puzzle.scratch(), Vec::new());
        let parts = self.install(|| parallel::map(level.blocks(), scratch, block))?;
        Ok(parts.into_iter().fold(Sums::default(), Sums::and))
    }
}
