//! Problems without a mirror: one search from each end, the smaller frontier first, until they meet.

use std::sync::Arc;

use super::{Answer, Attempt, Pruning, Side, Trail, TransferSearch, exhausted};
use crate::bound::Bound;
use crate::bound::theorem1::Theorem1;
use crate::cells::Cells;
use crate::key::Key;
use crate::problem::Transfer;
use crate::puzzle::transfer::TransferPuzzle;
use crate::search::Stopped;
use crate::store::{Level, StoreError};

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    pub(super) fn two_ended(&self, length: u32, attempt: &mut Attempt<Cells<W>>) -> Result<Answer<Cells<W>>, Stopped> {
        let [(forward, mut ahead), (backward, mut behind)] = [Side::Forward, Side::Backward].map(|side| {
            let start = if side == Side::Forward { &self.problem.start } else { &self.problem.target };
            let puzzle = TransferPuzzle::new(&self.ground, start, self.bounds_from(side, length));
            let name = if side == Side::Forward { "forward" } else { "backward" };
            let mut trail = Trail::new(format!("L{length}-{name}"), side);
            self.open(&puzzle, &mut trail);
            (puzzle, trail)
        });
        let mut dead = None;
        while ahead.levels.len() + behind.levels.len() - 2 < length as usize {
            let (puzzle, trail) = if ahead.last().whole() <= behind.last().whole() {
                (&forward, &mut ahead)
            } else {
                (&backward, &mut behind)
            };
            let grown = self.grow(puzzle, trail);
            if grown.is_err() || trail.is_dead() {
                dead = Some(grown.map(|()| exhausted(&trail.figures)));
                break;
            }
        }
        attempt.levels.append(&mut ahead.figures);
        attempt.levels.append(&mut behind.figures);
        if let Some(dead) = dead {
            return dead.map(|all_seen| if all_seen { Answer::Exhausted } else { Answer::Refuted });
        }
        let Some(middle) = self.first_common(ahead.last(), behind.last())? else { return Ok(Answer::Refuted) };
        let mut keys = self.trace(&ahead.levels, middle)?;
        keys.extend(self.trace(&behind.levels, middle)?.iter().rev().skip(1));
        Ok(Answer::Found(self.armies(&keys)))
    }

    /// The first state that is on both levels.
    fn first_common(&self, one: &Level<K>, other: &Level<K>) -> Result<Option<K>, Stopped> {
        let here = first_of_both(one, other)?;
        Ok(self.expander.exchange().least(here)?)
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
            (Pruning::Pattern | Pruning::Leading, Side::Forward) => {
                vec![self.pattern(&self.databases().to_target, length)]
            }
            (Pruning::Pattern | Pruning::Leading, _) => vec![self.pattern(&self.databases().from_start, length)],
            _ => Vec::new(),
        }
    }
}

/// The least key of both.
fn first_of_both<K: Key>(one: &Level<K>, other: &Level<K>) -> Result<Option<K>, StoreError> {
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
