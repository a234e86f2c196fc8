//! Many armies expanded together, for searches without bounds.
//!
//! At most 15 cells that lie close together are *inner* ones: those where the armies of a sample differ most. The others are *outer* ones. An army is an entry of
//! a matrix of bits: its row is the set of men on outer cells, its column the set of men on inner cells. Many armies share a row,
//! and many moves are made for all of them at once:
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
mod inner_cells;
mod row_ranks;
mod rows;
mod shared_rows;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use halma_engine::batch::{Batch, Batches, Expanded};
use halma_engine::key::Key;
use halma_rules::cells::Cells;
use multiversion::multiversion;
use rayon::prelude::*;

pub use confined_moves::ConfinedMoves;
use crossings::{Crossings, InnerMan, InnerMen, Jumps};
use inner_cells::{InnerCells, MOST, OUTER, bits};
use row_ranks::{OuterSums, RowRanks};
use rows::{Row, Rows, add, each, set};
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
        let inner = InnerCells::new(tables, &tables.confined, cells);
        let crossings = |inside| Crossings::new(&tables.confined, &inner, inside);
        let (out, back) = rayon::join(|| crossings(true), || crossings(false));
        let (out, back) = out.zip(back)?;
        let inner_men = InnerMen::new(&tables.confined, &inner, &out, tables.ranks.men());
        Some(Self { inner, out, back, inner_men, row_ranks })
    }
}

struct ArmyBatches<const W: usize, K> {
    tables: Arc<ProblemTables<W, K>>,
    matrix: Arc<Matrix<W, K>>,
    made: Arc<SharedRows<W>>,
}

impl<const W: usize, K: Key> ArmyBatches<W, K> {
    fn new(tables: &Arc<ProblemTables<W, K>>, matrix: Arc<Matrix<W, K>>) -> Self {
        Self { tables: Arc::clone(tables), matrix, made: Arc::new(SharedRows::new()) }
    }
}

