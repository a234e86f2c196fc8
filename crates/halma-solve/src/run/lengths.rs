//! The record as the ledger of iterative deepening: the lengths that the run's folder already has, the result of each
//! further one, and the verdict.

use std::ops::ControlFlow;

use halma_engine::search::Stopped;
use halma_engine::store::StoreError;
use halma_record::record::{self, LengthRecord, Record, Verdict};
use halma_rules::job::{MAX_LENGTH, Pruning};

use super::writing::attempted;
use super::{Context, Question, RunError, earlier_record};
use crate::solve::deepening::{Ended, Ledger, LengthSearch, deepen};
use crate::solve::length_labels::is_of_a_length;
use crate::solve::transfer_search::has_changed;
use crate::solve::{Answer, Attempt};

/// The record as a ledger of lengths.
struct RecordLedger<'a, 'c, M> {
    context: &'a Context<'c>,
    record: &'a mut Record,
    /// Writes the moves of a solution.
    moves: M,
    /// Why the first undecided length is undecided. A solution found after it is not known to be shortest.
    proved_nothing: Option<String>,
    /// Answers that are not in the run's folder yet: quick ones are written together.
    unsaved: Vec<serde_json::Value>,
    /// How many lengths had been entered before those that are being decided together.
    before: usize,
}

impl<M> RecordLedger<'_, '_, M> {
    /// Enters a length without a solution, refuted or undecided.
    fn enter_without_solution(&mut self, entry: LengthRecord) {
        match entry.verdict {
            Verdict::None if self.proved_nothing.is_none() => self.record.refuted_up_to = Some(entry.length),
            Verdict::None => {}
            _ => self.proved_nothing = self.proved_nothing.take().or(entry.reason.clone()),
        }
        self.record.runs.push(entry);
    }

    /// Writes answers to the run's folder, and keeps all levels there.
    fn save(&mut self) -> Result<(), StoreError> {
        match std::mem::take(&mut self.unsaved) {
            none if none.is_empty() => Ok(()),
            unsaved => self.context.workspace.answer(unsaved, |_| false),
        }
    }

    /// The search was stopped.
    fn stopped(&mut self, stopped: Stopped) -> Result<(), RunError> {
        self.save()?;
        self.context.incomplete(stopped, self.record)
    }

    /// The greatest length was tried, and none has a solution.
    fn all_tried(&mut self, max_length: Option<u32>) -> Result<(), StoreError> {
        if max_length.is_some() && self.proved_nothing.is_none() {
            self.record.verdict = Verdict::None;
            return Ok(());
        }
        self.save()?;
        let beyond = || format!("lengths above {MAX_LENGTH} are not tried");
        self.record.reason = Some(self.proved_nothing.take().unwrap_or_else(beyond));
        Ok(())
    }
}

impl<S, M: Fn(&[S]) -> Result<Vec<String>, RunError>> Ledger<S> for RecordLedger<'_, '_, M> {
    type Error = RunError;

    fn decided(&self) -> Vec<(u32, u64)> {
        let of = |record: &Record, up_to: Option<u32>| {
            let decided = record::together(&record.runs).into_iter().map(|t| (t.last(), t.generated()));
            decided.take_while(|&(last, _)| up_to.is_none_or(|up_to| last <= up_to)).collect::<Vec<_>>()
        };
        let earlier = self.record.refuted_by.as_ref().map(|earlier| of(earlier, earlier.refuted_up_to));
        earlier.into_iter().chain([of(self.record, None)]).flatten().collect()
    }

    fn enter(&mut self, attempt: Attempt<S>) -> Result<ControlFlow<()>, RunError> {
        let entry = attempted(&attempt);
        match attempt.answer {
            Answer::Found(walk) => {
                self.record.solution = Some((self.moves)(&walk)?);
                let prove = matches!(self.context.question, Question::Prove { .. });
                let optimal = self.proved_nothing.is_none() && !prove;
                self.record.verdict = if optimal { Verdict::Optimal } else { Verdict::Solution };
                self.record.length = Some(entry.length);
                self.record.runs.push(entry);
            }
            Answer::Exhausted if self.proved_nothing.is_none() => {
                self.record.verdict = Verdict::None;
                self.record.exhausted = true;
                self.enter_without_solution(entry);
            }
            // All states were seen, but a previous length is undecided, and so is the question.
            Answer::GivenUp(_) | Answer::Exhausted => {
                self.save()?;
                self.enter_without_solution(entry);
                self.record.reason = self.proved_nothing.clone();
            }
            Answer::Stopped(stopped) => {
                self.save()?;
                self.record.runs.push(entry);
                self.context.incomplete(stopped, self.record)?;
            }
            Answer::Refuted | Answer::Unproved(_) => {
                self.enter_without_solution(entry);
                return Ok(ControlFlow::Continue(()));
            }
        }
        Ok(ControlFlow::Break(()))
    }

