//! Run folders of the released format, kept as they were written (`tests/frozen`): a change of the format shows here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::program;
use serde_json::Value;
use tempfile::TempDir;

/// The frozen folder `name` and its job, in a folder of its own.
fn thawed(name: &str) -> TempDir {
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen");
    let place = tempfile::tempdir().unwrap();
    let job = format!("{name}.toml");
    fs::copy(frozen.join(&job), place.path().join(&job)).unwrap();
    for file in files(&frozen.join(name)) {
        let copy = place.path().join(name).join(&file);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(frozen.join(name).join(&file), copy).unwrap();
    }
    place
}

/// The files in a run's folder and in its folder of levels, but for the lock.
fn files(run: &Path) -> BTreeSet<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let all = entries(run).into_iter().flat_map(|path| if path.is_dir() { entries(&path) } else { vec![path] });
    all.map(|path| path.strip_prefix(run).unwrap().to_owned()).filter(|path| path != Path::new("lock")).collect()
}

fn halma(place: &TempDir, args: &[&str]) -> (i32, String) {
    let mut command = program();
    let output = command.current_dir(place.path()).args(args).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What names there are in `value`, with their places, and of which kind the values are; but for `source`, which a build
/// without git leaves open.
fn shape(value: &Value, place: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(name, _)| *name != "source");
            members.for_each(|(name, member)| shape(member, &format!("{place}.{name}"), into));
        }
        Value::Array(members) => members.iter().for_each(|member| shape(member, &format!("{place}[]"), into)),
        Value::String(_) => drop(into.insert(format!("{place}: text"))),
        Value::Number(_) => drop(into.insert(format!("{place}: number"))),
        Value::Bool(_) => drop(into.insert(format!("{place}: truth"))),
        Value::Null => drop(into.insert(format!("{place}: nothing"))),
    }
}

fn shape_of(value: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    shape(value, "", &mut names);
    names
}

/// Each level's states and digest, of all runs.
fn levels(record: &Value) -> Vec<(String, String)> {
    let runs = record["runs"].as_array().unwrap().iter();
    let levels = runs.flat_map(|run| run["levels"].as_array().unwrap());
    levels.map(|level| (level["states"].to_string(), level["digest"].to_string())).collect()
}

#[test]
fn frozen_runs_are_still_verified_by_their_records_and_level_files() {
    for (name, read) in
        [("transfer", "length 8, none: 5 levels read"), ("puzzle", "7 levels read"), ("interrupted", "4 levels read")]
    {
        let place = thawed(name);
        let (status, told) = halma(&place, &["check", name, "-q"]);
        assert_eq!(status, 0, "{name}: {told}");
        assert!(told.contains(read), "{name}: {told}");
    }
}

/// Following levels of odd lengths were once made by all moves from the middles, and such records are published.
#[test]
fn a_record_whose_following_levels_have_all_moves_is_verified_as_such() {
    let place = tempfile::tempdir().unwrap();
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/all-moves.json");
    let (status, told) = halma(&place, &["check", frozen.to_str().unwrap(), "-q"]);
    assert!(status == 0 && told.contains("length 15, none: 13 levels derived again"), "{status}: {told}");

    let mut record = json(&frozen);
    let entry = record["runs"].as_array_mut().unwrap().iter_mut().find(|entry| entry["length"] == 15).unwrap();
    entry["leading_moves"] = true.into();
    fs::write(place.path().join("claims.json"), record.to_string()).unwrap();
    let (status, told) = halma(&place, &["check", "claims.json", "-q"]);
    assert!(status == 4 && told.contains("length 15: following level 8"), "{status}: {told}");
}

