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

    /// The shard that starts with that bucket, if one does; the number of shards where all buckets are less.
    #[must_use]
    pub(crate) fn shard_starting_at<K: Key>(&self, bucket: usize) -> Option<usize> {
        match bucket {
            0 => Some(0),
            _ if bucket == K::BUCKETS => Some(self.shards),
            _ => self.bounds().binary_search(&u32::try_from(bucket).ok()?).ok().map(|bound| bound + 1),
        }
    }

    /// The first bucket of a shard; the number of buckets where the shard is the number of shards.
    #[must_use]
    pub(crate) fn first_bucket<K: Key>(&self, shard: usize) -> usize {
        match shard {
            0 => 0,
            _ => self.bounds().get(shard - 1).map_or(K::BUCKETS, |&bucket| bucket as usize),
        }
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
        assert_eq!((again.count(), again.of_bucket), (shards.count(), shards.of_bucket.clone()));
        for shard in 0..=shards.count() {
            let start = shards.first_bucket::<u64>(shard);
            assert_eq!(shards.shard_starting_at::<u64>(start), Some(shard));
            assert_eq!(shards.of_bucket.get(start), (shard < shards.count()).then_some(&(shard as u16)));
        }
        let within = (1..u64::BUCKETS).find(|&b| shards.of_bucket[b] == shards.of_bucket[b - 1]).unwrap();
        assert_eq!(shards.shard_starting_at::<u64>(within), None);
        assert_eq!(
            (Shards::one().first_bucket::<u64>(1), Shards::one().shard_starting_at::<u64>(3)),
            (u64::BUCKETS, None)
        );
    }
}
