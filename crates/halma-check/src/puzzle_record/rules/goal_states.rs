//! The states of a goal, where its conditions and the numbers of letters that moves keep leave one letter for each cell.

use super::{Condition, Letters};

/// How a number of cells with one of these letters restricts what cells can have; `false` where it cannot be met.
fn restrict(cells: &mut [Letters], set: Letters, number: usize) -> bool {
    let surely = cells.iter().filter(|&&can| can & !set == 0).count();
    let possibly = cells.iter().filter(|&&can| can & set != 0).count();
    if surely == number {
        // All that have to be there are: no other cell is one of them.
        cells.iter_mut().filter(|can| **can & !set != 0).for_each(|can| *can &= !set);
    } else if possibly == number {
        cells.iter_mut().filter(|can| **can & set != 0).for_each(|can| *can &= set);
    }
    (surely..=possibly).contains(&number)
}

impl Condition {
    /// The one state that satisfies it, if it leaves one letter for each cell, and nothing in the list if it leaves none; `None` where
    /// it leaves more. `kept` are numbers that all states have.
    pub fn only(&self, cells: usize, letters: usize, kept: &[(Letters, u32)]) -> Option<Vec<Vec<u8>>> {
        let mut can: Vec<Letters> = vec![(1 << letters) - 1; cells];
        self.cells.iter().for_each(|&(cell, set)| can[usize::from(cell)] &= set);
        let mut numbers = self.counts.clone();
        numbers.extend(kept);
        let mut open = usize::MAX;
        loop {
            if !numbers.iter().all(|&(set, number)| restrict(&mut can, set, number as usize)) || can.contains(&0) {
                return Some(Vec::new());
            }
            let left = can.iter().map(|can| can.count_ones() as usize).sum();
            if std::mem::replace(&mut open, left) == left {
                break;
            }
        }
        let letters = can.iter().map(|can| can.trailing_zeros() as u8).collect();
        (open == cells).then(|| vec![letters])
    }
}
