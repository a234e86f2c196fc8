//! Exact keys: the unsigned integers under which a search stores its states.

use std::fmt::Debug;
use std::hash::Hash;

/// An exact key: an unsigned integer that stands for one state and for no other.
///
/// The engine sorts keys, stores their differences and compares them. It never identifies a state by a hash.
/// Implemented for `u64`, `u128` and [`U256`]; a puzzle takes the narrowest that holds its states.
pub trait Key: Copy + Ord + Hash + Debug + Default + Send + Sync + 'static {
    /// Size in bytes.
    const BYTES: usize;
    /// The largest value. The engine reserves it as a sentinel, so no state may have it.
    const MAX: Self;

    /// `self + other`, modulo the size of the key.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// `self - other`, modulo the size of the key.
    #[must_use]
    fn minus(self, other: Self) -> Self;
    /// The value as little-endian 64-bit words, zero-extended.
    #[must_use]
    fn words(self) -> [u64; 4];
    /// The key with these little-endian words; surplus words are ignored.
    #[must_use]
    fn from_words(words: [u64; 4]) -> Self;
    /// A number below [`Self::BUCKETS`] that never decreases as keys increase: the position of the leading bit and the
    /// bits behind it. Buckets are therefore fine for small keys and for large ones.
    #[must_use]
    fn bucket(self) -> usize;
    /// How many bucket numbers there are for keys of one binary length.
    const BUCKETS_A_LENGTH: usize = 1 << BUCKET_BITS;
    /// One more than the largest bucket number.
    const BUCKETS: usize = (8 * Self::BYTES + 1) << BUCKET_BITS;
    /// A hash of 64 well-mixed bits. It decides the process that owns a key, so the files of shares depend on it. Beam
    /// searches sample by it, so the figures in their records depend on it, too.
    #[must_use]
    fn mix(self) -> u64;
}

/// The number of bits behind the leading one that a bucket number has.
const BUCKET_BITS: u32 = 11;

/// Multiplies to 128 bits and folds the halves, as the hash function wyhash does.
#[inline]
fn folded_multiply(a: u64, b: u64) -> u64 {
    let full = u128::from(a) * u128::from(b);
    full as u64 ^ (full >> 64) as u64
}

const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bucket of a number whose leading one is bit `top` (counted from 1) and whose bits behind it are `behind`,
/// left-aligned.
#[inline]
fn bucket_of(top: u32, behind: u64) -> usize {
    ((top as usize) << BUCKET_BITS) | (behind >> (64 - BUCKET_BITS)) as usize
}

impl Key for u64 {
    const BYTES: usize = 8;
    const MAX: Self = u64::MAX;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    fn words(self) -> [u64; 4] {
        [self, 0, 0, 0]
    }
    fn from_words(words: [u64; 4]) -> Self {
        words[0]
    }
    #[inline]
    fn bucket(self) -> usize {
        let zeros = self.leading_zeros();
        bucket_of(64 - zeros, self.checked_shl(zeros + 1).unwrap_or(0))
    }
    #[inline]
    fn mix(self) -> u64 {
        folded_multiply(self ^ 0x243f_6a88_85a3_08d3, MIX)
    }
}

impl Key for u128 {
    const BYTES: usize = 16;
    const MAX: Self = u128::MAX;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    fn words(self) -> [u64; 4] {
        [self as u64, (self >> 64) as u64, 0, 0]
    }
    fn from_words(words: [u64; 4]) -> Self {
        u128::from(words[0]) | u128::from(words[1]) << 64
    }
    #[inline]
    fn bucket(self) -> usize {
        let zeros = self.leading_zeros();
        bucket_of(128 - zeros, (self.checked_shl(zeros + 1).unwrap_or(0) >> 64) as u64)
    }
    #[inline]
    fn mix(self) -> u64 {
        folded_multiply(self as u64 ^ 0x243f_6a88_85a3_08d3, (self >> 64) as u64 ^ MIX)
    }
}

/// An unsigned integer of 256 bits, for states that no `u128` holds: two armies of 19 on 256 cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct U256 {
    /// The upper 128 bits (first, so that the derived order is the numbers' order).
    pub high: u128,
    /// The lower 128 bits.
    pub low: u128,
}

impl Key for U256 {
    const BYTES: usize = 32;
    const MAX: Self = Self { high: u128::MAX, low: u128::MAX };

