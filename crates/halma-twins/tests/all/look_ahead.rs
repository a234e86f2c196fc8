//! The search's look-ahead and the verifier's say the same of armies of every kind.

use std::cell::Cell;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use halma_bounds::abstraction::{Abstraction, UNREACHED};
use halma_bounds::database::Databases;
use halma_bounds::frontier::WorkContext;
use halma_bounds::relaxed::LookAheadTables;
use halma_check::twins::TransferLookAhead;
use halma_engine::search::CancellationToken;
use halma_engine::search::exchange::Alone;
use halma_record::job::{Granularity, LookAhead, LookAheadDepth};
use halma_rules::board::{Board, NAMED};
use halma_rules::centroid;
use halma_rules::job::{Job, Problem};
use halma_rules::moves::destinations;
use halma_rules::symmetry::Symmetries;

/// Boards on whose quarters several directions go the same number of bits on, some with room for few men.
const NARROW: [&str; 6] = [
    "....\n..#.\n....\n....\n.#..",
    "..\n..\n..\n..\n..\n..",
    "...\n...\n...\n...\n...",
    "..\n..\n..",
    "....",
    "...\n...\n.#.",
];

/// Men on cells that these numbers choose.
fn army(numbers: &[u16], cells: usize) -> Vec<usize> {
    let mut free: Vec<usize> = (0..cells).collect();
    let mut men: Vec<usize> = numbers.iter().map(|&n| free.remove(usize::from(n) % free.len())).collect();
    men.sort_unstable();
    men
}

/// How many moves are left.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// As many as a walk took from the army to the goal: the army stays.
    Walked,
    /// So many more than the table says are needed.
    Needed(u32),
}

/// The table has no longer distances than this.
const FARTHEST: u32 = 9;

/// What both say of an army before a goal, which other moves lead to from there, or which is some `other` army: whether
/// it stays. `None` if the table alone decides.
fn said(
    board: &str,
    moves: u8,
    jumps_only: bool,
    picks: &[u16],
    left: Left,
    other: bool,
    how: LookAhead,
) -> Option<bool> {
    let cells = Board::named(board).unwrap_or_else(|| Board::from_map(board).unwrap().0);
    let size = (3 + usize::from(picks[0]) % 6).min(cells.len() - 1);
    let names = |army: &[usize]| army.iter().map(|&c| cells.name_of(c)).collect::<Vec<_>>();
    let start = army(&picks[1..=size], cells.len());
    let job = Job::parse("a.toml".as_ref(), &spec(board, moves, jumps_only, &names(&start))).unwrap();
    let Problem::Transfer(problem) = &job.problem else { unreachable!() };
    let mut goal = start.clone();
    let steps = 1 + usize::from(picks[10]) % 7;
    for pick in &picks[11..11 + steps] {
        let occupied: Vec<bool> = (0..cells.len()).map(|c| goal.contains(&c)).collect();
        let all: Vec<(usize, usize)> = (0..goal.len())
            .flat_map(|i| {
                let to = destinations(&problem.lattice, &occupied, goal[i], jumps_only);
                to.into_iter().map(move |to| (i, to))
            })
            .collect();
        let &(i, to) = all.get(usize::from(*pick) % all.len().max(1))?;
        goal[i] = to;
        goal.sort_unstable();
    }
    let near = u32::from(picks[19].is_multiple_of(4));
    if other && !matches!(left, Left::Walked) {
        goal = army(&picks[20..20 + size], cells.len());
    }
    if jumps_only && problem.types(&goal) != problem.types(&start) {
        return None;
    }
    // Without a mirror any function of the cells will do. The centroids of a problem whose armies are the same are all 0.
    let values: Vec<i32> = (0..cells.len()).map(|c| cells.xy(c)).map(|(x, y)| x + y).collect();
    let symmetries = Symmetries { mirror: None, ..problem.symmetries() };
    let databases = Databases::new(problem, &symmetries, &values, &Granularity::default(), 100_000);
    let abstraction: &Arc<Abstraction> = &databases.abstraction;
    let small = |army: &[usize]| army.iter().map(|&c| c as u8).collect::<Vec<u8>>();
    let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
    let source = vec![abstraction.rank_of(&small(&goal))];
    let distances = |reach| abstraction.distances(std::slice::from_ref(&source), reach, &(), context).unwrap();
    let left = match left {
        Left::Walked => steps as u32,
        Left::Needed(more) => match distances(FARTHEST).get(abstraction.rank_of(&small(&start))) {
            UNREACHED => return None,
            distance => (u32::from(distance) + more).checked_sub(near).filter(|&left| left > 0)?,
        },
    };
    let limit = 2 + left + near;
    let ends = [&small(&start)[..], &small(&goal)];
    let class_of = &abstraction.partition.class_of;
    let slow = TransferLookAhead::new(&job.spec, class_of, ends, (limit, near), how, left + near).unwrap()?;
    let ladders = LookAheadTables::new(&problem.lattice, jumps_only).unwrap();
    let fast = ladders.filter(abstraction, &Arc::new(distances(left + near)), limit, near, how);
    assert_eq!(fast.applies(2), slow.applies(2));
    assert!(slow.within(&small(&start), left));
    let stays = slow.stays(&small(&start), 2);
    assert_eq!(fast.worker().admits(&small(&start), 2), stays, "{start:?} to {goal:?}");
    Some(stays)
}