impl<const W: usize, K: Key> Batches<K> for ArmyBatches<W, K> {
    fn batch(&self) -> Box<dyn Batch<K>> {
        let (men, cells) = (self.tables.ranks.men(), self.tables.centroid.len());
        let images = 1 + self.tables.permutations.len();
        Box::new(ArmyBatch {
            tables: Arc::clone(&self.tables),
            matrix: Arc::clone(&self.matrix),
            unranked: vec![0; men],
            last: K::MAX,
            waiting: Rows::new(),
            next_waiting: 0,
            own: self.made.of_thread(),
            made: Arc::clone(&self.made),
            space: Space {
                images: vec![Cells::EMPTY; images],
                inside: Vec::new(),
                turned: vec![Vec::new(); images],
                leaving: Lanes::new(cells),
                entering: Lanes::new(men),
                landings: vec![None; cells],
                outer_men: Vec::new(),
            },
            sums: vec![OuterSums::default(); images],
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
}

/// Bitmaps by a small number, most of which are empty.
struct Lanes {
    bits: Vec<Vec<u64>>,
    used: Vec<usize>,
}

impl Lanes {
    fn new(count: usize) -> Self {
        Self { bits: vec![Vec::new(); count], used: Vec::new() }
    }

    /// Sets a bit of a bitmap with so many words.
    #[inline(always)]
    fn set(&mut self, lane: usize, words: usize, number: u16) {
        let bits = &mut self.bits[lane];
        if bits.is_empty() {
            bits.resize(words, 0);
            self.used.push(lane);
        }
        set(bits, number);
    }

    /// Calls `f` with each bitmap that is not empty, and empties it.
    fn drain(&mut self, mut f: impl FnMut(usize, &[u64])) {
        for lane in self.used.drain(..) {
            f(lane, &self.bits[lane]);
            self.bits[lane].clear();
        }
    }
}

/// What the expansion of a row needs beside the rows.
struct Space<const W: usize> {
    /// The row's outer men, and their images.
    images: Vec<Cells<W>>,
    /// The row with a man elsewhere on inner cells.
    inside: Vec<u64>,
    /// By symmetry: the row's image; empty where it was not needed yet.
    turned: Vec<Vec<u64>>,
    /// By outer cell: what follows when an inner man goes there.
    leaving: Lanes,
    /// By outer man: what follows when he goes to an inner cell.
    entering: Lanes,
    /// By outer cell: what follows for an inner man who lands there; nothing where no man did yet.
    landings: Vec<Option<Landing<W>>>,
    outer_men: Vec<OuterMan<W>>,
}

/// A batch of armies; see the module.
struct ArmyBatch<const W: usize, K> {
    tables: Arc<ProblemTables<W, K>>,
    matrix: Arc<Matrix<W, K>>,
    unranked: Vec<u8>,
    last: K,
    /// The armies to expand; those before `next_waiting` are expanded.
    waiting: Rows<W>,
    next_waiting: usize,
    /// The successors that this thread has made.
    own: Arc<RwLock<Rows<W>>>,
    /// Those of all threads.
    made: Arc<SharedRows<W>>,
    space: Space<W>,
    /// By image: the sums of the row that is emitted.
    sums: Vec<OuterSums<K>>,
    bits: Vec<u64>,
    keys: Vec<K>,
    leader: Option<(i64, K)>,
}

/// The rows that successors go to.
struct Target<'a, const W: usize, K> {
    tables: &'a ProblemTables<W, K>,
    inner: &'a InnerCells<W>,
    rows: &'a mut Rows<W>,
}

impl<const W: usize, K: Key> Target<'_, W, K> {
    /// Of the images of a row, of which a man leaves the cell `from` and one comes to `to`, the least, and its number.
    #[inline(always)]
    fn least(&self, images: &[Cells<W>], from: Option<u8>, to: Option<usize>) -> (usize, Cells<W>) {
        let moved = |number: usize| {
            let at = |cell: usize| match number {
                0 => cell,
                _ => usize::from(self.tables.permutations[number - 1][cell]),
            };
            let mut image = images[number];
            if let Some(from) = from {
                image.remove(at(usize::from(from)));
            }
            if let Some(to) = to {
                image.add(at(to));
            }
            image
        };
        let mut least = (0, moved(0));
        for number in 1..images.len() {
            let image = moved(number);
            if !least.1.at_most(&image) {
                least = (number, image);
            }
        }
        least
    }

    /// Adds columns with so many men `inside` to the row that [`Self::least`] found: their images under the symmetry of its number.
    #[inline(always)]
    fn add(&mut self, (number, outer): (usize, Cells<W>), inside: usize, columns: &[u64]) {
        let row = self.rows.bits(outer, inside, columns.len());
        match number {
            0 => add(row, columns),
            _ => add_images(self.inner, number, inside, columns, row),
        }
    }

    /// Adds one column.
    fn add_one(&mut self, (number, outer): (usize, Cells<W>), inside: usize, column: u16) {
        let row = self.rows.bits(outer, inside, self.inner.words(inside));
        set(row, if number == 0 { column } else { self.inner.image_columns[number - 1][inside][usize::from(column)] });
    }
}

/// Sets in `to` the images of columns with so many men `inside`, under the symmetry of that number, from 1.
#[inline(always)]
fn add_images<const W: usize>(inner: &InnerCells<W>, number: usize, inside: usize, columns: &[u64], to: &mut [u64]) {
    let images = &inner.image_columns[number - 1][inside];
    each(columns, |column| set(to, images[usize::from(column)]));
}

/// Writes a set of outer men and its images to `images`.
fn show<const W: usize, K>(tables: &ProblemTables<W, K>, outer: Cells<W>, images: &mut [Cells<W>]) {
    images[0] = outer;
    for (image, permutation) in images[1..].iter_mut().zip(&tables.permutations) {
        *image = outer.mapped(permutation);
    }
}

/// Where an outer man can go, as far as the armies of a row have it in common.
#[derive(Clone)]
struct OuterMan<const W: usize> {
    cell: u8,
    /// Where he can go among outer cells alone, whatever stands on the inner ones.
    outside: Cells<W>,
    /// The inner cells one step away.
    steps: u16,
    /// The jumps to inner cells from where he is or lands, as far as outer men allow them.
    back: Jumps,
    /// The jumps from inner cells that the other outer men allow and that do not lead where he can go by jumps among outer cells.
    out: Jumps,
}

/// What follows for a man who lands on an outer cell.
#[derive(Clone, Copy)]
struct Landing<const W: usize> {
    /// That cell, and where he can go on by jumps among outer cells alone.
    cells: Cells<W>,
    /// The crossing jumps that begin there, and those that end there.
    back: Jumps,
    end: Jumps,
}

/// Expands all armies of a row, compiled for several instruction sets; the processor decides which one runs. Returns how many
/// there are, and how many successors they have together.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn expand_row<const W: usize, K: Key>(
    tables: &ProblemTables<W, K>,
    Matrix { inner, out, back, inner_men, .. }: &Matrix<W, K>,
    (row, columns): (Row<W>, &[u64]),
    rows: &mut Rows<W>,
    space: &mut Space<W>,
) -> Expanded {
    let Space { images, inside, turned, leaving, entering, landings, outer_men } = space;
    let (confined, column_of) = (&tables.confined, |set: u16| inner.column[usize::from(set)]);
    let mut target = Target { tables, inner, rows };
    show(tables, row.outer, images);
    turned.iter_mut().for_each(Vec::clear);
    landings.iter_mut().for_each(|landing| *landing = None);
    let everywhere = !inner.all;
    let everything = Cells::first(inner.bit_of.len());
    let (out_allowed, back_allowed) = (out.allowed_outside(row.outer), back.allowed_outside(row.outer));
    outer_men.clear();
    row.outer.for_each(|from| {
        let others = row.outer.without(from);
        let chain = confined.chain(from, others, everywhere);
        let (begin, end) = back.at(chain);
        outer_men.push(OuterMan {
            cell: from as u8,
            outside: (chain | confined.steps(from) & everywhere & !row.outer).without(from),
            steps: inner.bits_of(confined.steps(from)),
            back: begin & !end & back.allowed_outside(others),
            out: out.allowed_outside(others) & !out.at(chain).1,
        });
    });
    let all_outside: usize = outer_men.iter().map(|man| man.outside.len()).sum();
    let steps_out: [Cells<W>; MOST] = std::array::from_fn(|bit| match inner.cells.get(bit) {
        Some(&cell) => confined.steps(usize::from(cell)) & everywhere & !row.outer,
        None => Cells::EMPTY,
    });
    inside.clear();
    inside.resize(columns.len(), 0);
    let (words_less, words_more) =
        (row.inside.checked_sub(1).map_or(0, |less| inner.words(less)), inner.words(row.inside + 1));
    let (sets, mut states, mut generated) = (&inner.sets[row.inside], 0, 0);
    each(columns, |column| {
        let at = sets[usize::from(column)];
        states += 1;
        let moves = inner.moves(at);
        moves.iter().for_each(|&column| set(inside, column));
        generated += moves.len() + all_outside;
        let allowed = back.allowed_inside(at);
        for (number, man) in outer_men.iter().enumerate() {
            let mut to = man.steps & !at;
            let jumps = man.back & allowed;
            if jumps != 0 {
                let mut chain = 0;
                back.each_landing(jumps & back.across, |cell| chain |= inner.chain(at, inner.bit_of[cell].into()));
                let further = out.beginning(chain) & out.allowed_inside(at) & out.ending_elsewhere(chain) & man.out;
                if jumps & !back.across == 0 && further == 0 {
                    to |= chain;
                } else {
                    // He crosses more than once.
                    let from = usize::from(man.cell);
                    let others = (row.outer | inner.spread(at)).without(from);
                    let chain = confined.chain(from, others, everything);
                    to |= inner.bits_of(chain);
                    let outside = (chain & everywhere & !man.outside).without(from);
                    generated += outside.len();
                    outside.for_each(|to| {
                        target.add_one(target.least(images, Some(man.cell), Some(to)), row.inside, column);
                    });
                }
            }
            generated += to.count_ones() as usize;
            bits(to.into()).for_each(|bit| entering.set(number, words_more, column_of(at | 1 << bit)));
        }
        for &InnerMan { jumps, others, column, chain, bit } in inner_men.of(row.inside, column) {
            let bit = usize::from(bit);
            let mut to = steps_out[bit];
            let jumps = jumps & out_allowed;
            if jumps != 0 {
                let mut all = Landing { cells: Cells::EMPTY, back: 0, end: 0 };
                out.each_landing(jumps & out.across, |cell| {
                    let landing = landings[cell].get_or_insert_with(|| {
                        let cells = confined.chain(cell, row.outer, everywhere);
                        let (begin, end) = back.at(cells);
                        Landing { cells, back: begin & back_allowed, end }
                    });
                    all = Landing {
                        cells: all.cells | landing.cells,
                        back: all.back | landing.back,
                        end: all.end | landing.end,
                    };
                });
                let further = all.back & !all.end & back.allowed_inside(others) & back.ending_elsewhere(chain);
                if jumps & !out.across == 0 && further == 0 {
                    to |= all.cells;
                } else {
                    // He crosses more than once.
                    let from = usize::from(inner.cells[bit]);
                    let all = confined.chain(from, row.outer | inner.spread(others), everything);
                    to |= all & everywhere;
                    let within = inner.bits_of(all) & !inner.reach(others, bit) & !(1 << bit);
                    generated += within.count_ones() as usize;
                    bits(within.into()).for_each(|to| set(inside, column_of(others | 1 << to)));
                }
            }
            generated += to.len();
            to.for_each(|cell| leaving.set(cell, words_less, column));
        }
    });
    target.add(target.least(images, None, None), row.inside, inside);
    leaving.drain(|to, columns| target.add(target.least(images, None, Some(to)), row.inside - 1, columns));
    entering.drain(|number, columns| {
        target.add(target.least(images, Some(outer_men[number].cell), None), row.inside + 1, columns);
    });
    for man in &*outer_men {
        man.outside.for_each(|to| {
            let (number, outer) = target.least(images, Some(man.cell), Some(to));
            if number == 0 {
                return target.add((0, outer), row.inside, columns);
            }
            let turned = &mut turned[number];
            if turned.is_empty() {
                turned.resize(columns.len(), 0);
                add_images(inner, number, row.inside, columns, turned);
            }
            target.add((0, outer), row.inside, turned);
        });
    }
    Expanded { states, generated: generated as u64, emitted: generated as u64 }
}

