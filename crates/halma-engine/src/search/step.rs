//! One level of breadth-first search with delayed duplicate detection (Korf, *Best-first frontier search with delayed
//! duplicate detection*, 2004). Successors are collected first; duplicates are eliminated later, shard by shard. What
//! does not fit memory is spilled to disk in sorted order and merged at the end. Unlike in the paper,
//! threads expand one piece of the level while they deduplicate the piece before.

mod finish;
mod layers;
mod parts;
mod together;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

use super::duplicates::Scratch;
use super::expander::Expander;
use super::shard_buffer::{ShardBuffer, code_each};
use super::shards::Shards;
use super::{CancellationToken, LevelDestination, LevelSource, Stopped};
use crate::batch::{Batch, Batches};
use crate::budget::{self, plan::Room};
use crate::key::Key;
use crate::parallel::lock;
use crate::puzzle::Puzzle;
use crate::store::{BLOCK, Level, StoreError};
pub(super) use layers::Until;
use parts::FilteredPart;

/// One thread's successors of the current piece, by shard.
struct ThreadBuffers<K> {
    shards: Vec<Vec<K>>,
    /// The successors of one state.
    made: Vec<K>,
    generated: u64,
    emitted: u64,
    /// States that were expanded together.
    expanded: u64,
}

impl<K: Key> ThreadBuffers<K> {
    fn new(shards: usize) -> Self {
        Self { shards: vec![Vec::new(); shards], made: Vec::new(), generated: 0, emitted: 0, expanded: 0 }
    }
}

/// One thread's buffers, scratch space and current block.
struct WorkerState<P: Puzzle> {
    buffers: ThreadBuffers<P::Key>,
    scratch: P::Scratch,
    /// The states of the current block; those before `at` are expanded.
    block: Vec<P::Key>,
    at: usize,
    /// States that are expanded together, where the puzzle does that.
    batch: Option<Box<dyn Batch<P::Key>>>,
}

impl<P: Puzzle> WorkerState<P> {
    /// Whether all states that the thread has taken are expanded.
    fn is_idle(&self) -> bool {
        match &self.batch {
            Some(batch) => !batch.waits(),
            None => self.at == self.block.len(),
        }
    }
}

/// How many successors were made.
#[derive(Clone, Copy)]
pub(super) struct Made {
    /// With those that a bound pruned.
    pub(super) generated: u64,
    /// Without them.
    pub(super) emitted: u64,
}

/// One step, from a level to the next: the state that its threads share.
pub(super) struct Step<'a, P: Puzzle> {
    pub(super) expander: &'a Expander,
    puzzle: &'a P,
    depth: u32,
    pub(super) current: &'a Level<P::Key>,
    pub(super) destination: LevelDestination<'a>,
    pub(super) cancel: &'a CancellationToken,
    pub(super) shards: Shards,
    /// The memory for buffers, segments and layers.
    pub(super) room: Room,
    /// What makes the threads' batches, where states are expanded together.
    batches: Option<Box<dyn Batches<P::Key>>>,
    /// By thread. Each makes its own when it first expands, so that no two threads write to one cache line.
    workers: Vec<OnceLock<Mutex<Box<WorkerState<P>>>>>,
    /// Whether threads only complete the blocks that they have begun.
    closing: bool,
    /// Whether memory is so full that its contents have to be spilled.
    pub(super) full: bool,
    /// By shard, then by thread: successors of the previous piece, which the shard buffers have not received yet.
    handed_over: Vec<Vec<Vec<P::Key>>>,
    pub(super) next_block: AtomicUsize,
    pub(super) shard_buffers: Vec<ShardBuffer<P::Key>>,
    /// Spilled files of sorted successors.
    pub(super) layers: Vec<(String, Level<P::Key>)>,
    /// Whether the run's checkpoint has layers of all successors.
    pub(super) successors_are_saved: bool,
    /// The parts of the level that have passed the filter.
    parts: Vec<FilteredPart<P::Key>>,
    /// A successor with the largest measure of all; then no other state is measured if this one is new.
    leader: Option<(i64, P::Key)>,
    /// Scratch space, by thread, for [`Puzzle::admits`]; empty where that filter is not used.
    filter_scratch: Vec<OnceLock<Mutex<P::Scratch>>>,
    /// Successors made before this process resumed the level.
    pub(super) generated: u64,
    pub(super) emitted: u64,
}

