//! Which states of a level have their mirror image on another one, where the levels are laid out as groups.

use halma_bounds::Army;
use halma_engine::key::Key;
use halma_engine::store::Level;
use halma_rules::moves::quarter_numbering::QuarterNumbering;

use super::kind::{Sets, TYPES};
use super::typed_level::{Part, TypedLevel};
use crate::transfer::ProblemTables;

/// A level and others on which the mirror images of its states are looked up.
pub struct MirroredLevels<'l, const W: usize, K> {
    here: &'l TypedLevel<W, K>,
    there: Vec<&'l TypedLevel<W, K>>,
    mirror: TypedMirror,
}

/// The mirror, for set numbers.
struct TypedMirror {
    /// By slot: the slot of the images of its cells.
    slots: [usize; TYPES],
    /// By slot and set: the number of its image.
    images: [Vec<u16>; TYPES],
}

impl TypedMirror {
    /// The image of a state.
    #[inline(always)]
    fn image(&self, sets: &Sets) -> Sets {
        let mut image = [0; TYPES];
        for slot in 0..TYPES {
            image[self.slots[slot]] = usize::from(self.images[slot][sets[slot]]);
        }
        image
    }
}

impl<'l, const W: usize, K: Key> MirroredLevels<'l, W, K> {
    /// `mirror` maps cells to cells. `None` where one of the levels is not laid out as groups of states of this problem, or
    /// where mirror images are no such states.
    #[must_use]
    pub fn new(
        tables: &ProblemTables<W, K>,
        mirror: &[u8],
        here: &'l Level<K>,
        there: &[&'l Level<K>],
    ) -> Option<Self> {
        let typed = tables.typed.get()?.as_ref()?;
        let level = |level: &'l Level<K>| TypedLevel::of(&**level.layout()?, typed);
        let (here, there) = (level(here)?, there.iter().map(|&other| level(other)).collect::<Option<_>>()?);
        let lattice = &tables.jumping.as_ref()?.lattice;
        let (product, numbering) = (&typed.product, QuarterNumbering::new(&lattice.board));
        let cells = |slot: usize| typed.cells_of(slot).collect::<Vec<usize>>();
        let image_slot = |slot: usize| match cells(slot).first() {
            Some(&cell) => (0..TYPES).find(|&other| cells(other).contains(&usize::from(mirror[cell]))),
            None => Some(slot),
        };
        let (mut slots, mut images) = ([0; TYPES], [const { Vec::new() }; TYPES]);
        for slot in 0..TYPES {
            slots[slot] = image_slot(slot)?;
            let (own, other) = (&product.kinds[slot], &product.kinds[slots[slot]]);
            if own.men() != other.men() || own.len() != other.len() {
                return None;
            }
            images[slot] = own.images(other, &cells(slot), &numbering, mirror);
        }
        Some(Self { here, there, mirror: TypedMirror { slots, images } })
    }

    /// In how many parts threads look them up.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.here.parts.len()
    }

    /// Whether a state of this part that is wanted has its mirror image on one of the other levels. Every state is shown to
    /// `wanted`, up to the one that has.
    pub fn some_meet(&self, part: usize, mut wanted: impl FnMut(Army<'_, W>) -> bool) -> bool {
        let typed = &self.here.typed;
        let mut men = vec![0; self.here.tables.ranks.men()];
        // By level: the group of the last image.
        let mut last = vec![LastGroup { first: usize::MAX, second: 0, pairs: &[] }; self.there.len()];
        for (second, pairs) in self.here.parts[part].groups() {
            let group = typed.group(part, second);
            for &pair in pairs {
                let (set, _) = typed.least(&group, pair);
                set.write(&mut men);
                if !wanted(Army { men: &men, set }) {
                    continue;
                }
                let image = self.mirror.image(&typed.product.sets(part, second, pair));
                let (first, rest) = typed.product.least(&image);
                let state = (first, (rest >> 16) as usize, rest as u16);
                if last.iter_mut().zip(&self.there).any(|(last, level)| last.holds(&level.parts, state)) {
                    return true;
                }
            }
        }
        false
    }
}

/// A group of a level.
#[derive(Clone, Copy)]
struct LastGroup<'l> {
    first: usize,
    second: usize,
    pairs: &'l [u16],
}

impl<'l> LastGroup<'l> {
    /// Whether a level of these parts has the state.
    #[inline(always)]
    fn holds(&mut self, parts: &'l [Part], (first, second, pair): (usize, usize, u16)) -> bool {
        if (self.first, self.second) != (first, second) {
            *self = Self { first, second, pairs: parts[first].group(second) };
        }
        self.pairs.binary_search(&pair).is_ok()
    }
}

impl Part {
    /// The pair numbers of the group with this second number, ascending.
    fn group(&self, second: usize) -> &[u16] {
        match self.groups.binary_search_by_key(&second, |&(other, _)| usize::from(other)) {
            Ok(place) => {
                let start = place.checked_sub(1).map_or(0, |before| self.groups[before].1);
                &self.pairs[start as usize..self.groups[place].1 as usize]
            }
            Err(_) => &[],
        }
    }
}
