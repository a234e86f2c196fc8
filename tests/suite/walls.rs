//! The walls between the crates, and between the modules in them: who may know whom.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The packages of the workspace, each with those of them that it is built on; tests apart.
fn packages() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo).args(["metadata", "--format-version", "1", "--no-deps", "--offline"]).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let named = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let all = metadata["packages"].as_array().unwrap();
    let ours: BTreeSet<String> = all.iter().map(named).collect();
    let built_on = |package: &Value| {
        let normal = package["dependencies"].as_array().unwrap().iter().filter(|d| d["kind"].is_null());
        normal.map(named).filter(|name| ours.contains(name)).collect()
    };
    all.iter().map(|package| (named(package), built_on(package))).collect()
}

/// All that a package is built on, directly or not.
fn below(package: &str, packages: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![package.to_owned()];
    while let Some(next) = open.pop() {
        open.extend(packages[&next].iter().filter(|name| found.insert((*name).clone())).cloned());
    }
    found
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| format!("halma-{name}")).collect()
}

#[test]
fn the_engine_knows_no_board() {
    assert_eq!(below("halma-engine", &packages()), set(&["files"]));
}

#[test]
fn the_verifier_shares_no_code_with_the_search() {
    assert_eq!(below("halma-check", &packages()), set(&["files", "record"]));
}

#[test]
fn nothing_depends_on_a_view_or_on_the_command_line() {
    for (package, built_on) in packages() {
        assert!(!built_on.contains("halma"), "{package}");
    }
}

#[test]
fn a_puzzle_knows_no_technique_and_the_rules_know_no_search() {
    let packages = packages();
    assert_eq!(below("halma-rules", &packages), set(&["files", "record"]));
    assert_eq!(below("halma-bounds", &packages), set(&["engine", "files", "record", "rules"]));
    assert_eq!(below("halma-puzzles", &packages), set(&["bounds", "engine", "files", "record", "rules"]));
    assert!(!below("halma-cluster", &packages).contains("halma-rules"));
}

/// The sources of a crate by module path; the root module is called nothing.
fn modules(source: &Path) -> BTreeMap<String, String> {
    fn collect(folder: &Path, path: &str, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.file_stem().unwrap().to_str().unwrap().to_owned();
            let inner = if path.is_empty() { name.clone() } else { format!("{path}::{name}") };
            if entry.is_dir() {
                collect(&entry, &inner, found);
            } else if entry.extension().is_some_and(|e| e == "rs") {
                let module = if path.is_empty() && ["lib", "main"].contains(&&*name) { String::new() } else { inner };
                let text = fs::read_to_string(&entry).unwrap();
                let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                found.insert(module, code.map(|line| format!("{line}\n")).collect());
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(source, "", &mut found);
    found
}

/// The modules directly under `parent` that each of its siblings mentions.
fn mentions(parent: &str, modules: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let inside = |module: &str| -> Option<String> {
        let rest = if parent.is_empty() { Some(module) } else { module.strip_prefix(parent)?.strip_prefix("::") };
        rest.and_then(|rest| rest.split("::").next()).filter(|name| !name.is_empty()).map(Into::into)
    };
    let siblings: BTreeSet<String> = modules.keys().filter_map(|module| inside(module)).collect();
    let absolute = if parent.is_empty() { "crate::".to_owned() } else { format!("crate::{parent}::") };
    let mut found: BTreeMap<String, BTreeSet<String>> = siblings.iter().map(|s| (s.clone(), BTreeSet::new())).collect();
    for (module, text) in modules {
        let Some(own) = inside(module) else { continue };
        let depth = module.split("::").count() - if parent.is_empty() { 0 } else { parent.split("::").count() };
        let relative = "super::".repeat(depth);
        for prefix in [&absolute, &relative] {
            for (at, _) in text.match_indices(&**prefix) {
                let before = text[..at].chars().next_back();
                if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                    continue;
                }
                let rest = &text[at + prefix.len()..];
                // One name, or several in braces.
                let list = rest.strip_prefix('{').map_or(rest, |inner| inner.split('}').next().unwrap_or_default());
                let names: Vec<&str> = if rest.starts_with('{') { list.split(',').collect() } else { vec![list] };
                for name in names {
                    let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    if siblings.contains(&name) && name != own {
                        found.get_mut(&own).unwrap().insert(name);
                    }
                }
            }
        }
    }
    found
}

/// Modules that lead back to themselves.
fn circle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut rest = graph.clone();
    while let Some(leaf) = rest.iter().find(|(_, to)| to.iter().all(|t| !rest.contains_key(t))).map(|(m, _)| m.clone())
    {
        rest.remove(&leaf);
    }
    (!rest.is_empty()).then(|| rest.into_keys().collect())
}

