//! What is said of jobs that are odd, nearly empty, impossible, or no jobs at all.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::program::{command, folder, halma, said};
use halma_record::record::{Record, Verdict};
use tempfile::TempDir;

const SQUARE: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"square-2\"\n";
const ROW: &str = "[problem]\nkind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
const PARTED: &str = "[problem]\nkind = \"transfer\"\nboard = \"\"\"\nSS#..\n..#TT\n\"\"\"\nmoves = 4\n";

pub(super) fn read(folder: &TempDir, run: &str) -> Record {
    Record::read(&folder.path().join(run).join("result.json")).expect("a record")
}

#[test]
fn an_impossible_jobs_record_names_its_proof_which_check_derives_and_refuses_where_it_is_forged() {
    let jumps = format!("{SQUARE}target = [\"i9\", \"h9\", \"i8\", \"g9\"]\njumps-only = true\n");
    let game = PARTED.replace("transfer", "game");
    let folder = folder(&[("jumps.toml", &jumps), ("parted.toml", PARTED), ("game.toml", &game)]);
    for name in ["jumps", "parted", "game"] {
        let job = format!("{name}.toml");
        let (status, _, err) = halma(&folder, &["solve", &job, "-q", "--output-dir", name]);
        assert_eq!((status, err.as_str()), (0, ""), "{name}");
        let record = read(&folder, name);
        assert_eq!((record.verdict, record.exhausted, record.lower_bound), (Verdict::None, true, None), "{name}");
        let said = record.impossible.clone().expect("a proof");
        assert_ne!(said.at_start, said.in_target);
        let (status, out, err) = halma(&folder, &["check", name, "-q"]);
        assert_eq!((status, err.as_str()), (0, ""), "{name}: {out}");
        let (status, out, _) = halma(&folder, &["report", name]);
        assert!(
            status == 0 && out.contains("cannot be brought to")
                || out.contains("can never end the game: no move leads")
        );
        let (status, _, err) = halma(&folder, &["replay", name]);
        assert_eq!(
            (status, err.as_str()),
            (2, format!("{name}/result.json: the record has no solution to replay\n").as_str())
        );
        // Cells that a move leads out of, other numbers, a possible problem: none of them is a proof.
        let file = folder.path().join(name).join("result.json");
        let sound = std::fs::read_to_string(&file).expect("a record");
        for forged in [
            Record {
                impossible: Some(halma_record::record::ImpossibleRecord {
                    cells: said.cells[1..].to_vec(),
                    ..said.clone()
                }),
                ..record.clone()
            },
            Record {
                impossible: Some(halma_record::record::ImpossibleRecord {
                    in_target: said.in_target + 1,
                    ..said.clone()
                }),
                ..record.clone()
            },
        ] {
            std::fs::write(&file, forged.to_json().expect("JSON")).expect("written");
            let (status, out, err) = halma(&folder, &["check", name, "-q"]);
            assert_eq!(status, 4, "{name}: {out}{err}");
        }
        std::fs::write(&file, sound).expect("written");
    }
}

#[test]
fn a_board_in_pieces_is_described_without_a_bound_that_is_none() {
    let folder = folder(&[("parted.toml", PARTED), ("game.toml", &PARTED.replace("transfer", "game"))]);
    for (job, ends) in [("parted.toml", "the start and 0 in the target"), ("game.toml", "blue's base and 0 in red's")] {
        let (status, out, err) = halma(&folder, &["describe", job]);
        assert_eq!((status, err.as_str()), (0, ""));
        let proof =
            format!("none of any length: no move leads out of these cells, 2 of them in {ends}: a1, b1, a2, b2\n");
        assert!(out.contains(&proof), "{out}");
        assert!(out.contains("There is no solution of any length: no move leads out"), "{out}");
        assert!(!out.contains("Theorem 1") && !out.contains("25"), "{out}");
    }
}

