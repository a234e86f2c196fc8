//! The reversal of a row as a [`Puzzle`], with the lower bound of [`crate::row::reversal`].

use halma_engine::puzzle::Puzzle;

use crate::row::row_board::Board;

/// The most checkers whose rows fit a key: 16 places of 4 bits.
pub const MAX_CHECKERS: u64 = 15;

/// Reversing n checkers, forward from the start or backward from the target.
///
/// A key has 4 bits a place, place 0 lowest: the number of the checker, 0 for the vacancy.
#[derive(Clone, Debug)]
pub struct RowReversal {
    places: u32,
    start: u64,
    goal: u64,
    /// The place of each checker in the goal, 4 bits a checker.
    targets: u64,
    /// Whether the goal has the checkers in ascending order.
    ascending: bool,
    /// The length that the bound is for; no bound without.
    length: Option<u32>,
}

fn digit(key: u64, at: u32) -> u64 {
    key >> (4 * at) & 15
}

impl RowReversal {
    /// The puzzle with the vacancy going from place `start` to place `end`; with a `length`, states from which it cannot
    /// be solved in so many moves are pruned. `None` where the row is too long for a key.
    #[must_use]
    pub fn new(n: u64, start: u64, end: u64, length: Option<u32>) -> Option<Self> {
        if n > MAX_CHECKERS {
            return None;
        }
        let start = Self::key(&Board::reversal(n as usize, start as usize));
        let goal = Self::key(&Board::reversed(n as usize, end as usize));
        Some(Self { places: n as u32 + 1, start, goal, targets: 0, ascending: false, length }.with_targets())
    }

    fn with_targets(mut self) -> Self {
        self.targets = (0..self.places).map(|p| u64::from(p) << (4 * digit(self.goal, p))).sum();
        self
    }

    /// The same played from the target to the start.
    #[must_use]
    pub fn backward(&self) -> Self {
        Self { start: self.goal, goal: self.start, ascending: !self.ascending, ..self.clone() }.with_targets()
    }

    /// The key of a board.
    #[must_use]
    pub fn key(board: &Board) -> u64 {
        (0..).zip(board.checkers()).map(|(place, &checker)| checker << (4 * place)).sum()
    }

    /// The place of the vacancy in a state: the place where the move to it started.
    #[must_use]
    pub fn place(&self, key: u64) -> u64 {
        (0..self.places).find(|&p| digit(key, p) == 0).unwrap_or(0).into()
    }

    /// The state at the other end.
    #[must_use]
    pub fn goal(&self) -> u64 {
        self.goal
    }

    /// Whether a checker on `place` must slide an odd number of times.
    fn wrong_parity(&self, checker: u64, place: u32) -> bool {
        (digit(self.targets, checker as u32) as u32 ^ place) & 1 == 1
    }

    /// Whether a checker that stands left of another must pass it.
    fn inverted(&self, left: u64, right: u64) -> bool {
        (left < right) != self.ascending
    }

    /// Pairs to turn round and checkers of the wrong parity: no solution from here is shorter.
    fn bound(&self, key: u64) -> i64 {
        let (mut seen, mut bound) = (0u32, 0);
        for place in 0..self.places {
            let checker = digit(key, place);
            if checker == 0 {
                continue;
            }
            // Checkers to the left with smaller numbers, or with larger ones where those must come first.
            let smaller = seen & ((1 << checker) - 1);
            bound += if self.ascending { seen & !smaller } else { smaller }.count_ones();
            bound += u32::from(self.wrong_parity(checker, place));
            seen |= 1 << checker;
        }
        bound.into()
    }
}

impl Puzzle for RowReversal {
    type Key = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u64> {
        vec![self.start]
    }

