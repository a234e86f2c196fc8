//! Histograms, abstract moves and distances between histograms, derived again for the pattern databases.
//!
//! A histogram counts the men of each class of cells. An abstract move takes one man from his class to another: by a
//! step to a class that has a neighbour of his class, or by a chain of jumps from class to class, each over a class
//! with a man and into a class with room, where he himself does not count. The possible moves depend on the other men
//! alone, so moves are reversible, and distances may be measured from either end.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::board::Board;
use super::memory;
use super::rejection::{Rejection, RejectionKind};

/// The distance of an unreachable histogram.
pub(super) const NEVER: u8 = u8::MAX;

/// The most histograms of one table. A search makes no more, and a record with more classes gets no more memory.
const MOST: u64 = 1 << 29;

/// A group: classes that men can pass between, and how many men are in them.
#[derive(Debug)]
struct Group {
    classes: Vec<usize>,
    men: usize,
    /// By place in `classes`, men left for the classes from there on, and men of that class: the number of histograms
    /// with fewer of them.
    fewer: Vec<Vec<Vec<u64>>>,
    /// The factor of the group's number.
    weight: u64,
    /// The number of histograms of the group.
    size: u64,
}

/// All histograms of an army, numbered, and the abstract moves between them.
#[derive(Debug)]
pub(super) struct Histograms {
    /// Class by cell.
    pub class_of: Vec<u8>,
    room: Vec<u8>,
    /// By class: the classes to which a step leads.
    steps: Vec<Vec<usize>>,
    /// By class: over which class a jump leads, and where to.
    jumps: Vec<Vec<(usize, usize)>>,
    groups: Vec<Group>,
    count: u64,
}

/// A record may be right that needs greater distances: it is not checked.
pub fn too_far() -> Rejection {
    RejectionKind::TooLarge.because("distances beyond 253 abstract moves do not fit the tables")
}

impl Histograms {
    /// The histograms with as many men in each group of classes as `army`; an error if there are too many.
    pub fn new(board: &Board, class_of: &[u8], army: &[u8], jumps_only: bool) -> Result<Self, String> {
        let classes = class_of.iter().map(|&c| usize::from(c) + 1).max().unwrap_or(0);
        let class = |cell: u8| usize::from(class_of[usize::from(cell)]);
        let mut room = vec![0u8; classes];
        let (mut steps, mut jumps) = (vec![Vec::new(); classes], vec![Vec::new(); classes]);
        for cell in 0..board.len() {
            let here = class(cell as u8);
            room[here] = room[here].saturating_add(1);
            if !jumps_only {
                steps[here].extend(board.steps[cell].iter().map(|&n| class(n)));
            }
            jumps[here].extend(board.jumps[cell].iter().map(|&(over, land)| (class(over), class(land))));
        }
        for here in 0..classes {
            steps[here].sort_unstable();
            steps[here].dedup();
            jumps[here].sort_unstable();
            jumps[here].dedup();
        }
        let mut this = Self { class_of: class_of.into(), room, steps, jumps, groups: Vec::new(), count: 1 };
        let histogram = this.of(army);
        let mut grouped = vec![false; classes];
        for first in 0..classes {
            if grouped[first] {
                continue;
            }
            let mut group = vec![first];
            grouped[first] = true;
            let mut at = 0;
            while let Some(&here) = group.get(at) {
                at += 1;
                for &to in this.steps[here].iter().chain(this.jumps[here].iter().map(|(_, land)| land)) {
                    if !std::mem::replace(&mut grouped[to], true) {
                        group.push(to);
                    }
                }
            }
            group.sort_unstable();
            let men = group.iter().map(|&c| usize::from(histogram[c])).sum();
            this.add_group(group, men)?;
        }
        Ok(this)
    }

    fn add_group(&mut self, classes: Vec<usize>, men: usize) -> Result<(), String> {
        let mut ways = vec![0u64; men + 1];
        ways[0] = 1;
        let mut fewer = Vec::new();
        for &class in classes.iter().rev() {
            let mut sums = Vec::new();
            let mut next = vec![0u64; men + 1];
            for left in 0..=men {
                let mut before = vec![0u64];
                for here in 0..=left.min(usize::from(self.room[class])) {
                    let sum: u64 = before[here];
                    before.push(sum.saturating_add(ways[left - here]));
                }
                next[left] = before.last().copied().unwrap_or(0);
                sums.push(before);
            }
            ways = next;
            fewer.push(sums);
        }
        fewer.reverse();
        let size = ways[men];
        self.groups.push(Group { classes, men, fewer, weight: self.count, size });
        let count = self.count.checked_mul(size).filter(|&n| n <= MOST);
        self.count = count.ok_or("there are too many histograms to tabulate")?;
        if self.count > memory::histograms(MOST) {
            return Err(format!("{} histograms or more take {}", self.count, memory::of_histograms(self.count)));
        }
        Ok(())
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.room.len()
    }

    /// The histogram of an army.
    pub fn of(&self, men: &[u8]) -> Vec<u8> {
        let mut histogram = vec![0; self.classes()];
        men.iter().for_each(|&cell| histogram[usize::from(self.class_of[usize::from(cell)])] += 1);
        histogram
    }

