//! `halma check` and the search share no code: on small boards they agree, under every pruning, on every level of every
//! length and on the least length that a bound leaves. A bound that cuts less than it should is caught here too.

use std::path::Path;

use halma_check::{Options, Report, record_holds};
use halma_engine::search::CancellationToken;
use halma_record::record::{Count, Counts, Record};
use halma_rules::job::Job;
use halma_solve::run::{self, Question};

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

const OPTIONS: Options = Options { sample: None, budget: u64::MAX, memory: None, progress: &|_| () };

/// The record of a search, and what check says of it: all of it holds. Nothing where what is asked for needs a mirror and there
/// is none.
fn checked(line: &str, search: &str, question: Question) -> Option<(Record, Report)> {
    let job = format!("{}[search]\n{search}\n[limits]\nthreads = 1\n", problem(line));
    let job = match Job::parse("job.toml".as_ref(), &job) {
        Ok(job) => job,
        Err(fault) => {
            let fault = fault.to_string();
            assert!(fault.contains("mirror"), "{job}{fault}");
            return None;
        }
    };
    let record = run::run(&job, question, &(), &CancellationToken::after(None)).unwrap();
    let report = record_holds(&record, Path::new(""), &OPTIONS);
    let report = report.unwrap_or_else(|why| panic!("{line}: {search}: {why}"));
    assert_eq!(report.unchecked, Vec::<String>::new(), "{line}: {search}");
    Some((record, report))
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
        "leading(look-ahead=5,least=2)",
        "leading(class-look-ahead=3)",
        "leading(classes=4,cap=2)",
        "leading(weights=3/0/5/4)",
        "narrowed",
        "mcc(c=2)",
        "truncate(100000,1)",
    ];
    let mut bounds = 0;
    for line in text.lines().filter(|l| !l.starts_with("# ")) {
        let mut lengths = [None; 2];
        for (pruning, palindromic) in prunings.iter().flat_map(|p| [(p, false), (p, true)]) {
            let search = format!("pruning = '{pruning}'\npalindromic = {palindromic}");
            let question = Question::Prove { max_length: LONGEST };
            let Some((record, report)) = checked(line, &search, question) else { continue };
            let length = *lengths[usize::from(palindromic)].get_or_insert(record.length);
            assert_eq!(record.length, length, "{line}: {search}");
            for said in report.checked.iter().filter_map(|c| c.strip_prefix("no solution below length ")) {
                let (said, derived) = said.split_once(", by a bound derived again: ").unwrap();
                assert_eq!(said, derived, "{line}: {pruning}");
                bounds += 1;
            }
        }
    }
    assert!(bounds > 200);
}

#[test]
fn check_counts_what_count_counts_and_refuses_other_numbers() {
    let text = std::fs::read_to_string("tests/shortest.txt").unwrap();
    let (mut counted, mut refused) = (0, 0);
    for line in text.lines().filter(|l| !l.starts_with("# ")) {
        for (palindromic, pruning) in [(false, "leading"), (false, "theorem-1"), (true, "leading")] {
            let search = format!("pruning = '{pruning}'\npalindromic = {palindromic}\nmax-length = {LONGEST}");
            let Some((mut record, report)) = checked(line, &search, Question::Count) else { continue };
            let Some(counts) = record.counts.clone() else { continue };
            let (all, classes) = (&counts.sequences, &counts.up_to_symmetry);
            let said = format!("how many there are: counted again, {all}, {classes} up to symmetry under K of order ");
            assert!(report.checked.iter().any(|told| told.starts_with(&said)), "{line}: {:?}", report.checked);
            counted += 1;
            // One more of each in turn.
            let more = |count: &Count| Count::from(count.to_string().parse::<u128>().unwrap() + 1);
            let edits: [fn(&mut Counts) -> Option<&mut Count>; 5] = [
                |c| Some(&mut c.sequences),
                |c| Some(&mut c.up_to_symmetry),
                |c| c.up_to_reversal.as_mut(),
                |c| c.palindromic.as_mut(),
                |c| c.palindromic_up_to_symmetry.as_mut(),
            ];
            for edit in edits {
                let mut edited = counts.clone();
                let Some(number) = edit(&mut edited) else { continue };
                *number = more(number);
                record.counts = Some(edited);
                let why = record_holds(&record, Path::new(""), &OPTIONS).unwrap_err().to_string();
                assert!(why.starts_with("counts."), "{line}: {:?}: {why}", record.counts);
                refused += 1;
            }
        }
    }
    assert!(counted > 60 && refused > 200, "{counted}, {refused}");
}
