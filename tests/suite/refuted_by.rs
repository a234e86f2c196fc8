//! A search that builds on an earlier record (`refuted-by`): its answers, its record, and what `halma check` makes of both.

use halma_engine::search::CancellationToken;
use halma_record::record::{Asked, FileRecord, Record, Verdict};
use halma_rules::job::{EarlierRecord, Job};
use halma_solve::run::{Question, run};

use crate::forgery::{accepts, checked, reseal_run};
use crate::program::{folder, halma};

const HOLE: &str = "kind = 'transfer'\nmoves = 6\nboard = '''\nSS...\nSS...\n..#..\n...TT\n...TT\n'''\n";
const DUEL: &str = "kind = 'game'\nmoves = 6\nboard = '''\nSS..\nS...\n...T\n..TT\n'''\n";
const FROGS: &str = "kind = 'rules'\nboard = 'AAA.BBB'\ngoal = 'BBB.AAA'\nrules = [{ rule = 'A . -> . A', directions = ['right'] }, { rule = 'A B . -> . B A', directions = ['right'] }, { rule = 'B . -> . B', directions = ['left'] }, { rule = 'B A . -> . A B', directions = ['left'] }]\n";

fn job(problem: &str, search: &str) -> Job {
    let text = format!("[problem]\n{problem}[search]\n{search}\n[limits]\nthreads = 1\n");
    Job::parse("job.toml".as_ref(), &text).unwrap_or_else(|fault| panic!("{fault}"))
}

fn answer(job: &Job, question: Question) -> Record {
    let record = run(job, question, &(), &CancellationToken::after(None)).unwrap();
    assert_eq!(record.contradiction(), None);
    record
}

/// The same job, on top of that record.
fn after(mut job: Job, record: &Record) -> Job {
    job.search.refuted_by = Some(EarlierRecord::Read(Box::new(record.clone())));
    job
}

/// A record for which the shorter lengths are refuted by another record, under another pruning. It counts, where the problem is
/// one of armies.
fn built(problem: &str, [first, then]: [&str; 2]) -> Record {
    let question = if problem == FROGS { Question::Solve } else { Question::Count };
    let whole = answer(&job(problem, then), question);
    let most = whole.length.unwrap() - 1;
    let refuted = answer(&job(problem, first), Question::Prove { max_length: most });
    let record = answer(&after(job(problem, then), &refuted), question);
    assert_eq!((record.verdict, record.length, &record.counts), (whole.verdict, whole.length, &whole.counts));
    assert_eq!((record.refuted_up_to, record.lower_bound), (Some(most), whole.lower_bound));
    assert!(record.runs.iter().all(|entry| Some(entry.length) == record.length), "no shorter length was tried");
    record
}

const CASES: [(&str, [&str; 2]); 7] = [
    (HOLE, ["pruning = 'leading'", "pruning = 'pattern'"]),
    (HOLE, ["pruning = 'leading(cap=2)'", "pruning = 'leading(class-look-ahead=2)'"]),
    (HOLE, ["pruning = 'none'", "pruning = 'leading'"]),
    (HOLE, ["pruning = 'narrowed'", "pruning = 'none'"]),
    (DUEL, ["pruning = 'all'", "pruning = 'theorem-1'"]),
    (DUEL, ["pruning = 'none'", "pruning = 'all'"]),
    (FROGS, ["pruning = 'none'", "pruning = 'projection'"]),
];

#[test]
fn an_answer_on_top_of_a_refutation_by_another_pruning_is_the_whole_answer_and_is_verified() {
    for (problem, prunings) in CASES {
        let record = built(problem, prunings);
        let report = checked(&record).unwrap_or_else(|why| panic!("{prunings:?}: {why}"));
        assert_eq!(report.unchecked, [""; 0], "{prunings:?}");
        assert!(
            report.checked.iter().any(|what| what.contains("the record that it builds on, which was checked, too"))
        );
    }
}

/// Its levels serve all lengths, so it has nothing to gain.
#[test]
fn the_search_of_a_puzzle_without_a_bound_builds_on_nothing() {
    let (bounded, unbounded) = (job(FROGS, "pruning = 'projection'"), job(FROGS, "pruning = 'none'"));
    let refuted = answer(&bounded, Question::Prove { max_length: 14 });
    let record = answer(&after(unbounded, &refuted), Question::Count);
    assert_eq!((record.verdict, record.length, &record.refuted_by), (Verdict::Counted, Some(15), &None));
    assert!(accepts(&record), "{:?}", checked(&record));
}

