//! Puzzles from files, as the program answers them: published numbers, one puzzle stated twice, kills, and what is verified.

use std::path::{Path, PathBuf};

#[path = "../../crates/halma-engine/examples/peg_solitaire.rs"]
#[expect(dead_code, reason = "an example has a main function")]
mod peg_solitaire;

use halma_check::Options;
use halma_engine::search::CancellationToken;
use halma_record::record::{Count, Record, Repeats, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{Question, run};

fn config(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/puzzles").join(name).with_extension("toml")
}

/// The answer to a job, without a folder; the verifier accepts it.
fn answer(job: &Job, question: Question) -> Record {
    let mut job = job.clone();
    job.output.dir = None;
    let record = run(&job, question, &(), &CancellationToken::after(None)).unwrap();
    let options = Options { sample: None, budget: 50_000_000, memory: None, progress: &|_| {} };
    let report = halma_check::record_holds(&record, Path::new(""), &options);
    assert!(report.as_ref().is_ok_and(|report| report.unchecked.is_empty()), "{}: {report:?}", job.file.display());
    record
}

fn solve(name: &str) -> Record {
    answer(&Job::read(&config(name)).unwrap(), Question::Solve)
}

fn levels(name: &str, depth: u32) -> Record {
    answer(&Job::read(&config(name)).unwrap(), Question::Levels { depth })
}

fn sizes(record: &Record) -> Vec<u64> {
    record.runs[0].levels.iter().map(|level| level.states).collect()
}

#[test]
fn published_lengths_are_found_and_every_shorter_one_refuted() {
    for (name, length) in [
        ("frogs-and-toads-1", 3),
        ("frogs-and-toads-3", 15),
        ("frogs-and-toads-6", 48),
        ("klotski-steps", 116),
        ("klotski-moves", 81),
        ("rush-hour-hardest", 60),
        ("hanoi-4-pegs-4", 9),
        ("hanoi-4-pegs-6", 17),
        ("tiles-3x3-hardest", 31),
    ] {
        let record = solve(name);
        assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(length)), "{name}");
    }
}

#[test]
fn bounds_by_projection_change_no_published_length() {
    for (name, length) in [
        ("rush-hour-hardest", 60),
        ("tiles-3x3-hardest", 31),
        ("pancakes-10-scrambled", 8),
        ("hanoi-4-pegs-4", 9),
        ("frogs-and-toads-3", 15),
    ] {
        let text = std::fs::read_to_string(config(name)).unwrap() + "\n[search]\npruning = \"projection\"\n";
        let record = answer(&Job::parse(&config(name), &text).unwrap(), Question::Solve);
        assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(length)), "{name}");
    }
}

/// Where a projection leaves out the car that is to come out, the cells of its goal stay free of all others.
#[test]
fn a_board_of_rush_hour_is_bounded_by_its_other_cars() {
    for pruning in ["projection(L)", "projection"] {
        let text = format!(
            "[problem]\nkind = 'blocks'\nboard = 'ooooooooooooAAooLJooooLJoooooooooooo'\nmetric = 'slide'\n[search]\npruning = '{pruning}'\n"
        );
        let record = answer(&Job::parse("cars.toml".as_ref(), &text).unwrap(), Question::Solve);
        assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(3)), "{pruning}");
    }
}

#[test]
fn published_level_sizes_are_found() {
    let corner = levels("tiles-3x3-corner", 99);
    assert_eq!(sizes(&corner)[..9], [1, 2, 4, 8, 16, 20, 39, 62, 116]);
    assert_eq!(sizes(&corner)[30..], [221, 2]);
    assert_eq!((corner.exhausted, corner.repeats, corner.farthest.len()), (true, Some(Repeats::Previous), 2));
    for (name, radius, states) in [
        ("tiles-2x2", 6, 12),
        ("tiles-2x3", 21, 360),
        ("tiles-2x4", 36, 20_160),
        ("tiles-3x3-several", 24, 181_440),
        ("pancakes-4", 4, 24),
        ("pancakes-6", 7, 720),
        ("pancakes-8", 9, 40_320),
    ] {
        let record = levels(name, 9_999);
        assert_eq!((sizes(&record).len() - 1, sizes(&record).iter().sum()), (radius, states), "{name}");
        assert!(record.exhausted, "{name}");
    }
    assert_eq!(sizes(&levels("peg-solitaire-jumps", 8)), [1, 1, 2, 8, 39, 171, 719, 2757, 9751]);
    assert_eq!(sizes(&levels("lights-out-5x5", 4)), [1, 25, 300, 2300, 12650]);
    assert_eq!(sizes(&levels("tiles-4x4-corner", 10)), [1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948]);
}

