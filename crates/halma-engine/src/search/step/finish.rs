//! The end of a level: the contents of each shard are merged, and states of earlier levels are removed.

use std::iter::Peekable;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock};

use serde::{Deserialize, Serialize};

use halma_files::number::Digest;

use super::{Made, Step, Stopped, WorkerState, lock, open_blocks};
use crate::budget;
use crate::budget::plan::Merging;
use crate::key::Key;
use crate::parallel;
use crate::puzzle::Puzzle;
use crate::search::LevelFolder;
use crate::search::duplicates::Scratch;
use crate::search::expander::{Expansion, Tally, manifest_entry_of_share};
use crate::search::merge::merge;
use crate::search::shard_buffer::ShardBuffer;
use crate::search::sums::Sums;
use crate::store::file::LevelFileWriter;
use crate::store::workspace::Workspace;
use crate::store::{BLOCK, Cursor, Level, Segment, StoreError};

/// New states that one thread filters at a time.
const FILTER_CHUNK: usize = 1 << 9;
/// Different successors that one thread holds before it removes the old ones and codes the rest: 2 MiB of keys.
const fn held<K: Key>() -> usize {
    if cfg!(test) { 3 * BLOCK / 8 } else { 64 * BLOCK * size_of::<u64>() / K::BYTES }
}

/// The figures of one process's share of a level, or of a part of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Share {
    generated: u64,
    emitted: u64,
    unique: u64,
    old: u64,
    /// New states that [`Puzzle::admits`] dropped.
    #[serde(default)]
    dropped: u64,
    states: u64,
    bytes: u64,
    digest: Digest,
    second: Digest,
    pub(super) measure_max: Option<i64>,
}

impl Share {
    pub(super) fn of(generated: u64, emitted: u64, bytes: u64, part: &ShardFigures) -> Self {
        let &ShardFigures { states, unique, old, dropped, sums } = part;
        let (digest, second, measure_max) = (Digest(sums.digest), Digest(sums.second), sums.measure_max);
        Self { generated, emitted, unique, old, dropped, states, bytes, digest, second, measure_max }
    }

    /// The figures of its new states.
    pub(super) fn shard_figures(&self) -> ShardFigures {
        let &Self { states, unique, old, dropped, .. } = self;
        ShardFigures { states, unique, old, dropped, sums: self.sums() }
    }

    pub(super) fn sums(&self) -> Sums {
        Sums { digest: self.digest.0, second: self.second.0, measure_max: self.measure_max }
    }

    /// The figures of the whole level, from its shares.
    fn total(shares: &[Self]) -> Tally {
        let sum = |f: fn(&Self) -> u64| shares.iter().map(f).sum::<u64>();
        let Sums { digest, second, measure_max } = shares.iter().map(Self::sums).fold(Sums::default(), Sums::and);
        Tally {
            states: sum(|s| s.states),
            generated: sum(|s| s.generated),
            // In a folder that was tampered with these may not add up; then the record contradicts itself.
            pruned: sum(|s| s.generated).saturating_sub(sum(|s| s.emitted)) + sum(|s| s.dropped),
            duplicates: sum(|s| s.emitted).saturating_sub(sum(|s| s.unique)),
            old: sum(|s| s.old),
            digest,
            second: Digest(second),
            measure_max,
        }
    }
}

/// The figures of the new states of one shard, or of several.
#[derive(Default)]
pub(super) struct ShardFigures {
    pub(super) states: u64,
    pub(super) unique: u64,
    pub(super) old: u64,
    pub(super) dropped: u64,
    pub(super) sums: Sums,
}

/// The figures of new states and, where no file has received them, the coded states.
type Merged<K> = (ShardFigures, Vec<Segment<K>>);
/// The contents of the shards that are not merged yet, each with the memory that it takes and its number.
pub(super) type ShardsLeft<K> = Peekable<std::vec::IntoIter<(Merging, (usize, ShardBuffer<K>))>>;

