//! One level of breadth-first search with delayed duplicate detection (Korf, *Best-first frontier search with delayed
//! duplicate detection*, 2004): successors are collected first, and duplicates go later, range by range. What does not
//! fit memory is sorted into runs on disk and merged. It departs in that expanding one piece and sorting another go on
//! at once, on all threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use halma_files::number::Digest;

use super::digest;
use super::duplicates::Scratch;
use super::expander::{Expander, Expansion, Tally, saved_share};
use super::merge::merge;
use super::shard_buffer::{ShardBuffer, coded};
use super::shards::Shards;
use super::{CancellationToken, LevelDestination, Stopped};
use crate::budget::{self, plan::Room};
use crate::key::Key;
use crate::puzzle::Puzzle;
use crate::store::workspace::{LIST, Mark, Partial, Saved, Workspace};
use crate::store::{BLOCK, Level, Segment, StoreError};

/// New states that one thread judges at a time.
const SIFTED: usize = 1 << 9;

/// What a process found of a level.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Share {
    generated: u64,
    emitted: u64,
    unique: u64,
    old: u64,
    /// New states that the puzzle does not admit.
    #[serde(default)]
    dropped: u64,
    states: u64,
    bytes: u64,
    digest: Digest,
    second: Digest,
    measure_max: Option<i64>,
}

impl Share {
    /// The figures of a level in these shares.
    fn total(shares: &[Self]) -> Tally {
        let sum = |f: fn(&Self) -> u64| shares.iter().map(f).sum::<u64>();
        let mixed = |f: fn(&Self) -> Digest| shares.iter().fold(0u128, |sum, share| sum.wrapping_add(f(share).0));
        Tally {
            states: sum(|s| s.states),
            generated: sum(|s| s.generated),
            // Of a folder that was tampered with they may not add up; then the record contradicts itself.
            pruned: sum(|s| s.generated).saturating_sub(sum(|s| s.emitted)) + sum(|s| s.dropped),
            duplicates: sum(|s| s.emitted).saturating_sub(sum(|s| s.unique)),
            old: sum(|s| s.old),
            digest: mixed(|s| s.digest),
            second: Digest(mixed(|s| s.second)),
            measure_max: shares.iter().filter_map(|s| s.measure_max).max(),
        }
    }
}

/// One thread's successors of the current piece, by range of keys.
struct ThreadBuffers<K> {
    shards: Vec<Vec<K>>,
    /// One state's successors.
    made: Vec<K>,
    generated: u64,
    emitted: u64,
}

impl<K: Key> ThreadBuffers<K> {
    fn new(shards: usize) -> Self {
        Self { shards: vec![Vec::new(); shards], made: Vec::new(), generated: 0, emitted: 0 }
    }
}

/// What a range of keys adds to the next level.
struct Part<K> {
    segment: Segment<K>,
    unique: u64,
    old: u64,
    dropped: u64,
    digest: u128,
    second: u128,
    measure_max: Option<i64>,
}

/// One thread's outbox and scratch space, and the block that it has at hand.
struct WorkerState<P: Puzzle> {
    buffers: ThreadBuffers<P::Key>,
    scratch: P::Scratch,
    /// The states of the block, of which those before `at` are expanded.
    block: Vec<P::Key>,
    at: usize,
}

impl<P: Puzzle> WorkerState<P> {
    fn is_through(&self) -> bool {
        self.at == self.block.len()
    }
}

/// One step under way: all that its threads share.
pub(super) struct Step<'a, P: Puzzle> {
    pub(super) expander: &'a Expander,
    puzzle: &'a P,
    depth: u32,
    pub(super) current: &'a Level<P::Key>,
    pub(super) berth: LevelDestination<'a>,
    pub(super) stop: &'a CancellationToken,
    pub(super) shards: Shards,
    /// What ranges, runs and outboxes may take.
    pub(super) room: Room,
    workers: Vec<Mutex<Box<WorkerState<P>>>>,
    /// Whether threads only complete the blocks that they have at hand.
    closing: bool,
    /// Whether what is in memory has to go to disk.
    pub(super) full: bool,
    /// By range, then by thread: successors of the piece before, which are not gathered yet.
    handed_over: Vec<Vec<Vec<P::Key>>>,
    pub(super) next_block: AtomicUsize,
    pub(super) shard_buffers: Vec<ShardBuffer<P::Key>>,
    /// Sorted successors on disk.
    pub(super) layers: Vec<(String, Level<P::Key>)>,
    /// What new states are judged with, by thread.
    sieves: Vec<Mutex<P::Scratch>>,
    /// Successors made before this process took the level up.
    pub(super) generated: u64,
    pub(super) emitted: u64,
}

