//! The successors of all threads, in buckets that they emit together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use super::buckets::{Buckets, Groups};
use crate::transfer::by_thread::ByThread;

/// Buckets by thread. What several threads have in buckets of the same number is emitted together.
#[derive(Debug)]
pub struct SharedBuckets {
    by_thread: ByThread<Buckets>,
    count: usize,
    /// How many numbers threads have taken to emit their buckets.
    taken: AtomicUsize,
    /// How many of them are not emitted to the end.
    open: AtomicUsize,
}

impl SharedBuckets {
    /// For so many numbers; no buckets, for no threads.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { by_thread: ByThread::new(), count, taken: AtomicUsize::new(0), open: AtomicUsize::new(0) }
    }

    /// The buckets of one more thread, which are empty.
    pub fn of_thread(&self) -> Arc<RwLock<Buckets>> {
        self.by_thread.add(Buckets::new(self.count))
    }

    /// Whether there are states that were not emitted.
    #[must_use]
    pub fn are_left(&self) -> bool {
        let emitted = self.taken.load(Ordering::Relaxed) >= self.count && self.open.load(Ordering::Relaxed) == 0;
        !emitted && self.by_thread.read_all(|threads| threads.iter().any(|buckets| buckets.len() > 0))
    }

    /// Empties all buckets.
    pub fn clear(&self) {
        self.by_thread.each_mut(Buckets::clear);
        self.taken.store(0, Ordering::Relaxed);
    }

    /// Frees all states.
    pub fn forget(&self) {
        self.by_thread.each_mut(|buckets| *buckets = Buckets::new(self.count));
        self.taken.store(0, Ordering::Relaxed);
    }

    /// Sorts the states of all threads with this first number into `groups`.
    pub fn sort(&self, first: usize, groups: &mut Groups) {
        self.by_thread.read_all(|threads| groups.sort(first, threads.iter().map(|buckets| buckets.list(first))));
    }

    /// Calls `f` with groups of buckets that no other thread has taken, until it returns false or none are left. `groups` is the
    /// thread's own: it keeps the rest of a bucket for the next call.
    pub fn take(&self, groups: &mut Groups, mut f: impl FnMut((usize, usize, &[u16])) -> bool) {
        self.by_thread.read_all(|threads| {
            let mut goes_on = true;
            while goes_on {
                if groups.are_taken() {
                    let number = self.taken.fetch_add(1, Ordering::Relaxed);
                    if number >= self.count {
                        return;
                    }
                    groups.sort(number, threads.iter().map(|buckets| buckets.list(number)));
                    if groups.are_taken() {
                        continue;
                    }
                    self.open.fetch_add(1, Ordering::Relaxed);
                }
                while goes_on && let Some(group) = groups.next() {
                    goes_on = f(group);
                }
                if groups.are_taken() {
                    groups.shrink();
                    self.open.fetch_sub(1, Ordering::Relaxed);
                }
            }
        });
    }
}
