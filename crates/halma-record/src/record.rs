//! What a run leaves behind: `result.json`, the same document that `--json` prints.
//!
//! Fields may be added within a [`FORMAT`]; readers pass over those they do not know.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use halma_files::folder::{self, Folder};

use crate::job::pruning::Abstraction;
use crate::job::{ProblemSpec, Pruning};

mod claims;
mod impossible;
mod machine;

use halma_files::number;
pub use halma_files::number::{Count, Digest, FileRecord};

pub use impossible::ImpossibleRecord;
pub use machine::{ClusterRecord, Machine, now};

/// The version of the document. A reader that finds another one must refuse: fields may mean something else.
pub const FORMAT: u32 = 1;

/// The name of a record in its run's folder.
pub const FILE: &str = halma_files::RECORD;

/// The program that writes records, as they name it.
pub const PROGRAM: &str = concat!("halma ", env!("CARGO_PKG_VERSION"));

/// Settled by the first who says or asks, so that all records of one process agree.
static SOURCE: OnceLock<Option<&str>> = OnceLock::new();

/// Says which source the program was built from, for the records that it writes; only the first word counts.
pub fn built_from(source: &'static str) {
    SOURCE.get_or_init(|| Some(source));
}

/// The source that the program was built from, where it has said so: see [`Record::source`].
#[must_use]
pub fn source() -> Option<&'static str> {
    *SOURCE.get_or_init(|| None)
}

/// What was asked, what was found, and all that the answer rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    /// [`PROGRAM`].
    pub program: String,
    /// The problem.
    pub problem: ProblemSpec,
    /// The source that the program was built from: what `git rev-parse COMMIT:src COMMIT:crates` prints, joined by `+`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The machine that the run ended on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
    /// When the run ended, as in `2026-11-23T08:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// The cells and the directions that all numbers of cells here refer to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<LatticeRecord>,
    /// The symmetries that the search used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetries: Option<SymmetryRecord>,
    /// What was asked of it.
    pub question: Asked,
    /// `prove`: the length asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// `levels`: the last level asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The answer.
    pub verdict: Verdict,
    /// Why there is no answer, where the verdict is [`Verdict::Incomplete`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The length of the solution.
    pub length: Option<u32>,
    /// The greatest length L such that no solution has L moves or fewer.
    pub refuted_up_to: Option<u32>,
    /// Whether no solution of any length exists, because every state that can be reached was seen, or, where there is no
    /// [`Self::lower_bound`], because a bound leaves no length at all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exhausted: bool,
    /// The length below which a bound refuted all, before any search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u32>,
    /// Cells that show that there is no solution, where some do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impossible: Option<ImpossibleRecord>,
    /// Of a puzzle: how far back a repeated state can lie, which says with which levels new ones were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
    /// Of a puzzle under distances in puzzles with fewer letters: these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projections: Vec<Abstraction>,
    /// `levels` of a puzzle, where all states were seen: some of the farthest ones, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub farthest: Vec<String>,
    /// The function of the cells whose sum over an army is its centroid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centroid: Option<Vec<i32>>,
    /// What the pattern databases tell apart, where the pruning uses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionRecord>,
    /// The pruning asked for.
    pub pruning: Pruning,
    /// Whether only palindromes were looked for; then a refutation speaks of palindromes only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub palindromic: bool,
    /// The moves, each chain with all its landings.
    pub solution: Option<Vec<String>>,
    /// Of a puzzle: more solutions of the same length, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_solutions: Vec<Vec<String>>,
    /// How many shortest solutions there are, where that was asked.
    pub counts: Option<Counts>,
    /// One entry per length tried, in the order tried.
    pub runs: Vec<RunRecord>,
    /// The key under which the levels' states were mixed for their digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest_key: Option<Digest>,
    /// The key of the second digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_digest_key: Option<Digest>,
    /// Time on the clock; here and below with all processes of a run that went on, as far as they saved their work.
    pub seconds: f64,
    /// Time of all threads.
    pub cpu_seconds: f64,
    /// The most memory held at once.
    #[serde(with = "number::digits")]
    pub peak_memory_bytes: u64,
    /// All that was written to disk, what was removed again included.
    #[serde(with = "number::digits")]
    pub disk_bytes_written: u64,
    /// How many threads searched.
    pub threads: usize,
}

/// The question of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asked {
    /// What is the shortest solution?
    Solve,
    /// Is there a solution of at most so many moves?
    Prove,
    /// How large is each level?
    Levels,
    /// How many shortest solutions are there?
    Count,
}

/// How far back a repeated state can lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repeats {
    /// On the last level or the one before: every move can be undone by a move.
    Previous,
    /// On no other level.
    Never,
    /// On any earlier level.
    All,
}

