//! Ranking by the combinatorial number system (Knuth, *The Art of Computer Programming*, 7.2.1.3): numbers the sets of
//! k out of n cells from 0, in the order of [`Cells`].
//!
//! The set {c_1 < c_2 < ... < c_k} has rank C(c_1, 1) + C(c_2, 2) + ... + C(c_k, k).
//! Ten men on 81 cells need 41 bits, 15 need 53, 19 on 256 cells need 95.

use halma_engine::key::Key;
use halma_rules::cells::Cells;
pub use halma_rules::choose::choose;

/// Binomial coefficients for sets of up to `men` out of `cells` cells, as keys.
#[derive(Clone, Debug)]
pub struct Ranks<K> {
    men: usize,
    /// C(cell, j) at `cell * (men + 2) + j`.
    table: Vec<K>,
    /// By j, from 1 on, and rough size of a number ([`size`]), at `(j - 1) * sizes + size`: a cell c with C(c, j) up to every number of
    /// that size, near the largest such cell. Unranking starts there.
    nearest: Vec<u8>,
}

/// The binary length of a number and the five bits behind the leading one.
#[inline(always)]
fn size<K: Key>(number: K) -> usize {
    number.bucket() * SIZES_A_LENGTH / K::BUCKETS_A_LENGTH
}

/// Rough sizes of the numbers of one binary length.
const SIZES_A_LENGTH: usize = 32;

/// Rough sizes of all numbers.
const fn sizes<K: Key>() -> usize {
    K::BUCKETS * SIZES_A_LENGTH / K::BUCKETS_A_LENGTH
}

impl<K: Key> Ranks<K> {
    /// Ranks of sets of `men` out of `cells` cells; `None` if they do not fit the key.
    #[must_use]
    pub fn new(cells: usize, men: usize) -> Option<Self> {
        let words = choose(cells, men)?.words();
        let all = K::from_words(words);
        if all.words() != words || all == K::MAX {
            return None;
        }
        // No set has an entry above C(cells, men) in its rank; entries that are larger are all set to one value.
        let sum = |a: K, b: K| match a.plus(b) {
            sum if sum < a || sum > all || a == K::MAX || b == K::MAX => K::MAX,
            sum => sum,
        };
        let stride = men + 2;
        let mut table = vec![K::default(); (cells + 1) * stride];
        for n in 0..=cells {
            table[n * stride] = K::from_words([1, 0, 0, 0]);
            for j in 1..stride.min(n + 1) {
                table[n * stride + j] = sum(table[(n - 1) * stride + j - 1], table[(n - 1) * stride + j]);
            }
        }
        let nearest = (1..=men).flat_map(|j| {
            let entry = |c: usize| table[c * stride + j];
            let mut c = j - 1;
            (0..sizes::<K>())
                .map(|size_here| {
                    // The next cell serves all numbers of this size if its entry is of a smaller one.
                    while c + 1 < cells && entry(c + 1) < K::MAX && size(entry(c + 1)) < size_here {
                        c += 1;
                    }
                    c as u8
                })
                .collect::<Vec<_>>()
        });
        let nearest = nearest.collect();
        Some(Self { men, table, nearest })
    }

    /// C(cell, j), for j up to one more than the men.
    #[inline(always)]
    #[must_use]
    pub fn choose(&self, cell: usize, j: usize) -> K {
        debug_assert!(j < self.men + 2);
        self.table[cell * (self.men + 2) + j]
    }

    /// The number of sets: every rank is smaller.
    #[must_use]
    pub fn count(&self) -> K {
        let cells = self.table.len() / (self.men + 2) - 1;
        self.choose(cells, self.men)
    }

    /// How many men a set has.
    #[must_use]
    pub fn men(&self) -> usize {
        self.men
    }

    /// The rank of a set of `men` cells.
    #[inline]
    #[must_use]
    pub fn rank<const W: usize>(&self, set: Cells<W>) -> K {
        let (mut rank, mut j) = (K::default(), 0);
        set.for_each(|cell| {
            j += 1;
            rank = rank.plus(self.choose(cell, j));
        });
        rank
    }

