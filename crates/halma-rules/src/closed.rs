//! A proof that there is no solution: cells that no move leads out of, and in which start and target need different
//! numbers of men.
//!
//! A man steps to a neighbour or jumps over one to the next cell but one. So he never leaves the connected component of
//! his cell under these steps and jumps, whatever the other men do. If only jumps are allowed the components are
//! smaller, each within the cells of one type (Section 2.1 of the paper).
//!
//! ```
//! use halma_rules::{board::Board, closed::Closed, lattice::{Lattice, Rule}};
//! let lattice = Lattice::new(Board::from_map("SS#TT").unwrap().0, Rule::Four);
//! let closed = Closed::between(&lattice, [&[0, 1], &[2, 3]], false).unwrap();
//! assert_eq!((closed.cells, closed.counts), (vec![0, 1], [2, 0]));
//! ```

use halma_record::record::ImpossibleRecord;

use crate::board::Board;
use crate::lattice::Lattice;

/// Such cells, and how many of them are in the first and in the second set; the numbers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The cells, ascending.
    pub cells: Vec<usize>,
    /// How many of the start and of the target are among them; of a game, of the two bases.
    pub counts: [usize; 2],
}

impl Closed {
    /// The same by the names of cells, as records state it.
    #[must_use]
    pub fn record(&self, board: &Board) -> ImpossibleRecord {
        let [at_start, in_target] = self.counts;
        ImpossibleRecord { cells: self.cells.iter().map(|&cell| board.name_of(cell)).collect(), at_start, in_target }
    }

    /// Cells which prove that no men on the first of `ends` can ever fill the second, nor conversely; `None` if there
    /// are none.
    #[must_use]
    pub fn between(lattice: &Lattice, ends: [&[usize]; 2], jumps_only: bool) -> Option<Self> {
        let sets = |of: Vec<usize>| -> Vec<Vec<usize>> {
            let most = of.iter().max().map_or(0, |&m| m + 1);
            (0..most).map(|set| (0..of.len()).filter(|&c| of[c] == set).collect()).collect()
        };
        let types = (0..lattice.len()).map(|c| lattice.board.type_of(c)).collect();
        // Whole types are more readable than their parts.
        let types = if jumps_only { sets(types) } else { Vec::new() };
        types.into_iter().chain(sets(joined(lattice, jumps_only))).find_map(|cells| {
            let counts = ends.map(|end| end.iter().filter(|c| cells.contains(c)).count());
            (counts[0] != counts[1]).then_some(Self { cells, counts })
        })
    }
}

/// For each cell the least cell of its component.
fn joined(lattice: &Lattice, jumps_only: bool) -> Vec<usize> {
    let mut links: Vec<Vec<u8>> = vec![Vec::new(); lattice.len()];
    for cell in 0..lattice.len() {
        if !jumps_only {
            links[cell].extend(lattice.neighbours(cell));
        }
        for &(a, b) in lattice.jumps_over(cell) {
            links[usize::from(a)].push(b);
            links[usize::from(b)].push(a);
        }
    }
    let mut least = vec![usize::MAX; lattice.len()];
    for first in 0..lattice.len() {
        let mut open = vec![first];
        while let Some(cell) = open.pop() {
            if least[cell] == usize::MAX {
                least[cell] = first;
                open.extend(links[cell].iter().map(|&c| usize::from(c)));
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::lattice::Rule;

    fn between(map: &str, rule: Rule, jumps_only: bool) -> Option<Closed> {
        let (board, marks) = Board::from_map(map).unwrap();
        Closed::between(&Lattice::new(board, rule), [&marks.start, &marks.target], jumps_only)
    }

    #[test]
    fn parts_of_a_board_keep_their_men() {
        assert_eq!(between("SS.\n..T\n..T", Rule::Four, false), None);
        let apart = between("SS#..\n..#TT", Rule::Eight, false).unwrap();
        assert_eq!((apart.cells, apart.counts), (vec![0, 1, 4, 5], [2, 0]));
        // As many on either side of the gap.
        assert_eq!(between("ST#.S\n..#.T", Rule::Eight, false), None);
    }

    #[test]
    fn jumps_keep_types_and_may_keep_more() {
        let typed = between("S...\n...T", Rule::Four, true).unwrap();
        assert_eq!((typed.cells, typed.counts), (vec![0, 2], [1, 0]));
        assert_eq!(between("S...\n...T", Rule::Four, false), None);
        // Of one type, and nothing to jump over between them.
        let parted = between("S.#.T", Rule::Four, true).unwrap();
        assert_eq!((parted.cells, parted.counts), (vec![0], [1, 0]));
    }
}