/// Rules and transfers are two implementations of the moves and of the numbers of states.
#[test]
fn halma_written_as_rules_has_the_levels_of_transfers() {
    for moves in [4, 6, 8] {
        let text = format!("[problem]\nkind = 'transfer'\nboard = '9x9'\nmoves = {moves}\narmy = 'triangle-4'\n");
        let transfer = Job::parse("transfer.toml".as_ref(), &text).unwrap();
        let levels = |job: &Job| {
            let mut job = job.clone();
            job.output.dir = None;
            let record = run(&job, Question::Levels { depth: 5 }, &(), &CancellationToken::after(None)).unwrap();
            let all = record.runs[0].levels.iter();
            all.map(|l| (l.states, l.generated, l.duplicates, l.old, l.digest, l.second_digest)).collect::<Vec<_>>()
        };
        let rules = Job::read(&config(&format!("triangle-4-{moves}move-as-rules"))).unwrap();
        assert_eq!(levels(&rules), levels(&transfer), "{moves}");
    }
}

/// A count of the solutions, by hand for the smallest: one frog and one toad, either of whom moves first.
#[test]
fn shortest_solutions_are_counted() {
    let job = Job::read(&config("frogs-and-toads-1")).unwrap();
    let counts = answer(&job, Question::Count).counts.unwrap();
    assert_eq!((counts.sequences.to_string(), counts.up_to_symmetry.to_string()), ("2".into(), "2".into()));
}

#[test]
fn a_repeated_state_is_found_on_any_earlier_level_where_moves_cannot_be_undone() {
    // The ring of four cells has one direction each: the man comes back to where he was after four moves.
    let text = r#"
        [problem]
        kind = "rules"
        board = "A.\n.."
        rules = [
            { rule = "A . -> . A", directions = ["right"] },
            { rule = "A . -> . A", directions = ["down"] },
            { rule = "A . -> . A", directions = ["left"] },
        ]
    "#;
    let job = Job::parse("ring.toml".as_ref(), text).unwrap();
    let record = answer(&job, Question::Levels { depth: 99 });
    assert_eq!((sizes(&record), record.exhausted, record.repeats), (vec![1, 2, 1], true, Some(Repeats::All)));
}

/// A count of letters tells the level only where all starts have the same: the second start here is a state of level 1.
#[test]
fn starts_with_other_counts_of_letters_are_compared_with_all_levels() {
    let text = r#"
        [problem]
        kind = "rules"
        board = ["PP..", "..P."]
        directions = ["right"]
        rules = ["P P . -> . . P"]
    "#;
    let job = Job::parse("starts.toml".as_ref(), text).unwrap();
    let record = answer(&job, Question::Levels { depth: 9 });
    assert_eq!((sizes(&record), record.exhausted, record.repeats), (vec![2], true, Some(Repeats::All)));
}

#[test]
fn symmetry_switched_off_changes_no_answer() {
    let mut job = Job::read(&config("klotski-moves")).unwrap();
    job.search.symmetry = false;
    let record = answer(&job, Question::Solve);
    assert_eq!((record.length, record.symmetries.map(|s| s.fixing.len())), (Some(81), Some(1)));
}

#[test]
fn a_search_from_both_ends_finds_what_one_from_the_start_does() {
    let job = Job::read(&config("tiles-3x3-hardest")).unwrap();
    let both = answer(&job, Question::Solve);
    assert!(both.runs.iter().flat_map(|run| &run.levels).any(|level| level.side.name() == "backward"));
    let one = answer(&job, Question::Count);
    assert_eq!((both.length, one.length), (Some(31), Some(31)));
    let largest = |record: &Record| record.runs.iter().map(|run| run.largest_level).max();
    assert!(largest(&both) < largest(&one), "{:?} {:?}", largest(&both), largest(&one));
}

