//! Jobs: job files in TOML, checked in full before anything runs.
//!
//! The file and its meaning are two types. [`raw`] has the file key by key. A [`Job`] has been checked: the men stand
//! on the board, no two on one cell, the target has as many cells as the start, the ranks of states fit their keys, and
//! a search that needs a mirror has one.
//!
//! ```
//! use halma_rules::job::{Job, Problem};
//! let text = r#"
//!     [problem]
//!     kind = "transfer"
//!     moves = 6
//!     board = """
//! SS..
//! S..T
//! ..TT
//! """
//! "#;
//! let job = Job::parse("corner.toml".as_ref(), text)?;
//! let Problem::Transfer(transfer) = &job.problem else { unreachable!() };
//! assert_eq!(transfer.start, [0, 1, 4]);
//! assert_eq!(transfer.target, [7, 10, 11]);
//! # Ok::<(), halma_record::source::InputError>(())
//! ```

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use halma_record::record::Record;
use halma_record::source::{InputError, Source};

use crate::choose;
use crate::game::Game;
use crate::lattice::{Lattice, Rule};
use crate::problem::Transfer;
use crate::puzzle::Compiled;

mod puzzle_job;
mod resolve;
mod spec;

pub use halma_record::job::{
    ArmiesSpec, Army, Granularity, Learning, LookAhead, LookAheadDepth, ProblemSpec, Pruning, PuzzleSpec, Weights,
    game_bounds, pruning, puzzle_tables, raw,
};
pub use puzzle_job::compiled;
pub(crate) use puzzle_job::refuse_solution;

pub use resolve::problem as resolve_problem;
pub use spec::{game as game_of, transfer as transfer_of};

/// The greatest length that a job may ask about, and the last that a search tries.
pub const MAX_LENGTH: u32 = halma_record::record::LONGEST;

/// A job that passed every check.
#[derive(Clone, Debug)]
pub struct Job {
    /// The file it was read from.
    pub file: PathBuf,
    /// The problem in the words of the file; records repeat it.
    pub spec: ProblemSpec,
    /// The problem itself.
    pub problem: Problem,
    /// How to search.
    pub search: Search,
    /// What may be used up.
    pub limits: Limits,
    /// What is written, and where.
    pub output: Output,
}

/// The problem of a job.
#[derive(Clone, Debug)]
pub enum Problem {
    /// An army has to cross the board.
    Transfer(Transfer),
    /// Two armies play a game.
    Game(Game),
    /// A puzzle from a file, or in Rust.
    Puzzle(Puzzle),
}

/// A puzzle from a file or in Rust, checked.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// Its table.
    pub spec: PuzzleSpec,
    /// The compiled table.
    pub compiled: Arc<Compiled>,
    /// If it has no goal: the message for questions that need one.
    pub no_goal: Option<InputError>,
    /// The message if no key holds its states.
    pub too_many: InputError,
}

impl Problem {
    /// The board, and the cells of start and target, or of a game's two bases. A puzzle has none.
    fn armies(&self) -> Option<(&Lattice, &[usize], &[usize])> {
        match self {
            Self::Transfer(transfer) => Some((&transfer.lattice, &transfer.start, &transfer.target)),
            Self::Game(game) => Some((&game.lattice, &game.blue, &game.red)),
            Self::Puzzle(_) => None,
        }
    }

    /// The pruning where none is chosen.
    #[must_use]
    pub fn usual_pruning(&self) -> Pruning {
        match self {
            Self::Transfer(_) => Pruning::LEADING,
            Self::Game(game) => Pruning::Game(game_bounds::Bounds::usual(game.lattice.len())),
            Self::Puzzle(_) => Pruning::None,
        }
    }

    /// The prunings that are compared where none are named.
    #[must_use]
    pub fn prunings_to_compare(&self) -> Vec<Pruning> {
        match self {
            Self::Transfer(_) => vec![Pruning::Theorem1, Pruning::PATTERN, Pruning::LEADING],
            Self::Game(_) => vec![Pruning::Theorem1, self.usual_pruning()],
            Self::Puzzle(_) => vec![Pruning::None, Pruning::Projection(Vec::new())],
        }
    }

