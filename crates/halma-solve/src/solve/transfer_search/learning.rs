//! Beam search whose score is learned: each round searches with the score so far, and learns from the states that lie on
//! the solutions it finds. It finds solutions, and proves nothing.
//!
//! The score of the first round is that of [`Truncation`](super::truncate::Truncation), c(A) + β sym(A). Each round
//! adds to this score what was learned, and some noise. The weight β falls to 0 by the last round: symmetry helps to
//! find a first solution, but excludes shorter ones later. Unlike there, levels go all the way to the target, and any
//! two levels may meet, each by the mirror images of its states. So there are many solutions to learn from. (Learning
//! an evaluation from a search's own solutions: Samuel, *Some studies in machine learning using the game of checkers*,
//! 1959; for beam search Xu and Fern, *On learning linear ranking functions for beam search*, 2007.)
//!
//! The solution depends on the seed and not on the number of threads or the memory: all sums are made in one order.

mod checkpoint;
mod explored;
mod learner;
mod pattern_score;
mod windows;

use halma_engine::draws::Draws;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::workspace::Workspace;
use halma_record::words::counted;
use halma_rules::cells::Cells;
use halma_rules::job::Learning;

use super::Solution;
use super::best_successors::{BestSuccessors, Noise};
use super::setup::Setup;
use crate::solve::level_sequence::{LevelSequence, Recurs};
use crate::solve::{Answer, Side};
use checkpoint::Learned;
use explored::Explored;
use learner::{Learner, Sample};
use pattern_score::{PatternScore, UNIT, unlearned};
use windows::Windows;

/// Rounds that learn are narrower than the last search by this factor.
const NARROWER: usize = 10;
/// The amplitude of the noise in scores: rounds see other states then.
const NOISE: i64 = UNIT / 4;
/// States that a thread works on at a time.
const BATCH: usize = 64;
/// A round has at most so many levels. Two of them may meet, so a solution may have twice as many moves.
pub(crate) const HORIZON: u32 = 100;
/// At most so many good states are drawn from a level. Each gives two samples, itself and its mirror image. Twice as
/// many states are drawn from the whole level; each that is not good, and on no earlier level, gives two samples.
const SAMPLES: usize = 2_000;
/// The samples of each level where a round finds nothing.
const SAMPLES_OF_NOTHING: usize = 600;
/// The most samples that are kept from round to round.
pub(crate) const MOST_SAMPLES: usize = 1 << 20;

/// The rounds of a beam search that learns, which serve all lengths.
pub(super) enum Rounds<const W: usize> {
    /// They have not run.
    Ahead,
    /// They have run, and found this.
    Over(Option<Solution<W>>),
}

/// A beam search that learns.
pub(super) struct LearningBeam<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
    /// The width of the last search.
    pub(super) keep: usize,
    /// The weight of the symmetry in the first round.
    pub(super) beta: i64,
    pub(super) learning: Learning,
    /// The greatest length that is asked about, if there is one.
    pub(super) greatest: Option<u32>,
}

