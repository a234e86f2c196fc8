//! The levels from the start that depend on no length, kept from one length to the next.

use halma_engine::key::Key;

use crate::solve::level_sequence::LevelSequence;
use crate::solve::{LevelFigures, Side};

/// The levels so far.
pub(super) struct SharedLevels<K> {
    pub(super) sequence: LevelSequence<K>,
    /// Whether no state was ever pruned.
    pub(super) complete: bool,
    /// What the beam search has learned of its cuts, which the figures of the next level depend on.
    pub(super) spare: Option<f64>,
    /// How many of them earlier attempts have reported.
    reported: usize,
}

impl<K: Key> SharedLevels<K> {
    pub(super) fn new() -> Self {
        Self { sequence: LevelSequence::new("all".into(), Side::Forward), complete: true, spare: None, reported: 0 }
    }

    /// Says how many levels earlier processes of the run have reported.
    pub(super) fn resume_after(&mut self, levels: usize) {
        self.reported = levels;
    }

    /// The figures of levels that no attempt has reported yet.
    pub(super) fn unreported(&mut self) -> Vec<LevelFigures> {
        let figures = &self.sequence.figures;
        let from = std::mem::replace(&mut self.reported, figures.len());
        figures.get(from..).unwrap_or_default().to_vec()
    }

    /// Whether the last level is empty, and the previous ones are too few for solutions of `length` moves.
    pub(super) fn are_all_met(&self, length: u32) -> bool {
        self.sequence.is_dead() && length as usize >= 2 * self.sequence.levels.len()
    }
}
