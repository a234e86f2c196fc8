//! Run folders from strangers: what lies in them is read with care, or refused; nothing outside them is touched.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::program::program;
use assert_cmd::Command;
use halma_engine::search::{CancellationToken, Expander, Stopped, Tally, digest, manifest_entry};
use halma_engine::store::workspace::{Disk, MANIFEST, Workspace, WorkspaceOptions};
use halma_engine::store::{Level, StoreError, file};
use halma_record::record::{Record, Verdict};
use serde_json::{Value, json};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_128;

const JOB: &str = "[problem]\nkind = \"transfer\"\nmoves = 6\nboard = \"\"\"\nSS..\nS...\n...T\n..TT\n\"\"\"\n[search]\npruning = \"none\"\n[limits]\nthreads = 1\ncheckpoint = \"1 ms\"\n";

const STOPS: &str = "[problem]\nkind = \"transfer\"\nmoves = 4\nboard = \"\"\"\nSS....\nS.....\n......\n......\n.....T\n....TT\n\"\"\"\n[search]\npruning = \"none\"\n[limits]\nthreads = 1\ndisk = \"1600 B\"\n";

/// A folder with a job, a run of it that kept its levels and can be taken up, and something of somebody else's.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.at("job.toml"), JOB).unwrap();
        fs::create_dir(place.at("mine")).unwrap();
        fs::write(place.at("mine/file"), "mine").unwrap();
        fs::write(place.at("mine/x.level"), "mine").unwrap();
        let (status, out, err) = place.halma(&["solve", "job.toml", "-q", "--keep-levels", "--output-dir", "run"]);
        assert_eq!(status, 0, "{out}{err}");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn halma(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = Command::from_std(program());
        command.current_dir(self.0.path()).timeout(std::time::Duration::from_secs(60));
        let output = command.args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
    }

    /// `halma resume` refuses the folder, and nothing of somebody else's has changed.
    #[track_caller]
    fn refuses(&self, words: &str) {
        let (status, out, err) = self.halma(&["resume", "run", "-q"]);
        assert_eq!((status, out.as_str()), (4, ""), "{err}");
        assert!(err.contains(words), "{err}");
        self.untouched();
    }

    #[track_caller]
    fn untouched(&self) {
        let mut names: Vec<_> = fs::read_dir(self.at("mine")).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["file", "x.level"]);
        assert!(["file", "x.level"].iter().all(|n| fs::read(self.at("mine").join(n)).unwrap() == b"mine"));
    }

    /// Changes the list and makes its checksum right.
    fn forge(&self, change: impl FnOnce(&mut Value)) {
        let path = self.at("run").join(MANIFEST);
        let mut sealed: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut sealed["list"]);
        let text = sealed["list"].to_string();
        fs::write(path, format!("{{\"checksum\":\"{:032x}\",\"list\":{text}}}", xxh3_128(text.as_bytes()))).unwrap();
    }
}

#[test]
fn links_in_a_runs_folder_lead_nowhere() {
    for (name, target, words) in [
        ("lock", "mine/file", "run/lock: it is a symbolic link; move it away"),
        ("lock", "mine/new", "run/lock: it is a symbolic link; move it away"),
        ("levels", "mine", "run/levels: it is no folder; move it away"),
        ("run.json", "mine/file", "run/run.json: it is a symbolic link; move it away"),
        ("result.json", "mine/file", "run/result.json: cannot be read: it is a symbolic link"),
        ("levels/L7-forward-001.level", "mine/x.level", ""),
    ] {
        let place = Place::new();
        let path = place.at("run").join(name);
        let there = path.symlink_metadata();
        match there.as_ref().is_ok_and(|there| there.is_dir()) {
            true => fs::remove_dir_all(&path).unwrap(),
            false => drop(fs::remove_file(&path)),
        }
        symlink(place.at(target), &path).unwrap();
        if name.starts_with("levels/") {
            // Left over, where the list does not name it.
            place.halma(&["resume", "run", "-q"]);
            place.untouched();
        } else {
            place.refuses(words);
        }
    }
}

