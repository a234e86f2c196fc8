//! An army transfer: a lattice, the start, the target, and whether steps are allowed.

use thiserror::Error;

use crate::army;
use crate::board::{Board, MapError};
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
    /// The cells to fill, ascending; as many as in `start`.
    pub target: Vec<usize>,
    /// Whether only jumps count as moves.
    pub jumps_only: bool,
}

/// Why a problem cannot be built.
#[derive(Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The map cannot be read.
    #[error(transparent)]
    Map(#[from] MapError),
    /// No board has that name.
    #[error("there is no board `{0}`")]
    Board(String),
    /// No army has that name, or the board has no room for it.
    #[error("there is no army `{0}` on this board")]
    Army(String),
    /// Nothing says where the men are to go.
    #[error("there is no target, and no symmetry of the board that could mirror the start")]
    NoTarget,
    /// Start and target must have as many cells, and at least one.
    #[error("{start} men are to fill {target} cells: as many are needed, and at least one")]
    Sizes {
        /// Cells of the start.
        start: usize,
        /// Cells of the target.
        target: usize,
    },
}

impl Transfer {
    /// The transfer that a map draws: `S` a cell of the start, `T` of the target, `B` of both, `.` another cell, `#` none. Without
    /// a target it is the mirror image of the start.
    ///
    /// # Errors
    /// The map cannot be read or has no men, start and target differ in size, or there is no target and no symmetry to
    /// make one.
    pub fn drawn(map: &str, rule: Rule) -> Result<Self, ProblemError> {
        let (board, marks) = Board::from_map(map)?;
        let lattice = Lattice::new(board, rule);
        let target = if marks.target.is_empty() { mirrored(&lattice, &marks.start) } else { Some(marks.target) };
        let (start, target) = (marks.start, target.ok_or(ProblemError::NoTarget)?);
        if start.len() != target.len() || start.is_empty() {
            return Err(ProblemError::Sizes { start: start.len(), target: target.len() });
        }
        Ok(Self { lattice, start, target, jumps_only: false })
    }

    /// A named board and a named army; the target is its mirror image.
    ///
    /// # Errors
    /// Where one of the names is unknown.
    pub fn named(board: &str, rule: Rule, army: &str) -> Result<Self, ProblemError> {
        let unknown = || ProblemError::Army(army.into());
        let board = Board::named(board).ok_or_else(|| ProblemError::Board(board.into()))?;
        let start = army::named(army, &board).ok().flatten().ok_or_else(unknown)?;
        let lattice = Lattice::new(board, rule);
        let target = mirrored(&lattice, &start).ok_or(ProblemError::NoTarget)?;
        Ok(Self { lattice, start, target, jumps_only: false })
    }

    /// The same problem without steps.
    ///
    /// ```
    /// use halma_rules::{lattice::Rule, problem::Transfer};
    /// let problem = Transfer::named("9x9", Rule::Four, "triangle-4").unwrap();
    /// assert!(!problem.jumps_only && problem.by_jumps_only().jumps_only);
    /// ```
    #[must_use]
    pub fn by_jumps_only(self) -> Self {
        Self { jumps_only: true, ..self }
    }

    /// K and ρ.
    #[must_use]
    pub fn symmetries(&self) -> Symmetries {
        Symmetries::of(&self.lattice, &self.start, &self.target)
    }

    /// Cells which prove that there is no solution; `None` if there are none.
    #[must_use]
    pub fn closed(&self) -> Option<Closed> {
        Closed::between(&self.lattice, [&self.start, &self.target], self.jumps_only)
    }

    /// How many of the cells have each type (Section 2.1).
    #[must_use]
    pub fn types(&self, cells: &[usize]) -> [usize; 4] {
        self.lattice.board.types(cells)
    }

    /// The army's average speed σ in a solution of so many moves, equation (18) of the paper, as a reduced fraction;
    /// `None` for 0 moves.
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

/// The army's target: the mirror image of `start` in the line x + y = constant if that is a symmetry of the board under
/// the rule, otherwise its image under a half turn; `None` if neither is a symmetry.
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
