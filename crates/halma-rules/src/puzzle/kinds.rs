//! Kinds of puzzles that another program adds: `halma::app().kind::<T>("name")`.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

use halma_record::job::{PuzzleSpec, raw};
use halma_record::source::{InputError, Source};

use super::TableFault;

/// The raw table of a job, without `kind` and `title`: for messages that point at a key.
#[derive(Debug)]
pub struct RawTable<'a> {
    source: &'a Source,
    table: Spanned<DeValue<'a>>,
}

impl<'a> RawTable<'a> {
    /// A table of that file.
    #[must_use]
    pub fn new(source: &'a Source, table: Spanned<DeValue<'a>>) -> Self {
        Self { source, table }
    }

    /// Whether it is a `T`.
    ///
    /// # Errors
    /// The key that is unknown, missing, or of another type.
    pub fn read<T: DeserializeOwned>(self) -> Result<(), InputError> {
        let span = self.table.span();
        let read = T::deserialize(ValueDeserializer::from(self.table));
        read.map(|_| ()).map_err(|e| raw::fault(self.source, &e, span))
    }
}

/// A kind of puzzles in Rust.
pub trait Kind: Send + Sync {
    /// The word of the job file.
    fn name(&self) -> &str;

    /// Whether the table of a job has the keys of such a puzzle, by [`RawTable::read`].
    ///
    /// # Errors
    /// Which key is wrong, and where it stands.
    fn check_table(&self, table: RawTable<'_>) -> Result<(), InputError>;

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
