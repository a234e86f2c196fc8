//! The rules of the puzzles: boards, cells, moves, symmetries, named armies, notation, and the problems stated in these
//! terms; jobs, checked in full; replay of solutions by the rules alone.

pub mod army;
pub mod board;
pub mod cells;
pub mod centroid;
pub mod choose;
pub mod closed;
pub mod game;
pub mod job;
pub mod lattice;
pub mod moves;
pub mod notation;
pub mod problem;
pub mod puzzle;
pub mod replay;
pub mod symmetry;