#[test]
fn a_batch_of_impossible_and_faulty_jobs_tells_what_it_skips_and_reads_all_before_it_starts() {
    let parted = format!("{PARTED}[output]\ndir = \"parted\"\n");
    let folder = folder(&[("parted.toml", &parted), ("row.toml", ROW), ("wrong.toml", "[problem]\n")]);
    let args = ["batch", "row.toml", "parted.toml", "./row.toml", "wrong.toml", "--output-dir", "night"];
    let (status, out, err) = halma(&folder, &args);
    assert_eq!(status, 2, "{err}");
    let at = |what: &str| err.find(what).unwrap_or_else(|| panic!("{what}: {err}"));
    assert!(at("4 of 4: failed wrong.toml") < at("1 of 4: running row.toml"), "{err}");
    assert!(
        at("3 of 4: skipped ./row.toml  the queue has this job twice: it is number 1") < at("1 of 4: running"),
        "{err}"
    );
    let states = |out: &str| -> Vec<String> {
        out.lines().skip(1).take(4).map(|l| l.split_whitespace().nth(1).unwrap_or_default().into()).collect()
    };
    assert_eq!(states(&out), ["done", "done", "skipped", "failed"], "{out}");
    let (_, out, _) = halma(&folder, &args);
    assert_eq!(states(&out), ["skipped", "skipped", "skipped", "failed"], "{out}");
    let (_, out, _) = halma(&folder, &["status", "night"]);
    assert!(out.starts_with("3 skipped, 1 failed\n"), "{out}");
}

#[test]
fn a_batch_finds_its_records_beneath_those_of_other_questions() {
    let job = format!("{ROW}[output]\ndir = \"run\"\n");
    let folder = folder(&[("row.toml", &job)]);
    assert_eq!(halma(&folder, &["count", "row.toml", "-q"]).0, 0);
    for state in ["done", "skipped"] {
        let (status, out, err) = halma(&folder, &["batch", "row.toml", "-q", "--output-dir", "night"]);
        assert_eq!((status, out.contains(state)), (0, true), "{out}{err}");
    }
    let queue: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("night/batch.json")).expect("a status"))
            .expect("JSON");
    let beneath = queue["jobs"][0]["folder"].as_str().expect("a folder");
    assert!(beneath.starts_with("run/solve-"), "{beneath}");
    assert!(folder.path().join(beneath).join("result.json").exists());
}