    fn successors(&self, (): &mut (), key: u64, depth: u32, emit: &mut impl FnMut(u64)) -> u64 {
        let vacancy = self.place(key) as u32;
        // What the bound of a successor may be; no bound is above 15 * 16.
        let allowed = self.length.map_or(i64::MAX, |l| i64::from(l) - i64::from(depth) - 1);
        let bound = self.bound(key);
        let mut generated = 0;
        for from in [vacancy.wrapping_sub(2), vacancy.wrapping_sub(1), vacancy + 1, vacancy + 2] {
            if from >= self.places {
                continue;
            }
            generated += 1;
            let checker = digit(key, from);
            let rises = match from.abs_diff(vacancy) {
                1 => !self.wrong_parity(checker, from),
                _ if from < vacancy => !self.inverted(checker, digit(key, from + 1)),
                _ => !self.inverted(digit(key, from - 1), checker),
            };
            if bound + if rises { 1 } else { -1 } <= allowed {
                emit(key & !(15 << (4 * from)) | checker << (4 * vacancy));
            }
        }
        generated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::reversal::Reversal;
    use halma_engine::puzzle::check_contract;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_keeps_the_contract() {
        for (n, s, f, length) in [(0, 0, 0, None), (1, 0, 1, Some(1)), (5, 2, 0, Some(16)), (15, 7, 3, None)] {
            let puzzle = RowReversal::new(n, s, f, length).unwrap();
            check_contract(&puzzle, 6).unwrap();
            check_contract(&puzzle.backward(), 6).unwrap();
        }
        assert!(RowReversal::new(16, 0, 0, None).is_none());
    }

    #[test]
    fn the_bound_at_the_start_is_the_formula_of_the_module() {
        for n in 0..=15 {
            for (s, f) in (0..=n).flat_map(|s| (0..=n).map(move |f| (s, f))) {
                let puzzle = RowReversal::new(n, s, f, None).unwrap();
                assert_eq!(puzzle.bound(puzzle.start) as u64, Reversal::new(n, s, f).lower_bound(), "{n} {s} {f}");
                assert_eq!(puzzle.backward().bound(puzzle.goal), puzzle.bound(puzzle.start));
                assert_eq!(puzzle.bound(puzzle.goal), 0);
            }
        }
    }

    proptest! {
        #[test]
        fn keys_move_as_boards_do_and_the_bound_changes_by_one(n in 1usize..16, places in any::<(prop::sample::Index, prop::sample::Index)>(), choices in prop::collection::vec(any::<prop::sample::Index>(), 1..60)) {
            let (s, f) = (places.0.index(n + 1), places.1.index(n + 1));
            let puzzle = RowReversal::new(n as u64, s as u64, f as u64, None).unwrap();
            let mut board = Board::reversal(n, s);
            for choice in choices {
                let (key, moves) = (RowReversal::key(&board), board.moves().collect::<Vec<_>>());
                let bound = puzzle.bound(key);
                let mut expected = BTreeSet::new();
                for &place in &moves {
                    let mut next = board.clone();
                    next.play(place).unwrap();
                    let next = RowReversal::key(&next);
                    prop_assert_eq!(puzzle.place(next), place);
                    prop_assert_eq!(puzzle.bound(next).abs_diff(bound), 1);
                    expected.insert(next);
                }
                let mut emitted = BTreeSet::new();
                let generated = puzzle.successors(&mut (), key, 0, &mut |k| { emitted.insert(k); });
                prop_assert_eq!(generated, moves.len() as u64);
                prop_assert_eq!(&emitted, &expected);
                // A bound one above what is left admits the moves that lower it, and no other.
                let tight = RowReversal { length: Some(bound as u32), ..puzzle.clone() };
                let mut lower = BTreeSet::new();
                tight.successors(&mut (), key, 0, &mut |k| { lower.insert(k); });
                prop_assert_eq!(lower, expected.into_iter().filter(|&k| puzzle.bound(k) < bound).collect::<BTreeSet<_>>());
                board.play(moves[choice.index(moves.len())]).unwrap();
            }
        }
    }
}
