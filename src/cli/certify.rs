//! `halma certify`: writes a run's refutation as a certificate.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use halma_record::record::Record;
use halma_record::words::{counted, moves};
use halma_solve::certify::{self, CertifyError, Resources};

use super::asking::{catch, pool, said};
use super::{Exit, Failure, record_files, threads, whole_file};
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

/// Of which run, and where it goes.
#[derive(Clone, Debug, Args)]
pub struct CertifyArgs {
    /// The run's folder, or its result.json
    pub run: PathBuf,
    /// The certificate
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Meet from the target a level of more than N states that has doubled
    #[arg(long, value_name = "N", default_value_t = halma_solve::certify::LARGE)]
    pub meet_beyond: usize,
    /// Threads; all that the machine has where not given
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u32>,
    /// No progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// Writes the certificate of a run as a file, whole or not at all.
pub(super) fn certify(args: &CertifyArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let CertifyArgs { run, output: file, meet_beyond, threads, quiet } = args;
    let record = Record::read(&record_files::record_of(run)?)?;
    let unwritten = |e: io::Error| Failure::unwritten(file, &e);
    let target = whole_file::Target::open(file).map_err(unwritten)?;
    let tell = |text: &str| {
        if !quiet {
            said(ProgressForm::Auto)(text);
        }
    };
    let pool = pool(*threads)?;
    let interrupts = catch(ProgressForm::Auto)?;
    let cancel = interrupts.token(None);
    let resources = Resources { large: *meet_beyond, cancel: &cancel, tell: &tell };
    let certificate = pool.install(|| certify::certify(&record, resources)).map_err(|e| {
        // Of another kind of problem no question can be certified.
        let is_transfer = record.problem.kind() == "transfer";
        let unfit = is_transfer && matches!(e, CertifyError::Nothing(_) | CertifyError::Unfit(_));
        let others = if unfit { record_files::hint_at_others(run) } else { String::new() };
        Failure { message: format!("{}: {e}{others}", run.display()), ..Failure::from(e) }
    })?;
    let bytes = target.write(|out| certificate.write(out)).map_err(unwritten)?;
    let states = counted(certificate.families.iter().flatten().map(Vec::len).sum(), "state");
    let length = moves(certificate.length);
    writeln!(out, "{}: no solution of at most {length}; {states}, {bytes} bytes", file.display())?;
    Ok(Exit::Answered)
}