#[test]
fn levels_that_count_states_which_a_beam_search_did_not_keep_are_verified_up_to_the_first_cut() {
    let place = tempfile::tempdir().unwrap();
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/truncated.json");
    let (status, told) = halma(&place, &["check", frozen.to_str().unwrap(), "-q"]);
    assert!(status == 0 && told.contains("The record holds."), "{status}: {told}");
    assert!(told.contains("its levels were truncated; those after level 3 were not looked at"), "{told}");

    let written = json(&frozen);
    let refuses = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut forged = written.clone();
        change(&mut forged["runs"][0]["levels"]);
        fs::write(place.path().join(name), forged.to_string()).unwrap();
        let (status, told) = halma(&place, &["check", name, "-q"]);
        assert_eq!(status, 4, "{told}");
        told
    };
    // The first level that was cut is the last one that is derived.
    let told = refuses("level.json", &|levels| levels[3]["digest"] = levels[2]["digest"].clone());
    assert!(told.contains("forward level 3"), "{told}");
    // No beam search keeps more than it says.
    let told = refuses("more.json", &|levels| {
        levels[4]["duplicates"] = (number(&levels[4]["duplicates"]) - 1).into();
        levels[4]["pruned"] = 1.into();
    });
    assert!(told.contains("386 states, of which 50 are kept"), "{told}");
}

/// A number of a record, which may be written as text.
fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

#[test]
fn a_frozen_interrupted_run_goes_on_from_its_level_files() {
    let place = thawed("interrupted");
    let (status, told) = halma(&place, &["resume", "interrupted", "-q", "--threads", "1"]);
    assert_eq!(status, 0, "{told}");
    let record = json(&place.path().join("interrupted/result.json"));
    let sizes: Vec<String> = levels(&record).into_iter().map(|(states, _)| states).collect();
    assert_eq!(sizes.join(" ").replace('"', ""), "1 7 85 749 5699 37114 210835");

    // What the run goes on from is read: damaged, it is refused. (The checkpoint within level 4 does not say which blocks it counts,
    // as checkpoints do since; so that level is made again, and its layer is not read.)
    let place = thawed("interrupted");
    let file = "levels/levels-003.level";
    let path = place.path().join("interrupted").join(file);
    let mut bytes = fs::read(&path).unwrap();
    bytes[40] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (status, told) = halma(&place, &["resume", "interrupted", "-q", "--threads", "1"]);
    assert!(status == 4 && told.contains(file), "{status}, {told}");
}

#[test]
fn what_is_written_today_is_the_frozen_format_byte_for_byte() {
    let asked: [(&str, &[&str]); 2] = [
        ("transfer", &["solve", "transfer.toml", "--pruning", "none"]),
        ("puzzle", &["levels", "puzzle.toml", "--depth", "6"]),
    ];
    for (name, asked) in asked {
        let place = thawed(name);
        let frozen = place.path().join("frozen");
        fs::rename(place.path().join(name), &frozen).unwrap();
        let (status, told) =
            halma(&place, &[asked, &["--keep-levels", "--threads", "1", "-q", "--output-dir", name]].concat());
        assert_eq!(status, 0, "{told}");
        let written = place.path().join(name);
        assert_eq!(files(&written), files(&frozen));
        for file in files(&frozen) {
            let (old, new) = (frozen.join(&file), written.join(&file));
            if file.extension().is_some_and(|extension| extension == "json") {
                let (old, new) = (json(&old), json(&new));
                // Within a format, fields may be added; none may go or become something else. The list of a short run may be
                // written before it has answers.
                let (old_shape, new_shape) = (shape_of(&old), shape_of(&new));
                let gone: Vec<_> =
                    old_shape.difference(&new_shape).filter(|name| !name.starts_with(".list.answers")).collect();
                assert!(gone.is_empty(), "{}: {gone:?}", file.display());
                assert_eq!(old["list"]["format"], new["list"]["format"], "{}", file.display());
            } else {
                assert_eq!(fs::read(&old).unwrap(), fs::read(&new).unwrap(), "{}", file.display());
            }
        }
        let record = |folder: &Path| levels(&json(&folder.join("result.json")));
        assert_eq!(record(&frozen), record(&written));
    }
}
