//! The table of a pattern database (Culberson and Schaeffer 1998): a byte for each histogram.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::frontier::PART;

/// The distance of an unreachable histogram.
pub const UNREACHED: u8 = u8::MAX;

/// The distance of histograms that are this far away or farther.
pub const FAR: u8 = UNREACHED - 1;

/// A pattern database: a distance for each histogram, by rank. It may grow while it is read.
#[derive(Debug)]
pub struct Table(Vec<AtomicU8>);

impl Table {
    /// A table of `count` histograms, all of them [`UNREACHED`].
    #[must_use]
    pub fn new(count: usize) -> Self {
        let mut table = Vec::new();
        table.resize_with(count, || AtomicU8::new(UNREACHED));
        Self(table)
    }

    /// The distance of the histogram of that rank.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, rank: u32) -> u8 {
        self.0[rank as usize].load(Ordering::Relaxed)
    }

    /// Whether the distance is known and at most `moves`.
    #[inline(always)]
    #[must_use]
    pub fn within(&self, rank: u32, moves: u32) -> bool {
        let distance = self.get(rank);
        distance != UNREACHED && u32::from(distance) <= moves
    }

    /// Sets a distance.
    #[inline]
    pub fn set(&self, rank: u32, distance: u8) {
        self.0[rank as usize].store(distance, Ordering::Relaxed);
    }

    /// Sets a distance if there is none yet. If several threads try, one succeeds and returns true.
    #[inline]
    pub fn claim(&self, rank: u32, distance: u8) -> bool {
        self.0[rank as usize].compare_exchange(UNREACHED, distance, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// The histograms at that distance, ascending.
    pub(crate) fn at(&self, distance: u8) -> Vec<u32> {
        let part = |(part, distances): (usize, &[AtomicU8])| -> Vec<u32> {
            let ranks = (part * PART) as u32..;
            ranks.zip(distances).filter(|(_, d)| d.load(Ordering::Relaxed) == distance).map(|(rank, _)| rank).collect()
        };
        self.0.par_chunks(PART).enumerate().map(part).collect::<Vec<_>>().concat()
    }

    /// All distances, in order of rank.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().map(|d| d.load(Ordering::Relaxed)).collect()
    }

    /// A table with these distances.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(bytes.iter().map(|&d| AtomicU8::new(d)).collect())
    }

    /// Sets [`FAR`] where there is no distance yet.
    pub(crate) fn fill_far(&self) {
        self.0.iter().filter(|d| d.load(Ordering::Relaxed) == UNREACHED).for_each(|d| d.store(FAR, Ordering::Relaxed));
    }
}
