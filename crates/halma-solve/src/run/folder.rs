//! A run's folder: how it identifies the run, and how an interrupted run is found there and resumed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_128;

use halma_engine::search::exchange::Exchange;
use halma_engine::store::StoreError;
use halma_engine::store::workspace::{self, Disk, Workspace, WorkspaceOptions};
use halma_files::folder::refuse_link;
use halma_record::record::{Asked, LengthRecord, PROGRAM, Verdict};
use halma_rules::job::{self, Job, MAX_LENGTH, Output, Problem, ProblemSpec};

use super::identity::{Identity, identity, refuse_answers_beyond};
use super::terms::JobTerms;
use super::{Question, share};

/// The default time between checkpoints.
const CHECKPOINT: Duration = Duration::from_secs(300);

/// The most threads that a job can ask for.
const THREADS: usize = 4096;

/// The folder of the run, new or resumed; a temporary one if the job has none. If a run of this question `has_ended` there and has kept its
/// levels, they stay.
pub(super) fn workspace(
    job: &Job,
    question: Question,
    exchange: &dyn Exchange,
    has_ended: bool,
) -> Result<Workspace, StoreError> {
    let disk = Disk::new(job.limits.disk);
    let Some(dir) = &job.output.dir else { return Workspace::temporary(disk) };
    let share = exchange.is_shared().then(|| (exchange.process(), exchange.processes()));
    let dir = &share::folder(dir, share);
    if share.is_some() {
        refuse_link(dir).map_err(|source| StoreError::io(dir.clone(), source))?;
    }
    let (run, found) = match workspace::run_and_terms(dir)? {
        Some((run, terms)) => (Some(run), serde_json::from_value::<JobTerms>(terms).ok()),
        None => (None, None),
    };
    let run = run.filter(|run| are_levels_of(run, job, question, share));
    let run = run.unwrap_or_else(|| identity(job, question, share));
    let keep_levels =
        job.output.keep_levels || has_ended && found.as_ref().is_some_and(|terms| terms.output.keep_levels);
    let goes_on = found.is_some_and(|terms| terms.go_on_after(question.asked(job).1));
    // Paths are labels there: a run is resumed in the folder that it is found in, whatever its name was.
    let label = |path: &PathBuf| PathBuf::from(path.to_string_lossy().into_owned());
    let terms = JobTerms {
        job: label(&job.file),
        question,
        search: job.search.clone(),
        limits: job.limits.clone(),
        output: Output {
            dir: job.output.dir.as_ref().map(label),
            cache: job.output.cache.as_ref().map(label),
            keep_levels,
        },
    };
    let terms = serde_json::to_value(terms)
        .map_err(|e| StoreError::Io { file: dir.join(workspace::MANIFEST), source: e.into() })?;
    let interval = job.limits.checkpoint.unwrap_or(CHECKPOINT);
    let workspace = Workspace::open(dir, run, WorkspaceOptions { terms, disk, interval, keep: keep_levels })?;
    // Before anything is written: the run that is there stays as it is.
    refuse_answers_beyond(&workspace.answers(), goes_on, job, question, dir)?;
    workspace.begin()?;
    Ok(workspace)
}

/// Whether a folder has the manifest of a run: one that can go on, or one that has ended and keeps its levels.
pub(super) fn has_run(folder: &Path) -> bool {
    workspace::run_and_terms(folder).is_ok_and(|run| run.is_some()) || workspace::has_shares(folder)
}

/// Whether the run that a manifest states has the levels of `question`: its job may have another pruning, which these do not use.
fn are_levels_of(run: &serde_json::Value, job: &Job, question: Question, share: Option<(usize, usize)>) -> bool {
    let Ok(run) = Identity::deserialize(run) else { return false };
    let is_ours = run.program == PROGRAM && run.problem == job.spec && run.share == share;
    is_ours && run.asked == Asked::Levels && run.answers(job, question)
}

