//! Levels as they are stored: sets of exact keys, written once in ascending order and read in that order.
//!
//! The coding is delta coding in blocks of up to [`BLOCK`] keys. The index has a block's first key; every further key
//! is coded as its difference from the one before, less one, as a variable-length integer (`varint`). An index entry
//! also has the block's place, its number of keys and the checksum of its bytes.
//!
//! The blocks of a level lie in memory or in a file ([`mod@file`] has the format), and readers need not know which.
//! Blocks in files are checked whenever they are read.

pub mod disk;
pub mod disk_tables;
pub mod file;
pub mod layout;
mod map;
mod sample;
mod segment;
pub mod storage;
mod store_error;
pub mod tables;
pub(crate) mod varint;
pub mod wire;
pub mod workspace;

use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::Xxh3;

use crate::key::Key;
use disk::Claim;
use file::LevelFile;
use layout::Layout;
pub use segment::{BlockEntry, Segment, SegmentWriter};
pub use store_error::StoreError;

/// The most keys that a block holds.
pub const BLOCK: usize = 4096;

/// Where the coded blocks of a level lie.
#[derive(Debug)]
enum Bytes {
    Memory(Vec<Vec<u8>>),
    File(LevelFile),
}

/// Ascending keys, in coded blocks.
#[derive(Debug)]
struct Coded<K> {
    blocks: Vec<BlockEntry<K>>,
    bytes: Bytes,
}

/// A level: ascending keys, in coded blocks. Copies share them.
#[derive(Clone, Debug)]
pub struct Level<K> {
    /// Made when it is first needed, where there is a layout.
    coded: Arc<OnceLock<Coded<K>>>,
    /// The same states as their puzzle lays them out.
    layout: Option<Arc<dyn Layout<K>>>,
    keys: u64,
    whole: u64,
}

impl<K: Key> Default for Level<K> {
    fn default() -> Self {
        Self::of_coded(Coded { blocks: Vec::new(), bytes: Bytes::Memory(Vec::new()) })
    }
}

impl<K: Key> Level<K> {
    /// The level of these keys, in any order; a key that comes twice is kept once.
    #[must_use]
    pub fn of(mut keys: Vec<K>) -> Self {
        keys.sort_unstable();
        keys.dedup();
        [Segment::of(&keys)].into_iter().collect()
    }

    /// The level in a file, as its index describes it.
    fn in_file(blocks: Vec<BlockEntry<K>>, file: LevelFile) -> Self {
        Self::of_coded(Coded { blocks, bytes: Bytes::File(file) })
    }

    fn of_coded(coded: Coded<K>) -> Self {
        let keys = coded.blocks.iter().map(|b| u64::from(b.keys)).sum();
        Self { coded: Arc::new(coded.into()), layout: None, keys, whole: keys }
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

    /// How many keys the level has over all processes of the search: [`Self::len`] where there is one.
    #[must_use]
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// This level as one process's share of a level of `states` states.
    #[must_use]
    pub fn of_whole(self, states: u64) -> Self {
        Self { whole: states, ..self }
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.index().len()
    }

    /// The index of its blocks.
    #[must_use]
    pub fn index(&self) -> &[BlockEntry<K>] {
        &self.coded().blocks
    }

    /// A hash of the keys and of their division into blocks: the same keys in other blocks have another fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        let mut hash = Xxh3::new();
        for block in self.index() {
            block.first.words().iter().for_each(|word| hash.update(&word.to_le_bytes()));
            hash.update(&block.keys.to_le_bytes());
            hash.update(&block.checksum.to_le_bytes());
        }
        hash.digest128()
    }

