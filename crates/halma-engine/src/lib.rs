#![doc = include_str!("../README.md")]
//!
//! # What is where
//!
//! Breadth-first search of exact states, level by level, in memory and on disk, on many threads and in many processes.
//!
//! A [`puzzle::Puzzle`] says what its states and their successors are. [`search`] expands one level after another and keeps
//! those states that no level had before. [`store`] keeps the levels, coded in memory or in files of a run's folder.
//! [`budget`] says who gets which part of the memory. The engine knows no board.

pub mod budget;
#[cfg(any(test, feature = "testing"))]
pub mod fault;
pub mod key;
pub mod puzzle;
pub mod search;
pub mod store;
#[cfg(test)]
mod tests;
