//! Multiset hashing by addition (Clarke et al. 2003): digests of sets of keys that do not depend on their order.
//!
//! Each key is mixed to 128 bits under published constants, and the mixes are summed modulo 2^128. Equal sets have
//! equal digests, in whatever order their keys were found. Different sets have different digests except with negligible
//! probability.

use multiversion::multiversion;

use crate::key::Key;

/// The finalizer of MurmurHash3, a bijection on which every output bit depends on every input bit.
#[inline(always)]
fn fmix(mut x: u64) -> u64 {
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

#[inline]
fn half(key: u64, words: [u64; 4]) -> u64 {
    let mut h = key;
    for (i, w) in (1u64..).zip(words) {
        h = fmix((h ^ w).wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i)));
    }
    h
}

/// The key of digests: the first 128 bits of the fraction of pi.
pub const KEY: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];

/// A second key, the next 128 bits: records state two digests.
pub const SECOND_KEY: [u64; 2] = [0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

/// The 128 bits of one state under `key`.
#[inline]
#[must_use]
pub fn mix_under(key: [u64; 2], state: impl Key) -> u128 {
    let words = state.words();
    u128::from(half(key[0], words)) << 64 | u128::from(half(key[1], words))
}

/// The 128 bits of one state under [`KEY`].
#[inline]
#[must_use]
pub fn mix(state: impl Key) -> u128 {
    mix_under(KEY, state)
}

/// How many states are mixed side by side: enough to hide the latency of a multiplication.
const LANES: usize = 16;

/// The digest of a set of states.
#[must_use]
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub fn of<K: Key>(key: [u64; 2], states: &[K]) -> u128 {
    let (chunks, rest) = states.as_chunks::<LANES>();
    let mut sum = 0u128;
    for states in chunks {
        // The same as `half`, one operation at a time for all lanes and both halves, so that the compiler vectorises
        // it.
        let mut h = [[key[0]; LANES], [key[1]; LANES]];
        let mut words = [[0; LANES]; 4];
        for (lane, state) in states.iter().enumerate() {
            for (words, word) in words.iter_mut().zip(state.words()) {
                words[lane] = word;
            }
        }
        for (i, words) in (1u64..).zip(&words) {
            let add = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i);
            for h in &mut h {
                for (h, w) in h.iter_mut().zip(words) {
                    *h = fmix((*h ^ w).wrapping_add(add));
                }
            }
        }
        for (&high, &low) in h[0].iter().zip(&h[1]) {
            sum = sum.wrapping_add(u128::from(high) << 64 | u128::from(low));
        }
    }
    rest.iter().fold(sum, |sum, &state| sum.wrapping_add(mix_under(key, state)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::U256;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_digest_is_the_sum_of_the_mixes(words in proptest::collection::vec(any::<[u64; 4]>(), 0..40)) {
            fn check<K: Key>(words: &[[u64; 4]]) {
                let states: Vec<K> = words.iter().map(|&w| K::from_words(w)).collect();
                for key in [KEY, SECOND_KEY] {
                    let sum = states.iter().fold(0u128, |sum, &state| sum.wrapping_add(mix_under(key, state)));
                    assert_eq!(of(key, &states), sum);
                }
            }
            check::<u64>(&words);
            check::<u128>(&words);
            check::<U256>(&words);
        }
    }
}
