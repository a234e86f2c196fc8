//! Many armies expanded together, for searches without bounds.
//!
//! At most 15 cells are *inner* ones, those on which the armies of the level differ most; the others are *outer* ones. An army is an entry of
//! a matrix of bits: its row is the set of men on outer cells, its column the set of men on inner cells. Many armies share a row,
//! and many moves are made for all of them at once:
//! - A man who goes from one outer cell to another over outer men can do so whatever stands on the inner cells: the whole row is
//!   added to another row.
//! - A man who stays among inner cells leads to another column of the same row. Which one is looked up: it depends on the
//!   inner men alone.
//! - All other moves are those that the move generator finds and the first two kinds lack. They are made army by army.
//!
//! Bits that are set twice are duplicates, which are gone without a comparison. With symmetries, a row is kept as the least
//! of its images.

mod confined_moves;
mod inner_cells;
mod row_ranks;
mod rows;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use halma_engine::batch::{Batch, Batches, Expanded};
use halma_engine::key::Key;
use halma_rules::cells::Cells;
use halma_rules::moves::ComponentScratch;

pub use confined_moves::ConfinedMoves;
use inner_cells::{InnerCells, OUTER, bits};
use row_ranks::{OuterSums, RowRanks};
use rows::{Row, Rows, add, each, set};

use super::ProblemTables;

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

/// Inner cells and ranks.
struct Matrix<const W: usize, K> {
    inner: InnerCells<W>,
    row_ranks: RowRanks<K>,
}

/// The batches of a level whose states are like those of `sample`; `None` where too few of them share a row.
pub fn batches<const W: usize, K: Key>(tables: &Arc<ProblemTables<W, K>>, sample: &[K]) -> Option<Box<dyn Batches<K>>> {
    let mut armies = Vec::with_capacity(sample.len());
    tables.each_army(sample, |_, army| armies.push(army.set));
    let cells = InnerCells::choose(tables, &armies)?;
    let outer = !cells.iter().map(|&cell| usize::from(cell)).collect::<Cells<W>>();
    let mut rows: Vec<Cells<W>> = armies.iter().map(|&army| army & outer).collect();
    rows.sort_unstable();
    rows.dedup();
    if armies.len() < SHARING * rows.len() {
        return None;
    }
    let mut last = tables.matrix.0.lock().unwrap_or_else(PoisonError::into_inner);
    let matrix = match last.take().filter(|matrix| matrix.inner.cells == cells) {
        Some(matrix) => matrix,
        None => {
            let row_ranks = RowRanks::new(&tables.ranks, &cells);
            Arc::new(Matrix { inner: InnerCells::new(tables, &tables.confined, cells), row_ranks })
        }
    };
    *last = Some(Arc::clone(&matrix));
    Some(Box::new(ArmyBatches { tables: Arc::clone(tables), matrix }))
}

struct ArmyBatches<const W: usize, K> {
    tables: Arc<ProblemTables<W, K>>,
    matrix: Arc<Matrix<W, K>>,
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
            made: Rows::new(),
            next_made: 0,
            space: Space {
                men: vec![0; men],
                reach: vec![Cells::EMPTY; men],
                components: ComponentScratch::default(),
                images: vec![Cells::EMPTY; images],
                inside: Vec::new(),
                turned: vec![Vec::new(); images],
                leaving: Lanes::new(cells),
                entering: Lanes::new(men),
            },
            sums: vec![OuterSums::default(); images],
            keys: Vec::new(),
            leader: None,
        })
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
    /// The outer men, then the inner ones.
    men: Vec<u8>,
    reach: Vec<Cells<W>>,
    components: ComponentScratch<W>,
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
    /// Their successors; those before `next_made` were emitted.
    made: Rows<W>,
    next_made: usize,
    space: Space<W>,
    /// By image: the sums of the row that is emitted.
    sums: Vec<OuterSums<K>>,
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

    /// Adds columns with so many men `inside` to the row that is `least`. `turned` has their images as far as they were needed before.
    #[inline(always)]
    fn add(&mut self, (number, outer): (usize, Cells<W>), inside: usize, columns: &[u64]) {
        let row = self.rows.bits(outer, inside, columns.len());
        match number {
            0 => add(row, columns),
            _ => {
                let images = &self.inner.image_columns[number - 1][inside];
                each(columns, |column| set(row, images[usize::from(column)]));
            }
        }
    }

    /// Adds one column.
    fn add_one(&mut self, (number, outer): (usize, Cells<W>), inside: usize, column: u16) {
        let row = self.rows.bits(outer, inside, self.inner.words(inside));
        set(row, if number == 0 { column } else { self.inner.image_columns[number - 1][inside][usize::from(column)] });
    }
}

