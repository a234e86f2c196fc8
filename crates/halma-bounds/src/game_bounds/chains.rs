//! Chains of jumps from many cells at once, bit-parallel on quarter boards.
//!
//! A jump keeps the parity of column and row. The cells of one type make a board of half as many columns and rows, on
//! which a jump is a shift by a fixed number of bits. The quarter boards lie side by side in a few words. Nothing is
//! shifted from one into another, because the lower ends of the jumps that the board has are all that counts.

use std::array::from_fn;

use halma_rules::cells::Cells;
use halma_rules::lattice::Lattice;
use halma_rules::moves::quarter_numbering::{AXES, QuarterNumbering};
use halma_rules::moves::word::Word;

/// Sets of cells, in `N` words: bit `columns * (y / 2) + x / 2` of the part of type `x % 2 + 2 * (y % 2)`.
pub(super) type QuarterSet<Q, const N: usize> = [Q; N];

/// By axis: the lower ends of the jumps that men allow.
pub(super) type LowerEnds<Q, const N: usize> = [QuarterSet<Q, N>; AXES];

/// The place of a cell: its word and its bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    word: u8,
    bit: u8,
}

/// A jump: its axis, and the place of its lower end.
#[derive(Clone, Copy, Debug, Default)]
struct Jump {
    axis: u8,
    lower: Place,
}

/// The quarter boards of a lattice.
#[derive(Clone, Debug)]
pub(super) struct Chains<Q, const N: usize> {
    /// By cell.
    places: Vec<Place>,
    /// By word and bit: the cell.
    cells: [Vec<u8>; N],
    /// By axis: how many bits the upper end of a jump lies above the lower one.
    shifts: [u32; AXES],
    /// By axis, word and bit of a jump's lower end: the cell between.
    between: Vec<[Vec<u8>; N]>,
    /// By cell: how many jumps lead over it, and these.
    over: Vec<(u8, [Jump; AXES])>,
    /// By cell: a man there.
    alone: Vec<Standing<Q, N>>,
}

/// What chains from some cells reach.
pub(super) struct Closure<Q, const N: usize> {
    /// The cells themselves and all that is reached, by landings on empty cells.
    pub(super) reached: QuarterSet<Q, N>,
    /// The occupied cells on which such a chain would land next.
    pub(super) blocked: QuarterSet<Q, N>,
}

/// A chain: the cells landed on, and the cells jumped over.
pub(super) struct Chain<const W: usize> {
    pub(super) landings: Cells<W>,
    pub(super) over: Cells<W>,
}

/// Where men stand, and where they let others jump. Each jump leads over one cell, so these sets are disjoint unions of
/// those that each man makes alone.
#[derive(Clone, Copy, Debug)]
struct Standing<Q, const N: usize> {
    occupied: QuarterSet<Q, N>,
    lower_ends: LowerEnds<Q, N>,
}

impl<Q: Word, const N: usize> Standing<Q, N> {
    fn nobody() -> Self {
        Self { occupied: [Q::default(); N], lower_ends: [[Q::default(); N]; AXES] }
    }

    /// With the man who is missing, or without the one who is there.
    #[inline(always)]
    fn flip(&mut self, man: &Self) {
        let flip = |all: &mut QuarterSet<Q, N>, own: &QuarterSet<Q, N>| {
            all.iter_mut().zip(own).for_each(|(all, &own)| *all = *all ^ own);
        };
        flip(&mut self.occupied, &man.occupied);
        self.lower_ends.iter_mut().zip(&man.lower_ends).for_each(|(all, own)| flip(all, own));
    }
}

/// The men of a position.
#[derive(Clone, Copy)]
pub(super) struct Men<const W: usize, Q, const N: usize> {
    pub(super) all: Cells<W>,
    standing: Standing<Q, N>,
}

impl<const W: usize, Q: Word, const N: usize> Men<W, Q, N> {
    /// Where they stand.
    #[inline(always)]
    pub(super) fn occupied(&self) -> &QuarterSet<Q, N> {
        &self.standing.occupied
    }
}