    /// The number of an army's histogram; `None` where the groups have other numbers of men.
    pub fn number(&self, men: &[u8]) -> Option<u64> {
        self.number_of(&self.of(men))
    }

    /// The number of a histogram from a file or record; `None` if the groups have other numbers of men, so that it is
    /// unreachable.
    pub fn number_of(&self, histogram: &[u8]) -> Option<u64> {
        let fits = |g: &Group| g.classes.iter().map(|&c| usize::from(histogram[c])).sum::<usize>() == g.men;
        self.groups.iter().all(fits).then(|| self.rank(histogram))
    }

    /// The number of a histogram whose groups have the right numbers of men.
    #[inline]
    pub fn rank(&self, histogram: &[u8]) -> u64 {
        let mut rank = 0;
        for group in &self.groups {
            let (mut left, mut own) = (group.men, 0);
            for (&class, fewer) in group.classes.iter().zip(&group.fewer) {
                let here = usize::from(histogram[class]);
                own += fewer[left][here];
                left -= here;
            }
            rank += own * group.weight;
        }
        rank
    }

    /// The histogram of that number.
    pub fn unrank(&self, rank: u64, histogram: &mut [u8]) {
        for group in &self.groups {
            let (mut left, mut own) = (group.men, rank / group.weight % group.size);
            for (&class, fewer) in group.classes.iter().zip(&group.fewer) {
                // The last entry is the number of all histograms.
                let sums = &fewer[left][..fewer[left].len() - 1];
                let here = sums.partition_point(|&sum| sum <= own) - 1;
                own -= sums[here];
                histogram[class] = here as u8;
                left -= here;
            }
        }
    }

    /// Calls `each` with every histogram one abstract move away and its number; `histogram` is changed and restored.
    pub fn around(&self, histogram: &mut [u8], mut each: impl FnMut(&[u8], u64)) {
        let classes = self.classes();
        let mut reached = Vec::with_capacity(classes);
        for from in (0..classes).filter(|&c| histogram[c] > 0).collect::<Vec<_>>() {
            histogram[from] -= 1;
            reached.clear();
            reached.push(from);
            let mut seen = 1u64 << from;
            let mut at = 0;
            while let Some(&here) = reached.get(at) {
                at += 1;
                for &(over, land) in &self.jumps[here] {
                    if histogram[over] > 0 && histogram[land] < self.room[land] && seen >> land & 1 == 0 {
                        seen |= 1 << land;
                        reached.push(land);
                    }
                }
            }
            for &to in &self.steps[from] {
                if histogram[to] < self.room[to] && seen >> to & 1 == 0 {
                    seen |= 1 << to;
                    reached.push(to);
                }
            }
            for &to in &reached[1..] {
                histogram[to] += 1;
                each(histogram, self.rank(histogram));
                histogram[to] -= 1;
            }
            histogram[from] += 1;
        }
    }

    /// The numbers of the histograms for which `chosen` holds.
    pub fn all(&self, chosen: impl Fn(u64, &mut [u8]) -> bool + Sync) -> Vec<u64> {
        const PIECE: u64 = 1 << 14;
        let piece = |p: u64| {
            let mut histogram = vec![0; self.classes()];
            let ranks = p * PIECE..(p * PIECE + PIECE).min(self.count);
            ranks.filter(|&rank| chosen(rank, &mut histogram)).collect::<Vec<_>>()
        };
        (0..self.count.div_ceil(PIECE)).into_par_iter().map(piece).collect::<Vec<_>>().concat()
    }

    /// The number of abstract moves from each histogram to the nearest source, up to `limit`, through histograms that
    /// `keep` allows at their distance; [`NEVER`] elsewhere.
    pub fn distances(
        &self,
        sources: &[u64],
        limit: u32,
        keep: impl Fn(u64, u32) -> bool + Sync,
    ) -> Result<Vec<u8>, Rejection> {
        let mut table: Vec<AtomicU8> = Vec::new();
        table.resize_with(self.count as usize, || AtomicU8::new(NEVER));
        sources.iter().for_each(|&s| table[s as usize].store(0, Ordering::Relaxed));
        for d in 1..=limit {
            if d >= 254 {
                return Err(too_far());
            }
            const PIECE: usize = 1 << 12;
            let grown = |(p, piece): (usize, &[AtomicU8])| {
                let mut histogram = vec![0; self.classes()];
                let mut any = false;
                for (i, cell) in piece.iter().enumerate() {
                    if u32::from(cell.load(Ordering::Relaxed)) + 1 != d {
                        continue;
                    }
                    self.unrank((p * PIECE + i) as u64, &mut histogram);
                    self.around(&mut histogram, |_, rank| {
                        let cell = &table[rank as usize];
                        if cell.load(Ordering::Relaxed) == NEVER && keep(rank, d) {
                            cell.store(d as u8, Ordering::Relaxed);
                            any = true;
                        }
                    });
                }
                any
            };
            // All threads of a sweep store the same number, so their order does not matter.
            if !table.par_chunks(PIECE).enumerate().map(grown).reduce(|| false, |a, b| a | b) {
                break;
            }
        }
        Ok(table.into_iter().map(AtomicU8::into_inner).collect())
    }
}
