//! Jumps that are neither among inner cells alone nor among outer cells alone.

use halma_rules::cells::Cells;

use super::confined_moves::ConfinedMoves;
use super::inner_cells::{InnerCells, OUTER, bits};

/// A set of crossing jumps.
pub type Jumps = u64;

/// Bits of a set of inner cells that are looked up at a time.
const BITS: usize = 8;

/// One jump, in one direction.
#[derive(Clone, Copy)]
struct Jump {
    from: u8,
    over: u8,
    to: u8,
}

/// The crossing jumps that begin on inner cells, or those that begin on outer cells. A jump back is a jump of its own.
pub struct Crossings {
    jumps: Vec<Jump>,
    /// By cell: the jumps that begin there, that go over a man there, and that end there.
    begin: Vec<Jumps>,
    over: Vec<Jumps>,
    end: Vec<Jumps>,
    /// Those that end in the other part.
    pub across: Jumps,
    /// Those that go over a man of the inner cells.
    over_inner: Jumps,
    /// By set of inner cells: the jumps that begin there, those that end there, and those over one of them.
    beginning: Table,
    ending: Table,
    over_men: Table,
}

/// By set of inner cells, its low and its high bits looked up apart: the jumps of all its cells.
struct Table([Vec<Jumps>; 2]);

impl Table {
    fn new(cells: &[u8], by_cell: &[Jumps]) -> Self {
        let of = |bit: usize| cells.get(bit).map_or(0, |&cell| by_cell[usize::from(cell)]);
        Self([0, BITS].map(|shift| {
            let set = |low: u32| bits(low).fold(0, |all, bit| all | of(shift + bit));
            (0..1 << BITS).map(set).collect()
        }))
    }

    #[inline(always)]
    fn of(&self, set: u16) -> Jumps {
        self.0[0][usize::from(set) & ((1 << BITS) - 1)] | self.0[1][usize::from(set) >> BITS]
    }
}

impl Crossings {
    /// The crossing jumps that begin on inner cells (`inside`), or those that begin on outer ones; `None` where there are too many.
    #[must_use]
    pub fn new<const W: usize>(confined: &ConfinedMoves<W>, inner: &InnerCells<W>, inside: bool) -> Option<Self> {
        let is_inner = |cell: u8| inner.bit_of[usize::from(cell)] != OUTER;
        let cells = inner.bit_of.len();
        let mut jumps = Vec::new();
        // A board may have 256 cells, which no u8 counts.
        for from in (0..cells).filter(|&from| is_inner(from as u8) == inside) {
            for &(over, to) in confined.jumps(from) {
                if is_inner(over) != inside || is_inner(to) != inside {
                    jumps.push(Jump { from: from as u8, over, to });
                }
            }
        }
        if jumps.len() > Jumps::BITS as usize {
            return None;
        }
        let all = |wanted: &dyn Fn(&Jump) -> bool| {
            (0..).zip(&jumps).filter(|(_, jump)| wanted(jump)).fold(0, |set, (number, _)| set | 1 << number)
        };
        let by_cell = |part: fn(&Jump) -> u8| -> Vec<Jumps> {
            (0..cells).map(|cell| all(&|jump| usize::from(part(jump)) == cell)).collect()
        };
        let (begin, over, end) = (by_cell(|jump| jump.from), by_cell(|jump| jump.over), by_cell(|jump| jump.to));
        Some(Self {
            beginning: Table::new(&inner.cells, &begin),
            ending: Table::new(&inner.cells, &end),
            over_men: Table::new(&inner.cells, &over),
            across: all(&|jump| is_inner(jump.to) != inside),
            over_inner: all(&|jump| is_inner(jump.over)),
            begin,
            over,
            end,
            jumps,
        })
    }

    /// The jumps that begin on inner cells of `set`.
    #[inline(always)]
    #[must_use]
    pub fn beginning(&self, set: u16) -> Jumps {
        self.beginning.of(set)
    }

    /// The jumps that do not end on inner cells of `set`.
    #[inline(always)]
    #[must_use]
    pub fn ending_elsewhere(&self, set: u16) -> Jumps {
        !self.ending.of(set)
    }

    /// The jumps that inner `men` allow: whoever is to be jumped over there is there, and nobody stands where the jump ends.
    #[inline(always)]
    #[must_use]
    pub fn allowed_inside(&self, men: u16) -> Jumps {
        (!self.over_inner | self.over_men.of(men)) & !self.ending.of(men)
    }

    /// The jumps that outer `men` allow, in the same sense.
    #[must_use]
    pub fn allowed_outside<const W: usize>(&self, men: Cells<W>) -> Jumps {
        let (mut over, mut end) = (self.over_inner, 0);
        men.for_each(|cell| {
            over |= self.over[cell];
            end |= self.end[cell];
        });
        over & !end
    }

    /// The jumps that begin on these cells, and those that end there.
    #[must_use]
    pub fn at<const W: usize>(&self, cells: Cells<W>) -> (Jumps, Jumps) {
        let (mut begin, mut end) = (0, 0);
        cells.for_each(|cell| {
            begin |= self.begin[cell];
            end |= self.end[cell];
        });
        (begin, end)
    }

    /// Calls `f` with the cell on which each of these jumps ends.
    #[inline(always)]
    pub fn each_landing(&self, jumps: Jumps, mut f: impl FnMut(usize)) {
        let mut rest = jumps;
        while rest != 0 {
            f(usize::from(self.jumps[rest.trailing_zeros() as usize].to));
            rest &= rest - 1;
        }
    }
}

/// An inner man who may have somewhere to go on outer cells.
#[derive(Clone, Copy)]
pub struct InnerMan {
    /// The crossing jumps from where he is or gets by jumps among inner cells, as far as inner men allow them.
    pub jumps: Jumps,
    /// The other inner men, and their column.
    pub others: u16,
    pub column: u16,
    /// His cell, and where he gets by jumps among inner cells.
    pub chain: u16,
    /// The bit of his cell.
    pub bit: u8,
}

/// By set of inner men: those who may have somewhere to go on outer cells.
pub struct InnerMen {
    men: Vec<InnerMan>,
    /// By size and column: where the men of a set begin, which end where those of the next begin.
    first: Vec<Vec<u32>>,
}

impl InnerMen {
    /// The men of all sets of at most `most`.
    #[must_use]
    pub fn new<const W: usize>(
        confined: &ConfinedMoves<W>,
        inner: &InnerCells<W>,
        crossings: &Crossings,
        most: usize,
    ) -> Self {
        let steps_out = |bit: usize| !(confined.steps(usize::from(inner.cells[bit])) & !inner.all).is_empty();
        let (mut men, mut first) = (Vec::new(), Vec::new());
        for sets in inner.sets.iter().take(most + 1) {
            let mut begin = vec![men.len() as u32];
            for &set in sets {
                for bit in bits(set.into()) {
                    let others = set & !(1 << bit);
                    let chain = inner.chain(others, bit);
                    let allowed = crossings.allowed_inside(others) & crossings.ending_elsewhere(chain);
                    let jumps = crossings.beginning(chain) & allowed;
                    if jumps != 0 || steps_out(bit) {
                        let column = inner.column[usize::from(others)];
                        men.push(InnerMan { jumps, others, column, chain, bit: bit as u8 });
                    }
                }
                begin.push(men.len() as u32);
            }
            first.push(begin);
        }
        Self { men, first }
    }

    /// The men of a set of that size and column.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, size: usize, column: u16) -> &[InnerMan] {
        let (first, column) = (&self.first[size], usize::from(column));
        &self.men[first[column] as usize..first[column + 1] as usize]
    }
}
