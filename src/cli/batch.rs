//! `halma batch`: a queue of jobs, some of which may be finished or interrupted.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize, Serializer};

use halma_files::folder::{Folder, RECORD, refuse_link};
use halma_files::plain;
use halma_record::record::{self, PROGRAM, Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{self, Question};

use super::asking::{Search, ask, overrides, put};
use super::{Exit, Failure, Live, Options, SearchArgs};
use crate::estimate::{self, rough};
use crate::progress::{Form, Lines, json, status};
use crate::report::{self, grouped};

/// The file name of a batch's status.
pub(super) const FILE: &str = "batch.json";

/// The file name of the lock that a batch holds while it runs.
const LOCK: &str = "batch.lock";

/// Whether a process is at work on the batch in the folder.
pub(super) fn is_at_work(folder: &Path) -> bool {
    Folder::open(folder).is_ok_and(|folder| folder.is_locked(LOCK))
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Table {
    /// In columns, for people
    Text,
    /// For spreadsheets
    Csv,
    /// For pages
    Markdown,
}

/// The status of a batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Queue {
    program: String,
    pub(super) pid: u32,
    updated: u64,
    pub(super) jobs: Vec<Row>,
}

/// One job of the batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    #[serde(serialize_with = "label")]
    pub(super) file: PathBuf,
    pub(super) state: State,
    /// The run's folder.
    #[serde(serialize_with = "label_of_any")]
    pub(super) folder: Option<PathBuf>,
    /// The answer in a sentence, or the error; of a waiting job, an estimate of its next length.
    pub(super) said: String,
    /// The exit status, if it were the only job.
    pub(super) exit: u8,
    #[serde(skip)]
    record: Option<Record>,
}

/// Writes a path for people; its name need not be UTF-8, as JSON is.
fn label<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

fn label_of_any<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.display().to_string()).serialize(to)
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Waiting,
    Running,
    Done,
    /// Its record was there before, or the job is in the queue twice.
    Skipped,
    /// Its process has gone without a word.
    Left,
    /// Stopped by a limit or a signal.
    Unfinished,
    Failed,
}

impl State {
    const ALL: [Self; 7] =
        [Self::Done, Self::Skipped, Self::Running, Self::Left, Self::Waiting, Self::Unfinished, Self::Failed];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Left => "left",
            Self::Unfinished => "unfinished",
            Self::Failed => "failed",
        }
    }
}

impl Queue {
    /// Reads the status of a batch; `None` if the folder has none.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&Folder::open(folder).ok()?.read(FILE, RECORD).ok()?).ok()
    }

    /// Nobody works on it: what it says is running was left.
    pub(super) fn leave(&mut self) {
        for job in self.jobs.iter_mut().filter(|job| job.state == State::Running) {
            (job.state, job.said) = (State::Left, "no process works on it; the same batch goes on".into());
        }
    }

    /// How many jobs are done, running, ...
    pub(super) fn counts(&self) -> String {
        let count = |state| self.jobs.iter().filter(|j| j.state == state).count();
        let counts = State::ALL.map(|s| (count(s), s.name())).into_iter().filter(|(n, _)| *n > 0);
        counts.map(|(n, name)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
    }

    /// The exit status: the worst of all jobs.
    pub(super) fn exit(&self) -> Exit {
        self.jobs.iter().fold(Exit::Answered, |worst, job| worse(worst, exit_of(job.exit)))
    }

    fn rows(&self) -> Vec<Vec<String>> {
        self.jobs.iter().map(Row::cells).collect()
    }

    /// The table.
    fn table(&self, form: Table) -> Result<String, Failure> {
        match form {
            // Answers are sentences, too long for a column.
            Table::Text => {
                let rows = self.rows().into_iter().map(|row| row[..HEAD.len() - 1].to_vec());
                let failed = self.jobs.iter().filter(|j| j.state == State::Failed);
                let messages: String = failed.map(|j| format!("\n{}\n", j.said)).collect();
                Ok(report::table(&HEAD[..HEAD.len() - 1], rows) + &messages)
            }
            Table::Csv => {
                let mut writer = csv::Writer::from_writer(Vec::new());
                let odd = |message: String| Failure { exit: Exit::Failed, message };
                let lines = std::iter::once(HEAD.map(String::from).to_vec()).chain(self.rows());
                for row in lines {
                    writer.write_record(row).map_err(|e| odd(e.to_string()))?;
                }
                let bytes = writer.into_inner().map_err(|e| odd(e.to_string()))?;
                String::from_utf8(bytes).map_err(|e| odd(e.to_string()))
            }
            Table::Markdown => {
                let line = |cells: &[String]| {
                    let cells: Vec<String> = cells.iter().map(|c| c.replace('|', "\\|")).collect();
                    format!("| {} |\n", cells.join(" | "))
                };
                let rule = format!("|{}\n", " --- |".repeat(HEAD.len()));
                let body: String = self.rows().iter().map(|row| line(row)).collect();
                Ok(line(&HEAD.map(String::from)) + &rule + &body)
            }
        }
    }
}

