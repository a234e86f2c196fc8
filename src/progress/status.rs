//! The status file in a run's folder, for other processes; it exists while the run goes on.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use halma_engine::search::Watch;
use halma_files::folder::{Folder, TYPED_BYTES, parted};
use halma_record::record::{PROGRAM, Side};
use halma_solve::solve::{Begun, LevelFigures, Progress};

use crate::report::grouped;

/// The file name in the run's folder.
pub const FILE: &str = "status.json";

/// The time between two updates, in milliseconds; shorter runs have no file.
const INTERVAL: u64 = 1000;

/// The status of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The program.
    pub program: String,
    /// Its process.
    pub pid: u32,
    /// When the run began, in seconds since 1970.
    pub started: u64,
    /// When this was written.
    pub updated: u64,
    /// The current length.
    pub length: Option<u32>,
    /// The level under way.
    pub level: Option<u32>,
    /// Its side.
    pub side: Option<Side>,
    /// How many states have to be expanded for it.
    pub states: u64,
    /// How many of them have been expanded.
    pub expanded: u64,
    /// Their successors so far.
    pub successors: u64,
    /// Once all are expanded: the share of the successors, from 0 to 1, that are merged and filtered.
    #[serde(default)]
    pub merged: Option<f64>,
    /// An estimate of the level's size.
    pub expected: Option<u64>,
    /// States of all complete levels.
    pub made: u64,
}

impl Status {
    /// Reads the status in a folder; `None` if there is none that this program has written.
    #[must_use]
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&Folder::open(folder).ok()?.read(FILE, TYPED_BYTES).ok()?).ok()
    }

    /// The status in a line.
    #[must_use]
    pub fn sentence(&self) -> String {
        let length = self.length.map(|l| format!("length {l}, ")).unwrap_or_default();
        let Some(level) = self.level else { return format!("{length}at its beginning") };
        let states = grouped(self.states);
        let part = 100.0 * self.expanded.min(self.states) as f64 / (self.states.max(1)) as f64;
        let done = match self.merged {
            None => format!("{part:.0}% of {states} states expanded"),
            Some(merged) => {
                format!("{states} states expanded, {:.0}% of their successors merged", 100.0 * merged.clamp(0.0, 1.0))
            }
        };
        let side = self.side.map(|s| format!(" {}", s.name())).unwrap_or_default();
        let expected = self.expected.map(|e| format!(", about {} new ones expected", grouped(e))).unwrap_or_default();
        format!("{length}level {level}{side}: {done}{expected}")
    }
}

/// Seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

/// Writes a document atomically. Failures are ignored: they must not end a search.
pub fn write(file: &Path, document: &impl Serialize) {
    let write = || -> std::io::Result<()> {
        let text = serde_json::to_string_pretty(document)? + "\n";
        let (folder, name) = parted(file)?;
        folder.replace(name, text.as_bytes(), |_| Ok(()))
    };
    let _ = write();
}

/// Updates the status in a run's folder, and removes it when the run has ended.
pub struct StatusFile {
    file: PathBuf,
    begun: Instant,
    /// Whether the run has begun here; until then the file is another process's.
    begun_here: AtomicBool,
    /// Whether this process has written it.
    written: AtomicBool,
    /// The time of the next update, in milliseconds after the beginning.
    due: AtomicU64,
    expanded: AtomicU64,
    successors: AtomicU64,
    status: Mutex<Status>,
}

impl StatusFile {
    /// For the run in this folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let status = Status {
            program: PROGRAM.into(),
            pid: std::process::id(),
            started: now(),
            updated: now(),
            length: None,
            level: None,
            side: None,
            states: 0,
            expanded: 0,
            successors: 0,
            merged: None,
            expected: None,
            made: 0,
        };
        Self {
            file: folder.join(FILE),
            begun: Instant::now(),
            begun_here: AtomicBool::new(false),
            written: AtomicBool::new(false),
            due: AtomicU64::new(INTERVAL),
            expanded: AtomicU64::new(0),
            successors: AtomicU64::new(0),
            status: Mutex::new(status),
        }
    }

    fn update(&self, change: impl FnOnce(&mut Status)) {
        // The run has its lock by now: what is there is of a process that was killed.
        if !self.begun_here.swap(true, Ordering::Relaxed) {
            let _ = std::fs::remove_file(&self.file);
        }
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner));
        self.write_if_due();
    }

    fn write_if_due(&self) {
        let (passed, due) = (self.begun.elapsed().as_millis() as u64, self.due.load(Ordering::Relaxed));
        let (order, next) = (Ordering::Relaxed, passed + INTERVAL);
        // One of the threads writes.
        if passed < due || self.due.compare_exchange(due, next, order, order).is_err() {
            return;
        }
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        status.expanded = self.expanded.load(order);
        status.successors = self.successors.load(order);
        status.updated = now();
        self.written.store(true, order);
        write(&self.file, &*status);
    }
}

impl Watch for StatusFile {
    fn expanded(&self, states: u64, successors: u64) {
        self.expanded.fetch_add(states, Ordering::Relaxed);
        self.successors.fetch_add(successors, Ordering::Relaxed);
        self.write_if_due();
    }

    fn begun_anew(&self) {
        self.expanded.store(0, Ordering::Relaxed);
        self.successors.store(0, Ordering::Relaxed);
    }

    fn merged(&self, done: usize, shards: usize) {
        self.update(|s| s.merged = Some(done as f64 / shards.max(1) as f64));
    }
}

impl Progress for StatusFile {
    fn length(&self, length: u32) {
        self.update(|s| s.length = Some(length));
    }

    fn begin(&self, level: Begun) {
        self.expanded.store(0, Ordering::Relaxed);
        self.successors.store(0, Ordering::Relaxed);
        self.update(|s| {
            (s.level, s.side, s.states, s.expected) =
                (Some(level.depth), Some(level.side), level.states, level.expected);
            s.merged = None;
        });
    }

    fn level(&self, figures: &LevelFigures) {
        self.update(|s| s.made += figures.tally.states);
    }
}

impl Drop for StatusFile {
    fn drop(&mut self) {
        if self.written.load(Ordering::Relaxed) {
            let _ = std::fs::remove_file(&self.file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_level_is_at_its_beginning() {
        let file = StatusFile::new("nowhere".as_ref());
        let mut status = file.status.lock().unwrap().clone();
        assert_eq!(status.sentence(), "at its beginning");
        status.length = Some(7);
        assert_eq!(status.sentence(), "length 7, at its beginning");
        (status.level, status.states, status.expanded) = (Some(2), 4, 1);
        assert_eq!(status.sentence(), "length 7, level 2: 25% of 4 states expanded");
        (status.merged, status.expected) = (Some(0.5), Some(9000));
        let merging =
            "length 7, level 2: 4 states expanded, 50% of their successors merged, about 9,000 new ones expected";
        assert_eq!(status.sentence(), merging);
    }
}
