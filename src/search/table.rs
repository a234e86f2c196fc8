//! A set of keys in memory: open addressing, linear probing, the reserved key marks a free slot.
//!
//! One table serves one range of keys and one thread, so that it stays in that core's cache and needs no lock.

use crate::key::Key;

/// A set of keys.
#[derive(Debug)]
pub struct Table<K> {
    slots: Vec<K>,
    keys: usize,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Self { slots: Vec::new(), keys: 0 }
    }
}

impl<K: Key> Table<K> {
    /// Adds the keys. When the table would outgrow `limit` slots, its keys go to `full`, ascending, and it is empty again.
    #[inline]
    pub fn extend(&mut self, keys: &[K], limit: usize, mut full: impl FnMut(Vec<K>)) {
        // Grow for what is there, not for what may come: most keys that arrive are duplicates.
        for chunk in keys.chunks(256) {
            if (self.keys + chunk.len()) * 4 > self.slots.len() * 3 {
                if self.slots.len() >= limit.max(1024) {
                    full(self.drain_sorted());
                } else {
                    self.grow();
                }
            }
            for &key in chunk {
                let slot = Self::slot(&self.slots, key);
                let free = self.slots[slot] == K::MAX;
                self.slots[slot] = key;
                self.keys += usize::from(free);
            }
        }
    }

    /// Takes out the keys, ascending; the table keeps its size.
    #[must_use]
    pub fn drain_sorted(&mut self) -> Vec<K> {
        let mut keys: Vec<K> = self.slots.iter().copied().filter(|&k| k != K::MAX).collect();
        keys.sort_unstable();
        self.slots.fill(K::MAX);
        self.keys = 0;
        keys
    }

    /// The slot that holds `key` or the free one where it belongs.
    #[inline(always)]
    fn slot(slots: &[K], key: K) -> usize {
        let mask = slots.len() - 1;
        let mut slot = key.mix() as usize & mask;
        while slots[slot] != key && slots[slot] != K::MAX {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(1024);
        let old = std::mem::replace(&mut self.slots, vec![K::MAX; size]);
        for key in old.into_iter().filter(|&k| k != K::MAX) {
            let slot = Self::slot(&self.slots, key);
            self.slots[slot] = key;
        }
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys == 0
    }

    /// Bytes taken up.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.slots.capacity() * K::BYTES) as u64
    }

    /// The keys in ascending order; the table is empty afterwards and its memory is given back.
    #[must_use]
    pub fn into_sorted(self) -> Vec<K> {
        let mut slots = self.slots;
        slots.retain(|&k| k != K::MAX);
        slots.sort_unstable();
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn a_table_is_a_set(keys in proptest::collection::vec(0u64..4000, 0..6000)) {
            let mut table = Table::default();
            for part in keys.chunks(777) {
                table.extend(part, usize::MAX, |_| unreachable!());
            }
            let expected: BTreeSet<u64> = keys.into_iter().collect();
            prop_assert_eq!(table.len(), expected.len());
            prop_assert_eq!(table.into_sorted(), expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_full_table_hands_its_keys_over() {
        let (mut table, mut parts) = (Table::default(), Vec::new());
        let keys: Vec<u64> = (0..10_000).rev().collect();
        table.extend(&keys, 2048, |part| parts.push(part));
        assert!(parts.len() > 3 && parts.iter().all(|p| p.is_sorted() && p.len() <= 1536));
        let mut all: Vec<u64> = parts.concat();
        all.extend(table.into_sorted());
        all.sort_unstable();
        assert!(all.into_iter().eq(0..10_000));
    }
}
