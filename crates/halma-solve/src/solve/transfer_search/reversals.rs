//! Covered states. If a solution passed through a covered state, its mirrored reversal would pass through the state's
//! mirror image, and a leading level would have that image (`docs/proof.md`, 12c). So the following levels look the
//! image up. If it is missing, the state is on no solution and is not expanded.
//!
//! Trailing levels (`trailing`) meet following levels, too, but have to be made first. This look-up needs no new level,
//! and decides most states next to the middle.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use halma_bounds::Bound;
use halma_bounds::abstraction::Table;
use halma_bounds::covered::Covered;
use halma_bounds::middle::FromMiddles;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::Level;

use super::Solution;
use super::setup::Setup;
use crate::solve::level_sequence::LevelSequence;

/// The leading levels, as those of mirrored reversals.
pub(super) struct Reversals<'l, const W: usize, K: Key> {
    pub(super) setup: &'l Setup<'l, W, K>,
    /// The greatest length that they serve.
    pub(super) top: u32,
    pub(super) levels: &'l [Level<K>],
    /// D_M, by which they are pruned.
    pub(super) to_middles: Arc<Table>,
}

/// What the mirror images of the covered states of a level have met.
pub(super) enum Met<const W: usize> {
    /// A mirrored reversal.
    Solution(Solution<W>),
    /// Nothing, so nothing has to follow from the covered states.
    Nothing {
        /// Makes no successors of them.
        bound: Covered,
        /// Whether states may be left that are not covered.
        some_uncovered: bool,
    },
}

impl<const W: usize, K: Key> Reversals<'_, W, K> {
    /// Looks for a solution of one of `lengths` that has a covered state on the last level of `ahead`, whose mirror image is on
    /// a leading level then. `None` where that level is so far from the target that it has no covered states.
    pub(super) fn meet(
        &self,
        lengths: RangeInclusive<u32>,
        ahead: &LevelSequence<K>,
    ) -> Result<Option<Met<W>>, Stopped> {
        let setup = self.setup;
        let (depth, last) = (ahead.depth() as usize, *lengths.end());
        let Some(covered) = self.covered(last, depth as u32) else { return Ok(None) };
        let met = lengths.map(|length| (length, length as usize - depth));
        let met = met.filter(|&(_, by_then)| self.levels.get(by_then).is_some_and(|level| level.whole() > 0));
        let met: Vec<(u32, usize)> = met.collect();
        let levels: Vec<&Level<K>> = met.iter().map(|&(_, by_then)| &self.levels[by_then]).collect();
        // Few states of the middle level are middles of these lengths and covered.
        let from_middles = (depth == last as usize / 2).then(|| FromMiddles::new(setup.databases(), last));
        let whole: u64 = levels.iter().map(|level| level.whole()).sum();
        let uncovered = AtomicBool::new(false);
        #[cfg(any(test, feature = "testing"))]
        uncovered.store(setup.engine.expander.fault == Some(crate::fault::Fault::Unmirrored), Ordering::Relaxed);
        let found = if from_middles.is_some() || ahead.last().whole() <= whole {
            setup.common_of(ahead.last(), &levels, || {
                let mut middle = from_middles.as_ref().map(Bound::<W>::pruner);
                let mut pruner = Bound::<W>::pruner(&covered);
                let uncovered = &uncovered;
                move |army| {
                    if !middle.as_mut().is_none_or(|middle| middle.has_successors(army)) {
                        return false;
                    }
                    let is_covered = !pruner.has_successors(army);
                    if !is_covered {
                        uncovered.store(true, Ordering::Relaxed);
                    }
                    is_covered
                }
            })?
        } else {
            // The leading levels are smaller: rather all that they meet, covered or not.
            uncovered.store(true, Ordering::Relaxed);
            let mut found = None;
            for (place, level) in levels.into_iter().enumerate() {
                found = setup.common(ahead.last(), level)?.map(|(here, there)| (here, there, place));
                if found.is_some() {
                    break;
                }
            }
            found
        };
        let Some((here, there, place)) = found else {
            let some_uncovered = setup.engine.expander.exchange().any(uncovered.into_inner())?;
            return Ok(Some(Met::Nothing { bound: covered, some_uncovered }));
        };
        let (length, by_then) = met[place];
        let out = setup.trace(&ahead.levels, here)?;
        let back = setup.trace(&self.levels[..=by_then], there)?;
        Ok(Some(Met::Solution(Solution { length, walk: setup.join_mirrored(&out, &back)? })))
    }

    /// The bound that makes no successors of states on level `depth` whose mirror images the leading levels would
    /// have, if solutions of `length` moves or one less passed there.
    fn covered(&self, length: u32, depth: u32) -> Option<Covered> {
        #[cfg(any(test, feature = "testing"))]
        let fault = self.setup.engine.expander.fault == Some(crate::fault::Fault::CoversTooMuch);
        #[cfg(any(test, feature = "testing"))]
        let depth = depth + u32::from(fault);
        let rest = (self.top / 2).checked_sub(length - depth)?;
        Some(Covered::new(&self.setup.databases().abstraction, &self.to_middles, rest))
    }
}
