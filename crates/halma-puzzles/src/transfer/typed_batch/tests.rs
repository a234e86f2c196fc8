use std::collections::BTreeSet;

use halma_bounds::covered::Covered;
use halma_bounds::database::{Databases, Middles};
use halma_bounds::frontier::WorkContext;
use halma_bounds::leading_moves::LeadingMoves;
use halma_bounds::middle::FromMiddles;
use halma_bounds::pattern::Pattern;
use halma_engine::draws::Draws;
use halma_engine::puzzle::Puzzle;
use halma_engine::search::CancellationToken;
use halma_engine::search::exchange::Alone;
use halma_engine::store::Level;
use halma_record::job::Granularity;
use halma_rules::cells::Cells;
use halma_rules::centroid;
use halma_rules::lattice::Rule;
use halma_rules::problem::Transfer;
use proptest::prelude::*;

use super::*;
use crate::transfer::whole_level_checks;

/// Armies of some types of cells, on boards of odd and even size, with holes; most have a symmetry: they are turned
/// over along a diagonal, or left and right change places.
const MAPS: [&str; 7] = [
    "SSS..\nSS...\nS....\n.....\n.....",
    "SSS....\nSS...#.\nS......\n.......\n.......\n.#.....\n.......",
    "SSSS...\nSSS....\nSS.....\nS......\n.......\n.......\n.......",
    ".SSSS.\n......\n......\n......\n.TTTT.",
    ".SSS.\n..S..\n.....\n..T..\n.TTT.",
    "SSSS..\n..S...\n......\n..T...\nTTTT..",
    "SS\nSS\nS.\n..\nT.\nTT\nTT",
];

fn problem(map: &str, rule: Rule) -> Transfer {
    Transfer::drawn(map, rule).unwrap().by_jumps_only()
}

/// A puzzle without bounds, with its pattern databases.
fn puzzle(problem: &Transfer) -> (TransferPuzzle<2, u64>, Arc<Databases>) {
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(problem, &symmetries);
    let databases = Databases::new(problem, &symmetries, &centroid, &Granularity::default(), 1 << 16);
    let tables = Arc::new(ProblemTables::new(problem, &symmetries.fixing, centroid).unwrap());
    (TransferPuzzle::new(&tables, &problem.start, Vec::new()), Arc::new(databases))
}

/// The keys of armies with as many men of each type as the start, ascending.
fn keys(problem: &Transfer, tables: &ProblemTables<2, u64>, seed: u64, count: usize) -> Vec<u64> {
    let (board, men) = (&problem.lattice.board, problem.types(&problem.start));
    let mut draws = Draws::new(seed);
    let mut army = || -> Cells<2> {
        let of_type = |t: usize| -> Vec<usize> {
            let mut cells: Vec<usize> = (0..board.len()).filter(|&cell| board.type_of(cell) == t).collect();
            for i in 0..men[t] {
                let from = i + draws.below(cells.len() - i);
                cells.swap(i, from);
            }
            cells[..men[t]].to_vec()
        };
        (0..4).flat_map(of_type).collect()
    };
    (0..count).map(|_| tables.canonical(army())).collect::<BTreeSet<_>>().into_iter().collect()
}

/// How states are dealt out to batches: so many at a time, to so many threads; bytes of successors at a time, and how many are emitted
/// at a time.
type Parts = (usize, usize, usize, usize);

