//! Breadth-first search, level by level, with delayed duplicate detection.
//!
//! A level is expanded in pieces. In each piece, threads take blocks of the level, compute successors and distribute
//! them over ranges of keys, the shards ([`shards`]). While the next piece is expanded, the successors of each shard
//! are sorted and deduplicated ([`duplicates`]). A full shard buffer is compressed into a sorted segment. When segments
//! exceed their share of memory they are spilled to one file, a layer. At the end of the level the buffer, the segments
//! and the layers of each shard are merged (`merge`), and states of earlier levels are removed. The shards in order are
//! the next level. The result does not depend on threads, memory or timing.

mod audit;
mod cancellation;
mod choose_shards;
pub mod digest;
pub mod duplicates;
pub mod exchange;
mod expand;
mod expander;
mod levels;
pub(crate) mod merge;
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

/// Progress of a level under way; called often, from all threads.
pub trait Watch: Sync {
    /// So many more states of the previous level were expanded, into so many successors.
    fn expanded(&self, _states: u64, _successors: u64) {}
}

/// Reports nothing.
impl Watch for () {}

impl fmt::Debug for dyn Watch + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// Where a level that is being made will be stored.
#[derive(Clone, Copy, Debug)]
pub struct LevelDestination<'a> {
    /// The run's folder, for spilled data and for checkpoints; none for a search in memory alone.
    pub workspace: Option<&'a Workspace>,
    /// Used where `workspace` is none: a run's folder for spilled data alone. The level is no part of that run, and its
    /// files are unlinked.
    pub scratch: Option<&'a Workspace>,
    /// The level's label in the run.
    pub label: &'a str,
    /// Receives the progress.
    pub watch: Option<&'a dyn Watch>,
}

impl LevelDestination<'_> {
    /// A destination in memory.
    pub const MEMORY: Self = Self { workspace: None, scratch: None, label: "", watch: None };
}
