//! What levels are made with (threads, a memory plan, other processes), and what is said of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use halma_files::number::Digest;

use super::digest;
use super::exchange::{Alone, Exchange};
use crate::budget::plan::MemoryPlan;
use crate::puzzle::Puzzle;
use crate::store::Level;
use crate::store::workspace::Saved;

/// Expands levels with a fixed number of threads, within a budget of memory.
#[derive(Debug)]
pub struct Expander {
    pub(super) pool: rayon::ThreadPool,
    plan: MemoryPlan,
    exchange: Arc<dyn Exchange>,
    /// Successors made that no bound cut, on levels that nobody reports, too.
    pub(super) emitted: AtomicU64,
    /// What is broken on purpose.
    #[cfg(any(test, feature = "testing"))]
    pub fault: Option<crate::fault::Fault>,
    /// Successors of one piece of a level, so that tests come through many pieces.
    #[cfg(any(test, feature = "testing"))]
    pub piece: Option<u64>,
}

/// A level and how it came about: `generated = pruned + duplicates + old + states`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// New states: the level's size.
    pub states: u64,
    /// Successors of the states of the level before.
    pub generated: u64,
    /// Successors that a bound cut off.
    pub pruned: u64,
    /// Successors that came more than once on this level.
    pub duplicates: u64,
    /// Successors that an earlier level holds.
    pub old: u64,
    /// The sum of the states' mixes modulo 2^128; in files beside the figures.
    #[serde(skip)]
    pub digest: u128,
    /// The same under the second key.
    pub second: Digest,
    /// The largest [`Puzzle::measure`].
    pub measure_max: Option<i64>,
}

/// The outcome of [`Expander::expand`].
#[derive(Debug)]
pub struct Expansion<K> {
    /// The next level; where several processes search, this one's share of it.
    pub level: Level<K>,
    /// The whole level's figures.
    pub tally: Tally,
    /// The digest of `level`: that of the figures, or this process's share of it.
    pub digest: u128,
    /// Bytes that the whole level takes up.
    pub bytes: u64,
}

impl Expander {
    /// An expander with `threads` threads that keeps the process within `memory` bytes, where that is given.
    ///
    /// # Errors
    /// Where the system refuses the threads.
    pub fn new(threads: usize, memory: Option<u64>) -> Result<Self, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self {
            plan: MemoryPlan::new(memory, pool.current_num_threads()),
            pool,
            exchange: Arc::new(Alone),
            emitted: AtomicU64::new(0),
            #[cfg(any(test, feature = "testing"))]
            fault: crate::fault::current(),
            #[cfg(any(test, feature = "testing"))]
            piece: None,
        })
    }

    /// The same, as one of several processes that search together.
    #[must_use]
    pub fn sharing(self, exchange: Arc<dyn Exchange>) -> Self {
        Self { exchange, ..self }
    }

    /// What the processes of the search tell each other by.
    #[must_use]
    pub fn exchange(&self) -> &dyn Exchange {
        &*self.exchange
    }

    /// Successors that this process has made so far and no bound cut.
    #[must_use]
    pub fn emitted(&self) -> u64 {
        self.emitted.load(Ordering::Relaxed)
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Who gets which part of the memory.
    #[must_use]
    pub fn plan(&self) -> &MemoryPlan {
        &self.plan
    }

    /// Runs `work` with these threads as rayon's.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// The level of these states, which are canonical and need not be sorted.
    pub fn level_of<P: Puzzle>(&self, puzzle: &P, states: Vec<P::Key>) -> Expansion<P::Key> {
        let mut keys = states;
        keys.sort_unstable();
        keys.dedup();
        let mut scratch = puzzle.scratch();
        let tally = Tally {
            states: keys.len() as u64,
            digest: digest::of(digest::KEY, &keys),
            second: Digest(digest::of(digest::SECOND_KEY, &keys)),
            measure_max: keys.iter().filter_map(|&k| puzzle.measure(&mut scratch, k)).max(),
            ..Tally::default()
        };
        let bytes = Level::of(keys.clone()).bytes();
        let exchange = self.exchange();
        keys.retain(|&key| exchange.owns(key));
        let digest = digest::of(digest::KEY, &keys);
        Expansion { level: Level::of(keys).of_whole(tally.states), tally, digest, bytes }
    }
}

/// What the run's list keeps of a level beside the count and the digest of what is saved.
#[derive(Serialize, Deserialize)]
struct Figures {
    #[serde(flatten)]
    tally: Tally,
    /// Of a level that is shared out: the digest of all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole_digest: Option<Digest>,
}

/// What the run's list says of a level.
#[must_use]
pub fn saved(tally: &Tally) -> Saved {
    saved_share(tally, tally.states, tally.digest)
}

/// What the run's list says of a share of a level: `keys` states with that digest.
#[must_use]
pub fn saved_share(tally: &Tally, keys: u64, digest: u128) -> Saved {
    let share = (keys, digest) != (tally.states, tally.digest);
    let figures = Figures { tally: tally.clone(), whole_digest: share.then_some(Digest(tally.digest)) };
    Saved { keys, digest: Digest(digest), figures: serde_json::to_value(figures).unwrap_or_default() }
}

/// The figures that were noted with a saved level, and the digest of what is saved.
///
/// # Errors
/// Where the list has none, or none of a level.
pub fn figures(saved: &Saved) -> Result<(Tally, u128), serde_json::Error> {
    let Figures { mut tally, whole_digest } = Figures::deserialize(&saved.figures)?;
    tally.digest = whole_digest.unwrap_or(saved.digest).0;
    Ok((tally, saved.digest.0))
}
