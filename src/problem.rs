//! An army transfer as it is stated: a lattice, the start, the target, and whether steps are allowed.

use crate::cells::Cells;
use crate::lattice::Lattice;
use crate::symmetry::{Symmetries, automorphisms};

/// Move the men on `start` to `target` in as few moves as possible (Section 3 of the paper).
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Board and rule.
    pub lattice: Lattice,
    /// The cells of the army at the start, ascending.
    pub start: Vec<usize>,
    /// The cells to fill, ascending; as many.
    pub target: Vec<usize>,
    /// Whether only jumps count as moves.
    pub jumps_only: bool,
}

impl Transfer {
    /// K and ρ.
    #[must_use]
    pub fn symmetries(&self) -> Symmetries {
        Symmetries::of(&self.lattice, &self.start, &self.target)
    }

    /// How many of the cells have each type (Section 2.1).
    #[must_use]
    pub fn types(&self, cells: &[usize]) -> [usize; 4] {
        let mut counts = [0; 4];
        for &cell in cells {
            counts[self.lattice.board.type_of(cell)] += 1;
        }
        counts
    }
}

/// The army that mirrors `start` on the far side: reflected in the line x + y = constant where that is a symmetry
/// of the board under the rule, else turned by half a turn; `None` where neither is a symmetry.
#[must_use]
pub fn mirrored(lattice: &Lattice, start: &[usize]) -> Option<Vec<usize>> {
    let all = automorphisms(lattice);
    let board = &lattice.board;
    let image = |wanted: &dyn Fn((i32, i32)) -> (i32, i32)| {
        let places = (0..lattice.len()).map(|c| board.xy(c));
        let symmetry = all.iter().find(|s| {
            places.clone().enumerate().all(|(c, place)| {
                let (x, y) = wanted(place);
                board.at(x, y) == Some(usize::from(s.cells[c]))
            })
        })?;
        Some(symmetry.apply::<4>(start.iter().copied().collect()).iter().collect::<Vec<_>>())
    };
    let (right, bottom) = (board.width() as i32 - 1, board.height() as i32 - 1);
    image(&|(x, y)| (bottom - y, right - x)).or_else(|| image(&|(x, y)| (right - x, bottom - y)))
}

/// The cells of a list as a set.
#[must_use]
pub fn set<const W: usize>(cells: &[usize]) -> Cells<W> {
    cells.iter().copied().collect()
}
