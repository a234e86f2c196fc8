//! The program as scripts see it: results on standard output, messages on standard error, exit statuses.

use std::path::Path;

use crate::program::{halma, job_folder, program};
use halma_record::record::{Record, Verdict};

const SQUARE: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"square-2\"\n";

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_wrong_job_or_command_line_is_one_message_status_2_and_nothing_else() {
    let folder = job_folder(&format!("{SQUARE}[output]\ndir = \"out\"\n"));
    let at = folder.path();
    std::fs::write(at.join("bad.toml"), SQUARE.replace("moves = 6", "moves = 5")).expect("a job");
    for (args, message) in [
        (vec!["solve", "bad.toml"], "bad.toml:4:9: invalid value: integer `5`, expected 4, 6 or 8\n"),
        (vec!["prove", "bad.toml", "--max-length", "9"], "bad.toml:4:9: invalid value"),
        (vec!["levels", "bad.toml", "--depth", "1"], "bad.toml:4:9: invalid value"),
        (vec!["compare", "bad.toml"], "bad.toml:4:9: invalid value"),
        (vec!["solve", "none.toml"], "none.toml: cannot be read: No such file or directory"),
        (
            vec!["replay", "job.toml"],
            "job.toml: a job, and no solution; halma solve job.toml --output-dir DIR makes one",
        ),
        (vec!["replay", "bad.toml"], "bad.toml:4:9: invalid value"),
        (vec!["prove", "job.toml"], "job.toml: prove needs a length: give --max-length L, or max-length in [search]\n"),
        (
            vec!["solve", "job.toml", "--pruning", "leeding"],
            "error: invalid value 'leeding' for '--pruning <NAME>': unknown pruning `leeding`",
        ),
        (
            vec!["solve", "job.toml", "--threads", "0"],
            "error: invalid value '0' for '--threads <N>': 0 is not in 1..=4096",
        ),
        (
            vec!["solve", "job.toml", "--memory", "4 Gob"],
            "error: invalid value '4 Gob' for '--memory <SIZE>': `4 Gob` is no size",
        ),
        (
            vec!["levels", "job.toml"],
            "error: the following required arguments were not provided:\n  <--depth <D>|--to-the-end>",
        ),
        (vec!["solv", "job.toml"], "error: unrecognized subcommand 'solv'"),
        (vec!["solve", "job.toml", "-q", "-v"], "error: the argument '--quiet' cannot be used with '--verbose'"),
        (
            vec!["compare", "job.toml", "--prunings", "leading,mcc(5"],
            "error: invalid value 'leading,mcc(5' for '--prunings <NAMES>': `mcc(5` lacks",
        ),
    ] {
        let (status, out, err) = halma(at, &args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.starts_with(message), "{args:?}: {err}");
    }
    assert_eq!(files(at).len(), 2, "nothing was written: {:?}", files(at));
}