/// The engine's example is a puzzle in Rust on the engine alone: one more implementation.
#[test]
fn peg_solitaire_by_rules_has_the_digests_of_the_engines_example() {
    let rules = levels("peg-solitaire-jumps", 9);
    let (expander, cancel) = (halma_engine::search::Expander::new(2, None).unwrap(), CancellationToken::after(None));
    let example = peg_solitaire::PegSolitaire::cross();
    let example = halma_engine::search::levels(&example, &expander, &cancel).take(10);
    let example: Vec<_> = example.map(|level| level.map(|l| (l.states, l.generated, l.digest)).unwrap()).collect();
    let rules: Vec<_> = rules.runs[0].levels.iter().map(|l| (l.states, l.generated, l.digest.0)).collect();
    assert_eq!((rules.len(), rules), (10, example));
}

/// Sides that take turns, by rules and as a game: the same positions after each move.
#[test]
fn a_game_written_as_rules_has_the_levels_of_games() {
    let game = "[problem]\nkind = 'game'\nmoves = 4\nboard = \"\"\"\nSS..\nS...\n...T\n..TT\n\"\"\"\n";
    let rules = r#"
        [problem]
        kind = "rules"
        board = "BB..\nB...\n...R\n..RR"
        legend = { x = "BR" }
        rules = [
            { rule = "B . -> . B", turn = 1 },
            { rule = "B x . -> . x B", turn = 1, chain = true },
            { rule = "R . -> . R", turn = 2 },
            { rule = "R x . -> . x R", turn = 2, chain = true },
        ]
    "#;
    let states = |text: &str| {
        let job = Job::parse("game.toml".as_ref(), text).unwrap();
        sizes(&answer(&job, Question::Levels { depth: 5 }))
    };
    assert_eq!(states(rules), states(game));
}

#[test]
fn a_question_about_a_goal_that_is_missing_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("run");
    let text = format!(
        "# No goal.\n[problem]\nkind = \"rules\"\nboard = \"A.\"\nrules = [\"A . -> . A\"]\n[output]\ndir = {dir:?}\n"
    );
    let job = Job::parse("a.toml".as_ref(), &text).unwrap();
    let asked = |question| run(&job, question, &(), &CancellationToken::after(None));
    for question in [Question::Solve, Question::Prove { max_length: 3 }, Question::Count] {
        let error = asked(question).unwrap_err().to_string();
        assert!(error.starts_with("a.toml:2:1: the puzzle has no goal: only `levels` can be asked of it"), "{error}");
        assert!(!dir.exists());
    }
    assert_eq!(asked(Question::Levels { depth: 9 }).unwrap().verdict, Verdict::Levels);
    assert!(dir.exists());
}

/// Guarini, 1512; the numbers of solutions are those of a breadth-first search of its own.
#[test]
fn knights_change_places() {
    let directions = r#"["1,2", "2,1", "2,-1", "1,-2", "-1,-2", "-2,-1", "-2,1", "-1,2"]"#;
    for (board, goal, length, solutions) in [
        ("W.W\n...\nB.B", "B.B\n...\nW.W", 16, 4_726_784_u64),
        ("WWW\n...\n...\nBBB", "BBB\n...\n...\nWWW", 16, 98_496),
    ] {
        let text = format!(
            "[problem]\nkind = \"rules\"\nboard = \"\"\"\n{board}\n\"\"\"\nrules = [\"* . -> . *\"]\ndirections = {directions}\n\
             goal = \"\"\"\n{goal}\n\"\"\"\n"
        );
        let job = Job::parse("knights.toml".as_ref(), &text).unwrap();
        let record = answer(&job, Question::Solve);
        assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(length)));
        // The board's own symmetries, which take a knight's moves to a knight's moves.
        assert_eq!(record.symmetries.as_ref().map(|symmetries| symmetries.fixing.len()), Some(2), "{board}");
        assert_eq!(answer(&job, Question::Count).counts.unwrap().sequences, Count::from(solutions));
    }
}