impl<'a, P: Puzzle> Step<'a, P> {
    pub(super) fn begin(
        expander: &'a Expander,
        LevelSource { puzzle, depth, current, .. }: LevelSource<'a, P>,
        shards: Shards,
        destination: LevelDestination<'a>,
        cancel: &'a CancellationToken,
    ) -> Self {
        Self {
            expander,
            puzzle,
            depth,
            current,
            destination,
            cancel,
            room: expander.memory_plan().measure_room(),
            closing: false,
            full: false,
            batches: None,
            workers: (0..expander.threads()).map(|_| OnceLock::new()).collect(),
            handed_over: vec![vec![Vec::new(); expander.threads()]; shards.count()],
            next_block: AtomicUsize::new(0),
            shard_buffers: (0..shards.count()).map(|_| ShardBuffer::default()).collect(),
            layers: Vec::new(),
            successors_are_saved: false,
            parts: Vec::new(),
            leader: None,
            filter_scratch: Vec::new(),
            shards,
            generated: 0,
            emitted: 0,
        }
    }

    /// Whether every block has been taken by a thread. [`Self::complete`] ends those that are under way.
    pub(super) fn has_no_blocks_left(&self) -> bool {
        self.blocks_left() == 0
    }

    /// Whether all blocks are taken, and batches neither wait nor have successors to emit. Then only [`Self::complete`] is left.
    pub(super) fn is_through(&self) -> bool {
        self.has_no_blocks_left() && (self.batches.is_none() || self.under_way().is_empty())
    }

    /// Whether batches have successors that were not emitted.
    fn have_successors(&self) -> bool {
        self.batches.as_ref().is_some_and(|batches| batches.have_successors())
    }

    /// How many blocks no thread has taken.
    fn blocks_left(&self) -> usize {
        self.current.blocks().saturating_sub(self.next_block.load(Ordering::Relaxed))
    }

    /// The threads that have begun a block and not completed it; all threads where batches have successors, since each may have some to
    /// emit.
    fn under_way(&self) -> Vec<usize> {
        let all = self.have_successors();
        let is_idle = |&thread: &usize| self.workers[thread].get().is_none_or(|worker| lock(worker).is_idle());
        (0..self.workers.len()).filter(|thread| all || !is_idle(thread)).collect()
    }