#[test]
fn an_output_folder_that_cannot_be_made_is_refused_before_the_search() {
    let folder = job_folder(SQUARE);
    let (status, out, err) = halma(folder.path(), &["solve", "job.toml", "--output-dir", "job.toml/out"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(
        err,
        "job.toml/out: the output folder cannot be made: Not a directory (os error 20); another one: --output-dir DIR\n"
    );
}

#[test]
fn the_shortest_solution_is_printed_and_its_record_replays() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    let (status, out, err) = halma(at, &["solve", "job.toml", "-q", "--output-dir", "out"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("\nThe shortest solution has 15 moves: every shorter length is refuted.\n"), "{out}");
    let record = Record::read(&at.join("out/result.json")).expect("a record");
    assert_eq!((record.verdict, record.length, record.refuted_up_to), (Verdict::Optimal, Some(15), Some(14)));
    assert_eq!(files(&at.join("out")), ["result.json"]);

    let (status, out, err) = halma(at, &["replay", "out"]);
    assert_eq!((status, err.as_str()), (0, ""));
    // Under 6-move rules the square is the triangular grid that it is.
    let top = "start\n                1   a\n              2   o   b\n            3   o   o   c\n          4   .   o   .   d\n";
    assert!(out.starts_with(top), "{out}");
    assert!(out.contains("\nlegal: 4 men reach the target in 15 moves, "), "{out}");
}

#[test]
fn json_is_the_record_and_nothing_else() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    let (status, out, err) = halma(at, &["solve", "job.toml", "--json", "--output-dir", "out", "--threads", "1"]);
    assert_eq!(status, 0);
    assert_eq!(out, std::fs::read_to_string(at.join("out/result.json")).expect("a record"));
    assert!(err.contains("length 15\n"), "progress goes to standard error: {err}");
    let record: Record = serde_json::from_str(&out).expect("a record");
    assert_eq!(record.threads, 1);
}

#[test]
fn prove_answers_by_its_status() {
    let folder = job_folder(SQUARE);
    for (length, status, sentence) in
        [("14", 20, "There is no solution of at most 14 moves."), ("15", 10, "There is a solution of 15 moves.")]
    {
        for pruning in ["none", "leading"] {
            let (found, out, _) =
                halma(folder.path(), &["prove", "job.toml", "--max-length", length, "--pruning", pruning]);
            assert_eq!(found, status, "{out}");
            assert!(out.contains(sentence), "{out}");
        }
    }
}

/// A beam search finds solutions and refutes nothing: one that is longer than another pruning's contradicts nobody.
#[test]
fn prunings_that_find_solutions_of_different_lengths_agree_where_neither_refutes_the_other() {
    let folder = job_folder(&SQUARE.replace("square-2", "triangle-3"));
    let prunings = ["--prunings", "truncate(30,2),leading", "--max-length", "40"];
    let (status, out, err) = halma(folder.path(), &[&["compare", "job.toml", "-q"], &prunings[..]].concat());
    assert_eq!(status, 10, "{out}{err}");
    let lengths: Vec<&str> =
        out.lines().filter_map(|line| line.split("solution").nth(1)?.split_whitespace().next()).collect();
    assert!(lengths.len() == 2 && lengths[0] != lengths[1] && lengths[1] == "23", "{out}");
}

#[test]
fn levels_show_the_papers_sizes() {
    let folder = job_folder(&SQUARE.replace("square-2", "triangle-4"));
    let (status, out, _) = halma(folder.path(), &["levels", "job.toml", "--depth", "4", "--json", "-q"]);
    let record: Record = serde_json::from_str(&out).expect("a record");
    let sizes: Vec<u64> = record.runs[0].levels.iter().map(|l| l.states).collect();
    assert_eq!((status, sizes), (0, vec![1, 7, 85, 749, 5699]));
}

#[test]
fn a_search_that_runs_out_of_time_is_not_finished_and_says_so() {
    let folder = job_folder(
        &(SQUARE.replace("square-2", "triangle-4") + "[search]\npruning = \"none\"\n[limits]\ntime = \"20 ms\"\n"),
    );
    for args in [vec!["solve", "job.toml", "-q"], vec!["prove", "job.toml", "-q", "--max-length", "26"]] {
        let (status, out, err) = halma(folder.path(), &args);
        assert_eq!((status, err.as_str()), (3, ""), "{out}");
        assert!(out.contains("Not finished: time limit reached."), "{out}");
        assert!(!out.contains("There is no solution"), "{out}");
    }
}

#[test]
fn prunings_are_compared_side_by_side_and_agree() {
    let folder = job_folder(&format!("{SQUARE}[output]\ndir = \"out\"\n"));
    let at = folder.path();
    let prunings = "none,theorem-1,mcc(5,1000),pattern,leading,narrowed";
    let (status, out, err) = halma(at, &["compare", "job.toml", "-q", "--prunings", prunings]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let rows: Vec<Vec<&str>> = out.lines().skip(3).map(|line| line.split_whitespace().take(4).collect()).collect();
    let names = ["none", "theorem-1", "mcc(5,1000)", "pattern", "leading", "narrowed"];
    assert_eq!(rows, names.map(|name| vec![name, "optimal", "15", "14"]));
    for name in names {
        let record = Record::read(&at.join("out").join(name).join("result.json")).expect("a record");
        assert_eq!(record.pruning.to_string(), name);
    }

    let (status, out, _) =
        halma(at, &["compare", "job.toml", "-q", "--json", "--prunings", "pattern,leading", "--max-length", "14"]);
    let records: Vec<Record> = serde_json::from_str(&out).expect("records");
    assert_eq!((status, records.len()), (20, 2));
}

#[test]
fn a_damaged_record_has_a_status_of_its_own() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    halma(at, &["solve", "job.toml", "-q", "--output-dir", "out"]);
    let file = at.join("out/result.json");
    let sound = std::fs::read_to_string(&file).expect("a record");
    for (damaged, message) in [
        (sound.replace("\"length\": 15", "\"length\": 14"), "length is 14, and the solution has 15 moves\n"),
        (sound.replace("\"a1\"", "\"e5\""), ""),
        (sound[..sound.len() / 2].to_string(), ""),
    ] {
        assert_ne!(damaged, sound);
        std::fs::write(&file, damaged).expect("written");
        let (status, out, err) = halma(at, &["replay", "out/result.json"]);
        assert_eq!((status, out.as_str()), (4, ""), "{err}");
        assert!(err.starts_with("out/result.json: damaged record: ") && err.ends_with(message), "{err}");
    }
}

#[test]
fn help_and_version_are_results() {
    let folder = job_folder(SQUARE);
    let (status, out, err) = halma(folder.path(), &["--version"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "halma 0.1.0\n", ""));
    let (status, out, _) = halma(folder.path(), &["--help"]);
    assert_eq!(status, 0);
    for command in ["solve", "prove", "levels", "replay", "compare", "Exit status: 0"] {
        assert!(out.contains(command), "{command}");
    }
}

/// A record without what depends on the machine's mood: times, memory, the number of threads.
fn timeless(mut record: Record) -> Record {
    (record.seconds, record.cpu_seconds, record.peak_memory_bytes, record.threads) = (0.0, 0.0, 0, 0);
    record.finished = None;
    for run in &mut record.runs {
        run.seconds = 0.0;
        run.levels.iter_mut().for_each(|level| level.seconds = None);
    }
    record
}

#[test]
fn records_do_not_depend_on_the_number_of_threads() {
    let lopsided = "army = [\"a1\", \"c1\", \"a2\", \"b3\"]\ntarget = [\"i9\", \"h8\", \"i6\", \"g9\"]\n";
    for (job, pruning) in [
        (SQUARE.replace("square-2", "triangle-3"), "leading"),
        (SQUARE.replace("square-2", "triangle-3"), "leading(look-ahead=7)"),
        (SQUARE.replace("square-2", "triangle-3"), "leading(class-look-ahead=3)"),
        (SQUARE.replace("square-2", "triangle-3"), "narrowed"),
        (SQUARE.into(), "none"),
        (SQUARE.replace("army = \"square-2\"\n", lopsided), "theorem-1"),
    ] {
        let folder = job_folder(&job);
        let records = ["1", "2", "3"].map(|threads| {
            let args = ["solve", "job.toml", "--json", "-q", "--threads", threads, "--pruning", pruning];
            let (status, out, err) = halma(folder.path(), &args);
            assert_eq!((status, err.as_str()), (0, ""), "{job}");
            let record: Record = serde_json::from_str(&out).expect("a record");
            assert_eq!(record.threads.to_string(), threads);
            timeless(record)
        });
        assert_eq!(records[0], records[1], "{pruning}");
        assert_eq!(records[0], records[2], "{pruning}");
    }
}

#[test]
fn a_record_does_not_take_the_place_of_another_questions() {
    let folder = job_folder(&format!("{SQUARE}[output]\ndir = \"out\"\n"));
    let at = folder.path();
    let read = |name: &str| Record::read(&at.join(name).join("result.json")).expect("a record");
    halma(at, &["solve", "job.toml", "-q"]);
    let solved = read("out");

    let (status, _, err) = halma(at, &["prove", "job.toml", "--max-length", "14"]);
    let told = "the folder has another question's run; this one: out/prove-14-leading\n";
    assert!(status == 20 && err.starts_with(told), "{err}");
    assert_eq!((read("out"), read("out/prove-14-leading").verdict), (solved.clone(), Verdict::None));
    halma(at, &["levels", "job.toml", "--depth", "2", "-q"]);
    assert_eq!(read("out/levels-2").verdict, Verdict::Levels);
    halma(at, &["solve", "job.toml", "-q", "--pruning", "pattern"]);
    assert_eq!(read("out/solve-pattern").length, Some(15));
    assert_eq!(read("out"), solved);

    // The same question again is answered in its place.
    let (status, _, err) = halma(at, &["solve", "job.toml", "-q", "--threads", "1"]);
    assert_eq!((status, err.as_str(), read("out").threads), (0, "", 1));

    let other = SQUARE.replace("square-2", "square-3") + "[output]\ndir = \"out\"\n";
    std::fs::write(at.join("other.toml"), other).expect("a job");
    let (status, out, err) = halma(at, &["solve", "other.toml"]);
    assert_eq!((status, out.as_str()), (2, ""));
    let refused =
        "out/result.json: the record of another problem (square-2, 4 men, on 9x9 under 6-move rules); `army` differs; ";
    assert!(err.starts_with(refused), "{err}");

    std::fs::write(at.join("out/result.json"), "{}").expect("written");
    let (status, out, err) = halma(at, &["solve", "job.toml"]);
    assert_eq!((status, out.as_str()), (4, ""));
    assert!(err.starts_with("out/result.json: damaged record: "), "{err}");
    assert_eq!(std::fs::read_to_string(at.join("out/result.json")).expect("the file"), "{}");
}

#[test]
fn each_run_of_a_comparison_has_its_own_processor_time() {
    let folder = job_folder(&SQUARE.replace("square-2", "triangle-3"));
    let prunings = ["compare", "job.toml", "-q", "--json", "--prunings", "none,leading"];
    let (_, out, _) = halma(folder.path(), &[&prunings[..], &["--max-length", "14"]].concat());
    let records: Vec<Record> = serde_json::from_str(&out).expect("records");
    for record in &records {
        let most = record.seconds * f64::from(record.threads as u32) + 0.05;
        assert!(record.cpu_seconds <= most, "{}: {} of {most}", record.pruning, record.cpu_seconds);
    }
}

#[test]
fn bad_input_is_one_message_with_its_place_and_what_is_allowed() {
    let map = "[problem]\nkind = \"transfer\"\nmoves = 6\nboard = \"\"\"\nSS..\n..T\n\"\"\"\n";
    let army = |list: &str| SQUARE.replace("\"square-2\"", list);
    for (job, message) in [
        (format!("{SQUARE}[search]\npruing = \"leading\"\n"), "job.toml:7:1: unknown field `pruing`, expected one of "),
        (army("[\"a1\", \"b1\", \"a1\"]"), "job.toml:5:21: army: a1 has two men on it; allowed is each cell once\n"),
        (army("[\"a1\", \"j1\"]"), "job.toml:5:15: army: `j1` is no cell of the board 9x9: it has columns "),
        (army("\"triangle-10\""), "job.toml:5:8: the army triangle-10 does not fit the board 9x9: it needs a cell in "),
        (format!("{SQUARE}target = [\"i9\"]\n"), "job.toml:6:10: the target's size is 1, the army's 4: they must be "),
        (SQUARE.replace("moves = 6", "moves = 5"), "job.toml:4:9: invalid value: integer `5`, expected 4, 6 or 8\n"),
        (map.into(), "job.toml:6:1: the map is ragged: row 2 has 3 characters, row 1 has 4; draw a place without "),
    ] {
        let folder = job_folder(&job);
        let (status, out, err) = halma(folder.path(), &["solve", "job.toml", "--output-dir", "out"]);
        assert_eq!((status, out.as_str()), (2, ""), "{job}");
        assert!(err.starts_with(message) && err.matches("job.toml:").count() == 1, "{err}");
        assert_eq!(files(folder.path()), ["job.toml"]);
    }
    let solution = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused/illegal-jump-in-move-7.toml");
    let folder = job_folder(SQUARE);
    let (status, out, err) = halma(folder.path(), &["replay", solution.to_str().expect("UTF-8")]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("move-7.toml:12:61: move 7 (c2-e2-e4-g4): no man stands on f4 to be jumped over\n"), "{err}");
    assert_eq!(files(folder.path()), ["job.toml"]);
}

/// Ten men, unpruned: it takes hours.
fn hours() -> String {
    let army = SQUARE.replace("square-2", "triangle-4").replace("moves = 6", "moves = 4");
    format!("{army}[search]\npruning = \"none\"\n[limits]\nthreads = 1\nmemory = \"256 MiB\"\n")
}

/// `nohup` starts a program so that it ignores SIGHUP.
#[test]
fn a_hangup_stops_a_search_but_not_where_it_was_ignored_from_the_start() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let folder = job_folder(&hours());
    for (trap, reason) in [("", "interrupted"), ("trap '' HUP; ", "time limit reached")] {
        let line = format!("{trap}exec {} solve job.toml --output-dir run --time 2s", env!("CARGO_BIN_EXE_halma"));
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut search = shell.spawn().expect("it runs");
        let mut told = BufReader::new(search.stderr.take().expect("a pipe"));
        told.read_line(&mut String::new()).expect("a line");
        assert!(Command::new("kill").args(["-HUP", &search.id().to_string()]).status().expect("it runs").success());
        std::io::copy(&mut told, &mut std::io::sink()).expect("a pipe");
        assert_eq!(search.wait().expect("a process").code(), Some(3));
        let record = Record::read(&folder.path().join("run/result.json")).expect("a record");
        assert_eq!(record.reason.as_deref(), Some(reason));
    }
}

