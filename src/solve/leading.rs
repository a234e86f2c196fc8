//! The leading half and the following one (design: pattern databases guide both, nothing is guessed).
//!
//! Levels 0 to N hold only what can still come to a middle that is at least half way; some shortest solution has one,
//! or its mirrored reversal has. From those middles, levels N + 1 on follow to the target.

use std::sync::Arc;

use super::{Answer, Attempt, Side, TransferSearch, exhausted};
use crate::bound::database::Middles;
use crate::key::Key;
use crate::problem;
use crate::puzzle::transfer::TransferPuzzle;
use crate::search::Stopped;

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    pub(super) fn leading(&self, length: u32, attempt: &mut Attempt<W>) -> Result<Answer<W>, Stopped> {
        let databases = self.databases();
        let half = length / 2;
        let middles = if self.palindromic { Middles::Palindromic } else { Middles::Leading };
        let to_middles = Arc::new(self.expander.install(|| databases.to_middles(length, middles)));
        let bounds = self.with_palindrome(vec![self.pattern(&to_middles, half)], length);
        let puzzle = TransferPuzzle::new(&self.ground, &self.problem.start, bounds);
        let mut levels = Vec::new();
        self.open(&puzzle, Side::Leading, &mut levels, &mut attempt.levels);
        for _ in 0..half {
            self.grow(&puzzle, Side::Leading, &mut levels, &mut attempt.levels)?;
            if levels[levels.len() - 1].is_empty() {
                return Ok(if exhausted(&attempt.levels) { Answer::Exhausted } else { Answer::Refuted });
            }
        }
        // The middles hold those of all palindromic solutions, which are quick to tell.
        let own = self.meet_own_image(length, &levels);
        if self.palindromic || matches!(own, Answer::Found(_)) {
            return Ok(own);
        }
        let puzzle =
            TransferPuzzle::new(&self.ground, &self.problem.start, vec![self.pattern(&databases.to_target, length)]);
        let target = self.ground.canonical(problem::set(&self.problem.target));
        while levels.len() <= length as usize {
            self.grow(&puzzle, Side::Following, &mut levels, &mut attempt.levels)?;
            let last = &levels[levels.len() - 1];
            if last.is_empty() {
                return Ok(if exhausted(&attempt.levels) { Answer::Exhausted } else { Answer::Refuted });
            }
        }
        let arrived = levels[length as usize].contains(target);
        Ok(if arrived { Answer::Found(self.armies(&self.trace(&levels, target))) } else { Answer::Refuted })
    }
}
