//! Beam search, level by level (Lowerre, *The Harpy speech recognition system*, 1976): the states of the next level with the least
//! scores. Most successors that would not be selected are not made.

pub(super) mod centroid_score;
mod score_cut;

use std::sync::Arc;
use std::time::Instant;

use halma_bounds::{Army, Bound};
use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::{Stopped, digest};
use halma_engine::store::Level;
use halma_rules::cells::Cells;
use halma_rules::moves::ComponentScratch;

use super::setup::Setup;
use crate::solve::best_states::best_states;
use crate::solve::level_sequence::LevelSequence;
use score_cut::ScoreCut;

/// The successors of a sample tell where a level is cut before it is made: of the states that are kept, one in so many.
const SAMPLED: usize = 8;
/// The least and the greatest size of a sample.
const SAMPLE: [usize; 2] = [1 << 6, 1 << 10];
/// At first a level is cut to so many times the states that are kept, since many successors are one state.
const SPARE: f64 = 4.0;
/// How that changes where too few states come out, and where twice as many as are kept do.
const MORE: f64 = 2.0;
const LESS: f64 = 0.8;
/// States of the sample that a thread works on at a time.
const BATCH: usize = 16;

/// A score of armies, of which less is better. Images under K have the same.
pub(super) trait ArmyScore<const W: usize>: Send + Sync + 'static {
    /// What one thread remembers from army to army.
    type Scratch: Send;

    fn scratch(&self) -> Self::Scratch;

    fn of(&self, army: Army<'_, W>, scratch: &mut Self::Scratch) -> i64;

    /// Calls `f` with the number of each man of the army, each cell of his `reach`, and the score after he has gone there.
    fn each_successor(
        &self,
        army: Army<'_, W>,
        reach: &[Cells<W>],
        scratch: &mut Self::Scratch,
        f: impl FnMut(usize, usize, i64),
    );
}

/// What is added to the score of a state, by a hash of it.
#[derive(Clone, Copy)]
pub(super) struct Noise {
    /// Chooses the hash.
    pub(super) key: [u64; 2],
    /// It adds from `-amplitude` to `amplitude - 1`. States of equal scores are ordered by the hash.
    pub(super) amplitude: i64,
}

/// One beam search.
pub(super) struct BestSuccessors<'s, S, const W: usize, K: Key> {
    setup: &'s Setup<'s, W, K>,
    score: Arc<S>,
    /// The states of a level that are kept.
    keep: usize,
    /// Without noise, of states with equal scores those with the least keys are kept.
    noise: Option<Noise>,
    /// A level is cut to so many times `keep` successors before it is made. Which states are kept does not depend on it.
    pub(super) spare: f64,
    /// Whether a level left out some states.
    pub(super) has_left_out: bool,
}

impl<'s, S: ArmyScore<W>, const W: usize, K: Key> BestSuccessors<'s, S, W, K> {
    pub(super) fn new(setup: &'s Setup<'s, W, K>, score: S, keep: usize, noise: Option<Noise>) -> Self {
        Self { setup, score: Arc::new(score), keep, noise, spare: SPARE, has_left_out: false }
    }

    /// Appends the `keep` best states of the next level under `bounds`, as if all successors had been made. Those that are left
    /// out count as pruned.
    ///
    /// Successors whose score exceeds a threshold are not made. With the noise each of them still exceeds the threshold less the
    /// amplitude. So if `keep` states score at most that, they are the best of all. If not, the threshold is raised.
    pub(super) fn grow(
        &mut self,
        bounds: &[Arc<dyn Bound<W>>],
        sequence: &mut LevelSequence<K>,
    ) -> Result<(), Stopped> {
        let (setup, keep, begun) = (self.setup, self.keep as u64, Instant::now());
        let (scores, every) = self.scores_of_successors(bounds, sequence)?;
        loop {
            let place = self.spare * self.keep as f64 / every as f64;
            let most = scores.get(place as usize).copied();
            let cut = most.map(|most| Arc::new(ScoreCut { score: Arc::clone(&self.score), most }) as Arc<dyn Bound<W>>);
            let puzzle = setup.puzzle(bounds.iter().cloned().chain(cut).collect());
            setup.engine.make(&puzzle, sequence)?;
            let made = sequence.last().whole();
            let leaves_out = most.is_some() || made > keep;
            let best = if leaves_out {
                let certain = most.map_or(i64::MAX, |most| most - self.noise.map_or(0, |noise| noise.amplitude));
                self.best(sequence.last(), certain)?
            } else {
                sequence.last().clone()
            };
            if most.is_some() && best.whole() < keep {
                self.spare *= MORE;
                sequence.drop_last();
                continue;
            }
            if made > 2 * keep {
                self.spare *= LESS;
            }
            self.has_left_out |= leaves_out;
            if leaves_out {
                setup.engine.select(&puzzle, best, sequence)?;
            }
            if let Some(figures) = sequence.figures.last_mut() {
                figures.seconds = begun.elapsed().as_secs_f64();
            }
            setup.engine.report(sequence);
            return Ok(());
        }
    }