impl<'a, P: Puzzle> Step<'a, P> {
    pub(super) fn begin(
        expander: &'a Expander,
        (puzzle, depth, current): (&'a P, u32, &'a Level<P::Key>),
        shards: Shards,
        berth: LevelDestination<'a>,
        stop: &'a CancellationToken,
    ) -> Self {
        // Each thread makes its own: what two threads write to must not share a cache line.
        let worker = || {
            let buffers = ThreadBuffers::new(shards.len());
            Mutex::new(Box::new(WorkerState { buffers, scratch: puzzle.scratch(), block: Vec::new(), at: 0 }))
        };
        Self {
            expander,
            puzzle,
            depth,
            current,
            berth,
            stop,
            room: expander.plan().room(),
            closing: false,
            full: false,
            workers: expander.pool.broadcast(|_| worker()),
            handed_over: vec![vec![Vec::new(); expander.threads()]; shards.len()],
            next_block: AtomicUsize::new(0),
            shard_buffers: (0..shards.len()).map(|_| ShardBuffer::default()).collect(),
            layers: Vec::new(),
            sieves: Vec::new(),
            shards,
            generated: 0,
            emitted: 0,
        }
    }

    /// Goes on where an earlier process left the level.
    pub(super) fn resume(&mut self) -> Result<(), Stopped> {
        let found = self.berth.workspace.and_then(|w| Some((w, w.partial(self.berth.label)?)));
        let Some((workspace, partial)) = found else { return Ok(()) };
        self.take_up(workspace, partial.layers)?;
        if self.layers.iter().map(|(_, layer)| layer.len()).sum::<u64>() > partial.emitted {
            let reason = format!("the layers of {} hold more than it says was made", partial.label);
            return Err(StoreError::Damaged { file: workspace.folder().join(LIST), reason }.into());
        }
        self.go_on_at(Mark { next_block: partial.next_block, generated: partial.generated, emitted: partial.emitted });
        Ok(())
    }

    /// Opens layers that the run's folder has.
    pub(super) fn take_up(&mut self, workspace: &Workspace, labels: Vec<String>) -> Result<(), Stopped> {
        for label in labels {
            let (layer, _) = workspace.need(&label)?;
            let in_one_range = |(first, last)| self.shards.of(first) == self.shards.of(last);
            self.expander.audit_layer(self.puzzle, &layer, in_one_range, self.stop)?;
            self.layers.push((label, layer));
        }
        Ok(())
    }

    /// Everything before the mark has been expanded already.
    pub(super) fn go_on_at(&mut self, mark: Mark) {
        self.next_block = AtomicUsize::new(mark.next_block);
        (self.generated, self.emitted) = (mark.generated, mark.emitted);
        if let Some(watch) = self.berth.watch {
            let done = self.current.index().iter().take(mark.next_block).map(|b| u64::from(b.keys)).sum();
            watch.expanded(done, mark.generated);
        }
    }

    /// Successors made so far, pruned ones included, and not.
    pub(super) fn made(&self) -> (u64, u64) {
        let own = self.workers.iter().map(|d| lock(d)).map(|d| (d.buffers.generated, d.buffers.emitted));
        own.fold((self.generated, self.emitted), |(g, e), (generated, emitted)| (g + generated, e + emitted))
    }

    /// Expands one more piece of the level, until that is full or the search is to stop. Meanwhile the ranges receive the
    /// piece before.
    pub(super) fn advance(&mut self) -> Result<(), StoreError> {
        self.turn(self.piece())?;
        if self.room.is_full() {
            self.relieve();
        }
        Ok(())
    }

