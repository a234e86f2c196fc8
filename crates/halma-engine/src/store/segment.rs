//! Segments: ascending keys in coded blocks, in memory. They are the sorted runs of external merge sort. Segments of
//! successive shards make a level; segments of one shard are merged.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{BLOCK, varint};
use crate::key::Key;

/// The index entry of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEntry<K> {
    /// Its first key.
    pub first: K,
    /// Where its bytes start in its segment or file.
    pub offset: u64,
    /// Which of the level's segments holds it; 0 in a file.
    pub segment: u32,
    /// How many bytes it has.
    pub bytes: u32,
    /// How many keys it has, the first one included.
    pub keys: u32,
    /// The checksum of its bytes.
    pub checksum: u64,
}

impl<K: Key> BlockEntry<K> {
    /// Whether the block has keys, and no more than a block may have or its bytes can code. Readers allocate by this
    /// number.
    pub(super) fn is_possible(&self) -> bool {
        let further = (self.keys as usize).wrapping_sub(1);
        let bytes = further..=further.saturating_mul(varint::longest::<K>());
        further < BLOCK && bytes.contains(&(self.bytes as usize))
    }

    /// Decodes the block's bytes into `keys`. Returns whether the keys ascend, stay below `next`, and use all the
    /// bytes. Other codings of the same keys pass. A checksum does not show that, because whoever forges a block can
    /// forge its checksum, too.
    pub(super) fn audit(&self, mut bytes: &[u8], next: Option<K>, keys: &mut Vec<K>) -> bool {
        keys.clear();
        let mut key = self.first;
        keys.push(key);
        for _ in 1..self.keys {
            let before = key;
            key = key.plus(varint::get(&mut bytes)).plus(varint::one());
            keys.push(key);
            if key <= before {
                return false;
            }
        }
        bytes.is_empty() && next.is_none_or(|next| key < next) && key < K::MAX
    }
}

/// Codes ascending keys into blocks.
#[derive(Debug)]
pub struct SegmentWriter<K> {
    blocks: Vec<BlockEntry<K>>,
    bytes: Vec<u8>,
    last: K,
    keys: u64,
}

/// Ascending keys, coded.
#[derive(Debug)]
pub struct Segment<K> {
    pub(super) blocks: Vec<BlockEntry<K>>,
    pub(super) bytes: Vec<u8>,
    pub(super) keys: u64,
}

impl<K: Key> Segment<K> {
    /// The segment of these keys, which ascend.
    #[must_use]
    pub fn of(sorted: &[K]) -> Self {
        let mut writer = SegmentWriter::default();
        sorted.iter().for_each(|&key| writer.push(key));
        writer.finish()
    }

    /// Whether the keys of its blocks ascend and are all as `wanted` says.
    pub fn holds_only(&self, wanted: impl Fn(K) -> bool) -> bool {
        let mut keys = Vec::new();
        (0..self.blocks.len()).all(|number| {
            let (block, next) = (&self.blocks[number], self.blocks.get(number + 1).map(|next| next.first));
            let bytes = &self.bytes[block.offset as usize..][..block.bytes as usize];
            block.audit(bytes, next, &mut keys) && keys.iter().all(|&key| wanted(key))
        })
    }
}

impl<K> Segment<K> {
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

    /// A digest of its blocks' checksums.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        let sums: Vec<u8> = self.blocks.iter().flat_map(|b| b.checksum.to_le_bytes()).collect();
        xxh3_128(&sums)
    }

    /// Bytes that it takes up, its index included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.bytes.len() + self.blocks.len() * size_of::<BlockEntry<K>>()) as u64
    }
}

impl<K: Key> Default for SegmentWriter<K> {
    fn default() -> Self {
        Self { blocks: Vec::new(), bytes: Vec::new(), last: K::default(), keys: 0 }
    }
}

impl<K: Key> SegmentWriter<K> {
    /// Appends a key, which must be larger than the one before.
    #[inline]
    pub fn push(&mut self, key: K) {
        debug_assert!(self.keys == 0 || self.last < key, "{key:?} after {:?}", self.last);
        match self.blocks.last_mut() {
            Some(block) if (block.keys as usize) < BLOCK => {
                varint::put(key.minus(self.last).minus(varint::one()), &mut self.bytes);
                block.keys += 1;
            }
            _ => {
                self.close_block();
                let offset = self.bytes.len() as u64;
                self.blocks.push(BlockEntry { first: key, segment: 0, offset, bytes: 0, keys: 1, checksum: 0 });
            }
        }
        self.last = key;
        self.keys += 1;
    }

    fn close_block(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            let bytes = &self.bytes[block.offset as usize..];
            block.bytes = bytes.len() as u32;
            block.checksum = xxh3_64(bytes);
        }
    }

    /// The coded keys.
    #[must_use]
    pub fn finish(mut self) -> Segment<K> {
        self.close_block();
        self.bytes.shrink_to_fit();
        self.blocks.shrink_to_fit();
        Segment { blocks: self.blocks, bytes: self.bytes, keys: self.keys }
    }
}
