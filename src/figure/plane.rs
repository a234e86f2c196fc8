//! The coordinates of the cells in a picture.

use halma_rules::board::Board;
use halma_rules::lattice::{Lattice, Rule};

/// The distance between neighbouring cells.
pub(super) const UNIT: i32 = 20;

/// How columns and rows become places on the paper.
#[derive(Clone, Debug)]
pub(super) struct Plane {
    kind: Kind,
    /// What is added so that every cell lies on the paper.
    shift: (i32, i32),
    size: (i32, i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Squares.
    Square,
    /// Squares that stand on a corner: the dark squares of a checkers board.
    Turned,
    /// Six neighbours at equal distances, the kept diagonal level.
    Triangular,
}

impl Plane {
    pub(super) fn of(lattice: &Lattice) -> Self {
        let board = &lattice.board;
        let kind = match lattice.rule {
            Rule::Six => Kind::Triangular,
            _ if board.name() == "checkers-32" => Kind::Turned,
            _ => Kind::Square,
        };
        let places: Vec<_> = (0..board.len()).map(|c| project(kind, board.xy(c))).collect();
        let least = |values: &dyn Fn(&(i32, i32)) -> i32| places.iter().map(values).min().unwrap_or(0);
        let (left, top) = (least(&|p| p.0), least(&|p| p.1));
        let (right, bottom) = (-least(&|p| -p.0), -least(&|p| -p.1));
        Self { kind, shift: (UNIT - left, UNIT - top), size: (right - left + 2 * UNIT, bottom - top + 2 * UNIT) }
    }

    /// Width and height of a board with its margin.
    pub(super) fn size(&self) -> (i32, i32) {
        self.size
    }

    /// Whether cells are drawn as squares that touch.
    pub(super) fn squares(&self) -> bool {
        self.kind == Kind::Square
    }

    pub(super) fn place(&self, board: &Board, cell: usize) -> (i32, i32) {
        self.point(board.xy(cell))
    }

    /// The middle of the place in a column and a row, whether there is a cell or not.
    pub(super) fn point(&self, place: (i32, i32)) -> (i32, i32) {
        let (x, y) = project(self.kind, place);
        (x + self.shift.0, y + self.shift.1)
    }

    /// The place for a name beside a cell, a step away.
    pub(super) fn toward(&self, (x, y): (i32, i32), (dx, dy): (i32, i32)) -> (i32, i32) {
        // Past the edge a name stands a little nearer than a cell would; on a turned board, where names of columns and
        // rows share an edge, near enough to tell whose it is.
        let part = if self.kind == Kind::Turned { 3 } else { 4 };
        let (here, there) = (self.point((x, y)), self.point((x + dx, y + dy)));
        let nearer = |here: i32, there: i32| here + (there - here) * part / 5;
        (nearer(here.0, there.0), nearer(here.1, there.1))
    }

    /// A cell's place as SVG writes points.
    pub(super) fn text(&self, board: &Board, cell: usize) -> String {
        let (x, y) = self.place(board, cell);
        format!("{x},{y}")
    }
}

fn project(kind: Kind, (x, y): (i32, i32)) -> (i32, i32) {
    match kind {
        Kind::Square => (x * UNIT, y * UNIT),
        // 14/20 is half the square root of 2, near enough for a page.
        Kind::Turned => ((x - y) * UNIT * 7 / 10, (x + y) * UNIT * 7 / 10),
        // And 52/60 half that of 3.
        Kind::Triangular => ((x - y) * UNIT / 2, (x + y) * UNIT * 52 / 60),
    }
}
