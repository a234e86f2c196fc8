//! The verifier, `halma check`: decides whether a record is true, by code that shares nothing with the search.
//!
//! It shares with the rest of halma only how records are parsed ([`halma_record::record`]) and numbers are put into
//! words. Boards, moves, keys, digests, bounds, pattern databases and the reader of level files are written again here,
//! as plainly as possible, from the rules page, the proof and the description of the file format. `docs/proof.md`
//! proves that the checks suffice, and says what remains to be trusted.
//!
//! Four things are checked, each based on the one before:
//! 1. the record itself: the problem is what it names, K and ρ are what they should be, every successor is accounted for,
//!    no length is left out, the verdict follows, the solution replays;
//! 2. levels that were not kept, by deriving them again as far as a budget goes: all counts and digests;
//! 3. levels that were kept, by expanding every state and looking every successor up: it must be on the next level or an
//!    earlier one (of transfers one of the two before, of games any with the same side to move), or a bound must cut it. Or,
//!    of a sample of the states;
//! 4. how many solutions there are, where the record says so, by another way to count them.

mod board;
mod centroid;
mod common_states;
mod counts;
mod databases;
mod evidence;
mod game_record;
mod histograms;
mod impossible;
mod keys;
mod leading;
mod level_file;
mod level_step;
mod level_walk;
pub mod memory;
mod moves;
mod number;
pub mod own;
mod path_counts;
mod permutation;
mod problem;
mod rejection;
mod relaxed;
mod search;
mod self_consistency;
mod sides;
mod transfer_bounds;
mod transfer_model;
#[doc(hidden)]
pub mod twins;

use std::path::{Path, PathBuf};

use thiserror::Error;

use halma_record::record::{self, Asked, Counts, Record, RecordError};

use moves::Set;
use path_counts::Trouble;
use problem::Problem;
use search::Searches;

pub use rejection::{Place, Rejection, RejectionKind};

/// How to check.
pub struct Options<'a> {
    /// Of kept levels look only at so many states on either side of each step.
    pub sample: Option<u64>,
    /// How many successors may be made to derive levels that were not kept.
    pub budget: u64,
    /// How many bytes of memory the process may come to hold.
    pub memory: Option<u64>,
    /// What is told while it goes on.
    pub progress: &'a (dyn Fn(&str) + Sync),
}

/// What was found to hold, and what was not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What holds.
    pub checked: Vec<String>,
    /// What the verdict rests on and nobody looked at.
    pub unchecked: Vec<String>,
    /// Whether levels were only sampled.
    pub sampled: bool,
}

impl Report {
    /// What became of a count.
    fn count(&mut self, (counts, length): (&Counts, u32), confirmed: Result<(), Trouble>) -> Result<(), Rejection> {
        match confirmed {
            Ok(()) => self.checked.push(format!("how many there are: counted again, {}", counts.sequences)),
            Err(Trouble::TooMany(why)) => self.unchecked.push(format!("how many there are: {why}")),
            Err(Trouble::Wrong(why)) => return Err(RejectionKind::Count.because(why).at_length(length)),
        }
        Ok(())
    }
}

/// Why a record does not pass.
#[derive(Debug, Error)]
pub enum CheckError {
    /// There is no record to check.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The record, or a level file, is not what it says.
    #[error("{}: rejected: {rejection}", file.display())]
    Rejected {
        /// The record.
        file: PathBuf,
        /// What is wrong, and where.
        rejection: Rejection,
    },
}

/// The file of a record: `run`, or the one in that folder.
fn file_of(run: &Path) -> PathBuf {
    if run.is_dir() { run.join(record::FILE) } else { run.into() }
}

/// The size of a file; what cannot be read is told when it is.
fn bytes_of(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |there| there.len())
}

/// The least budget that will do to check `run` with so many threads, in bytes.
#[must_use]
pub fn least_memory(run: &Path, threads: usize) -> u64 {
    memory::least(threads).saturating_add(memory::of_record(bytes_of(&file_of(run))))
}

