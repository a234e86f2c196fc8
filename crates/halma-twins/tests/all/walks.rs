//! No state of a real walk is cut.

use std::sync::Arc;

use halma_bounds::database::Databases;
use halma_bounds::frontier::WorkContext;
use halma_bounds::relaxed::LookAheadTables;
use halma_engine::search::CancellationToken;
use halma_engine::search::exchange::Alone;
use halma_record::job::{Granularity, LookAhead, LookAheadDepth};
use halma_record::record::{LengthRecord, Side, Verdict};
use halma_rules::centroid;
use halma_rules::job::{self, Job};
use halma_rules::moves::destinations;
use halma_rules::problem::Transfer;
use halma_rules::replay::Replay;
use halma_solve::fault;
use halma_solve::run::{Question, run};
use halma_solve::stops_after::StopsAfter;

const LOOK_AHEADS: [LookAhead; 6] = [
    LookAhead::ManByMan(LookAheadDepth { full: 20, least: 1 }),
    LookAhead::ManByMan(LookAheadDepth { full: 7, least: 4 }),
    LookAhead::ManByMan(LookAheadDepth { full: 4, least: 1 }),
    LookAhead::ManByMan(LookAheadDepth { full: 1, least: 1 }),
    LookAhead::ClassByClass(20),
    LookAhead::ClassByClass(3),
];

/// What judges armies of one problem, over at most so many histograms.
struct Looks {
    problem: Transfer,
    databases: Databases,
    ladders: LookAheadTables,
}

impl Looks {
    fn new(problem: Transfer, histograms: u64) -> Self {
        let symmetries = problem.symmetries();
        let centroid = centroid::of_cells(&problem, &symmetries);
        let databases = Databases::new(&problem, &symmetries, &centroid, &Granularity::default(), histograms);
        let ladders = LookAheadTables::new(&problem.lattice, problem.jumps_only).unwrap();
        Self { problem, databases, ladders }
    }

    /// Whether `men` may stand so many moves before `goal`, by each look-ahead.
    fn admitted(&self, men: &[u8], goal: &[u8], moves: u32) -> [bool; 6] {
        let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
        let abstraction = &self.databases.abstraction;
        let table = abstraction.distances(&[vec![abstraction.rank_of(goal)]], moves, &(), context).unwrap();
        let table = Arc::new(table);
        LOOK_AHEADS.map(|how| {
            let filter = self.ladders.filter(abstraction, &table, moves + 3, 0, how);
            filter.worker().admits(men, 3)
        })
    }

    /// All that one move leads to from an army.
    fn after(&self, men: &[u8]) -> Vec<Vec<u8>> {
        let Transfer { lattice, jumps_only, .. } = &self.problem;
        let occupied: Vec<bool> = (0..lattice.len()).map(|c| men.contains(&(c as u8))).collect();
        let mut all = Vec::new();
        for (i, &from) in men.iter().enumerate() {
            for to in destinations(lattice, &occupied, usize::from(from), *jumps_only) {
                let mut next = men.to_vec();
                next[i] = to as u8;
                next.sort_unstable();
                all.push(next);
            }
        }
        all
    }
}

fn problem(text: &str) -> Transfer {
    let job = Job::parse("a.toml".as_ref(), &format!("[problem]\nkind = \"transfer\"\n{text}")).unwrap();
    let job::Problem::Transfer(problem) = job.problem else { unreachable!() };
    problem
}

fn small(cells: &[usize]) -> Vec<u8> {
    let mut men: Vec<u8> = cells.iter().map(|&c| c as u8).collect();
    men.sort_unstable();
    men
}

/// splitmix64, below a limit.
fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *seed;
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u128::from(x ^ x >> 31) * below as u128) >> 64) as usize
}

