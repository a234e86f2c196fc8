//! An army transfer as it is stated: a lattice, the start, the target, and whether steps are allowed.

use crate::cells::Cells;
use crate::closed::Closed;
use crate::lattice::{Lattice, Rule};
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

    /// Cells that no move leads out of and that show that there is no solution; `None` where none do.
    #[must_use]
    pub fn closed(&self) -> Option<Closed> {
        Closed::between(&self.lattice, [&self.start, &self.target], self.jumps_only)
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

    /// The army's average speed σ on a way of so many moves, equation (18) of the paper, as a reduced fraction; `None`
    /// without moves.
    #[must_use]
    pub fn speed(&self, moves: usize) -> Option<(u64, u64)> {
        let sum = |cells: &[usize]| {
            cells.iter().map(|&c| self.lattice.board.xy(c)).fold((0, 0), |(x, y), (dx, dy)| (x + dx, y + dy))
        };
        let ((ax, ay), (bx, by)) = (sum(&self.start), sum(&self.target));
        // Equation (1); y upwards in the paper is minus our row.
        let (x, y) = (bx - ax, ay - by);
        let norm = match self.lattice.rule {
            Rule::Four => x.abs() + y.abs(),
            Rule::Six => (x.abs() + y.abs() + (x - y).abs()) / 2,
            Rule::Eight => x.abs().max(y.abs()),
        };
        let (over, under) = (norm.unsigned_abs().into(), (self.start.len() * moves) as u64);
        let divisor = gcd(over, under);
        (under > 0).then(|| (over / divisor, under / divisor))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
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
