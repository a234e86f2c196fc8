//! Where the records are that a command line names.

use std::io;
use std::path::{Path, PathBuf};

use halma_engine::store::workspace::{MANIFEST, is_at_work};
use halma_files::folder;
use halma_record::record;

use super::Failure;
use super::exit::command;

/// The record that is meant by `path`: the file itself, or the one in a run's folder.
///
/// # Errors
/// Where the folder has none: what there is instead.
pub(super) fn record_of(path: &Path) -> Result<PathBuf, Failure> {
    let has = |folder: &Path, name: &str| folder.join(name).symlink_metadata().is_ok();
    if !path.is_dir() {
        return Ok(path.into());
    }
    if has(path, record::FILE) {
        return Ok(path.join(record::FILE));
    }
    std::fs::read_dir(path).map_err(unreadable(path))?;
    let name = path.display();
    if has(path, MANIFEST) {
        let hint = match is_at_work(path) {
            true => format!("{} tells how far it is", command("status", path)),
            false => format!("{} goes on with it", command("resume", path)),
        };
        return Err(Failure::input(format!("{name}: the run has no answer yet; {hint}")));
    }
    let place = named_beneath(path).map(|found| format!("; there is one in {found}")).unwrap_or_default();
    Err(Failure::input(format!("{name}: no record ({}) there{place}", record::FILE)))
}

/// The folders right beneath this one that have records, as messages list them.
fn named_beneath(path: &Path) -> Option<String> {
    let folders = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let has = |folder: &PathBuf| folder.join(record::FILE).symlink_metadata().is_ok();
    let mut beneath: Vec<String> = folders.filter(has).map(|folder| folder.display().to_string()).collect();
    beneath.sort();
    let more = if beneath.len() > SHOWN { ", ..." } else { "" };
    beneath.truncate(SHOWN);
    (!beneath.is_empty()).then(|| beneath.join(", ") + more)
}

/// What a message about the record of a folder adds, where that is not the one that is wanted.
pub(super) fn hint_at_others(path: &Path) -> String {
    named_beneath(path).map(|found| format!("; other questions of it are in {found}")).unwrap_or_default()
}

/// So many folders with records are named.
const SHOWN: usize = 4;

/// Adds the record that is meant: the file itself, the one in a folder, else all in the folders beneath it, by name.
pub(super) fn add_records(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let record = path.join(record::FILE);
    if !path.is_dir() || record.symlink_metadata().is_ok() {
        files.push(if path.is_dir() { record } else { path.into() });
        return Ok(());
    }
    let Entries { folders, .. } = entries(path)?;
    folders.iter().try_for_each(|folder| add_records(folder, files))
}

/// Adds all records beneath a folder, by name: every file `*.json` that says of itself that it is one, or may be a
/// damaged one.
pub(super) fn add_all_records(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let Entries { files: here, folders } = entries(folder)?;
    files.extend(here.into_iter().filter(|file| is_record(file)));
    folders.iter().try_for_each(|folder| add_all_records(folder, files))
}

/// What is right in a folder, by name.
struct Entries {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

fn entries(folder: &Path) -> Result<Entries, Failure> {
    let mut all = Entries { files: Vec::new(), folders: Vec::new() };
    for entry in std::fs::read_dir(folder).map_err(unreadable(folder))? {
        let entry = entry.map_err(unreadable(folder))?;
        // Not links: they lead elsewhere, or in circles.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => all.folders.push(entry.path()),
            Ok(kind) if kind.is_file() => all.files.push(entry.path()),
            _ => {}
        }
    }
    all.files.sort();
    all.folders.sort();
    Ok(all)
}

/// Whether a file says of itself that it is a record, or is called so; whether it is a sound one is for those who read it.
fn is_record(file: &Path) -> bool {
    if file.extension().is_none_or(|end| end != "json") {
        return false;
    }
    let keys = ["format", "problem", "verdict"];
    let Ok(bytes) = folder::read_named(file, folder::RECORD_BYTES) else { return true };
    // A damaged record must not be left out without a word; other files may be no JSON at all.
    let says_so = match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(document) => keys.iter().all(|key| document.get(key).is_some()),
        // They come early, so that half a record has them.
        Err(_) => {
            let has = |key: &&str| {
                let quoted = format!("\"{key}\"");
                bytes.windows(quoted.len()).any(|part| part == quoted.as_bytes())
            };
            keys[..2].iter().all(has)
        }
    };
    says_so || file.ends_with(record::FILE)
}

fn unreadable(folder: &Path) -> impl Fn(io::Error) -> Failure {
    move |e| Failure::input(format!("{}: cannot be read: {e}", folder.display()))
}
