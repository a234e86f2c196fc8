//! The digits of one set of pieces, each as what it adds to a key.

use halma_engine::key::Key;
use halma_rules::puzzle::permutation::PieceSet;
use num_bigint::BigUint;

use super::coordinate::Coordinate;

/// The tables of one set.
#[derive(Clone, Debug)]
pub(in crate::own) struct SetTables<K> {
    /// For each piece but those of the last number, which stand where the others do not: what its place adds, by the number
    /// of free positions before it. Where it is the j-th of equal ones, j from 0, and of the positions before it c are free or taken
    /// by those j, this is C(c, j + 1) times the weight.
    columns: Vec<K>,
    /// Where in `columns` those of each piece begin.
    begins: Vec<usize>,
    /// How many of each piece there are.
    counts: Vec<usize>,
    /// Whether the orientation of each piece counts.
    oriented: Vec<bool>,
    /// How many orientations there are.
    modulus: u8,
    /// What an orientation adds, at `position * modulus + orientation`; empty where none counts.
    turned: Vec<K>,
    /// How many ways there are to place the pieces, with the weight of that number; then to turn them.
    sizes: [(K, K); 2],
    /// What changes make of the places, where there are few.
    pub(super) by_place: Option<Coordinate<K>>,
    /// What changes make of the orientations, where there are few and all of them count.
    pub(super) by_turn: Option<Coordinate<K>>,
}

/// Where a move takes the pieces: the new position of each old one.
pub(in crate::own) type Destinations = Vec<u8>;
/// Position, where its piece comes from, and its turn.
pub(in crate::own) type Turns = Vec<(u8, u8, u8)>;

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
pub(in crate::own) fn count(set: &PieceSet) -> BigUint {
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
        let lowest = weight.clone();
        let (mut columns, mut begins) = (Vec::new(), vec![0]);
        for piece in &set.pieces[..set.pieces.len() - 1] {
            for j in 0..piece.count {
                // Those after it need places, too.
                let places = j..=left - piece.count + j;
                columns.extend(places.map(|c| entry(choose(c, j + 1) * &*weight)));
                begins.push(columns.len());
            }
            *weight *= choose(left, piece.count);
            left -= piece.count;
        }
        let between = weight.clone();
        let mut turned = Vec::new();
        if has_digits(set) {
            for _ in 0..set.positions {
                turned.extend((0..set.orientations).map(|o| entry(o * &*weight)));
                *weight *= set.orientations;
            }
        }
        Self {
            columns,
            begins,
            counts: set.pieces.iter().map(|p| p.count).collect(),
            oriented: set.pieces.iter().map(|p| p.oriented).collect(),
            modulus: set.orientations,
            turned,
            sizes: [(entry(&between / &lowest), entry(lowest)), (entry(&*weight / &between), entry(between))],
            by_place: None,
            by_turn: None,
        }
    }

    /// Adds the transition tables for these changes, where they are small.
    pub fn tabulate(&mut self, places: &[Destinations], turns: &[Turns]) {
        let all = self.oriented.iter().all(|&oriented| oriented);
        // Otherwise the orientations after a move depend on the pieces.
        if all || self.turned.is_empty() {
            let (mut old, mut new) = (vec![0; self.positions()], vec![0; self.positions()]);
            let [(count, weight), _] = self.sizes;
            self.by_place = Coordinate::new(&count, weight, places.len(), |row, mut value| {
                self.places(&mut value, &mut old, &mut new);
                self.moved(&old, &places[row], &mut new);
                self.rank(&new)
            });
        }
        if all {
            let mut old = vec![0; self.positions()];
            let [_, (count, weight)] = self.sizes;
            self.by_turn = Coordinate::new(&count, weight, turns.len(), |row, value| {
                self.orientations(&mut value.clone(), &mut old);
                turns[row].iter().fold(value, |value, &change| self.after_turn(value, change, 0, &old))
            });
        }
    }

    /// How many positions the set has.
    fn positions(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The key after `change`, a turn of a piece, where `before` has the orientations before the move.
    #[inline]
    pub fn after_turn(&self, key: K, (position, from, turn): (u8, u8, u8), piece: u8, before: &[u8]) -> K {
        let (position, from) = (usize::from(position), usize::from(from));
        let turned = self.turn(piece, before[from], turn);
        key.minus(self.turned(position, before[position])).plus(self.turned(position, turned))
    }

    /// What an orientation on a position adds to the key.
    #[inline]
    pub fn turned(&self, position: usize, orientation: u8) -> K {
        let at = position * usize::from(self.modulus) + usize::from(orientation);
        self.turned.get(at).copied().unwrap_or_default()
    }

    /// The orientation of a piece after a turn.
    #[inline]
    fn turn(&self, piece: u8, orientation: u8, turn: u8) -> u8 {
        if !self.oriented[usize::from(piece)] {
            return 0;
        }
        let sum = orientation + turn;
        if sum >= self.modulus { sum - self.modulus } else { sum }
    }

    /// What the pieces add to the key: by piece, the positions of those that are equal, ascending.
    #[inline]
    pub fn rank(&self, places: &[u8]) -> K {
        if places.len() <= 64 { self.rank_in::<1>(places) } else { self.rank_in::<4>(places) }
    }

    /// The same on up to `64 * W` positions.
    #[inline]
    fn rank_in<const W: usize>(&self, places: &[u8]) -> K {
        let (mut rank, mut taken) = (K::default(), [0u64; W]);
        for (&begin, &place) in self.begins[..self.begins.len() - 1].iter().zip(places) {
            let (word, bit) = (usize::from(place / 64) % W, 1 << (place % 64));
            let whole: u32 = taken[..word].iter().map(|w| w.count_ones()).sum();
            let before = whole + (taken[word] & (bit - 1)).count_ones();
            rank = rank.plus(self.columns[begin + usize::from(place) - before as usize]);
            taken[word] |= bit;
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
        let (before, ranked) = (*rest, self.begins.len() - 1);
        for (place, column) in places[..ranked].iter_mut().zip(self.begins.windows(2)).rev() {
            *place = largest(&self.columns[column[0]..column[1]], rest) as u8;
        }
        // So far they count those positions only that are free.
        free.iter_mut().zip(0..).for_each(|(free, position)| *free = position);
        let mut left = places.len();
        for place in &mut places[..ranked] {
            let index = usize::from(*place);
            *place = free[index];
            free.copy_within(index + 1..left, index);
            left -= 1;
        }
        places[ranked..].copy_from_slice(&free[..left]);
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
        let mut rest = moved;
        for &count in &self.counts[..self.counts.len() - 1] {
            let (equal, others) = rest.split_at_mut(count);
            if count > 1 {
                equal.sort_unstable();
            }
            rest = others;
        }
    }
}

/// The last entry of an ascending row that `rest` holds, which loses it. The first is 0.
#[inline]
fn largest<K: Key>(row: &[K], rest: &mut K) -> usize {
    let at = row.partition_point(|value| value <= rest) - 1;
    *rest = rest.minus(row[at]);
    at
}
