//! From one level to the next: the entry point, for one process or several.

use super::expander::{Expander, Expansion};
use super::shard_buffer::ShardBuffer;
use super::step::Step;
use super::{CancellationToken, LevelDestination, LevelFolder, Stopped};
use crate::puzzle::Puzzle;
use crate::store::Level;

/// Before a filter or a merge from disk a checkpoint is written only for more successors than this: fewer are made again within
/// seconds.
const UNSAVED: u64 = if cfg!(test) { 0 } else { 1 << 26 };

impl Expander {
    /// Successors of `current`, a level at depth `depth`, without the states of `current` and of the levels in
    /// `earlier`. Where `destination` is a run's folder, the step resumes from its checkpoint, and a step that is stopped leaves one.
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
            return super::shared::expand(self, puzzle, depth, current, &before, destination, cancel);
        }
        cancel.check()?;
        let shards = self.choose_shards(puzzle, depth, current)?;
        let mut step = Step::begin(self, puzzle, depth, current, shards, destination, cancel);
        step.resume()?;
        while !step.is_expanded() {
            step.advance()?;
            let stopped = cancel.check();
            let segments: u64 = step.shard_buffers.iter().map(ShardBuffer::bytes).sum();
            let full = step.full || segments > step.room.segments();
            match destination.folder {
                LevelFolder::Run(workspace) if full || stopped.is_err() || workspace.is_due() => {
                    step.complete()?;
                    step.checkpoint(workspace)?;
                }
                LevelFolder::Scratch(scratch) if full => {
                    step.complete()?;
                    step.spill(scratch)?;
                }
                _ => {}
            }
            stopped?;
        }
        step.complete()?;
        // A filter may take longer than all before it, and a merge from disk may take long. If it is interrupted, the next process
        // begins with it.
        let unsaved: u64 = step.shard_buffers.iter().map(ShardBuffer::keys).sum();
        if let LevelFolder::Run(workspace) = destination.folder
            && (puzzle.filters(depth + 1) && step.made().1 > UNSAVED || !step.layers.is_empty() && unsaved > UNSAVED)
            && unsaved > 0
        {
            step.checkpoint_if_room(workspace)?;
        }
        step.finish(&before)
    }
}
