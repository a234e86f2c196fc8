//! A problem in words, complete enough to build it again.

use serde::{Deserialize, Deserializer, Serialize};

use super::{PuzzleSpec, Rule};

/// A problem as records repeat it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ProblemSpec {
    /// A transfer or a game: armies on a board.
    Armies(ArmiesSpec),
    /// A puzzle from a file, or in Rust.
    Puzzle(PuzzleSpec),
}

impl ProblemSpec {
    /// `transfer`, `game`, or the kind of a puzzle.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Armies(armies) => &armies.kind,
            Self::Puzzle(puzzle) => &puzzle.kind,
        }
    }

    /// What it is called in lists and pages, where its job says so.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        match self {
            Self::Armies(armies) => armies.title.as_deref(),
            Self::Puzzle(puzzle) => puzzle.title.as_deref(),
        }
    }

    /// The armies of a transfer or a game.
    #[must_use]
    pub fn armies(&self) -> Option<&ArmiesSpec> {
        match self {
            Self::Armies(armies) => Some(armies),
            Self::Puzzle(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn armies_mut(&mut self) -> Option<&mut ArmiesSpec> {
        match self {
            Self::Armies(armies) => Some(armies),
            Self::Puzzle(_) => None,
        }
    }

    /// The table of a puzzle.
    #[must_use]
    pub fn puzzle(&self) -> Option<&PuzzleSpec> {
        match self {
            Self::Armies(_) => None,
            Self::Puzzle(puzzle) => Some(puzzle),
        }
    }
}

impl From<ArmiesSpec> for ProblemSpec {
    fn from(armies: ArmiesSpec) -> Self {
        Self::Armies(armies)
    }
}

impl From<PuzzleSpec> for ProblemSpec {
    fn from(puzzle: PuzzleSpec) -> Self {
        Self::Puzzle(puzzle)
    }
}

impl<'de> Deserialize<'de> for ProblemSpec {
    /// By its kind, so that what is missing or wrong is named in the words of that kind.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = serde_json::Map::deserialize(deserializer)?;
        let armies = matches!(table.get("kind").and_then(|kind| kind.as_str()), None | Some("transfer" | "game"));
        let value = serde_json::Value::Object(table);
        let problem = if armies {
            serde_json::from_value(value).map(Self::Armies)
        } else {
            serde_json::from_value(value).map(Self::Puzzle)
        };
        problem.map_err(serde::de::Error::custom)
    }
}

/// A transfer or a game as records repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArmiesSpec {
    /// `transfer` or `game`.
    pub kind: String,
    /// What the problem is called in lists and pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The board's name; `map` where it was drawn.
    pub board: String,
    /// The drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
    /// The move rule.
    pub moves: Rule,
    /// Who moves.
    pub army: Army,
    /// How many men there are.
    pub men: usize,
    /// Whether steps are forbidden.
    pub jumps_only: bool,
    /// The cells of the men at the start, ascending.
    pub start: Vec<String>,
    /// The cells to fill, ascending.
    pub target: Vec<String>,
}

/// An army in the words of a job file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Army {
    /// A name, as in `triangle-4`.
    Named(String),
    /// The names of its cells.
    Cells(Vec<String>),
}