/// Writes a set of outer men and its images to `images`.
fn show<const W: usize, K>(tables: &ProblemTables<W, K>, outer: Cells<W>, images: &mut [Cells<W>]) {
    images[0] = outer;
    for (image, permutation) in images[1..].iter_mut().zip(&tables.permutations) {
        *image = outer.mapped(permutation);
    }
}

/// Expands all armies of a row; returns how many there are, and how many successors they have together.
fn expand_row<const W: usize, K: Key>(
    tables: &ProblemTables<W, K>,
    inner: &InnerCells<W>,
    (row, columns): (Row<W>, &[u64]),
    rows: &mut Rows<W>,
    space: &mut Space<W>,
) -> Expanded {
    let Space { men, reach, components, images, inside, turned, leaving, entering } = space;
    let mut target = Target { tables, inner, rows };
    show(tables, row.outer, images);
    turned.iter_mut().for_each(Vec::clear);
    let (outer, sets) = (row.outer.len(), &inner.sets[row.inside]);
    row.outer.write(&mut men[..outer]);
    let everywhere = !inner.all;
    // Where each outer man can go among outer cells, whatever stands on the inner ones.
    let outside: Vec<Cells<W>> = men[..outer]
        .iter()
        .map(|&man| {
            let from = usize::from(man);
            tables.confined.reach(from, row.outer.without(from), everywhere)
        })
        .collect();
    inside.clear();
    inside.resize(columns.len(), 0);
    let (words_less, words_more) =
        (row.inside.checked_sub(1).map_or(0, |less| inner.words(less)), inner.words(row.inside + 1));
    let mut expanded = Expanded::default();
    each(columns, |column| {
        let at = sets[usize::from(column)];
        inner.moves(at).iter().for_each(|&column| set(inside, column));
        for (man, bit) in men[outer..].iter_mut().zip(bits(at.into())) {
            *man = inner.cells[bit];
        }
        let generated = tables.mover.reach(men, row.outer | inner.spread(at), components, reach);
        expanded.add(Expanded { states: 1, generated, emitted: generated });
        for (man, (reach, outside)) in reach[..outer].iter().zip(&outside).enumerate() {
            let others = *reach & !*outside;
            if others.is_empty() {
                continue;
            }
            (others & inner.all).for_each(|to| {
                entering.set(man, words_more, inner.column[usize::from(at | 1 << inner.bit_of[to])]);
            });
            (others & everywhere).for_each(|to| {
                target.add_one(target.least(images, Some(men[man]), Some(to)), row.inside, column);
            });
        }
        for (bit, reach) in bits(at.into()).zip(&reach[outer..]) {
            let others = *reach & !inner.reach(at, bit);
            if others.is_empty() {
                continue;
            }
            let rest = at & !(1 << bit);
            (others & everywhere).for_each(|to| leaving.set(to, words_less, inner.column[usize::from(rest)]));
            (others & inner.all).for_each(|to| {
                set(inside, inner.column[usize::from(rest | 1 << inner.bit_of[to])]);
            });
        }
    });
    target.add(target.least(images, None, None), row.inside, inside);
    leaving.drain(|to, columns| target.add(target.least(images, None, Some(to)), row.inside - 1, columns));
    entering.drain(|man, columns| target.add(target.least(images, Some(men[man]), None), row.inside + 1, columns));
    for (&man, outside) in men.iter().zip(&outside) {
        outside.for_each(|to| {
            let (number, outer) = target.least(images, Some(man), Some(to));
            if number == 0 {
                return target.add((0, outer), row.inside, columns);
            }
            let turned = &mut turned[number];
            if turned.is_empty() {
                turned.resize(columns.len(), 0);
                let images = &inner.image_columns[number - 1][row.inside];
                each(columns, |column| set(turned, images[usize::from(column)]));
            }
            target.add((0, outer), row.inside, turned);
        });
    }
    expanded
}

