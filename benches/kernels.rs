//! Kernels of the search and of the verifier, whose instructions `scripts/instructions` counts.
//!
//! `kernels` lists them. `kernels NAME` makes a kernel's input and runs it once, `kernels --setup NAME` makes the input
//! only: the kernel takes the difference. Inputs are fixed, one thread works at a time, and every kernel asserts its
//! answer, so that two counts of a kernel are counts of the same work.

mod field;

use std::hint::black_box;
use std::process;
use std::sync::Arc;

use halma_bounds::database::Databases;
use halma_bounds::frontier::WorkContext;
use halma_bounds::game_bounds;
use halma_bounds::pattern::Pattern;
use halma_bounds::relaxed::{Filter, LookAheadTables};
use halma_engine::batch::{Batch, Batches, LevelWorker, WholeLevel};
use halma_engine::puzzle::Puzzle;
use halma_engine::search::duplicates::{Scratch, SortedSet};
use halma_engine::search::exchange::Alone;
use halma_engine::search::shards::Shards;
use halma_engine::search::{CancellationToken, Expander, LevelDestination, digest};
use halma_engine::store::layout::Layout;
use halma_engine::store::{Level, SegmentWriter};
use halma_puzzles::game_puzzle::GamePuzzle;
use halma_puzzles::own::{self, AnyModel, Searched};
use halma_puzzles::rank::Ranks;
use halma_puzzles::transfer::{ProblemTables, TransferPuzzle};
use halma_record::job::game_bounds::Bounds;
use halma_record::job::{Granularity, LookAhead, LookAheadDepth};
use halma_record::record::Record;
use halma_rules::centroid;
use halma_rules::game::Side;
use halma_rules::job::{Job, Problem};
use halma_rules::problem::Transfer;
use halma_rules::symmetry::Symmetries;

/// A kernel with its input; the result is its answer.
type Work = Box<dyn FnMut() -> u64>;

struct Kernel {
    name: &'static str,
    /// What it does, for the table.
    what: &'static str,
    /// Makes the input.
    setup: fn() -> Work,
    /// Successors, states, or whatever it counts; those of whole levels are also in records under `results/`.
    answer: u64,
}

const KERNELS: [Kernel; 16] = [
    Kernel {
        name: "successors-6move",
        what: "successors with their keys: level 4 of the ten men, 6-move",
        setup: || successors_of_ten_men(6, 4),
        answer: 216_448,
    },
    Kernel {
        name: "successors-8move",
        what: "successors with their keys: level 3 of the ten men, 8-move",
        setup: || successors_of_ten_men(8, 3),
        answer: 126_419,
    },
    Kernel {
        name: "successors-together",
        what: "different successors with their keys: level 5 of the ten men, 6-move, expanded together",
        setup: successors_together,
        answer: 262_938,
    },
    Kernel {
        name: "level-whole",
        what: "level 6 of the ten men, 6-move, from level 5, as a whole: expanded, without old states, with keys",
        setup: level_whole,
        answer: 210_835,
    },
    Kernel { name: "unrank", what: "armies from the keys of level 5", setup: unrank, answer: 8523 },
    Kernel {
        name: "duplicates",
        what: "the successors of level 4, by shard: sorted, each once",
        setup: duplicates,
        answer: 43_562,
    },
    Kernel {
        name: "expand",
        what: "level 5 from level 4 by the expander: successors, duplicates, repeated states, coding",
        setup: expand,
        answer: 37_114,
    },
    Kernel { name: "write-level", what: "level 5 coded as a segment", setup: write_level, answer: 45_083 },
    Kernel { name: "read-level", what: "level 5 decoded, block by block", setup: read_level, answer: 37_114 },
    Kernel { name: "digests", what: "two digests of level 5", setup: digests, answer: 17_607_576_144_758_197_659 },
    Kernel {
        name: "pattern-database",
        what: "abstract distances of the six men, 6-move, from both ends until they meet",
        setup: pattern_database,
        answer: 17,
    },
    Kernel {
        name: "look-ahead",
        what: "the look-ahead on level 5 of the six men, 6-move, 20 moves, under a pattern database",
        setup: look_ahead,
        answer: 223,
    },
    Kernel {
        name: "successors-game",
        what: "successors under all bounds but one: level 4 of Grasshopper, 24 moves",
        setup: successors_of_a_game,
        answer: 1910,
    },
    Kernel {
        name: "successors-peg-solitaire",
        what: "successors by rules from a file: level 7 of peg solitaire",
        setup: || successors_of_a_file(include_str!("../configs/puzzles/peg-solitaire-jumps.toml"), 7),
        answer: 26_912,
    },
    Kernel {
        name: "successors-15-puzzle",
        what: "successors by rules from a file: level 11 of the 15-puzzle",
        setup: || successors_of_a_file(include_str!("../configs/puzzles/tiles-4x4-corner.toml"), 11),
        answer: 12_182,
    },
    Kernel { name: "check", what: "the verifier on the record of the four men, 6-move", setup: check, answer: 8 },
];