/// Compares batches of several threads with the expansion state by state. States are added in parts, and successors are made and
/// emitted in parts.
fn check(puzzle: &TransferPuzzle<2, u64>, keys: &[u64], depth: u32, (part, threads, bytes, wanted): Parts) {
    let mut scratch = puzzle.scratch();
    let mut expected = Expanded::default();
    let mut successors = BTreeSet::new();
    for &key in keys {
        expected.states += 1;
        expected.generated += puzzle.successors(&mut scratch, key, depth, &mut |successor| {
            expected.emitted += 1;
            successors.insert(successor);
        });
    }
    let batches = puzzle.batches(depth, &Level::of(keys.to_vec())).unwrap().unwrap();
    let mut threads: Vec<_> = (0..threads).map(|_| batches.batch()).collect();
    let (mut made, mut emitted) = (Expanded::default(), BTreeSet::new());
    let mut parts = keys.chunks(part);
    while parts.len() > 0 {
        for (batch, keys) in threads.iter_mut().zip(&mut parts) {
            batch.add(keys);
            assert!(batch.bytes_waiting() > 0 || !puzzle.bounds.is_empty());
        }
        while threads.iter().any(|batch| batch.waits()) {
            threads.iter_mut().for_each(|batch| made.add(batch.expand(bytes)));
            let mut count = 0;
            while batches.have_successors() {
                for batch in &mut threads {
                    batch.emit(wanted, &mut |keys| {
                        count += keys.len();
                        emitted.extend(keys.iter().copied());
                    });
                }
            }
            assert!(count as u64 <= made.emitted);
            batches.clear();
        }
        assert!(threads.iter().all(|batch| batch.bytes_waiting() + batch.bytes_made() == 0));
    }
    assert_eq!((made, &emitted), (expected, &successors));
    let mut measure = |key: u64| puzzle.measure(&mut scratch, key).unwrap();
    let largest = emitted.iter().map(|&key| measure(key)).max();
    let leader = threads.iter().filter_map(|batch| batch.leader()).max();
    assert_eq!(leader.map(|(measure, _)| measure), largest);
    assert!(leader.is_none_or(|(largest, key)| emitted.contains(&key) && measure(key) == largest));
    let whole = puzzle.batches(depth, &Level::of(keys.to_vec())).unwrap().unwrap().whole_level().unwrap();
    whole_level_checks::check(puzzle, &*whole, keys, threads.len(), (expected, &successors));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn states_meet_their_mirror_images_in_groups_as_in_keys(
        map in 0..MAPS.len(), rule in rule(), seed: u64, counts in (1..300_usize, 1..300_usize), some_meet: bool,
    ) {
        let problem = problem(MAPS[map], rule);
        let (mut puzzle, databases) = puzzle(&problem);
        let Some(mirror) = problem.symmetries().mirror else { return Ok(()) };
        puzzle.bounds = vec![Arc::new(Pattern::new(&databases.abstraction, &databases.to_target, 0))];
        let tables = &puzzle.tables;
        let mut here = keys(&problem, tables, seed, counts.0);
        let there = keys(&problem, tables, seed ^ 1, counts.1);
        let image = |&key: &u64| tables.canonical(mirror.apply(tables.army(key)));
        if some_meet {
            here.extend(there.iter().step_by(5).map(image));
        }
        let whole = puzzle.batches(0, &Level::of(here.clone())).unwrap().unwrap().whole_level().unwrap();
        let laid_out = |keys: &[u64]| Level::laid_out(whole_level_checks::lay_out(&*whole, keys), keys.iter().collect::<BTreeSet<_>>().len() as u64);
        let levels = [laid_out(&here), laid_out(&there), laid_out(&[])];
        let plain = Level::of(here.clone());
        prop_assert!(MirroredLevels::new(tables, &mirror.cells, &levels[0], &[&levels[1], &plain]).is_none());
        let key = |army: Army<'_, 2>| {
            assert_eq!(army.men.iter().map(|&cell| usize::from(cell)).collect::<Cells<2>>(), army.set);
            tables.ranks.rank(army.set)
        };
        for level in [&levels[0], &plain] {
            let mirrored = MirroredLevels::new(tables, &mirror.cells, level, &[&levels[2], &levels[1]]).unwrap();
            // The wanted states are told by their armies.
            for divisor in [1, 2, 3] {
                let wanted = |key: u64| key.is_multiple_of(divisor);
                let mut parts = 0..mirrored.parts();
                let found = parts.any(|part| mirrored.some_meet(part, |army| wanted(key(army))).unwrap());
                prop_assert_eq!(found, here.iter().any(|here| wanted(*here) && there.contains(&image(here))));
            }
            let shown = |men: Option<usize>| {
                let mut shown = BTreeSet::new();
                for part in 0..mirrored.parts() {
                    let mut show = |army: Army<'_, 2>| {
                        shown.insert(key(army));
                        false
                    };
                    let some = match men {
                        Some(men) => mirrored.some_own_image(part, men, show),
                        None => mirrored.some_meet(part, &mut show),
                    };
                    assert!(!some.unwrap());
                }
                shown
            };
            prop_assert_eq!(shown(None), here.iter().copied().collect());
            for men in [0, 1] {
                let strays = |army: Cells<2>| army.iter().filter(|&cell| !mirror.apply(army).contains(cell)).count();
                let expected: Vec<u64> =
                    here.iter().copied().filter(|&key| strays(tables.army(key)) == men).collect();
                // Some others differ from their image by several men of one type.
                prop_assert!(expected.iter().all(|key| shown(Some(men)).contains(key)));
                prop_assert!(men == 1 || shown(Some(0)).len() == expected.iter().collect::<BTreeSet<_>>().len());
            }
        }
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn batches_make_the_successors_that_are_made_state_by_state(
        map in 0..MAPS.len(), rule in rule(), seed: u64, rest in 0..9_u32, count in 1..400_usize,
        parts in (1..300_usize, 1..4_usize, 0..4000_usize, 1..100_usize),
    ) {
        let problem = problem(MAPS[map], rule);
        let (mut puzzle, databases) = puzzle(&problem);
        let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
        databases.extend(20, context).unwrap();
        let keys = keys(&problem, &puzzle.tables, seed, count);
        let pattern = Pattern::new(&databases.abstraction, &databases.to_target, 7 + rest);
        puzzle.bounds = vec![Arc::new(pattern)];
        check(&puzzle, &keys, 6, parts);
        // No state stays.
        check(&puzzle, &keys, 8 + rest, parts);
        if problem.symmetries().mirror.is_some() {
            let to_middles = Arc::new(databases.to_middles(20, Middles::Leading, context).unwrap());
            puzzle.bounds.push(Arc::new(Covered::new(&databases.abstraction, &to_middles, 2)));
            check(&puzzle, &keys, 6, parts);
            puzzle.bounds.push(Arc::new(FromMiddles::new(&databases, 13)));
            check(&puzzle, &keys, 6, parts);
            for lengths in [13..=13, 12..=13] {
                puzzle.bounds.push(Arc::new(LeadingMoves::new(&databases.abstraction, lengths).unwrap()));
                check(&puzzle, &keys, 6, parts);
                puzzle.bounds.pop();
            }
            puzzle.bounds.push(Arc::clone(&puzzle.bounds[0]));
            prop_assert!(puzzle.batches(6, &Level::of(keys)).unwrap().is_none());
        }
    }
}

