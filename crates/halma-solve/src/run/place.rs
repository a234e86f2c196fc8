//! Chooses the folder that a run writes to, so that it does not replace another question's record.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use halma_engine::store::{StoreError, workspace};
use halma_files::folder::{self, Folder};
use halma_record::record::{self, Asked, PROGRAM, Record, Verdict};
use halma_rules::job::Job;

use super::identity::{Identity, lists};
use super::terms::goes_deeper;
use super::{Question, RunError, earlier_record};

/// The folder for the record of `question`; `None` if the job has no output folder.
///
/// It is the job's output folder, unless that has the record, or the interrupted run, of another question about the same problem
/// (another length, another pruning). Then it is a folder beneath, named after the question as in `prove-26-leading`. A record
/// of the same question is replaced; one of a run that has ended, only by another such record.
///
/// # Errors
/// Where the folder has the record of another problem, or something that is no record.
pub fn place(job: &Job, question: Question) -> Result<Option<PathBuf>, RunError> {
    Ok(place_and_end(job, question)?.map(|(dir, _)| dir))
}

/// The same, and whether a run of this question has ended there: its record says more than that it is not finished.
pub(super) fn place_and_end(job: &Job, question: Question) -> Result<Option<(PathBuf, bool)>, RunError> {
    let Some(dir) = job.output.dir.clone() else { return Ok(None) };
    match there(&dir.join(record::FILE), job, question)? {
        There::Other => {}
        _ if another_is_under_way(&dir, job, question) => {}
        own => return Ok(Some((dir, own == There::Ended))),
    }
    let beneath = dir.join(name(job, question));
    folder::refuse_link(&beneath).map_err(|source| StoreError::io(beneath.clone(), source))?;
    let file = beneath.join(record::FILE);
    match there(&file, job, question)? {
        // Only a person can have put another record there.
        There::Other => Err(RunError::OtherQuestion { file }),
        own => Ok(Some((beneath, own == There::Ended))),
    }
}

/// What is in the place of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum There {
    Nothing,
    /// The record of a run of the same question that was stopped.
    Stopped,
    /// That of one that has ended.
    Ended,
    /// The record of another question about the same problem.
    Other,
}

fn there(file: &Path, job: &Job, question: Question) -> Result<There, RunError> {
    match file.symlink_metadata() {
        Ok(_) => {}
        // Whether the folder can be made is asked when the run begins.
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(There::Nothing),
        Err(source) => return Err(StoreError::io(file.into(), source).into()),
    }
    let there = Record::read(file)?;
    if there.problem != job.spec {
        let key = there.problem.differs_in(&job.spec);
        return Err(RunError::OtherProblem { file: file.into(), problem: Box::new(there.problem), key });
    }
    let is_same = (there.question, there.max_length, there.depth) == question.asked(job)
        && (there.question == Asked::Levels || job.search.pruning.may_become(&there.pruning))
        && there.palindromic == job.search.palindromic;
    Ok(match there.verdict {
        _ if !is_same => There::Other,
        Verdict::Incomplete => There::Stopped,
        _ => There::Ended,
    })
}

/// Whether the folder has the levels of a run of another question about the same problem: one that was killed before it had a
/// record, or whose record does not say all of what was asked.
fn another_is_under_way(dir: &Path, job: &Job, question: Question) -> bool {
    let is_other = |folder: &Path, shared: bool| {
        // Whatever else is there, the run says when it opens the folder.
        let Ok(Some((run, terms))) = workspace::run_and_terms(folder) else { return false };
        let Ok(run) = serde_json::from_value::<Identity>(run) else { return false };
        let is_other = || !run.answers(job, question) || goes_deeper(terms, question);
        run.program == PROGRAM && run.problem == job.spec && run.share.is_some() == shared && is_other()
    };
    let shares = Folder::open(dir).and_then(|place| workspace::share_names(&place)).unwrap_or_default();
    is_other(dir, false) || shares.iter().any(|(name, _)| is_other(&dir.join(name), true))
}

fn name(job: &Job, question: Question) -> String {
    let (asked, max_length, depth) = question.asked(job);
    let mut name = asked.name().to_owned();
    if let Some(number) = max_length.or(depth) {
        name += &format!("-{number}");
    }
    if job.search.palindromic {
        name += "-palindromic";
    }
    if !job.search.symmetry {
        name += "-without-symmetry";
    }
    if lists(job, question) {
        name += "-all";
    }
    if let Some(refuted) = earlier_record::refuted(job) {
        name += &format!("-after-{refuted}");
    }
    match asked {
        Asked::Levels => name,
        _ => format!("{name}-{}", job.search.pruning.folder_name()),
    }
}