/// Checks a record: `run` is the file, or the folder of its run.
///
/// # Errors
/// Where it does not hold.
pub fn check(run: &Path, options: &Options) -> Result<Report, CheckError> {
    let file = file_of(run);
    memory::keep_to(options.memory, bytes_of(&file));
    let record = Record::read_unjudged(&file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    record_holds(&record, folder, options).map_err(|rejection| CheckError::Rejected { file, rejection })
}

/// Checks a record whose level files lie below `folder`.
///
/// # Errors
/// Why it does not hold.
pub fn record_holds(record: &Record, folder: &Path, options: &Options) -> Result<Report, Rejection> {
    if let Some(stated) = record.problem.puzzle() {
        return own::holds(stated, record, folder, options);
    }
    record.runs.iter().try_for_each(|run| self_consistency::figures(record, run, false))?;
    self_consistency::verdict(record)?;
    match record.problem.kind() {
        "game" => game_record::holds(record, folder, options),
        "transfer" => transfer(record, folder, options),
        other => RejectionKind::Problem.reject(format!("problem.kind: `{other}` is neither transfer nor game")),
    }
}

/// What holds of a transfer's record.
fn transfer(record: &Record, folder: &Path, options: &Options) -> Result<Report, Rejection> {
    let problem = Problem::of(record).map_err(Rejection::of(RejectionKind::Problem))?;
    let mut searches = Searches::new(record, &problem, folder, options);
    searches.report.checked = stated(record, &problem);
    if let Some(solution) = &record.solution {
        replay(record, &problem, solution).map_err(|why| RejectionKind::Solution.of_length(record.length, why))?;
        searches.report.checked.push(format!("the solution plays, {} moves", solution.len()));
    }
    searches.all()
}

/// The problem restated, for whoever reads the verdict.
fn stated(record: &Record, problem: &Problem) -> Vec<String> {
    let Problem { model, start, target } = problem;
    let only = if model.jumps_only { ", jumps only" } else { "" };
    let rule = model.board.directions.len();
    let ends = format!("from {} to {}", model.board.names(start), model.board.names(target));
    let mirror = if model.mirror.is_some() { "a mirror" } else { "no mirror" };
    let mut checked = vec![
        format!("{} men on {} cells, {rule} directions{only}: {ends}", start.len(), model.board.len()),
        format!("K of order {} and {mirror}: automorphisms that fix and swap the ends", model.fixing.len()),
        "every successor is accounted for".into(),
    ];
    if record.question != Asked::Levels {
        let only = if record.palindromic { "; it speaks of palindromes only" } else { "" };
        checked.push(format!("no length is left out, and the verdict follows from the runs{only}"));
    }
    checked
}

/// Plays the solution; one of palindromes mirrors itself.
fn replay(record: &Record, problem: &Problem, solution: &[String]) -> Result<(), String> {
    let Problem { model, start, target } = problem;
    if record.length.is_none_or(|length| length as usize != solution.len()) {
        return Err(format!("solution: {} moves for length {:?}", solution.len(), record.length));
    }
    let mut armies = vec![Set::of(start)];
    for (number, written) in (1..).zip(solution) {
        let mut men = armies[armies.len() - 1];
        let (from, to) = moves::play(&model.board, men, written, model.jumps_only)
            .map_err(|fault| format!("solution, move {number} ({written}): {fault}"))?;
        men.flip(from);
        men.flip(to);
        armies.push(men);
    }
    if armies[solution.len()] != Set::of(target) {
        return Err("solution: it does not end in the target".into());
    }
    let Some(mirror) = model.mirror.as_ref().filter(|_| record.palindromic) else { return Ok(()) };
    let mirrored = |men: &Set| Set::of(&men.cells().map(|cell| mirror[usize::from(cell)]).collect::<Vec<_>>());
    match armies.iter().rev().map(mirrored).eq(armies.iter().copied()) {
        true => Ok(()),
        false => {
            Err("solution: its second half does not mirror the first, and only palindromes were looked for".into())
        }
    }
}
