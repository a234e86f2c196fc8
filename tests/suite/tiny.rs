//! Tiny random boards under every pruning: each run ends after a bounded number of lengths, and says nothing that a search
//! of all positions, written here from the rules alone, contradicts.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use halma_check::{Options, record_holds};
use halma_engine::draws::Draws;
use halma_engine::search::{CancellationToken, Watch};
use halma_record::record::{Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{self, Question};
use halma_solve::solve::Progress;

use crate::all_states::Truth;

/// No run tries more lengths than this: a few for each position of the largest board here.
const LENGTHS: u32 = 400;

const OPTIONS: Options = Options { sample: None, budget: u64::MAX, memory: None, progress: &|_| () };

/// So many of these, in any order.
pub fn pick(random: &mut Draws, cells: &[usize], count: usize) -> Vec<usize> {
    let mut rest = cells.to_vec();
    (0..count).map(|_| rest.swap_remove(random.below(rest.len()))).collect()
}

/// A board of up to 4x3 places, some of which may be missing, and two armies of as many men.
struct Puzzle {
    width: usize,
    height: usize,
    cells: Vec<usize>,
    rule: u8,
    jumps_only: bool,
    start: Vec<usize>,
    target: Vec<usize>,
}

/// A set of places.
type Men = u16;

fn men(places: &[usize]) -> Men {
    places.iter().fold(0, |men, &place| men | 1 << place)
}

impl Puzzle {
    fn random(random: &mut Draws, game: bool) -> Self {
        let (width, height) = [(2, 2), (3, 2), (3, 3), (4, 2), (4, 3), (5, 1)][random.below(6)];
        let holes = if random.below(2) == 0 { 0 } else { random.below(3) };
        let mut cells: Vec<usize> = (0..width * height).collect();
        for _ in 0..holes {
            cells.swap_remove(random.below(cells.len()));
        }
        cells.sort_unstable();
        let most = if game { (cells.len() / 2).min(3) } else { cells.len().min(5) };
        let count = 1 + random.below(most);
        let start = pick(random, &cells, count);
        let others: Vec<usize> = cells.iter().copied().filter(|c| !start.contains(c)).collect();
        // What the half turn makes of the start is the best of targets: then there is a mirror.
        let turned: Vec<usize> = start.iter().map(|c| width * height - 1 - c).collect();
        let mirrored = random.below(3) > 0 && turned.iter().all(|c| cells.contains(c));
        let target = match (game, mirrored) {
            (false, true) => turned,
            (true, true) if turned.iter().all(|c| others.contains(c)) => turned,
            (false, false) => pick(random, &cells, count),
            (true, _) => pick(random, &others, count),
        };
        let rule = [4, 6, 8][random.below(3)];
        Self { width, height, cells, rule, jumps_only: !game && random.below(2) == 0, start, target }
    }

    fn job(&self, game: bool, search: &str) -> String {
        format!("[problem]\n{}[search]\n{search}[limits]\nthreads = 1\n", self.problem(game))
    }

    /// The job's table of that name.
    fn problem(&self, game: bool) -> String {
        let glyph = |place: usize| match (self.start.contains(&place), self.target.contains(&place)) {
            _ if !self.cells.contains(&place) => '#',
            (true, true) => 'B',
            (true, false) => 'S',
            (false, true) => 'T',
            _ => '.',
        };
        let row = |y: usize| (0..self.width).map(|x| glyph(y * self.width + x)).collect::<String>();
        let map = (0..self.height).map(row).collect::<Vec<_>>().join("\n");
        let (kind, jumps_only) = if game { ("game", "") } else { ("transfer", "jumps-only = true\n") };
        let jumps_only = if self.jumps_only { jumps_only } else { "" };
        format!("kind = '{kind}'\nmoves = {}\n{jumps_only}board = '''\n{map}\n'''\n", self.rule)
    }

    /// The place so far to the right and down of another.
    fn beyond(&self, place: usize, (dx, dy): (i32, i32)) -> Option<usize> {
        let (x, y) = ((place % self.width) as i32 + dx, (place / self.width) as i32 + dy);
        let inside = (0..self.width as i32).contains(&x) && (0..self.height as i32).contains(&y);
        let there = inside.then(|| y as usize * self.width + x as usize)?;
        self.cells.contains(&there).then_some(there)
    }

    /// Where the man on `from` may go among all men on the board.
    fn reach(&self, occupied: Men, from: usize) -> Vec<usize> {
        let directions: &[(i32, i32)] = match self.rule {
            4 => &[(1, 0), (-1, 0), (0, 1), (0, -1)],
            6 => &[(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)],
            _ => &[(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1)],
        };
        let others = occupied & !(1 << from);
        let is_man = |place: usize| others >> place & 1 != 0;
        let (mut landed, mut open) = (vec![from], vec![from]);
        while let Some(here) = open.pop() {
            for &(dx, dy) in directions {
                let over = self.beyond(here, (dx, dy)).filter(|&c| is_man(c));
                let land = self.beyond(here, (2 * dx, 2 * dy)).filter(|&c| !is_man(c));
                if let Some((_, land)) = over.zip(land).filter(|(_, land)| !landed.contains(land)) {
                    landed.push(land);
                    open.push(land);
                }
            }
        }
        if !self.jumps_only {
            landed.extend(directions.iter().filter_map(|&d| self.beyond(from, d)).filter(|&c| !is_man(c)));
        }
        landed.retain(|&to| to != from);
        landed
    }

    /// The armies one move away.
    fn moved(&self, army: Men, other: Men) -> Vec<Men> {
        let from = self.cells.iter().copied().filter(|&c| army >> c & 1 != 0);
        from.flat_map(|from| self.reach(army | other, from).into_iter().map(move |to| army & !(1 << from) | 1 << to))
            .collect()
    }

    /// Moves from the start to each army.
    fn distances(&self) -> HashMap<Men, u32> {
        let start = men(&self.start);
        let (mut distances, mut open) = (HashMap::from([(start, 0)]), VecDeque::from([start]));
        while let Some(army) = open.pop_front() {
            for next in self.moved(army, 0) {
                if !distances.contains_key(&next) {
                    distances.insert(next, distances[&army] + 1);
                    open.push_back(next);
                }
            }
        }
        distances
    }

    fn transfer(&self) -> Truth {
        let target = men(&self.target);
        Truth::new(men(&self.start), |&army| army == target, |&army| self.moved(army, 0))
    }

    /// Who has filled the other's base has won, and nobody moves any more.
    fn game(&self) -> Truth {
        let bases = [men(&self.start), men(&self.target)];
        let won = |&(armies, mover): &([Men; 2], usize)| armies[1 - mover] == bases[mover];
        Truth::new((bases, 0), won, |&(armies, mover)| {
            let moved = if won(&(armies, mover)) { Vec::new() } else { self.moved(armies[mover], armies[1 - mover]) };
            let after = |army| if mover == 0 { ([army, armies[1]], 1) } else { ([armies[0], army], 0) };
            moved.into_iter().map(after).collect()
        })
    }

    /// The length of a shortest one that is its own mirrored reversal, by this mirror of cells.
    fn shortest_palindrome(&self, mirror: &[u8]) -> Option<u32> {
        let image = |army: Men| {
            let there = (0..self.cells.len()).filter(|&c| army >> self.cells[c] & 1 != 0);
            there.fold(0, |men, c| men | 1 << self.cells[usize::from(mirror[c])])
        };
        let length = |(&army, &distance): (&Men, &u32)| match () {
            () if image(army) == army => Some(2 * distance),
            () => self.moved(army, 0).contains(&image(army)).then_some(2 * distance + 1),
        };
        self.distances().iter().filter_map(length).min()
    }
}

/// Ends a search that tries too many lengths.
struct Patience<'a>(&'a CancellationToken, u32);

