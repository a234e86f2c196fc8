//! The disk budget of a run, and how much of it is in use.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytesize::ByteSize;

use halma_files::folder::is_no_room;

use super::StoreError;
use super::storage::Storage;

/// The disk budget of a run.
#[derive(Debug, Default)]
pub struct Disk {
    limit: Option<u64>,
    used: AtomicU64,
    written: AtomicU64,
}

impl Disk {
    /// A budget of `limit` bytes that may be in use at once.
    #[must_use]
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Bytes written so far, those of removed files included.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Claims `bytes` more for the file `path`.
    pub(super) fn take(&self, bytes: u64, path: &Path) -> Result<(), StoreError> {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if let Some(limit) = self.limit.filter(|&l| used > l) {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(StoreError::Full {
                file: path.into(),
                reason: format!(
                    "the job may use {} of disk; allow more in [limits], and ask again with the same folder",
                    ByteSize(limit)
                ),
            });
        }
        self.written.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Counts bytes that an earlier process of the run has written.
    pub(super) fn found(&self, bytes: u64) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// These bytes are free again.
    pub(super) fn release(&self, bytes: u64) {
        let _ = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |u| Some(u.saturating_sub(bytes)));
    }
}

/// The bytes of a file that has lost its name: they are in use until it is closed.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) disk: Arc<Disk>,
    pub(super) bytes: u64,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.disk.release(self.bytes);
    }
}

/// The error that a failure to write means: a full disk, or another one.
pub(super) fn refused(storage: &dyn Storage, name: &str, source: io::Error) -> StoreError {
    let file = storage.path(name);
    if !is_no_room(&source) {
        return StoreError::io(file, source);
    }
    let free = storage.free().map(|free| format!("; {} are free", ByteSize(free))).unwrap_or_default();
    StoreError::Full { file, reason: format!("{source}{free}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Level;
    use crate::store::workspace::Workspace;

    #[test]
    fn a_file_without_a_name_takes_up_its_part_until_it_is_closed() {
        let workspace = Workspace::temporary(Disk::new(Some(3000))).unwrap();
        let level: Level<u64> = Level::of((0..1500).map(|key| 3 * key).collect());
        let written = workspace.write("a", &level, 0).unwrap();
        workspace.unlink("a", &written).unwrap();
        assert_eq!(written.to_vec().unwrap().len(), 1500);
        assert!(matches!(workspace.write("b", &level, 0), Err(StoreError::Full { .. })));
        drop(written);
        workspace.write("b", &level, 0).unwrap();
    }
}
