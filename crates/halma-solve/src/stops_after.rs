//! A search that is stopped after so many levels, for tests of what it leaves and how it goes on.

use std::sync::atomic::{AtomicU32, Ordering};

use halma_engine::search::{CancellationToken, Watch};

use crate::solve::{LevelFigures, Progress};

/// Asks for a stop when so many levels have been reported.
#[derive(Debug)]
pub struct StopsAfter {
    levels: AtomicU32,
    /// The token to search with.
    pub cancel: CancellationToken,
}

impl StopsAfter {
    /// After so many levels, of all sides and lengths.
    #[must_use]
    pub fn levels(levels: u32) -> Self {
        Self { levels: AtomicU32::new(levels), cancel: CancellationToken::after(None) }
    }
}

impl Watch for StopsAfter {}

impl Progress for StopsAfter {
    fn level(&self, _: &LevelFigures) {
        if self.levels.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.request();
        }
    }
}
