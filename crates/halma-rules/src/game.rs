//! The two-player shortest game (Section 2 of the paper): two armies, each of which has to fill the other's base.
//!
//! Blue moves first, the players alternate, passing is not allowed, and the first army to fill the other's base wins.
//! The players cooperate to end the game in as few moves as possible, so the parity of the length decides who wins:
//! blue after an odd number of moves, red after an even one.
//!
//! ```
//! use halma_rules::{board::Board, game::{Game, Side}, lattice::{Lattice, Rule}};
//! let lattice = Lattice::new(Board::named("9x9").unwrap(), Rule::Six);
//! let game = Game::mirrored(lattice, &[0, 1, 2, 3, 9, 10, 11, 18, 19, 27]).unwrap();
//! assert_eq!(game.draw(&game.blue, &game.red), "\
//! BBBB.....
//! BBB......
//! BB.......
//! B........
//! .........
//! ........R
//! .......RR
//! ......RRR
//! .....RRRR
//! ");
//! assert_eq!(game.theorem_1(), 27);
//! assert_eq!(Side::winner(27), Side::Blue);
//! ```

use crate::army;
use crate::board::Board;
use crate::closed::Closed;
use crate::lattice::{Lattice, Rule};
use crate::problem::mirrored;
use crate::symmetry::{Symmetries, Symmetry};

/// A player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Moves first.
    Blue,
    /// Moves second.
    Red,
}

impl Side {
    /// The side that moves after `depth` moves.
    #[must_use]
    pub fn to_move(depth: u32) -> Self {
        if depth.is_multiple_of(2) { Self::Blue } else { Self::Red }
    }

    /// The winner of a game of `length` moves: the side that makes the last move.
    #[must_use]
    pub fn winner(length: u32) -> Self {
        Self::to_move(length).other()
    }

    /// The opponent.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Blue => Self::Red,
            Self::Red => Self::Blue,
        }
    }

    /// `blue` or `red`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Blue => "blue",
            Self::Red => "red",
        }
    }
}

/// A lattice and two armies on their bases.
#[derive(Clone, Debug)]
pub struct Game {
    /// Board and rule.
    pub lattice: Lattice,
    /// Blue's base, ascending: the cells of its army at the start, and red's goal.
    pub blue: Vec<usize>,
    /// Red's base, ascending; as many cells.
    pub red: Vec<usize>,
}

impl Game {
    /// The game of `blue` against the army that mirrors it ([`mirrored`]).
    #[must_use]
    pub fn mirrored(lattice: Lattice, blue: &[usize]) -> Option<Self> {
        let red = mirrored(&lattice, blue)?;
        let mut blue = blue.to_vec();
        blue.sort_unstable();
        Some(Self { lattice, blue, red })
    }

    /// The base of a side.
    #[must_use]
    pub fn base(&self, side: Side) -> &[usize] {
        match side {
            Side::Blue => &self.blue,
            Side::Red => &self.red,
        }
    }

    /// Cells which prove that one army can never fill the other's base; `None` if there are none.
    #[must_use]
    pub fn closed(&self) -> Option<Closed> {
        Closed::between(&self.lattice, [&self.blue, &self.red], false)
    }

    /// K: the symmetries that map both bases to themselves, the identity first. A symmetry that exchanges the bases is
    /// of no use, because the sides differ in who moves and who wins.
    #[must_use]
    pub fn symmetries(&self) -> Vec<Symmetry> {
        Symmetries::of(&self.lattice, &self.blue, &self.red).fixing
    }

    /// d(B, R) of equation (6): steps between the nearest men of two armies.
    #[must_use]
    pub fn distance(&self, blue: &[usize], red: &[usize]) -> u32 {
        let distance = self.lattice.distances(blue);
        red.iter().map(|&c| distance[c]).min().map_or(0, u32::from)
    }

    /// The bound of Theorem 1, equation (7): no game is shorter.
    #[must_use]
    pub fn theorem_1(&self) -> u32 {
        self.distance(&self.blue, &self.red).saturating_sub(2) + (2 * self.blue.len() as u32).saturating_sub(1)
    }

    /// A position as text: `B` a blue man, `R` a red one, `.` an empty cell.
    #[must_use]
    pub fn draw(&self, blue: &[usize], red: &[usize]) -> String {
        self.lattice.board.draw(|cell| match (blue.contains(&cell), red.contains(&cell)) {
            (true, _) => 'B',
            (_, true) => 'R',
            _ => '.',
        })
    }
}

impl Game {
    /// A named board, and a named army against its mirror image; `None` if a name is unknown.
    #[must_use]
    pub fn named(board: &str, rule: Rule, army: &str) -> Option<Self> {
        let board = Board::named(board)?;
        let blue = army::named(army, &board).ok()??;
        Self::mirrored(Lattice::new(board, rule), &blue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_7_is_that_of_table_2() {
        let rows = [
            ("9x9", Rule::Six, "triangle-4", 10, 27),
            ("9x9", Rule::Six, "triangle-5", 8, 35),
            ("16x16", Rule::Eight, "halma-19", 10, 45),
            ("8x8", Rule::Eight, "triangle-4", 4, 21),
            ("9x9", Rule::Eight, "triangle-4", 5, 22),
        ];
        for (board, rule, army, distance, bound) in rows {
            let game = Game::named(board, rule, army).unwrap();
            assert_eq!(game.distance(&game.blue, &game.red), distance);
            assert_eq!(game.theorem_1(), bound);
            assert_eq!(game.symmetries().len(), 2);
        }
    }

    #[test]
    fn sides_alternate_and_the_last_mover_wins() {
        assert_eq!([0, 1, 2].map(Side::to_move), [Side::Blue, Side::Red, Side::Blue]);
        assert_eq!([29, 30].map(Side::winner), [Side::Blue, Side::Red]);
        assert_eq!(Side::Blue.other().other(), Side::Blue);
    }
}