/// The sources of the crates; the package for Python has none in Rust.
fn sources() -> impl Iterator<Item = PathBuf> {
    let crates = fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("src"));
    crates.filter(|source| source.is_dir())
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let crates = sources();
    let mut seen = 0;
    for source in crates.chain([PathBuf::from("src")]) {
        let modules = modules(&source);
        let parents: BTreeSet<&str> =
            modules.keys().map(|module| module.rsplit_once("::").map_or("", |(parent, _)| parent)).collect();
        for parent in parents {
            let graph = mentions(parent, &modules);
            seen += graph.values().map(BTreeSet::len).sum::<usize>();
            assert_eq!(circle(&graph), None, "{} {parent}: {graph:?}", source.display());
        }
    }
    assert!(seen > 200, "{seen} imports were found");
}

#[test]
fn a_circle_is_found_where_there_is_one() {
    let graph = |edges: &[(&str, &str)]| -> BTreeMap<String, BTreeSet<String>> {
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in edges {
            graph.entry((*to).into()).or_default();
            graph.entry((*from).into()).or_default().insert((*to).into());
        }
        graph
    };
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    // With those that lead into it.
    let all = ["a", "b", "c"].map(String::from).to_vec();
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")])), Some(all));
}

/// docs/proof.md quotes what must be trusted, word for word.
#[test]
fn the_proof_says_what_the_verifier_is_built_on() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let tree = Command::new(cargo)
        .args([
            "tree",
            "--package",
            "halma-check",
            "--edges",
            "normal",
            "--depth",
            "1",
            "--prefix",
            "depth",
            "--offline",
        ])
        .args(["--format", "{lib}"])
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let proof = fs::read_to_string("docs/proof.md").unwrap();
    let printed = String::from_utf8(tree.stdout).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines.len() > 3, "{printed}");
    assert!(proof.contains(printed.trim_end()), "docs/proof.md lacks:\n{printed}");
}

/// Who looks for a file by its name finds one, or two that are each other's counterparts.
#[test]
fn no_file_name_stands_three_times() {
    fn collect(folder: &Path, names: &mut BTreeMap<String, Vec<PathBuf>>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                collect(&entry, names);
            } else if entry.extension().is_some_and(|e| e == "rs") {
                let name = entry.file_name().unwrap().to_string_lossy().into_owned();
                names.entry(name).or_default().push(entry);
            }
        }
    }
    let (root, mut names) = (Path::new(env!("CARGO_MANIFEST_DIR")), BTreeMap::new());
    collect(&root.join("src"), &mut names);
    sources().for_each(|source| collect(&source, &mut names));
    assert!(names.len() > 200, "only {} files were seen", names.len());
    // What cargo and its tests call by convention.
    names.retain(|name, _| !["lib.rs", "tests.rs"].contains(&name.as_str()));
    let thrice: Vec<_> = names.values().filter(|files| files.len() > 2).collect();
    assert!(thrice.is_empty(), "{thrice:?}");
}

