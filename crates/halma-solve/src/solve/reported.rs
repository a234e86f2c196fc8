//! Which levels attempts have reported, where attempts share levels: each level is reported once.

use super::LevelFigures;

/// How many levels earlier attempts have reported.
pub(super) struct Reported(pub(super) usize);

impl Reported {
    /// The figures that no attempt has reported yet, of all levels so far. From now on they are reported.
    pub(super) fn take(&mut self, figures: &[LevelFigures]) -> Vec<LevelFigures> {
        let from = std::mem::replace(&mut self.0, figures.len());
        figures.get(from..).unwrap_or_default().to_vec()
    }
}
