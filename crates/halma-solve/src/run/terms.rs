//! The terms that the manifest of a run's folder states.

use std::path::PathBuf;

use halma_rules::job::{Limits, Output, Search};
use serde::{Deserialize, Serialize};

use super::Question;

/// What may change when a run is resumed.
#[derive(Serialize, Deserialize)]
pub(super) struct JobTerms {
    pub job: PathBuf,
    pub question: Question,
    pub search: Search,
    pub limits: Limits,
    pub output: Output,
}

impl JobTerms {
    /// Whether these terms ask about lengths greater than `most`; `None` is no limit.
    pub(super) fn go_on_after(&self, most: Option<u32>) -> bool {
        let last = match self.question {
            Question::Prove { max_length } => Some(max_length),
            _ => self.search.max_length,
        };
        match (last, most) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(last), Some(most)) => last > most,
        }
    }
}

/// Whether the run of a manifest with these terms goes on after `most` moves.
pub(super) fn goes_on(terms: &serde_json::Value, most: Option<u32>) -> bool {
    JobTerms::deserialize(terms).is_ok_and(|terms| terms.go_on_after(most))
}

/// Whether these terms are of `levels` that go further than `question` asks.
pub(super) fn goes_deeper(terms: serde_json::Value, question: Question) -> bool {
    let terms = serde_json::from_value(terms);
    match (terms.map(|terms: JobTerms| terms.question), question) {
        (Ok(Question::Levels { depth: there }), Question::Levels { depth }) => there > depth,
        _ => false,
    }
}
