//! Several processes as scripts start them: a command each, a host file, addresses on loopback.

mod strangers;

use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::program;
use halma_record::record::{Record, Verdict};

const TRANSFER: &str = "kind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"";
const GAME: &str = "kind = \"game\"\nmoves = 6\nboard = '''\nSS...\nS....\n.....\n....T\n...TT\n'''";
const LARGE: &str = "kind = \"transfer\"\nboard = \"9x9\"\nmoves = 8\narmy = \"triangle-4\"";

/// A folder with a job, and how to start processes there.
struct Place(tempfile::TempDir);

/// One process.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    /// The exit status, standard output and standard error; a minute is the most that any end may take.
    fn end(mut self) -> (Option<i32>, String, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        let text = |stream: Option<&mut dyn Read>| {
            let mut text = String::new();
            stream.map(|s| s.read_to_string(&mut text));
            text
        };
        let out = text(self.0.stdout.as_mut().map(|s| s as _));
        let err = text(self.0.stderr.as_mut().map(|s| s as _));
        (status.code(), out, err)
    }
}

/// Addresses that nobody listens on.
fn addresses(count: usize) -> Vec<String> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|l| l.local_addr().unwrap().to_string()).collect()
}

impl Place {
    fn new(problem: &str, rest: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let text = format!("[problem]\n{problem}\n{rest}\n[limits]\nthreads = 1\n[output]\ndir = \"run\"\n");
        std::fs::write(place.at("job.toml"), text).unwrap();
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn hosts(&self, count: usize) -> Vec<String> {
        let addresses = addresses(count);
        std::fs::write(self.at("hosts"), addresses.join("\n")).unwrap();
        addresses
    }

    fn start(&self, process: usize, args: &[&str]) -> Process {
        self.start_with(process, args, None)
    }

    /// The same, with a key in the environment.
    fn start_with(&self, process: usize, args: &[&str], key: Option<&str>) -> Process {
        let mut command = program();
        command.current_dir(self.0.path()).args(args).args(["--hosts", "hosts", "--process", &process.to_string()]);
        command.env_remove("HALMA_CLUSTER_KEY").envs(key.map(|key| ("HALMA_CLUSTER_KEY", key)));
        Process(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    /// A key, in the file `key`.
    fn key(&self) {
        let (status, out, err) = self.halma(&["cluster-key", "-o", "key"]);
        assert!(status == Some(0) && out.contains("key: a new key"), "{out} {err}");
    }

    fn halma(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let mut command = program();
        command.current_dir(self.0.path()).args(args);
        Process(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).end()
    }

    /// The record of so many processes, of which the first prints it and the others nothing.
    fn together(&self, count: usize, args: &[&str]) -> Record {
        self.hosts(count);
        let args = [args, &["--json", "--quiet"]].concat();
        let processes: Vec<_> = (0..count).map(|process| self.start(process, &args)).collect();
        let mut ends: Vec<_> = processes.into_iter().map(Process::end).collect();
        assert!(ends.iter().all(|(status, _, err)| *status == Some(0) && err.is_empty()), "{ends:?}");
        assert!(ends[1..].iter().all(|(_, out, _)| out.is_empty()));
        let record: Record = serde_json::from_str(&ends.swap_remove(0).1).unwrap();
        assert_eq!(record, Record::read(&self.at("run/result.json")).unwrap());
        let cluster = record.machine.as_ref().unwrap().cluster.as_ref();
        assert_eq!(cluster.map(|c| c.processes), (count > 1).then_some(count));
        assert!(cluster.is_none_or(|c| c.bytes_sent > 0));
        record
    }
}

fn alone(job: &Path, args: &[&str]) -> Record {
    let output = tempfile::tempdir().unwrap();
    let mut command = program();
    command.args(args).arg("--output-dir").arg(output.path()).args(["--json", "--quiet"]);
    let out = command.current_dir(job.parent().unwrap()).output().unwrap();
    serde_json::from_slice(&out.stdout).unwrap()
}

#[test]
fn several_processes_have_the_record_of_a_search_by_itself() {
    same_record(&[
        (TRANSFER, "pattern", 1),
        (TRANSFER, "pattern", 4),
        (TRANSFER, "leading", 2),
        (GAME, "all", 2),
        (GAME, "all", 4),
    ]);
}

#[test]
#[ignore = "a quarter of a minute: the other numbers of processes"]
fn any_number_of_processes_has_the_record_of_a_search_by_itself() {
    same_record(&[(TRANSFER, "pattern", 2), (TRANSFER, "leading", 1), (TRANSFER, "leading", 4), (GAME, "all", 1)]);
}

/// Problems, their pruning, and the number of processes.
fn same_record(cases: &[(&str, &str, usize)]) {
    for &(problem, pruning, count) in cases {
        let place = Place::new(problem, &format!("[search]\npruning = \"{pruning}\""));
        let solve = ["solve", "job.toml"];
        let one = alone(&place.at("job.toml"), &solve).without_measurements();
        assert_eq!(one.verdict, Verdict::Optimal);
        assert_eq!(place.together(count, &solve).without_measurements(), one, "{pruning} in {count}");
        let left: Vec<_> = std::fs::read_dir(place.at("run")).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("process")), "{left:?}");
    }
}

const LEVELS: [&str; 4] = ["levels", "job.toml", "--depth", "6"];

/// Starts two processes, and does `harm` to them when the first has begun with level 6.
fn harmed(
    place: &Place,
    args: &[&str],
    harm: impl Fn(&mut Process, &mut Process),
) -> [(Option<i32>, String, String); 2] {
    place.hosts(2);
    let [mut first, mut second] =
        [0, 1].map(|process| place.start(process, &[&LEVELS[..], &["--verbose"], args].concat()));
    let mut lines = BufReader::new(first.0.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("level  5 forward ")), "no level 5");
    harm(&mut first, &mut second);
    let said: String = lines.map_while(Result::ok).collect();
    let mut end = first.end();
    end.2 += &said;
    [end, second.end()]
}

