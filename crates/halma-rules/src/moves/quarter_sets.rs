//! Moves of sets of men: where a man on any cell of one set can go, over men on any cell of another.
//!
//! Sets of cells are stored by type, each on its quarter board (see `quarters.rs`). A jump is then a shift by a fixed
//! number of bits, and the cell jumped over is a bit of another type's word at a fixed distance.

use super::quarter_numbering::{AXES, QuarterNumbering};
use super::word::Word;
use crate::lattice::Lattice;

/// Types of cells: columns and rows that are even or odd.
pub const TYPES: usize = 4;

/// A set of cells, by type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuarterSet<Q>(pub [Q; TYPES]);

impl<Q: Word> QuarterSet<Q> {
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
    /// Whether the bit of the cell passed over is above that of the jump's lower cell, and not below it.
    up: bool,
    /// By how many bits.
    by: u32,
    /// The lower cells of all such jumps.
    valid: Q,
}

/// For each type, its jumps along one axis.
#[derive(Clone, Copy, Debug)]
struct Axis<Q> {
    /// How many bits on a jump lands, whatever its type.
    shift: u32,
    /// By type.
    lines: [Line<Q>; TYPES],
}

/// The jumps that men on some set of cells allow: by axis, their lower ends, by type.
#[derive(Clone, Copy, Debug)]
pub struct LowerEnds<Q>([QuarterSet<Q>; AXES]);

/// The quarter boards of a lattice.
#[derive(Clone, Debug)]
pub struct QuarterBoards<Q> {
    /// By cell: the set of it alone.
    alone: Vec<QuarterSet<Q>>,
    /// By type and bit: the cells one step away.
    steps: Vec<QuarterSet<Q>>,
    /// All cells.
    cells: QuarterSet<Q>,
    axes: Vec<Axis<Q>>,
}

impl<Q: Word> QuarterBoards<Q> {
    /// The quarter boards of a lattice; `None` where they have too many places for the word.
    #[must_use]
    pub fn new(lattice: &Lattice, jumps_only: bool) -> Option<Self> {
        let board = &lattice.board;
        let numbering = QuarterNumbering::new(board);
        if numbering.count() > Q::CELLS {
            return None;
        }
        let place = |cell: usize| numbering.place(cell);
        let alone = |cell: usize| {
            let mut set = QuarterSet::default();
            set.0[board.type_of(cell)] = Q::ONE << place(cell);
            set
        };
        let alone: Vec<QuarterSet<Q>> = (0..lattice.len()).map(alone).collect();
        let mut steps = vec![QuarterSet::default(); TYPES * Q::CELLS as usize];
        let mut axes: Vec<Axis<Q>> = Vec::new();
        for cell in 0..lattice.len() {
            let around = lattice.neighbours(cell).iter().filter(|_| !jumps_only);
            steps[board.type_of(cell) * Q::CELLS as usize + place(cell) as usize] =
                around.fold(QuarterSet::default(), |all, &n| all.or(&alone[usize::from(n)]));
            for &(a, b) in lattice.jumps_over(cell) {
                let (low, high) = numbering.lower_first(a, b);
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
        let cells = alone.iter().fold(QuarterSet::default(), |all, cell| all.or(cell));
        (axes.len() <= AXES).then_some(Self { alone, steps, cells, axes })
    }

    /// The set of these cells.
    pub fn of(&self, cells: impl IntoIterator<Item = usize>) -> QuarterSet<Q> {
        cells.into_iter().fold(QuarterSet::default(), |all, cell| all.or(&self.alone[cell]))
    }

    /// The jumps that men on these cells allow.
    #[inline(always)]
    #[must_use]
    pub fn lower_ends(&self, men: &QuarterSet<Q>) -> LowerEnds<Q> {
        let mut lower_ends = [QuarterSet::default(); AXES];
        for (lower_ends, axis) in lower_ends.iter_mut().zip(&self.axes) {
            for (lower, line) in lower_ends.0.iter_mut().zip(&axis.lines) {
                let men = men.0[usize::from(line.over) % TYPES];
                *lower = if line.up { men >> line.by } else { men << line.by } & line.valid;
            }
        }
        LowerEnds(lower_ends)
    }

    /// Where a man from one of `from` can go, those cells excluded: by one step, or by a chain of the jumps with these
    /// `lower_ends`, with every landing outside `blocked`.
    #[inline(always)]
    #[must_use]
    pub fn reach(&self, from: &QuarterSet<Q>, lower_ends: &LowerEnds<Q>, blocked: &QuarterSet<Q>) -> QuarterSet<Q> {
        let free = self.cells.but(blocked);
        let mut found = self.jumps(from, lower_ends, &free);
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
    fn jumps(&self, start: &QuarterSet<Q>, lower_ends: &LowerEnds<Q>, free: &QuarterSet<Q>) -> QuarterSet<Q> {
        let mut reached = *start;
        loop {
            let mut landings = QuarterSet::default();
            for (lower, axis) in lower_ends.0.iter().zip(&self.axes) {
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
