//! `halma status`: how far a run or a batch is, from the files in its folder.

use std::io::Write;
use std::path::Path;

use halma_engine::store::workspace;
use halma_files::plain;
use halma_record::record::{self, Record, Verdict};
use halma_solve::run;

use super::asking::TRIED_OUT;
use super::batch::{self, BatchQueue, State};
use super::{Exit, Failure, record_files};
use crate::progress::status::{self, Status};
use crate::report;

/// `halma status`: the exit status is the record's, and 3 (not finished) if there is none yet.
pub(super) fn status(folder: &Path, json: bool, out: &mut dyn Write) -> Result<Exit, Failure> {
    if let Some(mut queue) = BatchQueue::read(folder) {
        let at_work = batch::is_at_work(folder);
        if !at_work {
            queue.leave();
        }
        return of_batch(&queue, at_work, json, out);
    }
    let state = run_state(folder)?;
    let running = if let RunState::Running(status) = &state { Some(status) } else { None };
    let (text, exit) = match &state {
        RunState::Running(status) => {
            let age = status::now().saturating_sub(status.started);
            (format!("running: {}; for {age} s, process {}", status.sentence(), status.pid), Exit::Unfinished)
        }
        RunState::Beginning => ("running: at its beginning".into(), Exit::Unfinished),
        RunState::Answered(record) => (report::sentence(record), Exit::of(record)),
        RunState::Interrupted { record: Some(record), left } => {
            (format!("{} Interrupted: {left}", report::sentence(record)), Exit::Unfinished)
        }
        RunState::Interrupted { record: None, left } => (format!("interrupted; {left}"), Exit::Unfinished),
        RunState::Lost => {
            ("interrupted at its beginning: no process works on it, and nothing was kept".into(), Exit::Unfinished)
        }
        RunState::Absent => {
            let message = format!("{}: no run and no batch there", folder.display());
            return Err(record_files::record_of(folder).err().unwrap_or_else(|| Failure::input(message)));
        }
    };
    let document = serde_json::json!({ "running": running, "unfinished": exit == Exit::Unfinished, "answer": text });
    match json {
        true => writeln!(out, "{document:#}")?,
        false => writeln!(out, "{text}")?,
    }
    Ok(exit)
}

/// What the files in a run's folder say of the run.
enum RunState {
    /// A process works on it, and says how far it is.
    Running(Box<Status>),
    /// A process works on it, and has not said anything yet.
    Beginning,
    /// It has ended with this record. Its levels may be kept.
    Answered(Box<Record>),
    /// No process works on it, and it has no answer: how far it came, if there is a record, and what can be done.
    Interrupted { record: Option<Box<Record>>, left: String },
    /// It was killed before it kept anything.
    Lost,
    /// There is none.
    Absent,
}

fn run_state(folder: &Path) -> Result<RunState, Failure> {
    // A process that works on a run holds its lock; a process number in a file may be old or forged.
    let at_work = workspace::is_at_work(folder);
    let status = Status::read(folder).map(Box::new);
    let begun = if at_work { None } else { run::manifest_job(folder)? };
    let file = folder.join(record::FILE);
    let record = file.symlink_metadata().is_ok().then(|| Record::read(&file)).transpose()?.map(Box::new);
    if at_work {
        return Ok(status.map_or(RunState::Beginning, RunState::Running));
    }
    let Some((job, question)) = begun else {
        return Ok(match (record, status) {
            (Some(record), _) => RunState::Answered(record),
            (None, Some(_)) => RunState::Lost,
            (None, None) => RunState::Absent,
        });
    };
    match record {
        // Its levels are kept, and so is the manifest that names them.
        Some(record) if record.verdict != Verdict::Incomplete => Ok(RunState::Answered(record)),
        record => {
            // A process that was killed leaves its last status.
            let last =
                status.map(|status| format!("its last process was at {}; ", status.sentence())).unwrap_or_default();
            let left = match run::is_tried_out(folder, &job, question).unwrap_or_default() {
                true => TRIED_OUT.into(),
                false => format!(
                    "{last}no process works on it; halma resume {} goes on",
                    plain::quoted(&folder.to_string_lossy())
                ),
            };
            Ok(RunState::Interrupted { record, left })
        }
    }
}

fn of_batch(queue: &BatchQueue, at_work: bool, json: bool, out: &mut dyn Write) -> Result<Exit, Failure> {
    if json {
        let document = serde_json::to_value(queue);
        let mut document = document.map_err(|e| Failure::failed(e.to_string()))?;
        document["at_work"] = at_work.into();
        writeln!(out, "{document:#}")?;
        return Ok(queue.exit());
    }
    writeln!(out, "{}", queue.counts())?;
    for job in &queue.jobs {
        let running = job.folder.as_deref().filter(|_| job.state == State::Running).and_then(Status::read);
        let said = match running {
            Some(status) => status.sentence(),
            None => job.headline().into(),
        };
        writeln!(out, "{}", job.line(&said))?;
    }
    Ok(queue.exit())
}
