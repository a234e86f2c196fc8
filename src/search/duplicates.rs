//! Duplicate detection in memory: what came a moment ago is dropped as it comes, the rest is sorted.
//!
//! Most successors are duplicates of one that another state close by has just made, so a small lossy filter takes out
//! half of them at two nanoseconds each. Sorting what is left is as quick as a table of it, which would have to be
//! sorted in the end.

use crate::key::Key;

/// Bytes of a filter at most: it shares a core's cache with what makes successors.
const RECENT_BYTES: usize = 256 << 10;

/// A lossy filter: by mix, the last two different keys.
#[derive(Debug)]
pub struct Recent<K> {
    pairs: Vec<[K; 2]>,
}

impl<K: Key> Recent<K> {
    /// A filter worth its while for about so many keys.
    #[must_use]
    pub fn new(expected: u64) -> Self {
        let most = RECENT_BYTES / 2 / K::BYTES;
        let pairs = usize::try_from(expected / 4).unwrap_or(most).clamp(64, most).next_power_of_two();
        Self { pairs: vec![[K::MAX; 2]; pairs] }
    }

    /// Takes out keys that came lately, but not all of them; what is left stays in order.
    #[inline]
    pub fn strain(&mut self, keys: &mut Vec<K>) {
        let mask = self.pairs.len() - 1;
        let mut new = 0;
        // Without a branch: whether a key is a recent one nothing predicts.
        for at in 0..keys.len() {
            let key = keys[at];
            let pair = &mut self.pairs[(key.mix() >> 40) as usize & mask];
            let [last, before] = *pair;
            *pair = [key, if last == key { before } else { last }];
            keys[new] = key;
            new += usize::from(last != key && before != key);
        }
        keys.truncate(new);
    }
}

/// Keys of one range: sorted, and those that came since.
#[derive(Clone, Debug)]
pub struct Gathered<K> {
    /// Ascending, each once.
    sorted: Vec<K>,
    /// As they came.
    since: Vec<K>,
}

impl<K> Default for Gathered<K> {
    fn default() -> Self {
        Self { sorted: Vec::new(), since: Vec::new() }
    }
}

impl<K: Key> Gathered<K> {
    /// Fewer keys are not worth sorting.
    const LEAST: usize = if cfg!(test) { 64 } else { 1 << 12 };

    /// Adds the keys. More than `limit` different ones, but no fewer than [`Self::LEAST`], go to `full`, ascending.
    pub fn extend(&mut self, keys: &[K], limit: usize, mut full: impl FnMut(Vec<K>)) {
        for part in keys.chunks(Self::LEAST) {
            self.since.extend_from_slice(part);
            // Half as many as are sorted already, so that a key is merged a few times only.
            if self.since.len() >= (self.sorted.len() / 2).max(Self::LEAST) {
                self.settle();
                if self.sorted.len() > limit.max(Self::LEAST) {
                    full(std::mem::take(self).sorted);
                }
            }
        }
    }

    /// Sorts what came since the last time.
    fn settle(&mut self) {
        self.since.sort_unstable();
        self.since.dedup();
        if self.sorted.is_empty() {
            std::mem::swap(&mut self.sorted, &mut self.since);
        } else if !self.since.is_empty() {
            self.sorted = union(&self.sorted, &self.since);
            self.since.clear();
        }
    }

    /// How many keys there are, or a few more: some may still be there twice.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len() + self.since.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes taken up.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        ((self.sorted.capacity() + self.since.capacity()) * K::BYTES) as u64
    }

    /// The keys, ascending and each once.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<K> {
        self.settle();
        self.sorted
    }
}

/// The keys of two ascending lists, ascending and each once.
fn union<K: Key>(a: &[K], b: &[K]) -> Vec<K> {
    let mut both = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        both.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    both.extend_from_slice(&a[i..]);
    both.extend_from_slice(&b[j..]);
    both.shrink_to_fit();
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn what_is_gathered_is_a_set(keys in proptest::collection::vec(0u64..4000, 0..6000), part in 1usize..2000) {
            let mut gathered = Gathered::default();
            for part in keys.chunks(part) {
                gathered.extend(part, usize::MAX, |_| unreachable!());
            }
            let expected: Vec<u64> = keys.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
            prop_assert!(gathered.len() >= expected.len());
            prop_assert_eq!(gathered.into_sorted(), expected);
        }

        #[test]
        fn the_filter_loses_no_key_and_drops_what_has_just_come(keys in proptest::collection::vec(0u128..300, 0..2000)) {
            let mut recent = Recent::new(256);
            let (mut left, mut last) = (Vec::new(), None);
            for &key in &keys {
                let mut made = vec![key, key];
                recent.strain(&mut made);
                prop_assert!(made.len() < 2 && (made.is_empty() || last != Some(key)));
                left.extend(made);
                last = Some(key);
            }
            let set = |keys: &[u128]| keys.iter().copied().collect::<BTreeSet<_>>();
            prop_assert_eq!(set(&left), set(&keys));
        }
    }

    #[test]
    fn what_grows_too_large_is_handed_over() {
        let (mut gathered, mut parts) = (Gathered::default(), Vec::new());
        let keys: Vec<u64> = (0..10_000).rev().collect();
        gathered.extend(&keys, 1024, |part| parts.push(part));
        assert!(parts.len() > 3 && parts.iter().all(|p| p.is_sorted() && p.len() <= 2 * 1024 + 128));
        let mut all: Vec<u64> = parts.concat();
        all.extend(gathered.into_sorted());
        all.sort_unstable();
        assert!(all.into_iter().eq(0..10_000));
    }
}