const HEAD: [&str; 11] = [
    "job",
    "state",
    "verdict",
    "length",
    "refuted",
    "pruning",
    "successors",
    "largest level",
    "seconds",
    "memory",
    "answer",
];

impl Row {
    fn cells(&self) -> Vec<String> {
        let number = |n: Option<u32>| n.map(|n| n.to_string()).unwrap_or_default();
        let of = |f: &dyn Fn(&Record) -> String| self.record.as_ref().map(f).unwrap_or_default();
        vec![
            self.file.display().to_string(),
            self.state.name().into(),
            of(&|r| report::verdict(r.verdict).into()),
            of(&|r| number(r.length)),
            of(&|r| number(r.refuted_up_to)),
            of(&|r| r.pruning.to_string()),
            of(&|r| grouped(r.runs.iter().map(|run| run.generated).sum())),
            of(&|r| grouped(r.runs.iter().map(|run| run.largest_level).max().unwrap_or(0))),
            of(&|r| format!("{:.1}", r.seconds)),
            of(&|r| bytesize::ByteSize(r.peak_memory_bytes).to_string()),
            self.said.lines().next().unwrap_or_default().into(),
        ]
    }
}

/// The displays of a batch: a table on a terminal, lines elsewhere, a log and a status file in its folder.
struct Board<'a> {
    folder: Option<&'a Path>,
    log: Option<PathBuf>,
    quiet: bool,
    form: Form,
    screen: Option<(MultiProgress, ProgressBar)>,
}

impl<'a> Board<'a> {
    fn new(folder: Option<&'a Path>, quiet: bool, form: Form) -> Self {
        let live = || {
            let screen = MultiProgress::new();
            let table = screen.add(ProgressBar::new_spinner());
            table.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()));
            (screen, table)
        };
        let log = folder.map(|f| f.join("batch.log")).filter(|log| refuse_link(log).is_ok());
        let on_terminal = !quiet && form == Form::Auto && io::stderr().is_terminal();
        Self { folder, log, quiet, form, screen: on_terminal.then(live) }
    }

    fn show(&self, queue: &mut Queue, changed: usize) {
        queue.updated = status::now();
        if let Some(folder) = self.folder {
            status::write(&folder.join(FILE), queue);
        }
        let job = &queue.jobs[changed];
        let said = job.said.lines().next().unwrap_or_default();
        let line =
            format!("{} of {}: {} {}  {said}", changed + 1, queue.jobs.len(), job.state.name(), job.file.display());
        if let Some(log) = &self.log {
            Lines::in_log(log).line(&line);
        }
        match &self.screen {
            Some((_, table)) => table.set_message(plain::message(&live(queue, changed)).into_owned()),
            None if self.quiet => {}
            None if self.form == Form::Json => json::note(line.trim_end()),
            None => Lines::on_stderr().line(line.trim_end()),
        }
    }

    /// The display that a job's search uses.
    fn lend(&self) -> Live {
        Live { screen: self.screen.as_ref().map(|(screen, _)| screen.clone()), log: self.log.clone() }
    }

    fn clear(&self) {
        if let Some((screen, table)) = &self.screen {
            table.finish_and_clear();
            let _ = screen.clear();
        }
    }
}

/// How many jobs before and after the running one the screen shows.
const NEAR: usize = 8;

/// The table on the screen.
fn live(queue: &Queue, changed: usize) -> String {
    let near = changed.saturating_sub(NEAR)..(changed + NEAR + 1).min(queue.jobs.len());
    let line = |job: &Row| {
        let said = job.said.lines().next().unwrap_or_default();
        format!("{:<10} {}  {said}", job.state.name(), job.file.display()).chars().take(100).collect::<String>()
    };
    let lines = queue.jobs[near].iter().map(line);
    std::iter::once(queue.counts()).chain(lines).collect::<Vec<_>>().join("\n")
}