    /// Lengths that are decided together are written together.
    fn entered_together(&mut self) -> Result<(), RunError> {
        let workspace = self.context.workspace;
        let together = &self.record.runs[self.before..];
        let slow = together.iter().map(|entry| entry.seconds).sum::<f64>() > 1.0;
        for entry in together {
            let entry = serde_json::to_value(entry);
            self.unsaved.push(entry.unwrap_or_else(|e| unreachable!("a record states the same as JSON: {e}")));
        }
        self.before = self.record.runs.len();
        if slow || workspace.is_due() {
            // Levels that are named after a length serve it and the lengths decided with it.
            workspace.answer(std::mem::take(&mut self.unsaved), is_of_a_length)?;
        }
        Ok(())
    }
}

impl Context<'_> {
    /// Decides exact lengths, one after another, until one has a solution or the greatest one asked about is refuted;
    /// `moves` writes a solution.
    pub(super) fn lengths<S: LengthSearch>(
        &self,
        search: &mut S,
        moves: impl Fn(&[S::State]) -> Result<Vec<String>, RunError>,
        record: &mut Record,
    ) -> Result<(), RunError> {
        let max_length = record.max_length;
        let bound = match search.lower_bound() {
            Ok(bound) => bound,
            Err(stopped) => return self.incomplete(stopped, record),
        };
        let Some(bound) = bound else {
            // The target cannot be reached even in the abstraction.
            record.verdict = Verdict::None;
            record.exhausted = true;
            record.refuted_up_to = max_length;
            return Ok(());
        };
        // A puzzle in Rust may say more. Greater lengths are neither tried nor named.
        let bound = bound.min(MAX_LENGTH);
        record.lower_bound = Some(bound);
        // The abstraction refutes all lengths below its distance, up to the greatest one asked about.
        record.refuted_up_to = bound.checked_sub(1).map(|b| b.min(max_length.unwrap_or(u32::MAX)));
        self.build_on_earlier_record(search.begins_anywhere(), record);
        let first = record.first_length().unwrap_or(bound);
        let mut ledger =
            RecordLedger { context: self, record, moves, proved_nothing: None, unsaved: Vec::new(), before: 0 };
        let step = search.step();
        let next = |before: &[LengthRecord]| first + step * before.len() as u32;
        for (number, answer) in self.workspace.answers().into_iter().enumerate() {
            let mut entry: LengthRecord =
                serde_json::from_value(answer).map_err(|e| self.workspace.damaged(e.to_string()))?;
            if has_changed(&self.job.search.pruning, entry.up_to.unwrap_or(entry.length)) {
                // An earlier program's answer cannot be told from one of this program, which is found again.
                self.workspace.adopt(self.workspace.answers()[..number].to_vec())?;
                break;
            }
            // Its levels may have been kept once, and no longer.
            entry.levels.iter_mut().for_each(|level| drop(level.file.take_if(|_| !self.workspace.keeps())));
            let runs = &ledger.record.runs;
            self.check_answer(&entry, next(runs), max_length.unwrap_or(MAX_LENGTH), runs)?;
            ledger.enter_without_solution(entry);
        }
        let runs = &ledger.record.runs;
        search.resume_after(runs.iter().map(|r| r.levels.len()).sum());
        ledger.before = runs.len();
        let next = next(runs);
        match deepen(search, next, max_length, &mut ledger)? {
            Ended::Enough => {}
            Ended::AllTried => ledger.all_tried(max_length)?,
            Ended::Stopped(stopped) => ledger.stopped(stopped)?,
        }
        if ledger.record.verdict == Verdict::Incomplete && ledger.record.length.is_none() {
            ledger.record.known_solution = search.known().map(&ledger.moves).transpose()?;
        }
        Ok(())
    }

    /// Enters the record on which the job builds, where it saves the search anything.
    fn build_on_earlier_record(&self, begins_anywhere: bool, record: &mut Record) {
        let Some(earlier) = earlier_record::of(self.job) else { return };
        let saves_nothing = match earlier.refuted_up_to < record.lower_bound {
            _ if !begins_anywhere => "the levels of this search serve all lengths",
            true => "it refutes no more than the lower bound does",
            false => {
                record.refuted_up_to = earlier.refuted_up_to;
                record.refuted_by = Some(Box::new(earlier.clone()));
                return;
            }
        };
        self.progress.note(&format!("the earlier record is not used: {saves_nothing}"));
    }

    /// Refuses an earlier process's answer that is not for length `next`, or contradicts those before. Whether it is
    /// true only another search can show.
    fn check_answer(
        &self,
        entry: &LengthRecord,
        next: u32,
        most: u32,
        before: &[LengthRecord],
    ) -> Result<(), StoreError> {
        let damaged = |reason: String| self.workspace.damaged(reason);
        if entry.length != next || next > most {
            return Err(damaged(format!(
                "its answer for length {} stands where that for {next} belongs",
                entry.length
            )));
        }
        if !matches!(entry.verdict, Verdict::None | Verdict::Incomplete) {
            return Err(damaged(format!("its answer for length {next} says that the search had ended")));
        }
        if let Some(what) = entry.contradiction() {
            return Err(damaged(what));
        }
        let led = |earlier: &LengthRecord| {
            earlier.up_to.is_some_and(|up_to| next <= up_to) || earlier.shared_with == Some(next)
        };
        // Without bounds the levels of a shorter length serve this one, too, so there may be none.
        let may_be_unbounded = match &self.job.search.pruning {
            Pruning::None => true,
            Pruning::Projection(named) => named.is_empty(),
            _ => false,
        };
        let served = may_be_unbounded && before.iter().any(|earlier| !earlier.levels.is_empty());
        if entry.verdict == Verdict::None && entry.levels.is_empty() && !served && !before.iter().any(led) {
            return Err(damaged(format!("its answer for length {next} rests on no level")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::folder;
    use halma_engine::search::exchange::Alone;
    use halma_engine::search::{CancellationToken, Expander};
    use halma_record::record::SymmetryRecord;
    use halma_rules::job::Job;
    use std::ops::RangeInclusive;
    use std::time::Instant;

    /// A search that neither finds nor sees an end; it refutes, or proves nothing.
    struct Endless {
        refutes: bool,
        step: u32,
    }

    impl LengthSearch for Endless {
        type State = ();

        fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
            Ok(Some(1))
        }

        fn step(&self) -> u32 {
            self.step
        }

        fn attempts(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<()>> {
            let answer = || if self.refutes { Answer::Refuted } else { Answer::Unproved("no luck".into()) };
            lengths.map(|length| Attempt::of(length, answer(), Instant::now())).collect()
        }
    }

    fn record(question: Question, refutes: bool) -> Record {
        let [record] = records([question], Endless { refutes, step: 1 });
        record
    }

    /// The records of these questions, one after another in one run's folder.
    fn records<const N: usize>(questions: [Question; N], mut search: Endless) -> [Record; N] {
        let text = "[problem]\nkind = 'transfer'\nboard = 'S.T'\nmoves = 4\n";
        let job = Job::parse("job.toml".as_ref(), text).unwrap();
        let expander = Expander::new(1, None).unwrap();
        let workspace = folder::workspace(&job, questions[0], &Alone, false).unwrap();
        let (cancel, progress) = (CancellationToken::after(None), &());
        questions.map(|question| {
            let context =
                Context { job: &job, question, expander: &expander, workspace: &workspace, progress, cancel: &cancel };
            let mut record = context.blank(SymmetryRecord::fixing(Vec::new()));
            context.lengths(&mut search, |_| Ok(Vec::new()), &mut record).unwrap();
            record
        })
    }

    #[test]
    fn a_run_goes_on_with_the_lengths_that_its_search_steps_to() {
        let questions = [4, 7].map(|max_length| Question::Prove { max_length });
        let tried = records(questions, Endless { refutes: false, step: 2 })
            .map(|record| record.runs.iter().map(|run| run.length).collect::<Vec<_>>());
        assert_eq!(tried, [vec![1, 3], vec![1, 3, 5, 7]]);
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