    /// Completes every block that a thread has taken, and lets the ranges receive what is still under way.
    pub(super) fn settle(&mut self) -> Result<(), StoreError> {
        self.closing = true;
        while self.workers.iter().any(|worker| !lock(worker).is_through()) {
            self.turn(self.piece())?;
        }
        self.closing = false;
        self.turn(0)
    }

    /// Gives back what is not needed, and codes what is gathered; says by [`Self::full`] whether that was not enough.
    fn relieve(&mut self) {
        self.handed_over.iter_mut().flatten().for_each(|keys| *keys = Vec::new());
        self.code();
        budget::give_back();
        self.full = self.room.is_full();
    }

    /// Codes what is gathered.
    fn code(&mut self) {
        self.expander.pool.install(|| {
            self.shard_buffers
                .par_iter_mut()
                .for_each_init(Scratch::default, |scratch, shard_buffer| shard_buffer.code(scratch))
        });
    }

    /// Gathers the piece before by ranges, and expands blocks from `next_block` on until `room` successors are
    /// made. A thread that finds no more ranges to serve goes on to expand, so that none waits for one that serves a large
    /// range. Parents come in order, so successors crowd into few ranges at a time: the largest are served first. What
    /// together takes too much is coded.
    fn turn(&mut self, room: u64) -> Result<(), StoreError> {
        self.post();
        let held: usize = self.handed_over.iter().flatten().map(|keys| keys.capacity() * P::Key::BYTES).sum();
        let crowded = held as u64 > 2 * self.room.piece(self.shards.len());
        // What one range gathers is held twice while it is merged, by every thread.
        let limit = usize::try_from(self.room.range() / P::Key::BYTES as u64).unwrap_or(usize::MAX);
        let (mut shard_buffers, mut handed_over) =
            (std::mem::take(&mut self.shard_buffers), std::mem::take(&mut self.handed_over));
        let size = |handed_over: &Vec<Vec<P::Key>>| handed_over.iter().map(Vec::len).sum::<usize>();
        let mut ranges: Vec<_> =
            shard_buffers.iter_mut().zip(&mut handed_over).filter(|(_, handed_over)| size(handed_over) > 0).collect();
        ranges.sort_by_key(|(_, handed_over)| std::cmp::Reverse(size(handed_over)));
        let ranges: Vec<_> = ranges.into_iter().map(Mutex::new).collect();
        let (next_range, made) = (AtomicUsize::new(0), AtomicU64::new(0));
        let results: Vec<Result<(), StoreError>> = self.expander.pool.broadcast(|thread| {
            let mut scratch = Scratch::default();
            while let Some(range) = ranges.get(next_range.fetch_add(1, Ordering::Relaxed)) {
                let (shard_buffer, handed_over) = &mut *lock(range);
                shard_buffer.receive(handed_over, limit, &mut scratch);
                for keys in handed_over.iter_mut() {
                    if crowded {
                        *keys = Vec::new();
                    }
                    keys.clear();
                }
            }
            self.expand(&mut lock(&self.workers[thread.index()]), &made, room)
        });
        drop(ranges);
        (self.shard_buffers, self.handed_over) = (shard_buffers, handed_over);
        // Numbers that a thread took past the end of the level mean nothing.
        self.next_block.fetch_min(self.current.blocks(), Ordering::Relaxed);
        if self.shard_buffers.iter().map(|i| i.sorted_set.bytes()).sum::<u64>() > self.room.sorted_set() {
            self.code();
        }
        results.into_iter().collect()
    }

    /// Puts what the threads made where the ranges receive it from.
    fn post(&mut self) {
        for (thread, worker) in self.workers.iter_mut().enumerate() {
            let worker = worker.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
            for (keys, handed_over) in worker.buffers.shards.iter_mut().zip(&mut self.handed_over) {
                std::mem::swap(keys, &mut handed_over[thread]);
            }
        }
    }

