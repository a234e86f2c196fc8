//! Histograms: how many men stand in each class of cells. They are ranked 0, 1, 2, ... without gaps, as bounded
//! compositions (Knuth, *The Art of Computer Programming*, 7.2.1.3).

use crate::partition::MAX_CLASSES;

/// All histograms of some number of men, with a capacity for each class and a fixed number of men in each group of
/// classes. They are ranked lexicographically: fewer men in the first class come first.
#[derive(Clone, Debug)]
pub struct Histograms {
    men: usize,
    capacities: Vec<u8>,
    /// For class i, r men left for the classes from i on: the number of histograms with fewer than v men in class i, at
    /// `fewer[margin + (i * (men + 2) + r) * (men + 2) + v]`. The margin at both ends, of men + 3 entries, lets
    /// [`NeighbourRanks`] read the entries around one of these without asking whether there are any.
    fewer: Vec<u32>,
    count: u32,
    /// The classes that have a cell.
    all: u32,
}

impl Histograms {
    /// The histograms with `quotas[g]` men in the next `groups[g]` classes; `None` if there are more than `limit`.
    #[must_use]
    pub fn new(capacities: Vec<u8>, groups: &[usize], quotas: &[usize], limit: u64) -> Option<Self> {
        let men: usize = quotas.iter().sum();
        let stride = men + 2;
        // How many men must be left where a group begins.
        let mut fixed = vec![None; capacities.len() + 1];
        let (mut class, mut left) = (0, men);
        for (classes, quota) in groups.iter().zip(quotas) {
            fixed[class] = Some(left);
            (class, left) = (class + classes, left - quota);
        }
        let classes = capacities.len();
        // ways[i][r]: the number of ways to distribute r men over the classes from i on.
        let mut ways = vec![vec![0u64; stride]; classes + 1];
        ways[classes][0] = 1;
        let margin = stride + 1;
        let mut fewer = vec![0u32; classes * stride * stride + 2 * margin];
        for i in (0..classes).rev() {
            for r in 0..=men {
                let mut sum = 0u64;
                for v in 0..stride {
                    fewer[margin + (i * stride + r) * stride + v] = u32::try_from(sum).unwrap_or(u32::MAX);
                    if v <= r && v <= usize::from(capacities[i]) {
                        sum = sum.saturating_add(ways[i + 1][r - v]);
                    }
                }
                ways[i][r] = if fixed[i].is_none_or(|f| f == r) { sum } else { 0 };
            }
        }
        let count = ways[0][men];
        let all = (0..).zip(&capacities).fold(0, |all, (class, &capacity)| all | u32::from(capacity > 0) << class);
        (count <= limit.min(u64::from(u32::MAX) - 1)).then_some(Self {
            men,
            capacities,
            fewer,
            count: count as u32,
            all,
        })
    }

    /// How many histograms there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// How many men each histogram has.
    #[must_use]
    pub(crate) fn men(&self) -> usize {
        self.men
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.capacities.len()
    }

    /// The capacity of each class.
    #[must_use]
    pub(crate) fn capacities(&self) -> &[u8] {
        &self.capacities
    }

    /// The set of classes with room for another man.
    #[inline(always)]
    #[must_use]
    pub(crate) fn room(&self, histogram: &[u8]) -> u32 {
        let classes = histogram.iter().zip(&self.capacities).enumerate();
        classes.fold(0, |room, (class, (men, capacity))| room | u32::from(men < capacity) << class)
    }

    /// Where [`Self::fewer`] with so many men left begins.
    #[inline(always)]
    fn place(&self, class: usize, left: usize) -> usize {
        let stride = self.men + 2;
        stride + 1 + (class * stride + left) * stride
    }

    #[inline(always)]
    fn fewer(&self, class: usize, left: usize, men: usize) -> u32 {
        self.fewer[self.place(class, left) + men]
    }

    /// By number of men in the class, [`Self::fewer`] with so many men left.
    #[inline(always)]
    fn fewer_from(&self, class: usize, left: usize) -> &[u32] {
        &self.fewer[self.place(class, left)..][..self.men + 2]
    }

