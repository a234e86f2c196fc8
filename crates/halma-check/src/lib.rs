//! The verifier, `halma check`: decides whether a record is true, by code that shares nothing with the search.
//!
//! It shares with the rest of halma only how records are parsed ([`halma_record::record`]) and numbers are put into
//! words. Boards, moves, keys, digests, bounds, pattern databases and the reader of level files are written again here,
//! as plainly as possible, from the rules page, the proof and the description of the file format. `docs/proof.md`
//! proves that the checks suffice, and says what remains to be trusted.
//!
//! Four things are checked, each based on the one before:
//! 1. The record itself: the problem is the named one, K and ρ are correct, every successor is accounted for, no length
//!    is left out, the verdict follows, and the solution replays.
//! 2. Levels that were not kept: they are derived again as far as a budget allows, and all counts and digests are
//!    compared.
//! 3. Levels that were kept: every state is expanded and every successor looked up. It must be on the next level or on
//!    an earlier one (of transfers one of the previous two, of games any with the same side to move, of puzzles any),
//!    or a bound must prune it. Or the same for a sample of the states.
//! 4. The number of solutions, if the record has it: it is counted again in another way.

mod board;
mod centroid;
mod common_states;
mod conclusion;
mod databases;
mod earlier_record;
mod evidence;
mod game_record;
mod histograms;
mod impossible;
mod keys;
mod level_file;
mod level_step;
mod level_walk;
pub mod memory;
mod moves;
mod number;
mod parallel;
mod path_counts;
mod permutation;
mod problem;
pub mod puzzle_record;
mod rejection;
mod relaxed;
mod self_consistency;
mod sides;
mod transfer_bounds;
mod transfer_model;
mod transfer_record;
#[doc(hidden)]
pub mod twins;

use std::path::{Path, PathBuf};

use thiserror::Error;

use halma_record::record::{self, Asked, Counts, Record, RecordError};
use halma_record::words::counted;

use moves::Set;
use problem::Problem;
use rejection::{Trouble, or_none};
use transfer_record::TransferCheck;

pub use rejection::{Place, Rejection, RejectionKind};

/// The options of a check.
pub struct Options<'a> {
    /// Check only so many states of kept levels on either side of each step.
    pub sample: Option<u64>,
    /// The most successors that may be made to derive levels that were not kept.
    pub budget: u64,
    /// The memory budget in bytes.
    pub memory: Option<u64>,
    /// Receives the progress.
    pub progress: &'a (dyn Fn(&str) + Sync),
}

/// The result of a check: what was verified, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The statements that were verified.
    pub checked: Vec<String>,
    /// The statements that the verdict rests on and that were not checked.
    pub unchecked: Vec<String>,
    /// Whether levels were only sampled.
    pub sampled: bool,
    /// What the record calls its problem, which nothing can confirm.
    pub title: Option<String>,
    /// What follows if nothing was left unchecked; of a sample, as far as a sample tells.
    pub conclusion: String,
}

impl Report {
    /// Enters the result of a count, up to a group of so many symmetries.
    fn count(
        &mut self,
        (counts, length): (&Counts, u32),
        order: Option<usize>,
        confirmed: Result<(), Trouble>,
    ) -> Result<(), Rejection> {
        match confirmed {
            Ok(()) => {
                let Counts { sequences, up_to_symmetry, .. } = counts;
                let classes = order.map(|order| format!(", {up_to_symmetry} up to symmetry under K of order {order}"));
                let classes = classes.unwrap_or_default();
                self.checked.push(format!("how many there are: counted again, {sequences}{classes}"));
            }
            Err(Trouble::TooMany(why)) => self.unchecked.push(format!("how many there are: {why}")),
            Err(Trouble::Wrong(why)) => return Err(RejectionKind::Count.because(why).at_length(length)),
        }
        Ok(())
    }
}

/// Why a record is rejected.
#[derive(Debug, Error)]
pub enum CheckError {
    /// There is no record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The record, or a level file, is wrong.
    #[error("{}: rejected: {rejection}", file.display())]
    Rejected {
        /// The record.
        file: PathBuf,
        /// The error and its place.
        rejection: Rejection,
    },
    /// A level file was written by another version of the program, so that nothing is known of it.
    #[error("{}: not checked: {rejection}", file.display())]
    Version {
        /// The record.
        file: PathBuf,
        /// The level file, and the versions.
        rejection: Rejection,
    },
}

/// The record's file: `run` itself, or the one in that folder.
fn file_of(run: &Path) -> PathBuf {
    if run.is_dir() { run.join(record::FILE) } else { run.into() }
}

/// The size of a file; errors are reported when it is read.
fn bytes_of(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |there| there.len())
}

/// The least memory budget, in bytes, to check `run` with so many threads.
#[must_use]
pub fn least_memory(run: &Path, threads: usize) -> u64 {
    memory::least(threads).saturating_add(memory::of_record(bytes_of(&file_of(run))))
}

