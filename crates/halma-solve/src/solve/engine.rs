//! What every search works with: the engine's expander, who may cancel it, who is told, and the run's folder.

use halma_engine::search::{CancellationToken, Expander};
use halma_engine::store::workspace::Workspace;

use super::Progress;

/// The engine's handles. They are references, so that each technique has a copy of its own.
#[derive(Clone, Copy)]
pub struct Engine<'a> {
    /// Makes a level of the one before, with its threads and its part of the memory.
    pub expander: &'a Expander,
    /// Says when to stop.
    pub cancel: &'a CancellationToken,
    /// Is told how far the search has come.
    pub progress: &'a dyn Progress,
    /// The run's folder: a search takes up what it finds there, and leaves there what it stops with.
    pub workspace: Option<&'a Workspace>,
}

impl<'a> Engine<'a> {
    /// The handles of a search in memory alone.
    #[must_use]
    pub fn new(expander: &'a Expander, cancel: &'a CancellationToken, progress: &'a dyn Progress) -> Self {
        Self { expander, cancel, progress, workspace: None }
    }

    /// The same in a run's folder.
    #[must_use]
    pub fn within(self, workspace: Option<&'a Workspace>) -> Self {
        Self { workspace, ..self }
    }
}