impl<const W: usize, K: Key> LearningBeam<'_, W, K> {
    /// The answer for `length`. The rounds run for the first length, and serve all.
    pub(super) fn decide(&self, length: u32, rounds: &mut Rounds<W>) -> Result<Answer<Cells<W>>, Stopped> {
        if let Rounds::Ahead = rounds {
            *rounds = Rounds::Over(self.search()?);
        }
        Ok(match rounds {
            Rounds::Over(Some(known)) if known.length == length => Answer::Found(known.walk.clone()),
            Rounds::Over(Some(Solution { length: known, .. })) => {
                let reason = format!("the shortest solution found by learning has {known} moves");
                if *known > length { Answer::Unproved(reason) } else { Answer::GivenUp(reason) }
            }
            Rounds::Ahead | Rounds::Over(None) => {
                let rounds = counted(self.learning.rounds as usize, "round");
                Answer::GivenUp(format!("no solution was found on {HORIZON} levels in {rounds} that learned"))
            }
        })
    }

    /// The shortest solution that is found in all rounds. A signal or the time limit ends them, too, if what was found
    /// so far is an answer; if not, what was learned is kept for a later process. A stop while a round is learned from
    /// keeps nothing new. Then the last state that was saved holds.
    fn search(&self) -> Result<Option<Solution<W>>, Stopped> {
        let progress = self.setup.engine.progress;
        let mut learned = self.begin()?;
        let is_asked_for = |known: &Solution<W>| self.greatest.is_none_or(|greatest| known.length <= greatest);
        loop {
            match self.round(&mut learned) {
                Ok(true) => {}
                Ok(false) => break,
                Err(stopped @ (Stopped::Interrupted | Stopped::Time))
                    if learned.best.as_ref().is_some_and(is_asked_for) =>
                {
                    progress.note(&format!("{stopped}: the rest of the rounds is left out"));
                    break;
                }
                Err(stopped) => {
                    if learned.is_whole {
                        self.save(&learned);
                    }
                    return Err(stopped);
                }
            }
        }
        Ok(learned.best)
    }

    /// Nothing, or what an earlier process of the run has learned.
    fn begin(&self) -> Result<Learned<W>, Stopped> {
        let Setup { problem, engine, .. } = self.setup;
        let new = || Learned::new(self.learning.seed, learner(self.setup));
        let Some(workspace) = engine.workspace else { return Ok(new()) };
        let Some(bytes) = workspace.state()? else { return Ok(new()) };
        let (men, cells) = (problem.transfer.start.len(), problem.transfer.lattice.len());
        let learned = Learned::from_bytes(&bytes, learner(self.setup), men, cells)
            .filter(|learned| learned.rounds <= self.learning.rounds)
            .filter(|Learned { best, .. }| {
                best.as_ref().is_none_or(|best| self.setup.check_walk(&best.walk, best.length).is_ok())
            })
            .ok_or_else(|| workspace.damaged_state("it is not what a search that learns keeps"))?;
        engine.progress.note(&format!("goes on after {}", counted(learned.rounds as usize, "round")));
        if let Some(best) = &learned.best {
            engine.progress.known(best.length);
        }
        Ok(learned)
    }

    /// Keeps what was learned in the run's folder. If that fails, less is left after a kill, and nothing else.
    fn save(&self, learned: &Learned<W>) {
        let Setup { engine, .. } = self.setup;
        if let Some(Err(fault)) = engine.workspace.map(|workspace| workspace.save_state(&learned.to_bytes())) {
            engine.progress.note(&format!("what was learned could not be saved: {fault}"));
        }
    }

    /// The next round; returns whether there is another one.
    fn round(&self, learned: &mut Learned<W>) -> Result<bool, Stopped> {
        let Self { setup, learning: Learning { rounds, .. }, .. } = *self;
        let (progress, problem, round) = (setup.engine.progress, &setup.problem, learned.rounds);
        let centroid = unlearned(&problem.centroid, problem.mirror());
        let share = |round| f64::from(rounds - round) / f64::from(rounds);
        let unlearned = |round| centroid.with_share_of_beta(self.beta, share(round));
        let mut draws = learned.draws.clone();
        let keep = if round < rounds { self.keep.div_ceil(NARROWER) } else { self.keep };
        let most = learned.best.as_ref().map_or(HORIZON, |known| known.length.min(HORIZON));
        let score = learned.learner.score(unlearned(round));
        let noise = Noise { key: [draws.draw(), draws.draw()], amplitude: NOISE };
        let explored = self.explore(BestSuccessors::new(setup, score, keep, Some(noise)), most)?;
        let found = explored.shortest();
        let moves = found.map_or("nothing".into(), |length| counted(length as usize, "move"));
        progress.note(&format!("round {} of {}: {keep} states a level, {moves}", round + 1, rounds + 1));
        if let Some(length) = found.filter(|&length| learned.best.as_ref().is_none_or(|known| length < known.length)) {
            progress.known(length);
            learned.best = Some(Solution { length, walk: explored.solution(setup)? });
        }
        if round == rounds {
            return Ok(false);
        }
        learned.is_whole = false;
        self.sample(&explored, &mut learned.samples, &mut draws)?;
        // Weights are learned beside the share of the symmetry that they are used with.
        learned.learner.train(&learned.samples, &unlearned(round + 1), setup.engine.cancel, &mut draws)?;
        if round + 1 == rounds {
            learned.samples = Vec::new();
        }
        (learned.rounds, learned.draws, learned.is_whole) = (round + 1, draws, true);
        if setup.engine.workspace.is_some_and(Workspace::is_due) {
            self.save(learned);
        }
        Ok(true)
    }

    /// The best states of each level, up to level `most` or as many levels as the shortest solution seen has moves.
    fn explore(&self, mut beam: BestSuccessors<'_, PatternScore, W, K>, most: u32) -> Result<Explored<K>, Stopped> {
        let Self { setup, .. } = *self;
        let sequence = LevelSequence::new("learning".into(), Side::Forward);
        let mut sequence = LevelSequence { cut: true, ..sequence.compared(Recurs::Anywhere).hidden() };
        setup.engine.open(&setup.puzzle(Vec::new()), &mut sequence);
        let mut explored = Explored::new();
        explored.add(setup, sequence.last())?;
        while sequence.levels.len() as u32 <= explored.shortest().map_or(most, |found| found.min(most)) {
            beam.grow(&[], &mut sequence)?;
            if sequence.is_dead() {
                break;
            }
            explored.add(setup, sequence.last())?;
        }
        Ok(explored)
    }

    /// Adds what a round shows: good states lie on its shortest solutions, or on those with one move more.
    fn sample(&self, explored: &Explored<K>, samples: &mut Vec<Sample<W>>, draws: &mut Draws) -> Result<(), Stopped> {
        let states = &self.setup.tables.states;
        let Some(shortest) = explored.shortest() else {
            for level in 1..explored.levels() {
                let keys = explored.keys(level)?;
                for _ in 0..SAMPLES_OF_NOTHING {
                    samples.push(Sample { army: states.army(draws.one_of(&keys)), level, good: false });
                }
                forget(samples, draws);
            }
            return Ok(());
        };
        let good = explored.on_solutions(self.setup)?;
        for (level, good) in (0..).zip(&good).take(shortest as usize).skip(1) {
            let (keys, taken) = (explored.keys(level)?, good.len().min(SAMPLES));
            for _ in 0..taken {
                let army = states.army(draws.one_of(good));
                let image = self.setup.problem.reflected(army);
                samples.push(Sample { army, level, good: true });
                samples.push(Sample { army: image, level: shortest - level, good: true });
            }
            for _ in 0..2 * taken {
                let key = draws.one_of(&keys);
                if good.binary_search(&key).is_err() && explored.is_first(key, level) {
                    let sample = Sample { army: states.army(key), level, good: false };
                    samples.extend([sample, sample]);
                }
            }
            forget(samples, draws);
        }
        Ok(())
    }
}

