//! A batch has the successors that its armies have one by one.

use std::collections::BTreeSet;

use halma_engine::puzzle::Puzzle;
use halma_rules::board::Board;
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::problem::Transfer;
use proptest::prelude::*;

use super::inner_cells::MOST;
use super::*;
use crate::transfer::{TransferPuzzle, whole_level_checks};

/// A square board with an army, and inner cells, by the numbers of cells that symmetries do not exchange.
#[derive(Debug)]
struct Case {
    side: usize,
    rule: Rule,
    jumps_only: bool,
    men: Vec<usize>,
    /// Whether the army is made symmetric, so that K has two members.
    symmetric: bool,
    inner: Vec<usize>,
    levels: u32,
    /// Threads that the states are dealt out to.
    threads: usize,
    /// Bytes of successors at a time, and how many are emitted at a time.
    bytes: usize,
    wanted: usize,
}

fn case() -> impl Strategy<Value = Case> {
    case_of(3_usize..=7)
}

/// Boards of more than 128 cells; the largest has 256.
fn large_case() -> impl Strategy<Value = Case> {
    case_of(12_usize..=16)
}

fn case_of(sides: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Case> {
    let rule = prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)];
    sides.prop_flat_map(move |side| {
        let cells = side * side;
        let of = |most| proptest::collection::vec(0..cells, 1..most);
        let bytes = prop_oneof![Just(1), Just(1 << 20)];
        (rule.clone(), any::<[bool; 2]>(), of(6), of(16), 0_u32..4, 1_usize..4, bytes, 1_usize..50).prop_map(
            move |(rule, [jumps_only, symmetric], men, inner, levels, threads, bytes, wanted)| Case {
                side,
                rule,
                jumps_only,
                men,
                symmetric,
                inner,
                levels,
                threads,
                bytes,
                wanted,
            },
        )
    })
}

fn check<const W: usize, K: Key>(case: &Case) {
    let map = vec![".".repeat(case.side); case.side].join("\n");
    let board = Board::from_map(&map).expect("a board").0;
    let side = case.side;
    let transposed = |&cell: &usize| cell % side * side + cell / side;
    let mut start = case.men.clone();
    if case.symmetric {
        start.extend(case.men.iter().map(transposed));
    }
    start.sort_unstable();
    start.dedup();
    let target: Vec<usize> = start.iter().rev().map(|cell| side * side - 1 - cell).collect();
    let problem = Transfer { lattice: Lattice::new(board, case.rule), start, target, jumps_only: case.jumps_only };
    let centroid: Vec<i32> = (0..side * side).map(|cell| (cell % side + cell / side) as i32).collect();
    let fixing = problem.symmetries().fixing;
    let Some(tables) = ProblemTables::<W, K>::new(&problem, &fixing, centroid) else { return };
    let tables = Arc::new(tables);
    let mut inner: BTreeSet<u8> = BTreeSet::new();
    for &cell in &case.inner {
        let orbit: BTreeSet<u8> =
            tables.permutations.iter().map(|permutation| permutation[cell]).chain([cell as u8]).collect();
        if inner.union(&orbit).count() <= MOST {
            inner.extend(orbit);
        }
    }
    let Some(matrix) = Matrix::new(&tables, inner.into_iter().collect()) else { return };
    let puzzle = TransferPuzzle::new(&tables, &problem.start, vec![]);
    let (mut scratch, mut states) = (puzzle.scratch(), BTreeSet::from_iter(puzzle.start()));
    for depth in 0..case.levels {
        let mut more = states.clone();
        for &state in states.iter().take(300) {
            puzzle.successors(&mut scratch, state, depth, &mut |key| _ = more.insert(key));
        }
        states = more;
    }
    let (mut expected, mut expected_generated) = (BTreeSet::new(), 0);
    for &state in &states {
        expected_generated += puzzle.successors(&mut scratch, state, 0, &mut |key| _ = expected.insert(key));
    }
    let batches = ArmyBatches::new(&tables, Arc::new(matrix));
    let mut threads: Vec<_> = (0..case.threads).map(|_| batches.batch()).collect();
    let states: Vec<K> = states.into_iter().collect();
    for (number, states) in states.chunks(100).enumerate() {
        threads[number % case.threads].add(states);
    }
    let (mut found, mut all) = (BTreeSet::new(), Expanded::default());
    while threads.iter().any(|batch| batch.waits()) {
        threads.iter_mut().for_each(|batch| all.add(batch.expand(case.bytes)));
        if threads.len() == case.threads {
            // One more, which only emits.
            threads.push(batches.batch());
        }
        while batches.have_successors() {
            let emit = |batch: &mut Box<dyn Batch<K>>| {
                let mut found = Vec::new();
                batch.emit(case.wanted, &mut |keys| found.extend_from_slice(keys));
                found
            };
            std::thread::scope(|scope| {
                let emitting: Vec<_> = threads.iter_mut().map(|batch| scope.spawn(move || emit(batch))).collect();
                emitting.into_iter().for_each(|thread| found.extend(thread.join().expect("no panic")));
            });
        }
        batches.clear();
    }
    assert_eq!((all.states, all.generated, all.emitted), (states.len() as u64, expected_generated, expected_generated));
    assert_eq!(found, expected);
    if let Some((measure, key)) = threads.iter().filter_map(|batch| batch.leader()).max() {
        let largest = expected.iter().filter_map(|&key| puzzle.measure(&mut scratch, key)).max();
        assert!(expected.contains(&key));
        assert_eq!((Some(measure), puzzle.measure(&mut scratch, key)), (largest, largest));
    } else {
        assert!(expected.is_empty() || tables.foremost.is_none());
    }
    let has_centroids = tables.foremost.is_some();
    let whole = Box::new(batches).whole_level();
    assert_eq!(whole.is_some(), has_centroids);
    if let Some(whole) = whole {
        whole_level_checks::check(&puzzle, &*whole, &states, case.threads, (all, &expected));
    }
}

proptest! {
    #[test]
    fn armies_have_the_same_successors_together_and_alone(case in case()) {
        check::<1, u64>(&case);
        check::<2, u128>(&case);
    }

    #[test]
    fn armies_on_large_boards_do(case in large_case()) {
        check::<4, u128>(&case);
    }
}
