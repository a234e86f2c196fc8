//! Count: an admissible bound by the men still to enter: s <= the winner's moves.
//!
//! *Proof.* A move changes one man's cell, so a winner's move lowers the number of its men outside the goal by at most
//! one, and a loser's move leaves it as it is. At the end it is 0. This is the 2s - 1 of equation (7).

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::{GameBound, Position, goal};

/// The bound.
pub struct Count<const W: usize> {
    base: Cells<W>,
}

impl<const W: usize> Count<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        Self { base: goal(game, winner) }
    }
}

impl<const W: usize> GameBound<W> for Count<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        position.slack(self.base) >= 0
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let slack = position.slack(self.base);
        if !position.winner_to_move() {
            if slack < 0 {
                reach.fill(Cells::EMPTY);
            }
            return;
        }
        for (&man, reach) in men.iter().zip(reach) {
            // A move into the base costs nothing, one that leaves the base two, any other one.
            let inside = self.base.contains(man.into());
            match (slack, inside) {
                (2.., _) => {}
                (1, true) | (0, false) => *reach &= self.base,
                (1, false) => {}
                _ => *reach = Cells::EMPTY,
            }
        }
    }
}
