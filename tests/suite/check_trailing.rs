//! Trailing levels, which come to meet following levels that end before the target: sound ones hold, and forged ones are refused,
//! derived again, from their files, and of a sample.

use std::path::Path;
use std::time::Duration;

use halma_check::{Options, record_holds};
use halma_engine::search::{CancellationToken, digest};
use halma_engine::store::workspace::Disk;
use halma_engine::store::{Level, file};
use halma_record::record::{Digest, FileRecord, LengthRecord, LevelRecord, Record, Side, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{self, Question};
use tempfile::TempDir;

use crate::forgery::{empty, reseal, reseal_run};

const SIX: &str = "board = '9x9'\narmy = 'triangle-3'";
/// The first length that has solutions is odd, like that of six men, and they are counted in a tenth of the time.
const FIVE: &str = "board = '''\nSSS.....\nSS......\n........\n........\n........\n........\n......TT\n.....TTT\n'''";

/// Looks ahead are short, so that levels are soon met from behind.
fn job(men: &str, moves: u32, pruning: &str) -> Job {
    let text = format!(
        "[problem]\nkind = 'transfer'\n{men}\nmoves = {moves}\n[search]\npruning = '{pruning}'\n[limits]\nthreads = 2\n"
    );
    Job::parse("job.toml".as_ref(), &text).unwrap()
}

/// That there is no solution of so many moves, without levels and with them in a folder.
struct Proved {
    plain: Record,
    kept: Record,
    folder: TempDir,
}

impl Proved {
    fn new(men: &str, moves: u32, pruning: &str, max_length: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut job = job(men, moves, pruning);
        let prove =
            |job: &Job| run::run(job, Question::Prove { max_length }, &(), &CancellationToken::after(None)).unwrap();
        let plain = prove(&job);
        job.output.dir = Some(folder.path().into());
        job.output.keep_levels = true;
        let proved = Self { plain, kept: prove(&job), folder };
        assert_eq!(proved.plain.verdict, Verdict::None);
        assert!(trailing(&proved.plain).is_some(), "there are trailing levels");
        proved
    }

    /// What check says of a record, of its files where it has some.
    fn said(&self, record: &Record, sample: Option<u64>) -> Result<(), String> {
        let options = Options { sample, budget: u64::MAX, memory: None, progress: &|_| () };
        let report = record_holds(record, self.folder.path(), &options).map_err(|why| why.to_string())?;
        assert_eq!(report.unchecked, Vec::<String>::new());
        Ok(())
    }

    /// The record that a change makes, derived again and of a sample of its files; and with all of these where it is `closed`.
    fn refused(&self, name: &str, closed: bool, change: &dyn Fn(&mut Record)) {
        self.refused_of(7, name, closed, change);
    }

    /// The same with samples of that size.
    fn refused_of(&self, sample: u64, name: &str, closed: bool, change: &dyn Fn(&mut Record)) {
        let ways = [(&self.plain, None), (&self.kept, Some(sample)), (&self.kept, None)];
        for (record, sample) in ways.into_iter().take(2 + usize::from(closed)) {
            let mut forged = record.clone();
            change(&mut forged);
            forged.runs.iter_mut().for_each(reseal_run);
            assert_ne!(forged, *record, "{name}");
            self.with_files(&mut forged);
            assert!(self.said(&forged, sample).is_err(), "{name}, sample {sample:?}\n{}", forged.to_json().unwrap());
        }
    }

    /// Gives every empty level a file of its own, where the others have files.
    fn with_files(&self, forged: &mut Record) {
        let levels = || forged.runs.iter().flat_map(|run| &run.levels);
        if levels().all(|level| level.file.is_none()) {
            return;
        }
        let (name, identity) = ("empty".to_string(), Digest(7));
        let path = self.folder.path().join(&name);
        let none: Level<u64> = Level::of(vec![]);
        if !path.exists() {
            file::write(&path, identity.0, &none, 0, &Disk::new(None)).unwrap();
        }
        for level in forged.runs.iter_mut().flat_map(|run| &mut run.levels).filter(|level| level.states == 0) {
            level.file = Some(FileRecord { name: name.clone(), identity });
        }
    }
}

/// The last run that has trailing levels, and the place of the first of these.
fn trailing(record: &Record) -> Option<(usize, usize)> {
    let first = |run: &LengthRecord| run.levels.iter().position(|level| level.side == Side::Trailing);
    record.runs.iter().enumerate().filter_map(|(at, run)| Some((at, first(run)?))).next_back()
}

/// The levels before, and the trailing ones.
fn parts(record: &mut Record) -> (&mut LengthRecord, usize) {
    let (run, first) = trailing(record).unwrap();
    (&mut record.runs[run], first)
}

const PRUNING: &str = "leading(classes=12,look-ahead=1)";

/// The last trailing level is empty in the first case, and met in vain in the second.
const CASES: [(u32, u32); 2] = [(6, 22), (4, 24)];

#[test]
fn sound_trailing_levels_hold() {
    for (moves, max_length) in CASES {
        let proved = Proved::new(SIX, moves, PRUNING, max_length);
        for (record, sample) in [(&proved.plain, None), (&proved.kept, None), (&proved.kept, Some(7))] {
            assert_eq!(proved.said(record, sample), Ok(()), "{moves}");
        }
    }
}

/// The search decides an even length together with the odd one above it, and the count makes following levels of that
/// one alone. Neither may take up the other's levels where they are kept, nor those of a run that was stopped.
#[test]
fn counts_hold_whose_levels_are_kept() {
    count_and_check((FIVE, 4, 19, "360"), PRUNING, true, None);
}

#[test]
#[ignore = "a minute"]
fn counts_of_six_men_hold_whose_levels_are_kept() {
    count_and_check((SIX, 6, 23, "448"), PRUNING, true, None);
}

#[test]
#[ignore = "half a minute"]
fn counts_under_the_default_hold_whose_levels_are_kept() {
    count_and_check((SIX, 6, 23, "448"), "leading", false, Some(7));
}

/// The men, their rule, and the length and number of the shortest solutions.
fn count_and_check(
    (men, moves, length, number): (&str, u32, u32, &str),
    pruning: &str,
    stopped: bool,
    sample: Option<u64>,
) {
    let count = |job: &Job, cancel: CancellationToken| run::run(job, Question::Count, &(), &cancel).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut job = job(men, moves, pruning);
    (job.output.dir, job.output.keep_levels) = (Some(folder.path().into()), true);
    job.limits.checkpoint = Some(Duration::ZERO);
    let mut milliseconds = if stopped { 5 } else { 1 << 30 };
    let record = loop {
        let record = count(&job, CancellationToken::after(Some(Duration::from_millis(milliseconds))));
        if record.verdict != Verdict::Incomplete {
            break record;
        }
        milliseconds = milliseconds * 3 / 2;
    };
    let said = (record.verdict, record.length, &*record.counts.as_ref().unwrap().sequences.to_string());
    assert_eq!(said, (Verdict::Counted, Some(length), number), "{pruning}");
    let options = Options { sample, budget: u64::MAX, memory: None, progress: &|_| () };
    let report = record_holds(&record, folder.path(), &options).unwrap();
    assert_eq!(report.unchecked, Vec::<String>::new(), "{pruning}");
}

/// Trailing levels forged after the first few.
fn forged(proved: &Proved, keep: usize, closed: bool) {
    let (run, first) = trailing(&proved.plain).unwrap();
    proved.refused(&format!("the first {keep}"), closed, &|it| {
        let (run, first) = parts(it);
        run.levels.truncate(first + keep);
    });
    proved.refused(&format!("empty after the first {keep}"), closed, &|it| {
        let (run, first) = parts(it);
        if run.levels[first + keep].states > 0 {
            run.levels.truncate(first + keep);
            run.levels.push(empty(Side::Trailing, keep as u32));
        } else {
            // It is empty in truth, and comes earlier.
            run.levels.remove(first + keep - 1);
            run.levels[first + keep - 1].depth -= 1;
        }
    });
    proved.refused(&format!("another digest of {keep}"), closed, &|it| {
        let (run, first) = parts(it);
        let digest = &mut run.levels[first + keep].digest;
        *digest = Digest(digest.0.wrapping_add(1));
    });
    if proved.plain.runs[run].levels[first + keep].states > 0 {
        proved.refused(&format!("a duplicate more in {keep}"), closed, &|it| {
            let (run, first) = parts(it);
            let level = &mut run.levels[first + keep];
            (level.states, level.duplicates) = (level.states - 1, level.duplicates + 1);
        });
    }
}

#[test]
fn forged_trailing_levels_are_refused() {
    let (moves, max_length) = CASES[0];
    let proved = Proved::new(SIX, moves, PRUNING, max_length);
    let (run, first) = trailing(&proved.plain).unwrap();
    let last = proved.plain.runs[run].levels.len() - first - 1;
    proved.refused("dropped", true, &|it| {
        let (run, first) = parts(it);
        run.levels.truncate(first);
    });
    forged(&proved, 1, true);
    forged(&proved, last, false);
    proved.refused("left out", false, &|it| {
        let (run, first) = parts(it);
        run.levels.remove(first + 1);
    });
    proved.refused("before those that follow", false, &|it| {
        let (run, first) = parts(it);
        run.levels.rotate_left(first);
    });
    proved.refused("following ones", false, &|it| {
        let (run, first) = parts(it);
        run.levels[first..].iter_mut().for_each(|level| level.side = Side::Following);
    });
}

#[test]
#[ignore = "a minute or more: every trailing level, in every way"]
fn trailing_levels_forged_at_any_place_are_refused() {
    for (moves, max_length) in CASES {
        let proved = Proved::new(SIX, moves, PRUNING, max_length);
        let (run, first) = trailing(&proved.plain).unwrap();
        for keep in 1..proved.plain.runs[run].levels.len() - first {
            forged(&proved, keep, true);
        }
        for side in [Side::Following, Side::Leading, Side::Forward, Side::Backward] {
            proved.refused("of another side", true, &|it| {
                let (run, first) = parts(it);
                run.levels[first..].iter_mut().for_each(|level| level.side = side);
            });
        }
    }
}

/// Levels that meet one length do not meet another one, even where both are sound.
#[test]
fn trailing_levels_of_another_run_are_refused() {
    exchanged_levels_are_refused(&Proved::new(FIVE, 4, PRUNING, 18));
}

#[test]
#[ignore = "a quarter of a minute"]
fn trailing_levels_of_another_run_of_six_men_are_refused() {
    exchanged_levels_are_refused(&Proved::new(SIX, 4, "leading(classes=8,look-ahead=1)", 24));
}

fn exchanged_levels_are_refused(proved: &Proved) {
    let own = |record: &Record, run: usize| -> Vec<LevelRecord> {
        record.runs[run].levels.iter().filter(|level| level.side == Side::Trailing).cloned().collect()
    };
    let runs: Vec<usize> = (0..proved.plain.runs.len()).filter(|&run| !own(&proved.plain, run).is_empty()).collect();
    assert_eq!(runs.len(), 2, "two groups are met from behind");
    let put = |it: &mut Record, run: usize, levels: Vec<LevelRecord>| {
        it.runs[run].levels.retain(|level| level.side != Side::Trailing);
        it.runs[run].levels.extend(levels);
    };
    let both = |it: &Record| [own(it, runs[0]), own(it, runs[1])];
    proved.refused("exchanged", false, &|it| {
        let [first, second] = both(it);
        put(it, runs[0], second);
        put(it, runs[1], first);
    });
    // Few states lead to those that are missing then: a small sample may miss them, and says so.
    proved.refused_of(1000, "those of the shorter length twice", true, &|it| {
        let [first, _] = both(it);
        put(it, runs[1], first);
    });
    proved.refused("those of the greater length twice", false, &|it| {
        let [_, second] = both(it);
        put(it, runs[0], second);
    });
    proved.refused("moved to the other run", false, &|it| {
        let [first, _] = both(it);
        put(it, runs[0], vec![]);
        let own = own(it, runs[1]);
        put(it, runs[1], [first, own].concat());
    });
    proved.refused("at a run whose levels that follow are not open", false, &|it| {
        let [_, second] = both(it);
        assert!(!runs.contains(&0) && !it.runs[0].levels.is_empty());
        put(it, 0, second);
    });
}

/// B, as it was published: the leading levels end before the middle of the last length, nothing follows there, and trailing levels
/// stand beside it that nobody walks. What earlier lengths left open counts on these, or on nothing at all.
#[test]
fn what_stays_open_is_refused_though_leading_levels_end_before_the_middle() {
    let proved = Proved::new(SIX, 4, PRUNING, 24);
    let sound = &proved.plain;
    let last = sound.runs.len() - 1;
    let leads = sound.runs.iter().position(|run| run.up_to == Some(24)).expect("leading levels of several lengths");
    assert!(leads < last && sound.runs[last].length == 24);
    // Of the last length: the leading levels end before its middle, and nothing follows.
    let cut = |it: &mut Record| {
        it.runs[leads].levels.retain(|level| level.side != Side::Leading || level.depth < 12);
        it.runs[last].levels.retain(|level| level.side == Side::Trailing);
    };
    // Of one before it: what follows ends before the target.
    let follows = |level: &LevelRecord| level.side == Side::Following && level.states > 0;
    let followed = (leads..last).find(|&run| sound.runs[run].levels.iter().any(follows)).expect("levels that follow");
    let open = |it: &mut Record| {
        let levels = &mut it.runs[followed].levels;
        let end = levels.iter().rposition(follows).map_or(0, |dropped| dropped + 1);
        levels.truncate(end);
    };
    let begun = |it: &Record| -> Vec<LevelRecord> {
        let (run, first) = trailing(it).unwrap();
        it.runs[run].levels[first..].to_vec()
    };
    for (name, verdict) in [("none", Verdict::None), ("incomplete", Verdict::Incomplete)] {
        // Its own verdict may be that it was not finished: the one before is counted on all the same.
        let claim = |it: &mut Record| {
            it.runs[last].verdict = verdict;
            reseal(it);
            assert_eq!(it.refuted_up_to, Some(if verdict == Verdict::None { 24 } else { 23 }));
        };
        proved.refused(&format!("{name}, sound trailing levels, too few leading ones"), false, &|it| {
            cut(it);
            claim(it);
        });
        for keep in [0, 2] {
            proved.refused(&format!("{name}, open, {keep} trailing levels"), false, &|it| {
                let levels = begun(it);
                open(it);
                cut(it);
                it.runs[last].levels = levels[..keep].to_vec();
                claim(it);
            });
            proved.refused(&format!("{name}, open, {keep} trailing levels and an empty one"), false, &|it| {
                let levels = begun(it);
                open(it);
                cut(it);
                it.runs[last].levels = levels[..keep].to_vec();
                it.runs[last].levels.push(empty(Side::Trailing, keep as u32));
                claim(it);
            });
        }
    }
}

/// A level file that lacks states, with a record that says so: what is missing is seen where every state is expanded.
#[test]
fn a_trailing_level_s_file_that_lacks_states_is_refused() {
    let proved = Proved::new(SIX, 6, PRUNING, 22);
    let (run, first) = trailing(&proved.kept).unwrap();
    let mut lacking = 0;
    for at in [first + 1, first + 4, first + 7] {
        let level = &proved.kept.runs[run].levels[at];
        let named = level.file.clone().unwrap();
        let path = proved.folder.path().join(&named.name);
        let states = match file::open::<u64>(&path, named.identity.0, level.states, level.digest.0) {
            Ok(level) => level.to_vec().unwrap(),
            Err(why) => panic!("{why}"),
        };
        let Some((_, rest)) = states.split_last() else { continue };
        let mut forged = proved.kept.clone();
        forge(proved.folder.path(), &mut forged.runs[run].levels[at], rest);
        reseal_run(&mut forged.runs[run]);
        let why = proved.said(&forged, None).unwrap_err();
        assert!(why.contains("not closed: from trailing level"), "{why}");
        lacking += 1;
    }
    assert!(lacking > 2, "{lacking}");
}

/// Makes a level hold these states, in a file of its own; what it lacks or has too much was duplicate.
fn forge(folder: &Path, level: &mut LevelRecord, states: &[u64]) {
    let name = format!("forged-{}", level.depth);
    let of = |key| digest::of(key, states);
    level.duplicates = (level.duplicates + level.states).saturating_sub(states.len() as u64);
    level.states = states.len() as u64;
    (level.digest, level.second_digest) = (Digest(of(digest::KEY)), Some(Digest(of(digest::SECOND_KEY))));
    file::write(&folder.join(&name), 7, &Level::of(states.to_vec()), level.digest.0, &Disk::new(None)).unwrap();
    level.file = Some(FileRecord { name, identity: Digest(7) });
}