#[test]
fn a_list_names_no_file_outside_and_no_folder_for_tables() {
    for label in ["../mine/x", "L/../../../mine/x", "/mine/x", "", "..", ".hidden", "a\u{1b}[2J"] {
        let place = Place::new();
        place.forge(|list| {
            let files = list["files"].as_object_mut().unwrap();
            let any = files.values().next().unwrap().clone();
            files.insert(label.into(), any);
        });
        place.refuses("is no name of a level");
    }
    let place = Place::new();
    let cache = place.at("made/by/nobody");
    place.forge(|list| list["terms"]["output"]["cache"] = json!(cache));
    let (status, out, err) = place.halma(&["resume", "run", "-q"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("The shortest solution has"), "{out}");
    assert!(!place.at("made").exists());
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let place = Place::new();
    let run = place.at("run");
    for name in ["result.json", "run.json", "lock", "status.json"] {
        drop(fs::remove_file(run.join(name)));
        assert!(std::process::Command::new("mkfifo").arg(run.join(name)).status().unwrap().success());
        for command in
            [&["resume", "run"][..], &["status", "run"], &["check", "run"], &["report", "run"], &["replay", "run"]]
        {
            let (status, ..) = place.halma(command);
            assert!([0, 2, 3, 4].contains(&status), "{name}, {command:?}: {status}");
        }
        fs::remove_file(run.join(name)).unwrap();
    }
    symlink("/dev/zero", place.at("zero.toml")).unwrap();
    let (status, _, err) = place.halma(&["describe", "zero.toml"]);
    assert_eq!((status, err.as_str()), (2, "zero.toml: cannot be read: it is no regular file\n"));
}

#[test]
fn answers_of_a_list_that_cannot_follow_from_each_other_are_refused() {
    type Forge = fn(&mut Value);
    let forgeries: [(&str, Forge); 6] = [
        ("stands where that for", |list| drop(list["answers"].as_array_mut().unwrap().remove(0))),
        ("stands where that for", |list| {
            let answers = list["answers"].as_array_mut().unwrap();
            answers.push(answers.last().unwrap().clone());
        }),
        ("the sum over its levels", |list| list["answers"][0]["generated"] = json!(5)),
        ("generated, and", |list| list["answers"][0]["levels"][1]["pruned"] = json!(5)),
        ("rests on no level", |list| {
            let answer = &mut list["answers"][0];
            (answer["levels"], answer["generated"], answer["largest_level"]) = (json!([]), json!(0), json!(0));
        }),
        ("says that the search had ended", |list| list["answers"][0]["verdict"] = json!("solution")),
    ];
    // The disk is full after some lengths: their answers are in the list.
    let place = Place::new();
    fs::remove_dir_all(place.at("run")).unwrap();
    fs::write(place.at("job.toml"), STOPS).unwrap();
    let (status, _, err) = place.halma(&["solve", "job.toml", "-q", "--keep-levels", "--output-dir", "run"]);
    assert_eq!(status, 3, "{err}");
    let (status, _, err) = place.halma(&["resume", "run", "-q"]);
    assert_eq!(status, 3, "what it wrote itself it takes up: {err}");
    let whole = fs::read(place.at("run").join(MANIFEST)).unwrap();
    let answers = serde_json::from_slice::<Value>(&whole).unwrap()["list"]["answers"].as_array().unwrap().len();
    assert!(answers > 1, "{answers} answers");
    for (words, forge) in forgeries {
        fs::write(place.at("run").join(MANIFEST), &whole).unwrap();
        place.forge(forge);
        place.refuses(words);
    }
}

/// Nothing is wrong with such a file, and another program reads it.
#[test]
fn a_file_of_another_version_is_wrong_input_and_not_called_damaged() {
    let place = Place::new();
    let told = |args: &[&str], versions: &str, advice: &str| {
        let (status, out, err) = place.halma(args);
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(versions) && err.contains(advice), "{args:?}: {err}");
        assert!(!err.contains("damaged") && !err.contains("rejected"), "{args:?}: {err}");
    };
    let files: Vec<_> = fs::read_dir(place.at("run/levels")).unwrap().map(|e| e.unwrap().path()).collect();
    let change = |change: &dyn Fn(&mut Vec<u8>)| {
        for level in &files {
            let mut bytes = fs::read(level).unwrap();
            change(&mut bytes);
            fs::write(level, bytes).unwrap();
        }
    };
    // A level whose checksum is right with this version's number: that number alone is damaged.
    change(&|bytes| bytes[8] = 2);
    let (status, _, err) = place.halma(&["check", "run", "-q"]);
    assert_eq!(status, 4, "{err}");
    assert!(err.contains("rejected") && err.contains("it lost the number of its version"), "{err}");
    // A level, with the checksum that its writer gave it.
    change(&|bytes| {
        let end = bytes.len() - 24;
        let index = u64::from_le_bytes(*bytes[end - 40..].first_chunk().unwrap()) as usize;
        let sum = xxh3_128(&[&bytes[..32], &bytes[index..end]].concat());
        bytes[end..end + 16].copy_from_slice(&sum.to_le_bytes());
    });
    for command in [&["check", "run", "-q"][..], &["resume", "run", "-q"]] {
        told(command, "is of version 2, this program reads version 1", "with the program that wrote it");
    }
    // The list of the run.
    place.forge(|list| list["format"] = json!(9));
    for command in [&["resume", "run"][..], &["status", "run"]] {
        told(command, "is of format 9, this program reads format 2", "go on with the program that wrote it");
    }
    fs::remove_file(place.at("run").join(MANIFEST)).unwrap();
    // The record.
    let file = place.at("run/result.json");
    fs::write(&file, fs::read_to_string(&file).unwrap().replacen("\"format\": 1", "\"format\": 7", 1)).unwrap();
    fs::write(place.at("queue.toml"), format!("{JOB}[output]\ndir = \"run\"\n")).unwrap();
    for command in [
        &["check", "run"][..],
        &["resume", "run"],
        &["status", "run"],
        &["report", "run"],
        &["replay", "run"],
        &["certify", "run", "-o", "c"],
        &["solve", "queue.toml"],
    ] {
        told(command, "record of format 7, this program reads format 1", "read it with the program that wrote it");
    }
    assert_eq!(place.halma(&["batch", "queue.toml", "-q"]).0, 2);
}