impl<Q: Word, const N: usize> Chains<Q, N> {
    /// The quarter boards of a lattice; `None` where they have too many places for the words.
    pub(super) fn new(lattice: &Lattice) -> Option<Self> {
        let board = &lattice.board;
        let numbering = QuarterNumbering::new(board);
        let bit = |cell: usize| numbering.place(cell);
        let parts = 4 / N;
        let size = Q::CELLS / parts as u32;
        if numbering.count() > size {
            return None;
        }
        let place = |cell: usize| {
            let kind = board.type_of(cell);
            Place { word: (kind / parts) as u8, bit: (kind % parts) as u8 * size as u8 + bit(cell) as u8 }
        };
        let by_bit = || vec![0; Q::CELLS as usize];
        let mut chains = Self {
            places: (0..lattice.len()).map(place).collect(),
            cells: from_fn(|_| by_bit()),
            shifts: [0; AXES],
            between: Vec::new(),
            over: vec![(0, [Jump::default(); AXES]); lattice.len()],
            alone: vec![Standing::nobody(); lattice.len()],
        };
        let mut shifts = Vec::new();
        for cell in 0..lattice.len() {
            let own = place(cell);
            chains.cells[usize::from(own.word)][usize::from(own.bit)] = cell as u8;
            flip(&mut chains.alone[cell].occupied, own);
            for &(a, b) in lattice.jumps_over(cell) {
                let (lower, upper) = numbering.lower_first(a, b);
                // Axes that shift alike may share their number: the lower end and the shift tell the jump.
                let shift = bit(upper) - bit(lower);
                let axis = shifts.iter().position(|&s| s == shift).unwrap_or(shifts.len());
                if axis == shifts.len() {
                    shifts.push(shift);
                    chains.between.push(from_fn(|_| by_bit()));
                }
                let lower = place(lower);
                chains.between[axis][usize::from(lower.word)][usize::from(lower.bit)] = cell as u8;
                flip(chains.alone[cell].lower_ends.get_mut(axis)?, lower);
                let (count, jumps) = &mut chains.over[cell];
                *jumps.get_mut(usize::from(*count))? = Jump { axis: axis as u8, lower };
                *count += 1;
            }
        }
        chains.shifts[..shifts.len().min(AXES)].copy_from_slice(&shifts[..shifts.len().min(AXES)]);
        (shifts.len() <= AXES).then_some(chains)
    }

    /// These cells.
    #[inline(always)]
    pub(super) fn of<const W: usize>(&self, cells: Cells<W>) -> QuarterSet<Q, N> {
        let mut set = [Q::default(); N];
        cells.for_each(|cell| {
            set.iter_mut().zip(&self.alone[cell].occupied).for_each(|(all, &own)| *all |= own);
        });
        set
    }

    /// Whether this cell is in the set.
    #[inline(always)]
    pub(super) fn contains(&self, set: &QuarterSet<Q, N>, cell: usize) -> bool {
        let Place { word, bit } = self.places[cell];
        has(set[usize::from(word) % N], bit.into())
    }

    /// These men.
    #[inline(always)]
    pub(super) fn men<const W: usize>(&self, all: Cells<W>) -> Men<W, Q, N> {
        let mut standing = Standing::nobody();
        all.for_each(|cell| standing.flip(&self.alone[cell]));
        Men { all, standing }
    }

    /// The same men, without the one on this cell.
    #[inline(always)]
    pub(super) fn without<const W: usize>(&self, men: &Men<W, Q, N>, cell: usize) -> Men<W, Q, N> {
        let mut standing = men.standing;
        standing.flip(&self.alone[cell]);
        Men { all: men.all.without(cell), standing }
    }

    /// The same men, and one on this cell.
    #[inline(always)]
    pub(super) fn with<const W: usize>(&self, men: &Men<W, Q, N>, cell: usize) -> Men<W, Q, N> {
        let mut standing = men.standing;
        standing.flip(&self.alone[cell]);
        Men { all: men.all.with(cell), standing }
    }

    /// The other ends of the jumps that begin in `from`.
    #[inline(always)]
    fn landings(&self, from: &QuarterSet<Q, N>, lower_ends: &LowerEnds<Q, N>) -> QuarterSet<Q, N> {
        let mut landings = [Q::default(); N];
        for (&shift, lower_ends) in self.shifts.iter().zip(lower_ends) {
            for word in 0..N {
                let (here, lower) = (from[word], lower_ends[word]);
                landings[word] |= (here & lower) << shift | here >> shift & lower;
            }
        }
        landings
    }

    /// What chains from `sources` reach.
    #[inline(always)]
    pub(super) fn closure<const W: usize>(&self, sources: &QuarterSet<Q, N>, men: &Men<W, Q, N>) -> Closure<Q, N> {
        let Standing { occupied, lower_ends } = &men.standing;
        let mut reached = *sources;
        loop {
            let landings = self.landings(&reached, lower_ends);
            if !grow(&mut reached, &landings, occupied) {
                return Closure { reached, blocked: from_fn(|word| landings[word] & occupied[word]) };
            }
        }
    }

