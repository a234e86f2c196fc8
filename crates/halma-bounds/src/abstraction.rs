//! The abstraction of the pattern databases (Culberson and Schaeffer 1998): an army is mapped to its histogram, the
//! number of men in each class of cells. The usual pattern keeps some pieces and ignores the
//! others; here all men are kept, and their places are coarser.
//!
//! An abstract move takes one man from his class to another one with room: by a step to a class that has a neighbour of
//! a cell of his class; or by a chain of jumps from class to class, each over a class that still holds a man, and
//! landing in classes with room. Abstract steps and jumps are derived from the lattice's own tables. So every real move
//! maps to an abstract move or keeps the histogram, and abstract distances never exceed real ones (they are
//! admissible).
//!
//! The possible abstract moves depend only on the histogram without the moving man. So they are reversible, as real
//! moves are.

mod by_group;
mod group;
mod move_lists;
mod one_move_away;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;

use halma_engine::search::Stopped;
use halma_rules::lattice::Lattice;

pub use super::distance_table::{FAR, Table, UNREACHED};
use super::frontier::{Frontier, WorkContext};
use super::histogram::{Histograms, IncrementalUnranking};
use super::partition::{MAX_CLASSES, Partition};
use by_group::ByGroup;
use one_move_away::one_move_away;

/// A level with more than one in this many of all histograms is read from the table in order, not sorted.
const SORTED: usize = 32;

/// Stands in a table for what its search does not keep, until the search ends.
const LEFT_OUT: u8 = FAR;

/// Restricts a search in the abstract space; by default it has no restrictions.
pub trait Extent: Sync {
    /// Whether the search keeps the histogram at that distance.
    fn keeps(&self, _rank: u32, _distance: u8) -> bool {
        true
    }

    /// Whether what is not kept at one distance is kept at no larger one. Then the search asks once. All distances must be below
    /// [`FAR`], and all sources in the first set.
    fn asks_once(&self) -> bool {
        false
    }

    /// An upper bound of the centroids of all neighbours that the search keeps and that have no distance yet: they are below it.
    /// Neighbours at or above it are skipped.
    fn below(&self, _rank: u32) -> Option<i32> {
        None
    }
}

/// No restriction.
impl Extent for () {}

/// For each class a set of classes.
type ByClass = [u32; MAX_CLASSES];

/// The abstract jumps that a histogram allows.
#[derive(Clone, Debug)]
pub struct Jumps {
    /// The classes with room for another man.
    room: u32,
    /// By class: where one jump leads, over any class that has a man.
    over_one: ByClass,
    /// By class: where jumps over two different classes lead alike. One of them still has a man if the other's only man
    /// is the mover.
    over_two: ByClass,
}

impl Default for Jumps {
    fn default() -> Self {
        Self { room: 0, over_one: [0; MAX_CLASSES], over_two: [0; MAX_CLASSES] }
    }
}

/// The abstract space: histograms over a partition, and the moves between them.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The classes of cells.
    pub partition: Partition,
    /// Their histograms.
    pub space: Histograms,
    /// How many men each group of classes has.
    quotas: Vec<usize>,
    /// By class: the set of classes one step away.
    steps: Vec<u32>,
    /// By class jumped over, then by class of origin: the set of classes in which the jump may land.
    jumps_over: Vec<ByClass>,
    /// The classes whose men might jump over men of their own class, wherever jumps lead them.
    over_own: u32,
    /// By class: the classes of its group.
    group: Vec<u32>,
    /// By class: its image under the mirror, if there is one.
    mirrored: Option<Vec<u8>>,
    /// The least value of a class.
    least: i32,
    /// The classes with values below the least one, below the next integer, and so on up to all classes.
    below: Vec<u32>,
    /// Lists of moves by group of classes, where there are any.
    by_group: Option<Arc<ByGroup>>,
}

