//! The identity of a run: everything that its levels depend on beside what their labels name. Runs of the same identity
//! may share levels of the same label.

use std::path::Path;

use halma_engine::store::StoreError;
use halma_record::job::{ProblemSpec, Pruning};
use halma_record::record::{Asked, PROGRAM};
use halma_rules::job::Job;
use serde::{Deserialize, Serialize};

use super::{Question, earlier_record};

/// Everything that a run's levels depend on beside what their labels name, such as the lengths that they were made for.
#[derive(Serialize, Deserialize)]
pub(super) struct Identity {
    pub program: String,
    pub asked: Asked,
    pub problem: ProblemSpec,
    pub pruning: Pruning,
    pub palindromic: bool,
    pub symmetry: bool,
    /// Whether solutions are to be listed, for which the levels of a puzzle are made from the start alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lists: bool,
    /// The last length that the search does not try, because an earlier record refutes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted_up_to: Option<u32>,
    /// With several processes: the number of the process whose share it is, and the number of processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<(usize, usize)>,
}

impl Identity {
    /// Whether a run of that problem with this identity is one of that question. Levels are made without a pruning, whatever the job says.
    pub(super) fn answers(&self, job: &Job, question: Question) -> bool {
        (self.asked, self.palindromic, self.symmetry, self.lists)
            == (question.asked(job).0, job.search.palindromic, job.search.symmetry, lists(job, question))
            && self.refuted_up_to == earlier_record::refuted(job)
            && (self.asked == Asked::Levels || job.search.pruning.may_become(&self.pruning))
    }
}

pub(super) fn lists(job: &Job, question: Question) -> bool {
    question == Question::Solve && job.search.solutions.is_some()
}

/// The identity that the manifest of a run's folder, or of one process's share of it, states.
pub(super) fn identity(job: &Job, question: Question, share: Option<(usize, usize)>) -> serde_json::Value {
    let identity = Identity {
        program: PROGRAM.into(),
        asked: question.asked(job).0,
        problem: job.spec.clone(),
        pruning: job.search.pruning.clone(),
        palindromic: job.search.palindromic,
        symmetry: job.search.symmetry,
        lists: lists(job, question),
        refuted_up_to: earlier_record::refuted(job),
        share,
    };
    serde_json::to_value(identity).unwrap_or_else(|e| unreachable!("a record states the same as JSON: {e}"))
}

/// Refuses a question about fewer moves than a run has answered already; and one about as many, where the run `goes_on` after
/// them: to answer it would remove the levels of the next length.
pub(super) fn refuse_answers_beyond(
    answers: &[serde_json::Value],
    goes_on: bool,
    job: &Job,
    question: Question,
    dir: &Path,
) -> Result<(), StoreError> {
    let last = answers.last().and_then(|answer| answer["length"].as_u64());
    let is_passed = |last: u64, most: u64| last > most || last == most && goes_on;
    match last.zip(question.asked(job).1).filter(|&(last, most)| is_passed(last, most.into())) {
        Some((last, most)) => {
            let reason = format!(
                "its run has decided {last} moves, and this one asks about {most}; ask about more than {last}, or choose another folder"
            );
            Err(StoreError::OtherRun { folder: dir.into(), reason })
        }
        None => Ok(()),
    }
}