/// A run that kept its levels is finished, and can be taken up again. They stay also where nobody asks for them any more.
#[test]
fn a_kept_run_that_is_made_again_without_that_option_keeps_its_levels() {
    let place = Place::new();
    let said = |args: &[&str]| place.halma(args);
    let (status, out, _) = said(&["status", "run"]);
    assert_eq!((status, out.contains("resume")), (0, false), "{out}");
    let (_, out, _) = said(&["status", "run", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["unfinished"], json!(false), "{out}");
    assert_eq!(said(&["check", "run", "-q"]).0, 0);
    let levels = || fs::read_dir(place.at("run/levels")).unwrap().count();
    let before = levels();
    assert_eq!(said(&["solve", "job.toml", "-q", "--output-dir", "run"]).0, 0);
    assert_eq!((levels(), before > 0), (before, true));
    let (status, _, err) = said(&["check", "run", "-q"]);
    assert_eq!(status, 0, "{err}");
}

#[test]
fn the_record_of_a_run_that_has_ended_is_not_replaced_by_one_that_was_stopped() {
    let place = Place::new();
    fs::write(place.at("stops.toml"), STOPS).unwrap();
    fs::write(place.at("ends.toml"), STOPS.replace("disk = \"1600 B\"\n", "")).unwrap();
    let solved = |job| place.halma(&["solve", job, "--keep-levels", "--output-dir", "twice"]);
    let (status, _, err) = solved("ends.toml");
    assert_eq!(status, 0, "{err}");
    let record = || fs::read_to_string(place.at("twice/result.json")).unwrap();
    let ended = record();
    // As if its levels had not been kept.
    fs::remove_dir_all(place.at("twice/levels")).unwrap();
    fs::remove_file(place.at("twice").join(MANIFEST)).unwrap();
    let (status, _, err) = solved("stops.toml");
    assert_eq!((status, record() == ended), (3, true), "{err}");
    assert!(err.contains("twice keeps the record of the run that ended there"), "{err}");
    let (status, out, _) = place.halma(&["status", "twice"]);
    assert_eq!((status, out.contains("shortest")), (0, true), "{out}");
    // It goes on, and its record takes the place of the other one.
    let (status, _, err) = solved("ends.toml");
    assert_eq!((status, record() == ended), (0, false), "{err}");
    assert_eq!(place.halma(&["check", "twice", "-q"]).0, 0);
}

/// Names of files are bytes; what a run's list and a batch's status say of them is text.
#[test]
fn a_run_of_a_job_whose_name_is_no_text_can_be_resumed() {
    let place = Place::new();
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    fs::write(place.at("").join(name(b"stops\xff.toml")), STOPS).unwrap();
    let halma = |args: &[&OsStr]| {
        let mut command = Command::from_std(program());
        let output = command.current_dir(place.at("")).args(args).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let job = name(b"stops\xff.toml");
    for folder in [name(b"plain"), name(b"long\xff")] {
        let (status, err) =
            halma(&[name(b"solve"), job, name(b"-q"), name(b"--keep-levels"), name(b"--output-dir"), folder]);
        assert_eq!(status, Some(3), "{err}");
        let (status, err) = halma(&[name(b"resume"), folder]);
        assert_eq!(status, Some(3), "{err}");
        assert!(err.contains("not finished; halma resume"), "{err}");
    }
    let (status, err) =
        halma(&[name(b"batch"), job, name(b"-q"), name(b"--keep-levels"), name(b"--output-dir"), name(b"night")]);
    assert_eq!(status, Some(3), "{err}");
    let (status, out, err) = place.halma(&["status", "night"]);
    assert_eq!(status, 3, "{err}");
    assert!(out.contains("1 unfinished\nunfinished stops\u{fffd}.toml"), "{out}");
}

/// A run that was killed when it had come to some length is not asked about a shorter one: that would end it.
#[test]
fn a_run_is_not_taken_up_by_a_question_about_fewer_moves_than_it_has_come_to() {
    let place = Place::new();
    fs::remove_dir_all(place.at("run")).unwrap();
    fs::write(place.at("job.toml"), STOPS).unwrap();
    let prove = |most: &str| {
        place.halma(&["prove", "job.toml", "-q", "--keep-levels", "--output-dir", "run", "--max-length", most])
    };
    assert_eq!(prove("30").0, 3);
    fs::remove_file(place.at("run/result.json")).unwrap();
    let whole = fs::read(place.at("run").join(MANIFEST)).unwrap();
    let (status, _, err) = prove("10");
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("this one asks about 10"), "{err}");
    assert_eq!(fs::read(place.at("run").join(MANIFEST)).unwrap(), whole);
    let (status, _, err) = place.halma(&["resume", "run", "-q"]);
    assert_eq!(status, 3, "{err}");
}

#[test]
fn terms_that_no_job_can_state_are_refused() {
    let place = Place::new();
    for (at, value) in [
        ("/limits/threads", json!(1_000_000)),
        ("/search/palindromic", json!(3)),
        ("/question", json!({"Prove": {"max_length": 4_000_000_000u32}})),
    ] {
        let whole = fs::read(place.at("run").join(MANIFEST)).unwrap();
        place.forge(|list| *list["terms"].pointer_mut(at).unwrap() = value);
        let (status, out, err) = place.halma(&["resume", "run", "-q"]);
        assert_eq!((status, out.as_str()), (2, ""), "{at}: {err}");
        fs::write(place.at("run").join(MANIFEST), whole).unwrap();
    }
}

#[test]
fn a_record_that_contradicts_itself_has_status_4_wherever_it_is_read() {
    let place = Place::new();
    let file = place.at("run/result.json");
    let mut record = Record::read(&file).unwrap();
    let length = record.length.unwrap();
    record.length = Some(length - 2);
    record.write(&file).unwrap();
    fs::remove_file(place.at("run").join(MANIFEST)).unwrap();
    fs::write(place.at("queue.toml"), format!("{JOB}[output]\ndir = \"run\"\n")).unwrap();
    let solution =
        format!("run/result.json: damaged record: length is {}, and the solution has {length} moves\n", length - 2);
    for command in
        [&["resume", "run"][..], &["status", "run"], &["report", "run"], &["replay", "run"], &["solve", "queue.toml"]]
    {
        let (status, out, err) = place.halma(command);
        assert_eq!((status, out.as_str(), err.as_str()), (4, "", solution.as_str()), "{command:?}");
    }
    assert_eq!(place.halma(&["batch", "queue.toml", "-q"]).0, 4);
    assert_eq!(place.halma(&["check", "run"]).0, 4);
    fs::write(&file, b"{\"format\": 1, \"program\": \"\xff\"}").unwrap();
    for command in
        [&["resume", "run"][..], &["status", "run"], &["report", "run"], &["replay", "run"], &["check", "run"]]
    {
        assert_eq!(place.halma(command).0, 4, "{command:?}: a record that is no text");
    }
}

#[test]
fn no_text_of_a_stranger_commands_the_terminal() {
    let place = Place::new();
    let wild = "\u{1b}[2J\u{9b}31m\r\u{7}";
    let file = place.at("run/result.json");
    let mut record = Record::read(&file).unwrap();
    (record.verdict, record.reason) = (Verdict::Incomplete, Some(wild.into()));
    record.solution.as_mut().unwrap()[0].push_str(wild);
    record.write(&file).unwrap();
    fs::remove_file(place.at("run").join(MANIFEST)).unwrap();
    fs::write(place.at("wild.toml"), format!("{JOB}\n'{wild}' = 1\n")).unwrap();
    fs::write(place.at("long.toml"), format!("{JOB}\n{} = 1\n", "x".repeat(900_000))).unwrap();
    fs::write(place.at("huge.toml"), format!("{JOB}\n#{}\n", "x".repeat(50_000_000))).unwrap();
    let commands = [
        &["resume", "run"][..],
        &["resume", "run", "--json"],
        &["status", "run"],
        &["status", "run", "--json"],
        &["replay", "run"],
        &["solve", "wild.toml"],
        &["solve", "long.toml"],
        &["solve", "huge.toml"],
    ];
    for command in commands {
        let (_, out, err) = place.halma(command);
        let odd: Vec<char> =
            out.chars().chain(err.chars()).filter(|c| c.is_control() && !"\n\t".contains(*c)).collect();
        assert_eq!(odd, [], "{command:?}");
        assert!(err.len() < 6000, "{command:?}: {} bytes", err.len());
    }
    assert_eq!(place.halma(&["solve", "huge.toml"]).2, "huge.toml: cannot be read: it is larger than 1.0 MiB\n");
}

#[test]
fn a_run_goes_on_while_its_lock_is_held_whatever_its_status_says() {
    let place = Place::new();
    let status = json!({"program": "halma", "pid": 1, "started": 0, "updated": 0, "length": 7, "level": 3, "side": "forward",
        "states": 1, "expanded": u64::MAX, "successors": 1, "expected": null, "made": 0});
    fs::write(place.at("run/status.json"), status.to_string()).unwrap();
    fs::remove_file(place.at("run/result.json")).unwrap();
    let (_, out, _) = place.halma(&["status", "run"]);
    assert!(out.contains("no process works on it"), "{out}");
    let lock = fs::File::create(place.at("run/lock")).unwrap();
    lock.lock().unwrap();
    let (exit, out, _) = place.halma(&["status", "run"]);
    assert_eq!(exit, 3);
    assert!(out.starts_with("running: length 7, level 3 forward: 100% of 1 states expanded"), "{out}");
    fs::remove_file(place.at("run/status.json")).unwrap();
    assert_eq!(place.halma(&["status", "run"]).1, "running: at its beginning\n");
}

/// A batch that was killed left its status as it was.
#[test]
fn a_batch_goes_on_while_its_lock_is_held_whatever_its_status_says() {
    let place = Place::new();
    fs::write(place.at("queue.toml"), format!("{JOB}[output]\ndir = \"run\"\n")).unwrap();
    assert_eq!(place.halma(&["batch", "queue.toml", "-q", "--output-dir", "night"]).0, 0);
    let file = place.at("night/batch.json");
    let mut queue: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    (queue["jobs"][0]["state"], queue["jobs"][0]["exit"]) = (json!("running"), json!(3));
    fs::write(&file, queue.to_string()).unwrap();
    let told = || {
        let (text, json) = (place.halma(&["status", "night"]), place.halma(&["status", "night", "--json"]));
        assert_eq!((text.0, json.0), (3, 3), "{}{}", text.2, json.2);
        (text.1, serde_json::from_str::<Value>(&json.1).unwrap())
    };
    let (text, document) = told();
    assert!(text.starts_with("1 left\nleft ") && text.contains("the same batch goes on"), "{text}");
    assert_eq!((&document["at_work"], &document["jobs"][0]["state"]), (&json!(false), &json!("left")), "{document}");
    let lock = fs::File::create(place.at("night/batch.lock")).unwrap();
    lock.lock().unwrap();
    let (text, document) = told();
    assert!(text.starts_with("1 running\nrunning "), "{text}");
    assert_eq!((&document["at_work"], &document["jobs"][0]["state"]), (&json!(true), &json!("running")), "{document}");
}

#[test]
fn short_runs_on_one_folder_wait_or_are_told_and_none_fails() {
    let place = Place::new();
    let run = |_| {
        let (status, _, err) = place.halma(&["solve", "job.toml", "-q", "--output-dir", "shared"]);
        assert!(status == 0 || status == 2 && err.contains("another process is at work"), "{status}: {err}");
        status == 0
    };
    let answered: usize = std::thread::scope(|scope| {
        let four: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..60).filter(|n| run(*n)).count())).collect();
        four.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert!(answered > 0, "how many depends on the machine");
    let names: Vec<_> = fs::read_dir(place.at("shared")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["result.json"]);
}