impl<const W: usize, K: Key> Batch<K> for ArmyBatch<W, K> {
    fn add(&mut self, keys: &[K]) {
        let Self { tables, matrix, unranked, last, waiting, .. } = self;
        let inner = &matrix.inner;
        let mut images = vec![Cells::EMPTY; 1 + tables.permutations.len()];
        for &key in keys {
            tables.ranks.unrank_after(key, unranked, last);
            let (mut outer, mut set) = (Cells::EMPTY, 0_u16);
            for &man in &*unranked {
                match inner.bit_of[usize::from(man)] {
                    OUTER => outer.add(usize::from(man)),
                    bit => set |= 1 << bit,
                }
            }
            show(tables, outer, &mut images);
            let inside = set.count_ones() as usize;
            let mut target = Target { tables, inner, rows: waiting };
            target.add_one(target.least(&images, None, None), inside, inner.column[usize::from(set)]);
        }
    }

    fn bytes(&self) -> usize {
        self.waiting.bytes() + self.made.bytes()
    }

    fn expand(&mut self, bytes: usize) -> Expanded {
        let mut all = Expanded::default();
        while self.next_waiting < self.waiting.len() && (all.states == 0 || self.made.bytes() < bytes) {
            let Self { tables, matrix, waiting, made, space, .. } = self;
            let expanded = expand_row(tables, &matrix.inner, waiting.get(self.next_waiting), made, space);
            self.next_waiting += 1;
            all.add(expanded);
        }
        if self.next_waiting == self.waiting.len() {
            self.waiting.clear();
            self.next_waiting = 0;
        }
        all
    }

    fn emit(&mut self, wanted: usize, emit: &mut dyn FnMut(&[K])) -> usize {
        let Self { tables, matrix: all, made, next_made, space, sums, keys, leader, .. } = self;
        let Matrix { inner, row_ranks } = &**all;
        let mut emitted = 0;
        while *next_made < made.len() && emitted < wanted {
            let (row, columns) = made.get(*next_made);
            *next_made += 1;
            show(tables, row.outer, &mut space.images);
            for (image, sums) in space.images.iter().zip(&mut *sums) {
                row_ranks.prepare(&tables.ranks, *image, sums);
            }
            let outer = row.outer.iter().map(|cell| i64::from(tables.centroid[cell])).sum::<i64>();
            let best = outer + i64::from(inner.centroid_max[row.inside]);
            let measured = tables.foremost.is_some() && leader.is_none_or(|(centroid, _)| best > centroid);
            keys.clear();
            each(columns, |column| {
                let set = inner.sets[row.inside][usize::from(column)];
                let mut least = (row.outer | inner.spread(set), 0, set);
                for number in 1..sums.len() {
                    let image_set = inner.images[number - 1][usize::from(set)];
                    let image = space.images[number] | inner.spread(image_set);
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
            emitted += keys.len();
            emit(keys);
        }
        if *next_made == made.len() {
            made.clear();
            *next_made = 0;
        }
        emitted
    }

    fn is_done(&self) -> bool {
        self.waiting.len() == 0 && self.made.len() == 0
    }

    fn leader(&self) -> Option<(i64, K)> {
        self.leader
    }
}
