use std::collections::BTreeSet;

use super::*;
use crate::partition::Bands;
use halma_engine::search::CancellationToken;
use halma_engine::search::exchange::Alone;
use halma_rules::board::Board;
use halma_rules::lattice::Rule;
use halma_rules::moves::destinations;
use proptest::prelude::*;

/// What [`Abstraction::targets`] says, step by step: the mover is taken out, and jumps over any other man.
fn plain_targets(abstraction: &Abstraction, histogram: &[u8], a: usize) -> u32 {
    let classes = histogram.len();
    let mut others = histogram.to_vec();
    others[a] -= 1;
    let room = |b: usize| histogram[b] < abstraction.space.capacities()[b];
    let mut reached = 1u32 << a;
    loop {
        let from = (0..classes).filter(|i| reached >> i & 1 != 0);
        let over = from.flat_map(|i| (0..classes).map(move |m| (i, m))).filter(|&(_, m)| others[m] > 0);
        let landings = over.fold(0, |set, (i, m)| set | abstraction.jumps_over[m][i]);
        let more = (0..classes).filter(|&b| landings >> b & 1 != 0 && room(b)).fold(reached, |set, b| set | 1 << b);
        if more == reached {
            break;
        }
        reached = more;
    }
    let steps = (0..classes).filter(|&b| abstraction.steps[a] >> b & 1 != 0 && room(b));
    steps.fold(reached, |set, b| set | 1 << b) & !(1 << a)
}

proptest! {
    #[test]
    fn abstract_moves_are_those_of_the_plain_rule_and_every_move_is_one(
        men in proptest::collection::btree_set(0usize..36, 2..9),
        rule in prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)],
        jumps_only: bool,
        merged in 0usize..10,
    ) {
        let lattice = Lattice::new(Board::from_map(&"......\n".repeat(6)).unwrap().0, rule);
        let (men, group): (Vec<usize>, _) = (men.into_iter().collect(), [0; 36]);
        let centroid: Vec<i32> = (0..36).map(|c| c % 6 + c / 6 - 5).collect();
        let bands = std::iter::successors(Some(Bands::finest(&centroid, &group)), |b| b.coarser(&centroid));
        let bands = bands.take(merged + 1).last().unwrap();
        let partition = Partition::new(&centroid, &bands, None, &group).unwrap();
        let abstraction = Abstraction::new(&lattice, jumps_only, partition, None, &men, u64::MAX).unwrap();
        let bytes: Vec<u8> = men.iter().map(|&c| c as u8).collect();
        let mut histogram = vec![0; abstraction.space.classes()];
        abstraction.histogram(&bytes, &mut histogram);
        let mut jumps = Jumps::default();
        abstraction.jumps(&histogram, &mut jumps);
        let occupied: Vec<bool> = (0..36).map(|c| men.contains(&c)).collect();
        let class = |cell: usize| usize::from(abstraction.partition.class_of[cell]);
        for &from in &men {
            let a = class(from);
            let targets = abstraction.targets(&histogram, &jumps, a);
            prop_assert_eq!(targets, plain_targets(&abstraction, &histogram, a));
            for to in destinations(&lattice, &occupied, from, jumps_only) {
                prop_assert!(class(to) == a || targets >> class(to) & 1 != 0, "from {} to {}", from, to);
            }
        }
    }
}

/// A search that leaves out some histograms, and skips some neighbours.
struct Restricted {
    divisor: u32,
    asks_once: bool,
}

impl Extent for Restricted {
    fn keeps(&self, rank: u32, distance: u8) -> bool {
        !rank.is_multiple_of(self.divisor) && distance < 9
    }

    fn asks_once(&self) -> bool {
        self.asks_once
    }

