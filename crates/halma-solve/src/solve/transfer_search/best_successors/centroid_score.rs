//! The score of Bell (*The shortest game of Chinese Checkers and related problems*, 2009, Section 3.3): the centroid and the symmetry.

use std::sync::Arc;

use halma_bounds::Army;
use halma_bounds::palindrome::symmetry;
use halma_rules::cells::Cells;

use super::ArmyScore;

/// -c(A) - β sym(A), times a unit.
#[derive(Clone)]
pub(in super::super) struct CentroidScore {
    /// What a centroid counts.
    unit: i64,
    centroid: Arc<[i32]>,
    mirror: Arc<[u8]>,
    /// What a man counts whose mirror cell is occupied.
    beta: i64,
}

impl CentroidScore {
    /// The score without the symmetry.
    pub(in super::super) fn new(centroid: &[i32], mirror: &[u8], unit: i64) -> Self {
        Self { unit, centroid: centroid.into(), mirror: mirror.into(), beta: 0 }
    }

    /// The same with a weight of the symmetry, in centroids.
    pub(in super::super) fn with_beta(self, beta: i64) -> Self {
        Self { beta: beta * self.unit, ..self }
    }

    /// The same with a share of that weight.
    pub(in super::super) fn with_share_of_beta(&self, beta: i64, share: f64) -> Self {
        Self { beta: (share * (beta * self.unit) as f64).round() as i64, ..self.clone() }
    }

    pub(in super::super) fn of_army<const W: usize>(&self, army: Army<'_, W>) -> i64 {
        let symmetry = if self.beta == 0 { 0 } else { symmetry(&self.mirror, army) as i64 };
        let centroid: i64 = army.men.iter().map(|&man| i64::from(self.centroid[usize::from(man)])).sum();
        -self.unit * centroid - self.beta * symmetry
    }

    /// What one man more counts beside the `rest` of his army.
    pub(in super::super) fn of_man<const W: usize>(&self, man: u8, rest: Cells<W>) -> i64 {
        let symmetry = match self.beta {
            0 => 0,
            _ if self.mirror[usize::from(man)] == man => 1,
            _ => 2 * i64::from(rest.contains(self.mirror[usize::from(man)].into())),
        };
        -self.unit * i64::from(self.centroid[usize::from(man)]) - self.beta * symmetry
    }
}

impl<const W: usize> ArmyScore<W> for CentroidScore {
    type Scratch = ();

    fn scratch(&self) {}

    fn of(&self, army: Army<'_, W>, (): &mut ()) -> i64 {
        self.of_army(army)
    }

    fn each_successor(&self, army: Army<'_, W>, reach: &[Cells<W>], (): &mut (), mut f: impl FnMut(usize, usize, i64)) {
        let score = self.of_army(army);
        for (number, (&man, reach)) in army.men.iter().zip(reach).enumerate() {
            let rest = army.set.without(usize::from(man));
            let without = score - self.of_man(man, rest);
            reach.iter().for_each(|to| f(number, to, without + self.of_man(to as u8, rest)));
        }
    }
}
