//! Pattern databases to a goal that shrinks, the pruning `narrowed`: what the mirror makes of a complete level is all that
//! is possible as far from the end, and abstract distances to that cut the levels to come.
//!
//! The usual pattern database (Culberson and Schaeffer 1998) has one goal for the whole search. Here it is made anew
//! after each level, as in bidirectional search with a perimeter (Dillenburg and Nelson 1994), but in the abstract
//! space.
//!
//! It holds every state of every solution on each level, because the bound of a level is made of levels that do.

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_rules::cells::Cells;

use super::setup::Setup;
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, LevelFigures, Side, exhausted};

/// A search under bounds that are made anew after each level.
pub(super) struct Narrowed<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
}

impl<const W: usize, K: Key> Narrowed<'_, W, K> {
    /// Levels from the start as far as the middle of solutions of `length` moves, and what they meet there.
    pub(super) fn decide(&self, length: u32, figures: &mut Vec<LevelFigures>) -> Result<Answer<Cells<W>>, Stopped> {
        let mut half = LevelSequence::new(format!("L{length}"), Side::Forward);
        let grown = self.grow(length, &mut half);
        *figures = std::mem::take(&mut half.figures);
        grown?;
        if half.is_dead() {
            return Ok(if exhausted(figures) { Answer::Exhausted } else { Answer::Refuted });
        }
        self.setup.meet(length, &half.levels)
    }

    /// Grows the levels as far as the middle, or until one is empty.
    pub(super) fn grow(&self, length: u32, half: &mut LevelSequence<K>) -> Result<(), Stopped> {
        let Setup { problem, engine, .. } = self.setup;
        engine.open(&self.setup.puzzle(Vec::new()), half);
        while half.levels.len() <= problem.last_level(length) && !half.is_dead() {
            let depth = half.levels.len() as u32 - 1;
            let mut bounds = self.setup.bounds(length);
            // By level L - depth the histogram must be the mirror image of one on this level.
            let (table, latest) = self.setup.distances_to_images(&[(length - depth, half.last())], depth + 1)?;
            bounds.push(self.setup.pattern(&table, latest));
            engine.grow(&self.setup.puzzle(bounds), half)?;
        }
        Ok(())
    }
}
