//! The puzzles as the engine sees them: keys, successors, goals. One puzzle a file; puzzles from files are in [`own`].
//! [`row`] also has closed formulas for the three puzzles on a row.

pub mod game_puzzle;
pub mod incremental_ranking;
pub mod own;
pub mod rank;
pub mod row;
pub mod transfer;
