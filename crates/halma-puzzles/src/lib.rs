//! The puzzles that are built in or stated by files, as the engine sees them: keys, successors, goals. One puzzle a file; [`row`] is what is
//! known of the three puzzles on a row without searching.

pub mod game_puzzle;
pub mod incremental_ranking;
pub mod own;
pub mod rank;
pub mod row;
pub mod transfer;