    /// Expands states until all threads together have made `room` successors; a block may be left for the next turn, since
    /// the successors of whole blocks can be more than there is room for.
    fn expand(&self, worker: &mut WorkerState<P>, made: &AtomicU64, room: u64) -> Result<(), StoreError> {
        let exchange = self.expander.exchange();
        let goes_on = || self.closing || (self.stop.check().is_ok() && exchange.check().is_ok());
        // No thread makes much more than its share before it looks what the others have made.
        let share = room / (8 * self.expander.threads() as u64);
        while made.load(Ordering::Relaxed) < room && goes_on() {
            if worker.is_through() {
                if self.closing {
                    break;
                }
                let block = self.next_block.fetch_add(1, Ordering::Relaxed);
                if block >= self.current.blocks() {
                    break;
                }
                worker.at = 0;
                self.current.read_block(block, &mut worker.block)?;
            }
            let WorkerState { buffers, scratch, block, at } = worker;
            let (generated, emitted, from) = (buffers.generated, buffers.emitted, *at);
            for &key in &block[from..] {
                expand_state(self.puzzle, self.depth, key, &self.shards, buffers, scratch);
                *at += 1;
                if buffers.emitted - emitted > share {
                    break;
                }
            }
            made.fetch_add(buffers.emitted - emitted, Ordering::Relaxed);
            if let Some(watch) = self.berth.watch {
                watch.expanded((*at - from) as u64, buffers.generated - generated);
            }
        }
        Ok(())
    }

    /// Successors that a piece has.
    fn piece(&self) -> u64 {
        #[cfg(any(test, feature = "testing"))]
        if let Some(piece) = self.expander.piece {
            return piece;
        }
        self.room.piece(self.shards.len()) / P::Key::BYTES as u64
    }

    /// Writes all successors so far to disk as a layer, and enters it in the run's list: a later process goes on here.
    pub(super) fn checkpoint(&mut self, workspace: &Workspace) -> Result<(), StoreError> {
        let layer = self.layer(workspace)?;
        workspace.enter_partial(self.partial(self.mark(), Vec::new()), vec![layer])
    }

    /// Writes all successors so far to disk as a layer that only this step knows of.
    pub(super) fn spill(&mut self, scratch: &Workspace) -> Result<(), StoreError> {
        let (label, _) = self.layer(scratch)?;
        // It stays for as long as it is open.
        scratch.remove(&[label])
    }

    /// How far the level has come.
    pub(super) fn mark(&self) -> Mark {
        let (generated, emitted) = self.made();
        Mark { next_block: self.next_block.load(Ordering::Relaxed), generated, emitted }
    }

    /// What the run's list is to say of the level's pieces.
    pub(super) fn partial(&self, mark: Mark, marks: Vec<Mark>) -> Partial {
        Partial {
            label: self.berth.label.into(),
            next_block: mark.next_block,
            generated: mark.generated,
            emitted: mark.emitted,
            layers: self.layers.iter().map(|(label, _)| label.clone()).collect(),
            marks,
        }
    }

    /// Writes what has been received so far to disk.
    pub(super) fn layer(&mut self, workspace: &Workspace) -> Result<(String, Saved), StoreError> {
        let label = format!("{}.layer-{:04}", self.berth.label, self.layers.len());
        let mut writer = workspace.writer(&label)?;
        let mut sum = 0u128;
        // Merged a few ranges at a time, and in order: the ranges' runs one after another are ascending.
        let at_once = self.at_once(4, 0);
        for group in self.shard_buffers.chunks_mut(at_once) {
            self.expander.pool.install(|| {
                group
                    .par_iter_mut()
                    .try_for_each_init(Scratch::default, |scratch, shard_buffer| shard_buffer.merge(scratch))
            })?;
            for run in group.iter_mut().flat_map(|shard_buffer| shard_buffer.runs.drain(..)) {
                sum = sum.rotate_left(1) ^ run.fingerprint();
                writer.append(&run)?;
            }
        }
        let layer = writer.finish(sum)?;
        let saved = Saved { keys: layer.len(), digest: Digest(sum), figures: serde_json::Value::Null };
        self.layers.push((label.clone(), layer));
        if std::mem::take(&mut self.full) {
            budget::give_back();
        }
        Ok((label, saved))
    }

