//! The states of a level that satisfy a predicate.

use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::store::{Level, StoreError};

use super::engine::Engine;

impl Engine<'_> {
    /// The states of `level` that `wanted` is true of, ascending. Each thread has scratch space.
    pub(super) fn filtered<K: Key, S>(
        self,
        level: &Level<K>,
        scratch: impl Fn() -> S + Send + Sync,
        wanted: impl Fn(&mut S, K) -> bool + Sync,
    ) -> Result<Vec<K>, StoreError> {
        self.code(level);
        let block = |scratch: &mut S, number: usize| -> Result<Vec<K>, StoreError> {
            let mut keys = Vec::new();
            level.read_block(number, &mut keys)?;
            keys.retain(|&key| wanted(scratch, key));
            Ok(keys)
        };
        Ok(self.expander.install(|| parallel::map(level.blocks(), scratch, block))?.concat())
    }
}