    fn below(&self, rank: u32) -> Option<i32> {
        rank.is_multiple_of(3).then_some(rank as i32 % 5)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn jumps_listed_by_group_are_those_found_class_by_class(
        men in proptest::collection::btree_set(0usize..36, 2..9),
        rule in prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)],
        merged in 0usize..10,
        sources in proptest::collection::vec(any::<u32>(), 1..5),
        divisor in 2u32..20,
        asks_once: bool,
        has_mirror: bool,
    ) {
        let lattice = Lattice::new(Board::from_map(&"......\n".repeat(6)).unwrap().0, rule);
        let men: Vec<usize> = match has_mirror {
            // With a mirror, a type has as many men as its image.
            true => men.iter().take(4).flat_map(|&cell| [cell, 35 - cell]).collect::<BTreeSet<_>>().into_iter().collect(),
            false => men.into_iter().collect(),
        };
        let group: Vec<usize> = (0..36).map(|cell| lattice.board.type_of(cell)).collect();
        let centroid: Vec<i32> = (0..36).map(|c| c % 6 + c / 6 - 5).collect();
        let mirror: Vec<u8> = (0..36).rev().collect();
        let bands = std::iter::successors(Some(Bands::finest(&centroid, &group)), |b| b.coarser(&centroid));
        let bands = bands.take(merged + 1).last().unwrap();
        let partition = Partition::new(&centroid, &bands, None, &group).unwrap();
        let by_list = Abstraction::new(&lattice, true, partition, has_mirror.then_some(&mirror[..]), &men, 1 << 20).unwrap();
        prop_assert!(by_list.by_group.is_some());
        let by_class = Abstraction { by_group: None, ..by_list.clone() };
        let count = by_list.space.count() as u32;

        let mut unranking = IncrementalUnranking::new(&by_list.space);
        let mut images = Vec::new();
        let ranks: Vec<u32> = (0..count).step_by(count as usize / 500 + 1).collect();
        if has_mirror {
            by_list.each_mirror_rank(&ranks, |image| images.push(image));
        }
        for (number, &rank) in ranks.iter().enumerate() {
            let histogram = unranking.to(&by_list.space, rank);
            prop_assert!(!has_mirror || images[number] == by_list.mirror_rank(histogram));
            let mut jumps = Jumps::default();
            by_class.jumps(histogram, &mut jumps);
            let values = &by_list.partition.values;
            let gain = |a: usize| {
                let targets = by_class.targets(histogram, &jumps, a);
                (0..histogram.len()).filter(|b| targets >> b & 1 != 0).map(|b| values[b] - values[a]).max()
            };
            let most = (0..histogram.len()).filter(|&a| histogram[a] > 0).filter_map(gain).max();
            let (c, gains) = by_list.by_group().unwrap().gains(rank);
            prop_assert_eq!((c, gains.max()), (by_list.centroid(histogram), most));
        }

        let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
        let sources = [sources.iter().map(|source| source % count).collect::<Vec<_>>()];
        let all = |of: &Abstraction| of.distances(&sources, u32::MAX, &(), context).unwrap().bytes();
        prop_assert_eq!(all(&by_list), all(&by_class));
        let within = Restricted { divisor, asks_once };
        let some = |of: &Abstraction| of.distances(&sources, 9, &within, context).unwrap().bytes();
        prop_assert_eq!(some(&by_list), some(&by_class));
    }
}

#[test]
fn a_mirror_that_does_not_map_classes_one_to_one_has_no_lists_by_group() {
    let lattice = Lattice::new(Board::from_map(&"......\n".repeat(6)).unwrap().0, Rule::Six);
    let group: Vec<usize> = (0..36).map(|cell| lattice.board.type_of(cell)).collect();
    let centroid: Vec<i32> = (0..36).map(|c| c % 6 + c / 6 - 5).collect();
    let partition = Partition::new(&centroid, &Bands::finest(&centroid, &group), None, &group).unwrap();
    let is_by_group = |mirror: &[u8]| {
        let men = [0, 7, 28, 35];
        Abstraction::new(&lattice, true, partition.clone(), Some(mirror), &men, 1 << 20).unwrap().by_group.is_some()
    };
    let right: Vec<u8> = (0..36).rev().collect();
    assert!(is_by_group(&right));
    // Two cells of a row, of different centroids, have each other's images.
    let mut wrong = right;
    wrong.swap(1, 3);
    assert!(!is_by_group(&wrong));
}