/// The number of successors; their keys are made, and thrown away.
#[inline(never)]
fn successors<P: Puzzle>(puzzle: &P, depth: u32, states: &[P::Key]) -> u64 {
    let (mut scratch, mut emitted) = (puzzle.scratch(), 0);
    for &key in states {
        puzzle.successors(&mut scratch, key, depth, &mut |successor| {
            black_box(successor);
            emitted += 1;
        });
    }
    emitted
}

/// Level `depth`, and before it the level before it, ascending: made by plain sorting, which takes the same instructions
/// every time. Repeated states are removed as far as these two levels show them.
fn levels<P: Puzzle>(puzzle: &P, depth: u32) -> [Vec<P::Key>; 2] {
    let (mut scratch, mut before, mut last) = (puzzle.scratch(), Vec::new(), puzzle.start());
    for depth in 0..depth {
        let mut next = Vec::new();
        for &key in &last {
            puzzle.successors(&mut scratch, key, depth, &mut |successor| next.push(successor));
        }
        next.sort_unstable();
        next.dedup();
        next.retain(|key| [&before, &last].iter().all(|level| level.binary_search(key).is_err()));
        before = std::mem::replace(&mut last, next);
    }
    [before, last]
}

/// The states of level `depth`, ascending.
fn states<P: Puzzle>(puzzle: &P, depth: u32) -> Vec<P::Key> {
    let [_, last] = levels(puzzle, depth);
    last
}

fn successors_of_ten_men(moves: u8, depth: u32) -> Work {
    let (_, search) = field::ten_men(moves);
    let states = states(&search, depth);
    Box::new(move || successors(&search, depth, &states))
}

/// How many successors a batch emits: each once, but for some in rows that are their own mirror image.
#[inline(never)]
fn emitted(batches: &dyn Batches<u64>, batch: &mut dyn Batch<u64>, states: &[u64]) -> u64 {
    batch.add(states);
    batch.expand(usize::MAX);
    let emitted = batch.emit(usize::MAX, &mut |keys| _ = black_box(keys)) as u64;
    batches.clear();
    emitted
}

fn successors_together() -> Work {
    let (_, search) = field::ten_men(6);
    let states = states(&search, 5);
    let level = Level::of(states.clone());
    let batches = search.batches(5, &level).expect("a level in memory").expect("armies that share rows");
    let mut batch = batches.batch();
    Box::new(move || emitted(&*batches, &mut *batch, &states))
}

/// Adds all states of a part to the next level.
type Add<'a> = &'a mut dyn FnMut(&mut dyn LevelWorker<u64>, usize);

/// The level of what `add` adds in so many parts, and how many states it has.
fn made(
    whole: &dyn WholeLevel<u64>,
    before: &[&dyn Layout<u64>],
    parts: usize,
    add: Add<'_>,
) -> (Arc<dyn Layout<u64>>, u64) {
    let mut worker = whole.worker();
    (0..parts).for_each(|part| add(&mut *worker, part));
    let (mut states, mut all) = (0, Vec::new());
    for part in 0..whole.parts() {
        let new = worker.new_states(part, before, Some(&mut |keys| _ = black_box(keys)));
        states += new.len;
        all.push(new.states);
    }
    (whole.level(all), states)
}

#[inline(never)]
fn next_level(whole: &dyn WholeLevel<u64>, before: &[&dyn Layout<u64>]) -> u64 {
    let mut expand = |worker: &mut dyn LevelWorker<u64>, part: usize| {
        worker.expand(before[0], part, usize::MAX);
    };
    made(whole, before, before[0].parts(), &mut expand).1
}

fn level_whole() -> Work {
    let (_, search) = field::ten_men(6);
    let [before, last] = levels(&search, 5);
    let batches = search.batches(5, &Level::of(last.clone())).expect("a level in memory");
    let whole = batches.and_then(|batches| batches.whole_level()).expect("armies that share rows");
    let laid_out = [last, before].map(|keys| made(&*whole, &[], 1, &mut |worker, _| worker.add(&keys)).0);
    Box::new(move || next_level(&*whole, &laid_out.each_ref().map(|layout| &**layout)))
}

