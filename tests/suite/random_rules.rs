//! Puzzles by random rules: the verifier, which has code of its own for what a move is, accepts every record of the search.

use std::path::Path;

use halma_check::{Options, RejectionKind, Report};
use halma_engine::search::CancellationToken;
use halma_record::record::{Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{Question, run};
use proptest::prelude::*;

fn job(text: &str) -> Result<Job, String> {
    Job::parse("rules.toml".as_ref(), text).map_err(|fault| fault.to_string())
}

fn answer(job: &Job, question: Question) -> Record {
    run(job, question, &(), &CancellationToken::after(None)).unwrap()
}

fn check(record: &Record) -> Result<Report, halma_check::Rejection> {
    let options = Options { sample: None, budget: 20_000_000, memory: None, progress: &|_| {} };
    halma_check::record_holds(record, Path::new(""), &options)
}

/// Blue may walk to and fro by the free rule, and so pass his turn.
const PASSES: &str = r#"
    [problem]
    kind = "rules"
    board = "A.#B."
    goal = { at = { e1 = "B", a1 = "A" } }
    rules = [
        { rule = "A . -> . A", turn = 1 },
        { rule = "B . -> . B", turn = 2 },
        { rule = "A . -> . A", turn = 1, free = true },
    ]
"#;

/// A move that leads back to the same letters leads to another state where sides take turns.
#[test]
fn a_side_that_can_walk_freely_and_come_back_may_pass() {
    let record = answer(&job(PASSES).unwrap(), Question::Solve);
    assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(2)));
    check(&record).unwrap();
    // Without the free rule it takes three moves, and that is no answer to the job with it.
    let forced = PASSES.replace(r#"{ rule = "A . -> . A", turn = 1, free = true },"#, "");
    let mut forged = answer(&job(&forced).unwrap(), Question::Solve);
    assert_eq!(forged.length, Some(3));
    check(&forged).unwrap();
    forged.problem = record.problem;
    let rejection = check(&forged).map(|report| report.checked).unwrap_err();
    assert!(
        matches!(rejection.kind, RejectionKind::Figures | RejectionKind::Levels | RejectionKind::Verdict),
        "{rejection:?}"
    );
}

/// A rule as a table of TOML: its sides, what may follow it, its directions.
fn rule() -> impl Strategy<Value = String> {
    let letter = || prop::sample::select(&["A", "B", ".", "*", "x"][..]);
    let plain = || prop::sample::select(&["A", "B", "."][..]);
    let sides = (prop::collection::vec(letter(), 2..4), prop::collection::vec(plain(), 3));
    let follow = prop::sample::select(&["", "chain = true", "free = true", "until = 'any'", "until = 'blocked'"][..]);
    (sides, follow, prop::sample::select(&[4u8, 6, 8][..])).prop_map(|((left, mut right), follow, directions)| {
        right.truncate(left.len());
        // What the first class matched goes to the last place, if the left side has one.
        if let (Some(class), Some(last)) = (left.iter().find(|l| "*x".contains(**l)), right.last_mut()) {
            *last = class;
        }
        let comma = if follow.is_empty() { "" } else { ", " };
        format!("rule = '{} -> {}', directions = {directions}{comma}{follow}", left.join(" "), right.join(" "))
    })
}

proptest! {
    #[test]
    fn what_the_search_says_of_random_rules_is_accepted(
        rules in prop::collection::vec((rule(), 1u8..=2), 1..5),
        turns in any::<bool>(),
        cells in "[AB.]{6}",
        goal in "[AB.]{6}",
        row in any::<bool>(),
    ) {
        // A row is long enough for a repetition.
        let map = |cells: &str| if row { cells.to_string() } else { format!("{}\\n{}#", &cells[..3], &cells[3..5]) };
        let rules: Vec<String> = rules.iter().map(|(rule, turn)| match turns {
            true => format!("{{ {rule}, turn = {turn} }}"),
            false => format!("{{ {rule} }}"),
        }).collect();
        let text = format!(
            "[problem]\nkind = \"rules\"\nboard = \"{}\"\nlegend = {{ x = \"AB\" }}\nrules = [{}]\ngoal = \"{}\"\n[limits]\nthreads = 1\n",
            map(&cells), rules.join(", "), map(&goal)
        );
        // Rules that make no sense are refused.
        let Ok(job) = job(&text) else { return Ok(()) };
        for question in [Question::Levels { depth: 6 }, Question::Prove { max_length: 8 }] {
            let record = answer(&job, question);
            let said = check(&record).map(|report| report.unchecked);
            prop_assert!(said.as_ref().is_ok_and(Vec::is_empty), "{}: {:?}", text, said.err());
        }
    }
}
