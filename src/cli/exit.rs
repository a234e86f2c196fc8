//! The exit statuses, and the one error message of a command that failed.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use halma_check::CheckError;
use halma_engine::store::StoreError;
use halma_files::folder::is_no_room;
use halma_files::plain;
use halma_record::job::Pruning;
use halma_record::record::{Asked, Record, RecordError, Verdict};
use halma_record::source::InputError;
use halma_rules::replay::ReplayError;
use halma_solve::run::RunError;

use super::row::RowError;
use crate::report;

/// The exit status, a contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
#[repr(u8)]
pub enum Exit {
    /// The question was answered.
    Answered = 0,
    /// Anything without a status of its own.
    Failed = 1,
    /// The job or the command line is wrong.
    Input = 2,
    /// The search ended before it had an answer.
    Unfinished = 3,
    /// A record or a file of a run is damaged, missing or foreign. One of another version is [`Self::Input`].
    Damaged = 4,
    /// `prove`: a solution exists.
    Exists = 10,
    /// `prove`: none does.
    Refuted = 20,
}

impl Exit {
    const ALL: [Self; 7] =
        [Self::Answered, Self::Failed, Self::Input, Self::Unfinished, Self::Damaged, Self::Exists, Self::Refuted];

    /// The status of a record.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        match (record.verdict, record.question) {
            (Verdict::Incomplete, _) => Self::Unfinished,
            (Verdict::None, Asked::Prove) => Self::Refuted,
            (Verdict::Optimal | Verdict::Solution, Asked::Prove) => Self::Exists,
            // A solution that may not be shortest answers no other question.
            (Verdict::Solution, _) => Self::Unfinished,
            (Verdict::Optimal | Verdict::None | Verdict::Levels | Verdict::Counted, _) => Self::Answered,
        }
    }
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        exit as Self
    }
}

impl TryFrom<u8> for Exit {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|&exit| u8::from(exit) == number);
        found.ok_or_else(|| format!("{number} is no exit status of this program"))
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command failed: one message, and the exit status.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub exit: Exit,
    /// The message; none if nobody is left to read it.
    pub message: String,
}

impl Failure {
    /// The same, of one of several searches.
    pub(super) fn with(self, pruning: &Pruning) -> Self {
        // Without a message nobody is left to read it.
        let message = if self.message.is_empty() { String::new() } else { format!("{pruning}: {}", self.message) };
        Self { message, ..self }
    }

    /// The job, the command line or a file that was named is wrong.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { exit: Exit::Input, message: message.into() }
    }

    /// A file that was named cannot be written. That the disk is full is no fault of who named it.
    pub(crate) fn unwritten(file: &Path, error: &io::Error) -> Self {
        let message = format!("{}: cannot be written: {error}", file.display());
        if is_no_room(error) { Self::failed(message) } else { Self::input(message) }
    }

    /// Something else went wrong.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, message: message.into() }
    }
}

impl From<InputError> for Failure {
    fn from(fault: InputError) -> Self {
        Self::input(fault.to_string())
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        match error {
            ReplayError::Record(error) => error.into(),
            ReplayError::Solution(_) | ReplayError::Nothing(_) => Self::input(error.to_string()),
            ReplayError::Damaged { .. } => Self { exit: Exit::Damaged, message: error.to_string() },
        }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let exit = match &error {
            // Bytes that are no text, a link, a pipe: something is there, and it is no record.
            RecordError::Read { source, .. } if source.kind() == io::ErrorKind::InvalidData => Exit::Damaged,
            RecordError::Read { .. } | RecordError::Other { .. } | RecordError::Format { .. } => Exit::Input,
            // The run's folder still has what it takes to go on.
            RecordError::Write { source, .. } if is_no_room(source) => Exit::Unfinished,
            RecordError::Write { .. } => Exit::Failed,
            RecordError::Damaged { .. } | RecordError::Contradiction { .. } => Exit::Damaged,
        };
        Self { exit, message: error.to_string() }
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Record(error) => error.into(),
            CheckError::Rejected { .. } => Self { exit: Exit::Damaged, message: error.to_string() },
            CheckError::Version { .. } => Self::input(error.to_string()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let exit = match error {
            RunError::TooLarge { .. }
            | RunError::TooManyStates(_)
            | RunError::EarlierRecord(_)
            | RunError::NoGoal(_)
            | RunError::Projection(_)
            | RunError::ProjectionOfFree
            | RunError::NoBound
            | RunError::CountUnder(_)
            | RunError::CountUnderBound
            | RunError::UnknownClasses
            | RunError::NotShared { .. }
            | RunError::TooLittleMemory { .. }
            | RunError::OtherQuestion { .. } => Exit::Input,
            RunError::Threads(_) | RunError::NoMove { .. } | RunError::Contradiction(_) => Exit::Failed,
            RunError::Lost(_) | RunError::InTrials(_) => Exit::Unfinished,
            RunError::OtherProblem { file, problem, key } => {
                let (file, problem) = (file.display(), report::problem(&problem));
                let differs = key.map(|key| format!("`{key}` differs; ")).unwrap_or_default();
                let allowed = "allowed is a folder of its own for each: change dir in [output], or give --output-dir";
                let message = format!("{file}: the record of another problem ({problem}); {differs}{allowed}");
                return Self::input(message);
            }
            RunError::Store(fault) => return fault.into(),
            RunError::Record(fault) => return fault.into(),
        };
        Self { exit, message: error.to_string() }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match error {
            StoreError::Damaged { .. } | StoreError::Missing { .. } | StoreError::Foreign { .. } => Exit::Damaged,
            StoreError::Full { .. } => Exit::Unfinished,
            StoreError::Version { .. } | StoreError::Locked { .. } | StoreError::OtherRun { .. } => Exit::Input,
            StoreError::Io { .. } => Exit::Failed,
        };
        let hint = match &error {
            StoreError::Locked { folder } => format!("; {} tells how far it is", command("status", folder)),
            _ => String::new(),
        };
        Self { exit, message: format!("{error}{hint}") }
    }
}

/// A command for a folder, as it is typed.
pub(super) fn command(name: &str, folder: &Path) -> String {
    format!("halma {name} {}", plain::quoted(&folder.to_string_lossy()))
}

impl From<RowError> for Failure {
    fn from(error: RowError) -> Self {
        Self { exit: error.exit(), message: error.to_string() }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Whoever read it has read enough.
            io::ErrorKind::BrokenPipe => Self { exit: Exit::Answered, message: String::new() },
            _ => Self::failed(format!("standard output: {error}")),
        }
    }
}
