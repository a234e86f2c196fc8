//! Searches board puzzles exhaustively and proves shortest solutions.
//!
//! An army has to cross a board by the moves of Halma: steps, and chains of jumps. The search decides one length after
//! another, each breadth-first in levels of exact states. The first length with a solution is the shortest, because
//! every shorter one has been refuted by then.
//!
//! ```
//! use halma::{Rule, Solver, Transfer, Verdict};
//!
//! let map = "\
//! SS...
//! SS...
//! ..#..
//! ...TT
//! ...TT";
//! let record = Solver::new(Transfer::drawn(map, Rule::Six)?).solve()?;
//! assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(11)));
//! assert_eq!(record.refuted_up_to, Some(10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A problem is a [`Transfer`], a [`Game`], a [`Job`] read from a file, or an [`OwnPuzzle`]. A [`Solver`], or [`run`]
//! for a job, answers it with a [`Record`], which [`check`] verifies by independent code. To use the search alone,
//! implement [`Puzzle`] and call [`levels`].
//!
//! This crate re-exports the main types of the crates under `crates/`: `halma-rules` (boards and rules), `halma-engine`
//! (levels of any puzzle), `halma-bounds` (one bound a file), `halma-solve` (one technique a file), `halma-check` (the
//! verifier).

#[cfg(feature = "cli")]
mod app;
// For the program and its tests; not part of the library's face.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod describe;
#[cfg(feature = "cli")]
mod estimate;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod figure;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod interrupt;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod page;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod solution;
mod solver;
#[cfg(feature = "studio")]
mod studio;

#[cfg(feature = "cli")]
pub use app::{App, app};
pub use report::sentence;
pub use solver::{SolveError, Solver};

pub use halma_check::{CheckError, Options as CheckOptions, Report as CheckReport, check};
pub use halma_engine::key::Key;
pub use halma_engine::puzzle::Puzzle;
pub use halma_engine::search::{CancellationToken, Expander, levels};
pub use halma_puzzles::own::in_rust::OwnPuzzle;
pub use halma_record::record::{Counts, LengthRecord, LevelRecord, Record, RecordError, Side, Verdict};
pub use halma_rules::board::Board;
pub use halma_rules::game::Game;
pub use halma_rules::job::{Job, Problem, Pruning};
pub use halma_rules::lattice::{Lattice, Rule};
pub use halma_rules::problem::Transfer;
pub use halma_rules::replay::Replay;
pub use halma_solve::run::{Question, RunError, run};
pub use halma_solve::solve::Progress;
