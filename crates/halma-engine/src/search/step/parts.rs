//! The filter of a level, in parts. A filter may take longer than all before it. So what it has admitted is written to a file now and
//! then: a part of the level, the new states of some successive shards. A later process goes on with the shards after the last part.
//!
//! Before that all successors are in layers. The layers stay until the last part is written. Then the parts are copied to the level's file.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use halma_files::number::Digest;

use super::finish::{ShardFigures, ShardsLeft, Share};
use super::{Step, Stopped};
use crate::key::Key;
use crate::puzzle::Puzzle;
use crate::search::expander::Expansion;
use crate::store::workspace::{ManifestEntry, Partial, Workspace};
use crate::store::{Level, StoreError};

/// The states of some successive shards that are new and have passed the filter.
pub(super) struct FilteredPart<K> {
    pub(super) label: String,
    states: Level<K>,
    figures: PartFigures,
}

/// What the manifest says of a part. How many states the filter has dropped could be tested only by filtering them again.
#[derive(Serialize, Deserialize)]
struct PartFigures {
    /// Its states, and those of the parts before it, are all of the level whose bucket ([`Key::bucket`]) is less. A bucket has the same
    /// keys in every program; a shard may have others.
    next_bucket: usize,
    /// Successors count for the level and not for a part: there are none here.
    #[serde(flatten)]
    share: Share,
}

impl PartFigures {
    /// Whether the figures can be those of a part of `states` states from at most `successors` different ones.
    fn are_sound(&self, states: u64, successors: u64) -> bool {
        let ShardFigures { states: stated, unique, old, dropped, .. } = self.share.shard_figures();
        let all = [stated, old, dropped].into_iter().map(u128::from).sum::<u128>();
        stated == states && all == u128::from(unique) && unique <= successors
    }
}

