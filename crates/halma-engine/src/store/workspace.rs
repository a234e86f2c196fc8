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

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

mod leftover_share;

use halma_files::folder::{self, Folder, Lock};
use halma_files::number::{Digest, FileRecord};

pub use super::disk::{Disk, Faults};
use super::{Level, StoreError, file};
use crate::budget::{Measurements, Meter};
use crate::key::Key;
pub use leftover_share::LeftoverShare;

/// The version of the list; another one is refused.
const FORMAT: u32 = 2;
/// The name of the list.
pub const LIST: &str = "run.json";
/// The name of the lock.
pub const LOCK: &str = "lock";
/// The name of the folder of level files.
const LEVELS: &str = "levels";
/// How long to try for the lock.
const PATIENCE: Duration = Duration::from_millis(200);
/// The most lists and tables that a list may have: each takes memory beyond its bytes.
const PARTS: usize = 1 << 20;
/// More successors than anybody can make.
const TOO_MANY: u64 = 1 << 50;

/// A file that the list names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// How many keys.
    pub keys: u64,
    /// The digest of the set, 32 hex digits.
    pub digest: String,
    /// What the search wants to know of it when it finds it again.
    pub figures: serde_json::Value,
}

/// A level of which some pieces are complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Partial {
    /// The level's label.
    pub label: String,
    /// The first block of the level before that has not been expanded.
    pub next_block: usize,
    /// Successors so far, pruned ones included.
    pub generated: u64,
    /// Successors so far, pruned ones not included.
    pub emitted: u64,
    /// The labels of the layers of sorted successors.
    pub layers: Vec<String>,
    /// Where several processes make the level: the moments up to which all that was made is in layers, each process's
    /// share. Layers may hold more; what is made again is a duplicate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

/// How far a level has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The first block of the level before that has not been expanded.
    pub next_block: usize,
    /// Successors so far, pruned ones included.
    pub generated: u64,
    /// Successors so far, pruned ones not included.
    pub emitted: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct List {
    format: u32,
    /// What the run is, to compare and to read.
    run: serde_json::Value,
    /// What it may use up and where it ends: what may change when it goes on.
    terms: serde_json::Value,
    /// Answers that stand, in order.
    answers: Vec<serde_json::Value>,
    files: BTreeMap<String, Saved>,
    partial: Option<Partial>,
    /// What the run had used when the list was written.
    #[serde(default)]
    spent: Measurements,
}

/// The list as it is written: the text, and its checksum.
#[derive(Serialize, Deserialize)]
struct Sealed<'a> {
    checksum: String,
    #[serde(borrow)]
    list: &'a RawValue,
}

/// A run's folder, locked for this process.
#[derive(Debug)]
pub struct Workspace {
    folder: Folder,
    levels: Folder,
    identity: u128,
    disk: Disk,
    keep: bool,
    interval: Duration,
    last: Mutex<Instant>,
    meter: Meter,
    list: Mutex<List>,
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
        let (place, lock) = locked(folder)?;
        let levels = place.make_beneath(LEVELS).map_err(|source| StoreError::reading(place.path(LEVELS), source))?;
        let identity = xxh3_128(run.to_string().as_bytes());
        let list = match read_list(&place)? {
            Some(list) if list.run != run => {
                return Err(StoreError::Foreign {
                    folder: folder.into(),
                    reason: format!("it holds another run ({LIST} says which); choose another folder or remove it"),
                });
            }
            Some(list) => List { terms, ..list },
            None => List { format: FORMAT, run, terms, ..List::default() },
        };
        let workspace = Self {
            folder: place,
            levels,
            identity,
            disk,
            keep,
            interval,
            last: Mutex::new(Instant::now()),
            meter: Meter::start(list.spent),
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

    fn list(&self) -> MutexGuard<'_, List> {
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
        for name in names(&self.levels)? {
            if name.strip_suffix(".level").is_some_and(|label| list.files.contains_key(label)) {
                self.disk.found(self.levels.length(&name));
            } else if name.ends_with(".level") || name.ends_with(".tmp") {
                remove(&self.levels, &name)?;
            }
        }
        // A process that was killed while it replaced the list or the record leaves the new one under a temporary name.
        for name in names(&self.folder)? {
            if [LIST, halma_files::RECORD].iter().any(|file| name.starts_with(&format!(".{file}."))) {
                remove(&self.folder, &name)?;
            }
        }
        Ok(())
    }

