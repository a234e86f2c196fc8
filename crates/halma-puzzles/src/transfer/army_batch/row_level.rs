//! Whole levels as rows: a level is expanded from them, and new states are told from old ones by the bits of a row. Keys are made
//! only for the digests.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, RwLock};

use halma_engine::batch::{Expanded, LevelWorker, NewStates, TakeKeys, WholeLevel};
use halma_engine::key::Key;
use halma_engine::store::layout::Layout;
use halma_rules::cells::Cells;

use super::expand_row::{Space, expand_row};
use super::rank_row::{RankSpace, rank_row};
use super::rows::{CellsHasher, Row, Rows, each, set};
use super::{Adder, ArmyBatches, Matrix};
use crate::transfer::by_thread::{read, write};
use crate::transfer::{KEYS_AT_ONCE, ProblemTables, parts_of, pass_on};

/// Some rows, each with its columns: mostly few of many, so that a list is smaller than bits.
#[derive(Default)]
struct RowList<const W: usize> {
    /// Each row, and where its columns end.
    rows: Vec<(Row<W>, u32)>,
    /// The columns, row by row, those of a row ascending.
    columns: Vec<u16>,
}

impl<const W: usize> RowList<W> {
    /// Adds the row, unless it has no bits.
    fn push(&mut self, row: Row<W>, bits: &[u64]) {
        let before = self.columns.len();
        each(bits, |column| self.columns.push(column));
        if self.columns.len() > before {
            self.rows.push((row, self.columns.len() as u32));
        }
    }

    /// The columns of a row.
    fn columns(&self, number: usize) -> &[u16] {
        let start = number.checked_sub(1).map_or(0, |before| self.rows[before].1);
        &self.columns[start as usize..self.rows[number].1 as usize]
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.rows.capacity() * size_of::<(Row<W>, u32)>() + 2 * self.columns.capacity()
    }
}

/// A level as rows.
struct RowLevel<const W: usize, K> {
    tables: Arc<ProblemTables<W, K>>,
    matrix: Arc<Matrix<W, K>>,
    parts: Vec<RowList<W>>,
    /// By outer men: the part, and the number of the row in it.
    places: HashMap<Cells<W>, (u32, u32), BuildHasherDefault<CellsHasher>>,
}

impl<const W: usize, K> fmt::Debug for RowLevel<W, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowLevel")
    }
}

impl<const W: usize, K: Key> RowLevel<W, K> {
    /// The columns of the row with these outer men.
    fn columns(&self, outer: &Cells<W>) -> &[u16] {
        let place = self.places.get(outer);
        place.map_or(&[], |&(part, number)| self.parts[part as usize].columns(number as usize))
    }

    /// Calls `f` with each row of a part, and its bits.
    fn each_row(&self, part: usize, mut f: impl FnMut(Row<W>, &[u64])) {
        let (part, mut bits) = (&self.parts[part], Vec::new());
        for (number, &(row, _)) in part.rows.iter().enumerate() {
            bits.clear();
            bits.resize(self.matrix.inner.words(row.inside), 0);
            part.columns(number).iter().for_each(|&column| set(&mut bits, column));
            f(row, &bits);
        }
    }
}

impl<const W: usize, K: Key> Layout<K> for RowLevel<W, K> {
    fn bytes(&self) -> u64 {
        let entry = size_of::<(Cells<W>, (u32, u32))>() + 1;
        (self.parts.iter().map(RowList::bytes).sum::<usize>() + self.places.capacity() * entry) as u64
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn keys(&self, part: usize, keys: &mut Vec<K>) {
        let mut space = RankSpace::new(&self.tables);
        self.each_row(part, |row, bits| {
            rank_row(&self.tables, &self.matrix, (row, bits), &mut space, keys, &mut None);
        });
    }

    fn has(&self, key: K) -> bool {
        let inner = &self.matrix.inner;
        let mut images = self.tables.room_for_images();
        self.tables.write_images(self.tables.army(key), &mut images);
        // The level has one of them.
        images.into_iter().any(|image| {
            let column = inner.column[usize::from(inner.bits_of(image))];
            self.columns(&(image & !inner.all)).binary_search(&column).is_ok()
        })
    }
}

impl<const W: usize, K: Key> ArmyBatches<W, K> {
    /// The layout as one of rows, if it has the same inner cells.
    fn known<'l>(&self, layout: &'l dyn Layout<K>) -> Option<&'l RowLevel<W, K>> {
        let layout: &dyn Any = layout;
        layout.downcast_ref::<RowLevel<W, K>>().filter(|level| Arc::ptr_eq(&level.matrix, &self.matrix))
    }

    /// The same, of one that is: [`WholeLevel::takes`] was asked.
    fn as_rows<'l>(&self, layout: &'l dyn Layout<K>) -> &'l RowLevel<W, K> {
        // To go on without it would lose states, or take old ones for new ones.
        self.known(layout).unwrap_or_else(|| unreachable!("{layout:?} has other inner cells"))
    }
}

