//! Kinds of puzzles that a program of somebody's own adds: `halma::app().kind::<T>("name")`.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use halma_record::job::PuzzleSpec;

use super::TableFault;

/// A kind of puzzles in Rust.
pub trait Kind: Send + Sync {
    /// The word of the job file.
    fn name(&self) -> &str;

    /// The puzzle that a table states, for those who know its type.
    ///
    /// # Errors
    /// What is wrong with the table.
    fn build(&self, spec: &PuzzleSpec) -> Result<Arc<dyn Any + Send + Sync>, TableFault>;
}

impl fmt::Debug for dyn Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Settled once, before the first job is read.
static KINDS: OnceLock<Vec<Box<dyn Kind>>> = OnceLock::new();

/// Adds kinds; only the first call of a process counts.
pub fn add(kinds: Vec<Box<dyn Kind>>) {
    KINDS.get_or_init(|| kinds);
}

/// The kind of that name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Kind> {
    all().find(|kind| kind.name() == name)
}

/// All kinds that were added.
pub fn all() -> impl Iterator<Item = &'static dyn Kind> {
    KINDS.get().into_iter().flatten().map(|kind| &**kind)
}