impl Abstraction {
    /// The abstraction of the moves of an army from `start`; `None` where there are more than `limit` histograms.
    #[must_use]
    pub fn new(
        lattice: &Lattice,
        jumps_only: bool,
        partition: Partition,
        mirror: Option<&[u8]>,
        start: &[usize],
        limit: u64,
    ) -> Option<Self> {
        let quotas = partition.quotas(start);
        let space = Histograms::new(partition.capacities(), &partition.groups, &quotas, limit)?;
        let class = |cell: u8| usize::from(partition.class_of[usize::from(cell)]);
        let classes = partition.classes();
        let mut steps = vec![0u32; classes];
        let mut jumps_over = vec![[0; MAX_CLASSES]; classes];
        for cell in 0..lattice.len() {
            let here = class(cell as u8);
            if !jumps_only {
                lattice.neighbours(cell).iter().for_each(|&n| steps[here] |= 1 << class(n));
            }
            for (a, b) in lattice.jumps_over(cell).iter().map(|&(a, b)| (class(a), class(b))).filter(|(a, b)| a != b) {
                jumps_over[here][a] |= 1 << b;
                jumps_over[here][b] |= 1 << a;
            }
        }
        let over_own = (0..classes).filter(|&a| jumps_over_own(&jumps_over, a)).fold(0, |set, a| set | 1 << a);
        let mut group = Vec::new();
        for &size in &partition.groups {
            let members = ((1u64 << size) - 1) << group.len();
            group.extend(std::iter::repeat_n(members as u32, size));
        }
        let mirrored = mirror.map(|mirror| {
            let mut mirrored = vec![0; partition.classes()];
            for (cell, &image) in mirror.iter().enumerate() {
                mirrored[class(cell as u8)] = class(image) as u8;
            }
            mirrored
        });
        let values = &partition.values;
        let classes_below = |v: i32| (0..classes).filter(|&c| values[c] < v).fold(0, |set, c| set | 1 << c);
        let (least, most) = (values.iter().min().copied()?, values.iter().max().copied()?);
        let below = (least..=most + 1).map(classes_below).collect();
        let mut abstraction = Self {
            partition,
            space,
            quotas,
            steps,
            jumps_over,
            over_own,
            group,
            mirrored,
            least,
            below,
            by_group: None,
        };
        abstraction.by_group = ByGroup::new(&abstraction).map(Arc::new);
        Some(abstraction)
    }

    /// A text with everything that abstract distances, and the ranks of histograms, depend on.
    #[must_use]
    pub(crate) fn statement(&self) -> String {
        let Self { partition, space, quotas, steps, jumps_over, mirrored, .. } = self;
        format!("{partition:?} {quotas:?} {:?} {steps:?} {jumps_over:?} {mirrored:?}", space.capacities())
    }

    /// The mirror image of a class. Call it only if there is a mirror.
    #[must_use]
    pub fn mirror_class(&self, class: u8) -> u8 {
        self.mirrored()[usize::from(class)]
    }

    /// Writes the histogram of an army into `histogram`.
    #[inline]
    pub fn histogram(&self, men: &[u8], histogram: &mut [u8]) {
        histogram.fill(0);
        for &cell in men {
            histogram[usize::from(self.partition.class_of[usize::from(cell)])] += 1;
        }
    }

    /// The rank of an army's histogram.
    #[must_use]
    pub fn rank_of(&self, men: &[u8]) -> u32 {
        let mut histogram = vec![0; self.space.classes()];
        self.histogram(men, &mut histogram);
        self.space.rank(&histogram)
    }

    /// What the men of some groups, all of them, add to the rank of a histogram. The rank is the sum over all groups.
    #[must_use]
    pub fn rank_part(&self, men: &[u8]) -> u32 {
        let mut histogram = vec![0; self.space.classes()];
        self.histogram(men, &mut histogram);
        let (mut rank, mut first, mut left) = (0, 0, self.quotas.iter().sum());
        for (&classes, &quota) in self.partition.groups.iter().zip(&self.quotas) {
            let group = &histogram[first..first + classes];
            if group.iter().any(|&men| men > 0) {
                rank += self.space.rank_from(first, left, group);
            }
            (first, left) = (first + classes, left - quota);
        }
        rank
    }

    /// By class: its image under the mirror. Without a mirror it panics: an invented image would prune too much.
    #[inline]
    fn mirrored(&self) -> &[u8] {
        self.mirrored.as_deref().unwrap_or_else(|| unreachable!("there is no mirror"))
    }

    /// The rank of the mirrored histogram. Call it only if there is a mirror.
    #[inline]
    #[must_use]
    pub fn mirror_rank(&self, histogram: &[u8]) -> u32 {
        self.space.rank_of(self.mirror_image(histogram))
    }

