//! Words that hold a quarter board, one bit a cell (see `quarters.rs`).

use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// A word that holds a quarter board.
pub trait Word:
    Copy
    + Default
    + Eq
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// How many cells there may be.
    const CELLS: u32;
    /// The least bit alone.
    const ONE: Self;
    /// How many bits are set.
    fn ones(self) -> u32;
    /// The number of the least bit that is set.
    fn lowest(self) -> u32;
    /// The word without its least bit.
    fn rest(self) -> Self;
    /// A mix of its bits.
    fn mixed(self, with: u64) -> u64;
}

macro_rules! word {
    ($word:ty, $fold:expr) => {
        impl Word for $word {
            const CELLS: u32 = Self::BITS;
            const ONE: Self = 1;
            #[inline(always)]
            fn ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn rest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn mixed(self, with: u64) -> u64 {
                let fold: fn($word) -> u64 = $fold;
                (with.rotate_left(23) ^ fold(self)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            }
        }
    };
}
word!(u32, u64::from);
word!(u64, |word| word);
word!(u128, |word| word as u64 ^ (word >> 64) as u64);