/// The answer of a record or of one of its runs. Not finished is an answer of its own, and never "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The solution is a shortest one: every shorter length is refuted.
    Optimal,
    /// There is no solution of the lengths asked about.
    None,
    /// There is a solution; shorter ones are not excluded.
    Solution,
    /// The levels asked for are complete.
    Levels,
    /// The shortest solutions are counted.
    Counted,
    /// The search ended before it had an answer.
    Incomplete,
}

/// Numbers of solutions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Sequences of moves.
    pub sequences: Count,
    /// Sequences, those that a symmetry of the board takes to each other counted once.
    pub up_to_symmetry: Count,
    /// Transfers with a mirror: sequences, those that a symmetry or the mirrored reversal takes to each other counted once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to_reversal: Option<Count>,
    /// Transfers with a mirror: sequences that are their own mirrored reversals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub palindromic: Option<Count>,
    /// Transfers with a mirror: these up to symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub palindromic_up_to_symmetry: Option<Count>,
    /// Games: positions after the last move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_positions: Option<Count>,
    /// Games: these up to symmetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_up_to_symmetry: Option<Count>,
    /// Puzzles: by the number of moves made, how many positions some shortest solution has then, those that a symmetry exchanges
    /// counted once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<u64>>,
}

/// K and ρ as permutations: cell `i` goes to the `i`-th entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymmetryRecord {
    /// The identity and all else that fixes start and target.
    pub fixing: Vec<Vec<u8>>,
    /// What swaps them.
    pub mirror: Option<Vec<u8>>,
}

/// A board as its cells, in the order of their numbers, and the directions in which men step and jump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatticeRecord {
    /// The cells' names.
    pub cells: Vec<String>,
    /// (columns to the right, rows down), one of each opposite pair after the other.
    pub directions: Vec<(i32, i32)>,
}

/// The classes of cells that histograms count men in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionRecord {
    /// Class by cell.
    pub class_of: Vec<u8>,
    /// By class the value of the odd function whose sum decides which middles lead.
    pub values: Vec<i32>,
}

/// The search for one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The length.
    pub length: u32,
    /// What was found.
    pub verdict: Verdict,
    /// Why the run did not end, where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where its leading levels serve the lengths after it, too: the greatest one. The runs of those have only what follows
    /// from their middle level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<u32>,
    /// Where what follows from its middle level decides the next length, too, whose run then has no levels: that length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_with: Option<u32>,
    /// The pruning, where it is not that of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruning: Option<Pruning>,
    /// `mcc`: the C that the run was made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<i64>,
    /// Time on the clock.
    pub seconds: f64,
    /// Successors over all levels.
    #[serde(with = "number::digits")]
    pub generated: u64,
    /// States of the largest level.
    #[serde(with = "number::digits")]
    pub largest_level: u64,
    /// `false` where a guess that the run was made with proved too small, so that its verdict counts for nothing.
    pub self_consistent: bool,
    /// One entry per level and side. Trailing levels that meet the following ones of several runs are with the last of these.
    pub levels: Vec<LevelRecord>,
}

/// The runs of lengths that were decided together, at least one.
#[derive(Clone, Copy, Debug)]
pub struct Together<'a>(pub &'a [RunRecord]);

impl Together<'_> {
    /// The last of the lengths.
    #[must_use]
    pub fn last(self) -> u32 {
        self.0[self.0.len() - 1].length
    }

    /// Successors over all of them.
    #[must_use]
    pub fn generated(self) -> u64 {
        self.0.iter().map(|run| run.generated).sum()
    }
}

/// What was decided together, in order. A count's levels, of a length that has had its run, are a part of their own.
#[must_use]
pub fn together(runs: &[RunRecord]) -> Vec<Together<'_>> {
    let (mut parts, mut rest) = (Vec::new(), runs);
    while let Some(first) = rest.first() {
        let up_to = first.up_to.unwrap_or(first.length);
        let lengths = first.length..=up_to;
        // At least the first, whatever an edited record says.
        let count = lengths.zip(rest).take_while(|(length, run)| run.length == *length).count().max(1);
        let (part, others) = rest.split_at(count);
        parts.push(Together(part));
        rest = others;
    }
    parts
}

