//! The prunings, their parameters, and the puzzles to which they apply.

mod written;

use super::game_bounds::Bounds;
pub use super::projection::Abstraction;

/// The most bytes of a pruning that stand in a folder's name as they are: a name may have 255, with what stands before.
const LONGEST_NAME: usize = 120;

/// A pruning: which states a search drops because no solution of the length in question passes through them.
///
/// ```
/// use halma_record::job::Pruning;
/// let pruning: Pruning = "truncate(1000000, 2)".parse()?;
/// assert_eq!(pruning, Pruning::Truncate { keep: 1_000_000, beta: 2, learning: None });
/// assert_eq!(pruning.to_string(), "truncate(1000000,2)");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pruning {
    /// No state.
    None,
    /// Theorem 1 of the paper: by the distance to the target and the men outside it.
    Theorem1,
    /// The minimum centroid constraint (Theorem 2 of the paper): the centroid at the middle is at least -C.
    Mcc {
        /// C; by default guessed by beam search.
        c: Option<i64>,
        /// The beam width of that search.
        keep: usize,
    },
    /// Pattern databases: distances to the target between histograms over diagonals.
    Pattern {
        /// The most classes of the histograms; by default as many as fit.
        classes: Option<u8>,
    },
    /// The leading half: only solutions whose middle has a centroid of at least 0, and then forward from these middles.
    Leading {
        /// The most classes of the histograms; by default as many as fit.
        classes: Option<u8>,
        /// What a man contributes in place of his centroid; by default that of his cell.
        weights: Option<Weights>,
        /// The look-ahead from each new state; by default there is none.
        look_ahead: Option<LookAhead>,
    },
    /// `Pattern`, with goals that shrink after each level to the mirror images of its histograms.
    Narrowed {
        /// The most classes of the histograms; by default as many as fit.
        classes: Option<u8>,
    },
    /// Beam search: keeps the states with the largest c(A) + β sym(A); finds solutions and refutes nothing.
    Truncate {
        /// The beam width: states kept on each level.
        keep: usize,
        /// β.
        beta: i64,
        /// Whether the score is learned from solutions; by default it is that sum alone.
        learning: Option<Learning>,
    },
    /// Games: their own bounds.
    Game(Bounds),
    /// Games: beam search; finds games and refutes nothing.
    Beam {
        /// The beam width: states kept on each level.
        keep: usize,
        /// A seed, for ties.
        seed: u64,
        /// Whether the bound `rungs` prunes and scores.
        rungs: bool,
    },
    /// Puzzles from files: pattern databases of abstractions with fewer letters or pieces. The maximum of the named
    /// ones; by default they are chosen by trial.
    Projection(Vec<Abstraction>),
    /// Puzzles in Rust: their own lower bound.
    Bound,
}

/// How the score of a beam search is learned: narrow beam searches find solutions, and each learns from what was found
/// before; a last one has the full width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learning {
    /// How many narrow searches there are.
    pub rounds: u32,
    /// The seed of all that is chosen at random.
    pub seed: u64,
}

/// The prunings of puzzles from files, as messages list them.
pub const OF_PUZZLES: &str = "none, projection (distances in puzzles with fewer letters or pieces), projection(1/2/34+...) that names them, and bound of a puzzle in Rust";

/// The prunings of games, as messages list them.
pub const OF_GAMES: &str = "none, theorem-1, all, all-but-BOUND, bounds joined by '+', and beam(KEEP,SEED)";

/// The granularity of pattern databases: how fine their classes are, and the function that replaces the centroid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Granularity {
    /// The most classes; by default as many as fit.
    pub classes: Option<u8>,
    /// What a man contributes in the comparison of the halves of solutions; by default his centroid.
    pub weights: Option<Weights>,
}

/// What a man contributes to the odd function of [`Pruning::Leading`], by the centroid of his cell. A negative centroid
/// contributes the negative weight of the positive one, so that the mirror negates the sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weights {
    /// His centroid, but not more than this.
    Cap(i32),
    /// The same, with a cap that trial searches of small lengths choose before the run begins. A record names it.
    CapByTrial,
    /// These weights of the centroids 1, 2, 3, ...; the last one is that of all greater centroids, too.
    Listed(Vec<u16>),
}

impl Weights {
    /// The weight of a centroid.
    #[must_use]
    pub fn of(&self, centroid: i32) -> i32 {
        let size = centroid.abs();
        let weight = match self {
            Self::Cap(cap) => size.min(*cap),
            Self::CapByTrial => size,
            Self::Listed(weights) => {
                let at = centroid.unsigned_abs().checked_sub(1);
                at.and_then(|at| weights.get(at as usize).or(weights.last())).map_or(0, |&weight| weight.into())
            }
        };
        centroid.signum() * weight
    }
}

/// A look-ahead from each new state by relaxed moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookAhead {
    /// Each man moves by himself. Prunes most, and is meant for levels with few moves left.
    ManByMan(LookAheadDepth),
    /// The men of a class move as one. Quick enough for all levels; so many moves are tried, or all that are left.
    ClassByClass(u8),
}

impl LookAhead {
    /// How many moves to try if `left` are left; `None` if there is no look-ahead.
    #[must_use]
    pub fn depth(self, left: u32) -> Option<u32> {
        match self {
            Self::ManByMan(depths) => depths.depth(left),
            Self::ClassByClass(most) => (left > 0).then(|| left.min(most.into())),
        }
    }
}