    /// The rank of a histogram.
    #[inline]
    #[must_use]
    pub fn rank(&self, histogram: &[u8]) -> u32 {
        self.rank_of(histogram.iter().copied())
    }

    /// The rank of the histogram with so many men in each class.
    #[inline]
    #[must_use]
    pub(crate) fn rank_of(&self, histogram: impl Iterator<Item = u8>) -> u32 {
        let (mut rank, mut left) = (0, self.men);
        for (class, men) in histogram.enumerate() {
            rank += self.fewer(class, left, usize::from(men));
            left -= usize::from(men);
        }
        rank
    }

    /// What the classes from `first` on with so many men add to a rank, where `left` men stand in these classes and
    /// later ones.
    #[must_use]
    pub(crate) fn rank_from(&self, first: usize, mut left: usize, men: &[u8]) -> u32 {
        let mut rank = 0;
        for (class, &men) in (first..).zip(men) {
            rank += self.fewer(class, left, usize::from(men));
            left -= usize::from(men);
        }
        rank
    }

    /// Writes the histogram of that rank into `histogram`: the direct way, with which tests compare
    /// [`IncrementalUnranking`].
    #[cfg(test)]
    fn unrank(&self, rank: u32, histogram: &mut [u8]) {
        let (mut rest, mut left) = (rank, self.men);
        for (class, men) in histogram.iter_mut().enumerate() {
            let mut v = 0;
            while v < left && self.fewer(class, left, v + 1) <= rest && v < usize::from(self.capacities[class]) {
                v += 1;
            }
            rest -= self.fewer(class, left, v);
            left -= v;
            *men = v as u8;
        }
    }
}

/// Unranks ascending ranks; the prefix that two consecutive histograms share is not computed again.
#[derive(Clone, Debug)]
pub struct IncrementalUnranking {
    /// Twice as long as any, so that as many zeros as there are classes may be written from any class on.
    histogram: [u8; 2 * MAX_CLASSES],
    /// For each class up to the last that has a man: the men left, and the least rank of a histogram that agrees in all
    /// classes before.
    left: [u8; MAX_CLASSES + 1],
    least: [u32; MAX_CLASSES + 1],
    classes: usize,
    rank: u32,
    /// The first class that the last step computed again.
    changed: usize,
    /// The classes that have a man.
    occupied: u32,
    /// The classes with room for another.
    room: u32,
}

impl IncrementalUnranking {
    /// Space for the histograms of `space`.
    #[must_use]
    pub fn new(space: &Histograms) -> Self {
        Self {
            histogram: [0; 2 * MAX_CLASSES],
            left: [space.men as u8; MAX_CLASSES + 1],
            least: [0; MAX_CLASSES + 1],
            classes: space.classes(),
            rank: u32::MAX,
            changed: 0,
            occupied: 0,
            room: 0,
        }
    }

    /// The histogram of that rank.
    #[inline(always)]
    pub fn to(&mut self, space: &Histograms, rank: u32) -> &[u8] {
        let mut class = 0;
        if rank >= self.rank {
            // No man is left after the last class that has one.
            class = (u32::BITS - self.occupied.leading_zeros()) as usize;
            while class > 0 {
                class -= 1;
                // All men left, or fewer: every histogram that continues this prefix.
                if rank - self.least[class] < space.fewer(class, usize::from(self.left[class]), space.men + 1) {
                    break;
                }
            }
        }
        (self.rank, self.changed) = (rank, class);
        let (mut left, mut least) = (usize::from(self.left[class]), self.least[class]);
        let before = (1 << class) - 1;
        let (mut occupied, mut with_room) = (self.occupied & before, self.room & before);
        while class < self.classes && left > 0 {
            let capacity = usize::from(space.capacities[class]);
            let fewer = space.fewer_from(class, left);
            let (room, rest) = (left.min(capacity), rank - least);
            let mut men = 0;
            while men < room && fewer[men + 1] <= rest {
                men += 1;
            }
            self.histogram[class] = men as u8;
            occupied |= u32::from(men > 0) << class;
            with_room |= u32::from(men < capacity) << class;
            left -= men;
            least += fewer[men];
            class += 1;
            (self.left[class], self.least[class]) = (left as u8, least);
        }
        with_room |= space.all & !((1u64 << class) - 1) as u32;
        self.histogram[class..][..MAX_CLASSES].fill(0);
        (self.occupied, self.room) = (occupied, with_room);
        &self.histogram[..self.classes]
    }

