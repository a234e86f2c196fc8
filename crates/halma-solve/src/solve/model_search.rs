//! The search for puzzles from files and in Rust: iterative deepening on the length, breadth-first, from the start or
//! from both ends.
//!
//! Without a bound, the levels of a shorter length serve the next one. So each length adds one level: from the start,
//! or, if all states of the goal are listed and moves are reversible, on the side whose last level is smaller
//! (bidirectional search; Pohl 1971). Given that no shorter length has a solution, a length has one if the last level
//! has a state of the goal, or if the last levels of both sides have a state in common. Under a bound each length has
//! levels of its own (breadth-first heuristic search; Zhou and Hansen 2006).
//!
//! Successors are compared with the level they were made from. They are also compared with the level before it if moves are
//! reversible, with all earlier levels if states may recur anywhere, and with no other if each move changes the number of some letter.
//!
//! If a map takes the starts to the goal and reverses moves, the levels from the goal are the images of those from the
//! start. Only the latter are made, up to the middle (`docs/proof.md`, Lemma 6a). Moves need not be reversible then.

mod model_trace;
mod sequences;

use std::ops::{Range, RangeInclusive};
use std::time::Instant;

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::{Level, StoreError};
use halma_puzzles::own::{LowerBound, Model, Repeats, Searched, Worker};

use super::deepening::LengthSearch;
use super::engine::Engine;
use super::frontiers::{first_of_both, next_to_grow};
use super::length_labels::stem_of_length;
use super::level_sequence::{LevelSequence, Recurs};
use super::reported::Reported;
use super::{Answer, Attempt, LevelFigures, Side, checked, no_solution};
pub use sequences::Sequences;

/// A search for the shortest solutions of a puzzle.
pub struct ModelSearch<'a, K: Key> {
    model: &'a dyn Model<K>,
    bound: Option<&'a dyn LowerBound<K>>,
    engine: Engine<'a>,
    /// The levels from the start that all lengths share.
    ahead: LevelSequence<K>,
    behind: Behind<'a, K>,
    /// How many of the levels that all lengths share earlier attempts have reported.
    reported: Reported,
}

/// The levels from the goal that all lengths share, which are to meet those from the start.
enum Behind<'a, K: Key> {
    /// None: the search ends where a level from the start has a state of the goal.
    None,
    /// The images of the levels from the start.
    Images,
    /// Levels of their own, from the states of the goal: all are listed, and moves are reversible.
    Levels(Box<FromGoal<'a, K>>),
}

/// Levels from the goal, beside those from the start.
struct FromGoal<'a, K: Key> {
    backward: Searched<'a, K>,
    levels: LevelSequence<K>,
    /// The figures of the levels of both sides, in the order in which they were made.
    grown: Vec<LevelFigures>,
}

impl<'a, K: Key> ModelSearch<'a, K> {
    /// A search under a bound, or without one.
    #[must_use]
    pub fn new(model: &'a dyn Model<K>, bound: Option<&'a dyn LowerBound<K>>, engine: Engine<'a>) -> Self {
        let behind = if bound.is_some() {
            Behind::None
        } else if model.mirror().is_some() {
            Behind::Images
        } else if let Some(goals) = model.goals().filter(|_| model.repeats() == Repeats::Previous) {
            let levels = sequence(model, "backward", Side::Backward);
            let backward = Searched::backward(model, goals);
            Behind::Levels(Box::new(FromGoal { backward, levels, grown: Vec::new() }))
        } else {
            Behind::None
        };
        let ahead = sequence(model, "forward", Side::Forward);
        Self { model, bound, engine, ahead, behind, reported: Reported(0) }
    }

    /// The same search from the start alone, whose levels a count needs.
    #[must_use]
    pub fn forward_only(mut self) -> Self {
        self.behind = Behind::None;
        self
    }

