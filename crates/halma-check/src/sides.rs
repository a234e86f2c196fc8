//! The levels of a length by side. Every level must belong to a side that the plan walks, and no side may lack a level.

use halma_record::record::{LengthRecord, LevelRecord, Side};

use super::rejection::{Rejection, RejectionKind};

/// The levels of one side of a length, in order.
pub(super) type Levels<'a> = &'a [LevelRecord];

/// How many states the record says that levels have; the largest number if the sum exceeds it.
pub(super) fn states(levels: Levels) -> u64 {
    levels.iter().fold(0, |sum, level| sum.saturating_add(level.states))
}

/// A side that the plan of a length walks: its first level, and the last one that it may have.
#[derive(Clone, Copy)]
pub(super) struct Walked {
    pub side: Side,
    pub first: u32,
    pub last: u32,
}

/// The levels of a length by side, in the order in which records have them. A level of another side, out of order, left
/// out or beyond the last one is an error, because it would not be checked.
pub(super) fn split<'a, const N: usize>(
    entry: &'a LengthRecord,
    sides: [Walked; N],
) -> Result<[Levels<'a>; N], Rejection> {
    let fault = |why: String, side, level| {
        Err(RejectionKind::Levels.because(why).at_length(entry.length).at_level(side, level))
    };
    let mut rest = &entry.levels[..];
    let mut split: [Levels<'a>; N] = [&[]; N];
    for (place, Walked { side, first, last }) in split.iter_mut().zip(sides) {
        let (own, others) = rest.split_at(rest.iter().take_while(|level| level.side == side).count());
        let name = side.name();
        let mut before: Option<u32> = None;
        for LevelRecord { depth, .. } in own {
            match before {
                None if *depth != first => {
                    return fault(format!("{name} levels begin with level {depth}, not {first}"), side, *depth);
                }
                Some(before) if before.checked_add(1) != Some(*depth) => {
                    return fault(format!("{name} level {before} is followed by level {depth}"), side, *depth);
                }
                _ => before = Some(*depth),
            }
        }
        if let Some(beyond) = before.filter(|&depth| depth > last) {
            let why = format!("{name} level {beyond}: {} moves ask for none beyond level {last}", entry.length);
            return fault(why, side, beyond);
        }
        (*place, rest) = (own, others);
    }
    match rest.first() {
        None => Ok(split),
        Some(LevelRecord { side, depth, .. }) => {
            let name = side.name();
            let why = format!("{name} level {depth} is out of order, or of a side that this pruning has no levels of");
            fault(why, *side, *depth)
        }
    }
}