/// A puzzle of numbers below 1,000.
struct Numbers;

impl halma_engine::puzzle::Puzzle for Numbers {
    type Key = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u64> {
        vec![0]
    }

    fn successors(&self, (): &mut (), key: u64, _: u32, emit: &mut impl FnMut(u64)) -> u64 {
        emit((key + 1) % 1000);
        1
    }

    fn is_state(&self, (): &mut (), key: u64) -> bool {
        key < 1000
    }
}

#[test]
fn a_level_is_believed_only_as_far_as_its_states_bear_it_out() {
    let folder = tempfile::tempdir().unwrap();
    let run = || Workspace::open(folder.path(), json!(1), WorkspaceOptions::default());
    let expander = Expander::new(2, None).unwrap();
    let level = |keys: &[u64]| {
        let tally = Tally {
            states: keys.len() as u64,
            generated: keys.len() as u64,
            digest: digest::of(digest::KEY, keys),
            second: halma_record::record::Digest(digest::of(digest::SECOND_KEY, keys)),
            ..Tally::default()
        };
        (Level::of(keys.to_vec()), tally)
    };
    let audit = |(keys, claimed): (&[u64], &Tally)| {
        let workspace = run().unwrap();
        let (whole, _) = level(keys);
        workspace.write("a", &whole, claimed.digest).unwrap();
        workspace.enter(vec![("a".into(), manifest_entry(&Tally { states: whole.len(), ..claimed.clone() }))]).unwrap();
        let (loaded, _) = workspace.load::<u64>("a").unwrap().unwrap();
        expander.audit(&Numbers, &loaded, claimed, claimed.digest, &CancellationToken::after(None))
    };
    let (_, truth) = level(&[1, 2, 999]);
    audit((&[1, 2, 999], &truth)).unwrap();
    let refused = |keys: &[u64], claimed: &Tally, words: &str| match audit((keys, claimed)) {
        Err(Stopped::Store(StoreError::Damaged { file, reason })) => {
            assert!(file.ends_with("levels/a.level") && reason.contains(words), "{reason}");
        }
        other => panic!("{other:?}"),
    };
    refused(&[1, 3, 999], &truth, "another digest");
    refused(&[1, 2, 1000], &level(&[1, 2, 1000]).1, "1000 is the number of no state");
    refused(&[1, 2, 999], &Tally { states: 4, generated: 4, ..truth.clone() }, "is not so");
    refused(&[1, 2, 999], &Tally { generated: 4, ..truth.clone() }, "does not account");
    refused(&[1, 2, 999], &Tally { measure_max: Some(7), ..truth.clone() }, "is not so");
    refused(&[1, 2, 999], &Tally { second: halma_record::record::Digest(1), ..truth.clone() }, "is not so");
}

