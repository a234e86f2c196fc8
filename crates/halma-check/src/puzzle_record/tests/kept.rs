//! Level files, written as `halma-engine` describes them, each of one block.

use std::path::Path;

use halma_record::record::{Digest, FileRecord, LevelRecord};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Writes the keys of a level into a file, which the record then names.
pub fn keep(folder: &Path, level: &mut LevelRecord, keys: &[u128]) {
    let (name, identity) = (format!("level-{}", level.depth), Digest(u128::from(level.depth)));
    std::fs::write(folder.join(&name), bytes(keys, identity.0, level.digest.0)).unwrap();
    level.file = Some(FileRecord { name, identity });
}

fn bytes(keys: &[u128], identity: u128, digest: u128) -> Vec<u8> {
    let mut header = b"HALMALVL".to_vec();
    header.extend([1u32, 16].map(u32::to_le_bytes).concat());
    header.extend(identity.to_le_bytes());
    let block: Vec<u8> = keys.windows(2).flat_map(|pair| coded(pair[1] - pair[0] - 1)).collect();
    let mut index = Vec::new();
    if let Some(first) = keys.first() {
        index.extend(first.to_le_bytes());
        index.extend((header.len() as u64).to_le_bytes());
        index.extend([block.len() as u32, keys.len() as u32].map(u32::to_le_bytes).concat());
        index.extend(xxh3_64(&block).to_le_bytes());
    }
    let (index_at, blocks) = (header.len() + block.len(), u64::from(!keys.is_empty()));
    let mut footer = [index_at as u64, blocks, keys.len() as u64].map(u64::to_le_bytes).concat();
    footer.extend(digest.to_le_bytes());
    let checksum = xxh3_128(&[&header[..], &index, &footer].concat());
    footer.extend(checksum.to_le_bytes());
    footer.extend(b"HALMAEND");
    [header, block, index, footer].concat()
}

/// Seven bits a byte, the lowest first.
fn coded(mut difference: u128) -> Vec<u8> {
    let mut bytes = Vec::new();
    while difference >= 0x80 {
        bytes.push(difference as u8 | 0x80);
        difference >>= 7;
    }
    bytes.push(difference as u8);
    bytes
}
