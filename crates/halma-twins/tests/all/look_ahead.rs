//! The search's look-ahead and the verifier's say the same of armies of every kind.

use std::sync::Arc;

use proptest::prelude::*;

use halma_bounds::abstraction::Abstraction;
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

/// Boards on whose quarters several directions go the same number of bits on.
const NARROW: [&str; 3] = ["....\n..#.\n....\n....\n.#..", "..\n..\n..\n..\n..\n..", "...\n...\n...\n...\n..."];

/// Men on cells that these numbers choose.
fn army(numbers: &[u16], cells: usize) -> Vec<usize> {
    let mut free: Vec<usize> = (0..cells).collect();
    let mut men: Vec<usize> = numbers.iter().map(|&n| free.remove(usize::from(n) % free.len())).collect();
    men.sort_unstable();
    men
}

/// Whether both say the same of `men`, so many moves before one of two armies: one that other moves lead to from there,
/// `late` moves too late, or some other army.
fn agree(board: &str, moves: u8, jumps_only: bool, picks: &[u16], late: usize, other: bool, how: LookAhead) {
    let size = 3 + usize::from(picks[0]) % 6;
    let cells = Board::named(board).unwrap_or_else(|| Board::from_map(board).unwrap().0);
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
        let Some(&(i, to)) = all.get(usize::from(*pick) % all.len().max(1)) else { return };
        goal[i] = to;
        goal.sort_unstable();
    }
    let near = u32::from(picks[19].is_multiple_of(4));
    let left = (steps.saturating_sub(late)).max(1) as u32;
    if other {
        goal = army(&picks[20..20 + size], cells.len());
    }
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(problem, &symmetries);
    let databases = Databases::new(problem, &symmetries, &centroid, &Granularity::default(), 4_000);
    let abstraction: &Arc<Abstraction> = &databases.abstraction;
    let small = |army: &[usize]| army.iter().map(|&c| c as u8).collect::<Vec<u8>>();
    let limit = 2 + left + near;
    let ends = [&small(&start)[..], &small(&goal)];
    let class_of = &abstraction.partition.class_of;
    let slow = TransferLookAhead::new(&job.spec, class_of, ends, (limit, near), how, left + near).unwrap();
    let Some(slow) = slow else { return };
    let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
    let source = vec![abstraction.rank_of(&small(&goal))];
    let table = Arc::new(abstraction.distances(&[source], left + near, &(), context).unwrap());
    let ladders = LookAheadTables::new(&problem.lattice, jumps_only).unwrap();
    let fast = ladders.filter(abstraction, &table, (limit, near), how);
    assert_eq!(fast.applies(2), slow.applies(2));
    // From a state that is too far by the table nothing begins.
    if slow.within(&small(&start), left) {
        assert_eq!(fast.worker().admits(&small(&start), 2), slow.stays(&small(&start), 2), "{start:?} to {goal:?}");
    }
    if late == 0 && !other {
        assert!(slow.stays(&small(&start), 2), "a real walk is cut: {start:?} to {goal:?}");
    }
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
        let stays = |left| tables.filter(abstraction, &table, (left, 0), how).worker().admits(&start, 0);
        assert!(!stays(2), "six steps in two moves");
        for left in [30, 254, 255, 256, 257, 258, 300, 511, 512, 513, 9_999] {
            assert!(stays(left), "{how:?}, {left} moves left");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn the_search_s_look_ahead_and_the_plain_one_agree(
        board in proptest::sample::select([NAMED, &NARROW].concat()),
        moves in prop_oneof![Just(4u8), Just(6), Just(8)],
        jumps_only: bool,
        picks in proptest::collection::vec(any::<u16>(), 40),
        late in 0..3usize,
        other: bool,
        how in prop_oneof![
            proptest::sample::select(&[(20, 1), (3, 1), (5, 4), (1, 1)][..]).prop_map(|(full, least)| by_men(full, least)),
            proptest::sample::select(&[1, 2, 3, 5, 20][..]).prop_map(LookAhead::ClassByClass),
        ],
    ) {
        agree(board, moves, jumps_only, &picks, late, other, how);
    }
}
