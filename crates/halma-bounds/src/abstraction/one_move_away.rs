//! One level of a search in the abstract space: the neighbours of many histograms.

use multiversion::multiversion;

use super::by_group::ByGroup;
use super::{Abstraction, Extent, Jumps, LEFT_OUT, Table, UNREACHED};
use crate::histogram::{IncrementalUnranking, NeighbourRanks};

/// The histograms one abstract move from those of `ranks` that have no distance yet and that `within` keeps: they get the
/// distance `d`.
pub(super) fn one_move_away(
    abstraction: &Abstraction,
    table: &Table,
    ranks: &[u32],
    d: u8,
    within: &impl Extent,
) -> Vec<u32> {
    match &abstraction.by_group {
        Some(by_group) => by_lists(by_group, table, ranks, d, within),
        None => class_by_class(abstraction, table, ranks, d, within),
    }
}

/// Enters a neighbour that has no distance yet, if the search keeps it.
#[inline(always)]
fn enter(table: &Table, rank: u32, d: u8, within: &impl Extent, next: &mut Vec<u32>) {
    if table.get(rank) != UNREACHED {
        return;
    }
    if within.keeps(rank, d) {
        if table.claim(rank, d) {
            next.push(rank);
        }
    } else if within.asks_once() {
        table.set(rank, LEFT_OUT);
    }
}

/// The same by lists of moves.
fn by_lists(by_group: &ByGroup, table: &Table, ranks: &[u32], d: u8, within: &impl Extent) -> Vec<u32> {
    let mut next = Vec::new();
    for &rank in ranks {
        let own = by_group.split(rank);
        // All gains have to be below this.
        let spare = within.below(rank).map_or(i32::MAX, |limit| limit - by_group.centroid(&own));
        for moves in by_group.moves(own) {
            for change in moves.iter().take_while(|change| change.gain < spare) {
                enter(table, rank.wrapping_add(change.rank), d, within, &mut next);
            }
        }
    }
    next
}

/// The same, class by class; compiled for several instruction sets.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn class_by_class(abstraction: &Abstraction, table: &Table, ranks: &[u32], d: u8, within: &impl Extent) -> Vec<u32> {
    let (mut unranking, mut around) =
        (IncrementalUnranking::new(&abstraction.space), NeighbourRanks::new(&abstraction.space));
    let mut jumps = Jumps::default();
    let mut next = Vec::new();
    // The classes before this one are as they were when `around` was entered.
    let mut unchanged = usize::MAX;
    for &rank in ranks {
        unranking.to(&abstraction.space, rank);
        let (histogram, changed) = unranking.last();
        unchanged = unchanged.min(changed);
        let (occupied, room) = unranking.occupied_and_room();
        // A man of class a can only go to classes with values below this plus the value of a.
        let spare = within.below(rank).map(|limit| limit - abstraction.centroid(histogram));
        let wanted = |a: usize| {
            let below = |spare| abstraction.classes_below(abstraction.partition.values[a] + spare);
            spare.map_or(u32::MAX, below) & room
        };
        let mut classes = occupied;
        if spare.is_some() {
            let movable = (0..histogram.len()).filter(|&a| occupied >> a & 1 != 0 && wanted(a) != 0);
            classes = movable.fold(0, |set, a| set | 1 << a);
            if classes == 0 {
                continue;
            }
        }
        abstraction.jumps_of(occupied, room, &mut jumps);
        while classes != 0 {
            let a = classes.trailing_zeros() as usize;
            let landings = abstraction.landings(histogram, &jumps, a);
            let mut alike = abstraction.alike(&jumps, a, landings, classes);
            classes &= !alike;
            while alike != 0 {
                let a = alike.trailing_zeros() as usize;
                alike &= alike - 1;
                let mut targets = (landings | abstraction.steps[a]) & wanted(a) & !(1 << a);
                if targets != 0 && unchanged != usize::MAX {
                    around.enter_from(&abstraction.space, histogram, unchanged);
                    unchanged = usize::MAX;
                }
                while targets != 0 {
                    let b = targets.trailing_zeros() as usize;
                    targets &= targets - 1;
                    enter(table, around.moved(a, b), d, within, &mut next);
                }
            }
        }
    }
    next
}
