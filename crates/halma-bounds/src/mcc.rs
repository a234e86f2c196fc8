//! The minimum centroid constraint (Bell 2009, Section 3.2), an admissible bound if its parameter C is right: Theorem 2
//! of the paper bounds the centroid that an army can reach by the middle, and C is the largest centroid there.

use std::sync::Arc;

use halma_rules::cells::Cells;

use super::cells_by_value::CellsByValue;
use super::{Bound, Pruner};
use crate::Army;

/// Prunes a state on level i if it leads to no army on level `middle` with a centroid of at least -C.
///
/// Theorem 2: the best move takes a man of least centroid to ℓ beyond the man of greatest centroid. After r such moves
/// (r moves are left to the middle) there are the best men and a row of men at max + ℓ, ..., max + rℓ.
///
/// A solution of length 2N has its middle on level N, and so has its mirrored reversal. So both middles have centroids
/// between -C and C, where C is the largest centroid on level N. In a solution of length 2N + 1, A_(N+1) is the mirror
/// image of an army on level N. So its centroid is at least -C with the C of level N, and the bound's middle is level
/// N + 1.
#[derive(Clone, Debug)]
pub struct MinimumCentroid<const W: usize> {
    centroid: Arc<Vec<i32>>,
    by_centroid: Arc<CellsByValue<W>>,
    largest_step: i32,
    middle: u32,
    c: i64,
}

impl<const W: usize> MinimumCentroid<W> {
    /// The bound for armies that must have a centroid of at least -c on level `middle`.
    #[must_use]
    pub fn new(centroid: &[i32], largest_step: i32, middle: u32, c: i64) -> Self {
        let by_centroid = Arc::new(CellsByValue::new(centroid));
        Self { centroid: Arc::new(centroid.to_vec()), by_centroid, largest_step, middle, c }
    }
}

impl<const W: usize> Bound<W> for MinimumCentroid<W> {
    fn pruner(&self) -> Box<dyn Pruner<W>> {
        Box::new(MccPruner { bound: self.clone(), sorted: Vec::new() })
    }
}

struct MccPruner<const W: usize> {
    bound: MinimumCentroid<W>,
    /// The other men's centroids, descending.
    sorted: Vec<i32>,
}

/// Theorem 2 iterated: the largest centroid after `moves` more moves, from `man` and men with the centroids `others`
/// (descending).
fn reachable(others: &[i32], man: i32, moves: usize, largest_step: i32) -> i64 {
    let men = others.len() + 1;
    let max = i64::from(others.first().map_or(man, |&o| o.max(man)));
    let sum = |n: usize| others[..n.min(others.len())].iter().map(|&o| i64::from(o)).sum::<i64>();
    let kept = men.saturating_sub(moves);
    let best = match kept {
        0 => 0,
        n if n == men => sum(n) + i64::from(man),
        n => sum(n).max(sum(n - 1) + i64::from(man)),
    };
    // The movers stand at max + jℓ for the last men.min(moves) values of j.
    let (first, last) = ((moves - moves.min(men)) as i64 + 1, moves as i64);
    let row = (last - first + 1) * max + i64::from(largest_step) * (first + last) * (last - first + 1) / 2;
    best + row
}

impl<const W: usize> Pruner<W> for MccPruner<W> {
    fn filter(&mut self, army: Army<'_, W>, depth: u32, reach: &mut [Cells<W>]) {
        let MinimumCentroid { centroid, by_centroid, largest_step, middle, c } = &self.bound;
        let Some(moves) = middle.checked_sub(depth) else { return };
        let value = |cell: u8| centroid[usize::from(cell)];
        let mut known: Option<(i32, Cells<W>)> = None;
        for (i, reach) in reach.iter_mut().enumerate() {
            let own = value(army.men[i]);
            if known.is_none_or(|(v, _)| v != own) {
                self.sorted.clear();
                self.sorted.extend(army.men.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, &m)| value(m)));
                self.sorted.sort_unstable_by(|a, b| b.cmp(a));
                // The bound increases with the mover's new centroid, so the least sufficient one decides.
                let suffices = |v: i32| reachable(&self.sorted, v, moves as usize, *largest_step) >= -c;
                known = Some((own, by_centroid.sufficient(suffices)));
            }
            *reach &= known.map_or(Cells::EMPTY, |(_, cells)| cells);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_closed_form_is_theorem_2_iterated(
            mut others in proptest::collection::vec(-8i32..=8, 0..8), man in -8i32..=8, moves in 0usize..12, step in 1i32..=2
        ) {
            others.sort_unstable_by(|a, b| b.cmp(a));
            let mut army: Vec<i32> = others.iter().copied().chain([man]).collect();
            for _ in 0..moves {
                army.sort_unstable();
                let last = army[army.len() - 1];
                army[0] = last + step;
            }
            let expected: i64 = army.iter().map(|&v| i64::from(v)).sum();
            prop_assert_eq!(reachable(&others, man, moves, step), expected);
        }
    }
}
