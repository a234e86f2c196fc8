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
mod selected;
mod shard_buffer;
pub mod shards;
mod shared;
mod step;
mod sums;
mod trace;
mod whole_level;

use std::fmt;

pub use cancellation::{CancellationToken, Stopped};
pub use expander::{Expander, Expansion, Tally, manifest_entry, manifest_entry_of_share, read_manifest_entry};
pub use levels::{Levels, levels};
pub use trace::{trace, trace_by, trace_shared};

use crate::puzzle::Puzzle;
use crate::store::Level;
use crate::store::workspace::Workspace;

/// Progress of a level under way; called often, from all threads.
pub trait Watch: Sync {
    /// So many more states of the previous level were expanded, into so many successors.
    fn expanded(&self, _states: u64, _successors: u64) {}

    /// The level is begun anew: what was expanded of it counts no more.
    fn begun_anew(&self) {}

    /// The level is expanded, and so many of its `shards` are merged and filtered.
    fn merged(&self, _done: usize, _shards: usize) {}
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
    /// The folder for what memory does not hold.
    pub folder: LevelFolder<'a>,
    /// The level's label in the run.
    pub label: &'a str,
    /// Receives the progress.
    pub watch: Option<&'a dyn Watch>,
}

impl<'a> LevelDestination<'a> {
    /// A destination in memory.
    pub const MEMORY: Self = Self { folder: LevelFolder::None, label: "", watch: None };

    /// A level of a run.
    #[must_use]
    pub fn run(workspace: &'a Workspace, label: &'a str) -> Self {
        Self { folder: LevelFolder::Run(workspace), label, watch: None }
    }
}

/// A level that is expanded, and what its successors are compared with.
pub struct LevelSource<'a, P: Puzzle> {
    /// The puzzle.
    pub puzzle: &'a P,
    /// The depth of the level.
    pub depth: u32,
    /// The level.
    pub current: &'a Level<P::Key>,
    /// Earlier levels, whose states are old. Those of `current` are in any case.
    pub earlier: &'a [&'a Level<P::Key>],
}

impl<P: Puzzle> Clone for LevelSource<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Puzzle> Copy for LevelSource<'_, P> {}

impl<'a, P: Puzzle> LevelSource<'a, P> {
    /// All levels whose states are old.
    fn before(self) -> Vec<&'a Level<P::Key>> {
        std::iter::once(self.current).chain(self.earlier.iter().copied()).collect()
    }
}

/// The folder of a level that is being made.
#[derive(Clone, Copy, Debug)]
pub enum LevelFolder<'a> {
    /// The search is in memory alone.
    None,
    /// The level is a part of this run: its folder takes spilled data, checkpoints, and the level where it is large.
    Run(&'a Workspace),
    /// The level is no part of this run: its folder takes spilled data and the level where it is large, and these files
    /// are unlinked.
    Scratch(&'a Workspace),
}

impl<'a> LevelFolder<'a> {
    /// The run that the level is a part of.
    fn of_run(self) -> Option<&'a Workspace> {
        match self {
            Self::Run(workspace) => Some(workspace),
            Self::None | Self::Scratch(_) => None,
        }
    }
}
