//! Checkers in a row: puzzles on one line of places, with closed formulas that the search is compared with.
//!
//! In a row of black and white checkers the colours exchange sides ([`shift`]), checkers move pair by pair into
//! alternation ([`pairs`]), or the row is reversed ([`reversal`]). In shifts and reversals every move fills the
//! vacancy, so a solution is the list of places that the moves start from.
//!
//! ```
//! use halma_puzzles::row::{row_board::Board, shift::{First, Shift}};
//! let shift = Shift::new(2, 2);
//! let mut board = Board::shift(2, 2);
//! assert_eq!(board.to_string(), "O O _ X X");
//! for place in shift.construct(First::Right) {
//!     board.play(place).unwrap();
//! }
//! assert_eq!(board.to_string(), "X X _ O O");
//! ```

pub mod labels;
pub mod levels;
pub mod pair_puzzle;
pub mod pairs;
pub mod reversal;
pub mod reversal_puzzle;
pub mod row_board;
mod row_moves;
pub mod shift;
pub mod shift_puzzle;
