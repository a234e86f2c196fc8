//! Puzzles from files, compiled. The tables ([`halma_record::job::puzzle_tables`], `docs/guide/puzzle-files.md`) of
//! rewrite rules and of sliding blocks become steps on numbered cells and letters; permutation puzzles have a form of
//! their own.

pub mod blocks;
pub mod export;
pub mod grounded;
pub mod kinds;
pub mod map;
pub mod permutation;
pub mod rules;

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use halma_record::job::PuzzleSpec;
pub use halma_record::job::puzzle_tables::KINDS;

pub use grounded::GroundedTask;
pub use permutation::Permutations;

/// What is wrong with a table, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFault {
    /// The keys and list positions that lead to the value.
    pub path: Vec<Part>,
    /// The bytes of its text that are meant; all of it where not given.
    pub range: Option<Range<usize>>,
    /// What was found, and what is allowed.
    pub message: String,
}

/// A key of a table, or a position in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A key.
    Key(String),
    /// A position, from 0.
    At(usize),
}

impl TableFault {
    /// A fault of the whole value: callers who know the way to it add that.
    pub fn whole(message: impl Into<String>) -> Self {
        Self { path: Vec::new(), range: None, message: message.into() }
    }

    /// A fault of the value of `key`.
    pub fn of(key: &str, message: impl Into<String>) -> Self {
        Self::whole(message).key(key)
    }

    /// The same in the entry `position` of its list.
    #[must_use]
    pub fn at(mut self, position: usize) -> Self {
        self.path.push(Part::At(position));
        self
    }

    /// The same under the key `key` of its table.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.path.push(Part::Key(key.into()));
        self
    }

    /// The same in these bytes of its text.
    #[must_use]
    pub fn within(mut self, range: Range<usize>) -> Self {
        self.range = Some(range);
        self
    }
}

/// A compiled puzzle.
#[derive(Clone, Debug)]
pub enum Compiled {
    /// Rewrite rules or blocks.
    Grounded(GroundedTask),
    /// Permutations.
    Permutations(Permutations),
    /// A puzzle in Rust, of one of [`kinds`].
    Own(Arc<dyn Any + Send + Sync>),
}

impl Compiled {
    /// Whether anything ends the puzzle; of a puzzle in Rust its type says what does.
    #[must_use]
    pub fn has_goal(&self) -> bool {
        match self {
            Self::Grounded(task) => !task.goals.is_empty(),
            Self::Permutations(_) | Self::Own(_) => true,
        }
    }
}

/// Compiles the table of a puzzle; `None` where its kind is none of [`KINDS`] and none of [`kinds`].
///
/// # Errors
/// What is wrong with it.
pub fn compile(spec: &PuzzleSpec) -> Result<Option<Compiled>, TableFault> {
    fn table<T: serde::de::DeserializeOwned>(spec: &PuzzleSpec) -> Result<T, TableFault> {
        spec.table().map_err(TableFault::whole)
    }
    Ok(Some(match spec.kind.as_str() {
        "rules" => Compiled::Grounded(rules::compile(&table(spec)?)?),
        "blocks" => Compiled::Grounded(blocks::compile(&table(spec)?)?),
        "permutation" => Compiled::Permutations(permutation::compile(&table(spec)?)?),
        kind => match kinds::named(kind) {
            Some(kind) => Compiled::Own(kind.build(spec)?),
            None => return Ok(None),
        },
    }))
}