impl<const W: usize, K: Key> WholeLevel<K> for ArmyBatches<W, K> {
    fn takes(&self, layout: &dyn Layout<K>) -> bool {
        self.known(layout).is_some()
    }

    fn worker(&self) -> Box<dyn LevelWorker<K>> {
        Box::new(Worker {
            adder: Adder::new(&self.tables),
            own: None,
            expand_space: Space::new(&self.tables),
            rank_space: RankSpace::new(&self.tables),
            batches: self.clone(),
            shared_bits: Vec::new(),
            bits: Vec::new(),
            keys: Vec::new(),
        })
    }

    fn parts(&self) -> usize {
        self.made.portions()
    }

    fn level(&self, parts: Vec<Box<dyn Any + Send>>) -> Arc<dyn Layout<K>> {
        self.made.forget();
        let parts: Vec<RowList<W>> = parts_of(parts);
        let mut places = HashMap::default();
        places.reserve(parts.iter().map(|part| part.rows.len()).sum());
        for (part, list) in (0..).zip(&parts) {
            places.extend((0..).zip(&list.rows).map(|(number, &(row, _))| (row.outer, (part, number))));
        }
        Arc::new(RowLevel { tables: Arc::clone(&self.tables), matrix: Arc::clone(&self.matrix), parts, places })
    }
}

/// One thread of a [`WholeLevel`].
struct Worker<const W: usize, K> {
    batches: ArmyBatches<W, K>,
    adder: Adder<W, K>,
    /// What this thread has added.
    own: Option<Arc<RwLock<Rows<W>>>>,
    expand_space: Space<W>,
    rank_space: RankSpace<W, K>,
    shared_bits: Vec<u64>,
    bits: Vec<u64>,
    keys: Vec<K>,
}

impl<const W: usize, K: Key> LevelWorker<K> for Worker<W, K> {
    fn add(&mut self, keys: &[K]) {
        let Self { batches: ArmyBatches { tables, matrix, made }, adder, own, .. } = self;
        adder.add(tables, &matrix.inner, keys, &mut write(own.get_or_insert_with(|| made.of_thread())));
    }

    fn expand(&mut self, before: &dyn Layout<K>, part: usize, _bytes: usize) -> Expanded {
        let Self { batches, own, expand_space, .. } = self;
        let level = batches.as_rows(before);
        let ArmyBatches { tables, matrix, made } = &*batches;
        let mut own = write(own.get_or_insert_with(|| made.of_thread()));
        let mut all = Expanded::default();
        level.each_row(part, |row, bits| all.add(expand_row(tables, matrix, (row, bits), &mut own, expand_space)));
        all
    }

    fn bytes(&self) -> usize {
        self.own.as_ref().map_or(0, |own| read(own).bytes())
    }

    fn new_states(&mut self, part: usize, before: &[&dyn Layout<K>], mut f: Option<&mut TakeKeys<'_, K>>) -> NewStates {
        let Self { batches, rank_space, shared_bits, bits, keys, .. } = self;
        let ArmyBatches { tables, matrix, made } = &*batches;
        let before: Vec<_> = before.iter().map(|layout| batches.as_rows(*layout)).collect();
        let (mut new, mut old, mut leader) = (RowList::default(), 0, None);
        made.portion(part, shared_bits, |(row, all)| {
            canonical_columns(tables, matrix, (row, all), &mut rank_space.images, bits);
            for level in &before {
                for &column in level.columns(&row.outer) {
                    let (word, bit) = (&mut bits[usize::from(column) / 64], 1 << (column % 64));
                    old += u64::from(*word & bit != 0);
                    *word &= !bit;
                }
            }
            new.push(row, bits);
            if let Some(f) = &mut f {
                rank_row(tables, matrix, (row, bits), rank_space, keys, &mut leader);
                pass_on(keys, KEYS_AT_ONCE, f);
            }
        });
        if let Some(f) = f {
            pass_on(keys, 1, f);
        }
        new.rows.shrink_to_fit();
        new.columns.shrink_to_fit();
        let measure_max = leader.map(|(centroid, _)| centroid);
        NewStates { len: new.columns.len() as u64, states: Box::new(new), old, measure_max }
    }
}

/// Writes the columns of a row to `bits`. Where the row is its own image, two columns may be the same state: then one of them.
fn canonical_columns<const W: usize, K: Key>(
    tables: &ProblemTables<W, K>,
    Matrix { inner, .. }: &Matrix<W, K>,
    (row, all): (Row<W>, &[u64]),
    images: &mut [Cells<W>],
    bits: &mut Vec<u64>,
) {
    bits.clear();
    tables.write_images(row.outer, images);
    if !images[1..].contains(&row.outer) {
        return bits.extend_from_slice(all);
    }
    bits.resize(all.len(), 0);
    let own = || (0..images.len() - 1).filter(|&number| images[number + 1] == row.outer);
    each(all, |column| {
        let image = |number: usize| inner.image_columns[number][row.inside][usize::from(column)];
        set(bits, own().map(image).fold(column, u16::min));
    });
}
