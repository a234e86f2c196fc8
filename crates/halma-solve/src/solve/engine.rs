//! The engine as every search uses it: expander, cancellation token, progress and run folder.

use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, Expander};
use halma_engine::store::Level;
use halma_engine::store::workspace::Workspace;

use super::Progress;

/// References, so that each technique has a copy of its own.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// Makes one level from another, with its threads and its part of the memory.
    pub expander: &'a Expander,
    /// Says when to stop.
    pub cancel: &'a CancellationToken,
    /// Receives the progress of the search.
    pub progress: &'a dyn Progress,
    /// The run's folder: a search resumes from what it finds there, and leaves checkpoints.
    pub workspace: Option<&'a Workspace>,
}

impl<'a> Engine<'a> {
    /// A search in memory alone.
    #[must_use]
    pub fn new(expander: &'a Expander, cancel: &'a CancellationToken, progress: &'a dyn Progress) -> Self {
        Self { expander, cancel, progress, workspace: None }
    }

    /// Sorts and codes the keys of a level, by all threads, if that was not done yet: before they are read.
    pub(super) fn code<K: Key>(self, level: &Level<K>) {
        self.expander.install(|| level.code());
    }

    /// The same search in a run's folder.
    #[must_use]
    pub fn within(self, workspace: Option<&'a Workspace>) -> Self {
        Self { workspace, ..self }
    }
}