/// `halma batch`: solves job after job. A job with a record is skipped, an interrupted one is resumed, and one that
/// fails does not stop the others.
pub(super) fn batch(
    paths: &[PathBuf],
    form: Table,
    folder: Option<&Path>,
    options: &Options,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    if files.is_empty() {
        return Err(Failure { exit: Exit::Input, message: "no job file (*.toml) there".into() });
    }
    if let Some(folder) = folder {
        let unmade = |e| format!("{}: the folder cannot be made: {e}", folder.display());
        std::fs::create_dir_all(folder).map_err(|e| Failure { exit: Exit::Input, message: unmade(e) })?;
    }
    // Two batches may share a folder; one of them holds the lock.
    let place = folder.and_then(|folder| Folder::open(folder).ok());
    let lock = place.as_ref().and_then(|place| place.lock(LOCK, Duration::ZERO).ok().flatten());
    // All are read before the first one runs, so that errors are reported at once.
    let read: Vec<_> = files.iter().map(|file| read(file, &options.at(file))).collect();
    let rows = files.iter().zip(&read).map(|(file, job)| waiting(file, job.as_ref())).collect();
    let mut queue = Queue { program: PROGRAM.into(), pid: std::process::id(), updated: status::now(), jobs: rows };
    let board = Board::new(folder, options.quiet, options.progress);
    let mut jobs = Vec::new();
    for (number, job) in read.into_iter().enumerate() {
        if let Some(first) = (0..number).find(|&first| same_file(&files[first], &files[number])) {
            let row = &mut queue.jobs[number];
            (row.state, row.exit) = (State::Skipped, Exit::Answered as u8);
            row.said = format!("the queue has this job twice: it is number {}", first + 1);
        }
        if queue.jobs[number].state == State::Waiting {
            jobs.extend(job.ok().map(|job| (number, job)));
        } else {
            board.show(&mut queue, number);
        }
    }
    for (number, job) in jobs {
        queue.jobs[number].state = State::Running;
        // Jobs before it may have written to its folder.
        queue.jobs[number].folder = folder_of(&job);
        board.show(&mut queue, number);
        let mut args = options.at(&files[number]);
        args.live = board.lend();
        let row = &mut queue.jobs[number];
        match one(&job, &args, search) {
            Ok((record, skipped)) => {
                let exit = Exit::of(&record);
                row.state = match (exit, skipped) {
                    (Exit::Unfinished, _) => State::Unfinished,
                    (_, true) => State::Skipped,
                    (_, false) => State::Done,
                };
                (row.exit, row.said) = (exit as u8, report::sentence(&record));
                row.record = Some(record);
            }
            Err(failure) => {
                row.state = if failure.exit == Exit::Unfinished { State::Unfinished } else { State::Failed };
                (row.exit, row.said) = (failure.exit as u8, failure.message);
            }
        }
        let interrupted = row.record.as_ref().is_some_and(|r| r.reason.as_deref() == Some("interrupted"));
        board.show(&mut queue, number);
        if interrupted {
            break;
        }
    }
    board.clear();
    finish(&queue, form, folder, options.json, out)?;
    if let Some(place) = place.filter(|_| lock.is_some()) {
        // While the lock is held.
        let _ = place.remove(LOCK);
    }
    Ok(queue.exit())
}

/// Writes the results.
fn finish(queue: &Queue, form: Table, folder: Option<&Path>, json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(folder) = folder {
        for (form, name) in [(Table::Text, "table.txt"), (Table::Csv, "table.csv"), (Table::Markdown, "table.md")] {
            let written = Folder::open(folder).and_then(|place| {
                let table = queue.table(form).map_err(|failure| io::Error::other(failure.message))?;
                place.replace(name, table.as_bytes(), |_| Ok(()))
            });
            let message = |e| format!("{}: cannot be written: {e}", folder.join(name).display());
            written.map_err(|e| Failure { exit: Exit::Input, message: message(e) })?;
        }
    }
    let text = match json {
        false => queue.table(form)?,
        true => {
            let records: Vec<&Record> = queue.jobs.iter().filter_map(|j| j.record.as_ref()).collect();
            let text = serde_json::to_string_pretty(&records);
            text.map_err(|e| Failure { exit: Exit::Failed, message: e.to_string() })? + "\n"
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
fn waiting(file: &Path, job: Result<&Job, &Failure>) -> Row {
    if let Err(Failure { exit, message }) = job {
        let (exit, said) = (*exit as u8, message.clone());
        return Row { file: file.into(), state: State::Failed, folder: None, said, exit, record: None };
    }
    let folder = job.ok().and_then(folder_of);
    let record = folder.as_ref().and_then(|f| Record::read(&f.join(record::FILE)).ok());
    let estimate = record.filter(|r| r.verdict == Verdict::Incomplete).and_then(|r| estimate::estimates(&r.runs, 1));
    let said = estimate.and_then(|e| e.first().copied());
    let said = said.map(|e| format!("estimated: {} for length {}", rough(e.seconds), e.length));
    let exit = Exit::Unfinished as u8;
    Row { file: file.into(), state: State::Waiting, folder, said: said.unwrap_or_default(), exit, record: None }
}

fn read(file: &Path, args: &SearchArgs) -> Result<Job, Failure> {
    let mut job = Job::read(file)?.with(&overrides(args, None))?;
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
    let unreadable = |e: io::Error| Failure { exit: Exit::Input, message: format!("{}: {e}", path.display()) };
    if !path.is_dir() {
        files.push(path.into());
        return Ok(());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        found.push(entry.map_err(unreadable)?.path());
    }
    found.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    found.sort();
    files.append(&mut found);
    Ok(())
}

/// The exit status that says more: damage before failure before bad input before not finished.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Damaged => 4,
        Exit::Failed => 3,
        Exit::Input => 2,
        Exit::Unfinished => 1,
        _ => 0,
    };
    if rank(other) > rank(one) { other } else { one }
}

fn exit_of(number: u8) -> Exit {
    [Exit::Answered, Exit::Input, Exit::Unfinished, Exit::Damaged]
        .into_iter()
        .find(|e| *e as u8 == number)
        .unwrap_or(Exit::Failed)
}
