//! One length after another, until one has a solution.

use std::ops::RangeInclusive;

use halma_engine::search::Stopped;
use halma_engine::store::StoreError;
use halma_engine::store::workspace;
use halma_record::record::{Record, RunRecord, Verdict};
use halma_rules::job::MAX_LENGTH;
use halma_rules::job::Pruning;

use super::{Context, Question, RunError};

/// A search for one length after another.
pub(super) trait Attempts {
    /// A length that no solution falls below; `None` where there is no solution at all.
    fn lower_bound(&self) -> Result<Option<u32>, Stopped>;

    /// Says that earlier processes of the run have reported that many levels.
    fn resume_after(&mut self, _levels: usize) {}

    /// The last of the lengths from `first` on to decide at once, none beyond `most`, after these runs.
    fn reach(&mut self, first: u32, _most: u32, _runs: &[RunRecord]) -> Result<u32, Stopped> {
        Ok(first)
    }

    /// Decides lengths one after another, until one has a solution: all of them, or the first alone.
    fn attempt(&mut self, lengths: RangeInclusive<u32>) -> Result<Vec<(RunRecord, Outcome)>, RunError>;
}

/// What came of one length.
pub(super) enum Outcome {
    /// A solution, in moves.
    Found(Vec<String>),
    /// None of this length; where every state has been seen, none of any.
    Refuted { exhausted: bool },
    /// Nothing found, nothing proved.
    Unproved,
    /// The same, and no greater length would end otherwise.
    GivenUp,
    /// The search was stopped.
    Stopped(Stopped),
}

