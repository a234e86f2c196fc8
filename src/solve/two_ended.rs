//! Problems without a mirror: one search from each end, the smaller frontier first, until they meet.

use std::sync::Arc;

use super::{Answer, Attempt, Pruning, Side, TransferSearch, exhausted};
use crate::bound::Bound;
use crate::bound::theorem1::Theorem1;
use crate::key::Key;
use crate::problem::Transfer;
use crate::puzzle::transfer::TransferPuzzle;
use crate::search::Stopped;

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    pub(super) fn two_ended(&self, length: u32, attempt: &mut Attempt<W>) -> Result<Answer<W>, Stopped> {
        let [(forward, mut ahead), (backward, mut behind)] = [Side::Forward, Side::Backward].map(|side| {
            let start = if side == Side::Forward { &self.problem.start } else { &self.problem.target };
            let puzzle = TransferPuzzle::new(&self.ground, start, self.bounds_from(side, length));
            let (mut levels, mut figures) = (Vec::new(), Vec::new());
            self.open(&puzzle, side, &mut levels, &mut figures);
            (puzzle, (levels, figures))
        });
        let mut dead = None;
        while ahead.0.len() + behind.0.len() - 2 < length as usize {
            let smaller = ahead.0[ahead.0.len() - 1].len() <= behind.0[behind.0.len() - 1].len();
            let (puzzle, side, (levels, figures)) =
                if smaller { (&forward, Side::Forward, &mut ahead) } else { (&backward, Side::Backward, &mut behind) };
            let grown = self.grow(puzzle, side, levels, figures);
            if grown.is_err() || levels[levels.len() - 1].is_empty() {
                dead = Some(grown.map(|()| exhausted(figures)));
                break;
            }
        }
        attempt.levels.append(&mut ahead.1);
        attempt.levels.append(&mut behind.1);
        if let Some(dead) = dead {
            return dead.map(|all_seen| if all_seen { Answer::Exhausted } else { Answer::Refuted });
        }
        let (first, second) = (&ahead.0[ahead.0.len() - 1], &behind.0[behind.0.len() - 1]);
        let (small, large) = if first.len() <= second.len() { (first, second) } else { (second, first) };
        let mut cursor = large.cursor();
        let Some(middle) = small.iter().find(|&k| cursor.contains(k)) else { return Ok(Answer::Refuted) };
        let mut keys = self.trace(&ahead.0, middle);
        keys.extend(self.trace(&behind.0, middle).iter().rev().skip(1));
        Ok(Answer::Found(self.armies(&keys)))
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