#[test]
fn records_may_build_on_records_that_build_on_others() {
    let (pattern, leading) = (job(HOLE, "pruning = 'pattern'"), job(HOLE, "pruning = 'leading'"));
    let length = answer(&leading, Question::Solve).length.unwrap();
    let first = answer(&pattern, Question::Prove { max_length: length - 2 });
    let second = answer(&after(leading.clone(), &first), Question::Prove { max_length: length - 1 });
    assert_eq!(second.runs.iter().map(|entry| entry.length).collect::<Vec<_>>(), [length - 1]);
    let third = answer(&after(pattern, &second), Question::Solve);
    assert_eq!((third.verdict, third.length, third.runs.len()), (Verdict::Optimal, Some(length), 1));
    assert!(accepts(&third), "{:?}", checked(&third));
    // Those that only pass on what others refute are left out.
    let fourth = answer(&after(job(HOLE, "pruning = 'narrowed'"), &third), Question::Solve);
    assert_eq!(fourth.refuted_by.as_deref(), Some(&second));
    // A record that refutes less than the bound is of no use, and not named.
    let below = Record { runs: Vec::new(), max_length: Some(1), refuted_up_to: Some(1), ..first };
    assert_eq!(below.contradiction(), None);
    let alone = answer(&after(leading, &below), Question::Solve);
    assert!(alone.refuted_by.is_none() && alone.length == Some(length));
}

/// The record with a change of the one that it builds on.
fn with_earlier(record: &Record, change: impl FnOnce(&mut Record)) -> Record {
    let mut forged = record.clone();
    change(forged.refuted_by.as_mut().unwrap());
    forged
}

#[test]
fn a_record_that_builds_on_a_forged_one_is_refused() {
    for (problem, prunings) in CASES {
        let record = built(problem, prunings);
        let earlier = record.refuted_by.as_deref().unwrap();
        let forge = |what: &str, forged: Record| {
            let refused = checked(&forged).map(|report| report.checked).expect_err(what);
            assert!(
                !refused.is_empty() && forged.contradiction().is_some() || refused.contains("refuted_by"),
                "{what}: {refused}"
            );
        };
        // What it refutes, and by what.
        forge("more", with_earlier(&record, |it| it.refuted_up_to = it.refuted_up_to.map(|length| length + 1)));
        forge("fewer", with_earlier(&record, |it| it.refuted_up_to = it.refuted_up_to.map(|length| length - 1)));
        forge("nothing", with_earlier(&record, |it| it.refuted_up_to = None));
        forge("no runs", with_earlier(&record, |it| it.runs.clear()));
        forge("a run left out", with_earlier(&record, |it| drop(it.runs.pop())));
        let digest = |it: &mut Record| {
            let level = it.runs.iter_mut().flat_map(|run| &mut run.levels).rfind(|level| level.states > 0).unwrap();
            level.digest.0 ^= 1;
        };
        forge("another digest", with_earlier(&record, digest));
        // Of what it speaks.
        forge("another format", with_earlier(&record, |it| it.format = 999));
        forge(
            "levels",
            with_earlier(&record, |it| (it.question, it.depth, it.max_length) = (Asked::Levels, Some(3), None)),
        );
        let palindromic = with_earlier(&record, |it| it.palindromic = true);
        assert!(checked(&palindromic).is_err() && palindromic.contradiction().is_some());
        forge("of all lengths", with_earlier(&record, |it| it.exhausted = true));
        let file = FileRecord { name: "levels/L1-001.level".into(), identity: earlier.digest_key.unwrap() };
        forge("level files", with_earlier(&record, |it| it.runs[0].levels[0].file = Some(file)));
        let mut other = record.clone();
        let board = if problem == FROGS { HOLE } else { FROGS };
        other.refuted_by = Some(Box::new(answer(&job(board, ""), Question::Solve)));
        forge("of another problem", other);
        // Without it the lengths that it refutes are missing.
        let mut alone = record.clone();
        alone.refuted_by = None;
        assert!(checked(&alone).is_err() && alone.contradiction().is_some());
    }
}

/// A false refutation of the length that has the solution, with figures that fit, is not believed because it is in an earlier record.
#[test]
fn a_false_refutation_in_the_record_below_refutes_nothing() {
    let solved = answer(&job(HOLE, "pruning = 'leading'"), Question::Solve);
    let length = solved.length.unwrap();
    let mut false_one = solved.clone();
    let run = false_one.runs.last_mut().unwrap();
    run.verdict = Verdict::None;
    reseal_run(run);
    (false_one.verdict, false_one.question, false_one.max_length) = (Verdict::None, Asked::Prove, Some(length));
    (false_one.length, false_one.solution, false_one.refuted_up_to) = (None, None, Some(length));
    let mut above = solved;
    above.runs = Vec::new();
    (above.verdict, above.question, above.max_length) = (Verdict::Incomplete, Asked::Solve, None);
    (above.length, above.solution, above.refuted_up_to) = (None, None, Some(length));
    above.reason = Some("interrupted".into());
    above.refuted_by = Some(Box::new(false_one));
    assert_eq!(above.contradiction(), None);
    let refused = checked(&above).map(|report| report.checked).unwrap_err();
    assert!(refused.starts_with("refuted_by, the record that it builds on: "), "{refused}");
}

