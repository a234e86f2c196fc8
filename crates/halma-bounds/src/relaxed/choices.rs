//! A cache for the look-ahead: for each histogram, the abstract moves after which the pattern database still leaves
//! enough moves.

use std::ops::Range;

use super::Goal;
use crate::abstraction::Jumps;
use crate::histogram::{Histograms, NeighbourRanks};
use crate::partition::MAX_CLASSES;

/// An abstract move: a man of one class goes to another, or to another cell of his own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// The histogram afterwards.
    pub(super) rank: u32,
    pub(super) from: u8,
    pub(super) to: u8,
    /// Whether walks may end there.
    pub(super) arrives: bool,
}

/// The cache entry of one histogram, with so many moves left after the choice.
#[derive(Clone, Copy, Debug)]
struct Entry {
    rank: u32,
    /// [`EMPTY`] if the entry is empty.
    left: u16,
    len: u16,
    start: u32,
}

/// More moves than any length has.
const EMPTY: u16 = u16::MAX;
const NOTHING: Entry = Entry { rank: 0, left: EMPTY, len: 0, start: 0 };
/// The initial number of entries.
const ENTRIES: usize = 1 << 8;
/// With so many entries in use the cache is emptied.
const MANY: usize = 3 << 13;

/// A direct-mapped cache of choices.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    entries: Vec<Entry>,
    held: usize,
    all: Vec<Choice>,
    around: NeighbourRanks,
    jumps: Jumps,
}

impl Choices {
    pub(super) fn new(space: &Histograms) -> Self {
        Self {
            entries: vec![NOTHING; ENTRIES],
            held: 0,
            all: Vec::new(),
            around: NeighbourRanks::new(space),
            jumps: Jumps::default(),
        }
    }

    #[inline(always)]
    pub(super) fn at(&self, at: usize) -> Choice {
        self.all[at]
    }

    #[inline(always)]
    fn slot(&self, rank: u32, left: u16) -> usize {
        let mixed = (rank ^ u32::from(left) << 27).wrapping_mul(0x9e37_79b1);
        let (mask, mut slot) = (self.entries.len() - 1, (mixed >> 12) as usize);
        loop {
            slot &= mask;
            let entry = &self.entries[slot];
            if entry.left == EMPTY || entry.rank == rank && entry.left == left {
                return slot;
            }
            slot += 1;
        }
    }

    /// The choices of the histogram of that rank after which `left` moves suffice. The range stays valid during the
    /// look-ahead from one state.
    #[inline]
    pub(super) fn of(&mut self, goal: &Goal, histogram: &[u8], rank: u32, left: u32) -> Range<usize> {
        // A search class by class asks with all the moves that are left, hundreds in long solutions.
        debug_assert!(left < u32::from(EMPTY), "{left} moves");
        let left = left as u16;
        let slot = self.slot(rank, left);
        let entry = self.entries[slot];
        if entry.left == left {
            return entry.start as usize..entry.start as usize + usize::from(entry.len);
        }
        self.make(goal, histogram, rank, left)
    }

    #[cold]
    fn make(&mut self, goal: &Goal, histogram: &[u8], rank: u32, left: u16) -> Range<usize> {
        if 2 * self.held >= self.entries.len() {
            self.grow();
        }
        let (space, start) = (&goal.abstraction.space, self.all.len());
        let near = goal.near;
        goal.abstraction.jumps(histogram, &mut self.jumps);
        self.around.enter(space, histogram);
        // Classes whose men come nearest to the goal come first.
        let mut nearest = [(u8::MAX, 0, 0); MAX_CLASSES];
        let mut classes = 0;
        for (a, _) in histogram.iter().enumerate().filter(|(_, men)| **men > 0) {
            let first = self.all.len();
            let mut least = u8::MAX;
            let mut targets = goal.abstraction.targets(histogram, &self.jumps, a) | 1 << a;
            while targets != 0 {
                let b = targets.trailing_zeros() as usize;
                targets &= targets - 1;
                let rank = self.around.moved(a, b);
                if goal.table.within(rank, u32::from(left) + near) {
                    least = least.min(goal.table.get(rank));
                    let arrives = goal.table.within(rank, near);
                    self.all.push(Choice { rank, from: a as u8, to: b as u8, arrives });
                }
            }
            if self.all.len() > first {
                nearest[classes] = (least, first, self.all.len());
                classes += 1;
            }
        }
        let end = self.all.len();
        nearest[..classes].sort_unstable();
        for &(_, from, to) in &nearest[..classes] {
            self.all.extend_from_within(from..to);
        }
        self.all.drain(start..end);
        let len = (self.all.len() - start) as u16;
        let slot = self.slot(rank, left);
        self.entries[slot] = Entry { rank, left, len, start: start as u32 };
        self.held += 1;
        start..self.all.len()
    }

    /// Enlarges the cache.
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.entries);
        self.entries = vec![NOTHING; 2 * old.len()];
        for entry in old.into_iter().filter(|e| e.left != EMPTY) {
            let slot = self.slot(entry.rank, entry.left);
            self.entries[slot] = entry;
        }
    }

    /// Empties the cache if it holds many entries. Must be called between states only.
    pub(super) fn clear_if_large(&mut self) {
        if self.held >= MANY {
            self.entries.fill(NOTHING);
            self.held = 0;
            self.all.clear();
        }
    }
}
