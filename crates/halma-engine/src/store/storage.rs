//! The trait through which the engine accesses the file system.
//!
//! A [`Storage`] is an open folder. Everything that a run, its level files and the table cache read and write goes
//! through it: one call per file or block, none per key. The file system is one implementation
//! ([`halma_files::folder::Folder`]). Tests have two more: one that injects faults, and one that loses what was not
//! synced.

#[cfg(any(test, feature = "testing"))]
pub mod faulty;
#[cfg(any(test, feature = "testing"))]
pub mod forgetful;
mod system;

use std::any::Any;
use std::fmt;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use halma_files::folder::temporary_name;
use memmap2::Mmap;

use super::StoreError;

/// An open folder. Names are plain names of files directly in it.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Creates a file, replacing any file of that name.
    ///
    /// # Errors
    /// Where it cannot be made.
    fn create(&self, name: &str) -> io::Result<Box<dyn Output>>;

    /// Opens a file to read parts of it.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] where there is none, [`io::ErrorKind::InvalidData`] where it is no regular file.
    fn open(&self, name: &str) -> io::Result<Box<dyn Input>>;

    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// As [`Self::open`], and [`io::ErrorKind::InvalidData`] where it is larger.
    fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>>;

    /// Renames a file, replacing any file of the new name; durable after [`Self::sync`].
    ///
    /// # Errors
    /// Where the system refuses.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Makes the names in the folder durable (fsync).
    ///
    /// # Errors
    /// Where the system refuses.
    fn sync(&self) -> io::Result<()>;

    /// Removes a file, if it exists. A process that has it open can still read it.
    ///
    /// # Errors
    /// Where it exists and cannot be removed.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// How many more bytes can be written.
    ///
    /// # Errors
    /// Where the system does not say.
    fn free(&self) -> io::Result<u64>;

    /// The names in the folder, in any order.
    ///
    /// # Errors
    /// Where it cannot be read.
    fn names(&self) -> io::Result<Vec<String>>;

    /// A folder in this one; it is made if there is none and `make` is set.
    ///
    /// # Errors
    /// Where there is none, where it is a link or a file, or where it cannot be made.
    fn beneath(&self, name: &str, make: bool) -> io::Result<Box<dyn Storage>>;

    /// Removes an empty folder in this one or, if `name` is empty, this one.
    fn remove_empty(&self, name: &str);

    /// Takes the lock of that name, trying for so long; `None` if another process holds it. It is released on drop.
    ///
    /// # Errors
    /// Where its file cannot be made or locked.
    fn lock(&self, name: &str, patience: Duration) -> io::Result<Option<Lock>>;

    /// The path for messages of a file or, if `name` is empty, of the folder.
    fn path(&self, name: &str) -> PathBuf;
}

/// A lock, held until it is dropped.
pub type Lock = Box<dyn Any + Send + Sync>;

/// A file that is being written.
pub trait Output: Write + fmt::Debug + Send + Sync {
    /// Makes the bytes written so far durable (fsync).
    ///
    /// # Errors
    /// Where the system refuses.
    fn sync(&self) -> io::Result<()>;
}

/// A file that is read.
pub trait Input: fmt::Debug + Send + Sync {
    /// How many bytes it has now.
    ///
    /// # Errors
    /// Where the system does not say.
    fn length(&self) -> io::Result<u64>;

    /// `bytes` bytes from `offset` on, at least one.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] where the file is too short for that; where the system refuses.
    fn part(&self, offset: u64, bytes: usize) -> io::Result<Part>;
}

/// A part of a file.
#[derive(Debug)]
pub enum Part {
    /// Mapped.
    Mapped(Mmap),
    /// Read into memory.
    Read(Vec<u8>),
}

impl Deref for Part {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(bytes) => bytes,
            Self::Read(bytes) => bytes,
        }
    }
}

/// The size of a file; 0 if there is none.
pub(super) fn length(storage: &dyn Storage, name: &str) -> Result<u64, StoreError> {
    match storage.open(name).and_then(|file| file.length()) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(0),
        length => length.map_err(|source| StoreError::io(storage.path(name), source)),
    }
}

/// Replaces a file atomically and durably: write under a temporary name, sync, rename, sync the folder.
pub(super) fn replace(storage: &dyn Storage, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_name(name);
    let written = storage.create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync()?;
        storage.rename(&temporary, name)?;
        storage.sync()
    });
    if written.is_err() {
        // What cannot be removed now is removed when the run's folder is next opened.
        let _ = storage.remove(&temporary);
    }
    written
}
