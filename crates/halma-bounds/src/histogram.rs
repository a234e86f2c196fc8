//! Histograms: how many men stand in each class of cells. They are ranked 0, 1, 2, ... without gaps, as bounded
//! compositions (Knuth, *The Art of Computer Programming*, 7.2.1.3).

use halma_record::job::Weights;

/// A partition of the cells into classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Class by cell.
    pub class_of: Vec<u8>,
    /// A value for each class, which stands for the centroid of its cells. K keeps it and the mirror negates it,
    /// because classes are symmetric around centroid 0.
    pub values: Vec<i32>,
    /// How many classes each group has, in order. A group is a set of cells that no man ever leaves.
    pub groups: Vec<usize>,
}

pub use halma_record::job::pruning::MAX_CLASSES;

/// The choice of classes: bands of centroids, symmetric around 0, for each kind of group. Groups whose cells have the
/// same values of |centroid| are of one kind, so that K and the mirror map bands to bands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bands {
    /// The kind of each cell's group.
    kind: Vec<usize>,
    /// For each kind, the largest |centroid| in each band, ascending; the first band is around 0.
    tops: Vec<Vec<i32>>,
}

impl Bands {
    /// The finest choice: a band for every centroid.
    #[must_use]
    pub fn finest(centroid: &[i32], group: &[usize]) -> Self {
        let tops_of = |group_here: usize| {
            let here = centroid.iter().zip(group).filter(|&(_, &g)| g == group_here);
            let mut tops: Vec<i32> = here.map(|(v, _)| v.abs()).chain([0]).collect();
            tops.sort_unstable();
            tops.dedup();
            tops
        };
        let mut tops: Vec<Vec<i32>> = Vec::new();
        let mut kind_of = |group: usize| {
            let own = tops_of(group);
            tops.iter().position(|t| *t == own).unwrap_or_else(|| {
                tops.push(own);
                tops.len() - 1
            })
        };
        let kinds: Vec<usize> = (0..group.iter().max().map_or(0, |m| m + 1)).map(&mut kind_of).collect();
        Self { kind: group.iter().map(|&g| kinds[g]).collect(), tops }
    }

    /// One band fewer: the two adjacent bands with the fewest cells together are merged, the outermost such pair if
    /// there are several. Few cells lie where men begin and end their ways, and little precision is lost there. `None`
    /// if no two bands can be merged.
    #[must_use]
    pub fn coarser(&self, centroid: &[i32]) -> Option<Self> {
        let cells = |&(kind, first): &(usize, usize)| {
            let tops = &self.tops[kind];
            let least = first.checked_sub(1).map_or(-1, |before| tops[before]);
            let within = |(v, k): &(&i32, &usize)| **k == kind && v.abs() > least && v.abs() <= tops[first + 1];
            let within = centroid.iter().zip(&self.kind).filter(within).count();
            // Around 0 both sides become one class.
            if first == 0 { 2 * within } else { within }
        };
        let pairs = (0..self.tops.len()).flat_map(|kind| (0..self.tops[kind].len() - 1).rev().map(move |i| (kind, i)));
        let (kind, first) = pairs.min_by_key(cells)?;
        let mut coarser = self.clone();
        coarser.tops[kind].remove(first);
        Some(coarser)
    }

    /// The band of a cell with that centroid: negative before 0, 0 around it, positive beyond.
    fn of(&self, cell: usize, centroid: i32) -> i32 {
        centroid.signum() * self.tops[self.kind[cell]].partition_point(|&top| top < centroid.abs()) as i32
    }
}

impl Partition {
    /// Cells in the same band and the same group share a class. (Where only jumps are allowed the groups are the cells
    /// of one type.) `None` where that makes too many classes. Values are `weights`, or else
    /// centroids.
    #[must_use]
    pub fn new(centroid: &[i32], bands: &Bands, weights: Option<&Weights>, group: &[usize]) -> Option<Self> {
        let label = |cell: usize| (group[cell], bands.of(cell, centroid[cell]));
        let mut labels: Vec<_> = (0..centroid.len()).map(label).collect();
        labels.sort_unstable();
        labels.dedup();
        let class_of: Vec<_> = (0..centroid.len()).map(|c| labels.partition_point(|&l| l < label(c))).collect();
        let groups = labels.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect();
        // The least |centroid| of a band, so that a class of a single centroid has that value.
        let least =
            |class: usize| class_of.iter().zip(centroid).filter(|&(&c, _)| c == class).map(|(_, v)| v.abs()).min();
        let value = |(class, &(_, band)): (usize, &(usize, i32))| {
            let centroid = band.signum() * least(class).unwrap_or(0);
            weights.map_or(centroid, |weights| weights.of(centroid))
        };
        let values = labels.iter().enumerate().map(value).collect();
        let class_of = class_of.iter().map(|&class| class as u8).collect();
        (labels.len() <= MAX_CLASSES).then_some(Self { class_of, values, groups })
    }

