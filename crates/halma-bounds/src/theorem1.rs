//! Theorem 1 of the paper (Bell 2009), an admissible bound for transfers: at most one man enters the target with a
//! move, and before the first one can, the army must come near.

use halma_rules::cells::Cells;
use halma_rules::problem::{self, Transfer};

use super::{Bound, Pruner};
use crate::Army;

/// Prunes a state on level t if t + max(d, 1) + (men outside the target) - 1 > length, where d is the number of steps
/// from the army to the target.
///
/// A move lowers d by at most one, since a man lands beside a cell where a man stood. Until d = 0 no man is inside, and
/// the move that makes d = 0 puts one man there. With a man inside, each further one still takes a move, which is the
/// formula for d = 1.
#[derive(Clone, Debug)]
pub struct Theorem1<const W: usize> {
    target: Cells<W>,
    distance: Vec<u8>,
    /// By number of steps: the cells within that distance of the target.
    within: Vec<Cells<W>>,
    length: u32,
}

impl<const W: usize> Theorem1<W> {
    /// The bound for solutions of `length` moves that fill the target of `problem`.
    #[must_use]
    pub fn new(problem: &Transfer, length: u32) -> Self {
        let distance = problem.lattice.distances(&problem.target);
        let within = |d: u8| (0..distance.len()).filter(|&c| distance[c] <= d).collect();
        Self { within: (0..=u8::MAX).map(within).collect(), target: problem::set(&problem.target), distance, length }
    }

    /// A lower bound of the number of moves from start to target.
    #[must_use]
    pub fn lower_bound(problem: &Transfer) -> u32 {
        let bound = Self::new(problem, 0);
        let nearest = problem.start.iter().map(|&c| bound.distance[c]).min().unwrap_or(0);
        let outside = problem.start.iter().filter(|&&c| !bound.target.contains(c)).count() as u32;
        if outside == 0 { 0 } else { u32::from(nearest.max(1)) + outside - 1 }
    }
}

impl<const W: usize> Bound<W> for Theorem1<W> {
    fn pruner(&self) -> Box<dyn Pruner<W>> {
        Box::new(self.clone())
    }
}

impl<const W: usize> Pruner<W> for Theorem1<W> {
    fn filter(&mut self, army: Army<'_, W>, depth: u32, reach: &mut [Cells<W>]) {
        let outside = (army.men.len() - (army.set & self.target).len()) as u32;
        let left = i64::from(self.length) - i64::from(depth);
        for (i, reach) in reach.iter_mut().enumerate() {
            let others = army.men.iter().enumerate().filter(|&(j, _)| j != i);
            let nearest = others.map(|(_, &c)| self.distance[usize::from(c)]).min().unwrap_or(u8::MAX);
            let outside = i64::from(outside - u32::from(!self.target.contains(usize::from(army.men[i]))));
            // A move into the target leaves `outside` men to enter. Any other one leaves one more, and the nearest man
            // decides.
            let mut allowed = Cells::EMPTY;
            if outside <= left {
                allowed |= self.target;
            }
            let room = left - outside;
            if i64::from(nearest.max(1)) <= room {
                allowed = !Cells::EMPTY;
            } else if room >= 1 {
                allowed |= self.within[usize::try_from(room.min(254)).unwrap_or(0)];
            }
            *reach &= allowed;
        }
    }
}
