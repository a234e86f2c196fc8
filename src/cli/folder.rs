//! Where a run writes: into its folder, without taking the place of another question's record.

use std::path::PathBuf;

use super::{Exit, Failure};
use crate::job::Job;
use crate::record::{self, Asked, Record};
use crate::report;
use crate::run::Question;

/// The folder for the record of `question`; `None` where the job writes none.
///
/// It is the job's output folder, unless the record of another question about the same problem lies there (another
/// length, another pruning): then it is a folder beneath, named after the question as in `prove-26-leading`. A record
/// of the same question is written over.
///
/// # Errors
/// Where the record of another problem lies there, or what lies there is no record.
pub(super) fn choose(job: &Job, question: Question) -> Result<Option<PathBuf>, Failure> {
    let Some(dir) = job.output.dir.clone() else { return Ok(None) };
    if free(&dir.join(record::FILE), job, question)? {
        return Ok(Some(dir));
    }
    let beneath = dir.join(name(job, question));
    match free(&beneath.join(record::FILE), job, question)? {
        true => Ok(Some(beneath)),
        // Only a hand can have put it there.
        false => Err(Failure {
            exit: Exit::Input,
            message: format!("{}: the record of another question; move it away", beneath.join(record::FILE).display()),
        }),
    }
}

/// Whether nothing lies there, or a record of the same question.
fn free(file: &std::path::Path, job: &Job, question: Question) -> Result<bool, Failure> {
    if !file.exists() {
        return Ok(true);
    }
    let there = Record::read(file)?;
    if there.problem != job.stated {
        let message = format!(
            "{}: the record of another problem ({}); allowed is a folder of its own for each: change dir in [output], or \
             give --output-dir",
            file.display(),
            report::problem(&there.problem)
        );
        return Err(Failure { exit: Exit::Input, message });
    }
    let search = (&there.pruning, there.palindromic);
    Ok((there.question, there.max_length, there.depth) == question.asked(job)
        && search == (&job.search.pruning, job.search.palindromic))
}

fn name(job: &Job, question: Question) -> String {
    let (asked, max_length, depth) = question.asked(job);
    let mut name = format!("{asked:?}").to_lowercase();
    if let Some(number) = max_length.or(depth) {
        name += &format!("-{number}");
    }
    if job.search.palindromic {
        name += "-palindromic";
    }
    match asked {
        Asked::Levels => name,
        _ => format!("{name}-{}", job.search.pruning),
    }
}
