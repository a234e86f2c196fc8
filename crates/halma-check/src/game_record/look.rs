//! A position in the form that the bounds of games use.

use crate::moves::Set;

/// A position as the bounds see it.
pub(super) struct Look<'a> {
    /// The men of the side that makes the last move, and of the other one.
    pub winner: &'a [u8],
    pub loser: &'a [u8],
    pub occupied: &'a Set,
    /// Moves left; the winner makes the last one.
    pub remaining: i32,
    /// s: the winner's men outside the base that they have to fill.
    pub outside: i32,
    /// σ: the winner's moves less s.
    pub slack: i32,
}

impl Look<'_> {
    pub fn winner_to_move(&self) -> bool {
        self.remaining % 2 == 1
    }

    /// How many of the remaining moves are the loser's.
    pub fn loser_moves(&self) -> i32 {
        self.remaining / 2
    }
}

/// A bound: whether it keeps a position.
pub(super) type Bound = Box<dyn Fn(&Look) -> bool + Send + Sync>;