#[test]
fn a_search_whose_listener_is_gone_stops_and_can_go_on() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let folder = job_folder(&hours());
    let mut search = program()
        .current_dir(folder.path())
        .args(["solve", "job.toml", "--progress", "json", "--output-dir", "run"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut told = BufReader::new(search.stderr.take().expect("a pipe"));
    told.read_line(&mut String::new()).expect("an event");
    drop(told);
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = search.try_wait().expect("a process") {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(60) {
            search.kill().expect("a process");
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(status.code(), Some(3), "it went on");
    let record = Record::read(&folder.path().join("run/result.json")).expect("a record");
    assert_eq!((record.verdict, record.reason.as_deref()), (Verdict::Incomplete, Some("interrupted")));
    let (status, _, err) = halma(folder.path(), &["resume", "run", "--time", "500ms", "-q"]);
    assert_eq!(status, 3, "{err}");
}

#[test]
fn the_command_line_says_whether_levels_stay_whatever_the_job_says() {
    let unpruned = format!("{SQUARE}[search]\npruning = \"none\"\n");
    let folder = job_folder(&unpruned);
    let kept = format!("{unpruned}[output]\nkeep-levels = true\n");
    std::fs::write(folder.path().join("kept.toml"), kept).expect("a job");
    for (job, option, stay) in [
        ("job.toml", None, false),
        ("job.toml", Some("--keep-levels"), true),
        ("kept.toml", None, true),
        ("kept.toml", Some("--keep-levels=true"), true),
        ("kept.toml", Some("--keep-levels=false"), false),
    ] {
        let run = format!("run-{job}{}", option.unwrap_or_default());
        let args: Vec<&str> = ["solve", job, "-q", "--output-dir", &run].into_iter().chain(option).collect();
        let (status, _, err) = halma(folder.path(), &args);
        assert_eq!(status, 0, "{args:?}: {err}");
        let record = Record::read(&folder.path().join(&run).join("result.json")).expect("a record");
        let named = record.runs.iter().flat_map(|entry| &entry.levels).any(|level| level.file.is_some());
        assert_eq!(named, stay, "{args:?}");
    }
    let (status, _, err) = halma(folder.path(), &["solve", "job.toml", "--keep-levels=perhaps"]);
    assert!(status == 2 && err.contains("true, false"), "{err}");
}

/// Each length has an answer, and none is decided: the same search would say the same again.
#[test]
fn a_beam_search_that_has_tried_every_length_does_not_say_that_resume_goes_on() {
    let triangle = SQUARE.replace("square-2", "triangle-3");
    let beam = |most: u32| format!("{triangle}[search]\npruning = \"truncate(3,1)\"\nmax-length = {most}\n");
    let folder = job_folder(&beam(24));
    let tried = "every length was tried, and halma resume decides no more";
    for args in [&["solve", "job.toml", "--output-dir", "run"], &["resume", "run"][..]] {
        let (status, _, said) = halma(folder.path(), args);
        assert!(status == 3 && said.contains(&format!("not finished: {tried}")), "{args:?}: {said}");
    }
    let (status, said, _) = halma(folder.path(), &["status", "run"]);
    assert!(status == 3 && said.contains(tried) && !said.contains("goes on"), "{said}");

    std::fs::write(folder.path().join("more.toml"), beam(99)).expect("a job");
    let stopped = ["solve", "more.toml", "--output-dir", "stopped", "--time", "1 ms"];
    let (status, _, said) = halma(folder.path(), &stopped);
    assert!(status == 3 && said.contains("not finished; halma resume stopped goes on"), "{said}");
}

/// The searches before it would be lost.
#[test]
fn compare_asks_for_the_memory_of_all_its_prunings_before_the_first_one_runs() {
    let folder = job_folder(&SQUARE.replace("square-2", "triangle-4"));
    let compared = ["compare", "job.toml", "--threads", "1", "--memory", "45 MiB", "--prunings", "theorem-1,leading"];
    let (status, out, said) = halma(folder.path(), &compared);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(said.starts_with("leading: 45 MiB of memory are too little: this job needs at least "), "{said}");
}
