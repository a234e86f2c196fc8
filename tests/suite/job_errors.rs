//! Every faulty job gets one message: file, line, column, what was found, what is allowed.

use halma_rules::job::{Army, Job, Limits, Output, Overrides, Pruning, Search};
use halma_rules::lattice::Rule;

/// A four-man army that no symmetry of the board takes to its target.
const LOPSIDED: &str = r#"board = "9x9"
moves = 6
army = ["a1", "b1", "c1", "a2"]
target = ["i9", "h9", "i8", "h8"]
"#;

const TRIANGLE: &str = "board = \"9x9\"\nmoves = 6\narmy = \"triangle-4\"\n";

/// A job whose problem has these lines; the first is line 3 of the file.
fn job(lines: &str) -> String {
    format!("[problem]\nkind = \"transfer\"\n{lines}")
}

/// Holds if each job is refused with this message, place included.
fn refused<const N: usize>(cases: [(String, &str); N]) {
    for (text, message) in cases {
        let fault = Job::parse("a.toml".as_ref(), &text).map(|job| job.spec).expect_err(&text).to_string();
        assert_eq!(fault.lines().next(), Some(message), "{text}");
    }
}

#[test]
fn the_line_is_shown_with_a_caret() {
    let fault = Job::parse("jobs/a.toml".as_ref(), &job("board = \"9x9\"\nmoves = 5\narmy = \"triangle-4\"\n"));
    assert_eq!(
        fault.map(|job| job.spec).expect_err("moves = 5").to_string(),
        "jobs/a.toml:4:9: invalid value: integer `5`, expected 4, 6 or 8\n  |\n4 | moves = 5\n  |         ^"
    );
}

#[test]
fn a_puzzle_without_its_kind_is_told_which() {
    refused([
        (
            "[problem]\nboard = \"A..\"\nrules = [\"A . -> . A\"]\n".into(),
            "a.toml:3:9: `rules` is of puzzles of kind = \"rules\": `kind` is missing",
        ),
        (
            "[problem]\nfile = \"a.tws\"\n".into(),
            "a.toml:2:8: `file` is of puzzles of kind = \"permutation\": `kind` is missing",
        ),
    ]);
}

#[test]
fn unknown_keys_are_named_and_the_nearest_is_suggested() {
    refused([
        (
            job(&format!("{TRIANGLE}[search]\npruing = \"leading\"")),
            "a.toml:7:1: unknown field `pruing`, expected one of `pruning`, `palindromic`, `max-length`, `symmetry`, `refuted-by`; did you mean `pruning`?",
        ),
        (
            job(&format!("{TRIANGLE}colour = 1")),
            "a.toml:6:1: unknown field `colour`, expected one of `kind`, `title`, `board`, `moves`, `army`, `target`, `jumps-only`",
        ),
        (
            job(&format!("{TRIANGLE}[serch]")),
            "a.toml:6:2: unknown field `serch`, expected one of `problem`, `search`, `limits`, `output`; did you mean `search`?",
        ),
    ]);
}

#[test]
fn values_of_a_wrong_type_are_refused_with_the_right_one() {
    refused([
        (job("board = 9\nmoves = 6"), "a.toml:3:9: invalid type: integer `9`, expected a string"),
        (job("board = \"9x9\"\nmoves = \"six\""), "a.toml:4:9: invalid type: string \"six\", expected 4, 6 or 8"),
        (job("board = \"9x9\"\nmoves = 6.0"), "a.toml:4:9: invalid type: floating point `6.0`, expected 4, 6 or 8"),
        (
            job("board = \"9x9\"\nmoves = 6\narmy = 4"),
            "a.toml:5:8: invalid type: integer `4`, expected an army's name or a list of cells",
        ),
        (
            job("board = \"9x9\"\nmoves = 6\narmy = [\"a1\", 4]"),
            "a.toml:5:15: invalid type: integer `4`, expected a string",
        ),
        (
            job(&format!("{TRIANGLE}[search]\npalindromic = \"yes\"")),
            "a.toml:7:15: invalid type: string \"yes\", expected a boolean",
        ),
        (
            job(&format!("{TRIANGLE}[search]\npruning = 5")),
            "a.toml:7:11: invalid type: integer `5`, expected a pruning by name, as in \"leading\" or \"mcc(5)\", or a table with name and parameters",
        ),
        (
            job(&format!("{TRIANGLE}[limits]\nmemory = 4")),
            "a.toml:7:10: invalid value: integer `4`, expected a size such as \"4 GiB\", \"512 MiB\" or \"1.5 GB\"",
        ),
    ]);
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    refused([
        (job("board = \"9x9\"\nmoves = 5"), "a.toml:4:9: invalid value: integer `5`, expected 4, 6 or 8"),
        (
            job(&format!("{TRIANGLE}[search]\nmax-length = -1")),
            "a.toml:7:14: invalid value: integer `-1`, expected a whole number from 0 to 9999",
        ),
        (
            job(&format!("{TRIANGLE}[limits]\nthreads = 0")),
            "a.toml:7:11: invalid value: integer `0`, expected a whole number from 1 to 4096",
        ),
        (
            job(&format!("{TRIANGLE}[limits]\nmemory = \"4 Gob\"")),
            "a.toml:7:10: `4 Gob` is no size: allowed are sizes such as 4 GiB, 512 MiB and 1.5 GB",
        ),
        (
            job(&format!("{TRIANGLE}[limits]\ndisk = \"0 GiB\"")),
            "a.toml:7:8: `0 GiB` is no size: allowed are sizes such as 4 GiB, 512 MiB and 1.5 GB",
        ),
        (
            job(&format!("{TRIANGLE}[limits]\ntime = \"2\"")),
            "a.toml:7:8: `2` is no time: allowed are times such as 2 h, 90 min and 30 s",
        ),
    ]);
}