    /// The scores of the successors of about every n-th state of the last level, ascending, and n; over all processes.
    fn scores_of_successors(
        &self,
        bounds: &[Arc<dyn Bound<W>>],
        sequence: &LevelSequence<K>,
    ) -> Result<(Vec<i64>, u64), Stopped> {
        let Self { setup, score, .. } = self;
        let (states, expander) = (&setup.tables.states, setup.engine.expander);
        let (level, depth) = (sequence.last(), sequence.levels.len() as u32);
        let every = level.whole().div_ceil((self.keep / SAMPLED).clamp(SAMPLE[0], SAMPLE[1]) as u64).max(1);
        // By a hash, so that any number of processes take the same ones.
        let (mut sample, mut keys) = (Vec::new(), Vec::new());
        setup.engine.code(level);
        for block in 0..level.blocks() {
            level.read_block(block, &mut keys)?;
            sample.extend(keys.iter().filter(|key| u64::from(key.mix() as u32) % every == 0));
        }
        let scored = |(): &mut (), keys: &[K]| {
            let (mut scores, mut scratch, mut pieces) = (Vec::new(), score.scratch(), ComponentScratch::default());
            let mut pruners: Vec<_> = bounds.iter().map(|bound| bound.pruner()).collect();
            let mut reach = vec![Cells::EMPTY; setup.problem.transfer.start.len()];
            states.each_army(keys, |_, army| {
                if !pruners.iter_mut().all(|pruner| pruner.has_successors(army)) {
                    return;
                }
                states.mover.reach(army.men, army.set, &mut pieces, &mut reach);
                pruners.iter_mut().for_each(|pruner| pruner.filter(army, depth, &mut reach));
                score.each_successor(army, &reach, &mut scratch, |_, _, after| scores.push(after));
            });
            // The sample is small: a process that stopped here alone would be lost to the others.
            Ok::<_, Stopped>(scores)
        };
        let scores = expander.install(|| parallel::map_chunks(&sample, BATCH, || (), scored))?;
        let scores: Vec<i64> = scores.into_iter().flatten().collect();
        let mut scores = expander.exchange().all_gather(scores)?.concat();
        scores.sort_unstable();
        Ok((scores, every))
    }

    /// The best states of `level`, of those that score at most `most` with their noise.
    fn best(&self, level: &Level<K>, most: i64) -> Result<Level<K>, Stopped> {
        let Self { setup, score, keep, noise, .. } = self;
        let (states, expander) = (&setup.tables.states, setup.engine.expander);
        setup.engine.code(level);
        let scored = |block| {
            let (mut keys, mut scored, mut scratch) = (Vec::new(), Vec::new(), score.scratch());
            level.read_block(block, &mut keys)?;
            states.each_army(&keys, |key, army| {
                let (mut noisy, mut hash) = (score.of(army, &mut scratch), 0);
                if let Some(Noise { key: hashed, amplitude }) = *noise {
                    hash = digest::mix_under(hashed, key);
                    noisy += (hash % (2 * amplitude as u128)) as i64 - amplitude;
                }
                if noisy <= most {
                    scored.push((noisy, hash, key));
                }
            });
            Ok(scored)
        };
        best_states(level, *keep, expander, scored)
    }

