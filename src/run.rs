//! From a job to its record.

use std::time::Instant;

use thiserror::Error;

use crate::board::Board;
use crate::budget;
use crate::cells::Cells;
use crate::job::{Job, Problem};
use crate::key::Key;
use crate::notation;
use crate::problem::Transfer;
use crate::record::{Asked, Digest, FORMAT, LevelRecord, PROGRAM, Record, RunRecord, SymmetryRecord, Verdict};
use crate::search::{Expander, Stop, digest};
use crate::solve::{Answer, Attempt, LevelFigures, Progress, TransferSearch};

/// What is asked of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// Why a job could not be run at all.
#[derive(Debug, Error)]
pub enum RunError {
    /// The threads could not be had.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// States do not fit any key.
    #[error("{men} men on {cells} cells are too many states to number")]
    TooLarge {
        /// Men.
        men: usize,
        /// Cells.
        cells: usize,
    },
}

/// Bytes that one pattern database may have where no memory limit is given.
const DATABASE: u64 = 1 << 29;

/// Answers `question` for `job`. A search that is stopped leaves a record that says so.
///
/// # Errors
/// Where it could not even begin.
pub fn run(job: &Job, question: Question, progress: &dyn Progress, stop: &Stop) -> Result<Record, RunError> {
    let Problem::Transfer(problem) = &job.problem;
    let threads = job.limits.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let expander = Expander::new(threads)?;
    let context = Context { job, problem, question, expander: &expander, progress, stop };
    let cells = problem.lattice.len();
    // The narrowest sets and keys that hold the states; every pair of widths is one more search to compile.
    let record = if cells <= Cells::<2>::CAPACITY {
        context.search::<2, u64>().or_else(|| context.search::<2, u128>())
    } else {
        context.search::<4, u128>()
    };
    record.ok_or(RunError::TooLarge { men: problem.start.len(), cells })
}

#[derive(Clone, Copy)]
struct Context<'a> {
    job: &'a Job,
    problem: &'a Transfer,
    question: Question,
    expander: &'a Expander,
    progress: &'a dyn Progress,
    stop: &'a Stop,
}