#[inline(never)]
fn unranked(ranks: &Ranks<u64>, keys: &[u64]) -> u64 {
    let (mut men, mut sum) = (vec![0; ranks.men()], 0);
    for &key in keys {
        ranks.unrank(key, &mut men);
        sum += u64::from(black_box(&men)[0]);
    }
    sum
}

fn unrank() -> Work {
    let (_, search) = field::ten_men(6);
    let states = states(&search, 5);
    Box::new(move || unranked(&search.tables.ranks, &states))
}

#[inline(never)]
fn without_duplicates(shards: &[[Vec<u64>; 1]]) -> u64 {
    let mut scratch = Scratch::default();
    let mut distinct = |keys: &[Vec<u64>; 1]| {
        let mut range = SortedSet::default();
        range.receive(keys, &mut scratch);
        range.into_sorted(&mut scratch).len() as u64
    };
    shards.iter().map(&mut distinct).sum()
}

fn duplicates() -> Work {
    let (_, search) = field::ten_men(6);
    let (mut scratch, mut all) = (search.scratch(), Vec::new());
    for key in states(&search, 4) {
        search.successors(&mut scratch, key, 4, &mut |successor| all.push(successor));
    }
    let sample: Vec<u64> = all.iter().copied().step_by(97).collect();
    let shards = Shards::balanced(&sample, all.len() >> 16);
    let mut parts = vec![[Vec::new()]; shards.count()];
    all.iter().for_each(|&key| parts[shards.of(key)][0].push(key));
    Box::new(move || without_duplicates(&parts))
}

#[inline(never)]
fn expanded<P: Puzzle>(puzzle: &P, depth: u32, [before, last]: &[Level<P::Key>; 2], expander: &Expander) -> u64 {
    let cancel = CancellationToken::after(None);
    let next = expander.expand(puzzle, depth, last, &[before], LevelDestination::MEMORY, &cancel);
    next.expect("a level").tally.states
}

fn expand() -> Work {
    let (_, search) = field::ten_men(6);
    let levels = levels(&search, 4).map(Level::of);
    let expander = Expander::new(1, None).expect("a thread");
    Box::new(move || expanded(&search, 4, &levels, &expander))
}

#[inline(never)]
fn written(keys: &[u64]) -> u64 {
    let mut writer = SegmentWriter::default();
    keys.iter().for_each(|&key| writer.push(key));
    writer.finish().bytes()
}

fn write_level() -> Work {
    let states = states(&field::ten_men(6).1, 5);
    Box::new(move || written(&states))
}

#[inline(never)]
fn read(level: &Level<u64>) -> u64 {
    let (mut block, mut keys) = (Vec::new(), 0);
    for number in 0..level.blocks() {
        level.read_block(number, &mut block).expect("memory");
        keys += black_box(&block).len() as u64;
    }
    keys
}

fn read_level() -> Work {
    let level = Level::of(states(&field::ten_men(6).1, 5));
    Box::new(move || read(&level))
}

#[inline(never)]
fn digested(keys: &[u64]) -> u64 {
    (digest::of(digest::KEY, keys) ^ digest::of(digest::SECOND_KEY, keys)) as u64
}

fn digests() -> Work {
    let states = states(&field::ten_men(6).1, 5);
    Box::new(move || digested(&states))
}

/// The most histograms of a pattern database here.
const HISTOGRAMS: u64 = 1 << 16;

/// Problem 1 of the paper, six men, under 6-move rules.
struct SixMen {
    problem: Transfer,
    symmetries: Symmetries,
    centroid: Vec<i32>,
}

impl SixMen {
    fn new() -> Self {
        let job = include_str!("../configs/table-3/p1-triangle-3-6move.toml");
        let Problem::Transfer(problem) = parsed(job) else { unreachable!("a transfer") };
        let symmetries = problem.symmetries();
        let centroid = centroid::of_cells(&problem, &symmetries);
        Self { problem, symmetries, centroid }
    }

    fn databases(&self) -> Databases {
        Databases::new(&self.problem, &self.symmetries, &self.centroid, &Granularity::default(), HISTOGRAMS)
    }
}

fn parsed(job: &str) -> Problem {
    Job::parse("kernel.toml".as_ref(), job).expect("a job").problem
}

