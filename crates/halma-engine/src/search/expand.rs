//! From one level to the next, by this process alone or with others.

use std::sync::atomic::Ordering;

use super::expander::{Expander, Expansion};
use super::plan::plan;
use super::shard_buffer::ShardBuffer;
use super::step::Step;
use super::{CancellationToken, LevelDestination, Stopped};
use crate::puzzle::Puzzle;
use crate::store::Level;

impl Expander {
    /// Successors of `current`, which stands on level `depth`, without those that `current` or a level of `earlier` holds.
    /// With a workspace, pieces of the level that it has are not made again, and a stopped step leaves its pieces there.
    ///
    /// # Errors
    /// Where `cancel` asks for it, or where levels cannot be read or written.
    pub fn expand<P: Puzzle>(
        &self,
        puzzle: &P,
        depth: u32,
        current: &Level<P::Key>,
        earlier: &[&Level<P::Key>],
        destination: LevelDestination<'_>,
        cancel: &CancellationToken,
    ) -> Result<Expansion<P::Key>, Stopped> {
        let mut before = vec![current];
        before.extend(earlier);
        if self.exchange().is_shared() {
            return super::shared::expand(self, (puzzle, depth, current), &before, destination, cancel);
        }
        cancel.check()?;
        let shards = self.pool.install(|| plan(puzzle, depth, current))?;
        let mut step = Step::begin(self, (puzzle, depth, current), shards, destination, cancel);
        step.resume()?;
        while step.next_block.load(Ordering::Relaxed) < current.blocks() {
            step.advance()?;
            let stopped = cancel.check();
            let segments: u64 = step.shard_buffers.iter().map(ShardBuffer::bytes).sum();
            if let Some(workspace) = destination.workspace
                && (stopped.is_err() || step.full || segments > step.room.segments() || workspace.is_due())
            {
                step.settle()?;
                step.checkpoint(workspace)?;
            } else if let Some(scratch) = destination.scratch
                && (step.full || segments > step.room.segments())
            {
                step.settle()?;
                step.spill(scratch)?;
            }
            stopped?;
        }
        step.settle()?;
        step.finish(&before)
    }
}
