//! Bidirectional breadth-first search (Pohl, *Bi-directional search*, 1971), for problems without a mirror: one search
//! from each end, the smaller frontier first (the cardinality criterion), until their depths add up to the length. Unlike
//! there, the frontiers are tested for a common state at exactly that length only, given that no shorter
//! solution exists.

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;

use super::setup::Setup;
use crate::solve::frontiers::{first_of_both, next_to_grow};
use crate::solve::length_labels::stem_of_length;
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, LevelFigures, Side, exhausted};

/// A search from each end.
pub(super) struct TwoEnded<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
}

impl<const W: usize, K: Key> TwoEnded<'_, W, K> {
    /// Whether levels from both ends meet after `length` moves in all.
    pub(super) fn decide(&self, length: u32, figures: &mut Vec<LevelFigures>) -> Result<Answer<Cells<W>>, Stopped> {
        let [mut ahead, mut behind] = two_sides(length);
        let grown = self.grow(length, &mut ahead, &mut behind);
        let all_seen = exhausted(&ahead.figures) || exhausted(&behind.figures);
        figures.append(&mut ahead.figures);
        figures.append(&mut behind.figures);
        grown?;
        if ahead.is_dead() || behind.is_dead() {
            return Ok(if all_seen { Answer::Exhausted } else { Answer::Refuted });
        }
        let engine = self.setup.engine;
        [&ahead, &behind].iter().for_each(|side| engine.code(side.last()));
        let middle = first_of_both(ahead.last(), behind.last(), engine.expander.exchange())?;
        let Some(middle) = middle else { return Ok(Answer::Refuted) };
        let mut keys = self.setup.trace(&ahead.levels, middle)?;
        keys.extend(self.setup.trace(&behind.levels, middle)?.iter().rev().skip(1));
        Ok(Answer::Found(self.setup.armies(&keys)?))
    }

    /// Grows levels from both ends, the smaller one first, until they have `length` moves in all or one is empty.
    pub(super) fn grow(
        &self,
        length: u32,
        ahead: &mut LevelSequence<K>,
        behind: &mut LevelSequence<K>,
    ) -> Result<(), Stopped> {
        let Setup { problem, tables, engine, .. } = self.setup;
        let puzzle = |start, side| TransferPuzzle::new(&tables.states, start, self.setup.bounds_from(side, length));
        let forward = puzzle(&problem.transfer.start, Side::Forward);
        let backward = puzzle(&problem.transfer.target, Side::Backward);
        engine.open(&forward, ahead);
        engine.open(&backward, behind);
        while let Some((puzzle, side)) = next_to_grow(length, (&forward, &mut *ahead), (&backward, &mut *behind)) {
            engine.grow(puzzle, side)?;
        }
        Ok(())
    }
}

/// The two sides, still empty.
pub(super) fn two_sides<K: Key>(length: u32) -> [LevelSequence<K>; 2] {
    [("forward", Side::Forward), ("backward", Side::Backward)]
        .map(|(name, side)| LevelSequence::new(format!("{}-{name}", stem_of_length(length)), side))
}
