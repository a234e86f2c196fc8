//! Searches board puzzles exhaustively and proves what the shortest solution is.
//!
//! An army is to cross a board by the moves of Halma: steps, and chains of jumps. Levels of exact states are searched
//! from the start; the first length that has a solution is the shortest, because every shorter one has been refuted
//! by then. [`job`] reads what is to be solved, [`run`](mod@run) answers it, [`record`] is what the answer rests on,
//! and [`replay`] checks a solution with nothing but the rules.
//!
//! ```
//! use halma::job::Job;
//! use halma::record::Verdict;
//! use halma::run::{self, Question};
//! use halma::search::Stop;
//!
//! let map = "\
//! SS...
//! SS...
//! ..#..
//! ...TT
//! ...TT";
//! let text = format!("[problem]\nkind = 'transfer'\nmoves = 6\nboard = \"\"\"\n{map}\"\"\"");
//! let job = Job::parse("corner.toml".as_ref(), &text)?;
//! let record = run::run(&job, Question::Solve, &(), &Stop::after(None))?;
//! assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(11)));
//! assert_eq!(record.refuted_up_to, Some(10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What reads like the papers: [`problem`] and [`symmetry`] (K and the mirror ρ), [`centroid`], [`bound`] (one pruning
//! a file), [`mod@search`] (one level after another), [`solve`] (one length after another).

pub mod army;
pub mod board;
pub mod bound;
#[cfg(test)]
mod broken;
pub mod budget;
pub mod cells;
pub mod centroid;
pub mod certify;
pub mod check;
pub mod cli;
pub mod closed;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod describe;
pub mod figure;
pub mod folder;
pub mod game;
pub mod interrupt;
pub mod job;
pub mod key;
pub mod lattice;
pub mod moves;
pub mod notation;
pub mod page;
pub mod plain;
pub mod problem;
pub mod progress;
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
pub mod words;
