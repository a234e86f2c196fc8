//! The level search: from a level, its successors; of these, those that no level had before.
//!
//! A level is expanded in pieces. In each piece all threads take blocks of the level, compute successors and sort them
//! into ranges of keys ([`shards`]); then each range's successors go into that range's own [`table`]. When the level
//! is through, each range is sorted, what the earlier levels hold is taken out, and the rest is coded: the ranges in
//! order are the next level. Which thread did what changes nothing but the time.

pub mod digest;
mod expand;
pub mod shards;
pub mod table;

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

pub use expand::{Expander, Expansion, Tally};

use thiserror::Error;

/// Why a search ended before it had an answer. Never an answer itself.
#[derive(Debug, Error)]
pub enum Stopped {
    /// A signal asked for it.
    #[error("interrupted")]
    Interrupted,
    /// The time limit was reached.
    #[error("time limit reached")]
    Time,
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
