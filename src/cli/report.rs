//! `halma report`: pages of runs.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use halma_record::record::{self, Record};

use super::asking::too_little;
use super::whole_file::{named, not_to_a_terminal, write_or_print};
use super::{Exit, Failure, gallery, record_files};
use crate::page::{self, Entry};
use crate::solution::Solution;

/// Memory of `halma report` in bytes: a fixed part, and a part for each byte of the records, which are held together with their page.
const PROGRAM: u64 = 24 << 20;
const BYTE_OF_RECORD: u64 = 24;

/// Makes one page of all the runs, or a site of them.
pub(super) fn report(
    runs: &[PathBuf],
    output: Option<&Path>,
    memory: Option<u64>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let output = named(output);
    not_to_a_terminal(output)?;
    let folder = output.filter(|output| is_site(runs, output));
    let mut files = Vec::new();
    for run in runs {
        let before = files.len();
        match folder {
            Some(_) if run.is_dir() => record_files::add_all_records(run, &mut files)?,
            _ => record_files::add_records(run, &mut files)?,
        }
        if files.len() == before {
            let message = format!("{}: no record (result.json) there or beneath it", run.display());
            return Err(Failure::input(message));
        }
    }
    // The same record twice would look like two.
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    let bytes: u64 = files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|m| m.len()).sum();
    let least = PROGRAM + BYTE_OF_RECORD * bytes;
    if let Some(memory) = memory.filter(|&memory| memory < least) {
        return Err(too_little(memory, least, ""));
    }
    let Some(folder) = folder else {
        let entries = files.iter().map(|file| entry(file)).collect::<Result<Vec<_>, _>>()?;
        return write_or_print(&page::report(&entries), output, out);
    };
    // A site is of all sound records; then it says which are not.
    let (mut entries, mut faults) = (Vec::new(), Vec::new());
    for file in &files {
        match entry(file) {
            Ok(entry) => entries.push(entry),
            Err(fault) => faults.push(fault),
        }
    }
    if !entries.is_empty() {
        gallery::write(runs, &entries, folder, out)?;
    }
    match faults.first() {
        None => Ok(Exit::Answered),
        Some(first) => {
            let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            Err(Failure { exit: first.exit, message: format!("not in the site: {}", messages.join("; ")) })
        }
    }
}

/// A record as pages show it. Nothing is shown that does not hold.
fn entry(file: &Path) -> Result<Entry, Failure> {
    let record = Record::read(file)?;
    let checked = record.best_solution().map(|_| Solution::from_record(file, &record)).transpose()?;
    Ok(Entry { file: file.display().to_string(), record, checked })
}

/// Whether a site is asked for, and no page: by a folder that is there, by a slash at the end; and where there is nothing yet, by
/// a name without an ending for what may be many runs. `page.html` is a page, and so is `page` of one run.
fn is_site(runs: &[PathBuf], output: &Path) -> bool {
    let many = || runs.len() > 1 || runs.iter().any(|run| run.is_dir() && !run.join(record::FILE).exists());
    output.is_dir()
        || output.to_string_lossy().ends_with(['/', '\\'])
        || (output.symlink_metadata().is_err() && output.extension().is_none() && many())
}
