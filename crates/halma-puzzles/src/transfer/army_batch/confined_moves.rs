//! Moves of one man on some cells of the board alone.

use halma_rules::cells::Cells;
use halma_rules::lattice::Lattice;

/// The steps and jumps of a lattice, cell by cell.
#[derive(Clone, Debug)]
pub struct ConfinedMoves<const W: usize> {
    /// By cell: the cells one step away; none where steps are forbidden.
    steps: Vec<Cells<W>>,
    /// By cell: the cells that a man jumps over from there, and where he lands.
    jumps: Vec<Vec<(u8, u8)>>,
}

impl<const W: usize> ConfinedMoves<W> {
    /// The moves of `lattice`.
    #[must_use]
    pub fn new(lattice: &Lattice, jumps_only: bool) -> Self {
        let neighbours = |cell| match jumps_only {
            true => Cells::EMPTY,
            false => lattice.neighbours(cell).iter().map(|&n| usize::from(n)).collect(),
        };
        let mut jumps = vec![Vec::new(); lattice.len()];
        for over in 0..lattice.len() {
            for &(a, b) in lattice.jumps_over(over) {
                jumps[usize::from(a)].push((over as u8, b));
                jumps[usize::from(b)].push((over as u8, a));
            }
        }
        Self { steps: (0..lattice.len()).map(neighbours).collect(), jumps }
    }

    /// The jumps from a cell: over which cell, and where the man lands.
    #[must_use]
    pub fn jumps(&self, cell: usize) -> &[(u8, u8)] {
        &self.jumps[cell]
    }

    /// The cells one step from a cell; none where steps are forbidden.
    #[inline(always)]
    #[must_use]
    pub fn steps(&self, cell: usize) -> Cells<W> {
        self.steps[cell]
    }

    /// `from`, and where a man can go from there by jumps in one move, if he lands on cells of `within` alone and jumps over
    /// `others` alone.
    #[must_use]
    pub fn chain(&self, from: usize, others: Cells<W>, within: Cells<W>) -> Cells<W> {
        let free = within & !others;
        let (mut landings, mut todo) = (Cells::<W>::of(from), Cells::<W>::of(from));
        while let Some(cell) = todo.lowest() {
            todo.remove(cell);
            for &(over, to) in &self.jumps[cell] {
                let (over, to) = (usize::from(over), usize::from(to));
                if others.contains(over) && free.contains(to) && !landings.contains(to) {
                    landings.add(to);
                    todo.add(to);
                }
            }
        }
        landings
    }
}