/// A job and a question in one line: two processes with equal fingerprints run the same search.
#[must_use]
pub fn fingerprint(job: &Job, question: Question) -> String {
    let (asked, max_length, depth) = question.asked(job);
    let all = serde_json::json!([identity(job, question, None), max_length, depth]).to_string();
    let (spec, asked, digest) = (&job.spec, asked.name(), xxh3_128(all.as_bytes()));
    let what = match spec {
        ProblemSpec::Armies(armies) => format!("{} of {} men on {}", armies.kind, armies.men, armies.board),
        ProblemSpec::Puzzle(puzzle) => puzzle.title.clone().unwrap_or_else(|| puzzle.kind.clone()),
    };
    format!("{asked} {what}, {} ({digest:032x})", job.search.pruning)
}

/// The job and the question of the run whose manifest is in `folder`: one that is unfinished, or one that has ended and keeps its levels.
///
/// # Errors
/// Where its manifest is damaged, or has contents that this program cannot have written.
pub fn manifest_job(folder: &Path) -> Result<Option<(Job, Question)>, StoreError> {
    let Some((identity, terms)) = workspace::run_and_terms(folder)? else { return Ok(None) };
    let odd = |reason: String| StoreError::OtherRun { folder: folder.into(), reason };
    let identity: Identity = serde_json::from_value(identity).map_err(|e| odd(e.to_string()))?;
    let terms: JobTerms = serde_json::from_value(terms).map_err(|e| odd(e.to_string()))?;
    if let Some((process, processes)) = identity.share {
        return Err(odd(format!("it is the share of process {process} of {processes}; start all of them again")));
    }
    if identity.program != PROGRAM {
        return Err(odd(format!(
            "the run is of {}, this is {PROGRAM}; go on with that, or choose another folder",
            identity.program
        )));
    }
    let problem = match &identity.problem {
        ProblemSpec::Puzzle(spec) => Problem::Puzzle(job::compiled(spec).map_err(odd)?),
        ProblemSpec::Armies(armies) if armies.kind == "game" => {
            Problem::Game(job::game_of(&identity.problem).map_err(odd)?)
        }
        ProblemSpec::Armies(_) => Problem::Transfer(job::transfer_of(&identity.problem).map_err(odd)?),
    };
    let JobTerms { job, question, search, limits, output } = terms;
    // A run's folder must not choose the folder for tables, which lies elsewhere.
    let output = Output { dir: Some(folder.into()), cache: None, ..output };
    let job = Job { file: job, spec: identity.problem, problem, search, limits, output };
    allowed(&job, question).map_err(odd)?;
    Ok(Some((job, question)))
}

/// Whether the run of this job and question in `folder` has an answer for every length up to the greatest one that was asked about, and
/// not all of these are decided, as a beam search leaves it: to resume it decides nothing more.
///
/// # Errors
/// Where its manifest is damaged.
pub fn is_tried_out(folder: &Path, job: &Job, question: Question) -> Result<bool, StoreError> {
    let most = question.asked(job).1.unwrap_or(MAX_LENGTH);
    let answers: Vec<_> = workspace::answers(folder)?.into_iter().flat_map(LengthRecord::deserialize).collect();
    let is_open = answers.iter().any(|answer| answer.verdict == Verdict::Incomplete);
    Ok(is_open && answers.last().is_some_and(|last| last.length >= most))
}

/// Whether a job and a command line can state these terms.
fn allowed(job: &Job, question: Question) -> Result<(), String> {
    let threads = job.limits.threads.unwrap_or(1);
    if !(1..=THREADS).contains(&threads) {
        return Err(format!("the run asks for {threads} threads: allowed are 1 to {THREADS}"));
    }
    let (_, max_length, depth) = question.asked(job);
    if let Some(number) = max_length.or(depth).filter(|&number| number > MAX_LENGTH) {
        return Err(format!("the run asks for {number} moves: allowed are 0 to {MAX_LENGTH}"));
    }
    job.sound()
}