#[test]
fn unknown_names_are_refused_with_the_known_ones() {
    refused([
        (
            job("board = \"9x8\"\nmoves = 6"),
            "a.toml:3:9: unknown board `9x8`: allowed are 9x9, 8x8, 16x16, checkers-32, star-121, or a map of '.', 'S', 'T', 'B' and '#', one line a row; did you mean `9x9`?; halma new FILE --board 9x8 draws one",
        ),
        (
            job("board = \"9x9\"\nmoves = 6\narmy = \"wedge-4\""),
            "a.toml:5:8: unknown army `wedge-4` on the board 9x9: allowed here: triangle-3 to triangle-9, square-2 to square-9, halma-19, or a list of cells",
        ),
        (
            job(&format!("{TRIANGLE}[search]\npruning = \"leeding\"")),
            "a.toml:7:11: unknown pruning `leeding`: allowed are none, theorem-1, mcc, pattern, leading, narrowed, truncate, for a puzzle none, projection and bound, and for a game none, theorem-1, all, all-but-BOUND, bounds joined by '+', and beam(KEEP,SEED); did you mean `leading`?",
        ),
        (
            job(&format!("{TRIANGLE}[search]\npruning = {{ name = \"mcc\", d = 5 }}")),
            "a.toml:7:11: unknown parameter `d` of the pruning `mcc`: allowed are c and keep, each once",
        ),
        (
            job(&format!("{TRIANGLE}[search]\npruning = {{ name = \"mcc\", c = \"x\" }}")),
            "a.toml:7:31: invalid type: string \"x\", expected a whole number",
        ),
        (
            job(&format!("{TRIANGLE}[search]\npruning = {{ name = \"mcc\", c = \"7\" }}")),
            "a.toml:7:31: invalid type: string \"7\", expected a whole number",
        ),
        (
            job(&format!("{TRIANGLE}[search]\npruning = {{ name = \"leading\", weights = \"1/x\" }}")),
            "a.toml:7:41: invalid type: string \"1/x\", expected whole numbers, as in \"1/2/3\"",
        ),
        (
            "[problem]\nkind = \"transfr\"\nboard = \"9x9\"\nmoves = 6".into(),
            "a.toml:2:8: unknown kind `transfr`: allowed are transfer, game, rules, blocks, permutation; did you mean `transfer`?",
        ),
        (
            "[problem]\nkind = \"game\"\nboard = \"9x9\"\nmoves = 6".into(),
            "a.toml:3:9: missing field `army`: allowed are an army's name and a list of cells",
        ),
    ]);
}

#[test]
fn missing_keys_and_broken_toml_are_shown_where_they_are() {
    refused([
        (
            String::new(),
            "a.toml:1:1: missing field `problem`: a job has a table [problem] with the keys kind, board, ...; `halma new FILE` writes one",
        ),
        (
            job("board = \"9x9\"\narmy = \"triangle-4\""),
            "a.toml:1:1: missing field `moves`: allowed are 4, 6 and 8 directions",
        ),
        (
            job("board = \"9x9\"\nmoves = 6"),
            "a.toml:3:9: missing field `army`: allowed are an army's name and a list of cells",
        ),
        (job(&format!("{TRIANGLE}[search]\npruning = {{ c = 5 }}")), "a.toml:7:11: missing field `name`"),
        ("[problem\nkind = 1".into(), "a.toml:1:9: unclosed table, expected `]`"),
        ("[problem]\nkind = \"a\"\nkind = \"b\"".into(), "a.toml:3:1: duplicate key"),
    ]);
}

