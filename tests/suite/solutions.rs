//! The solutions that the paper prints (Appendix A.2) are legal, as long as it says and as fast as it says.

use std::path::PathBuf;

use halma_record::record::Record;
use halma_record::source::Source;
use halma_rules::job::Army;
use halma_rules::replay::{Checked, Replay};

fn file(name: &str) -> PathBuf {
    format!("{}/tests/solutions/{name}.toml", env!("CARGO_MANIFEST_DIR")).into()
}

/// Name, length, steps where the paper counts them, speed σ where it states it.
type Printed = (&'static str, usize, Option<usize>, (u64, u64));

const PRINTED: [Printed; 9] = [
    ("p2-triangle-4-6move", 27, Some(10), (4, 9)),
    ("p2-triangle-4-6move-8-steps", 27, Some(8), (4, 9)),
    ("p2-triangle-4-8move", 20, None, (3, 10)),
    ("p2-triangle-4-4move", 30, None, (2, 5)),
    ("p6-square-3-8move", 16, None, (3, 8)),
    ("p3-triangle-4-jumps-6move", 35, Some(0), (12, 35)),
    ("p4-triangle-5-6move", 31, None, (32, 93)),
    ("p4-triangle-5-6move-other", 31, None, (32, 93)),
    ("halma-19-8move", 47, None, (225, 893)),
];

#[test]
fn every_printed_solution_is_legal_and_as_long_and_fast_as_printed() {
    for (name, length, steps, speed) in PRINTED {
        let replay = Replay::read(&file(name)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(replay.moves.len(), length, "{name}");
        assert_eq!(replay.speed(), Some(speed), "{name}");
        assert!(steps.is_none_or(|s| s == replay.steps()), "{name}: {} steps", replay.steps());
    }
}

/// 24 moves where the paper has 26, 43 and 42 where it has 47, and the 36 under 4-move rules that it does not print.
#[test]
fn solutions_that_the_paper_does_not_print_are_legal() {
    for (name, length) in [
        ("p4-triangle-5-8move", 24),
        ("p4-triangle-5-4move", 36),
        ("halma-19-8move-shorter", 43),
        ("halma-19-8move-42", 42),
    ] {
        let replay = Replay::read(&file(name)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(replay.moves.len(), length, "{name}");
    }
}

#[test]
fn an_illegal_jump_is_refused_with_file_line_and_reason() {
    let file: PathBuf = "tests/refused/illegal-jump-in-move-7.toml".into();
    let error = Replay::read(&file).map(|r| r.moves).expect_err("an illegal jump").to_string();
    let expected = "tests/refused/illegal-jump-in-move-7.toml:12:61: \
                    move 7 (c2-e2-e4-g4): no man stands on f4 to be jumped over";
    assert_eq!(error.lines().next(), Some(expected));
    assert!(error.ends_with("^^^^^^^^^^^"), "{error}");
}

/// The refusal of these moves by two men on a1 and b1, who are to go to c2 and d2 of a board of 4 x 2 cells.
fn refusal(solution: &str, jumps_only: bool) -> String {
    let text = format!(
        "[problem]\nkind = \"transfer\"\nboard = \"\"\"\nSS..\n..TT\n\"\"\"\nmoves = 4\njumps-only = {jumps_only}\n[solution]\n{solution}"
    );
    let fault = Replay::from_source(&Source::new("s.toml", text)).map(|r| r.moves).expect_err(solution).to_string();
    fault.lines().next().expect("a message").to_string()
}

#[test]
fn what_is_no_solution_is_refused_with_the_move_and_the_rule_it_breaks() {
    for (moves, message) in [
        ("c1-d1", "s.toml:10:10: move 1 (c1-d1): no man stands on c1"),
        ("a1-b1", "s.toml:10:10: move 1 (a1-b1): b1 is occupied"),
        ("a1-a2-a1", "s.toml:10:10: move 1 (a1-a2-a1): it ends where it began"),
        ("a1-d1", "s.toml:10:10: move 1 (a1-d1): a1 and d1 are neither a step nor a jump apart"),
        ("a1-b2", "s.toml:10:10: move 1 (a1-b2): a1 and b2 are neither a step nor a jump apart"),
        ("a1-c1-c2", "s.toml:10:10: move 1 (a1-c1-c2): c1-c2 is a step inside a chain"),
        ("a1-c1, c1-a1, b1-d1", "s.toml:10:24: move 3 (b1-d1): no man stands on c1 to be jumped over"),
        ("a1-z9", "s.toml:10:13: `z9` is no cell of the board: it has columns a to d, rows 1 to 2"),
        ("a1-c1", "s.toml:10:10: after 1 move men stand outside the target, on b1, c1"),
        ("", "s.toml:10:10: after all 0 moves men stand outside the target, on a1, b1"),
        (
            "a1-c1, c1-c2, b1-b2, b2-d2, c2-c1",
            "s.toml:10:38: move 5 (c2-c1): the target is filled before it, so the solution ends there",
        ),
    ] {
        assert_eq!(refusal(&format!("moves = \"{moves}\""), false), message);
    }
    let solved = "moves = \"a1-c1, c1-c2, b1-b2, b2-d2\"";
    assert_eq!(
        refusal(&format!("{solved}\nlength = 5"), false),
        "s.toml:11:10: length = 5, and the solution has 4 moves"
    );
    assert_eq!(
        refusal(&format!("{solved}\nlenght = 4"), false),
        "s.toml:11:1: unknown field `lenght`, expected `moves` or `length`; did you mean `length`?"
    );
}

#[test]
fn steps_are_refused_where_only_jumps_count() {
    let text =
        "[problem]\nkind = \"transfer\"\nboard = \"S.T\"\nmoves = 4\njumps-only = true\n[solution]\nmoves = \"a1-b1\"";
    let fault = Replay::from_source(&Source::new("s.toml", text)).map(|r| r.moves).expect_err("a step").to_string();
    assert_eq!(fault.lines().next(), Some("s.toml:7:10: move 1 (a1-b1): a1-b1 is a step, and only jumps count"));
}

#[test]
fn a_fault_in_the_second_half_is_shown_at_the_move_that_it_mirrors() {
    let text = "[problem]\nkind = \"transfer\"\nboard = \"SS.TT\"\nmoves = 4\n[solution]\nmoves = \"\"\"\n b1-c1, (reflect)\n\"\"\"";
    let fault =
        Replay::from_source(&Source::new("s.toml", text)).map(|r| r.moves).expect_err("no palindrome").to_string();
    assert_eq!(fault.lines().next(), Some("s.toml:7:2: after all 2 moves men stand outside the target, on a1"));
    let text = text.replace("b1-c1,", "a1-c1,");
    let fault =
        Replay::from_source(&Source::new("s.toml", text)).map(|r| r.moves).expect_err("no palindrome").to_string();
    assert_eq!(
        fault.lines().next(),
        Some("s.toml:7:2: move 2 (c1-e1, the mirror of move 1): no man stands on d1 to be jumped over")
    );
}

#[test]
fn boards_are_drawn_with_the_man_that_moves() {
    let text = "[problem]\nkind = \"transfer\"\nboard = \"\"\"\nSS.\n#T.\n.T.\"\"\"\nmoves = 4\n[solution]\nmoves = \"b1-b2, b2-b3, a1-b1, b1-b2\"";
    let replay = Replay::from_source(&Source::new("s.toml", text)).unwrap();
    assert_eq!(
        replay.draw(),
        "start\noo.\n ..\n...\n\n1. b1-b2\no+.\n O.\n...\n\n2. b2-b3\no..\n +.\n.O.\n\n3. a1-b1\n+O.\n ..\n.o.\n\n4. b1-b2\n.+.\n O.\n.o.\n"
    );
    assert_eq!(
        replay.summary(),
        "legal: 2 men reach the target in 4 moves, 4 steps and 0 chains of jumps, speed 1/2 cells a move"
    );
}

/// A record of the solution of a file, which a run might have left.
fn record_of(replay: &Replay) -> Record {
    let board = &replay.transfer.lattice.board;
    let moves: Vec<String> = replay.moves.iter().map(|m| halma_rules::notation::write_chain(m, board)).collect();
    let json = serde_json::json!({
        "format": 1, "program": "halma 0.1.0", "problem": replay.spec, "question": "solve", "verdict": "optimal",
        "length": moves.len(), "refuted_up_to": moves.len() - 1, "pruning": "leading", "solution": moves,
        "counts": null, "runs": [], "seconds": 0.0, "cpu_seconds": 0.0, "peak_memory_bytes": 0,
        "disk_bytes_written": 0, "threads": 1
    });
    serde_json::from_value(json).expect("a record")
}

#[test]
fn the_solution_of_a_record_is_checked_as_well() {
    let written = Replay::read(&file("halma-19-8move")).expect("a solution");
    assert_eq!(written.spec.armies().unwrap().army, Army::Named("halma-19".into()));
    let sound = record_of(&written);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("result.json");
    sound.write(&path).expect("written");
    assert_eq!(Replay::read(&path).expect("sound").moves, written.moves);

    let refusal = |change: &dyn Fn(&mut Record)| {
        let mut record = sound.clone();
        change(&mut record);
        Replay::from_record("r.json".as_ref(), &record).map(|r| r.moves).expect_err("damaged").to_string()
    };
    assert_eq!(
        refusal(&|r| r.length = Some(46)),
        "r.json: damaged record: length is 46, and the solution has 47 moves"
    );
    assert_eq!(
        refusal(&|r| r.solution.as_mut().expect("moves")[1] = "c3-e6".into()),
        "r.json: damaged record: move 2 (c3-e6): c3 and e6 are neither a step nor a jump apart"
    );
    assert_eq!(
        refusal(&|r| r.problem.armies_mut().unwrap().start[0] = "z99".into()),
        "r.json: damaged record: problem.start: z99 is no cell of the board"
    );
    assert_eq!(refusal(&|r| r.solution = None), "r.json: the record has no solution to replay");
}

#[test]
fn a_solution_file_of_a_puzzle_is_refused_by_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    let text = "[problem]\nkind = \"rules\"\nboard = \"A.\"\nrules = [\"A . -> . A\"]\ngoal = \".A\"\n[solution]\nmoves = \"a1-b1\"\n";
    std::fs::write(&path, text).unwrap();
    let fault = Checked::read(&path).unwrap_err().to_string();
    assert!(
        fault.contains("a.toml:2:8: solution files are of transfers and games; replay the run's result.json"),
        "{fault}"
    );
}
