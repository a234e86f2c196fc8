//! Layers, the spilled files of sorted successors, and checkpoints within a level: a later process resumes from its
//! layers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use halma_files::number::Digest;

use super::{Made, Step, Stopped, open_blocks};
use crate::budget;
use crate::key::Key;
use crate::puzzle::Puzzle;
use crate::search::shard_buffer::merge_each;
use crate::store::StoreError;
use crate::store::workspace::{ManifestEntry, Mark, Partial, Workspace};

/// How long shard buffers keep what goes to a layer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::search) enum Until {
    /// Until it is written: memory is short. If the file finds no room, they are lost.
    Written,
    /// Until the file is complete.
    Complete,
}

impl<P: Puzzle> Step<'_, P> {
    /// Resumes from the checkpoint of an earlier process.
    pub(in crate::search) fn resume(&mut self) -> Result<(), Stopped> {
        let found = self.destination.folder.of_run().and_then(|w| Some((w, w.partial(self.destination.label)?)));
        let Some((workspace, partial)) = found else { return Ok(()) };
        let has_layers = self.fits(&partial) && self.resume_layers(workspace, &partial.layers)?;
        let has_parts = has_layers && self.resume_parts(workspace, &partial)?;
        // With the last part the layers went.
        if !has_layers || (!has_parts && partial.layers.is_empty()) {
            self.layers.clear();
            return Ok(workspace.drop_partial()?);
        }
        if self.layers.iter().map(|(_, layer)| layer.len()).sum::<u64>() > partial.mark.emitted {
            let reason = format!("the layers of {} hold more than it says was made", partial.label);
            return Err(workspace.damaged(reason).into());
        }
        self.resume_at(partial.mark);
        if !has_parts {
            // New parts take the names of these, so the manifest is to name none when they are written.
            workspace.enter_partial(self.partial(partial.mark, Vec::new()), Vec::new())?;
        }
        Ok(())
    }

    /// Whether the checkpoint counts the blocks that the level has now. A level has other blocks where it was made again: from the
    /// shares of several processes, in the other way (as a whole, or in pieces), or by a program that divides levels otherwise.
    pub(in crate::search) fn fits(&self, partial: &Partial) -> bool {
        partial.expanded.is_some_and(|expanded| expanded.0 == self.current.fingerprint())
    }

    /// Opens layers in the run's folder. Returns whether they are there and fit: no block may reach from one shard into another.
    /// Layers of a program that divides levels otherwise do not fit.
    pub(in crate::search) fn resume_layers(
        &mut self,
        workspace: &Workspace,
        labels: &[String],
    ) -> Result<bool, Stopped> {
        let reaches_over = AtomicBool::new(false);
        for label in labels {
            let layer = match workspace.need(label) {
                Ok((layer, _)) => layer,
                // Somebody removed a damaged one: the level before has all that is needed to make it again.
                Err(StoreError::Missing { .. }) => return Ok(false),
                Err(other) => return Err(other.into()),
            };
            let block = |first, last| {
                reaches_over.fetch_or(self.shards.of(first) != self.shards.of(last), Ordering::Relaxed);
            };
            self.expander.audit_layer(self.puzzle, &layer, block, self.cancel)?;
            self.layers.push((label.clone(), layer));
        }
        Ok(!reaches_over.into_inner())
    }

    /// Everything before the mark has been expanded already.
    pub(in crate::search) fn resume_at(&mut self, mark: Mark) {
        self.next_block = AtomicUsize::new(mark.next_block);
        (self.generated, self.emitted) = (mark.generated, mark.emitted);
        if let Some(watch) = self.destination.watch {
            let done = self.current.index().iter().take(mark.next_block).map(|b| u64::from(b.keys)).sum();
            watch.expanded(done, mark.generated);
        }
    }

    /// Writes a checkpoint: spills all successors so far to a layer, and enters it in the manifest. After an error the step is not
    /// to go on.
    pub(in crate::search) fn checkpoint(&mut self, workspace: &Workspace) -> Result<(), StoreError> {
        let layer = self.layer(workspace, Until::Written)?;
        workspace.enter_partial(self.partial(self.mark(), Vec::new()), vec![layer])
    }

    /// The same, where there is room. Otherwise the step goes on, with successors in memory or in a layer that is no part of the run.
    /// Returns whether there was room.
    pub(in crate::search) fn checkpoint_if_room(&mut self, workspace: &Workspace) -> Result<bool, StoreError> {
        let layer = match self.layer(workspace, Until::Complete) {
            Err(StoreError::Full { .. }) => return Ok(false),
            layer => layer?,
        };
        match workspace.enter_partial(self.partial(self.mark(), Vec::new()), vec![layer]) {
            // The manifest does not name the layer: its room is free again when the step ends.
            Err(StoreError::Full { .. }) => self.unlink_last(workspace).map(|()| false),
            entered => entered.map(|()| true),
        }
    }

    fn unlink_last(&self, workspace: &Workspace) -> Result<(), StoreError> {
        self.layers.last().map_or(Ok(()), |(label, layer)| workspace.unlink(label, layer))
    }

    /// Spills all successors so far to a layer that is no part of the run.
    pub(in crate::search) fn spill(&mut self, scratch: &Workspace) -> Result<(), StoreError> {
        self.layer(scratch, Until::Written)?;
        self.unlink_last(scratch)
    }

    /// How far the level has come.
    pub(in crate::search) fn mark(&self) -> Mark {
        let Made { generated, emitted } = self.made();
        Mark { next_block: self.next_block.load(Ordering::Relaxed), generated, emitted }
    }

    /// The manifest's entry for the unfinished level.
    pub(in crate::search) fn partial(&self, mark: Mark, marks: Vec<Mark>) -> Partial {
        Partial {
            label: self.destination.label.into(),
            mark,
            expanded: Some(Digest(self.current.fingerprint())),
            layers: self.layers.iter().map(|(label, _)| label.clone()).collect(),
            parts: self.parts.iter().map(|part| part.label.clone()).collect(),
            marks,
        }
    }

    /// How many shard buffers to merge at a time: some for each thread, but fewer where together they would take too much memory.
    fn mergers(&self) -> usize {
        let each = self.shard_buffers.iter().map(|buffer| {
            let keys = buffer.keys();
            open_blocks::<P::Key>(buffer.segments.len(), keys) + 3 * keys * P::Key::BYTES as u64
        });
        let workers = self.room.workers(each.max().unwrap_or(0));
        if workers < self.expander.threads() { workers } else { 4 * workers }
    }

    /// Writes the contents of all shard buffers to a layer. The buffers keep them as long as `until` says.
    pub(in crate::search) fn layer(
        &mut self,
        workspace: &Workspace,
        until: Until,
    ) -> Result<(String, ManifestEntry), StoreError> {
        let label = Partial::layer_label(self.destination.label, self.layers.len());
        let mut writer = workspace.writer(&label)?;
        let mut sum = 0u128;
        // A few shards are merged at a time, in order, so that the file is ascending.
        let at_once = self.mergers();
        for group in self.shard_buffers.chunks_mut(at_once) {
            self.expander.install(|| merge_each(&mut group.iter_mut().collect::<Vec<_>>()))?;
            for shard_buffer in group {
                for segment in &shard_buffer.segments {
                    sum = sum.rotate_left(1) ^ segment.fingerprint();
                    writer.append(segment)?;
                }
                if until == Until::Written {
                    shard_buffer.segments.clear();
                }
            }
        }
        let layer = writer.finish(sum)?;
        self.shard_buffers.iter_mut().for_each(|shard_buffer| shard_buffer.segments.clear());
        let saved = ManifestEntry { keys: layer.len(), digest: Digest(sum), figures: serde_json::Value::Null };
        self.layers.push((label.clone(), layer));
        if std::mem::take(&mut self.full) {
            budget::give_back();
        }
        Ok((label, saved))
    }
}
