//! The jobs of a batch, how far each is, and the table at the end.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize, Serializer};

use halma_files::folder::{Folder, RECORD_BYTES};
use halma_files::plain;
use halma_record::record::Record;

use crate::cli::{Exit, Failure};
use crate::report::{self, grouped};

/// The file name of a batch's status.
pub(super) const FILE: &str = "batch.json";

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// In columns, for people
    Text,
    /// For spreadsheets
    Csv,
    /// For pages
    Markdown,
}

/// The status of a batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::cli) struct BatchQueue {
    pub(super) program: String,
    pub(super) pid: u32,
    pub(super) updated: u64,
    pub(in crate::cli) jobs: Vec<QueuedJob>,
}

/// One job of the batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::cli) struct QueuedJob {
    #[serde(serialize_with = "label")]
    pub(in crate::cli) file: PathBuf,
    pub(in crate::cli) state: State,
    /// The run's folder.
    #[serde(serialize_with = "label_of_any")]
    pub(in crate::cli) folder: Option<PathBuf>,
    /// The answer in a sentence, or the error; of a waiting job, an estimate of its next length.
    pub(in crate::cli) said: String,
    /// The exit status, if it were the only job.
    pub(in crate::cli) exit: Exit,
    #[serde(skip)]
    pub(super) record: Option<Record>,
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
pub(in crate::cli) enum State {
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

    pub(in crate::cli) fn name(self) -> &'static str {
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

impl BatchQueue {
    /// Reads the status of a batch; `None` if the folder has none.
    pub(in crate::cli) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&Folder::open(folder).ok()?.read(FILE, RECORD_BYTES).ok()?).ok()
    }

    /// Nobody works on it: what it says is running was left.
    pub(in crate::cli) fn leave(&mut self) {
        for job in self.jobs.iter_mut().filter(|job| job.state == State::Running) {
            (job.state, job.said) = (State::Left, "no process works on it; the same batch goes on".into());
        }
    }

    /// How many jobs are done, running, ...
    pub(in crate::cli) fn counts(&self) -> String {
        let count = |state| self.jobs.iter().filter(|j| j.state == state).count();
        let counts = State::ALL.map(|s| (count(s), s.name())).into_iter().filter(|(n, _)| *n > 0);
        counts.map(|(n, name)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
    }

    /// The exit status: the worst of all jobs.
    pub(in crate::cli) fn exit(&self) -> Exit {
        self.jobs.iter().fold(Exit::Answered, |worst, job| worse(worst, job.exit))
    }

    fn rows(&self, form: TableFormat) -> Vec<Vec<String>> {
        // A file's name may have a line break, which only CSV can say.
        let one_line = |cell: String| match form {
            TableFormat::Csv => cell,
            _ => cell.chars().map(plain::pictured).collect(),
        };
        self.jobs.iter().map(|job| job.cells(form).into_iter().map(one_line).collect()).collect()
    }

    /// The table.
    pub(super) fn table(&self, form: TableFormat) -> Result<String, Failure> {
        match form {
            // Answers are sentences, too long for a column.
            TableFormat::Text => {
                let rows = self.rows(form).into_iter().map(|row| row[..HEAD.len() - 1].to_vec());
                let failed = self.jobs.iter().filter(|j| j.state == State::Failed);
                let messages: String = failed.map(QueuedJob::message).collect();
                Ok(report::table(&HEAD[..HEAD.len() - 1], rows) + &messages)
            }
            TableFormat::Csv => {
                let mut writer = csv::Writer::from_writer(Vec::new());
                let odd = |message: String| Failure::failed(message);
                let lines = std::iter::once(HEAD.map(String::from).to_vec()).chain(self.rows(form));
                for row in lines {
                    writer.write_record(row).map_err(|e| odd(e.to_string()))?;
                }
                let bytes = writer.into_inner().map_err(|e| odd(e.to_string()))?;
                String::from_utf8(bytes).map_err(|e| odd(e.to_string()))
            }
            TableFormat::Markdown => {
                let line = |cells: &[String]| {
                    let cells: Vec<String> = cells.iter().map(|c| c.replace('|', "\\|")).collect();
                    format!("| {} |\n", cells.join(" | "))
                };
                let rule = format!("|{}\n", " --- |".repeat(HEAD.len()));
                let body: String = self.rows(form).iter().map(|row| line(row)).collect();
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

impl QueuedJob {
    fn cells(&self, form: TableFormat) -> Vec<String> {
        // Spreadsheets add numbers up that are nothing else.
        let counted = |n: u64| if form == TableFormat::Csv { n.to_string() } else { grouped(n) };
        let sized = |n: u64| if form == TableFormat::Csv { n.to_string() } else { bytesize::ByteSize(n).to_string() };
        let number = |n: Option<u32>| n.map(|n| n.to_string()).unwrap_or_default();
        let of = |f: &dyn Fn(&Record) -> String| self.record.as_ref().map(f).unwrap_or_default();
        vec![
            self.file.display().to_string(),
            self.state.name().into(),
            of(&|r| report::verdict(r.verdict).into()),
            of(&|r| number(r.length)),
            of(&|r| number(r.refuted_up_to)),
            of(&|r| r.pruning.to_string()),
            of(&|r| counted(r.generated())),
            of(&|r| counted(r.largest_level())),
            of(&|r| format!("{:.1}", r.seconds)),
            of(&|r| sized(r.peak_memory_bytes)),
            self.headline().into(),
        ]
    }

    /// Why it failed, under its table.
    fn message(&self) -> String {
        format!("\n{}\n", self.named(&self.said))
    }

    /// A message with the job's file in front. What is wrong with the file itself begins with its name already.
    pub(super) fn named(&self, message: &str) -> String {
        let file = self.file.display();
        if message.starts_with(&format!("{file}:")) { message.into() } else { format!("{file}: {message}") }
    }

    /// What is said of it, in a line.
    pub(in crate::cli) fn headline(&self) -> &str {
        self.said.lines().next().unwrap_or_default()
    }

    /// Its state, its file and what is `said` of it, in a line.
    pub(in crate::cli) fn line(&self, said: &str) -> String {
        format!("{:<10} {}  {said}", self.state.name(), self.file.display()).trim_end().into()
    }
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