    /// Replaces the list on disk by the one in memory.
    fn commit(&self, list: &List) -> Result<(), StoreError> {
        let write = || {
            let text = serde_json::to_string_pretty(list)?;
            let checksum = format!("{:032x}", xxh3_128(text.as_bytes()));
            let sealed = Sealed { checksum, list: serde_json::from_str(&text)? };
            let sealed = serde_json::to_string_pretty(&sealed)?;
            self.folder.replace(LIST, sealed.as_bytes(), |file| self.disk.sync(file))
        };
        write().map_err(|e| self.disk.refused(&self.folder.path(LIST), e))?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Ok(())
    }

    /// Changes the list, in memory and on disk.
    fn change(&self, change: impl FnOnce(&mut List)) -> Result<(), StoreError> {
        let mut list = self.list();
        let mut changed = list.clone();
        change(&mut changed);
        changed.spent = self.spent();
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
    pub fn spent(&self) -> Measurements {
        self.meter.spent(self.disk.written())
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
        complete(&self.list())
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
        let level = open_level(&self.levels, self.identity(label), label, &saved)?;
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
        file::LevelFileWriter::create(&self.levels, &file_name(label), self.identity(label), &self.disk)
    }

    /// Writes `level` as the file with that label, which only [`Self::enter`] makes part of the run.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write<K: Key>(&self, label: &str, level: &Level<K>, digest: u128) -> Result<Level<K>, StoreError> {
        file::write_in(&self.levels, &file_name(label), self.identity(label), level, digest, &self.disk)
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
    pub fn enter_partial(&self, partial: Partial, layers: Vec<(String, Saved)>) -> Result<(), StoreError> {
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
            let bytes = self.levels.length(&name);
            remove(&self.levels, &name)?;
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
        remove(&self.folder, LIST)?;
        clear(&self.folder, &self.levels)?;
        remove(&self.folder, LOCK)
    }
}

/// The folder, made where there is none, and its lock.
fn locked(path: &Path) -> Result<(Folder, Lock), StoreError> {
    let begun = Instant::now();
    loop {
        let place = Folder::make(path).map_err(|source| StoreError::reading(path.into(), source))?;
        match place.lock(LOCK, PATIENCE) {
            Ok(Some(lock)) => return Ok((place, lock)),
            Ok(None) => return Err(StoreError::Locked { folder: path.into() }),
            // A run that ended has just taken its folder away.
            Err(e) if e.kind() == io::ErrorKind::NotFound && begun.elapsed() < PATIENCE => {}
            Err(source) => return Err(StoreError::reading(place.path(LOCK), source)),
        }
    }
}

fn names(folder: &Folder) -> Result<Vec<String>, StoreError> {
    folder.names().map_err(|source| StoreError::Io { file: folder.path(""), source })
}

fn remove(folder: &Folder, name: &str) -> Result<(), StoreError> {
    folder.remove(name).map_err(|source| StoreError::reading(folder.path(name), source))
}

/// Removes the level files of a run, and their folder unless somebody has put something there.
fn clear(folder: &Folder, levels: &Folder) -> Result<(), StoreError> {
    let files = names(levels)?.into_iter().filter(|name| name.ends_with(".level") || name.ends_with(".tmp"));
    files.into_iter().try_for_each(|name| remove(levels, &name))?;
    folder.remove_empty(LEVELS);
    Ok(())
}

/// The name of the file with that label.
fn file_name(label: &str) -> String {
    format!("{label}.level")
}

/// Opens the file with that label, of which the list says `saved`.
fn open_level<K: Key>(levels: &Folder, identity: u128, label: &str, saved: &Saved) -> Result<Level<K>, StoreError> {
    let digest: Digest = saved.digest.parse().map_err(|reason| StoreError::Damaged { file: LIST.into(), reason })?;
    file::open_in(levels, &file_name(label), identity, saved.keys, digest.0)
}

/// The identity of the file with that label in a run.
fn identity_of(run: u128, label: &str) -> u128 {
    xxh3_128(&[&run.to_le_bytes()[..], label.as_bytes()].concat())
}

/// The files of complete levels in a list.
fn complete(list: &List) -> BTreeMap<String, Saved> {
    let layers = list.partial.as_ref().map_or(&[][..], |p| &p.layers);
    list.files.iter().filter(|(label, _)| !layers.contains(label)).map(|(l, s)| (l.clone(), s.clone())).collect()
}

/// Reads the list of a run's folder, if there is one.
fn read_list(folder: &Folder) -> Result<Option<List>, StoreError> {
    let damaged = |reason: String| StoreError::Damaged { file: folder.path(LIST), reason };
    let text = match folder.read(LIST, folder::RECORD) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|e| damaged(e.to_string()))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(StoreError::reading(folder.path(LIST), source)),
    };
    if text.bytes().filter(|b| matches!(b, b'{' | b'[')).count() > PARTS {
        return Err(damaged("it has more parts than any run".into()));
    }
    let sealed: Sealed = serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
    if format!("{:032x}", xxh3_128(sealed.list.get().as_bytes())) != sealed.checksum {
        return Err(damaged("it does not match its checksum".into()));
    }
    let list: List = serde_json::from_str(sealed.list.get()).map_err(|e| damaged(e.to_string()))?;
    if list.format != FORMAT {
        return Err(damaged(format!("it is of format {}, this program reads format {FORMAT}", list.format)));
    }
    list.sound().map_err(damaged)?;
    Ok(Some(list))
}

