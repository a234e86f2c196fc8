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
        let mut trail = Trail::new(format!("L{length}"), Side::Leading);
        let mut behind = Trail::new(format!("L{length}-trailing"), Side::Trailing);
        let answer = self.lead_and_follow(length, &mut trail, &mut behind);
        attempt.levels = trail.figures;
        attempt.levels.append(&mut behind.figures);
        match answer? {
            Answer::Refuted if exhausted(&attempt.levels) => Ok(Answer::Exhausted),
            answer => Ok(answer),
        }
    }

    fn lead_and_follow(
        &self,
        length: u32,
        trail: &mut Trail<K>,
        behind: &mut Trail<K>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        if let Some(found) = self.lead(length, true, trail)? {
            return Ok(found);
        }
        if trail.is_dead() {
            return Ok(Answer::Refuted);
        }
        // The middles hold those of all palindromic solutions, which are quick to tell.
        let own = self.meet_own_image(length, &trail.levels)?;
        if self.palindromic || matches!(own, Answer::Found(_)) {
            return Ok(own);
        }
        self.follow(length, trail)?;
        if trail.is_dead() {
            return Ok(Answer::Refuted);
        }
        if trail.levels.len() <= length as usize {
            return self.trail_behind(length, trail, behind);
        }
        let target = self.ground.canonical(problem::set(&self.problem.target));
        let here = trail.last().contains(target)?;
        if !self.expander.exchange().any(here)? {
            return Ok(Answer::Refuted);
        }
        Ok(Answer::Found(self.armies(&self.trace(&trail.levels, target)?)))
    }

    /// Grows the leading levels as far as the middle, or until one is empty. Where asked to, it looks ahead from the first
    /// large one, and ends where it finds a solution.
    pub(super) fn lead(
        &self,
        length: u32,
        looking: bool,
        trail: &mut Trail<K>,
    ) -> Result<Option<Answer<Cells<W>>>, Stopped> {
        let databases = self.databases();
        let half = length / 2;
        let middles = if self.palindromic { Middles::Palindromic } else { Middles::Leading };
        let to_middles = Arc::new(self.expander.install(|| databases.to_middles(length, middles, self.crew()))?);
        let bounds = self.with_palindrome(vec![self.pattern(&to_middles, half)], length);
        let puzzle = TransferPuzzle::new(&self.ground, &self.problem.start, bounds.clone());
        self.open(&puzzle, trail);
        while trail.levels.len() <= half as usize && !trail.is_dead() {
            if looking
                && self.worth_a_look(trail)
                && let Some(found) = self.look_ahead(length, &bounds, trail)?
            {
                return Ok(Some(found));
            }
            self.grow(&puzzle, trail)?;
        }
        Ok(None)
    }

    /// Grows levels from the middles on, to the target unless one is empty or they are outgrown by a trailing half.
    pub(super) fn follow(&self, length: u32, trail: &mut Trail<K>) -> Result<(), Stopped> {
        let bound = self.pattern(&self.databases().to_target, length);
        let puzzle = TransferPuzzle::new(&self.ground, &self.problem.start, vec![bound]);
        trail.side = Side::Following;
        while trail.levels.len() <= length as usize && !trail.is_dead() && !self.outgrown(trail, length / 2) {
            self.grow(&puzzle, trail)?;
        }
        Ok(())
    }
}
