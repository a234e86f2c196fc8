//! The pattern databases of one problem: distances to the target, from the start, and to the middles of the leading
//! half.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::abstraction::{Abstraction, UNREACHED};
use super::histogram::Partition;
use crate::problem::Transfer;
use crate::symmetry::Symmetries;

/// Which middles a leading half is led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middles {
    /// Those at least half way: some solution of each kind, or its mirrored reversal, passes through one.
    Leading,
    /// Those that their own mirror image continues: palindromic solutions pass through one.
    Palindromic,
}

/// Distances over histograms, all in abstract moves.
#[derive(Clone, Debug)]
pub struct Databases {
    /// The histograms and their moves.
    pub abstraction: Arc<Abstraction>,
    /// D_T: to the target's histogram.
    pub to_target: Arc<Vec<u8>>,
    /// D_S: from the start's histogram.
    pub from_start: Arc<Vec<u8>>,
    /// By [`Middles`]: bit 0 where solutions of even length may have that histogram in the middle, bit 1 for odd lengths.
    middles: [OnceLock<Vec<u8>>; 2],
}

impl Databases {
    /// The databases of `problem` over the finest bands of equal centroid (and, where only jumps are allowed, of equal
    /// type) that have at most `limit` histograms.
    #[must_use]
    pub fn new(problem: &Transfer, symmetries: &Symmetries, centroid: &[i32], limit: u64) -> Self {
        let mirror = symmetries.mirror.as_ref().map(|m| &m.cells[..]);
        // Only steps change a man's type (Section 2.1): without them each type keeps its men.
        let typed = problem.jumps_only && problem.types(&problem.start) == problem.types(&problem.target);
        let group = |c: usize| if typed { problem.lattice.board.type_of(c) } else { 0 };
        let groups: Vec<usize> = (0..problem.lattice.len()).map(group).collect();
        let abstraction = |width| {
            let partition = Partition::grouped(centroid, width, &groups)?;
            Abstraction::new(&problem.lattice, problem.jumps_only, partition, mirror, &problem.start, limit)
        };
        // One class for all cells has one histogram, so some width always does.
        let abstraction = (1..).find_map(abstraction).unwrap_or_else(|| unreachable!("one class has one histogram"));
        let source = |cells: &[usize]| {
            let men: Vec<u8> = cells.iter().map(|&c| c as u8).collect();
            vec![abstraction.rank_of(&men)]
        };
        let to_target = abstraction.distances(source(&problem.target), u32::MAX, |_, _| true);
        let from_start = match mirror {
            Some(_) => mirrored(&abstraction, &to_target),
            None => abstraction.distances(source(&problem.start), u32::MAX, |_, _| true),
        };
        Self {
            abstraction: Arc::new(abstraction),
            to_target: Arc::new(to_target),
            from_start: Arc::new(from_start),
            middles: Default::default(),
        }
    }

    /// The abstract distance from start to target, a lower bound of every solution's length; `None` where the target
    /// cannot be reached even in the abstraction.
    #[must_use]
    pub fn lower_bound(&self, problem: &Transfer) -> Option<u32> {
        let men: Vec<u8> = problem.start.iter().map(|&c| c as u8).collect();
        let distance = self.to_target[self.abstraction.rank_of(&men) as usize];
        (distance != UNREACHED).then_some(u32::from(distance))
    }

