//! The closed form of the constructed solution (Theorem 3, equations (29) and (30)), each move by itself.
//!
//! Everything is an integer: a floor of a square root is `isqrt`, which stays right where doubles fail (from about
//! m = 3 x 10^8 on).

use super::{First, Shift};

/// (-1)^k.
fn alternating(k: i128) -> i128 {
    1 - 2 * (k & 1)
}

impl Shift {
    /// Where the checker stands that moves `i`-th in [`Shift::construct`]; `None` unless `i` is one of the moves.
    #[must_use]
    pub fn formula(self, i: u64, first: First) -> Option<u64> {
        if i == 0 || i > self.minimum() {
            return None;
        }
        if self.m > self.n {
            return self.mirrored().formula(i, first.other()).map(|x| self.mirror(x));
        }
        let (n, m, i, d) = (i128::from(self.n), i128::from(self.m), i128::from(i), i128::from(first.sign()));
        let place = if m == 0 { n + 1 - 2 * i + n % 2 } else { theorem_3(n, m, i, d) };
        u64::try_from(place).ok()
    }
}

/// The move x_i for n >= m >= 1. Departs from the print in the third line, which starts from x_(s1+s2) = n + 1 - t and
/// not from "x_s2".
fn theorem_3(n: i128, m: i128, i: i128, d: i128) -> i128 {
    let s1 = m * (m + 3) / 2;
    let s2 = (n - m) * (m + 1);
    if i <= s1 {
        // Section a has a + 1 moves (Lemma 5).
        let a = ((8 * i + 1).isqrt() - 1) / 2;
        n + 1 - d * alternating(a) * (2 * i - a * (a + 2))
    } else if i <= s1 + s2 {
        // Section b has m + 1 moves (Lemma 6).
        let b = (i - s1 + m) / (m + 1);
        let p = i - s1 - (b - 1) * (m + 1);
        n + 1 - d * m * alternating(m) - b - d * alternating(m + b) * (2 * p - 2 - m * (1 + alternating(b)))
    } else {
        // Section g has m + 1 - g moves (Lemma 7): g = floor((2m + 3 - sqrt(r)) / 2), the root rounded up since it is
        // taken away.
        let y = i - s1 - s2;
        let r = 4 * m * (m + 1) - 8 * y + 9;
        let root = r.isqrt();
        let g = (2 * m + 3 - root - i128::from(root * root < r)) / 2;
        let q = y - (g - 1) * (m + 1) + g * (g - 1) / 2;
        m + 1 - d * alternating(n + g) * (g + 2 * q - m - 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::shift::MAX_CHECKERS;
    use proptest::prelude::*;

    proptest! {
        /// Where n and m are too large to walk there: neighbouring moves are one slide or jump apart, and the second
        /// half is the first one backwards, seen from the other side.
        #[test]
        fn moves_of_a_huge_row_are_slides_and_jumps(n in 1..=MAX_CHECKERS, m in 1..=MAX_CHECKERS, at in any::<u64>(), left in any::<bool>()) {
            let (shift, first) = (Shift::new(n, m), if left { First::Left } else { First::Right });
            let i = 1 + at % (shift.minimum() - 1);
            let (x, y) = (shift.formula(i, first).unwrap(), shift.formula(i + 1, first).unwrap());
            prop_assert!((1..=n + m + 1).contains(&x));
            prop_assert!((1..=2).contains(&x.abs_diff(y)), "{x} {y}");
        }

        /// The vacancy after i moves, forward in one solution, is where it is before the last i moves in the mirrored
        /// row's solution: a second way to each value that shares no section of the formula with the first.
        #[test]
        fn the_solution_reads_backward_as_a_solution(n in 1..=MAX_CHECKERS, m in 1..=MAX_CHECKERS, at in any::<u64>(), left in any::<bool>()) {
            let (shift, first) = (Shift::new(n, m), if left { First::Left } else { First::Right });
            let i = 1 + at % (shift.minimum() - 1);
            let vacancy = shift.formula(i, first).unwrap();
            // Backward and with the row turned round, the target becomes the start; one of the two solutions must fit.
            let turned = First::BOTH.map(|f| n + m + 2 - shift.formula(shift.minimum() - i, f).unwrap());
            prop_assert!(turned.contains(&vacancy), "{vacancy} {turned:?}");
        }
    }

    #[test]
    fn the_last_move_of_the_largest_row_is_right() {
        let shift = Shift::new(MAX_CHECKERS, MAX_CHECKERS);
        for first in First::BOTH {
            assert_eq!(shift.formula(shift.minimum(), first), Some(MAX_CHECKERS + 1));
        }
        assert_eq!(shift.formula(1, First::Right), Some(MAX_CHECKERS));
        assert_eq!(Shift::new(MAX_CHECKERS, 3).formula(4 * MAX_CHECKERS + 3, First::Left), Some(4));
    }
}