    /// The bytes of the level in memory or on disk, its index included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.layout_bytes() + self.coded.get().map_or(0, Coded::bytes)
    }

    /// The bytes of memory: all of them, or those of the index and the layout where the blocks lie in a file.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        let resident = |coded: &Coded<K>| if coded.file().is_some() { coded.index_bytes() } else { coded.bytes() };
        self.layout_bytes() + self.coded.get().map_or(0, resident)
    }

    fn layout_bytes(&self) -> u64 {
        self.layout.as_ref().map_or(0, |layout| layout.bytes())
    }

    /// The file that holds its blocks, if they lie in one.
    fn file(&self) -> Option<&LevelFile> {
        self.coded.get().and_then(Coded::file)
    }

    /// Keeps `claim` until the file is closed. Called after the file was unlinked.
    fn hold(&self, claim: Claim) {
        if let Some(file) = self.file() {
            file.hold(claim);
        }
    }

    /// Calls `with` with the bytes of block `number`. A block in a file is compared with its checksum first.
    fn with_bytes<R>(&self, number: usize, with: impl FnOnce(&[u8]) -> R) -> Result<R, StoreError> {
        let Coded { blocks, bytes } = self.coded();
        let block = &blocks[number];
        match bytes {
            Bytes::Memory(segments) => {
                let segment = &segments[block.segment as usize];
                Ok(with(&segment[block.offset as usize..][..block.bytes as usize]))
            }
            Bytes::File(file) => file.with_block(block, with),
        }
    }

    /// Reads the keys of block `number`, ascending, into `keys` (which is cleared first).
    ///
    /// # Errors
    /// Where the file that holds the block cannot be read, or is damaged.
    pub fn read_block(&self, number: usize, keys: &mut Vec<K>) -> Result<(), StoreError> {
        let block = &self.index()[number];
        keys.clear();
        keys.reserve(block.keys as usize);
        self.with_bytes(number, |mut bytes| {
            let mut key = block.first;
            keys.push(key);
            for _ in 1..block.keys {
                key = key.plus(varint::get(&mut bytes)).plus(varint::one());
                keys.push(key);
            }
        })
    }

    /// All keys, ascending; for small levels and tests.
    ///
    /// # Errors
    /// As [`Self::read_block`].
    pub fn to_vec(&self) -> Result<Vec<K>, StoreError> {
        let (mut all, mut keys) = (Vec::new(), Vec::new());
        for block in 0..self.blocks() {
            self.read_block(block, &mut keys)?;
            all.append(&mut keys);
        }
        Ok(all)
    }

    /// Whether `key`, that of a state, is in the level.
    ///
    /// # Errors
    /// As [`Self::read_block`].
    pub fn contains(&self, key: K) -> Result<bool, StoreError> {
        self.layout_alone().map_or_else(|| self.cursor().contains(key), |layout| Ok(layout.has(key)))
    }

    /// The least of these keys that the level holds, if it holds one.
    ///
    /// # Errors
    /// As [`Self::read_block`].
    pub fn first_of(&self, mut keys: Vec<K>) -> Result<Option<K>, StoreError> {
        keys.sort_unstable();
        if let Some(layout) = self.layout_alone() {
            return Ok(keys.into_iter().find(|&key| layout.has(key)));
        }
        let mut cursor = self.cursor();
        for key in keys {
            if cursor.contains(key)? {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// A reader that answers membership queries for ascending keys.
    #[must_use]
    pub fn cursor(&self) -> Cursor<'_, K> {
        Cursor { level: self, next_block: 0, keys: Vec::new(), at: 0 }
    }
}

impl<K> Coded<K> {
    /// The bytes of the blocks and of their index.
    fn bytes(&self) -> u64 {
        self.blocks.iter().map(|b| u64::from(b.bytes)).sum::<u64>() + self.index_bytes()
    }

    fn index_bytes(&self) -> u64 {
        (self.blocks.len() * size_of::<BlockEntry<K>>()) as u64
    }

    fn file(&self) -> Option<&LevelFile> {
        match &self.bytes {
            Bytes::File(file) => Some(file),
            Bytes::Memory(_) => None,
        }
    }
}

/// Segments in order: each has larger keys than the one before.
impl<K: Key> FromIterator<Segment<K>> for Coded<K> {
    fn from_iter<I: IntoIterator<Item = Segment<K>>>(segments: I) -> Self {
        let (mut blocks, mut bytes) = (Vec::new(), Vec::new());
        for segment in segments.into_iter().filter(|s| s.keys > 0) {
            let number = bytes.len() as u32;
            blocks.extend(segment.blocks.into_iter().map(|b| BlockEntry { segment: number, ..b }));
            bytes.push(segment.bytes);
        }
        Self { blocks, bytes: Bytes::Memory(bytes) }
    }
}

/// Segments in order: each has larger keys than the one before.
impl<K: Key> FromIterator<Segment<K>> for Level<K> {
    fn from_iter<I: IntoIterator<Item = Segment<K>>>(segments: I) -> Self {
        Self::of_coded(segments.into_iter().collect())
    }
}

/// A forward reader of a level; see [`Level::cursor`].
#[derive(Debug)]
pub struct Cursor<'a, K> {
    level: &'a Level<K>,
    next_block: usize,
    keys: Vec<K>,
    at: usize,
}

