//! The folder of an earlier run with another number of processes, from which the processes of this run resume.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::manifest::{MANIFEST, Manifest, ManifestEntry};
use super::place::{LEVELS, LOCK, PATIENCE, clear, open_level, remove};
use crate::key::Key;
use crate::store::storage::{Lock, Storage};
use crate::store::{Level, StoreError};

/// The folder of an earlier run, or of one process's share of it.
#[derive(Debug)]
pub struct LeftoverShare {
    folder: Box<dyn Storage>,
    identity: u128,
    manifest: Manifest,
    /// Held from the first use on.
    lock: Mutex<Option<Lock>>,
}

impl LeftoverShare {
    /// What `folder` holds of the run that `run` describes; `None` if it holds nothing of it.
    ///
    /// # Errors
    /// Where its manifest is damaged.
    pub fn find(folder: impl Storage + 'static, run: &serde_json::Value) -> Result<Option<Self>, StoreError> {
        let Some(manifest) = Manifest::read(&folder)?.filter(|manifest| manifest.run == *run) else { return Ok(None) };
        let identity = xxh3_128(run.to_string().as_bytes());
        Ok(Some(Self { folder: Box::new(folder), identity, manifest, lock: Mutex::new(None) }))
    }

    /// The answers to single lengths.
    #[must_use]
    pub fn answers(&self) -> Vec<serde_json::Value> {
        self.manifest.answers.clone()
    }

    /// The terms of the run.
    #[must_use]
    pub fn terms(&self) -> &serde_json::Value {
        &self.manifest.terms
    }

    /// The files of complete levels.
    #[must_use]
    pub fn levels(&self) -> BTreeMap<String, ManifestEntry> {
        self.manifest.complete()
    }

    fn lock(&self) -> Result<(), StoreError> {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = match self.folder.lock(LOCK, PATIENCE) {
                Ok(Some(lock)) => Some(lock),
                Ok(None) => return Err(StoreError::Locked { folder: self.folder.path("") }),
                Err(source) => return Err(StoreError::io(self.folder.path(LOCK), source)),
            };
        }
        Ok(())
    }

    /// The level with that label, which must be one of [`Self::levels`].
    ///
    /// # Errors
    /// Where its file is damaged, or a process is at work in the folder.
    pub fn load<K: Key>(&self, label: &str) -> Result<Level<K>, StoreError> {
        self.lock()?;
        let unnamed = || Manifest::damaged(&*self.folder, "it does not name the level");
        let saved = self.manifest.files.get(label).ok_or_else(unnamed)?;
        open_level(&*self.levels_folder()?, self.identity, label, saved)
    }

    fn levels_folder(&self) -> Result<Box<dyn Storage>, StoreError> {
        self.folder.beneath(LEVELS, false).map_err(|source| StoreError::opening(self.folder.path(LEVELS), source))
    }

    /// Removes the leftover files, once the present run has their contents.
    ///
    /// # Errors
    /// Where something cannot be removed, or a process is at work in the folder.
    pub fn remove(self) -> Result<(), StoreError> {
        self.lock()?;
        // The manifest first, and for good: the rest is nothing without it.
        remove(&*self.folder, MANIFEST)?;
        self.folder.sync().map_err(|source| StoreError::io(self.folder.path(""), source))?;
        clear(&*self.folder, &*self.levels_folder()?)?;
        remove(&*self.folder, LOCK)?;
        // The folder stays if it has other contents.
        self.folder.remove_empty("");
        Ok(())
    }
}