/// Writes the checksum of header, index and footer of a level file as [`file`] describes it.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 24;
    let index = u64::from_le_bytes(*bytes[end - 40..].first_chunk().unwrap()) as usize;
    let sum = xxh3_128(&[&bytes[..32], bytes.get(index..end).unwrap_or_default()].concat());
    bytes[end..end + 16].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn a_level_file_cannot_claim_more_keys_than_its_bytes_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.level");
    file::write(&path, 7, &Level::of(vec![5u64, 6, 7]), 9, &Disk::new(None)).unwrap();
    let whole = fs::read(&path).unwrap();
    assert_eq!(sealed(whole.clone()), whole);
    let (footer, entry) = (whole.len() - 64, whole.len() - 64 - 32);
    for claimed in [0u32, 4, 4097, 200_000_000, u32::MAX] {
        let mut bytes = whole.clone();
        bytes[entry + 20..entry + 24].copy_from_slice(&claimed.to_le_bytes());
        bytes[footer + 16..footer + 24].copy_from_slice(&u64::from(claimed).to_le_bytes());
        fs::write(&path, sealed(bytes)).unwrap();
        let refused = file::open::<u64>(&path, 7, claimed.into(), 9);
        assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{claimed}");
    }
    for (at, value) in [(entry + 8, 33u64), (entry + 8, 0), (entry + 8, u64::MAX), (footer, 0), (footer + 8, 1 << 59)] {
        let mut bytes = whole.clone();
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        fs::write(&path, sealed(bytes)).unwrap();
        assert!(matches!(file::open::<u64>(&path, 7, 3, 9), Err(StoreError::Damaged { .. })), "{at}: {value}");
    }
    // Keys that do not ascend: a difference of 2^64 - 1 and one more.
    let mut bytes = [&whole[..32], &[0xff; 9], &[1, 0], &whole[34..]].concat();
    let (entry, footer) = (entry + 9, footer + 9);
    bytes[entry + 16] = 11;
    bytes[footer] += 9;
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes[32..43]).to_le_bytes();
    bytes[entry + 24..entry + 32].copy_from_slice(&sum);
    fs::write(&path, sealed(bytes)).unwrap();
    let level = file::open::<u64>(&path, 7, 3, 9).unwrap();
    let refused = level.audit_block(0, &mut Vec::new());
    assert!(matches!(refused, Err(StoreError::Damaged { reason, .. }) if reason.contains("do not ascend")));
    assert!(Path::new(&path).exists());
}

