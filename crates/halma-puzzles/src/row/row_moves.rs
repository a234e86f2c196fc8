//! Moves of a vacancy as an iterator.

/// A stream of moves, each the place that it starts from.
pub type Moves = Box<dyn Iterator<Item = u64>>;

/// The moves of a vacancy that starts on `place` and goes these distances to the left.
pub(super) fn played(place: u64, distances: impl Iterator<Item = i64> + 'static) -> Moves {
    Box::new(distances.scan(place, |vacancy, distance| {
        *vacancy = vacancy.wrapping_add_signed(-distance);
        Some(*vacancy)
    }))
}
