//! A run's folder: its level files, the list of what is complete, and the disk that all of it may use.
//!
//! | in the folder | what |
//! | --- | --- |
//! | `run.json` | the list: what the run is, finished lengths, complete levels, the pieces of the level at hand |
//! | `levels/` | level files ([`super::file`]) |
//! | `lock` | held while a process works here |
//!
//! The list is replaced as a whole, after the files that it names have been synced, and carries a checksum; a file that
//! it does not name is a left-over and is removed. So at every moment the folder holds a state that the run once had,
//! and a run goes on by asking for each level whether it is there already.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_128;

use halma_files::folder::Folder;
use halma_files::number::{Digest, FileRecord};

mod leftover_share;
mod manifest;
mod place;

pub use super::disk::Disk;
use super::disk::refused;
use super::storage::{self, Lock, Storage};
use super::{Level, StoreError, file};
use crate::budget::{Measurements, Meter};
use crate::key::Key;
pub use leftover_share::LeftoverShare;
pub use manifest::{LIST, Mark, Partial, Saved};
use manifest::{Manifest, file_name};
use place::{LEVELS, clear, identity_of, is_of_level, locked, names, open_level, remove};
pub use place::{LOCK, is_at_work, unfinished};

/// A run's folder, locked for this process.
#[derive(Debug)]
pub struct Workspace {
    folder: Box<dyn Storage>,
    levels: Box<dyn Storage>,
    identity: u128,
    disk: Disk,
    keep: bool,
    interval: Duration,
    last: Mutex<Instant>,
    meter: Meter,
    list: Mutex<Manifest>,
    _lock: Lock,
    _temporary: Option<tempfile::TempDir>,
}

impl Workspace {
    /// Opens `folder` for the run that `run` describes: as it was left, where it holds that run.
    ///
    /// `interval` is the time after which work that is only in memory is worth saving; `keep` says whether level files
    /// stay when nobody needs them any more.
    ///
    /// # Errors
    /// Where another process works there, where it holds another run, or where what it holds is damaged.
    pub fn open(
        folder: &Path,
        run: serde_json::Value,
        terms: serde_json::Value,
        disk: Disk,
        interval: Duration,
        keep: bool,
    ) -> Result<Self, StoreError> {
        let make = || Ok(Box::new(Folder::make(folder)?) as Box<dyn Storage>);
        Self::open_on(make, (folder, run, terms), disk, interval, keep)
    }

