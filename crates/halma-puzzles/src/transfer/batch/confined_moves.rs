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

    /// Where the man on `from` can go in one move, if he steps and lands on cells of `within` alone and jumps over `others` alone,
    /// who stand there, too.
    #[must_use]
    pub fn reach(&self, from: usize, others: Cells<W>, within: Cells<W>) -> Cells<W> {
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
        (landings | self.steps[from] & free).without(from)
    }
}
