//! Contact: an admissible bound by the time until the first entry. It is the d(B, R) - 2 of the paper's Theorem 1, made
//! to hold in every position; s - 1 more entries follow.
//!
//! Let no man of the winner be in the base, d be the step distance between the armies (equation (6)), and D that of the
//! winner's army to the base. Up to and including the first entry at least
//!
//! ```text
//! T = min(max(d - 2, 0) + 1,  2D - 1 with the winner to move, 2D with the loser)
//! ```
//!
//! moves are made, and T + 2(s - 1) <= remaining.
//!
//! *Proof.* While d >= 3, every cell that a move ends on is within one step of a man of the mover's own army as it was
//! before the move: a step ends beside the cell it leaves; the first jump goes over a neighbour, which is the mover's own
//! since d >= 3, and lands beside it; and if a later jump of the chain went over a man of the other army, that man would
//! stand beside a landing cell that is beside an own man, at distance 2 from it. So as long as d >= 3, each move lowers d by at
//! most one, and each winner's move lowers D by at most one while the loser's leave it alone. If d has fallen to 2
//! before the entering move, at least d - 2 moves went before it. Otherwise D winner's moves were needed, every second move
//! being the winner's. After the first entry s - 1 men remain, and count applies.
//!
//! The paper adds d - 2 whenever d > 2. That is too much where the loser has left its base, for then a man of the
//! winner can step in although d > 2. With a man of the winner in the base this bound says nothing.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::{GameBound, Position, goal};

/// The bound.
pub struct Contact<const W: usize> {
    base: Cells<W>,
    /// The cells within `r` steps of a cell, at `balls[r][cell]`.
    balls: Vec<Vec<Cells<W>>>,
    /// The cells within `r` steps of the base.
    around: Vec<Cells<W>>,
}

/// The two ways to be in time: d or D small enough.
struct Limits {
    /// The largest d that is in time.
    armies: usize,
    /// The largest D that is in time.
    base: usize,
}

impl<const W: usize> Contact<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        let within = |distances: &[u8], r: usize| {
            distances.iter().enumerate().filter(|&(_, &d)| usize::from(d) <= r).map(|(c, _)| c).collect::<Cells<W>>()
        };
        let distances: Vec<Vec<u8>> = (0..game.lattice.len()).map(|c| game.lattice.distances(&[c])).collect();
        let from_base = game.lattice.distances(game.base(winner.other()));
        // Beyond the largest distance on the board a larger radius changes nothing.
        let farthest = distances.iter().flatten().filter(|&&d| d < u8::MAX).max().map_or(0, |&d| usize::from(d));
        let balls = (0..=farthest).map(|r| distances.iter().map(|d| within(d, r)).collect()).collect();
        let around = (0..=farthest).map(|r| within(&from_base, r)).collect();
        Self { base: goal(game, winner), balls, around }
    }

    /// What d and D may be with `remaining` moves to go and all `men` outside; `None` where no distance will do.
    fn limits(remaining: u32, men: usize) -> Option<Limits> {
        let time = (remaining + 2).checked_sub(2 * men as u32)? as usize;
        let base = if remaining % 2 == 1 { time.div_ceil(2) } else { time / 2 };
        (time > 0).then_some(Limits { armies: time + 1, base })
    }

    fn ball(&self, r: usize, of: Cells<W>) -> Cells<W> {
        let balls = &self.balls[r.min(self.balls.len() - 1)];
        let mut union = Cells::EMPTY;
        of.for_each(|c| union |= balls[c]);
        union
    }

    fn around_base(&self, r: usize) -> Cells<W> {
        self.around[r.min(self.around.len() - 1)]
    }
}

impl<const W: usize> GameBound<W> for Contact<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        if !(position.winner & self.base).is_empty() {
            return true;
        }
        let Some(limits) = Self::limits(position.remaining, position.winner.len()) else { return false };
        let near = self.ball(limits.armies, position.loser) | self.around_base(limits.base);
        !(near & position.winner).is_empty()
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let inside = position.winner & self.base;
        if inside.len() > 1 || (!inside.is_empty() && !position.winner_to_move()) {
            return;
        }
        let limits = Self::limits(position.remaining - 1, position.winner.len());
        // Where a man of the mover makes the position good, whatever the others do.
        let good = match (limits, position.winner_to_move()) {
            (None, true) => self.base,
            (None, false) => Cells::EMPTY,
            (Some(limits), true) => self.ball(limits.armies, position.loser) | self.around_base(limits.base),
            (Some(limits), false) => {
                if !(self.around_base(limits.base) & position.winner).is_empty() {
                    return;
                }
                self.ball(limits.armies, position.winner)
            }
        };
        let there = position.mover() & good;
        for (&man, reach) in men.iter().zip(reach) {
            if there.without(man.into()).is_empty() {
                *reach &= good;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_rules::lattice::Rule;

    #[test]
    fn distances_within_the_limits_are_those_that_leave_time() {
        for (remaining, men) in (0..40).flat_map(|remaining| (1..12).map(move |men| (remaining, men))) {
            let limits = Contact::<2>::limits(remaining, men);
            let in_time = |moves: u32| moves + 2 * (men as u32 - 1) <= remaining;
            for distance in 1..40 {
                let entry = 2 * distance - remaining % 2;
                let told = |d: usize| distance as usize <= d;
                let near = limits.as_ref().is_some_and(|limits| told(limits.armies));
                assert_eq!(near, in_time(distance.saturating_sub(2) + 1), "armies, {remaining} moves, {men} men");
                let near = limits.as_ref().is_some_and(|limits| told(limits.base));
                assert_eq!(near, in_time(entry), "base, {remaining} moves, {men} men");
            }
        }
    }

    #[test]
    fn with_much_time_every_distance_will_do() {
        let game = Game::named("9x9", Rule::Six, "triangle-4").unwrap();
        let bound = Contact::<2>::new(&game, Side::Blue);
        let [winner, loser] = [&game.blue, &game.red].map(|men| men.iter().copied().collect());
        for remaining in 29..100 {
            assert!(bound.admits(&Position { winner, loser, remaining }));
        }
    }
}
