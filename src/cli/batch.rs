//! `halma batch`: a queue of jobs, some of which may be finished or interrupted.

mod display;
mod queue;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::Access;

use halma_files::folder::Folder;
use halma_record::record::{self, PROGRAM, Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{self, Question};

use super::asking::{Search, ask, json, make_folder, overrides, put, said};
use super::{Exit, Failure, Options, SearchArgs};
use crate::estimate::{self, rough_time};
use crate::progress::status;
use crate::report;
use display::Display;
use queue::QueuedJob;
pub use queue::TableFormat;
pub(super) use queue::{BatchQueue, State};

/// The file name of the lock that a batch holds while it runs.
const LOCK: &str = "batch.lock";

/// So long it is tried for.
const PATIENCE: Duration = Duration::from_millis(200);

/// Whether a process is at work on the batch in the folder.
pub(super) fn is_at_work(folder: &Path) -> bool {
    Folder::open(folder).is_ok_and(|folder| folder.is_locked(LOCK))
}

/// `halma batch`: solves job after job. A job with a record is skipped, an interrupted one is resumed, and one that
/// fails does not stop the others.
pub(super) fn batch(
    paths: &[PathBuf],
    form: TableFormat,
    folder: Option<&Path>,
    options: &Options,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    if let Some(folder) = folder {
        // Seen now, not when the tables are written.
        make_folder(folder, "output", Access::WRITE_OK | Access::EXEC_OK, "--output-dir DIR")?;
    }
    // Whoever only asks for the lock, as `status`, has it for a moment. Some file systems have no locks.
    let place = folder.and_then(|folder| Folder::open(folder).ok());
    let lock = place.as_ref().map(|place| place.lock(LOCK, PATIENCE));
    if let (Some(folder), Some(Ok(None))) = (folder, &lock) {
        let folder = folder.display();
        let message =
            format!("{folder}: another batch is at work there; wait for its end, or give another --output-dir");
        return Err(Failure::input(message));
    }
    // All are read before the first one runs, so that errors are reported at once.
    let read: Vec<_> = files.iter().map(|file| read(file, &options.at(file))).collect();
    let rows = files.iter().zip(&read).map(|(file, job)| waiting(file, job.as_ref())).collect();
    let mut queue = BatchQueue { program: PROGRAM.into(), pid: std::process::id(), updated: status::now(), jobs: rows };
    let display = Display::new(folder, options.quiet, options.progress);
    let mut jobs = Vec::new();
    for (number, job) in read.into_iter().enumerate() {
        if let Some(first) = (0..number).find(|&first| same_file(&files[first], &files[number])) {
            let row = &mut queue.jobs[number];
            (row.state, row.exit) = (State::Skipped, Exit::Answered);
            row.said = format!("the queue has this job twice: it is number {}", first + 1);
        } else if let Ok(job) = &job
            && let Some((first, dir)) = in_the_way(&jobs, job)
        {
            let row = &mut queue.jobs[number];
            (row.state, row.exit) = (State::Failed, Exit::Input);
            row.said = format!(
                "{}, of another problem, has the same folder {}: give each job a dir of its own in [output]",
                files[first].display(),
                dir.display()
            );
        }
        if queue.jobs[number].state == State::Waiting {
            jobs.extend(job.ok().map(|job| (number, job)));
        } else {
            display.show(&mut queue, number);
        }
    }
    run_jobs(&mut queue, jobs, options, &display, search);
    display.clear();
    if options.json && options.quiet {
        // Records tell nothing of jobs that have none.
        let has_none =
            |job: &&QueuedJob| job.record.is_none() && matches!(job.state, State::Failed | State::Unfinished);
        for job in queue.jobs.iter().filter(has_none) {
            said(options.progress)(&job.named(job.headline()));
        }
    }
    // What was found is printed, even where the disk has no room for the tables.
    let printed = print_results(&queue, form, options.json, out);
    let written = folder.map_or(Ok(()), |folder| write_tables(&queue, folder));
    if let (Some(place), Some(Ok(Some(_)))) = (&place, &lock) {
        // While the lock is held.
        let _ = place.remove(LOCK);
    }
    printed.and(written)?;
    Ok(queue.exit())
}

/// The number of a job before this one whose record would be in its way, and the folder of both. A record that is there already
/// says whose folder it is.
fn in_the_way<'a>(before: &[(usize, Job)], job: &'a Job) -> Option<(usize, &'a Path)> {
    let dir = job.output.dir.as_deref()?;
    if Record::read(&dir.join(record::FILE)).is_ok_and(|there| there.problem == job.spec) {
        return None;
    }
    let same = |other: &Job| other.output.dir.as_deref() == Some(dir) && other.spec != job.spec;
    before.iter().find(|(_, other)| same(other)).map(|&(number, _)| (number, dir))
}

