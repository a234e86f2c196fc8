//! The paper's MCC search (Section 3.2), with its guess and the check that the guess was large enough.

use std::sync::Arc;

use halma_bounds::mcc::MinimumCentroid;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_rules::cells::Cells;
use halma_rules::centroid;

use super::{Answer, Attempt, TransferSearch};

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// With `c` given, one run with it; else runs from a guess on, until the run's own largest centroid confirms it.
    pub(super) fn mcc(
        &mut self,
        length: u32,
        given: Option<i64>,
        keep: usize,
        attempt: &mut Attempt<Cells<W>>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        if let Some(c) = given.filter(|&c| c < 0) {
            // A solution whose middle lies between C and -C would be cut, and so would its mirrored reversal.
            return Ok(Answer::GivenUp(format!("C = {c} is below 0, where the constraint refutes nothing")));
        }
        let half = length / 2;
        let mut c = match given {
            Some(c) => c,
            None => self.guess(half, keep)?,
        };
        loop {
            attempt.levels.clear();
            let step = centroid::largest_step(self.problem, &self.centroid);
            let bound = MinimumCentroid::new(&self.centroid, step, length - half, c);
            let answer = self.mirrored_half(
                length,
                self.with_palindrome(vec![Arc::new(bound)], length),
                &format!("L{length}-c{c}"),
                attempt,
            )?;
            // The levels as far as `half` hold every army there whose centroid is at least -c, so the true maximum
            // shows itself in any run that was given too little. A level that died out has none.
            let reached = attempt.levels.iter().find(|l| l.depth == half).and_then(|l| l.tally.measure_max);
            let consistent = reached.is_none_or(|r| r <= c);
            attempt.c = Some((c, consistent));
            match (answer, reached) {
                (Answer::Refuted | Answer::Exhausted, Some(r)) if !consistent && given.is_some() => {
                    return Ok(Answer::Unproved(format!(
                        "C = {c} was too small: an army on level {half} has centroid {r}"
                    )));
                }
                (Answer::Refuted | Answer::Exhausted, Some(r)) if !consistent => {
                    self.progress.note(&format!("C = {c} was too small: level {half} reaches {r}; again"));
                    c = r;
                }
                (answer, _) => return Ok(answer),
            }
        }
    }
}
