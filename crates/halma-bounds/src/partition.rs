//! Partitions of the cells into classes: bands of centroids, as fine as a pattern database may be.

use halma_record::job::Weights;

pub use halma_record::job::pruning::MAX_CLASSES;

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
    /// By cell: the value of its class.
    #[must_use]
    pub fn values_of_cells(&self) -> Vec<i32> {
        self.class_of.iter().map(|&class| self.values[usize::from(class)]).collect()
    }

    /// Cells in the same band and the same group share a class, and no others do. Where only jumps are allowed, a group is the
    /// cells of one type. `None` where that makes too many classes. Values are `weights`, or else centroids.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