#[test]
fn levels_to_the_end_are_not_made_again_and_hold() {
    let place = Place::new();
    fs::write(place.at("row.toml"), "[problem]\nkind = \"transfer\"\nmoves = 4\nboard = \"SS..TT\"\n").unwrap();
    let levels = ["levels", "row.toml", "--to-the-end", "-q", "--keep-levels", "--output-dir", "end"];
    for _ in 0..3 {
        let (status, out, err) = place.halma(&levels);
        assert_eq!(status, 0, "{out}{err}");
    }
    assert_eq!(
        fs::read_dir(place.at("end")).unwrap().filter(|e| e.as_ref().unwrap().path().is_dir()).count(),
        1,
        "levels"
    );
    for args in [&["resume", "end", "-q"][..], &["check", "end", "-q"]] {
        let (status, out, err) = place.halma(args);
        assert_eq!(status, 0, "{args:?}: {out}{err}");
    }
    let referee = std::process::Command::new("python3")
        .args(["-B", "scripts/referee.py", "derive"])
        .arg(place.at("end/result.json"))
        .output()
        .unwrap();
    assert!(referee.status.success(), "{}", String::from_utf8_lossy(&referee.stderr));
}

/// The shell's limit on open files is raised as far as it goes; beyond that the message says what to do, and `resume` goes on.
#[test]
fn a_search_may_have_many_levels_open() {
    let place = Place::new();
    let far = format!(
        "[problem]\nkind = \"transfer\"\nmoves = 4\nboard = \"S{}T\"\n[search]\npruning = \"none\"\n",
        ".".repeat(118)
    );
    fs::write(place.at("far.toml"), far).unwrap();
    let solve = |limit: &str, folder: &str| {
        let halma = env!("CARGO_BIN_EXE_halma");
        let line =
            format!("ulimit {limit}; exec {halma} solve far.toml -q --threads 1 --keep-levels --output-dir {folder}");
        let output = std::process::Command::new("sh").current_dir(place.0.path()).args(["-c", &line]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, out) = solve("-S -n 40", "soft");
    assert_eq!(status, Some(0), "{out}");
    let (status, out) = solve("-n 40", "hard");
    assert_eq!(status, Some(3), "{out}");
    assert!(out.contains("too many files open; `ulimit -n` says"), "{out}");
    let (status, out, err) = place.halma(&["resume", "hard", "-q"]);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("The shortest solution has 119 moves"), "{out}");
}

