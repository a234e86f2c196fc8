//! The builder [`Solver`]: solves a problem without a job file.

use std::path::PathBuf;
use std::time::Duration;

use halma_engine::search::CancellationToken;
use halma_record::job::Pruning;
use halma_record::record::Record;
use halma_rules::job::{Job, Problem};
use halma_solve::run::{self, Question, RunError};
use halma_solve::solve::Progress;
use thiserror::Error;

/// Why there is no record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The problem is invalid, or does not allow this search.
    #[error("{0}")]
    Problem(String),
    /// The search failed. An unfinished search is no error: the record's verdict says so.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A builder that asks a question about a problem.
///
/// ```
/// use halma::{Rule, Solver, Transfer, Verdict};
///
/// let problem = Transfer::drawn("SS...\nSS...\n..#..\n...TT\n...TT", Rule::Six)?;
/// let record = Solver::new(problem).threads(2).solve()?;
/// assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(11)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Solver<'a> {
    job: Result<Job, String>,
    progress: &'a dyn Progress,
}

impl<'a> Solver<'a> {
    /// The defaults: the problem's [usual pruning](Problem::usual_pruning), all threads, three quarters of
    /// the free memory, no folder.
    pub fn new(problem: impl Into<Problem>) -> Self {
        Self { job: Job::of(problem.into()), progress: &() }
    }

    fn with(mut self, change: impl FnOnce(&mut Job)) -> Self {
        if let Ok(job) = &mut self.job {
            change(job);
        }
        self
    }

    /// The pruning.
    pub fn pruning(self, pruning: Pruning) -> Self {
        self.with(|job| job.search.pruning = pruning)
    }

    /// Only palindromic solutions.
    pub fn palindromic(self) -> Self {
        self.with(|job| job.search.palindromic = true)
    }

    /// The greatest length to try.
    pub fn max_length(self, moves: u32) -> Self {
        self.with(|job| job.search.max_length = Some(moves))
    }

    /// How many threads search.
    pub fn threads(self, threads: usize) -> Self {
        self.with(|job| job.limits.threads = Some(threads))
    }

    /// The memory budget in bytes; what exceeds it is spilled to disk.
    pub fn memory(self, bytes: u64) -> Self {
        self.with(|job| job.limits.memory = Some(bytes))
    }

    /// The time limit; after it the verdict is "incomplete".
    pub fn time(self, limit: Duration) -> Self {
        self.with(|job| job.limits.time = Some(limit))
    }

    /// The folder of the record and the checkpoint.
    pub fn folder(self, folder: impl Into<PathBuf>) -> Self {
        self.with(|job| job.output.dir = Some(folder.into()))
    }

    /// Receives the progress of the search.
    pub fn on_progress(self, progress: &'a dyn Progress) -> Self {
        Self { progress, ..self }
    }

    /// The shortest solution, and the refutation of every shorter length.
    ///
    /// # Errors
    /// Where the problem makes no sense or the search fails.
    pub fn solve(self) -> Result<Record, SolveError> {
        self.ask(Question::Solve)
    }

    /// Whether there is a solution of at most so many moves.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn prove(self, max_length: u32) -> Result<Record, SolveError> {
        self.ask(Question::Prove { max_length })
    }

    /// How many positions there are on each level up to `depth`.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn levels(self, depth: u32) -> Result<Record, SolveError> {
        self.ask(Question::Levels { depth })
    }

    /// How many shortest solutions there are.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn count(self) -> Result<Record, SolveError> {
        self.ask(Question::Count)
    }

    fn ask(self, question: Question) -> Result<Record, SolveError> {
        let job = self.job.map_err(SolveError::Problem)?;
        // What a pruning requires of a problem is known only now.
        let job = job.with(&Default::default()).map_err(|fault| SolveError::Problem(fault.message))?;
        let cancel = CancellationToken::after(job.limits.time);
        halma_record::record::built_from(env!("HALMA_SOURCE"));
        Ok(run::run(&job, question, self.progress, &cancel)?)
    }
}
