//! The expander (threads, memory plan, connection to other processes), and the figures of a level.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use halma_files::number::Digest;

use super::digest;
use super::exchange::{Alone, Exchange};
use super::sums::Sums;
use crate::budget::plan::MemoryPlan;
use crate::parallel;
use crate::puzzle::Puzzle;
use crate::store::Level;
use crate::store::workspace::ManifestEntry;

/// Expands levels with a fixed number of threads, within a memory budget.
#[derive(Debug)]
pub struct Expander {
    pub(super) pool: rayon::ThreadPool,
    plan: MemoryPlan,
    exchange: Arc<dyn Exchange>,
    /// Successors made so far that no bound pruned, levels that are not reported to progress included.
    pub(super) emitted: AtomicU64,
    /// The states of the smallest level after which memory did not hold the next one as a whole.
    pub(super) too_large: AtomicU64,
    /// The fault to inject.
    #[cfg(any(test, feature = "testing"))]
    pub fault: Option<crate::fault::Fault>,
    /// Whether small levels are partitioned, too, and count as large, so that tests exercise every path. No level
    /// depends on it.
    #[cfg(any(test, feature = "testing"))]
    pub small_parts: bool,
    /// The size of a piece in successors; tests set it so that small levels have many pieces.
    #[cfg(any(test, feature = "testing"))]
    pub piece: Option<u64>,
    /// The bytes that a thread may hold of a level that is made as a whole.
    #[cfg(any(test, feature = "testing"))]
    pub whole_bytes: Option<usize>,
}

/// The figures of a level: `generated = pruned + duplicates + old + states`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// New states: the size of the level.
    pub states: u64,
    /// Successors of the states of the previous level, with repetitions.
    pub generated: u64,
    /// Successors that a bound pruned, new states that a filter dropped, and states that a beam search left out.
    pub pruned: u64,
    /// For each state, the successors beyond the first.
    pub duplicates: u64,
    /// Different states that an earlier level holds.
    pub old: u64,
    /// The digest of the states; files have it beside the figures.
    #[serde(skip)]
    pub digest: u128,
    /// The digest under the second key.
    pub second: Digest,
    /// The largest [`Puzzle::measure`] of a state.
    pub measure_max: Option<i64>,
}

/// The stack of a thread, in bytes.
const STACK: usize = 8 << 20;

/// The outcome of [`Expander::expand`].
#[derive(Debug)]
pub struct Expansion<K> {
    /// The next level; with several processes, this one's share of it.
    pub level: Level<K>,
    /// The figures of the whole level.
    pub tally: Tally,
    /// The digest of `level`: of the whole level, or of this process's share.
    pub digest: u128,
    /// The size of the whole level in bytes.
    pub bytes: u64,
}

impl Expander {
    /// An expander with `threads` threads that keeps the process within `memory` bytes, where that is given.
    ///
    /// # Errors
    /// Where the system refuses the threads.
    pub fn new(threads: usize, memory: Option<u64>) -> Result<Self, rayon::ThreadPoolBuildError> {
        // A search runs on one of these threads, and needs as much stack as on the program's first one.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build()?;
        Ok(Self {
            plan: MemoryPlan::new(memory, pool.current_num_threads()),
            pool,
            exchange: Arc::new(Alone),
            emitted: AtomicU64::new(0),
            too_large: AtomicU64::new(u64::MAX),
            #[cfg(any(test, feature = "testing"))]
            fault: crate::fault::current(),
            #[cfg(any(test, feature = "testing"))]
            small_parts: crate::fault::small_parts(),
            #[cfg(any(test, feature = "testing"))]
            piece: None,
            #[cfg(any(test, feature = "testing"))]
            whole_bytes: None,
        })
    }

    /// The same expander as one of several processes that search together.
    #[must_use]
    pub fn sharing(self, exchange: Arc<dyn Exchange>) -> Self {
        Self { exchange, ..self }
    }

    /// The connection to the other processes.
    #[must_use]
    pub fn exchange(&self) -> &dyn Exchange {
        &*self.exchange
    }

    /// Successors that this process has made so far and no bound pruned.
    #[must_use]
    pub fn emitted(&self) -> u64 {
        self.emitted.load(Ordering::Relaxed)
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Who gets which part of the memory budget.
    #[must_use]
    pub fn memory_plan(&self) -> &MemoryPlan {
        &self.plan
    }

    /// Runs `work` in this expander's thread pool.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        parallel::install(&self.pool, work)
    }

    /// The results of `work` on each thread of this expander's pool, by the thread's number.
    pub(super) fn broadcast<R: Send>(&self, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        parallel::broadcast(&self.pool, work)
    }

    /// The level of these states, which must be canonical and may be in any order.
    pub fn level_of<P: Puzzle>(&self, puzzle: &P, states: Vec<P::Key>) -> Expansion<P::Key> {
        let mut keys = states;
        keys.sort_unstable();
        keys.dedup();
        let mut scratch = puzzle.scratch();
        let Sums { digest, second, measure_max } = Sums::of(puzzle, &mut scratch, &keys);
        let states = keys.len() as u64;
        let tally = Tally { states, digest, second: Digest(second), measure_max, ..Tally::default() };
        let bytes = Level::of(keys.clone()).bytes();
        let exchange = self.exchange();
        keys.retain(|&key| exchange.owns(key));
        let digest = digest::of(digest::KEY, &keys);
        Expansion { level: Level::of(keys).of_whole(tally.states), tally, digest, bytes }
    }
}

/// What the manifest stores for a level beside the count and digest of its file.
#[derive(Serialize, Deserialize)]
struct Figures {
    #[serde(flatten)]
    tally: Tally,
    /// The digest of the whole level, where the file holds a share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole_digest: Option<Digest>,
}

/// The manifest's entry for a level.
#[must_use]
pub fn manifest_entry(tally: &Tally) -> ManifestEntry {
    manifest_entry_of_share(tally, tally.states, tally.digest)
}

/// The manifest's entry for a share of a level, with `keys` states and that digest.
#[must_use]
pub fn manifest_entry_of_share(tally: &Tally, keys: u64, digest: u128) -> ManifestEntry {
    let share = (keys, digest) != (tally.states, tally.digest);
    let figures = Figures { tally: tally.clone(), whole_digest: share.then_some(Digest(tally.digest)) };
    let figures = serde_json::to_value(figures).unwrap_or_else(|e| unreachable!("JSON has all numbers: {e}"));
    ManifestEntry { keys, digest: Digest(digest), figures }
}

/// The figures in a level's manifest entry, and the digest of its file.
///
/// # Errors
/// Where the entry has no figures, or none of a level.
pub fn read_manifest_entry(entry: &ManifestEntry) -> Result<(Tally, u128), serde_json::Error> {
    let Figures { mut tally, whole_digest } = Figures::deserialize(&entry.figures)?;
    tally.digest = whole_digest.unwrap_or(entry.digest).0;
    Ok((tally, entry.digest.0))
}
