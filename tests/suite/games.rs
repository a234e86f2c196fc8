//! The two-player game end to end: Table 2's rows that take a moment, their counts, and games that are none.

use std::collections::HashSet;
use std::path::Path;

use halma_engine::puzzle::check_contract;
use halma_engine::search::CancellationToken;
use halma_puzzles::game_puzzle::GamePuzzle;
use halma_record::record::{Record, Verdict};
use halma_record::source::Source;
use halma_rules::cells::Cells;
use halma_rules::game::Game;
use halma_rules::job::{Job, Problem, Search};
use halma_rules::moves::destinations;
use halma_rules::problem::set;
use halma_rules::replay::Checked;
use halma_rules::replay::game_replay::GameReplay;
use halma_solve::run::{self, Question};

fn job(name: &str, search: &str) -> Job {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/table-2").join(name).with_extension("toml");
    let text = std::fs::read_to_string(&file).expect("a job");
    let (problem, _) = text.split_once("[output]").expect("an output folder");
    Job::parse(&file, &format!("{problem}\n[search]\n{search}\n")).unwrap_or_else(|fault| panic!("{fault}"))
}

fn answer(job: &Job, question: Question) -> Record {
    run::run(job, question, &(), &CancellationToken::after(None)).unwrap_or_else(|e| panic!("{e}"))
}

/// States on each level of a run.
fn states(record: &Record, run: usize) -> Vec<u64> {
    record.runs[run].levels.iter().map(|level| level.states).collect()
}

#[test]
fn grasshopper_and_8_move_chinese_checkers_take_24_moves() {
    for (name, bound) in [("grasshopper", 21), ("chinese-checkers-8move", 22)] {
        let record = answer(&job(name, ""), Question::Solve);
        assert_eq!((record.verdict, record.length, record.refuted_up_to), (Verdict::Optimal, Some(24), Some(23)));
        assert_eq!(record.lower_bound, Some(bound));
        let replay = Checked::from_record("r.json".as_ref(), &record).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(replay.summary(), "legal: red wins with 10 men a side in 24 moves");
    }
}

#[test]
fn refutations_have_the_states_that_they_had() {
    let refuted = |name, max_length| answer(&job(name, ""), Question::Prove { max_length });
    for (name, run, total) in [("grasshopper", 1, 1), ("grasshopper", 2, 278), ("chinese-checkers-8move", 0, 19)] {
        let record = refuted(name, 23);
        assert_eq!(record.verdict, Verdict::None);
        assert_eq!(states(&record, run).iter().sum::<u64>(), total, "{name}");
    }
    assert_eq!(states(&refuted("chinese-checkers-8move", 23), 1).iter().sum::<u64>(), 2737);
}

#[test]
fn the_first_levels_are_those_of_section_2_5() {
    let record = answer(&job("chinese-checkers-10", ""), Question::Levels { depth: 4 });
    assert_eq!(states(&record, 0), [1, 7, 98, 1253, 15946]);
    // Without the board's symmetry: 14 first moves and 14 answers to each.
    let record = answer(&job("chinese-checkers-10", "symmetry = false"), Question::Levels { depth: 2 });
    assert_eq!(states(&record, 0), [1, 14, 196]);
}

#[test]
fn the_papers_bound_refutes_what_all_bounds_refute() {
    let mut totals = Vec::new();
    for pruning in ["theorem-1", "count+vacate+contact", "all"] {
        let search = format!("pruning = \"{pruning}\"\nmax-length = 22");
        let record = answer(&job("grasshopper", &search), Question::Solve);
        assert_eq!((record.verdict, record.refuted_up_to), (Verdict::None, Some(22)), "{pruning}");
        totals.push(record.runs.iter().map(|r| r.levels.iter().map(|l| l.states).sum::<u64>()).sum::<u64>());
    }
    assert!(totals.is_sorted_by(|more, less| more > less), "{totals:?}");
}

#[test]
fn a_beam_finds_games_and_refutes_only_what_it_never_cut() {
    let beam = |name, search: &str| answer(&job(name, search), Question::Solve);
    let found = beam("grasshopper", "pruning = \"beam(1500,1)\"\nmax-length = 26");
    assert_eq!((found.verdict, found.length, found.refuted_up_to), (Verdict::Optimal, Some(24), Some(23)));
    assert_eq!(beam("grasshopper", "pruning = \"beam(1500,1)\"\nmax-length = 26").solution, found.solution);
    let cut = beam("chinese-checkers-10", "pruning = \"beam(50,1)\"\nmax-length = 28");
    assert_eq!((cut.verdict, cut.length, cut.refuted_up_to), (Verdict::Incomplete, None, Some(26)));
    assert_eq!(cut.reason.as_deref(), Some("no game among the 50 best states of each level"));
}

/// All games of one length by plain depth-first search over moves.
struct ByHand<'a> {
    game: &'a Game,
    length: u32,
    /// The moves made, as where a man starts and where he ends.
    moves: Vec<(usize, usize)>,
    games: u128,
    /// Sequences up to symmetry, each as the least of its images.
    classes: HashSet<Vec<(usize, usize)>>,
    ends: HashSet<[Cells<1>; 2]>,
}

