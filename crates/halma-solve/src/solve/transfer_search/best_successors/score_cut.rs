//! A cut before selection: successors whose score is too bad to be selected are mostly not made at all.

use std::sync::Arc;

use halma_bounds::{Army, Bound, Pruner};
use halma_rules::cells::Cells;

use super::ArmyScore;

/// Removes the successors with a score of more than `most`. Not admissible: it serves a beam search, which proves nothing.
pub(super) struct ScoreCut<S> {
    pub(super) score: Arc<S>,
    pub(super) most: i64,
}

struct ScorePruner<S: ArmyScore<W>, const W: usize> {
    score: Arc<S>,
    most: i64,
    scratch: S::Scratch,
    /// What is left of `reach`.
    kept: Vec<Cells<W>>,
}

impl<S: ArmyScore<W>, const W: usize> Bound<W> for ScoreCut<S> {
    fn pruner(&self) -> Box<dyn Pruner<W>> {
        let (score, scratch) = (Arc::clone(&self.score), self.score.scratch());
        Box::new(ScorePruner { score, most: self.most, scratch, kept: Vec::new() })
    }
}

impl<S: ArmyScore<W>, const W: usize> Pruner<W> for ScorePruner<S, W> {
    fn filter(&mut self, army: Army<'_, W>, _depth: u32, reach: &mut [Cells<W>]) {
        let Self { score, most, scratch, kept } = self;
        kept.clear();
        kept.resize(reach.len(), Cells::EMPTY);
        score.each_successor(army, reach, scratch, |number, to, after| {
            if after <= *most {
                kept[number].add(to);
            }
        });
        reach.copy_from_slice(kept);
    }
}