    /// Whether a chain leads from one of `movers` to one of `ends`, which are empty.
    #[inline(always)]
    pub(super) fn leads<const W: usize>(
        &self,
        movers: &QuarterSet<Q, N>,
        ends: &QuarterSet<Q, N>,
        men: &Men<W, Q, N>,
    ) -> bool {
        let mut reached = *ends;
        loop {
            let landings = self.landings(&reached, &men.standing.lower_ends);
            if meet(&landings, movers) {
                return true;
            }
            if !grow(&mut reached, &landings, &men.standing.occupied) {
                return false;
            }
        }
    }

    /// A shortest such chain, or what chains from the ends reach if there is none.
    #[inline(always)]
    pub(super) fn chain<const W: usize>(
        &self,
        movers: &QuarterSet<Q, N>,
        ends: &QuarterSet<Q, N>,
        men: &Men<W, Q, N>,
    ) -> Result<Chain<W>, Closure<Q, N>> {
        let Standing { occupied, lower_ends } = &men.standing;
        // The cells by the number of jumps that are left, from the ends on.
        let mut layers = Vec::with_capacity(16);
        let mut reached = *ends;
        loop {
            let landings = self.landings(&reached, lower_ends);
            layers.push(reached);
            if let Some(word) = (0..N).find(|&word| landings[word] & movers[word] != Q::default()) {
                return Ok(self.walk(word, (landings[word] & movers[word]).lowest(), &layers, lower_ends));
            }
            if !grow(&mut reached, &landings, occupied) {
                return Err(Closure { reached, blocked: from_fn(|word| landings[word] & occupied[word]) });
            }
        }
    }

    /// The chain of the man on this place, from layer to layer.
    fn walk<const W: usize>(
        &self,
        word: usize,
        mut bit: u32,
        layers: &[QuarterSet<Q, N>],
        lower_ends: &LowerEnds<Q, N>,
    ) -> Chain<W> {
        let mut chain = Chain { landings: Cells::EMPTY, over: Cells::EMPTY };
        for layer in layers.iter().rev() {
            for (axis, (&shift, lower_ends)) in self.shifts.iter().zip(lower_ends).enumerate() {
                let up = bit + shift < Q::CELLS && has(lower_ends[word], bit) && has(layer[word], bit + shift);
                let down = bit.checked_sub(shift).filter(|&low| has(lower_ends[word], low) && has(layer[word], low));
                let (lower, end) = match down {
                    _ if up => (bit, bit + shift),
                    Some(low) => (low, low),
                    None => continue,
                };
                chain.over.add(self.between[axis][word][lower as usize].into());
                chain.landings.add(self.cells[word][end as usize].into());
                bit = end;
                break;
            }
        }
        chain
    }

    /// Whether the board has a jump over this cell from one of `a`, and one from one of `b`.
    #[inline(always)]
    pub(super) fn is_beside(&self, cell: usize, a: &QuarterSet<Q, N>, b: &QuarterSet<Q, N>) -> bool {
        let (count, jumps) = &self.over[cell];
        let (mut beside_a, mut beside_b) = (false, false);
        for &Jump { axis, lower } in jumps.iter().take((*count).into()) {
            let (word, low) = (usize::from(lower.word) % N, u32::from(lower.bit));
            let high = low + self.shifts[usize::from(axis) % AXES];
            beside_a |= has(a[word], low) | has(a[word], high);
            beside_b |= has(b[word], low) | has(b[word], high);
        }
        beside_a && beside_b
    }
}

#[inline(always)]
fn flip<Q: Word, const N: usize>(set: &mut QuarterSet<Q, N>, Place { word, bit }: Place) {
    let word = &mut set[usize::from(word) % N];
    *word = *word ^ Q::ONE << u32::from(bit);
}

/// Adds those landings to `reached` that are not occupied. Returns whether there are new ones.
#[inline(always)]
fn grow<Q: Word, const N: usize>(
    reached: &mut QuarterSet<Q, N>,
    landings: &QuarterSet<Q, N>,
    occupied: &QuarterSet<Q, N>,
) -> bool {
    let next = from_fn(|word| reached[word] | landings[word] & !occupied[word]);
    let grows = next != *reached;
    *reached = next;
    grows
}

#[inline(always)]
fn has<Q: Word>(word: Q, bit: u32) -> bool {
    word >> bit & Q::ONE != Q::default()
}

/// Whether the sets have a cell in common.
#[inline(always)]
fn meet<Q: Word, const N: usize>(a: &QuarterSet<Q, N>, b: &QuarterSet<Q, N>) -> bool {
    (0..N).fold(Q::default(), |all, word| all | a[word] & b[word]) != Q::default()
}
