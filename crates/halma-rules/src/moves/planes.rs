//! Moves of sets of men: where a man on any cell of one set can go, over men on any cell of another.
//!
//! Sets of cells are stored by type, each on its quarter board (see `quarters.rs`). A jump is then a shift by a fixed
//! number of bits, and the cell jumped over is a bit of another type's word at a fixed distance.

use super::word::Word;
use crate::lattice::Lattice;

/// Types of cells: columns and rows that are even or odd.
pub const TYPES: usize = 4;

/// A set of cells, by type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plane<Q>(pub [Q; TYPES]);

impl<Q: Word> Plane<Q> {
    /// The intersection.
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self(std::array::from_fn(|t| self.0[t] & other.0[t]))
    }

    /// The union.
    #[inline(always)]
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self(std::array::from_fn(|t| self.0[t] | other.0[t]))
    }

    /// The difference: the cells of this set that are not in the other.
    #[inline(always)]
    #[must_use]
    pub fn but(self, other: &Self) -> Self {
        Self(std::array::from_fn(|t| self.0[t] & !other.0[t]))
    }

    /// Whether there is nothing in it.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(Q::default(), |all, &word| all | word) == Q::default()
    }

    /// How many cells it has.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.ones()).sum()
    }

    /// A mix of its bits.
    #[inline(always)]
    #[must_use]
    pub fn mixed(&self, with: u64) -> u64 {
        self.0.iter().fold(with, |mix, word| word.mixed(mix))
    }
}

/// The jumps of one type along one axis.
#[derive(Clone, Copy, Debug, Default)]
struct Line<Q> {
    /// The type of the cells passed over.
    over: u8,
    /// How many bits before (`up`) or behind the jump's lower cell the cell passed over is.
    up: bool,
    by: u32,
    /// The lower cells of all such jumps.
    valid: Q,
}

/// The jumps along one axis of each type.
#[derive(Clone, Copy, Debug)]
struct Axis<Q> {
    /// How many bits on a jump lands, whatever its type.
    shift: u32,
    /// By type.
    lines: [Line<Q>; TYPES],
}

/// The most axes of a lattice.
const AXES: usize = 4;

/// The jumps that men on some set of cells allow: by axis, the lower cells, by type.
#[derive(Clone, Copy, Debug)]
pub struct Rungs<Q>([Plane<Q>; AXES]);

/// The quarter boards of a lattice.
#[derive(Clone, Debug)]
pub struct Planes<Q> {
    /// By cell: the set of it alone.
    alone: Vec<Plane<Q>>,
    /// By type and bit: the cells one step away.
    steps: Vec<Plane<Q>>,
    /// All cells.
    cells: Plane<Q>,
    axes: Vec<Axis<Q>>,
}

impl<Q: Word> Planes<Q> {
    /// The quarter boards of a lattice; `None` where they have too many places for the word.
    #[must_use]
    pub fn new(lattice: &Lattice, jumps_only: bool) -> Option<Self> {
        let board = &lattice.board;
        let columns = (0..lattice.len()).map(|cell| board.xy(cell).0 / 2 + 1).max()?;
        let place = |cell: usize| {
            let (x, y) = board.xy(cell);
            (columns * (y / 2) + x / 2) as u32
        };
        if (0..lattice.len()).map(place).max()? >= Q::CELLS {
            return None;
        }
        let alone = |cell: usize| {
            let mut plane = Plane::default();
            plane.0[board.type_of(cell)] = Q::ONE << place(cell);
            plane
        };
        let alone: Vec<Plane<Q>> = (0..lattice.len()).map(alone).collect();
        let mut steps = vec![Plane::default(); TYPES * Q::CELLS as usize];
        let mut axes: Vec<Axis<Q>> = Vec::new();
        for cell in 0..lattice.len() {
            let around = lattice.neighbours(cell).iter().filter(|_| !jumps_only);
            steps[board.type_of(cell) * Q::CELLS as usize + place(cell) as usize] =
                around.fold(Plane::default(), |all, &n| all.or(&alone[usize::from(n)]));
            for &(a, b) in lattice.jumps(cell) {
                let (a, b) = (usize::from(a), usize::from(b));
                let (low, high) = if place(a) < place(b) { (a, b) } else { (b, a) };
                let (shift, over) = (place(high) - place(low), board.type_of(cell) as u8);
                let (up, by) = (place(cell) >= place(low), place(cell).abs_diff(place(low)));
                // On narrow boards jumps along two axes may land as many bits on.
                let fits =
                    |line: &Line<Q>| line.valid == Q::default() || (line.over, line.up, line.by) == (over, up, by);
                let own = board.type_of(low);
                let at = axes.iter().position(|axis| axis.shift == shift && fits(&axis.lines[own]));
                let at = at.unwrap_or_else(|| {
                    axes.push(Axis { shift, lines: Default::default() });
                    axes.len() - 1
                });
                let line = &mut axes[at].lines[own];
                *line = Line { over, up, by, valid: line.valid | Q::ONE << place(low) };
            }
        }
        let cells = alone.iter().fold(Plane::default(), |all, cell| all.or(cell));
        (axes.len() <= AXES).then_some(Self { alone, steps, cells, axes })
    }

    /// The set of these cells.
    pub fn of(&self, cells: impl IntoIterator<Item = usize>) -> Plane<Q> {
        cells.into_iter().fold(Plane::default(), |all, cell| all.or(&self.alone[cell]))
    }

    /// The jumps that men on these cells allow.
    #[inline(always)]
    #[must_use]
    pub fn rungs(&self, men: &Plane<Q>) -> Rungs<Q> {
        let mut rungs = [Plane::default(); AXES];
        for (rungs, axis) in rungs.iter_mut().zip(&self.axes) {
            for (lower, line) in rungs.0.iter_mut().zip(&axis.lines) {
                let men = men.0[usize::from(line.over) % TYPES];
                *lower = if line.up { men >> line.by } else { men << line.by } & line.valid;
            }
        }
        Rungs(rungs)
    }

    /// Where a man from one of `from` can go, those cells excluded: by one step, or by a chain of jumps over `rungs`,
    /// with every landing outside `blocked`.
    #[inline(always)]
    #[must_use]
    pub fn reach(&self, from: &Plane<Q>, rungs: &Rungs<Q>, blocked: &Plane<Q>) -> Plane<Q> {
        let free = self.cells.but(blocked);
        let mut found = self.jumps(from, rungs, &free);
        for (t, &start) in from.0.iter().enumerate() {
            let mut each = start;
            while each != Q::default() {
                found = found.or(&self.steps[t * Q::CELLS as usize + each.lowest() as usize]);
                each = each.rest();
            }
        }
        found.and(&free).but(from)
    }

    /// The cells that jumps reach from `start`, with `start` itself. The types are independent, and searched together.
    #[inline(always)]
    fn jumps(&self, start: &Plane<Q>, rungs: &Rungs<Q>, free: &Plane<Q>) -> Plane<Q> {
        let mut reached = *start;
        loop {
            let mut landings = Plane::default();
            for (lower, axis) in rungs.0.iter().zip(&self.axes) {
                let (lower, shift) = (lower.0, axis.shift);
                landings.0 = std::array::from_fn(|t| {
                    landings.0[t] | (reached.0[t] & lower[t]) << shift | (reached.0[t] >> shift) & lower[t]
                });
            }
            let new = landings.and(free).but(&reached);
            if new.is_empty() {
                return reached;
            }
            reached = reached.or(&new);
        }
    }
}
