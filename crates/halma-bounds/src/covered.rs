//! Cuts states that a look-up among the leading levels decides: a solution through such a state has its mirror image there.

use std::sync::Arc;

use halma_rules::cells::Cells;

use super::abstraction::{Abstraction, Table};
use super::{Asked, Bound, Pruner};
use crate::Army;

/// Prunes the successors of a state X whose mirror image is near enough to a leading middle.
///
/// The mirrored reversal of a solution through X passes the mirror image of X, j moves from the start. Let the distance
/// of its histogram to the leading middles be at most N - j. Then an earlier state of that solution, on level i, is at
/// most N - i from them, because a move changes the distance by at most 1. So the leading levels have pruned none of
/// these states. The mirror image is on leading level j, where it can be looked up, and nothing has to follow from X
/// (proof, 12c).
#[derive(Clone, Debug)]
pub struct Covered {
    abstraction: Arc<Abstraction>,
    to_middles: Arc<Table>,
    rest: u32,
}

impl Covered {
    /// The bound for states whose mirror images are to be `rest` moves or fewer from the middles of `to_middles`, which
    /// has all distances up to there. Needs a mirror.
    #[must_use]
    pub fn new(abstraction: &Arc<Abstraction>, to_middles: &Arc<Table>, rest: u32) -> Self {
        to_middles.require(rest);
        Self { abstraction: Arc::clone(abstraction), to_middles: Arc::clone(to_middles), rest }
    }
}

impl<const W: usize> Bound<W> for Covered {
    fn pruner(&self) -> Box<dyn Pruner<W>> {
        Box::new(CoveredPruner { histogram: vec![0; self.abstraction.space.classes()], bound: self.clone() })
    }

    fn asked(&self) -> Asked {
        Asked::Nothing
    }
}

struct CoveredPruner {
    bound: Covered,
    histogram: Vec<u8>,
}

impl<const W: usize> Pruner<W> for CoveredPruner {
    fn has_successors(&mut self, army: Army<'_, W>) -> bool {
        let Covered { abstraction, to_middles, rest } = &self.bound;
        abstraction.histogram(army.men, &mut self.histogram);
        !to_middles.within(abstraction.mirror_rank(&self.histogram), *rest)
    }

    fn filter(&mut self, _army: Army<'_, W>, _depth: u32, _reach: &mut [Cells<W>]) {}
}