#[test]
fn bad_files_are_refused_with_their_place_and_what_is_allowed() {
    let job = |lines: &str| format!("[problem]\nkind = \"rules\"\nboard = \"\"\"\nA..\n.B.\n\"\"\"\n{lines}\n");
    for (text, message) in [
        (job("rules = [\"A . -> . A A\"]"), "a.toml:7:10: the left side has 2 letters and the right side 3"),
        (job("rules = [\"A Q -> Q A\"]"), "a.toml:7:13: `Q` is neither on the board nor in the legend"),
        (job("rules = [\"A . -> . Q\"]"), "a.toml:7:20: `Q` is written, and read nowhere"),
        (job("rules = [\"A . -> A .\"]"), "a.toml:7:10: the two sides are equal: the rule changes nothing"),
        (job("rules = [\"A . . A\"]"), "a.toml:7:10: the rule has no arrow"),
        (job("rules = []"), "a.toml:7:9: there is no rule"),
        (job("rules = [\"A . . . -> . . . A\"]"), "a.toml:7:9: no rule fits the board"),
        (
            job("rules = [\"* . -> . *\"]\ngoal = { count = { A = 18446744073709551615 } }"),
            "a.toml:8:24: u64 value was too large",
        ),
        (
            job("rules = [\"* . -> . *\"]\ngoal = { count = { A = 2 } }"),
            "a.toml:8:8: no state can meet it: it asks for 2",
        ),
        (
            job("rules = [\"* . -> . *\"]\ngoal = \"A\""),
            "a.toml:8:8: the goal must have its cells where the board has them",
        ),
        (
            job("rules = [\"A B -> . A\"]\ngoal = { count = { A = 1 }, at = [\"a1\", \"b1\"] }"),
            "a.toml:8:8: no state can meet it: its conditions contradict one another",
        ),
        (job("rules = [\"* . -> . *\"]\ngoal = 7"), "a.toml:8:8: invalid type: integer `7`, expected a map, a table"),
        (
            job("rules = [\"* . -> . *\"]\ngoal = { cuont = 1 }"),
            "a.toml:8:10: unknown field `cuont`, expected `count` or `at`; did you mean `count`?",
        ),
        (
            job("rules = [\"A x . -> . x A\"]"),
            "a.toml:7:13: `x` is neither on the board nor in the legend: allowed are `A`, `B`, `.` and classes",
        ),
        (job("rules = [\"* . -> . *\"]\ngoal = { at = { d9 = \"A\" } }"), "a.toml:8:15: `d9` is no cell of the board"),
        (job("rules = [\"* . -> . *\"]\ndirections = [\"north\"]"), "a.toml:8:14: unknown direction `north`"),
        (job("rules = [\"* . -> . *\"]\ndirections = [\"0,0\"]"), "a.toml:8:14: unknown direction `0,0`"),
        (job("rules = [\"* . -> . *\"]\ndirections = [\"1,+2\"]"), "a.toml:8:14: unknown direction `1,+2`"),
        (
            job("rules = [\"* . -> . *\"]\ndirections = [\"right\", \"1,0\"]"),
            "a.toml:8:14: direction `1,0` is there twice",
        ),
        (
            job("rules = [\"* . -> . *\"]\nlegend = { A = \"B\" }"),
            "a.toml:4:1: a start has no classes: `A` stands for one of several letters",
        ),
        (job("rules = [{ rule = \"A . -> . A\", turn = 1 }, \"B . -> . B\"]"), "a.toml:7:45: this rule has no turn"),
        (
            job("rules = [\"* . -> . *\"]\n[search]\npruning = \"leading\""),
            "a.toml:9:11: pruning leading is no pruning of puzzles from files: allowed are none",
        ),
        ("[problem]\nkind = \"ruels\"".into(), "a.toml:2:8: unknown kind `ruels`"),
        ("[problem]\nkind = \"blocks\"\nboard = \"AB.A\"\nmetric = \"step\"".into(), "a.toml:3:"),
        ("[problem]\nkind = \"permutation\"\nfile = \"none.tws\"".into(), "a.toml:3:8: "),
        ("[problem]\nkind = \"permutation\"\ndefinition = \"\"\"\nName x\nSet A 2\n\"\"\"".into(), "a.toml:"),
    ] {
        let fault = Job::parse("a.toml".as_ref(), &text).unwrap_err().to_string();
        assert!(fault.starts_with(message), "{fault}\nand not\n{message}");
    }
    // A step names its rule with 16 bits.
    let filler = "\"B A -> A B\", ".repeat(65_535);
    let text = job(&format!("rules = [{filler}\"A . -> . A\"]"));
    let fault = Job::parse("a.toml".as_ref(), &text).unwrap_err().to_string();
    assert!(fault.contains("at most 65535 rules are allowed; there are 65536"), "{:.200}", fault);
    // 256 cells with 5 letters that come and go: no key numbers 5^256 states.
    let board = "ABCD............\n".repeat(16);
    let text = format!(
        "[problem]\nkind = \"rules\"\nboard = \"\"\"\n{board}\"\"\"\nrules = [\"A . -> A A\"]\n[output]\ndir = \"never\"\n"
    );
    let job = Job::parse("a.toml".as_ref(), &text).unwrap();
    let error = run(&job, Question::Levels { depth: 1 }, &(), &CancellationToken::after(None)).unwrap_err().to_string();
    let message = "a.toml:3:9: the puzzle has 2^256 states or more, which are too many to number: allowed are fewer";
    assert!(error.starts_with(message), "{error}");
    assert!(!Path::new("never").exists());
}