    /// [`Self::unrank`], if `cells` holds the set of rank `last`, or `last` is [`Key::MAX`]; `last` becomes `rank`.
    ///
    /// It is faster if ranks ascend in small steps. Let r_j be the sum of the first j binomials of the set. Man j stays
    /// if r_j + step < C(c_j + 1, j), and then all men above him stay, too, because C(c_j + 1, j) - r_j does not
    /// decrease with j: it is C(c_j, j - 1) - r_(j-1), and c_(j-1) + 1 <= c_j.
    #[inline]
    pub fn unrank_after(&self, rank: K, cells: &mut [u8], last: &mut K) {
        if rank < *last {
            *last = rank;
            return self.unrank(rank, cells);
        }
        let step = rank.minus(*last);
        *last = rank;
        let mut below = K::default();
        for j in 1..=self.men {
            let cell = usize::from(cells[j - 1]);
            let sum = below.plus(self.choose(cell, j));
            if sum.plus(step) < self.choose(cell + 1, j) {
                return self.unrank_below(below.plus(step), &mut cells[..j - 1]);
            }
            below = sum;
        }
        self.unrank(rank, cells);
    }

    /// Writes the cells of the set of that rank, ascending, into `cells`.
    #[inline]
    pub fn unrank(&self, rank: K, cells: &mut [u8]) {
        self.unrank_below(rank, &mut cells[..self.men]);
    }

    /// The set of that rank, with as many men as `cells` has entries.
    #[inline]
    fn unrank_below(&self, rank: K, cells: &mut [u8]) {
        let (mut rest, stride) = (rank, self.men + 2);
        for (place, cell) in cells.iter_mut().enumerate().rev() {
            let nearest = self.nearest[place * sizes::<K>() + size(rest)];
            let mut at = usize::from(nearest) * stride + place + 1;
            *cell = nearest;
            while self.table.get(at + stride).is_some_and(|&higher| higher <= rest) {
                (*cell, at) = (*cell + 1, at + stride);
            }
            rest = rest.minus(self.table[at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn binomials_are_those_of_pascal() {
        assert_eq!(choose(81, 10), Some(1_878_392_407_320));
        assert_eq!(choose(4, 5), None);
        assert_eq!(choose(5, 0), Some(1));
        assert_eq!(choose(256, 128), None);
        assert_eq!(128 - choose(256, 19).unwrap().leading_zeros(), 95);
        assert_eq!(128 - choose(81, 15).unwrap().leading_zeros(), 53);
    }

    #[test]
    fn every_set_has_its_own_rank_in_order() {
        let ranks = Ranks::<u64>::new(9, 4).unwrap();
        let mut expected = 0;
        for bits in 0u64..512 {
            let set: Cells<1> = (0..9).filter(|i| bits >> i & 1 != 0).collect();
            if set.len() == 4 {
                assert_eq!(ranks.rank(set), expected);
                let mut cells = [0; 4];
                ranks.unrank(expected, &mut cells);
                assert_eq!(cells.iter().map(|&c| c as usize).collect::<Cells<1>>(), set);
                expected += 1;
            }
        }
        assert_eq!(expected, 126);
    }

    proptest! {
        #[test]
        fn sets_found_one_after_another_are_those_found_alone(numbers in proptest::collection::vec(0u64..646_646, 1..200)) {
            // All ten men of 22 cells; sorted, as levels are, and not.
            let ranks = Ranks::<u64>::new(22, 10).unwrap();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            let (mut walked, mut last, mut alone) = ([0; 10], u64::MAX, [0; 10]);
            for rank in sorted.into_iter().chain(numbers) {
                ranks.unrank_after(rank, &mut walked, &mut last);
                ranks.unrank(rank, &mut alone);
                prop_assert_eq!(walked, alone);
            }
        }
    }

    #[test]
    fn a_board_that_is_nearly_full_has_few_ranks() {
        for men in 250..=256 {
            let ranks = Ranks::<u64>::new(256, men).unwrap();
            let all = choose(256, men).unwrap();
            for rank in [0, 1, all / 3, all - 1].map(|rank| rank.min(all - 1)) {
                let mut cells = vec![0; men];
                ranks.unrank(rank as u64, &mut cells);
                let set: Cells<4> = cells.iter().map(|&c| usize::from(c)).collect();
                assert_eq!((set.len(), ranks.rank(set)), (men, rank as u64), "{men} men");
            }
        }
    }

    #[test]
    fn ranks_that_do_not_fit_are_refused() {
        assert!(Ranks::<u64>::new(256, 19).is_none());
        assert!(Ranks::<u128>::new(256, 19).is_some());
        assert!(Ranks::<u64>::new(81, 15).is_some());
    }
}
