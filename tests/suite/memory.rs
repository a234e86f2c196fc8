//! Budgets of memory: kept by the whole process, or refused at once; and no answer depends on them.

use std::path::Path;

use crate::program::{self, job_folder};
use halma_record::record::Record;

const TRIANGLE: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 8\narmy = \"triangle-4\"\n";
const SMALL: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"\n";
/// The same army, in fewer moves: what cuts little has a million states on a level here, and thrice as many there.
const SHORT: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 8\narmy = \"triangle-3\"\n";

/// Exit status, standard output and standard error of the program in that folder.
fn halma(folder: &Path, line: &str) -> (i32, String, String) {
    program::halma(folder, &line.split_whitespace().collect::<Vec<_>>())
}

/// The least budget that a refusal names, in MiB.
fn least(folder: &Path, line: &str) -> u64 {
    let (status, out, message) = halma(folder, &format!("{line} --memory 1KiB"));
    assert_eq!((status, &out[..], message.lines().count()), (2, "", 1), "{line}: {message}");
    let (_, rest) = message.split_once("at least ").unwrap_or_else(|| panic!("{line}: {message}"));
    rest.split_once(" MiB").unwrap().0.parse().unwrap()
}

/// The record that a line prints, and its peak over this budget of MiB.
fn record(folder: &Path, line: &str, memory: u64) -> (Record, f64) {
    let (status, out, message) = halma(folder, &format!("{line} --memory {memory}MiB --json -q"));
    assert_eq!(status, 0, "{line}: {message}");
    std::fs::write(folder.join("record.json"), out).unwrap();
    let record = Record::read(&folder.join("record.json")).unwrap();
    let peak = record.peak_memory_bytes as f64 / (memory << 20) as f64;
    (record, peak)
}

/// Verdict, length, and of each level the count and the digests.
fn claims(record: &Record) -> Vec<String> {
    let levels = record.runs.iter().flat_map(|run| &run.levels);
    let level = |l: &halma_record::record::LevelRecord| format!("{:?} {} {} {}", l.side, l.depth, l.states, l.digest);
    let answer = format!("{:?} {:?} {:?}", record.verdict, record.length, record.refuted_up_to);
    std::iter::once(answer).chain(levels.map(level)).collect()
}

#[test]
fn a_budget_too_small_is_refused_with_the_least_that_will_do_and_nothing_is_written() {
    let folder = job_folder(SMALL);
    let at = folder.path();
    let mut before = 0;
    for threads in [1, 2, 16, 64] {
        let least = least(at, &format!("solve job.toml --output-dir out --threads {threads}"));
        assert!(least > before, "{threads} threads");
        assert!(!at.join("out").exists());
        let line = format!("levels job.toml --depth 2 --threads {threads}");
        let (_, peak) = record(at, &line, self::least(at, &line));
        assert!(peak <= 1.1, "{threads} threads: {peak}");
        before = least;
    }
    let more = |line: &str| least(at, line) > least(at, "solve job.toml --threads 2 --pruning none");
    assert!(more("prove job.toml --max-length 9 --threads 2 --pruning truncate(1000000,1)"));
    assert!(more("solve job.toml --pruning none --threads 3"));
}

#[test]
fn levels_that_crowd_the_least_budget_are_the_same_with_any_number_of_threads() {
    let folder = job_folder(TRIANGLE);
    let at = folder.path();
    let (expected, _) = record(at, "levels job.toml --depth 6 --threads 2", 4096);
    for threads in [2, 16] {
        let line = format!("levels job.toml --depth 6 --threads {threads}");
        let (found, peak) = record(at, &line, least(at, &line));
        assert_eq!(claims(&found), claims(&expected), "{threads} threads");
        assert!(found.disk_bytes_written > 0, "{threads} threads: nothing had to go to disk");
        assert!(peak <= 1.1, "{threads} threads: {peak}");
    }
}

#[test]
fn answers_and_digests_are_those_of_a_large_budget() {
    same_answers(&[("none", SHORT), ("leading", SMALL), ("narrowed", SMALL)]);
}

#[test]
#[ignore = "half a minute: the other prunings"]
fn answers_and_digests_under_every_pruning_are_those_of_a_large_budget() {
    same_answers(&[("theorem-1", SHORT), ("mcc", SHORT), ("pattern", SMALL)]);
}

