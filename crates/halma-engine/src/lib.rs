#![doc = include_str!("../README.md")]
//!
//! # What is where
//!
//! Breadth-first search of exact states, level by level, in memory and on disk, on many threads and in many processes.
//!
//! A [`puzzle::Puzzle`] defines states and their successors. [`search`] expands one level after another and removes
//! duplicates. [`store`] keeps the levels, compressed, in memory or in the files of a run's folder. [`budget`] divides
//! the memory budget. The engine knows no board.

pub mod batch;
pub mod budget;
pub mod draws;
#[cfg(any(test, feature = "testing"))]
pub mod fault;
pub mod key;
pub mod parallel;
pub mod puzzle;
pub mod search;
pub mod store;
#[cfg(test)]
mod tests;
