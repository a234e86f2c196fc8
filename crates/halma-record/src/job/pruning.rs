//! The prunings, their parameters, and the puzzles to which they apply.

mod written;

use super::game_bounds::Bounds;
pub use super::projection::Abstraction;

/// Which states a search drops because no solution of the length asked can pass through them.
///
/// ```
/// use halma_record::job::Pruning;
/// let pruning: Pruning = "truncate(1000000, 2)".parse()?;
/// assert_eq!(pruning, Pruning::Truncate { keep: 1_000_000, beta: 2 });
/// assert_eq!(pruning.to_string(), "truncate(1000000,2)");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// Nothing is dropped.
    None,
    /// The distance to the target and the men outside it (Theorem 1).
    Theorem1,
    /// The minimum centroid constraint (Theorem 2): the centroid at the middle is at least -C.
    Mcc {
        /// C; where not given, guessed by a truncated run.
        c: Option<i64>,
        /// How many states of a level the guessing run keeps.
        keep: usize,
    },
    /// Distances to the target among histograms over diagonals.
    Pattern {
        /// The most classes that the histograms tell apart; as many as fit where not given.
        classes: Option<u8>,
    },
    /// The half of the solutions whose middle has a centroid of at least 0, and what follows from it.
    Leading {
        /// The most classes that the histograms tell apart; as many as fit where not given.
        classes: Option<u8>,
        /// The largest centroid that a man counts with; where not given, that of his cell.
        cap: Option<i32>,
        /// How far relaxed moves of each new state are looked at; where not given, they are not.
        look_ahead: Option<LookAheadDepth>,
    },
    /// Pattern, narrowed after each level by the histograms that the mirror then leaves possible.
    Narrowed {
        /// The most classes that the histograms tell apart; as many as fit where not given.
        classes: Option<u8>,
    },
    /// The states with the largest c(A) + β sym(A); finds solutions and refutes nothing.
    Truncate {
        /// How many states of a level are kept.
        keep: usize,
        /// β.
        beta: i64,
    },
    /// Of a game: bounds of its own.
    Game(Bounds),
    /// Of a game: the best states of each level; finds games and refutes nothing.
    Beam {
        /// How many states of a level are kept.
        keep: usize,
        /// Decides among equal ones.
        seed: u64,
        /// Whether rungs in the plane cut and score.
        rungs: bool,
    },
    /// Of a puzzle from a file: distances in puzzles with fewer letters or pieces. Those named, the largest counts; chosen by
    /// trial where none are.
    Projection(Vec<Abstraction>),
    /// Of a puzzle in Rust: its own lower bound.
    Bound,
}

/// The prunings of puzzles from files, as messages list them.
pub const OF_PUZZLES: &str = "none, projection (distances in puzzles with fewer letters or pieces), projection(1/2/34+...) that names them, and bound of a puzzle in Rust";

/// The prunings of games, as messages list them.
pub const OF_GAMES: &str = "none, theorem-1, all, all-but-BOUND, bounds joined by '+', and beam(KEEP,SEED)";

/// How fine the classes of pattern databases are, and what stands for the centroid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Granularity {
    /// The most classes; as many as fit where not given.
    pub classes: Option<u8>,
    /// Centroids beyond this one count as this one where halves of solutions are compared; where not given, none do.
    pub cap: Option<i32>,
}

/// How far is looked ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookAheadDepth {
    /// With so many moves left or fewer, all of them are looked at.
    pub full: u8,
    /// With one move more left one less is looked at, and so on, but never less than this: then nothing is.
    pub least: u8,
}

impl LookAheadDepth {
    /// How many moves to look at where `left` are left; `None` where nobody asks.
    #[must_use]
    pub fn depth(self, left: u32) -> Option<u32> {
        let (full, least) = (u32::from(self.full), u32::from(self.least));
        match left.checked_sub(full) {
            None | Some(0) => (left > 0).then_some(left),
            Some(beyond) => full.checked_sub(beyond).filter(|&depth| depth >= least.max(1)),
        }
    }
}

/// The most classes that histograms can tell apart, so that a set of classes is one word.
pub const MAX_CLASSES: usize = 32;

/// All names, as messages list them.
pub const NAMES: [&str; 7] = ["none", "theorem-1", "mcc", "pattern", "leading", "narrowed", "truncate"];

impl Pruning {
    /// [`Self::Pattern`] without parameters.
    pub const PATTERN: Self = Self::Pattern { classes: None };
    /// [`Self::Leading`] without parameters.
    pub const LEADING: Self = Self::Leading { classes: None, cap: None, look_ahead: None };
    /// [`Self::Narrowed`] without parameters.
    pub const NARROWED: Self = Self::Narrowed { classes: None };

    /// How fine the histograms are that it looks at.
    #[must_use]
    pub fn granularity(&self) -> Granularity {
        match *self {
            Self::Pattern { classes } | Self::Narrowed { classes } => Granularity { classes, cap: None },
            Self::Leading { classes, cap, .. } => Granularity { classes, cap },
            _ => Granularity::default(),
        }
    }

    /// How far relaxed moves of each new state are looked at.
    #[must_use]
    pub fn look_ahead(&self) -> Option<LookAheadDepth> {
        match *self {
            Self::Leading { look_ahead, .. } => look_ahead,
            _ => None,
        }
    }

    /// Its name, without parameters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => NAMES[0],
            Self::Theorem1 => NAMES[1],
            Self::Mcc { .. } => NAMES[2],
            Self::Pattern { .. } => NAMES[3],
            Self::Leading { .. } => NAMES[4],
            Self::Narrowed { .. } => NAMES[5],
            Self::Truncate { .. } => NAMES[6],
            Self::Game(_) => "game",
            Self::Beam { .. } => "beam",
            Self::Projection(_) => "projection",
            Self::Bound => "bound",
        }
    }

    /// Whether it compares a state with mirrored ones.
    #[must_use]
    pub fn needs_mirror(&self) -> bool {
        matches!(self, Self::Mcc { .. } | Self::Narrowed { .. } | Self::Truncate { .. })
    }

    /// Whether levels of a transfer under it hold every solution, or of each and its mirrored reversal one: whether they can
    /// be counted.
    #[must_use]
    pub fn keeps_all(&self) -> bool {
        match self {
            Self::None | Self::Theorem1 | Self::Pattern { .. } | Self::Leading { .. } | Self::Narrowed { .. } => true,
            Self::Mcc { .. } | Self::Truncate { .. } | Self::Game(_) | Self::Beam { .. } => false,
            Self::Projection(_) | Self::Bound => false,
        }
    }

    /// Whether it makes no sense for a transfer.
    #[must_use]
    pub fn only_for_games(&self) -> bool {
        matches!(self, Self::Game(_) | Self::Beam { .. } | Self::Projection(_) | Self::Bound)
    }

    /// Whether it is one of puzzles from files or in Rust.
    #[must_use]
    pub fn of_puzzles(&self) -> bool {
        matches!(self, Self::None | Self::Projection(_) | Self::Bound)
    }

    /// The bounds that it means for a game; `None` where it makes no sense for one. A beam goes with all bounds.
    #[must_use]
    pub fn of_games(&self) -> Option<Bounds> {
        match self {
            Self::None => Some(Bounds::none()),
            Self::Theorem1 => Some(Bounds::paper()),
            Self::Game(bounds) => Some(bounds.clone()),
            Self::Beam { rungs: false, .. } => Some(Bounds::all()),
            Self::Beam { rungs: true, .. } => Some(Bounds::all_and_rungs()),
            _ => None,
        }
    }
}
