//! Searches board puzzles exhaustively and proves what the shortest solution is.
pub mod army;
pub mod board;
pub mod cells;
pub mod key;
pub mod lattice;
pub mod problem;
pub mod puzzle;
pub mod rank;
pub mod row;
pub mod symmetry;
