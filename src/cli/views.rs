//! `halma replay` and `halma report`: pictures and pages of results.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use halma_files::plain;
use halma_record::record::{self, Record};
use halma_record::words::counted;
use halma_rules::job::{Job, Output};
use halma_solve::run::Question;

use super::asking::{Search, overrides, put, read, record_file, too_little};
use super::{Exit, Failure, Options, whole_file};
use crate::describe;
use crate::figure::{self, Figure};
use crate::page::{self, Entry};
use crate::solution::Solution;

/// How a solution is shown.
#[derive(Clone, Copy, Debug)]
pub(super) enum ReplayView {
    /// Boards of letters and the summary; quiet, the summary alone.
    Text { quiet: bool },
    /// A sheet of boards, or one of them, as SVG or for LaTeX.
    Figure { tikz: bool, at: Option<usize>, columns: usize, coordinates: bool },
    /// A page.
    Html,
}

/// `halma replay`: checks a solution, then shows it.
pub(super) fn replay(
    file: &Path,
    view: ReplayView,
    output: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let file = record_file(file);
    let checked = solution(&file)?;
    if matches!(view, ReplayView::Html | ReplayView::Figure { tikz: false, .. }) {
        document(output)?;
    }
    let text = match view {
        ReplayView::Text { quiet: true } => checked.summary() + "\n",
        ReplayView::Text { quiet: false } => format!("{}\n{}\n", drawn(&checked, false), checked.summary()),
        ReplayView::Html => page::solution(&checked),
        ReplayView::Figure { tikz, at, columns, coordinates } => {
            let figure = Figure::of(&checked).with_coordinates(coordinates);
            drawing(&figure, tikz, at, columns, &checked.summary())?
        }
    };
    write(&text, output, out)
}

/// A figure, as SVG or for LaTeX.
fn drawing(figure: &Figure, tikz: bool, at: Option<usize>, columns: usize, about: &str) -> Result<String, Failure> {
    let last = figure.len() - 1;
    match at {
        Some(at) if at > last => {
            let moves = counted(last, "move");
            Err(Failure::input(format!("--at {at}: the solution has {moves}; allowed are 0 to {last}")))
        }
        _ if tikz => figure.tikz(at, columns, about).map_err(|error| Failure::input(format!("--tikz: {error}"))),
        Some(at) => Ok(figure.board(at)),
        None => Ok(figure.sheet(columns, about)),
    }
}

/// Reads a solution, and says what to do where there is a job instead.
fn solution(file: &Path) -> Result<Solution, Failure> {
    Solution::read(file).map_err(|error| match Job::read(file) {
        Ok(_) => {
            let (name, word) = (file.display(), file.to_string_lossy());
            let word = plain::quoted(&word);
            let message = format!("{name}: a job, and no solution; halma solve {word} --output-dir DIR makes one, halma replay DIR draws it");
            Failure::input(message)
        }
        Err(_) => error.into(),
    })
}

/// A page or a picture is not written to a terminal.
fn document(output: Option<&Path>) -> Result<(), Failure> {
    if output.is_none() && std::io::stdout().is_terminal() {
        return Err(Failure::input("this is for a browser and not for a terminal: -o FILE writes it to a file"));
    }
    Ok(())
}

/// Whether standard output is a terminal that wants colours; `NO_COLOR` and `CLICOLOR` say so, too.
pub(super) fn wants_colours() -> bool {
    let out = std::io::stdout();
    out.is_terminal() && anstream::AutoStream::choice(&out) != anstream::ColorChoice::Never
}

/// The boards as text, those of armies in their shape; `coloured` by commands to a terminal.
fn drawn(solution: &Solution, coloured: bool) -> String {
    match solution {
        Solution::Armies(checked) => figure::plain::solution(checked, coloured),
        Solution::Puzzle(replay) => figure::puzzle_text::solution(replay),
    }
}

/// `halma replay` on a terminal: boards in colours. They are made here; what comes from the file is shown as it may be.
pub(super) fn replay_coloured(file: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
    let file = record_file(file);
    let checked = solution(&file)?;
    let boards = match &checked {
        Solution::Armies(_) => drawn(&checked, true),
        Solution::Puzzle(_) => plain::shown(&drawn(&checked, false)).into_owned(),
    };
    put(&format!("{boards}\n{}\n", plain::shown(&checked.summary())), out)?;
    Ok(Exit::Answered)
}

