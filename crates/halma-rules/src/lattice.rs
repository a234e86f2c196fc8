//! A board under a move rule: tables of neighbours and jumps.

pub use halma_record::job::Rule;
use halma_record::record::LatticeRecord;

use crate::board::Board;

/// A board, a rule, and the tables of its steps and jumps.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// The cells.
    pub board: Board,
    /// The directions.
    pub rule: Rule,
    neighbours: Vec<Vec<u8>>,
    jumps: Vec<Vec<(u8, u8)>>,
}

impl Lattice {
    /// The tables of `board` under `rule`.
    #[must_use]
    pub fn new(board: Board, rule: Rule) -> Self {
        let next = |cell: usize, (dx, dy): (i32, i32)| {
            let (x, y) = board.xy(cell);
            board.at(x + dx, y + dy).map(|c| c as u8)
        };
        let neighbours = |cell| rule.directions().filter_map(|d| next(cell, d)).collect();
        let jumps = |cell| {
            let pair = |&(dx, dy): &(i32, i32)| Some((next(cell, (-dx, -dy))?, next(cell, (dx, dy))?));
            rule.axes().iter().filter_map(pair).collect()
        };
        let cells = 0..board.len();
        Self { neighbours: cells.clone().map(neighbours).collect(), jumps: cells.map(jumps).collect(), rule, board }
    }

    /// How many cells there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a board has at least one cell")]
    pub fn len(&self) -> usize {
        self.board.len()
    }

    /// The cells one step from `cell`.
    #[must_use]
    pub fn neighbours(&self, cell: usize) -> &[u8] {
        &self.neighbours[cell]
    }

    /// The pairs of cells between which a man can jump over `over`, one pair for each axis that has both.
    #[must_use]
    pub fn jumps_over(&self, over: usize) -> &[(u8, u8)] {
        &self.jumps[over]
    }

    /// Steps from each cell to the nearest of `cells`, over an empty board; `u8::MAX` if there is no path.
    ///
    /// On a full rectangle these are the norms of equation (1) of the paper.
    #[must_use]
    pub fn distances(&self, cells: &[usize]) -> Vec<u8> {
        let mut distance = vec![u8::MAX; self.len()];
        let mut queue: Vec<usize> = cells.to_vec();
        for &cell in cells {
            distance[cell] = 0;
        }
        let mut head = 0;
        while let Some(&cell) = queue.get(head) {
            head += 1;
            for &n in self.neighbours(cell) {
                let n = usize::from(n);
                if distance[n] == u8::MAX {
                    distance[n] = (distance[cell] + 1).min(u8::MAX - 1);
                    queue.push(n);
                }
            }
        }
        distance
    }
}

impl From<&Lattice> for LatticeRecord {
    fn from(lattice: &Lattice) -> Self {
        Self {
            cells: (0..lattice.len()).map(|cell| lattice.board.name_of(cell)).collect(),
            directions: lattice.rule.directions().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equation (1), in columns and rows: y upwards in the paper is minus our row.
    fn norm(rule: Rule, dx: i32, dy: i32) -> i32 {
        let (x, y) = (dx, -dy);
        match rule {
            Rule::Four => x.abs() + y.abs(),
            Rule::Six => (x.abs() + y.abs() + (x - y).abs()) / 2,
            Rule::Eight => x.abs().max(y.abs()),
        }
    }

    #[test]
    fn distances_are_the_norms_of_equation_1() {
        for rule in [Rule::Four, Rule::Six, Rule::Eight] {
            let lattice = Lattice::new(Board::named("9x9").unwrap(), rule);
            for a in 0..81 {
                let from_a = lattice.distances(&[a]);
                for (b, &distance) in from_a.iter().enumerate() {
                    let ((ax, ay), (bx, by)) = (lattice.board.xy(a), lattice.board.xy(b));
                    assert_eq!(i32::from(distance), norm(rule, ax - bx, ay - by));
                }
            }
        }
    }
}