#[test]
fn men_stand_on_the_board_and_no_two_on_one_cell() {
    refused([
        (
            job("board = \"9x9\"\nmoves = 6\narmy = [\"a1\", \"j1\"]"),
            "a.toml:5:15: army: `j1` is no cell of the board 9x9: it has columns a to i, rows 1 to 9",
        ),
        (
            job("moves = 6\nboard = \"\"\"\n..#\n\"\"\"\narmy = [\"c1\"]"),
            "a.toml:7:9: army: `c1` is no cell of the map: it has columns a to c, row 1",
        ),
        (
            job("board = \"9x9\"\nmoves = 6\narmy = \"triangle-10\""),
            "a.toml:5:8: the army triangle-10 does not fit the board 9x9: it needs a cell in column 10, row 1",
        ),
        (
            job("board = \"9x9\"\nmoves = 6\narmy = [\"a1\", \"b1\", \"a1\"]"),
            "a.toml:5:21: army: a1 has two men on it; allowed is each cell once",
        ),
        (
            job("board = \"9x9\"\nmoves = 6\narmy = [\"a1\", \"b1\"]\ntarget = [\"i9\", \"i9\"]"),
            "a.toml:6:17: target: i9 is there twice; allowed is each cell once",
        ),
        (job("board = \"9x9\"\nmoves = 6\narmy = []"), "a.toml:5:8: the army has no men: at least one is needed"),
        (
            job("board = \"16x16\"\nmoves = 8\narmy = \"square-6\""),
            "a.toml:5:8: 36 men on 256 cells have 2^127 positions or more: allowed on this board are at most 29 men, or 227 at least",
        ),
    ]);
}

#[test]
fn a_target_has_as_many_cells() {
    refused([
        (
            job("board = \"9x9\"\nmoves = 6\narmy = [\"a1\", \"b1\"]\ntarget = [\"i9\"]"),
            "a.toml:6:10: the target's size is 1, the army's 2: they must be equal",
        ),
        (
            job("moves = 6\nboard = \"\"\"\nSS..\n...T\n\"\"\""),
            "a.toml:4:9: the target's size is 1, the army's 2: they must be equal",
        ),
        (
            job("moves = 6\nboard = \"\"\"\nS...\n..##\n\"\"\""),
            "a.toml:4:9: the board has no symmetry that could mirror the army: give `target`, or draw it on a map as 'T'",
        ),
    ]);
}

#[test]
fn a_faulty_map_is_shown_by_its_row() {
    refused([
        (
            job("moves = 6\nboard = \"\"\"\nSS..\n..T\n\"\"\""),
            "a.toml:6:1: the map is ragged: row 2 has 3 characters, row 1 has 4; draw a place without a cell as '#'",
        ),
        (
            job("moves = 6\nboard = \"\"\"\n\nSS..\n..xT\n\"\"\""),
            "a.toml:7:3: row 2 of the map has 'x' in column 3; allowed are '.' (cell), 'S' (start), 'T' (target), 'B' (both), '#' (no cell)",
        ),
        (
            job("moves = 6\nboard = \"\"\"\n####\n\"\"\""),
            "a.toml:4:9: the map has no cells: draw each as '.', 'S' (start), 'T' (target) or 'B' (both)",
        ),
        (
            job("moves = 6\nboard = \"...T\""),
            "a.toml:4:9: the map has no start: draw it as 'S' ('B' where start and target overlap), or give `army`",
        ),
        (
            job("moves = 6\nboard = \"S..T\"\narmy = [\"a1\"]"),
            "a.toml:5:8: the map draws the start ('S', 'B') and `army` names it: allowed is one of the two",
        ),
        (
            job("moves = 6\nboard = \"S..T\"\ntarget = [\"d1\"]"),
            "a.toml:5:10: the map draws the target ('T', 'B') and `target` names it: allowed is one of the two",
        ),
    ]);
}

#[test]
fn what_needs_a_mirror_is_refused_where_there_is_none() {
    let lacks = "needs a mirror: a symmetry of the board that exchanges start and target; this problem has none";
    let instead = ", so allowed are none, theorem-1, pattern and leading";
    refused([(
        job(&format!("{LOPSIDED}[search]\npalindromic = true")),
        &format!("a.toml:8:15: palindromic = true {lacks}"),
    )]);
    for pruning in ["mcc", "mcc(5)", "narrowed", "truncate(9,0)"] {
        let message = format!("pruning {pruning} {lacks}{instead}");
        refused([(job(&format!("{LOPSIDED}[search]\npruning = \"{pruning}\"")), &format!("a.toml:8:11: {message}"))]);

        let plain = Job::parse("a.toml".as_ref(), &job(LOPSIDED)).expect("a sound job");
        let overrides = Overrides { pruning: Some(pruning.parse().expect("a pruning")), ..Overrides::default() };
        let fault = plain.with(&overrides).map(|job| job.search).expect_err("no mirror");
        assert_eq!(fault.to_string(), format!("--{message} (a.toml)"));
    }
}