fn same_answers(to: &[(&str, &str)]) {
    for &(pruning, job) in to {
        let folder = job_folder(job);
        let line = format!("solve job.toml --threads 2 --pruning {pruning}");
        let (expected, _) = record(folder.path(), &line, 4096);
        let (found, peak) = record(folder.path(), &line, least(folder.path(), &line));
        assert_eq!(claims(&found), claims(&expected), "{pruning}");
        assert!(peak <= 1.1, "{pruning}: {peak}");
    }
}

#[test]
fn check_and_report_take_a_budget_too() {
    let folder = job_folder(SMALL);
    let at = folder.path();
    let (status, _, message) = halma(at, "solve job.toml -q --threads 2 --output-dir out --keep-levels");
    assert_eq!(status, 0, "{message}");
    for line in ["check out -q --threads 2", "report out -o page.html"] {
        let least = least(at, line);
        let (status, out, message) = halma(at, &format!("{line} --memory {least}MiB"));
        assert_eq!((status, &message[..]), (0, ""), "{line}: {out}");
    }
}

#[test]
fn levels_that_are_too_large_to_derive_are_named_with_the_budget_that_will_do() {
    too_large("table-3/p7-checkers-12-8move.json", 16);
}

#[test]
#[ignore = "a quarter of a minute: the same of a game"]
fn levels_of_a_game_that_are_too_large_to_derive_are_named_with_the_budget_that_will_do() {
    too_large("table-2/chinese-checkers-8move/result.json", 24);
}

/// A record of results/, with a solution of so many moves.
fn too_large(record: &str, length: u32) {
    let at = Path::new(env!("CARGO_MANIFEST_DIR"));
    let line = &format!("check results/{record} -q --threads 2");
    let (status, out, message) = halma(at, &format!("{line} --memory {}MiB", least(at, line)));
    assert_eq!(status, 3, "{message}");
    let (_, needed) =
        out.split_once("states at a time, kept in no files, take at least ").unwrap_or_else(|| panic!("{out}"));
    let needed = needed.split_once(" MiB").unwrap().0;
    let (status, out, message) = halma(at, &format!("{line} --memory {needed}MiB"));
    assert_eq!(status, 0, "{message}");
    assert!(out.contains(&format!("length {length}, solution: ")), "{out}");
}

#[test]
fn a_record_that_outgrows_the_budget_is_refused_before_it_is_read() {
    let folder = job_folder(SMALL);
    let at = folder.path();
    let (status, out, message) = halma(at, "solve job.toml -q --threads 2 --json");
    assert_eq!(status, 0, "{message}");
    std::fs::write(at.join("small.json"), &out).unwrap();
    let mut large: serde_json::Value = serde_json::from_str(&out).unwrap();
    large["solution"] = vec!["a1"; 1_000_000].into();
    std::fs::write(at.join("large.json"), large.to_string()).unwrap();
    let [small, large] = ["small", "large"].map(|name| least(at, &format!("check {name}.json -q --threads 2")));
    assert!(small < 64 && large > small + 64, "{small}, {large}");
    let (status, _, message) = halma(at, &format!("check large.json -q --threads 2 --memory {large}MiB"));
    assert_eq!(status, 4, "{message}");
    assert!(message.contains("solution: 1000000 moves for length"), "{message}");
}

/// Seven places that are all written: hundreds of thousands of applications, which are looked up in tables.
#[test]
fn rules_whose_tables_outgrow_the_budget_are_refused_and_too_many_are_no_puzzle() {
    let job = |size: usize| {
        let letter = |cell: usize| if cell + 1 == size * size { '.' } else { ['A', 'B', 'C'][cell % 3] };
        let rows: Vec<String> = (0..size).map(|y| (0..size).map(|x| letter(y * size + x)).collect()).collect();
        let rules = "\". * * * * * * -> * * * * * * .\", \"* * * * * * . -> . * * * * * *\"";
        let board = rows.join("\n");
        format!("[problem]\nkind = \"rules\"\ndirections = 8\nboard = \"\"\"\n{board}\n\"\"\"\nrules = [{rules}]\n")
    };
    let folder = job_folder(&job(11));
    let (status, _, err) = halma(folder.path(), "levels job.toml --depth 1 --threads 1 --memory 64MiB");
    assert_eq!(status, 2);
    assert!(err.contains("of it for the moves of the puzzle"), "{err}");
    let (status, _, err) = halma(job_folder(&job(16)).path(), "describe job.toml");
    assert_eq!(status, 2);
    assert!(err.contains("more than 2000000 applications, or 8388608 letters in all of them"), "{err}");
}
