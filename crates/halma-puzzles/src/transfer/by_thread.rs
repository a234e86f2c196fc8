//! Values of several threads, which each thread writes alone and then all read.

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

    /// The values so far.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<RwLock<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls `f` with each value.
    pub fn each_mut(&self, mut f: impl FnMut(&mut T)) {
        self.all().iter().for_each(|value| f(&mut write(value)));
    }
}

/// Reads a value. A panic of another thread ends the search; until then its value is as good as before.
pub fn read<T>(value: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    value.read().unwrap_or_else(PoisonError::into_inner)
}

/// The same, to write it.
pub fn write<T>(value: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    value.write().unwrap_or_else(PoisonError::into_inner)
}