    /// Merges what each range received, takes out what levels of `before` hold, and codes the rest.
    pub(super) fn finish(mut self, before: &[&Level<P::Key>]) -> Result<Expansion<P::Key>, Stopped> {
        let (generated, emitted) = self.made();
        self.expander.emitted.fetch_add(emitted - self.emitted, Ordering::Relaxed);
        self.workers.clear();
        self.handed_over.clear();
        if self.room.is_full() {
            budget::give_back();
        }
        if self.puzzle.sifts(self.depth + 1) {
            self.sieves = self.expander.pool.broadcast(|_| Mutex::new(self.puzzle.scratch()));
        }
        let label = self.berth.label;
        // A level of which pieces are on disk goes there too, and so does one that would fill the memory.
        let states: u64 = self
            .shard_buffers
            .iter()
            .map(|i| i.sorted_set.len() as u64 + i.runs.iter().map(Segment::len).sum::<u64>())
            .sum();
        let large = !self.layers.is_empty() || 2 * states > self.room.level();
        let workspace = self.berth.workspace.or(self.berth.scratch).filter(|_| large);
        let mut writer = workspace.map(|w| w.writer(label)).transpose()?;
        let mut share = Share { generated, emitted, ..Share::default() };
        let mut segments = Vec::new();
        // What goes to disk goes in order, a few ranges at a time.
        let at_once = self.at_once(if writer.is_some() { 16 } else { self.shards.len() }, before.len());
        let mut shard_buffers = std::mem::take(&mut self.shard_buffers).into_iter().enumerate();
        loop {
            let group: Vec<(usize, ShardBuffer<P::Key>)> = shard_buffers.by_ref().take(at_once).collect();
            if group.is_empty() {
                break;
            }
            let part =
                |scratch: &mut Scratch<P::Key>, (shard, shard_buffer)| self.part(shard, shard_buffer, scratch, before);
            let parts: Vec<Part<P::Key>> = self
                .expander
                .pool
                .install(|| group.into_par_iter().map_init(Scratch::default, part).collect::<Result<_, _>>())?;
            for part in parts {
                share.old += part.old;
                share.dropped += part.dropped;
                share.digest.0 = share.digest.0.wrapping_add(part.digest);
                share.second.0 = share.second.0.wrapping_add(part.second);
                share.measure_max = share.measure_max.max(part.measure_max);
                share.states += part.segment.len();
                share.unique += part.unique;
                match &mut writer {
                    Some(writer) => writer.append(&part.segment)?,
                    None => segments.push(part.segment),
                }
            }
        }
        let level: Level<P::Key> = match writer {
            Some(writer) => writer.finish(share.digest.0)?,
            None => segments.into_iter().collect(),
        };
        share.bytes = level.bytes();
        // The level is complete when every process has all of its share.
        let digest = share.digest.0;
        let shares = self.expander.exchange().all_gather(share)?;
        let (tally, bytes) = (Share::total(&shares), shares.iter().map(|s| s.bytes).sum());
        if let Some(workspace) = workspace {
            drop(std::mem::take(&mut self.layers));
            match self.berth.workspace {
                Some(workspace) => workspace.enter(vec![(label.into(), saved_share(&tally, level.len(), digest))])?,
                // It stays for as long as it is open.
                None => workspace.remove(&[label.into()])?,
            }
        }
        Ok(Expansion { level: level.of_whole(tally.states), tally, digest, bytes })
    }

