//! The abstraction behind pattern databases: of an army, only how many men stand in each class of cells.
//!
//! An abstract move takes one man out of his class and puts him into another one with room: a step to a class that some
//! cell of his class has as a neighbour; or a chain of jumps from class to class, each over a class that still holds
//! a man, landing in classes with room. The abstract steps and jumps are read off the lattice's own tables, so every
//! real move maps to an abstract one or leaves the histogram as it is, and abstract distances never exceed real ones.
//!
//! What is possible depends only on the histogram without the mover, so abstract moves can be undone, as real ones can.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::histogram::{Histograms, Neighbourhood, Partition};
use crate::lattice::Lattice;

/// The distance of what cannot be reached.
pub const UNREACHED: u8 = u8::MAX;

/// The distance of all that is this far or further.
pub const FAR: u8 = UNREACHED - 1;

/// Histograms over a partition, and the abstract moves between them.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// The classes.
    pub partition: Partition,
    /// Their histograms.
    pub space: Histograms,
    /// By class: the classes one step away, as a set.
    steps: Vec<u32>,
    /// By class: for each class that one jump leads to, as a set of one, the classes it may pass over.
    jumps: Vec<Vec<(u32, u32)>>,
    /// By class: the classes of its group.
    group: Vec<u32>,
    /// By class: the class that the mirror takes it to; empty where there is no mirror.
    mirrored: Vec<u8>,
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
        let mut over = vec![vec![0u32; classes]; classes];
        for cell in 0..lattice.len() {
            let here = class(cell as u8);
            if !jumps_only {
                lattice.neighbours(cell).iter().for_each(|&n| steps[here] |= 1 << class(n));
            }
            for &(a, b) in lattice.jumps(cell) {
                let (a, b) = (class(a), class(b));
                over[a][b] |= 1 << here;
                over[b][a] |= 1 << here;
            }
        }
        let jumps_from = |from: usize| {
            let targets = (0..classes).filter(|&to| to != from && over[from][to] != 0);
            targets.map(|to| (1 << to, over[from][to])).collect()
        };
        let jumps = (0..classes).map(jumps_from).collect();
        let mut group = Vec::new();
        for &size in &partition.groups {
            let members = ((1u64 << size) - 1) << group.len();
            group.extend(std::iter::repeat_n(members as u32, size));
        }
        let mut mirrored = Vec::new();
        if let Some(mirror) = mirror {
            mirrored = vec![0; partition.classes()];
            for cell in 0..lattice.len() as u8 {
                mirrored[class(cell)] = class(mirror[usize::from(cell)]) as u8;
            }
        }
        Some(Self { partition, space, steps, jumps, group, mirrored })
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

    /// The classes that men of class `a` may ever stand in, as a set.
    #[inline]
    #[must_use]
    pub fn group(&self, a: usize) -> u32 {
        self.group[a]
    }

    /// The classes with room for another man, and the classes with a man, as sets.
    #[inline]
    #[must_use]
    pub fn room_and_men(&self, histogram: &[u8]) -> (u32, u32) {
        let classes = histogram.iter().zip(self.space.capacities()).enumerate();
        classes.fold((0, 0), |(room, men), (class, (&n, &capacity))| {
            (room | u32::from(n < capacity) << class, men | u32::from(n > 0) << class)
        })
    }

    /// The classes, other than `a`, that a man of class `a` can go to in one abstract move, as a set; `room` and `men`
    /// are those of the histogram.
    #[inline]
    #[must_use]
    pub fn targets(&self, histogram: &[u8], (room, men): (u32, u32), a: usize) -> u32 {
        // Possible is what is possible without the mover: his own class has room then, and may be empty.
        let room = room | 1 << a;
        let rungs = if histogram[a] == 1 { men & !(1 << a) } else { men };
        let (mut reached, mut new) = (1u32 << a, 1u32 << a);
        while new != 0 {
            let class = new.trailing_zeros() as usize;
            new &= new - 1;
            for &(to, over) in &self.jumps[class] {
                if over & rungs != 0 && to & room & !reached != 0 {
                    reached |= to;
                    new |= to;
                }
            }
        }
        (reached | self.steps[a] & room) & !(1 << a)
    }

    /// The number of abstract moves from each histogram to the nearest of `sources`, where `keep` allowed every
    /// histogram on the way at its distance, up to `limit` moves; [`UNREACHED`] elsewhere. Distances beyond what a
    /// byte tells apart are given as [`FAR`], which never exceeds them.
    #[must_use]
    pub fn distances(&self, sources: Vec<u32>, limit: u32, keep: impl Fn(u32, u8) -> bool + Sync) -> Vec<u8> {
        let mut distance: Vec<AtomicU8> = Vec::new();
        distance.resize_with(self.space.count(), || AtomicU8::new(UNREACHED));
        for &s in &sources {
            distance[s as usize].store(0, Ordering::Relaxed);
        }
        let mut frontier = sources;
        let last = limit.min(u32::from(FAR)) as u8;
        for d in 1..=last {
            let claim = |rank: u32| {
                let cell = &distance[rank as usize];
                cell.load(Ordering::Relaxed) == UNREACHED
                    && keep(rank, d)
                    && cell.compare_exchange(UNREACHED, d, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            };
            let expand = |ranks: &[u32]| {
                let mut histogram = vec![0; self.space.classes()];
                let mut around = Neighbourhood::new(&self.space);
                let mut next = Vec::new();
                for &rank in ranks {
                    self.space.unrank(rank, &mut histogram);
                    around.enter(&self.space, &histogram);
                    let room_and_men = self.room_and_men(&histogram);
                    for a in (0..histogram.len()).filter(|&a| histogram[a] > 0) {
                        let mut targets = self.targets(&histogram, room_and_men, a);
                        while targets != 0 {
                            let b = targets.trailing_zeros() as usize;
                            targets &= targets - 1;
                            let rank = around.moved(&self.space, &histogram, a, b);
                            if claim(rank) {
                                next.push(rank);
                            }
                        }
                    }
                }
                next
            };
            frontier = frontier.par_chunks(1024).map(expand).collect::<Vec<_>>().concat();
            if frontier.is_empty() {
                break;
            }
        }
        let mut distance: Vec<u8> = distance.into_iter().map(AtomicU8::into_inner).collect();
        if limit > u32::from(FAR) && !frontier.is_empty() {
            distance.iter_mut().filter(|d| **d == UNREACHED).for_each(|d| *d = FAR);
        }
        distance
    }
}