#[test]
fn a_question_that_a_job_does_not_allow_leaves_no_folder() {
    let puzzle = "[problem]\nkind = \"rules\"\nboard = \"A.B\"\nrules = [\"A . -> . A\"]\n";
    let with_goal = format!("{puzzle}goal = \"AB.\"\n");
    let folder = folder(&[("row.toml", ROW), ("puzzle.toml", puzzle), ("goal.toml", &with_goal)]);
    let refused = [
        (&["count", "row.toml", "--pruning", "mcc"][..], "pruning mcc does not keep all solutions"),
        (&["solve", "puzzle.toml"], "goal"),
        // All of them are looked at before the first one is asked.
        (&["compare", "goal.toml", "--prunings", "none,projection(Q)"], "`Q` is no letter of the puzzle"),
    ];
    for (args, words) in refused {
        let (status, out, err) = halma(&folder, &[args, &["--output-dir", "run"]].concat());
        assert_eq!((status, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(words), "{err}");
        assert!(!folder.path().join("run").exists(), "{args:?}");
    }
}

#[test]
fn a_job_is_no_record() {
    let folder = folder(&[("job.toml", SQUARE)]);
    for command in ["check", "report"] {
        let (status, out, err) = halma(&folder, &[command, "job.toml"]);
        assert_eq!((status, out.as_str()), (2, ""));
        assert_eq!(err, "job.toml: a job, and no record; halma solve makes one of it\n");
    }
}

#[test]
fn a_file_that_is_no_job_is_shown_by_its_line() {
    let folder = folder(&[("empty.toml", "")]);
    std::fs::write(folder.path().join("bytes.toml"), b"[problem]\nkind = \"\xff\"\n").expect("a file");
    for (job, message) in [
        (
            "empty.toml",
            "empty.toml:1:1: missing field `problem`: a job has a table [problem] with the keys kind, board, ...; `halma new FILE` writes one\n",
        ),
        ("bytes.toml", "bytes.toml:2:9: byte 0xff is no UTF-8: allowed is text in UTF-8\n  |\n2 | kind = \""),
    ] {
        let (status, out, err) = halma(&folder, &["solve", job]);
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(err.starts_with(message), "{err}");
    }
}

#[test]
fn names_are_suggested_in_capitals_and_slips() {
    let army = |name: &str| SQUARE.replace("square-2", name);
    let folder = folder(&[("a.toml", &army("Triangle-4")), ("b.toml", &army("sqare-3")), ("c.toml", SQUARE)]);
    for (args, near) in [
        (&["solve", "a.toml"][..], "did you mean `triangle-4`?"),
        (&["solve", "b.toml"], "did you mean `square-3`?"),
        (&["solve", "c.toml", "--pruning", "Leading"], "did you mean `leading`?"),
        (&["solve", "c.toml", "--pruning", "PATERN(classes=3)"], "did you mean `pattern`?"),
        (&["solve", "c.toml", "--pruning", "Hall"], "did you mean `hall`?"),
    ] {
        let (status, _, err) = halma(&folder, args);
        assert!(status == 2 && err.contains(near), "{args:?}: {err}");
    }
}

#[test]
fn what_makes_no_sense_on_the_command_line_is_refused() {
    let folder = folder(&[("job.toml", SQUARE)]);
    for (args, message) in [
        (&["replay", "job.toml", "--svg", "--columns", "0"][..], "error: invalid value '0' for '--columns <N>'"),
        (
            &["compare", "job.toml", "--prunings", "leading,none,leading"],
            "error: invalid value 'leading,none,leading' for '--prunings <NAMES>': leading is there twice",
        ),
        (&["compare", "job.toml", "--prunings", "leading(cap=4),leading( cap = 4 )"], "error: invalid value"),
    ] {
        let (status, out, err) = halma(&folder, args);
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(err.starts_with(message), "{err}");
    }
}

#[test]
fn boards_that_are_full_or_nearly_are_searched() {
    let names: Vec<String> = (0..=255u8).map(|c| format!("{}{}", (b'a' + c % 16) as char, c / 16 + 1)).collect();
    let job = |army: &[String], target: &[String]| {
        format!("[problem]\nkind = \"transfer\"\nboard = \"16x16\"\nmoves = 8\narmy = {army:?}\ntarget = {target:?}\n")
    };
    let folder = folder(&[
        ("full.toml", &job(&names, &names)),
        ("hole.toml", &job(&names[1..], &names[..255])),
        ("holes.toml", &job(&names[2..], &[&names[..2], &names[4..]].concat())),
    ]);
    // The hole goes from corner to corner, two cells a jump but for one step.
    for (name, moves) in [("full", 0), ("hole", 8), ("holes", 2)] {
        for pruning in ["none", "leading"] {
            let (job, dir) = (format!("{name}.toml"), format!("{name}-{pruning}"));
            let args = ["solve", &job, "-q", "--output-dir", &dir, "--pruning", pruning];
            let (status, out, err) = halma(&folder, &args);
            assert_eq!((status, err.as_str()), (0, ""), "{out}");
            assert_eq!(read(&folder, &dir).length, Some(moves), "{out}");
            let (status, out, err) = halma(&folder, &["check", &dir, "-q"]);
            assert_eq!((status, err.as_str()), (0, ""), "{out}");
        }
    }
}

#[test]
fn a_job_may_come_from_standard_input() {
    let folder = folder(&[]);
    for (args, status) in [
        (&["solve", "-", "-q"][..], 0),
        (&["prove", "-", "-q", "--max-length", "3"], 20),
        (&["count", "-", "-q"], 0),
        (&["levels", "-", "-q", "--depth", "1"], 0),
        (&["compare", "-", "-q", "--prunings", "none,leading"], 0),
        (&["describe", "-"], 0),
    ] {
        for (job, expected) in [(ROW, status), ("[problem]\nkind = 3\n", 2)] {
            let mut halma = command(folder.path(), args);
            let halma = halma.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = halma.spawn().expect("it runs");
            child.stdin.take().expect("a pipe").write_all(job.as_bytes()).expect("written");
            let output = child.wait_with_output().expect("it ends");
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(expected), "{args:?}: {err}");
            assert!(expected != 2 || err.starts_with("standard input:2:8: invalid type: integer `3`"), "{err}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_changes_no_answer_and_hears_no_noise() {
    let folder = folder(&[("job.toml", SQUARE)]);
    for (args, expected) in [
        ("solve job.toml -q --json", 0),
        ("prove job.toml -q --max-length 14", 20),
        ("levels job.toml -q --depth 3", 0),
        ("compare job.toml -q --prunings none,leading", 0),
        ("describe job.toml --probe 0s", 0),
        ("schema", 0),
        ("man", 0),
        ("completions bash", 0),
        ("batch job.toml -q", 0),
        ("check runs/job -q", 0),
        ("status runs/job", 0),
        ("report runs/job", 0),
        ("row reverse 5 --enumerate", 0),
    ] {
        // The reader is gone before the first byte.
        let script = format!("{} {args} | true; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_halma"));
        let output = Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output().expect("bash");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), err.as_str()), (Some(expected), ""), "{args}");
    }
}

