//! Jobs and records as data, and their parsing: nothing that moves, searches or judges.
//!
//! [`job`] is what a job file says, key by key. [`record`] is what a run leaves behind. [`source`] points into a file that
//! somebody typed, and [`words`] counts in words.

pub mod job;
pub mod record;
pub mod source;
pub mod words;

pub use halma_files::{folder, number, plain};
