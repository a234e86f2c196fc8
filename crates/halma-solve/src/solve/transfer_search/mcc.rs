//! The minimum centroid constraint of Bell (*The shortest game of Chinese Checkers and related problems*, 2009, Section
//! 3.2): half of a bidirectional search that keeps only states which can still reach a middle with a centroid of at
//! least -C. C is a guess of the largest centroid at the middle, and the search checks that the guess was large enough.

use std::sync::Arc;

use halma_bounds::mcc::MinimumCentroid;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_rules::cells::Cells;
use halma_rules::centroid;

use super::half::MirroredHalf;
use super::setup::Setup;
use super::truncate::Truncation;
use crate::solve::length_labels::stem_of_length;
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, LevelFigures, Side};

/// A search under the constraint.
pub(super) struct MinimumCentroidSearch<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
    /// C, if the job gives it.
    pub(super) given: Option<i64>,
    /// The beam width of the search that guesses C.
    pub(super) keep: usize,
}

impl<const W: usize, K: Key> MinimumCentroidSearch<'_, W, K> {
    /// Searches under C if it is given; otherwise under a guess, and again under a larger one until no army on the middle level
    /// exceeds it. The levels and the C of the last search go into `levels` and `constraint`.
    pub(super) fn decide(
        &self,
        length: u32,
        levels: &mut Vec<LevelFigures>,
        constraint: &mut Option<(i64, bool)>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let Self { setup, given, .. } = *self;
        if let Some(c) = given.filter(|&c| c < 0) {
            // With a negative C, a solution whose middle lies between C and -C would be pruned, and so would its
            // mirrored reversal.
            return Ok(Answer::GivenUp(format!("C = {c} is below 0, where the constraint refutes nothing")));
        }
        let half = length / 2;
        let mut c = match given {
            Some(c) => c,
            None => self.guess(half)?,
        };
        loop {
            levels.clear();
            let step = centroid::largest_step(setup.problem.transfer, &setup.problem.centroid);
            let bound = MinimumCentroid::new(&setup.problem.centroid, step, length - half, c);
            let bounds = setup.with_palindrome(vec![Arc::new(bound)], length);
            let answer =
                MirroredHalf { setup }.decide(length, bounds, &format!("{}-c{c}", stem_of_length(length)), levels)?;
            // The levels up to `half` hold every army there with a centroid of at least -c, so a search with too small
            // a c shows the true maximum. An empty level has none.
            let reached = levels.iter().find(|l| l.depth == half).and_then(|l| l.tally.measure_max);
            let consistent = reached.is_none_or(|r| r <= c);
            *constraint = Some((c, consistent));
            match (answer, reached) {
                (Answer::Refuted | Answer::Exhausted, Some(r)) if !consistent && given.is_some() => {
                    return Ok(Answer::Unproved(format!(
                        "C = {c} was too small: an army on level {half} has centroid {r}"
                    )));
                }
                (Answer::Refuted | Answer::Exhausted, Some(r)) if !consistent => {
                    setup.engine.progress.note(&format!("C = {c} was too small: level {half} reaches {r}; again"));
                    c = r;
                }
                (answer, _) => return Ok(answer),
            }
        }
    }

    /// The largest centroid after `depth` moves of a beam search, as the first C.
    fn guess(&self, depth: u32) -> Result<i64, Stopped> {
        let Self { setup, keep, .. } = *self;
        let mut kept = LevelSequence::new("guess".into(), Side::Forward);
        let truncation = Truncation { setup, keep, beta: 0 };
        truncation.grow(depth, &mut truncation.beam(), &mut kept)?;
        let reached = kept.figures.iter().find(|f| f.depth == depth).and_then(|f| f.tally.measure_max);
        let c = reached.unwrap_or(0).max(0);
        setup.engine.progress.note(&format!("C = {c} by a search that keeps {keep} states a level"));
        Ok(c)
    }
}
