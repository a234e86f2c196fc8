//! The histograms of one group of classes.

use std::ops::Range;

use super::Abstraction;
use crate::histogram::{Histograms, IncrementalUnranking};

/// The most groups: there are four types of cells.
pub(super) const GROUPS: usize = 4;

/// The most histograms of a group. For more of them the lists would take too much memory.
const MOST_OF_GROUP: u64 = 1 << 14;

/// For each group the rank of its own histogram; 0 beyond the last group.
pub(super) type GroupRanks = [usize; GROUPS];

/// The histograms of one group.
#[derive(Debug)]
pub(super) struct Group {
    /// The classes of the group.
    pub(super) classes: Range<usize>,
    pub(super) space: Histograms,
    /// By how much the rank of a whole histogram grows when the rank within this group grows by one: the product of the counts of later
    /// groups.
    pub(super) stride: u32,
    /// By rank: how many men stand in each class.
    pub(super) men: Vec<Vec<u8>>,
    /// By rank: the sum of the values of the men's classes.
    pub(super) centroids: Vec<i32>,
    /// By rank: what this group adds to the rank of the whole mirror image. Empty if there is no mirror.
    pub(super) images: Vec<u32>,
}

impl Group {
    /// With so many men in these classes. `stride` is that of the group before; for the first group the number of all histograms.
    /// `None` where the group has too many histograms.
    pub(super) fn new(abstraction: &Abstraction, classes: Range<usize>, men: usize, stride: u32) -> Option<Self> {
        let capacities = abstraction.space.capacities()[classes.clone()].to_vec();
        let space = Histograms::new(capacities, &[classes.len()], &[men], MOST_OF_GROUP)?;
        let stride = stride.checked_div(space.count() as u32)?;
        let mut unranking = IncrementalUnranking::new(&space);
        let men: Vec<Vec<u8>> = (0..space.count() as u32).map(|rank| unranking.to(&space, rank).to_vec()).collect();
        let values = &abstraction.partition.values[classes.clone()];
        let centroid = |men: &Vec<u8>| men.iter().zip(values).map(|(&men, value)| i32::from(men) * value).sum();
        let centroids = men.iter().map(centroid).collect();
        Some(Self { classes, space, stride, men, centroids, images: Vec::new() })
    }

    /// [`Self::images`] under a mirror of classes; `None` if the mirror does not map its classes one to one to those of a group with
    /// as many men.
    pub(super) fn images_under(&self, mirrored: &[u8], groups: &[Self]) -> Option<Vec<u32>> {
        let image_of = |class: usize| usize::from(mirrored[class]);
        let there = groups.iter().find(|there| there.classes.contains(&image_of(self.classes.start)))?;
        let images_of = |class: usize| there.classes.clone().filter(move |&image| image_of(image) == class).count();
        let is_one_to_one = there.classes.len() == self.classes.len()
            && there.space.men() == self.space.men()
            && self.classes.clone().all(|class| images_of(class) == 1);
        let image = |men: &Vec<u8>| {
            let men = there.classes.clone().map(|class| men[image_of(class) - self.classes.start]);
            there.space.rank_of(men) * there.stride
        };
        is_one_to_one.then(|| self.men.iter().map(image).collect())
    }
}
