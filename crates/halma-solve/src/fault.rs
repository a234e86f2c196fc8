//! Fault injection above the engine: see [`halma_engine::fault`].

use std::sync::Arc;

use halma_bounds::game_bounds::{GameBound, Position};
pub use halma_engine::fault::{Fault, current, with};
use halma_rules::symmetry::Symmetries;

/// The symmetries of a search, possibly with the fault.
pub fn symmetries(fault: Option<Fault>, mut symmetries: Symmetries) -> Symmetries {
    if let Some(mirror) = symmetries.mirror.as_mut().filter(|_| fault == Some(Fault::WrongMirror)) {
        // Cells of no army, so that start and target are still exchanged.
        let middle = mirror.cells.len() / 2;
        mirror.cells.swap(middle, middle + 1);
    }
    symmetries
}

/// A broken bound that takes every game to be two moves shorter.
struct Hasty<const W: usize>(Arc<dyn GameBound<W>>);

impl<const W: usize> GameBound<W> for Hasty<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        let remaining = position.remaining.checked_sub(2).unwrap_or(position.remaining);
        self.0.admits(&Position { remaining, ..*position })
    }
}

/// The bounds of a game search, possibly with the fault.
pub fn bounds<const W: usize>(fault: Option<Fault>, bounds: &[Arc<dyn GameBound<W>>]) -> Vec<Arc<dyn GameBound<W>>> {
    let hasty = |bound: &Arc<dyn GameBound<W>>| -> Arc<dyn GameBound<W>> { Arc::new(Hasty(Arc::clone(bound))) };
    match fault {
        Some(Fault::BoundOffByOne) => bounds.iter().map(hasty).collect(),
        _ => bounds.to_vec(),
    }
}
