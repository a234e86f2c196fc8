//! The bounds of one level: the largest distance that a pattern database may tell, and the least value that a state may have.

use std::sync::Arc;

use halma_bounds::ValueBound;
use halma_bounds::abstraction::Table;
use halma_bounds::pattern::HistogramBound;

use super::kind::{Sets, TYPES};
use super::typed_armies::TypedArmies;

/// The bounds for the states of one level.
pub struct LevelBound {
    table: Arc<Table>,
    /// The largest distance that a state may have; -1 if no state may stay.
    most: i16,
    /// By slot and set: what it adds to the rank of the histogram.
    parts: [Vec<u32>; TYPES],
    values: Option<Values>,
}

/// The values of states, where a bound asks for them.
struct Values {
    /// By slot and set: what it adds to the value of a state.
    parts: [Vec<i64>; TYPES],
    all_if_positive: bool,
}

impl Values {
    /// The least value that the set of a slot may have after these sets.
    #[inline(always)]
    fn least(&self, slot: usize, sets: &Sets) -> i64 {
        let own = self.parts[slot][sets[slot]];
        let others = (0..TYPES).filter(|&other| other != slot).map(|other| self.parts[other][sets[other]]).sum::<i64>();
        let before = own + others;
        if self.all_if_positive && before >= 0 { i64::MIN } else { -before - others }
    }
}

impl LevelBound {
    /// These bounds for the states of level `depth`; `None` if types share classes of cells.
    #[must_use]
    pub fn new<const W: usize>(
        typed: &TypedArmies<W>,
        bound: HistogramBound,
        values: Option<ValueBound>,
        depth: u32,
    ) -> Option<Self> {
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
        let values = values.map(|ValueBound { values, all_if_positive }| {
            let value = |men: Vec<u8>| men.iter().map(|&cell| i64::from(values[usize::from(cell)])).sum();
            Values { parts: std::array::from_fn(|slot| typed.each_set(slot).map(value).collect()), all_if_positive }
        });
        Some(Self {
            values,
            most: bound.most(depth).map_or(-1, i16::from),
            parts: std::array::from_fn(parts),
            table: Arc::clone(table),
        })
    }

    /// Whether states have to have a value.
    #[must_use]
    pub fn asks_for_values(&self) -> bool {
        self.values.is_some()
    }

    /// The bounds for states that follow from these sets by a move in one slot; without those of values unless `VALUES`.
    #[inline(always)]
    #[must_use]
    pub fn in_slot<const VALUES: bool>(&self, slot: usize, sets: &Sets) -> BoundInSlot<'_, VALUES> {
        let parts = (0..TYPES).filter(|&other| other != slot).map(|other| self.parts[other][sets[other]]);
        let (values, least): (&[i64], _) = match &self.values {
            Some(values) if VALUES => (&values.parts[slot], values.least(slot, sets)),
            _ => (&[], i64::MIN),
        };
        BoundInSlot {
            table: &self.table,
            most: self.most,
            parts: &self.parts[slot],
            others: parts.sum(),
            values,
            least,
        }
    }
}

/// The bounds where all sets but that of one slot are known.
pub struct BoundInSlot<'a, const VALUES: bool> {
    table: &'a Table,
    most: i16,
    parts: &'a [u32],
    /// What the other sets add to the rank.
    others: u32,
    values: &'a [i64],
    least: i64,
}

impl<const VALUES: bool> BoundInSlot<'_, VALUES> {
    /// Whether the state with this set may stay.
    #[inline(always)]
    #[must_use]
    pub fn admits(&self, set: usize) -> bool {
        i16::from(self.table.get(self.others + self.parts[set])) <= self.most
            && (!VALUES || self.values[set] >= self.least)
    }
}
