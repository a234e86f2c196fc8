//! `leading(cap=trial)`: trials choose the cap, the record names it, and no answer depends on it.

use std::path::Path;
use std::process::Output;

use crate::program::program;
use assert_cmd::Command;
use halma_record::record::{Record, Verdict};
use tempfile::TempDir;

/// Of this problem a search with cap=4 refutes 17 moves with little more than half of the successors.
const CAPPED: &str = "[problem]\nkind = \"transfer\"\nboard = \"8x8\"\nmoves = 8\narmy = \"triangle-4\"\n";

fn place(job: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("job.toml"), job).unwrap();
    folder
}

fn halma(folder: &Path, args: &[&str]) -> Output {
    Command::from_std(program()).args(args).current_dir(folder).output().unwrap()
}

/// The record of the job under a pruning.
fn record(folder: &Path, pruning: &str, more: &[&str]) -> Record {
    answer(folder, "solve", pruning, more)
}

fn answer(folder: &Path, question: &str, pruning: &str, more: &[&str]) -> Record {
    let args = [&[question, "job.toml", "--json", "--pruning", pruning], more].concat();
    let out = halma(folder, &args);
    serde_json::from_slice::<Record>(&out.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&out.stderr)))
        .without_measurements()
}

#[test]
fn the_record_is_that_of_a_search_with_the_cap_chosen_on_any_number_of_threads() {
    let folder = place(CAPPED);
    let by_trial = record(folder.path(), "leading(cap=trial)", &["--threads", "2"]);
    assert_eq!(by_trial.pruning.to_string(), "leading(cap=4)");
    assert_eq!(by_trial, record(folder.path(), "leading(cap=4)", &[]));
    assert_eq!(by_trial, record(folder.path(), "leading(cap=trial)", &["--threads", "1"]));
    assert_eq!(by_trial.length, record(folder.path(), "leading", &[]).length);
    let refuting = |pruning| answer(folder.path(), "prove", pruning, &["--max-length", "17"]);
    let [with, without] = ["leading(cap=4)", "leading"].map(refuting);
    assert_eq!([with.verdict, without.verdict], [Verdict::None; 2]);
    let successors = |record: &Record| record.runs.iter().map(|length| length.generated).sum::<u64>();
    assert!(successors(&with) * 3 <= successors(&without) * 2);
}

/// A puzzle that is solved before the trials are worth it, one without a mirror, and a question without a pruning.
#[test]
fn where_no_trial_is_of_use_there_is_no_cap() {
    let quick = place("[problem]\nkind = \"transfer\"\nboard = \"8x8\"\nmoves = 8\narmy = \"triangle-3\"\n");
    assert_eq!(record(quick.path(), "leading(cap=trial)", &[]), record(quick.path(), "leading", &[]));
    let crooked = "army = [\"a1\", \"b1\", \"c2\"]\ntarget = [\"h8\", \"h6\", \"g7\"]\n";
    let crooked = place(&format!("[problem]\nkind = \"transfer\"\nboard = \"8x8\"\nmoves = 8\n{crooked}"));
    assert_eq!(record(crooked.path(), "leading(cap=trial)", &[]), record(crooked.path(), "leading", &[]));
    let levels = ["levels", "job.toml", "--depth", "3", "--json", "--pruning", "leading(cap=trial)"];
    let out = halma(quick.path(), &levels);
    let levels: Record = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(levels.verdict, Verdict::Levels);
}

#[test]
fn a_finished_job_is_recognized_and_an_unfinished_one_goes_on_with_the_cap_that_it_began_with() {
    let folder = place(&format!(
        "{CAPPED}[search]\npruning = {{ name = \"leading\", cap = \"trial\" }}\n[output]\ndir = \"run\"\n"
    ));
    let stopped = halma(folder.path(), &["solve", "job.toml", "--pruning", "leading(cap=3)", "--time", "1ms"]);
    assert_eq!(stopped.status.code(), Some(3), "{}", String::from_utf8_lossy(&stopped.stderr));
    let done = halma(folder.path(), &["batch", "job.toml"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let result = Record::read(&folder.path().join("run/result.json")).unwrap();
    assert_eq!((result.verdict, result.pruning.to_string().as_str()), (Verdict::Optimal, "leading(cap=3)"));
    let again = halma(folder.path(), &["batch", "job.toml", "--table", "csv"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("skipped"), "{}", String::from_utf8_lossy(&again.stdout));
}

/// Else it would go on with another cap than the trials would have chosen.
#[test]
fn trials_that_are_stopped_leave_no_run_behind() {
    let folder = place(CAPPED);
    let args = ["solve", "job.toml", "--pruning", "leading(cap=trial)", "--time", "1ms", "--output-dir", "run"];
    let stopped = halma(folder.path(), &args);
    let said = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert_eq!(stopped.status.code(), Some(3), "{said}");
    assert!(said.contains("time limit reached, in the trials"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path().join("run")).unwrap().count(), 0);
}

#[test]
fn a_record_that_names_no_cap_is_refused() {
    let folder = place(CAPPED);
    let out = halma(folder.path(), &["solve", "job.toml", "--output-dir", "run", "--pruning", "leading(cap=4)"]);
    assert!(out.status.success());
    let file = folder.path().join("run/result.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let forged = text.replacen("\"leading(cap=4)\"", "\"leading(cap=trial)\"", 1);
    assert_ne!(text, forged);
    std::fs::write(&file, forged).unwrap();
    let checked = halma(folder.path(), &["check", "run"]);
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(!checked.status.success() && said.contains("leading(cap=trial)"), "{said}");
}
