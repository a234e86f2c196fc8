//! A run's folder: the checkpoint of a search, with its level files and its manifest.
//!
//! | in the folder | what |
//! | --- | --- |
//! | `run.json` | the manifest: description of the run, answers, complete levels, layers and parts of the level under way |
//! | `levels/` | level files ([`super::file`]) |
//! | `search.state` | what a search needs beside its levels to go on ([`Workspace::save_state`]) |
//! | `lock` | held while a process works here |
//! | `process-0-of-2/` ... | of several processes: a folder like this one for each |
//!
//! The manifest is replaced atomically, after the files that it names have been synced, and carries a checksum. A level
//! file that it does not name is a leftover and is removed. So the folder always holds a state that the run once had, and a
//! run resumes by asking for each level whether it is already there.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_128;

use halma_files::folder::Folder;
use halma_files::kept_file::FileRecord;
use halma_files::number::Digest;

mod leftover_share;
mod manifest;
mod place;
mod search_state;
mod share;

use super::disk::Claim;
pub use super::disk::Disk;
use super::storage::{self, Lock, Storage};
use super::{Level, StoreError, file};
use crate::budget::{Measurements, Meter};
use crate::key::Key;
pub use leftover_share::LeftoverShare;
pub use manifest::{MANIFEST, ManifestEntry, Mark, Partial};
use manifest::{Manifest, file_name};
use place::{LEVELS, clear, identity_of, is_of_level, locked, names, open_level, remove};
pub use place::{LOCK, answers, run_and_terms};
use search_state::STATE;
pub use share::{has_shares, is_at_work, share_name, share_names};

/// A run's folder, locked by this process.
#[derive(Debug)]
pub struct Workspace {
    folder: Box<dyn Storage>,
    levels: Box<dyn Storage>,
    identity: u128,
    disk: Arc<Disk>,
    keep: bool,
    interval: Duration,
    last_commit: Mutex<Instant>,
    meter: Meter,
    manifest: Mutex<Manifest>,
    _lock: Lock,
    temporary: Option<tempfile::TempDir>,
}

/// How a folder serves a run. These may change when the run is resumed.
#[derive(Debug, Default)]
pub struct WorkspaceOptions {
    /// The terms of the run, as the manifest states them.
    pub terms: serde_json::Value,
    /// The disk budget.
    pub disk: Disk,
    /// The time between checkpoints; by default there is one after each piece of work.
    pub interval: Duration,
    /// Whether level files stay when they are no longer needed.
    pub keep: bool,
}

impl Workspace {
    /// Opens `folder` for the run that `run` describes. If it holds that run, the run is resumed.
    ///
    /// # Errors
    /// Where another process works there, where it holds another run, or where what it holds is damaged.
    pub fn open(folder: &Path, run: serde_json::Value, options: WorkspaceOptions) -> Result<Self, StoreError> {
        let make = || Ok(Box::new(Folder::make(folder)?) as Box<dyn Storage>);
        Self::open_on(make, folder, run, options)
    }

