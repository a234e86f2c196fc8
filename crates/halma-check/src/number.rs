//! Keys as numbers of 64, 128 or (for games on large boards) 256 bits.

use std::fmt::{Debug, Display, Formatter, Result as Shown};

/// A key.
pub(super) trait Number: Copy + Ord + Default + Debug + Display + Send + Sync {
    /// How many bits it has.
    const BITS: u32;
    /// The number followed by some bits more, at least one and fewer than 128.
    fn push(self, value: u128, bits: u32) -> Self;
    /// What such bits were appended to, and they.
    fn pop(self, bits: u32) -> (Self, u128);
    /// The sum, and one more; `None` where it has too many bits.
    fn beyond(self, difference: Self) -> Option<Self>;
    /// Its 256 bits, the lowest first.
    fn words(self) -> [u64; 4];

    /// The number of these bytes, the lowest first; `None` where it has too many bits.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (low, high) = bytes.split_at(bytes.len().min(Self::BITS as usize / 8));
        high.iter().all(|&b| b == 0).then(|| low.iter().rev().fold(Self::default(), |n, &b| n.push(b.into(), 8)))
    }
}

impl Number for u64 {
    const BITS: u32 = 64;

    #[inline]
    fn push(self, value: u128, bits: u32) -> Self {
        self.checked_shl(bits).unwrap_or(0) | value as u64
    }
    #[inline]
    fn pop(self, bits: u32) -> (Self, u128) {
        (self.checked_shr(bits).unwrap_or(0), u128::from(self) & ((1 << bits) - 1))
    }
    #[inline]
    fn beyond(self, difference: Self) -> Option<Self> {
        self.checked_add(difference)?.checked_add(1)
    }
    #[inline]
    fn words(self) -> [u64; 4] {
        [self, 0, 0, 0]
    }
}

impl Number for u128 {
    const BITS: u32 = 128;

    #[inline]
    fn push(self, value: u128, bits: u32) -> Self {
        self << bits | value
    }
    #[inline]
    fn pop(self, bits: u32) -> (Self, u128) {
        (self >> bits, self & ((1 << bits) - 1))
    }
    #[inline]
    fn beyond(self, difference: Self) -> Option<Self> {
        self.checked_add(difference)?.checked_add(1)
    }
    #[inline]
    fn words(self) -> [u64; 4] {
        [self as u64, (self >> 64) as u64, 0, 0]
    }
}

/// 256 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide {
    high: u128,
    low: u128,
}

impl Number for Wide {
    const BITS: u32 = 256;

    #[inline]
    fn push(self, value: u128, bits: u32) -> Self {
        Self { high: self.high << bits | self.low >> (128 - bits), low: self.low << bits | value }
    }
    #[inline]
    fn pop(self, bits: u32) -> (Self, u128) {
        let low = self.low >> bits | self.high << (128 - bits);
        (Self { high: self.high >> bits, low }, self.low & ((1 << bits) - 1))
    }
    #[inline]
    fn beyond(self, difference: Self) -> Option<Self> {
        let (low, first) = self.low.overflowing_add(difference.low);
        let (low, second) = low.overflowing_add(1);
        let high = self.high.checked_add(difference.high)?.checked_add(u128::from(first) + u128::from(second))?;
        Some(Self { high, low })
    }
    #[inline]
    fn words(self) -> [u64; 4] {
        let ([a, b, ..], [c, d, ..]) = (self.low.words(), self.high.words());
        [a, b, c, d]
    }
}

impl Display for Wide {
    fn fmt(&self, f: &mut Formatter<'_>) -> Shown {
        write!(f, "{:#x}{:032x}", self.high, self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_carry_and_come_apart_again() {
        let bytes: Vec<u8> = (1..=32).collect();
        let wide = Wide::read(&bytes).unwrap();
        assert_eq!(wide.words(), [0, 1, 2, 3].map(|w| u64::from_le_bytes(bytes[8 * w..8 * w + 8].try_into().unwrap())));
        for bits in [1, 63, 64, 97, 127] {
            let (rest, last) = wide.pop(bits);
            assert_eq!(rest.push(last, bits), wide);
        }
        let full = Wide { high: 6, low: u128::MAX };
        assert_eq!(full.beyond(Wide::default()), Some(Wide { high: 7, low: 0 }));
        assert_eq!(full.beyond(full), Some(Wide { high: 13, low: u128::MAX }));
        assert_eq!(Wide { high: u128::MAX, ..full }.beyond(Wide::default()), None);
        assert!(full < Wide { high: 7, low: 0 });
        assert_eq!(u128::read(&bytes), None, "what does not fit is not cut");
        assert_eq!(u128::read(&[1, 2, 0, 0]), Some(0x201));
        assert_eq!(7u128.push(5, 3).pop(3), (7, 5));
        assert_eq!((u64::read(&bytes), u64::read(&[1, 2, 0, 0, 0, 0, 0, 0, 0, 0])), (None, Some(0x201)));
        assert_eq!((7u64.push(5, 3).pop(3), u64::MAX.beyond(0)), ((7, 5), None));
        assert_eq!((1u128.beyond(1), u128::MAX.beyond(0)), (Some(3), None));
    }
}