#[test]
fn one_man_makes_one_move() {
    let job = "[problem]\nkind = \"transfer\"\nboard = \"ST\"\nmoves = 4\n[limits]\nthreads = 1\n";
    let folder = folder(&[("job.toml", job), ("game.toml", &job.replace("transfer", "game").replace("ST", "S.T"))]);
    let mut said = String::new();
    for args in [
        &["solve", "job.toml", "--output-dir", "run"][..],
        &["count", "job.toml"],
        &["describe", "job.toml"],
        &["replay", "run"],
        &["report", "run"],
        &["solve", "game.toml", "--output-dir", "game"],
        &["count", "game.toml"],
        &["replay", "game"],
        &["report", "game"],
        &["describe", "game.toml"],
    ] {
        let (status, out, err) = halma(&folder, args);
        assert_eq!(status, 0, "{args:?}: {err}");
        said += &(out + &err);
    }
    for plural in ["men", "moves", "steps", "threads", "shortest solutions", "sequences", "positions"] {
        let wrong = format!("1 {plural}");
        let alone = |at: usize| !said[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
        let found = said.match_indices(&wrong).find(|&(at, _)| alone(at));
        let near = found.map(|(at, _)| said[at.saturating_sub(60)..].chars().take(120).collect::<String>());
        assert_eq!(near, None, "{wrong}");
    }
    assert!(said.contains("legal: 1 man reaches the target in 1 move, 1 step and 0 chains of jumps"), "{said}");
}

#[test]
fn what_has_no_record_yet_says_where_one_is_or_how_to_get_it() {
    let folder = folder(&[("job.toml", SQUARE)]);
    let (status, _, err) =
        halma(&folder, &["compare", "job.toml", "--prunings", "leading,pattern", "-q", "--output-dir", "all"]);
    assert_eq!(status, 0, "{err}");
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    std::fs::create_dir(folder.path().join("killed")).expect("a folder");
    std::fs::write(folder.path().join("killed/run.json"), "{}").expect("a list");
    for args in [&["check"][..], &["replay"], &["certify", "-o", "c"], &["status"], &["resume"]] {
        let answer = |place: &str| halma(&folder, &[args, &[place]].concat());
        let (status, out, err) = answer("all");
        assert_eq!((status, out.as_str()), (2, ""));
        assert_eq!(err, "all: no record (result.json) there; there is one in all/leading, all/pattern\n", "{args:?}");
        let (status, _, err) = answer("empty");
        assert_eq!((status, err.as_str()), (2, "empty: no record (result.json) there\n"), "{args:?}");
        if ["check", "replay", "certify"].contains(&args[0]) {
            let (status, _, err) = answer("killed");
            let expected = "killed: the run has no answer yet; halma resume killed goes on with it\n";
            assert_eq!((status, err.as_str()), (2, expected), "{args:?}");
        }
    }
}

#[test]
fn a_limit_of_one_resume_is_not_that_of_the_next() {
    // Ten men, unpruned: it takes hours.
    let army = SQUARE.replace("square-2", "triangle-4");
    let folder =
        folder(&[("job.toml", &format!("{army}[search]\npruning = \"none\"\n[limits]\nmemory = \"256 MiB\"\n"))]);
    let limit = || -> serde_json::Value {
        let list = std::fs::read_to_string(folder.path().join("run/run.json")).expect("a list");
        serde_json::from_str::<serde_json::Value>(&list).expect("JSON")["list"]["terms"]["limits"]["time"].clone()
    };
    let (status, _, err) = halma(&folder, &["solve", "job.toml", "-q", "--time", "700ms", "--output-dir", "run"]);
    assert_eq!(status, 3, "{err}");
    let first = limit();
    assert!(!first.is_null());
    let (status, _, err) = halma(&folder, &["resume", "run", "--time", "300ms"]);
    assert_eq!((status, limit()), (3, first.clone()), "{err}");
    assert!(!err.contains("as this run was begun"), "{err}");
    let (status, _, err) = halma(&folder, &["resume", "run"]);
    assert_eq!((status, limit()), (3, first), "{err}");
    assert!(err.contains("it stops after 700ms, as this run was begun; --time TIME says otherwise\n"), "{err}");
}

#[test]
fn small_slips_on_the_command_line_are_said_in_the_form_that_was_asked_for() {
    let levels = "[problem]\nkind = \"rules\"\nboard = \"A..\"\nrules = [\"A . -> . A\"]\n";
    let folder = folder(&[("job.toml", SQUARE), ("levels.toml", levels)]);
    let (status, out, err) = halma(&folder, &["solve", "job.toml", "--progress", "json", "--pruning", "xx"]);
    assert_eq!((status, out.as_str()), (2, ""));
    let event: serde_json::Value = serde_json::from_str(&err).expect("one line of JSON");
    assert_eq!((&event["event"], &event["exit"]), (&"done".into(), &2.into()));
    assert!(event["error"].as_str().is_some_and(|error| error.contains("xx")), "{err}");
    let (status, _, err) = halma(&folder, &["compare", "job.toml", "--prunings", "leading", "--pruning", "none"]);
    assert_eq!((status, err.as_str()), (2, "compare takes --prunings NAMES, and no --pruning\n"));
    assert_eq!(halma(&folder, &["new", "none.toml", "--board", "5x5", "--men", "0"]).0, 2);
    // A puzzle without a goal is described, and not tried.
    let (status, out, err) = halma(&folder, &["describe", "levels.toml"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    // An empty name of a cache is none.
    let mut solve = command(&folder, &["solve", "job.toml", "-q"]);
    let (status, _, err) = said(solve.env("HALMA_CACHE", "").output().expect("it runs"));
    assert_eq!((status, err.as_str()), (0, ""));
}

#[test]
fn a_batch_says_beforehand_that_two_jobs_have_one_folder() {
    let folder = folder(&[]);
    for (name, moves) in [("a", "6"), ("b", "8")] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
        let job = SQUARE.replace("moves = 6", &format!("moves = {moves}")) + "[output]\ndir = \"run\"\n";
        std::fs::write(folder.path().join(name).join("job.toml"), job).expect("a job");
    }
    let (status, out, err) = halma(&folder, &["batch", "a", "b", "--progress", "lines"]);
    assert_eq!(status, 2, "{err}");
    let said = "a/job.toml, of another problem, has the same folder run: give each job a dir of its own in [output]";
    assert!(out.contains(said), "{out}");
    let (told, solved) = (err.find(said), err.find("done a/job.toml"));
    assert!(told.zip(solved).is_some_and(|(told, solved)| told < solved), "{err}");
}

#[test]
fn a_finished_job_of_a_batch_is_skipped_though_another_claims_its_folder() {
    let folder = folder(&[]);
    let job = |moves: &str| SQUARE.replace("moves = 6", &format!("moves = {moves}")) + "[output]\ndir = \"run\"\n";
    std::fs::write(folder.path().join("a.toml"), job("8")).expect("a job");
    std::fs::write(folder.path().join("b.toml"), job("6")).expect("a job");
    let (status, _, err) = halma(&folder, &["solve", "b.toml", "-q"]);
    assert_eq!(status, 0, "{err}");
    let (status, out, err) = halma(&folder, &["batch", "a.toml", "b.toml", "-q"]);
    assert_eq!(status, 2, "{err}");
    assert!(
        out.contains("b.toml  skipped  optimal") && out.contains("\na.toml: run/result.json: the record of another"),
        "{out}"
    );
}

#[test]
fn a_folder_that_cannot_be_written_to_is_told_before_the_search() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder(&[("job.toml", SQUARE)]);
    let locked = folder.path().join("locked");
    std::fs::create_dir(&locked).expect("a folder");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).expect("set");
    if std::fs::write(locked.join("any"), "").is_ok() {
        return crate::skipped("a folder without rights: whoever may do everything is refused nothing");
    }
    for command in [["solve", "job.toml", "--output-dir", "locked"], ["batch", "job.toml", "--output-dir", "locked"]] {
        let (status, out, err) = halma(&folder, &command);
        assert!(status == 2 && out.is_empty() && err.contains("folder cannot be written to"), "{err}");
    }
}

