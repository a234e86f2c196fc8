//! The labelled solutions for one white checker (the second paper): a label is a number k whose bits, the lowest
//! first, say which of two ways each block of moves goes.
//!
//! Bit 0 stands for slide(l), jump(r), which leaves the puzzle with one black checker less; bit 1 for slide(r),
//! jump(l), slide(r), jump(r), which leaves it with two less. The labels of n black checkers are
//! L(n) = {0 <= k <= 2^(n-1) : a(k) + floor(log2 k) <= n} (5), where a(k) counts the one bits; there are F(n+2).

use num_bigint::BigUint;
use thiserror::Error;

use super::row_moves::played;

/// The label of one shortest solution with `n` black checkers and one white one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    n: u64,
    k: BigUint,
}

/// Moves that are not one of the labelled solutions.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "the moves are not a shortest solution with {n} black checkers and one white one: move {index} is not possible"
)]
pub struct NotASolution {
    /// The number of black checkers.
    pub n: u64,
    /// The first move that no labelled solution has there, from 1.
    pub index: usize,
}

/// Whether L(n) holds k, by (5).
fn admissible(n: u64, k: &BigUint) -> bool {
    // floor(log2 0) = 0. With n = 0 the one label is 0, the bound 2^(n-1) being a half.
    let log = k.bits().saturating_sub(1);
    log.checked_add(k.count_ones()).is_some_and(|cost| cost <= n)
}

/// The distances that the vacancy goes left in a block.
fn block(bit: bool) -> &'static [i64] {
    if bit { &[1, -2, 1, 2] } else { &[-1, 2] }
}

impl Label {
    /// The label k, if L(n) holds it.
    #[must_use]
    pub fn new(n: u64, k: BigUint) -> Option<Self> {
        admissible(n, &k).then_some(Self { n, k })
    }

    /// The number k.
    #[must_use]
    pub fn number(&self) -> &BigUint {
        &self.k
    }

