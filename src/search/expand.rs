//! One step of the level search.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::digest;
use super::shards::Shards;
use super::table::Table;
use super::{Stop, Stopped};
use crate::key::Key;
use crate::puzzle::Puzzle;
use crate::store::{Level, Segment, SegmentWriter};

/// Successors that one piece of a level makes at most (about), in bytes of keys.
const PIECE_BYTES: usize = 128 << 20;
/// Successors for which a range of keys is worth having.
const SHARD_KEYS: u64 = 1 << 17;
/// The most ranges of keys.
const MAX_SHARDS: u64 = 2048;
/// Slots of the filter that drops a successor which the same thread has just made.
const RECENT: usize = 1 << 12;

/// Expands levels with a fixed number of threads.
#[derive(Debug)]
pub struct Expander {
    pool: rayon::ThreadPool,
}

/// A level and how it came about: `generated = pruned + duplicates + old + states`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// The sum of the states' mixes modulo 2^128.
    pub digest: u128,
    /// The largest [`Puzzle::measure`].
    pub measure_max: Option<i64>,
}

/// The outcome of [`Expander::expand`].
#[derive(Debug)]
pub struct Expansion<K> {
    /// The next level.
    pub level: Level<K>,
    /// Its figures.
    pub tally: Tally,
}

/// One thread's successors of the current piece, by range of keys.
struct Outbox<K> {
    shards: Vec<Vec<K>>,
    recent: Vec<K>,
    generated: u64,
    emitted: u64,
}

impl<K: Key> Outbox<K> {
    fn new(shards: usize) -> Self {
        Self { shards: vec![Vec::new(); shards], recent: vec![K::MAX; RECENT], generated: 0, emitted: 0 }
    }
}

/// What a range of keys adds to the next level.
struct Part<K> {
    segment: Segment<K>,
    old: u64,
    digest: u128,
    measure_max: Option<i64>,
}

impl Expander {
    /// An expander with `threads` threads.
    ///
    /// # Errors
    /// Where the system refuses the threads.
    pub fn new(threads: usize) -> Result<Self, rayon::ThreadPoolBuildError> {
        Ok(Self { pool: rayon::ThreadPoolBuilder::new().num_threads(threads).build()? })
    }

    /// How many threads there are.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
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
        let part = finish(puzzle, &keys, &[]);
        let mut level = Level::default();
        let tally =
            Tally { states: keys.len() as u64, digest: part.digest, measure_max: part.measure_max, ..Tally::default() };
        level.append(part.segment);
        Expansion { level, tally }
    }

    /// Successors of `current`, which stands on level `depth`, without those that `current` or a level of `earlier` holds.
    ///
    /// # Errors
    /// Where `stop` asks for it.
    pub fn expand<P: Puzzle>(
        &self,
        puzzle: &P,
        depth: u32,
        current: &Level<P::Key>,
        earlier: &[&Level<P::Key>],
        stop: &Stop,
    ) -> Result<Expansion<P::Key>, Stopped> {
        stop.check()?;
        let shards = plan(puzzle, depth, current);
        let outboxes: Vec<Mutex<(Outbox<P::Key>, P::Scratch)>> =
            (0..self.threads()).map(|_| Mutex::new((Outbox::new(shards.len()), puzzle.scratch()))).collect();
        let mut tables: Vec<Table<P::Key>> = (0..shards.len()).map(|_| Table::default()).collect();
        let next_block = AtomicUsize::new(0);
        while next_block.load(Ordering::Relaxed) < current.blocks() {
            self.expand_piece(puzzle, depth, current, &shards, &outboxes, &next_block, stop)?;
            stop.check()?;
            self.pool.install(|| {
                tables.par_iter_mut().enumerate().for_each(|(shard, table)| {
                    for outbox in &outboxes {
                        let keys = std::mem::take(&mut lock(outbox).0.shards[shard]);
                        table.extend(&keys);
                        let mut keys = keys;
                        keys.clear();
                        lock(outbox).0.shards[shard] = keys;
                    }
                });
            });
        }
        let (mut generated, mut emitted) = (0, 0);
        for outbox in outboxes {
            let (outbox, _) = outbox.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
            generated += outbox.generated;
            emitted += outbox.emitted;
        }
        let unique: u64 = tables.iter().map(|t| t.len() as u64).sum();
        let mut before = vec![current];
        before.extend(earlier);
        let parts: Vec<Part<P::Key>> = self
            .pool
            .install(|| tables.into_par_iter().map(|table| finish(puzzle, &table.into_sorted(), &before)).collect());
        let mut tally =
            Tally { generated, pruned: generated - emitted, duplicates: emitted - unique, ..Tally::default() };
        let mut level = Level::default();
        for part in parts {
            tally.old += part.old;
            tally.digest = tally.digest.wrapping_add(part.digest);
            tally.measure_max = tally.measure_max.max(part.measure_max);
            level.append(part.segment);
        }
        tally.states = level.len();
        Ok(Expansion { level, tally })
    }

    /// Expands blocks of `current` from `next_block` on until the piece is full.
    #[expect(clippy::too_many_arguments, reason = "the parts of one level step, all of them shared by the threads")]
    fn expand_piece<P: Puzzle>(
        &self,
        puzzle: &P,
        depth: u32,
        current: &Level<P::Key>,
        shards: &Shards,
        outboxes: &[Mutex<(Outbox<P::Key>, P::Scratch)>],
        next_block: &AtomicUsize,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        let room = (PIECE_BYTES / P::Key::BYTES) as u64;
        let made = AtomicU64::new(0);
        let results: Vec<Result<(), Stopped>> = self.pool.broadcast(|thread| {
            let mut guard = lock(&outboxes[thread.index()]);
            let (outbox, scratch) = &mut *guard;
            let mut keys = Vec::new();
            while made.load(Ordering::Relaxed) < room {
                stop.check()?;
                let block = next_block.fetch_add(1, Ordering::Relaxed);
                if block >= current.blocks() {
                    break;
                }
                current.read_block(block, &mut keys);
                let before = outbox.emitted;
                for &key in &keys {
                    expand_state(puzzle, depth, key, shards, outbox, scratch);
                }
                made.fetch_add(outbox.emitted - before, Ordering::Relaxed);
            }
            Ok(())
        });
        // Numbers that a thread took past the end of the level mean nothing.
        next_block.fetch_min(current.blocks(), Ordering::Relaxed);
        results.into_iter().collect()
    }
}

