//! A level: a set of exact keys, written once in ascending order and read in order.
//!
//! Keys are stored in blocks of up to [`BLOCK`] keys. A block's first key stands in the level's index; every further
//! key is coded as its difference from the one before, less one, in groups of seven bits ([`varint`]). An index entry
//! also says where the block lies, how many keys it has, and the checksum of its bytes.

pub mod varint;

use std::sync::Arc;

use crate::key::Key;

/// The most keys that a block holds.
pub const BLOCK: usize = 4096;

/// Where one block of a level lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEntry<K> {
    /// Its first key.
    pub first: K,
    /// Which of the level's byte segments holds it.
    pub segment: u32,
    /// Where its bytes start in the segment.
    pub offset: u32,
    /// How many bytes it has.
    pub bytes: u32,
    /// How many keys it has, the first one included.
    pub keys: u32,
}

/// Codes ascending keys into blocks.
#[derive(Debug)]
pub struct SegmentWriter<K> {
    blocks: Vec<BlockEntry<K>>,
    bytes: Vec<u8>,
    last: Option<K>,
    keys: u64,
}

/// Ascending keys, coded.
#[derive(Debug)]
pub struct Segment<K> {
    blocks: Vec<BlockEntry<K>>,
    bytes: Vec<u8>,
    keys: u64,
}

impl<K: Key> Default for SegmentWriter<K> {
    fn default() -> Self {
        Self { blocks: Vec::new(), bytes: Vec::new(), last: None, keys: 0 }
    }
}

impl<K: Key> SegmentWriter<K> {
    /// Appends a key, which must be larger than the one before.
    #[inline]
    pub fn push(&mut self, key: K) {
        debug_assert!(self.last.is_none_or(|l| l < key), "{key:?} after {:?}", self.last);
        match (self.last, self.blocks.last_mut()) {
            (Some(last), Some(block)) if (block.keys as usize) < BLOCK => {
                varint::put(key.minus(last).minus(varint::one()), &mut self.bytes);
                block.keys += 1;
                block.bytes = self.bytes.len() as u32 - block.offset;
            }
            _ => self.blocks.push(BlockEntry {
                first: key,
                segment: 0,
                offset: self.bytes.len() as u32,
                bytes: 0,
                keys: 1,
            }),
        }
        self.last = Some(key);
        self.keys += 1;
    }

    /// The coded keys.
    #[must_use]
    pub fn finish(mut self) -> Segment<K> {
        self.bytes.shrink_to_fit();
        self.blocks.shrink_to_fit();
        Segment { blocks: self.blocks, bytes: self.bytes, keys: self.keys }
    }
}

/// A level set: ascending keys, in coded blocks.
#[derive(Clone, Debug)]
pub struct Level<K> {
    blocks: Vec<BlockEntry<K>>,
    segments: Vec<Arc<Vec<u8>>>,
    keys: u64,
}

impl<K: Key> Default for Level<K> {
    fn default() -> Self {
        Self { blocks: Vec::new(), segments: Vec::new(), keys: 0 }
    }
}

impl<K: Key> Level<K> {
    /// The level of these keys, in any order; a key that comes twice is kept once.
    #[must_use]
    pub fn of(mut keys: Vec<K>) -> Self {
        keys.sort_unstable();
        keys.dedup();
        let mut writer = SegmentWriter::default();
        keys.into_iter().for_each(|k| writer.push(k));
        let mut level = Self::default();
        level.append(writer.finish());
        level
    }

    /// Appends a segment, all of whose keys must be larger than those there are.
    pub fn append(&mut self, segment: Segment<K>) {
        if segment.keys == 0 {
            return;
        }
        let number = self.segments.len() as u32;
        self.blocks.extend(segment.blocks.into_iter().map(|b| BlockEntry { segment: number, ..b }));
        self.segments.push(Arc::new(segment.bytes));
        self.keys += segment.keys;
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.keys
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys == 0
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Bytes that the level takes up, its index included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let index = self.blocks.len() * size_of::<BlockEntry<K>>();
        self.segments.iter().map(|s| s.len() as u64).sum::<u64>() + index as u64
    }

    /// The keys of block `number`, ascending, into `keys` (which is cleared first).
    pub fn read_block(&self, number: usize, keys: &mut Vec<K>) {
        let block = &self.blocks[number];
        let bytes = &self.segments[block.segment as usize][block.offset as usize..][..block.bytes as usize];
        keys.clear();
        keys.reserve(block.keys as usize);
        let mut key = block.first;
        keys.push(key);
        let mut rest = bytes;
        for _ in 1..block.keys {
            key = key.plus(varint::get(&mut rest)).plus(varint::one());
            keys.push(key);
        }
    }

    /// All keys, ascending.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        (0..self.blocks()).flat_map(|b| {
            let mut keys = Vec::new();
            self.read_block(b, &mut keys);
            keys
        })
    }

    /// Whether `key` is in the level.
    #[must_use]
    pub fn contains(&self, key: K) -> bool {
        self.cursor().contains(key)
    }

    /// A reader that answers for ascending keys whether they are in the level.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'_, K> {
        Cursor { level: self, next_block: 0, keys: Vec::new(), at: 0 }
    }
}

/// Walks a level forward; see [`Level::cursor`].
#[derive(Debug)]
pub struct Cursor<'a, K> {
    level: &'a Level<K>,
    next_block: usize,
    keys: Vec<K>,
    at: usize,
}

impl<K: Key> Cursor<'_, K> {
    /// Whether the level holds `key`, which must not be smaller than the one asked for before.
    #[inline]
    pub fn contains(&mut self, key: K) -> bool {
        if self.keys.last().is_none_or(|&l| l < key) {
            self.seek(key);
        }
        while self.keys.get(self.at).is_some_and(|&k| k < key) {
            self.at += 1;
        }
        self.keys.get(self.at) == Some(&key)
    }

    /// Reads the block that would hold `key`.
    fn seek(&mut self, key: K) {
        let rest = &self.level.blocks[self.next_block..];
        let ahead = rest.partition_point(|b| b.first <= key);
        if ahead > 0 {
            self.next_block += ahead;
            self.level.read_block(self.next_block - 1, &mut self.keys);
            self.at = self.keys.partition_point(|&k| k < key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::U256;
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    fn check<K: Key>(keys: Vec<K>, absent: &[K]) {
        let level = Level::of(keys.iter().rev().copied().collect());
        assert_eq!(level.iter().collect::<Vec<_>>(), keys);
        assert_eq!(level.len(), keys.len() as u64);
        assert!(keys.iter().all(|&k| level.contains(k)));
        let mut both: Vec<K> = keys.iter().chain(absent).copied().collect();
        both.sort_unstable();
        let mut cursor = level.cursor();
        for key in both {
            assert_eq!(cursor.contains(key), keys.contains(&key));
        }
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(small in btree_set(0u64..5000, 0..300), wide in btree_set(any::<u128>(), 0..50), absent in 0u64..5000) {
            check(small.iter().copied().collect(), &[absent]);
            check(wide.iter().copied().collect(), &[absent.into()]);
            check(wide.iter().map(|&v| U256 { high: v >> 7, low: v.wrapping_mul(v) }).collect(), &[]);
        }
    }

    #[test]
    fn levels_of_several_blocks_are_read_across_them() {
        let keys: Vec<u64> = (0..3 * BLOCK as u64 + 5).map(|i| i * i).collect();
        check(keys, &[2, 3, 1 << 40]);
    }
}
