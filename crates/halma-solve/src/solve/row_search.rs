//! Shortest solutions of puzzles on one row: breadth-first heuristic search (Zhou and Hansen 2006), one length after
//! another, in memory. Moves are reversible, so a new level is compared with the last two alone.

use std::ops::RangeInclusive;
use std::time::Instant;

use halma_engine::puzzle::Puzzle;
use halma_engine::search::{Stopped, trace};

use super::deepening::LengthSearch;
use super::length_labels::stem_of_length;
use super::level_sequence::LevelSequence;
use super::{Answer, Attempt, Engine, Side, checked, no_solution};

/// A search from the start of a row to its goal.
pub struct RowSearch<'a, P: Puzzle, F> {
    /// Makes the puzzle under the bound for a length, or without a bound.
    puzzle: F,
    free: P,
    goal: P::Key,
    lower: u32,
    step: u32,
    engine: Engine<'a>,
    /// The memory in bytes: half for the levels of a length, half for the one that is being made.
    memory: u64,
}

impl<'a, P: Puzzle, F: Fn(Option<u32>) -> Option<P>> RowSearch<'a, P, F> {
    /// A search for the shortest solution of a puzzle whose moves are reversible. `puzzle` makes it, with the bound for
    /// a length or without one. Lengths are tried from `lower` on in steps of `step`; the lengths between must be
    /// impossible. The levels of a length may take half of `memory` bytes. `None` if the row does not fit a key,
    /// which does not depend on the length.
    pub fn new(
        puzzle: F,
        (lower, step): (u32, u32),
        goal: impl Fn(&P) -> P::Key,
        engine: Engine<'a>,
        memory: u64,
    ) -> Option<Self> {
        let free = puzzle(None)?;
        let goal = goal(&free);
        Some(Self { puzzle, free, goal, lower, step, engine, memory })
    }

    /// Levels from the start until one has the goal or is empty.
    fn decide(&self, length: u32, levels: &mut LevelSequence<P::Key>) -> Result<Answer<P::Key>, Stopped> {
        let Some(puzzle) = (self.puzzle)(Some(length)) else { unreachable!("`new` has made the same row") };
        self.engine.open(&puzzle, levels);
        let mut bytes = 0;
        loop {
            if levels.last().contains(self.goal)? {
                return Ok(Answer::Found(trace(&self.free, &levels.levels, self.goal)?));
            }
            if levels.is_dead() {
                return Ok(no_solution(&levels.figures));
            }
            if levels.has(length) {
                // States other than the goal on the last level do not count.
                return Ok(Answer::Refuted);
            }
            self.engine.grow(&puzzle, levels)?;
            bytes += levels.last().bytes();
            if bytes > self.memory / 2 {
                return Ok(Answer::GivenUp("the levels outgrow the memory".into()));
            }
        }
    }

    /// Checks a solution by the moves of the puzzle without bounds.
    fn check(&self, walk: &[P::Key], length: u32) -> Result<(), String> {
        let (mut scratch, mut after) = (self.free.scratch(), Vec::new());
        if walk.len() != length as usize + 1 || !self.free.start().contains(&walk[0]) || walk.last() != Some(&self.goal)
        {
            return Err("it does not lead from the start to the goal in that many moves".into());
        }
        for (number, pair) in (1..).zip(walk.windows(2)) {
            after.clear();
            self.free.successors(&mut scratch, pair[0], 0, &mut |key| after.push(key));
            if !after.contains(&pair[1]) {
                return Err(format!("move {number} is illegal"));
            }
        }
        Ok(())
    }
}

impl<P: Puzzle, F: Fn(Option<u32>) -> Option<P>> LengthSearch for RowSearch<'_, P, F> {
    type State = P::Key;

    fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
        Ok(Some(self.lower))
    }

    fn step(&self) -> u32 {
        self.step
    }

    fn attempts(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<P::Key>> {
        let (begun, length) = (Instant::now(), *lengths.start());
        let mut levels = LevelSequence::new(stem_of_length(length), Side::Forward);
        let decided = self.decide(length, &mut levels).and_then(|answer| {
            // No other length needs its levels.
            self.engine.workspace.map_or(Ok(()), |folder| folder.answer(Vec::new(), |_| true))?;
            Ok(answer)
        });
        let answer = decided.unwrap_or_else(Answer::Stopped);
        let answer = checked(self.engine, answer, |walk| self.check(walk, length));
        vec![Attempt { levels: levels.figures, ..Attempt::of(length, answer, begun) }]
    }
}
