//! The levels from the start that depend on no length, kept from one length to the next.

use halma_engine::key::Key;

use crate::solve::level_sequence::LevelSequence;
use crate::solve::reported::Reported;
use crate::solve::{LevelFigures, Side};

/// The levels so far.
pub(super) struct SharedLevels<K> {
    pub(super) sequence: LevelSequence<K>,
    /// Whether no state was ever pruned.
    pub(super) complete: bool,
    /// `BestSuccessors::spare` after the last level: the figures of the next level depend on it.
    pub(super) spare: Option<f64>,
    /// How many of them earlier attempts have reported.
    reported: Reported,
}

impl<K: Key> SharedLevels<K> {
    pub(super) fn new() -> Self {
        let sequence = LevelSequence::new("all".into(), Side::Forward);
        Self { sequence, complete: true, spare: None, reported: Reported(0) }
    }

    /// Says how many levels earlier processes of the run have reported.
    pub(super) fn resume_after(&mut self, levels: usize) {
        self.reported = Reported(levels);
    }

    /// The figures of levels that no attempt has reported yet.
    pub(super) fn unreported(&mut self) -> Vec<LevelFigures> {
        self.reported.take(&self.sequence.figures)
    }

    /// Whether the last level is empty, and the previous ones are too few for solutions of `length` moves.
    pub(super) fn are_all_met(&self, length: u32) -> bool {
        self.sequence.is_dead() && length as usize >= 2 * self.sequence.levels.len()
    }
}
