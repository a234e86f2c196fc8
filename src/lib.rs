//! Searches board puzzles exhaustively and proves what the shortest solution is.
//!
//! An army is to cross a board by the moves of Halma: steps, and chains of jumps. Levels of exact states are searched
//! from the start; the first length that has a solution is the shortest, because every shorter one has been refuted
//! by then.
//!
//! ```
//! use halma::job::Job;
//! use halma::record::Verdict;
//! use halma::run::{self, Question};
//! use halma::search::CancellationToken;
//!
//! let map = "\
//! SS...
//! SS...
//! ..#..
//! ...TT
//! ...TT";
//! let text = format!("[problem]\nkind = 'transfer'\nmoves = 6\nboard = \"\"\"\n{map}\"\"\"");
//! let job = Job::parse("corner.toml".as_ref(), &text)?;
//! let record = run::run(&job, Question::Solve, &(), &CancellationToken::after(None))?;
//! assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(11)));
//! assert_eq!(record.refuted_up_to, Some(10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What reads like the papers: [`problem`] and [`symmetry`] (K and the mirror ρ), [`centroid`], [`bound`] (one pruning
//! a file), [`mod@search`] (one level after another), [`solve`] (one length after another).

#[cfg(feature = "cli")]
mod app;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod describe;
#[cfg(feature = "cli")]
pub mod figure;
#[cfg(feature = "cli")]
pub mod interrupt;
#[cfg(feature = "cli")]
pub mod page;
#[cfg(feature = "cli")]
pub mod progress;
pub mod report;
pub mod solution;
mod solver;
#[cfg(feature = "studio")]
pub mod studio;

#[cfg(feature = "cli")]
pub use app::{App, app};
pub use halma_puzzles::own::in_rust as own;
pub use solver::{SolveError, Solver};

pub use halma_bounds as bound;
pub use halma_check as check;
#[cfg(feature = "cluster")]
pub use halma_cluster as cluster;
pub use halma_engine::{budget, key, puzzle, search, store};
pub use halma_files::{folder, plain};
pub use halma_puzzles::{self as puzzles, rank, row};
pub use halma_record::{record, source, words};
pub use halma_rules::{
    army, board, cells, centroid, closed, game, job, lattice, moves, notation, problem, replay, symmetry,
};
pub use halma_solve::{certify, run, solve};
