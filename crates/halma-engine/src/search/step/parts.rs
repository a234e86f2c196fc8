//! The filter of a level, in parts. A filter may take longer than all before it. So what it has admitted is written to a file now and
//! then: a part of the level, the new states of some successive shards. A later process goes on with the shards after the last part.
//!
//! Before that all successors are in layers. The layers stay until the last part is written. Then the parts are copied to the level's file.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use halma_files::number::Digest;

use super::finish::{Part, ShardsLeft, Share};
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

/// What the manifest says of a part.
#[derive(Clone, Serialize, Deserialize)]
struct PartFigures {
    /// Its states, and those of the parts before it, are all of the level whose bucket ([`Key::bucket`]) is less. A bucket has the same
    /// keys in every program; a shard may have others.
    next_bucket: usize,
    #[serde(flatten)]
    share: Share,
}

impl PartFigures {
    /// Whether the figures can be those of a part of `states` states from at most `emitted` successors.
    fn are_sound(&self, states: u64, emitted: u64) -> bool {
        let Part { states: stated, unique, old, dropped, .. } = self.share.part();
        let all = [stated, old, dropped].into_iter().map(u128::from).sum::<u128>();
        stated == states && all == u128::from(unique) && unique <= emitted
    }
}

impl<P: Puzzle> Step<'_, P> {
    /// Opens the parts that the checkpoint of an earlier process has. Returns whether they are there and fit; otherwise there are none.
    pub(super) fn resume_parts(&mut self, run: &Workspace, partial: &Partial) -> Result<bool, Stopped> {
        for label in &partial.parts {
            match self.open_part(run, label, partial.mark.emitted)? {
                Some(part) => self.parts.push(part),
                None => {
                    self.parts.clear();
                    return Ok(false);
                }
            }
        }
        if partial.layers.is_empty() && !self.parts.is_empty() && self.next_bucket() != P::Key::BUCKETS {
            return Err(run.damaged(format!("{} has neither layers nor all of its parts", partial.label)).into());
        }
        Ok(true)
    }

    /// The first bucket that is in no part.
    fn next_bucket(&self) -> usize {
        self.parts.last().map_or(0, |part| part.figures.next_bucket)
    }

    /// Opens and reads a part that follows those so far. `None` where its file was removed, or where it ends within a shard of today.
    fn open_part(&self, run: &Workspace, label: &str, emitted: u64) -> Result<Option<FilteredPart<P::Key>>, Stopped> {
        let (states, saved) = match run.need::<P::Key>(label) {
            Err(StoreError::Missing { .. }) => return Ok(None),
            found => found?,
        };
        let damaged = |reason: &str| run.damaged(format!("what it says of {label} {reason}"));
        let figures = PartFigures::deserialize(&saved.figures).map_err(|e| damaged(&format!("is not read: {e}")))?;
        if self.shards.starting_at::<P::Key>(figures.next_bucket).is_none() {
            return Ok(None);
        }
        let buckets = self.next_bucket()..figures.next_bucket;
        let lies_outside = AtomicBool::new(false);
        let block = |first: P::Key, last: P::Key| {
            let lies_inside = buckets.contains(&first.bucket()) && buckets.contains(&last.bucket());
            lies_outside.fetch_or(!lies_inside, Ordering::Relaxed);
        };
        let found = self.expander.audit_part(self.puzzle, &states, block, self.cancel)?;
        let stated = figures.share.part();
        let same_sums = (found.digest, found.second) == (stated.sums.digest, stated.sums.second)
            && stated.sums.measure_max.is_none_or(|measure| Some(measure) == found.measure_max);
        match !lies_outside.into_inner() && same_sums && figures.are_sound(states.len(), emitted) {
            true => Ok(Some(FilteredPart { label: label.into(), states, figures })),
            false => Err(damaged("is not so").into()),
        }
    }

    /// Makes the level from its parts: those that are there, and those of the shards that are left.
    pub(super) fn finish_in_parts(
        mut self,
        run: &Workspace,
        before: &[&Level<P::Key>],
    ) -> Result<Expansion<P::Key>, Stopped> {
        let next = self.next_bucket();
        let first =
            self.shards.starting_at::<P::Key>(next).unwrap_or_else(|| unreachable!("looked at when it was opened"));
        // A process that has made all successors knows the largest of their measures, and then measures no other state.
        let mut is_measured = self.parts.iter().all(|part| part.is_measured());
        let mut left = self.take_shards(first, before.len());
        while left.peek().is_some() {
            self.filter_part(run, before, &mut left)?;
        }
        let mut total = Part::default();
        let mut writer = run.writer(self.destination.label)?;
        for FilteredPart { states, figures, .. } in &self.parts {
            total.add(&figures.share.part());
            writer.append_level(states)?;
        }
        let level = writer.finish(total.sums.digest)?;
        self.parts.clear();
        let mut share = Share::of(self.generated, self.emitted, level.bytes(), &total);
        is_measured &= self.leader.is_none() || share.measure_max.is_some();
        if !is_measured {
            share.measure_max = self.expander.largest_measure(self.puzzle, &level)?;
        }
        self.complete_level(level, share, Some(run))
    }

    /// Makes the next part, until a checkpoint is due, no shard is left or the search is to stop. Enters it in the manifest.
    fn filter_part(
        &mut self,
        run: &Workspace,
        before: &[&Level<P::Key>],
        left: &mut ShardsLeft<P::Key>,
    ) -> Result<(), Stopped> {
        let label = format!("{}.part-{:04}", self.destination.label, self.parts.len());
        let mut writer = Some(run.writer(&label)?);
        let (mut part, mut next_shard, mut stopped) = (Part::default(), None, Ok(()));
        while stopped.is_ok()
            && let Some(group) = self.next_group(left, true)
        {
            self.tell_merged(group.first());
            let (end, streamed) = (group.first() + group.shards.len(), group.streamed);
            match self.merge_into(group, before, &mut writer) {
                Ok((merged, _)) => {
                    part.add(&merged);
                    next_shard = Some(end);
                    if run.is_due() {
                        break;
                    }
                }
                // The states of a group that is left go to no file, unless they are streamed.
                Err(cause @ (Stopped::Interrupted | Stopped::Time)) if !streamed => stopped = Err(cause),
                Err(cause) => return Err(cause),
            }
        }
        if let (Some(writer), Some(shard)) = (writer, next_shard) {
            let states = writer.finish(part.sums.digest)?;
            let share = Share::of(0, 0, states.bytes(), &part);
            let figures = PartFigures { next_bucket: self.shards.start::<P::Key>(shard), share };
            let value = serde_json::to_value(&figures).unwrap_or_else(|e| unreachable!("JSON has all numbers: {e}"));
            let saved = ManifestEntry { keys: states.len(), digest: Digest(part.sums.digest), figures: value };
            self.parts.push(FilteredPart { label: label.clone(), states, figures });
            if left.peek().is_none() && stopped.is_ok() {
                self.layers.clear();
            }
            run.enter_partial(self.partial(self.mark(), Vec::new()), vec![(label, saved)])?;
        }
        stopped
    }
}

impl<K: Key> FilteredPart<K> {
    /// Whether its figures have the largest measure of its states, if they have one.
    fn is_measured(&self) -> bool {
        self.states.is_empty() || self.figures.share.part().sums.measure_max.is_some()
    }
}
