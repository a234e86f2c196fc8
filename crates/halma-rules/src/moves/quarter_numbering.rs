//! Where the cells of a lattice are on its quarter boards (see `quarters.rs`).

use crate::board::Board;

/// The most axes of a move rule.
pub const AXES: usize = 4;

/// The places of cells on quarter boards: `columns * (y / 2) + x / 2` for the cell in column x and row y.
#[derive(Clone, Debug)]
pub struct QuarterNumbering {
    columns: i32,
    /// By cell.
    places: Vec<u32>,
}

impl QuarterNumbering {
    /// The numbering of a board's cells.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        let cells = || (0..board.len()).map(|cell| board.xy(cell));
        let columns = cells().map(|(x, _)| x / 2 + 1).max().unwrap_or(0);
        let places = cells().map(|(x, y)| (columns * (y / 2) + x / 2) as u32).collect();
        Self { columns, places }
    }

    /// How many columns a quarter board has.
    #[must_use]
    pub fn columns(&self) -> i32 {
        self.columns
    }

    /// The place of a cell on the quarter board of its type.
    #[must_use]
    pub fn place(&self, cell: usize) -> u32 {
        self.places[cell]
    }

    /// How many places a quarter board has, up to the last one with a cell.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.places.iter().max().map_or(0, |last| last + 1)
    }

    /// Two cells of one type, the one with the lower place first.
    #[must_use]
    pub fn lower_first(&self, a: u8, b: u8) -> (usize, usize) {
        let (a, b) = (usize::from(a), usize::from(b));
        if self.place(a) < self.place(b) { (a, b) } else { (b, a) }
    }
}
