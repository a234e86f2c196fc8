//! A problem in the words in which it was stated, complete enough to be built again.

use serde::{Deserialize, Serialize};

use super::Rule;

/// A problem as records repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemSpec {
    /// `transfer` or `game`.
    pub kind: String,
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
