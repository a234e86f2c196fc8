//! Histograms as a product. If no man leaves his group of classes, a histogram is one part for each group: the numbers
//! of men in the classes of that group. The parts of a group are numbered in order, and the rank of a histogram is a
//! sum over its parts.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::Abstraction;
use super::jump_lists::{Crossings, Jump, JumpLists};
use crate::histogram::{Histograms, IncrementalUnranking};

/// The most groups: there are four types of cells.
pub(super) const GROUPS: usize = 4;

/// Larger groups are not worth the memory of what is known of each part.
const MOST_PARTS: u64 = 1 << 14;

/// The number of a part for each group; 0 for groups that there are not.
pub(super) type Parts = [usize; GROUPS];

/// The parts of each group, and the jumps within it.
#[derive(Debug)]
pub(super) struct ByGroup {
    groups: Vec<Group>,
    crossings: Vec<Crossings>,
    /// The lists that no thread uses at the moment, for all groups.
    unused: Mutex<Vec<Vec<JumpLists>>>,
}

/// The parts of one group.
#[derive(Debug)]
pub(super) struct Group {
    /// The classes of the group.
    pub(super) classes: Range<usize>,
    pub(super) space: Histograms,
    /// What the next part adds to the rank of a histogram.
    pub(super) stride: u32,
    /// The men in its classes, part by part.
    pub(super) men: Vec<Vec<u8>>,
    /// By part: the sum of the values of the men's classes.
    pub(super) centroids: Vec<i32>,
    /// By part: what its mirror image adds to the rank of the mirror image of a histogram. Empty if there is no mirror.
    images: Vec<u32>,
}

impl ByGroup {
    /// `None` if men can leave their groups or jump over men of their own, or if that takes too much memory.
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
            let space = Histograms::new(capacities, &[classes.len()], &[quota], MOST_PARTS)?;
            stride = stride.checked_div(space.count() as u32)?;
            let mut unranking = IncrementalUnranking::new(&space);
            let men: Vec<Vec<u8>> = (0..space.count() as u32).map(|part| unranking.to(&space, part).to_vec()).collect();
            let values = &partition.values[classes.clone()];
            let centroid = |men: &Vec<u8>| men.iter().zip(values).map(|(&men, value)| i32::from(men) * value).sum();
            let centroids = men.iter().map(centroid).collect();
            groups.push(Group { classes, space, stride, men, centroids, images: Vec::new() });
        }
        debug_assert_eq!(stride, 1, "there are as many histograms as combinations of parts");
        if let Some(mirrored) = mirrored {
            let images = groups.iter().map(|group| group.images(&groups, mirrored)).collect::<Option<Vec<_>>>()?;
            groups.iter_mut().zip(images).for_each(|(group, images)| group.images = images);
        }
        let crossings =
            groups.iter().map(|group| Crossings::new(abstraction, &groups, group)).collect::<Option<_>>()?;
        Some(Self { groups, crossings, unused: Mutex::default() })
    }

    /// The parts of the histogram of that rank.
    #[inline(always)]
    pub(super) fn parts(&self, rank: u32) -> Parts {
        let (mut parts, mut rest) = ([0; GROUPS], rank);
        for (part, group) in parts.iter_mut().zip(&self.groups) {
            *part = (rest / group.stride) as usize;
            rest %= group.stride;
        }
        parts
    }

    /// The sum of the men's class values.
    #[inline(always)]
    pub(super) fn centroid(&self, parts: &Parts) -> i32 {
        self.groups.iter().zip(parts).map(|(group, &part)| group.centroids[part]).sum()
    }

    /// The rank of the mirror image. Call it only if there is a mirror.
    #[inline]
    pub(super) fn mirror_rank(&self, rank: u32) -> u32 {
        self.groups.iter().zip(self.parts(rank)).map(|(group, part)| group.images[part]).sum()
    }

    /// Lists of jumps, which go on to who asks next.
    pub(super) fn lists(&self) -> Lists<'_> {
        let unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lists { of: self, lists: unused.unwrap_or_else(|| self.crossings.iter().map(JumpLists::new).collect()) }
    }
}

/// The jumps from one histogram after another.
pub(super) struct Lists<'a> {
    of: &'a ByGroup,
    /// By group.
    lists: Vec<JumpLists>,
}

impl<'a> Lists<'a> {
    /// By group: the abstract moves from the histogram with these parts, in order of gain.
    #[inline(always)]
    pub(super) fn by_group(&mut self, parts: Parts) -> impl Iterator<Item = &[Jump]> {
        let groups = self.of.groups.iter().zip(&self.of.crossings);
        let lists = groups.zip(&mut self.lists).zip(parts);
        lists.map(move |(((group, crossings), lists), part)| lists.of(group, crossings, &parts, part))
    }
}

impl Drop for Lists<'_> {
    fn drop(&mut self) {
        let lists = std::mem::take(&mut self.lists);
        self.of.unused.lock().unwrap_or_else(PoisonError::into_inner).push(lists);
    }
}

/// Centroids, and what one abstract move adds to them.
pub(crate) struct Gains<'a> {
    pub(super) by_group: &'a ByGroup,
    pub(super) lists: Lists<'a>,
}

impl Gains<'_> {
    /// The centroid of a histogram, and for each group the most that one of its men can add to it by an abstract move.
    #[inline(always)]
    pub(crate) fn of(&mut self, rank: u32) -> (i32, impl Iterator<Item = i32>) {
        let parts = self.by_group.parts(rank);
        let most = |jumps: &[Jump]| jumps.last().map(|jump| jump.gain);
        (self.by_group.centroid(&parts), self.lists.by_group(parts).filter_map(most))
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
