//! A few of a level's keys.

use super::{Level, StoreError};
use crate::key::Key;
use crate::parallel;

/// So many keys, from so many places of the level.
const SAMPLE: usize = 1 << 16;
const PLACES: usize = 16;

impl<K: Key> Level<K> {
    /// Keys from all over the level, in no order. Read by all threads of the current pool.
    ///
    /// # Errors
    /// As [`Self::read_block`].
    pub fn sample(&self) -> Result<Vec<K>, StoreError> {
        let all = self.layout.as_ref().map_or_else(|| self.blocks(), |layout| layout.parts());
        let places = all.min(PLACES);
        let read = |keys: &mut Vec<K>, place: usize| {
            let number = place * all / places;
            match &self.layout {
                Some(layout) => {
                    keys.clear();
                    layout.keys(number, keys);
                }
                None => self.read_block(number, keys)?,
            }
            Ok(keys[..keys.len().min(SAMPLE / PLACES)].to_vec())
        };
        Ok(parallel::map(places, Vec::new, read)?.concat())
    }
}