impl Watch for Patience<'_> {}

impl Progress for Patience<'_> {
    fn length(&self, length: u32) {
        if length > self.1 {
            self.0.request();
        }
    }
}

/// What the search says, which must end by itself.
fn answer(job: &str, question: Question, most: u32) -> Record {
    let parsed = Job::parse(Path::new("tiny.toml"), job).unwrap_or_else(|fault| panic!("{fault}\n{job}"));
    let cancel = CancellationToken::after(None);
    let record =
        run::run(&parsed, question, &Patience(&cancel, most), &cancel).unwrap_or_else(|e| panic!("{e}\n{job}"));
    assert_ne!(record.reason.as_deref(), Some("interrupted"), "it goes on and on: {job}");
    record
}

/// Whether the record contradicts the length known; `proves` says that it has to know.
fn compare(record: &Record, shortest: Option<u32>, proves: bool, job: &str) {
    let Record { verdict, length, exhausted, refuted_up_to, .. } = *record;
    let told = format!("{verdict:?} {length:?} {refuted_up_to:?} {:?}, but {shortest:?}\n{job}", record.reason);
    match verdict {
        Verdict::Optimal => assert_eq!(length, shortest, "{told}"),
        Verdict::None => assert!(exhausted && shortest.is_none(), "{told}"),
        Verdict::Solution => assert!(!proves && shortest.is_some() && length >= shortest, "{told}"),
        Verdict::Incomplete => assert!(!proves && record.reason.is_some(), "{told}"),
        Verdict::Levels | Verdict::Counted => panic!("{told}"),
    }
    if let Some(shortest) = shortest {
        assert!(refuted_up_to.is_none_or(|refuted| refuted < shortest), "{told}");
    }
    if let Err(why) = record_holds(record, Path::new(""), &OPTIONS) {
        panic!("check: {why}\n{told}");
    }
}