/// Runs those that wait, until one is interrupted.
fn run_jobs(queue: &mut BatchQueue, jobs: Vec<(usize, Job)>, options: &Options, display: &Display, search: &Search) {
    for (number, job) in jobs {
        queue.jobs[number].state = State::Running;
        // Jobs before it may have written to its folder.
        queue.jobs[number].folder = folder_of(&job);
        display.show(queue, number);
        let mut args = options.at(&queue.jobs[number].file);
        args.display = display.lend();
        let row = &mut queue.jobs[number];
        match one(&job, &args, search) {
            Ok((record, skipped)) => {
                let exit = Exit::of(&record);
                row.state = match (exit, skipped) {
                    (Exit::Unfinished, _) => State::Unfinished,
                    (_, true) => State::Skipped,
                    (_, false) => State::Done,
                };
                (row.exit, row.said) = (exit, report::sentence(&record));
                row.record = Some(record);
            }
            Err(failure) => {
                row.state = if failure.exit == Exit::Unfinished { State::Unfinished } else { State::Failed };
                (row.exit, row.said) = (failure.exit, failure.message);
            }
        }
        let interrupted = row.record.as_ref().is_some_and(Record::is_interrupted);
        display.show(queue, number);
        if interrupted {
            break;
        }
    }
}

/// Writes the table to the batch's folder, in all forms.
fn write_tables(queue: &BatchQueue, folder: &Path) -> Result<(), Failure> {
    for (form, name) in
        [(TableFormat::Text, "table.txt"), (TableFormat::Csv, "table.csv"), (TableFormat::Markdown, "table.md")]
    {
        let written = Folder::open(folder).and_then(|place| {
            let table = queue.table(form).map_err(|failure| io::Error::other(failure.message))?;
            place.replace(name, table.as_bytes(), |_| Ok(()))
        });
        written.map_err(|e| Failure::unwritten(&folder.join(name), &e))?;
    }
    Ok(())
}

/// Prints the table, or the records.
fn print_results(queue: &BatchQueue, form: TableFormat, as_json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    let text = match as_json {
        false => queue.table(form)?,
        true => {
            let records: Vec<&Record> = queue.jobs.iter().filter_map(|j| j.record.as_ref()).collect();
            json(serde_json::to_string_pretty(&records))? + "\n"
        }
    };
    put(&text, out)
}

/// Whether both paths lead to one file.
fn same_file(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

/// A job before its turn; if an earlier run of it was stopped, with an estimate of its next length. An invalid job has
/// failed already.
fn waiting(file: &Path, job: Result<&Job, &Failure>) -> QueuedJob {
    if let Err(Failure { exit, message }) = job {
        let (exit, said) = (*exit, message.clone());
        return QueuedJob { file: file.into(), state: State::Failed, folder: None, said, exit, record: None };
    }
    let folder = job.ok().and_then(folder_of);
    let record = folder.as_ref().and_then(|f| Record::read(&f.join(record::FILE)).ok());
    let estimate = record.filter(|r| r.verdict == Verdict::Incomplete).and_then(|r| estimate::estimates(&r.runs, 1));
    let said = estimate.and_then(|e| e.first().copied());
    let said = said.map(|e| format!("estimated: {} for length {}", rough_time(e.seconds), e.length));
    let exit = Exit::Unfinished;
    QueuedJob { file: file.into(), state: State::Waiting, folder, said: said.unwrap_or_default(), exit, record: None }
}

fn read(file: &Path, args: &SearchArgs) -> Result<Job, Failure> {
    let mut job = Job::read(file)?.with(&overrides(args, None, None))?;
    if job.output.dir.is_none() {
        // Without records a queue could not skip finished jobs.
        job.output.dir = Some(Path::new("runs").join(file.file_stem().unwrap_or_default()));
    }
    Ok(job)
}

/// Where a job's run is or will be; its own folder may have another question's record. What is wrong there is told in the
/// job's turn.
fn folder_of(job: &Job) -> Option<PathBuf> {
    run::place(job, Question::Solve).unwrap_or_else(|_| job.output.dir.clone())
}

/// The record of a job, and whether it was there before.
fn one(job: &Job, args: &SearchArgs, search: &Search) -> Result<(Record, bool), Failure> {
    let place = run::place(job, Question::Solve)?.map(|dir| dir.join(record::FILE));
    let there = place.filter(|file| file.symlink_metadata().is_ok()).map(|file| Record::read(&file)).transpose()?;
    // A record in that place answers this question.
    if let Some(record) = there.filter(|record| record.verdict != Verdict::Incomplete) {
        return Ok((record, true));
    }
    ask(job, Question::Solve, args, search).map(|record| (record, false))
}

/// Job files: the file itself, or all of a folder by name.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |e: io::Error| Failure::input(format!("{}: {e}", path.display()));
    if !path.is_dir() {
        files.push(path.into());
        return Ok(());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        found.push(entry.map_err(unreadable)?.path());
    }
    found.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    if found.is_empty() {
        return Err(Failure::input(format!("{}: there is no job file (*.toml) in it", path.display())));
    }
    found.sort();
    files.append(&mut found);
    Ok(())
}
