//! Moving checkers by pairs: black and white checkers in two blocks have to end in alternation (the paper on moving
//! checkers). Construction, formulas, and counts by search.
//!
//! Places count from 0: `n` black, `n` white, two vacancies. A move is written as the left place of its pair.

use num_bigint::BigUint;

use super::levels::{self, Outcome};
use super::row_moves::Moves;
use crate::row::pair_puzzle::PairRow;

/// The largest number of checkers of one colour that a row may have.
pub const MAX_PAIRS: u64 = 1_000_000_000;

/// The puzzle with `n` checkers of each colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    n: u64,
}

/// The solutions that the construction ends with, d(r, i) in Table 1 of the paper. For three pairs, which the paper
/// passes over, the first of the two solutions in four moves.
fn base(r: u64) -> &'static [u64] {
    match r {
        3 => &[0, 2, 5, 0],
        4 => &[1, 4, 7, 0],
        5 => &[1, 7, 4, 9, 0],
        6 => &[1, 7, 3, 8, 11, 0],
        7 => &[1, 10, 4, 9, 6, 13, 0],
        _ => &[],
    }
}

impl Pairs {
    /// The puzzle with `n` checkers of each colour, at most [`MAX_PAIRS`].
    ///
    /// # Panics
    /// With more checkers than that.
    #[must_use]
    pub fn new(n: u64) -> Self {
        assert!(n <= MAX_PAIRS);
        Self { n }
    }

    /// How many checkers of each colour there are.
    #[must_use]
    pub fn pairs(self) -> u64 {
        self.n
    }

    /// The length of the shortest solutions: n from n = 4 on (Theorem 1 and the construction), 4 for n = 3, and `None`
    /// for n = 1 and 2, where there is none.
    #[must_use]
    pub fn minimum(self) -> Option<u64> {
        match self.n {
            1 | 2 => None,
            3 => Some(4),
            n => Some(n),
        }
    }

    /// How many times the construction goes over to a puzzle with four pairs less.
    fn rounds(self) -> u64 {
        (self.n / 4).saturating_sub(1)
    }

    /// A shortest solution, move by move in constant memory: the paper's Move, which plays two moves, solves the four
    /// pairs smaller puzzle from place `first + 4` on, and plays two more. `None` where there is no solution.
    #[must_use]
    pub fn construct(self) -> Option<Moves> {
        self.minimum()?;
        let rounds = self.rounds();
        // The sub-puzzle of a round: its first place and its size.
        let sub = move |round: u64| (4 * round, self.n - 4 * round);
        let opening = (0..rounds).map(sub).flat_map(|(first, k)| [first + 1, first + 2 * k - 4]);
        let (first, k) = sub(rounds);
        let middle = base(k).iter().map(move |x| first + x);
        let closing = (0..rounds).rev().map(sub).flat_map(|(first, k)| [first + 2 * k - 1, first]);
        Some(Box::new(opening.chain(middle).chain(closing)))
    }

    /// Move i of [`Pairs::construct`], counted from 1, by itself: equation (3). `None` unless it is one of the moves.
    #[must_use]
    pub fn formula(self, i: u64) -> Option<u64> {
        let (n, k) = (self.n, self.rounds());
        if i == 0 || i > self.minimum()? {
            return None;
        }
        let last = n - 4 * k;
        let middle = base(last).len() as u64;
        Some(if i <= 2 * k {
            if i % 2 == 1 { 2 * i - 1 } else { 2 * (n - i) }
        } else if i <= 2 * k + middle {
            4 * k + base(last)[(i - 2 * k - 1) as usize]
        } else if (n - i) % 2 == 1 {
            2 * i + 1
        } else {
            2 * (n - i)
        })
    }

    /// How many shortest solutions there are, by exhaustive search from both ends with the paper's bound; 0 where the
    /// puzzle is unsolvable. `None` if a level has more than `budget` states, or the row does not fit a key.
    #[must_use]
    pub fn count(self, budget: usize) -> Option<BigUint> {
        let Some(minimum) = self.minimum() else { return Some(BigUint::ZERO) };
        let length = u32::try_from(minimum).ok()?;
        let (forward, backward) = (PairRow::new(self.n, Some(length))?, PairRow::new(self.n, Some(length))?.backward());
        levels::count_between((&forward, length / 2), (&backward, length - length / 2), budget)
    }

