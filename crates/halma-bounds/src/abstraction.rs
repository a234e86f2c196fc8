//! The abstraction behind the pattern databases (Culberson and Schaeffer 1998): of an army, only how many men stand in
//! each class of cells. It departs from the usual one in that no men are left out: all are there, with less said of
//! where.
//!
//! An abstract move takes one man out of his class and puts him into another one with room: a step to a class that some
//! cell of his class has as a neighbour; or a chain of jumps from class to class, each over a class that still holds a
//! man, landing in classes with room. The abstract steps and jumps are read off the lattice's own tables, so every real
//! move maps to an abstract one or leaves the histogram as it is, and abstract distances never exceed real ones.
//!
//! What is possible depends only on the histogram without the mover, so abstract moves can be undone, as real ones can.

use std::sync::atomic::{AtomicU8, Ordering};

use multiversion::multiversion;
use rayon::prelude::*;

use halma_engine::search::Stopped;
use halma_rules::lattice::Lattice;

use super::frontier::{Frontier, WorkContext};
use super::histogram::{Histograms, IncrementalUnranking, MAX_CLASSES, NeighbourRanks, Partition};

/// The distance of what cannot be reached.
pub const UNREACHED: u8 = u8::MAX;

/// The distance of all that is this far or further.
pub const FAR: u8 = UNREACHED - 1;

/// Which histograms a search over them is about. By default all.
pub trait Extent: Sync {
    /// Whether the histogram is of interest at that distance.
    fn keeps(&self, _rank: u32, _distance: u8) -> bool {
        true
    }

    /// A centroid that all histograms one abstract move from this one fall below, if they have no distance yet and are of
    /// interest. They are then not looked up where they do not.
    fn below(&self, _rank: u32) -> Option<i32> {
        None
    }
}

/// All histograms.
impl Extent for () {}

/// A set of classes for each class.
type ByClass = [u32; MAX_CLASSES];

/// The jumps that one histogram allows.
#[derive(Clone, Debug)]
pub struct Jumps {
    /// The classes with room for another man.
    room: u32,
    /// Where one jump leads over a man.
    once: ByClass,
    /// Where one jump leads over either of two classes: also when the mover is the only man of one of them.
    twice: ByClass,
}

impl Default for Jumps {
    fn default() -> Self {
        Self { room: 0, once: [0; MAX_CLASSES], twice: [0; MAX_CLASSES] }
    }
}

