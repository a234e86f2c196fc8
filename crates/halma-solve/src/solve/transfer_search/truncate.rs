//! Beam search (Lowerre 1976; Bell 2009, Sections 3.2 and 3.3): each level keeps only its best states. It finds
//! solutions, and guesses C. Where it left out states it proves nothing, and its verdict says so.

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_rules::cells::Cells;

use super::best_successors::BestSuccessors;
use super::best_successors::centroid_score::CentroidScore;
use super::setup::Setup;
use super::shared_levels::SharedLevels;
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, LevelFigures};

/// The weight of the symmetry in probes: the paper's.
pub(super) const BETA: i64 = 2;

/// A beam search.
pub(super) struct Truncation<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
    /// The beam width, in states a level.
    pub(super) keep: usize,
    /// The weight of a state's symmetry beside its centroid.
    pub(super) beta: i64,
}

impl<const W: usize, K: Key> Truncation<'_, W, K> {
    /// Decides one length; the truncated levels serve all lengths.
    pub(super) fn decide(
        &self,
        length: u32,
        shared: &mut SharedLevels<K>,
        figures: &mut Vec<LevelFigures>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let Self { setup, keep, .. } = *self;
        let mut beam = self.beam();
        beam.spare = shared.spare.unwrap_or(beam.spare);
        let grown = self.grow(setup.problem.last_level(length), &mut beam, &mut shared.sequence);
        shared.spare = Some(beam.spare);
        *figures = shared.unreported();
        // Before anything is returned: a level that was cut stays, and proves nothing.
        shared.complete &= !beam.has_left_out;
        grown?;
        let died = shared.are_all_met(length);
        let nothing = || format!("no solution among the {keep} best states of each level");
        let met = match setup.meet(length, &shared.sequence.levels)? {
            Answer::Found(walk) if setup.fills_target_early(&walk) => Answer::Refuted,
            met => met,
        };
        Ok(match met {
            Answer::Refuted if shared.complete && died => Answer::Exhausted,
            Answer::Refuted if shared.complete => Answer::Refuted,
            Answer::Refuted if died || goes_in_circles(&shared.sequence.figures, length) => {
                Answer::GivenUp(format!("{}, and greater lengths have no others", nothing()))
            }
            Answer::Refuted => Answer::Unproved(nothing()),
            answer => answer,
        })
    }

    /// Appends truncated levels up to `depth`.
    pub(super) fn grow(
        &self,
        depth: u32,
        beam: &mut BestSuccessors<'_, CentroidScore, W, K>,
        sequence: &mut LevelSequence<K>,
    ) -> Result<(), Stopped> {
        sequence.cut = true;
        if sequence.levels.is_empty() {
            self.setup.engine.open(&self.setup.puzzle(Vec::new()), sequence);
        }
        while !sequence.has(depth) && !sequence.is_dead() {
            beam.grow(&[], sequence)?;
        }
        Ok(())
    }

    /// The states of each level with the highest centroid + beta * symmetry; ties go to the least keys.
    pub(super) fn beam(&self) -> BestSuccessors<'_, CentroidScore, W, K> {
        let problem = &self.setup.problem;
        let score = CentroidScore::new(&problem.centroid, problem.mirror(), 1).with_beta(self.beta);
        BestSuccessors::new(self.setup, score, self.keep, None)
    }
}

/// Whether the last two levels occurred before, so that the levels repeat from there on: two levels determine all later
/// ones, and states that were cut may recur.
fn goes_in_circles(figures: &[LevelFigures], length: u32) -> bool {
    let digests: Vec<_> = figures.iter().map(|f| (f.tally.digest, f.tally.second)).collect();
    let Some(last) = digests.len().checked_sub(2) else { return false };
    length as usize > 2 * last && digests.windows(2).take(last).any(|pair| pair == &digests[last..])
}

#[cfg(test)]
mod tests {
    use super::super::best_successors::tests::with_problem_1;
    use super::*;

    #[test]
    fn levels_made_one_after_another_have_the_figures_of_levels_made_at_once() {
        with_problem_1(|setup| {
            let truncation = Truncation { setup, keep: 100, beta: 2 };
            let figures = |lengths: &[u32]| {
                let mut shared = SharedLevels::new();
                for &length in lengths {
                    truncation.decide(length, &mut shared, &mut Vec::new()).unwrap();
                }
                shared.sequence.figures.into_iter().map(|figures| figures.tally).collect::<Vec<_>>()
            };
            let at_once = figures(&[30]);
            assert!(at_once.iter().filter(|tally| tally.pruned > 0).count() > 8);
            assert_eq!(figures(&(1..=30).collect::<Vec<_>>()), at_once);
            assert_eq!(figures(&[7, 16, 30]), at_once);
        });
    }
}
