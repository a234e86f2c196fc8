//! What an earlier run with another number of processes left in a folder, for others to go on with.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{LIST, List, Saved, StoreError, complete, identity_of, read_list};
use crate::key::Key;
use crate::store::{Level, file};

use xxhash_rust::xxh3::xxh3_128;

/// A folder of an earlier run, or of a share of one.
#[derive(Debug)]
pub struct Left {
    folder: PathBuf,
    identity: u128,
    list: List,
    /// Held from the first use on.
    lock: Mutex<Option<File>>,
}

impl Left {
    /// What `folder` holds of the run that `run` describes; `None` where it holds nothing of it.
    ///
    /// # Errors
    /// Where its list is damaged.
    pub fn find(folder: &Path, run: &serde_json::Value) -> Result<Option<Self>, StoreError> {
        let Some(list) = read_list(&folder.join(LIST))?.filter(|list| list.run == *run) else { return Ok(None) };
        let identity = xxh3_128(run.to_string().as_bytes());
        Ok(Some(Self { folder: folder.into(), identity, list, lock: Mutex::new(None) }))
    }

    /// The answers that stand.
    #[must_use]
    pub fn answers(&self) -> Vec<serde_json::Value> {
        self.list.answers.clone()
    }

    /// The files of complete levels.
    #[must_use]
    pub fn levels(&self) -> BTreeMap<String, Saved> {
        complete(&self.list)
    }

    fn lock(&self) -> Result<(), StoreError> {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            let io = |source| StoreError::Io { file: self.folder.clone(), source };
            let lock = File::create(self.folder.join("lock")).map_err(io)?;
            match lock.try_lock() {
                Ok(()) => *held = Some(lock),
                Err(TryLockError::WouldBlock) => return Err(StoreError::Locked { folder: self.folder.clone() }),
                Err(TryLockError::Error(source)) => return Err(io(source)),
            }
        }
        Ok(())
    }

    /// The level with that label, which must be one of [`Self::levels`].
    ///
    /// # Errors
    /// Where its file is damaged, or a process is at work in the folder.
    pub fn load<K: Key>(&self, label: &str) -> Result<Level<K>, StoreError> {
        self.lock()?;
        let damaged = |reason: &str| StoreError::Damaged { file: self.folder.join(LIST), reason: reason.into() };
        let saved = self.list.files.get(label).ok_or_else(|| damaged("it does not name the level"))?;
        let digest = u128::from_str_radix(&saved.digest, 16).map_err(|e| damaged(&e.to_string()))?;
        let path = self.folder.join("levels").join(format!("{label}.level"));
        file::open(&path, identity_of(self.identity, label), saved.keys, digest)
    }

    /// Removes what the run left, when others have it.
    ///
    /// # Errors
    /// Where something cannot be removed, or a process is at work in the folder.
    pub fn remove(self) -> Result<(), StoreError> {
        self.lock()?;
        let io = |source| StoreError::Io { file: self.folder.clone(), source };
        // The list first: without it, the rest is nothing.
        fs::remove_file(self.folder.join(LIST)).map_err(io)?;
        fs::remove_dir_all(self.folder.join("levels")).map_err(io)?;
        fs::remove_file(self.folder.join("lock")).map_err(io)?;
        // The folder stays where somebody has put something there.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }
}