    /// The workers that have begun.
    fn begun(&self) -> impl Iterator<Item = MutexGuard<'_, Box<WorkerState<P>>>> {
        self.workers.iter().filter_map(OnceLock::get).map(lock)
    }

    /// The worker of a thread.
    fn worker(&self, thread: usize) -> MutexGuard<'_, Box<WorkerState<P>>> {
        lock(self.workers[thread].get_or_init(|| {
            let buffers = ThreadBuffers::new(self.shards.count());
            let batch = self.batches.as_ref().map(|batches| batches.batch());
            Mutex::new(Box::new(WorkerState {
                buffers,
                scratch: self.puzzle.scratch(),
                block: Vec::new(),
                at: 0,
                batch,
            }))
        }))
    }

    /// Successors made so far.
    pub(super) fn made(&self) -> Made {
        let earlier = Made { generated: self.generated, emitted: self.emitted };
        self.begun().fold(earlier, |made, worker| Made {
            generated: made.generated + worker.buffers.generated,
            emitted: made.emitted + worker.buffers.emitted,
        })
    }

    /// Whether the puzzle has a filter for the states of this level.
    pub(super) fn filters(&self) -> bool {
        self.puzzle.filters(self.depth + 1)
    }

    /// Makes one more piece: expands until the piece is full or the search is to stop. Where states are expanded together, it fills the
    /// batches, or emits a piece of their successors (see [`Self::turn`]). Meanwhile the shard buffers receive the piece before.
    pub(super) fn advance(&mut self) -> Result<(), StoreError> {
        self.turn(self.piece())?;
        if self.room.is_full() {
            self.free_memory();
        }
        Ok(())
    }

    /// Completes every block that a thread has begun, and lets the shard buffers receive everything still under way.
    pub(super) fn complete(&mut self) -> Result<(), StoreError> {
        self.closing = true;
        while !self.under_way().is_empty() {
            self.turn(self.piece())?;
        }
        self.closing = false;
        self.turn(0)
    }

    /// Frees buffers and compresses the sorted sets; sets [`Self::full`] if that was not enough.
    fn free_memory(&mut self) {
        self.handed_over.iter_mut().flatten().for_each(|keys| *keys = Vec::new());
        self.code();
        budget::give_back();
        self.full = self.room.is_full();
    }

    /// Compresses all sorted sets into segments.
    fn code(&mut self) {
        self.expander.install(|| code_each(&mut self.shard_buffers));
    }

    /// One turn of the pipeline: the shard buffers receive the previous piece, and the threads expand blocks from
    /// `next_block` on until `wanted` successors are made. Where states are expanded together, they either expand until the batches are
    /// full, or emit `wanted` successors. A thread that finds no more shards to serve goes on with that.
    /// Sorted sets that together take too much are compressed.
    fn turn(&mut self, wanted: u64) -> Result<(), StoreError> {
        self.hand_over();
        let held: usize = self.handed_over.iter().flatten().map(|keys| keys.capacity() * P::Key::BYTES).sum();
        let crowded = held as u64 > 2 * self.room.piece(self.shards.count());
        // While a sorted set is merged it is held twice, by every thread.
        let limit = usize::try_from(self.room.shard() / P::Key::BYTES as u64).unwrap_or(usize::MAX);
        let (mut shard_buffers, mut handed_over) =
            (std::mem::take(&mut self.shard_buffers), std::mem::take(&mut self.handed_over));
        let queue = in_order_of_serving(&mut shard_buffers, &mut handed_over);
        let (next_shard, made) = (AtomicUsize::new(0), AtomicU64::new(0));
        let emits = self.have_successors();
        let work = |thread: usize| {
            let mut scratch = Scratch::default();
            while let Some(entry) = queue.get(next_shard.fetch_add(1, Ordering::Relaxed)) {
                let (shard_buffer, handed_over) = &mut *lock(entry);
                shard_buffer.receive(handed_over, limit, &mut scratch);
                clear(handed_over, crowded);
            }
            match wanted {
                0 => {}
                _ if emits => self.emit_together(&mut self.worker(thread), &made, wanted),
                _ if self.batches.is_some() => self.expand_together(&mut self.worker(thread))?,
                _ => self.expand(&mut self.worker(thread), &made, wanted)?,
            }
            Ok(())
        };
        let under_way = self.under_way();
        let tasks = queue.len() + under_way.len() + if self.closing { 0 } else { self.blocks_left() };
        let results: Vec<Result<(), StoreError>> = if tasks > 1 {
            self.expander.broadcast(work)
        } else {
            // To wake the others would take longer than the work.
            vec![self.expander.install(|| work(under_way.first().copied().unwrap_or(0)))]
        };
        if let Some(batches) = self.batches.as_ref().filter(|batches| emits && !batches.have_successors()) {
            batches.clear();
        }
        drop(queue);
        (self.shard_buffers, self.handed_over) = (shard_buffers, handed_over);
        // A thread may have taken a number past the end of the level.
        self.next_block.fetch_min(self.current.blocks(), Ordering::Relaxed);
        if self.shard_buffers.iter().map(|buffer| buffer.sorted_set.bytes()).sum::<u64>() > self.room.sorted_set() {
            self.code();
        }
        results.into_iter().collect()
    }

    /// Moves the threads' successors to `handed_over`.
    fn hand_over(&mut self) {
        for (thread, worker) in self.workers.iter_mut().enumerate() {
            let Some(worker) = worker.get_mut() else { continue };
            let worker = worker.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
            for (keys, handed_over) in worker.buffers.shards.iter_mut().zip(&mut self.handed_over) {
                std::mem::swap(keys, &mut handed_over[thread]);
            }
        }
    }

    /// Expands states until all threads together have made `wanted` successors. A block may be left for the next turn, because the
    /// successors of whole blocks may be more than there is memory for.
    fn expand(&self, worker: &mut WorkerState<P>, made: &AtomicU64, wanted: u64) -> Result<(), StoreError> {
        // A thread looks often at what the others have made: when the piece is full, all wait for the last one.
        let share = wanted / (64 * self.expander.threads() as u64);
        while made.load(Ordering::Relaxed) < wanted && self.goes_on() {
            if worker.is_idle() {
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
            let WorkerState { buffers, scratch, block, at, .. } = worker;
            let (generated, emitted, from) = (buffers.generated, buffers.emitted, *at);
            for &key in &block[from..] {
                expand_state(self.puzzle, self.depth, key, &self.shards, buffers, scratch);
                *at += 1;
                if buffers.emitted - emitted > share {
                    break;
                }
            }
            made.fetch_add(buffers.emitted - emitted, Ordering::Relaxed);
            if let Some(watch) = self.destination.watch {
                watch.expanded((*at - from) as u64, buffers.generated - generated);
            }
        }
        Ok(())
    }

    /// Whether threads are to expand more.
    fn goes_on(&self) -> bool {
        self.closing || (self.cancel.check().is_ok() && self.expander.exchange().check().is_ok())
    }

    /// The size of a piece, in successors.
    fn piece(&self) -> u64 {
        #[cfg(any(test, feature = "testing"))]
        if let Some(piece) = self.expander.piece {
            return piece;
        }
        self.room.piece(self.shards.count()) / P::Key::BYTES as u64
    }
}

