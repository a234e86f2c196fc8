//! The searches that were asked for: one after another, each in a folder of its own.

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;

use halma_engine::search::CancellationToken;
use halma_files::folder::Folder;
use halma_record::record::{self, Asked, Record, Verdict};
use halma_record::source::InputError;
use halma_rules::job::{Army, Job, MAX_LENGTH, Output, ProblemSpec};
use halma_solve::run::{self, Question, RunError};
use halma_solve::solve::Progress as _;

use super::StudioError;
use super::guard::Token;
use super::live::SearchProgress;
use super::untrusted_job::{self, JOB};
use crate::page::{self, Entry};
use crate::progress::{All, StatusFile};
use crate::report;
use crate::solution::Solution;

/// So many searches may wait; more is a mistake, or mischief.
const WAITING: usize = 16;
/// So many that have ended stay on the page; the folders of all stay.
const ENDED: usize = 40;

/// The report of what came of a search, in its folder.
pub(super) const REPORT: &str = "report.html";

/// What a search may use, whatever its job says.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchLimits {
    pub(super) threads: usize,
    pub(super) memory: Option<u64>,
}

/// Why a search does not begin.
#[derive(Debug, Error)]
pub(super) enum Declined {
    /// Others wait.
    #[error("{WAITING} searches wait already: cancel one, or wait")]
    Full,
    /// The program ends.
    #[error("the studio is about to end")]
    Closed,
    /// The question lacks its number.
    #[error("prove and levels need a number of moves, from 0 to {MAX_LENGTH}")]
    Question,
    /// The job is wrong.
    #[error("{0}")]
    Job(Box<InputError>),
    /// It cannot run, or not there.
    #[error(transparent)]
    Run(#[from] RunError),
    /// No secret for its report.
    #[error(transparent)]
    Studio(#[from] StudioError),
}

/// A search that was asked for.
pub(super) struct Ticket {
    pub(super) id: u64,
    /// Who has this may see the report.
    pub(super) key: Token,
    pub(super) question: Question,
    /// The question, and its greatest length or depth.
    pub(super) asked: (Asked, Option<u32>),
    pub(super) spec: ProblemSpec,
    /// How long the search may take.
    pub(super) time: Option<Duration>,
    /// The job as it was typed. It is read again when the search begins: compiled puzzles that wait could fill the memory.
    pub(super) text: String,
    most: SearchLimits,
    pub(super) folder: PathBuf,
    pub(super) live: SearchProgress,
    stage: Mutex<Stage>,
}

/// How far it is.
#[derive(Clone)]
pub(super) enum Stage {
    /// Others come first.
    Waiting,
    /// It is under way, and this stops it.
    Running(Arc<CancellationToken>),
    /// Somebody did not want it any more before it began.
    Cancelled,
    /// It could not run.
    Failed(String),
    /// It has a record, be it of a search that was stopped.
    Ended(Arc<Answer>),
}

/// What came of it.
pub(super) struct Answer {
    pub(super) record: Record,
    /// The solution, replayed by the rules alone.
    pub(super) solution: Option<Solution>,
}

impl Stage {
    /// Its name on the page.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running(_) => "running",
            Self::Cancelled => "cancelled",
            Self::Failed(_) => "failed",
            Self::Ended(answer) if answer.record.verdict == Verdict::Incomplete => "stopped",
            Self::Ended(_) => "ended",
        }
    }

    fn is_open(&self) -> bool {
        matches!(self, Self::Waiting | Self::Running(_))
    }
}

impl Ticket {
    fn staged(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stage(&self) -> Stage {
        self.staged().clone()
    }

    /// Ends it as soon as may be; what it has found so far stays in its folder.
    pub(super) fn cancel(&self) {
        let mut stage = self.staged();
        match &*stage {
            Stage::Waiting => *stage = Stage::Cancelled,
            Stage::Running(cancel) => cancel.request(),
            _ => {}
        }
    }

    fn begin(&self, cancel: &Arc<CancellationToken>) -> bool {
        let mut stage = self.staged();
        let waits = matches!(*stage, Stage::Waiting);
        if waits {
            *stage = Stage::Running(Arc::clone(cancel));
        }
        waits
    }

    /// Its job, within the limits of the studio, in its folder.
    fn job(&self) -> Result<Job, InputError> {
        let mut job = limited(&self.text, self.most)?;
        job.output.dir = Some(self.folder.clone());
        Ok(job)
    }

    /// The page of its record.
    pub(super) fn report(&self, answer: &Answer) -> String {
        let file = self.folder.join(record::FILE).display().to_string();
        page::report(&[Entry { file, record: answer.record.clone(), checked: answer.solution.clone() }])
    }
}

/// Searches that wait, the one under way, and those that have ended.
pub(super) struct SearchQueue {
    inner: Mutex<Inner>,
    wake: Condvar,
    folder: PathBuf,
    most: SearchLimits,
}

#[derive(Default)]
struct Inner {
    tickets: VecDeque<Arc<Ticket>>,
    last: u64,
    closed: bool,
}

impl SearchQueue {
    pub(super) fn new(folder: PathBuf, most: SearchLimits) -> Self {
        Self { inner: Mutex::default(), wake: Condvar::new(), folder, most }
    }