fn kill(process: &mut Process) {
    process.0.kill().unwrap();
}

#[test]
fn a_killed_process_ends_all_and_any_number_goes_on_to_the_same_record() {
    let place = Place::new(LARGE, "");
    let one = alone(&place.at("job.toml"), &LEVELS).without_measurements();
    for (again, first_dies) in [(2, false), (3, true), (1, false)] {
        let ends = harmed(&place, &[], |first, second| kill(if first_dies { first } else { second }));
        let (dead, left) = if first_dies { (&ends[0], &ends[1]) } else { (&ends[1], &ends[0]) };
        assert_eq!((dead.0, left.0), (None, Some(3)), "{ends:?}");
        let written = Record::read(&place.at("run/result.json"));
        assert!(written.is_err() || written.is_ok_and(|r| r.verdict == Verdict::Incomplete));
        assert!(place.at("run/process-0-of-2/run.json").exists());
        let record = place.together(again, &LEVELS);
        assert_eq!(record.without_measurements(), one, "{again}");
        std::fs::remove_dir_all(place.at("run")).unwrap();
    }
}

#[test]
fn a_signal_to_one_process_stops_all_of_them() {
    let place = Place::new(LARGE, "");
    let ends = harmed(&place, &[], |_, second| {
        assert!(Command::new("kill").arg(second.0.id().to_string()).status().unwrap().success());
    });
    assert!(ends.iter().all(|end| end.0 == Some(3)), "{ends:?}");
    assert!(ends[0].1.contains("interrupted") && ends[1].2.contains("interrupted"), "{ends:?}");
    assert_eq!(
        place.together(2, &LEVELS).without_measurements(),
        alone(&place.at("job.toml"), &LEVELS).without_measurements()
    );
}

#[test]
fn what_is_no_process_of_the_run_is_refused_with_the_reason() {
    let place = Place::new(TRANSFER, "");
    // With a key it is known to be a process, and both end at once; without one the one that is called goes on waiting.
    place.key();
    let solve = ["solve", "job.toml", "--wait", "20s", "--key", "key"];
    let two = |first: &[&str], second: &[&str], words: &str| {
        place.hosts(2);
        for (status, out, err) in [place.start(0, first), place.start(1, second)].map(Process::end) {
            assert!(status == Some(2) && out.is_empty() && err.contains(words), "{status:?} {out} {err}");
        }
    };
    two(
        &solve,
        &["solve", "job.toml", "--key", "key", "--pruning", "pattern"],
        "its job is solve transfer of 6 men on 9x9, ",
    );
    two(&solve, &["solve", "job.toml", "--key", "key", "--max-length", "9"], "its job is");
    two(&solve, &["levels", "job.toml", "--key", "key", "--depth", "3"], "its job is");
    two(&solve, &["solve", "job.toml", "--key", "key", "--peer-timeout", "9s"], "its peer timeout is");

    place.hosts(2);
    let refused = |process, args: &[&str], status, words: &str| {
        let end = place.start(process, args).end();
        assert!(end.0 == Some(status) && end.1.is_empty() && end.2.contains(words), "{end:?}");
    };
    refused(2, &solve, 2, "--process: found 2, allowed are 0 to 1");
    refused(
        0,
        &["solve", "job.toml", "--wait", "1s"],
        3,
        "after 1 s there is no connection with process 1 (127.0.0.1:",
    );
    refused(0, &["solve", "job.toml", "--keep-levels"], 2, "several processes cannot keep levels");
    refused(0, &["count", "job.toml"], 2, "several processes cannot count");
    std::fs::write(place.at("hosts"), "127.0.0.1\n").unwrap();
    refused(0, &solve, 2, "hosts: line 1: found `127.0.0.1`, allowed is host:port");
}
