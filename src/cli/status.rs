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
    let file = folder.join(record::FILE);
    // A process that works on a run holds its lock; a process number in a file may be old or forged.
    let at_work = workspace::is_at_work(folder);
    let running = Status::read(folder).filter(|_| at_work);
    let begun = if at_work { None } else { run::unfinished(folder)? };
    let unfinished = at_work || begun.is_some();
    let record = file.symlink_metadata().is_ok().then(|| Record::read(&file)).transpose()?;
    let left = || match &begun {
        Some((job, question)) if run::is_tried_out(folder, job, *question).unwrap_or_default() => TRIED_OUT.into(),
        _ => format!("no process works on it; halma resume {} goes on", plain::quoted(&folder.to_string_lossy())),
    };
    let (text, exit) = match (&running, &record, unfinished) {
        (Some(status), ..) => {
            let age = status::now().saturating_sub(status.started);
            (format!("running: {}; for {age} s, process {}", status.sentence(), status.pid), Exit::Unfinished)
        }
        (None, ..) if at_work => ("running: at its beginning".into(), Exit::Unfinished),
        (None, Some(record), false) => (report::sentence(record), Exit::of(record)),
        // Its levels are kept, and so is what names them.
        (None, Some(record), true) if record.verdict != Verdict::Incomplete => {
            (report::sentence(record), Exit::of(record))
        }
        (None, Some(record), true) => (format!("{} {}", report::sentence(record), left()), Exit::Unfinished),
        (None, None, true) => (format!("interrupted; {}", left()), Exit::Unfinished),
        // A killed run without a checkpoint.
        (None, None, false) if Status::read(folder).is_some() => {
            ("interrupted at its beginning: no process works on it, and nothing was kept".into(), Exit::Unfinished)
        }
        (None, None, false) => {
            let message = format!("{}: no run and no batch there", folder.display());
            return Err(record_files::of_run(folder).err().unwrap_or_else(|| Failure::input(message)));
        }
    };
    let document = serde_json::json!({ "running": running, "unfinished": exit == Exit::Unfinished, "answer": text });
    match json {
        true => writeln!(out, "{document:#}")?,
        false => writeln!(out, "{text}")?,
    }
    Ok(exit)
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