    /// [`Self::open`] on any storage. `make` opens the storage, and creates it if there is none.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_on(
        make: impl Fn() -> io::Result<Box<dyn Storage>>,
        folder: &Path,
        run: serde_json::Value,
        WorkspaceOptions { terms, disk, interval, keep }: WorkspaceOptions,
    ) -> Result<Self, StoreError> {
        let (place, lock) = locked(folder, make)?;
        let levels = place.beneath(LEVELS, true).map_err(|source| StoreError::io(place.path(LEVELS), source))?;
        let identity = xxh3_128(run.to_string().as_bytes());
        let manifest = match Manifest::read(&*place)? {
            Some(manifest) if manifest.run != run => {
                return Err(StoreError::OtherRun {
                    folder: folder.into(),
                    reason: format!(
                        "it holds another run, which can go on ({MANIFEST} says which); choose another folder"
                    ),
                });
            }
            Some(mut manifest) => {
                manifest.terms = terms;
                manifest
            }
            None => {
                // Without the manifest nothing says which run it is of.
                remove(&*place, STATE)?;
                Manifest::new(run, terms)
            }
        };
        let workspace = Self {
            folder: place,
            levels,
            identity,
            disk: Arc::new(disk),
            keep,
            interval,
            last_commit: Mutex::new(Instant::now()),
            meter: Meter::start(manifest.measurements),
            manifest: Mutex::new(manifest),
            _lock: lock,
            temporary: None,
        };
        workspace.sweep()?;
        Ok(workspace)
    }

    /// A temporary folder for level files, which cannot be resumed.
    ///
    /// # Errors
    /// Where the system refuses one.
    pub fn temporary(disk: Disk) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { file: std::env::temp_dir(), source };
        let temporary = tempfile::Builder::new().prefix("halma-").tempdir().map_err(io)?;
        let run = serde_json::json!({ "process": std::process::id() });
        let options = WorkspaceOptions { disk, interval: Duration::MAX, ..WorkspaceOptions::default() };
        let mut workspace = Self::open(temporary.path(), run, options)?;
        workspace.temporary = Some(temporary);
        Ok(workspace)
    }

    /// Whether a later process can go on with the run.
    #[must_use]
    pub fn can_be_resumed(&self) -> bool {
        self.temporary.is_none()
    }

    fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The identity of the file with that label in this run: a digest of both.
    fn identity(&self, label: &str) -> u128 {
        identity_of(self.identity, label)
    }

    /// The file with that label, if level files are to be kept.
    #[must_use]
    pub fn kept(&self, label: &str) -> Option<FileRecord> {
        let file =
            || FileRecord { name: format!("{LEVELS}/{}", file_name(label)), identity: Digest(self.identity(label)) };
        self.keep.then(file)
    }

    /// Whether level files are to be kept.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.keep
    }

    /// Removes files that the manifest does not name, and counts the disk use of the others.
    fn sweep(&self) -> Result<(), StoreError> {
        let manifest = self.manifest();
        for name in names(&*self.levels)? {
            if name.strip_suffix(".level").is_some_and(|label| manifest.files.contains_key(label)) {
                self.disk.found(storage::length(&*self.levels, &name)?);
            } else if is_of_level(&name) {
                remove(&*self.levels, &name)?;
            }
        }
        // A process that was killed while it replaced one of these leaves a temporary file.
        for name in names(&*self.folder)? {
            if [MANIFEST, STATE, halma_files::RECORD_FILE].iter().any(|file| name.starts_with(&format!(".{file}."))) {
                remove(&*self.folder, &name)?;
            }
        }
        Ok(())
    }

    /// Writes the manifest to disk.
    fn commit(&self, manifest: &Manifest) -> Result<(), StoreError> {
        manifest.write(&*self.folder)?;
        *self.last_commit.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(())
    }

    /// Changes the manifest, in memory and on disk.
    fn change(&self, change: impl FnOnce(&mut Manifest)) -> Result<(), StoreError> {
        let mut manifest = self.manifest();
        let mut changed = manifest.clone();
        change(&mut changed);
        changed.measurements = self.measurements();
        self.commit(&changed)?;
        *manifest = changed;
        Ok(())
    }

    /// The disk budget of the run.
    #[must_use]
    pub fn disk(&self) -> &Disk {
        &self.disk
    }

    /// The resources that the run has used, earlier processes included as far as they saved their work.
    #[must_use]
    pub fn measurements(&self) -> Measurements {
        self.meter.measurements(self.disk.written())
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path("")
    }

    /// The error for a manifest with contents that this program cannot have written.
    pub fn damaged(&self, reason: impl Into<String>) -> StoreError {
        Manifest::damaged(&*self.folder, reason)
    }

    /// Whether it is time for a checkpoint.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.last_commit.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= self.interval
    }

    /// The answers to single lengths so far.
    #[must_use]
    pub fn answers(&self) -> Vec<serde_json::Value> {
        self.manifest().answers.clone()
    }

    /// Replaces the answers by those of the process that keeps them for all.
    ///
    /// # Errors
    /// Where the manifest cannot be written.
    pub fn adopt(&self, answers: Vec<serde_json::Value>) -> Result<(), StoreError> {
        if self.manifest().answers == answers {
            return Ok(());
        }
        self.change(|manifest| manifest.answers = answers)
    }

    /// The files of complete levels.
    #[must_use]
    pub fn levels(&self) -> BTreeMap<String, ManifestEntry> {
        self.manifest().complete()
    }

    /// Adds answers, and removes the levels for which `served` is true, unless they are to be kept. A checkpoint within
    /// such a level goes with its files, which nobody would need.
    ///
    /// # Errors
    /// Where the manifest cannot be written.
    pub fn answer(&self, answers: Vec<serde_json::Value>, served: impl Fn(&str) -> bool) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        let keep = self.keep;
        self.change(|manifest| {
            manifest.answers.extend(answers);
            gone = manifest.drop_partial(|partial| served(&partial.label));
            manifest.files.retain(|label, _| {
                let dropped = !keep && served(label);
                gone.extend(dropped.then(|| label.clone()));
                !dropped
            });
        })?;
        self.remove(&gone)
    }

    /// The complete level with that label, if there is one, and its manifest entry.
    ///
    /// # Errors
    /// Where its file is damaged.
    pub fn load<K: Key>(&self, label: &str) -> Result<Option<(Level<K>, ManifestEntry)>, StoreError> {
        let Some(saved) = self.manifest().files.get(label).cloned() else { return Ok(None) };
        let level = open_level(&*self.levels, self.identity, label, &saved)?;
        Ok(Some((level, saved)))
    }

    /// The complete level with that label, which must exist.
    ///
    /// # Errors
    /// Where it is missing, or its file is damaged.
    pub fn need<K: Key>(&self, label: &str) -> Result<(Level<K>, ManifestEntry), StoreError> {
        let missing = || self.damaged(format!("it names {label} and does not say what that is"));
        self.load(label)?.ok_or_else(missing)
    }

    /// A writer of the file with that label. The file becomes part of the run by [`Self::enter`].
    ///
    /// # Errors
    /// Where the file cannot be made.
    pub fn writer<K: Key>(&self, label: &str) -> Result<file::LevelFileWriter<'_, K>, StoreError> {
        file::LevelFileWriter::create(&*self.levels, &file_name(label), self.identity(label), &self.disk)
    }

    /// Writes `level` to the file with that label. The file becomes part of the run by [`Self::enter`].
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write<K: Key>(&self, label: &str, level: &Level<K>, digest: u128) -> Result<Level<K>, StoreError> {
        file::write_in(&*self.levels, &file_name(label), self.identity(label), level, digest, &self.disk)
    }

    /// Enters complete files into the manifest, which makes them part of the run. The layers and parts of a level that is
    /// among them are removed. Those of another level stay: a run that is resumed may make earlier levels again first.
    ///
    /// # Errors
    /// Where the manifest cannot be written.
    pub fn enter(&self, files: Vec<(String, ManifestEntry)>) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        self.change(|manifest| {
            gone = manifest.drop_partial(|partial| files.iter().any(|(label, _)| *label == partial.label));
            manifest.files.extend(files);
        })?;
        self.remove(&gone)
    }

    /// Enters complete files into the manifest, and leaves the layers and parts of the level under way there.
    ///
    /// # Errors
    /// Where the manifest cannot be written.
    pub fn enter_also(&self, files: Vec<(String, ManifestEntry)>) -> Result<(), StoreError> {
        self.change(|manifest| manifest.files.extend(files))
    }

    /// Whether a file with that label is part of the run.
    #[must_use]
    pub fn has(&self, label: &str) -> bool {
        self.manifest().files.contains_key(label)
    }

    /// The checkpoint within the level with that label, if there is one.
    #[must_use]
    pub fn partial(&self, label: &str) -> Option<Partial> {
        self.manifest().partial.clone().filter(|p| p.label == label)
    }

    /// Enters a checkpoint within a level, with its new files. There is one checkpoint: files that only the one before
    /// has are removed, whether it was of another level or of this one.
    ///
    /// # Errors
    /// Where the manifest cannot be written, or a file cannot be removed.
    pub(crate) fn enter_partial(&self, partial: Partial, new: Vec<(String, ManifestEntry)>) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        self.change(|manifest| {
            gone = manifest.replace_partial(partial);
            manifest.files.extend(new);
        })?;
        self.remove(&gone)
    }

    /// Drops the checkpoint within a level, with its files.
    ///
    /// # Errors
    /// As [`Self::enter_partial`].
    pub(crate) fn drop_partial(&self) -> Result<(), StoreError> {
        let mut gone = Vec::new();
        self.change(|manifest| gone = manifest.drop_partial(|_| true))?;
        self.remove(&gone)
    }

    /// Removes a file from the run, even if levels are to be kept.
    ///
    /// # Errors
    /// Where the manifest cannot be written, or the file cannot be removed.
    pub fn discard(&self, label: &str) -> Result<(), StoreError> {
        self.change(|manifest| drop(manifest.files.remove(label)))?;
        self.remove(&[label.into()])
    }

    /// Removes files that resuming does not need from the run, unless they are to be kept.
    ///
    /// # Errors
    /// Where the manifest cannot be written, or a file cannot be removed.
    pub fn forget(&self, labels: &[String]) -> Result<(), StoreError> {
        let labels: Vec<String> = labels.iter().filter(|l| !self.keep && self.has(l)).cloned().collect();
        if labels.is_empty() {
            return Ok(());
        }
        self.change(|manifest| labels.iter().for_each(|label| drop(manifest.files.remove(label))))?;
        self.remove(&labels)
    }

    /// Removes files that are not in the manifest, if they exist.
    ///
    /// # Errors
    /// Where one exists and cannot be removed.
    pub fn remove(&self, labels: &[String]) -> Result<(), StoreError> {
        for label in labels {
            let name = file_name(label);
            let bytes = storage::length(&*self.levels, &name)?;
            remove(&*self.levels, &name)?;
            self.disk.release(bytes);
        }
        Ok(())
    }

    /// Removes the file of a level that is no part of the run. The level can be read while it is held, and takes up the disk until then.
    ///
    /// # Errors
    /// Where it cannot be removed.
    pub fn unlink<K: Key>(&self, label: &str, level: &Level<K>) -> Result<(), StoreError> {
        let name = file_name(label);
        let bytes = storage::length(&*self.levels, &name)?;
        remove(&*self.levels, &name)?;
        level.hold(Claim { disk: Arc::clone(&self.disk), bytes });
        Ok(())
    }

    /// Writes the manifest as it stands, so that the run can be resumed from now on.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(&self) -> Result<(), StoreError> {
        self.change(|_| ())
    }

    /// Ends the run. Where levels are to be kept, they stay, and the manifest, too, because it names them. Otherwise manifest, level
    /// files and lock are removed, and the run cannot be resumed.
    ///
    /// # Errors
    /// Where something cannot be removed.
    pub fn close(self) -> Result<(), StoreError> {
        if self.keep {
            return remove(&*self.folder, STATE);
        }
        // The manifest first, since the rest is nothing without it, and for good, so that no crash leaves it without the rest. The lock
        // last, because it is held until then.
        remove(&*self.folder, MANIFEST)?;
        self.folder.sync().map_err(|source| StoreError::io(self.folder.path(""), source))?;
        remove(&*self.folder, STATE)?;
        clear(&*self.folder, &*self.levels)?;
        remove(&*self.folder, LOCK)
    }
}
