//! Armies as a sparse matrix of bits.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use halma_rules::cells::Cells;

/// A row for each set of men on outer cells; in it a bit for each set of men on inner cells, by its column.
pub struct Rows<const W: usize> {
    by_outer: HashMap<Cells<W>, u32, BuildHasherDefault<CellsHasher>>,
    rows: Vec<Row<W>>,
    /// By row: where its bits end in `words`.
    ends: Vec<usize>,
    words: Vec<u64>,
}

/// One row.
#[derive(Clone, Copy)]
pub struct Row<const W: usize> {
    /// The men on outer cells.
    pub outer: Cells<W>,
    /// How many men stand on inner cells.
    pub inside: usize,
}

impl<const W: usize> Rows<W> {
    /// No rows.
    #[must_use]
    pub fn new() -> Self {
        Self { by_outer: HashMap::default(), rows: Vec::new(), ends: Vec::new(), words: Vec::new() }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The bytes that they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let entry = size_of::<Cells<W>>() + size_of::<u32>() + 1;
        8 * self.words.len() + self.rows.len() * (size_of::<Row<W>>() + size_of::<usize>() + 2 * entry)
    }

    /// The row with that number, and its bits.
    #[must_use]
    pub fn get(&self, number: usize) -> (Row<W>, &[u64]) {
        let first = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        (self.rows[number], &self.words[first..self.ends[number]])
    }

    /// The bits of the row of `outer`, if there is one.
    #[must_use]
    pub fn find(&self, outer: &Cells<W>) -> Option<&[u64]> {
        self.by_outer.get(outer).map(|&number| self.get(number as usize).1)
    }

    /// The bits of the row of `outer`, which is made with so many `words` if it is missing.
    #[inline]
    pub fn bits(&mut self, outer: Cells<W>, inside: usize, words: usize) -> &mut [u64] {
        let number = *self.by_outer.entry(outer).or_insert_with(|| {
            self.words.resize(self.words.len() + words, 0);
            self.ends.push(self.words.len());
            self.rows.push(Row { outer, inside });
            self.rows.len() as u32 - 1
        });
        let end = self.ends[number as usize];
        &mut self.words[end - words..end]
    }

    /// Removes all rows, and keeps their memory.
    pub fn clear(&mut self) {
        self.by_outer.clear();
        self.rows.clear();
        self.ends.clear();
        self.words.clear();
    }
}

/// Sets the bit with that number.
#[inline(always)]
pub fn set(bits: &mut [u64], number: u16) {
    bits[usize::from(number) / 64] |= 1 << (number % 64);
}

/// Sets all bits that are set in `more`.
#[inline(always)]
pub fn add(bits: &mut [u64], more: &[u64]) {
    bits.iter_mut().zip(more).for_each(|(bits, more)| *bits |= more);
}

/// Calls `f` with the numbers of the bits that are set, ascending.
#[inline(always)]
pub fn each(bits: &[u64], mut f: impl FnMut(u16)) {
    for (i, &word) in bits.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            f((64 * i) as u16 + rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
}

/// Hashes the words of a set of cells. Nobody chooses the sets, so nothing guards against chosen ones.
#[derive(Clone, Default)]
pub struct CellsHasher(u64);

impl Hasher for CellsHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = folded_multiply(self.0 ^ word);
    }

    fn write_usize(&mut self, _: usize) {
        // The number of words is the same for all sets.
    }

    fn finish(&self) -> u64 {
        folded_multiply(self.0)
    }
}

/// Multiplies to 128 bits and adds the halves bit by bit, as the hash function wyhash does.
fn folded_multiply(word: u64) -> u64 {
    let full = u128::from(word) * 0x9e37_79b9_7f4a_7c15;
    full as u64 ^ (full >> 64) as u64
}
