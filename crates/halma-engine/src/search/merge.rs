//! The merge phase of an external merge sort, for the successors of one shard.

use std::ops::Range;

use crate::key::Key;
use crate::store::{Level, StoreError};

/// One ascending source of keys.
struct Source<'a, K> {
    level: &'a Level<K>,
    blocks: Range<usize>,
    keys: Vec<K>,
    at: usize,
}

impl<K: Key> Source<'_, K> {
    /// The next key, if there is one; `K::MAX` at the end.
    #[inline]
    fn head(&mut self) -> Result<K, StoreError> {
        while self.at == self.keys.len() {
            let Some(block) = self.blocks.next() else { return Ok(K::MAX) };
            self.level.read_block(block, &mut self.keys)?;
            self.at = 0;
        }
        Ok(self.keys[self.at])
    }
}

/// A k-way merge: calls `each` with the keys of `first` (ascending) and of the given blocks of levels, in ascending
/// order, each key once.
///
/// # Errors
/// Where a level cannot be read, and the errors of `each`.
pub(crate) fn merge<K: Key, E: From<StoreError>>(
    first: &[K],
    sources: Vec<(&Level<K>, Range<usize>)>,
    mut each: impl FnMut(K) -> Result<(), E>,
) -> Result<(), E> {
    if sources.is_empty() {
        return first.iter().try_for_each(|&key| each(key));
    }
    let mut sources: Vec<Source<K>> =
        sources.into_iter().map(|(level, blocks)| Source { level, blocks, keys: Vec::new(), at: 0 }).collect();
    let mut first = first.iter().copied().peekable();
    let mut heads = sources.iter_mut().map(Source::head).collect::<Result<Vec<K>, _>>()?;
    loop {
        let mut least = first.peek().copied().unwrap_or(K::MAX);
        for &head in &heads {
            least = least.min(head);
        }
        if least == K::MAX {
            return Ok(());
        }
        each(least)?;
        first.next_if_eq(&least);
        for (source, head) in sources.iter_mut().zip(&mut heads) {
            if *head == least {
                source.at += 1;
                *head = source.head()?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_merge_is_the_union(sets in proptest::collection::vec(proptest::collection::btree_set(0u64..500, 0..200), 1..6)) {
            let levels: Vec<Level<u64>> = sets[1..].iter().map(|s| Level::of(s.iter().copied().collect())).collect();
            let sources = levels.iter().map(|l| (l, 0..l.blocks())).collect();
            let mut merged = Vec::new();
            let first: Vec<u64> = sets[0].iter().copied().collect();
            merge(&first, sources, |k| { merged.push(k); Ok::<_, StoreError>(()) }).unwrap();
            let expected: BTreeSet<u64> = sets.iter().flatten().copied().collect();
            prop_assert_eq!(merged, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
