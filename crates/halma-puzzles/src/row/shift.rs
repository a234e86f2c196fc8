//! Shifting the checkers: black and white exchange sides (Zhu et al., 2015). Construction, formula, and all shortest
//! solutions.
//!
//! Places count from 1: `n` black checkers, the vacancy, `m` white ones. [`Shift::construct`] is the paper's iterative
//! construction, [`Shift::formula`] its Theorem 3, and [`Shift::solutions`] lists all shortest solutions (Theorem 4).

use std::iter::{once, repeat_n};

use num_bigint::BigUint;

use super::labels::Label;
pub use super::row_moves::Moves;
use super::row_moves::played;

mod formula;
pub mod kind;

/// The largest number of checkers of one colour that a row may have.
pub const MAX_CHECKERS: u64 = 1_000_000_000;

/// The direction of the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum First {
    /// A black checker moves right: d = 1 in the paper.
    Right,
    /// A white checker moves left: d = -1.
    Left,
}

impl First {
    /// Both, [`First::Right`] first.
    pub const BOTH: [Self; 2] = [Self::Right, Self::Left];

    fn sign(self) -> i64 {
        if self == Self::Right { 1 } else { -1 }
    }

    fn other(self) -> Self {
        if self == Self::Right { Self::Left } else { Self::Right }
    }
}

/// The puzzle with `n` black and `m` white checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    n: u64,
    m: u64,
}

/// The sign (-1)^k.
fn alternating(k: u64) -> i64 {
    if k.is_multiple_of(2) { 1 } else { -1 }
}

impl Shift {
    /// The puzzle with `n` black and `m` white checkers, each at most [`MAX_CHECKERS`].
    ///
    /// # Panics
    /// With more checkers than that.
    #[must_use]
    pub fn new(n: u64, m: u64) -> Self {
        assert!(n.max(m) <= MAX_CHECKERS);
        Self { n, m }
    }

    /// How many black checkers there are.
    #[must_use]
    pub fn black(self) -> u64 {
        self.n
    }

    /// How many white checkers there are.
    #[must_use]
    pub fn white(self) -> u64 {
        self.m
    }

    /// The same with the colours exchanged, which is the row seen from the other side.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self { n: self.m, m: self.n }
    }

    /// The number of `place`, seen from the other side.
    fn mirror(self, place: u64) -> u64 {
        self.n + self.m + 2 - place
    }

    /// The length of the shortest solutions: nm + n + m (Theorem 2), and with one colour only ceil(n / 2), since the
    /// vacancy then only has to cross n places, two at a time.
    #[must_use]
    pub fn minimum(self) -> u64 {
        match (self.n, self.m) {
            (n, 0) | (0, n) => n.div_ceil(2),
            (n, m) => n * m + n + m,
        }
    }

    /// How many shortest solutions there are: 2, or F(n + 2) with one checker of the other colour (Theorem 4). With
    /// one colour only, the one slide of an odd row may be any of its moves.
    #[must_use]
    pub fn count(self) -> BigUint {
        let (few, many) = (self.n.min(self.m), self.n.max(self.m));
        match few {
            0 if many.is_multiple_of(2) => BigUint::from(1u8),
            0 => many.div_ceil(2).into(),
            1 => fibonacci(many + 2),
            _ => BigUint::from(2u8),
        }
    }

    /// A shortest solution, move by move in constant memory: the paper's iterative construction. With one colour
    /// only there is no choice of a first direction.
    #[must_use]
    pub fn construct(self, first: First) -> Moves {
        let Self { n, m } = self;
        if m > n {
            return Box::new(self.mirrored().construct(first.other()).map(move |x| self.mirror(x)));
        }
        if m == 0 {
            return self.with_slide_at(n % 2);
        }
        let d = first.sign();
        // Each stage as the distances that the vacancy goes left: 1 and -1 are slides, 2 and -2 jumps.
        let mix = (1..=m).flat_map(move |i| {
            let direction = d * alternating(i - 1);
            repeat_n(2 * direction, i as usize - 1).chain(once(direction))
        });
        let exchange = repeat_n(2 * d * alternating(m), m as usize);
        let carry = (1..=n - m).flat_map(move |i| once(1).chain(repeat_n(2 * d * alternating(m + i), m as usize)));
        let sort = (1..=m).flat_map(move |i| {
            let direction = d * alternating(n + i);
            once(direction).chain(repeat_n(2 * direction, (m - i) as usize))
        });
        played(n + 1, mix.chain(exchange).chain(carry).chain(sort))
    }

    /// The solution of a row of black checkers whose `slide`-th move is the slide; 0 where all are jumps.
    fn with_slide_at(self, slide: u64) -> Moves {
        played(self.n + 1, (1..=self.minimum()).map(move |i| if i == slide { 1 } else { 2 }))
    }

    /// All shortest solutions, one after another (Theorem 4).
    pub fn solutions(self) -> Box<dyn Iterator<Item = Moves>> {
        let Self { n, m } = self;
        match (n, m) {
            (_, 0) => {
                let slides = if n % 2 == 0 { 0..=0 } else { 1..=self.minimum() };
                Box::new(slides.map(move |slide| self.with_slide_at(slide)))
            }
            (_, 1) => Box::new(Label::all(n).map(|label| Box::new(label.into_moves()) as Moves)),
            _ if n < m.min(2) => Box::new(
                self.mirrored().solutions().map(move |moves| -> Moves { Box::new(moves.map(move |x| self.mirror(x))) }),
            ),
            _ => Box::new(First::BOTH.into_iter().map(move |first| self.construct(first))),
        }
    }
}

