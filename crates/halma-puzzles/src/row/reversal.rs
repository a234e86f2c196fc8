//! Reversing a row by slides and jumps, a question that two of the papers leave open: bounds, construction, search.
//!
//! Places count from 0. Checkers 1 to n stand in order with the vacancy on place s; they shall stand in reverse order
//! with the vacancy on place f.
//!
//! **Lower bound.** A jump turns one pair of checkers round and leaves the parity of the jumper's place; a slide turns
//! no pair round and changes one parity. All n(n-1)/2 pairs must be turned round, and every checker whose place and
//! target differ by an odd number must slide. So no solution is shorter than h = n(n-1)/2 + (number of such checkers),
//! and as a move changes the h of a state by exactly 1, all solutions have the parity of h.
//!
//! **Upper bound.** The places form a cycle 0, 1, 3, 5, ..., 6, 4, 2 of slides and jumps. Once round it, the vacancy has
//! carried every checker one place backward. For odd n, n(n+1)/2 moves carry everything, the vacancy included, to the
//! opposite place of the cycle, which is p -> n - p: they solve s + f = n. For even n, n/2 rounds from place 0 carry the
//! checkers half round the cycle of the other n places: they solve s = f = 0. Slides before or after bring the vacancy
//! anywhere else. The legs of each construction are in `reversal/route.rs`.
//!
//! Where the two bounds meet, the minimum is proved. Where they do not, that nothing is shorter than the construction
//! is a **conjecture**, true for all s and f at least up to n = 9.

use num_bigint::BigUint;

use super::levels::{self, Outcome};
use super::row_moves::Moves;
use crate::row::reversal_puzzle::RowReversal;

mod route;

/// The largest number of checkers that a row may have.
pub const MAX_REVERSED: u64 = 1_000_000_000;

/// The puzzle with `n` checkers and the vacancy's places at the start and at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversal {
    n: u64,
    start: u64,
    end: u64,
}

impl Reversal {
    /// The puzzle with `n` checkers, the vacancy going from place `start` to place `end`.
    ///
    /// # Panics
    /// Where a place is beyond `n`, or `n` beyond [`MAX_REVERSED`].
    #[must_use]
    pub fn new(n: u64, start: u64, end: u64) -> Self {
        assert!(n <= MAX_REVERSED && start.max(end) <= n);
        Self { n, start, end }
    }

    /// The lower bound h: pairs to turn round, and checkers whose parity is wrong.
    #[must_use]
    pub fn lower_bound(self) -> u64 {
        let Self { n, start: s, end: f } = self;
        // Checker i (from 0) stands on i or, from s on, i + 1; its target is n - 1 - i or, from f on, n - i. For even
        // n the sum of the two is odd where the vacancy is passed by neither or by both, for odd n where by one.
        let (below, above) = (s.min(n - f), s.max(n - f));
        let one = above - below;
        n * n.saturating_sub(1) / 2 + if n % 2 == 0 { one } else { n - one }
    }

    /// The shortest length known, that of the construction.
    #[must_use]
    pub fn upper_bound(self) -> u64 {
        route::length(&self.route())
    }

    /// The formula for the minimum: with t = min(s + f, 2n - s - f), n(n+1)/2 where t = n and n is odd, else for odd n
    /// n(n+1)/2 + n - t, less 2 for each of s and f that is 0 (or, where s + f > n, that is n); for even n
    /// n(n+1)/2 - 2 + t, and 2 more where t = 0. Smaller n are their own cases.
    ///
    /// The construction attains it, so it is never too small; that it is never too large is a **conjecture** except
    /// where [`Reversal::is_proved`] says more.
    #[must_use]
    pub fn conjectured_minimum(self) -> u64 {
        let Self { n, start: s, end: f } = self;
        if n <= 1 || (n == 2 && s.abs_diff(f) == 2) {
            return s.abs_diff(f).min(1);
        }
        let t = (s + f).min(2 * n - s - f);
        let edge = if s + f > n { n } else { 0 };
        let edges = u64::from(s == edge) + u64::from(f == edge);
        let base = n * (n + 1) / 2;
        match (n % 2, t) {
            (1, t) if t == n => base,
            (1, t) => base + n - t - 2 * edges,
            (_, 0) => base,
            (_, t) => base + t - 2,
        }
    }