impl<K: Key> Cursor<'_, K> {
    /// Whether the level holds `key`, which must not be smaller than the key of the previous query.
    ///
    /// # Errors
    /// As [`Level::read_block`].
    #[inline]
    pub fn contains(&mut self, key: K) -> Result<bool, StoreError> {
        if self.keys.last().is_none_or(|&l| l < key) {
            self.seek(key)?;
        }
        while self.keys.get(self.at).is_some_and(|&k| k < key) {
            self.at += 1;
        }
        Ok(self.keys.get(self.at) == Some(&key))
    }

    /// Removes from `keys`, which ascend, those that the level holds. They must be larger than the keys of earlier queries.
    ///
    /// # Errors
    /// As [`Level::read_block`].
    pub fn remove_from(&mut self, keys: &mut Vec<K>) -> Result<(), StoreError> {
        debug_assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        let (mut from, mut kept) = (0, 0);
        while let Some(&key) = keys.get(from) {
            if self.keys.last().is_none_or(|&last| last < key) {
                self.seek(key)?;
            }
            if self.keys.last().is_some_and(|&last| last >= key) {
                debug_assert!(self.at < self.keys.len(), "{key:?} is no larger than a key of an earlier query");
                let at;
                (from, kept, at) = remove(keys, (from, kept), &self.keys[self.at..]);
                self.at += at;
            } else {
                // Up to the next block no key is held.
                let (rest, next) = (&keys[from..], self.level.index().get(self.next_block));
                let free = next.map_or(rest.len(), |next| rest.partition_point(|&key| key < next.first));
                keys.copy_within(from..from + free, kept);
                (from, kept) = (from + free, kept + free);
            }
        }
        keys.truncate(kept);
        Ok(())
    }

    /// Reads the block that would hold `key`.
    fn seek(&mut self, key: K) -> Result<(), StoreError> {
        let rest = &self.level.index()[self.next_block..];
        // The next block is the usual case.
        let ahead = match rest {
            [] => 0,
            [first, ..] if key < first.first => 0,
            [_, second, ..] if key < second.first => 1,
            [_] => 1,
            _ => rest.partition_point(|b| b.first <= key),
        };
        if ahead > 0 {
            self.next_block += ahead;
            self.level.read_block(self.next_block - 1, &mut self.keys)?;
            self.at = self.keys.partition_point(|&k| k < key);
        }
        Ok(())
    }
}

