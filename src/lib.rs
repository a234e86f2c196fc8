//! Searches board puzzles exhaustively and proves what the shortest solution is.
pub mod army;
pub mod board;
pub mod bound;
pub mod cells;
pub mod centroid;
pub mod key;
pub mod lattice;
pub mod moves;
pub mod problem;
pub mod puzzle;
pub mod rank;
pub mod search;
pub mod solve;
pub mod store;
pub mod symmetry;
