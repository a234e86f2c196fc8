//! The identity of a run: all that its levels depend on. Two runs of one identity may share their levels.

use halma_record::job::{ProblemSpec, Pruning};
use halma_record::record::{Asked, PROGRAM};
use halma_rules::job::Job;
use serde::{Deserialize, Serialize};

use super::Question;

/// What a run's folder says of the run: all that its levels depend on.
#[derive(Serialize, Deserialize)]
pub(super) struct Identity {
    pub program: String,
    pub asked: Asked,
    pub problem: ProblemSpec,
    pub pruning: Pruning,
    pub palindromic: bool,
    pub symmetry: bool,
    /// Where several processes search, whose share it is: the number of the process, and how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<(usize, usize)>,
}

/// What the list of a run's folder, or of one process's share of it, says that the run is.
pub(super) fn identity(job: &Job, question: Question, share: Option<(usize, usize)>) -> serde_json::Value {
    let identity = Identity {
        program: PROGRAM.into(),
        asked: question.asked(job).0,
        problem: job.stated.clone(),
        pruning: job.search.pruning.clone(),
        palindromic: job.search.palindromic,
        symmetry: job.search.symmetry,
        share,
    };
    serde_json::to_value(identity).unwrap_or_default()
}
