//! The leading half and the following one (design: pattern databases guide both, nothing is guessed).
//!
//! Levels 0 to N hold only what can still come to a middle that is at least half way; some shortest solution has one,
//! or its mirrored reversal has. From those middles, levels N + 1 on follow to the target.

use std::sync::Arc;

use super::{Answer, Attempt, Side, Trail, TransferSearch, exhausted};
use crate::bound::database::Middles;
use crate::cells::Cells;
use crate::key::Key;
use crate::problem;
use crate::puzzle::transfer::TransferPuzzle;
use crate::search::Stopped;

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    pub(super) fn leading(&self, length: u32, attempt: &mut Attempt<Cells<W>>) -> Result<Answer<Cells<W>>, Stopped> {
        let databases = self.databases();
        let half = length / 2;
        let middles = if self.palindromic { Middles::Palindromic } else { Middles::Leading };
        let to_middles = Arc::new(self.expander.install(|| databases.to_middles(length, middles, self.crew()))?);
        let bounds = self.with_palindrome(vec![self.pattern(&to_middles, half)], length);
        let puzzle = TransferPuzzle::new(&self.ground, &self.problem.start, bounds.clone());
        let mut trail = Trail::new(format!("L{length}"), Side::Leading);
        self.open(&puzzle, &mut trail);
        let mut grown = Ok(());
        while grown.is_ok() && trail.levels.len() <= half as usize && !trail.is_dead() {
            if self.worth_a_look(&trail)
                && let Some(found) = self.look_ahead(length, &bounds, &trail)?
            {
                attempt.levels = trail.figures;
                return Ok(found);
            }
            grown = self.grow(&puzzle, &mut trail);
        }
        if grown.is_err() || trail.is_dead() {
            attempt.levels = trail.figures;
            grown?;
            return Ok(if exhausted(&attempt.levels) { Answer::Exhausted } else { Answer::Refuted });
        }
        // The middles hold those of all palindromic solutions, which are quick to tell.
        let own = self.meet_own_image(length, &trail.levels)?;
        if self.palindromic || matches!(own, Answer::Found(_)) {
            attempt.levels = trail.figures;
            return Ok(own);
        }
        let puzzle =
            TransferPuzzle::new(&self.ground, &self.problem.start, vec![self.pattern(&databases.to_target, length)]);
        let target = self.ground.canonical(problem::set(&self.problem.target));
        trail.side = Side::Following;
        let mut grown = Ok(());
        while grown.is_ok() && trail.levels.len() <= length as usize && !trail.is_dead() {
            if self.outgrown(&trail, half) {
                return self.trail_behind(length, trail, attempt);
            }
            grown = self.grow(&puzzle, &mut trail);
        }
        attempt.levels = std::mem::take(&mut trail.figures);
        grown?;
        let here = trail.levels.get(length as usize).map_or(Ok(false), |level| level.contains(target))?;
        if !self.expander.exchange().any(here)? {
            let ended = trail.is_dead() && exhausted(&attempt.levels);
            return Ok(if ended { Answer::Exhausted } else { Answer::Refuted });
        }
        Ok(Answer::Found(self.armies(&self.trace(&trail.levels, target)?)))
    }
}