    /// Calls `f` with the rank of the mirror image of each of these, in their order; ascending ranks take less time. Call it
    /// only if there is a mirror.
    pub(crate) fn each_mirror_rank(&self, ranks: &[u32], mut f: impl FnMut(u32)) {
        if let Some(by_group) = &self.by_group {
            return ranks.iter().for_each(|&rank| f(by_group.mirror_rank(rank)));
        }
        let mut unranking = IncrementalUnranking::new(&self.space);
        ranks.iter().for_each(|&rank| f(self.mirror_rank(unranking.to(&self.space, rank))));
    }

    /// How many men of the mirrored histogram stand in each class.
    pub(crate) fn mirror_image<'a>(&'a self, histogram: &'a [u8]) -> impl Iterator<Item = u8> + 'a {
        self.mirrored().iter().map(|&image| histogram[usize::from(image)])
    }

    /// The sum of the men's class values: the abstract centroid.
    #[must_use]
    pub fn centroid(&self, histogram: &[u8]) -> i32 {
        histogram.iter().zip(&self.partition.values).map(|(&m, v)| i32::from(m) * v).sum()
    }

    /// Lists of moves by group of classes, where there are any.
    pub(crate) fn by_group(&self) -> Option<&ByGroup> {
        self.by_group.as_deref()
    }

    /// The set of classes with values below `value`.
    #[inline(always)]
    fn classes_below(&self, value: i32) -> u32 {
        self.below[(value - self.least).clamp(0, self.below.len() as i32 - 1) as usize]
    }

    /// The set of classes in which men of class `a` may ever stand.
    #[inline]
    #[must_use]
    pub fn group(&self, a: usize) -> u32 {
        self.group[a]
    }

    /// Those of them with values of at least `value`.
    #[inline]
    pub(crate) fn group_from(&self, a: usize, value: i32) -> u32 {
        self.group[a] & !self.classes_below(value)
    }

    /// Computes the jumps that the histogram allows.
    #[inline(always)]
    pub fn jumps(&self, histogram: &[u8], jumps: &mut Jumps) {
        let occupied = (0..).zip(histogram).fold(0, |set, (class, &men)| set | u32::from(men > 0) << class);
        self.jumps_of(occupied, self.space.room(histogram), jumps);
    }

    /// The same, from the classes that have a man and those with room for another.
    #[inline(always)]
    fn jumps_of(&self, mut occupied: u32, room: u32, jumps: &mut Jumps) {
        jumps.room = room;
        let mut over_one = [0; MAX_CLASSES];
        let mut next = || {
            let class = occupied.trailing_zeros() as usize;
            occupied &= occupied.wrapping_sub(1);
            self.jumps_over.get(class)
        };
        if self.over_own == 0 {
            // Then it does not matter how many men a jump may go over.
            while let Some(to) = next() {
                over_one = std::array::from_fn(|class| over_one[class] | to[class]);
            }
            jumps.over_one = over_one;
            return;
        }
        let mut over_two = [0; MAX_CLASSES];
        while let Some(to) = next() {
            over_two = std::array::from_fn(|class| over_two[class] | over_one[class] & to[class]);
            over_one = std::array::from_fn(|class| over_one[class] | to[class]);
        }
        (jumps.over_one, jumps.over_two) = (over_one, over_two);
    }

    /// The set of classes, other than `a`, to which a man of class `a` can go in one abstract move. `jumps` are those
    /// that the histogram allows.
    #[inline(always)]
    #[must_use]
    pub fn targets(&self, histogram: &[u8], jumps: &Jumps, a: usize) -> u32 {
        (self.landings(histogram, jumps, a) | self.steps[a] & jumps.room) & !(1 << a)
    }

    /// Where jumps lead a man of class `a`, and that class itself.
    #[inline(always)]
    fn landings(&self, histogram: &[u8], jumps: &Jumps, a: usize) -> u32 {
        if self.over_own >> a & 1 == 0 {
            return reached_from(a, |class| jumps.over_one[class] & jumps.room);
        }
        // Moves are judged without the mover, whose class may be empty then.
        let missing = if histogram[a] == 1 { &self.jumps_over[a] } else { &[0; MAX_CLASSES] };
        reached_from(a, |class| (jumps.over_two[class] | jumps.over_one[class] & !missing[class]) & jumps.room)
    }