#[test]
fn a_file_that_is_not_there_is_refused_by_name() {
    let fault = Job::read("no/such.toml".as_ref()).map(|job| job.spec).expect_err("no file");
    assert_eq!(fault.to_string(), "no/such.toml: cannot be read: No such file or directory (os error 2)");
}

#[test]
fn a_job_says_all_that_the_contract_shows() {
    let text = job(&format!(
        "{TRIANGLE}jumps-only = false\n[search]\npruning = \"leading\"\npalindromic = true\nmax-length = 40\n\
         [limits]\nthreads = 2\nmemory = \"4 GiB\"\ndisk = \"1.5 GB\"\ntime = \"90 min\"\n\
         [output]\ndir = \"results/x\"\nkeep-levels = true\ncache = \"tables\""
    ));
    let read = Job::parse("a.toml".as_ref(), &text).expect("the contract's job");
    assert_eq!(
        read.search,
        Search { pruning: Pruning::LEADING, palindromic: true, max_length: Some(40), ..Search::default() }
    );
    let time = Some(std::time::Duration::from_secs(5400));
    assert_eq!(
        read.limits,
        Limits { threads: Some(2), memory: Some(4 << 30), disk: Some(1_500_000_000), time, checkpoint: None }
    );
    assert_eq!(read.output, Output { dir: Some("results/x".into()), keep_levels: true, cache: Some("tables".into()) });
    assert_eq!(read.spec.armies().unwrap().army, Army::Named("triangle-4".into()));
    assert_eq!(read.spec.armies().unwrap().start, ["a1", "b1", "c1", "d1", "a2", "b2", "c2", "a3", "b3", "a4"]);
    assert_eq!(read.spec.armies().unwrap().target.last().map(String::as_str), Some("i9"));

    let overrides =
        Overrides { pruning: Some(Pruning::None), max_length: Some(9), threads: Some(1), ..Overrides::default() };
    let other = read.clone().with(&overrides).expect("a sound job");
    assert_eq!(other.search, Search { pruning: Pruning::None, max_length: Some(9), ..read.search });
    assert_eq!(other.limits, Limits { threads: Some(1), ..read.limits });
    assert_eq!(other.output, read.output);
    for keep_levels in [true, false] {
        let overrides = Overrides { keep_levels: Some(keep_levels), ..Overrides::default() };
        assert_eq!(
            other.clone().with(&overrides).expect("a sound job").output,
            Output { keep_levels, ..read.output.clone() }
        );
    }
}

#[test]
fn a_problem_can_be_built_again_from_what_its_record_says() {
    let map = "board = \"\"\"\nSBT.\nS#.T\n\"\"\"\nmoves = 8";
    for lines in [TRIANGLE, LOPSIDED, map, "board = \"S..S\"\nmoves = 4\ntarget = [\"a1\", \"d1\"]"] {
        let read = Job::parse("a.toml".as_ref(), &job(lines)).expect("a sound job");
        let halma_rules::job::Problem::Transfer(transfer) = read.problem else { panic!("a transfer") };
        let again = halma_rules::job::transfer_of(&read.spec).expect("the same problem");
        assert_eq!((again.start, again.target), (transfer.start, transfer.target), "{lines}");
        assert_eq!(again.lattice.board, transfer.lattice.board);
    }
}

#[test]
fn an_army_that_is_there_already_is_a_job() {
    let read = Job::parse("a.toml".as_ref(), &job("board = \"BB..\"\nmoves = 4")).expect("a transfer of length 0");
    assert_eq!(read.spec.armies().unwrap().start, read.spec.armies().unwrap().target);
}

/// The mirror in a row keeps the directions of 4-move rules, and not those of 6-move rules.
#[test]
fn a_pruning_of_the_job_is_not_looked_at_where_the_command_line_has_another() {
    let text = "[problem]\nkind = \"transfer\"\nboard = \"\"\"\nS.T\nS.T\n...\n\"\"\"\nmoves = 4\n[search]\npruning = \"narrowed\"\n";
    let job = Job::parse("a.toml".as_ref(), text).expect("a job");
    let moves = Some(Rule::try_from(6).expect("a rule"));
    let refused = job.clone().with(&Overrides { moves, ..Overrides::default() }).unwrap_err();
    assert!(refused.to_string().contains("narrowed"), "{refused}");
    job.with(&Overrides { moves, pruning: Some(Pruning::None), ..Overrides::default() }).expect("a job");
}
