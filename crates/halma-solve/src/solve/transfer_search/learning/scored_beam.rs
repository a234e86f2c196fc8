//! Levels of the states with the least scores. Successors that would not be selected are not made.

use std::sync::Arc;

use halma_bounds::Bound;
use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::{Stopped, digest};
use halma_engine::store::Level;
use halma_rules::cells::Cells;
use halma_rules::moves::Pieces;

use super::super::setup::Setup;
use super::BATCH;
use super::pattern_score::{Score, UNIT};
use super::score_cut::ScoreCut;
use crate::solve::best_states::best_states;
use crate::solve::level_sequence::LevelSequence;

/// The amplitude of the noise in scores: rounds see other states then.
const NOISE: i64 = UNIT / 4;
/// States whose successors tell where a level is cut before it is made.
const MEASURED: usize = 1 << 10;
/// At first a level is cut to so many times the states that are kept, since many successors are one state.
const SPARE: f64 = 4.0;

/// One round of a beam search.
pub(super) struct ScoredBeam<'s, const W: usize, K: Key> {
    setup: &'s Setup<'s, W, K>,
    score: Arc<Score>,
    /// The states of a level that are kept.
    keep: usize,
    /// Chooses the noise.
    noise: [u64; 2],
    /// A level is cut to so many times `keep` successors before it is made.
    spare: f64,
}

impl<'s, const W: usize, K: Key> ScoredBeam<'s, W, K> {
    pub(super) fn new(setup: &'s Setup<'s, W, K>, score: Score, keep: usize, noise: [u64; 2]) -> Self {
        Self { setup, score: Arc::new(score), keep, noise, spare: SPARE }
    }

    /// Appends the `keep` best states of the next level, as if all successors had been made. Only those are made that score at most
    /// `most`. All others score more than `most - NOISE` with noise: where `keep` states score at most that, these are the best of
    /// all. Where not, more are made.
    pub(super) fn grow(&mut self, sequence: &mut LevelSequence<K>) -> Result<(), Stopped> {
        let (setup, keep) = (self.setup, self.keep as u64);
        let (scores, every) = self.scores_of_successors(sequence.last())?;
        loop {
            let place = self.spare * self.keep as f64 / every as f64;
            let most = scores.get(place as usize).copied();
            let cut = most.map(|most| Arc::new(ScoreCut { score: Arc::clone(&self.score), most }) as Arc<dyn Bound<W>>);
            setup.engine.grow(&setup.puzzle(cut.into_iter().collect()), sequence)?;
            let last = sequence.levels.len() - 1;
            let made = sequence.levels[last].len();
            if most.is_some() || made > keep {
                let certain = most.map_or(i64::MAX, |most| most - NOISE);
                sequence.levels[last] = self.best(&sequence.levels[last], certain)?;
            }
            if most.is_none() || sequence.levels[last].len() == keep {
                if made > 2 * keep {
                    self.spare *= 0.8;
                }
                return Ok(());
            }
            self.spare *= 2.0;
            sequence.drop_last();
        }
    }

    /// The scores of the successors of every n-th state, ascending, and n.
    fn scores_of_successors(&self, level: &Level<K>) -> Result<(Vec<i64>, usize), Stopped> {
        let Self { setup, score, .. } = self;
        let states = &setup.tables.states;
        let keys = level.to_vec()?;
        let every = keys.len().div_ceil(MEASURED).max(1);
        let keys: Vec<K> = keys.into_iter().step_by(every).collect();
        let scored = |(): &mut (), keys: &[K]| {
            setup.engine.cancel.check()?;
            let (mut scores, mut scratch, mut pieces) = (Vec::new(), score.scratch(), Pieces::default());
            let mut reach = vec![Cells::EMPTY; setup.problem.transfer.start.len()];
            states.each_army(keys, |_, army| {
                states.mover.reach(army.men, army.set, &mut pieces, &mut reach);
                score.each_successor(army, &reach, &mut scratch, |_, _, after| scores.push(after));
            });
            Ok::<_, Stopped>(scores)
        };
        let scores = setup.engine.expander.install(|| parallel::map_chunks(&keys, BATCH, || (), scored))?;
        let mut scores: Vec<i64> = scores.into_iter().flatten().collect();
        scores.sort_unstable();
        Ok((scores, every))
    }

