//! The successors of all threads, as rows that they emit together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard};

use super::rows::{Row, Rows, add};
use crate::transfer::by_thread::ByThread;

/// A thread takes so many rows at a time.
const PORTION: usize = 64;

/// Rows by thread. Several threads may have a row with the same outer men: it is emitted once.
pub struct SharedRows<const W: usize> {
    by_thread: ByThread<Rows<W>>,
    /// How many rows threads have taken to emit them.
    taken: AtomicUsize,
}

impl<const W: usize> SharedRows<W> {
    /// No rows, for no threads.
    #[must_use]
    pub fn new() -> Self {
        Self { by_thread: ByThread::new(), taken: AtomicUsize::new(0) }
    }

    /// The rows of one more thread, which are empty.
    pub fn of_thread(&self) -> Arc<RwLock<Rows<W>>> {
        self.by_thread.add(Rows::new())
    }

    /// Whether there are rows that no thread has taken.
    #[must_use]
    pub fn are_left(&self) -> bool {
        self.taken.load(Ordering::Relaxed) < self.len()
    }

    /// How many rows the threads have together.
    fn len(&self) -> usize {
        self.by_thread.read_all(|threads| threads.iter().map(|rows| rows.len()).sum())
    }

    /// Removes all rows, and keeps their memory.
    pub fn clear(&self) {
        self.by_thread.each_mut(Rows::clear);
        self.taken.store(0, Ordering::Relaxed);
    }

    /// In how many portions [`Self::portion`] has the rows.
    pub fn portions(&self) -> usize {
        self.len().div_ceil(PORTION)
    }

    /// Calls `f` with the rows of a portion. A row that several threads have is in one portion. `bits` is scratch space.
    pub fn portion(&self, number: usize, bits: &mut Vec<u64>, f: impl FnMut((Row<W>, &[u64]))) {
        self.by_thread.read_all(|threads| each_of(threads, number * PORTION, bits, f));
    }

    /// Frees all rows.
    pub fn forget(&self) {
        self.by_thread.each_mut(|rows| *rows = Rows::new());
        self.taken.store(0, Ordering::Relaxed);
    }

    /// Calls `f` with rows that no thread has taken, some at a time, until none are left. After `f` has returned false, only those follow
    /// that were taken with that one. `bits` is scratch space.
    pub fn take(&self, bits: &mut Vec<u64>, mut f: impl FnMut((Row<W>, &[u64])) -> bool) {
        self.by_thread.read_all(|threads| {
            let all = threads.iter().map(|rows| rows.len()).sum();
            let mut goes_on = true;
            while goes_on {
                let first = self.taken.fetch_add(PORTION, Ordering::Relaxed);
                if first >= all {
                    return;
                }
                each_of(threads, first, bits, |row| goes_on &= f(row));
            }
        });
    }
}

/// Calls `f` with [`PORTION`] rows, of those of all threads one after another, from `first` on. `bits` is scratch space.
fn each_of<const W: usize>(
    threads: &[RwLockReadGuard<'_, Rows<W>>],
    first: usize,
    bits: &mut Vec<u64>,
    mut f: impl FnMut((Row<W>, &[u64])),
) {
    let mut before = 0;
    for (thread, rows) in threads.iter().enumerate() {
        let portion = first.max(before)..(first + PORTION).min(before + rows.len());
        for number in portion {
            if let Some(row) = whole_row(threads, thread, number - before, bits) {
                f(row);
            }
        }
        before += rows.len();
    }
}

/// A row of a thread, with the bits that it has in other threads; `None` if a thread before has it.
fn whole_row<'a, const W: usize>(
    threads: &'a [RwLockReadGuard<'_, Rows<W>>],
    thread: usize,
    number: usize,
    bits: &'a mut Vec<u64>,
) -> Option<(Row<W>, &'a [u64])> {
    let (row, own) = threads[thread].get(number);
    if threads[..thread].iter().any(|rows| rows.find(&row.outer).is_some()) {
        return None;
    }
    bits.clear();
    for more in threads[thread + 1..].iter().filter_map(|rows| rows.find(&row.outer)) {
        if bits.is_empty() {
            bits.extend_from_slice(own);
        }
        add(bits, more);
    }
    Some((row, if bits.is_empty() { own } else { bits }))
}
