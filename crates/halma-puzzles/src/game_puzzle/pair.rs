//! Keys of games: two ranks and a turn bit.

use halma_engine::key::{Key, U256};

/// A key made of a turn bit and two ranks: the turn bit leads, then the first rank, then the second.
pub trait PairKey: Key {
    /// The ranks' type.
    type Rank: Key;
    /// The most bits that a rank may have.
    const RANK_BITS: u32;

    /// The key; both ranks have at most `bits` bits.
    fn pair(turn: bool, first: Self::Rank, second: Self::Rank, bits: u32) -> Self;
    /// The parts of the key.
    fn split(self, bits: u32) -> (bool, Self::Rank, Self::Rank);
}

impl PairKey for u64 {
    type Rank = u64;
    const RANK_BITS: u32 = 31;

    #[inline]
    fn pair(turn: bool, first: u64, second: u64, bits: u32) -> Self {
        (u64::from(turn) << bits | first) << bits | second
    }
    #[inline]
    fn split(self, bits: u32) -> (bool, u64, u64) {
        let mask = (1 << bits) - 1;
        (self >> (2 * bits) != 0, self >> bits & mask, self & mask)
    }
}

impl PairKey for u128 {
    type Rank = u64;
    const RANK_BITS: u32 = 63;

    #[inline]
    fn pair(turn: bool, first: u64, second: u64, bits: u32) -> Self {
        (u128::from(turn) << bits | u128::from(first)) << bits | u128::from(second)
    }
    #[inline]
    fn split(self, bits: u32) -> (bool, u64, u64) {
        let mask = (1 << bits) - 1;
        (self >> (2 * bits) != 0, (self >> bits & mask) as u64, (self & mask) as u64)
    }
}

impl PairKey for U256 {
    type Rank = u128;
    const RANK_BITS: u32 = 127;

    #[inline]
    fn pair(turn: bool, first: u128, second: u128, bits: u32) -> Self {
        // The boundary between the halves lies within `first`.
        let turn = u128::from(turn);
        let high = turn << (2 * bits).saturating_sub(128).min(127) | first >> (128 - bits);
        if 2 * bits < 128 {
            Self { high: 0, low: (turn << bits | first) << bits | second }
        } else {
            Self { high, low: first << bits | second }
        }
    }
    #[inline]
    fn split(self, bits: u32) -> (bool, u128, u128) {
        let mask = (1 << bits) - 1;
        if 2 * bits < 128 {
            (self.low >> (2 * bits) != 0, self.low >> bits & mask, self.low & mask)
        } else {
            let first = (self.low >> bits | self.high << (128 - bits)) & mask;
            (self.high >> (2 * bits - 128) != 0, first, self.low & mask)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<K: PairKey>(turn: bool, first: u128, second: u128, bits: u32) {
        let bits = 1 + bits % K::RANK_BITS;
        let rank = |v: u128| K::Rank::from_words((v & ((1 << bits) - 1)).words());
        let (first, second) = (rank(first), rank(second));
        let key = K::pair(turn, first, second, bits);
        assert_eq!(key.split(bits), (turn, first, second));
        // The turn leads: keys of one turn keep together.
        assert!(K::pair(false, first, second, bits) < K::pair(true, K::Rank::default(), K::Rank::default(), bits));
    }

    proptest! {
        #[test]
        fn pairs_are_split_again(turn: bool, first: u128, second: u128, bits in 0u32..127) {
            check::<u64>(turn, first, second, bits);
            check::<u128>(turn, first, second, bits);
            check::<U256>(turn, first, second, bits);
        }
    }
}