/// C(256, 64) is more than 2^203, of which 128 bits hold none.
#[test]
fn sixty_four_men_on_256_cells_are_numbered() {
    let board = "AAAAAAAAAAAAAAAA\n".repeat(4) + &"................\n".repeat(12);
    let text = format!(
        "[problem]\nkind = \"rules\"\nboard = \"\"\"\n{board}\"\"\"\nrules = [\"A . -> . A\"]\ngoal = {{ at = {{ p5 = \"A\" }} }}\n"
    );
    let record = answer(&Job::parse("a.toml".as_ref(), &text).unwrap(), Question::Solve);
    assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(1)));
}

/// What the verifier cannot follow it does not reject.
#[test]
fn a_move_to_too_many_positions_is_not_checked() {
    let toggles = ".".repeat(17);
    let text = format!(
        "[problem]\nkind = \"rules\"\nboard = \"o{toggles}\"\ngoal = {{ at = {{ a1 = \"O\" }} }}\n\
         rules = [{{ rule = \". -> x\", free = true }}, {{ rule = \"x -> .\", free = true }}, \"o -> O\"]\n"
    );
    let job = Job::parse("a.toml".as_ref(), &text).unwrap();
    let record = run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
    assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(1)));
    let options = Options { sample: None, budget: 50_000_000, memory: None, progress: &|_| {} };
    let report = halma_check::record_holds(&record, Path::new(""), &options).unwrap();
    let unchecked = report.unchecked.join("; ");
    assert!(unchecked.ends_with("rules: too many positions that one move leads to for this verifier"), "{unchecked}");
}

/// The verifier reads what the search reads: moves before the solved state, names anywhere, zeros before numbers, `?` where pieces
/// cannot turn, and more blocks than there are letters if they have one shape.
#[test]
fn unusual_files_are_read_alike() {
    for (solved, length) in [("0001 2 003", 3), ("1 2 3\n0 ? ?", 3), ("1 2 2\n0 ? 0", 2)] {
        let definition = format!(
            "Set C 0003 1\nName late\nMove A\nC\n2 1 3\nEnd\nMove B\nC\n1 3 02\nEnd\nSolved\nC\n{solved}\nEnd\nName again\n"
        );
        let text = format!(
            "[problem]\nkind = \"permutation\"\ndefinition = \"\"\"\n{definition}\"\"\"\nscramble = \"A B A\"\n"
        );
        let record = answer(&Job::parse("a.toml".as_ref(), &text).unwrap(), Question::Solve);
        assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(length)), "{solved}");
    }
    let letters: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain('\u{c0}'..='\u{d5}').collect();
    let row = |part: &[char]| part.iter().collect::<String>() + "\n";
    let board = row(&letters[..35]) + &row(&letters[35..70]) + ".".repeat(35).as_str() + "\n";
    let anywhere = "?".repeat(35);
    let goal = format!("{anywhere}\n{anywhere}\nA{}\n", &anywhere[1..]);
    let text = format!(
        "[problem]\nkind = \"blocks\"\nboard = \"\"\"\n{board}\"\"\"\nmetric = \"step\"\ngoal = \"\"\"\n{goal}\"\"\"\n"
    );
    let job = Job::parse("a.toml".as_ref(), &text).unwrap();
    let levels = answer(&job, Question::Levels { depth: 1 });
    assert_eq!(levels.verdict, Verdict::Levels);
}

fn rules(table: &str) -> Job {
    Job::parse(Path::new("rules.toml"), &format!("[problem]\nkind = 'rules'\n{table}")).unwrap()
}

