//! Chooses the shards of a level, the ranges of keys, by a sample of its successors.

use super::expander::Expander;
use super::shards::Shards;
use crate::parallel;
use crate::puzzle::Puzzle;
use crate::store::{Level, StoreError};

/// Successors per shard: few enough for a shard to be deduplicated in a core's cache.
const SHARD_KEYS: u64 = 1 << 16;
/// A level with few successors has up to [`SEVERAL`] shards, of at least [`FEW_KEYS`] successors each, so that all
/// threads have work.
const SEVERAL: u64 = 8;
const FEW_KEYS: u64 = 1 << 11;
/// A level with fewer states has one shard.
pub(super) const ONE_SHARD: u64 = 200;
/// One state in [`SPARSE`] is expanded to choose the shards. In a small level it is more, so that about [`SAMPLED`]
/// states are.
const SPARSE: usize = 256;
const SAMPLED: usize = 16;
/// The most shards.
const MAX_SHARDS: u64 = 2048;

impl Expander {
    /// Chooses shards by expanding a few states from all over the level. It is deterministic, so the layers of an
    /// interrupted step fit the shards of the step that resumes it.
    pub(crate) fn choose_shards<P: Puzzle>(
        &self,
        puzzle: &P,
        depth: u32,
        current: &Level<P::Key>,
    ) -> Result<Shards, StoreError> {
        if current.whole() < ONE_SHARD {
            return Ok(Shards::one());
        }
        let (sample, expected) = self.install(|| sample(puzzle, depth, current))?;
        let few = (expected / FEW_KEYS).min(SEVERAL);
        Ok(Shards::balanced(&sample, (expected / self.shard_keys()).max(few).clamp(1, MAX_SHARDS) as usize))
    }

    /// [`SHARD_KEYS`]; few in tests, so that small levels have several shards.
    fn shard_keys(&self) -> u64 {
        #[cfg(any(test, feature = "testing"))]
        if self.small_parts {
            return 1 << 10;
        }
        SHARD_KEYS
    }
}

/// A sample of the level's successors, from states all over it, and an estimate of their number. Must be called inside
/// the thread pool.
fn sample<P: Puzzle>(puzzle: &P, depth: u32, current: &Level<P::Key>) -> Result<(Vec<P::Key>, u64), StoreError> {
    let blocks = current.blocks();
    let sampled = blocks.min(64);
    let step = (current.len() as usize / SAMPLED).clamp(1, SPARSE);
    let expand = |(scratch, keys): &mut (P::Scratch, Vec<P::Key>), i: usize| {
        let mut sample = Vec::new();
        current.read_block(i * blocks / sampled, keys)?;
        let parents = keys.iter().step_by(step);
        parents.clone().for_each(|&key| _ = puzzle.successors(scratch, key, depth, &mut |k| sample.push(k)));
        Ok::<_, StoreError>((parents.len() as u64, sample))
    };
    let worker = || (puzzle.scratch(), Vec::new());
    let parts = parallel::map(sampled, worker, expand)?;
    let parents: u64 = parts.iter().map(|(parents, _)| parents).sum();
    let sample = parts.into_iter().map(|(_, sample)| sample).collect::<Vec<_>>().concat();
    let expected = sample.len() as u64 * current.len() / parents.max(1);
    Ok((sample, expected))
}
