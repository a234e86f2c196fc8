//! The disk that a run may use: how much of it is in use, and how it fails in tests.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::StoreError;

/// The disk that a run may use, and, for tests, how it fails.
#[derive(Debug, Default)]
pub struct Disk {
    limit: Option<u64>,
    used: AtomicU64,
    written: AtomicU64,
    faults: Faults,
}

/// Failures to inject: after so many more calls each, every call fails. Negative: never.
#[derive(Debug)]
pub struct Faults {
    /// Writes, which then find the disk full.
    pub writes: AtomicI64,
    /// Syncs, which then fail.
    pub syncs: AtomicI64,
}

impl Default for Faults {
    fn default() -> Self {
        Self { writes: AtomicI64::new(-1), syncs: AtomicI64::new(-1) }
    }
}

/// Counts down; whether the count had reached 0.
fn due(left: &AtomicI64) -> bool {
    left.load(Ordering::Relaxed) >= 0
        && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| Some((n - 1).max(0))) == Ok(0)
}

impl Disk {
    /// A disk of which `limit` bytes may be in use at once.
    #[must_use]
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Bytes written so far, those removed again included.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Failures to inject.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Claims `bytes` more for `path`.
    pub(super) fn take(&self, bytes: u64, path: &Path) -> Result<(), StoreError> {
        let full = |reason| StoreError::Full { file: path.into(), reason };
        if due(&self.faults.writes) {
            return Err(full("injected".into()));
        }
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if let Some(limit) = self.limit.filter(|&l| used > l) {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(full(format!("the job may use {limit} bytes of disk")));
        }
        self.written.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Counts bytes that an earlier process of the run has written.
    pub(super) fn found(&self, bytes: u64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn release(&self, bytes: u64) {
        let _ = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |u| Some(u.saturating_sub(bytes)));
    }

    /// What an error while writing `path` means.
    pub(super) fn refused(&self, path: &Path, source: io::Error) -> StoreError {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                StoreError::Full { file: path.into(), reason: source.to_string() }
            }
            _ => StoreError::reading(path.into(), source),
        }
    }

    pub(super) fn sync(&self, file: &File) -> io::Result<()> {
        if due(&self.faults.syncs) {
            return Err(io::Error::other("injected: not synced"));
        }
        file.sync_all()
    }
}
