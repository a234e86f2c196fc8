//! Jumps of all men at once, on quarter boards: a bit-parallel flood fill.
//!
//! A jump changes column and row by 0 or 2, so it stays on cells of the mover's type (Section 2.1 of the paper). The
//! cells of one type make a board with half as many columns and rows, a quarter board. There a jump is one step,
//! allowed if the cell jumped over, which is of another type, holds a man. All steps along an axis from a set of cells
//! are two shifts. A quarter board fits one word, every man has a word of his own, and a vector unit processes many men
//! at a time.

use super::quarter_numbering::{AXES, QuarterNumbering};
use super::word::Word;
use crate::cells::Cells;
use crate::lattice::Lattice;

/// Men taken at a time.
const LANES: usize = 16;
/// Bits of a quarter that are looked up at a time.
const BITS: usize = 5;

/// By type: the cells that men occupy; then, for each axis, the lower ends of the jumps over these men.
type Shadow<Q> = [[Q; 4]; 1 + AXES];

/// Quarter boards of one lattice: bit `columns * (y / 2) + x / 2` of a word is the cell in column x and row y.
#[derive(Clone, Debug)]
pub(super) struct QuarterBoards<const W: usize, Q> {
    /// By cell: its type, 0 to 3 (masked where it is an index, which spares a check of bounds), and its bit.
    homes: Vec<(u8, Q)>,
    /// By cell: the shadow of a man there.
    shadows: Vec<Shadow<Q>>,
    /// By axis: how many bits on a jump lands; of the `axes` that the lattice has jumps along.
    shifts: [u32; AXES],
    axes: usize,
    /// By type: the cells that the board has.
    cells: [Q; 4],
    /// By type, then for each few bits of a quarter: the cells that they stand for.
    spread: [Vec<[Cells<W>; 1 << BITS]>; 4],
}

impl<const W: usize, Q: Word + Into<u64>> QuarterBoards<W, Q> {
    /// The quarter boards of a lattice; `None` where they have too many cells.
    pub(super) fn new(lattice: &Lattice) -> Option<Self> {
        let board = &lattice.board;
        let numbering = QuarterNumbering::new(board);
        if numbering.count() > Q::CELLS {
            return None;
        }
        let place = |cell: usize| numbering.place(cell);
        let home = |cell| (board.type_of(cell) as u8, Q::ONE << place(cell));
        let homes: Vec<(u8, Q)> = (0..lattice.len()).map(home).collect();
        let mut shadows = vec![Shadow::<Q>::default(); lattice.len()];
        let (mut cells, mut shifts) = ([Q::default(); 4], Vec::new());
        let mut spread =
            std::array::from_fn(|_| vec![[Cells::EMPTY; 1 << BITS]; (numbering.count() as usize).div_ceil(BITS)]);
        for cell in 0..lattice.len() {
            let (kind, bit) = homes[cell];
            let kind = usize::from(kind);
            cells[kind] |= bit;
            shadows[cell][0][kind] = bit;
            for &(a, b) in lattice.jumps_over(cell) {
                let (lower, upper) = numbering.lower_first(a, b);
                let shift = place(upper) - place(lower);
                // Axes that shift alike may share their number: the lower cell and the shift tell the jump.
                let axis = shifts.iter().position(|&s| s == shift).unwrap_or(shifts.len());
                if axis == shifts.len() {
                    shifts.push(shift);
                }
                let (kind, bit) = homes[lower];
                shadows[cell][1 + axis][usize::from(kind)] |= bit;
            }
            let (word, place) = (place(cell) as usize / BITS, place(cell) as usize % BITS);
            for (set, cells) in spread[kind][word].iter_mut().enumerate() {
                if set >> place & 1 != 0 {
                    cells.add(cell);
                }
            }
        }
        let axes = shifts.len();
        shifts.resize(AXES, 0);
        Some(Self { homes, shadows, shifts: shifts.try_into().ok()?, axes, cells, spread })
    }

    /// Adds to `reach` where as many of `men`, who are all that stand on the board, can go by jumps.
    #[inline(always)]
    pub(super) fn jumps(&self, men: &[u8], reach: &mut [Cells<W>]) {
        match self.axes {
            0..=2 => self.along::<2>(men, reach),
            3 => self.along::<3>(men, reach),
            _ => self.along::<AXES>(men, reach),
        }
    }

    #[inline(always)]
    fn along<const A: usize>(&self, men: &[u8], reach: &mut [Cells<W>]) {
        let mut all = Shadow::<Q>::default();
        for &man in men {
            let shadow = &self.shadows[usize::from(man)];
            for (all, own) in all.iter_mut().zip(shadow).take(1 + A) {
                all.iter_mut().zip(own).for_each(|(all, own)| *all |= *own);
            }
        }
        for (men, reach) in men.chunks(LANES).zip(reach.chunks_mut(LANES)) {
            let (mut start, mut free, mut over) =
                ([Q::default(); LANES], [Q::default(); LANES], [[Q::default(); LANES]; A]);
            for (i, &man) in men.iter().enumerate() {
                let (kind, bit) = self.homes[usize::from(man)];
                let kind = usize::from(kind & 3);
                (start[i], free[i]) = (bit, self.cells[kind] & !all[0][kind]);
                for (over, all) in over.iter_mut().zip(&all[1..]) {
                    over[i] = all[kind];
                }
            }
            let reached = self.flood(start, &free, &over);
            for ((&man, reach), (reached, start)) in men.iter().zip(reach).zip(reached.into_iter().zip(start)) {
                let mut rest: u64 = (reached ^ start).into();
                for cells in &self.spread[usize::from(self.homes[usize::from(man)].0 & 3)] {
                    *reach |= cells[rest as usize % (1 << BITS)];
                    rest >>= BITS;
                }
            }
        }
    }

    /// All that can be reached from `start` on cells that are `free`; `over` says by axis what can be jumped over.
    #[inline(always)]
    fn flood<const A: usize>(&self, start: [Q; LANES], free: &[Q; LANES], over: &[[Q; LANES]; A]) -> [Q; LANES] {
        let mut reached = start;
        loop {
            let mut grown = Q::default();
            for i in 0..LANES {
                let here = reached[i];
                let mut landings = Q::default();
                for (over, shift) in over.iter().zip(self.shifts) {
                    landings |= (here & over[i]) << shift | (here >> shift) & over[i];
                }
                reached[i] |= landings & free[i];
                grown |= reached[i] ^ here;
            }
            if grown == Q::default() {
                return reached;
            }
        }
    }
}
