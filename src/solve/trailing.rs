//! The trailing part of a search whose following levels outgrow it.
//!
//! A solution A_0, ..., A_L with a leading middle has A_m on the following level m, which holds every such army. Its
//! mirrored reversal B_i = ρ(A_(L-i)) also begins at the start, and B_(L-m) is the mirror image of A_m. So levels from
//! the start need to hold only what can still come, by level L - m, to the mirror image of a histogram of level m;
//! where they meet the mirror image of that level itself, there is a solution, and if they do not, there is none. The
//! levels before that one say the same of shorter solutions.

use std::ops::RangeInclusive;

use super::leading::Solution;
use super::{Trail, TransferSearch};
use crate::key::Key;
use crate::puzzle::transfer::TransferPuzzle;
use crate::search::Stopped;

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// Whether the last of the following levels (those after `half`) is large and larger than the one before.
    pub(super) fn outgrown(&self, trail: &Trail<K>, half: u32) -> bool {
        let last = trail.levels.len() - 1;
        last > half as usize + 1
            && trail.levels[last].whole() > 2 * self.large
            && trail.levels[last].whole() > trail.levels[last - 1].whole()
    }

    /// Decides the rest of the way from the last level of `trail`, for each of `lengths`, by levels from the other end: the
    /// shortest solution and its length.
    pub(super) fn trail_behind(
        &self,
        lengths: RangeInclusive<u32>,
        trail: &Trail<K>,
        behind: &mut Trail<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        self.trail_toward(*lengths.end(), trail, behind)?;
        for length in lengths {
            let meeting = length as usize + 1 - trail.levels.len();
            let Some(level) = behind.levels.get(meeting).filter(|level| level.whole() > 0) else { continue };
            if let Some((here, there)) = self.common(level, trail.last())? {
                let (out, back) = (self.trace(&trail.levels, there)?, self.trace(&behind.levels[..=meeting], here)?);
                return Ok(Some((length, self.join_mirrored(&out, &back))));
            }
        }
        Ok(None)
    }

    /// Grows the levels `behind` toward the mirror image of the last level of `trail`, or until one is empty.
    pub(super) fn trail_toward(&self, length: u32, trail: &Trail<K>, behind: &mut Trail<K>) -> Result<(), Stopped> {
        let reached = trail.levels.len() as u32 - 1;
        let bound = self.toward_images(length, reached, 0, trail.last())?;
        let puzzle = TransferPuzzle::new(&self.ground, &self.problem.start, vec![bound]);
        self.open(&puzzle, behind);
        self.grow_to(&puzzle, (length - reached) as usize, behind)
    }
}
