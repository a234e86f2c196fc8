//! The move rules: 4-, 6- and 8-move.

use serde::{Deserialize, Serialize};

/// The directions in which men step and jump (Figure 1 and Section 1 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Rule {
    /// Along columns and rows.
    Four,
    /// Those, and the diagonal that keeps column + row: a triangular grid.
    Six,
    /// Columns, rows and both diagonals.
    Eight,
}

impl Rule {
    /// One direction of each opposite pair, as (dx, dy); a move may go either way along it.
    #[must_use]
    pub fn axes(self) -> &'static [(i32, i32)] {
        const AXES: [(i32, i32); 4] = [(1, 0), (0, 1), (1, -1), (1, 1)];
        match self {
            Self::Four => &AXES[..2],
            Self::Six => &AXES[..3],
            Self::Eight => &AXES,
        }
    }

    /// All directions, as (dx, dy).
    pub fn directions(self) -> impl Iterator<Item = (i32, i32)> {
        self.axes().iter().flat_map(|&(dx, dy)| [(dx, dy), (-dx, -dy)])
    }

    /// How many directions there are; the number that names the rule.
    #[must_use]
    pub fn number(self) -> u8 {
        2 * self.axes().len() as u8
    }
}

impl TryFrom<u8> for Rule {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            4 => Ok(Self::Four),
            6 => Ok(Self::Six),
            8 => Ok(Self::Eight),
            _ => Err(format!("moves = {number}: allowed are 4, 6 and 8")),
        }
    }
}

impl From<Rule> for u8 {
    fn from(rule: Rule) -> u8 {
        rule.number()
    }
}