    /// The states of `level` with the least scores, if these are at most `most` with their noise.
    fn best(&self, level: &Level<K>, most: i64) -> Result<Level<K>, Stopped> {
        let Self { setup, score, keep, noise, .. } = self;
        let (states, expander) = (&setup.tables.states, setup.engine.expander);
        let scored = |block| {
            let (mut keys, mut scored, mut scratch) = (Vec::new(), Vec::new(), score.scratch());
            level.read_block(block, &mut keys)?;
            states.each_army(&keys, |key, army| {
                let mixed = digest::mix_under(*noise, key);
                let noisy = score.of(army, &mut scratch) + (mixed % (2 * NOISE as u128)) as i64 - NOISE;
                if noisy <= most {
                    scored.push((noisy, mixed, key));
                }
            });
            Ok(scored)
        };
        best_states(level, *keep, expander, scored)
    }
}

#[cfg(test)]
mod tests {
    use halma_engine::draws::Draws;
    use halma_engine::search::{CancellationToken, Expander};
    use halma_rules::lattice::Rule;
    use halma_rules::problem::Transfer;

    use super::super::super::TransferSearch;
    use super::super::learner::{Learner, Sample};
    use super::super::pattern_score::Unlearned;
    use super::super::tests::UNPRUNED;
    use super::super::windows::Windows;
    use super::*;
    use crate::solve::{Engine, Side};

    #[test]
    fn levels_cut_before_they_are_made_have_the_best_states_of_whole_levels() {
        let transfer = Transfer::named("9x9", Rule::Six, "triangle-3").unwrap();
        let (expander, cancel) = (Expander::new(2, None).unwrap(), CancellationToken::after(None));
        let engine = Engine::new(&expander, &cancel, &());
        let search = TransferSearch::<2, u64>::new(&transfer, UNPRUNED, engine).unwrap();
        let problem = &search.setup.problem;
        let mut learner = Learner::new(Windows::new(&transfer.lattice, &problem.centroid, &problem.symmetries.fixing));
        let unlearned = Unlearned::new(&problem.centroid, problem.mirror()).with_beta(2, 1.0);
        let mut draws = Draws::new(4);
        let samples: Vec<Sample<2>> = (0..200)
            .map(|number| {
                let good = number % 2 == 0;
                let cells = (0..6).map(|_| if good { draws.below(30) } else { 20 + draws.below(61) });
                Sample { army: cells.collect(), level: 1, good }
            })
            .collect();
        learner.train(&samples, &unlearned, &cancel, &mut draws).unwrap();
        let levels = |first: f64| {
            let mut sequence = LevelSequence::new("learning".into(), Side::Forward).hidden();
            engine.open(&search.setup.puzzle(Vec::new()), &mut sequence);
            let mut beam = ScoredBeam::new(&search.setup, learner.score(unlearned.clone()), 300, [7, 8]);
            let (mut made, mut widest) = (Vec::new(), first);
            for _ in 0..20 {
                beam.spare = first;
                beam.grow(&mut sequence).unwrap();
                widest = widest.max(beam.spare);
                made.push(sequence.last().to_vec().unwrap());
            }
            (made, widest)
        };
        let (whole, cut, too_few) = (levels(1e9), levels(2.5), levels(0.1));
        assert!(whole.0.iter().filter(|level| level.len() == 300).count() > 10);
        assert!(cut.0 == whole.0 && too_few.0 == whole.0);
        assert!(too_few.1 > 0.1, "cuts that left too few states were widened");
    }
}