    /// D_M: the distances to the middles of solutions of `length` moves, on level `length / 2`, given only where a
    /// walk from the start can get by then. Needs a mirror.
    ///
    /// Even lengths, 2N: the middle A_N has centroid c >= 0, or the mirrored reversal's has -c > 0. Odd lengths, 2N + 1:
    /// c(A_N) + c(A_(N+1)) >= 0 for the solution or for its mirrored reversal, where A_(N+1) is one move from A_N.
    #[must_use]
    pub fn to_middles(&self, length: u32, middles: Middles) -> Vec<u8> {
        let half = length / 2;
        let following = length - half;
        let chunk = 1 << 14;
        let admissible = self.middles(middles).par_chunks(chunk);
        let tables = self.to_target.par_chunks(chunk).zip(self.from_start.par_chunks(chunk));
        let sources: Vec<Vec<u32>> = admissible
            .zip(tables)
            .enumerate()
            .map(|(i, (admissible, (to_target, from_start)))| {
                let within = |table: u8, moves: u32| table != UNREACHED && u32::from(table) <= moves;
                let fits = |&at: &usize| {
                    admissible[at] >> (length % 2) & 1 != 0
                        && within(to_target[at], following)
                        && within(from_start[at], half)
                };
                (0..admissible.len()).filter(fits).map(|at| (i * chunk + at) as u32).collect()
            })
            .collect();
        // A state on level i has D_S <= i, so only histograms with D_S + D_M <= N are ever asked for; and so are those
        // on their shortest ways to a middle, one abstract move at a time.
        let keep = |rank: u32, d: u8| u32::from(self.from_start[rank as usize]) + u32::from(d) <= half;
        self.abstraction.distances(sources.concat(), half, keep)
    }

    /// Which histograms may be middles, whatever the length is otherwise.
    fn middles(&self, middles: Middles) -> &[u8] {
        self.middles[middles as usize].get_or_init(|| {
            let chunk = 1 << 14;
            let mut kinds = vec![0; self.to_target.len()];
            kinds.par_chunks_mut(chunk).enumerate().for_each(|(i, kinds)| {
                let classes = self.abstraction.space.classes();
                let (mut histogram, mut scratch) = (vec![0; classes], vec![0; classes]);
                for (offset, kind) in kinds.iter_mut().enumerate() {
                    self.abstraction.space.unrank((i * chunk + offset) as u32, &mut histogram);
                    let mut admissible = |odd| match middles {
                        Middles::Leading => self.leads(&histogram, odd),
                        Middles::Palindromic => self.reflects(&histogram, odd, &mut scratch),
                    };
                    *kind = u8::from(admissible(false)) | u8::from(admissible(true)) << 1;
                }
            });
            kinds
        })
    }

    /// Whether a solution with such a middle is in the lead there.
    fn leads(&self, histogram: &[u8], odd: bool) -> bool {
        let c = self.abstraction.centroid(histogram);
        if c >= 0 || !odd {
            return c >= 0;
        }
        let values = &self.abstraction.partition.values;
        let span = values.iter().max().zip(values.iter().min()).map_or(0, |(most, least)| most - least);
        if c + c + span < 0 {
            return false;
        }
        let gains = (0..histogram.len()).filter(|&a| histogram[a] > 0).map(|a| {
            let targets = self.abstraction.targets(histogram, self.abstraction.room_and_men(histogram), a);
            let reached = (0..histogram.len()).filter(|b| targets >> b & 1 != 0);
            reached.map(|b| values[b] - values[a]).max().unwrap_or(0)
        });
        c + c + gains.max().unwrap_or(0).max(0) >= 0
    }

    /// Whether the histogram is its own mirror image, for odd lengths but for the one man who moves in the middle.
    fn reflects(&self, histogram: &[u8], odd: bool, scratch: &mut [u8]) -> bool {
        let _ = self.abstraction.mirror_rank(histogram, scratch);
        let differences: u32 = histogram.iter().zip(&*scratch).map(|(&a, &b)| u32::from(a.abs_diff(b))).sum();
        differences <= if odd { 2 } else { 0 }
    }
}

/// The table of the mirrored histograms.
fn mirrored(abstraction: &Abstraction, table: &[u8]) -> Vec<u8> {
    let chunk = 1 << 14;
    let mut result = vec![0; table.len()];
    result.par_chunks_mut(chunk).enumerate().for_each(|(i, result)| {
        let classes = abstraction.space.classes();
        let (mut histogram, mut scratch) = (vec![0; classes], vec![0; classes]);
        for (offset, result) in result.iter_mut().enumerate() {
            abstraction.space.unrank((i * chunk + offset) as u32, &mut histogram);
            *result = table[abstraction.mirror_rank(&histogram, &mut scratch) as usize];
        }
    });
    result
}