const TRIANGLE: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"\n";

#[test]
fn a_run_goes_on_from_its_folder_when_the_record_that_it_builds_on_is_gone() {
    let jobs = folder(&[("job.toml", TRIANGLE)]);
    let here = jobs.path();
    let (status, whole, _) = halma(here, &["count", "job.toml", "--json", "-q"]);
    assert_eq!(status, 0);
    let whole: Record = serde_json::from_str(&whole).unwrap();
    let prove =
        ["prove", "job.toml", "--max-length", "21", "--pruning", "pattern", "--output-dir", "proof", "--keep-levels"];
    assert_eq!(halma(here, &prove).0, 20);
    let count = ["count", "job.toml", "--refuted-by", "proof/result.json", "--output-dir", "run", "--json", "-q"];
    let (status, _, said) = halma(here, &[&count[..], &["--time", "1ms"]].concat());
    assert_eq!(status, 3, "{said}");
    std::fs::remove_dir_all(here.join("proof")).unwrap();
    let (status, text, said) = halma(here, &["resume", "run", "--time", "1h", "--json", "-q"]);
    assert_eq!(status, 0, "{said}");
    let record: Record = serde_json::from_str(&text).unwrap();
    assert_eq!((&record.counts, record.length), (&whole.counts, Some(23)));
    assert_eq!(record.runs.iter().map(|entry| entry.length).collect::<Vec<_>>(), [22, 23, 23]);
    let (status, text, said) = halma(here, &["check", "run"]);
    assert_eq!(status, 0, "{said}");
    assert!(
        text.contains("no solution up to length 21, by the record that it builds on, which was checked, too"),
        "{text}"
    );
    let page = halma(here, &["report", "run", "--output", "page.html"]);
    assert_eq!(page.0, 0, "{}", page.2);
    let page = std::fs::read_to_string(here.join("page.html")).unwrap();
    assert!(
        page.contains("(pattern) shows that no solution has at most 21 moves: these lengths were not tried again.")
    );
}

#[test]
fn another_record_below_is_another_question_and_gets_a_folder_of_its_own() {
    let jobs = folder(&[("job.toml", TRIANGLE)]);
    let here = jobs.path();
    for length in ["20", "21"] {
        let dir = format!("proof-{length}");
        assert_eq!(halma(here, &["prove", "job.toml", "--max-length", length, "--output-dir", &dir]).0, 20);
    }
    let count = ["count", "job.toml", "--output-dir", "run", "-q", "--time", "1ms"];
    // The folders do for the records in them.
    let built = |dir: &str| halma(here, &[&count[..], &["--refuted-by", dir]].concat()).0;
    assert_eq!((built("proof-21"), halma(here, &count).0, built("proof-20"), built("proof-21")), (3, 3, 3, 3));
    for run in ["run", "run/count-leading", "run/count-after-20-leading"] {
        assert!(here.join(run).join("run.json").exists(), "{run}");
    }
    assert_eq!(
        std::fs::read_dir(here.join("run")).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir()).count(),
        3
    );
}

