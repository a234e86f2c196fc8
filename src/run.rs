//! From a job to its record.

mod game;
mod share;
mod transfer;

pub use share::check as check_shared;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

use crate::budget;
use crate::job::{Job, Limits, Output, Problem, Pruning, Search, Stated};
use crate::record::{
    self, Asked, Counts, Digest, FORMAT, LatticeRecord, LevelRecord, Machine, PROGRAM, Record, RecordError, RunRecord,
    SymmetryRecord, Verdict,
};
use crate::search::exchange::{Alone, Exchange, Lost};
use crate::search::{Expander, Stop, Stopped, digest};
use crate::solve::{Answer, Attempt, LevelFigures, Progress};
use crate::store::StoreError;
use crate::store::workspace::{self, Disk, Workspace};

/// What is asked of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// The shortest solution, and the refutation of every shorter length.
    Solve,
    /// Whether a solution of at most so many moves exists.
    Prove {
        /// The greatest length that counts.
        max_length: u32,
    },
    /// The level sets themselves, unpruned, without a goal.
    Levels {
        /// The last level.
        depth: u32,
    },
    /// How many shortest solutions there are.
    Count,
}

impl Question {
    /// The question as a record of `job` states it: what is asked, the greatest length, the last level.
    #[must_use]
    pub fn asked(self, job: &Job) -> (Asked, Option<u32>, Option<u32>) {
        match self {
            Self::Solve => (Asked::Solve, job.search.max_length, None),
            Self::Prove { max_length } => (Asked::Prove, Some(max_length), None),
            Self::Levels { depth } => (Asked::Levels, None, Some(depth)),
            Self::Count => (Asked::Count, job.search.max_length, None),
        }
    }
}

/// Why a job has no record.
#[derive(Debug, Error)]
pub enum RunError {
    /// The threads could not be had.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Levels under this pruning need not have what a count sums up.
    #[error(
        "pruning {0} does not keep all solutions to be counted: allowed are none, theorem-1, pattern, leading, narrowed"
    )]
    CountUnder(Pruning),
    /// States do not fit any key.
    #[error("{men} men on {cells} cells are too many states to number")]
    TooLarge {
        /// Men.
        men: usize,
        /// Cells.
        cells: usize,
    },
    /// The run's folder cannot be used, or a file in it is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The record cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Another process of the search is gone.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// Several processes cannot do this together.
    #[error("several processes cannot {what}: {instead}")]
    NotShared {
        /// What.
        what: &'static str,
        /// What can be done.
        instead: &'static str,
    },
    /// The search found what is no solution.
    #[error("a bug: move {number} of the solution found is none")]
    NoMove {
        /// The move, from 1.
        number: usize,
    },
}

/// The time between two savings, where the job does not say.
const CHECKPOINT: Duration = Duration::from_secs(300);

/// What a run's folder says of the run: all that its levels depend on.
#[derive(Serialize, Deserialize)]
struct Identity {
    program: String,
    asked: Asked,
    problem: Stated,
    pruning: Pruning,
    palindromic: bool,
    symmetry: bool,
    /// Where several processes search, whose share it is: the number of the process, and how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<(usize, usize)>,
}

/// What may be another one when a run goes on.
#[derive(Serialize, Deserialize)]
struct Terms {
    job: PathBuf,
    question: Question,
    search: Search,
    limits: Limits,
    output: Output,
}

