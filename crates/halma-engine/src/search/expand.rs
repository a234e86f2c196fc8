//! From one level to the next: the entry point, for one process or several.

use super::expander::{Expander, Expansion};
use super::shard_buffer::ShardBuffer;
use super::step::Step;
use super::{CancellationToken, LevelDestination, LevelFolder, LevelSource, Stopped};
use crate::puzzle::Puzzle;
use crate::store::Level;
use crate::store::workspace::Workspace;

/// Before a merge from disk a checkpoint is written only for more successors than this: fewer are made again within seconds.
const UNSAVED: u64 = if cfg!(test) { 0 } else { 1 << 26 };
/// Before a filter, which may take a hundred times as long, for more than this.
const UNSAVED_BEFORE_FILTER: u64 = if cfg!(test) { 0 } else { 1 << 24 };

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
        let source = LevelSource { puzzle, depth, current, earlier };
        match self.expand_whole(source, destination, cancel)? {
            Some(made) => Ok(made),
            None => self.expand_in_pieces(source, destination, cancel),
        }
    }

    /// [`Self::expand`], where the level is not to be made as a whole.
    ///
    /// # Errors
    /// As [`Self::expand`].
    pub fn expand_in_pieces<P: Puzzle>(
        &self,
        source: LevelSource<'_, P>,
        destination: LevelDestination<'_>,
        cancel: &CancellationToken,
    ) -> Result<Expansion<P::Key>, Stopped> {
        if self.exchange().is_shared() {
            return super::shared::expand(self, source, destination, cancel);
        }
        let before = source.before();
        cancel.check()?;
        // The levels are read in order, by all threads.
        self.install(|| before.iter().for_each(|level| level.code()));
        let shards = self.choose_shards(source.puzzle, source.depth, source.current)?;
        let mut step = Step::begin(self, source, shards, destination, cancel);
        step.resume()?;
        step.expand_in_batches()?;
        while !step.is_through() {
            step.advance()?;
            let stopped = cancel.check();
            let segments: u64 = step.shard_buffers.iter().map(ShardBuffer::segment_bytes).sum();
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
        let unsaved = step.shard_buffers.iter().map(ShardBuffer::keys).sum();
        if let LevelFolder::Run(workspace) = destination.folder {
            step.successors_are_saved = if step.is_worth_saving(unsaved, workspace) {
                step.checkpoint_if_room(workspace)?
            } else {
                unsaved == 0 && !step.layers.is_empty() && workspace.can_be_resumed()
            };
        }
        step.finish(&before)
    }
}

impl<P: Puzzle> Step<'_, P> {
    /// Whether a checkpoint is due before the end of the level, if `unsaved` successors are in no layer. A filter may
    /// take longer than all before it, and a merge from disk may take long. If one is interrupted, the next process
    /// begins with it.
    fn is_worth_saving(&self, unsaved: u64, workspace: &Workspace) -> bool {
        let before_filter = self.filters() && self.made().emitted > UNSAVED_BEFORE_FILTER;
        let before_merge = !self.layers.is_empty() && unsaved > UNSAVED;
        unsaved > 0 && workspace.can_be_resumed() && (before_filter || before_merge)
    }
}