/// One that asks for lengths up to a limit keeps to it.
fn keeps_to(job: &str, shortest: Option<u32>, proves: bool, most: u32) {
    let record = answer(job, Question::Prove { max_length: most }, most);
    let told = format!("{:?} {:?}, at most {most}, but {shortest:?}\n{job}", record.verdict, record.length);
    assert!(record.runs.iter().all(|run| run.length <= most), "{told}");
    match record.verdict {
        Verdict::None => assert!(shortest.is_none_or(|shortest| shortest > most), "{told}"),
        Verdict::Solution => assert!(shortest.is_some_and(|shortest| shortest <= most), "{told}"),
        other => assert!(other == Verdict::Incomplete && !proves, "{told}"),
    }
}

/// Prunings of transfers, and whether they prove.
const PRUNINGS: [(&str, bool); 13] = [
    ("none", true),
    ("theorem-1", true),
    ("pattern", true),
    ("leading", true),
    ("leading(classes=3,cap=1)", true),
    ("narrowed", true),
    ("mcc", true),
    ("mcc(keep=1)", true),
    ("mcc(0)", false),
    ("mcc(-1)", false),
    ("truncate(1,1)", false),
    ("truncate(3)", false),
    ("truncate(100000)", true),
];

fn transfers(seed: u64, count: usize) {
    let mut random = Draws::new(seed);
    let mut unsolvable = [0; 2];
    for _ in 0..count {
        let puzzle = Puzzle::random(&mut random, false);
        let truth = puzzle.transfer();
        truth.agrees(&puzzle.problem(false), &[]);
        let shortest = truth.shortest.map(|(length, _)| length);
        let plain = answer(&puzzle.job(false, "pruning = 'none'\n"), Question::Solve, LENGTHS);
        let mirror = plain.symmetries.and_then(|s| s.mirror);
        for (pruning, proves) in PRUNINGS {
            let needs_mirror = ["mcc", "narrowed", "truncate"].iter().any(|name| pruning.starts_with(name));
            if needs_mirror && mirror.is_none() {
                continue;
            }
            let job = puzzle.job(false, &format!("pruning = '{pruning}'\n"));
            compare(&answer(&job, Question::Solve, LENGTHS), shortest, proves, &job);
            keeps_to(&job, shortest, proves, random.below(6) as u32);
            unsolvable[0] += usize::from(shortest.is_none());
            let Some(mirror) = &mirror else { continue };
            let job = puzzle.job(false, &format!("pruning = '{pruning}'\npalindromic = true\n"));
            let shortest = puzzle.shortest_palindrome(mirror);
            compare(&answer(&job, Question::Solve, LENGTHS), shortest, proves, &job);
            keeps_to(&job, shortest, proves, random.below(6) as u32);
            unsolvable[1] += usize::from(shortest.is_none());
        }
    }
    assert!(unsolvable.into_iter().all(|n| n > count), "too few without a solution: {unsolvable:?}");
}

