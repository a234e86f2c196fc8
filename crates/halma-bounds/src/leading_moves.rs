//! A cut of moves: those from a middle that no leading solution can make.

use std::ops::RangeInclusive;
use std::sync::Arc;

use halma_rules::cells::Cells;

use super::abstraction::Abstraction;
use super::{Asked, Bound, Pruner, ValueBound};
use crate::Army;

/// Prunes moves from level N, the middle, that no leading solution can make.
///
/// A solution of 2N + 1 moves leads if f(A_N) + f(A_(N+1)) >= 0. Here f is the centroid, or another function that the
/// mirror negates. So no leading solution makes a move X → Y with f(X) + f(Y) < 0. A solution of 2N moves leads if
/// f(A_N) >= 0: where these are looked for, too, all moves from an X with f(X) >= 0 stay (proof, 12b).
#[derive(Clone, Debug)]
pub struct LeadingMoves<const W: usize> {
    abstraction: Arc<Abstraction>,
    /// Whether solutions of 2N moves are looked for, too.
    both: bool,
    /// The values of cells, ascending, each with the cells of this value and more.
    at_least: Arc<[(i32, Cells<W>)]>,
}

impl<const W: usize> LeadingMoves<W> {
    /// The bound for solutions of `lengths` moves: one odd length, or it and the even one before it. `None` if the last
    /// of them is even, because solutions of that length need all moves.
    #[must_use]
    pub fn new(abstraction: &Arc<Abstraction>, lengths: RangeInclusive<u32>) -> Option<Self> {
        if lengths.end().is_multiple_of(2) {
            return None;
        }
        let partition = &abstraction.partition;
        let value = |cell: usize| partition.values[usize::from(partition.class_of[cell])];
        let mut values = partition.values.clone();
        values.sort_unstable();
        values.dedup();
        let cells = |v: i32| (0..partition.class_of.len()).filter(|&cell| value(cell) >= v).collect();
        let at_least = values.into_iter().map(|v| (v, cells(v))).collect();
        Some(Self { abstraction: Arc::clone(abstraction), both: lengths.start() < lengths.end(), at_least })
    }

    /// The cells of at least this value.
    fn at_least(&self, value: i32) -> Cells<W> {
        let place = self.at_least.partition_point(|&(v, _)| v < value);
        self.at_least.get(place).map_or(Cells::EMPTY, |&(_, cells)| cells)
    }
}

impl<const W: usize> Bound<W> for LeadingMoves<W> {
    fn pruner(&self) -> Box<dyn Pruner<W>> {
        let classes = self.abstraction.space.classes();
        Box::new(LeadingMovesPruner { histogram: vec![0; classes], bound: self.clone() })
    }

    fn asked(&self) -> Asked {
        let values = self.abstraction.partition.values_of_cells();
        Asked::Values(ValueBound { values, all_if_positive: self.both })
    }
}

struct LeadingMovesPruner<const W: usize> {
    bound: LeadingMoves<W>,
    histogram: Vec<u8>,
}

impl<const W: usize> Pruner<W> for LeadingMovesPruner<W> {
    fn filter(&mut self, army: Army<'_, W>, _depth: u32, reach: &mut [Cells<W>]) {
        let LeadingMoves { abstraction, both, .. } = &self.bound;
        abstraction.histogram(army.men, &mut self.histogram);
        let here = abstraction.centroid(&self.histogram);
        if *both && here >= 0 {
            return;
        }
        let partition = &abstraction.partition;
        for (&man, reach) in army.men.iter().zip(reach) {
            // f(Y) = f(X) - value(from) + value(to).
            let left = partition.values[usize::from(partition.class_of[usize::from(man)])];
            *reach &= self.bound.at_least(left - 2 * here);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use halma_rules::centroid;
    use halma_rules::job::{self, Granularity, Job};

    use super::*;
    use crate::database::Databases;

    type Board = Cells<2>;

    fn abstraction(granularity: &Granularity) -> Arc<Abstraction> {
        let text = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"";
        let job = Job::parse("a.toml".as_ref(), text).unwrap();
        let job::Problem::Transfer(problem) = job.problem else { unreachable!() };
        let symmetries = problem.symmetries();
        let centroid = centroid::of_cells(&problem, &symmetries);
        Databases::new(&problem, &symmetries, &centroid, granularity, 1 << 20).abstraction
    }

    proptest! {
        #[test]
        fn moves_stay_by_which_a_solution_may_lead_and_no_others(cells in prop::sample::subsequence((0..81).collect::<Vec<u8>>(), 6)) {
            let army: Board = cells.iter().map(|&cell| usize::from(cell)).collect();
            let empty: Board = (0..81).filter(|&cell| !army.contains(cell)).collect();
            let abstraction = abstraction(&Granularity::default());
            let partition = &abstraction.partition;
            let f = |army: Board| -> i32 { army.iter().map(|cell| partition.values[usize::from(partition.class_of[cell])]).sum() };
            for (lengths, both) in [(16..=17, true), (17..=17, false)] {
                let bound = LeadingMoves::<2>::new(&abstraction, lengths).unwrap();
                let mut reach = vec![empty; cells.len()];
                bound.pruner().filter(Army { men: &cells, set: army }, 9, &mut reach);
                for (&man, reach) in cells.iter().zip(&reach) {
                    for to in empty.iter() {
                        let mut after = army;
                        after.remove(usize::from(man));
                        after.add(to);
                        let leads = f(army) + f(after) >= 0 || both && f(army) >= 0;
                        prop_assert_eq!(reach.contains(to), leads, "{} to {}", man, to);
                    }
                }
            }
            prop_assert!(LeadingMoves::<2>::new(&abstraction, 16..=16).is_none());
        }
    }
}
