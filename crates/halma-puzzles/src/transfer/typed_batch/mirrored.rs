//! Which states of a level have their mirror image on another one that is laid out as groups.

use std::sync::Arc;

use halma_bounds::Army;
use halma_engine::key::Key;
use halma_engine::store::{Level, StoreError};
use halma_rules::moves::quarter_numbering::QuarterNumbering;

use super::kind::{Sets, TYPES};
use super::typed_armies::TypedArmies;
use super::typed_level::{Part, TypedLevel};
use crate::transfer::ProblemTables;

/// A level and others on which the mirror images of its states are looked up.
pub struct MirroredLevels<'l, const W: usize, K> {
    tables: &'l ProblemTables<W, K>,
    typed: &'l Arc<TypedArmies<W>>,
    here: Here<'l, W, K>,
    there: Vec<&'l TypedLevel<W, K>>,
    mirror: TypedMirror,
}

/// A level, part by part.
enum Here<'l, const W: usize, K> {
    Groups(&'l TypedLevel<W, K>),
    /// Its blocks.
    Keys(&'l Level<K>),
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
    /// `mirror` maps cells to cells. `None` where one of the levels is laid out otherwise than as groups of states of this problem, where
    /// one of the others is not laid out, or where mirror images are no such states.
    #[must_use]
    pub fn new(
        tables: &'l ProblemTables<W, K>,
        mirror: &[u8],
        here: &'l Level<K>,
        there: &[&'l Level<K>],
    ) -> Option<Self> {
        let typed = tables.typed.get()?.as_ref()?;
        let level = |level: &'l Level<K>| TypedLevel::of(&**level.layout()?, typed);
        let there = there.iter().map(|&other| level(other)).collect::<Option<_>>()?;
        let here = match here.layout() {
            Some(_) => Here::Groups(level(here)?),
            None => Here::Keys(here),
        };
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
        Some(Self { tables, typed, here, there, mirror: TypedMirror { slots, images } })
    }

    /// In how many parts threads look them up.
    #[must_use]
    pub fn parts(&self) -> usize {
        match self.here {
            Here::Groups(level) => level.parts.len(),
            Here::Keys(level) => level.blocks(),
        }
    }

    /// Whether some state of this part is `wanted` and has its mirror image on one of the other levels. `wanted` is asked state by
    /// state, until one such state is found.
    ///
    /// # Errors
    /// Where the level cannot be read.
    pub fn some_meet(&self, part: usize, mut wanted: impl FnMut(Army<'_, W>) -> bool) -> Result<bool, StoreError> {
        // By level: the group of the last image.
        let mut last = vec![LastGroup { first: usize::MAX, second: 0, pairs: &[] }; self.there.len()];
        let mut is_there = |sets: &Sets| {
            let (first, rest) = self.typed.product.least(&self.mirror.image(sets));
            let state = (first, (rest >> 16) as usize, rest as u16);
            last.iter_mut().zip(&self.there).any(|(last, level)| last.holds(&level.parts, state))
        };
        self.some_state(part, |_| true, |army, sets| wanted(army) && is_there(sets))
    }

    /// Whether `wanted` holds for a state of this part. It is asked about those whose set numbers differ from those of their mirror
    /// images for so many types, none or one. All that differ by so many men are among them.
    ///
    /// # Errors
    /// Where the level cannot be read.
    pub fn some_own_image(
        &self,
        part: usize,
        types: usize,
        mut wanted: impl FnMut(Army<'_, W>) -> bool,
    ) -> Result<bool, StoreError> {
        // Both armies have as many men of each type. So one man who differs makes the sets of exactly one type differ.
        let may_differ_so = |sets: &Sets| {
            let image = self.mirror.image(sets);
            (0..TYPES).filter(|&slot| image[slot] != sets[slot]).count() == types
        };
        self.some_state(part, may_differ_so, |army, _| wanted(army))
    }

    /// Whether `holds` is true of a state of this part for whose sets `may_hold` is.
    #[inline(always)]
    fn some_state(
        &self,
        part: usize,
        may_hold: impl Fn(&Sets) -> bool,
        mut holds: impl FnMut(Army<'_, W>, &Sets) -> bool,
    ) -> Result<bool, StoreError> {
        let Self { tables, typed, .. } = self;
        let level = match self.here {
            Here::Groups(level) => level,
            Here::Keys(level) => {
                let (mut keys, mut some) = (Vec::new(), false);
                level.read_block(part, &mut keys)?;
                tables.each_army(&keys, |_, army| {
                    let sets = typed.sets(army.men);
                    some = some || may_hold(&sets) && holds(army, &sets);
                });
                return Ok(some);
            }
        };
        let mut men = vec![0; tables.ranks.men()];
        Ok(level.parts[part].groups().any(|(second, pairs)| {
            let group = typed.group(part, second);
            pairs.iter().any(|&pair| {
                let sets = typed.product.sets(part, second, pair);
                may_hold(&sets) && {
                    let (set, _) = typed.least(&group, pair);
                    set.write(&mut men);
                    holds(Army { men: &men, set }, &sets)
                }
            })
        }))
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