/// The Fibonacci number F(k), F(0) = 0 and F(1) = 1, by F(2k) = F(k) (2 F(k+1) - F(k)) and
/// F(2k+1) = F(k)^2 + F(k+1)^2.
#[must_use]
pub fn fibonacci(k: u64) -> BigUint {
    let (mut a, mut b) = (BigUint::from(0u8), BigUint::from(1u8));
    for bit in (0..u64::BITS - k.leading_zeros()).rev() {
        let even = &a * (&b * 2u8 - &a);
        let odd = &a * &a + &b * &b;
        (a, b) = if k >> bit & 1 == 0 {
            (even, odd)
        } else {
            let sum = even + &odd;
            (odd, sum)
        };
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::row_board::Board;

    #[test]
    fn fibonacci_numbers_add_up() {
        let small: Vec<u64> = (0..12).map(|k| fibonacci(k).try_into().unwrap()).collect();
        assert_eq!(small, [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]);
        for k in 0..300 {
            assert_eq!(fibonacci(k) + fibonacci(k + 1), fibonacci(k + 2));
        }
    }

    #[test]
    fn construction_formula_and_enumeration_agree_move_for_move_up_to_60() {
        for (n, m) in (0..=60).flat_map(|n| (0..=60).map(move |m| (n, m))) {
            let shift = Shift::new(n, m);
            let mut constructed = Vec::new();
            for first in First::BOTH {
                let mut board = Board::shift(n as usize, m as usize);
                let moves: Vec<u64> = shift.construct(first).collect();
                for (i, &place) in moves.iter().enumerate() {
                    board.play(place).unwrap();
                    assert_eq!(shift.formula(i as u64 + 1, first), Some(place), "n={n} m={m} {first:?} i={}", i + 1);
                }
                assert_eq!(board, Board::shifted(n as usize, m as usize), "n={n} m={m} {first:?}");
                assert_eq!(moves.len() as u64, shift.minimum());
                assert_eq!(shift.formula(0, first), None);
                assert_eq!(shift.formula(shift.minimum() + 1, first), None);
                constructed.push(moves);
            }
            if n.min(m) >= 1 {
                assert_eq!([constructed[0][0], constructed[1][0]], [n, n + 2], "the first checker to move");
            }
            // Labelled solutions are too many beyond n = 16: their own tests go further.
            if n.min(m) != 1 || n.max(m) <= 16 {
                let all: Vec<Vec<u64>> = shift.solutions().map(Iterator::collect).collect();
                assert_eq!(BigUint::from(all.len()), shift.count());
                assert!(constructed.iter().all(|moves| all.contains(moves)), "n={n} m={m}");
            }
        }
    }

    #[test]
    fn a_long_row_streams() {
        let shift = Shift::new(10_000, 10_000);
        assert_eq!(shift.minimum(), 100_020_000);
        let every: Vec<(usize, u64)> = shift.construct(First::Left).enumerate().step_by(99_991).take(300).collect();
        for (i, place) in every {
            assert_eq!(shift.formula(i as u64 + 1, First::Left), Some(place));
        }
    }
}
