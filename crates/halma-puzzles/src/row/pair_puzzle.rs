//! Moving pairs as a [`Puzzle`] for the engine. The bound counts unlike neighbours, and prunes whole sets of moves at
//! once.
//!
//! Theorem 1 of the paper: a row has 1 pair of unlike neighbours at the start and 2n - 1 at the end; the first move
//! adds at most 1, every other one at most 2. So a state with U unlike neighbours and r moves to go needs
//! U + 2r >= 2n - 1, and i moves after the start U <= max(2i, 1).

use halma_engine::puzzle::Puzzle;

use crate::row::row_board::{Board, WHITE};

/// The largest n whose rows fit a key: 58 places and 6 bits for the vacancies.
const MAX_N: u64 = 28;
/// The most checkers of such a row.
pub const MAX_CHECKERS: u64 = 2 * MAX_N;
/// Bits of a key that hold the place of the vacancies; the bits above mark the white checkers.
const PLACE_BITS: u32 = 6;

/// The pairs puzzle with n checkers of each colour, forward from its start or backward from its target.
#[derive(Clone, Debug)]
pub struct PairRow {
    n: u32,
    /// The length that the bound is for; no bound without.
    length: Option<u32>,
    backward: bool,
}

/// A state taken apart.
#[derive(Clone, Copy)]
struct Row {
    white: u64,
    /// The left one of the two vacancies.
    vacancy: u32,
}

/// The moves of a state as bit sets of places, by how many unlike neighbours they add.
struct Gains {
    /// At `g + 2` the moves that add at least g, for g = -2 (all moves) to 3 (none).
    at_least: [u64; 6],
    /// The unlike neighbours of the state itself.
    unlike: i64,
}

impl PairRow {
    /// The puzzle played from the start; with a `length`, states from which it cannot be solved in so many moves are
    /// pruned. `None` where the row is too long for a key.
    #[must_use]
    pub fn new(n: u64, length: Option<u32>) -> Option<Self> {
        (n <= MAX_N).then_some(Self { n: n as u32, length, backward: false })
    }

    /// The same played from the target towards the start. A move can be undone by a move, so only the bound differs.
    #[must_use]
    pub fn backward(self) -> Self {
        Self { backward: true, ..self }
    }

    /// The key of a board.
    #[must_use]
    pub fn key(board: &Board) -> u64 {
        let white =
            board.checkers().iter().enumerate().filter(|(_, c)| **c == WHITE).map(|(i, _)| 1u64 << i).sum::<u64>();
        white << PLACE_BITS | board.vacancy() as u64
    }

    /// The left place of the vacancies in a state: the place where the move to it started.
    #[must_use]
    pub fn place(key: u64) -> u64 {
        key & ((1 << PLACE_BITS) - 1)
    }

    /// The state at the other end.
    #[must_use]
    pub fn goal(&self) -> u64 {
        let n = self.n as usize;
        Self::key(&if self.backward { Board::pairs(n) } else { Board::paired(n) })
    }

    fn row(key: u64) -> Row {
        Row { white: key >> PLACE_BITS, vacancy: Self::place(key) as u32 }
    }

    fn gains(&self, Row { white, vacancy }: Row) -> Gains {
        let places = 2 * self.n + 2;
        let occupied = (u64::MAX >> (64 - places)) & !(3 << vacancy);
        let all = occupied & (occupied >> 1);
        let unlike = (white ^ (white >> 1)) & all;
        // Whom each end of a pair meets in the vacancies, unless that is a checker of the pair itself.
        let opposite = |place: u32| if white >> place & 1 == 0 { white } else { occupied & !white };
        let gain_left = if vacancy == 0 { 0 } else { opposite(vacancy - 1) & !(1 << vacancy >> 2) };
        let right = vacancy + 2;
        let gain_right = if right == places { 0 } else { opposite(right) >> 1 & !(1 << right) };
        let (lose_left, lose_right) = (unlike << 1, unlike >> 1);
        let (both, either) = (gain_left & gain_right, gain_left | gain_right);
        let (lose_both, keep) = (lose_left & lose_right, !(lose_left | lose_right));
        let at_least = [
            all,
            all & (!lose_both | either),
            all & (keep | both | (either & !lose_both)),
            all & ((both & !lose_both) | (either & keep)),
            all & both & keep,
            0,
        ];
        Gains { at_least, unlike: i64::from(unlike.count_ones()) }
    }