/// Shards that are merged together.
pub(super) struct Group<K> {
    /// Each with its number.
    pub(super) shards: Vec<(usize, ShardBuffer<K>)>,
    /// Whether the states go to the file as they are found, before the shard is merged in full.
    pub(super) streamed: bool,
}

impl<K> Group<K> {
    /// The number of its first shard.
    pub(super) fn first(&self) -> usize {
        self.shards.first().map_or(0, |&(shard, _)| shard)
    }
}

impl ShardFigures {
    pub(super) fn add(&mut self, other: &Self) {
        self.states += other.states;
        self.unique += other.unique;
        self.old += other.old;
        self.dropped += other.dropped;
        self.sums = self.sums.and(other.sums);
    }
}

/// The new states of one shard, from what the merge finds: old ones are removed, the others filtered, measured and coded, some at a time.
struct NewStates<'a, 's, P: Puzzle> {
    step: &'a Step<'s, P>,
    part: ShardFigures,
    /// The levels before.
    before: Vec<Cursor<'a, P::Key>>,
    /// Found and not removed or filtered yet.
    found: Vec<P::Key>,
    /// Not coded yet: less than a block, between calls.
    admitted: Vec<P::Key>,
    /// Where a state has to be measured.
    scratch: Option<P::Scratch>,
    /// What takes the coded states.
    sink: &'a mut dyn FnMut(Segment<P::Key>) -> Result<(), StoreError>,
}

impl<P: Puzzle> NewStates<'_, '_, P> {
    #[inline]
    fn push(&mut self, key: P::Key) -> Result<(), Stopped> {
        self.found.push(key);
        if self.found.len() == held::<P::Key>() { self.flush() } else { Ok(()) }
    }