impl<'a> ByHand<'a> {
    fn new(game: &'a Game, length: u32) -> Self {
        let mut played =
            Self { game, length, moves: Vec::new(), games: 0, classes: HashSet::new(), ends: HashSet::new() };
        played.play([set(&game.blue), set(&game.red)]);
        played
    }

    fn play(&mut self, armies: [Cells<1>; 2]) {
        let over = armies[0] == set(&self.game.red) || armies[1] == set(&self.game.blue);
        if over || self.moves.len() == self.length as usize {
            if over && self.moves.len() == self.length as usize {
                self.games += 1;
                self.ends.insert(armies);
                let images = self.game.symmetries().into_iter().map(|k| {
                    self.moves.iter().map(|&(a, b)| (k.cells[a].into(), k.cells[b].into())).collect::<Vec<_>>()
                });
                self.classes.extend(images.min());
            }
            return;
        }
        let side = self.moves.len() % 2;
        let men = armies[0] | armies[1];
        let occupied: Vec<bool> = (0..self.game.lattice.len()).map(|c| men.contains(c)).collect();
        for from in armies[side].iter() {
            for to in destinations(&self.game.lattice, &occupied, from, false) {
                let mut next = armies;
                next[side] = armies[side].without(from).with(to);
                self.moves.push((from, to));
                self.play(next);
                self.moves.pop();
            }
        }
    }
}

#[test]
fn counts_agree_with_playing_all_games_out() {
    counts_are_those_of_games_played(6);
}

#[test]
#[ignore = "half a minute: longer ones"]
fn counts_agree_with_playing_all_longer_games_out() {
    counts_are_those_of_games_played(7);
}

/// Of games of at most so many moves.
fn counts_are_those_of_games_played(most: u32) {
    let maps = [
        "SS..\n....\n..TT\n",
        "S...\nS...\n...T\n...T\n",
        "S..\n...\n..T\n",
        "SS..\nS..T\n..TT\n",
        "S...\n....\n....\n...T\n",
        "SS...TT\n",
        "SS..\nS...\n...T\n..TT\n",
    ];
    let (mut symmetric, mut fixed) = (0, 0);
    for (map, rule) in maps.iter().flat_map(|map| [4, 6, 8].map(|rule| (map, rule))) {
        let text = format!(
            "[problem]\nkind = \"game\"\nboard = \"\"\"\n{map}\"\"\"\nmoves = {rule}\n[search]\nmax-length = 9\n"
        );
        let job = Job::parse("small.toml".as_ref(), &text).unwrap_or_else(|fault| panic!("{fault}"));
        let record = answer(&job, Question::Count);
        let Some(length) = record.length.filter(|&l| l <= most) else { continue };
        assert_eq!(record.verdict, Verdict::Counted);
        let counts = record.counts.expect("counts");
        let numbers = [&counts.sequences, &counts.up_to_symmetry].map(ToString::to_string);
        let Problem::Game(game) = &job.problem else { panic!("a game") };
        assert!((0..length).all(|shorter| ByHand::new(game, shorter).games == 0), "{map} {rule}");
        let played = ByHand::new(game, length);
        assert_eq!(numbers, [played.games.to_string(), played.classes.len().to_string()], "{map} {rule}");
        let ends = counts.final_positions.as_ref().expect("ends");
        assert_eq!(ends.to_string(), played.ends.len().to_string(), "{map} {rule}");
        symmetric += u32::from(game.symmetries().len() > 1);
        fixed += u32::from(2 * played.classes.len() as u128 > played.games && game.symmetries().len() == 2);
        let plain = Job { search: Search { symmetry: false, ..job.search.clone() }, ..job };
        // Up to symmetry is by all of K, whether or not the search uses it.
        assert_eq!(answer(&plain, Question::Count).counts, Some(counts), "{map} {rule}");
    }
    assert!(symmetric > 2, "{symmetric} games have a symmetry");
    assert!(fixed > 0, "a symmetry that keeps a sequence of moves is among them");
}

#[test]
fn the_puzzle_keeps_its_contract() {
    for (name, length) in [("chinese-checkers-10", 30), ("grasshopper", 24)] {
        let Problem::Game(game) = job(name, "").problem else { panic!("a game") };
        let winner = halma_rules::game::Side::winner(length);
        let bounds = halma_bounds::game_bounds::build(&halma_bounds::game_bounds::Bounds::all(), &game, winner);
        let puzzle = GamePuzzle::<2, u128>::new(&game, length, bounds, &game.symmetries()).expect("it fits");
        check_contract(&puzzle, 3).expect("a sound puzzle");
    }
}

#[test]
fn the_games_of_appendix_a_1_are_legal() {
    for (name, men, length) in [("chinese-checkers-10", 10, 30), ("chinese-checkers-15", 15, 36)] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/games").join(name).with_extension("toml");
        let replay = Checked::read(&file).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(replay.summary(), format!("legal: red wins with {men} men a side in {length} moves"));
    }
}