/// By steps; to other types of cells than the start has; on a board with more cells of a type than a word has bits.
#[test]
fn other_problems_are_expanded_state_by_state() {
    let steps = Transfer::drawn(MAPS[0], Rule::Six).unwrap();
    let other_types = problem("SSSS..\n..S...\n......\n...T..\n..TTTT", Rule::Four);
    let large = format!("SSS........\nSS.........\n{}", "...........\n".repeat(9));
    for problem in [steps, other_types, problem(&large, Rule::Four)] {
        let (mut puzzle, databases) = puzzle(&problem);
        puzzle.bounds = vec![Arc::new(Pattern::new(&databases.abstraction, &databases.to_target, 0))];
        assert!(puzzle.batches(0, &Level::of(puzzle.start())).unwrap().is_none());
    }
}

#[test]
fn keys_of_armies_that_jumps_do_not_make_are_told() {
    let problem = problem(MAPS[0], Rule::Four);
    let (puzzle, _) = puzzle(&problem);
    let mut scratch = puzzle.scratch();
    let mut is_state = |army: &[usize]| {
        let key = puzzle.tables.canonical(army.iter().copied().collect());
        puzzle.is_state(&mut scratch, key)
    };
    assert!(is_state(&problem.start));
    assert!(!is_state(&[0, 2, 4, 10, 12, 14]));
}
