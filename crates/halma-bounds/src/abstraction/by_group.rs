//! Histograms by groups of classes. If no man leaves his group, the numbers of men in the classes of a group are a
//! histogram of their own, with a rank among those of the group. The rank of a whole histogram is a number of mixed
//! radix: its digits are the ranks within the groups.

use super::Abstraction;
use super::group::{GROUPS, Group, GroupRanks};
use super::move_lists::{Change, MoveLists};

/// The groups, and the moves within each.
#[derive(Debug)]
pub(crate) struct ByGroup {
    groups: Vec<Group>,
    /// By group.
    lists: Vec<MoveLists>,
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
            let group = Group::new(abstraction, first..first + classes, quota, stride)?;
            (first, stride) = (group.classes.end, group.stride);
            groups.push(group);
        }
        assert_eq!(stride, 1, "there are as many histograms as combinations of those of the groups");
        if let Some(mirrored) = mirrored {
            let images =
                groups.iter().map(|group| group.images_under(mirrored, &groups)).collect::<Option<Vec<_>>>()?;
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