    /// How many of these cells lie in each group.
    #[must_use]
    pub(crate) fn quotas(&self, cells: &[usize]) -> Vec<usize> {
        let mut first = 0;
        let counts = self.groups.iter().map(|classes| {
            let group = first..first + classes;
            first = group.end;
            cells.iter().filter(|&&c| group.contains(&usize::from(self.class_of[c]))).count()
        });
        counts.collect()
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.values.len()
    }

    /// How many cells each class has.
    #[must_use]
    pub fn capacities(&self) -> Vec<u8> {
        let mut capacities = vec![0u8; self.classes()];
        for &class in &self.class_of {
            capacities[usize::from(class)] = capacities[usize::from(class)].saturating_add(1);
        }
        capacities
    }
}

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

    #[inline(always)]
    fn fewer(&self, class: usize, left: usize, men: usize) -> u32 {
        let stride = self.men + 2;
        self.fewer[stride + 1 + (class * stride + left) * stride + men]
    }

    /// By number of men in the class, [`Self::fewer`] with so many men left.
    #[inline(always)]
    fn fewer_from(&self, class: usize, left: usize) -> &[u32] {
        let stride = self.men + 2;
        &self.fewer[stride + 1 + (class * stride + left) * stride..][..stride]
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

    #[test]
    fn bands_are_the_same_on_both_sides_and_classes_of_few_cells_are_merged_first() {
        let centroid: Vec<i32> = (0..81).map(|c| c % 9 + c / 9 - 8).collect();
        let (mut bands, mut tops) = (Some(Bands::finest(&centroid, &[0; 81])), Vec::new());
        while let Some(now) = bands {
            for cap in [1, 4, 8] {
                let weights = Some(Weights::Cap(cap));
                let partition = Partition::new(&centroid, &now, weights.as_ref(), &[0; 81]).unwrap();
                let (values, capacities) = (&partition.values, partition.capacities());
                assert!(values.iter().eq(values.iter().rev().map(|v| -v).collect::<Vec<_>>().iter()), "{values:?}");
                assert!(capacities.iter().eq(capacities.iter().rev()), "{capacities:?}");
                assert_eq!(
                    values.iter().max(),
                    now.tops[0].iter().nth_back(1).map(|top| cap.min(top + 1)).as_ref().or(Some(&0))
                );
            }
            bands = now.coarser(&centroid);
            tops.push(now.tops[0].clone());
        }
        assert_eq!(
            tops[..3],
            [vec![0, 1, 2, 3, 4, 5, 6, 7, 8], vec![0, 1, 2, 3, 4, 5, 6, 8], vec![0, 1, 2, 3, 4, 5, 8]]
        );
        assert_eq!((tops.len(), &tops[8][..]), (9, &[8][..]));
    }

    #[test]
    fn the_bands_of_fewest_cells_are_merged_and_around_0_those_of_both_sides_count() {
        // By |centroid|, how many cells: 3, 2, 6, 4, 10, 4.
        let centroid: Vec<i32> = [(0, 3), (1, 2), (-2, 6), (3, 4), (4, 10), (-5, 4)]
            .into_iter()
            .flat_map(|(value, cells)| vec![value; cells])
            .collect();
        let bands = std::iter::successors(Some(Bands::finest(&centroid, &[0; 29])), |b| b.coarser(&centroid));
        let tops: Vec<Vec<i32>> = bands.map(|b| b.tops[0].clone()).collect();
        let expected: [&[i32]; 6] = [&[0, 1, 2, 3, 4, 5], &[0, 2, 3, 4, 5], &[0, 3, 4, 5], &[0, 3, 5], &[0, 5], &[5]];
        assert_eq!(tops, expected);
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