/// Writes the keys of all armies of a row to `keys`, compiled for several instruction sets; the processor decides which one runs. Keeps
/// the army with the largest centroid.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn rank_row<const W: usize, K: Key>(
    tables: &ProblemTables<W, K>,
    Matrix { inner, row_ranks, .. }: &Matrix<W, K>,
    (row, columns): (Row<W>, &[u64]),
    images: &mut [Cells<W>],
    sums: &mut [OuterSums<K>],
    keys: &mut Vec<K>,
    leader: &mut Option<(i64, K)>,
) {
    show(tables, row.outer, images);
    // Armies compare by the highest cell in which they differ. Where that lies above all inner cells, it is the same for all armies of
    // the row, and the row itself is its least image.
    let decided = images[1..].iter().all(|&image| image & inner.above != row.outer & inner.above);
    let images = &images[..if decided { 1 } else { images.len() }];
    for (image, sums) in images.iter().zip(&mut *sums) {
        row_ranks.prepare(&tables.ranks, *image, sums);
    }
    let outer = row.outer.iter().map(|cell| i64::from(tables.centroid[cell])).sum::<i64>();
    let best = outer + i64::from(inner.centroid_max[row.inside]);
    let measured = tables.foremost.is_some() && leader.is_none_or(|(centroid, _)| best > centroid);
    let sets = &inner.sets[row.inside];
    keys.clear();
    each(columns, |column| {
        let set = sets[usize::from(column)];
        let mut least = (row.outer | inner.spread(set), 0, set);
        for (number, image) in images.iter().enumerate().skip(1) {
            let image_set = inner.images[number - 1][usize::from(set)];
            let image = *image | inner.spread(image_set);
            if !least.0.at_most(&image) {
                least = (image, number, image_set);
            }
        }
        let key = row_ranks.rank(&sums[least.1], least.2);
        keys.push(key);
        if measured {
            let centroid = outer + i64::from(inner.centroid[usize::from(set)]);
            if leader.is_none_or(|(best, _)| centroid > best) {
                *leader = Some((centroid, key));
            }
        }
    });
}