/// A shard buffer, and what the threads hand over to it.
type Served<'a, K> = Mutex<(&'a mut ShardBuffer<K>, &'a mut Vec<Vec<K>>)>;

/// The shards that are to receive keys, in the order in which they are served. Parents come in order, so successors
/// crowd into few shards at a time, and the largest shards come first.
fn in_order_of_serving<'a, K: Key>(
    shard_buffers: &'a mut [ShardBuffer<K>],
    handed_over: &'a mut [Vec<Vec<K>>],
) -> Vec<Served<'a, K>> {
    let size = |handed_over: &Vec<Vec<K>>| handed_over.iter().map(Vec::len).sum::<usize>();
    let mut queue: Vec<_> =
        shard_buffers.iter_mut().zip(handed_over).filter(|(_, handed_over)| size(handed_over) > 0).collect();
    queue.sort_by_key(|(_, handed_over)| std::cmp::Reverse(size(handed_over)));
    queue.into_iter().map(Mutex::new).collect()
}

/// Empties vectors; if memory is `crowded`, gives it back.
fn clear<K>(handed_over: &mut [Vec<K>], crowded: bool) {
    for keys in handed_over {
        if crowded {
            *keys = Vec::new();
        }
        keys.clear();
    }
}

/// The bytes of the blocks that a merge of so many sources has open. Sources with few keys have no full blocks.
fn open_blocks<K: Key>(sources: usize, keys: u64) -> u64 {
    ((sources * BLOCK) as u64).min(2 * keys) * K::BYTES as u64
}

/// Distributes one state's successors over the thread's shards.
#[inline]
fn expand_state<P: Puzzle>(
    puzzle: &P,
    depth: u32,
    key: P::Key,
    shards: &Shards,
    buffers: &mut ThreadBuffers<P::Key>,
    scratch: &mut P::Scratch,
) {
    let ThreadBuffers { shards: boxes, made, emitted, generated, .. } = buffers;
    made.clear();
    *generated += puzzle.successors(scratch, key, depth, &mut |k: P::Key| made.push(k));
    *emitted += made.len() as u64;
    // A separate loop keeps it and the successors' loop in registers.
    for &key in &*made {
        boxes[shards.of(key)].push(key);
    }
}
