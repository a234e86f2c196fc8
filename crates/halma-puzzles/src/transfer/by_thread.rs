//! One value for each thread: first each thread writes its own, then all read all of them.

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A value for each thread.
#[derive(Debug)]
pub struct ByThread<T>(Mutex<Vec<Arc<RwLock<T>>>>);

impl<T> ByThread<T> {
    /// No values.
    #[must_use]
    pub fn new() -> Self {
        Self(Mutex::default())
    }

    /// Adds the value of one more thread.
    pub fn add(&self, value: T) -> Arc<RwLock<T>> {
        let value = Arc::new(RwLock::new(value));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&value));
        value
    }

    /// Calls `f` with all values so far.
    pub fn read_all<R>(&self, f: impl FnOnce(&[RwLockReadGuard<'_, T>]) -> R) -> R {
        let values = self.all();
        let values: Vec<_> = values.iter().map(|value| read(value)).collect();
        f(&values)
    }

    /// The values so far.
    fn all(&self) -> Vec<Arc<RwLock<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls `f` with each value.
    pub fn each_mut(&self, mut f: impl FnMut(&mut T)) {
        self.all().iter().for_each(|value| f(&mut write(value)));
    }
}

/// Reads a value. One that a panic left half written is never used: the panic ends the search.
pub fn read<T>(value: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    value.read().unwrap_or_else(PoisonError::into_inner)
}

/// The same, to write it.
pub fn write<T>(value: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    value.write().unwrap_or_else(PoisonError::into_inner)
}
