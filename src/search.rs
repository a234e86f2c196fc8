//! The level search: from a level, its successors; of these, those that no level had before.
//!
//! A level is expanded in pieces. In each piece all threads take blocks of the level, compute successors and part them
//! into ranges of keys ([`shards`]); while the next piece is expanded, each range's successors are sorted, and duplicates
//! go ([`duplicates`]). What has no room left becomes a coded run; runs that take too much memory go to disk as layers.
//! When the level is through, what each range has gathered and its runs are merged ([`merge`]), what the earlier levels
//! hold is taken out, and the rest is coded: the ranges in order are the next level. Which thread did what, and what went
//! where, changes nothing but the time.

mod audit;
pub mod digest;
pub mod duplicates;
pub mod exchange;
mod expand;
mod intake;
mod levels;
pub mod merge;
mod plan;
pub mod shards;
mod shared;
mod step;
mod trace;

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

pub(crate) use expand::WHOLE_DIGEST;
pub use expand::{Expander, Expansion, Tally, saved, saved_share};
pub use levels::{Levels, levels};
pub use trace::{trace, trace_shared};

use thiserror::Error;

use crate::store::StoreError;
use crate::store::workspace::Workspace;

/// Why a search ended before it had an answer. Never an answer itself.
#[derive(Debug, Error)]
pub enum Stopped {
    /// A signal asked for it.
    #[error("interrupted")]
    Interrupted,
    /// The time limit was reached.
    #[error("time limit reached")]
    Time,
    /// What a count has to hold in memory is more than the budget allows.
    #[error("memory limit reached: {}", sums(*least, *exact))]
    Memory {
        /// The least that will do, in bytes.
        least: u64,
        /// Whether that is known; else it takes more.
        exact: bool,
    },
    /// There are more to count than a number of 128 bits can say.
    #[error("there are 2^128 or more")]
    TooMany,
    /// Levels could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process of the search is gone.
    #[error(transparent)]
    Lost(#[from] exchange::Lost),
    /// What was found contradicts itself, so that nothing found before can be trusted.
    #[error("a bug, no answer: {0}")]
    Contradiction(String),
}

fn sums(least: u64, exact: bool) -> String {
    let least = bytesize::ByteSize(least.next_multiple_of(1 << 20));
    match exact {
        true => format!("the sums of this count stay in memory; it needs at least {least}"),
        false => format!("the sums of this count stay in memory; it needs more than {least}"),
    }
}

/// Who is told, often and from all threads, how far a level has come.
pub trait Watch: Sync {
    /// So many more states of the level before were expanded, into so many successors.
    fn expanded(&self, _states: u64, _successors: u64) {}
}

/// Nobody is told.
impl Watch for () {}

impl fmt::Debug for dyn Watch + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// Where a level belongs.
#[derive(Clone, Copy, Debug)]
pub struct Berth<'a> {
    /// The run's folder, for what does not fit memory and for what must survive; none for a search in memory alone.
    pub workspace: Option<&'a Workspace>,
    /// Where there is none: the folder of a run that the level is no part of, for files that nobody finds there.
    pub scratch: Option<&'a Workspace>,
    /// The level's name in the run.
    pub label: &'a str,
    /// Who is told how far it has come.
    pub watch: Option<&'a dyn Watch>,
}

impl Berth<'_> {
    /// For levels that stay in memory.
    pub const MEMORY: Self = Self { workspace: None, scratch: None, label: "", watch: None };
}

/// A wish to stop that all threads look at: a signal, or the time limit.
#[derive(Debug)]
pub struct Stop {
    flag: AtomicU8,
    deadline: Option<Instant>,
}

impl Stop {
    /// Stops on [`Self::request`], or when `limit` from now has passed.
    #[must_use]
    pub fn after(limit: Option<Duration>) -> Self {
        Self { flag: AtomicU8::new(0), deadline: limit.and_then(|l| Instant::now().checked_add(l)) }
    }

    /// Asks all threads to stop at the next block.
    pub fn request(&self) {
        self.flag.store(1, Ordering::Relaxed);
    }

    /// Whether to stop, and why.
    ///
    /// # Errors
    /// The reason.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.flag.load(Ordering::Relaxed) != 0 {
            return Err(Stopped::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::Time),
            _ => Ok(()),
        }
    }
}
