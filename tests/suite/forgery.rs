//! Records to forge, what is true of their problems, and how a forger makes the figures of a record fit again.

use std::path::Path;

use halma_check::{Options, Report, record_holds};
use halma_engine::search::CancellationToken;
use halma_record::record::{Asked, LengthRecord, LevelRecord, Record, Side, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{self, Question};

use crate::oracle::Rules;

/// A problem, a record of it, and what is true.
pub struct Subject {
    pub name: String,
    pub rules: Rules,
    pub record: Record,
}

/// What check says of a record without files.
pub fn checked(record: &Record) -> Result<Report, String> {
    let options = Options { sample: None, budget: 1_000_000, memory: None, progress: &|_| () };
    record_holds(record, Path::new(""), &options).map_err(|why| why.to_string())
}

/// Whether check accepts a record: nothing is wrong, and nothing was left out.
pub fn accepts(record: &Record) -> bool {
    checked(record).is_ok_and(|report| report.unchecked.is_empty())
}

/// The job of a drawn problem, with one thread.
pub fn job(kind: &str, map: &str, moves: u32, jumps_only: bool, search: &str) -> Option<Job> {
    let jumps = if jumps_only { "jumps-only = true" } else { "" };
    let text = format!(
        "[problem]\nkind = '{kind}'\nboard = '''\n{map}\n'''\nmoves = {moves}\n{jumps}\n[search]\n{search}\n[limits]\nthreads = 1\n"
    );
    Job::parse("job.toml".as_ref(), &text).ok()
}

impl Subject {
    /// A problem that was searched; nothing where it cannot be searched like that.
    pub fn new(kind: &str, map: &str, moves: u32, jumps_only: bool, search: &str, question: Question) -> Option<Self> {
        let job = job(kind, map, moves, jumps_only, search)?;
        let record = run::run(&job, question, &(), &CancellationToken::after(None)).unwrap();
        let name = format!("{kind}, {moves} moves, jumps only {jumps_only}, {search}, {question:?}\n{map}");
        let subject = Self { name, rules: Rules::new(map, moves, jumps_only), record };
        assert_eq!(checked(&subject.record).map(|r| r.unchecked), Ok(vec![]), "{}", subject.name);
        assert_eq!(subject.lie(&subject.record), None, "{}", subject.name);
        Some(subject)
    }

    /// The length of a shortest solution of the kind that the record speaks of.
    pub fn shortest(&self, record: &Record) -> Option<u32> {
        let mirror = record.symmetries.as_ref().and_then(|s| s.mirror.as_ref());
        match (record.problem.kind(), mirror) {
            ("game", _) => self.rules.game(),
            (_, Some(mirror)) if record.palindromic => self.rules.palindrome(mirror),
            _ => self.rules.transfer().map(|(length, _)| length),
        }
    }

    /// What a record of this problem says that is not true.
    pub fn lie(&self, record: &Record) -> Option<String> {
        let shortest = self.shortest(record);
        let exists = |up_to: Option<u32>| shortest.zip(up_to).is_some_and(|(shortest, up_to)| shortest <= up_to);
        let lie = |what: String| Some(format!("{what}, and the shortest has {shortest:?}"));
        if record.question == Asked::Levels {
            return None;
        }
        if exists(record.refuted_up_to) {
            return lie(format!("refuted_up_to {:?}", record.refuted_up_to));
        }
        if exists(record.lower_bound.and_then(|bound| bound.checked_sub(1))) {
            return lie(format!("lower_bound {:?}", record.lower_bound));
        }
        let refuted = record.runs.iter().take_while(|run| run.verdict == Verdict::None).last();
        if exists(refuted.map(|run| run.length)) {
            return lie(format!("none of {:?} moves", refuted.map(|run| run.length)));
        }
        match record.verdict {
            Verdict::Optimal | Verdict::Counted if record.length != shortest => {
                lie(format!("optimal, {:?}", record.length))
            }
            Verdict::None if record.exhausted && shortest.is_some() => lie("none at all".into()),
            Verdict::None if !record.exhausted && (exists(record.max_length) || record.max_length.is_none()) => {
                lie(format!("none up to {:?}", record.max_length))
            }
            Verdict::Counted if record.problem.kind() == "transfer" && !record.palindromic => {
                let sequences = self.rules.transfer().map(|(_, ways)| ways.to_string());
                let said = record.counts.as_ref().map(|counts| counts.sequences.to_string());
                (said != sequences).then(|| format!("{said:?} sequences, and there are {sequences:?}"))
            }
            _ => None,
        }
    }
}

/// An empty level, as a search would write it.
pub fn empty(side: Side, depth: u32) -> LevelRecord {
    let digest = halma_record::record::Digest(0);
    LevelRecord {
        depth,
        side,
        states: 0,
        generated: 0,
        pruned: 0,
        duplicates: 0,
        old: 0,
        centroid_max: None,
        digest,
        second_digest: Some(digest),
        file: None,
        seconds: None,
        bytes: None,
    }
}

/// What makes all sums fit again, so that nothing but the levels themselves can tell.
pub fn reseal_run(run: &mut LengthRecord) {
    for level in &mut run.levels {
        if level.depth > 0 {
            let parts = [level.pruned, level.duplicates, level.old, level.states];
            level.generated = parts.into_iter().fold(0, u64::wrapping_add);
        }
    }
    run.generated = run.levels.iter().fold(0, |sum, level| sum.wrapping_add(level.generated));
    run.largest_level = run.levels.iter().map(|level| level.states).max().unwrap_or(0);
    if run.verdict != Verdict::Incomplete {
        (run.self_consistent, run.reason) = (run.verdict != Verdict::None || run.self_consistent, None);
    }
}

/// The same for the whole record: lengths, and the verdict that follows from what the runs say.
pub fn reseal(record: &mut Record) {
    record.runs.iter_mut().for_each(reseal_run);
    let Some(bound) = record.lower_bound else { return };
    let counting = matches!(record.verdict, Verdict::Counted) && record.runs.len() > 1;
    let runs = &record.runs[..record.runs.len() - usize::from(counting)];
    let refuting = runs.iter().take_while(|run| run.verdict == Verdict::None).count();
    let asked = record.max_length.unwrap_or(u32::MAX);
    record.refuted_up_to = match refuting {
        0 => bound.checked_sub(1).map(|l| l.min(asked)),
        n => Some(runs[n - 1].length),
    };
    let solved = runs.last().filter(|run| run.verdict == Verdict::Solution).map(|run| run.length);
    let all = refuting + usize::from(solved.is_some()) == runs.len();
    record.length = solved;
    if solved.is_none() {
        (record.solution, record.counts) = (None, None);
    }
    let enough = record.exhausted || record.max_length.is_some() && record.refuted_up_to >= record.max_length;
    record.verdict = match (solved.is_some(), all, record.question) {
        (true, true, Asked::Solve) => Verdict::Optimal,
        (true, true, Asked::Count) => Verdict::Counted,
        (true, ..) => Verdict::Solution,
        (false, true, _) if enough => Verdict::None,
        _ => Verdict::Incomplete,
    };
    if record.verdict != Verdict::Counted {
        record.counts = None;
    }
    record.exhausted &= record.verdict == Verdict::None;
    record.reason = record.reason.take().filter(|_| record.verdict == Verdict::Incomplete);
}
