//! The intersection of two frontiers, by a merge join: levels are sorted.

use halma_engine::key::Key;
use halma_engine::store::{Level, StoreError};

/// The least state that is on both levels.
pub(super) fn first_of_both<K: Key>(one: &Level<K>, other: &Level<K>) -> Result<Option<K>, StoreError> {
    let (small, large) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let (mut cursor, mut keys) = (large.cursor(), Vec::new());
    for block in 0..small.blocks() {
        small.read_block(block, &mut keys)?;
        for &key in &keys {
            if cursor.contains(key)? {
                return Ok(Some(key));
            }
        }
    }
    Ok(None)
}

/// Those of the pairs (image, key) whose image is in `level`.
pub(super) fn found_on<K: Key>(mut images: Vec<(K, K)>, level: &Level<K>) -> Result<Vec<(K, K)>, StoreError> {
    images.sort_unstable();
    let (mut cursor, mut found) = (level.cursor(), Vec::new());
    for (image, key) in images {
        if cursor.contains(image)? {
            found.push((key, image));
        }
    }
    Ok(found)
}