    /// A formula for the number of shortest solutions that fits every count known, n = 4 to 20: a **conjecture**. With
    /// n = 4j + r and C the Catalan numbers it is (j!)^4 times C(j-1), j C(j-1), j(j+1)/2 C(j), j(j+1)^2/2 C(j) for
    /// r = 0, 1, 2, 3.
    ///
    /// The paper's own conjecture, 2^(n-4), read off n = 8 and 9, is refuted by n = 10: 96, not 64.
    #[must_use]
    pub fn conjectured_count(self) -> Option<BigUint> {
        if self.n < 4 {
            return None;
        }
        let (j, r) = (self.n / 4, self.n % 4);
        let factorial: BigUint = (1..=j).map(BigUint::from).product();
        // C(j) = (2j)! / (j! (j+1)!), by C(i+1) = C(i) (4i + 2) / (i + 2).
        let catalan = |j: u64| (0..j).fold(BigUint::from(1u8), |c, i| c * (4 * i + 2) / (i + 2));
        let rest = match r {
            0 => catalan(j - 1),
            1 => catalan(j - 1) * j,
            2 => catalan(j) * (j * (j + 1) / 2),
            _ => catalan(j) * (j * (j + 1) / 2) * (j + 1),
        };
        Some(factorial.pow(4) * rest)
    }
}

/// The levels up to the shortest solution with `n` checkers of each colour, length after length; with them the puzzle
/// that has the bound for that length. `None` where the row is too long for the search.
#[must_use]
pub fn solve(n: u64, budget: usize) -> Option<(PairRow, Outcome<u64>)> {
    PairRow::new(n, None)?;
    levels::shortest(|length| PairRow::new(n, Some(length)), n as u32, 1, |puzzle| puzzle.goal(), budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::row_board::Board;

    #[test]
    fn construction_and_formula_agree_move_for_move_and_solve_the_puzzle() {
        for n in (0..=60).chain([1000, 1001, 1002, 1003]) {
            let pairs = Pairs::new(n);
            let Some(moves) = pairs.construct() else {
                assert!([1, 2].contains(&n));
                assert_eq!(pairs.formula(1), None);
                continue;
            };
            let mut board = Board::pairs(n as usize);
            let mut length = 0;
            for (i, place) in (1..).zip(moves) {
                board.play(place).unwrap();
                assert_eq!(pairs.formula(i), Some(place), "n={n} i={i}");
                length = i;
            }
            assert_eq!(board, Board::paired(n as usize), "n={n}");
            assert_eq!(Some(length), pairs.minimum());
            assert_eq!([pairs.formula(0), pairs.formula(length + 1)], [None, None]);
        }
    }

    #[test]
    fn the_closed_form_of_a_huge_row_ends_where_it_must() {
        let pairs = Pairs::new(MAX_PAIRS);
        assert_eq!(
            [1, 2, MAX_PAIRS - 1, MAX_PAIRS].map(|i| pairs.formula(i).unwrap()),
            [1, 2 * MAX_PAIRS - 4, 2 * MAX_PAIRS - 1, 0]
        );
    }

    #[test]
    fn shortest_solutions_are_found_and_small_rows_proved_unsolvable() {
        for n in 0..=9 {
            let (_, outcome) = solve(n, 1_000_000).unwrap();
            match outcome {
                Outcome::Found(levels) => assert_eq!(Some(levels.len() as u64 - 1), Pairs::new(n).minimum(), "n={n}"),
                Outcome::Exhausted { pruned } => assert_eq!((pruned, Pairs::new(n).minimum()), (0, None), "n={n}"),
                Outcome::Stopped => panic!("n={n}"),
            }
        }
    }

    #[test]
    #[ignore = "a minute in a release build, 200 MB to 4 GB"]
    fn the_conjectured_count_holds_up_to_19() {
        for n in 14..=19 {
            assert_eq!(Pairs::new(n).count(usize::MAX), Pairs::new(n).conjectured_count(), "n={n}");
        }
    }

    #[test]
    fn counts_are_those_of_the_paper_and_refute_its_conjecture() {
        let counts: Vec<u64> = (4..=13).map(|n| Pairs::new(n).count(1_000_000).unwrap().try_into().unwrap()).collect();
        assert_eq!(counts, [1, 1, 1, 2, 16, 32, 96, 288, 2592, 7776]);
        assert_ne!(counts[10 - 4], 1 << (10 - 4));
        for (n, count) in (4..).zip(counts) {
            assert_eq!(Pairs::new(n).conjectured_count(), Some(count.into()));
        }
    }
}
