//! Bidirectional breadth-first search (Pohl, *Bi-directional search*, 1971), for problems without a mirror: one search
//! from each end, the smaller frontier first (his cardinality criterion), until their depths add up to the length. It
//! departs in that they are not asked to meet as early as they can, but at exactly that length, given that no shorter
//! one exists.

use std::sync::Arc;

use halma_bounds::Bound;
use halma_bounds::theorem1::Theorem1;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::{Level, StoreError};
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;
use halma_rules::problem::Transfer;

use super::{Answer, Attempt, LevelSequence, Pruning, Side, TransferSearch, exhausted};

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    pub(super) fn two_ended(&self, length: u32, attempt: &mut Attempt<Cells<W>>) -> Result<Answer<Cells<W>>, Stopped> {
        let [mut ahead, mut behind] = Self::two_sides(length);
        let grown = self.grow_both(length, &mut ahead, &mut behind);
        let all_seen = exhausted(&ahead.figures) || exhausted(&behind.figures);
        attempt.levels.append(&mut ahead.figures);
        attempt.levels.append(&mut behind.figures);
        grown?;
        if ahead.is_dead() || behind.is_dead() {
            return Ok(if all_seen { Answer::Exhausted } else { Answer::Refuted });
        }
        let Some(middle) = self.first_common(ahead.last(), behind.last())? else { return Ok(Answer::Refuted) };
        let mut keys = self.trace(&ahead.levels, middle)?;
        keys.extend(self.trace(&behind.levels, middle)?.iter().rev().skip(1));
        Ok(Answer::Found(self.armies(&keys)?))
    }

    /// Levels from either end, none yet.
    pub(super) fn two_sides(length: u32) -> [LevelSequence<K>; 2] {
        [("forward", Side::Forward), ("backward", Side::Backward)]
            .map(|(name, side)| LevelSequence::new(format!("L{length}-{name}"), side))
    }

    /// Grows levels from both ends, the smaller ones first, until they are `length` moves together or one is empty.
    pub(super) fn grow_both(
        &self,
        length: u32,
        ahead: &mut LevelSequence<K>,
        behind: &mut LevelSequence<K>,
    ) -> Result<(), Stopped> {
        let puzzle = |start, side| TransferPuzzle::new(&self.tables, start, self.bounds_from(side, length));
        let forward = puzzle(&self.problem.start, Side::Forward);
        let backward = puzzle(&self.problem.target, Side::Backward);
        self.open(&forward, ahead);
        self.open(&backward, behind);
        while ahead.levels.len() + behind.levels.len() - 2 < length as usize {
            let (puzzle, trail) = match ahead.last().whole() <= behind.last().whole() {
                true => (&forward, &mut *ahead),
                false => (&backward, &mut *behind),
            };
            self.grow(puzzle, trail)?;
            if trail.is_dead() {
                break;
            }
        }
        Ok(())
    }

    /// The first state that is on both levels.
    fn first_common(&self, one: &Level<K>, other: &Level<K>) -> Result<Option<K>, Stopped> {
        let here = first_of_both(one, other)?;
        Ok(self.expander.exchange().all_reduce_min(here)?)
    }

    /// The bounds of a search from one end for the other.
    fn bounds_from(&self, side: Side, length: u32) -> Vec<Arc<dyn Bound<W>>> {
        match (&self.pruning, side) {
            (Pruning::Theorem1, Side::Forward) => vec![Arc::new(Theorem1::new(self.problem, length))],
            (Pruning::Theorem1, _) => {
                let Transfer { start, target, .. } = self.problem.clone();
                let reversed = Transfer { start: target, target: start, ..self.problem.clone() };
                vec![Arc::new(Theorem1::new(&reversed, length))]
            }
            (Pruning::Pattern { .. } | Pruning::Leading { .. }, Side::Forward) => {
                vec![self.pattern(&self.databases().to_target, length)]
            }
            (Pruning::Pattern { .. } | Pruning::Leading { .. }, _) => {
                vec![self.pattern(&self.databases().from_start, length)]
            }
            _ => Vec::new(),
        }
    }
}

/// The least key of both.
pub(super) fn first_of_both<K: Key>(one: &Level<K>, other: &Level<K>) -> Result<Option<K>, StoreError> {
    let (small, large) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let (mut cursor, mut keys) = (large.cursor(), Vec::new());
    for block in 0..small.blocks() {
        small.read_block(block, &mut keys)?;
        for &key in &keys {
            if cursor.contains(key)? {
                return Ok(Some(key));
            }
        }
    }
    Ok(None)
}