    /// The histogram that [`Self::to`] has returned last, and the first class in which it may differ from the one
    /// before.
    #[inline]
    #[must_use]
    pub fn last(&self) -> (&[u8], usize) {
        (&self.histogram[..self.classes], self.changed)
    }

    /// The classes of that histogram that have a man, and those with room for another.
    #[inline]
    #[must_use]
    pub(crate) fn occupied_and_room(&self) -> (u32, u32) {
        (self.occupied, self.room)
    }
}

/// The ranks of all histograms that differ from a given one by one man's move, each by two additions.
///
/// Moving a man from class a to class b changes the number of men left only between the two. So the new rank follows
/// from prefix sums of `fewer`: those of the histogram itself, and those with one man more or fewer left. The terms of
/// either class are put together once for each class, not for each pair.
#[derive(Clone, Debug)]
pub struct NeighbourRanks {
    left: [u8; MAX_CLASSES + 1],
    /// Prefix sums of `fewer(i, left_i, h_i)`, and the same with one man more and one man fewer left.
    same: Sums,
    more: Sums,
    less: Sums,
    rank: u32,
    /// By class, what the rank gains when a man leaves it for a later class, comes from an earlier one, leaves for an earlier one, or
    /// comes from a later one.
    leaves_up: Sums,
    comes_up: Sums,
    leaves_down: Sums,
    comes_down: Sums,
}

type Sums = [u32; MAX_CLASSES + 1];

impl NeighbourRanks {
    /// Space for the neighbourhood of histograms of `space`.
    #[must_use]
    pub fn new(space: &Histograms) -> Self {
        let zeros = [0; MAX_CLASSES + 1];
        Self {
            left: [space.men as u8; MAX_CLASSES + 1],
            same: zeros,
            more: zeros,
            less: zeros,
            rank: 0,
            leaves_up: zeros,
            comes_up: zeros,
            leaves_down: zeros,
            comes_down: zeros,
        }
    }

    /// Prepares for the neighbours of `histogram`; returns its rank.
    #[inline(always)]
    pub fn enter(&mut self, space: &Histograms, histogram: &[u8]) -> u32 {
        self.enter_from(space, histogram, 0)
    }

    /// The same, where the classes before `first` have as many men as in the histogram entered last.
    #[inline(always)]
    pub fn enter_from(&mut self, space: &Histograms, histogram: &[u8], first: usize) -> u32 {
        let stride = space.men + 2;
        let mut left = usize::from(self.left[first]);
        for (i, &men) in histogram.iter().enumerate().skip(first) {
            let m = usize::from(men);
            self.left[i] = left as u8;
            // `fewer(i, left, m)` in the middle. Entries that belong to another class are read only where no man can
            // leave, come, or be left, and are never used.
            let at = (i * stride + left) * stride + m;
            let around = &space.fewer[at..at + 2 * stride + 3];
            let (same, more, less) = (self.same[i], self.more[i], self.less[i]);
            self.same[i + 1] = same.wrapping_add(around[stride + 1]);
            self.more[i + 1] = more.wrapping_add(around[2 * stride + 1]);
            self.less[i + 1] = less.wrapping_add(around[1]);
            self.leaves_up[i] = same.wrapping_add(around[stride]).wrapping_sub(self.more[i + 1]);
            self.comes_up[i] = more.wrapping_add(around[2 * stride + 2]).wrapping_sub(self.same[i + 1]);
            self.leaves_down[i] = less.wrapping_add(around[0]).wrapping_sub(self.same[i + 1]);
            self.comes_down[i] = same.wrapping_add(around[stride + 2]).wrapping_sub(self.less[i + 1]);
            left -= m;
        }
        self.left[histogram.len()] = left as u8;
        self.rank = self.same[histogram.len()];
        self.rank
    }

