//! What a batch shows while it runs.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use halma_files::folder::refuse_link;
use halma_files::plain;

use super::queue::{BatchQueue, FILE, QueuedJob};
use crate::cli::BatchDisplay;
use crate::progress::{Lines, ProgressForm, json, status};

/// The displays of a batch: a table on a terminal, lines elsewhere, a log and a status file in its folder.
pub(super) struct Display<'a> {
    folder: Option<&'a Path>,
    log: Option<PathBuf>,
    quiet: bool,
    form: ProgressForm,
    screen: Option<(MultiProgress, ProgressBar)>,
}

impl<'a> Display<'a> {
    pub(super) fn new(folder: Option<&'a Path>, quiet: bool, form: ProgressForm) -> Self {
        let live = || {
            let screen = MultiProgress::new();
            let table = screen.add(ProgressBar::new_spinner());
            table.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()));
            (screen, table)
        };
        let log = folder.map(|f| f.join("batch.log")).filter(|log| refuse_link(log).is_ok());
        let on_terminal = !quiet && form == ProgressForm::Auto && io::stderr().is_terminal();
        Self { folder, log, quiet, form, screen: on_terminal.then(live) }
    }

    pub(super) fn show(&self, queue: &mut BatchQueue, changed: usize) {
        queue.updated = status::now();
        if let Some(folder) = self.folder {
            status::write(&folder.join(FILE), queue);
        }
        let job = &queue.jobs[changed];
        let (number, of, said) = (changed + 1, queue.jobs.len(), job.headline());
        let line = format!("{number} of {of}: {} {}  {said}", job.state.name(), job.file.display());
        if let Some(log) = &self.log {
            Lines::in_log(log).line(&line);
        }
        match &self.screen {
            Some((_, table)) => table.set_message(plain::message(&live(queue, changed)).into_owned()),
            None if self.quiet => {}
            None if self.form == ProgressForm::Json => json::note(line.trim_end()),
            None => Lines::on_stderr().line(line.trim_end()),
        }
    }

    /// The display that a job's search uses.
    pub(super) fn lend(&self) -> BatchDisplay {
        BatchDisplay { screen: self.screen.as_ref().map(|(screen, _)| screen.clone()), log: self.log.clone() }
    }

    pub(super) fn clear(&self) {
        if let Some((screen, table)) = &self.screen {
            table.finish_and_clear();
            let _ = screen.clear();
        }
    }
}

/// How many jobs before and after the running one the screen shows.
const NEAR: usize = 8;

/// The table on the screen.
fn live(queue: &BatchQueue, changed: usize) -> String {
    let near = changed.saturating_sub(NEAR)..(changed + NEAR + 1).min(queue.jobs.len());
    let line = |job: &QueuedJob| job.line(job.headline()).chars().take(100).collect::<String>();
    let lines = queue.jobs[near].iter().map(line);
    std::iter::once(queue.counts()).chain(lines).collect::<Vec<_>>().join("\n")
}
