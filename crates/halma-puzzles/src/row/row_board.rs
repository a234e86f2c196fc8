//! The row itself: who stands where, which moves there are, and how it is drawn.

use std::fmt;

use thiserror::Error;

/// The most places of a row that is played move by move.
pub const MAX_PLACES: u64 = 1_000_000;

/// A row of checkers with one vacancy, or with two beside each other that a pair of checkers fills.
///
/// A plain implementation of the rules, one number a place; the searches have faster ones, which tests compare with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// 0 for a vacancy, else the checker: its colour (1 black, 2 white) or its number.
    checkers: Vec<u64>,
    /// The (left) vacancy.
    vacancy: usize,
    /// How many vacancies there are: 1 or 2.
    gap: usize,
    /// The number of the leftmost place: 1 where armies change sides, else 0, as the papers count.
    first: u64,
    /// Whether checkers are drawn by number, not by colour.
    numbered: bool,
}

/// A move that the rules do not allow.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("no move from place {place} to the vacancy {vacancy} in \"{row}\"")]
pub struct Illegal {
    /// Where the move would start.
    pub place: u64,
    /// The place of the vacancy.
    pub vacancy: u64,
    /// The row as drawn.
    pub row: String,
}

pub(super) const BLACK: u64 = 1;
pub(super) const WHITE: u64 = 2;

impl Board {
    fn new(checkers: Vec<u64>, first: u64, numbered: bool) -> Self {
        let vacancy = checkers.iter().position(|&c| c == 0).unwrap_or(0);
        let gap = checkers.iter().filter(|&&c| c == 0).count();
        Self { checkers, vacancy, gap, first, numbered }
    }

    /// `n` black checkers, the vacancy, `m` white ones.
    #[must_use]
    pub fn shift(n: usize, m: usize) -> Self {
        Self::new([vec![BLACK; n], vec![0], vec![WHITE; m]].concat(), 1, false)
    }

    /// The target of [`Board::shift`].
    #[must_use]
    pub fn shifted(n: usize, m: usize) -> Self {
        Self::new([vec![WHITE; m], vec![0], vec![BLACK; n]].concat(), 1, false)
    }

    /// `n` black checkers, `n` white ones, two vacancies.
    #[must_use]
    pub fn pairs(n: usize) -> Self {
        Self::new([vec![BLACK; n], vec![WHITE; n], vec![0; 2]].concat(), 0, false)
    }

    /// The target of [`Board::pairs`]: two vacancies, then white and black in turn.
    #[must_use]
    pub fn paired(n: usize) -> Self {
        Self::new([vec![0; 2], [WHITE, BLACK].repeat(n)].concat(), 0, false)
    }

    /// Checkers 1 to `n`, the vacancy on place `start`.
    #[must_use]
    pub fn reversal(n: usize, start: usize) -> Self {
        let mut checkers: Vec<u64> = (1..=n as u64).collect();
        checkers.insert(start, 0);
        Self::new(checkers, 0, true)
    }

    /// Checkers `n` to 1, the vacancy on place `end`: the target of [`Board::reversal`].
    #[must_use]
    pub fn reversed(n: usize, end: usize) -> Self {
        let mut checkers: Vec<u64> = (1..=n as u64).rev().collect();
        checkers.insert(end, 0);
        Self::new(checkers, 0, true)
    }

    /// The contents of each place from the left: 0 for a vacancy, 1 black and 2 white, or the checker's number.
    #[must_use]
    pub fn checkers(&self) -> &[u64] {
        &self.checkers
    }

    /// The index of the (left) vacancy, from 0.
    #[must_use]
    pub fn vacancy(&self) -> usize {
        self.vacancy
    }

    /// The number of the leftmost place.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Whether the checker (the pair) at index `from` may move into the vacancy.
    fn allows(&self, from: usize) -> bool {
        let distance = from.abs_diff(self.vacancy);
        from + self.gap <= self.checkers.len()
            && if self.gap == 1 { (1..=2).contains(&distance) } else { distance >= 2 }
    }

    /// The places that a move can start from, ascending.
    pub fn moves(&self) -> impl Iterator<Item = u64> {
        (0..self.checkers.len()).filter(|&p| self.allows(p)).map(|p| p as u64 + self.first)
    }

    /// Moves the checker on `place`, or the pair whose left checker stands there, into the vacancy.
    ///
    /// # Errors
    /// The move is not one of the rules; the row stays as it is.
    pub fn play(&mut self, place: u64) -> Result<(), Illegal> {
        let from = place.checked_sub(self.first).and_then(|p| usize::try_from(p).ok());
        let Some(from) = from.filter(|&p| p < self.checkers.len() && self.allows(p)) else {
            return Err(Illegal { place, vacancy: self.vacancy as u64 + self.first, row: self.to_string() });
        };
        for k in 0..self.gap {
            self.checkers.swap(from + k, self.vacancy + k);
        }
        self.vacancy = from;
        Ok(())
    }
}

/// As the article on jumping checkers prints it: `O` for the army that starts on the left, `X` for the other one,
/// `_` for a vacancy; numbered checkers by their number.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = if self.numbered { (self.checkers.len() - 1).max(1).ilog10() as usize + 1 } else { 1 };
        for (i, &checker) in self.checkers.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            match checker {
                0 => write!(f, "{:>width$}", "_")?,
                number if self.numbered => write!(f, "{number:>width$}")?,
                BLACK => f.write_str("O")?,
                _ => f.write_str("X")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_as_in_the_papers() {
        assert_eq!(Board::shift(3, 2).to_string(), "O O O _ X X");
        assert_eq!(Board::shifted(3, 2).to_string(), "X X _ O O O");
        assert_eq!(Board::pairs(2).to_string(), "O O X X _ _");
        assert_eq!(Board::paired(2).to_string(), "_ _ X O X O");
        assert_eq!(Board::reversal(3, 1).to_string(), "1 _ 2 3");
        assert_eq!(Board::reversed(10, 0).to_string(), " _ 10  9  8  7  6  5  4  3  2  1");
        assert_eq!(Board::reversal(0, 0).to_string(), "_");
    }

    #[test]
    fn only_slides_jumps_and_pair_moves_are_allowed() {
        let mut row = Board::shift(2, 2);
        assert_eq!(row.moves().collect::<Vec<_>>(), [1, 2, 4, 5]);
        for place in [0, 3, 6, u64::MAX] {
            assert_eq!(row.play(place).unwrap_err().place, place);
        }
        row.play(1).unwrap();
        assert_eq!(row.to_string(), "_ O O X X");
        assert_eq!(row.play(4).unwrap_err().to_string(), "no move from place 4 to the vacancy 1 in \"_ O O X X\"");

        let mut row = Board::pairs(2);
        assert_eq!(row.moves().collect::<Vec<_>>(), [0, 1, 2]);
        row.play(1).unwrap();
        assert_eq!(row.to_string(), "O _ _ X O X");
        assert_eq!(row.moves().collect::<Vec<_>>(), [3, 4]);
    }
}