    /// Whether the cells of its armies are on the board, ascending, and each once.
    fn on_the_board(&self) -> Result<(), String> {
        let Some((lattice, start, target)) = self.armies() else { return Ok(()) };
        for cells in [start, target] {
            if let Some(cell) = cells.iter().find(|&&cell| cell >= lattice.len()) {
                return Err(format!("cell {cell} is not on the board, which has {} cells", lattice.len()));
            }
            if !cells.is_sorted_by(|a, b| a < b) {
                return Err("the cells of an army must ascend, and each must be there once".into());
            }
        }
        Ok(())
    }
}

impl From<Transfer> for Problem {
    fn from(transfer: Transfer) -> Self {
        Self::Transfer(transfer)
    }
}

impl From<Game> for Problem {
    fn from(game: Game) -> Self {
        Self::Game(game)
    }
}

/// How to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// The pruning.
    pub pruning: Pruning,
    /// Whether only palindromic solutions are sought (equation 13).
    pub palindromic: bool,
    /// The greatest length to try.
    pub max_length: Option<u32>,
    /// Whether states that a symmetry of the problem exchanges count as one.
    pub symmetry: bool,
    /// For puzzles: how many shortest solutions the record lists at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solutions: Option<u32>,
    /// An earlier record of the problem. The lengths that it refutes are not tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted_by: Option<EarlierRecord>,
}

/// The earlier record on which a search builds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EarlierRecord {
    /// Its file, or its run's folder. It is read when the search begins: an earlier job of a queue may write it.
    File(PathBuf),
    /// The record itself, as a run's folder has it.
    Read(Box<Record>),
}

/// The limits of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Threads; by default all that the machine has.
    pub threads: Option<usize>,
    /// Bytes of memory; more is spilled to disk.
    pub memory: Option<u64>,
    /// Bytes of disk.
    pub disk: Option<u64>,
    /// Time on the clock.
    pub time: Option<Duration>,
    /// The time between checkpoints; by default five minutes.
    pub checkpoint: Option<Duration>,
}

/// The output of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The folder of the record and the level files.
    pub dir: Option<PathBuf>,
    /// Whether level files stay after the run.
    pub keep_levels: bool,
    /// The folder of the cache of pattern databases.
    #[serde(default)]
    pub cache: Option<PathBuf>,
}

/// The command line's values, which replace those of the job file; `None` keeps the file's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// For [`Search::pruning`].
    pub pruning: Option<Pruning>,
    /// For [`Search::max_length`].
    pub max_length: Option<u32>,
    /// For [`Search::solutions`].
    pub solutions: Option<u32>,
    /// For [`Search::refuted_by`]: the record's file.
    pub refuted_by: Option<PathBuf>,
    /// For [`Limits::threads`].
    pub threads: Option<usize>,
    /// For [`Limits::memory`].
    pub memory: Option<u64>,
    /// For [`Limits::time`].
    pub time: Option<Duration>,
    /// The move rule of a transfer or a game.
    pub moves: Option<Rule>,
    /// For [`Output::dir`].
    pub output_dir: Option<PathBuf>,
    /// For [`Output::keep_levels`].
    pub keep_levels: Option<bool>,
    /// For [`Output::cache`].
    pub cache: Option<PathBuf>,
}

/// An option that the problem does not allow.
pub enum IncompatibleOption {
    /// Palindromes, without a mirror.
    Palindromic,
    /// Palindromes, for a beam search that learns.
    PalindromicLearning,
    /// A pruning that needs a mirror, without one.
    Pruning,
    /// Palindromes of a game.
    PalindromicGame,
    /// A pruning of transfers, for a game.
    OfTransfers,
    /// A pruning of games, for a transfer.
    OfGames,
    /// A pruning of puzzles, for a transfer.
    OfPuzzles,
    /// Palindromes of a puzzle.
    PalindromicPuzzle,
    /// A pruning of armies, for a puzzle.
    OfArmies,
}

impl Job {
    /// Reads and checks a job file.
    ///
    /// # Errors
    /// The first fault found, with its place.
    pub fn read(file: &Path) -> Result<Self, InputError> {
        Self::of_source(&Source::read(file)?)
    }