impl<const W: usize, K: Key> Batch<K> for ArmyBatch<W, K> {
    fn add(&mut self, keys: &[K]) {
        let Self { tables, matrix, unranked, last, waiting, .. } = self;
        let inner = &matrix.inner;
        let mut target = Target { tables, inner, rows: waiting };
        let mut images = vec![Cells::EMPTY; 1 + tables.permutations.len()];
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
                    show(tables, outer, &mut images);
                    target.least(&images, None, None)
                }
            };
            row = Some((outer, least));
            target.add_one(least, set.count_ones() as usize, inner.column[usize::from(set)]);
        }
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
        let Self { tables, matrix, waiting, next_waiting, own, space, .. } = self;
        let (mut all, mut own) = (Expanded::default(), write(own));
        while *next_waiting < waiting.len() && (all.states == 0 || own.bytes() < bytes) {
            all.add(expand_row(tables, matrix, waiting.get(*next_waiting), &mut own, space));
            *next_waiting += 1;
        }
        if *next_waiting == waiting.len() {
            waiting.clear();
            *next_waiting = 0;
        }
        all
    }

    fn emit(&mut self, wanted: usize, emit: &mut dyn FnMut(&[K])) -> usize {
        let Self { tables, matrix, made, space, sums, bits, keys, leader, .. } = self;
        let mut emitted = 0;
        made.take(bits, |row| {
            rank_row(tables, matrix, row, &mut space.images, sums, keys, leader);
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