    /// Whether the two bounds meet, which proves the minimum: for even n where s + f is at most 1, for odd n where it
    /// is n or the vacancy goes between 0 and n - 1; and what is the same from the other side.
    #[must_use]
    pub fn is_proved(self) -> bool {
        self.lower_bound() == self.upper_bound()
    }

    /// The solution of the module's upper bound, move by move in constant memory.
    #[must_use]
    pub fn construct(self) -> Moves {
        Box::new(self.route().into_iter().flat_map(route::Leg::walk))
    }

    /// Move i of [`Reversal::construct`], counted from 1, by itself. `None` unless it is one of the moves.
    #[must_use]
    pub fn formula(self, i: u64) -> Option<u64> {
        let mut before = i.checked_sub(1)?;
        for leg in self.route() {
            if before < leg.moves() {
                return Some(leg.at(before + 1));
            }
            before -= leg.moves();
        }
        None
    }

    /// The minimum and the number of shortest solutions, by exhaustive search from both ends: every length of the
    /// right parity from the lower bound on is refuted or counted. `None` if a level has more than `budget` states, or
    /// the row does not fit a key.
    #[must_use]
    pub fn minimum_and_count(self, budget: usize) -> Option<(u64, BigUint)> {
        let mut length = u32::try_from(self.lower_bound()).ok()?;
        loop {
            let forward = self.row(Some(length))?;
            let backward = forward.backward();
            let count = levels::count_between((&forward, length / 2), (&backward, length - length / 2), budget)?;
            if count > BigUint::ZERO {
                return Some((length.into(), count));
            }
            length += 2;
        }
    }

    /// The levels up to the shortest solution, length after length, and the puzzle with the bound for that length.
    /// `None` where the row is too long for a key.
    #[must_use]
    pub fn solve(self, budget: usize) -> Option<(RowReversal, Outcome<u64>)> {
        let puzzle = |length| self.row(Some(length));
        levels::shortest(puzzle, u32::try_from(self.lower_bound()).ok()?, 2, RowReversal::goal, budget)
    }

    /// The row as a puzzle for the engine, for solutions of that length; `None` where it is too long for a key.
    #[must_use]
    pub fn row(self, length: Option<u32>) -> Option<RowReversal> {
        RowReversal::new(self.n, self.start, self.end, length)
    }

    /// The puzzle that comes out the same by symmetry: seen from the other side, or played backward, or both; the
    /// least pair of places of the four.
    #[must_use]
    pub fn canonical(self) -> Self {
        let Self { n, start: s, end: f } = self;
        let (start, end) = [(s, f), (f, s), (n - s, n - f), (n - f, n - s)].into_iter().min().unwrap_or((s, f));
        Self { n, start, end }
    }
}