    /// Whether the levels from the goal are the images of those from the start.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        matches!(self.behind, Behind::Images)
    }

    /// Decides whether a solution of exactly `length` moves exists, given that there is no shorter one.
    fn attempt(&mut self, length: u32) -> Attempt<K> {
        let begun = Instant::now();
        self.engine.progress.length(length);
        let mut levels = Vec::new();
        let answer = match self.bound {
            Some(bound) => self.bounded(bound, length, &mut levels),
            None => {
                let grown = self.grow_to(length);
                levels = self.unreported();
                grown.and_then(|()| self.meet(length))
            }
        };
        let answer = checked(self.engine, answer.unwrap_or_else(Answer::Stopped), |walk| self.check(walk, length));
        Attempt { levels, ..Attempt::of(length, answer, begun) }
    }

    /// The levels without a goal, up to level `depth` or the last one that has states; what stopped them if they are
    /// fewer; and whether they hold all reachable states.
    pub fn levels(&mut self, depth: u32) -> (Vec<LevelFigures>, Result<bool, Stopped>) {
        let puzzle = Searched::forward(self.model);
        let mut levels = sequence(self.model, "levels", Side::Forward);
        let engine = self.engine;
        engine.open(&puzzle, &mut levels);
        let ended = self.grow_levels(&puzzle, &mut levels, depth);
        if matches!(ended, Ok(true)) {
            levels.drop_last();
        }
        let figures = std::mem::take(&mut levels.figures);
        self.ahead = levels;
        (figures, ended)
    }

    /// Grows levels up to level `depth`, or until one is empty; returns whether one is. Unlike [`Engine::levels`], ends
    /// with the first empty level whatever `depth` is.
    fn grow_levels(
        &self,
        puzzle: &Searched<'a, K>,
        levels: &mut LevelSequence<K>,
        depth: u32,
    ) -> Result<bool, Stopped> {
        let engine = self.engine;
        while !levels.has(depth) {
            engine.grow(puzzle, levels)?;
            if levels.is_dead() {
                return Ok(true);
            }
            engine.forget(levels)?;
        }
        Ok(false)
    }

    /// Some states of the last level, as text: those with the least keys, of all processes.
    ///
    /// # Errors
    /// Where the level cannot be read, or another process is lost.
    pub fn some_of_the_last(&self, most: usize) -> Result<Vec<String>, Stopped> {
        let Some(last) = self.ahead.levels.last() else { return Ok(Vec::new()) };
        let (mut keys, mut here) = (Vec::new(), Vec::new());
        for block in 0..last.blocks() {
            last.read_block(block, &mut keys)?;
            here.extend(keys.iter().take(most - here.len()).map(|key| key.words()));
            if here.len() == most {
                break;
            }
        }
        let all = self.engine.expander.exchange().all_gather(here)?;
        let mut all: Vec<K> = all.into_iter().flatten().map(K::from_words).collect();
        all.sort_unstable();
        Ok(all.into_iter().take(most).map(|key| self.model.picture(key)).collect())
    }

    /// Figures that no attempt has reported yet.
    fn unreported(&mut self) -> Vec<LevelFigures> {
        let figures = match &self.behind {
            Behind::Levels(from_goal) => &from_goal.grown,
            Behind::None | Behind::Images => &self.ahead.figures,
        };
        self.reported.take(figures)
    }

    /// Grows levels until both sides together have `length` moves, or one is empty.
    fn grow_to(&mut self, length: u32) -> Result<(), Stopped> {
        let Self { engine, ahead, behind, .. } = self;
        let forward = Searched::forward(self.model);
        let is_first = ahead.levels.is_empty();
        if is_first {
            engine.open(&forward, ahead);
        }
        match behind {
            Behind::None => engine.grow_to(&forward, length, ahead),
            Behind::Images => engine.grow_to(&forward, length.div_ceil(2), ahead),
            Behind::Levels(from_goal) => {
                let FromGoal { backward, levels: behind, grown } = &mut **from_goal;
                if is_first {
                    engine.open(backward, behind);
                    grown.extend([&*ahead, &*behind].map(|side| side.figures[0].clone()));
                }
                while let Some((puzzle, side)) = next_to_grow(length, (&forward, &mut *ahead), (backward, &mut *behind))
                {
                    engine.grow(puzzle, side)?;
                    grown.extend(side.figures.last().cloned());
                }
                Ok(())
            }
        }
    }

    /// Looks for a solution on the last levels.
    fn meet(&self, length: u32) -> Result<Answer<K>, Stopped> {
        match &self.behind {
            Behind::None => self.ending(&self.ahead),
            Behind::Images => self.meet_image(length),
            Behind::Levels(from_goal) => self.meet_levels(&from_goal.levels),
        }
    }

    /// Looks for a common state of the last levels from the start and from the goal.
    fn meet_levels(&self, behind: &LevelSequence<K>) -> Result<Answer<K>, Stopped> {
        if self.ahead.is_dead() || behind.is_dead() {
            return Ok(Answer::Exhausted);
        }
        let middle = first_of_both(self.ahead.last(), behind.last(), self.engine.expander.exchange())?;
        let Some(middle) = middle else { return Ok(Answer::Refuted) };
        let mut keys = self.trace(&self.ahead.levels, middle, false)?;
        keys.extend(self.trace(&behind.levels, middle, true)?.iter().rev().skip(1));
        Ok(Answer::Found(self.states(&keys)?))
    }

    /// Looks for a common state of the level at the middle and the image of it, or of the previous level.
    fn meet_image(&self, length: u32) -> Result<Answer<K>, Stopped> {
        if self.ahead.is_dead() {
            return Ok(Answer::Exhausted);
        }
        let levels = &self.ahead.levels[..];
        let (half, middle) = (length as usize / 2, length.div_ceil(2) as usize);
        let images = |level: &Level<K>, blocks: Range<usize>| {
            let (mut worker, mut keys, mut images) = (self.model.worker(), Vec::new(), Vec::new());
            for block in blocks {
                level.read_block(block, &mut keys)?;
                images.extend(keys.iter().map(|&key| (worker.mirrored(key), key)));
            }
            Ok(images)
        };
        let common = self.engine.common(&levels[half], &[&levels[middle]], images)?;
        let Some((there, here, _)) = common else { return Ok(Answer::Refuted) };
        let mut keys = self.trace(&levels[..=middle], here, false)?;
        let mut worker = self.model.worker();
        let back = self.trace(&levels[..=half], there, false)?;
        keys.extend(back.iter().rev().skip(1).map(|&key| worker.mirrored(key)));
        Ok(Answer::Found(self.states(&keys)?))
    }

    /// A solution that ends on the last level.
    fn ending(&self, sequence: &LevelSequence<K>) -> Result<Answer<K>, Stopped> {
        let goals = self.goals_on(sequence.last())?;
        let here = goals.first().copied();
        match self.engine.expander.exchange().all_reduce_min(here)? {
            Some(last) => Ok(Answer::Found(self.states(&self.trace(&sequence.levels, last, false)?)?)),
            None => Ok(no_solution(&sequence.figures)),
        }
    }

    fn bounded(
        &self,
        bound: &dyn LowerBound<K>,
        length: u32,
        figures: &mut Vec<LevelFigures>,
    ) -> Result<Answer<K>, Stopped> {
        let puzzle = Searched::forward(self.model).bounded(bound, length);
        let mut levels = sequence(self.model, &format!("{}-forward", stem_of_length(length)), Side::Forward);
        let engine = self.engine;
        engine.open(&puzzle, &mut levels);
        let grown = engine.grow_to(&puzzle, length, &mut levels);
        let answer = grown.and_then(|()| match levels.is_dead() {
            true if self.all_seen(bound, length, &levels)? => Ok(Answer::Exhausted),
            true => Ok(Answer::Refuted),
            // Every goal state on the last level ends a solution of this length, since there is none shorter.
            false => self.ending(&levels),
        });
        *figures = levels.figures;
        answer
    }

    /// Whether levels of which the last is empty hold every state from which the goal can be reached: then the bound
    /// pruned only states without any solution. The last levels are checked first, because most states that are pruned
    /// for the length are pruned there.
    fn all_seen(&self, bound: &dyn LowerBound<K>, length: u32, levels: &LevelSequence<K>) -> Result<bool, Stopped> {
        let exchange = self.engine.expander.exchange();
        for (depth, level) in levels.levels.iter().enumerate().rev() {
            let depth = depth as u32;
            let cuts = levels.figures.get(depth as usize + 1).is_some_and(|figures| figures.tally.pruned > 0);
            let left = length.saturating_sub(depth + 1);
            let here = if cuts { self.cut_for_its_length(bound, left, level)? } else { None };
            if exchange.all_reduce_min(here)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A successor of a level that the bound prunes only because of the length: its distance is finite and exceeds the
    /// moves left.
    fn cut_for_its_length(&self, bound: &dyn LowerBound<K>, left: u32, level: &Level<K>) -> Result<Option<K>, Stopped> {
        let search = |(worker, bound, keys): &mut (Box<dyn Worker<K> + '_>, _, Vec<K>), block: usize| {
            level.read_block(block, keys)?;
            let (mut after, bound): (Vec<K>, &mut Box<dyn FnMut(K) -> u32 + Send>) = (Vec::new(), bound);
            keys.iter().for_each(|&key| worker.canonical_successors(key, &mut after));
            let cut = |state: &K| {
                let moves = bound(*state);
                moves > left && moves < u32::MAX
            };
            Ok(after.into_iter().find(cut))
        };
        self.engine.first_of(level.blocks(), || (self.model.worker(), bound.evaluator(), Vec::new()), search)
    }

    /// The states of a level that satisfy the goal, ascending.
    fn goals_on(&self, level: &Level<K>) -> Result<Vec<K>, StoreError> {
        self.engine.filtered(level, || self.model.worker(), |worker, key| worker.is_goal(key))
    }
}

impl<K: Key> LengthSearch for ModelSearch<'_, K> {
    type State = K;

    fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
        let Some(bound) = self.bound else { return Ok(Some(0)) };
        let mut evaluate = bound.evaluator();
        let least = Searched::forward(self.model).starts.into_iter().map(&mut *evaluate).min();
        Ok(least.filter(|&least| least < u32::MAX))
    }

    fn begins_anywhere(&self) -> bool {
        self.bound.is_some()
    }

    /// Under a bound each length has levels of its own, which are reported anew.
    fn resume_after(&mut self, levels: usize) {
        if self.bound.is_none() {
            self.reported = Reported(levels);
        }
    }

    fn attempts(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<K>> {
        vec![self.attempt(*lengths.start())]
    }
}

/// The levels of a puzzle, still empty.
fn sequence<K: Key>(model: &dyn Model<K>, stem: &str, side: Side) -> LevelSequence<K> {
    let recurs = match model.repeats() {
        Repeats::Previous => Recurs::Previous,
        Repeats::Never => Recurs::Never,
        Repeats::All => Recurs::Anywhere,
    };
    LevelSequence::new(stem.into(), side).compared(recurs)
}
