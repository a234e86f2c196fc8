//! Jobs and records as data, and their parsing. This crate has no moves, search or verification.
//!
//! [`job`] is the contents of a job file, key by key. [`record`] is the result of a run. [`source`] makes messages that
//! point into a file, and [`words`] formats numbers with their nouns.

pub mod job;
pub mod record;
pub mod source;
mod unique_keys;
pub mod words;

pub use halma_files::{folder, number, plain};