/// Words that were this project's own; docs/glossary.md has the field's words that took their places.
const GONE: [&str; 24] = [
    "ascent",
    "berth",
    "crew",
    "desk",
    "essence",
    "foresee",
    "foreseen",
    "foresight",
    "gathered",
    "grain",
    "grower",
    "intake",
    "judge",
    "leaver",
    "misfit",
    "neighbourhood",
    "outbox",
    "parcel",
    "posted",
    "shelf",
    "trail",
    "trails",
    "waves",
    "witness",
];
/// The same as whole names alone, since parts of longer ones may be ordinary English: `StopEarly`, `mean`.
const GONE_AS_NAMES: [&str; 13] = [
    "Cache",
    "Ground",
    "Means",
    "Meeting",
    "Orientation",
    "RunRecord",
    "Spent",
    "Stated",
    "Stop",
    "Way",
    "means",
    "spent",
    "stop",
];

/// The names in a piece of code, without its comments and texts.
fn identifiers(code: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for line in code.lines() {
        let line = line.split("//").next().unwrap_or_default();
        // What stands between quotes is no name. A text over several lines may leave some of its words; they are checked, too.
        for piece in line.split('"').step_by(2) {
            found.extend(piece.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty()));
        }
    }
    found
}

/// `ThreadBuffers` and `thread_buffers` are two words each.
fn words(identifier: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in identifier.chars() {
        if (c.is_uppercase() || c == '_') && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words
}

fn is_gone(identifier: &str) -> bool {
    GONE_AS_NAMES.contains(&identifier) || words(identifier).iter().any(|word| GONE.contains(&word.as_str()))
}

#[test]
fn no_name_in_the_code_is_a_word_that_was_given_up() {
    let crates = sources();
    let mut seen = 0;
    for source in crates.chain([PathBuf::from("src")]) {
        // Names of tests are sentences, and a text of PDDL has `stop` in it.
        let told = |module: &&String| !module.split("::").any(|part| part == "tests" || part == "pddl");
        let modules = modules(&source);
        for (module, code) in modules.iter().filter(|(module, _)| told(module)) {
            let identifiers = identifiers(code);
            seen += identifiers.len();
            let gone: Vec<_> = identifiers.into_iter().filter(|identifier| is_gone(identifier)).collect();
            assert!(gone.is_empty(), "{} {module}: {gone:?}", source.display());
        }
    }
    assert!(seen > 10_000, "{seen} names were read");
}

#[test]
fn a_word_that_was_given_up_is_found_in_a_name_and_not_in_a_text() {
    let found = |code: &str| -> Vec<String> {
        identifiers(code).into_iter().filter(|name| is_gone(name)).map(Into::into).collect()
    };
    assert_eq!(found("let berth = 1; struct ThreadOutbox;"), ["ThreadOutbox", "berth"]);
    assert_eq!(found("fn foresee_all(stop: &CancellationToken)"), ["foresee_all", "stop"]);
    assert!(found("let text = \"the berth\"; // a trail\nlet stops = StopEarly;").is_empty());
}

/// Who picks the library up sees what there is at a glance; the rest is in the crates.
#[test]
fn the_root_of_the_library_has_some_thirty_nouns_and_no_module_to_look_into() {
    let face = fs::read_to_string("src/lib.rs").unwrap();
    let shown = face.split(';').filter_map(|item| item.trim().split_once("pub use ").map(|(_, path)| path));
    let names: Vec<&str> = shown
        .flat_map(|path| path.split_once('{').map_or(path, |(_, list)| list).split(','))
        .map(|name| name.rsplit([' ', ':']).next().unwrap().trim_end_matches('}').trim())
        .filter(|name| !name.is_empty())
        .collect();
    assert!((25..=40).contains(&names.len()), "{}: {names:?}", names.len());
    assert!(["Board", "Transfer", "Solver", "Record", "Puzzle", "levels"].iter().all(|noun| names.contains(noun)));
    let modules = face.lines().zip(face.lines().skip(1)).filter(|(_, line)| line.starts_with("pub mod "));
    let open: Vec<_> = modules.filter(|(before, _)| *before != "#[doc(hidden)]").collect();
    assert!(open.is_empty(), "{open:?}");
}
