//! Bidirectional search in which one side is the mirror image of the other, so that only one side is made.
//!
//! The usual form (Pohl, *Bi-directional search*, 1971) expands from both ends until the frontiers meet. If a symmetry
//! ρ exchanges start and target, the levels from the target are the images of those from the start: the search ends at
//! the middle, where a level meets its own image (Bell 2009, Section 3.1).

use std::sync::Arc;

use halma_bounds::Bound;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_rules::cells::Cells;

use super::setup::Setup;
use super::shared_levels::SharedLevels;
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, LevelFigures, Side, no_solution};

/// Bidirectional search of which one side is made.
pub(super) struct MirroredHalf<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
}

impl<const W: usize, K: Key> MirroredHalf<'_, W, K> {
    /// Makes levels from the start under `bounds` up to the middle of solutions of `length` moves, and looks for a
    /// meeting.
    pub(super) fn decide(
        &self,
        length: u32,
        bounds: Vec<Arc<dyn Bound<W>>>,
        stem: &str,
        figures: &mut Vec<LevelFigures>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let Setup { problem, engine, .. } = self.setup;
        let puzzle = self.setup.puzzle(bounds);
        let mut half = LevelSequence::new(stem.into(), Side::Forward);
        engine.open(&puzzle, &mut half);
        let grown = engine.grow_to(&puzzle, problem.last_level(length), &mut half);
        *figures = std::mem::take(&mut half.figures);
        grown?;
        if half.is_dead() {
            return Ok(no_solution(figures));
        }
        self.setup.meet(length, &half.levels)
    }

    /// The search without bounds: its levels serve all lengths.
    pub(super) fn unpruned(
        &self,
        length: u32,
        shared: &mut SharedLevels<K>,
        figures: &mut Vec<LevelFigures>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let grown = self.grow_shared(length, shared);
        *figures = shared.unreported();
        grown?;
        // When the last level is empty, the existing levels may still meet; later lengths cannot.
        match self.setup.meet(length, &shared.sequence.levels)? {
            Answer::Refuted if shared.are_all_met(length) => Ok(Answer::Exhausted),
            answer => Ok(answer),
        }
    }

    /// Grows the levels without bounds as far as solutions of `length` moves need them.
    pub(super) fn grow_shared(&self, length: u32, shared: &mut SharedLevels<K>) -> Result<(), Stopped> {
        let Setup { problem, engine, .. } = self.setup;
        let puzzle = self.setup.puzzle(Vec::new());
        if shared.sequence.levels.is_empty() {
            engine.open(&puzzle, &mut shared.sequence);
        }
        engine.grow_to(&puzzle, problem.last_level(length), &mut shared.sequence)
    }
}