#[test]
fn no_part_of_a_known_solution_is_cut() {
    for name in ["p2-triangle-4-4move", "p2-triangle-4-6move", "p2-triangle-4-8move", "p3-triangle-4-jumps-6move"] {
        let file = format!("{}/../../tests/solutions/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&file).unwrap();
        let spec = text.split("[solution]").next().unwrap().split("kind = \"transfer\"").nth(1).unwrap();
        let looks = Looks::new(problem(spec), 100_000);
        let mut walk = vec![small(&looks.problem.start)];
        for chain in &Replay::read(file.as_ref()).unwrap().moves {
            let (from, to) = (chain[0] as u8, chain[chain.len() - 1] as u8);
            let mut next = walk[walk.len() - 1].clone();
            let mover = next.iter().position(|&man| man == from).unwrap();
            next[mover] = to;
            next.sort_unstable();
            walk.push(next);
        }
        for (i, men) in walk.iter().enumerate() {
            for moves in 1..=8.min(walk.len() - 1 - i) {
                for spare in 0..2 {
                    let left = (moves + spare) as u32;
                    assert_eq!(looks.admitted(men, &walk[i + moves], left), [true; 6], "{name}, {moves} from {i}");
                }
            }
        }
    }
}

#[test]
fn no_walk_at_random_is_cut_and_other_states_are() {
    let holes = "\"\"\"\nSS...#\n.S.#..\n..#...\n.#..T.\n#...TT\n\"\"\"";
    let problems = [
        "board = '9x9'\nmoves = 4\narmy = 'triangle-3'".to_string(),
        "board = '9x9'\nmoves = 6\narmy = 'triangle-4'".into(),
        "board = '9x9'\nmoves = 8\narmy = 'square-2'\njumps-only = true".into(),
        "board = 'star-121'\nmoves = 6\narmy = ['e5', 'f5', 'e6']\ntarget = ['m13', 'l13', 'm12']".into(),
        "board = '16x16'\nmoves = 8\narmy = 'triangle-3'".into(),
        format!("moves = 6\nmap = {holes}"),
        format!("moves = 8\nmap = {holes}"),
    ];
    let (mut seed, mut cut_by_class) = (26, 0);
    for text in problems {
        let looks = Looks::new(problem(&text.replace("map =", "board =")), 5_000);
        let (mut cut, mut before, mut walks) = ([0; 6], None, 0);
        // On the widest board three men hardly ever have too far to go: there it takes more walks until one has.
        while walks < 40 || cut[0] == 0 && walks < 1000 {
            walks += 1;
            // Some moves to get away from the corner, and a few that are then looked back at.
            let (away, moves) = (random(&mut seed, 12), 1 + random(&mut seed, 7));
            let mut walk = vec![small(&looks.problem.start)];
            for _ in 0..away + moves {
                let mut all = looks.after(&walk[walk.len() - 1]);
                walk.push(all.swap_remove(random(&mut seed, all.len())));
            }
            let (men, goal) = (&walk[away], &walk[away + moves]);
            assert_eq!(looks.admitted(men, goal, moves as u32), [true; 6], "{text}: {walk:?}");
            // The way to where another walk has come may be too long.
            if let Some(other) = before.replace(goal.clone()) {
                let other = looks.admitted(men, &other, moves as u32);
                cut.iter_mut().zip(other).for_each(|(cut, admitted)| *cut += usize::from(!admitted));
            }
        }
        let [all, most, some, _, by_class, by_class_some] = cut;
        assert!(all == most && most >= some && all > 0, "{text}, {walks} walks: {cut:?}");
        assert!(all >= by_class && by_class >= by_class_some, "{text}, {walks} walks: {cut:?}");
        cut_by_class += by_class_some;
    }
    assert!(cut_by_class > 0);
}

#[test]
fn a_search_that_is_stopped_again_and_again_has_the_same_levels() {
    let job = |threads: u32| {
        let text = format!(
            "[problem]\nkind = 'transfer'\nboard = '9x9'\nmoves = 4\narmy = 'triangle-3'\n\
             [search]\npruning = 'leading(look-ahead=6)'\n[limits]\nthreads = {threads}\n"
        );
        Job::parse("a.toml".as_ref(), &text).unwrap()
    };
    let question = Question::Prove { max_length: 23 };
    let whole = || run(&job(1), question, &(), &CancellationToken::after(None)).unwrap().without_measurements();
    let whole = fault::with(None, whole);
    assert!(whole.runs.iter().any(|run| run.levels.len() > 5));
    let folder = tempfile::tempdir().unwrap();
    let mut stopped = job(2);
    stopped.output.dir = Some(folder.path().into());
    stopped.limits.checkpoint = Some(std::time::Duration::ZERO);
    for levels in 3.. {
        let stops = StopsAfter::levels(levels);
        let record = fault::with(None, || run(&stopped, question, &stops, &stops.cancel).unwrap());
        if record.verdict != Verdict::Incomplete {
            assert!(levels > 3, "it was stopped");
            assert_eq!(record.without_measurements().runs, whole.runs);
            break;
        }
    }
}

/// Leading levels serve several lengths, and how many depends on the greatest one that was asked about. A process that
/// is killed leaves no record, so a later question may come to the same folder.
#[test]
fn a_killed_run_leaves_no_levels_that_another_greatest_length_would_take_for_its_own() {
    let job = || {
        let text = "[problem]\nkind = 'transfer'\nboard = '9x9'\nmoves = 4\narmy = 'triangle-3'\n\
             [search]\npruning = 'leading(classes=5)'\n[limits]\nthreads = 2\n";
        Job::parse("a.toml".as_ref(), text).unwrap()
    };
    let prove = |job: &Job, max_length: u32, levels: u32| {
        let stops = StopsAfter::levels(levels);
        fault::with(None, || run(job, Question::Prove { max_length }, &stops, &stops.cancel).unwrap())
    };
    let (larger, never) = (24, u32::MAX);
    let whole = prove(&job(), larger, never);
    let of = |run: &LengthRecord, side: Side| run.levels.iter().filter(|level| level.side == side).count();
    // Lengths with another middle, too: those with the same one share their following levels.
    let beyond = |run: &LengthRecord| run.up_to.is_some_and(|top| top > run.length / 2 * 2 + 1);
    let serves = |run: &LengthRecord| beyond(run) && of(run, Side::Following) > 0;
    let shared = whole.runs.iter().position(serves).expect("a leading half that decides several lengths");
    let smaller = whole.runs[shared].length;
    let before: usize = whole.runs[..shared].iter().map(|run| run.levels.len()).sum();
    let leading = before + of(&whole.runs[shared], Side::Leading);
    let following = of(&whole.runs[shared], Side::Following);
    // Killed after the leading levels for several lengths, or after some of the following ones for the first.
    let after_kill = |levels: usize| {
        let folder = tempfile::tempdir().unwrap();
        let mut left = job();
        left.output.dir = Some(folder.path().into());
        left.limits.checkpoint = Some(std::time::Duration::ZERO);
        assert_eq!(prove(&left, larger, levels as u32).verdict, Verdict::Incomplete);
        std::fs::remove_file(folder.path().join("result.json")).unwrap();
        prove(&left, smaller, never).without_measurements()
    };
    let expected = after_kill(leading - 1);
    assert_eq!((expected.verdict, expected.refuted_up_to), (Verdict::None, Some(smaller)));
    for levels in leading..=leading + following {
        assert!(after_kill(levels).runs == expected.runs, "after {levels} levels");
    }
}