    /// How many ranges to merge at a time: `most` for each thread, but fewer where the threads together would take too much
    /// for what they read and write. Each range is compared with `before` levels.
    fn at_once(&self, most: usize, before: usize) -> usize {
        let block = (BLOCK * P::Key::BYTES) as u64;
        let each = self.shard_buffers.iter().map(|shard_buffer| {
            let keys = shard_buffer.sorted_set.len() as u64 + shard_buffer.runs.iter().map(Segment::len).sum::<u64>();
            let blocks = (before + self.layers.len() + shard_buffer.runs.len()) as u64 * block;
            // Runs of a few keys have no blocks of full size.
            blocks.min(before as u64 * block + 2 * keys * P::Key::BYTES as u64 + self.layers.len() as u64 * block)
                + 3 * keys * P::Key::BYTES as u64
        });
        let workers = self.room.workers(each.max().unwrap_or(0));
        if workers < self.expander.threads() { workers } else { most.saturating_mul(workers) }
    }

    fn part(
        &self,
        shard: usize,
        shard_buffer: ShardBuffer<P::Key>,
        scratch: &mut Scratch<P::Key>,
        before: &[&Level<P::Key>],
    ) -> Result<Part<P::Key>, StoreError> {
        let runs: Vec<Level<P::Key>> = shard_buffer.runs.into_iter().map(|run| [run].into_iter().collect()).collect();
        // Blocks never reach from one range into the next.
        let of =
            |level: &Level<P::Key>, bound: usize| level.index().partition_point(|b| self.shards.of(b.first) < bound);
        let on_disk = self.layers.iter().map(|(_, l)| (l, of(l, shard)..of(l, shard + 1)));
        let sources = runs.iter().map(|l| (l, 0..l.blocks())).chain(on_disk).filter(|(_, b)| !b.is_empty()).collect();
        let mut cursors: Vec<_> = before.iter().map(|l| l.cursor()).collect();
        let mut kept = Vec::new();
        let (mut unique, mut old) = (0, 0);
        merge(&shard_buffer.sorted_set.into_sorted(scratch), sources, |key| {
            #[cfg(any(test, feature = "testing"))]
            if crate::fault::loses(self.expander.fault, key.mix(), shard) {
                return Ok(());
            }
            unique += 1;
            for cursor in &mut cursors {
                if cursor.contains(key)? {
                    old += 1;
                    return Ok(());
                }
            }
            kept.push(key);
            Ok(())
        })?;
        let new = kept.len();
        self.sift(&mut kept);
        let dropped = (new - kept.len()) as u64;
        let mut scratch = self.puzzle.scratch();
        Ok(Part {
            segment: coded(&kept),
            unique,
            old,
            dropped,
            digest: digest::of(digest::KEY, &kept),
            second: digest::of(digest::SECOND_KEY, &kept),
            measure_max: kept.iter().filter_map(|&key| self.puzzle.measure(&mut scratch, key)).max(),
        })
    }
}

impl<P: Puzzle> Step<'_, P> {
    /// Leaves of new states those that the puzzle admits.
    fn sift(&self, keys: &mut Vec<P::Key>) {
        if self.sieves.is_empty() || keys.is_empty() {
            return;
        }
        let piece = |keys: &[P::Key]| {
            let thread = rayon::current_thread_index().unwrap_or(0);
            let mut scratch = lock(&self.sieves[thread % self.sieves.len()]);
            let admits = |&key: &P::Key| self.puzzle.admits(&mut scratch, key, self.depth + 1);
            keys.iter().copied().filter(admits).collect::<Vec<_>>()
        };
        // Many more pieces than threads: what one state costs differs by far.
        *keys = keys.par_chunks(SIFTED).map(piece).collect::<Vec<_>>().concat();
    }
}

/// Sorts one state's successors into the outbox.
#[inline]
fn expand_state<P: Puzzle>(
    puzzle: &P,
    depth: u32,
    key: P::Key,
    shards: &Shards,
    buffers: &mut ThreadBuffers<P::Key>,
    scratch: &mut P::Scratch,
) {
    let ThreadBuffers { shards: boxes, made, emitted, generated } = buffers;
    made.clear();
    *generated += puzzle.successors(scratch, key, depth, &mut |k: P::Key| made.push(k));
    *emitted += made.len() as u64;
    // In a loop of its own, so that it and the successors stay in registers.
    for &key in &*made {
        boxes[shards.of(key)].push(key);
    }
}

/// Locks; a thread that panicked has already ended the search.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