/// Levels that are cut may lead through the target: what goes on behind it is no solution of that length.
#[test]
fn a_beam_that_runs_through_the_target_says_that_it_found_nothing() {
    let job = "[problem]\nkind = 'transfer'\nboard = 'TBBS'\nmoves = 6\n[search]\npruning = 'truncate(1,3)'\n";
    let folder = folder(&[("job.toml", job)]);
    let (status, out, err) = halma(&folder, &["solve", "job.toml", "-q"]);
    assert!(status == 3 && err.is_empty() && out.contains("no solution among the 1 best states"), "{out}{err}");
    let wider = folder.path().join("wider.toml");
    std::fs::write(wider, job.replace("(1,3)", "(2,3)")).expect("a job");
    let (status, out, _) = halma(&folder, &["solve", "wider.toml", "-q"]);
    assert!(status == 0 && out.contains("The shortest solution has 2 moves"), "{out}");
}

#[test]
fn what_has_no_solution_names_the_answers_to_other_questions_beneath() {
    let folder = folder(&[("job.toml", SQUARE)]);
    halma(&folder, &["levels", "job.toml", "--depth", "2", "-q", "--output-dir", "run"]);
    let (_, _, err) = halma(&folder, &["solve", "job.toml", "--output-dir", "run"]);
    assert!(err.starts_with("the folder has another question's run; this one: run/solve-leading\n"), "{err}");
    let others = "; other questions of it are in run/solve-leading\n";
    for args in [&["replay", "run"][..], &["certify", "run", "-o", "c.cert"]] {
        let (status, _, err) = halma(&folder, args);
        assert!(status == 2 && err.ends_with(others), "{err}");
    }
    // What holds work is not written over.
    for args in [&["certify", "run/solve-leading", "-o", "job.toml"][..], &["report", "run", "-o", "run/result.json"]] {
        let (status, _, err) = halma(&folder, args);
        assert!(status == 2 && err.contains("is there, and is left as it is"), "{err}");
    }
    let (status, _, err) = halma(&folder, &["check", "run", "-q"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let (status, _, err) = halma(&folder, &["solve", "run/result.json"]);
    assert!(status == 2 && err.starts_with("run/result.json: JSON, as a record is"), "{err}");
}

/// A run that was killed before it had a record keeps its folder; what else is asked goes beneath.
#[test]
fn another_question_leaves_the_folder_to_the_run_that_was_killed_there() {
    let long = SQUARE.replace("square-2", "triangle-4");
    let folder = folder(&[("job.toml", &long)]);
    let solve = ["solve", "job.toml", "-q", "--output-dir", "run", "--pruning", "none"];
    let mut solving = command(&folder, &solve).stdout(Stdio::null()).spawn().expect("it runs");
    let list = folder.path().join("run/run.json");
    while !list.exists() {
        assert!(solving.try_wait().expect("a process").is_none(), "it has ended already");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let (status, _, err) = halma(&folder, &["resume", "run"]);
    assert!(status == 2 && err.ends_with("halma status run tells how far it is\n"), "{err}");
    let (status, _, err) = halma(&folder, &["check", "run"]);
    assert!(status == 2 && err.ends_with("halma status run tells how far it is\n"), "{err}");
    solving.kill().expect("killed");
    solving.wait().expect("it has ended");
    let (status, _, err) = halma(&folder, &["levels", "job.toml", "--depth", "2", "--output-dir", "run"]);
    assert!(status == 0 && err.starts_with("the folder has another question's run; this one: run/levels-2\n"), "{err}");
    assert!(list.exists() && !folder.path().join("run/result.json").exists());
    let (status, _, err) = halma(&folder, &["resume", "run", "--time", "10 ms"]);
    assert_eq!(status, 3, "{err}");
    // Without its list a stopped run has nothing to go on from, and says so.
    std::fs::remove_file(list).expect("removed");
    let (status, out, err) = halma(&folder, &["resume", "run"]);
    assert!(
        status == 3 && out.contains("Not finished") && err.contains("no checkpoint to go on from (run.json)"),
        "{err}"
    );
}
