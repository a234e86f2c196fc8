//! A shard buffer: the successors that one shard has received while a level is made. A full one is compressed into a
//! sorted segment.

use std::convert::Infallible;

use super::duplicates::{Scratch, SortedSet};
use super::merge::merge;
use crate::key::Key;
use crate::parallel;
use crate::store::{Level, Segment, SegmentWriter, StoreError};

/// The successors received by one shard so far.
pub(super) struct ShardBuffer<K> {
    pub(super) sorted_set: SortedSet<K>,
    /// Former contents of `sorted_set`, compressed when they took too much memory.
    pub(super) segments: Vec<Segment<K>>,
}

impl<K> Default for ShardBuffer<K> {
    fn default() -> Self {
        Self { sorted_set: SortedSet::default(), segments: Vec::new() }
    }
}

impl<K: Key> ShardBuffer<K> {
    /// Adds keys; when there are more than `limit`, they become a segment.
    pub(super) fn receive(&mut self, parts: &[Vec<K>], limit: usize, scratch: &mut Scratch<K>) {
        self.sorted_set.receive(parts, scratch);
        if self.sorted_set.len() > limit {
            self.code(scratch);
        }
    }

    /// Compresses the sorted set into a segment, and frees its memory.
    pub(super) fn code(&mut self, scratch: &mut Scratch<K>) {
        if !self.sorted_set.is_empty() {
            self.segments.push(Segment::of(&std::mem::take(&mut self.sorted_set).into_sorted(scratch)));
        }
    }

    /// Calls `each` with all keys, ascending, each once; the buffer is empty afterwards.
    pub(super) fn drain(&mut self, scratch: &mut Scratch<K>, mut each: impl FnMut(K)) -> Result<(), StoreError> {
        let sorted = std::mem::take(&mut self.sorted_set).into_sorted(scratch);
        let segments: Vec<Level<K>> = self.segments.drain(..).map(|segment| [segment].into_iter().collect()).collect();
        merge(&sorted, segments.iter().map(|l| (l, 0..l.blocks())).collect(), |key| {
            each(key);
            Ok(())
        })
    }

    /// Merges the sorted set and the segments into one segment.
    pub(super) fn merge(&mut self, scratch: &mut Scratch<K>) -> Result<(), StoreError> {
        let mut writer = SegmentWriter::default();
        self.drain(scratch, |key| writer.push(key))?;
        self.segments.push(writer.finish());
        Ok(())
    }

    /// How many keys it has; what the sorted set and segments have in common counts in each.
    pub(super) fn keys(&self) -> u64 {
        self.sorted_set.len() as u64 + self.segments.iter().map(Segment::len).sum::<u64>()
    }

    /// Bytes that its segments take; those of the sorted set are not counted.
    pub(super) fn segment_bytes(&self) -> u64 {
        self.segments.iter().map(Segment::bytes).sum()
    }
}

/// [`ShardBuffer::code`] for each of these buffers, in parallel.
pub(super) fn code_each<K: Key>(buffers: &mut [ShardBuffer<K>]) {
    let Ok(_) = parallel::map_mut(buffers, Scratch::default, |scratch, buffer| {
        buffer.code(scratch);
        Ok::<_, Infallible>(())
    });
}

/// [`ShardBuffer::merge`] for each of these buffers, in parallel.
pub(super) fn merge_each<K: Key>(buffers: &mut [&mut ShardBuffer<K>]) -> Result<(), StoreError> {
    parallel::map_mut(buffers, Scratch::default, |scratch, buffer| buffer.merge(scratch)).map(drop)
}