/// Memory of `halma report` in bytes: a fixed part, and a part for each byte of the records, which are held together with their page.
const PROGRAM: u64 = 24 << 20;
const BYTE_OF_RECORD: u64 = 24;

/// `halma report`: one page of all the runs, or a site of them.
pub(super) fn report(
    runs: &[PathBuf],
    output: Option<&Path>,
    memory: Option<u64>,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    document(output)?;
    let folder = output.filter(|output| is_site(runs, output));
    let mut files = Vec::new();
    for run in runs {
        let before = files.len();
        match folder {
            Some(_) if run.is_dir() => super::gallery::records(run, &mut files)?,
            _ => collect(run, &mut files)?,
        }
        if files.len() == before {
            let message = format!("{}: no record (result.json) there or beneath it", run.display());
            return Err(Failure::input(message));
        }
    }
    let bytes: u64 = files.iter().filter_map(|file| std::fs::metadata(file).ok()).map(|m| m.len()).sum();
    let least = PROGRAM + BYTE_OF_RECORD * bytes;
    if let Some(memory) = memory.filter(|&memory| memory < least) {
        return Err(too_little(memory, least, ""));
    }
    let mut entries = Vec::new();
    for file in files {
        let record = Record::read(&file)?;
        // Nothing is shown that does not hold.
        let checked = record.solution.as_ref().map(|_| Solution::from_record(&file, &record)).transpose()?;
        entries.push(Entry { file: file.display().to_string(), record, checked });
    }
    match folder {
        Some(folder) => super::gallery::write(runs, &entries, folder, out),
        None => write(&page::report(&entries), output, out),
    }
}

/// Whether a site is asked for, and no page: by a folder that is there, by a slash at the end; and where there is nothing yet, by
/// a name without an ending for what may be many runs. `page.html` is a page, and so is `page` of one run.
fn is_site(runs: &[PathBuf], output: &Path) -> bool {
    let many = || runs.len() > 1 || runs.iter().any(|run| run.is_dir() && !run.join(record::FILE).exists());
    output.is_dir()
        || output.to_string_lossy().ends_with(['/', '\\'])
        || (output.symlink_metadata().is_err() && output.extension().is_none() && many())
}

/// `halma describe`: what is known, and what a short search says of the cost.
pub(super) fn describe(
    file: &Path,
    probe: Duration,
    threads: Option<u32>,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let mut job = read(file)?;
    put(&describe::text(&job), out)?;
    if probe.is_zero() {
        return Ok(Exit::Answered);
    }
    // A trial leaves nothing behind.
    job.output = Output::default();
    job.limits.time = Some(probe);
    let options = Options { threads, quiet: true, ..Options::default() };
    let args = options.at(file);
    let job = job.with(&overrides(&args, None))?;
    let record = search(&job, Question::Solve, &args)?;
    put(&describe::cost(&record), out)?;
    Ok(if record.is_interrupted() { Exit::Unfinished } else { Exit::Answered })
}

/// The record that is meant: the file itself, the one in a folder, else all in the folders beneath it, by name.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let record = path.join(record::FILE);
    if !path.is_dir() || record.symlink_metadata().is_ok() {
        files.push(if path.is_dir() { record } else { path.into() });
        return Ok(());
    }
    let unreadable = |e: std::io::Error| Failure::input(format!("{}: cannot be read: {e}", path.display()));
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // Not links: they lead elsewhere, or in circles.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders.push(entry.path());
        }
    }
    folders.sort();
    folders.iter().try_for_each(|folder| collect(folder, files))
}

/// Writes a document to a file, where one is named, else to standard output.
pub(super) fn write(text: &str, file: Option<&Path>, out: &mut dyn Write) -> Result<Exit, Failure> {
    match file {
        None => put(text, out)?,
        Some(file) => {
            let written = whole_file::write(file, |out| out.write_all(text.as_bytes()));
            written.map_err(|e| Failure::unwritten(file, &e))?;
        }
    }
    Ok(Exit::Answered)
}
