//! The twelve kinds of moves and what each does to the order of the row (Table 1).

use crate::row::row_board::{BLACK, Board};

/// One of the twelve kinds, by the checker that moves, the one that it passes, and the way it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Whether the moving checker is black.
    pub black: bool,
    /// For a jump, whether the checker jumped over is black.
    pub over: Option<bool>,
    /// Whether it goes right.
    pub right: bool,
}

impl Kind {
    /// The kind of a move of [`Board::shift`] that the rules allow.
    #[must_use]
    pub fn of(board: &Board, place: u64) -> Option<Self> {
        board.moves().find(|&p| p == place)?;
        let (from, to) = ((place - board.first()) as usize, board.vacancy());
        let black = |p: usize| board.checkers()[p] == BLACK;
        let over = (from.abs_diff(to) == 2).then(|| black(usize::midpoint(from, to)));
        Some(Self { black: black(from), over, right: from < to })
    }

    /// Whether the checker goes towards its target.
    #[must_use]
    pub fn is_forward(self) -> bool {
        self.black == self.right
    }

    /// What it adds to the inversions (pairs of a black checker and a white one right of it) and to the vacant
    /// inversions (black checkers left of the vacancy, white ones right of it).
    #[must_use]
    pub fn change(self) -> (i64, i64) {
        let sign = if self.is_forward() { -1 } else { 1 };
        match self.over {
            None => (0, sign),
            Some(over) if over == self.black => (0, 2 * sign),
            Some(_) => (sign, 0),
        }
    }

    /// Its number in Table 1.
    #[must_use]
    pub fn number(self) -> u32 {
        match (self.over, self.is_forward(), self.right) {
            (None, true, true) => 1,
            (None, true, false) => 2,
            (None, false, false) => 7,
            (None, false, true) => 8,
            (Some(over), forward, right) => match (over == self.black, forward, right) {
                (false, true, true) => 3,
                (false, true, false) => 4,
                (false, false, true) => 5,
                (false, false, false) => 6,
                (true, false, true) => 9,
                (true, false, false) => 10,
                (true, true, false) => 11,
                (true, true, true) => 12,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn inversions(board: &Board) -> (i64, i64) {
        let row = board.checkers();
        let pairs = (0..row.len()).flat_map(|i| (i + 1..row.len()).map(move |j| (i, j)));
        let count = |left: u64, right: u64| pairs.clone().filter(|&(i, j)| (row[i], row[j]) == (left, right)).count();
        (count(1, 2) as i64, (count(1, 0) + count(0, 2)) as i64)
    }

    /// Over all rows of three black and three white checkers.
    #[test]
    fn table_1_is_what_the_moves_do() {
        let mut seen = BTreeMap::new();
        let mut rows = vec![Board::shift(3, 3)];
        let mut next = 0;
        while next < rows.len() {
            let board = rows[next].clone();
            next += 1;
            for place in board.moves() {
                let kind = Kind::of(&board, place).unwrap();
                let mut after = board.clone();
                after.play(place).unwrap();
                let ((i, v), (j, w)) = (inversions(&board), inversions(&after));
                assert_eq!(kind.change(), (j - i, w - v), "{board} {place}");
                seen.insert(kind.number(), kind.change());
                if !rows.contains(&after) {
                    rows.push(after);
                }
            }
        }
        assert_eq!(rows.len(), 140);
        // The two columns of the print.
        let table = [0, 0, -1, -1, 1, 1, 0, 0, 0, 0, 0, 0].into_iter().zip([-1, -1, 0, 0, 0, 0, 1, 1, 2, 2, -2, -2]);
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), (1..).zip(table).collect::<Vec<_>>());
    }
}
