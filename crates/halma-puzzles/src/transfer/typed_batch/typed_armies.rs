//! From armies to products and back.

use halma_rules::cells::Cells;
use halma_rules::choose::choose;
use halma_rules::moves::quarter_numbering::QuarterNumbering;
use halma_rules::problem::Transfer;

use super::kind::{Sets, TYPES};
use super::product::Product;

/// The bits of a word that count the men of a slot: a type has at most 32 cells.
const MEN_BITS: u8 = 8;

/// The bits of a word that have the set number of a slot.
const SET_BITS: usize = 16;

/// The armies of a transfer by jumps, as products.
#[derive(Clone, Debug)]
pub struct TypedArmies<const W: usize> {
    /// The states.
    pub product: Product,
    /// By cell: the slot of its type.
    slots: Vec<u8>,
    /// By cell and number of men of its type below: what a man there adds to the number of his set, [`SET_BITS`] for
    /// each slot.
    shares: Vec<u64>,
    /// How many men an army has.
    all_men: usize,
    /// How many men it has of each type: [`MEN_BITS`] for each slot.
    men: u32,
    /// By slot and set: its cells; then those of its image.
    cells: [Vec<[Cells<W>; 2]>; TYPES],
    /// By slot and set: the sum of its cells' centroids.
    centroid: [Vec<i64>; TYPES],
    has_symmetry: bool,
}

/// What the states of a group have in common: cells, those of the image, centroid.
pub struct Group<const W: usize> {
    sets: (usize, usize),
    cells: [Cells<W>; 2],
    centroid: i64,
}

impl<const W: usize> TypedArmies<W> {
    /// Those of a problem with these symmetries, without the identity; `None` where men may step, where a type has too many sets of
    /// cells, or where there is more than one symmetry.
    #[must_use]
    pub fn new(problem: &Transfer, symmetries: &[Vec<u8>], centroid: &[i32]) -> Option<Self> {
        let lattice = &problem.lattice;
        if !problem.jumps_only {
            return None;
        }
        let men_of_type = problem.types(&problem.start);
        let product = Product::new(lattice, &men_of_type, symmetries)?;
        let slot = |cell: usize| product.slots.iter().position(|&t| t == lattice.board.type_of(cell));
        let slots: Vec<u8> = (0..lattice.len()).filter_map(slot).map(|slot| slot as u8).collect();
        let all_men = problem.start.len();
        let mut shares = Vec::with_capacity(lattice.len() * all_men);
        for cell in 0..lattice.len() {
            let below = (0..cell).filter(|&other| slots[other] == slots[cell]).count();
            let share = |men: usize| choose(below, men).map_or(0, |share| share as u64);
            shares.extend((1..=all_men).map(|men| share(men) << (usize::from(slots[cell]) * SET_BITS)));
        }
        let numbering = QuarterNumbering::new(&lattice.board);
        let cells_of = |slot: usize| {
            let of_type: Vec<usize> = (0..lattice.len()).filter(|&cell| usize::from(slots[cell]) == slot).collect();
            let set = |&places: &u32| -> [Cells<W>; 2] {
                let cells = of_type.iter().copied().filter(|&cell| places >> numbering.place(cell) & 1 == 1);
                let own: Cells<W> = cells.collect();
                [own, symmetries.first().map_or(own, |symmetry| own.mapped(symmetry))]
            };
            product.kinds[slot].places().iter().map(set).collect()
        };
        let cells: [Vec<[Cells<W>; 2]>; TYPES] = std::array::from_fn(cells_of);
        let sum = |set: &[Cells<W>; 2]| set[0].iter().map(|cell| i64::from(centroid[cell])).sum();
        let centroid = std::array::from_fn(|slot| cells[slot].iter().map(sum).collect());
        let men = (0..TYPES)
            .fold(0, |men, slot| men | (men_of_type[product.slots[slot]] as u32) << (slot * MEN_BITS as usize));
        let has_symmetry = !symmetries.is_empty();
        Some(Self { product, slots, shares, all_men, men, cells, centroid, has_symmetry })
    }

    /// Whether an army has as many men of each type as those of the problem.
    #[must_use]
    pub fn holds(&self, army: Cells<W>) -> bool {
        let mut men = 0_u32;
        army.for_each(|cell| men += 1 << (self.slots[cell] * MEN_BITS));
        men == self.men
    }

    /// The set numbers of an army.
    ///
    /// # Panics
    /// Where it does not have as many men of each type as those of the problem.
    #[inline]
    #[must_use]
    pub fn sets(&self, army: &[u8]) -> Sets {
        // Numbers of all slots in one word, so that none has to wait for one that is written.
        let (mut men, mut sets) = (0_u32, 0_u64);
        for &cell in army {
            let shift = self.slots[usize::from(cell)] * MEN_BITS;
            let below = (men >> shift) as usize % (1 << MEN_BITS);
            sets = sets.wrapping_add(self.shares[usize::from(cell) * self.all_men + below]);
            men += 1 << shift;
        }
        assert!(men == self.men, "jumps do not lead to {army:?}");
        std::array::from_fn(|slot| (sets >> (slot * SET_BITS)) as usize % (1 << SET_BITS))
    }

    /// The group of these states.
    #[inline(always)]
    #[must_use]
    pub fn group(&self, first: usize, second: usize) -> Group<W> {
        let ([a, a_image], [b, b_image]) = (self.cells[0][first], self.cells[1][second]);
        let centroid = self.centroid[0][first] + self.centroid[1][second];
        Group { sets: (first, second), cells: [a | b, a_image | b_image], centroid }
    }

    /// The army of a state of the group, or its image, whichever is less; and the army's centroid.
    #[inline(always)]
    #[must_use]
    pub fn least(&self, group: &Group<W>, pair: u16) -> (Cells<W>, i64) {
        let [_, _, c, d] = self.product.sets(group.sets.0, group.sets.1, pair);
        let ([c_cells, c_image], [d_cells, d_image]) = (&self.cells[2][c], &self.cells[3][d]);
        let centroid = group.centroid + self.centroid[2][c] + self.centroid[3][d];
        let own = group.cells[0] | *c_cells | *d_cells;
        if !self.has_symmetry {
            return (own, centroid);
        }
        let image = group.cells[1] | *c_image | *d_image;
        (if own.at_most(&image) { own } else { image }, centroid)
    }

    /// By slot and set: the men, as cells.
    pub fn each_set(&self, slot: usize) -> impl Iterator<Item = Vec<u8>> {
        self.cells[slot].iter().map(|[own, _]| own.iter().map(|cell| cell as u8).collect())
    }

    /// The cells of a slot's type.
    pub fn cells_of(&self, slot: usize) -> impl Iterator<Item = usize> {
        (0..self.slots.len()).filter(move |&cell| usize::from(self.slots[cell]) == slot)
    }
}
