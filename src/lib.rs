//! Searches board puzzles exhaustively and proves what the shortest solution is.
pub mod army;
pub mod board;
pub mod cells;
pub mod cli;
pub mod job;
pub mod key;
pub mod lattice;
pub mod notation;
pub mod problem;
pub mod puzzle;
pub mod rank;
pub mod record;
pub mod replay;
pub mod report;
pub mod source;
pub mod symmetry;