    /// The labels of n black checkers in ascending order, the whole of L(n).
    pub fn all(n: u64) -> impl Iterator<Item = Self> + 'static {
        std::iter::successors(Some(Self { n, k: BigUint::ZERO }), Self::next)
    }

    /// The next larger label. Where k + 1 is too large for L(n), so is every number that has the same bits above the
    /// lowest one of it: adding that bit passes over them.
    fn next(&self) -> Option<Self> {
        let mut k = &self.k + 1u8;
        loop {
            if k.bits().saturating_sub(1) + 1 > self.n {
                return None;
            }
            if admissible(self.n, &k) {
                return Some(Self { n: self.n, k });
            }
            let low = k.trailing_zeros()?;
            k += BigUint::from(1u8) << low;
        }
    }

    /// The labelled solution, move by move.
    pub fn into_moves(self) -> impl Iterator<Item = u64> + 'static {
        let Self { n, k } = self;
        let distances = (0u64..).flat_map(move |i| block(k.bit(i)));
        played(n + 1, distances.copied().take(2 * n as usize + 1))
    }

    /// Move j of the labelled solution by itself, equations (6) to (8), j from 1. (The paper prints the distance D for
    /// the place n + 1 - D.)
    #[must_use]
    pub fn formula(&self, j: u64) -> Option<u64> {
        if j == 0 || j > 2 * self.n + 1 {
            return None;
        }
        // i = alpha(k, j) is the bit that move j follows, t = beta(k, i - 1) the number of moves before that bit.
        let (mut i, mut t) = (0, 0);
        while t + 2 * (1 + u64::from(self.k.bit(i))) < j {
            t += 2 * (1 + u64::from(self.k.bit(i)));
            i += 1;
        }
        // Each block carries the vacancy 1 to the left for every two moves.
        let within = &block(self.k.bit(i))[..(j - t) as usize];
        (self.n + 1 - t / 2).checked_add_signed(-within.iter().sum::<i64>())
    }

    /// The label of a shortest solution.
    ///
    /// # Errors
    /// The moves are not a shortest solution with n black checkers and one white one.
    pub fn of(n: u64, moves: &[u64]) -> Result<Self, NotASolution> {
        let (mut k, mut bit, mut at, mut vacancy) = (BigUint::ZERO, 0, 0, n + 1);
        while at < moves.len() {
            let right = moves[at] < vacancy;
            k.set_bit(bit, right);
            bit += 1;
            for distance in block(right) {
                vacancy = vacancy.wrapping_add_signed(-distance);
                match moves.get(at) {
                    Some(&place) if place == vacancy => at += 1,
                    None => break,
                    Some(_) => return Err(NotASolution { n, index: at + 1 }),
                }
            }
        }
        let wrong_length = NotASolution { n, index: moves.len().min(2 * n as usize + 1) + 1 };
        if moves.len() as u64 != 2 * n + 1 { Err(wrong_length) } else { Self::new(n, k).ok_or(wrong_length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::row_board::Board;
    use crate::row::shift::fibonacci;
    use proptest::prelude::*;

    #[test]
    fn there_are_as_many_labels_as_the_paper_says_and_they_are_the_set_5() {
        for n in 0..16 {
            let labels: Vec<u64> = Label::all(n).map(|l| l.k.try_into().unwrap()).collect();
            let set = |k: &u64| u64::from(k.count_ones()) + u64::from(k.checked_ilog2().unwrap_or(0)) <= n;
            let largest = if n == 0 { 0 } else { 1 << (n - 1) };
            assert_eq!(labels, (0..=largest).filter(set).collect::<Vec<u64>>(), "n={n}");
            assert_eq!(BigUint::from(labels.len()), fibonacci(n + 2));
        }
    }

    #[test]
    fn every_label_is_a_solution_of_its_own() {
        for n in 0..12 {
            let mut seen = std::collections::BTreeSet::new();
            for label in Label::all(n) {
                let moves: Vec<u64> = label.clone().into_moves().collect();
                let mut board = Board::shift(n as usize, 1);
                for (j, &place) in moves.iter().enumerate() {
                    board.play(place).unwrap();
                    assert_eq!(label.formula(j as u64 + 1), Some(place), "n={n} k={} j={}", label.k, j + 1);
                }
                assert_eq!(board, Board::shifted(n as usize, 1));
                assert_eq!(Label::of(n, &moves), Ok(label));
                assert!(seen.insert(moves));
            }
        }
    }

    #[test]
    fn what_is_no_solution_has_no_label() {
        assert_eq!(Label::new(3, 3u8.into()), Some(Label { n: 3, k: 3u8.into() }));
        for (n, k) in [(0, 1u8), (1, 2), (2, 3), (3, 5)] {
            assert_eq!(Label::new(n, k.into()), None);
        }
        let moves: Vec<u64> = Label::new(3, 2u8.into()).unwrap().into_moves().collect();
        assert_eq!(moves, [5, 3, 2, 4, 3, 1, 2]);
        assert_eq!(Label::of(3, &moves[..6]).unwrap_err().index, 7);
        assert_eq!(Label::of(3, &[&moves[..], &[1]].concat()).unwrap_err().index, 8);
        assert_eq!(Label::of(3, &[5, 3, 2, 1, 3, 1, 2]).unwrap_err().index, 4);
        assert_eq!(Label::of(3, &[7, 3, 2, 4, 3, 1, 2]).unwrap_err().index, 1);
    }

    proptest! {
        #[test]
        fn long_labels_go_there_and_back(n in 60u64..200, bits in prop::collection::vec(any::<bool>(), 40)) {
            let mut k = BigUint::ZERO;
            for (i, &bit) in bits.iter().enumerate() {
                k.set_bit(i as u64, bit && i % 2 == 0);
            }
            let label = Label::new(n, k).unwrap();
            let moves: Vec<u64> = label.clone().into_moves().collect();
            for (j, &place) in moves.iter().enumerate() {
                prop_assert_eq!(label.formula(j as u64 + 1), Some(place));
            }
            prop_assert_eq!(Label::of(n, &moves), Ok(label));
        }
    }
}
