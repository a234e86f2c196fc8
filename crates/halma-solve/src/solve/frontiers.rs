//! Two searches that are to meet: which one grows next, and the intersection of their frontiers, by a merge join:
//! levels are sorted.

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::search::exchange::Exchange;
use halma_engine::store::{Level, StoreError};

use super::level_sequence::LevelSequence;

/// Which of two searches grows next: the one with the smaller last level (the cardinality criterion; Pohl 1971). None
/// if both together have `length` moves, or if one has an empty level.
pub(super) fn next_to_grow<'a, P, K: Key>(
    length: u32,
    ahead: (P, &'a mut LevelSequence<K>),
    behind: (P, &'a mut LevelSequence<K>),
) -> Option<(P, &'a mut LevelSequence<K>)> {
    let moves = ahead.1.levels.len() + behind.1.levels.len() - 2;
    if moves >= length as usize || ahead.1.is_dead() || behind.1.is_dead() {
        return None;
    }
    Some(if ahead.1.last().whole() <= behind.1.last().whole() { ahead } else { behind })
}

/// The least state that is on both levels, in any process.
pub(super) fn first_of_both<K: Key>(
    one: &Level<K>,
    other: &Level<K>,
    exchange: &dyn Exchange,
) -> Result<Option<K>, Stopped> {
    Ok(exchange.all_reduce_min(first_here(one, other)?)?)
}

/// The least state that is on both levels, in this process.
fn first_here<K: Key>(one: &Level<K>, other: &Level<K>) -> Result<Option<K>, StoreError> {
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

/// Takes pairs (image, key), sorted by image. Returns those whose image is in `level`, as pairs (key, image).
pub(super) fn found_on<K: Key>(images: &[(K, K)], level: &Level<K>) -> Result<Vec<(K, K)>, StoreError> {
    let (mut cursor, mut found) = (level.cursor(), Vec::new());
    for &(image, key) in images {
        if cursor.contains(image)? {
            found.push((key, image));
        }
    }
    Ok(found)
}
