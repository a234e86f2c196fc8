//! Two ladders: an admissible bound by missing rungs: without slack the loser's moves alone must complete both ladders.
//!
//! At σ = 0 every winner's move enters, so no man of the winner comes to stand outside the base any more. A man on line
//! a that enters by jumps passes over men on a + 1, a + 3, ... ([`Lines::rungs`]); one that steps in stands on the
//! last line before the front and needs none. Rungs of the lowest even man and those of the lowest odd man are of
//! different parity. Each that is empty now has to be filled at some time, by a move of the loser, which fills one:
//!
//! ```text
//! missing rungs of the lowest even man + missing rungs of the lowest odd man <= loser's moves.
//! ```
//!
//! It holds for every direction of lines that a step changes by one at most: diagonals under 4 and 6 moves, and
//! columns and rows.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::lines::{Lines, View, ViewBound};
use super::{GameBound, MOST_SLACK_PAID, Position, goal};

/// The bound.
pub struct TwoLadders<const W: usize> {
    base: Cells<W>,
    lines: Vec<Lines<W>>,
}

/// The lines of one direction, as this bound looks at them.
struct LaddersOnLines<'a, const W: usize>(&'a Lines<W>);

impl<const W: usize> TwoLadders<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        Self { base: goal(game, winner), lines: Lines::simple(game, winner) }
    }
}

impl<const W: usize> ViewBound for LaddersOnLines<'_, W> {
    fn admits(&self, view: &View) -> bool {
        if view.slack != 0 {
            return view.slack > 0;
        }
        self.0.missing_rungs(view.lines, view.occupied) <= view.remaining / 2
    }

    fn passes(&self, view: &View) -> bool {
        view.slack > 0
    }
}

impl<const W: usize> GameBound<W> for TwoLadders<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        self.lines.iter().all(|lines| LaddersOnLines(lines).admits(&lines.view(self.base, position)))
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        if position.slack(self.base) > MOST_SLACK_PAID {
            return;
        }
        for lines in &self.lines {
            lines.filter(self.base, position, men, reach, &LaddersOnLines(lines));
        }
    }
}
