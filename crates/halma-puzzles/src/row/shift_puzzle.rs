//! Shifting the checkers as a [`Puzzle`] for the engine, with all twelve kinds of moves.
//!
//! The bound: a move removes one inversion, or one vacant inversion, or two of the latter (Table 1). So a state with i
//! inversions and v vacant ones needs i + ceil(v / 2) moves. The paper's Lemma 1, that shortest solutions have no jumps
//! over the own colour, is not used, because the search has to confirm it.

use halma_engine::puzzle::Puzzle;

use crate::row::row_board::{BLACK, Board};
use crate::row::shift::kind::Kind;

/// The most checkers whose rows fit a key: 121 places and 7 bits for the vacancy.
pub const MAX_CHECKERS: u64 = 120;
/// Bits of a key that hold the place of the vacancy; the bits above mark the black checkers.
const PLACE_BITS: u32 = 7;

/// The shifting puzzle with n black and m white checkers.
#[derive(Clone, Debug)]
pub struct ShiftRow {
    n: u32,
    m: u32,
    length: Option<u32>,
    forward_only: bool,
    backward: bool,
}

impl ShiftRow {
    /// The puzzle; with a `length`, states from which it cannot be solved in so many moves are pruned. `None` where the
    /// row is too long for a key.
    #[must_use]
    pub fn new(n: u64, m: u64, length: Option<u32>) -> Option<Self> {
        let fits = n.max(m) <= MAX_CHECKERS && n + m <= MAX_CHECKERS;
        fits.then_some(Self { n: n as u32, m: m as u32, length, forward_only: false, backward: false })
    }

    /// The puzzle with the kinds of moves 1 to 4 only, of which the shortest solutions consist if both colours are
    /// there. Its moves cannot be undone.
    #[must_use]
    pub fn forward_only(self) -> Self {
        Self { forward_only: true, ..self }
    }

    /// The same played from the target to the start, where a vacancy sees the armies with their sides exchanged.
    #[must_use]
    pub fn backward(self) -> Self {
        Self { backward: true, ..self }
    }

    fn end(&self, target: bool) -> u128 {
        let (n, m) = (self.n as usize, self.m as usize);
        Self::key(&if target { Board::shifted(n, m) } else { Board::shift(n, m) })
    }

    /// The key of a board.
    #[must_use]
    pub fn key(board: &Board) -> u128 {
        let black: u128 =
            board.checkers().iter().enumerate().filter(|(_, c)| **c == BLACK).map(|(i, _)| 1u128 << i).sum();
        black << PLACE_BITS | board.vacancy() as u128
    }

    /// The place of the vacancy in a state, from 1: the place where the move to it started.
    #[must_use]
    pub fn place(key: u128) -> u64 {
        (key & ((1 << PLACE_BITS) - 1)) as u64 + 1
    }

    /// The state at the other end.
    #[must_use]
    pub fn goal(&self) -> u128 {
        self.end(!self.backward)
    }

    /// Inversions and vacant inversions.
    fn inversions(&self, black: u128, vacancy: u32) -> (i64, i64) {
        let places = self.n + self.m + 1;
        let (mut inversions, mut blacks, mut vacant) = (0, 0, 0);
        for place in 0..places {
            if place == vacancy {
                vacant += blacks;
            } else if black >> place & 1 == 1 {
                blacks += 1;
            } else {
                inversions += blacks;
                vacant += i64::from(place > vacancy);
            }
        }
        (inversions, vacant)
    }

    /// No way from a state with these inversions to the goal is shorter. Backward, all of them must come back.
    fn bound(&self, (inversions, vacant): (i64, i64)) -> i64 {
        if self.backward {
            let (n, m) = (i64::from(self.n), i64::from(self.m));
            n * m - inversions + (n + m - vacant + 1) / 2
        } else {
            inversions + (vacant + 1) / 2
        }
    }
}

impl Puzzle for ShiftRow {
    type Key = u128;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u128> {
        vec![self.end(self.backward)]
    }

    fn successors(&self, (): &mut (), key: u128, depth: u32, emit: &mut impl FnMut(u128)) -> u64 {
        let (black, vacancy) = (key >> PLACE_BITS, Self::place(key) as u32 - 1);
        let is_black = |place: u32| black >> place & 1 == 1;
        // What the bound of a successor may be.
        let allowed = self.length.map(|l| i64::from(l) - i64::from(depth) - 1);
        let now = if allowed.is_some() { self.inversions(black, vacancy) } else { (0, 0) };
        let mut generated = 0;
        for from in [vacancy.wrapping_sub(2), vacancy.wrapping_sub(1), vacancy + 1, vacancy + 2] {
            if from > self.n + self.m {
                continue;
            }
            let over = (from.abs_diff(vacancy) == 2).then(|| is_black(u32::midpoint(from, vacancy)));
            let kind = Kind { black: is_black(from), over, right: from < vacancy };
            if self.forward_only && (kind.is_forward() == self.backward || over == Some(kind.black)) {
                continue;
            }
            generated += 1;
            let (inversions, vacant) = kind.change();
            if allowed.is_none_or(|a| self.bound((now.0 + inversions, now.1 + vacant)) <= a) {
                let black = black & !(1 << from) | u128::from(kind.black) << vacancy;
                emit(black << PLACE_BITS | u128::from(from));
            }
        }
        generated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_engine::puzzle::check_contract;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_keeps_the_contract() {
        for (n, m, length) in [(0, 0, None), (3, 0, None), (4, 4, Some(24)), (5, 2, Some(16)), (60, 60, None)] {
            let puzzle = ShiftRow::new(n, m, length).unwrap();
            check_contract(&puzzle, 7).unwrap();
            check_contract(&puzzle.clone().forward_only(), 7).unwrap();
            check_contract(&puzzle.backward(), 7).unwrap();
        }
        assert!(ShiftRow::new(60, 61, None).is_none() && ShiftRow::new(u64::MAX, 2, None).is_none());
    }

    proptest! {
        #[test]
        fn keys_move_as_boards_do(n in 0usize..60, m in 0usize..60, choices in prop::collection::vec(any::<prop::sample::Index>(), 1..80)) {
            prop_assume!(n + m > 0);
            let puzzle = ShiftRow::new(n as u64, m as u64, None).unwrap();
            let mut board = Board::shift(n, m);
            for choice in choices {
                let key = ShiftRow::key(&board);
                let moves: Vec<u64> = board.moves().collect();
                let (mut expected, mut forward) = (BTreeSet::new(), BTreeSet::new());
                for &place in &moves {
                    let kind = Kind::of(&board, place).unwrap();
                    let mut next = board.clone();
                    next.play(place).unwrap();
                    let next = ShiftRow::key(&next);
                    prop_assert_eq!(ShiftRow::place(next), place);
                    let (i, v) = puzzle.inversions(key >> PLACE_BITS, board.vacancy() as u32);
                    let after = puzzle.inversions(next >> PLACE_BITS, place as u32 - 1);
                    prop_assert_eq!(after, (i + kind.change().0, v + kind.change().1));
                    expected.insert(next);
                    if kind.number() <= 4 { forward.insert(next); }
                }
                for (puzzle, expected) in [(puzzle.clone(), expected), (puzzle.clone().forward_only(), forward)] {
                    let mut emitted = BTreeSet::new();
                    let generated = puzzle.successors(&mut (), key, 0, &mut |k| { emitted.insert(k); });
                    prop_assert_eq!(generated, expected.len() as u64);
                    prop_assert_eq!(emitted, expected);
                }
                board.play(moves[choice.index(moves.len())]).unwrap();
            }
        }
    }
}
