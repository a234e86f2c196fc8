//! Many armies expanded together, for searches without bounds.
//!
//! *Inner* cells are at most 15 cells that lie close together, where the armies of a sample differ most. All others are *outer* ones.
//! An army is an entry of a matrix of bits: its row is the set of men on outer cells, its column the set of men on inner cells. Many
//! armies share a row, and many moves are made for all of them at once:
//! - A man who goes from one outer cell to another over outer men can do so whatever stands on the inner cells: the whole row is
//!   added to another row.
//! - A man who stays among inner cells leads to another column of the same row. Which one is looked up: it depends on the
//!   inner men alone.
//! - All other moves cross from one part to the other. They are looked for army by army (`crossings`), and what they lead to is
//!   collected by row.
//!
//! Bits that are set twice are duplicates, which are gone without a comparison. With symmetries, a row is kept as the least
//! of its images.

mod confined_moves;
mod crossings;
mod expand_row;
mod inner_cells;
mod rank_row;
mod row_level;
mod row_ranks;
mod rows;
mod shared_rows;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use halma_engine::batch::{Batch, Batches, Expanded, WholeLevel};
use halma_engine::key::Key;
use halma_rules::cells::Cells;
use rayon::prelude::*;

pub use confined_moves::ConfinedMoves;
use crossings::{Crossings, InnerMen};
use expand_row::{Space, Target, expand_row};
use inner_cells::{InnerCells, OUTER};
use rank_row::{RankSpace, rank_row};
use row_ranks::RowRanks;
use rows::Rows;
use shared_rows::SharedRows;

use super::ProblemTables;
use super::by_thread::{read, write};

/// Keys of a sample that a thread turns into armies at a time.
const PART: usize = 1 << 12;

/// Armies of a sample that share a row, on average. With fewer it is faster to expand each by itself.
const SHARING: usize = 4;

/// The tables of the inner cells that were chosen last: levels that follow each other mostly have the same.
#[derive(Clone)]
pub struct LastMatrix<const W: usize, K>(Arc<Mutex<Option<Arc<Matrix<W, K>>>>>);

impl<const W: usize, K> Default for LastMatrix<W, K> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(None)))
    }
}

impl<const W: usize, K> fmt::Debug for LastMatrix<W, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LastMatrix")
    }
}

/// Inner cells, and what is made once for them.
struct Matrix<const W: usize, K> {
    inner: InnerCells<W>,
    /// The crossing jumps from inner cells, and those from outer ones.
    out: Crossings,
    back: Crossings,
    inner_men: InnerMen,
    row_ranks: RowRanks<K>,
}

/// The batches of a level whose states are like those of `sample`; `None` where too few of them share a row.
pub fn batches<const W: usize, K: Key>(tables: &Arc<ProblemTables<W, K>>, sample: &[K]) -> Option<Box<dyn Batches<K>>> {
    let part = |keys: &[K]| {
        let mut armies = Vec::with_capacity(keys.len());
        tables.each_army(keys, |_, army| armies.push(army.set));
        armies
    };
    let armies: Vec<Cells<W>> = sample.par_chunks(PART).flat_map_iter(part).collect();
    let cells = InnerCells::choose(tables, &armies);
    let outer = !cells.iter().map(|&cell| usize::from(cell)).collect::<Cells<W>>();
    let mut rows: Vec<Cells<W>> = armies.iter().map(|&army| army & outer).collect();
    rows.par_sort_unstable();
    rows.dedup();
    if armies.len() < SHARING * rows.len() {
        return None;
    }
    let mut last = tables.matrix.0.lock().unwrap_or_else(PoisonError::into_inner);
    let matrix = match last.take().filter(|matrix| matrix.inner.cells == cells) {
        Some(matrix) => matrix,
        None => Arc::new(Matrix::new(tables, cells)?),
    };
    *last = Some(Arc::clone(&matrix));
    Some(Box::new(ArmyBatches::new(tables, matrix)))
}

impl<const W: usize, K: Key> Matrix<W, K> {
    /// For these cells, which ascend; `None` where too many jumps lead from them or to them.
    fn new(tables: &ProblemTables<W, K>, cells: Vec<u8>) -> Option<Self> {
        let row_ranks = RowRanks::new(&tables.ranks, &cells);
        let inner = InnerCells::new(tables, cells);
        let crossings = |inside| Crossings::new(&tables.confined, &inner, inside);
        let (out, back) = rayon::join(|| crossings(true), || crossings(false));
        let (out, back) = out.zip(back)?;
        let inner_men = InnerMen::new(&tables.confined, &inner, &out, tables.ranks.men());
        Some(Self { inner, out, back, inner_men, row_ranks })
    }
}

/// What all batches of a level share.
#[derive(Clone)]
struct ArmyBatches<const W: usize, K> {
    tables: Arc<ProblemTables<W, K>>,
    matrix: Arc<Matrix<W, K>>,
    /// The successors of all threads.
    made: Arc<SharedRows<W>>,
}

