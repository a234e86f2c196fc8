//! One level of a distributed breadth-first search. A hash of its key decides the process that owns a state, as in
//! hash-distributed A* (Kishimoto, Fukunaga and Botea 2009). Unlike there, processes exchange in rounds, so that
//! the result does not depend on timing.
//!
//! Each process expands its share of the level and eliminates duplicates among its own successors, until they fill a
//! part of its memory or the share is expanded. Then all processes take part in a round: group by group of shards, each
//! process sends successors to their owners as sorted segments, and the owners merge them. An owner spills what
//! outgrows its memory to its own disk. Since rounds do not overlap, no process holds more than a bounded part of
//! another's successors.

use serde::{Deserialize, Serialize};

use super::choose_shards::ONE_SHARD;
use super::duplicates::Scratch;
use super::exchange::{Lost, Message, owner};
use super::shard_buffer::{ShardBuffer, merge_each};
use super::shards::Shards;
use super::step::{Step, Until};
use super::{CancellationToken, Expander, Expansion, LevelDestination, LevelFolder, LevelSource, Stopped};
use crate::key::Key;
use crate::parallel;
use crate::puzzle::Puzzle;
use crate::store::workspace::{Mark, Workspace};
use crate::store::{Segment, SegmentWriter, StoreError};

/// Shards whose successors are sent at a time.
const GROUP: usize = 64;
/// The most segments of one shard that are kept before they are merged.
const SEGMENTS: usize = 16;

/// What each process tells the others before a round.
#[derive(Serialize, Deserialize)]
struct RoundStatus {
    /// All its states are expanded.
    done: bool,
    /// Why it was asked to stop, if it was.
    stopped: Option<StopCause>,
    /// It is time for a checkpoint.
    due: bool,
}

/// What ends the search in all processes after a round.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum StopCause {
    Signal,
    Time,
}

impl StopCause {
    /// What a process of the search is asked for.
    fn of(cancel: &CancellationToken) -> Option<Self> {
        match cancel.check() {
            Ok(()) => None,
            Err(Stopped::Time) => Some(Self::Time),
            Err(_) => Some(Self::Signal),
        }
    }

    fn stopped(self) -> Stopped {
        match self {
            Self::Signal => Stopped::Interrupted,
            Self::Time => Stopped::Time,
        }
    }
}

/// [`Expander::expand`] for several processes.
pub(super) fn expand<'a, P: Puzzle>(
    expander: &'a Expander,
    source: LevelSource<'a, P>,
    destination: LevelDestination<'a>,
    cancel: &'a CancellationToken,
) -> Result<Expansion<P::Key>, Stopped> {
    let (shards, shipped) = agree_on_shards(expander, source)?;
    let mut step = Step::begin(expander, source, shards, destination, cancel);
    let mut owned: Vec<ShardBuffer<P::Key>> = step.shard_buffers.iter().map(|_| ShardBuffer::default()).collect();
    let mut marks = resume(&mut step)?;
    step.expand_in_batches()?;
    let exchange = expander.exchange();
    loop {
        step.fill(shipped)?;
        let statuses = exchange.all_gather(RoundStatus {
            done: step.has_no_blocks_left(),
            stopped: StopCause::of(cancel),
            due: destination.folder.of_run().is_some_and(Workspace::is_due),
        })?;
        step.ship(&mut owned)?;
        let stopped = statuses.iter().find_map(|status| status.stopped);
        let received: u64 = owned.iter().map(ShardBuffer::segment_bytes).sum();
        let full = received > step.room.segments();
        match destination.folder {
            LevelFolder::Run(workspace) => {
                // All save after the same round, so that the checkpoints together hold everything made up to it.
                let mark = stopped.is_some() || statuses.iter().any(|status| status.due);
                if mark || full {
                    marks.extend(mark.then(|| step.mark()));
                    step.save(workspace, &mut owned, &marks)?;
                }
            }
            LevelFolder::Scratch(scratch) if full => {
                std::mem::swap(&mut step.shard_buffers, &mut owned);
                let spilled = step.spill(scratch);
                std::mem::swap(&mut step.shard_buffers, &mut owned);
                spilled?;
            }
            _ => {}
        }
        if let Some(cause) = stopped {
            return Err(cause.stopped());
        }
        if statuses.iter().all(|status| status.done) {
            break;
        }
    }
    step.shard_buffers = owned;
    step.finish(&source.before())
}

/// Shards, the same in all processes, and how many bytes each process makes before it sends them: as much as the
/// process with the least memory can take.
fn agree_on_shards<P: Puzzle>(
    expander: &Expander,
    LevelSource { puzzle, depth, current, .. }: LevelSource<'_, P>,
) -> Result<(Shards, u64), Stopped> {
    let shipped = expander.memory_plan().measure_room().shipped();
    if current.whole() < ONE_SHARD {
        return Ok((Shards::one(), shipped));
    }
    let (exchange, mut bounds) = (expander.exchange(), Vec::new());
    if exchange.process() == 0 {
        // Process 0 samples for all: its share is as good a sample as any.
        bounds = expander.choose_shards(puzzle, depth, current)?.bounds();
    }
    let mut all = exchange.all_gather((bounds, shipped))?;
    let least = all.iter().map(|&(_, shipped)| shipped).min().unwrap_or(shipped);
    let bounds = all.swap_remove(0).0;
    let ascend = bounds.windows(2).all(|pair| pair[0] < pair[1]);
    if !ascend || bounds.last().is_some_and(|&last| last as usize >= P::Key::BUCKETS) {
        return Err(Lost { process: 0, reason: "its ranges of keys make no sense".into() }.into());
    }
    Ok((Shards::with_bounds::<P::Key>(&bounds), least))
}

