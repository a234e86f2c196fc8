//! `halma check` and the search share no code: on small boards they agree, under every pruning, on every level of every
//! length and on the least length that a bound leaves. A bound that cuts less than it should is caught here too.

#![allow(clippy::unwrap_used, reason = "tests may panic; clippy sees only #[test] functions as tests")]

use std::path::Path;

use halma::check::{Options, record_holds};
use halma::job::Job;
use halma::run::{self, Question};
use halma::search::Stop;

/// The longest shortest solution in the file, and some.
const LONGEST: u32 = 14;

/// A line of tests/shortest.txt as the problem of a job.
fn problem(line: &str) -> String {
    let [map, moves, start, target, jumps_only, ..] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
    let men = |names: &str| format!("['{}']", names.replace(',', "', '"));
    let (map, start, target) = (map.replace('/', "\n"), men(start), men(target));
    format!(
        "[problem]\nkind = 'transfer'\nboard = '''\n{map}\n'''\nmoves = {moves}\narmy = {start}\ntarget = {target}\n\
         jumps-only = {jumps_only}\n"
    )
}

#[test]
fn what_every_pruning_searches_is_what_check_derives() {
    let text = std::fs::read_to_string("tests/shortest.txt").unwrap();
    let prunings = [
        "none",
        "theorem-1",
        "pattern",
        "leading",
        "leading(cap=1)",
        "leading(classes=4,cap=2)",
        "narrowed",
        "mcc(c=2)",
        "truncate(100000,1)",
    ];
    let mut bounds = 0;
    for line in text.lines().filter(|l| !l.starts_with("# ")) {
        let mut lengths = [None; 2];
        for (pruning, palindromic) in prunings.iter().flat_map(|p| [(p, false), (p, true)]) {
            let job = format!(
                "{}[search]\npruning = '{pruning}'\npalindromic = {palindromic}\n[limits]\nthreads = 1\n",
                problem(line)
            );
            let job = match Job::parse("job.toml".as_ref(), &job) {
                Ok(job) => job,
                // What needs a mirror, and jumps that lead to no target of these types.
                Err(fault) => {
                    let fault = fault.to_string();
                    assert!(fault.contains("mirror") || fault.contains("jumps keep a man's type"), "{job}{fault}");
                    continue;
                }
            };
            let record = run::run(&job, Question::Prove { max_length: LONGEST }, &(), &Stop::after(None)).unwrap();
            let length = *lengths[usize::from(palindromic)].get_or_insert(record.length);
            assert_eq!(record.length, length, "{line}: {pruning}, {palindromic}");
            let options = Options { sample: None, budget: u64::MAX, progress: &|_| () };
            let report = record_holds(&record, Path::new(""), &options);
            let report = report.unwrap_or_else(|why| panic!("{line}: {pruning}, {palindromic}: {why}"));
            assert_eq!(report.unchecked, Vec::<String>::new(), "{line}: {pruning}, {palindromic}");
            for said in report.checked.iter().filter_map(|c| c.strip_prefix("no solution below length ")) {
                let (said, derived) = said.split_once(", by a bound derived again: ").unwrap();
                assert_eq!(said, derived, "{line}: {pruning}");
                bounds += 1;
            }
        }
    }
    assert!(bounds > 200);
}