/// One level of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelRecord {
    /// How many moves from its side's start.
    pub depth: u32,
    /// The side.
    pub side: Side,
    /// New states, one for each class under K.
    #[serde(with = "number::digits")]
    pub states: u64,
    /// Successors of the level before: pruned + duplicates + old + states.
    #[serde(with = "number::digits")]
    pub generated: u64,
    /// Successors that a bound dropped.
    #[serde(with = "number::digits")]
    pub pruned: u64,
    /// Successors met more than once on this level.
    #[serde(with = "number::digits")]
    pub duplicates: u64,
    /// Successors that stand on one of the two levels before.
    #[serde(with = "number::digits")]
    pub old: u64,
    /// The largest centroid.
    pub centroid_max: Option<i64>,
    /// The sum of all states' mixes.
    pub digest: Digest,
    /// The same under the second key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_digest: Option<Digest>,
    /// The file that keeps the level, where levels were to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRecord>,
    /// Time on the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Bytes that the level takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Which levels a level belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// From the start.
    Forward,
    /// From the target.
    Backward,
    /// From the start to the middle, the leading half only.
    Leading,
    /// From the middles of the leading half to the target.
    Following,
    /// From the start to the mirror image of the last following level, where that has been outgrown.
    Trailing,
}

impl Side {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Leading => "leading",
            Self::Following => "following",
            Self::Trailing => "trailing",
        }
    }
}

/// Why a record cannot be read or written.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    Read {
        /// The record.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written: {source}", file.display())]
    Write {
        /// The record.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no record.
    #[error("{}: damaged record: {source}", file.display())]
    Damaged {
        /// The record.
        file: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The record contradicts itself.
    #[error("{}: damaged record: {reason}", file.display())]
    Contradiction {
        /// The record.
        file: PathBuf,
        /// What contradicts what.
        reason: String,
    },
    /// The file is a job.
    #[error("{}: a job, and no record; halma solve makes one of it", file.display())]
    Job {
        /// The job.
        file: PathBuf,
    },
    /// The file is a record that another version wrote.
    #[error("{}: record of format {found}; this program reads format {FORMAT}", file.display())]
    Format {
        /// The record.
        file: PathBuf,
        /// Its format.
        found: u32,
    },
}

impl Record {
    /// Reads a record, which must not contradict itself.
    ///
    /// # Errors
    /// [`RecordError::Damaged`], [`RecordError::Contradiction`] and [`RecordError::Format`] where the file is there and
    /// cannot be trusted.
    pub fn read(file: &Path) -> Result<Self, RecordError> {
        let record = Self::read_unjudged(file)?;
        match record.contradiction() {
            None => Ok(record),
            Some(reason) => Err(RecordError::Contradiction { file: file.into(), reason }),
        }
    }

    /// Reads a record for one who judges it himself.
    ///
    /// # Errors
    /// [`RecordError::Damaged`] and [`RecordError::Format`].
    pub fn read_unjudged(file: &Path) -> Result<Self, RecordError> {
        let refused = |source| RecordError::Read { file: file.into(), source };
        let (folder, name) = folder::parted(file).map_err(refused)?;
        let bytes = folder.read(name, folder::RECORD).map_err(refused)?;
        let text = String::from_utf8(bytes).map_err(|e| refused(io::Error::new(io::ErrorKind::InvalidData, e)))?;
        Self::parse(file, &text)
    }

    /// Reads a record's text; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`Record::read`].
    pub fn parse(file: &Path, text: &str) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let damaged = |source| RecordError::Damaged { file: file.into(), source };
        // The version first: a record of another format need not have the fields of this one.
        let Version { format } = serde_json::from_str(text).map_err(|e| match is_job(text) {
            true => RecordError::Job { file: file.into() },
            false => damaged(e),
        })?;
        if format != FORMAT {
            return Err(RecordError::Format { file: file.into(), found: format });
        }
        serde_json::from_str(text).map_err(damaged)
    }

    /// The record without what threads, memory, processes, an earlier stop or the machine's mood may change.
    #[must_use]
    pub fn without_measurements(mut self) -> Self {
        (self.machine, self.finished, self.seconds, self.cpu_seconds, self.threads) = (None, None, 0.0, 0.0, 0);
        (self.peak_memory_bytes, self.disk_bytes_written) = (0, 0);
        for run in &mut self.runs {
            run.seconds = 0.0;
            run.levels.iter_mut().for_each(|level| (level.seconds, level.bytes) = (None, None));
        }
        self
    }

    /// The document, indented, with a line break at its end.
    ///
    /// # Errors
    /// Never for a record that this program made: all keys are text and all numbers finite.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Writes the record as `file`, whole or not at all, and makes its folder where that is missing.
    ///
    /// # Errors
    /// Where the file system does not let it.
    pub fn write(&self, file: &Path) -> Result<(), RecordError> {
        let write = || {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            Folder::make(folder)?.replace(name, self.to_json()?.as_bytes(), File::sync_all)
        };
        write().map_err(|source| RecordError::Write { file: file.into(), source })
    }
}

/// Whether the text is that of a job file.
fn is_job(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("problem"))
}
