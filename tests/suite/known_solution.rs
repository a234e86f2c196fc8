//! A search that is stopped keeps the solution that it knows: one that need not be shortest.

use std::sync::atomic::{AtomicU32, Ordering};

use halma_engine::search::{CancellationToken, Watch};
use halma_record::record::{Record, Verdict};
use halma_rules::job::Job;
use halma_rules::replay::Checked;
use halma_solve::run::{Question, run};
use halma_solve::solve::{LevelFigures, Progress};
use tempfile::TempDir;

use crate::forgery::checked;
use crate::program;

const JOB: &str =
    "[problem]\nkind = 'transfer'\nboard = '9x9'\narmy = 'triangle-3'\nmoves = 4\n[limits]\nthreads = 1\n";
/// The paper's Table 3, problem 1.
const SHORTEST: u32 = 25;

/// Asks for a stop after so many levels.
struct Stops(AtomicU32, CancellationToken);

impl Watch for Stops {}

impl Progress for Stops {
    fn level(&self, _: &LevelFigures) {
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.1.request();
        }
    }
}

/// The search of this job, stopped after so many levels.
fn stopped_after(levels: u32, folder: &TempDir) -> Record {
    let mut job = Job::parse("job.toml".as_ref(), JOB).unwrap();
    job.output.dir = Some(folder.path().into());
    let stops = Stops(AtomicU32::new(levels), CancellationToken::after(None));
    run(&job, Question::Solve, &stops, &stops.1).unwrap()
}

/// The first such record that knows a solution, and has refuted at least one length by levels.
fn knowing(folder: &TempDir) -> Record {
    let knows = |record: &Record| record.known_solution.is_some() && record.refuted_up_to >= record.lower_bound;
    (1..500)
        .map(|levels| stopped_after(levels, folder))
        .find(knows)
        .expect("a search that knew a solution when it was stopped")
}

#[test]
fn wherever_a_search_is_stopped_what_it_knows_is_a_solution_longer_than_what_is_refuted() {
    let (mut knew, mut levels) = (0, 1);
    loop {
        let folder = tempfile::tempdir().unwrap();
        let record = stopped_after(levels, &folder);
        if record.verdict != Verdict::Incomplete {
            assert_eq!((record.length, record.known_solution), (Some(SHORTEST), None));
            break;
        }
        assert_eq!(record.contradiction(), None);
        assert_eq!(record.length, None);
        if let Some(moves) = &record.known_solution {
            knew += 1;
            let known = moves.len() as u32;
            assert!(known >= SHORTEST && record.refuted_up_to.is_none_or(|refuted| refuted < known), "{known}");
            let replayed = Checked::from_record("result.json".as_ref(), &record);
            assert!(replayed.is_ok_and(|it| it.summary().contains(&format!("in {known} moves"))), "{moves:?}");
        }
        assert!(checked(&record).is_ok(), "{levels} levels: {:?}", checked(&record));
        levels += 7;
    }
    assert!(knew > 5, "{knew}");
}

#[test]
fn it_is_told_replayed_and_checked_and_the_run_goes_on_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let record = knowing(&folder);
    let (known, refuted) = (record.known_solution.as_ref().unwrap().len(), record.refuted_up_to.unwrap());
    let path = folder.path().to_str().unwrap();
    let halma = |args: &[&str]| program::halma(".", args);
    let (status, said, _) = halma(&["status", path]);
    let told = format!(
        "No solution of at most {refuted} moves exists, and one of {known} moves is known; whether one is shorter"
    );
    assert!(status == 3 && said.contains(&told), "{said}");
    let (status, said, fault) = halma(&["replay", path]);
    assert!(status == 0 && said.contains(&format!("6 men reach the target in {known} moves")), "{said}{fault}");
    let (_, said, fault) = halma(&["check", path, "-q"]);
    assert!(said.contains(&format!("the known solution plays, {known} moves")), "{said}{fault}");
    assert!(
        said.contains(&format!(
            "there is a solution of {known} moves; there is no solution of at most {refuted} moves"
        ))
    );
    let (status, page, fault) = halma(&["report", path]);
    let needed =
        format!("A solution needs at least {} moves; this search decides nothing between the two.", refuted + 1);
    assert!(status == 0 && page.contains(&needed), "{fault}");
    let (status, said, fault) = halma(&["resume", path, "-q"]);
    assert!(status == 0 && said.contains("The shortest solution has 25 moves"), "{said}{fault}");
    assert_eq!(Record::read(&folder.path().join("result.json")).unwrap().known_solution, None);
}

#[test]
fn a_known_solution_that_is_none_or_does_not_belong_there_is_refused() {
    let record = knowing(&tempfile::tempdir().unwrap());
    assert!(checked(&record).is_ok());
    type Change = fn(&mut Record);
    let changes: [(&str, Change); 7] = [
        ("the target is filled before it", |r| {
            let known = r.known_solution.as_mut().unwrap();
            let last = known[known.len() - 1].clone();
            let back: Vec<&str> = last.split('-').rev().collect();
            known.extend([back.join("-"), last]);
        }),
        ("it does not end in the target", |r| drop(r.known_solution.as_mut().unwrap().pop())),
        ("known_solution, move 1", |r| r.known_solution.as_mut().unwrap()[0] = "a1-b1".into()),
        ("are refuted", |r| r.known_solution.as_mut().unwrap().truncate(r.refuted_up_to.unwrap() as usize)),
        ("only a search of a transfer", |r| r.verdict = Verdict::Optimal),
        ("only a search of a transfer", |r| (r.solution, r.length) = (r.known_solution.clone(), Some(SHORTEST))),
        ("does not mirror", |r| r.palindromic = true),
    ];
    for (why, change) in changes {
        let mut forged = record.clone();
        // The last change alone is of a record that would hold otherwise.
        forged.reason = None;
        change(&mut forged);
        let said = checked(&forged).expect_err(why);
        assert!(said.contains(why), "{why}: {said}");
    }
    let whole =
        run(&Job::parse("job.toml".as_ref(), JOB).unwrap(), Question::Solve, &(), &CancellationToken::after(None));
    let whole = whole.unwrap();
    let finished = Record { known_solution: whole.solution.clone(), ..whole };
    assert!(finished.contradiction().is_some() && checked(&finished).is_err());
}