/// The refusal of these moves on a board of 4 x 2 cells, with blue on a1 and b1 and red on c2 and d2.
fn refusal(solution: &str) -> String {
    let text =
        format!("[problem]\nkind = \"game\"\nboard = \"\"\"\nSS..\n..TT\n\"\"\"\nmoves = 4\n[solution]\n{solution}");
    let fault = GameReplay::from_source(&Source::new("g.toml", text)).map(|r| r.moves).expect_err(solution);
    fault.to_string().lines().next().expect("a message").to_string()
}

#[test]
fn what_is_no_game_is_refused_with_the_move_and_the_rule_it_breaks() {
    for (moves, message) in [
        ("c2-c1", "g.toml:9:10: move 1 (c2-c1): blue is to move, and the man on c2 is red's"),
        ("b1-c1, a1-b1", "g.toml:9:17: move 2 (a1-b1): red is to move, and the man on a1 is blue's"),
        ("b1-d1", "g.toml:9:10: move 1 (b1-d1): no man stands on c1 to be jumped over"),
        ("b2-b1", "g.toml:9:10: move 1 (b2-b1): no man stands on b2"),
        ("b1-c1", "g.toml:9:10: after 1 move nobody has won: blue has 2 men outside red's base, red 2 outside blue's"),
        (
            "b1-c1, (reflect)",
            "g.toml:9:10: (reflect) is for transfers: the second half of a game never mirrors the first",
        ),
    ] {
        assert_eq!(refusal(&format!("moves = \"{moves}\"")), message);
    }
    // Blue may not go on once red's base is full.
    let text = "[problem]\nkind = \"game\"\nboard = \"ST\"\nmoves = 4\n[solution]\nmoves = \"\"";
    assert!(GameReplay::from_source(&Source::new("g.toml", text)).is_err());
    let line = |moves: &str, length: u32| {
        let text = format!(
            "[problem]\nkind = \"game\"\nboard = \"\"\"\nS.\n.T\n\"\"\"\nmoves = 8\n[solution]\nlength = {length}\nmoves = \"{moves}\""
        );
        GameReplay::from_source(&Source::new("g.toml", text)).map(|r| r.moves.len()).map_err(|f| f.to_string())
    };
    assert_eq!(line("a1-a2, b2-a1", 2), Ok(2));
    let early = line("a1-a2, b2-a1, a2-b2", 3).expect_err("over");
    assert!(
        early.starts_with("g.toml:10:24: move 3 (a2-b2): the game is over before it: red has won in 2 moves"),
        "{early}"
    );
    let claimed = line("a1-a2, b2-a1", 3).expect_err("too short");
    assert!(claimed.starts_with("g.toml:9:10: length = 3, and the game has 2 moves"), "{claimed}");
}

#[test]
fn a_job_that_is_no_game_is_refused() {
    let refused = |problem: &str, search: &str| {
        let text = format!("[problem]\nkind = \"game\"\n{problem}\n[search]\n{search}\n");
        let fault = Job::parse("g.toml".as_ref(), &text).map(|_| ()).expect_err(problem).to_string();
        fault.lines().next().expect("a message").to_string()
    };
    let nine = "board = \"9x9\"\nmoves = 6\narmy = \"triangle-4\"";
    assert_eq!(
        refused("board = \"9x9\"\nmoves = 6\narmy = [\"a1\", \"b1\"]\ntarget = [\"b1\", \"c1\"]", ""),
        "g.toml:5:8: both armies would stand on b1: the bases of a game must be apart"
    );
    assert_eq!(
        refused(&format!("{nine}\njumps-only = true"), ""),
        "g.toml:6:14: jumps-only = true is for transfers: in a game men also step"
    );
    assert_eq!(
        refused(nine, "palindromic = true"),
        "g.toml:7:15: palindromic = true is not allowed for a game: its second half never mirrors the first"
    );
    assert_eq!(
        refused(nine, "pruning = \"leading\""),
        "g.toml:7:11: pruning leading is no pruning of games: allowed are none, theorem-1, all, all-but-BOUND, bounds joined by '+', and beam(KEEP,SEED)"
    );
    let puzzles = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-4\"\n[search]\npruning = \"projection\"";
    let fault = Job::parse("t.toml".as_ref(), puzzles).map(|_| ()).expect_err("of puzzles").to_string();
    assert!(fault.starts_with("t.toml:7:11: pruning projection is a pruning of puzzles: for a transfer"), "{fault}");
    let transfer = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-4\"\n[search]\npruning = \"vacate+hall\"";
    let fault = Job::parse("t.toml".as_ref(), transfer).map(|_| ()).expect_err("of games").to_string();
    assert!(
        fault.starts_with(
            "t.toml:7:11: pruning vacate+hall is a pruning of games: for a transfer allowed are none, theorem-1,"
        ),
        "{fault}"
    );
}
