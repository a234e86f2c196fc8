//! A problem in the words in which it was stated, complete enough to be built again.

use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::lattice::{Lattice, Rule};
use crate::problem::Transfer;

/// A problem as records repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
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

impl Stated {
    /// The transfer that these words state.
    ///
    /// # Errors
    /// What of them makes no sense; that happens only to words that no [`Job`](super::Job) has written.
    pub fn transfer(&self) -> Result<Transfer, String> {
        if self.kind != "transfer" {
            return Err(format!("problem.kind is `{}`, not transfer", self.kind));
        }
        let board = match &self.map {
            Some(map) => Board::from_map(map).map_err(|e| format!("problem.map: {e}"))?.0,
            None => {
                Board::named(&self.board).ok_or_else(|| format!("problem.board: unknown board `{}`", self.board))?
            }
        };
        let cells = |key: &str, names: &[String]| -> Result<Vec<usize>, String> {
            let cell = |n: &String| board.cell(n).ok_or_else(|| format!("problem.{key}: {n} is no cell of the board"));
            let mut cells = names.iter().map(cell).collect::<Result<Vec<_>, _>>()?;
            cells.sort_unstable();
            cells.dedup();
            match cells.len() == self.men {
                true => Ok(cells),
                false => Err(format!("problem.{key} has {} cells for {} men", cells.len(), self.men)),
            }
        };
        let (start, target) = (cells("start", &self.start)?, cells("target", &self.target)?);
        Ok(Transfer { lattice: Lattice::new(board, self.moves), start, target, jumps_only: self.jumps_only })
    }
}
