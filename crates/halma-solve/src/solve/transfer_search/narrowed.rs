//! The pruning `narrowed`: pattern databases whose goal shrinks from level to level. The mirror image of a complete
//! level holds all states that are possible equally far from the end; abstract distances to it prune the later levels.
//!
//! The usual pattern database (Culberson and Schaeffer 1998) has one goal for the whole search. Here it is computed
//! anew after each level, as in perimeter search (Dillenburg and Nelson 1994), but in the abstract space.
//!
//! Every level holds every state that a solution has there, because its bound is computed from levels that do.

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_rules::cells::Cells;

use super::setup::Setup;
use crate::solve::length_labels::stem_of_length;
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, LevelFigures, Side, no_solution};

/// A search under bounds that are computed anew after each level.
pub(super) struct Narrowed<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
}

impl<const W: usize, K: Key> Narrowed<'_, W, K> {
    /// Makes levels from the start up to the middle of solutions of `length` moves, and looks for a meeting.
    pub(super) fn decide(&self, length: u32, figures: &mut Vec<LevelFigures>) -> Result<Answer<Cells<W>>, Stopped> {
        let mut half = LevelSequence::new(stem_of_length(length), Side::Forward);
        let grown = self.grow(length, &mut half);
        *figures = std::mem::take(&mut half.figures);
        grown?;
        if half.is_dead() {
            return Ok(no_solution(figures));
        }
        self.setup.meet(length, &half.levels)
    }

    /// Grows the levels up to the middle, or until one is empty.
    pub(super) fn grow(&self, length: u32, half: &mut LevelSequence<K>) -> Result<(), Stopped> {
        let Setup { problem, engine, .. } = self.setup;
        engine.open(&self.setup.puzzle(Vec::new()), half);
        while !half.has(problem.last_level(length)) && !half.is_dead() {
            let depth = half.depth();
            let mut bounds = self.setup.bounds(length);
            // By level L - depth the histogram must be the mirror image of one on this level.
            let (table, latest) = self.setup.distances_to_images(&[(length - depth, half.last())], depth + 1)?;
            bounds.push(self.setup.pattern(&table, latest));
            engine.grow(&self.setup.puzzle(bounds), half)?;
        }
        Ok(())
    }
}