fn games(seed: u64, count: usize) {
    let mut random = Draws::new(seed);
    let prunings = ["none", "theorem-1", "all", "beam(1)", "beam(2,7)", "beam(100000)"];
    let single = halma_bounds::game_bounds::Name::ALL.map(|name| name.as_str());
    let mut unsolvable = 0;
    for _ in 0..count {
        let puzzle = Puzzle::random(&mut random, true);
        let truth = puzzle.game();
        truth.agrees(&puzzle.problem(true), &[]);
        let shortest = truth.shortest.map(|(length, _)| length);
        for pruning in prunings.iter().chain(&single) {
            let proves = !matches!(*pruning, "beam(1)" | "beam(2,7)");
            let job = puzzle.job(true, &format!("pruning = '{pruning}'\n"));
            compare(&answer(&job, Question::Solve, LENGTHS), shortest, proves, &job);
            keeps_to(&job, shortest, proves, random.below(6) as u32);
        }
        unsolvable += usize::from(shortest.is_none());
    }
    assert!(unsolvable > count / 10, "too few without an end: {unsolvable}");
}

#[test]
fn every_search_of_a_tiny_transfer_ends_and_agrees_with_all_positions() {
    transfers(0x9e37_79b9_7f4a_7c15, 25);
}

#[test]
fn every_search_of_a_tiny_game_ends_and_agrees_with_all_positions() {
    games(0x2545_f491_4f6c_dd1d, 16);
}

#[test]
#[ignore = "takes minutes"]
fn every_search_of_thousands_of_tiny_puzzles_ends_and_agrees_with_all_positions() {
    for seed in 1..20 {
        transfers(seed * 0x9e37_79b9, 150);
        games(seed * 0x85eb_ca6b, 100);
    }
}

/// Once each of these went on for ever.
#[test]
fn no_palindrome_no_c_and_no_best_state_is_an_answer_that_comes_at_once() {
    let board = |map: &str, moves: u8, jumps: bool, search: &str| {
        let jumps = if jumps { "jumps-only = true\n" } else { "" };
        format!("[problem]\nkind = 'transfer'\nmoves = {moves}\n{jumps}board = '''\n{map}\n'''\n[search]\n{search}\n")
    };
    let none = board("S.T\nSBT\nBBB", 8, true, "palindromic = true\npruning = 'leading'");
    let record = answer(&none, Question::Solve, LENGTHS);
    assert_eq!((record.verdict, record.exhausted), (Verdict::None, true));
    let record = answer(&none, Question::Prove { max_length: 9_999 }, LENGTHS);
    assert_eq!((record.verdict, record.max_length), (Verdict::None, Some(9_999)));
    for (map, moves, pruning, reason) in [
        (".ST\n.B.\nST.", 4, "mcc(0)", "C = 0 was too small: an army on level 2 has centroid 1"),
        ("SB.\nS.T\n.BT", 6, "truncate(1,1)", "no solution among the 1 best states of each level"),
        ("SB.\nS.T\n.BT", 6, "mcc(-1)", "C = -1 is below 0, where the constraint refutes nothing"),
    ] {
        let record = answer(&board(map, moves, true, &format!("pruning = '{pruning}'")), Question::Solve, LENGTHS);
        assert_eq!((record.verdict, record.reason.as_deref()), (Verdict::Incomplete, Some(reason)), "{pruning}");
        let sound = answer(&board(map, moves, true, "pruning = 'none'"), Question::Solve, LENGTHS);
        assert_eq!((sound.verdict, sound.exhausted), (Verdict::None, true), "{pruning}");
    }
}