    /// Codes whole blocks of what was found, so that blocks do not depend on how many states are held.
    fn flush(&mut self) -> Result<(), Stopped> {
        let (step, part) = (self.step, &mut self.part);
        // A merge of layers may take long. Who stops it loses no successor: the next process has the layers, too. With several
        // processes the others would wait for this one.
        if !step.layers.is_empty() && !step.expander.exchange().is_shared() {
            step.cancel.check_requested()?;
        }
        let unique = self.found.len();
        self.before.iter_mut().try_for_each(|level| level.remove_from(&mut self.found))?;
        let found = self.found.len();
        step.filter_new(&mut self.found)?;
        let new = &self.found[..];
        part.unique += unique as u64;
        part.old += (unique - found) as u64;
        part.dropped += (found - new.len()) as u64;
        part.states += new.len() as u64;
        let sums = match step.leader {
            Some((measure, key)) => Sums::measured(new, new.binary_search(&key).is_ok().then_some(measure)),
            None => Sums::of(step.puzzle, self.scratch.get_or_insert_with(|| step.puzzle.scratch()), new),
        };
        part.sums = part.sums.and(sums);
        self.admitted.append(&mut self.found);
        let whole = self.admitted.len() / BLOCK * BLOCK;
        if whole > 0 {
            (self.sink)(Segment::of(&self.admitted[..whole]))?;
            self.admitted.drain(..whole);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ShardFigures, Stopped> {
        self.flush()?;
        if !self.admitted.is_empty() {
            (self.sink)(Segment::of(&self.admitted))?;
        }
        Ok(self.part)
    }
}

impl<P: Puzzle> Step<'_, P> {
    /// Merges the contents of each shard, removes the states of the levels in `before`, and compresses the rest.
    pub(in crate::search) fn finish(mut self, before: &[&Level<P::Key>]) -> Result<Expansion<P::Key>, Stopped> {
        let Made { generated, emitted } = self.end_expansion();
        if let Some(run) = self.destination.folder.of_run().filter(|_| self.is_filtered_in_parts()) {
            return self.finish_in_parts(run, before);
        }
        // A level that has layers goes to disk as well, and so does one that would fill the memory.
        let states: u64 = self.shard_buffers.iter().map(ShardBuffer::keys).sum();
        let large = !self.layers.is_empty() || 2 * states > self.room.level();
        let workspace = match self.destination.folder {
            LevelFolder::Run(workspace) | LevelFolder::Scratch(workspace) if large => Some(workspace),
            _ => None,
        };
        let mut writer = workspace.map(|w| w.writer(self.destination.label)).transpose()?;
        let (part, segments) = self.merge_shards(before, &mut writer)?;
        let level: Level<P::Key> = match writer {
            Some(writer) => writer.finish(part.sums.digest)?,
            None => segments.into_iter().collect(),
        };
        let mut share = Share::of(generated, emitted, level.bytes(), &part);
        self.measure_if_unknown(&mut share, &level)?;
        self.complete_level(level, share, workspace)
    }

    /// Measures the states where the successor with the largest measure is no new state.
    pub(super) fn measure_if_unknown(&self, share: &mut Share, level: &Level<P::Key>) -> Result<(), StoreError> {
        if self.leader.is_some() && share.measure_max.is_none() {
            share.measure_max = self.expander.largest_measure(self.puzzle, level)?;
        }
        Ok(())
    }

    /// Frees what only expansion needs, and prepares the filter. Returns how many successors were made.
    fn end_expansion(&mut self) -> Made {
        let made = self.made();
        self.leader = self.leader_of_all();
        self.expander.emitted.fetch_add(made.emitted - self.emitted, Ordering::Relaxed);
        self.workers.clear();
        (self.generated, self.emitted) = (made.generated, made.emitted);
        // It has the successors' tables of all threads.
        self.batches = None;
        self.handed_over.clear();
        if self.room.is_full() {
            budget::give_back();
        }
        if self.filters() {
            self.filter_scratch = (0..self.expander.threads()).map(|_| OnceLock::new()).collect();
        }
        made
    }

    /// Merges all shards, as many at a time as memory holds. The coded new states go to `writer`; without one they are returned.
    fn merge_shards(
        &mut self,
        before: &[&Level<P::Key>],
        writer: &mut Option<LevelFileWriter<'_, P::Key>>,
    ) -> Result<Merged<P::Key>, Stopped> {
        let (mut total, mut segments) = (ShardFigures::default(), Vec::new());
        let mut left = self.take_shards(0, before.len());
        while let Some(group) = self.next_group(&mut left, writer.is_some()) {
            self.tell_merged(group.first());
            let (part, coded) = self.merge_into(group, before, writer)?;
            total.add(&part);
            segments.extend(coded);
        }
        Ok((total, segments))
    }

    /// Tells progress that the shards before `shard` are merged and filtered.
    pub(super) fn tell_merged(&self, shard: usize) {
        if let Some(watch) = self.destination.watch {
            watch.merged(shard, self.shards.count());
        }
    }

    /// Takes the contents of the shards from `first` on.
    pub(super) fn take_shards(&mut self, first: usize, before: usize) -> ShardsLeft<P::Key> {
        let buffers = std::mem::take(&mut self.shard_buffers);
        let merging = |(shard, (buffer, in_layers))| (self.merging(&buffer, in_layers, before), (shard, buffer));
        let all: Vec<_> = buffers.into_iter().zip(self.in_layers()).enumerate().skip(first).map(merging).collect();
        all.into_iter().peekable()
    }

    /// The next shards, as many as memory holds together.
    pub(super) fn next_group(&self, left: &mut ShardsLeft<P::Key>, into_file: bool) -> Option<Group<P::Key>> {
        let (mut sum, first) = left.next()?;
        let mut shards = vec![first];
        let most = match into_file {
            // A checkpoint is written only after a group.
            true if self.is_filtered_in_parts() => 4 * self.expander.threads(),
            // A file is written in order, a few shards at a time.
            true => 16 * self.expander.threads(),
            false => usize::MAX,
        };
        while shards.len() < most
            && let Some((more, next)) = left.next_if(|&(more, _)| self.room.holds(sum.with(more), into_file))
        {
            sum = sum.with(more);
            shards.push(next);
        }
        let streamed = into_file && self.is_streamed(sum);
        Some(Group { shards, streamed })
    }

    /// Whether a shard is too large for memory, so that its coded states go to the file at once.
    pub(super) fn is_streamed(&self, merging: Merging) -> bool {
        !self.room.holds(merging, true)
    }

    /// Merges some shards. The coded new states go to `writer`; without one they are returned.
    pub(super) fn merge_into(
        &self,
        Group { mut shards, streamed }: Group<P::Key>,
        before: &[&Level<P::Key>],
        writer: &mut Option<LevelFileWriter<'_, P::Key>>,
    ) -> Result<Merged<P::Key>, Stopped> {
        let parts = match &mut *writer {
            Some(writer) if streamed => {
                let alone = |(shard, buffer)| {
                    let mut sink = |segment| writer.append(&segment);
                    self.merge_shard(shard, buffer, before, &mut Scratch::default(), &mut sink)
                };
                let part = self.expander.install(|| shards.pop().map(alone).transpose())?;
                part.into_iter().map(|part| (part, Vec::new())).collect()
            }
            _ => self.merge_group(&mut shards, before)?,
        };
        let (mut total, mut segments) = (ShardFigures::default(), Vec::new());
        for (part, coded) in parts {
            total.add(&part);
            match writer {
                Some(writer) => coded.iter().try_for_each(|segment| writer.append(segment))?,
                None => segments.extend(coded),
            }
        }
        Ok((total, segments))
    }

    /// Merges some shards, each in one thread; returns the coded new states of each.
    fn merge_group(
        &self,
        group: &mut [(usize, ShardBuffer<P::Key>)],
        before: &[&Level<P::Key>],
    ) -> Result<Vec<Merged<P::Key>>, Stopped> {
        let part = |scratch: &mut Scratch<P::Key>, (shard, buffer): &mut (usize, ShardBuffer<P::Key>)| {
            let mut segments = Vec::new();
            let mut sink = |segment| {
                segments.push(segment);
                Ok(())
            };
            let part = self.merge_shard(*shard, std::mem::take(buffer), before, scratch, &mut sink)?;
            Ok::<_, Stopped>((part, segments))
        };
        self.expander.install(|| parallel::map_mut(group, Scratch::default, part))
    }

    /// Sums up the shares of all processes, and enters this one in the manifest.
    pub(super) fn complete_level(
        mut self,
        level: Level<P::Key>,
        share: Share,
        workspace: Option<&Workspace>,
    ) -> Result<Expansion<P::Key>, Stopped> {
        // The level is complete when every process has completed its share.
        let (label, digest) = (self.destination.label, share.digest.0);
        let shares = self.expander.exchange().all_gather(share)?;
        let (tally, bytes) = (Share::total(&shares), shares.iter().map(|s| s.bytes).sum());
        if let Some(workspace) = workspace {
            drop(std::mem::take(&mut self.layers));
            match self.destination.folder.of_run() {
                Some(run) => run.enter(vec![(label.into(), manifest_entry_of_share(&tally, level.len(), digest))])?,
                None => workspace.unlink(label, &level)?,
            }
        }
        Ok(Expansion { level: level.of_whole(tally.states), tally, digest, bytes })
    }

    /// By shard, how many keys the layers have, and in how many bytes.
    fn in_layers(&self) -> Vec<(u64, u64)> {
        let mut all = vec![(0, 0); self.shards.count()];
        for block in self.layers.iter().flat_map(|(_, layer)| layer.index()) {
            let (keys, bytes) = &mut all[self.shards.of(block.first)];
            *keys += u64::from(block.keys);
            *bytes += u64::from(block.bytes);
        }
        all
    }

    /// The memory that merging a shard takes.
    fn merging(
        &self,
        buffer: &ShardBuffer<P::Key>,
        (in_layers, coded_in_layers): (u64, u64),
        before: usize,
    ) -> Merging {
        let (sorted, keys, key) = (buffer.sorted_set.len() as u64, in_layers + buffer.keys(), P::Key::BYTES as u64);
        let open = open_blocks::<P::Key>(self.layers.len() + buffer.segments.len(), keys);
        let before = (before * BLOCK) as u64 * key;
        Merging {
            threads: 1,
            each: open + before + 2 * sorted * key + 3 * keys.min(held::<P::Key>() as u64) * key,
            coded: coded_in_layers + buffer.segment_bytes() + sorted * key,
        }
    }

    /// Merges one shard; the coded new states go to `sink`.
    fn merge_shard(
        &self,
        shard: usize,
        shard_buffer: ShardBuffer<P::Key>,
        before: &[&Level<P::Key>],
        scratch: &mut Scratch<P::Key>,
        sink: &mut dyn FnMut(Segment<P::Key>) -> Result<(), StoreError>,
    ) -> Result<ShardFigures, Stopped> {
        let segments: Vec<Level<P::Key>> =
            shard_buffer.segments.into_iter().map(|segment| [segment].into_iter().collect()).collect();
        // No block reaches from one shard into the next.
        let of =
            |level: &Level<P::Key>, bound: usize| level.index().partition_point(|b| self.shards.of(b.first) < bound);
        let on_disk = self.layers.iter().map(|(_, l)| (l, of(l, shard)..of(l, shard + 1)));
        let sources =
            segments.iter().map(|l| (l, 0..l.blocks())).chain(on_disk).filter(|(_, b)| !b.is_empty()).collect();
        let mut new = NewStates {
            step: self,
            part: ShardFigures::default(),
            before: before.iter().map(|level| level.cursor()).collect(),
            found: Vec::new(),
            admitted: Vec::new(),
            scratch: None,
            sink,
        };
        merge(&shard_buffer.sorted_set.into_sorted(scratch), sources, |key| {
            #[cfg(any(test, feature = "testing"))]
            if crate::fault::loses(self.expander.fault, crate::key::Key::mix(key), shard) {
                return Ok(());
            }
            new.push(key)
        })?;
        new.finish()
    }

    /// A successor with the largest measure, where this process has made all of the level's.
    fn leader_of_all(&self) -> Option<(i64, P::Key)> {
        if self.emitted > 0 || self.expander.exchange().is_shared() {
            return None;
        }
        let leader = |worker: &WorkerState<P>| match &worker.batch {
            Some(batch) => batch.leader(),
            None => self.puzzle.leader(&worker.scratch),
        };
        self.begun().filter_map(|worker| leader(&worker)).max()
    }

    /// Keeps the new states that the puzzle's filter admits. That may take hours, so a search in one process polls the cancellation token.
    /// One of several does not: the others would wait for it.
    fn filter_new(&self, keys: &mut Vec<P::Key>) -> Result<(), Stopped> {
        if self.filter_scratch.is_empty() || keys.is_empty() {
            return Ok(());
        }
        let shared = self.expander.exchange().is_shared();
        let piece = |(): &mut (), keys: &[P::Key]| {
            let thread = rayon::current_thread_index().unwrap_or(0);
            let scratch = &self.filter_scratch[thread % self.filter_scratch.len()];
            let mut scratch = lock(scratch.get_or_init(|| Mutex::new(self.puzzle.scratch())));
            let mut admitted = Vec::new();
            for &key in keys {
                // A look-ahead may take seconds for one state.
                if !shared {
                    self.cancel.check()?;
                }
                if self.puzzle.admits(&mut scratch, key, self.depth + 1) {
                    admitted.push(key);
                }
            }
            Ok::<_, Stopped>(admitted)
        };
        // Many more pieces than threads, since the cost of a state varies widely.
        *keys = parallel::map_chunks(keys, FILTER_CHUNK, || (), piece)?.concat();
        Ok(())
    }
}