impl<const W: usize, K: Key> ArmyBatches<W, K> {
    fn new(tables: &Arc<ProblemTables<W, K>>, matrix: Arc<Matrix<W, K>>) -> Self {
        Self { tables: Arc::clone(tables), matrix, made: Arc::new(SharedRows::new()) }
    }
}

impl<const W: usize, K: Key> Batches<K> for ArmyBatches<W, K> {
    fn batch(&self) -> Box<dyn Batch<K>> {
        Box::new(ArmyBatch {
            batches: self.clone(),
            adder: Adder::new(&self.tables),
            waiting: Rows::new(),
            next_waiting: 0,
            own: self.made.of_thread(),
            expand_space: Space::new(&self.tables),
            rank_space: RankSpace::new(&self.tables),
            bits: Vec::new(),
            keys: Vec::new(),
            leader: None,
        })
    }

    fn have_successors(&self) -> bool {
        self.made.are_left()
    }

    fn clear(&self) {
        self.made.clear();
    }

    fn whole_level(self: Box<Self>) -> Option<Box<dyn WholeLevel<K>>> {
        // Otherwise the centroid of a state depends on which of its images is asked.
        self.tables.foremost.as_ref()?;
        Some(self)
    }
}

/// Turns keys into armies, and adds them to rows.
struct Adder<const W: usize, K> {
    unranked: Vec<u8>,
    last: K,
    images: Vec<Cells<W>>,
}

impl<const W: usize, K: Key> Adder<W, K> {
    fn new(tables: &ProblemTables<W, K>) -> Self {
        Self { unranked: vec![0; tables.ranks.men()], last: K::MAX, images: tables.room_for_images() }
    }

    fn add(&mut self, tables: &ProblemTables<W, K>, inner: &InnerCells<W>, keys: &[K], rows: &mut Rows<W>) {
        let Self { unranked, last, images } = self;
        let mut target = Target { tables, inner, rows };
        // Of armies that follow each other many have the same outer men.
        let mut row = None;
        for &key in keys {
            tables.ranks.unrank_after(key, unranked, last);
            let (mut outer, mut set) = (Cells::EMPTY, 0_u16);
            for &man in &*unranked {
                match inner.bit_of[usize::from(man)] {
                    OUTER => outer.add(usize::from(man)),
                    bit => set |= 1 << bit,
                }
            }
            let least = match row {
                Some((last, least)) if last == outer => least,
                _ => {
                    tables.write_images(outer, images);
                    target.least(images, None, None)
                }
            };
            row = Some((outer, least));
            target.add_one(least, set.count_ones() as usize, inner.column[usize::from(set)]);
        }
    }
}

/// A batch of armies; see the module.
struct ArmyBatch<const W: usize, K> {
    batches: ArmyBatches<W, K>,
    adder: Adder<W, K>,
    /// The armies to expand; those before `next_waiting` are expanded.
    waiting: Rows<W>,
    next_waiting: usize,
    /// The successors that this thread has made.
    own: Arc<RwLock<Rows<W>>>,
    expand_space: Space<W>,
    rank_space: RankSpace<W, K>,
    bits: Vec<u64>,
    keys: Vec<K>,
    leader: Option<(i64, K)>,
}

impl<const W: usize, K: Key> Batch<K> for ArmyBatch<W, K> {
    fn add(&mut self, keys: &[K]) {
        // A state in a row that is expanded already would never be.
        assert_eq!(self.next_waiting, 0, "no states are added to rows that are expanded");
        let Self { batches: ArmyBatches { tables, matrix, .. }, adder, waiting, .. } = self;
        adder.add(tables, &matrix.inner, keys, waiting);
    }

    fn waits(&self) -> bool {
        self.waiting.len() > 0
    }

    fn bytes_waiting(&self) -> usize {
        self.waiting.bytes()
    }

    fn bytes_made(&self) -> usize {
        read(&self.own).bytes()
    }

    fn expand(&mut self, bytes: usize) -> Expanded {
        let Self { batches: ArmyBatches { tables, matrix, .. }, waiting, next_waiting, own, expand_space, .. } = self;
        let (mut all, mut own) = (Expanded::default(), write(own));
        while *next_waiting < waiting.len() && (all.states == 0 || own.bytes() < bytes) {
            all.add(expand_row(tables, matrix, waiting.get(*next_waiting), &mut own, expand_space));
            *next_waiting += 1;
        }
        if *next_waiting == waiting.len() {
            waiting.clear();
            *next_waiting = 0;
        }
        all
    }

    fn emit(&mut self, wanted: usize, emit: &mut dyn FnMut(&[K])) -> usize {
        let Self { batches: ArmyBatches { tables, matrix, made }, rank_space, bits, keys, leader, .. } = self;
        let mut emitted = 0;
        made.take(bits, |row| {
            keys.clear();
            rank_row(tables, matrix, row, rank_space, keys, leader);
            emit(keys);
            emitted += keys.len();
            emitted < wanted
        });
        emitted
    }

    fn leader(&self) -> Option<(i64, K)> {
        self.leader
    }
}
