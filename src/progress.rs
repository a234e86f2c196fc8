//! The progress of a search: bars on a terminal, a line for each length and level elsewhere, and a file for other
//! processes.

mod bars;
pub mod json;
mod outlook;
pub mod status;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use file_rotate::compression::Compression;
use file_rotate::suffix::AppendCount;
use file_rotate::{ContentLimit, FileRotate};

use halma_engine::search::Watch;
use halma_files::plain;
use halma_solve::solve::{Begun, LevelFigures, Progress};

use crate::report::grouped;
pub use bars::Bars;
pub use outlook::Outlook;
pub use status::StatusFile;

/// Levels with so many states to expand are announced.
const LARGE: u64 = 100_000;

/// The size at which a log is put aside.
const LOG_BYTES: usize = 4 << 20;
/// How many old logs are kept.
const LOGS: usize = 4;

/// Plain lines, on standard error or in a log.
pub struct Lines(Mutex<Box<dyn Write + Send>>);

impl Lines {
    /// On standard error.
    #[must_use]
    pub fn on_stderr() -> Self {
        Self(Mutex::new(Box::new(io::stderr())))
    }

    /// At the end of a log file, which is renamed to `FILE.1` and begun anew when it is full.
    #[must_use]
    pub fn in_log(file: &Path) -> Self {
        let limit = ContentLimit::BytesSurpassed(LOG_BYTES);
        Self(Mutex::new(Box::new(FileRotate::new(file, AppendCount::new(LOGS), limit, Compression::None, None))))
    }

    /// Writes a line. Failures are ignored: a closed standard error or a full disk must not end a search.
    pub fn line(&self, text: &str) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(out, "{}", plain::message(text));
    }
}

impl Watch for Lines {}

impl Progress for Lines {
    fn length(&self, length: u32) {
        self.line(&format!("length {length}"));
    }

    fn begin(&self, level: Begun) {
        if level.states >= LARGE {
            self.line(&format!("  {}", begun(level)));
        }
    }

    fn level(&self, figures: &LevelFigures) {
        self.line(&level_line(figures));
    }

    fn note(&self, text: &str) {
        self.line(&format!("  {text}"));
    }
}

/// Several receivers of progress.
pub struct All<'a>(pub Vec<&'a dyn Progress>);

impl Watch for All<'_> {
    fn expanded(&self, states: u64, successors: u64) {
        self.0.iter().for_each(|p| p.expanded(states, successors));
    }

    fn begun_anew(&self) {
        self.0.iter().for_each(|p| p.begun_anew());
    }

    fn merged(&self, done: usize, shards: usize) {
        self.0.iter().for_each(|p| p.merged(done, shards));
    }
}

impl Progress for All<'_> {
    fn length(&self, length: u32) {
        self.0.iter().for_each(|p| p.length(length));
    }

    fn begin(&self, level: Begun) {
        self.0.iter().for_each(|p| p.begin(level));
    }

    fn level(&self, figures: &LevelFigures) {
        self.0.iter().for_each(|p| p.level(figures));
    }

    fn known(&self, length: u32) {
        self.0.iter().for_each(|p| p.known(length));
    }

    fn note(&self, text: &str) {
        self.0.iter().for_each(|p| p.note(text));
    }
}

/// How progress is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ProgressForm {
    /// Bars on a terminal, lines elsewhere
    #[default]
    Auto,
    /// Lines
    Lines,
    /// JSON objects, one a line, and nothing else
    Json,
}

/// The display of that form: JSON events, lines, or (`Auto`) bars if standard error is a terminal and lines if not.
#[must_use]
pub fn display(form: ProgressForm, screen: Option<&indicatif::MultiProgress>) -> Box<dyn Progress> {
    match form {
        ProgressForm::Json => Box::new(json::Events),
        ProgressForm::Auto if io::stderr().is_terminal() => Box::new(Bars::on(screen)),
        ProgressForm::Auto | ProgressForm::Lines => Box::new(Lines::on_stderr()),
    }
}

fn begun(level: Begun) -> String {
    let expected = level.expected.map(|e| format!(", about {} new ones expected", grouped(e))).unwrap_or_default();
    format!("level {:>2} {}: {} states to expand{expected}", level.depth, level.side.name(), grouped(level.states))
}

fn level_line(figures: &LevelFigures) -> String {
    let tally = &figures.tally;
    let rate = if figures.seconds > 0.0 { tally.generated as f64 / figures.seconds } else { 0.0 };
    format!(
        "  level {:>2} {:<9} {:>13} states {:>14} made {:>6.1} s {:>4.1} M/s",
        figures.depth,
        figures.side.name(),
        grouped(tally.states),
        grouped(tally.generated),
        figures.seconds,
        rate / 1e6,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_engine::search::Tally;

    #[test]
    fn a_full_log_is_put_aside_and_what_is_said_next_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("batch.log");
        // A longer line would be cut.
        let line = "x".repeat(1 << 11);
        for _ in 0..2 {
            // A second batch goes on with the same log.
            let log = Lines::in_log(&file);
            (0..LOG_BYTES >> 11).for_each(|_| log.line(&line));
            log.line("the last");
        }
        assert!(folder.path().join("batch.log.1").exists());
        assert!(std::fs::read_to_string(&file).unwrap().ends_with("the last\n"));
        let bytes = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
        assert!(bytes("batch.log") + bytes("batch.log.1") <= 2 * (LOG_BYTES as u64 + (1 << 17)));
    }

    #[test]
    fn a_level_takes_no_more_than_a_line_of_a_terminal() {
        let tally = Tally { states: 9_999_999_999, generated: 99_999_999_999, ..Tally::default() };
        let side = halma_record::record::Side::Following;
        let figures = LevelFigures { depth: 99, side, tally, bytes: 0, seconds: 9999.9, file: None };
        assert!(level_line(&figures).len() <= 80, "{}", level_line(&figures));
    }

    #[test]
    fn an_announcement_says_what_is_expected_where_that_is_known() {
        let level =
            Begun { depth: 9, side: halma_record::record::Side::Leading, states: 1_054_311, expected: Some(4_684_029) };
        assert_eq!(begun(level), "level  9 leading: 1,054,311 states to expand, about 4,684,029 new ones expected");
        assert_eq!(begun(Begun { expected: None, ..level }), "level  9 leading: 1,054,311 states to expand");
    }
}
