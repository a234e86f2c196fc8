//! Sets of cells: one bit a cell, in as many 64-bit words as the board needs.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// A set of cells of a board of up to `64 * W` cells. Bit `i` of word `i / 64` is the cell with index `i`.
///
/// Sets are ordered as the binary numbers that they spell, cell 0 being the lowest bit; among sets of the same
/// size this is also the order of their binomial ranks (`halma_puzzles::rank`).
///
/// ```
/// use halma_rules::cells::Cells;
/// let ladder: Cells<2> = [0, 2, 80].into_iter().collect();
/// assert_eq!(ladder.len(), 3);
/// assert_eq!(ladder.iter().collect::<Vec<_>>(), [0, 2, 80]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cells<const W: usize>([u64; W]);

impl<const W: usize> Cells<W> {
    /// The set without members.
    pub const EMPTY: Self = Self([0; W]);
    /// How many cells a set of this width can tell apart.
    pub const CAPACITY: usize = 64 * W;

    /// The set of one cell.
    #[inline]
    #[must_use]
    pub fn of(cell: usize) -> Self {
        let mut set = Self::EMPTY;
        set.add(cell);
        set
    }

    /// The cells `0..n`.
    #[must_use]
    pub fn first(n: usize) -> Self {
        (0..n).collect()
    }

    /// Whether `cell` is a member.
    #[inline]
    #[must_use]
    pub fn contains(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 != 0
    }

    /// Makes `cell` a member.
    #[inline]
    pub fn add(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    /// Takes `cell` out.
    #[inline]
    pub fn remove(&mut self, cell: usize) {
        self.0[cell / 64] &= !(1 << (cell % 64));
    }

    /// This set and `cell`.
    #[inline]
    #[must_use]
    pub fn with(mut self, cell: usize) -> Self {
        self.add(cell);
        self
    }

    /// This set but for `cell`.
    #[inline]
    #[must_use]
    pub fn without(mut self, cell: usize) -> Self {
        self.remove(cell);
        self
    }

    /// The set with these bits.
    #[inline]
    #[must_use]
    pub fn from_words(words: [u64; W]) -> Self {
        Self(words)
    }

    /// Its bits.
    #[inline]
    #[must_use]
    pub fn words(self) -> [u64; W] {
        self.0
    }

    /// How many members there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// How many members are less than `cell`.
    #[inline(always)]
    #[must_use]
    pub fn below(&self, cell: usize) -> usize {
        let (word, bit) = (cell / 64, cell % 64);
        let mut count = (self.0[word] & ((1 << bit) - 1)).count_ones();
        for &word in &self.0[..word] {
            count += word.count_ones();
        }
        count as usize
    }

    /// Whether there is no member.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }

    /// The least member, if there is one.
    #[inline]
    #[must_use]
    pub fn lowest(&self) -> Option<usize> {
        let word = self.0.iter().position(|&w| w != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// Where a man went, from this army to `after`: the cell that only this one has, and the one that only `after` has.
    /// `None` if they differ otherwise.
    #[must_use]
    pub fn moved(self, after: Self) -> Option<(usize, usize)> {
        let only = |cells: Self| cells.lowest().filter(|_| cells.len() == 1);
        only(self & !after).zip(only(after & !self))
    }

    /// The members in ascending order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..W).flat_map(move |w| {
            let mut rest = self.0[w];
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    64 * w + bit
                })
            })
        })
    }

    /// Calls `f` with each member in ascending order; the inner loop of move generation.
    #[inline(always)]
    pub fn for_each(self, mut f: impl FnMut(usize)) {
        for w in 0..W {
            let mut rest = self.0[w];
            while rest != 0 {
                f(64 * w + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    /// Whether this set comes before `other` in their order, or is the same. On boards of two words this does not branch.
    #[inline(always)]
    #[must_use]
    pub fn at_most(&self, other: &Self) -> bool {
        if W == 2 { self.double() <= other.double() } else { self <= other }
    }

    /// Writes the members in ascending order into `members`, which has one place for each. On boards of two words this
    /// branches for no member, so that the processor predicts nothing wrongly.
    #[inline(always)]
    pub fn write(&self, members: &mut [u8]) {
        if W == 2 {
            let mut rest = self.double();
            for member in members {
                *member = rest.trailing_zeros() as u8;
                rest &= rest.wrapping_sub(1);
            }
        } else {
            members.iter_mut().zip(self.iter()).for_each(|(member, cell)| *member = cell as u8);
        }
    }

    /// The bits of the first two words, as one.
    #[inline(always)]
    fn double(&self) -> u128 {
        u128::from(self.0[0]) | u128::from(self.0[1 % W]) << 64
    }

    /// The image of this set under a permutation of the cells: cell `i` goes to `permutation[i]`.
    #[must_use]
    pub fn mapped(self, permutation: &[u8]) -> Self {
        self.iter().map(|c| permutation[c] as usize).collect()
    }
}

impl<const W: usize> Default for Cells<W> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const W: usize> FromIterator<usize> for Cells<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(cells: I) -> Self {
        let mut set = Self::EMPTY;
        for cell in cells {
            set.add(cell);
        }
        set
    }
}

impl<const W: usize> Ord for Cells<W> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl<const W: usize> PartialOrd for Cells<W> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<const W: usize> fmt::Debug for Cells<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

macro_rules! wordwise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const W: usize> $trait for Cells<W> {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|w| self.0[w] $op other.0[w]))
            }
        }
    };
}
wordwise!(BitAnd, bitand, &);
wordwise!(BitOr, bitor, |);
wordwise!(BitXor, bitxor, ^);

impl<const W: usize> BitAndAssign for Cells<W> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<const W: usize> BitOrAssign for Cells<W> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const W: usize> Not for Cells<W> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|w| !w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agree<const W: usize>(a: Cells<W>, b: Cells<W>) {
        assert_eq!(a.at_most(&b), a <= b);
        assert_eq!(b.at_most(&a), b <= a);
        let mut members = vec![0; a.len()];
        a.write(&mut members);
        assert_eq!(members.into_iter().map(usize::from).collect::<Vec<_>>(), a.iter().collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn what_does_not_branch_agrees_with_what_does(a: [u64; 4], b: [u64; 4], same in 0usize..5) {
            // Sets that differ in their last word only, too.
            let b: [u64; 4] = std::array::from_fn(|w| if w < same { b[w] } else { a[w] });
            agree(Cells::<4>::from_words(a), Cells::from_words(b));
            agree(Cells::<2>::from_words([a[0], a[1]]), Cells::from_words([b[0], b[1]]));
            agree(Cells::<1>::from_words([a[0]]), Cells::from_words([b[0]]));
        }
    }
}