/// A chain may put a man like him where he was, so that the letters at its beginning are back though he stands elsewhere.
#[test]
fn a_chain_that_leads_back_to_its_letters_is_no_move_also_where_sides_take_turns() {
    let table = "board = 'A.A.#C.'\ngoal = 'A.A.#.C'\nrules = [
        { rule = 'A . -> B A', directions = ['right'], chain = true, turn = 1 },
        { rule = 'A A . -> . . A', directions = ['right'], chain = true, turn = 1 },
        { rule = '* . . B -> . * . A', directions = ['left'], chain = true, turn = 1 },
        { rule = 'C . -> . C', directions = ['right'], turn = 2 }]";
    assert_eq!(answer(&rules(table), Question::Solve).length, Some(3));
    // After a free rule the part that is not free may lead back: the side has moved.
    let table = "board = 'A.#C.'\ngoal = 'A.#.C'\nrules = [
        { rule = 'A . -> . A', free = true, turn = 1 }, { rule = 'A . -> . A', turn = 1 },
        { rule = 'C . -> . C', directions = ['right'], turn = 2 }]";
    assert_eq!(answer(&rules(table), Question::Solve).length, Some(2));
}

/// By Burnside's lemma each symmetry counts the solutions that it fixes, and what is no solution is none of them.
#[test]
fn starts_that_are_no_goal_are_no_solutions_of_no_moves() {
    for (boards, goal) in [("['.A.', 'A.A', 'AAA']", 1), ("[\"A.\\n..\", \".A\\nA.\"]", 2)] {
        let job = rules(&format!("board = {boards}\nrules = ['A . -> . A']\ngoal = {{ count = {{ '.' = {goal} }} }}"));
        let counts = answer(&job, Question::Count).counts.unwrap();
        assert_eq!((counts.sequences, counts.up_to_symmetry), (1u64.into(), 1u64.into()), "{boards}");
    }
}

/// Undone jumps put men back: 12x12 cells have more ways to do that than any memory holds.
#[test]
fn a_solution_is_traced_and_counted_where_undone_chains_are_without_number() {
    let row = ".".repeat(12);
    let board = [&row[..], "\n"].concat().repeat(6) + ".....PP.....\n" + &[&row[..], "\n"].concat().repeat(5);
    let table = format!(
        "board = \"\"\"\n{board}\"\"\"\nrules = ['P P . -> . . P']\nchain = true\ngoal = {{ count = {{ P = 1 }} }}"
    );
    assert_eq!(answer(&rules(&table), Question::Solve).length, Some(1));
    assert_eq!(answer(&rules(&table), Question::Count).counts.unwrap().sequences, 2u64.into());
}

/// A rule that moves no man is applied once, whatever `until` says, and may lead back.
#[test]
fn the_verifier_knows_that_a_rule_without_a_man_does_not_repeat() {
    let table = "board = \"B.AA\\n....\"\ngoal = [\"...A\\n.A.B\", \"A...\\nB.A.\"]\nuntil = 'any'
        rules = [{ rule = '. B * x -> x * B .' }]\nlegend = { x = '.' }\n[search]\npruning = 'projection'";
    assert_eq!(answer(&rules(table), Question::Solve).verdict, Verdict::None);
}

/// The largest board, whose cells just fit a byte, and on which a mirror is looked for.
#[test]
fn a_man_crosses_256_cells() {
    let rows = |man: &str| {
        let mut rows = vec![".".repeat(16); 16];
        rows[0].replace_range(..man.len(), man);
        rows.join("\n")
    };
    let goal = |man: &str| {
        let mut rows = vec!["?".repeat(16); 16];
        rows[15].replace_range(16 - man.len().., man);
        rows.join("\n")
    };
    for (kind, man, length, rest) in
        [("rules", "A", 30, "rules = [\"A . -> . A\"]\n"), ("blocks", "AA", 29, "metric = \"step\"\n")]
    {
        let (board, goal) = (rows(man), goal(man));
        let text = format!(
            "[problem]\nkind = \"{kind}\"\nboard = \"\"\"\n{board}\n\"\"\"\ngoal = \"\"\"\n{goal}\n\"\"\"\n{rest}"
        );
        let folder = crate::program::job_folder(&text);
        let (status, out, err) = crate::program::halma(folder.path(), &["solve", "job.toml", "-q", "--json"]);
        assert_eq!((status, err.as_str()), (0, ""));
        let record: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((record["length"].as_u64(), record["verdict"].as_str()), (Some(length), Some("optimal")));
    }
}