    /// Leaves only the best states of the last level, which an exact search may have made.
    pub(super) fn cut_last(&self, sequence: &mut LevelSequence<K>) -> Result<(), Stopped> {
        if sequence.last().whole() <= self.keep as u64 {
            return Ok(());
        }
        let best = self.best(sequence.last(), i64::MAX)?;
        self.setup.engine.select(&self.setup.puzzle(Vec::new()), best, sequence)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use halma_engine::search::{CancellationToken, Expander};
    use halma_rules::lattice::Rule;
    use halma_rules::problem::Transfer;

    use super::super::TransferSearch;
    use super::super::learning::tests::UNPRUNED;
    use super::centroid_score::CentroidScore;
    use super::*;
    use crate::solve::{Engine, Side};

    const KEEP: usize = 300;

    /// Calls `f` with problem 1 under 6-move rules.
    pub(in super::super) fn with_problem_1(f: impl FnOnce(&Setup<'_, 2, u64>)) {
        let transfer = Transfer::named("9x9", Rule::Six, "triangle-3").unwrap();
        let (expander, cancel) = (Expander::new(2, None).unwrap(), CancellationToken::after(None));
        let engine = Engine::new(&expander, &cancel, &());
        f(&TransferSearch::new(&transfer, UNPRUNED, engine).unwrap().setup);
    }

    /// Levels that are cut before they are made, if a cut first leaves `spare` times the states that are kept; and whether a cut left
    /// too few.
    fn levels<S: ArmyScore<2> + Clone>(
        setup: &Setup<'_, 2, u64>,
        (score, noise): (&S, Option<Noise>),
        bounds: &[Arc<dyn Bound<2>>],
        spare: f64,
    ) -> (Vec<Vec<u64>>, bool) {
        let mut sequence = LevelSequence::new("best".into(), Side::Forward).hidden();
        setup.engine.open(&setup.puzzle(Vec::new()), &mut sequence);
        let mut beam = BestSuccessors::new(setup, score.clone(), KEEP, noise);
        let (mut levels, mut widened) = (Vec::new(), false);
        for _ in 0..20 {
            beam.spare = spare;
            beam.grow(bounds, &mut sequence).unwrap();
            widened |= beam.spare > spare;
            levels.push(sequence.last().to_vec().unwrap());
        }
        (levels, widened)
    }

    /// Claims that no cut changes the levels.
    pub(in super::super) fn cuts_change_no_level<S: ArmyScore<2> + Clone>(
        setup: &Setup<'_, 2, u64>,
        score: &S,
        bounds: &[Arc<dyn Bound<2>>],
        full: usize,
    ) {
        for noise in [None, Some(Noise { key: [7, 8], amplitude: 1 << 10 })] {
            let [whole, cut, too_few] = [1e9, 2.5, 0.1].map(|spare| levels(setup, (score, noise), bounds, spare));
            assert!(whole.0.iter().filter(|level| level.len() == KEEP).count() > full);
            assert!(cut.0 == whole.0 && too_few.0 == whole.0);
            assert!(too_few.1, "cuts that left too few states were widened");
        }
    }

    #[test]
    fn levels_cut_before_they_are_made_have_the_best_states_of_whole_levels() {
        with_problem_1(|setup| {
            for (unit, beta) in [(1, 0), (1, 2), (500, 1)] {
                let score = CentroidScore::new(&setup.problem.centroid, setup.problem.mirror(), unit).with_beta(beta);
                cuts_change_no_level(setup, &score, &[], 10);
                cuts_change_no_level(setup, &score, &[setup.palindrome_bound(30)], 3);
            }
        });
    }

    #[test]
    fn the_best_states_are_those_that_sorting_finds_and_what_is_left_out_counts_as_pruned() {
        with_problem_1(|setup| {
            let states = &setup.tables.states;
            let score = CentroidScore::new(&setup.problem.centroid, setup.problem.mirror(), 1).with_beta(2);
            let mut beam = BestSuccessors::new(setup, score.clone(), KEEP, None);
            let mut sequence = LevelSequence::new("best".into(), Side::Forward);
            setup.engine.open(&setup.puzzle(Vec::new()), &mut sequence);
            let mut levels = vec![sequence.last().to_vec().unwrap()];
            for depth in 1..=12 {
                beam.grow(&[], &mut sequence).unwrap();
                let left_out = std::mem::take(&mut beam.has_left_out);
                let successors = |&key: &u64| setup.successor_armies(states.army(key)).into_iter();
                let armies: Vec<Cells<2>> = levels[depth - 1].iter().flat_map(successors).collect();
                let mut sorted: Vec<(i64, u64)> = armies
                    .iter()
                    .map(|&army| {
                        let men: Vec<u8> = army.iter().map(|c| c as u8).collect();
                        (score.of_army(Army { men: &men, set: army }), states.canonical(army))
                    })
                    .collect();
                sorted.sort_unstable();
                sorted.dedup();
                sorted.retain(|(_, key)| !levels.iter().rev().take(2).any(|level| level.contains(key)));
                assert_eq!(left_out, sorted.len() > KEEP, "level {depth}");
                sorted.truncate(KEEP);
                let mut best: Vec<u64> = sorted.into_iter().map(|(_, key)| key).collect();
                best.sort_unstable();
                assert_eq!(sequence.last().to_vec().unwrap(), best, "level {depth}");
                let tally = &sequence.figures[depth].tally;
                assert_eq!(tally.states, best.len() as u64);
                assert_eq!(tally.digest, digest::of(digest::KEY, &best));
                assert_eq!(tally.second.0, digest::of(digest::SECOND_KEY, &best));
                assert_eq!(tally.generated, tally.pruned + tally.duplicates + tally.old + tally.states);
                assert_eq!(tally.pruned > 0, left_out);
                levels.push(best);
            }
        });
    }
}