    /// The rank after a man of class `a` has gone to class `b`, which must have room for him.
    #[inline(always)]
    #[must_use]
    pub fn moved(&self, a: usize, b: usize) -> u32 {
        let change = match a.cmp(&b) {
            std::cmp::Ordering::Less => self.leaves_up[a].wrapping_add(self.comes_up[b]),
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => self.leaves_down[a].wrapping_add(self.comes_down[b]),
        };
        self.rank.wrapping_add(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::{Bands, Partition};
    use proptest::prelude::*;

    #[test]
    fn the_diagonals_of_the_9x9_board_have_the_published_number_of_histograms() {
        let centroid: Vec<i32> = (0..81).map(|c| c % 9 + c / 9 - 8).collect();
        let partition = Partition::new(&centroid, &Bands::finest(&centroid, &[0; 81]), None, &[0; 81]).unwrap();
        assert_eq!(partition.classes(), 17);
        let space = |men, limit| Histograms::new(partition.capacities(), &partition.groups, &[men], limit);
        let count = |men| space(men, u64::MAX).map(|h| h.count());
        assert_eq!((count(10), count(15)), (Some(3_335_433), Some(111_323_149)));
        assert!(space(15, 1 << 20).is_none());
    }

    proptest! {
        #[test]
        fn histograms_and_ranks_are_inverse_and_neighbours_are_right(
            capacities in proptest::collection::vec(0u8..4, 2..6), men in 1usize..6, second in 0usize..3
        ) {
            let men = men + second;
            // The last class may be a group of its own.
            let (groups, quotas) = if second == 0 {
                (vec![capacities.len()], vec![men])
            } else {
                (vec![capacities.len() - 1, 1], vec![men - second, second])
            };
            let Some(space) = Histograms::new(capacities.clone(), &groups, &quotas, u64::MAX) else { return Ok(()) };
            let mut h = vec![0; capacities.len()];
            let mut around = NeighbourRanks::new(&space);
            let mut before: Option<Vec<u8>> = None;
            for rank in 0..space.count() as u32 {
                space.unrank(rank, &mut h);
                prop_assert_eq!(h.iter().map(|&m| usize::from(m)).sum::<usize>(), men);
                prop_assert!(h.iter().zip(&capacities).all(|(m, c)| m <= c));
                prop_assert!(before.is_none_or(|b| b < h));
                prop_assert_eq!(space.rank(&h), rank);
                prop_assert_eq!(around.enter(&space, &h), rank);
                for a in (0..h.len()).filter(|&a| h[a] > 0) {
                    let group = |class: usize| second > 0 && class == h.len() - 1;
                    for b in (0..h.len()).filter(|&b| b != a && h[b] < capacities[b] && group(a) == group(b)) {
                        let mut moved = h.clone();
                        moved[a] -= 1;
                        moved[b] += 1;
                        prop_assert_eq!(around.moved(a, b), space.rank(&moved));
                    }
                }
                before = Some(h.clone());
            }
            let (mut unranking, mut after) = (IncrementalUnranking::new(&space), NeighbourRanks::new(&space));
            for rank in (0..space.count() as u32).step_by(3) {
                unranking.to(&space, rank);
                let (h, first) = unranking.last();
                let occupied = (0..h.len()).filter(|&class| h[class] > 0).fold(0, |set, class| set | 1 << class);
                prop_assert_eq!(unranking.occupied_and_room(), (occupied, space.room(h)));
                prop_assert_eq!(after.enter_from(&space, h, first), rank);
                around.enter(&space, h);
                for (a, b) in (0..h.len()).flat_map(|a| (0..h.len()).map(move |b| (a, b))).filter(|&(a, _)| h[a] > 0) {
                    prop_assert!(h[b] == capacities[b] || after.moved(a, b) == around.moved(a, b));
                }
            }
            // Upward in steps, and back to the beginning.
            let mut unranking = IncrementalUnranking::new(&space);
            for step in [1, 2, 3, 7, 50] {
                for rank in (0..space.count() as u32).step_by(step) {
                    space.unrank(rank, &mut h);
                    prop_assert_eq!(unranking.to(&space, rank), &h[..]);
                }
            }
        }
    }
}
