//! Expansion of many states together, where the puzzle does that ([`Puzzle::batches`]).

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Step, WorkerState};
use crate::key::Key;
use crate::puzzle::Puzzle;
use crate::search::Expander;
use crate::store::{BLOCK, StoreError};

/// A level with fewer states is expanded state by state: what a batch needs to begin with would take longer.
const LEAST: u64 = 1 << 15;
/// The most blocks of a thread's first batch, which tells how many successors its states have.
const FIRST: usize = 16;
/// The memory for successors is filled in so many parts. After each a thread looks whether the search is to stop.
const PARTS: usize = 16;
/// Successors that are emitted at a time.
const AT_ONCE: usize = 1 << 14;

impl Expander {
    /// [`LEAST`]; few in tests, so that small levels are expanded together.
    pub(in crate::search) fn least_together(&self) -> u64 {
        #[cfg(any(test, feature = "testing"))]
        if self.small_parts {
            return 50;
        }
        LEAST
    }
}

impl<P: Puzzle> Step<'_, P> {
    /// From now on states are expanded together, where the puzzle does that and memory allows it.
    pub(in crate::search) fn expand_in_batches(&mut self) -> Result<(), StoreError> {
        let few = self.current.len() < self.expander.least_together();
        if few || !self.puzzle.may_batch() || self.room.batch_of_states() == 0 {
            return Ok(());
        }
        self.batches = self.expander.install(|| self.puzzle.batches(self.depth, self.current))?;
        // Its tables take memory, too.
        self.room = self.expander.memory_plan().measure_room();
        if self.room.batch_of_states() == 0 {
            self.batches = None;
        }
        Ok(())
    }

    /// Adds states to the thread's batch and expands them, until its successors fill the memory for them or no states are left.
    pub(super) fn expand_together(&self, worker: &mut WorkerState<P>) -> Result<(), StoreError> {
        let WorkerState { buffers, block, batch, .. } = worker;
        let Some(batch) = batch else { return Ok(()) };
        let bytes = self.room.batch_of_states();
        let emitted_before = buffers.emitted;
        while self.goes_on() && batch.bytes_made() < bytes {
            let expanded = batch.expand((batch.bytes_made() + bytes / PARTS).min(bytes));
            if expanded.states > 0 {
                buffers.generated += expanded.generated;
                buffers.emitted += expanded.emitted;
                buffers.expanded += expanded.states;
                if let Some(watch) = self.destination.watch {
                    watch.expanded(expanded.states, expanded.generated);
                }
                continue;
            }
            if self.closing {
                break;
            }
            // Smaller and smaller, so that several threads end at about the same time. What is taken has to be completed before a
            // checkpoint, so its successors have to fit memory.
            let threads = self.expander.threads();
            let share = self.blocks_left() / if threads == 1 { 1 } else { 2 * threads };
            let most = match buffers.expanded {
                0 => FIRST,
                expanded => {
                    let room =
                        self.room.successors_together(P::Key::BYTES).saturating_sub(buffers.emitted - emitted_before);
                    (room / (buffers.emitted / expanded).max(1) / BLOCK as u64) as usize
                }
            };
            if most == 0 && buffers.emitted > emitted_before {
                break;
            }
            let (mut left, mut portion) = (share.min(most).max(1), 1);
            while left > 0 && batch.bytes_waiting() <= bytes / 2 {
                let first = self.next_block.fetch_add(portion, Ordering::Relaxed);
                for number in first..(first + portion).min(self.current.blocks()) {
                    self.current.read_block(number, block)?;
                    batch.add(block);
                }
                left -= portion;
                portion = (2 * portion).min(left);
            }
            if !batch.waits() {
                break;
            }
        }
        Ok(())
    }

    /// Emits successors of all batches, until all threads together have emitted `wanted`.
    pub(super) fn emit_together(&self, worker: &mut WorkerState<P>, made: &AtomicU64, wanted: u64) {
        let WorkerState { buffers, batch, .. } = worker;
        let Some(batch) = batch else { return };
        while made.load(Ordering::Relaxed) < wanted && self.goes_on() {
            let boxes = &mut buffers.shards;
            let emitted = batch.emit(AT_ONCE, &mut |keys| {
                keys.iter().for_each(|&key| boxes[self.shards.of(key)].push(key));
            });
            if emitted == 0 {
                break;
            }
            made.fetch_add(emitted as u64, Ordering::Relaxed);
        }
    }
}