/// A learner for the problem, which has not learned yet.
fn learner<const W: usize, K: Key>(setup: &Setup<'_, W, K>) -> Learner {
    let problem = &setup.problem;
    Learner::new(Windows::new(&problem.transfer.lattice, &problem.centroid, &problem.symmetries.fixing))
}

/// Removes samples down to the most that are kept: at random, from the oldest ones, twice as many as are removed.
fn forget<const W: usize>(samples: &mut Vec<Sample<W>>, draws: &mut Draws) {
    let excess = samples.len().saturating_sub(MOST_SAMPLES);
    let mut left = (2 * excess).min(samples.len());
    let mut removable = excess;
    samples.retain(|_| {
        // Of those left among the oldest, as many are removed as still have to be.
        let remove = left > 0 && draws.below(left) < removable;
        left = left.saturating_sub(1);
        removable -= usize::from(remove);
        !remove
    });
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashMap;
    use std::collections::hash_map::Entry;

    use halma_engine::search::{CancellationToken, Expander};
    use halma_rules::board::Board;
    use halma_rules::job::Pruning;
    use halma_rules::lattice::{Lattice, Rule};
    use halma_rules::problem::{self, Transfer};

    use super::super::best_successors::tests::{cuts_change_no_level, with_problem_1};
    use super::super::{TransferOptions, TransferSearch};
    use super::*;
    use crate::solve::Engine;

    pub(in super::super) const UNPRUNED: TransferOptions =
        TransferOptions { pruning: Pruning::None, palindromic: false, symmetry: true, histograms: 1 << 20 };

    /// The distance of each state from an army, by breadth-first search over states.
    fn distances(setup: &Setup<'_, 1, u64>, army: Cells<1>) -> HashMap<u64, u32> {
        let states = &setup.tables.states;
        let mut distances = HashMap::from([(states.canonical(army), 0)]);
        let mut frontier = vec![army];
        for distance in 1.. {
            let mut next = Vec::new();
            for successor in frontier.into_iter().flat_map(|army| setup.successor_armies(army)) {
                if let Entry::Vacant(unseen) = distances.entry(states.canonical(successor)) {
                    unseen.insert(distance);
                    next.push(successor);
                }
            }
            if next.is_empty() {
                break;
            }
            frontier = next;
        }
        distances
    }

    #[test]
    fn good_states_are_those_whose_distances_from_both_ends_sum_to_the_shortest_length_or_one_more() {
        for rule in [Rule::Four, Rule::Six, Rule::Eight] {
            let (board, marks) = Board::from_map("....TT\n.....T\n......\n......\nS.....\nSS....").unwrap();
            let lattice = Lattice::new(board, rule);
            let transfer = Transfer { lattice, start: marks.start, target: marks.target, jumps_only: false };
            let (expander, cancel) = (Expander::new(2, None).unwrap(), CancellationToken::after(None));
            let engine = Engine::new(&expander, &cancel, &());
            let search = TransferSearch::<1, u64>::new(&transfer, UNPRUNED, engine).unwrap();
            let setup = &search.setup;
            let [start, target] = [&transfer.start, &transfer.target].map(|cells| problem::set(cells));
            let [from, to] = [start, target].map(|army| distances(setup, army));
            let shortest = to[&setup.tables.states.canonical(start)];

            // All states of each level are kept.
            let keep = 1 << 20;
            let learning = Learning { rounds: 1, seed: 0 };
            let beam = LearningBeam { setup, keep, beta: 0, learning, greatest: None };
            let problem = &setup.problem;
            let score = learner(setup).score(unlearned(&problem.centroid, problem.mirror()));
            let best = BestSuccessors::new(setup, score, keep, None);
            let explored = beam.explore(best, HORIZON).unwrap();
            assert_eq!(explored.shortest(), Some(shortest));
            assert_eq!(explored.solution(setup).unwrap().len() as u32, shortest + 1);

            let good = explored.on_solutions(setup).unwrap();
            for (level, good) in (0..=shortest).zip(&good) {
                let on_solution = |key: &u64| from[key] == level && level + to[key] <= shortest + 1;
                let mut expected: Vec<u64> = from.keys().copied().filter(on_solution).collect();
                expected.sort_unstable();
                assert_eq!(*good, expected, "level {level}, {rule:?}");
            }
            assert!(good.iter().map(Vec::len).sum::<usize>() > 3 * shortest as usize, "there are many solutions");
        }
    }

    #[test]
    fn what_comes_back_from_the_runs_folder_after_each_round_learns_the_same() {
        with_problem_1(|setup| {
            let learning = Learning { rounds: 3, seed: 1 };
            let beam = LearningBeam { setup, keep: 1000, beta: 2, learning, greatest: None };
            let mut whole = Learned::new(learning.seed, learner(setup));
            let mut parts = Learned::new(learning.seed, learner(setup));
            loop {
                let [more, also] = [&mut whole, &mut parts].map(|learned| beam.round(learned).unwrap());
                assert_eq!(more, also);
                assert_eq!(parts.to_bytes(), whole.to_bytes());
                if !more {
                    break;
                }
                parts = Learned::from_bytes(&parts.to_bytes(), learner(setup), 6, 81).unwrap();
            }
            assert!(whole.best.is_some() && whole.rounds == 3);
        });
    }

    #[test]
    fn levels_cut_by_a_learned_score_before_they_are_made_have_the_best_states_of_whole_levels() {
        with_problem_1(|setup| {
            let (problem, mut learner) = (&setup.problem, learner(setup));
            let unlearned = unlearned(&problem.centroid, problem.mirror()).with_beta(2);
            let mut draws = Draws::new(4);
            let samples: Vec<Sample<2>> = (0..200)
                .map(|number| {
                    let good = number % 2 == 0;
                    let cells = (0..6).map(|_| if good { draws.below(30) } else { 20 + draws.below(61) });
                    Sample { army: cells.collect(), level: 1, good }
                })
                .collect();
            learner.train(&samples, &unlearned, setup.engine.cancel, &mut draws).unwrap();
            cuts_change_no_level(setup, &learner.score(unlearned), &[], 10);
        });
    }

    #[test]
    fn only_the_oldest_samples_are_forgotten_and_not_all_of_them() {
        let sample = |number| Sample { army: Cells::<1>::EMPTY, level: number, good: true };
        let excess = 1000;
        let mut samples: Vec<Sample<1>> = (0..(MOST_SAMPLES + excess) as u32).map(sample).collect();
        forget(&mut samples, &mut Draws::new(1));
        assert_eq!(samples.len(), MOST_SAMPLES);
        let (old, new): (Vec<u32>, Vec<u32>) = samples.iter().map(|s| s.level).partition(|&l| l < 2 * excess as u32);
        assert_eq!((old.len(), new.len()), (excess, MOST_SAMPLES - excess));
        assert!(
            old.is_sorted() && old[0] < 20 && old[excess - 1] > 2 * excess as u32 - 20,
            "they are chosen at random"
        );
        forget(&mut samples, &mut Draws::new(2));
        assert_eq!(samples.len(), MOST_SAMPLES);
    }
}