/// Moves the keys from `from` on to `kept` that are not in `held`, until the end of either. Both lists ascend. Returns how far it came in
/// `keys`, what is kept, and how far it came in `held`.
fn remove<K: Key>(keys: &mut [K], (mut from, mut kept): (usize, usize), held: &[K]) -> (usize, usize, usize) {
    let mut at = 0;
    while from < keys.len() && at < held.len() {
        // Without branches: which of the two is less cannot be predicted.
        let (key, other) = (keys[from], held[at]);
        keys[kept] = key;
        kept += usize::from(key < other);
        from += usize::from(key <= other);
        at += usize::from(other <= key);
    }
    (from, kept, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::U256;
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    fn check<K: Key>(keys: Vec<K>, absent: &[K]) {
        let level = Level::of(keys.iter().rev().copied().collect());
        assert_eq!(level.to_vec().unwrap(), keys);
        assert_eq!(level.len(), keys.len() as u64);
        assert!(keys.iter().all(|&k| level.contains(k).unwrap()));
        let mut both: Vec<K> = keys.iter().chain(absent).copied().collect();
        both.sort_unstable();
        let mut cursor = level.cursor();
        for key in both {
            assert_eq!(cursor.contains(key).unwrap(), keys.contains(&key));
        }
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(small in btree_set(0u64..5000, 0..300), wide in btree_set(any::<u128>(), 0..50), absent in 0u64..5000) {
            check(small.iter().copied().collect(), &[absent]);
            check(wide.iter().copied().collect(), &[absent.into()]);
            let widest: std::collections::BTreeSet<_> =
                wide.iter().map(|&v| U256 { high: v >> 7, low: v.wrapping_mul(v) }).collect();
            check(widest.into_iter().collect(), &[]);
        }
    }

    proptest! {
        #[test]
        fn what_a_level_holds_is_removed(
            held in btree_set(0_u64..9000, 0..3000), keys in btree_set(0_u64..9000, 0..3000),
            block in 1_usize..500, part in 1_usize..2000,
        ) {
            let level = in_blocks(&held.iter().copied().collect::<Vec<_>>(), block);
            let mut cursor = level.cursor();
            let mut rest = Vec::new();
            for part in keys.iter().copied().collect::<Vec<_>>().chunks(part) {
                let mut part = part.to_vec();
                cursor.remove_from(&mut part).unwrap();
                rest.append(&mut part);
            }
            prop_assert_eq!(rest, keys.difference(&held).copied().collect::<Vec<_>>());
        }
    }

    /// A level in blocks of so many keys.
    fn in_blocks(keys: &[u64], block: usize) -> Level<u64> {
        let segment = |keys: &[u64]| {
            let mut writer = SegmentWriter::default();
            keys.iter().for_each(|&key| writer.push(key));
            writer.finish()
        };
        keys.chunks(block).map(segment).collect()
    }

    #[test]
    fn the_largest_numbers_are_in_no_level_of_small_ones() {
        for held in [&[][..], &[3, 5, 9], &[u64::MAX - 1]] {
            let mut keys = vec![4, 5, u64::MAX - 1, u64::MAX];
            in_blocks(held, 2).cursor().remove_from(&mut keys).unwrap();
            let expected: Vec<u64> =
                [4, 5, u64::MAX - 1, u64::MAX].into_iter().filter(|key| !held.contains(key)).collect();
            assert_eq!(keys, expected);
        }
    }

    #[test]
    fn a_block_that_does_not_ascend_is_found_in_memory_too() {
        let segment = |keys: std::ops::Range<u64>| {
            let mut writer = SegmentWriter::default();
            keys.for_each(|key| writer.push(key));
            writer.finish()
        };
        let mut keys = Vec::new();
        for (second, is_sound) in [(10..20, true), (9..20, false), (0..5, false)] {
            let level: Level<u64> = [segment(0..10), segment(second)].into_iter().collect();
            let audited = level.audit_block(0, &mut keys).and_then(|()| level.audit_block(1, &mut keys));
            assert_eq!(audited.is_ok(), is_sound, "{audited:?}");
        }
    }

    #[test]
    fn levels_of_several_blocks_are_read_across_them() {
        let keys: Vec<u64> = (0..3 * BLOCK as u64 + 5).map(|i| i * i).collect();
        check(keys, &[2, 3, 1 << 40]);
    }
}
