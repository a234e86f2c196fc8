//! The record of a run: `result.json`, the same document that `--json` prints.
//!
//! Fields may be added within a [`FORMAT`]; readers ignore fields that they do not know, but for those of the problem.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::job::pruning::Abstraction;
use crate::job::{ProblemSpec, Pruning};
use crate::unique_keys;

mod claims;
mod impossible;
mod length_record;
mod machine;
mod record_file;

pub use halma_files::kept_file::FileRecord;
use halma_files::number;
pub use halma_files::number::{Count, Digest};

pub use claims::LONGEST;
pub use impossible::ImpossibleRecord;
pub use length_record::{LengthRecord, LevelRecord, Side, Together, together};
pub use machine::{ClusterRecord, Machine, now};
pub use record_file::RecordError;

/// The version of the document. A reader that finds another one must refuse: fields may mean something else.
pub const FORMAT: u32 = 1;

/// The name of a record in its run's folder.
pub const FILE: &str = halma_files::RECORD_FILE;

/// The program that writes records, as they name it.
pub const PROGRAM: &str = concat!("halma ", env!("CARGO_PKG_VERSION"));

/// [`Record::reason`] of a run that a signal has ended.
pub const INTERRUPTED: &str = "interrupted";

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

/// The record of a run: question, answer, and the evidence for the answer.
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
    /// The cells and directions to which the numbers of cells in this record refer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lattice: Option<LatticeRecord>,
    /// The symmetries that the search used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetries: Option<SymmetryRecord>,
    /// What was asked of it.
    pub question: Asked,
    /// The greatest length that was asked about, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// `levels`: the last level asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The answer.
    pub verdict: Verdict,
    /// Why there is no answer, if the verdict is [`Verdict::Incomplete`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The length of the solution.
    pub length: Option<u32>,
    /// The greatest length L such that no solution has L moves or fewer.
    pub refuted_up_to: Option<u32>,
    /// Whether there is no solution of any length: all reachable states were seen or, if there is no
    /// [`Self::lower_bound`], a bound leaves no length.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exhausted: bool,
    /// All shorter lengths are refuted by a bound, without a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u32>,
    /// Cells which prove that there is no solution, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impossible: Option<ImpossibleRecord>,
    /// Puzzles: on which earlier levels a state may recur, and so the levels with which new ones were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
    /// Puzzles under the pruning `projection`: its abstractions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projections: Vec<Abstraction>,
    /// The question `levels` of a puzzle, if all states were seen: some of the farthest ones, as text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub farthest: Vec<String>,
    /// The function of the cells whose sum over an army is its centroid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centroid: Option<Vec<i32>>,
    /// The classes of the pattern databases' histograms, if the pruning uses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionRecord>,
    /// The pruning asked for.
    pub pruning: Pruning,
    /// Whether only palindromes were sought; then refutations are of palindromes only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub palindromic: bool,
    /// The moves, each chain with all its landings.
    pub solution: Option<Vec<String>>,
    /// The moves of a solution that a search had when it was stopped, and that need not be a shortest one: it has more moves
    /// than are refuted. An upper bound; transfers alone have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_solution: Option<Vec<String>>,
    /// Puzzles: more solutions of the same length, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_solutions: Vec<Vec<String>>,
    /// The numbers of shortest solutions, if they were asked for.
    pub counts: Option<Counts>,
    /// One entry for each length tried, in order. (The name is older than the word *run* for the execution of a job.)
    pub runs: Vec<LengthRecord>,
    /// The key of the levels' digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest_key: Option<Digest>,
    /// The key of the second digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_digest_key: Option<Digest>,
    /// Time on the clock, here and below over all processes of a run that was resumed, as far as they saved their work.
    pub seconds: f64,
    /// Processor time of all threads.
    pub cpu_seconds: f64,
    /// The most memory held at once.
    #[serde(with = "number::digits")]
    pub peak_memory_bytes: u64,
    /// All bytes written to disk, those of removed files included.
    #[serde(with = "number::digits")]
    pub disk_bytes_written: u64,
    /// How many threads searched.
    pub threads: usize,
    /// The earlier record that this one builds on. It is of the same problem, and the lengths that it refutes were not tried
    /// again: [`Self::runs`] begins after them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted_by: Option<Box<Record>>,
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

impl Asked {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Solve, Self::Prove, Self::Levels, Self::Count];

    /// Its name in records and folders.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Solve => "solve",
            Self::Prove => "prove",
            Self::Levels => "levels",
            Self::Count => "count",
        }
    }

    /// The question of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|asked| asked.name() == name)
    }
}

/// On which earlier levels a state may recur.
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

/// The answer of a record or of one length. "Not finished" is an answer of its own, and never "none".
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