/// Minimum and number of shortest solutions for every start (row) and end (column) of the vacancy, each up to symmetry
/// searched once. `None` as in [`Reversal::minimum_and_count`].
#[must_use]
pub fn table(n: u64, budget: usize) -> Option<Vec<Vec<(u64, BigUint)>>> {
    let places = n as usize + 1;
    let mut cells: Vec<Vec<(u64, BigUint)>> = Vec::with_capacity(places);
    for start in 0..=n {
        let mut row = Vec::with_capacity(places);
        for end in 0..=n {
            let puzzle = Reversal::new(n, start, end);
            let Reversal { start: s, end: f, .. } = puzzle.canonical();
            // The canonical pair is the least, so it stands above or to the left unless it is this one.
            let known = cells.get(s as usize).unwrap_or(&row).get(f as usize).cloned();
            row.push(match known {
                Some(known) => known,
                None => puzzle.minimum_and_count(budget)?,
            });
        }
        cells.push(row);
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::row_board::Board;

    fn all(n: u64) -> impl Iterator<Item = Reversal> {
        (0..=n).flat_map(move |s| (0..=n).map(move |f| Reversal::new(n, s, f)))
    }

    #[test]
    fn construction_and_formula_agree_and_reverse_the_row() {
        for puzzle in (0..=24).chain([59, 60]).flat_map(all) {
            let Reversal { n, start, end } = puzzle;
            let mut board = Board::reversal(n as usize, start as usize);
            let mut length = 0;
            for (i, place) in (1..).zip(puzzle.construct()) {
                board.play(place).unwrap();
                length = i;
                if n < 25 || i % 7 == 0 {
                    assert_eq!(puzzle.formula(i), Some(place), "{puzzle:?} i={i}");
                }
            }
            assert_eq!(board, Board::reversed(n as usize, end as usize), "{puzzle:?}");
            assert_eq!([puzzle.formula(0), puzzle.formula(length + 1)], [None, None]);
            assert_eq!(length, puzzle.upper_bound(), "{puzzle:?}");
            assert_eq!(length, puzzle.conjectured_minimum(), "{puzzle:?}");
            assert!(puzzle.lower_bound() <= length && (length - puzzle.lower_bound()).is_multiple_of(2), "{puzzle:?}");
        }
    }

    #[test]
    fn the_bounds_meet_where_they_are_said_to() {
        for puzzle in (3..40).flat_map(all) {
            let Reversal { n, start: s, end: f } = puzzle;
            let t = (s + f).min(2 * n - s - f);
            let near = [(0, n - 1), (n - 1, 0), (1, n), (n, 1)].contains(&(s, f));
            assert_eq!(puzzle.is_proved(), if n % 2 == 0 { t <= 1 } else { t == n || near }, "{puzzle:?}");
        }
    }

    #[test]
    fn minima_and_counts_are_the_published_ones_and_fit_the_formula() {
        let found: Vec<(u64, u64)> = (2..=8)
            .map(|n| Reversal::new(n, 0, 0).minimum_and_count(1_000_000).unwrap())
            .map(|(minimum, count)| (minimum, count.try_into().unwrap()))
            .collect();
        assert_eq!(found, [(3, 2), (5, 2), (10, 4), (16, 22), (21, 4), (31, 530), (36, 4)]);
        for puzzle in (0..=6).flat_map(all) {
            let (minimum, count) = puzzle.minimum_and_count(1_000_000).unwrap();
            assert_eq!(minimum, puzzle.conjectured_minimum(), "{puzzle:?}");
            assert_eq!(puzzle.canonical().minimum_and_count(1_000_000), Some((minimum, count)), "{puzzle:?}");
        }
    }

    #[test]
    fn the_table_is_made_of_the_single_answers() {
        let table = table(5, 1_000_000).unwrap();
        for puzzle in all(5) {
            let cell = &table[puzzle.start as usize][puzzle.end as usize];
            assert_eq!(Some(cell), puzzle.minimum_and_count(1_000_000).as_ref(), "{puzzle:?}");
        }
    }

    #[test]
    #[ignore = "a minute in a release build"]
    fn the_conjecture_holds_for_all_places_up_to_9() {
        for puzzle in (7..=9).flat_map(all).filter(|p| p.canonical() == *p) {
            assert_eq!(puzzle.minimum_and_count(usize::MAX).unwrap().0, puzzle.conjectured_minimum(), "{puzzle:?}");
        }
    }

    #[test]
    fn a_huge_row_has_its_closed_form() {
        let puzzle = Reversal::new(MAX_REVERSED, 0, 0);
        assert_eq!(puzzle.upper_bound(), MAX_REVERSED * (MAX_REVERSED + 1) / 2);
        assert_eq!(puzzle.formula(puzzle.upper_bound()), Some(0));
        assert!(puzzle.is_proved());
    }
}
