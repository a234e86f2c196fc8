//! The levels of a transfer do not depend on how they are made: state by state, in batches, or as a whole.

use std::sync::Arc;

use halma_bounds::database::Databases;
use halma_bounds::frontier::WorkContext;
use halma_bounds::pattern::Pattern;
use halma_engine::search::exchange::Alone;
use halma_engine::search::{CancellationToken, Expander, LevelDestination, Tally};
use halma_engine::store::Level;
use halma_record::job::Granularity;
use halma_rules::centroid;
use halma_rules::lattice::Rule;
use halma_rules::problem::Transfer;
use proptest::prelude::*;

use super::*;

/// Armies with and without a symmetry, on boards with and without holes.
const MAPS: [&str; 5] = [
    "SSSS...\nSSS....\nSS.....\nS......\n.......\n.......\n.......",
    "SSSS..\nSSS...\nS.....\n..#...\n......\n......",
    ".SSS...\n.SSS...\n...#...\n.......\n.TTT...\n.TTT...",
    "SSS..\nSSS..\n.SS..\n.....\n.....\n.....",
    // From the middle to the corners: K has four members, or eight under 4- and 8-move rules.
    "T.....T\n.......\n...S...\n..S.S..\n...S...\n.......\nT.....T",
];

/// A puzzle; where men only jump, with a bound, because only then are they expanded together.
fn puzzle(map: &str, rule: Rule, jumps_only: bool) -> TransferPuzzle<2, u64> {
    let problem = Transfer::drawn(map, rule).unwrap();
    let problem = if jumps_only { problem.by_jumps_only() } else { problem };
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(&problem, &symmetries);
    let mut bounds: Vec<Arc<dyn Bound<2>>> = Vec::new();
    if jumps_only {
        let databases = Databases::new(&problem, &symmetries, &centroid, &Granularity::default(), 1 << 16);
        let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
        databases.extend(40, context).unwrap();
        bounds.push(Arc::new(Pattern::new(&databases.abstraction, &databases.to_target, 18)));
    }
    let tables = Arc::new(ProblemTables::new(&problem, &symmetries.fixing, centroid).unwrap());
    TransferPuzzle::new(&tables, &problem.start, bounds)
}

/// The levels that an expander makes, and their keys. Before `forgets` levels only the keys are left.
fn levels(puzzle: &TransferPuzzle<2, u64>, depth: u32, expander: &Expander, forgets: u32) -> Vec<(Tally, Vec<u64>)> {
    let first = expander.level_of(puzzle, puzzle.start());
    let (mut figures, mut levels) = (vec![(first.tally, first.level.to_vec().unwrap())], vec![first.level]);
    let cancel = CancellationToken::after(None);
    for depth in 0..depth {
        let last = levels.len() - 1;
        if depth == forgets {
            levels.iter_mut().for_each(|level| *level = Level::of(level.to_vec().unwrap()));
        }
        let before: Vec<_> = levels[..last].iter().rev().take(1).collect();
        let made = expander.expand(puzzle, depth, &levels[last], &before, LevelDestination::MEMORY, &cancel).unwrap();
        figures.push((made.tally, made.level.to_vec().unwrap()));
        levels.push(made.level);
    }
    figures
}

/// What differs from case to case: map, rule, threads, the bytes that a thread may hold, and when layouts are lost.
type Case = (usize, Rule, usize, usize, u32);

fn case() -> impl Strategy<Value = Case> {
    let rule = prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)];
    (0..MAPS.len(), rule, 1..3_usize, 0..60_000_usize, 0..8_u32)
}

fn check((map, rule, threads, bytes, forgets): Case, jumps_only: bool, depth: u32) {
    let puzzle = puzzle(MAPS[map], rule, jumps_only);
    let expander = |small_parts: bool, whole_bytes: Option<usize>| {
        let mut expander = Expander::new(threads, None).unwrap();
        (expander.small_parts, expander.whole_bytes) = (small_parts, whole_bytes);
        expander
    };
    let alone = levels(&puzzle, depth, &expander(false, None), u32::MAX);
    assert!(map < 4 || puzzle.tables.permutations.len() >= 3 && puzzle.tables.foremost.is_some());
    assert!(alone.iter().any(|(tally, _)| tally.states > 100) || jumps_only && map > 0 || map == 4);
    // In pieces, by batches; as a whole up to some level; as a whole.
    for whole_bytes in [Some(0), Some(bytes), None] {
        let made = levels(&puzzle, depth, &expander(true, whole_bytes), forgets);
        assert!(made == alone, "{whole_bytes:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn levels_of_jumps_are_the_same_state_by_state_in_batches_and_as_a_whole(case in case()) {
        check(case, true, 9);
    }
}

proptest! {
    // Tables of inner cells take seconds where they are not optimised.
    #![proptest_config(ProptestConfig::with_cases(2))]
    #[test]
    fn levels_are_the_same_state_by_state_in_batches_and_as_a_whole(case in case()) {
        check(case, false, 4);
    }
}

#[test]
fn levels_under_four_and_eight_symmetries_are_the_same_as_a_whole() {
    for rule in [Rule::Four, Rule::Six, Rule::Eight] {
        check((4, rule, 2, 20_000, 3), false, 5);
    }
}
