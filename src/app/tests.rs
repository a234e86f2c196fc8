use std::path::Path;

use halma_check::{Options, Rejection, RejectionKind, Report};
use halma_engine::search::CancellationToken;
use halma_record::record::{LengthRecord, Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{Question, run};

use super::*;

/// A number is doubled, or one of the steps is added, until it is the one that is wanted.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    from: u64,
    wanted: u64,
    steps: Vec<u64>,
    /// What its bound is multiplied by: by more than 1 it is none.
    #[serde(default)]
    times: Option<u32>,
    /// Whether it has a bug.
    #[serde(default)]
    panics: bool,
}

impl Numbers {
    fn next(&self, number: u64) -> impl Iterator<Item = u64> {
        self.steps.iter().map(move |step| number + step).chain([2 * number])
    }
}

impl OwnPuzzle for Numbers {
    type Key = u64;

    fn starts(&self) -> Vec<u64> {
        vec![self.from]
    }

    fn after(&self, state: u64, out: &mut Vec<u64>) {
        assert!(!self.panics, "no number comes after {state}");
        out.extend(self.next(state).filter(|&next| next <= 2 * self.wanted));
    }

    fn is_goal(&self, state: u64) -> bool {
        state == self.wanted
    }

    /// Moves of the greatest gain; numbers never fall.
    fn bound(&self, state: u64) -> u32 {
        let greatest = |number: &u64| self.next(*number).max();
        let moves = std::iter::successors(Some(state), greatest).take_while(|number| *number < self.wanted).count();
        if state > self.wanted { u32::MAX } else { self.times.unwrap_or(1) * moves as u32 }
    }
}

fn numbers(table: &str, search: &str) -> Job {
    let one = app().kind::<Numbers>("numbers");
    kinds::add(one.kinds);
    verified::add(one.verified);
    Job::parse("a.toml".as_ref(), &format!("[problem]\nkind = \"numbers\"\n{table}\n[search]\n{search}\n")).unwrap()
}

fn answer(table: &str, search: &str) -> Record {
    run(&numbers(table, search), Question::Solve, &(), &CancellationToken::after(None)).unwrap()
}

fn check(record: &Record, budget: u64) -> Result<Report, Rejection> {
    halma_check::record_holds(record, Path::new(""), &Options { sample: None, budget, memory: None, progress: &|_| {} })
}

fn states(record: &Record) -> u64 {
    record.runs.iter().flat_map(|run| &run.levels).map(|level| level.states).sum()
}

#[test]
fn a_verdict_under_a_bound_of_its_own_is_derived_without_it() {
    for wanted in [1, 2, 24, 100, 1023] {
        let table = format!("from = 1\nwanted = {wanted}\nsteps = [1, 7]");
        let [plain, bounded] = ["none", "bound"].map(|pruning| answer(&table, &format!("pruning = \"{pruning}\"")));
        assert_eq!((plain.verdict, plain.length), (Verdict::Optimal, bounded.length), "{wanted}");
        assert!(wanted < 100 || states(&bounded) < states(&plain), "{wanted}");
        for record in [plain, bounded] {
            let report = check(&record, 1_000_000).unwrap();
            assert_eq!(report.unchecked, Vec::<String>::new(), "{wanted}");
            let says = report.checked.iter().any(|line| line.contains("without the puzzle's bound"));
            assert_eq!(says, record.pruning == halma_record::job::Pruning::Bound, "{wanted}: {:?}", report.checked);
        }
    }
}

#[test]
fn what_has_no_solution_is_seen_to_have_none_without_the_bound() {
    // Odd numbers are not reached from 2.
    let record = answer("from = 2\nwanted = 41\nsteps = [2]", "pruning = \"bound\"");
    assert_eq!((record.verdict, record.exhausted), (Verdict::None, true));
    assert_eq!(check(&record, 1_000_000).unwrap().unchecked, Vec::<String>::new());
    // Nothing leads down, and the bound knows that before a level is made.
    let record = answer("from = 5\nwanted = 4\nsteps = [2]", "pruning = \"bound\"");
    assert_eq!((record.verdict, record.lower_bound), (Verdict::None, None));
    let said = "There is no solution of any length: the puzzle's bound leaves none from the start.";
    assert_eq!(crate::report::sentence(&record), said);
    assert_eq!(check(&record, 1_000_000).unwrap().unchecked, Vec::<String>::new());
    // The same is not believed where there is a way.
    let mut forged = answer("from = 1\nwanted = 24\nsteps = [1]", "pruning = \"bound\"");
    let nothing = |record: &mut Record| {
        (record.verdict, record.exhausted, record.length) = (Verdict::None, true, None);
        (record.solution, record.refuted_up_to, record.lower_bound) = (None, None, None);
        record.runs.clear();
    };
    nothing(&mut forged);
    assert_eq!(check(&forged, 1_000_000).unwrap_err().kind, RejectionKind::Verdict);
}

