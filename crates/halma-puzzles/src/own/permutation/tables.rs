//! The digits of one set of pieces, each as what it adds to a key.

use halma_engine::key::Key;
use halma_rules::puzzle::permutation::PieceSet;
use num_bigint::BigUint;

/// The tables of one set.
#[derive(Clone, Debug)]
pub(super) struct SetTables<K> {
    /// Of all pieces but the last, which stand where the others do not.
    pieces: Vec<Ranked<K>>,
    /// How many of each piece there are.
    counts: Vec<usize>,
    /// Whether the orientation of each piece counts.
    oriented: Vec<bool>,
    /// How many orientations there are.
    modulus: u8,
    /// What an orientation adds, at `position * modulus + orientation`; empty where none counts.
    turned: Vec<K>,
}

/// The rank of equal pieces among those positions that the pieces before them leave.
#[derive(Clone, Debug)]
struct Ranked<K> {
    /// For the j-th of them, j from 0: C(c, j + 1) times the weight, for each position c on which it can stand.
    columns: Vec<Vec<K>>,
}

/// A number as a key, if it fits.
pub(super) fn key<K: Key>(number: &BigUint) -> Option<K> {
    let digits = number.to_u64_digits();
    if 8 * digits.len() > K::BYTES {
        return None;
    }
    let mut words = [0; 4];
    words[..digits.len()].copy_from_slice(&digits);
    Some(K::from_words(words))
}

/// Whether the orientations of a set are part of the number.
pub(super) fn has_digits(set: &PieceSet) -> bool {
    set.pieces.iter().any(|p| p.oriented)
}

/// C(n, k).
fn choose(n: usize, k: usize) -> BigUint {
    if k > n {
        return BigUint::default();
    }
    (0..k).fold(BigUint::from(1u8), |all, i| all * (n - i) / (i + 1))
}

/// How many numbers a set has.
pub(super) fn count(set: &PieceSet) -> BigUint {
    let mut left = set.positions;
    let mut all = BigUint::from(1u8);
    for piece in &set.pieces {
        all *= choose(left, piece.count);
        left -= piece.count;
    }
    if has_digits(set) { all * BigUint::from(set.orientations).pow(set.positions as u32) } else { all }
}

impl<K: Key> SetTables<K> {
    /// The tables of a set whose lowest digit has that weight, which becomes the weight of the set after it. The product of all
    /// numbers fits the key.
    pub fn new(set: &PieceSet, weight: &mut BigUint) -> Self {
        let entry = |number: BigUint| key(&number).unwrap_or(K::MAX);
        let mut left = set.positions;
        let mut pieces = Vec::new();
        for piece in &set.pieces[..set.pieces.len() - 1] {
            // The j-th of k leaves room for those after it.
            let column = |j: usize| (0..=left - piece.count + j).map(|c| entry(choose(c, j + 1) * &*weight)).collect();
            pieces.push(Ranked { columns: (0..piece.count).map(column).collect() });
            *weight *= choose(left, piece.count);
            left -= piece.count;
        }
        let mut turned = Vec::new();
        if has_digits(set) {
            for _ in 0..set.positions {
                turned.extend((0..set.orientations).map(|o| entry(o * &*weight)));
                *weight *= set.orientations;
            }
        }
        Self {
            pieces,
            counts: set.pieces.iter().map(|p| p.count).collect(),
            oriented: set.pieces.iter().map(|p| p.oriented).collect(),
            modulus: set.orientations,
            turned,
        }
    }

    /// What an orientation on a position adds to the key.
    #[inline]
    pub fn turned(&self, position: usize, orientation: u8) -> K {
        let at = position * usize::from(self.modulus) + usize::from(orientation);
        self.turned.get(at).copied().unwrap_or_default()
    }

    /// The orientation of a piece after a turn.
    #[inline]
    pub fn turn(&self, piece: u8, orientation: u8, turn: u8) -> u8 {
        if !self.oriented[usize::from(piece)] {
            return 0;
        }
        let sum = orientation + turn;
        if sum >= self.modulus { sum - self.modulus } else { sum }
    }

    /// What the pieces add to the key: by piece, the positions of those that are equal, ascending.
    #[inline]
    pub fn rank(&self, places: &[u8]) -> K {
        let (mut rank, mut taken, mut at) = (K::default(), [0u64; 4], 0);
        for piece in &self.pieces {
            let places = &places[at..at + piece.columns.len()];
            for (&place, column) in places.iter().zip(&piece.columns) {
                rank = rank.plus(column[usize::from(place) - below(&taken, place)]);
            }
            for &place in places {
                taken[usize::from(place / 64)] |= 1 << (place % 64);
            }
            at += places.len();
        }
        rank
    }

    /// The orientations in the uppermost digits of `rest`, which loses them.
    #[inline]
    pub fn orientations(&self, rest: &mut K, orientations: &mut [u8]) {
        if self.turned.is_empty() {
            return;
        }
        for (row, orientation) in self.turned.chunks_exact(self.modulus.into()).zip(orientations).rev() {
            *orientation = largest(row, rest) as u8;
        }
    }

    /// The places of the pieces in the uppermost digits of `rest`, which loses them; what they add to the key.
    #[inline]
    pub fn places(&self, rest: &mut K, places: &mut [u8], free: &mut [u8]) -> K {
        let before = *rest;
        let mut end: usize = places.len() - self.counts[self.counts.len() - 1];
        for piece in self.pieces.iter().rev() {
            for column in piece.columns.iter().rev() {
                end -= 1;
                places[end] = largest(column, rest) as u8;
            }
        }
        // So far they count those positions only that the pieces before them leave.
        free.iter_mut().zip(0..).for_each(|(free, position)| *free = position);
        let (mut at, mut left) = (0, places.len());
        for &count in &self.counts[..self.counts.len() - 1] {
            for place in places[at..at + count].iter_mut().rev() {
                let index = usize::from(*place);
                *place = free[index];
                free.copy_within(index + 1..left, index);
                left -= 1;
            }
            at += count;
        }
        places[at..].copy_from_slice(&free[..left]);
        before.minus(*rest)
    }

    /// The piece on each position, from the places of the pieces.
    #[inline]
    pub fn pieces(&self, places: &[u8], pieces: &mut [u8]) {
        let mut places = places.iter();
        for (piece, &count) in self.counts.iter().enumerate() {
            places.by_ref().take(count).for_each(|&place| pieces[usize::from(place)] = piece as u8);
        }
    }

    /// The places of the pieces after a move.
    #[inline]
    pub fn moved(&self, places: &[u8], to: &[u8], moved: &mut [u8]) {
        for (moved, &place) in moved.iter_mut().zip(places) {
            *moved = to[usize::from(place)];
        }
        let mut at = 0;
        for piece in &self.pieces {
            let count = piece.columns.len();
            if count > 1 {
                moved[at..at + count].sort_unstable();
            }
            at += count;
        }
    }
}

/// How many of the positions below `place` are in the set.
#[inline]
fn below(set: &[u64; 4], place: u8) -> usize {
    let word = usize::from(place / 64);
    let whole: u32 = set[..word].iter().map(|w| w.count_ones()).sum();
    (whole + (set[word] & ((1 << (place % 64)) - 1)).count_ones()) as usize
}

/// The last entry of an ascending row that `rest` holds, which loses it. The first is 0.
#[inline]
fn largest<K: Key>(row: &[K], rest: &mut K) -> usize {
    let at = row.partition_point(|value| value <= rest) - 1;
    *rest = rest.minus(row[at]);
    at
}