    /// Checks the text of a job file.
    ///
    /// # Errors
    /// The first fault found, with its place.
    pub fn of_source(source: &Source) -> Result<Self, InputError> {
        resolve::job(source)
    }

    /// Checks the text of a job file; `file` is what messages call it.
    ///
    /// # Errors
    /// The first fault found, with its place.
    pub fn parse(file: &Path, text: &str) -> Result<Self, InputError> {
        resolve::job(&Source::new(file, text))
    }

    /// The job of a problem without a file, with defaults for everything else.
    ///
    /// # Errors
    /// Where a job file could not state it.
    pub fn of(problem: Problem) -> Result<Self, String> {
        let job = Self {
            file: PathBuf::new(),
            // Its cells have names where they are on the board.
            spec: problem.on_the_board().map(|()| spec::of(&problem))?,
            search: Search { pruning: problem.usual_pruning(), ..Search::default() },
            problem,
            limits: Limits::default(),
            output: Output::default(),
        };
        job.sound()?;
        Ok(job)
    }

    /// Checks a job that does not come from a file. [`Self::of`] has checked that the cells of its armies are on the board and ascend.
    ///
    /// # Errors
    /// The first error.
    pub fn sound(&self) -> Result<(), String> {
        if let Some((lattice, start, target)) = self.problem.armies() {
            let (cells, men) = (lattice.len(), start.len());
            if start.len() != target.len() {
                return Err(format!("{} men are to fill {} cells", start.len(), target.len()));
            }
            if matches!(self.problem, Problem::Game(_)) && start.iter().any(|cell| target.contains(cell)) {
                return Err("the bases of a game must be apart".into());
            }
            if men == 0 {
                return Err("there are no men".into());
            }
            if !fits(cells, men) {
                return Err(format!("{men} men on {cells} cells have too many positions"));
            }
        }
        match self.search.incompatible(&self.problem) {
            None => Ok(()),
            Some(incompatible) => Err(incompatible.message(&self.search, "")),
        }
    }

    /// The job with the command line's values.
    ///
    /// # Errors
    /// Where the problem does not allow the resulting search.
    pub fn with(mut self, overrides: &Overrides) -> Result<Self, InputError> {
        let Overrides {
            pruning,
            max_length,
            solutions,
            refuted_by,
            threads,
            memory,
            time,
            moves,
            output_dir,
            keep_levels,
            cache,
        } = overrides.clone();
        if let Some(rule) = moves {
            let file = self.file.display().to_string();
            let refused = |reason| InputError {
                file: None,
                place: None,
                message: format!("--moves {}: {reason} ({file})", rule.number()),
            };
            self = self.under(rule).map_err(refused)?;
        }
        self.search.pruning = pruning.unwrap_or(self.search.pruning);
        self.search.max_length = max_length.or(self.search.max_length);
        self.search.solutions = solutions.or(self.search.solutions);
        self.search.refuted_by = refuted_by.map(EarlierRecord::File).or(self.search.refuted_by);
        self.limits.threads = threads.or(self.limits.threads);
        self.limits.memory = memory.or(self.limits.memory);
        self.limits.time = time.or(self.limits.time);
        self.output.dir = output_dir.or(self.output.dir);
        self.output.keep_levels = keep_levels.unwrap_or(self.output.keep_levels);
        self.output.cache = cache.or(self.output.cache);
        let fault = |message: String| Err(InputError { file: None, place: None, message });
        if self.search.solutions.is_some() && !matches!(self.problem, Problem::Puzzle(_)) {
            return fault(format!("--all is for puzzles from files ({})", self.file.display()));
        }
        if self.search.solutions.is_some() && self.search.pruning != Pruning::None {
            return fault(format!("--all goes with --pruning none ({})", self.file.display()));
        }
        match self.search.incompatible(&self.problem) {
            None => Ok(self),
            Some(incompatible) => {
                let message = format!("{} ({})", incompatible.message(&self.search, "--"), self.file.display());
                Err(InputError { file: None, place: None, message })
            }
        }
    }
}

