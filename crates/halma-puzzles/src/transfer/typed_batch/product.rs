//! Armies as products: four set numbers, one for each type of cells.

use halma_rules::lattice::Lattice;
use halma_rules::moves::quarter_numbering::QuarterNumbering;

use super::kind::{Kind, Sets, TYPES};

/// The pair numbers that there may be: they fit 16 bits.
const MOST_PAIRS: usize = 1 << 16;

/// The states as products.
///
/// A state is its first number, its second number and its pair number, which holds the other two set numbers.
#[derive(Clone, Debug)]
pub struct Product {
    /// By slot: its type. The first two are those of the first and the second number. A symmetry maps them to each
    /// other or each to itself.
    pub slots: [usize; TYPES],
    /// By slot.
    pub kinds: [Kind; TYPES],
    /// The bits of a pair number that have the set number of the last slot.
    last_bits: u32,
    symmetry: Option<TypedSymmetry>,
}

/// The symmetry other than the identity, which is its own inverse.
#[derive(Clone, Debug)]
struct TypedSymmetry {
    /// By slot and set: the number of the image among the sets of its type.
    images: [Vec<u16>; TYPES],
    /// Whether it exchanges the first two slots.
    swaps_first: bool,
    /// Whether it exchanges the last two.
    swaps_last: bool,
}

/// The type to which a symmetry maps each type; `None` if there are types that it does not keep together.
fn image_types(type_of: &[usize], symmetry: &[u8]) -> Option<[usize; TYPES]> {
    // A type without cells is its own image.
    let mut images = [0, 1, 2, 3];
    for (cell, &image) in symmetry.iter().enumerate() {
        images[type_of[cell]] = type_of[usize::from(image)];
    }
    let kept = symmetry.iter().enumerate().all(|(cell, &image)| images[type_of[cell]] == type_of[usize::from(image)]);
    let involution = (0..TYPES).all(|t| images[images[t]] == t);
    (kept && involution).then_some(images)
}

impl Product {
    /// For armies with so many `men` of each type, with the symmetries but the identity. `None` if there are too
    /// many sets, or more than one symmetry.
    #[must_use]
    pub fn new(lattice: &Lattice, men: &[usize; TYPES], symmetries: &[Vec<u8>]) -> Option<Self> {
        let type_of: Vec<usize> = (0..lattice.len()).map(|cell| lattice.board.type_of(cell)).collect();
        let images = match symmetries {
            [] => [0, 1, 2, 3],
            [symmetry] => image_types(&type_of, symmetry)?,
            _ => return None,
        };
        let numbering = QuarterNumbering::new(&lattice.board);
        let cells = |t: usize| -> Vec<usize> { (0..lattice.len()).filter(|&cell| type_of[cell] == t).collect() };
        let of_type = |t: usize| Kind::new(&numbering, &cells(t), men[t]);
        let mut by_type = [of_type(0)?, of_type(1)?, of_type(2)?, of_type(3)?];
        let places: Vec<Vec<u32>> = by_type.iter().map(|kind| kind.places().to_vec()).collect();
        for (t, kind) in by_type.iter_mut().enumerate() {
            kind.enter_jumps(t, lattice, &numbering, |cell| type_of[cell], &places)?;
        }
        let slots = slots(&by_type, &images)?;
        let slot_of = |t: usize| slots.iter().position(|&s| s == t).unwrap_or_default();
        let symmetry = symmetries.first().map(|symmetry| TypedSymmetry {
            images: slots.map(|t| by_type[t].images(&by_type[images[t]], &cells(t), &numbering, symmetry)),
            swaps_first: images[slots[0]] == slots[1],
            swaps_last: images[slots[2]] == slots[3],
        });
        let last_bits = by_type[slots[3]].len().next_power_of_two().ilog2();
        let kinds = slots.map(|t| by_type[t].clone().in_slots(slot_of));
        Some(Self { slots, kinds, last_bits, symmetry })
    }

    /// Every pair number is less.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.kinds[2].len() << self.last_bits
    }

    /// The set numbers of a state.
    #[inline(always)]
    #[must_use]
    pub fn sets(&self, first: usize, second: usize, pair: u16) -> Sets {
        let pair = usize::from(pair);
        [first, second, pair >> self.last_bits, pair & ((1 << self.last_bits) - 1)]
    }

    /// The state's first number, and its second number above its pair number.
    #[inline(always)]
    #[must_use]
    pub fn state(&self, sets: &Sets) -> (usize, u32) {
        (sets[0], (sets[1] << 16 | sets[2] << self.last_bits | sets[3]) as u32)
    }

    /// Whether the image of a group is the group itself.
    #[must_use]
    pub fn is_own_image(&self, first: usize, second: usize) -> bool {
        self.symmetry.as_ref().is_some_and(|TypedSymmetry { images, swaps_first, .. }| {
            let image = [images[0][first], images[1][second]].map(usize::from);
            image == if *swaps_first { [second, first] } else { [first, second] }
        })
    }

    /// The state of these sets or its image, whichever is less.
    #[inline(always)]
    #[must_use]
    pub fn least(&self, sets: &Sets) -> (usize, u32) {
        let own = self.state(sets);
        let Some(TypedSymmetry { images, swaps_first, swaps_last }) = &self.symmetry else { return own };
        let image = |slot: usize| usize::from(images[slot][sets[slot]]);
        let (a, b) = if *swaps_first { (1, 0) } else { (0, 1) };
        let first = image(a);
        if own.0 < first {
            return own;
        }
        let (c, d) = if *swaps_last { (3, 2) } else { (2, 3) };
        own.min(self.state(&[first, image(b), image(c), image(d)]))
    }
}

/// Which types go to which slots: with as many pair numbers as may be, so that groups are large. A symmetry maps the
/// types to `images`.
fn slots(kinds: &[Kind; TYPES], images: &[usize; TYPES]) -> Option<[usize; TYPES]> {
    let pairs = (0..TYPES).flat_map(|c| (0..TYPES).map(move |d| (c, d))).filter(|(c, d)| c != d);
    let together = |&(c, d): &(usize, usize)| [c, d].contains(&images[c]) && [c, d].contains(&images[d]);
    let fits = |&(c, d): &(usize, usize)| kinds[c].len() * kinds[d].len().next_power_of_two() <= MOST_PAIRS;
    let (c, d) = pairs.filter(together).filter(fits).max_by_key(|&(c, d)| kinds[c].len() * kinds[d].len())?;
    let mut first: Vec<usize> = (0..TYPES).filter(|t| ![c, d].contains(t)).collect();
    // Threads share out the first numbers, so there should be many.
    first.sort_by_key(|&t| std::cmp::Reverse(kinds[t].len()));
    Some([first[0], first[1], c, d])
}
