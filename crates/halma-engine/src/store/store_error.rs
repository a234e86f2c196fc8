//! Errors of stored levels, each with its advice.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// An error of a stored level.
///
/// A file of the run can be wrong in four ways, each with its own advice: it is missing, it is of another version, it
/// is a foreign file, or it is damaged.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file's contents are not what was written there; it must not be used.
    #[error("{}: damaged: {reason}; restore it from a copy, or remove the run's folder to search afresh", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What shows it.
        reason: String,
    },
    /// A file that the run needs is missing.
    #[error("{}: it is missing; restore it from a copy, or remove the run's folder to search afresh", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// A file was written by another version of the program.
    #[error(
        "{}: it is of {found}, this program reads {reads}; go on with the program that wrote it, or remove the run's \
         folder to search afresh",
        file.display()
    )]
    Version {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: String,
        /// The version that can be read.
        reads: String,
    },
    /// The file is not of this run: a whole file that belongs elsewhere, a link, or something that this program does
    /// not write.
    #[error("{}: {reason}; move it away, or put the run's own file back in its place", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
        /// What it is.
        reason: String,
    },
    /// The system refused to read or write.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The disk, or the part of it that the job may use, is full.
    #[error("{}: no room: {reason}", file.display())]
    Full {
        /// The file that could not grow.
        file: PathBuf,
        /// Which limit was met.
        reason: String,
    },
    /// Another process works in the run's folder.
    #[error("{}: another process is at work on this run", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// The run's folder belongs to another run.
    #[error("{}: {reason}", folder.display())]
    OtherRun {
        /// The folder.
        folder: PathBuf,
        /// To which, and what to do.
        reason: String,
    },
}

impl StoreError {
    /// The error for a necessary file that cannot be opened.
    #[must_use]
    pub fn opening(file: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { file },
            _ => Self::io(file, source),
        }
    }

    /// The error for `file`, which cannot be opened, read or written.
    #[must_use]
    pub fn io(file: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            // Links, pipes and other things that this program does not write.
            io::ErrorKind::InvalidData => Self::Foreign { file, reason: source.to_string() },
            _ => Self::Io { file, source },
        }
    }

    /// Whether the error is that a file of the run is missing or is not what was written there.
    #[must_use]
    pub fn is_unusable_file(&self) -> bool {
        match self {
            Self::Damaged { .. } | Self::Missing { .. } | Self::Version { .. } | Self::Foreign { .. } => true,
            Self::Io { .. } | Self::Full { .. } | Self::Locked { .. } | Self::OtherRun { .. } => false,
        }
    }
}