    /// The moves that the bound admits from a state at `depth`.
    fn admitted(&self, gains: &Gains, depth: u32) -> u64 {
        let least = |gain: i64| gains.at_least[(gain.clamp(-2, 3) + 2) as usize];
        let Some(length) = self.length else { return least(-2) };
        // Moves to go after this one.
        let Some(left) = length.checked_sub(depth + 1).map(i64::from) else { return 0 };
        if self.backward {
            least(-2) & !least((2 * left).max(1) - gains.unlike + 1)
        } else {
            least(2 * i64::from(self.n) - 1 - 2 * left - gains.unlike)
        }
    }

    fn moved(Row { white, vacancy }: Row, place: u32) -> Row {
        let pair = white >> place & 3;
        Row { white: white & !(3 << place) | pair << vacancy, vacancy: place }
    }
}

impl Puzzle for PairRow {
    type Key = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u64> {
        let n = self.n as usize;
        vec![Self::key(&if self.backward { Board::paired(n) } else { Board::pairs(n) })]
    }

    fn successors(&self, (): &mut (), key: u64, depth: u32, emit: &mut impl FnMut(u64)) -> u64 {
        let row = Self::row(key);
        let gains = self.gains(row);
        let mut rest = self.admitted(&gains, depth);
        while rest != 0 {
            let place = rest.trailing_zeros();
            rest &= rest - 1;
            let next = Self::moved(row, place);
            // A look ahead of one move: a state that no admitted move leaves is not worth keeping.
            if self.length.is_none_or(|l| depth + 1 >= l) || self.admitted(&self.gains(next), depth + 1) != 0 {
                emit(next.white << PLACE_BITS | u64::from(place));
            }
        }
        gains.at_least[0].count_ones().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_engine::puzzle::check_contract;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn unlike(board: &Board) -> usize {
        board.checkers().windows(2).filter(|w| w[0] != 0 && w[1] != 0 && w[0] != w[1]).count()
    }

    #[test]
    fn it_keeps_the_contract() {
        for (n, length) in [(1, None), (3, None), (5, Some(5)), (8, Some(8)), (8, Some(10))] {
            check_contract(&PairRow::new(n, length).unwrap(), 5).unwrap();
            check_contract(&PairRow::new(n, length).unwrap().backward(), 5).unwrap();
        }
        assert!(PairRow::new(28, None).is_some() && PairRow::new(29, None).is_none());
    }

    proptest! {
        #[test]
        fn bit_sets_know_the_moves_and_what_each_adds(n in 1usize..29, choices in prop::collection::vec(any::<prop::sample::Index>(), 0..40)) {
            let puzzle = PairRow::new(n as u64, None).unwrap();
            let mut board = Board::pairs(n);
            for choice in choices {
                let gains = puzzle.gains(PairRow::row(PairRow::key(&board)));
                prop_assert_eq!(gains.unlike, unlike(&board) as i64);
                let moves: Vec<u64> = board.moves().collect();
                let mut emitted = BTreeSet::new();
                let generated = puzzle.successors(&mut (), PairRow::key(&board), 0, &mut |k| { emitted.insert(k); });
                prop_assert_eq!(generated, moves.len() as u64);
                let mut expected = BTreeSet::new();
                for &place in &moves {
                    let mut next = board.clone();
                    next.play(place).unwrap();
                    let gain = unlike(&next) as i64 - gains.unlike;
                    for g in -2..=3 {
                        prop_assert_eq!(gains.at_least[(g + 2) as usize] >> place & 1 == 1, gain >= g, "{} {} {}", board, place, g);
                    }
                    expected.insert(PairRow::key(&next));
                }
                prop_assert_eq!(emitted, expected);
                if moves.is_empty() { break; }
                board.play(moves[choice.index(moves.len())]).unwrap();
            }
        }
    }
}