impl<P: Puzzle> Step<'_, P> {
    /// Whether the filter is saved in parts: it needs the successors of all shards on disk.
    pub(super) fn is_filtered_in_parts(&self) -> bool {
        !self.parts.is_empty() || (self.filters() && self.successors_are_saved)
    }

    /// Opens the parts that the checkpoint of an earlier process has. Returns whether they are there and fit; otherwise there are none.
    pub(super) fn resume_parts(&mut self, run: &Workspace, partial: &Partial) -> Result<bool, Stopped> {
        if partial.parts.is_empty() {
            return Ok(true);
        }
        let damaged = |reason: &str| Err(run.damaged(format!("{} has parts {reason}", partial.label)).into());
        if partial.mark.next_block < self.current.blocks() {
            return damaged("before all of its successors are made");
        }
        let mut successors = partial.mark.emitted;
        for label in &partial.parts {
            let Some(part) = self.open_part(run, label, successors)? else {
                self.parts.clear();
                return Ok(false);
            };
            successors -= part.figures.share.shard_figures().unique;
            self.parts.push(part);
        }
        if partial.layers.is_empty() && self.next_bucket() != P::Key::BUCKETS {
            return damaged("that are not all, and no layers");
        }
        // Shards of today may be others.
        let fit = self.shards.shard_starting_at::<P::Key>(self.next_bucket()).is_some();
        if !fit {
            self.parts.clear();
        }
        Ok(fit)
    }

    /// The first bucket that is in no part.
    fn next_bucket(&self) -> usize {
        self.parts.last().map_or(0, |part| part.figures.next_bucket)
    }

    /// Opens and reads a part that follows those so far, which has no more than so many successors. `None` where its file was removed.
    fn open_part(
        &self,
        run: &Workspace,
        label: &str,
        successors: u64,
    ) -> Result<Option<FilteredPart<P::Key>>, Stopped> {
        let (states, saved) = match run.need::<P::Key>(label) {
            Err(StoreError::Missing { .. }) => return Ok(None),
            found => found?,
        };
        let damaged = |reason: &str| run.damaged(format!("what it says of {label} {reason}"));
        let mut figures =
            PartFigures::deserialize(&saved.figures).map_err(|e| damaged(&format!("is not read: {e}")))?;
        let buckets = self.next_bucket()..figures.next_bucket;
        let lies_outside = AtomicBool::new(buckets.is_empty());
        let block = |first: P::Key, last: P::Key| {
            let lies_inside = buckets.contains(&first.bucket()) && buckets.contains(&last.bucket());
            lies_outside.fetch_or(!lies_inside, Ordering::Relaxed);
        };
        let found = self.expander.audit_part(self.puzzle, &states, block, self.cancel)?;
        let stated = figures.share.sums();
        let same_sums = (found.digest, found.second) == (stated.digest, stated.second)
            && stated.measure_max.is_none_or(|measure| Some(measure) == found.measure_max);
        if lies_outside.into_inner() || !same_sums || !figures.are_sound(states.len(), successors) {
            return Err(damaged("is not so").into());
        }
        // Who made it may have known the largest measure of the level without measuring these states.
        figures.share.measure_max = found.measure_max;
        Ok(Some(FilteredPart { label: label.into(), states, figures }))
    }

    /// Makes the level from its parts: those that are there, and those of the shards that are left.
    pub(super) fn finish_in_parts(
        mut self,
        run: &Workspace,
        before: &[&Level<P::Key>],
    ) -> Result<Expansion<P::Key>, Stopped> {
        let first = self.shards.shard_starting_at::<P::Key>(self.next_bucket());
        let first = first.unwrap_or_else(|| unreachable!("parts that do not fit were dropped"));
        let mut left = self.take_shards(first, before.len());
        while left.peek().is_some() {
            self.filter_part(run, before, &mut left)?;
        }
        let mut total = ShardFigures::default();
        let mut writer = run.writer(self.destination.label)?;
        for FilteredPart { states, figures, .. } in &self.parts {
            self.cancel.check_requested()?;
            total.add(&figures.share.shard_figures());
            writer.append_level(states)?;
        }
        let level = writer.finish(total.sums.digest)?;
        self.parts.clear();
        let mut share = Share::of(self.generated, self.emitted, level.bytes(), &total);
        self.measure_if_unknown(&mut share, &level)?;
        self.complete_level(level, share, Some(run))
    }

    /// Makes the next part, until a checkpoint is due, no shard is left or the search is to stop. Enters it in the manifest.
    fn filter_part(
        &mut self,
        run: &Workspace,
        before: &[&Level<P::Key>],
        left: &mut ShardsLeft<P::Key>,
    ) -> Result<(), Stopped> {
        let label = Partial::part_label(self.destination.label, self.parts.len());
        let mut writer = Some(run.writer(&label)?);
        let (mut figures, mut end, mut stopped) = (ShardFigures::default(), None, Ok(()));
        while stopped.is_ok() && !(end.is_some() && (run.is_due() || self.streams_next(left))) {
            let Some(group) = self.next_group(left, true) else { break };
            self.tell_merged(group.first());
            let next = group.first() + group.shards.len();
            match self.merge_into(group, before, &mut writer) {
                Ok((merged, _)) => {
                    figures.add(&merged);
                    end = Some(next);
                }
                // What was not merged in full is in no file, or alone in this one.
                Err(cause @ (Stopped::Interrupted | Stopped::Time)) => stopped = Err(cause),
                Err(cause) => return Err(cause),
            }
        }
        if let (Some(writer), Some(end)) = (writer, end) {
            let states = writer.finish(figures.sums.digest)?;
            let (keys, digest) = (states.len(), Digest(figures.sums.digest));
            let share = Share::of(0, 0, states.bytes(), &figures);
            let figures = PartFigures { next_bucket: self.shards.first_bucket::<P::Key>(end), share };
            let written = serde_json::to_value(&figures).unwrap_or_else(|e| unreachable!("JSON has all numbers: {e}"));
            self.parts.push(FilteredPart { label: label.clone(), states, figures });
            if left.peek().is_none() && stopped.is_ok() {
                self.layers.clear();
            }
            let saved = ManifestEntry { keys, digest, figures: written };
            run.enter_partial(self.partial(self.mark(), Vec::new()), vec![(label, saved)])?;
        }
        stopped
    }

    /// Whether the states of the next shard go to the file before it is merged in full. Then it has a part of its own: one that is left
    /// there ends within a shard, and is lost.
    fn streams_next(&self, left: &mut ShardsLeft<P::Key>) -> bool {
        left.peek().is_some_and(|&(merging, _)| self.is_streamed(merging))
    }
}
