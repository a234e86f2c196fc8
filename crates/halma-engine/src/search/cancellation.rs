//! The cancellation token, and the reasons for which a search stops.

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::exchange;
use crate::store::StoreError;

/// Why a search ended before it had an answer. It is never an answer itself.
#[derive(Debug, Error)]
pub enum Stopped {
    /// A signal asked for it.
    #[error("interrupted")]
    Interrupted,
    /// The time limit was reached.
    #[error("time limit reached")]
    Time,
    /// A count has to hold more in memory than the budget allows.
    #[error("memory limit reached: {}", sums(*least, *exact))]
    Memory {
        /// The least that will do, in bytes.
        least: u64,
        /// Whether `least` is exact; otherwise it is a lower bound.
        exact: bool,
    },
    /// The count exceeds 128 bits.
    #[error("the count is 2^128 or more")]
    TooMany,
    /// Levels could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process of the search was lost.
    #[error(transparent)]
    Lost(#[from] exchange::Lost),
    /// The results contradict each other, so none of them can be trusted.
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

/// A cancellation token. All threads poll it; a signal or the time limit cancels the search.
#[derive(Debug)]
pub struct CancellationToken {
    flag: AtomicU8,
    deadline: Option<Instant>,
}

impl CancellationToken {
    /// A token that cancels on [`Self::request`], or when `limit` from now has passed.
    #[must_use]
    pub fn after(limit: Option<Duration>) -> Self {
        Self { flag: AtomicU8::new(0), deadline: limit.and_then(|l| Instant::now().checked_add(l)) }
    }

    /// Asks all threads to stop at the next block.
    pub fn request(&self) {
        self.flag.store(1, Ordering::Relaxed);
    }

    /// Whether a signal has asked for the end. The time limit does not count here. Where work leaves no checkpoint,
    /// each process would begin it again, stop at its limit, and never complete it.
    ///
    /// # Errors
    /// Where it has.
    pub fn check_requested(&self) -> Result<(), Stopped> {
        if self.flag.load(Ordering::Relaxed) == 0 { Ok(()) } else { Err(Stopped::Interrupted) }
    }

    /// Whether the search goes on.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(&self) -> Result<(), Stopped> {
        self.check_requested()?;
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::Time),
            _ => Ok(()),
        }
    }
}