impl Context<'_> {
    /// The answer; `None` where the states do not fit.
    fn search<const W: usize, K: Key>(self) -> Option<Record> {
        let search = &self.job.search;
        let databases = self.job.limits.memory.map_or(DATABASE, |m| m / 8);
        let mut search = TransferSearch::<W, K>::new(
            self.problem,
            search.pruning.clone(),
            search.palindromic,
            search.symmetry,
            databases,
            (self.expander, self.stop, self.progress),
        )?;
        let begun = Instant::now();
        let mut record = self.blank(SymmetryRecord::from(search.symmetries()));
        match self.question {
            Question::Levels { depth } => levels(&mut search, depth, &mut record),
            Question::Solve => self.lengths(&mut search, self.job.search.max_length, &mut record),
            Question::Prove { max_length } => self.lengths(&mut search, Some(max_length), &mut record),
        }
        record.seconds = begun.elapsed().as_secs_f64();
        record.cpu_seconds = budget::cpu_seconds();
        record.peak_memory_bytes = budget::peak_memory();
        Some(record)
    }

    /// A record without an answer.
    fn blank(&self, symmetries: SymmetryRecord) -> Record {
        let (question, max_length, depth) = match self.question {
            Question::Solve => (Asked::Solve, self.job.search.max_length, None),
            Question::Prove { max_length } => (Asked::Prove, Some(max_length), None),
            Question::Levels { depth } => (Asked::Levels, None, Some(depth)),
        };
        Record {
            format: FORMAT,
            program: PROGRAM.into(),
            problem: self.job.stated.clone(),
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
            pruning: self.job.search.pruning.clone(),
            palindromic: self.job.search.palindromic,
            solution: None,
            counts: None,
            runs: Vec::new(),
            digest_key: Some(Digest(u128::from(digest::KEY[0]) << 64 | u128::from(digest::KEY[1]))),
            seconds: 0.0,
            cpu_seconds: 0.0,
            peak_memory_bytes: 0,
            disk_bytes_written: 0,
            threads: self.expander.threads(),
        }
    }

    /// Exact lengths, one after another, until one has a solution or `max_length` is refuted.
    fn lengths<const W: usize, K: Key>(
        &self,
        search: &mut TransferSearch<'_, W, K>,
        max_length: Option<u32>,
        record: &mut Record,
    ) {
        let Some(bound) = search.lower_bound() else {
            // Not even the abstraction has a way from the start to the target.
            record.verdict = Verdict::None;
            record.exhausted = true;
            record.refuted_up_to = max_length;
            return;
        };
        record.lower_bound = Some(bound);
        let max_length = max_length.unwrap_or(u32::MAX);
        // The abstraction refutes all lengths below its distance, as far as anybody asked.
        record.refuted_up_to = bound.checked_sub(1).map(|b| b.min(max_length));
        let mut gap = None;
        for length in bound..=max_length {
            let attempt = search.attempt(length);
            record.runs.push(run_record(&attempt));
            match attempt.answer {
                Answer::Found(walk) => {
                    record.length = Some(length);
                    record.solution = Some(self.moves(&walk));
                    let optimal = gap.is_none() && self.question == Question::Solve;
                    record.verdict = if optimal { Verdict::Optimal } else { Verdict::Solution };
                    return;
                }
                Answer::Exhausted if gap.is_none() => {
                    record.verdict = Verdict::None;
                    record.exhausted = true;
                    record.refuted_up_to = Some(length);
                    return;
                }
                Answer::Refuted | Answer::Exhausted if gap.is_none() => record.refuted_up_to = Some(length),
                Answer::Refuted | Answer::Exhausted => {}
                Answer::Unproved(reason) => gap = gap.or(Some(reason)),
                Answer::Stopped(stopped) => {
                    record.reason = Some(stopped.to_string());
                    return;
                }
            }
        }
        record.verdict = if gap.is_none() { Verdict::None } else { Verdict::Incomplete };
        record.reason = gap;
    }

    /// A walk in the paper's notation, every landing named.
    fn moves<const W: usize>(&self, walk: &[Cells<W>]) -> Vec<String> {
        let Transfer { lattice, jumps_only, .. } = self.problem;
        let board: &Board = &lattice.board;
        let step = |pair: &[Cells<W>]| {
            let (from, to) = ((pair[0] & !pair[1]).iter().next()?, (pair[1] & !pair[0]).iter().next()?);
            notation::chain(lattice, pair[0], from, to, *jumps_only)
        };
        walk.windows(2).filter_map(step).map(|chain| notation::write_chain(&chain, board)).collect()
    }
}

fn levels<const W: usize, K: Key>(search: &mut TransferSearch<'_, W, K>, depth: u32, record: &mut Record) {
    let (figures, result) = search.levels(depth);
    record.verdict = if result.is_ok() { Verdict::Levels } else { Verdict::Incomplete };
    record.reason = result.err().map(|stopped| stopped.to_string());
    record.exhausted = figures.last().is_some_and(|f| f.tally.states == 0);
    let seconds = figures.iter().map(|f| f.seconds).sum();
    record.runs.push(RunRecord {
        length: depth,
        verdict: record.verdict,
        reason: record.reason.clone(),
        pruning: Some(crate::job::Pruning::None),
        c: None,
        seconds,
        generated: figures.iter().map(|f| f.tally.generated).sum(),
        largest_level: figures.iter().map(|f| f.tally.states).max().unwrap_or(0),
        self_consistent: true,
        levels: figures.iter().map(level_record).collect(),
    });
}

fn run_record<const W: usize>(attempt: &Attempt<W>) -> RunRecord {
    let (verdict, reason) = match &attempt.answer {
        Answer::Found(_) => (Verdict::Solution, None),
        Answer::Refuted | Answer::Exhausted => (Verdict::None, None),
        Answer::Unproved(reason) => (Verdict::Incomplete, Some(reason.clone())),
        Answer::Stopped(stopped) => (Verdict::Incomplete, Some(stopped.to_string())),
    };
    RunRecord {
        length: attempt.length,
        verdict,
        reason,
        pruning: None,
        c: attempt.c.map(|(c, _)| c),
        seconds: attempt.seconds,
        generated: attempt.levels.iter().map(|f| f.tally.generated).sum(),
        largest_level: attempt.levels.iter().map(|f| f.tally.states).max().unwrap_or(0),
        self_consistent: attempt.c.is_none_or(|(_, consistent)| consistent),
        levels: attempt.levels.iter().map(level_record).collect(),
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
        seconds: Some(figures.seconds),
        bytes: Some(figures.bytes),
    }
}