#[inline(never)]
fn lower_bound(databases: &Databases, cancel: &CancellationToken) -> u64 {
    let bound = databases.lower_bound(WorkContext { exchange: &Alone, cancel }).expect("nothing stops it");
    bound.map_or(0, u64::from)
}

fn pattern_database() -> Work {
    let (databases, cancel) = (SixMen::new().databases(), CancellationToken::after(None));
    Box::new(move || lower_bound(&databases, &cancel))
}

#[inline(never)]
fn admitted(filter: &dyn Filter, ranks: &Ranks<u64>, depth: u32, keys: &[u64]) -> u64 {
    let (mut worker, mut men) = (filter.worker(), vec![0; ranks.men()]);
    let mut admits = |key: u64| {
        ranks.unrank(key, &mut men);
        worker.admits(&men, depth)
    };
    keys.iter().filter(|&&key| admits(key)).count() as u64
}

fn look_ahead() -> Work {
    const LENGTH: u32 = 20;
    const DEPTH: u32 = 5;
    let six = SixMen::new();
    let (databases, cancel) = (six.databases(), CancellationToken::after(None));
    databases.extend(LENGTH, WorkContext { exchange: &Alone, cancel: &cancel }).expect("nothing stops it");
    let SixMen { problem, symmetries, centroid } = six;
    let tables = Arc::new(ProblemTables::<2, u64>::new(&problem, &symmetries.fixing, centroid).expect("it fits"));
    let pattern = Pattern::new(&databases.abstraction, &databases.to_target, LENGTH);
    let search = TransferPuzzle::new(&tables, &problem.start, vec![Arc::new(pattern)]);
    let states: Vec<u64> = states(&search, DEPTH);
    let look_ahead = LookAheadTables::new(&problem.lattice, problem.jumps_only).expect("it fits");
    let how = LookAhead::ManByMan(LookAheadDepth { full: 11, least: 1 });
    let filter = look_ahead.filter(&databases.abstraction, &databases.to_target, LENGTH, 0, how);
    assert!(filter.applies(DEPTH));
    Box::new(move || admitted(&*filter, &tables.ranks, DEPTH, &states))
}

fn successors_of_a_game() -> Work {
    const LENGTH: u32 = 24;
    const DEPTH: u32 = 4;
    let Problem::Game(game) = parsed(include_str!("../configs/table-2/grasshopper.toml")) else {
        unreachable!("a game")
    };
    // The tables of `packing` take sixty times as long as what is counted here.
    let bounds: Bounds = "all-but-packing".parse().expect("bounds");
    let bounds = game_bounds::build(&bounds, &game, Side::winner(LENGTH));
    let puzzle = GamePuzzle::<2, u128>::new(&game, LENGTH, bounds, &game.symmetries()).expect("it fits");
    let states = states(&puzzle, DEPTH);
    Box::new(move || successors(&puzzle, DEPTH, &states))
}

fn successors_of_a_file(job: &str, depth: u32) -> Work {
    let Problem::Puzzle(puzzle) = parsed(job) else { unreachable!("a puzzle") };
    let Some(AnyModel::Small(model)) = own::open(&puzzle.compiled, true) else { unreachable!("64 bits") };
    let states = states(&Searched::forward(&*model), depth);
    Box::new(move || successors(&Searched::forward(&*model), depth, &states))
}

#[inline(never)]
fn checked(record: &Record) -> u64 {
    let options = halma_check::Options { sample: None, budget: u64::MAX, memory: None, progress: &|_| () };
    let report = halma_check::record_holds(record, "".as_ref(), &options).expect("a true record");
    assert_eq!(report.unchecked, [""; 0]);
    report.checked.len() as u64
}

fn check() -> Work {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/table-3/p5-square-2-6move.json");
    let record = Record::read_unjudged(file.as_ref()).expect("a record");
    Box::new(move || checked(&record))
}

fn main() {
    // What uses the global pool runs on this thread, whatever the machine has.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global().expect("the first to ask");
    // Cargo asks benches with words of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench" && word != "--test").collect();
    let Some(name) = words.last() else {
        KERNELS.iter().for_each(|kernel| println!("{}\t{}", kernel.name, kernel.what));
        return;
    };
    let Some(kernel) = KERNELS.iter().find(|kernel| kernel.name == name) else {
        eprintln!("unknown kernel {name}");
        process::exit(2);
    };
    let mut work = (kernel.setup)();
    if words[0] != "--setup" {
        assert_eq!(work(), kernel.answer, "{name}");
    }
    // The input is not dropped: that would be counted.
    process::exit(0);
}
