//! A solution that was replayed by the rules: of armies, or of a puzzle.

use std::path::Path;

use halma_puzzles::own::replay::PuzzleReplay;
use halma_record::record::Record;
use halma_rules::job::ProblemSpec;
use halma_rules::replay::{Checked, ReplayError};

/// A solution that holds.
#[derive(Clone, Debug)]
pub enum Solution {
    /// Of a transfer or a game.
    Armies(Box<Checked>),
    /// Of a puzzle from a file, or in Rust.
    Puzzle(PuzzleReplay),
}

impl Solution {
    /// Reads a solution file, or a record where the name ends in `.json`, and checks every move.
    ///
    /// # Errors
    /// The first fault.
    pub fn read(file: &Path) -> Result<Self, ReplayError> {
        if file.extension().is_some_and(|e| e == "json") {
            return Self::from_record(file, &Record::read(file)?);
        }
        Checked::read(file).map(|checked| Self::Armies(Box::new(checked)))
    }

    /// Checks the solution of a record; `file` is what messages call it.
    ///
    /// # Errors
    /// The first fault.
    pub fn from_record(file: &Path, record: &Record) -> Result<Self, ReplayError> {
        let name = || file.display().to_string();
        match record.problem {
            ProblemSpec::Armies(_) => Checked::from_record(file, record).map(|checked| Self::Armies(Box::new(checked))),
            ProblemSpec::Puzzle(_) if record.solution.is_none() => Err(ReplayError::Nothing(name())),
            ProblemSpec::Puzzle(_) => match PuzzleReplay::of(record) {
                Ok(replay) => Ok(Self::Puzzle(replay)),
                Err(message) => Err(ReplayError::Damaged { file: name(), message }),
            },
        }
    }

    /// The problem that it solves.
    #[must_use]
    pub fn spec(&self) -> ProblemSpec {
        match self {
            Self::Armies(checked) => match &**checked {
                Checked::Transfer(replay) => replay.spec.clone(),
                Checked::Game(replay) => replay.spec.clone(),
            },
            Self::Puzzle(replay) => replay.spec.clone().into(),
        }
    }

    /// What was checked, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Armies(checked) => checked.summary(),
            Self::Puzzle(replay) => replay.summary(),
        }
    }
}
