//! The trait of a cache that keeps tables (pattern databases) from one run to the next.

use std::fmt::Debug;

/// Keeps tables under names that say all that their contents depend on.
pub trait TableStore: Debug + Send + Sync {
    /// What was put there last under this name by the same program, whole; else nothing.
    fn take(&self, name: &str) -> Option<Vec<u8>>;
    /// Keeps these bytes; where that fails, the store knows why, and nobody is the worse for it.
    fn put(&self, name: &str, bytes: &[u8]);
}
