//! The shares of a run of several processes: a folder for each of them in the run's folder.

use std::path::Path;

use halma_files::folder::Folder;

use super::manifest::LIST;
use super::place::LOCK;

/// The name of the folder of the process with number `process`, from 0, of so many.
#[must_use]
pub fn share_name(process: usize, processes: usize) -> String {
    format!("process-{process}-of-{processes}")
}

/// Which process of how many a share with that name belongs to; `None` where it is no such name.
#[must_use]
pub fn share_of(name: &str) -> Option<(usize, usize)> {
    let (process, processes) = name.strip_prefix("process-")?.split_once("-of-")?;
    process.parse().ok().zip(processes.parse().ok())
}

/// Whether several processes have shares of a run in `folder`.
#[must_use]
pub fn has_shares(folder: &Path) -> bool {
    shares(folder).iter().any(|share| share.has(LIST))
}

/// Whether a process works on the run in `folder`, or on a share of it.
#[must_use]
pub fn is_at_work(folder: &Path) -> bool {
    Folder::open(folder).is_ok_and(|place| place.is_locked(LOCK))
        || shares(folder).iter().any(|share| share.is_locked(LOCK))
}

/// The folders of all shares; none where `folder` cannot be read.
fn shares(folder: &Path) -> Vec<Folder> {
    let Ok(place) = Folder::open(folder) else { return Vec::new() };
    let names = place.names().unwrap_or_default();
    names.iter().filter(|name| share_of(name).is_some()).filter_map(|name| place.beneath(name).ok()).collect()
}
