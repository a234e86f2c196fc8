//! Several processes find what one finds. Here they are threads; `tests/cluster.rs` has real ones.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use halma_engine::search::CancellationToken;
use halma_engine::search::exchange::mesh::mesh;
use halma_engine::store::StoreError;
use halma_record::record::{Record, Verdict};
use halma_rules::job::{Job, Overrides};

use crate::fault;
use crate::run::{Question, RunError, run, run_shared};
use crate::stops_after::StopsAfter;

fn job(problem: &str, pruning: &str, rest: &str) -> Job {
    let text = format!("[problem]\n{problem}\n[search]\npruning = \"{pruning}\"\n{rest}\n[limits]\nthreads = 1\n");
    Job::parse(Path::new("test.toml"), &text).unwrap()
}

fn there(job: &Job, dir: &Path) -> Job {
    job.clone()
        .with(&Overrides { output_dir: Some(dir.into()), ..Overrides::default() })
        .unwrap_or_else(|e| panic!("{e}"))
}

/// The records of so many threads, of which one goes in the given round.
fn together(job: &Job, question: Question, processes: usize, dies_in: u64) -> Vec<Result<Record, RunError>> {
    let meshes = mesh(processes).into_iter().map(|mut mesh| {
        if mesh.process_number() == processes - 1 {
            mesh.dies_in = dies_in;
        }
        mesh
    });
    std::thread::scope(|scope| {
        let search = |mesh| {
            let run = || run_shared(job, question, &(), &CancellationToken::after(None), Arc::new(Arc::new(mesh)));
            scope.spawn(|| fault::with(None, run))
        };
        let threads: Vec<_> = meshes.map(search).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

const SQUARE: &str = "kind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"square-2\"";
const TRIANGLE: &str = "kind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"";
const LOPSIDED: &str =
    "kind = \"transfer\"\nmoves = 8\nboard = '''\nSSS...\nS.....\n......\n......\n....TT\n....TT\n'''";
const GAME: &str = "kind = \"game\"\nmoves = 6\nboard = '''\nSS...\nS....\n.....\n....T\n...TT\n'''";

#[test]
fn several_processes_have_the_record_of_one() {
    let mut jobs: Vec<(Job, Question)> =
        ["none", "theorem-1", "mcc", "truncate(300,2)"].map(|p| (job(SQUARE, p, ""), Question::Solve)).into();
    jobs.extend(["pattern", "leading", "narrowed"].map(|p| (job(TRIANGLE, p, ""), Question::Solve)));
    jobs.push((job(TRIANGLE, "leading(look-ahead=5,least=2)", ""), Question::Prove { max_length: 22 }));
    jobs.push((job(TRIANGLE, "leading", "palindromic = true"), Question::Prove { max_length: 16 }));
    jobs.extend(["none", "pattern"].map(|p| (job(LOPSIDED, p, ""), Question::Solve)));
    jobs.push((job(SQUARE, "none", ""), Question::Levels { depth: 5 }));
    jobs.extend(["all", "beam(500,1)"].map(|p| (job(GAME, p, ""), Question::Solve)));
    for (job, question) in jobs {
        let alone = run(&job, question, &(), &CancellationToken::after(None)).unwrap().without_measurements();
        // What leads finds these small ones at once; `tests/cluster.rs` has larger ones.
        let small = job.search.pruning == halma_rules::job::Pruning::LEADING;
        assert!(small || alone.runs.iter().any(|run| run.largest_level > 1), "{}", job.search.pruning);
        for processes in [2, 3] {
            for record in together(&job, question, processes, u64::MAX) {
                assert_eq!(record.unwrap().without_measurements(), alone, "{} in {processes}", job.search.pruning);
            }
        }
    }
}

/// Which positions are farthest does not depend on who holds them; lists of solutions are for one process.
#[test]
fn several_processes_show_the_same_farthest_positions_and_list_no_solutions() {
    let text = "[problem]\nkind = \"rules\"\nboard = \"\"\"\n12\n3.\n\"\"\"\nrules = [\"* . -> . *\"]\ngoal = \"\"\"\n.1\n23\n\"\"\"\n[limits]\nthreads = 1\n";
    let mut job = Job::parse(Path::new("test.toml"), text).unwrap();
    let question = Question::Levels { depth: 100 };
    let alone = run(&job, question, &(), &CancellationToken::after(None)).unwrap().without_measurements();
    assert!(!alone.farthest.is_empty());
    for record in together(&job, question, 3, u64::MAX) {
        assert_eq!(record.unwrap().without_measurements(), alone);
    }
    job.search.solutions = Some(5);
    for record in together(&job, Question::Solve, 2, u64::MAX) {
        assert!(matches!(record, Err(RunError::NotShared { what: "list solutions", .. })));
    }
}

#[test]
fn several_processes_do_not_learn_a_score() {
    let square = "kind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"square-2\"";
    for record in together(&job(square, "truncate(300,2,rounds=3)", ""), Question::Solve, 2, u64::MAX) {
        assert!(matches!(record, Err(RunError::NotShared { what: "learn a score", .. })));
    }
}

#[test]
fn where_one_process_goes_the_others_stop_and_all_go_on_later_in_any_number() {
    let folder = tempfile::tempdir().unwrap();
    for problem in [job(SQUARE, "theorem-1", ""), job(GAME, "all", "")] {
        let alone =
            run(&problem, Question::Solve, &(), &CancellationToken::after(None)).unwrap().without_measurements();
        let job = there(&problem, &folder.path().join(&problem.spec.armies().unwrap().kind));
        for (rounds, processes) in [(20, 2), (25, 2), (35, 3), (50, 2), (40, 3)] {
            for record in together(&job, Question::Solve, processes, rounds) {
                let incomplete = record.as_ref().map(|r| r.reason.is_some());
                assert!(matches!(incomplete, Ok(true) | Err(RunError::Lost(_))), "{record:?}");
            }
        }
        for record in together(&job, Question::Solve, 4, u64::MAX) {
            assert_eq!(record.unwrap().without_measurements(), alone);
        }
        let there: Vec<_> =
            std::fs::read_dir(job.output.dir.unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(there, ["result.json"], "shares are removed when the run has ended");
    }
}

/// The names of the level files in a run's folder.
fn levels(run: &Path) -> BTreeSet<OsString> {
    std::fs::read_dir(run.join("levels")).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn one_process_goes_on_with_what_several_left_and_they_with_what_it_left() {
    let folder = tempfile::tempdir().unwrap();
    let problem = job(GAME, "all", "");
    let alone = run(&problem, Question::Solve, &(), &CancellationToken::after(None)).unwrap().without_measurements();
    let job = there(&problem, folder.path());
    assert!(together(&job, Question::Solve, 3, 60).iter().any(|r| !matches!(r, Ok(r) if r.reason.is_none())));
    let share = folder.path().join("process-0-of-3");
    let left = levels(&share);
    assert!(left.len() > 4, "{left:?}");
    let cancel = CancellationToken::after(None);
    cancel.request();
    let file = folder.path().join("result.json");
    let said = Record::read(&file).unwrap().runs.len();
    let record = run(&job, Question::Solve, &(), &cancel).unwrap();
    assert_eq!((record.reason.as_deref(), record.runs.len()), (Some("interrupted"), said));
    assert_eq!(levels(&share), left, "stopped before it took anything over, it leaves everything");
    // What it has read itself.
    std::fs::remove_file(file).unwrap();
    let stops = StopsAfter::levels(4);
    let record = run(&job, Question::Solve, &stops, &stops.cancel).unwrap();
    assert_eq!(record.reason.as_deref(), Some("interrupted"));
    // It has read four of the levels, level 0 among them, so that it has made none of its own.
    assert_eq!(record.runs.last().map(|run| run.levels.len()), Some(4));
    assert_eq!(levels(folder.path()), left, "all levels are taken over");
    assert!(!share.exists(), "a share that was taken over is removed");
    for record in together(&job, Question::Solve, 2, u64::MAX) {
        assert_eq!(record.unwrap().without_measurements(), alone);
    }
    assert!(!folder.path().join("levels").exists(), "what it left was taken over, too");
}

#[test]
fn a_smaller_question_leaves_the_shares_of_a_greater_one() {
    let folder = tempfile::tempdir().unwrap();
    let job = there(&job(TRIANGLE, "pattern", ""), folder.path());
    let stopped = together(&job, Question::Levels { depth: 9 }, 2, 40);
    assert!(stopped.iter().all(|record| !matches!(record, Ok(record) if record.verdict == Verdict::Levels)));
    let _ = std::fs::remove_file(folder.path().join("result.json"));
    let record = run(&job, Question::Levels { depth: 2 }, &(), &CancellationToken::after(None)).unwrap();
    assert_eq!(record.verdict, Verdict::Levels);
    assert!(folder.path().join("levels-2/result.json").exists());
    assert!(folder.path().join("process-0-of-2/run.json").exists());
}

/// Two processes have decided more lengths than one is asked about afterwards.
#[test]
fn a_question_about_fewer_moves_than_the_shares_have_answered_is_refused_and_they_stay() {
    let ask = |job: &Job, max_length| run(job, Question::Prove { max_length }, &(), &CancellationToken::after(None));
    let undisturbed = ask(&job(TRIANGLE, "pattern", ""), 22).unwrap();
    for dies_in in (20..).step_by(20) {
        let folder = tempfile::tempdir().unwrap();
        let job = there(&job(TRIANGLE, "pattern", ""), folder.path());
        let ended = together(&job, Question::Prove { max_length: 22 }, 2, dies_in);
        let over = |record: &Record| record.verdict != Verdict::Incomplete;
        assert!(!ended[0].as_ref().is_ok_and(over), "it ended before more than 18 lengths were saved");
        // As if all had been killed before there was a record.
        std::fs::remove_file(folder.path().join("result.json")).unwrap();
        match ask(&job, 18) {
            // It has not come so far.
            Ok(_) => {}
            Err(RunError::Store(StoreError::OtherRun { .. })) => {
                assert!(folder.path().join("process-0-of-2").exists() && folder.path().join("process-1-of-2").exists());
                let went_on = ask(&job, 22).unwrap();
                return assert_eq!(went_on.without_measurements(), undisturbed.without_measurements());
            }
            Err(error) => panic!("{error}"),
        }
    }
}
