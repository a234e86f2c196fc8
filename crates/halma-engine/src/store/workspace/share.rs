//! The shares of a run of several processes: a folder for each of them in the run's folder.

use std::io;
use std::path::Path;

use halma_files::folder::Folder;

use super::manifest::MANIFEST;
use super::place::LOCK;

/// The name of the folder of the process with number `process`, from 0, of so many.
#[must_use]
pub fn share_name(process: usize, processes: usize) -> String {
    format!("process-{process}-of-{processes}")
}

/// Which process of how many a share with that name belongs to; `None` where it is no such name.
fn share_of(name: &str) -> Option<(usize, usize)> {
    let (process, processes) = name.strip_prefix("process-")?.split_once("-of-")?;
    process.parse().ok().zip(processes.parse().ok())
}

/// Whether several processes have shares of a run in `folder`.
#[must_use]
pub fn has_shares(folder: &Path) -> bool {
    shares(folder).iter().any(|share| share.has(MANIFEST))
}

/// Whether a process works on the run in `folder`, or on a share of it.
#[must_use]
pub fn is_at_work(folder: &Path) -> bool {
    Folder::open(folder).is_ok_and(|place| place.is_locked(LOCK))
        || shares(folder).iter().any(|share| share.is_locked(LOCK))
}

/// The names of all shares in a run's folder, each with its process and the number of processes.
///
/// # Errors
/// Where the folder cannot be read.
pub fn share_names(folder: &Folder) -> io::Result<Vec<(String, (usize, usize))>> {
    let named = |name: String| share_of(&name).map(|share| (name, share));
    Ok(folder.names()?.into_iter().filter_map(named).collect())
}

/// The folders of all shares; none where `folder` cannot be read.
fn shares(folder: &Path) -> Vec<Folder> {
    let Ok(place) = Folder::open(folder) else { return Vec::new() };
    let names = share_names(&place).unwrap_or_default();
    names.iter().filter_map(|(name, _)| place.beneath(name).ok()).collect()
}
