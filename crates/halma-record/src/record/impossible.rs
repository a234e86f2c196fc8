//! Why there is no solution of any length, as a record names it.

use serde::{Deserialize, Serialize};

/// Cells that no move leads out of, with more or fewer men at the start than have to be there at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpossibleRecord {
    /// The cells.
    pub cells: Vec<String>,
    /// How many of them are in `problem.start`.
    pub at_start: usize,
    /// How many of them are in `problem.target`.
    pub in_target: usize,
}