/// Histograms over a partition, and the abstract moves between them.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The classes.
    pub partition: Partition,
    /// Their histograms.
    pub space: Histograms,
    /// By class: the classes one step away, as a set.
    steps: Vec<u32>,
    /// By class passed over, then by the class of the jump's begin: the other classes where it may end, as a set.
    jumps_over: Vec<ByClass>,
    /// By class: the classes of its group.
    group: Vec<u32>,
    /// By class: the class that the mirror takes it to; empty where there is no mirror.
    mirrored: Vec<u8>,
    /// The least value of a class.
    least: i32,
    /// The classes with values below the least one, below the next number, and so on up to all classes.
    below: Vec<u32>,
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
        let space = Histograms::new(partition.capacities(), &partition.groups, &partition.quotas(start), limit)?;
        let class = |cell: u8| usize::from(partition.class_of[usize::from(cell)]);
        let classes = partition.classes();
        let mut steps = vec![0u32; classes];
        let mut jumps_over = vec![[0; MAX_CLASSES]; classes];
        for cell in 0..lattice.len() {
            let here = class(cell as u8);
            if !jumps_only {
                lattice.neighbours(cell).iter().for_each(|&n| steps[here] |= 1 << class(n));
            }
            for (a, b) in lattice.jumps(cell).iter().map(|&(a, b)| (class(a), class(b))).filter(|(a, b)| a != b) {
                jumps_over[here][a] |= 1 << b;
                jumps_over[here][b] |= 1 << a;
            }
        }
        let mut group = Vec::new();
        for &size in &partition.groups {
            let members = ((1u64 << size) - 1) << group.len();
            group.extend(std::iter::repeat_n(members as u32, size));
        }
        let mut mirrored = Vec::new();
        if let Some(mirror) = mirror {
            mirrored = vec![0; partition.classes()];
            for (cell, &image) in mirror.iter().enumerate() {
                mirrored[class(cell as u8)] = class(image) as u8;
            }
        }
        let values = &partition.values;
        let classes_below = |v: i32| (0..classes).filter(|&c| values[c] < v).fold(0, |set, c| set | 1 << c);
        let (least, most) = (values.iter().min().copied()?, values.iter().max().copied()?);
        let below = (least..=most + 1).map(classes_below).collect();
        Some(Self { partition, space, steps, jumps_over, group, mirrored, least, below })
    }

    /// All that abstract distances between histograms depend on, in words.
    #[must_use]
    pub(crate) fn statement(&self) -> String {
        let Self { partition, space, steps, jumps_over, mirrored, .. } = self;
        format!("{partition:?} {} {:?} {steps:?} {jumps_over:?} {mirrored:?}", space.men(), space.capacities())
    }

    /// The histogram of an army, into `histogram`.
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

    /// The rank of the mirrored histogram.
    #[inline]
    #[must_use]
    pub fn mirror_rank(&self, histogram: &[u8], scratch: &mut [u8]) -> u32 {
        for (class, &men) in histogram.iter().enumerate() {
            scratch[usize::from(self.mirrored[class])] = men;
        }
        self.space.rank(scratch)
    }

    /// The sum of the men's class values: the abstract centroid.
    #[must_use]
    pub fn centroid(&self, histogram: &[u8]) -> i32 {
        histogram.iter().zip(&self.partition.values).map(|(&m, v)| i32::from(m) * v).sum()
    }

    /// The classes of values below `value`, as a set.
    #[inline(always)]
    fn classes_below(&self, value: i32) -> u32 {
        self.below[(value - self.least).clamp(0, self.below.len() as i32 - 1) as usize]
    }

    /// The classes that men of class `a` may ever stand in, as a set.
    #[inline]
    #[must_use]
    pub fn group(&self, a: usize) -> u32 {
        self.group[a]
    }

    /// Enters the jumps that the histogram allows.
    #[inline(always)]
    pub fn jumps(&self, histogram: &[u8], jumps: &mut Jumps) {
        *jumps = Jumps::default();
        for (class, (&men, &capacity)) in histogram.iter().zip(self.space.capacities()).enumerate() {
            jumps.room |= u32::from(men < capacity) << class;
            if men > 0 {
                let all = jumps.once.iter_mut().zip(&mut jumps.twice).zip(&self.jumps_over[class]);
                all.for_each(|((once, twice), to)| {
                    *twice |= to & *once;
                    *once |= to;
                });
            }
        }
    }

    /// The classes, other than `a`, that a man of class `a` can go to in one abstract move, as a set; `jumps` are those
    /// that the histogram allows.
    #[inline(always)]
    #[must_use]
    pub fn targets(&self, histogram: &[u8], jumps: &Jumps, a: usize) -> u32 {
        // Possible is what is possible without the mover: his own class may be empty then.
        let missing = if histogram[a] == 1 { &self.jumps_over[a] } else { &[0; MAX_CLASSES] };
        let (mut reached, mut new) = (1u32 << a, 1u32 << a);
        while new != 0 {
            let class = new.trailing_zeros() as usize;
            new &= new - 1;
            let to = (jumps.twice[class] | jumps.once[class] & !missing[class]) & jumps.room & !reached;
            reached |= to;
            new |= to;
        }
        (reached | self.steps[a] & jumps.room) & !(1 << a)
    }

    /// The number of abstract moves from each histogram to the nearest of `sources`, different ones, which each process
    /// has some of; where `within` allowed every histogram on the way at its distance, up to `limit` moves;
    /// [`UNREACHED`] elsewhere. Distances beyond what a byte tells apart are given as [`FAR`], which never exceeds them.
    ///
    /// # Errors
    /// Where one of the processes has to stop.
    pub fn distances(
        &self,
        sources: Vec<u32>,
        limit: u32,
        within: &impl Extent,
        context: WorkContext,
    ) -> Result<Table, Stopped> {
        let table = Table::new(self.space.count());
        sources.iter().for_each(|&rank| table.set(rank, 0));
        let mut frontier = context.join(Ok(sources), self.space.count(), |rank| table.claim(rank, 0))?;
        for d in 1..=limit.min(u32::from(FAR)) as u8 {
            if frontier.is_empty {
                break;
            }
            frontier = self.advance(&table, &frontier, d, within, context)?;
        }
        if limit > u32::from(FAR) && !frontier.is_empty {
            table.fill_far();
        }
        Ok(table)
    }

    /// Enters the distance `d` for the histograms one abstract move from `frontier` that have none yet and that `within`
    /// allows, and returns them.
    ///
    /// # Errors
    /// Where one of the processes has to stop; the table is then of no use any more.
    pub fn advance(
        &self,
        table: &Table,
        frontier: &Frontier,
        d: u8,
        within: &impl Extent,
        context: WorkContext,
    ) -> Result<Frontier, Stopped> {
        let expand = |ranks: &[u32]| -> Result<Vec<u32>, Stopped> {
            context.cancel.check()?;
            Ok(one_move_away(self, table, ranks, d, within))
        };
        let entered = frontier.own.par_chunks(1024).map(expand).collect::<Result<Vec<_>, _>>();
        context.join(entered.map(|parts| parts.concat()), self.space.count(), |rank| table.claim(rank, d))
    }
}

