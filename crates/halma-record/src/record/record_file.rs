//! Record files: read with a clear error for each way to be invalid, and written atomically.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;

use halma_files::folder::{self, Folder};

use super::{FORMAT, Record};

/// Why a record cannot be read or written.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    Read {
        /// The record.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written: {source}", file.display())]
    Write {
        /// The record.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no record.
    #[error("{}: damaged record: {source}", file.display())]
    Damaged {
        /// The record.
        file: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The record contradicts itself.
    #[error("{}: damaged record: {reason}", file.display())]
    Contradiction {
        /// The record.
        file: PathBuf,
        /// What contradicts what.
        reason: String,
    },
    /// The file is of another kind.
    #[error("{}: {what}", file.display())]
    Other {
        /// The file.
        file: PathBuf,
        /// Which kind, and what to do with it.
        what: &'static str,
    },
    /// The file is a record that another version wrote.
    #[error(
        "{}: record of format {found}, this program reads format {FORMAT}; read it with the program that wrote it, or \
         search again in another folder",
        file.display()
    )]
    Format {
        /// The record.
        file: PathBuf,
        /// Its format.
        found: u32,
    },
}

impl Record {
    /// Reads a record, which must not contradict itself.
    ///
    /// # Errors
    /// [`RecordError::Damaged`], [`RecordError::Contradiction`] and [`RecordError::Format`] where the file is there and
    /// cannot be trusted.
    pub fn read(file: &Path) -> Result<Self, RecordError> {
        let record = Self::read_unjudged(file)?;
        match record.contradiction() {
            None => Ok(record),
            Some(reason) => Err(RecordError::Contradiction { file: file.into(), reason }),
        }
    }

    /// Reads a record for one who judges it himself.
    ///
    /// # Errors
    /// [`RecordError::Damaged`] and [`RecordError::Format`].
    pub fn read_unjudged(file: &Path) -> Result<Self, RecordError> {
        Ok(Self::read_with_unknown(file)?.0)
    }

    /// The same, with the names of fields that records do not have: whatever they say, nobody reads it.
    ///
    /// # Errors
    /// As [`Self::read_unjudged`].
    pub fn read_with_unknown(file: &Path) -> Result<(Self, Vec<String>), RecordError> {
        let refused = |source| RecordError::Read { file: file.into(), source };
        let (folder, name) = folder::parted(file).map_err(refused)?;
        let bytes = folder.read(name, folder::RECORD_BYTES).map_err(refused)?;
        let text = String::from_utf8(bytes).map_err(|e| match other_kind(e.as_bytes()) {
            Some(what) => RecordError::Other { file: file.into(), what },
            None => refused(io::Error::new(io::ErrorKind::InvalidData, e)),
        })?;
        Self::parse_with_unknown(file, &text)
    }

    /// Reads a record's text; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`Record::read`].
    pub fn parse(file: &Path, text: &str) -> Result<Self, RecordError> {
        Ok(Self::parse_with_unknown(file, text)?.0)
    }

    fn parse_with_unknown(file: &Path, text: &str) -> Result<(Self, Vec<String>), RecordError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let damaged = |source| RecordError::Damaged { file: file.into(), source };
        // The version first: a record of another format need not have the fields of this one.
        let Version { format } = serde_json::from_str(text).map_err(|e| match other_kind(text.as_bytes()) {
            Some(what) => RecordError::Other { file: file.into(), what },
            None => damaged(e),
        })?;
        if format != FORMAT {
            return Err(RecordError::Format { file: file.into(), found: format });
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let mut unknown = Vec::new();
        let record = serde_ignored::deserialize(&mut reader, |path| unknown.push(path.to_string())).map_err(damaged)?;
        reader.end().map_err(damaged)?;
        Ok((record, unknown))
    }

    /// The document, indented, with a line break at its end.
    ///
    /// # Errors
    /// Never for a record that this program made: all keys are text and all numbers finite.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Writes the record as `file`, whole or not at all, and makes its folder where that is missing.
    ///
    /// # Errors
    /// Where the file system does not let it, or the record is longer than any that is read.
    pub fn write(&self, file: &Path) -> Result<(), RecordError> {
        let write = || {
            let (parent, name) = folder::split(file)?;
            let text = self.to_json()?;
            if text.len() as u64 > folder::RECORD_BYTES {
                let [has, most] = [text.len() as u64, folder::RECORD_BYTES].map(bytesize::ByteSize);
                let why = format!("the record would have {has}, and one of more than {most} is not read");
                return Err(io::Error::other(why));
            }
            Folder::make(parent)?.replace(name, text.as_bytes(), File::sync_all)
        };
        write().map_err(|source| RecordError::Write { file: file.into(), source })
    }
}

/// What a file is that people take for a record, and what to do with it.
fn other_kind(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"halma refutes ") {
        return Some("a certificate, and no record; docs/certificate.md says what verifies it");
    }
    if serde_json::from_slice::<Vec<IgnoredAny>>(bytes).is_ok() {
        return Some("a list, and no record; halma compare and batch print records in lists");
    }
    let table = str::from_utf8(bytes).ok()?.parse::<toml::Table>().ok()?;
    match (table.contains_key("solution"), table.contains_key("problem")) {
        (true, _) => Some("a solution, and no record; halma replay plays it"),
        (false, true) => Some("a job, and no record; halma solve makes one of it"),
        (false, false) => None,
    }
}
