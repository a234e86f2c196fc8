//! Pattern databases that stay from one run to the next change no record, and a damaged one does no harm.

use std::path::{Path, PathBuf};

use crate::program::program;
use assert_cmd::Command;
use halma_record::record::Record;
use tempfile::TempDir;

/// Problems, by a mirror and without, of steps and jumps, that different searches make tables for.
const JOBS: [(&str, &str); 5] = [
    ("board = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"", "leading"),
    ("board = \"9x9\"\nmoves = 4\narmy = \"triangle-3\"\njumps-only = true", "leading"),
    ("board = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"", "narrowed"),
    ("board = \"8x8\"\nmoves = 8\narmy = [\"a1\", \"b1\", \"c2\"]\ntarget = [\"h8\", \"h6\", \"g7\"]", "leading"),
    ("board = \"8x8\"\nmoves = 8\narmy = [\"a1\", \"b1\", \"c2\"]\ntarget = [\"h8\", \"h6\", \"g7\"]", "pattern"),
];

struct Place(TempDir);

impl Place {
    fn new(problem: &str, pruning: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let job = format!("[problem]\nkind = \"transfer\"\n{problem}\n[search]\npruning = \"{pruning}\"\n");
        std::fs::write(folder.path().join("job.toml"), job).unwrap();
        Self(folder)
    }

    /// The record, and what is said on standard error.
    fn run(&self, args: &[&str]) -> (Record, String) {
        let mut command = Command::from_std(program());
        command.args([args[0], "job.toml", "--json", "--output-dir", "run"]).args(&args[1..]);
        let out = command.current_dir(self.0.path()).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        std::fs::remove_dir_all(self.0.path().join("run")).unwrap();
        (
            serde_json::from_slice::<Record>(&out.stdout)
                .unwrap_or_else(|e| panic!("{e}: {said}"))
                .without_measurements(),
            said,
        )
    }

    fn tables(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.0.path().join("tables")).unwrap();
        files.map(|file| file.unwrap().path()).collect()
    }
}

fn changed(file: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    bytes
}

#[test]
fn records_are_the_same_with_and_without_tables_of_earlier_runs() {
    for (problem, pruning) in JOBS {
        let place = Place::new(problem, pruning);
        let (without, _) = place.run(&["solve"]);
        let length = without.length.unwrap();
        // An earlier question leaves tables that do not reach as far.
        let shorter = (length / 2).to_string();
        place.run(&["prove", "--max-length", &shorter, "--cache", "tables"]);
        for threads in ["2", "1"] {
            let (with, said) = place.run(&["solve", "--cache", "tables", "--threads", threads]);
            assert_eq!(with, without, "{problem}, {pruning}");
            assert!(!said.contains("cache"), "{said}");
        }
        let written = place.tables();
        let times = |files: &[PathBuf]| -> Vec<_> {
            files.iter().map(|file| std::fs::metadata(file).unwrap().modified().unwrap()).collect()
        };
        let before = times(&written);
        place.run(&["solve", "--cache", "tables"]);
        assert_eq!(times(&written), before, "tables that are there are made again");
    }
}

#[test]
fn problems_with_the_same_histograms_do_not_take_each_other_s_tables() {
    let shared = tempfile::tempdir().unwrap();
    let cache = shared.path().to_str().unwrap();
    // The same board and army: as many histograms, the same first and last one. Only what moves lead where differs, and
    // which middles lead.
    let army = "board = \"9x9\"\narmy = \"triangle-3\"";
    let jobs = [
        (6, "leading"),
        (4, "leading"),
        (8, "leading"),
        (6, "leading(cap=2)"),
        (6, "leading(cap=1)"),
        (6, "leading(weights=2/3)"),
    ];
    for (moves, pruning) in jobs {
        let place = Place::new(&format!("{army}\nmoves = {moves}"), pruning);
        let (without, _) = place.run(&["solve"]);
        let (with, said) = place.run(&["solve", "--cache", cache]);
        assert_eq!(with, without, "{moves}-move, {pruning}: {said}");
    }
}

/// One army is the other one with columns and rows exchanged: as many histograms, of the same ends, over the same classes. With
/// jumps only each type keeps its men, and these are on other types.
#[test]
fn armies_with_other_numbers_of_men_of_each_type_do_not_take_each_other_s_tables() {
    let shared = tempfile::tempdir().unwrap();
    let cache = shared.path().to_str().unwrap();
    let board = "board = \"9x9\"\nmoves = 8\njumps-only = true";
    let armies = [
        ("[\"b1\", \"a2\", \"c2\", \"d2\", \"a4\"]", "[\"i6\", \"f8\", \"g8\", \"i8\", \"h9\"]"),
        ("[\"b1\", \"d1\", \"a2\", \"b3\", \"b4\"]", "[\"h6\", \"h7\", \"i8\", \"f9\", \"h9\"]"),
    ];
    for pruning in ["pattern", "leading"] {
        for (army, target) in armies {
            let place = Place::new(&format!("{board}\narmy = {army}\ntarget = {target}"), pruning);
            let (without, _) = place.run(&["solve"]);
            let (with, said) = place.run(&["solve", "--cache", cache]);
            assert_eq!(with, without, "{pruning}: {said}");
            assert_eq!(with.length, Some(21));
        }
    }
}

#[test]
fn damaged_tables_are_told_of_and_made_again() {
    let place = Place::new(JOBS[0].0, JOBS[0].1);
    let (sound, _) = place.run(&["solve", "--cache", "tables"]);
    for damage in [changed, |_: &Path| Vec::new(), |file: &Path| std::fs::read(file).unwrap()[..100].to_vec()] {
        let files = place.tables();
        assert!(files.len() > 2);
        for file in &files {
            std::fs::write(file, damage(file)).unwrap();
        }
        let (record, said) = place.run(&["solve", "--cache", "tables"]);
        assert_eq!(record, sound);
        assert!(said.contains("it is damaged, and is made again"), "{said}");
        let (record, said) = place.run(&["solve", "--cache", "tables"]);
        assert_eq!(record, sound);
        assert!(!said.contains("damaged"), "{said}");
    }
    // The name of another table's file.
    let files = place.tables();
    std::fs::copy(&files[0], &files[1]).unwrap();
    assert_eq!(place.run(&["solve", "--cache", "tables"]).0, sound);
}

/// What the guide says of caches, and why `check` takes nothing from one.
#[test]
fn a_forged_table_with_a_true_checksum_is_believed_by_solve_and_check_refuses_the_record() {
    let place = Place::new(JOBS[0].0, JOBS[0].1);
    let halma = |line: &str| {
        let mut command = Command::from_std(program());
        let args = line.split_whitespace();
        let out = command.args(args).current_dir(place.0.path()).output().unwrap();
        (out.status.code().unwrap(), String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap())
    };
    let (sound, _) = place.run(&["solve", "--cache", "tables"]);
    let mut forged = 0;
    for file in place.tables() {
        let mut bytes = std::fs::read(&file).unwrap();
        let name = 12 + u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
        if String::from_utf8_lossy(&bytes[12..name]).contains("to middles") {
            let end = bytes.len() - 16;
            bytes[name..end].fill(u8::MAX);
            let sum = xxhash_rust::xxh3::xxh3_128(&bytes[..end]).to_le_bytes();
            bytes[end..].copy_from_slice(&sum);
            std::fs::write(&file, bytes).unwrap();
            forged += 1;
        }
    }
    assert!(forged > 1);
    let (status, said) = halma("solve job.toml -q --cache tables --output-dir forged");
    let record = Record::read(&place.0.path().join("forged/result.json")).unwrap().without_measurements();
    assert!(status == 0 && record != sound && !said.contains("cache"), "{said}");
    for line in ["check forged -q", "check forged -q --sample 1"] {
        let (status, said) = halma(line);
        assert_eq!(status, 4, "{line}: {said}");
    }
}

#[test]
fn a_cache_that_cannot_be_a_folder_is_refused_with_its_name() {
    let place = Place::new(JOBS[0].0, JOBS[0].1);
    let mut command = Command::from_std(program());
    let out =
        command.args(["solve", "job.toml", "--quiet", "--cache", "job.toml"]).current_dir(place.0.path()).output();
    let out = out.unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(!out.status.success() && said.contains("job.toml"), "{said}");
}