/// The depth of the look-ahead man by man.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookAheadDepth {
    /// With so many moves left or fewer, all of them are tried.
    pub full: u8,
    /// With each further move left one fewer is tried, but never fewer than this: then there is no look-ahead.
    pub least: u8,
}

impl LookAheadDepth {
    /// How many moves to try if `left` are left; `None` if there is no look-ahead.
    #[must_use]
    pub fn depth(self, left: u32) -> Option<u32> {
        let (full, least) = (u32::from(self.full), u32::from(self.least));
        match left.checked_sub(full) {
            None | Some(0) => (left > 0).then_some(left),
            Some(beyond) => full.checked_sub(beyond).filter(|&depth| depth >= least.max(1)),
        }
    }
}

/// The most classes of histograms, so that a set of classes fits one word.
pub const MAX_CLASSES: usize = 32;

/// The names of those of transfers, as messages list them.
pub const OF_TRANSFERS: [&str; 7] = ["none", "theorem-1", "mcc", "pattern", "leading", "narrowed", "truncate"];

impl Pruning {
    /// [`Self::Pattern`] without parameters.
    pub const PATTERN: Self = Self::Pattern { classes: None };
    /// [`Self::Leading`] without parameters.
    pub const LEADING: Self = Self::Leading { classes: None, weights: None, look_ahead: None };
    /// [`Self::Narrowed`] without parameters.
    pub const NARROWED: Self = Self::Narrowed { classes: None };

    /// The granularity of its histograms.
    #[must_use]
    pub fn granularity(&self) -> Granularity {
        match *self {
            Self::Pattern { classes } | Self::Narrowed { classes } => Granularity { classes, weights: None },
            Self::Leading { classes, ref weights, .. } => Granularity { classes, weights: weights.clone() },
            _ => Granularity::default(),
        }
    }

    /// Its look-ahead.
    #[must_use]
    pub fn look_ahead(&self) -> Option<LookAhead> {
        match *self {
            Self::Leading { look_ahead, .. } => look_ahead,
            _ => None,
        }
    }

    /// Whether its cap is to be chosen by trial.
    #[must_use]
    pub fn is_by_trial(&self) -> bool {
        matches!(self, Self::Leading { weights: Some(Weights::CapByTrial), .. })
    }

    /// The same with this cap, where it is [`Self::Leading`].
    #[must_use]
    pub fn capped(&self, cap: Option<i32>) -> Self {
        match *self {
            Self::Leading { classes, look_ahead, .. } => {
                Self::Leading { classes, weights: cap.map(Weights::Cap), look_ahead }
            }
            ref other => other.clone(),
        }
    }

    /// Whether a run that asked for this pruning may have been made with `made`: they are equal, or trials chose its
    /// cap.
    #[must_use]
    pub fn may_become(&self, made: &Self) -> bool {
        let cap = match made {
            Self::Leading { weights: Some(Weights::Cap(cap)), .. } => Some(*cap),
            _ => None,
        };
        self == made || self.is_by_trial() && self.capped(cap) == *made
    }

    /// The whole of it as a part of a folder's name, in which no slash may stand; of a long one the beginning, and a number for all of it.
    #[must_use]
    pub fn folder_name(&self) -> String {
        let name = self.to_string().replace('/', "_");
        let Some((end, _)) = name.char_indices().find(|(at, _)| *at >= LONGEST_NAME) else { return name };
        // FNV-1a: a name must be the same for every program.
        let number = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        format!("{}-{number:016x}", &name[..end])
    }

    /// Its name, without parameters.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => OF_TRANSFERS[0],
            Self::Theorem1 => OF_TRANSFERS[1],
            Self::Mcc { .. } => OF_TRANSFERS[2],
            Self::Pattern { .. } => OF_TRANSFERS[3],
            Self::Leading { .. } => OF_TRANSFERS[4],
            Self::Narrowed { .. } => OF_TRANSFERS[5],
            Self::Truncate { .. } => OF_TRANSFERS[6],
            Self::Game(_) => "game",
            Self::Beam { .. } => "beam",
            Self::Projection(_) => "projection",
            Self::Bound => "bound",
        }
    }

    /// How its score is learned.
    #[must_use]
    pub fn learning(&self) -> Option<Learning> {
        match *self {
            Self::Truncate { learning, .. } => learning,
            _ => None,
        }
    }

    /// Whether it needs a mirror.
    #[must_use]
    pub fn needs_mirror(&self) -> bool {
        matches!(self, Self::Mcc { .. } | Self::Narrowed { .. } | Self::Truncate { .. })
    }

    /// Whether solutions of a transfer can be counted on its levels: these hold every solution, or at least one of each
    /// solution and its mirrored reversal.
    #[must_use]
    pub fn keeps_all(&self) -> bool {
        match self {
            Self::None | Self::Theorem1 | Self::Pattern { .. } | Self::Leading { .. } | Self::Narrowed { .. } => true,
            Self::Mcc { .. } | Self::Truncate { .. } | Self::Game(_) | Self::Beam { .. } => false,
            Self::Projection(_) | Self::Bound => false,
        }
    }

    /// Whether it applies to transfers.
    #[must_use]
    pub fn of_transfers(&self) -> bool {
        !matches!(self, Self::Game(_) | Self::Beam { .. } | Self::Projection(_) | Self::Bound)
    }

    /// Whether it applies to puzzles from files or in Rust.
    #[must_use]
    pub fn of_puzzles(&self) -> bool {
        matches!(self, Self::None | Self::Projection(_) | Self::Bound)
    }

    /// Its bounds for a game; `None` if it does not apply to games. A beam has all bounds.
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
