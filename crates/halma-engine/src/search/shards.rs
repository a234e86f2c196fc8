//! Range partitioning by a sample, as in sample sort. A shard is a range of keys; shards are chosen so that each gets
//! about as many successors.
//!
//! Duplicates are eliminated shard by shard, in memory that fits a core's cache. The shards in order are the sorted
//! level. The choice changes no result.

use crate::key::Key;

/// A partition of the keys into ranges of buckets ([`Key::bucket`]).
#[derive(Clone, Debug)]
pub struct Shards {
    /// The shard of each bucket; never decreases.
    of_bucket: Vec<u16>,
    shards: usize,
}

impl Shards {
    /// One shard for all keys.
    #[must_use]
    pub fn one() -> Self {
        Self { of_bucket: Vec::new(), shards: 1 }
    }

    /// At most `shards` shards with about equally many of the sample's keys.
    #[must_use]
    pub fn balanced<K: Key>(sample: &[K], shards: usize) -> Self {
        if shards <= 1 || sample.is_empty() {
            return Self::one();
        }
        let mut histogram = vec![0u32; K::BUCKETS];
        for key in sample {
            histogram[key.bucket()] += 1;
        }
        let (mut before, mut shard, mut started) = (0u64, 0u16, false);
        let of_bucket = histogram
            .into_iter()
            .map(|n| {
                // The quantile in which this bucket starts. Shards that no bucket starts are skipped.
                let quantile = ((before * shards as u64) / sample.len() as u64).min(shards as u64 - 1);
                if started && quantile > u64::from(shard) {
                    shard += 1;
                    started = false;
                }
                started |= n > 0;
                before += u64::from(n);
                shard
            })
            .collect();
        Self { of_bucket, shards: usize::from(shard) + 1 }
    }

    /// The first bucket of every shard but the first.
    #[must_use]
    pub fn bounds(&self) -> Vec<u32> {
        let rises = |pair: &(usize, &[u16])| pair.1[0] < pair.1[1];
        (1..).zip(self.of_bucket.windows(2)).filter(rises).map(|(bucket, _)| bucket as u32).collect()
    }

    /// The shards with these first buckets.
    #[must_use]
    pub(crate) fn with_bounds<K: Key>(bounds: &[u32]) -> Self {
        if bounds.is_empty() {
            return Self::one();
        }
        let of_bucket =
            (0..K::BUCKETS).map(|bucket| bounds.partition_point(|&b| b as usize <= bucket) as u16).collect();
        Self { of_bucket, shards: bounds.len() + 1 }
    }

    /// How many shards there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.shards
    }

    /// The shard of `key`.
    #[inline(always)]
    #[must_use]
    pub fn of<K: Key>(&self, key: K) -> usize {
        if self.shards == 1 { 0 } else { usize::from(self.of_bucket[key.bucket()]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_ordered_and_about_equal() {
        let sample: Vec<u64> = (0..20_000u64).map(|i| i * i * 37).collect();
        let shards = Shards::balanced(&sample, 16);
        assert!(shards.count() > 12 && shards.count() <= 16, "{}", shards.count());
        let mut counts = vec![0; shards.count()];
        let mut last = 0;
        for &key in &sample {
            let shard = shards.of(key);
            assert!(shard >= last);
            last = shard;
            counts[shard] += 1;
        }
        assert!(counts.iter().all(|&c| c < 2 * sample.len() / 16), "{counts:?}");
        let again = Shards::with_bounds::<u64>(&shards.bounds());
        assert_eq!((again.count(), again.of_bucket), (shards.count(), shards.of_bucket));
    }
}