    /// Those of `classes` whose men land in the same classes as the men of `a`: jumps lead there and back, if they go
    /// over no man of the mover's class and the class has room. `landings` are those of `a`, one of `classes`.
    #[inline(always)]
    fn alike(&self, jumps: &Jumps, a: usize, landings: u32, classes: u32) -> u32 {
        let two_way = jumps.room & !self.over_own;
        if two_way >> a & 1 == 0 { 1 << a } else { landings & two_way & classes }
    }

    /// Breadth-first search: the number of abstract moves from each histogram to the nearest of `sources`, through
    /// histograms that `within` keeps at their distance, up to `limit` moves. [`UNREACHED`] elsewhere; a distance too
    /// large for a byte is [`FAR`], which is admissible. The sources come in sets: to the distances from the set at index
    /// k, k moves are added. Each process has a part of every set.
    ///
    /// # Errors
    /// Where one of the processes has to stop.
    pub fn distances(
        &self,
        sources: &[Vec<u32>],
        limit: u32,
        within: &impl Extent,
        context: WorkContext,
    ) -> Result<Table, Stopped> {
        // A later source that was left out could not be entered.
        assert!(sources.len() <= 1 || !within.asks_once(), "there are {} sets of sources", sources.len());
        let table = Table::new(self.space.count());
        let mut frontier = Frontier { own: Vec::new(), is_empty: true };
        let mut later = sources.iter();
        for d in 0..=limit.min(u32::from(FAR)) as u8 {
            let new = later.next().map_or(&[][..], |set| set);
            frontier = self.advance_with(&table, &frontier, new, d, within, context)?;
            if frontier.is_empty && later.len() == 0 {
                break;
            }
        }
        if within.asks_once() {
            table.forget(LEFT_OUT);
        }
        let is_whole = frontier.is_empty && later.len() == 0;
        table.completed_to(if is_whole { u32::MAX } else { limit });
        if limit > u32::from(FAR) && !is_whole {
            table.fill_far();
        }
        Ok(table)
    }

    /// One level of that search: enters the distance `d` for the histograms one abstract move from `frontier` that have
    /// none yet and that `within` keeps; returns them as the next frontier.
    ///
    /// # Errors
    /// Where one of the processes has to stop; the table is then invalid.
    pub fn advance(
        &self,
        table: &Table,
        frontier: &Frontier,
        d: u8,
        within: &impl Extent,
        context: WorkContext,
    ) -> Result<Frontier, Stopped> {
        self.advance_with(table, frontier, &[], d, within, context)
    }

    /// The same, with histograms that have this distance if they have none yet.
    fn advance_with(
        &self,
        table: &Table,
        frontier: &Frontier,
        new: &[u32],
        d: u8,
        within: &impl Extent,
        context: WorkContext,
    ) -> Result<Frontier, Stopped> {
        let expand = |ranks: &[u32]| -> Result<Vec<u32>, Stopped> {
            context.cancel.check()?;
            Ok(one_move_away(self, table, ranks, d, within))
        };
        let entered = frontier.own_parts().map(expand).collect::<Result<Vec<_>, _>>();
        let entered = entered.map(|mut parts| {
            parts.push(new.iter().copied().filter(|&rank| table.claim(rank, d)).collect());
            let many = parts.iter().map(Vec::len).sum::<usize>() > self.space.count() / SORTED;
            // The table has them in order, but also those of other processes.
            if many && !context.exchange.is_shared() { table.at(d) } else { parts.concat() }
        });
        context.join(entered, self.space.count(), |rank| table.claim(rank, d))
    }
}

/// The classes that a man of class `a` reaches by jump after jump, and that class itself, where a jump from a class leads to
/// any of `to`.
#[inline(always)]
fn reached_from(a: usize, to: impl Fn(usize) -> u32) -> u32 {
    let (mut reached, mut new) = (1u32 << a, 1u32 << a);
    while new != 0 {
        let more = to(new.trailing_zeros() as usize) & !reached;
        reached |= more;
        new = new & (new - 1) | more;
    }
    reached
}

/// Whether a man of class `a` might jump over another of his class: from a class to which jumps over any classes lead him.
fn jumps_over_own(jumps_over: &[ByClass], a: usize) -> bool {
    let reached = reached_from(a, |class| jumps_over.iter().fold(0, |set, over| set | over[class]));
    (0..jumps_over.len()).any(|class| reached >> class & 1 != 0 && jumps_over[a][class] != 0)
}
