//! Chooses the bounds for solutions of one length. Their definitions and proofs are in `halma-bounds`.

use std::sync::Arc;

use halma_bounds::Bound;
use halma_bounds::abstraction::Table;
use halma_bounds::palindrome::Palindrome;
use halma_bounds::pattern::Pattern;
use halma_bounds::relaxed::Filter;
use halma_bounds::theorem1::Theorem1;
use halma_engine::key::Key;
use halma_rules::job::Pruning;
use halma_rules::problem::Transfer;

use super::setup::Setup;
use crate::solve::Side;

impl<const W: usize, K: Key> Setup<'_, W, K> {
    /// The bounds of the plain prunings for a search from the start.
    pub(super) fn bounds(&self, length: u32) -> Vec<Arc<dyn Bound<W>>> {
        let mut bounds: Vec<Arc<dyn Bound<W>>> = Vec::new();
        match &self.problem.pruning {
            Pruning::Theorem1 => bounds.push(Arc::new(Theorem1::new(self.problem.transfer, length))),
            Pruning::Pattern { .. } | Pruning::Narrowed { .. } => {
                bounds.push(self.pattern(&self.databases().to_target, length))
            }
            Pruning::None | Pruning::Mcc { .. } | Pruning::Leading { .. } | Pruning::Truncate { .. } => {}
            Pruning::Game(_) | Pruning::Beam { .. } | Pruning::Projection(_) | Pruning::Bound => {}
        }
        self.with_palindrome(bounds, length)
    }

    /// The bounds of a search from one end to the other.
    pub(super) fn bounds_from(&self, side: Side, length: u32) -> Vec<Arc<dyn Bound<W>>> {
        let transfer = self.problem.transfer;
        match (&self.problem.pruning, side) {
            (Pruning::Theorem1, Side::Forward) => vec![Arc::new(Theorem1::new(transfer, length))],
            (Pruning::Theorem1, _) => {
                let Transfer { start, target, .. } = transfer.clone();
                let reversed = Transfer { start: target, target: start, ..transfer.clone() };
                vec![Arc::new(Theorem1::new(&reversed, length))]
            }
            (Pruning::Pattern { .. } | Pruning::Leading { .. }, Side::Forward) => {
                vec![self.pattern(&self.databases().to_target, length)]
            }
            (Pruning::Pattern { .. } | Pruning::Leading { .. }, _) => {
                vec![self.pattern(&self.databases().from_start, length)]
            }
            (Pruning::None | Pruning::Mcc { .. } | Pruning::Narrowed { .. } | Pruning::Truncate { .. }, _) => {
                Vec::new()
            }
            (Pruning::Game(_) | Pruning::Beam { .. } | Pruning::Projection(_) | Pruning::Bound, _) => Vec::new(),
        }
    }

    /// The bound of a pattern database: its goal must be reachable by level `limit`.
    pub(super) fn pattern(&self, table: &Arc<Table>, limit: u32) -> Arc<dyn Bound<W>> {
        #[cfg(any(test, feature = "testing"))]
        let limit = limit - u32::from(self.engine.expander.fault == Some(crate::fault::Fault::BoundOffByOne));
        Arc::new(Pattern::new(&self.databases().abstraction, table, limit))
    }

    /// The look-ahead filter of leading, following and trailing levels: it drops new states from which no relaxed moves
    /// lead, by level `limit`, to within `near` of the goal of `table`.
    pub(super) fn filter(&self, table: &Arc<Table>, limit: u32, near: u32) -> Option<Arc<dyn Filter>> {
        let budgets = self.problem.pruning.look_ahead()?;
        #[cfg(any(test, feature = "testing"))]
        let limit = limit - u32::from(self.engine.expander.fault == Some(crate::fault::Fault::LookAheadOffByOne));
        Some(self.tables.look_ahead_tables.as_ref()?.filter(&self.databases().abstraction, table, limit, near, budgets))
    }

    /// These bounds and, if only palindromes are sought, the symmetry constraint.
    pub(super) fn with_palindrome(&self, mut bounds: Vec<Arc<dyn Bound<W>>>, length: u32) -> Vec<Arc<dyn Bound<W>>> {
        if self.problem.palindromic {
            bounds.push(self.palindrome_bound(length));
        }
        bounds
    }

    /// The symmetry constraint of palindromic solutions.
    pub(super) fn palindrome_bound(&self, length: u32) -> Arc<dyn Bound<W>> {
        Arc::new(Palindrome::new(self.problem.mirror(), self.problem.transfer.start.len(), length))
    }
}
