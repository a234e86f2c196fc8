//! A beam search for a palindromic solution (one that is its own mirrored reversal), from the first large level on.
//!
//! If a length has solutions, it often has a palindromic one that is easy to find: the symmetry constraint and the beam
//! width keep all further levels small. A solution found is a solution, whatever was pruned. If none is found nothing
//! follows, and the search continues as if the probe had not run.

use std::sync::Arc;

use halma_bounds::Bound;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_rules::cells::Cells;

use super::setup::Setup;
use super::truncate::{BETA, Truncation};
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, LevelFigures};

/// The beam width.
const KEEP: usize = 20_000;

/// The probe, from levels under `bounds`.
pub(super) struct PalindromeProbe<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
    pub(super) bounds: &'s [Arc<dyn Bound<W>>],
}

impl<const W: usize, K: Key> PalindromeProbe<'_, W, K> {
    /// Whether to probe from the last of these levels: it is the first large one.
    pub(super) fn is_worth_it(&self, figures: &[LevelFigures]) -> bool {
        let large = |figures: &LevelFigures| figures.tally.states >= self.setup.large;
        figures.iter().filter(|f| large(f)).count() == 1 && figures.last().is_some_and(large)
    }

    /// A palindromic solution of `length` moves that begins with a walk through these levels, if the probe finds one.
    pub(super) fn probe(&self, length: u32, levels: &LevelSequence<K>) -> Result<Option<Vec<Cells<W>>>, Stopped> {
        let setup = self.setup;
        if levels.has(length / 2 + 1) {
            return Ok(None);
        }
        let bounds: Vec<_> = self.bounds.iter().cloned().chain([setup.palindrome_bound(length)]).collect();
        let truncation = Truncation { setup, keep: KEEP, beta: BETA };
        let mut beam = truncation.beam();
        let mut ahead = LevelSequence::new(String::new(), levels.side).hidden().with_levels(&levels.levels);
        ahead.cut = true;
        beam.cut_last(&mut ahead)?;
        while !ahead.has(length / 2) && !ahead.is_dead() {
            beam.grow(&bounds, &mut ahead)?;
        }
        if ahead.is_dead() {
            return Ok(None);
        }
        Ok(match setup.meet_own_image(length, &ahead.levels)? {
            Answer::Found(walk) if !setup.fills_target_early(&walk) => Some(walk),
            _ => None,
        })
    }
}
