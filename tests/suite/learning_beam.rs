//! Beam searches that learn their score, as the program runs them.

use std::process::Stdio;
use std::time::Duration;

use halma_record::record::Verdict;
use tempfile::TempDir;

use super::small::read;
use crate::program::{command, folder, halma};

/// Problem 1 under 6-move rules: 23 moves (Table 3 of the paper).
const TRIANGLE: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"\n";

/// What a run says of its rounds.
fn rounds(notes: &str) -> Vec<&str> {
    notes.lines().filter(|line| line.contains("states a level")).collect()
}

#[test]
fn a_beam_search_that_learns_finds_the_same_solution_in_any_number_of_threads() {
    let folder = folder(&[("triangle.toml", TRIANGLE)]);
    let solve = |run: &str, more: &[&str]| {
        let pruning = ["--pruning", "truncate(2000,2,rounds=3,seed=5)", "--verbose", "--output-dir", run];
        let (status, output, notes) = halma(&folder, &[&["solve", "triangle.toml"], &pruning[..], more].concat());
        assert!(status == 3 && output.contains("whether that is the shortest has not been decided"), "{output}");
        let (_, checked, _) = halma(&folder, &["check", run]);
        assert!(checked.contains("The record holds."), "{checked}");
        (read(&folder, run), rounds(&notes).into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    let (one, one_rounds) = solve("one", &["--threads", "1"]);
    let (two, two_rounds) = solve("two", &["--threads", "2", "--memory", "256 MiB"]);
    assert_eq!((one_rounds.len(), &one_rounds), (4, &two_rounds));
    // The shortest has 23 moves (Table 3 of the paper).
    assert_eq!((one.verdict, one.length), (Verdict::Solution, Some(23)));
    assert_eq!(one.solution, two.solution);
}

#[test]
fn a_beam_search_that_learns_ends_with_what_it_found_when_its_time_is_up() {
    let folder = folder(&[("triangle.toml", TRIANGLE)]);
    let learns = ["--pruning", "truncate(3000,2,rounds=1000)", "--time", "4 s", "--verbose", "--output-dir", "run"];
    let (status, output, notes) = halma(&folder, &[&["solve", "triangle.toml"], &learns[..]].concat());
    assert!(notes.contains("time limit reached: the rest of the rounds is left out"), "{notes}");
    assert!(status == 3 && output.contains("whether that is the shortest has not been decided"), "{output}");
    let record = read(&folder, "run");
    assert_eq!((record.verdict, record.length), (Verdict::Solution, Some(23)));
    let reason = record.runs.first().and_then(|run| run.reason.clone()).unwrap_or_default();
    assert_eq!(reason, "the shortest solution found by learning has 23 moves");
}

#[test]
fn a_beam_search_that_learns_is_refused_where_it_cannot_learn() {
    let folder = folder(&[]);
    let palindromic = format!("{TRIANGLE}[search]\npalindromic = true\n");
    std::fs::write(folder.path().join("palindromic.toml"), palindromic).unwrap();
    let learns = ["--pruning", "truncate(300,2,rounds=3)"];
    let (status, _, error) = halma(&folder, &[&["solve", "palindromic.toml"], &learns[..]].concat());
    assert_eq!(status, 2);
    assert!(error.contains("palindromic = true is not allowed beside rounds of a beam search that learns"), "{error}");
}

/// Ten rounds with a checkpoint after each, killed after the first; the folder that is left.
fn killed() -> TempDir {
    let job =
        format!("{TRIANGLE}[search]\npruning = \"truncate(8000,2,rounds=10)\"\n[limits]\ncheckpoint = \"1 ms\"\n");
    let folder = folder(&[("job.toml", &job)]);
    let mut solve = command(folder.path(), &["solve", "job.toml", "--output-dir", "run"]);
    let mut solve = solve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    while !folder.path().join("run/search.state").exists() {
        assert!(solve.try_wait().expect("a process").is_none(), "it ended without a checkpoint");
        std::thread::sleep(Duration::from_millis(5));
    }
    solve.kill().expect("it was there");
    solve.wait().expect("a process");
    assert!(!folder.path().join("run/result.json").exists(), "it was killed in the middle");
    folder
}

#[test]
fn a_beam_search_that_learns_goes_on_after_a_kill_and_finds_the_same_solution() {
    let folder = killed();
    let (status, _, notes) = halma(&folder, &["resume", "run"]);
    let (undisturbed, _, all_notes) =
        halma(&folder, &["solve", "job.toml", "--verbose", "--output-dir", "undisturbed"]);
    assert_eq!((status, undisturbed), (3, 3));
    let (left, all) = (rounds(&notes), rounds(&all_notes));
    assert!(notes.contains("goes on after"), "{notes}");
    assert!(!left.is_empty() && left.len() < all.len() && all.ends_with(&left), "{notes}\n{all_notes}");
    assert_eq!(read(&folder, "run").solution, read(&folder, "undisturbed").solution);
    assert!(read(&folder, "run").solution.is_some());
    for run in ["run", "undisturbed"] {
        assert!(!folder.path().join(run).join("search.state").exists(), "{run}: it is not needed any more");
    }
}

#[test]
fn what_was_learned_is_refused_where_it_is_damaged_and_nothing_is_lost() {
    let folder = killed();
    let file = folder.path().join("run/search.state");
    let whole = std::fs::read(&file).expect("a file");
    for damaged in [&whole[..whole.len() / 2], &[&whole[..40], &[whole[40] ^ 1], &whole[41..]].concat(), b""] {
        std::fs::write(&file, damaged).expect("a file");
        let (status, _, error) = halma(&folder, &["resume", "run"]);
        assert_eq!(status, 4, "{error}");
        assert!(error.contains("search.state: damaged: it is not as it was written"), "{error}");
    }
    std::fs::write(&file, &whole).expect("a file");
    let (status, output, _) = halma(&folder, &["resume", "run", "--time", "1 s"]);
    assert_eq!(status, 3);
    assert!(output.contains("There is a solution of 23 moves"), "{output}");
}
