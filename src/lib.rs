//! Searches board puzzles exhaustively and proves what the shortest solution is.

pub mod army;
pub mod board;
pub mod bound;
pub mod budget;
pub mod cells;
pub mod centroid;
pub mod cli;
pub mod job;
pub mod key;
pub mod lattice;
pub mod moves;
pub mod notation;
pub mod problem;
pub mod puzzle;
pub mod rank;
pub mod record;
pub mod replay;
pub mod report;
pub mod row;
pub mod run;
pub mod search;
pub mod solve;
pub mod source;
pub mod store;
pub mod symmetry;
