//! The goal test of the leading half, as a bound: a state on a middle level is expanded only if it can be the middle of
//! a solution of this length.

use std::sync::Arc;

use halma_rules::cells::Cells;

use super::abstraction::Jumps;
use super::database::Databases;
use super::{Asked, Bound, Pruner};
use crate::Army;

/// Prunes the successors of a state that is no eligible middle of the leading half.
///
/// For states on level `length / 2`. Admissible because of every solution and its mirrored reversal one has an
/// eligible middle there.
#[derive(Clone, Debug)]
pub struct FromMiddles {
    databases: Arc<Databases>,
    length: u32,
}

impl FromMiddles {
    /// The bound for solutions of `length` moves, to whose half the databases reach.
    #[must_use]
    pub fn new(databases: &Arc<Databases>, length: u32) -> Self {
        databases.to_target.require(length - length / 2);
        databases.from_start.require(length / 2);
        Self { databases: Arc::clone(databases), length }
    }
}

impl<const W: usize> Bound<W> for FromMiddles {
    fn pruner(&self) -> Box<dyn Pruner<W>> {
        let classes = self.databases.abstraction.space.classes();
        Box::new(FromMiddlesPruner { histogram: vec![0; classes], jumps: Jumps::default(), bound: self.clone() })
    }

    fn asked(&self) -> Asked {
        Asked::Nothing
    }
}

struct FromMiddlesPruner {
    bound: FromMiddles,
    histogram: Vec<u8>,
    jumps: Jumps,
}

impl<const W: usize> Pruner<W> for FromMiddlesPruner {
    fn has_successors(&mut self, army: Army<'_, W>) -> bool {
        let FromMiddles { databases, length } = &self.bound;
        if !databases.may_lead(army.men, !length.is_multiple_of(2)) {
            return false;
        }
        databases.abstraction.histogram(army.men, &mut self.histogram);
        databases.is_middle(&self.histogram, *length, &mut self.jumps)
    }

    fn filter(&mut self, _army: Army<'_, W>, _depth: u32, _reach: &mut [Cells<W>]) {}
}