impl List {
    /// What this program cannot have written, whatever the checksum says.
    fn sound(&self) -> Result<(), String> {
        let plain = |label: &str| folder::is_plain(&file_name(label)) && !label.is_empty() && !label.starts_with('.');
        if let Some(label) = self.files.keys().find(|label| !plain(label)) {
            return Err(format!("`{label}` is no name of a level"));
        }
        if let Some(partial) = &self.partial {
            let mark = Mark { next_block: 0, generated: partial.generated, emitted: partial.emitted };
            let counted = |mark: &Mark| mark.emitted <= mark.generated && mark.generated < TOO_MANY;
            if !partial.marks.iter().chain([&mark]).all(counted) {
                return Err("its counts of successors contradict each other".into());
            }
            if let Some(layer) = partial.layers.iter().find(|layer| !self.files.contains_key(*layer)) {
                return Err(format!("it names {layer} and does not say what that is"));
            }
        }
        let Measurements { seconds, cpu_seconds, .. } = self.spent;
        match [seconds, cpu_seconds].iter().all(|time| (0.0..1e12).contains(time)) {
            true => Ok(()),
            false => Err("the time spent is none".into()),
        }
    }
}

/// Whether a process is at work on the run in `folder`, or on a share of it.
#[must_use]
pub fn is_at_work(folder: &Path) -> bool {
    let Ok(place) = Folder::open(folder) else { return false };
    let of_share = |name: &String| name.starts_with("process-") && place.beneath(name).is_ok_and(|f| f.is_locked(LOCK));
    place.is_locked(LOCK) || place.names().is_ok_and(|names| names.iter().any(of_share))
}

/// What the run in `folder` is, and its terms, where it holds one that has not ended.
///
/// # Errors
/// Where its list is damaged.
pub fn unfinished(folder: &Path) -> Result<Option<(serde_json::Value, serde_json::Value)>, StoreError> {
    let place = match Folder::open(folder) {
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        place => place.map_err(|source| StoreError::Io { file: folder.into(), source })?,
    };
    Ok(read_list(&place)?.map(|list| (list.run, list.terms)))
}
