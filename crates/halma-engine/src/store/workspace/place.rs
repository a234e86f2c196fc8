//! A run's folder on storage: its lock, its file names, and what its manifest says.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_128;

use halma_files::folder::Folder;

use super::manifest::{Manifest, ManifestEntry, file_name};
use crate::key::Key;
use crate::store::storage::{Lock, Storage};
use crate::store::{Level, StoreError, file};

/// The name of the lock file.
pub const LOCK: &str = "lock";
/// The name of the folder of level files.
pub(super) const LEVELS: &str = "levels";
/// How long to try for the lock.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

/// Opens the folder, creating it if there is none, and takes its lock.
pub(super) fn locked(
    path: &Path,
    make: impl Fn() -> io::Result<Box<dyn Storage>>,
) -> Result<(Box<dyn Storage>, Lock), StoreError> {
    let begun = Instant::now();
    loop {
        let place = make().map_err(|source| StoreError::io(path.into(), source))?;
        match place.lock(LOCK, PATIENCE) {
            Ok(Some(lock)) => return Ok((place, lock)),
            Ok(None) => return Err(StoreError::Locked { folder: path.into() }),
            // A run that has just ended has removed its folder.
            Err(e) if e.kind() == io::ErrorKind::NotFound && begun.elapsed() < PATIENCE => {}
            Err(source) => return Err(StoreError::io(place.path(LOCK), source)),
        }
    }
}

pub(super) fn names(folder: &dyn Storage) -> Result<Vec<String>, StoreError> {
    folder.names().map_err(|source| StoreError::Io { file: folder.path(""), source })
}

pub(super) fn remove(folder: &dyn Storage, name: &str) -> Result<(), StoreError> {
    folder.remove(name).map_err(|source| StoreError::io(folder.path(name), source))
}

/// Whether this is the name of a level file or of its temporary file.
pub(super) fn is_of_level(name: &str) -> bool {
    name.ends_with(".level") || name.ends_with(".tmp")
}

/// Removes the level files of a run, and their folder unless it has other contents.
pub(super) fn clear(folder: &dyn Storage, levels: &dyn Storage) -> Result<(), StoreError> {
    let files = names(levels)?.into_iter().filter(|name| is_of_level(name));
    files.into_iter().try_for_each(|name| remove(levels, &name))?;
    folder.remove_empty(LEVELS);
    Ok(())
}

/// Opens the file with that label, for which the manifest says `saved`.
pub(super) fn open_level<K: Key>(
    levels: &dyn Storage,
    run: u128,
    label: &str,
    saved: &ManifestEntry,
) -> Result<Level<K>, StoreError> {
    file::open_in(levels, &file_name(label), identity_of(run, label), saved.keys, saved.digest.0)
}

/// The identity of the file with that label in a run.
pub(super) fn identity_of(run: u128, label: &str) -> u128 {
    xxh3_128(&[&run.to_le_bytes()[..], label.as_bytes()].concat())
}

/// The description and terms of the run whose manifest is in `folder`: one that is unfinished, or one that has ended and keeps its
/// levels. The record says which.
///
/// # Errors
/// Where its manifest is damaged.
pub fn run_and_terms(folder: &Path) -> Result<Option<(serde_json::Value, serde_json::Value)>, StoreError> {
    Ok(manifest(folder)?.map(|manifest| (manifest.run, manifest.terms)))
}

/// The answers of the run whose manifest is in `folder`, in order.
///
/// # Errors
/// Where its manifest is damaged.
pub fn answers(folder: &Path) -> Result<Vec<serde_json::Value>, StoreError> {
    Ok(manifest(folder)?.map_or_else(Vec::new, |manifest| manifest.answers))
}

fn manifest(folder: &Path) -> Result<Option<Manifest>, StoreError> {
    let place = match Folder::open(folder) {
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        place => place.map_err(|source| StoreError::Io { file: folder.into(), source })?,
    };
    Manifest::read(&place)
}