    /// The same with numbers that begin after this one: a page that was open before the studio began anew shall not take one search for
    /// another.
    pub(super) fn after(self, last: u64) -> Self {
        self.inner().last = last;
        self
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn most(&self) -> SearchLimits {
        self.most
    }

    /// All tickets, the oldest first.
    pub(super) fn tickets(&self) -> Vec<Arc<Ticket>> {
        self.inner().tickets.iter().cloned().collect()
    }

    pub(super) fn ticket(&self, id: u64) -> Option<Arc<Ticket>> {
        self.inner().tickets.iter().find(|ticket| ticket.id == id).cloned()
    }

    /// Checks a job, and puts it at the end of the queue. What the job says of folders counts for nothing: it may be a
    /// stranger's.
    pub(super) fn add(&self, text: String, asked: Asked, number: Option<u32>) -> Result<Arc<Ticket>, Declined> {
        let mut job = limited(&text, self.most).map_err(|fault| Declined::Job(Box::new(fault)))?;
        let question = question(&job, asked, number)?;
        let folder = self.folder.join(name(&job, question));
        job.output.dir = Some(folder.clone());
        run::answerable(&job, question)?;
        run::place(&job, question)?;
        run::affordable(&job, question, 1)?;
        let (key, live, stage) = (Token::new()?, SearchProgress::default(), Mutex::new(Stage::Waiting));
        let (asked, max_length, depth) = question.asked(&job);
        let (spec, time, most) = (job.spec, job.limits.time, self.most);
        let mut inner = self.inner();
        if inner.closed {
            return Err(Declined::Closed);
        }
        if inner.tickets.iter().filter(|ticket| matches!(ticket.stage(), Stage::Waiting)).count() >= WAITING {
            return Err(Declined::Full);
        }
        inner.last += 1;
        let (id, asked) = (inner.last, (asked, max_length.or(depth)));
        let ticket = Arc::new(Ticket { id, key, question, asked, spec, time, text, most, folder, live, stage });
        inner.tickets.push_back(Arc::clone(&ticket));
        let ended = inner.tickets.iter().filter(|ticket| !ticket.stage().is_open()).count();
        if ended > ENDED {
            let oldest = inner.tickets.iter().position(|ticket| !ticket.stage().is_open());
            oldest.and_then(|oldest| inner.tickets.remove(oldest));
        }
        self.wake.notify_one();
        Ok(ticket)
    }

    /// The next that waits; `None` where none comes in that time.
    pub(super) fn next(&self, patience: Duration) -> Option<Arc<Ticket>> {
        let next = |inner: &Inner| inner.tickets.iter().find(|t| matches!(t.stage(), Stage::Waiting)).cloned();
        let waited = self.wake.wait_timeout_while(self.inner(), patience, |inner| next(inner).is_none());
        next(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Takes no more; those that wait do not begin.
    pub(super) fn close(&self) {
        let mut inner = self.inner();
        inner.closed = true;
        inner
            .tickets
            .iter()
            .filter(|ticket| matches!(ticket.stage(), Stage::Waiting))
            .for_each(|ticket| ticket.cancel());
    }
}

/// The job of a text, within limits; what it says of folders is left out.
fn limited(text: &str, most: SearchLimits) -> Result<Job, InputError> {
    let mut job = untrusted_job::read(text)?;
    job.limits.threads = Some(job.limits.threads.unwrap_or(usize::MAX).min(most.threads));
    job.limits.memory = job.limits.memory.into_iter().chain(most.memory).min();
    job.output = Output::default();
    Ok(job)
}

/// The question, with the number that it needs.
fn question(job: &Job, asked: Asked, number: Option<u32>) -> Result<Question, Declined> {
    let number = number.or(if asked == Asked::Prove { job.search.max_length } else { None });
    if number.is_some_and(|number| number > MAX_LENGTH) {
        return Err(Declined::Question);
    }
    let number = || number.ok_or(Declined::Question);
    Ok(match asked {
        Asked::Solve => Question::Solve,
        Asked::Count => Question::Count,
        Asked::Prove => Question::Prove { max_length: number()? },
        Asked::Levels => Question::Levels { depth: number()? },
    })
}

/// The name of a search's folder: the same for the same question, so that one that was stopped goes on there.
fn name(job: &Job, question: Question) -> String {
    let asked = question.asked(job).0.name();
    let what = match &job.spec {
        ProblemSpec::Armies(armies) => {
            let army = match &armies.army {
                Army::Named(name) => name.clone(),
                Army::Cells(_) => format!("{}-men", armies.men),
            };
            format!("{asked}-{army}-{}-{}-move", armies.board, armies.moves.number())
        }
        ProblemSpec::Puzzle(puzzle) => format!("{asked}-{}", report::named(puzzle)),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let what: String = what.chars().map(plain).take(48).collect();
    let fingerprint = run::fingerprint(job, question);
    let digest = fingerprint.rsplit('(').next().unwrap_or_default();
    format!("{}-{}", what.trim_matches('-'), digest.chars().take(8).collect::<String>())
}

/// Does what a ticket asks for.
pub(super) fn work(ticket: &Ticket, cancel: &Arc<CancellationToken>) {
    if !ticket.begin(cancel) {
        return;
    }
    // A bug panics: it is caught here, so that the next search can run.
    let answer = panic::catch_unwind(AssertUnwindSafe(|| search(ticket, cancel)));
    ticket.live.end();
    *ticket.staged() = match answer {
        Ok(Ok(answer)) => Stage::Ended(Arc::new(answer)),
        Ok(Err(message)) => Stage::Failed(message),
        Err(_) => Stage::Failed("a bug, no answer: the program's standard error says where".into()),
    };
}

fn search(ticket: &Ticket, cancel: &CancellationToken) -> Result<Answer, String> {
    let unwritten = |e: std::io::Error| format!("{}: cannot be written: {e}", ticket.folder.display());
    let folder = Folder::make(&ticket.folder).map_err(unwritten)?;
    folder.replace(JOB, ticket.text.as_bytes(), |_| Ok(())).map_err(unwritten)?;
    let job = ticket.job().map_err(|fault| fault.to_string())?;
    // The page, and other processes.
    let file = StatusFile::new(&ticket.folder);
    let told = All(vec![&ticket.live, &file]);
    let record = run::run(&job, ticket.question, &told, cancel).map_err(|e| match e {
        RunError::OtherProblem { file, problem, .. } => {
            format!("{}: the record of another problem ({})", file.display(), report::problem(&problem))
        }
        error => error.to_string(),
    })?;
    let solution = record.best_solution().map(|_| Solution::from_record(JOB.as_ref(), &record)).transpose();
    let solution = solution.map_err(|e| format!("a bug: the solution found is wrong: {e}"))?;
    let answer = Answer { record, solution };
    if answer.record.verdict != Verdict::Incomplete {
        // The answer is there, and its report is made again when it is asked for.
        if let Err(e) = folder.replace(REPORT, ticket.report(&answer).as_bytes(), |_| Ok(())) {
            ticket.live.note(&unwritten(e));
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "[problem]\nkind = 'transfer'\nboard = 'SS..TT'\nmoves = 4\n";

    fn queue() -> (tempfile::TempDir, SearchQueue) {
        let folder = tempfile::tempdir().unwrap();
        let queue =
            SearchQueue::new(folder.path().join("studio"), SearchLimits { threads: 1, memory: Some(256 << 20) });
        (folder, queue)
    }

    fn all(queue: &SearchQueue) {
        while let Some(ticket) = queue.next(Duration::ZERO) {
            work(&ticket, &Arc::new(CancellationToken::after(None)));
        }
    }

    #[test]
    fn searches_run_one_after_another_and_leave_job_record_and_report() {
        let (_folder, queue) = queue();
        let solve = queue.add(SMALL.into(), Asked::Solve, None).unwrap();
        let prove = queue.add(SMALL.into(), Asked::Prove, Some(3)).unwrap();
        assert_eq!((solve.stage().name(), prove.stage().name()), ("waiting", "waiting"));
        assert!(!queue.folder().exists(), "nothing is written before a search begins");
        all(&queue);
        for (ticket, verdict) in [(&solve, Verdict::Optimal), (&prove, Verdict::None)] {
            let Stage::Ended(answer) = ticket.stage() else { panic!("{}", ticket.stage().name()) };
            assert_eq!(answer.record.verdict, verdict);
            assert_eq!(Record::read(&ticket.folder.join(record::FILE)).unwrap(), answer.record);
            assert_eq!(std::fs::read_to_string(ticket.folder.join(JOB)).unwrap(), SMALL);
            assert!(std::fs::read_to_string(ticket.folder.join(REPORT)).unwrap().contains("<!DOCTYPE html>"));
        }
        assert_ne!(solve.folder, prove.folder);
    }

    #[test]
    fn a_job_gets_no_more_than_the_studio_has_and_no_folder_of_its_own() {
        let (_folder, queue) = queue();
        let limits = "[limits]\nthreads = 4096\nmemory = '900 GiB'\n";
        let output = "[output]\ndir = '/etc/elsewhere'\ncache = '/etc'\nkeep-levels = true\n";
        let greedy = format!("{SMALL}{limits}{output}");
        let ticket = queue.add(greedy, Asked::Solve, None).unwrap();
        let job = ticket.job().unwrap();
        assert_eq!((job.limits.threads, job.limits.memory), (Some(1), Some(256 << 20)));
        assert_eq!(job.output, Output { dir: Some(ticket.folder.clone()), ..Output::default() });
        assert!(ticket.folder.starts_with(queue.folder()));
        let modest = format!("{SMALL}[limits]\nmemory = '64 MiB'\n");
        assert_eq!(queue.add(modest, Asked::Solve, None).unwrap().job().unwrap().limits.memory, Some(64 << 20));
        let poor = queue.add(format!("{SMALL}[limits]\nmemory = '1 KiB'\n"), Asked::Solve, None);
        assert!(matches!(poor, Err(Declined::Run(RunError::TooLittleMemory { .. }))));
    }

    #[test]
    fn what_waits_is_limited_and_what_has_ended_is_forgotten_in_time() {
        let (_folder, queue) = queue();
        for _ in 0..WAITING {
            queue.add(SMALL.into(), Asked::Solve, None).unwrap();
        }
        assert!(matches!(queue.add(SMALL.into(), Asked::Solve, None), Err(Declined::Full)));
        for round in 0..4 {
            queue.tickets().iter().for_each(|ticket| ticket.cancel());
            for _ in 0..WAITING {
                assert!(queue.add(SMALL.into(), Asked::Solve, None).is_ok(), "{round}");
            }
        }
        assert!(queue.tickets().len() <= ENDED + WAITING);
        assert!(queue.ticket(1).is_none() && queue.ticket(5 * WAITING as u64).is_some());
    }

    #[test]
    fn a_cancelled_search_never_begins_and_a_running_one_is_stopped() {
        let (_folder, queue) = queue();
        let [first, second] = [(); 2].map(|()| queue.add(SMALL.into(), Asked::Solve, None).unwrap());
        first.cancel();
        assert_eq!(queue.next(Duration::ZERO).map(|ticket| ticket.id), Some(second.id));
        let cancel = Arc::new(CancellationToken::after(None));
        work(&first, &cancel);
        assert_eq!(first.stage().name(), "cancelled");
        assert!(second.begin(&cancel));
        second.cancel();
        assert!(cancel.check().is_err());
    }

    #[test]
    fn a_stopped_search_says_so_and_the_same_question_goes_on_in_its_folder() {
        let (_folder, queue) = queue();
        let stopped = queue.add(SMALL.into(), Asked::Solve, None).unwrap();
        let cancel = Arc::new(CancellationToken::after(None));
        cancel.request();
        work(&stopped, &cancel);
        assert_eq!(stopped.stage().name(), "stopped");
        assert!(run::manifest_job(&stopped.folder).unwrap().is_some(), "it can be resumed");
        let again = queue.add(SMALL.into(), Asked::Solve, None).unwrap();
        assert_eq!(again.folder, stopped.folder);
        all(&queue);
        assert_eq!(again.stage().name(), "ended");
        assert!(run::manifest_job(&stopped.folder).unwrap().is_none());
    }

    #[test]
    fn a_queue_that_begins_anew_gives_other_numbers() {
        let (_folder, queue) = queue();
        let queue = queue.after(1_000);
        assert_eq!(queue.add(SMALL.into(), Asked::Solve, None).unwrap().id, 1_001);
    }

    #[test]
    fn nothing_begins_once_the_queue_is_closed() {
        let (_folder, queue) = queue();
        let waiting = queue.add(SMALL.into(), Asked::Solve, None).unwrap();
        queue.close();
        assert_eq!(waiting.stage().name(), "cancelled");
        assert!(matches!(queue.add(SMALL.into(), Asked::Solve, None), Err(Declined::Closed)));
    }

    #[test]
    fn prove_needs_a_length_and_takes_the_jobs_where_none_is_given() {
        let (_folder, queue) = queue();
        assert!(matches!(queue.add(SMALL.into(), Asked::Prove, None), Err(Declined::Question)));
        assert!(matches!(queue.add(SMALL.into(), Asked::Levels, Some(MAX_LENGTH + 1)), Err(Declined::Question)));
        let spec = queue.add(format!("{SMALL}[search]\nmax-length = 3\n"), Asked::Prove, None).unwrap();
        assert_eq!(spec.question, Question::Prove { max_length: 3 });
    }
}