impl Job {
    /// The job under another move rule. A target that is the army's mirror image stays so: the reflection and the half turn that
    /// [`mirrored`](crate::problem::mirrored) takes keep the directions of every rule.
    fn under(mut self, rule: Rule) -> Result<Self, String> {
        let lattice = match &mut self.problem {
            Problem::Transfer(problem) => &mut problem.lattice,
            Problem::Game(game) => &mut game.lattice,
            Problem::Puzzle(_) => return Err("only transfers and games have a move rule".into()),
        };
        *lattice = Lattice::new(lattice.board.clone(), rule);
        if let Some(spec) = self.spec.armies_mut() {
            spec.moves = rule;
        }
        Ok(self)
    }
}

/// Whether a key holds every position of so many men.
pub(crate) fn fits(cells: usize, men: usize) -> bool {
    choose::choose(cells, men).is_some_and(|states| states < 1 << 127)
}

impl Search {
    /// The option of this search that the problem does not allow, if any.
    pub(crate) fn incompatible(&self, problem: &Problem) -> Option<IncompatibleOption> {
        let transfer = match problem {
            Problem::Transfer(_) if !self.pruning.of_transfers() => {
                let of_puzzles = self.pruning.of_puzzles();
                return Some(if of_puzzles { IncompatibleOption::OfPuzzles } else { IncompatibleOption::OfGames });
            }
            Problem::Transfer(transfer) => transfer,
            Problem::Game(_) if self.palindromic => return Some(IncompatibleOption::PalindromicGame),
            Problem::Game(_) if self.pruning.of_games().is_none() => return Some(IncompatibleOption::OfTransfers),
            Problem::Game(_) => return None,
            Problem::Puzzle(_) if self.palindromic => return Some(IncompatibleOption::PalindromicPuzzle),
            Problem::Puzzle(_) if !self.pruning.of_puzzles() => return Some(IncompatibleOption::OfArmies),
            Problem::Puzzle(_) => return None,
        };
        match (self.palindromic, self.pruning.needs_mirror()) {
            (true, _) if self.pruning.learning().is_some() => Some(IncompatibleOption::PalindromicLearning),
            (false, false) => None,
            _ if transfer.symmetries().mirror.is_some() => None,
            (true, _) => Some(IncompatibleOption::Palindromic),
            (false, true) => Some(IncompatibleOption::Pruning),
        }
    }
}

impl IncompatibleOption {
    /// Whether the option is `palindromic`, and not the pruning.
    pub(crate) fn is_palindromic(&self) -> bool {
        matches!(self, Self::Palindromic | Self::PalindromicLearning | Self::PalindromicGame | Self::PalindromicPuzzle)
    }

    /// The whole message; `dashes` stand before an option of the command line.
    pub(crate) fn message(&self, search: &Search, dashes: &str) -> String {
        if self.is_palindromic() {
            return format!("palindromic = true {self}");
        }
        format!("{dashes}pruning {} {self}", search.pruning)
    }
}

impl fmt::Display for IncompatibleOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MIRROR: &str =
            "needs a mirror: a symmetry of the board that exchanges start and target; this problem has none";
        match self {
            Self::Palindromic => f.write_str(MIRROR),
            Self::PalindromicLearning => f.write_str("is not allowed beside rounds of a beam search that learns"),
            Self::Pruning => write!(f, "{MIRROR}, so allowed are none, theorem-1, pattern and leading"),
            Self::PalindromicGame => f.write_str("is not allowed for a game: its second half never mirrors the first"),
            Self::OfTransfers => write!(f, "is no pruning of games: allowed are {}", pruning::OF_GAMES),
            Self::PalindromicPuzzle => {
                f.write_str("is not allowed for a puzzle from a file: only transfers have palindromes")
            }
            Self::OfArmies => write!(f, "is no pruning of puzzles from files: allowed are {}", pruning::OF_PUZZLES),
            Self::OfGames => {
                write!(f, "is a pruning of games: for a transfer allowed are {}", pruning::OF_TRANSFERS.join(", "))
            }
            Self::OfPuzzles => {
                write!(f, "is a pruning of puzzles: for a transfer allowed are {}", pruning::OF_TRANSFERS.join(", "))
            }
        }
    }
}

impl Default for Search {
    fn default() -> Self {
        Self {
            pruning: Pruning::LEADING,
            palindromic: false,
            max_length: None,
            symmetry: true,
            solutions: None,
            refuted_by: None,
        }
    }
}