impl Verdict {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::None => "none",
            Self::Solution => "solution",
            Self::Levels => "levels",
            Self::Counted => "counted",
            Self::Incomplete => "incomplete",
        }
    }
}

/// Numbers of solutions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Sequences of moves.
    pub sequences: Count,
    /// Sequences, counting those that a symmetry of the board maps to each other once.
    pub up_to_symmetry: Count,
    /// Transfers with a mirror: sequences, counting those that a symmetry or the mirrored reversal maps to each other
    /// once.
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
    /// Puzzles: by level, the number of positions of shortest solutions there, up to the symmetries that the search used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<Vec<u64>>,
    /// Puzzles that were searched without their symmetries: those up to which [`Self::up_to_symmetry`] counts, the identity first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetries: Option<Vec<Vec<u8>>>,
}

impl Counts {
    /// These numbers, and no others.
    #[must_use]
    pub fn of(sequences: impl Into<Count>, up_to_symmetry: impl Into<Count>) -> Self {
        Self {
            sequences: sequences.into(),
            up_to_symmetry: up_to_symmetry.into(),
            up_to_reversal: None,
            palindromic: None,
            palindromic_up_to_symmetry: None,
            final_positions: None,
            final_up_to_symmetry: None,
            positions: None,
            symmetries: None,
        }
    }
}

/// K and ρ as permutations: cell `i` is mapped to the `i`-th entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymmetryRecord {
    /// The identity and all other symmetries that map start and target to themselves.
    pub fixing: Vec<Vec<u8>>,
    /// The mirror, which exchanges start and target. In a puzzle: what maps the starts to the goal and reverses moves,
    /// if the search used it. The mirror of a permutation puzzle has no entries, because positions stay where they are.
    pub mirror: Option<Vec<u8>>,
    /// Puzzles whose mirror exchanges letters, blocks or pieces: the image of each of these. A piece is named with its
    /// set, and its image with what is added to the orientation.
    #[serde(default, deserialize_with = "unique_keys::deserialize", skip_serializing_if = "BTreeMap::is_empty")]
    pub letters: BTreeMap<String, String>,
}

impl SymmetryRecord {
    /// These and no mirror.
    #[must_use]
    pub fn fixing(fixing: Vec<Vec<u8>>) -> Self {
        Self { fixing, mirror: None, letters: BTreeMap::new() }
    }
}

/// A board as the list of its cells, in the order of their numbers, and the directions of steps and jumps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatticeRecord {
    /// The cells' names.
    pub cells: Vec<String>,
    /// (columns to the right, rows down), one of each opposite pair after the other.
    pub directions: Vec<(i32, i32)>,
}

/// The classes of cells whose men histograms count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartitionRecord {
    /// Class by cell.
    pub class_of: Vec<u8>,
    /// By class, the value of the function whose sum decides which middles lead; the mirror negates it.
    pub values: Vec<i32>,
}

impl Record {
    /// Whether a signal ended the run.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.reason.as_deref() == Some(INTERRUPTED)
    }

    /// The successors of all lengths; the largest number if the sum exceeds it, which an edited record may want.
    #[must_use]
    pub fn generated(&self) -> u64 {
        self.runs.iter().fold(0, |sum, run| sum.saturating_add(run.generated))
    }

    /// The states of all levels; the largest number if the sum exceeds it.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.runs.iter().flat_map(|run| &run.levels).fold(0, |sum, level| sum.saturating_add(level.states))
    }

    /// The size of the largest level of all lengths.
    #[must_use]
    pub fn largest_level(&self) -> u64 {
        self.runs.iter().map(|run| run.largest_level).max().unwrap_or(0)
    }

    /// The moves of its solution or, if it has none, of the one that was known when the search was stopped.
    #[must_use]
    pub fn best_solution(&self) -> Option<&[String]> {
        self.solution.as_deref().or(self.known_solution.as_deref())
    }

    /// How many moves that solution has.
    #[must_use]
    pub fn best_length(&self) -> Option<u32> {
        self.length.or_else(|| self.known_solution.as_ref()?.len().try_into().ok())
    }

    /// The record without everything that depends on threads, memory, processes, interruptions or the machine.
    #[must_use]
    pub fn without_measurements(mut self) -> Self {
        (self.machine, self.finished, self.seconds, self.cpu_seconds, self.threads) = (None, None, 0.0, 0.0, 0);
        (self.peak_memory_bytes, self.disk_bytes_written) = (0, 0);
        for entry in &mut self.runs {
            entry.seconds = 0.0;
            entry.levels.iter_mut().for_each(|level| (level.seconds, level.bytes) = (None, None));
        }
        self
    }
}