/// Answers `question` for `job`. A search that is stopped leaves a record that says so, and, where the job has an output
/// folder, what it takes to go on there; a run that is found there is taken up.
///
/// # Errors
/// Where it could not even begin, found what is no solution, or met a damaged file.
pub fn run(job: &Job, question: Question, progress: &dyn Progress, stop: &Stop) -> Result<Record, RunError> {
    let run = || run_shared(job, question, progress, stop, Arc::new(Alone));
    if rayon::current_thread_index().is_none() {
        return run();
    }
    // A search has a thread pool of its own. A worker of another pool that waited for it would begin its next task meanwhile, on
    // top of this one, and with many searches overflow its stack; to wait for a thread keeps it here.
    std::thread::scope(|scope| scope.spawn(run).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// [`run`], by one of several processes, which all do the same with their share of the work. All of them get the record;
/// the first writes it down.
///
/// # Errors
/// As [`run`]; and where a process is lost before the search has begun.
pub fn run_shared(
    job: &Job,
    question: Question,
    progress: &dyn Progress,
    stop: &Stop,
    exchange: Arc<dyn Exchange>,
) -> Result<Record, RunError> {
    let result = answer(job, question, progress, stop, &exchange);
    match &result {
        Ok(record) if record.verdict == Verdict::Incomplete => {
            exchange.give_up(record.reason.as_deref().unwrap_or("it has no answer"));
        }
        Ok(_) => {}
        Err(error) => exchange.give_up(&error.to_string()),
    }
    result
}

fn answer(
    job: &Job,
    question: Question,
    progress: &dyn Progress,
    stop: &Stop,
    exchange: &Arc<dyn Exchange>,
) -> Result<Record, RunError> {
    if question == Question::Count && matches!(job.problem, Problem::Transfer(_)) && !job.search.pruning.keeps_all() {
        return Err(RunError::CountUnder(job.search.pruning.clone()));
    }
    if exchange.is_shared() {
        check_shared(job, question)?;
    }
    let beside = exchange.beside().max(1);
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = job.limits.threads.unwrap_or_else(|| (processors() / beside).max(1));
    // Where no budget is given, three quarters of what is there: rather slower on disk than ended by the system.
    let memory = job.limits.memory.or_else(|| budget::available_memory().map(|m| m / 4 * 3 / beside as u64));
    let expander = Expander::new(threads, memory)?.sharing(Arc::clone(exchange));
    let workspace = workspace(job, question, &**exchange)?;
    let context = Context { job, question, expander: &expander, workspace: &workspace, progress, stop };
    let (record, men, cells) = match &job.problem {
        Problem::Transfer(problem) => (context.transfer(problem)?, problem.start.len(), problem.lattice.len()),
        Problem::Game(problem) => (context.game(problem)?, problem.blue.len(), problem.lattice.len()),
    };
    let mut record = record.ok_or(RunError::TooLarge { men, cells })?;
    if record.verdict != Verdict::Incomplete {
        share::total(&mut record, &expander)?;
    }
    if let Some(dir) = job.output.dir.as_ref().filter(|_| exchange.process() == 0) {
        // Before the run's files go: a kill in between leaves both, never neither.
        record.write(&dir.join(record::FILE))?;
    }
    if record.verdict != Verdict::Incomplete || job.output.dir.is_none() {
        share::close(workspace, &**exchange)?;
    }
    Ok(record)
}

fn workspace(job: &Job, question: Question, exchange: &dyn Exchange) -> Result<Workspace, StoreError> {
    let disk = Disk::new(job.limits.disk);
    let Some(dir) = &job.output.dir else { return Workspace::temporary(disk) };
    let share = exchange.is_shared().then(|| (exchange.process(), exchange.processes()));
    let dir = &share::folder(dir, share);
    let terms = Terms {
        job: job.file.clone(),
        question,
        search: job.search.clone(),
        limits: job.limits.clone(),
        output: job.output.clone(),
    };
    let value = |value: Result<serde_json::Value, _>| value.unwrap_or_default();
    let interval = job.limits.checkpoint.unwrap_or(CHECKPOINT);
    let (identity, terms) = (identity(job, question, share), value(serde_json::to_value(terms)));
    let workspace = Workspace::open(dir, identity, terms, disk, interval, job.output.keep_levels)?;
    workspace.begin()?;
    Ok(workspace)
}

/// What a job and a question come to, in a line: two processes with the same one search the same.
#[must_use]
pub fn fingerprint(job: &Job, question: Question) -> String {
    let (asked, max_length, depth) = question.asked(job);
    let all = serde_json::json!([identity(job, question, None), max_length, depth]).to_string();
    let (stated, asked, digest) = (&job.stated, format!("{asked:?}").to_lowercase(), xxh3_128(all.as_bytes()));
    format!("{asked} {} of {} men on {}, {} ({digest:032x})", stated.kind, stated.men, stated.board, job.search.pruning)
}

/// What the list of a run's folder, or of one process's share of it, says that the run is.
fn identity(job: &Job, question: Question, share: Option<(usize, usize)>) -> serde_json::Value {
    let identity = Identity {
        program: PROGRAM.into(),
        asked: question.asked(job).0,
        problem: job.stated.clone(),
        pruning: job.search.pruning.clone(),
        palindromic: job.search.palindromic,
        symmetry: job.search.symmetry,
        share,
    };
    serde_json::to_value(identity).unwrap_or_default()
}

/// The job and the question of the run in `folder`, where that has one that has not ended.
///
/// # Errors
/// Where its list is damaged, or says what this program cannot have written.
pub fn unfinished(folder: &Path) -> Result<Option<(Job, Question)>, StoreError> {
    let Some((identity, terms)) = workspace::unfinished(folder)? else { return Ok(None) };
    let odd = |reason: String| StoreError::Foreign { folder: folder.into(), reason };
    let identity: Identity = serde_json::from_value(identity).map_err(|e| odd(e.to_string()))?;
    let terms: Terms = serde_json::from_value(terms).map_err(|e| odd(e.to_string()))?;
    if let Some((process, processes)) = identity.share {
        return Err(odd(format!("it is the share of process {process} of {processes}; start all of them again")));
    }
    if identity.program != PROGRAM {
        return Err(odd(format!("the run is of {}, this is {PROGRAM}", identity.program)));
    }
    let problem = match identity.problem.kind.as_str() {
        "game" => Problem::Game(identity.problem.game().map_err(odd)?),
        _ => Problem::Transfer(identity.problem.transfer().map_err(odd)?),
    };
    let Terms { job, question, search, limits, mut output } = terms;
    output.dir = Some(folder.into());
    Ok(Some((Job { file: job, stated: identity.problem, problem, search, limits, output }, question)))
}

#[derive(Clone, Copy)]
struct Context<'a> {
    job: &'a Job,
    question: Question,
    expander: &'a Expander,
    workspace: &'a Workspace,
    progress: &'a dyn Progress,
    stop: &'a Stop,
}

/// A search for one length after another.
trait Attempts {
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
enum Outcome {
    /// A solution, in moves.
    Found(Vec<String>),
    /// None of this length; where every state has been seen, none of any.
    Refuted { exhausted: bool },
    /// Nothing found, nothing proved.
    Unproved,
    /// The search was stopped.
    Stopped(Stopped),
}

impl Context<'_> {
    /// Notes in the record what its making took.
    fn measure(&self, record: &mut Record) {
        let spent = self.workspace.spent();
        (record.seconds, record.cpu_seconds) = (spent.seconds, spent.cpu_seconds);
        (record.peak_memory_bytes, record.disk_bytes_written) = (spent.peak_memory_bytes, spent.disk_bytes_written);
    }

    /// A record without an answer.
    fn blank(&self, symmetries: SymmetryRecord) -> Record {
        let (question, max_length, depth) = self.question.asked(self.job);
        Record {
            format: FORMAT,
            program: PROGRAM.into(),
            problem: self.job.stated.clone(),
            source: Some(record::SOURCE.into()),
            machine: Some(Machine::here()),
            lattice: Some(LatticeRecord::from(match &self.job.problem {
                Problem::Transfer(problem) => &problem.lattice,
                Problem::Game(problem) => &problem.lattice,
            })),
            symmetries: Some(symmetries),
            question,
            max_length,
            depth,
            verdict: Verdict::Incomplete,
            reason: None,
            length: None,
            refuted_up_to: None,
            exhausted: false,
            lower_bound: None,
            centroid: None,
            partition: None,
            pruning: self.job.search.pruning.clone(),
            palindromic: self.job.search.palindromic,
            solution: None,
            counts: None,
            runs: Vec::new(),
            digest_key: Some(published(digest::KEY)),
            second_digest_key: Some(published(digest::SECOND_KEY)),
            seconds: 0.0,
            cpu_seconds: 0.0,
            peak_memory_bytes: 0,
            disk_bytes_written: 0,
            threads: self.expander.threads(),
        }
    }

    /// Exact lengths, one after another, until one has a solution or the greatest one asked about is refuted.
    fn lengths(&self, search: &mut impl Attempts, record: &mut Record) -> Result<(), RunError> {
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
        let max_length = max_length.unwrap_or(u32::MAX);
        // The abstraction refutes all lengths below its distance, as far as anybody asked.
        record.refuted_up_to = bound.checked_sub(1).map(|b| b.min(max_length));
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
            proved_nothing = settle(record, run);
        }
        search.resume_after(record.runs.iter().map(|r| r.levels.len()).sum());
        // Answers that are not in the run's folder yet: not worth a write each where they are quick.
        let mut unsaved = Vec::new();
        let mut next = bound + record.runs.len() as u32;
        while next <= max_length {
            let last = match search.reach(next, max_length, &record.runs) {
                Ok(last) => last,
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
        record.verdict = if proved_nothing.is_none() { Verdict::None } else { Verdict::Incomplete };
        record.reason = proved_nothing;
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

    /// Notes in the record why there is no answer; damage is an error of its own.
    fn incomplete(&self, stopped: Stopped, record: &mut Record) -> Result<(), RunError> {
        match stopped {
            Stopped::Store(fault @ StoreError::Damaged { .. }) => Err(fault.into()),
            stopped => {
                record.reason = Some(stopped.to_string());
                Ok(())
            }
        }
    }

    /// Whether what is left is to count the solutions of the length found.
    fn asks_for_a_count(&self, record: &Record) -> bool {
        self.question == Question::Count && record.verdict == Verdict::Optimal
    }

    /// Notes in the record how many solutions of the shortest length there are, and the levels that say so.
    fn counted(
        &self,
        length: u32,
        levels: &[LevelFigures],
        counts: Result<Counts, Stopped>,
        record: &mut Record,
    ) -> Result<(), RunError> {
        let seconds = levels.iter().map(|f| f.seconds).sum();
        record.runs.push(summed(length, Verdict::Solution, None, levels, seconds));
        record.verdict = Verdict::Incomplete;
        match counts {
            Err(stopped) => self.incomplete(stopped, record),
            Ok(counts) => {
                record.verdict = Verdict::Counted;
                record.counts = Some(counts);
                Ok(())
            }
        }
    }

    /// Level sets without a goal, as a search has made them.
    fn levels(
        &self,
        figures: &[LevelFigures],
        result: Result<(), Stopped>,
        depth: u32,
        record: &mut Record,
    ) -> Result<(), RunError> {
        record.verdict = if result.is_ok() { Verdict::Levels } else { Verdict::Incomplete };
        record.exhausted = figures.last().is_some_and(|f| f.tally.states == 0);
        if let Err(stopped) = result {
            self.incomplete(stopped, record)?;
        }
        let seconds = figures.iter().map(|f| f.seconds).sum();
        let run = summed(depth, record.verdict, record.reason.clone(), figures, seconds);
        record.runs.push(RunRecord { pruning: Some(Pruning::None), ..run });
        Ok(())
    }
}

/// An attempt as the record has it, and what came of it; `moves` writes a solution down.
fn attempted<S>(
    attempt: Attempt<S>,
    moves: impl FnOnce(&[S]) -> Result<Vec<String>, RunError>,
) -> Result<(RunRecord, Outcome), RunError> {
    let (verdict, reason) = match &attempt.answer {
        Answer::Found(_) => (Verdict::Solution, None),
        Answer::Refuted | Answer::Exhausted => (Verdict::None, None),
        Answer::Unproved(reason) => (Verdict::Incomplete, Some(reason.clone())),
        Answer::Stopped(stopped) => (Verdict::Incomplete, Some(stopped.to_string())),
    };
    let run = RunRecord {
        up_to: attempt.up_to,
        shared_with: attempt.shared_with,
        c: attempt.c.map(|(c, _)| c),
        self_consistent: attempt.c.is_none_or(|(_, consistent)| consistent),
        ..summed(attempt.length, verdict, reason, &attempt.levels, attempt.seconds)
    };
    let outcome = match attempt.answer {
        Answer::Found(walk) => Outcome::Found(moves(&walk)?),
        Answer::Refuted => Outcome::Refuted { exhausted: false },
        Answer::Exhausted => Outcome::Refuted { exhausted: true },
        Answer::Unproved(_) => Outcome::Unproved,
        Answer::Stopped(stopped) => Outcome::Stopped(stopped),
    };
    Ok((run, outcome))
}

/// A key of digests as records name it.
fn published([high, low]: [u64; 2]) -> Digest {
    Digest(u128::from(high) << 64 | u128::from(low))
}

/// The record of one length's levels.
fn summed(length: u32, verdict: Verdict, reason: Option<String>, levels: &[LevelFigures], seconds: f64) -> RunRecord {
    RunRecord {
        length,
        verdict,
        reason,
        up_to: None,
        shared_with: None,
        pruning: None,
        c: None,
        seconds,
        generated: levels.iter().map(|f| f.tally.generated).sum(),
        largest_level: levels.iter().map(|f| f.tally.states).max().unwrap_or(0),
        self_consistent: true,
        levels: levels.iter().map(level_record).collect(),
    }
}

/// A level's figures as the record has them.
#[must_use]
pub fn level_record(figures: &LevelFigures) -> LevelRecord {
    let tally = &figures.tally;
    LevelRecord {
        depth: figures.depth,
        side: figures.side,
        states: tally.states,
        generated: tally.generated,
        pruned: tally.pruned,
        duplicates: tally.duplicates,
        old: tally.old,
        centroid_max: tally.measure_max,
        digest: Digest(tally.digest),
        second_digest: Some(tally.second),
        file: figures.file.clone(),
        seconds: Some(figures.seconds),
        bytes: Some(figures.bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rayon::prelude::*;

    use super::*;

    thread_local! {
        static UNDER_WAY: Cell<u32> = const { Cell::new(0) };
    }

    /// Else with many searches they overflow its stack.
    #[test]
    fn a_worker_of_another_pool_begins_nothing_while_its_search_goes_on() {
        let text = "[problem]\nkind = 'transfer'\nboard = '9x9'\nmoves = 6\narmy = ['a1', 'b1', 'a2']\n";
        let job = Job::parse("job.toml".as_ref(), text).unwrap();
        let most = (0..64).into_par_iter().map(|_| {
            let under_way = UNDER_WAY.get() + 1;
            UNDER_WAY.set(under_way);
            let record = run(&job, Question::Solve, &(), &Stop::after(None)).unwrap();
            UNDER_WAY.set(under_way - 1);
            assert_eq!(record.verdict, Verdict::Optimal);
            under_way
        });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert_eq!(pool.install(|| most.max()), Some(1));
    }
}