#[test]
fn records_that_are_of_no_use_are_refused_with_their_reason() {
    let jobs = folder(&[("job.toml", TRIANGLE), ("no.json", "{}"), ("frogs.toml", &format!("[problem]\n{FROGS}"))]);
    let here = jobs.path();
    for (args, dir) in [
        (&["solve", "frogs.toml"][..], "frogs"),
        (&["levels", "job.toml", "--depth", "3"], "levels"),
        (&["prove", "job.toml", "--max-length", "22"], "proof"),
    ] {
        halma(here, &[args, &["--output-dir", dir]].concat());
    }
    let refused = |args: &[&str], wanted: &str| {
        let (status, _, said) = halma(here, args);
        assert!(status == 2 || status == 4, "{args:?}: {status}: {said}");
        assert!(said.contains(wanted), "{args:?}: {said}");
    };
    refused(&["count", "job.toml", "--refuted-by", "gone.json"], "gone.json: cannot be read");
    refused(&["count", "job.toml", "--refuted-by", "no.json"], "no.json: damaged record");
    refused(&["count", "job.toml", "--refuted-by", "job.toml"], "job.toml: a job, and no record");
    let other = "frogs/result.json: no search of this job can build on a record that is of another problem";
    refused(&["count", "job.toml", "--refuted-by", "frogs/result.json"], other);
    refused(&["count", "job.toml", "--refuted-by", "levels"], "levels/result.json: no search of this job can build on");
    refused(&["count", "job.toml", "--refuted-by", "proof", "--moves", "4"], "is of another problem (`moves` differs)");
    let fewer = ["prove", "job.toml", "--max-length", "22", "--refuted-by", "proof"];
    refused(&fewer, "proof/result.json: the record says already that no solution has at most 22 moves");
    let stated = format!("{TRIANGLE}[search]\nrefuted-by = \"frogs/result.json\"\n");
    std::fs::write(here.join("stated.toml"), stated).unwrap();
    refused(&["count", "stated.toml"], other);
    // The command line's takes its place, and levels have no use for any.
    assert_eq!(halma(here, &["solve", "stated.toml", "--refuted-by", "proof", "-q"]).0, 0);
    assert_eq!(halma(here, &["levels", "stated.toml", "--depth", "3", "-q"]).0, 0);
}

#[test]
fn prunings_are_compared_on_the_lengths_that_an_earlier_record_leaves() {
    let jobs = folder(&[("job.toml", TRIANGLE)]);
    let here = jobs.path();
    assert_eq!(halma(here, &["prove", "job.toml", "--max-length", "21", "--output-dir", "proof"]).0, 20);
    let compare = ["compare", "job.toml", "--prunings", "pattern,narrowed", "--refuted-by", "proof", "-q"];
    let (status, text, said) = halma(here, &compare);
    assert_eq!(status, 0, "{said}");
    for pruning in ["pattern", "narrowed"] {
        let line = text.lines().find(|line| line.starts_with(&format!("{pruning}: An earlier record"))).unwrap();
        assert!(
            line.ends_with(
                "(leading) shows that no solution has at most 21 moves: these lengths were not tried again."
            )
        );
    }
}

/// A queue in which one job builds on the record of another.
#[test]
fn a_batch_reads_the_record_that_an_earlier_job_of_it_has_written() {
    let first = format!("{TRIANGLE}[search]\nmax-length = 21\n[output]\ndir = 'first'\n");
    let second = format!("{TRIANGLE}[search]\nrefuted-by = 'first'\n[output]\ndir = 'second'\n");
    let jobs = folder(&[("1.toml", &first), ("2.toml", &second)]);
    let here = jobs.path();
    let (status, _, said) = halma(here, &["batch", "1.toml", "2.toml", "-q"]);
    assert_eq!(status, 0, "{said}");
    let record: Record = serde_json::from_slice(&std::fs::read(here.join("second/result.json")).unwrap()).unwrap();
    assert_eq!((record.verdict, record.length, record.runs[0].length), (Verdict::Optimal, Some(23), 22));
}

#[test]
fn no_record_is_written_that_cannot_be_read_again() {
    let solved = answer(&job(HOLE, "pruning = 'leading'"), Question::Solve);
    let unsolvable = |refuted: u32| {
        let mut record = solved.clone();
        record.runs = Vec::new();
        (record.lower_bound, record.refuted_up_to) = (Some(refuted + 1), Some(refuted));
        (record.verdict, record.length, record.solution) = (Verdict::Incomplete, None, None);
        record.reason = Some("interrupted".into());
        record
    };
    let refused = |record: &Record| {
        let job = after(job(HOLE, "pruning = 'leading'"), record);
        run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap_err().to_string()
    };
    // Nothing is left to try after the greatest length.
    let mut last = unsolvable(9_998);
    (last.refuted_up_to, last.runs) =
        (Some(9_999), vec![halma_record::record::LengthRecord::blank(9_999, Verdict::None)]);
    assert_eq!(last.contradiction(), None);
    assert!(refused(&last).contains("none is left to try"), "{}", refused(&last));
    // A chain of records ends long before it is too deep to be read.
    let mut chain = unsolvable(100);
    for refuted in 101..118 {
        let below = Box::new(chain);
        chain = unsolvable(100);
        chain.refuted_by = Some(below);
        chain.refuted_up_to = Some(refuted);
        chain.lower_bound = Some(50);
        chain.runs = vec![halma_record::record::LengthRecord::blank(refuted, Verdict::None)];
    }
    assert!(refused(&chain).contains("builds on 1"), "{}", refused(&chain));
}
