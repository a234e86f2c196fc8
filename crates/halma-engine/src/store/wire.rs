//! The format of keys, in messages between processes and in level files, and of segments in messages. The coded blocks of
//! a segment are sent as they are, each with its checksum.
//!
//! Little-endian: the shard (4 bytes), the number of blocks (4) and of keys (8); for each block its first key, bytes
//! (4), keys (4) and checksum (8); then the blocks' bytes.

use xxhash_rust::xxh3::xxh3_64;

use super::{BlockEntry, Segment};
use crate::key::Key;

/// Appends all bytes of a key.
pub fn put<K: Key>(key: K, bytes: &mut Vec<u8>) {
    let end = bytes.len() + K::BYTES;
    bytes.extend(key.words().iter().flat_map(|word| word.to_le_bytes()));
    bytes.truncate(end);
}

/// The key in the first bytes, as [`put`] wrote it; missing bytes are 0.
#[must_use]
pub fn get<K: Key>(bytes: &[u8]) -> K {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes[..K::BYTES.min(bytes.len())].chunks(8)) {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(eight);
    }
    K::from_words(words)
}

impl<K: Key> Segment<K> {
    /// Appends the segment, which belongs to the shard `shard`.
    pub fn put(&self, shard: u32, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&shard.to_le_bytes());
        bytes.extend_from_slice(&(self.blocks.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.keys.to_le_bytes());
        for block in &self.blocks {
            put(block.first, bytes);
            bytes.extend_from_slice(&block.bytes.to_le_bytes());
            bytes.extend_from_slice(&block.keys.to_le_bytes());
            bytes.extend_from_slice(&block.checksum.to_le_bytes());
        }
        bytes.extend_from_slice(&self.bytes);
    }

    /// Takes a segment and its shard off the front of `bytes`; `None` if they are not such a segment.
    pub fn take(bytes: &mut &[u8]) -> Option<(u32, Self)> {
        let shard = u32::from_le_bytes(*bytes.split_off(..4)?.first_chunk()?);
        let count = u32::from_le_bytes(*bytes.split_off(..4)?.first_chunk()?) as usize;
        let keys = u64::from_le_bytes(*bytes.split_off(..8)?.first_chunk()?);
        let index = bytes.split_off(..count.checked_mul(K::BYTES + 16)?)?;
        let mut offset = 0;
        let mut blocks = Vec::with_capacity(count);
        for entry in index.chunks_exact(K::BYTES + 16) {
            let (first, rest) = entry.split_at(K::BYTES);
            let number = |at: usize| rest[at..].first_chunk().map(|b| u32::from_le_bytes(*b));
            let block = BlockEntry {
                first: get(first),
                offset,
                segment: 0,
                bytes: number(0)?,
                keys: number(4)?,
                checksum: u64::from_le_bytes(*rest[8..].first_chunk()?),
            };
            offset += u64::from(block.bytes);
            blocks.push(block);
        }
        let coded = bytes.split_off(..offset as usize)?;
        let sound = |block: &BlockEntry<K>| {
            let bytes = &coded[block.offset as usize..][..block.bytes as usize];
            block.is_possible() && xxh3_64(bytes) == block.checksum
        };
        let sound = blocks.iter().all(sound)
            && blocks.windows(2).all(|pair| pair[0].first < pair[1].first)
            && blocks.iter().map(|b| u64::from(b.keys)).sum::<u64>() == keys;
        sound.then(|| (shard, Self { blocks, bytes: coded.to_vec(), keys }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{BLOCK, SegmentWriter};

    #[test]
    fn what_is_sent_arrives_or_is_refused() {
        let mut sent = Vec::new();
        for (shard, keys) in [(3, 0..2 * BLOCK as u128 + 7), (9, 5..6)] {
            let mut writer = SegmentWriter::default();
            keys.for_each(|key| writer.push(key << 70));
            writer.finish().put(shard, &mut sent);
        }
        let mut rest = &sent[..];
        let (shard, segment) = Segment::<u128>::take(&mut rest).unwrap();
        assert_eq!((shard, segment.len(), segment.blocks.len()), (3, 2 * BLOCK as u64 + 7, 3));
        let level: crate::store::Level<u128> = [segment].into_iter().collect();
        assert!(level.to_vec().unwrap().into_iter().eq((0..2 * BLOCK as u128 + 7).map(|k| k << 70)));
        assert_eq!(Segment::<u128>::take(&mut rest).map(|(shard, s)| (shard, s.len())), Some((9, 1)));
        assert!(rest.is_empty());
        // The second segment has one key: a head, the entry of its block, and no bytes.
        let second = sent.len() - 48;
        for at in (8..sent.len()).step_by(97).chain(second..sent.len()) {
            let mut garbled = sent.clone();
            garbled[at] ^= 4;
            let mut rest = &garbled[..];
            let taken: Vec<_> = std::iter::from_fn(|| Segment::<u128>::take(&mut rest)).map(|(_, s)| s.len()).collect();
            let first_key = |at: usize| {
                ((16..16 + 3 * 32).contains(&at) && (at - 16) % 32 < 16) || (second + 16..second + 32).contains(&at)
            };
            let shard = (second..second + 4).contains(&at);
            // Whether they are the receiver's is for the receiver to see.
            assert_eq!(taken.len() == 2, first_key(at) || shard, "{at}");
        }
        assert!(Segment::<u128>::take(&mut &sent[..sent.len() / 2]).is_none());
    }
}