/// Resumes from the checkpoint, as far as all processes have one; returns the marks that still hold. Where the checkpoint of
/// one process does not fit its share of the level, or the ranges of states that are agreed on now, all begin the step anew.
fn resume<P: Puzzle>(step: &mut Step<P>) -> Result<Vec<Mark>, Stopped> {
    let found = step.destination.folder.of_run().and_then(|w| Some((w, w.partial(step.destination.label)?)));
    let own = match &found {
        Some((workspace, partial)) => {
            let fits = step.fits(partial) && step.resume_layers(workspace, &partial.layers)?;
            fits.then_some(partial.marks.len())
        }
        None => Some(0),
    };
    let all = step.expander.exchange().all_gather(own)?.into_iter().min().flatten();
    let Some((workspace, mut partial)) = found else { return Ok(Vec::new()) };
    let Some(all) = all else {
        step.layers.clear();
        workspace.drop_partial()?;
        return Ok(Vec::new());
    };
    let held = partial.marks.len();
    partial.marks.truncate(all);
    let last = partial.marks.last().copied();
    if let Some(mark) = last {
        step.resume_at(mark);
    }
    if held > all {
        // Marks are matched by their number. One that no longer holds must be gone before another process makes a new
        // one of the same number, which it cannot do without this process.
        workspace.enter_partial(step.partial(last.unwrap_or_default(), partial.marks.clone()), Vec::new())?;
    }
    Ok(partial.marks)
}

impl<P: Puzzle> Step<'_, P> {
    /// Expands this process's share until the segments of its successors fill `shipped` bytes, or all is expanded, or
    /// it is time for a checkpoint, or the search is to stop.
    fn fill(&mut self, shipped: u64) -> Result<(), StoreError> {
        while !self.is_through() {
            self.advance()?;
            let made: u64 = self.shard_buffers.iter().map(ShardBuffer::segment_bytes).sum();
            let due = self.destination.folder.of_run().is_some_and(Workspace::is_due);
            let ends = self.cancel.check().is_err() || self.expander.exchange().check().is_err();
            if made > shipped || due || ends {
                break;
            }
        }
        self.complete()
    }

    /// Sends successors to their owners, and receives those that this process owns.
    fn ship(&mut self, owned: &mut [ShardBuffer<P::Key>]) -> Result<(), Stopped> {
        let exchange = self.expander.exchange();
        let (processes, process) = (exchange.processes(), exchange.process());
        for (number, group) in self.shard_buffers.chunks_mut(GROUP).enumerate() {
            let parted = self.expander.install(|| {
                parallel::map_mut(group, Scratch::default, |scratch, buffer| split_by_owner(buffer, scratch, processes))
            })?;
            let mut messages = vec![Vec::new(); processes];
            for (shard, segments) in (number * GROUP..).zip(parted) {
                for (peer, segment) in segments.into_iter().enumerate().filter(|(_, segment)| !segment.is_empty()) {
                    match peer == process {
                        true => owned[shard].segments.push(segment),
                        false => segment.put(shard as u32, &mut messages[peer]),
                    }
                }
            }
            let messages = messages.into_iter().enumerate().map(|(peer, bytes)| Message { peer, bytes });
            let mut received: Vec<(usize, u32, Segment<P::Key>)> = Vec::new();
            for Message { peer, bytes } in exchange.all_to_all(messages.filter(|p| !p.bytes.is_empty()).collect())? {
                let mut rest = &bytes[..];
                while !rest.is_empty() {
                    let (shard, segment) = Segment::take(&mut rest).ok_or_else(|| Lost::of_states(peer))?;
                    received.push((peer, shard, segment));
                }
            }
            let sound = |(): &mut (), number: usize| {
                let (peer, shard, segment) = &received[number];
                let fits = |key| self.shards.of(key) == *shard as usize && exchange.owns(key);
                // An empty segment would hide a wrong shard number.
                let sound = !segment.is_empty() && segment.holds_only(fits);
                if sound { Ok(()) } else { Err(Lost::of_states(*peer)) }
            };
            self.expander.install(|| parallel::map(received.len(), || (), sound))?;
            received.into_iter().for_each(|(_, shard, segment)| owned[shard as usize].segments.push(segment));
            let received = owned.iter_mut().skip(number * GROUP).take(GROUP);
            let many = received.filter(|shard_buffer| shard_buffer.segments.len() > SEGMENTS);
            self.expander.install(|| merge_each(&mut many.collect::<Vec<_>>()))?;
        }
        Ok(())
    }

    /// Writes a checkpoint: what this process owns, and the marks from which the run can resume.
    fn save(
        &mut self,
        workspace: &Workspace,
        owned: &mut Vec<ShardBuffer<P::Key>>,
        marks: &[Mark],
    ) -> Result<(), StoreError> {
        std::mem::swap(&mut self.shard_buffers, owned);
        let layer = self.layer(workspace, Until::Written);
        std::mem::swap(&mut self.shard_buffers, owned);
        let last = marks.last().copied().unwrap_or_default();
        workspace.enter_partial(self.partial(last, marks.to_vec()), vec![layer?])
    }
}

/// Splits the contents of a shard by owner; the shard is empty afterwards.
fn split_by_owner<K: Key>(
    shard_buffer: &mut ShardBuffer<K>,
    scratch: &mut Scratch<K>,
    processes: usize,
) -> Result<Vec<Segment<K>>, StoreError> {
    let mut writers: Vec<SegmentWriter<K>> = (0..processes).map(|_| SegmentWriter::default()).collect();
    shard_buffer.drain(scratch, |key| writers[owner(key, processes)].push(key))?;
    Ok(writers.into_iter().map(SegmentWriter::finish).collect())
}
