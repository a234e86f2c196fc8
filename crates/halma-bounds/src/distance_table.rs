//! The table of a pattern database (Culberson and Schaeffer 1998): a byte for each histogram.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use rayon::prelude::*;

use super::frontier::PART;

/// The ranks for which a bit is set, ascending. `mask` is asked for up to 64 of them at a time: so many are
/// tested without a branch for each.
pub(crate) fn each_where(ranks: Range<u32>, mask: impl Fn(Range<u32>) -> u64) -> impl Iterator<Item = u32> {
    let end = ranks.end;
    ranks.step_by(64).flat_map(move |from| {
        let mut rest = mask(from..end.min(from + 64));
        std::iter::from_fn(move || {
            let rank = (rest != 0).then(|| from + rest.trailing_zeros());
            rest &= rest.wrapping_sub(1);
            rank
        })
    })
}

/// So many bytes of this value, for a table.
///
/// The system hands out a page when it is first written to, which takes longer than the writing: all threads share that.
/// Zeros are written, too, because a page that is read first is replaced later, while all threads wait.
pub(crate) fn bytes_of(value: u8, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    bytes.par_chunks_mut(PART).for_each(|part| part.fill(value));
    bytes
}

/// The distance of an unreachable histogram.
pub const UNREACHED: u8 = u8::MAX;

/// The distance of histograms that are this far away or farther.
pub const FAR: u8 = UNREACHED - 1;

/// A pattern database: a distance for each histogram, by rank. It may grow while it is read.
#[derive(Debug)]
pub struct Table {
    distances: Vec<AtomicU8>,
    /// All distances up to this one are in the table, for the histograms that its search keeps.
    complete_to: AtomicU32,
}

impl Table {
    /// A table of `count` histograms, all of them [`UNREACHED`].
    #[must_use]
    pub fn new(count: usize) -> Self {
        let distances = bytes_of(UNREACHED, count).into_iter().map(AtomicU8::new).collect();
        Self { distances, complete_to: AtomicU32::new(0) }
    }

    /// The distance of the histogram of that rank.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, rank: u32) -> u8 {
        self.distances[rank as usize].load(Ordering::Relaxed)
    }

    /// Says that the table has all distances up to `moves`; `u32::MAX` if a histogram without a distance has none.
    pub(crate) fn completed_to(&self, moves: u32) {
        self.complete_to.fetch_max(moves, Ordering::Relaxed);
    }

    /// Whether the table has all distances up to `moves`. A caller that asks for more would take a missing
    /// distance for an infinite one, and prune too much.
    fn is_complete_to(&self, moves: u32) -> bool {
        moves <= self.complete_to.load(Ordering::Relaxed)
    }

    /// Asks for all distances up to `moves`, once for the many calls of [`Self::within`] to come.
    ///
    /// # Panics
    /// Where the table does not have them: a bug that would prune too much.
    pub(crate) fn require(&self, moves: u32) {
        assert!(self.is_complete_to(moves), "distances up to {moves} are asked for, of {:?}", self.complete_to);
    }

    /// Whether the distance is at most `moves`, up to which the table must be complete.
    #[inline(always)]
    #[must_use]
    pub fn within(&self, rank: u32, moves: u32) -> bool {
        debug_assert!(self.is_complete_to(moves), "distances up to {moves}, of {:?}", self.complete_to);
        let distance = self.get(rank);
        distance != UNREACHED && u32::from(distance) <= moves
    }

    /// Sets a distance.
    #[inline]
    pub fn set(&self, rank: u32, distance: u8) {
        self.distances[rank as usize].store(distance, Ordering::Relaxed);
    }

    /// Sets a distance if there is none yet. If several threads try, one succeeds and returns true.
    #[inline]
    pub fn claim(&self, rank: u32, distance: u8) -> bool {
        self.distances[rank as usize]
            .compare_exchange(UNREACHED, distance, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// Takes this distance out of the table: those who have it are [`UNREACHED`].
    pub(crate) fn forget(&self, distance: u8) {
        let forget = |d: &AtomicU8| {
            if d.load(Ordering::Relaxed) == distance {
                d.store(UNREACHED, Ordering::Relaxed);
            }
        };
        self.distances.par_chunks(PART).for_each(|part| part.iter().for_each(forget));
    }

    /// The histograms at that distance, ascending.
    pub(crate) fn at(&self, distance: u8) -> Vec<u32> {
        let part = |(part, distances): (usize, &[AtomicU8])| -> Vec<u32> {
            let from = (part * PART) as u32;
            each_where(from..from + distances.len() as u32, |ranks| self.mask(ranks, |d| d == distance)).collect()
        };
        self.distances.par_chunks(PART).enumerate().map(part).collect::<Vec<_>>().concat()
    }

    /// Those of `ranks` that [`Self::within`] holds for, as [`each_where`] asks for them.
    #[inline]
    pub(crate) fn mask_within(&self, ranks: Range<u32>, moves: u32) -> u64 {
        debug_assert!(self.is_complete_to(moves), "distances up to {moves}, of {:?}", self.complete_to);
        let most = moves.min(u32::from(FAR)) as u8;
        self.mask(ranks, |distance| distance <= most)
    }

    #[inline(always)]
    fn mask(&self, ranks: Range<u32>, holds: impl Fn(u8) -> bool) -> u64 {
        let distances = &self.distances[ranks.start as usize..ranks.end as usize];
        (0..).zip(distances).fold(0, |mask, (bit, d)| mask | u64::from(holds(d.load(Ordering::Relaxed))) << bit)
    }

    /// All distances, in order of rank.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.each().collect()
    }

    /// The same, one after another.
    pub(crate) fn each(&self) -> impl Iterator<Item = u8> {
        self.distances.iter().map(|d| d.load(Ordering::Relaxed))
    }

    /// A table with these distances, which are all up to `complete_to`.
    #[must_use]
    pub fn of_bytes(bytes: &[u8], complete_to: u32) -> Self {
        let distances = bytes.iter().map(|&d| AtomicU8::new(d)).collect();
        Self { distances, complete_to: AtomicU32::new(complete_to) }
    }

    /// Sets [`FAR`] where there is no distance yet.
    pub(crate) fn fill_far(&self) {
        let missing = self.distances.iter().filter(|d| d.load(Ordering::Relaxed) == UNREACHED);
        missing.for_each(|d| d.store(FAR, Ordering::Relaxed));
        self.completed_to(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_found_64_at_a_time_are_those_found_one_by_one(
            distances in proptest::collection::vec(prop_oneof![0u8..4, Just(FAR), Just(UNREACHED)], 1..400),
            moves in prop_oneof![0u32..4, 250u32..300],
        ) {
            let table = Table::of_bytes(&distances, u32::MAX);
            let count = distances.len() as u32;
            for distance in 0..4 {
                let alone: Vec<u32> = (0..count).filter(|&rank| table.get(rank) == distance).collect();
                prop_assert_eq!(table.at(distance), alone);
            }
            let within: Vec<u32> = (0..count).filter(|&rank| table.within(rank, moves)).collect();
            prop_assert_eq!(each_where(0..count, |ranks| table.mask_within(ranks, moves)).collect::<Vec<_>>(), within);
            // A part that begins and ends anywhere.
            let part = count / 3..count;
            let within: Vec<u32> = part.clone().filter(|&rank| table.within(rank, moves)).collect();
            prop_assert_eq!(each_where(part, |ranks| table.mask_within(ranks, moves)).collect::<Vec<_>>(), within);
        }
    }
}
