//! `halma report FOLDER -o SITE/`: a static site of all records beneath a folder.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use halma_files::folder;
use halma_record::record;
use halma_record::words::counted;

use super::asking::put;
use super::{Exit, Failure, whole_file};
use crate::page::Entry;
use crate::page::site::{self, Stories};

/// All records beneath a folder, by name: every file `*.json` that says of itself that it is one, or may be a damaged one.
pub(super) fn records(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |e: io::Error| Failure::input(format!("{}: cannot be read: {e}", folder.display()));
    let (mut found, mut folders) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // Not links: they lead elsewhere, or in circles.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => folders.push(entry.path()),
            Ok(kind) if kind.is_file() && is_record(&entry.path()) => found.push(entry.path()),
            _ => {}
        }
    }
    found.sort();
    folders.sort();
    files.append(&mut found);
    folders.iter().try_for_each(|folder| records(folder, files))
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

/// Writes the site; what pages of Markdown beside the records say of one stands on its page.
pub(super) fn write(runs: &[PathBuf], entries: &[Entry], folder: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
    let stories = Stories::of(&runs.iter().flat_map(|run| told(run)).collect::<Vec<_>>());
    let name = runs.first().and_then(|run| run.file_name()).map(|name| name.to_string_lossy().into_owned());
    let title = match name.as_deref() {
        None | Some("results") => "Results".into(),
        Some(name) => format!("Results: {name}"),
    };
    let pages = site::pages(&title, entries, &stories);
    let unwritten = |e: io::Error| {
        let message = match e.kind() {
            io::ErrorKind::AlreadyExists => {
                format!("{}: no folder, but a file of that name is there", folder.display())
            }
            _ => format!("{}: cannot be written: {e}", folder.display()),
        };
        Failure::input(message)
    };
    std::fs::create_dir_all(folder).map_err(unwritten)?;
    for page in &pages {
        whole_file::write(&folder.join(&page.name), |out| out.write_all(page.html.as_bytes())).map_err(unwritten)?;
    }
    put(&format!("{}: {}\n", folder.join("index.html").display(), counted(pages.len(), "page")), out)?;
    Ok(Exit::Answered)
}

/// The pages of Markdown in a folder, README first.
fn told(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = names.filter(|file| file.extension().is_some_and(|end| end == "md")).collect();
    files.sort_by_key(|file| (!file.ends_with("README.md"), file.clone()));
    let texts = files.iter().filter_map(|file| folder::read_named(file, folder::RECORD_BYTES).ok());
    texts.filter_map(|bytes| String::from_utf8(bytes).ok()).collect()
}