    /// [`Self::open`] on any storage: `make` opens it, and makes it where there is none.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_on(
        make: impl Fn() -> io::Result<Box<dyn Storage>>,
        (folder, run, terms): (&Path, serde_json::Value, serde_json::Value),
        disk: Disk,
        interval: Duration,
        keep: bool,
    ) -> Result<Self, StoreError> {
        let (place, lock) = locked(folder, make)?;
        let levels = place.beneath(LEVELS, true).map_err(|source| StoreError::reading(place.path(LEVELS), source))?;
        let identity = xxh3_128(run.to_string().as_bytes());
        let list = match Manifest::read(&*place)? {
            Some(list) if list.run != run => {
                return Err(StoreError::OtherRun {
                    folder: folder.into(),
                    reason: format!("it holds another run ({LIST} says which); choose another folder or remove it"),
                });
            }
            Some(mut list) => {
                list.terms = terms;
                list
            }
            None => Manifest::new(run, terms),
        };
        let workspace = Self {
            folder: place,
            levels,
            identity,
            disk,
            keep,
            interval,
            last: Mutex::new(Instant::now()),
            meter: Meter::start(list.measurements),
            list: Mutex::new(list),
            _lock: lock,
            _temporary: None,
        };
        workspace.sweep()?;
        Ok(workspace)
    }

    /// A folder of its own for level files, removed at the end; nothing in it can be resumed.
    ///
    /// # Errors
    /// Where the system has none to give.
    pub fn temporary(disk: Disk) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { file: std::env::temp_dir(), source };
        let temporary = tempfile::Builder::new().prefix("halma-").tempdir().map_err(io)?;
        let run = serde_json::json!({ "process": std::process::id() });
        let mut workspace = Self::open(temporary.path(), run, serde_json::Value::Null, disk, Duration::MAX, false)?;
        workspace._temporary = Some(temporary);
        Ok(workspace)
    }

    fn list(&self) -> MutexGuard<'_, Manifest> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The identity of the file with that label in this run.
    fn identity(&self, label: &str) -> u128 {
        identity_of(self.identity, label)
    }

    /// The file with that label, where the run is to keep it.
    #[must_use]
    pub fn kept(&self, label: &str) -> Option<FileRecord> {
        let file =
            || FileRecord { name: format!("{LEVELS}/{}", file_name(label)), identity: Digest(self.identity(label)) };
        self.keep.then(file)
    }

    /// Removes files that the list does not name, and counts the others.
    fn sweep(&self) -> Result<(), StoreError> {
        let list = self.list();
        for name in names(&*self.levels)? {
            if name.strip_suffix(".level").is_some_and(|label| list.files.contains_key(label)) {
                self.disk.found(storage::length(&*self.levels, &name));
            } else if is_of_level(&name) {
                remove(&*self.levels, &name)?;
            }
        }
        // A process that was killed while it replaced the list or the record leaves the new one under a temporary name.
        for name in names(&*self.folder)? {
            if [LIST, halma_files::RECORD].iter().any(|file| name.starts_with(&format!(".{file}."))) {
                remove(&*self.folder, &name)?;
            }
        }
        Ok(())
    }

    /// Replaces the list on disk by the one in memory.
    fn commit(&self, list: &Manifest) -> Result<(), StoreError> {
        let written = list.sealed().map_err(io::Error::from);
        let written = written.and_then(|text| storage::replace(&*self.folder, LIST, text.as_bytes()));
        written.map_err(|e| refused(&*self.folder, LIST, e))?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(())
    }

    /// Changes the list, in memory and on disk.
    fn change(&self, change: impl FnOnce(&mut Manifest)) -> Result<(), StoreError> {
        let mut list = self.list();
        let mut changed = list.clone();
        change(&mut changed);
        changed.measurements = self.measurements();
        self.commit(&changed)?;
        *list = changed;
        Ok(())
    }

    /// The disk of the run.
    #[must_use]
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// What the run has used, earlier processes of it included as far as they saved their work.
    #[must_use]
    pub fn measurements(&self) -> Measurements {
        self.meter.measurements(self.disk.written())
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path("")
    }

    /// Whether so much time has passed since the list was last written that what is only in memory should be saved.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= self.interval
    }

    /// The answers that stand.
    #[must_use]
    pub fn answers(&self) -> Vec<serde_json::Value> {
        self.list().answers.clone()
    }

    /// Takes the answers of the process that keeps them for all.
    ///
    /// # Errors
    /// Where the list cannot be written.
    pub fn adopt(&self, answers: Vec<serde_json::Value>) -> Result<(), StoreError> {
        if self.list().answers == answers {
            return Ok(());
        }
        self.change(|list| list.answers = answers)
    }

    /// The files of complete levels.
    #[must_use]
    pub fn levels(&self) -> BTreeMap<String, Saved> {
        self.list().complete()
    }

    /// Adds answers, and lets go of the levels that served nothing else.
    ///
    /// # Errors
    /// Where the list cannot be written.
    pub fn answer(&self, answers: Vec<serde_json::Value>, served: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        let keep = self.keep;
        self.change(|list| {
            list.answers.extend(answers);
            list.partial = list.partial.take().filter(|p| !served(&p.label));
            list.files.retain(|label, _| {
                let dropped = !keep && served(label);
                gone.extend(dropped.then(|| label.clone()));
                !dropped
            });
        })?;
        self.remove(&gone)
    }

    /// The level with that label, where it is complete, and what was noted with it.
    ///
    /// # Errors
    /// Where its file is damaged.
    pub fn load<K: Key>(&self, label: &str) -> Result<Option<(Level<K>, Saved)>, StoreError> {
        let Some(saved) = self.list().files.get(label).cloned() else { return Ok(None) };
        let level = open_level(&*self.levels, self.identity, label, &saved)?;
        Ok(Some((level, saved)))
    }

    /// The level with that label, which must be there.
    ///
    /// # Errors
    /// Where it is not, or its file is damaged.
    pub fn need<K: Key>(&self, label: &str) -> Result<(Level<K>, Saved), StoreError> {
        let missing = || StoreError::Damaged {
            file: self.folder.path(LIST),
            reason: format!("it names {label} and does not say what that is"),
        };
        self.load(label)?.ok_or_else(missing)
    }

    /// A writer of the file with that label, which only [`Self::enter`] makes part of the run.
    ///
    /// # Errors
    /// Where the file cannot be made.
    pub fn writer<K: Key>(&self, label: &str) -> Result<file::LevelFileWriter<'_, K>, StoreError> {
        file::LevelFileWriter::create(&*self.levels, &file_name(label), self.identity(label), &self.disk)
    }

    /// Writes `level` as the file with that label, which only [`Self::enter`] makes part of the run.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write<K: Key>(&self, label: &str, level: &Level<K>, digest: u128) -> Result<Level<K>, StoreError> {
        file::write_in(&*self.levels, &file_name(label), self.identity(label), level, digest, &self.disk)
    }

    /// Enters complete files into the list, which thereby become part of the run; the level at hand has no pieces then.
    ///
    /// # Errors
    /// Where the list cannot be written.
    pub fn enter(&self, files: Vec<(String, Saved)>) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        self.change(|list| {
            gone = list.partial.take().map_or_else(Vec::new, |p| p.layers);
            gone.iter().for_each(|label| drop(list.files.remove(label)));
            list.files.extend(files);
        })?;
        self.remove(&gone)
    }

    /// Enters complete files into the list beside what is there.
    ///
    /// # Errors
    /// Where the list cannot be written.
    pub fn enter_also(&self, files: Vec<(String, Saved)>) -> Result<(), StoreError> {
        self.change(|list| list.files.extend(files))
    }

    /// Whether a file with that label is part of the run.
    #[must_use]
    pub fn has(&self, label: &str) -> bool {
        self.list().files.contains_key(label)
    }

    /// The pieces of the level with that label, if there are any.
    #[must_use]
    pub fn partial(&self, label: &str) -> Option<Partial> {
        self.list().partial.clone().filter(|p| p.label == label)
    }

    /// Enters the pieces of a level, with those layers that are not in the list yet.
    ///
    /// # Errors
    /// Where the list cannot be written.
    pub(crate) fn enter_partial(&self, partial: Partial, layers: Vec<(String, Saved)>) -> Result<(), StoreError> {
        self.change(|list| {
            list.files.extend(layers);
            list.partial = Some(partial);
        })
    }

    /// Takes a file out of the run whether levels are to be kept or not.
    ///
    /// # Errors
    /// Where the list cannot be written, or the file cannot be removed.
    pub fn discard(&self, label: &str) -> Result<(), StoreError> {
        self.change(|list| drop(list.files.remove(label)))?;
        self.remove(&[label.into()])
    }

    /// Takes files out of the run that resuming can do without, unless they are to be kept.
    ///
    /// # Errors
    /// Where the list cannot be written, or a file cannot be removed.
    pub fn forget(&self, labels: &[String]) -> Result<(), StoreError> {
        let labels: Vec<String> = labels.iter().filter(|l| !self.keep && self.has(l)).cloned().collect();
        if labels.is_empty() {
            return Ok(());
        }
        self.change(|list| labels.iter().for_each(|label| drop(list.files.remove(label))))?;
        self.remove(&labels)
    }

    /// Removes files that the list does not name, whether they are there or not.
    ///
    /// # Errors
    /// Where one is there and cannot be removed.
    pub fn remove(&self, labels: &[String]) -> Result<(), StoreError> {
        for label in labels {
            let name = file_name(label);
            let bytes = storage::length(&*self.levels, &name);
            remove(&*self.levels, &name)?;
            self.disk.release(bytes);
        }
        Ok(())
    }

    /// Writes the list as it stands, so that the run can be resumed from the beginning on.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(&self) -> Result<(), StoreError> {
        self.change(|_| ())
    }

    /// Ends the run: nothing is left to resume. The list goes, and the level files unless they are to be kept.
    ///
    /// # Errors
    /// Where something cannot be removed.
    pub fn close(self) -> Result<(), StoreError> {
        if self.keep {
            return Ok(());
        }
        // The list first: without it, the rest is nothing. The lock last, while it is held.
        remove(&*self.folder, LIST)?;
        clear(&*self.folder, &*self.levels)?;
        remove(&*self.folder, LOCK)
    }
}