    #[inline]
    fn plus(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        Self { high: self.high.wrapping_add(other.high).wrapping_add(carry.into()), low }
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Self { high: self.high.wrapping_sub(other.high).wrapping_sub(borrow.into()), low }
    }
    fn words(self) -> [u64; 4] {
        let ([a, b, ..], [c, d, ..]) = (self.low.words(), self.high.words());
        [a, b, c, d]
    }
    fn from_words([a, b, c, d]: [u64; 4]) -> Self {
        Self { high: u128::from_words([c, d, 0, 0]), low: u128::from_words([a, b, 0, 0]) }
    }
    #[inline]
    fn bucket(self) -> usize {
        if self.high == 0 {
            return self.low.bucket();
        }
        let zeros = self.high.leading_zeros();
        let behind = self.high.checked_shl(zeros + 1).unwrap_or(0) | self.low >> (127 - zeros);
        bucket_of(256 - zeros, (behind >> 64) as u64)
    }
    #[inline]
    fn mix(self) -> u64 {
        folded_multiply(self.low.mix() ^ MIX, self.high.mix() ^ 0x1319_8a2e_0370_7344)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn u256() -> impl Strategy<Value = U256> {
        let half = || (any::<u128>(), 0u32..=128).prop_map(|(v, s)| v.checked_shr(s).unwrap_or(0));
        (half(), half()).prop_map(|(high, low)| U256 { high, low })
    }

    fn check<K: Key>(a: K, b: K) {
        assert_eq!(a.plus(b).minus(b), a);
        assert_eq!(a.minus(b).plus(b), a);
        assert_eq!(K::from_words(a.words()), a);
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        assert!(low.bucket() <= high.bucket(), "{low:?} {high:?}");
        assert!(high.bucket() < K::BUCKETS);
        assert_eq!(a.bucket(), told_by_digits(a));
    }

    /// The number's length in binary, and the digits behind its leading one.
    fn told_by_digits<K: Key>(key: K) -> usize {
        let digits = key.words().into_iter().rev().map(|word| format!("{word:064b}")).collect::<String>();
        let digits = digits.trim_start_matches('0');
        let behind: String = digits.chars().skip(1).chain(std::iter::repeat('0')).take(BUCKET_BITS as usize).collect();
        digits.len() << BUCKET_BITS | usize::from_str_radix(&behind, 2).unwrap()
    }

    proptest! {
        #[test]
        fn keys_are_numbers_and_buckets_keep_their_order(a in u256(), b in u256()) {
            check(a, b);
            check(a.low, b.low);
            check(a.low as u64, b.low as u64);
            check(a, a.plus(U256::from_words([1, 0, 0, 0])));
        }
    }

    /// Of every length, all digits 1, or every second one or third one.
    #[test]
    fn buckets_of_keys_of_every_length_are_told_by_their_digits() {
        for (length, every) in (1..=256).flat_map(|length| (1..=3).map(move |every| (length, every))) {
            let mut words = [0; 4];
            for bit in (0..length).rev().step_by(every) {
                words[bit / 64] |= 1 << (bit % 64);
            }
            check(U256::from_words(words), U256::default());
            if length <= 128 {
                check(u128::from_words(words), 0);
            }
            if length <= 64 {
                check(words[0], 0);
            }
        }
    }

    #[test]
    fn the_largest_key_has_a_bucket() {
        check(U256::MAX, U256::default());
        check(u128::MAX, 0);
        check(u64::MAX, 0);
    }

    /// Keys that differ in any twelve bits must not crowd, at either end of the mix.
    #[test]
    fn mixes_spread_keys_that_differ_in_a_few_bits() {
        fn slots<K: Key>(keys: impl Iterator<Item = K> + Clone) -> [usize; 2] {
            [0, 40].map(|from| {
                let slots = keys.clone().map(|key| key.mix() >> from & 0xfff);
                slots.collect::<std::collections::HashSet<_>>().len()
            })
        }
        // Thrown at random they would hit 2,589 slots of 4,096; no more than eight to a slot is good enough.
        let spread = |slots: [usize; 2]| assert!(slots.into_iter().all(|s| s > 512), "{slots:?}");
        for shift in (0..=52).step_by(4) {
            let words = (0..4096u64).map(move |n| n << shift);
            spread(slots(words.clone()));
            for low in [0, 64] {
                spread(slots(words.clone().map(move |n| u128::from(n) << low)));
                spread(slots(words.clone().map(move |n| U256 { high: 0, low: u128::from(n) << low })));
                spread(slots(words.clone().map(move |n| U256 { high: u128::from(n) << low, low: 7 })));
            }
        }
    }
}