/// Enters the distance `d` for the histograms one abstract move from `ranks`, as [`Abstraction::advance`] says, and returns
/// them; with the instructions that the processor turns out to have.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn one_move_away(abstraction: &Abstraction, table: &Table, ranks: &[u32], d: u8, within: &impl Extent) -> Vec<u32> {
    let (mut unranking, mut around) =
        (IncrementalUnranking::new(&abstraction.space), NeighbourRanks::new(&abstraction.space));
    let mut jumps = Jumps::default();
    let mut next = Vec::new();
    for &rank in ranks {
        let histogram = unranking.to(&abstraction.space, rank);
        abstraction.jumps(histogram, &mut jumps);
        // A man of class a may only go to classes of values below this and the value of a together.
        let spare = within.below(rank).map(|limit| limit - abstraction.centroid(histogram));
        let mut entered = false;
        for a in (0..histogram.len()).filter(|&a| histogram[a] > 0) {
            let below = |spare| abstraction.classes_below(abstraction.partition.values[a] + spare);
            let wanted = spare.map_or(u32::MAX, below);
            if wanted & jumps.room == 0 {
                continue;
            }
            let mut targets = abstraction.targets(histogram, &jumps, a) & wanted;
            if targets != 0 && !entered {
                around.enter(&abstraction.space, histogram);
                entered = true;
            }
            while targets != 0 {
                let b = targets.trailing_zeros() as usize;
                targets &= targets - 1;
                let rank = around.moved(&abstraction.space, histogram, a, b);
                if table.get(rank) == UNREACHED && within.keeps(rank, d) && table.claim(rank, d) {
                    next.push(rank);
                }
            }
        }
    }
    next
}

/// A distance for each histogram, by rank: a pattern database. It may grow while it is read.
#[derive(Debug)]
pub struct Table(Vec<AtomicU8>);

