//! Which ranges of keys a step goes by.

use super::shards::Shards;
use crate::key::Key;
use crate::puzzle::Puzzle;
use crate::store::{Level, StoreError};

/// Successors for which a range of keys is worth having; in tests few, so that small levels have several ranges.
const SHARD_KEYS: u64 = if cfg!(test) { 1 << 10 } else { 1 << 17 };
/// Smaller levels are one range.
pub(super) const ONE_RANGE: u64 = 2000;
/// The most ranges of keys.
const MAX_SHARDS: u64 = 2048;

/// Chooses ranges of keys by expanding a few states from all over the level. The same level has the same ranges at any
/// time, so layers of an interrupted step fit.
pub(super) fn plan<P: Puzzle>(puzzle: &P, depth: u32, current: &Level<P::Key>) -> Result<Shards, StoreError> {
    if current.whole() < ONE_RANGE {
        return Ok(Shards::one());
    }
    let (sample, expected) = sample(puzzle, depth, current)?;
    Ok(shards(&sample, expected))
}

/// Ranges for so many successors, by a sample of them.
pub(super) fn shards<K: Key>(sample: &[K], expected: u64) -> Shards {
    Shards::balanced(sample, (expected / SHARD_KEYS).clamp(1, MAX_SHARDS) as usize)
}

/// Successors of a few states from all over the level, and about how many it has in all.
pub(super) fn sample<P: Puzzle>(
    puzzle: &P,
    depth: u32,
    current: &Level<P::Key>,
) -> Result<(Vec<P::Key>, u64), StoreError> {
    let (mut scratch, mut keys, mut sample) = (puzzle.scratch(), Vec::new(), Vec::new());
    let mut parents = 0;
    let blocks = current.blocks();
    let sampled = blocks.min(64);
    for i in 0..sampled {
        current.read_block(i * blocks / sampled, &mut keys)?;
        for &key in keys.iter().step_by(256) {
            parents += 1;
            puzzle.successors(&mut scratch, key, depth, &mut |k| sample.push(k));
        }
    }
    let expected = sample.len() as u64 * current.len() / parents.max(1);
    Ok((sample, expected))
}
