//! Admissible bounds for the two-player shortest game: each proves that no game of the length in question can pass
//! through a position.
//!
//! The parity of the length decides who wins. In a position with `remaining` moves left, ceil(remaining / 2) are the
//! winner's, who makes the last one, and floor(remaining / 2) the loser's. Let s be the number of the winner's men
//! outside the base that they have to fill. A winner's move lowers s by at most one, so the winner can afford σ =
//! ceil(remaining / 2) - s moves that do not enter: the *slack*. Most bounds below are arguments about σ.
//!
//! Each bound has a file with its proof. Four files have no bound of their own: `lines` and `chains` are shared,
//! `gaps_and_hall` joins two bounds, `random_positions` is for tests. [`GameBound::admits`] is a bound's definition.
//! [`GameBound::filter`] judges all successors of a position at once; tests check that the two agree.

mod chains;
pub mod contact;
pub mod count;
pub(crate) mod diagonal_gaps;
pub(crate) mod gaps_and_hall;
pub mod hall;
pub mod lines;
pub mod look_ahead;
pub mod packing;
#[cfg(test)]
pub(crate) mod random_positions;
pub mod rungs;
pub(crate) mod two_ladders;
pub mod types;
pub mod vacate;

use std::sync::Arc;

use rayon::prelude::*;

pub use halma_record::job::game_bounds::{Bounds, Name};
use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};
use halma_rules::problem::set;

/// A position and the number of moves left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<const W: usize> {
    /// The army that makes the last move.
    pub winner: Cells<W>,
    /// The other army.
    pub loser: Cells<W>,
    /// Moves of both sides still to be made.
    pub remaining: u32,
}

impl<const W: usize> Position<W> {
    /// Whether the winner moves next.
    #[inline]
    #[must_use]
    pub fn winner_to_move(&self) -> bool {
        self.remaining % 2 == 1
    }

    /// How many of the remaining moves are the winner's.
    #[inline]
    #[must_use]
    pub(crate) fn winner_moves(&self) -> u32 {
        self.remaining.div_ceil(2)
    }

    /// How many of the remaining moves are the loser's; the winner's last move comes after all of them.
    #[inline]
    #[must_use]
    pub fn loser_moves(&self) -> u32 {
        self.remaining / 2
    }

    /// The army that moves next.
    #[inline]
    #[must_use]
    pub fn mover(&self) -> Cells<W> {
        if self.winner_to_move() { self.winner } else { self.loser }
    }

    /// The slack σ, if the winner's goal is `base`; negative if the moves do not suffice.
    #[inline]
    #[must_use]
    pub fn slack(&self, base: Cells<W>) -> i32 {
        self.winner_moves() as i32 - (self.winner & !base).len() as i32
    }

    /// The loser's moves that need not take a man out of the winner's goal `base`; negative where there are too few.
    #[inline]
    #[must_use]
    pub(crate) fn spare(&self, base: Cells<W>) -> i32 {
        self.loser_moves() as i32 - (self.loser & base).len() as i32
    }

    /// The position after the man to move on `from` has gone to `to`.
    #[inline]
    #[must_use]
    pub fn after(&self, from: usize, to: usize) -> Self {
        let moved = |army: Cells<W>| army.without(from).with(to);
        let remaining = self.remaining - 1;
        if self.winner_to_move() {
            Self { winner: moved(self.winner), remaining, ..*self }
        } else {
            Self { loser: moved(self.loser), remaining, ..*self }
        }
    }
}

/// An admissible bound for games that one side wins.
pub trait GameBound<const W: usize>: Send + Sync {
    /// False only if no play of exactly `position.remaining` more moves ends with the entry of the winner's last man.
    fn admits(&self, position: &Position<W>) -> bool;

    /// Removes from `reach[i]`, the cells that the man on `men[i]` of the army to move can go to, those after which the
    /// bound does not admit the position.
    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        one_by_one(self, position, men, reach);
    }
}

/// [`GameBound::filter`] by its definition.
fn one_by_one<const W: usize>(
    bound: &(impl GameBound<W> + ?Sized),
    position: &Position<W>,
    men: &[u8],
    reach: &mut [Cells<W>],
) {
    for (&man, reach) in men.iter().zip(reach) {
        let from = usize::from(man);
        for to in reach.iter() {
            if !bound.admits(&position.after(from, to)) {
                reach.remove(to);
            }
        }
    }
}

/// The bound of that name, for games on `game`'s board that `winner` wins.
#[must_use]
pub fn bound<const W: usize>(name: Name, game: &Game, winner: Side) -> Arc<dyn GameBound<W>> {
    match name {
        Name::Count => Arc::new(count::Count::new(game, winner)),
        Name::Vacate => Arc::new(vacate::Vacate::new(game, winner)),
        Name::Contact => Arc::new(contact::Contact::new(game, winner)),
        Name::Packing => Arc::new(packing::Packing::new(game, winner)),
        Name::Types => Arc::new(types::Types::new(game, winner)),
        Name::DiagonalGaps => Arc::new(diagonal_gaps::DiagonalGaps::new(game, winner)),
        Name::TwoLadders => Arc::new(two_ladders::TwoLadders::new(game, winner)),
        Name::Hall => Arc::new(hall::Hall::new(game, winner)),
        Name::Rungs => Arc::new(rungs::Rungs::new(game, winner)),
        Name::LookAhead => Arc::new(look_ahead::LookAhead::new(game, winner)),
    }
}

/// The bounds for games on `game`'s board that `winner` wins: without two ladders where Hall's bound is asked for, which implies
/// it, and with one bound for diagonal gaps and Hall, which look at the same lines.
#[must_use]
pub fn build<const W: usize>(bounds: &Bounds, game: &Game, winner: Side) -> Vec<Arc<dyn GameBound<W>>> {
    let names = bounds.names();
    let together = [Name::DiagonalGaps, Name::Hall].iter().all(|name| names.contains(name));
    let implied = |name| match name {
        Name::TwoLadders => names.contains(&Name::Hall),
        Name::Hall => together,
        _ => false,
    };
    let one = |name: &Name| match *name {
        Name::DiagonalGaps if together => {
            Arc::new(gaps_and_hall::GapsAndHall::new(game, winner)) as Arc<dyn GameBound<W>>
        }
        name => bound(name, game, winner),
    };
    // The order changes no result. The look-ahead comes before the bounds of lines and rungs, because it leaves them the fewest moves.
    let late = |name: &&Name| matches!(name, Name::DiagonalGaps | Name::TwoLadders | Name::Hall | Name::Rungs);
    let early = names.iter().filter(|name| !late(name));
    let asked: Vec<&Name> = early.chain(names.iter().filter(late)).filter(|&&name| !implied(name)).collect();
    // All at once, since their tables take tenths of a second.
    asked.into_par_iter().map(one).collect()
}

/// The most slack that a move of the winner costs: one that leaves the base.
const MOST_SLACK_PAID: i32 = 2;

/// The cells outside `base` from which a step leads into it.
fn beside<const W: usize>(game: &Game, base: Cells<W>) -> Cells<W> {
    let leads_in = |&cell: &usize| {
        !base.contains(cell) && game.lattice.neighbours(cell).iter().any(|&next| base.contains(next.into()))
    };
    (0..game.lattice.len()).filter(leads_in).collect()
}

/// The base that `winner` has to fill.
fn goal<const W: usize>(game: &Game, winner: Side) -> Cells<W> {
    set(game.base(winner.other()))
}