impl Context<'_> {
    /// Exact lengths, one after another, until one has a solution or the greatest one asked about is refuted.
    pub(super) fn lengths(&self, search: &mut impl Attempts, record: &mut Record) -> Result<(), RunError> {
        let max_length = record.max_length;
        let bound = match search.lower_bound() {
            Ok(bound) => bound,
            Err(stopped) => return self.incomplete(stopped, record),
        };
        let Some(bound) = bound else {
            // Not even the abstraction has a way from the start to the target.
            record.verdict = Verdict::None;
            record.exhausted = true;
            record.refuted_up_to = max_length;
            return Ok(());
        };
        record.lower_bound = Some(bound);
        // The abstraction refutes all lengths below its distance, as far as anybody asked.
        let most = max_length.unwrap_or(u32::MAX);
        record.refuted_up_to = bound.checked_sub(1).map(|b| b.min(most));
        let mut gap = None;
        let mut settle = |record: &mut Record, run: RunRecord| {
            match run.verdict {
                Verdict::None if gap.is_none() => record.refuted_up_to = Some(run.length),
                Verdict::None => {}
                _ => gap = gap.take().or(run.reason.clone()),
            }
            record.runs.push(run);
            gap.clone()
        };
        let mut proved_nothing = None;
        for answer in self.workspace.answers() {
            let run: RunRecord = serde_json::from_value(answer).map_err(|e| self.odd(e.to_string()))?;
            self.taken_up(&run, bound, max_length.unwrap_or(MAX_LENGTH), &record.runs)?;
            proved_nothing = settle(record, run);
        }
        search.resume_after(record.runs.iter().map(|r| r.levels.len()).sum());
        // Answers that are not in the run's folder yet: not worth a write each where they are quick.
        let mut unsaved = Vec::new();
        let mut next = bound + record.runs.len() as u32;
        while next <= max_length.unwrap_or(MAX_LENGTH) {
            let last = match search.reach(next, most, &record.runs) {
                Ok(last) => last.min(max_length.unwrap_or(MAX_LENGTH)),
                Err(stopped) => {
                    self.save(unsaved)?;
                    return self.incomplete(stopped, record);
                }
            };
            // Of lengths that are decided together none is an answer in the run's folder before all are.
            let before = record.runs.len();
            for (run, outcome) in search.attempt(next..=last)? {
                next = run.length + 1;
                match outcome {
                    Outcome::Found(solution) => {
                        record.length = Some(run.length);
                        record.runs.push(run);
                        record.solution = Some(solution);
                        let optimal = proved_nothing.is_none() && !matches!(self.question, Question::Prove { .. });
                        record.verdict = if optimal { Verdict::Optimal } else { Verdict::Solution };
                        return Ok(());
                    }
                    Outcome::Refuted { exhausted: true } if proved_nothing.is_none() => {
                        record.verdict = Verdict::None;
                        record.exhausted = true;
                        record.refuted_up_to = Some(run.length);
                        record.runs.push(run);
                        return Ok(());
                    }
                    // Every state was seen, yet a length before was given up: so is the question.
                    Outcome::GivenUp | Outcome::Refuted { exhausted: true } => {
                        self.save(unsaved)?;
                        record.reason = settle(record, run);
                        return Ok(());
                    }
                    Outcome::Refuted { .. } | Outcome::Unproved => {
                        proved_nothing = settle(record, run);
                    }
                    Outcome::Stopped(stopped) => {
                        self.save(unsaved)?;
                        record.runs.push(run);
                        return self.incomplete(stopped, record);
                    }
                }
            }
            let together = &record.runs[before..];
            let slow = together.iter().map(|run| run.seconds).sum::<f64>() > 1.0;
            for run in together {
                unsaved.push(serde_json::to_value(run).map_err(|e| self.odd(e.to_string()))?);
            }
            if slow || self.workspace.is_due() {
                // Levels named after a length serve that length, and those that are decided with it.
                self.workspace.answer(std::mem::take(&mut unsaved), |label| label.starts_with('L'))?;
            }
        }
        if max_length.is_some() && proved_nothing.is_none() {
            record.verdict = Verdict::None;
            return Ok(());
        }
        self.save(unsaved)?;
        let beyond = || format!("lengths above {MAX_LENGTH} are not tried");
        record.reason = Some(proved_nothing.unwrap_or_else(beyond));
        Ok(())
    }

    /// Whether the run can be the next one after those before it. That it is true, nobody can say without searching again.
    fn taken_up(&self, run: &RunRecord, bound: u32, most: u32, before: &[RunRecord]) -> Result<(), StoreError> {
        let next = bound + before.len() as u32;
        if run.length != next || next > most {
            return Err(self.odd(format!("its answer for length {} stands where that for {next} belongs", run.length)));
        }
        if !matches!(run.verdict, Verdict::None | Verdict::Incomplete) {
            return Err(self.odd(format!("its answer for length {next} is none that a search goes on from")));
        }
        if let Some(what) = run.contradiction() {
            return Err(self.odd(what));
        }
        let led =
            |earlier: &RunRecord| earlier.up_to.is_some_and(|up_to| next <= up_to) || earlier.shared_with == Some(next);
        // Without bounds the levels of a shorter length serve this one, too; where no projection is of use there is none.
        let may_be_unbounded = match &self.job.search.pruning {
            Pruning::None => true,
            Pruning::Projection(named) => named.is_empty(),
            _ => false,
        };
        let served = may_be_unbounded && before.iter().any(|earlier| !earlier.levels.is_empty());
        if run.verdict == Verdict::None && run.levels.is_empty() && !served && !before.iter().any(led) {
            return Err(self.odd(format!("its answer for length {next} rests on no level")));
        }
        Ok(())
    }

    /// Puts answers into the run's folder, and leaves all levels there.
    fn save(&self, answers: Vec<serde_json::Value>) -> Result<(), StoreError> {
        if answers.is_empty() { Ok(()) } else { self.workspace.answer(answers, |_| false) }
    }

    /// What is found in the run's folder makes no sense.
    fn odd(&self, reason: String) -> StoreError {
        StoreError::Damaged { file: self.workspace.folder().join(workspace::LIST), reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::folder;
    use crate::run::writing::summed;
    use halma_engine::search::exchange::Alone;
    use halma_engine::search::{CancellationToken, Expander};
    use halma_record::record::SymmetryRecord;
    use halma_rules::job::Job;
    use std::sync::Arc;

    /// A search that neither finds nor sees an end; it refutes, or proves nothing.
    struct Endless {
        refutes: bool,
    }

    impl Attempts for Endless {
        fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
            Ok(Some(1))
        }

        fn attempt(&mut self, lengths: RangeInclusive<u32>) -> Result<Vec<(RunRecord, Outcome)>, RunError> {
            let attempt = |length| match self.refutes {
                true => (summed(length, Verdict::None, None, &[], 0.0), Outcome::Refuted { exhausted: false }),
                false => (summed(length, Verdict::Incomplete, Some("no luck".into()), &[], 0.0), Outcome::Unproved),
            };
            Ok(lengths.map(attempt).collect())
        }
    }

    fn record(question: Question, refutes: bool) -> Record {
        let text = "[problem]\nkind = 'transfer'\nboard = 'S.T'\nmoves = 4\n";
        let job = Job::parse("job.toml".as_ref(), text).unwrap();
        let expander = Expander::new(1, None).unwrap().sharing(Arc::new(Alone));
        let workspace = folder::workspace(&job, question, &Alone).unwrap();
        let (stop, progress) = (CancellationToken::after(None), &());
        let context =
            Context { job: &job, question, expander: &expander, workspace: &workspace, progress, stop: &stop };
        let mut record = context.blank(SymmetryRecord { fixing: Vec::new(), mirror: None });
        context.lengths(&mut Endless { refutes }, &mut record).unwrap();
        record
    }

    #[test]
    fn nothing_is_tried_beyond_the_greatest_length_that_a_job_may_ask_about() {
        let solve = record(Question::Solve, true);
        assert_eq!((solve.verdict, solve.refuted_up_to), (Verdict::Incomplete, Some(MAX_LENGTH)));
        assert_eq!(solve.reason.as_deref(), Some("lengths above 9999 are not tried"));
        let unproved = record(Question::Solve, false);
        assert_eq!((unproved.verdict, unproved.refuted_up_to), (Verdict::Incomplete, Some(0)));
        assert_eq!((unproved.reason.as_deref(), unproved.runs.len()), (Some("no luck"), MAX_LENGTH as usize));
        let prove = record(Question::Prove { max_length: 7 }, true);
        assert_eq!((prove.verdict, prove.refuted_up_to, prove.runs.len()), (Verdict::None, Some(7), 7));
        let prove = record(Question::Prove { max_length: 7 }, false);
        assert_eq!((prove.verdict, prove.runs.len()), (Verdict::Incomplete, 7));
    }
}