#[test]
fn forged_verdicts_under_a_bound_of_its_own_are_refused() {
    let record = answer("from = 1\nwanted = 24\nsteps = [1]", "pruning = \"bound\"");
    let way = |numbers: &[u64]| Some(numbers.iter().map(u64::to_string).collect::<Vec<_>>());
    assert_eq!((record.length, record.solution.clone()), (Some(5), way(&[2, 3, 6, 12, 24])));
    let refused = |forge: &dyn Fn(&mut Record)| {
        let mut forged = record.clone();
        forge(&mut forged);
        let rejection = check(&forged, 1_000_000).unwrap_err();
        (rejection.kind, rejection.place.length)
    };
    let last = |record: &mut Record| -> LengthRecord { record.runs.last().unwrap().clone() };
    // It is hidden, or a longer way is said to be the shortest one.
    let hidden = |r: &mut Record| {
        r.runs.last_mut().unwrap().verdict = Verdict::None;
        (r.verdict, r.length, r.solution) = (Verdict::None, None, None);
        (r.refuted_up_to, r.max_length) = (Some(5), Some(5));
    };
    assert_eq!(refused(&hidden), (RejectionKind::Verdict, Some(5)));
    let longer = |r: &mut Record| {
        let mut next = last(r);
        next.length = 6;
        r.runs.last_mut().unwrap().verdict = Verdict::None;
        r.runs.push(next);
        (r.length, r.refuted_up_to, r.solution) = (Some(6), Some(5), way(&[2, 4, 5, 6, 12, 24]));
    };
    assert_eq!(refused(&longer), (RejectionKind::Verdict, Some(5)));
    // No way at all, or one of another length.
    assert_eq!(refused(&|r| r.solution = way(&[2, 3, 6, 13, 24])), (RejectionKind::Solution, Some(5)));
    assert_eq!(refused(&|r| r.solution = way(&[2, 3, 6, 12, 13])), (RejectionKind::Solution, Some(5)));
    let shorter = |r: &mut Record| {
        r.runs.last_mut().unwrap().length = 4;
        (r.length, r.refuted_up_to, r.lower_bound) = (Some(4), Some(3), Some(4));
        r.solution = way(&[3, 6, 12, 24]);
    };
    assert_eq!(refused(&shorter), (RejectionKind::Solution, Some(4)));
}

/// Its own word is not enough: what it cut wrongly is found.
#[test]
fn a_bound_that_is_none_does_not_hide_a_solution() {
    let record = answer("from = 1\nwanted = 24\nsteps = [1]\ntimes = 2", "pruning = \"bound\"\nmax-length = 12");
    assert!(record.verdict == Verdict::None && record.refuted_up_to >= Some(10), "{record:?}");
    let rejection = check(&record, 1_000_000).unwrap_err();
    assert_eq!((rejection.kind, rejection.place.length), (RejectionKind::Verdict, Some(5)));
    assert_eq!(rejection.place.state.as_deref(), Some("24"));
}

#[test]
fn what_is_too_much_to_derive_without_the_bound_is_named() {
    let record = answer("from = 1\nwanted = 1023\nsteps = [1, 7]", "pruning = \"bound\"");
    let report = check(&record, 20).unwrap();
    assert_eq!(report.unchecked.len(), 1, "{:?}", report.unchecked);
    assert!(report.unchecked[0].contains("without the bound"));
}

/// In a process of its own, which has this variable: the hook for panics is the process's, and so is standard error.
#[test]
fn a_panic_is_told_in_the_form_of_the_progress_and_ends_in_failure() {
    const FORM: &str = "HALMA_TEST_OF_PANICS";
    const JOB: &str =
        "[problem]\nkind = \"numbers\"\nfrom = 1\nwanted = 9\nsteps = [1]\npanics = true\n[limits]\nthreads = 1\n";
    let folder = tempfile::tempdir().unwrap();
    if let Ok(form) = std::env::var(FORM) {
        kinds::add(app().kind::<Numbers>("numbers").kinds);
        std::fs::write(folder.path().join("job.toml"), JOB).unwrap();
        let job = folder.path().join("job.toml").display().to_string();
        let cli = <Cli as clap::Parser>::try_parse_from(["halma", "solve", &job, "--progress", &form]).unwrap();
        assert_eq!(outcome(&cli), Exit::Failed);
        return;
    }
    let name = "app::tests::a_panic_is_told_in_the_form_of_the_progress_and_ends_in_failure";
    let told = |form: &str| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let output = command.args(["--exact", name, "--nocapture"]).env(FORM, form).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let text = told("lines");
    assert!(text.contains("a bug, no answer: panicked at") && text.contains("no number comes after 1"), "{text}");
    let text = told("json");
    let events: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let [.., note, done] = &events[..] else { panic!("{text}") };
    assert!(note["event"] == "note" && note["text"].as_str().unwrap().contains("no number comes after 1"), "{text}");
    assert_eq!((&done["event"], &done["exit"]), (&"done".into(), &1.into()), "{text}");
}
