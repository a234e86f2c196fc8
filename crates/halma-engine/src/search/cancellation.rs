//! How a search is told to stop, and why it stopped.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::exchange;
use crate::store::StoreError;

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

/// A cancellation token: all threads look at it. A signal or the time limit cancels a search.
#[derive(Debug)]
pub struct CancellationToken {
    flag: AtomicU8,
    deadline: Option<Instant>,
}

impl CancellationToken {
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
