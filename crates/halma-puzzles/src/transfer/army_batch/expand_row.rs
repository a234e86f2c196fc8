//! The successors of all armies of a row.

use halma_engine::batch::Expanded;
use halma_engine::key::Key;
use halma_rules::cells::Cells;
use multiversion::multiversion;

use super::Matrix;
use super::crossings::{InnerMan, Jumps};
use super::inner_cells::{InnerCells, MOST, bits};
use super::rows::{Row, Rows, add, each, set};
use crate::transfer::ProblemTables;

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
pub struct Space<const W: usize> {
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

impl<const W: usize> Space<W> {
    /// For armies of `tables`.
    #[must_use]
    pub fn new<K: Key>(tables: &ProblemTables<W, K>) -> Self {
        let (men, cells, images) = (tables.ranks.men(), tables.centroid.len(), tables.room_for_images());
        Self {
            inside: Vec::new(),
            turned: vec![Vec::new(); images.len()],
            images,
            leaving: Lanes::new(cells),
            entering: Lanes::new(men),
            landings: vec![None; cells],
            outer_men: Vec::new(),
        }
    }
}

/// The rows that successors go to.
pub struct Target<'a, const W: usize, K> {
    /// The tables of the problem.
    pub tables: &'a ProblemTables<W, K>,
    /// The inner cells that the columns are of.
    pub inner: &'a InnerCells<W>,
    /// The rows.
    pub rows: &'a mut Rows<W>,
}

impl<const W: usize, K: Key> Target<'_, W, K> {
    /// Of the images of a row, of which a man leaves the cell `from` and one comes to `to`, the least, and its number.
    #[inline(always)]
    pub fn least(&self, images: &[Cells<W>], from: Option<u8>, to: Option<usize>) -> (usize, Cells<W>) {
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
    pub fn add_one(&mut self, (number, outer): (usize, Cells<W>), inside: usize, column: u16) {
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
pub fn expand_row<const W: usize, K: Key>(
    tables: &ProblemTables<W, K>,
    Matrix { inner, out, back, inner_men, .. }: &Matrix<W, K>,
    (row, columns): (Row<W>, &[u64]),
    rows: &mut Rows<W>,
    space: &mut Space<W>,
) -> Expanded {
    let Space { images, inside, turned, leaving, entering, landings, outer_men } = space;
    let (confined, column_of) = (&tables.confined, |set: u16| inner.column[usize::from(set)]);
    let mut target = Target { tables, inner, rows };
    tables.write_images(row.outer, images);
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