/// Checks a record; `run` is its file or its run's folder.
///
/// # Errors
/// Why it is rejected.
pub fn check(run: &Path, options: &Options) -> Result<Report, CheckError> {
    let file = file_of(run);
    memory::keep_to(options.memory, bytes_of(&file));
    let (record, unknown) = Record::read_with_unknown(&file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut report = judged(&record, folder, options).map_err(|rejection| match rejection.kind {
        RejectionKind::Version => CheckError::Version { file, rejection },
        _ => CheckError::Rejected { file, rejection },
    })?;
    if let Some(first) = unknown.first() {
        let others = unknown.len() - 1;
        let others = if others == 0 { String::new() } else { format!(", and {} more", counted(others, "field")) };
        report.unchecked.push(format!("{first}{others}: this program knows no such field"));
    }
    Ok(report)
}

/// Checks a record whose level files are in `folder`.
///
/// # Errors
/// Why it is rejected.
pub fn record_holds(record: &Record, folder: &Path, options: &Options) -> Result<Report, Rejection> {
    memory::keep_to(options.memory, 0);
    judged(record, folder, options)
}

/// The same, within the memory that was set.
fn judged(record: &Record, folder: &Path, options: &Options) -> Result<Report, Rejection> {
    let report = match holds(record, folder, options) {
        // Nothing is wrong with it, and nothing was shown.
        Err(rejection) if rejection.kind == RejectionKind::TooLarge => {
            Report { unchecked: vec![format!("the record: {rejection}")], ..Report::default() }
        }
        judged => judged?,
    };
    Ok(Report { title: record.problem.title().map(Into::into), conclusion: conclusion::of(record), ..report })
}

/// The same by the kind of its problem.
fn holds(record: &Record, folder: &Path, options: &Options) -> Result<Report, Rejection> {
    if let Some(stated) = record.problem.puzzle() {
        return puzzle_record::holds(stated, record, folder, options);
    }
    record.runs.iter().try_for_each(|run| self_consistency::figures(record, run, false))?;
    self_consistency::verdict(record)?;
    match record.problem.kind() {
        "game" => game_record::holds(record, folder, options),
        "transfer" => transfer(record, folder, options),
        other => RejectionKind::Problem.reject(format!("problem.kind: `{other}` is neither transfer nor game")),
    }
}

/// Checks a transfer's record.
fn transfer(record: &Record, folder: &Path, options: &Options) -> Result<Report, Rejection> {
    let problem = Problem::of(record).map_err(Rejection::of(RejectionKind::Problem))?;
    let mut check = TransferCheck::new(record, &problem, folder, options)?;
    check.report.checked = stated(record, &problem);
    if let Some(solution) = &record.solution {
        let faulty = |why| RejectionKind::Solution.of_length(record.length, format!("solution{why}"));
        if record.length.is_none_or(|length| length as usize != solution.len()) {
            let moves = counted(solution.len(), "move");
            return Err(faulty(format!(": {moves} for length {}", or_none(record.length))));
        }
        replay(record, &problem, solution).map_err(faulty)?;
        check.report.checked.push(format!("the solution plays, {}", counted(solution.len(), "move")));
    }
    if let Some(known) = &record.known_solution {
        let faulty = |why| RejectionKind::Solution.because(format!("known_solution{why}"));
        replay(record, &problem, known).map_err(faulty)?;
        check.report.checked.push(format!("the known solution plays, {}", counted(known.len(), "move")));
    }
    check.all()
}

/// The problem restated for the reader.
fn stated(record: &Record, problem: &Problem) -> Vec<String> {
    let Problem { model, start, target } = problem;
    let only = if model.jumps_only { ", jumps only" } else { "" };
    let rule = model.board.directions.len();
    let ends = format!("from {} to {}", model.board.names(start), model.board.names(target));
    let mirror = if model.mirror.is_some() { "a mirror" } else { "no mirror" };
    let mut checked = vec![
        format!("{} men on {} cells, {rule} directions{only}: {ends}", start.len(), model.board.len()),
        problem.drawn(record),
        format!("K of order {} and {mirror}: automorphisms that fix and swap the ends", model.fixing.len()),
        "every successor is accounted for".into(),
    ];
    if record.question != Asked::Levels {
        let only = if record.palindromic { "; it speaks of palindromes only" } else { "" };
        checked.push(format!("no length is left out, and the verdict follows from the runs{only}"));
    }
    checked
}

/// Replays a solution; a palindromic one must be its own mirrored reversal. What is wrong is said to the solution's name.
fn replay(record: &Record, problem: &Problem, solution: &[String]) -> Result<(), String> {
    let Problem { model, start, target } = problem;
    let mut armies = vec![Set::of(start)];
    for (number, written) in (1..).zip(solution) {
        let mut men = armies[armies.len() - 1];
        if men == Set::of(target) {
            return Err(format!(", move {number} ({written}): the target is filled before it"));
        }
        let (from, to) = moves::play(&model.board, men, written, model.jumps_only)
            .map_err(|fault| format!(", move {number} ({written}): {fault}"))?;
        men.flip(from);
        men.flip(to);
        armies.push(men);
    }
    if armies[solution.len()] != Set::of(target) {
        return Err(": it does not end in the target".into());
    }
    let Some(mirror) = model.mirror.as_ref().filter(|_| record.palindromic) else { return Ok(()) };
    let mirrored = |men: &Set| Set::of(&men.cells().map(|cell| mirror[usize::from(cell)]).collect::<Vec<_>>());
    match armies.iter().rev().map(mirrored).eq(armies.iter().copied()) {
        true => Ok(()),
        false => Err(": its second half does not mirror the first, and only palindromes were looked for".into()),
    }
}
