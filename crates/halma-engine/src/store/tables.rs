//! The trait of a cache that keeps tables (pattern databases) from one run to the next.

use std::fmt::Debug;

/// Keeps tables under names that contain everything that their contents depend on.
pub trait TableStore: Debug + Send + Sync {
    /// The whole table that the same version of the program last put under this name, if any.
    fn get(&self, name: &str) -> Option<Vec<u8>>;
    /// Keeps a table. A failure is remembered by the store and does no harm.
    fn put(&self, name: &str, bytes: &[u8]);
}
