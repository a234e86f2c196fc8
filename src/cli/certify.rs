//! `halma certify`: writes a run's refutation as a certificate.

use std::io::{self, Write};
use std::path::Path;

use halma_record::record::Record;
use halma_solve::certify::{self, CertifyError, Resources};

use super::asking::{catch, record_file};
use super::{Exit, Failure, whole_file};
use crate::progress::ProgressForm;

impl From<CertifyError> for Failure {
    fn from(error: CertifyError) -> Self {
        let exit = match error {
            CertifyError::Nothing(_) | CertifyError::Unfit(_) => Exit::Input,
            CertifyError::Wrong(_) => Exit::Damaged,
            CertifyError::Stopped(_) => Exit::Unfinished,
        };
        Self { exit, message: error.to_string() }
    }
}

/// Writes the certificate of a run as `file`, whole or not at all.
pub(super) fn certify(
    run: &Path,
    file: &Path,
    large: usize,
    (threads, quiet): (Option<u32>, bool),
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let record = Record::read(&record_file(run))?;
    let tell = |text: &str| {
        if !quiet {
            // Who closed standard error does not want it.
            let _ = writeln!(io::stderr(), "{text}");
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, |t| t as usize)).build();
    let pool = pool.map_err(|e| Failure::failed(format!("cannot start threads: {e}")))?;
    let interrupts = catch(ProgressForm::Auto)?;
    let cancel = interrupts.token(None);
    let resources = Resources { large, cancel: &cancel, tell: &tell };
    let certificate = pool
        .install(|| certify::certify(&record, resources))
        .map_err(|e| Failure { message: format!("{}: {e}", run.display()), ..Failure::from(e) })?;
    let bytes = whole_file::write(file, |out| certificate.write(out)).map_err(|e| Failure {
        exit: if e.kind() == io::ErrorKind::StorageFull { Exit::Unfinished } else { Exit::Failed },
        message: format!("{}: the certificate cannot be written: {e}", file.display()),
    })?;
    let states: usize = certificate.families.iter().flatten().map(Vec::len).sum();
    let length = certificate.length;
    writeln!(out, "{}: no solution of at most {length} moves; {states} states, {bytes} bytes", file.display())?;
    Ok(Exit::Answered)
}