fn by_men(full: u8, least: u8) -> LookAhead {
    LookAhead::ManByMan(LookAheadDepth { full, least })
}

fn spec(board: &str, moves: u8, jumps_only: bool, army: &[String]) -> String {
    let both = format!("army = {army:?}\ntarget = {army:?}");
    format!("[problem]\nkind = 'transfer'\nboard = '''{board}'''\nmoves = {moves}\njumps-only = {jumps_only}\n{both}\n")
}

/// Once the number of moves left was kept in a byte, so with 256 of them every state was cut, and with more nearly all.
#[test]
fn a_state_that_can_arrive_stays_however_many_moves_are_left() {
    let board = "board = '''.....\n.....\n.....\n.....\n.....'''\nmoves = 6";
    let ends = "army = ['a1', 'b1', 'a2']\ntarget = ['e5', 'd5', 'e4']";
    let job = Job::parse("a.toml".as_ref(), &format!("[problem]\nkind = 'transfer'\n{board}\n{ends}\n")).unwrap();
    let Problem::Transfer(problem) = &job.problem else { unreachable!() };
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(problem, &symmetries);
    let databases = Databases::new(problem, &symmetries, &centroid, &Granularity::default(), 4_000);
    let abstraction = &databases.abstraction;
    let cell = |name: &&str| problem.lattice.board.cell(name).unwrap() as u8;
    let [start, goal] = [["a1", "b1", "a2"], ["e4", "d5", "e5"]].map(|army| army.iter().map(cell).collect::<Vec<u8>>());
    let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
    let table = Arc::new(abstraction.distances(&[vec![abstraction.rank_of(&goal)]], 60, &(), context).unwrap());
    let tables = LookAheadTables::new(&problem.lattice, false).unwrap();
    for how in [LookAhead::ClassByClass(3), LookAhead::ClassByClass(20)] {
        let stays = |left| tables.filter(abstraction, &table, left, 0, how).worker().admits(&start, 0);
        assert!(!stays(2), "six steps in two moves");
        for left in [30, 254, 255, 256, 257, 258, 300, 511, 512, 513, 9_999] {
            assert!(stays(left), "{how:?}, {left} moves left");
        }
    }
}

#[test]
fn the_search_s_look_ahead_and_the_plain_one_agree() {
    let how = prop_oneof![
        proptest::sample::select(&[(20, 1), (3, 1), (5, 4), (1, 1)][..]).prop_map(|(full, least)| by_men(full, least)),
        proptest::sample::select(&[1, 2, 3, 5, 20][..]).prop_map(LookAhead::ClassByClass),
    ];
    let all = (
        proptest::sample::select([NAMED, &NARROW].concat()),
        prop_oneof![Just(4u8), Just(6), Just(8)],
        any::<bool>(),
        proptest::collection::vec(any::<u16>(), 40),
        prop_oneof![1 => Just(Left::Walked), 4 => Just(Left::Needed(0)), 2 => (1..3u32).prop_map(Left::Needed)],
        prop::bool::weighted(0.8),
        how,
    );
    let counts = [Cell::new(0), Cell::new(0)];
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() });
    runner
        .run(&all, |(board, moves, jumps_only, picks, left, other, how)| {
            if let Some(stays) = said(board, moves, jumps_only, &picks, left, other, how) {
                counts[usize::from(stays)].update(|count| count + 1);
                prop_assert!(stays || !matches!(left, Left::Walked), "a walk is cut");
            }
            Ok(())
        })
        .unwrap();
    let [cut, stayed] = counts.map(Cell::into_inner);
    assert!(cut > 40 && stayed > 100, "{cut} cut, {stayed} stayed");
}