/// SIGXFSZ would end the program without a word, and a temporary file would stay.
#[test]
fn a_write_beyond_the_limit_on_the_size_of_files_fails_with_a_message() {
    let place = Place::new();
    assert_eq!(place.halma(&["solve", "job.toml", "-q", "--output-dir", "run"]).0, 0);
    let line = format!("ulimit -f 1; exec {} report run -o page.html", env!("CARGO_BIN_EXE_halma"));
    let output = std::process::Command::new("sh").current_dir(place.0.path()).args(["-c", &line]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && said.contains("page.html: cannot be written: File too large"), "{said}");
    let left = fs::read_dir(place.0.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!left.into_iter().any(|name| name.to_string_lossy().contains("page.html")));
}

/// It would write its list over that of the other.
#[test]
fn a_second_batch_in_the_folder_of_one_that_is_at_work_is_refused() {
    let place = Place::new();
    assert_eq!(place.halma(&["batch", "job.toml", "-q", "--output-dir", "night"]).0, 0);
    let list = fs::read(place.at("night/batch.json")).unwrap();
    let lock = fs::File::create(place.at("night/batch.lock")).unwrap();
    lock.lock().unwrap();
    let (status, out, said) = place.halma(&["batch", "job.toml", "-q", "--output-dir", "night"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(said.contains("night: another batch is at work there"), "{said}");
    assert_eq!(fs::read(place.at("night/batch.json")).unwrap(), list);
}

#[test]
fn a_quiet_batch_says_which_jobs_have_no_record_among_its_json() {
    let place = Place::new();
    fs::write(place.at("bad.toml"), "[problem]\nkind = \"transfer\"\n").unwrap();
    let (status, out, said) = place.halma(&["batch", "job.toml", "bad.toml", "--json", "-q"]);
    assert_eq!((status, serde_json::from_str::<Value>(&out).unwrap().as_array().map(Vec::len)), (2, Some(1)));
    assert!(said.starts_with("bad.toml:1:1: missing field"), "{said}");
}
