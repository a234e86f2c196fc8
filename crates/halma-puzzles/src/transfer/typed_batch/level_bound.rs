//! The bound of one level: the largest distance that a pattern database may tell.

use std::sync::Arc;

use halma_bounds::abstraction::Table;
use halma_bounds::pattern::HistogramBound;

use super::kind::{Sets, TYPES};
use super::typed_armies::TypedArmies;

/// The bound for the states of one level.
pub struct LevelBound {
    table: Arc<Table>,
    /// The largest distance that a state may have; -1 if no state may stay.
    most: i16,
    /// By slot and set: what it adds to the rank of the histogram.
    parts: [Vec<u32>; TYPES],
}

impl LevelBound {
    /// `bound` for the states of level `depth`; `None` if types share classes of cells.
    #[must_use]
    pub fn new<const W: usize>(typed: &TypedArmies<W>, bound: HistogramBound, depth: u32) -> Option<Self> {
        let HistogramBound { abstraction, table, .. } = &bound;
        let mut seen = 0;
        for slot in 0..TYPES {
            let class = |cell: usize| usize::from(abstraction.partition.class_of[cell]);
            let classes = typed.cells_of(slot).fold(0, |classes, cell| classes | abstraction.group(class(cell)));
            if seen & classes != 0 {
                return None;
            }
            seen |= classes;
        }
        let parts = |slot: usize| typed.each_set(slot).map(|men| abstraction.rank_part(&men)).collect();
        Some(Self {
            most: bound.most(depth).map_or(-1, i16::from),
            parts: std::array::from_fn(parts),
            table: Arc::clone(table),
        })
    }

    /// The bound for states that differ from these sets in one slot.
    #[inline(always)]
    #[must_use]
    pub fn in_slot(&self, slot: usize, sets: &Sets) -> BoundInSlot<'_> {
        let parts = (0..TYPES).filter(|&other| other != slot).map(|other| self.parts[other][sets[other]]);
        BoundInSlot { table: &self.table, most: self.most, parts: &self.parts[slot], others: parts.sum() }
    }
}

/// The bound where all sets but that of one slot are known.
pub struct BoundInSlot<'a> {
    table: &'a Table,
    most: i16,
    parts: &'a [u32],
    /// What the other sets add to the rank.
    others: u32,
}

impl BoundInSlot<'_> {
    /// Whether the state with this set may stay.
    #[inline(always)]
    #[must_use]
    pub fn admits(&self, set: usize) -> bool {
        i16::from(self.table.get(self.others + self.parts[set])) <= self.most
    }
}
