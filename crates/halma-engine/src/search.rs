//! The level search: from a level, its successors; of these, those that no level had before.
//!
//! A level is expanded in pieces. In each piece all threads take blocks of the level, compute successors and part them
//! into ranges of keys ([`shards`]); while the next piece is expanded, each range's successors are sorted, and
//! duplicates go ([`duplicates`]). A full shard buffer is compressed into a sorted segment; when segments exceed their share of
//! memory they are spilled to one file. When the level is through, what each range has gathered and its segments are merged
//! (`merge`), what the earlier levels hold is taken out, and the rest is coded: the ranges in order are the next
//! level. Which thread did what, and what went where, changes nothing but the time.

mod audit;
mod cancellation;
pub mod digest;
pub mod duplicates;
pub mod exchange;
mod expand;
mod expander;
mod levels;
pub(crate) mod merge;
mod plan;
mod shard_buffer;
pub mod shards;
mod shared;
mod step;
mod trace;

use std::fmt;

pub use cancellation::{CancellationToken, Stopped};
pub use expander::{Expander, Expansion, Tally, figures, saved, saved_share};
pub use levels::{Levels, levels};
pub use trace::{trace, trace_shared};

use crate::store::workspace::Workspace;

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
pub struct LevelDestination<'a> {
    /// The run's folder, for what does not fit memory and for what must survive; none for a search in memory alone.
    pub workspace: Option<&'a Workspace>,
    /// Where there is none: the folder of a run that the level is no part of, for files that nobody finds there.
    pub scratch: Option<&'a Workspace>,
    /// The level's name in the run.
    pub label: &'a str,
    /// Who is told how far it has come.
    pub watch: Option<&'a dyn Watch>,
}

impl LevelDestination<'_> {
    /// For levels that stay in memory.
    pub const MEMORY: Self = Self { workspace: None, scratch: None, label: "", watch: None };
}
