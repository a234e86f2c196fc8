//! Vacate: an admissible bound: the loser's men in the winner's goal <= the loser's moves.
//!
//! *Proof.* When the winner's last man enters, all other cells of the base are the winner's and the last one is empty.
//! So every loser's man that stands in the base now has left it by a move of the loser made before, and no move takes
//! out two. All of the loser's remaining moves come before the winner's last one.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::{GameBound, Position, goal};

/// The bound.
pub struct Vacate<const W: usize> {
    base: Cells<W>,
}

impl<const W: usize> Vacate<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        Self { base: goal(game, winner) }
    }
}

impl<const W: usize> GameBound<W> for Vacate<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        position.spare(self.base) >= 0
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let spare = position.spare(self.base);
        if position.winner_to_move() {
            if spare < 0 {
                reach.fill(Cells::EMPTY);
            }
            return;
        }
        for (&man, reach) in men.iter().zip(reach) {
            // A move out costs nothing, one back into the base two, any other one.
            let inside = self.base.contains(man.into());
            match (spare, inside) {
                (2.., _) => {}
                (0, true) | (1, false) => *reach &= !self.base,
                (1, true) => {}
                _ => *reach = Cells::EMPTY,
            }
        }
    }
}
