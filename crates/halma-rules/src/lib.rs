//! The rules of halma: boards and their cells, the directions of steps and jumps, symmetries, armies by name, notation, and
//! the problems that are stated in these words.

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
