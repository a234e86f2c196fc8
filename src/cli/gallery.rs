//! `halma report FOLDER -o SITE/`: a static site of all records beneath a folder.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use halma_files::folder;
use halma_record::words::counted;

use super::asking::put;
use super::{Exit, Failure, whole_file};
use crate::page::site::{self, Stories};
use crate::page::{Entry, is_page};

/// Writes the site; what pages of Markdown beside the records say of one stands on its page.
pub(super) fn write(runs: &[PathBuf], entries: &[Entry], folder: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
    let stories = Stories::of(&runs.iter().flat_map(|run| told(run)).collect::<Vec<_>>());
    let name = runs.first().and_then(|run| run.file_name()).map(|name| name.to_string_lossy().into_owned());
    let title = match name.as_deref() {
        None | Some("results") => "Results".into(),
        Some(name) => format!("Results: {name}"),
    };
    let pages = site::pages(&title, entries, &stories);
    let unwritten = |e: io::Error| match e.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::input(format!("{}: no folder, but a file of that name is there", folder.display()))
        }
        _ => Failure::unwritten(folder, &e),
    };
    std::fs::create_dir_all(folder).map_err(unwritten)?;
    // Looked at before the first page is written.
    let others = |file: &PathBuf| {
        file.metadata().is_ok_and(|there| there.len() > 0)
            && !folder::read_named(file, folder::RECORD_BYTES).is_ok_and(|b| is_page(&String::from_utf8_lossy(&b)))
    };
    if let Some(file) = pages.iter().map(|page| folder.join(&page.name)).find(others) {
        let file = file.display();
        let message =
            format!("{file}: no page of halma, and left as it is; another folder is needed, or the file's removal");
        return Err(Failure::input(message));
    }
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