impl Table {
    /// A table of `count` histograms, [`UNREACHED`] all of them.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let mut table = Vec::new();
        table.resize_with(count, || AtomicU8::new(UNREACHED));
        Self(table)
    }

    /// The distance of the histogram of that rank.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, rank: u32) -> u8 {
        self.0[rank as usize].load(Ordering::Relaxed)
    }

    /// Whether the distance is known and at most `moves`.
    #[inline(always)]
    #[must_use]
    pub fn within(&self, rank: u32, moves: u32) -> bool {
        let distance = self.get(rank);
        distance != UNREACHED && u32::from(distance) <= moves
    }

    /// Enters a distance.
    #[inline]
    pub fn set(&self, rank: u32, distance: u8) {
        self.0[rank as usize].store(distance, Ordering::Relaxed);
    }

    /// Enters a distance where there is none yet; of several threads one succeeds.
    #[inline]
    pub fn claim(&self, rank: u32, distance: u8) -> bool {
        self.0[rank as usize].compare_exchange(UNREACHED, distance, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// The distances of all histograms, in order.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().map(|d| d.load(Ordering::Relaxed)).collect()
    }

    /// A table with these distances.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(bytes.iter().map(|&d| AtomicU8::new(d)).collect())
    }

    /// Enters [`FAR`] where there is no distance yet.
    pub(crate) fn fill_far(&self) {
        self.0.iter().filter(|d| d.load(Ordering::Relaxed) == UNREACHED).for_each(|d| d.store(FAR, Ordering::Relaxed));
    }

    /// Makes every distance the lesser of that one and `moves` more than the one of `other`.
    pub fn lower(&self, other: &Self, moves: u32) {
        self.0.par_iter().zip(&other.0).for_each(|(own, other)| {
            let other = other.load(Ordering::Relaxed);
            if other != UNREACHED {
                own.fetch_min(u32::from(other).saturating_add(moves).min(FAR.into()) as u8, Ordering::Relaxed);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Bands;
    use halma_rules::board::Board;
    use halma_rules::lattice::Rule;
    use halma_rules::moves::destinations;
    use proptest::prelude::*;

    /// What [`Abstraction::targets`] says, step by step: the mover is taken out, and jumps over any other man.
    fn plain_targets(abstraction: &Abstraction, histogram: &[u8], a: usize) -> u32 {
        let classes = histogram.len();
        let mut others = histogram.to_vec();
        others[a] -= 1;
        let room = |b: usize| histogram[b] < abstraction.space.capacities()[b];
        let mut reached = 1u32 << a;
        loop {
            let from = (0..classes).filter(|i| reached >> i & 1 != 0);
            let over = from.flat_map(|i| (0..classes).map(move |m| (i, m))).filter(|&(_, m)| others[m] > 0);
            let landings = over.fold(0, |set, (i, m)| set | abstraction.jumps_over[m][i]);
            let more = (0..classes).filter(|&b| landings >> b & 1 != 0 && room(b)).fold(reached, |set, b| set | 1 << b);
            if more == reached {
                break;
            }
            reached = more;
        }
        let steps = (0..classes).filter(|&b| abstraction.steps[a] >> b & 1 != 0 && room(b));
        steps.fold(reached, |set, b| set | 1 << b) & !(1 << a)
    }

    proptest! {
        #[test]
        fn abstract_moves_are_those_of_the_plain_rule_and_every_move_is_one(
            men in proptest::collection::btree_set(0usize..36, 2..9),
            rule in prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)],
            jumps_only: bool,
            merged in 0usize..10,
        ) {
            let lattice = Lattice::new(Board::from_map(&"......\n".repeat(6)).unwrap().0, rule);
            let (men, group): (Vec<usize>, _) = (men.into_iter().collect(), [0; 36]);
            let centroid: Vec<i32> = (0..36).map(|c| c % 6 + c / 6 - 5).collect();
            let bands = std::iter::successors(Some(Bands::finest(&centroid, &group)), |b| b.coarser(&centroid));
            let bands = bands.take(merged + 1).last().unwrap();
            let partition = Partition::new(&centroid, &bands, i32::MAX, &group).unwrap();
            let abstraction = Abstraction::new(&lattice, jumps_only, partition, None, &men, u64::MAX).unwrap();
            let bytes: Vec<u8> = men.iter().map(|&c| c as u8).collect();
            let mut histogram = vec![0; abstraction.space.classes()];
            abstraction.histogram(&bytes, &mut histogram);
            let mut jumps = Jumps::default();
            abstraction.jumps(&histogram, &mut jumps);
            let occupied: Vec<bool> = (0..36).map(|c| men.contains(&c)).collect();
            let class = |cell: usize| usize::from(abstraction.partition.class_of[cell]);
            for &from in &men {
                let a = class(from);
                let targets = abstraction.targets(&histogram, &jumps, a);
                prop_assert_eq!(targets, plain_targets(&abstraction, &histogram, a));
                for to in destinations(&lattice, &occupied, from, jumps_only) {
                    prop_assert!(class(to) == a || targets >> class(to) & 1 != 0, "from {} to {}", from, to);
                }
            }
        }
    }
}
