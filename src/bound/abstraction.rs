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
    /// By class: pairs of (class jumped over, class landed in), each as a set of one.
    jumps: Vec<Vec<(u32, u32)>>,
    /// By class: the class that the mirror takes it to; empty where there is no mirror.
    mirrored: Vec<u8>,
}

impl Abstraction {
    /// The abstraction of the moves on `lattice`; `None` where there are more than `limit` histograms.
    #[must_use]
    pub fn new(
        lattice: &Lattice,
        jumps_only: bool,
        partition: Partition,
        mirror: Option<&[u8]>,
        men: usize,
        limit: u64,
    ) -> Option<Self> {
        let space = Histograms::new(men, partition.capacities(), limit)?;
        let class = |cell: u8| usize::from(partition.class_of[usize::from(cell)]);
        let mut steps = vec![0u32; partition.classes()];
        let mut jumps = vec![Vec::new(); partition.classes()];
        for cell in 0..lattice.len() as u8 {
            if !jumps_only {
                for &n in lattice.neighbours(usize::from(cell)) {
                    steps[class(cell)] |= 1 << class(n);
                }
            }
            for &(a, b) in lattice.jumps(usize::from(cell)) {
                for (from, to) in [(class(a), class(b)), (class(b), class(a))] {
                    let jump = (1u32 << class(cell), 1u32 << to);
                    if from != to && !jumps[from].contains(&jump) {
                        jumps[from].push(jump);
                    }
                }
            }
        }
        let mut mirrored = Vec::new();
        if let Some(mirror) = mirror {
            mirrored = vec![0; partition.classes()];
            for cell in 0..lattice.len() as u8 {
                mirrored[class(cell)] = class(mirror[usize::from(cell)]) as u8;
            }
        }
        Some(Self { partition, space, steps, jumps, mirrored })
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

    /// The classes with room and the classes with a man, when a man of class `a` has been taken off the board.
    #[inline]
    fn room_and_rungs(&self, histogram: &[u8], a: usize) -> (u32, u32) {
        let (mut room, mut rungs) = (0, 0);
        for (class, (&men, &capacity)) in histogram.iter().zip(self.space.capacities()).enumerate() {
            room |= u32::from(men < capacity) << class;
            rungs |= u32::from(men > 0) << class;
        }
        room |= 1 << a;
        if histogram[a] == 1 {
            rungs &= !(1 << a);
        }
        (room, rungs)
    }

    /// The classes, other than `a`, that a man of class `a` can go to in one abstract move, as a set.
    #[inline]
    #[must_use]
    pub fn targets(&self, histogram: &[u8], a: usize) -> u32 {
        let (room, rungs) = self.room_and_rungs(histogram, a);
        let (mut reached, mut new) = (1u32 << a, 1u32 << a);
        while new != 0 {
            let class = new.trailing_zeros() as usize;
            new &= new - 1;
            for &(over, to) in &self.jumps[class] {
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
                    for a in (0..histogram.len()).filter(|&a| histogram[a] > 0) {
                        let mut targets = self.targets(&histogram, a);
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
