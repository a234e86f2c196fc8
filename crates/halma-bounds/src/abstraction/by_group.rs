//! Histograms by groups of classes. If no man leaves his group, the numbers of men in the classes of a group are a
//! histogram of their own, with a rank among those of the group. The rank of a whole histogram is a number of mixed
//! radix: its digits are the ranks within the groups.

use std::ops::Range;

use super::Abstraction;
use super::move_lists::{Change, MoveLists};
use crate::histogram::{Histograms, IncrementalUnranking};

/// The most groups: there are four types of cells.
pub(super) const GROUPS: usize = 4;

/// The most histograms of a group. For more of them the lists would take too much memory.
const MOST_OF_GROUP: u64 = 1 << 14;

/// For each group the rank of its own histogram; 0 for groups that there are not.
pub(super) type GroupRanks = [usize; GROUPS];

/// The groups, and the moves within each.
#[derive(Debug)]
pub(crate) struct ByGroup {
    groups: Vec<Group>,
    /// By group.
    lists: Vec<MoveLists>,
}

/// The histograms of one group.
#[derive(Debug)]
pub(super) struct Group {
    /// The classes of the group.
    pub(super) classes: Range<usize>,
    pub(super) space: Histograms,
    /// What the next rank of the group adds to the rank of a whole histogram: the product of the counts of later groups.
    pub(super) stride: u32,
    /// By rank: how many men stand in each class.
    pub(super) men: Vec<Vec<u8>>,
    /// By rank: the sum of the values of the men's classes.
    pub(super) centroids: Vec<i32>,
    /// By rank: what the mirror image adds to the rank of a whole mirror image. Empty if there is no mirror.
    images: Vec<u32>,
}

impl ByGroup {
    /// `None` where men may step, where there is one group, where a man may jump over one of his group, where the mirror does not map
    /// groups to groups, and where it takes too much memory.
    pub(super) fn new(abstraction: &Abstraction) -> Option<Self> {
        let Abstraction { partition, quotas, steps, space, mirrored, .. } = abstraction;
        if !(2..=GROUPS).contains(&partition.groups.len()) || steps.iter().any(|&steps| steps != 0) {
            return None;
        }
        let (mut first, mut stride, mut groups) = (0, space.count() as u32, Vec::new());
        for (&classes, &quota) in partition.groups.iter().zip(quotas) {
            let classes = first..first + classes;
            first = classes.end;
            let capacities = space.capacities()[classes.clone()].to_vec();
            let space = Histograms::new(capacities, &[classes.len()], &[quota], MOST_OF_GROUP)?;
            stride = stride.checked_div(space.count() as u32)?;
            let mut unranking = IncrementalUnranking::new(&space);
            let men: Vec<Vec<u8>> = (0..space.count() as u32).map(|rank| unranking.to(&space, rank).to_vec()).collect();
            let values = &partition.values[classes.clone()];
            let centroid = |men: &Vec<u8>| men.iter().zip(values).map(|(&men, value)| i32::from(men) * value).sum();
            let centroids = men.iter().map(centroid).collect();
            groups.push(Group { classes, space, stride, men, centroids, images: Vec::new() });
        }
        debug_assert_eq!(stride, 1, "there are as many histograms as combinations of those of the groups");
        if let Some(mirrored) = mirrored {
            let images = groups.iter().map(|group| group.images(&groups, mirrored)).collect::<Option<Vec<_>>>()?;
            groups.iter_mut().zip(images).for_each(|(group, images)| group.images = images);
        }
        let lists = groups.iter().map(|group| MoveLists::new(abstraction, &groups, group)).collect::<Option<_>>()?;
        Some(Self { groups, lists })
    }

    /// The ranks within the groups of the histogram of that rank.
    #[inline(always)]
    pub(super) fn split(&self, rank: u32) -> GroupRanks {
        let (mut ranks, mut rest) = ([0; GROUPS], rank);
        for (own, group) in ranks.iter_mut().zip(&self.groups) {
            *own = (rest / group.stride) as usize;
            rest %= group.stride;
        }
        ranks
    }

    /// The sum of the men's class values.
    #[inline(always)]
    pub(super) fn centroid(&self, ranks: &GroupRanks) -> i32 {
        self.groups.iter().zip(ranks).map(|(group, &own)| group.centroids[own]).sum()
    }

    /// The rank of the mirror image. Call it only if there is a mirror.
    #[inline]
    pub(super) fn mirror_rank(&self, rank: u32) -> u32 {
        self.groups.iter().zip(self.split(rank)).map(|(group, own)| group.images[own]).sum()
    }

    /// For each group: what the abstract moves of its men change, in order of gain.
    #[inline(always)]
    pub(super) fn moves(&self, ranks: GroupRanks) -> impl Iterator<Item = &[Change]> {
        let lists = self.groups.iter().zip(&self.lists).zip(ranks);
        lists.map(move |((group, lists), own)| lists.of(group, &ranks, own))
    }

    /// The centroid of a histogram, and for each group the most that one of its men can add to it by an abstract move.
    #[inline(always)]
    pub(crate) fn gains(&self, rank: u32) -> (i32, impl Iterator<Item = i32>) {
        let ranks = self.split(rank);
        let most = |moves: &[Change]| moves.last().map(|change| change.gain);
        (self.centroid(&ranks), self.moves(ranks).filter_map(most))
    }
}

impl Group {
    /// [`Self::images`] of this group; `None` if the mirror does not map it to a whole group with as many men.
    fn images(&self, groups: &[Self], mirrored: &[u8]) -> Option<Vec<u32>> {
        let image_of = |class: usize| usize::from(mirrored[class]);
        let there = groups.iter().find(|there| there.classes.contains(&image_of(self.classes.start)))?;
        let is_whole = there.classes.len() == self.classes.len()
            && there.space.men() == self.space.men()
            && there.classes.clone().all(|class| self.classes.contains(&image_of(class)));
        let image = |men: &Vec<u8>| {
            let men = there.classes.clone().map(|class| men[image_of(class) - self.classes.start]);
            there.space.rank_of(men) * there.stride
        };
        is_whole.then(|| self.men.iter().map(image).collect())
    }
}
