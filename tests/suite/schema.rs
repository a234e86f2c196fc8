//! The JSON Schema of job files says what the program says.

use std::path::{Path, PathBuf};

use halma_rules::job::Job;
use serde_json::Value;

const SQUARE: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"square-2\"\n";

fn schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../../docs/job.schema.json")).expect("JSON");
    jsonschema::meta::validate(&schema).expect("a schema");
    jsonschema::validator_for(&schema).expect("a schema")
}

fn accepts(schema: &jsonschema::Validator, text: &str) -> Result<(), String> {
    let job: Value = toml::from_str(text).map_err(|e| e.to_string())?;
    schema.validate(&job).map_err(|e| format!("{}: {e}", e.instance_path()))
}

/// The texts of all jobs in a folder and beneath, with their files.
fn jobs(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => jobs(&path, found),
            false if path.extension().is_some_and(|e| e == "toml") => {
                let text = std::fs::read_to_string(&path).expect("a job");
                found.push((path, text));
            }
            false => {}
        }
    }
}

#[test]
fn every_job_of_the_project_keeps_to_the_schema() {
    let (schema, mut found) = (schema(), Vec::new());
    jobs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("configs"), &mut found);
    for page in ["README.md", "docs/guide/commands.md", "docs/guide/own-puzzle.md", "docs/guide/long-jobs.md"] {
        let text = std::fs::read_to_string(page).unwrap_or_else(|e| panic!("{page}: {e}"));
        let texts = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        found.extend(texts.map(|text| ("job.toml".into(), text.into())));
    }
    assert!(found.len() > 30);
    for (file, text) in found {
        accepts(&schema, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        Job::parse(&file, &text).unwrap_or_else(|fault| panic!("{fault}"));
    }
}

#[test]
fn what_the_schema_accepts_and_refuses_the_program_does_too() {
    let schema = schema();
    for (lines, sound) in [
        ("", true),
        ("jumps-only = true", true),
        ("[search]\npruning = \"mcc(5)\"", true),
        ("[search]\npruning = \"truncate(1000, 2)\"", true),
        ("[search]\npruning = { name = \"mcc\", c = 5, keep = 9 }", true),
        ("[search]\npruning = \"leading(classes=15, cap=4)\"", true),
        ("[search]\npruning = { name = \"leading\", look-ahead = 7, least = 5 }", true),
        ("[search]\npruning = { name = \"leading\", class-look-ahead = 2 }", true),
        ("[search]\npruning = { name = \"leading\", class-look-ahead = 2, look-ahead = 7 }", false),
        ("[search]\npruning = { name = \"leading\", class-look-ahead = 0 }", false),
        ("[search]\npruning = { name = \"leading\", classes = 15, cap = 4 }", true),
        ("[search]\npruning = { name = \"pattern\", classes = 9 }", true),
        ("[search]\npruning = { name = \"leading\", cap = 0 }", false),
        ("[search]\npruning = { name = \"leading\", cap = \"trial\" }", true),
        ("[search]\npruning = { name = \"leading\", cap = \"best\" }", false),
        ("[search]\npruning = \"leading(cap=trial)\"", true),
        ("[search]\npruning = \"leading(weights=10/21/30)\"", true),
        ("[search]\npruning = { name = \"leading\", weights = \"10/21/30\" }", true),
        ("[search]\npruning = { name = \"leading\", weights = 1 }", true),
        ("[search]\npruning = { name = \"leading\", weights = -1 }", false),
        ("[search]\npruning = { name = \"leading\", weights = \"1/x\" }", false),
        ("[search]\npruning = { name = \"leading\", weights = \"1/2\", cap = 3 }", false),
        ("[search]\npruning = { name = \"narrowed\", classes = 33 }", false),
        ("[search]\npruning = { name = \"narrowed\", cap = 4 }", false),
        ("[search]\npalindromic = true\nmax-length = 0\nsymmetry = false", true),
        ("[limits]\nmemory = \"1.5 GB\"\ndisk = \"512 MiB\"\ntime = \"90 min\"\ncheckpoint = \"1 h 30 min\"", true),
        ("[output]\ndir = \"out\"\nkeep-levels = true\ncache = \"tables\"", true),
        ("colour = 1", false),
        ("target = \"wedge-4\"", false),
        ("jumps-only = \"yes\"", false),
        ("[search]\npruing = \"none\"", false),
        ("[search]\npruning = \"leeding\"", false),
        ("[search]\npruning = 5", false),
        ("[search]\npruning = { c = 5 }", false),
        ("[search]\npruning = { name = \"mcc\", d = 5 }", false),
        ("[search]\npruning = { name = \"leading\", c = 5 }", false),
        ("[search]\nmax-length = -1", false),
        ("[limits]\nthreads = 0", false),
        ("[limits]\nmemory = 4", false),
        ("[limits]\nmemory = \"4 Gob\"", false),
        ("[limits]\ntime = \"2\"", false),
        ("[output]\ndir = 5", false),
        ("[serch]", false),
    ] {
        let text = format!("{SQUARE}{lines}\n");
        let said = accepts(&schema, &text);
        assert_eq!(said.is_ok(), sound, "schema, {lines}: {said:?}");
        let job = Job::parse("job.toml".as_ref(), &text);
        assert_eq!(job.is_ok(), sound, "program, {lines}: {job:?}");
    }
}

#[test]
fn boards_armies_and_games_are_told_from_misspelt_ones() {
    let schema = schema();
    let game = "[problem]\nkind = \"game\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-4\"\n";
    for (text, sound) in [
        (SQUARE.replace("9x9", "9x8"), false),
        (SQUARE.replace("moves = 6", "moves = 5"), false),
        (SQUARE.replace("transfer", "transfr"), false),
        (SQUARE.replace("\"square-2\"", "[\"a1\", \"b1\"]"), true),
        (SQUARE.replace("\"square-2\"", "[\"a1\", \"a1\"]"), false),
        (SQUARE.replace("\"square-2\"", "[]"), false),
        (SQUARE.replace("army = \"square-2\"\n", "").replace("\"9x9\"", "\"SS..TT\""), true),
        (format!("{game}[search]\npruning = \"all-but-hall\"\n"), true),
        (format!("{game}[search]\npruning = \"vacate+hall\"\n"), true),
        (format!("{game}[search]\npruning = \"beam(1000, 7)\"\n"), true),
        (format!("{game}[search]\npruning = \"vacate+hull\"\n"), false),
    ] {
        assert_eq!(accepts(&schema, &text).is_ok(), sound, "{text}");
        assert_eq!(Job::parse("job.toml".as_ref(), &text).is_ok(), sound, "{text}");
    }
}