/// Sorts one state's successors into the outbox.
#[inline]
fn expand_state<P: Puzzle>(
    puzzle: &P,
    depth: u32,
    key: P::Key,
    shards: &Shards,
    outbox: &mut Outbox<P::Key>,
    scratch: &mut P::Scratch,
) {
    let Outbox { shards: boxes, recent, emitted, generated } = outbox;
    *generated += puzzle.successors(scratch, key, depth, &mut |k: P::Key| {
        *emitted += 1;
        let slot = &mut recent[(k.mix() >> 40) as usize % RECENT];
        if *slot != k {
            *slot = k;
            boxes[shards.of(k)].push(k);
        }
    });
}

/// Chooses ranges of keys by expanding a few states from all over the level.
fn plan<P: Puzzle>(puzzle: &P, depth: u32, current: &Level<P::Key>) -> Shards {
    if current.len() < 2000 {
        return Shards::one();
    }
    let (mut scratch, mut keys, mut sample) = (puzzle.scratch(), Vec::new(), Vec::new());
    let mut parents = 0;
    let blocks = current.blocks();
    let sampled = blocks.min(64);
    for i in 0..sampled {
        current.read_block(i * blocks / sampled, &mut keys);
        for &key in keys.iter().step_by(256) {
            parents += 1;
            puzzle.successors(&mut scratch, key, depth, &mut |k| sample.push(k));
        }
    }
    let expected = sample.len() as u64 * current.len() / parents;
    Shards::balanced(&sample, (expected / SHARD_KEYS).clamp(1, MAX_SHARDS) as usize)
}

/// Codes the ascending keys of one range that no level of `before` holds.
fn finish<P: Puzzle>(puzzle: &P, keys: &[P::Key], before: &[&Level<P::Key>]) -> Part<P::Key> {
    let mut cursors: Vec<_> = before.iter().map(|l| l.cursor()).collect();
    let mut scratch = puzzle.scratch();
    let mut writer = SegmentWriter::default();
    let (mut old, mut sum, mut measure_max) = (0, 0u128, None);
    for &key in keys {
        if cursors.iter_mut().any(|c| c.contains(key)) {
            old += 1;
        } else {
            writer.push(key);
            sum = sum.wrapping_add(digest::mix(key));
            measure_max = measure_max.max(puzzle.measure(&mut scratch, key));
        }
    }
    Part { segment: writer.finish(), old, digest: sum, measure_max }
}

/// Locks; a thread that panicked has already ended the search.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
