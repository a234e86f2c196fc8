//! The pattern database heuristic (Culberson and Schaeffer 1998) as a bound: a state stays only if g + h <= L, in the
//! notation of A*, where g is the level and h the distance in a pattern database.

use std::sync::Arc;

use halma_rules::cells::Cells;

use super::abstraction::{Abstraction, FAR, Table};
use super::histogram::NeighbourRanks;
use super::partition::MAX_CLASSES;
use super::{Asked, Bound, Pruner};
use crate::Army;

/// Prunes a state on level t if t plus the distance of its histogram exceeds a limit.
///
/// Admissible for walks that reach one of the table's sources by level `limit`, on levels from which on the table has
/// all distances that fit: abstract distances never exceed real ones. The verdict depends only on the classes of the
/// moving man before and after the move. So it is computed once for each histogram and applied to whole sets of
/// reachable cells.
#[derive(Clone, Debug)]
pub struct Pattern<const W: usize> {
    abstraction: Arc<Abstraction>,
    table: Arc<Table>,
    limit: u32,
    /// Unions of the cells of classes, eight classes at a time: `unions[byte][set]`.
    unions: Arc<Vec<[Cells<W>; 256]>>,
}

impl<const W: usize> Pattern<W> {
    /// The bound of `table`, a pattern database of the abstraction.
    #[must_use]
    pub fn new(abstraction: &Arc<Abstraction>, table: &Arc<Table>, limit: u32) -> Self {
        let mut classes = [Cells::<W>::EMPTY; MAX_CLASSES];
        for (cell, &class) in abstraction.partition.class_of.iter().enumerate() {
            classes[usize::from(class)].add(cell);
        }
        let union = |byte: usize, set: usize| {
            (0..8).filter(|i| set >> i & 1 != 0).fold(Cells::EMPTY, |u, i| u | classes[8 * byte + i])
        };
        let unions = (0..MAX_CLASSES / 8).map(|byte| std::array::from_fn(|set| union(byte, set))).collect();
        Self { abstraction: Arc::clone(abstraction), table: Arc::clone(table), limit, unions: Arc::new(unions) }
    }
}

impl<const W: usize> Bound<W> for Pattern<W> {
    fn pruner(&self) -> Box<dyn Pruner<W>> {
        let classes = self.abstraction.space.classes();
        Box::new(PatternPruner {
            histogram: vec![0; classes],
            around: NeighbourRanks::new(&self.abstraction.space),
            depth: u32::MAX,
            cached: Vec::new(),
            allowed: Vec::new(),
            bound: self.clone(),
        })
    }

    fn asked(&self) -> Asked {
        let Self { abstraction, table, limit, .. } = self;
        Asked::Histogram(HistogramBound {
            abstraction: Arc::clone(abstraction),
            table: Arc::clone(table),
            limit: *limit,
        })
    }
}

/// The same bound, for those who ask it by themselves.
#[derive(Clone, Debug)]
pub struct HistogramBound {
    /// The histograms.
    pub abstraction: Arc<Abstraction>,
    /// Their distances.
    pub table: Arc<Table>,
    limit: u32,
}

impl HistogramBound {
    /// The largest distance with which a state stays on level `depth`; `None` if none stays.
    #[must_use]
    pub fn most(&self, depth: u32) -> Option<u8> {
        let rest = self.limit.checked_sub(depth)?;
        self.table.require(rest);
        Some(rest.min(u32::from(FAR)) as u8)
    }
}

/// The size of a pruner's cache of verdicts, in histograms.
const REMEMBERED: usize = 1 << 12;

struct PatternPruner<const W: usize> {
    bound: Pattern<W>,
    histogram: Vec<u8>,
    around: NeighbourRanks,
    /// The level of the cached verdicts.
    depth: u32,
    /// Ranks of the cached histograms.
    cached: Vec<u32>,
    /// For each of them, by the mover's class, the classes to which he may go.
    allowed: Vec<u32>,
}

impl<const W: usize> PatternPruner<W> {
    /// The index in `allowed` of the verdicts for the histogram in `histogram`, whose rank is `rank`.
    #[inline]
    fn verdicts(&mut self, rank: u32, depth: u32) -> usize {
        let classes = self.histogram.len();
        if self.depth != depth {
            if let Some(rest) = self.bound.limit.checked_sub(depth) {
                self.bound.table.require(rest);
            }
            self.depth = depth;
            self.cached.clear();
            self.cached.resize(REMEMBERED, u32::MAX);
            self.allowed.resize(REMEMBERED * classes, 0);
        }
        let slot = (rank.wrapping_mul(0x9e37_79b1) >> (u32::BITS - REMEMBERED.ilog2())) as usize;
        if self.cached[slot] != rank {
            self.cached[slot] = rank;
            self.compute_verdicts(slot * classes, depth);
        }
        slot * classes
    }

    #[cold]
    fn compute_verdicts(&mut self, at: usize, depth: u32) {
        let Abstraction { space, .. } = &*self.bound.abstraction;
        self.around.enter(space, &self.histogram);
        let room = space.room(&self.histogram);
        let rest = self.bound.limit.checked_sub(depth);
        for a in 0..self.histogram.len() {
            let mut allowed = 0;
            if let Some(rest) = rest.filter(|_| self.histogram[a] > 0) {
                let mut classes = self.bound.abstraction.group(a) & (room | 1 << a);
                while classes != 0 {
                    let b = classes.trailing_zeros() as usize;
                    classes &= classes - 1;
                    let fits = self.bound.table.within(self.around.moved(a, b), rest);
                    allowed |= u32::from(fits) << b;
                }
            }
            self.allowed[at + a] = allowed;
        }
    }
}

impl<const W: usize> Pruner<W> for PatternPruner<W> {
    fn filter(&mut self, army: Army<'_, W>, depth: u32, reach: &mut [Cells<W>]) {
        self.bound.abstraction.histogram(army.men, &mut self.histogram);
        let rank = self.bound.abstraction.space.rank(&self.histogram);
        let at = self.verdicts(rank, depth);
        let bound = &self.bound;
        for (&man, reach) in army.men.iter().zip(reach) {
            let class = usize::from(bound.abstraction.partition.class_of[usize::from(man)]);
            let allowed = self.allowed[at + class];
            let mut cells = Cells::EMPTY;
            for (byte, unions) in allowed.to_le_bytes().into_iter().zip(bound.unions.iter()) {
                cells |= unions[usize::from(byte)];
            }
            *reach &= cells;
        }
    }
}
