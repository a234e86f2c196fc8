//! Forgeries that `halma check` once accepted, and records that made it panic or reserve memory: each is refused.

use std::path::Path;

use halma_check::{Options, record_holds};
use halma_engine::search::CancellationToken;
use halma_engine::store::workspace::Disk;
use halma_engine::store::{Level, file};
use halma_record::record::{
    Asked, Count, Counts, Digest, FileRecord, ImpossibleRecord, LengthRecord, LevelRecord, PartitionRecord, Record,
    Side, Verdict,
};
use halma_rules::job::{Job, Pruning};
use halma_solve::run::{self, Question};

use crate::forgery::{Subject, accepts, checked, empty, job, reseal, reseal_run};

const CORNER: &str = "SS..\nS...\n...T\n..TT";
/// Enough to do for levels of all sides.
const HOLE: &str = "SS...\nSS...\n..#..\n...TT\n...TT";
const DUEL: &str = "S..\nS.T\n..T";

fn of(kind: &str, map: &str, moves: u32, search: &str, question: Question) -> Subject {
    Subject::new(kind, map, moves, false, search, question).unwrap()
}

fn solved(map: &str, moves: u32, search: &str) -> Subject {
    of("transfer", map, moves, search, Question::Solve)
}

/// Why check refuses a record.
fn refused(record: &Record) -> String {
    match checked(record) {
        Ok(report) => panic!("accepted: {report:?}\n{}", record.to_json().unwrap()),
        Err(why) => why,
    }
}

/// The record, but the length that was found is said to have no solution either, by this run.
fn denied(record: &Record, change: impl FnOnce(&mut LengthRecord)) -> Record {
    let mut denied = record.clone();
    let run = denied.runs.last_mut().unwrap();
    run.verdict = Verdict::None;
    change(run);
    reseal_run(run);
    (denied.question, denied.max_length) = (Asked::Prove, Some(run.length));
    reseal(&mut denied);
    assert_eq!(denied.verdict, Verdict::None);
    denied
}

/// A: an empty level of a side that nobody walks made a run look as if it had come to an end.
#[test]
fn an_empty_level_of_a_side_that_nobody_walks_ends_no_search() {
    empty_levels_end_no_search(false);
}

#[test]
#[ignore = "a minute: of every side beside every number of levels"]
fn no_empty_level_of_a_side_that_nobody_walks_ends_a_search() {
    empty_levels_end_no_search(true);
}

/// Every side beside every number of levels, or one case in seven.
fn empty_levels_end_no_search(all: bool) {
    let mut number = 0;
    for search in [
        "pruning = 'theorem-1'",
        "pruning = 'pattern'",
        "pruning = 'narrowed'",
        "pruning = 'mcc'",
        "pruning = 'none'\npalindromic = true",
        "pruning = 'theorem-1'\npalindromic = true",
        "pruning = 'leading'\npalindromic = true",
        "pruning = 'leading'",
        "pruning = 'none'",
    ] {
        let subject = solved(HOLE, 6, search);
        for side in [Side::Backward, Side::Trailing, Side::Following, Side::Leading, Side::Forward] {
            for keep in [1, 2, 3, usize::MAX] {
                number += 1;
                // Twenty cases a search, and 7 does not divide them: in seven searches every side meets every number.
                if !all && number % 7 != 0 {
                    continue;
                }
                let forged = denied(&subject.record, |run| {
                    run.levels.truncate(keep);
                    let depth = run.levels.iter().filter(|l| l.side == side).map(|l| l.depth + 1).max();
                    run.levels.push(empty(side, depth.unwrap_or(1)));
                });
                assert!(subject.lie(&forged).is_some());
                let why = refused(&forged);
                assert!(why.contains("length "), "{search}, {side:?}: {why}");
            }
        }
        // Nor does one that follows the levels of a sound refutation: nobody looks at it.
        let mut beside = subject.record.clone();
        let run = beside.runs.iter_mut().find(|run| !run.levels.is_empty()).unwrap();
        run.levels.push(empty(if search.contains("leading") { Side::Backward } else { Side::Trailing }, 1));
        let why = refused(&beside);
        assert!(why.contains("of a side that this pruning has no levels of"), "{search}: {why}");
    }
}

/// B: following levels that end before the target and that nothing comes to meet, whatever empty levels stand beside them.
#[test]
fn levels_that_stay_open_refute_nothing() {
    let subject = solved(HOLE, 6, "pruning = 'leading'");
    // Without the last of the levels that follow, or with the last ones empty.
    let follows = |run: &&mut LengthRecord| run.has_following();
    let mut open = 0;
    for at in 0..subject.record.runs.len() {
        for emptied in [false, true] {
            let mut forged = subject.record.clone();
            let Some(run) = Some(&mut forged.runs[at]).filter(follows) else { continue };
            let last = run.levels.iter().rposition(|level| level.side == Side::Following).unwrap();
            let removed = run.levels.remove(last);
            if emptied && removed.generated == 0 {
                // So it is.
                continue;
            }
            if emptied {
                run.levels.insert(last, empty(Side::Following, removed.depth));
            }
            reseal_run(run);
            refused(&forged);
            // A later run brings trailing levels that nobody walks, of a middle that the leading levels do not reach.
            forged.runs[at].up_to = Some(forged.runs[at].length + 2);
            let last = forged.runs.last_mut().unwrap();
            last.levels = vec![empty(Side::Trailing, 0), empty(Side::Trailing, 1)];
            (last.levels[0].states, last.levels[0].digest) = (1, subject.record.runs[0].levels[0].digest);
            reseal_run(last);
            refused(&forged);
            open += 1;
        }
    }
    assert!(open > 1, "{open}");
}

/// B as it was published, of a length that has a solution: its own leading and following levels as far as a forger likes, alone or
/// for the length before, too; and trailing levels beside them that nobody would walk, the leading ones ending before the middle.
#[test]
fn open_levels_of_a_length_that_has_a_solution_refute_nothing() {
    open_levels_refute_nothing(11);
}

#[test]
#[ignore = "a minute: all of them"]
fn all_open_levels_of_a_length_that_has_a_solution_refute_nothing() {
    open_levels_refute_nothing(1);
}

/// Of these forged records one in so many.
fn open_levels_refute_nothing(every: usize) {
    for search in ["pruning = 'leading'", "pruning = 'leading(classes=3)'"] {
        let counted = of("transfer", HOLE, 6, search, Question::Count);
        let mut base = counted.record.clone();
        let own = LengthRecord { verdict: Verdict::None, ..base.runs.pop().unwrap() };
        base.runs.pop();
        (base.question, base.max_length) = (Asked::Prove, Some(own.length));
        let trailing = |depth: usize| LevelRecord { side: Side::Trailing, ..own.levels[depth].clone() };
        let beside = [
            vec![],
            vec![trailing(0)],
            vec![trailing(0), empty(Side::Trailing, 1)],
            vec![trailing(0), trailing(1)],
            vec![trailing(0), trailing(1), empty(Side::Trailing, 2)],
            vec![empty(Side::Following, own.length / 2 + 1)],
        ];
        let mut forged_ones = 0;
        for (keep, beside) in (1..=own.levels.len()).flat_map(|keep| beside.iter().map(move |beside| (keep, beside))) {
            let levels = [&own.levels[..keep], beside].concat();
            let mut alone = base.clone();
            alone.runs.push(LengthRecord { levels: levels.clone(), ..own.clone() });
            // The length before has the levels, and this one none, or what stands beside them.
            let mut shared = base.clone();
            let before = shared.runs.last_mut().unwrap();
            (before.up_to, before.shared_with, before.levels) = (Some(own.length), Some(own.length), levels);
            let mut last = shared.clone();
            shared.runs.push(LengthRecord { levels: vec![], ..own.clone() });
            let before = last.runs.last_mut().unwrap();
            (before.shared_with, before.levels) = (None, own.levels[..keep].to_vec());
            last.runs.push(LengthRecord { levels: beside.clone(), ..own.clone() });
            for mut forged in [alone, shared, last] {
                forged_ones += 1;
                if forged_ones % every == 0 {
                    reseal(&mut forged);
                    assert!(counted.lie(&forged).is_some(), "{search}");
                    refused(&forged);
                }
            }
        }
        assert!(forged_ones > 100, "{forged_ones}");
    }
}

/// K, G: that every state was seen is claimed of no run, of a run of no moves, or without a bound.
#[test]
fn what_nobody_searched_is_not_exhausted() {
    let subjects = [
        solved(CORNER, 4, "pruning = 'theorem-1'"),
        solved(CORNER, 4, "pruning = 'leading'"),
        solved(CORNER, 4, "pruning = 'none'"),
        solved(CORNER, 4, "pruning = 'truncate(9,1)'"),
        of("game", DUEL, 4, "pruning = 'all'", Question::Solve),
        of("game", DUEL, 6, "pruning = 'none'", Question::Solve),
        of("game", DUEL, 6, "pruning = 'beam(3,1)'", Question::Solve),
    ];
    for subject in &subjects {
        let mut none = subject.record.clone();
        (none.verdict, none.exhausted, none.max_length) = (Verdict::None, true, None);
        (none.length, none.solution, none.reason) = (None, None, None);
        let bound = none.lower_bound;
        let moves = |run: &LengthRecord| LengthRecord {
            levels: vec![],
            leading_moves: false,
            covered: false,
            verdict: Verdict::None,
            ..run.clone()
        };
        let first = LengthRecord { self_consistent: true, c: None, ..moves(&none.runs[0]) };
        for (lower_bound, length) in [(bound, None), (Some(0), None), (Some(0), Some(0)), (bound, bound), (None, None)]
        {
            let mut forged = none.clone();
            forged.lower_bound = lower_bound;
            forged.runs = length.map(|length| LengthRecord { length, ..first.clone() }).into_iter().collect();
            forged.runs.iter_mut().for_each(reseal_run);
            forged.refuted_up_to = length.or(lower_bound.and_then(|bound| bound.checked_sub(1)));
            let why = refused(&forged);
            assert!(
                ["no lower_bound", "lower_bound is missing", "every state was seen", "its levels end early"]
                    .iter()
                    .any(|r| why.contains(r)),
                "{}: {why}",
                subject.name
            );
        }
    }
}

/// The smaller ones.
#[test]
fn fields_that_nothing_was_compared_with_are_compared() {
    let game = of("game", DUEL, 4, "pruning = 'all'", Question::Count);
    let count = of("transfer", CORNER, 4, "pruning = 'leading'", Question::Count);
    let mcc = solved(CORNER, 4, "pruning = 'mcc'");
    let levels = of("transfer", CORNER, 4, "", Question::Levels { depth: 3 });
    let says = |subject: &Subject, reason: &str, change: &dyn Fn(&mut Record)| {
        let mut record = subject.record.clone();
        change(&mut record);
        assert_ne!(record, subject.record);
        let why = refused(&record);
        assert!(why.contains(reason), "{reason}: {why}");
    };
    // A board without a mirror: each length has levels of its own from both ends.
    let lopsided = solved("S.#\n...\n..T\nTS.", 4, "pruning = 'leading'");
    assert!(lopsided.record.symmetries.as_ref().is_some_and(|known| known.mirror.is_none()));
    for together in [|run: &mut LengthRecord| run.up_to = Some(9), |run: &mut LengthRecord| run.shared_with = Some(0)] {
        says(&lopsided, "every length has its own levels", &|it| together(&mut it.runs[0]));
    }
    says(&game, "men step, too", &|it| it.problem.armies_mut().unwrap().jumps_only = true);
    says(&game, "counts: there are some", &|it| it.counts = None);
    says(&count, "counts: there are some", &|it| it.counts = None);
    says(&count, "counts.final_positions is 1, counted again none", &|it| {
        it.counts.as_mut().unwrap().final_positions = Some(Count::from(1u64));
    });
    says(&game, "counts.palindromic is 1, counted again none", &|it| {
        it.counts.as_mut().unwrap().palindromic = Some(Count::from(1u64));
    });
    says(&count, "problem.board: `9x9`, and a map", &|it| it.problem.armies_mut().unwrap().board = "9x9".into());
    says(&count, "problem.map draws another start", &|it| {
        it.problem.armies_mut().unwrap().map =
            it.problem.armies_mut().unwrap().map.take().map(|map| map.replacen('.', "S", 1));
    });
    says(&count, "rows of other lengths, other letters", &|it| {
        it.problem.armies_mut().unwrap().map =
            it.problem.armies_mut().unwrap().map.take().map(|map| map.replacen('.', "x", 1));
    });
    says(&count, "is not the one that a count adds", &|it| it.runs.last_mut().unwrap().verdict = Verdict::None);
    says(&count, "c or self_consistent", &|it| it.runs.last_mut().unwrap().c = Some(3));
    says(&count, "c or self_consistent", &|it| it.runs.last_mut().unwrap().self_consistent = false);
    says(&mcc, "self_consistent", &|it| {
        let run = it.runs.last_mut().unwrap();
        run.self_consistent = !run.self_consistent;
    });
    says(&levels, "levels up to", &|it| it.depth = Some(4));
    says(&levels, "max_length, depth or lower_bound", &|it| it.depth = None);
    says(&levels, "impossible and partition are of searches", &|it| {
        it.impossible = Some(ImpossibleRecord { cells: vec!["a1".into()], at_start: 1, in_target: 0 });
    });
    says(&levels, "impossible and partition are of searches", &|it| {
        it.partition = Some(PartitionRecord { class_of: vec![0; 16], values: vec![0] });
    });
    says(&levels, "there is one run of them", &|it| it.runs.clear());
    says(&levels, "exhausted: it is said", &|it| it.exhausted = true);
    says(&levels, "asked for, and they end early", &|it| {
        let run = &mut it.runs[0];
        run.levels.pop();
        reseal_run(run);
    });
    says(&count, "problem.kind", &|it| it.problem.armies_mut().unwrap().kind = "transfers".into());
    says(&count, "is not the one that a count adds", &|it| it.runs.last_mut().unwrap().up_to = Some(99));
    says(&mcc, "no search goes beyond length 9999", &|it| it.lower_bound = Some(10_000));
    says(&mcc, "up_to or shared_with", &|it| it.runs[0].shared_with = Some(it.runs[0].length));
    says(&mcc, "a pruning of its own", &|it| it.runs[0].pruning = Some(Pruning::None));
    says(&mcc, "reason: only", &|it| it.reason = Some("tired".into()));
    says(&mcc, "symmetries.mirror: there is one", &|it| it.symmetries.as_mut().unwrap().mirror = None);
}

/// The sample looks at some states of a level, and at all that ends a search.
#[test]
fn a_sample_accepts_no_forged_end_either() {
    for (pruning, side) in [("theorem-1", Side::Backward), ("pattern", Side::Trailing), ("leading", Side::Backward)] {
        let folder = tempfile::tempdir().unwrap();
        let mut job = job("transfer", HOLE, 6, false, &format!("pruning = '{pruning}'")).unwrap();
        job.output.dir = Some(folder.path().into());
        job.output.keep_levels = true;
        let record = run::run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
        let sample = |record: &Record| {
            let options = Options { sample: Some(5), budget: u64::MAX, memory: None, progress: &|_| () };
            record_holds(record, folder.path(), &options).map_err(|why| why.to_string())
        };
        assert_eq!(sample(&record).map(|report| report.unchecked), Ok(vec![]));
        let identity = Digest(7);
        let name = "empty".to_string();
        let none: Level<u64> = Level::of(vec![]);
        file::write(&folder.path().join(&name), identity.0, &none, 0, &Disk::new(None)).unwrap();
        let file = Some(FileRecord { name, identity });
        for (side, depth) in [(side, Some(1)), (Side::Forward, None), (Side::Leading, None), (Side::Following, None)] {
            let forged = denied(&record, |run| {
                let last = run.levels.iter().rposition(|level| level.side == side);
                let after = last.map_or(1, |at| run.levels[at].depth + 1);
                let at = last.map_or(run.levels.len(), |at| at + 1);
                run.levels.insert(at, empty(side, depth.unwrap_or(after)));
                run.levels[at].file.clone_from(&file);
            });
            assert!(sample(&forged).is_err(), "{pruning}, {side:?}");
        }
        // That nothing was cut is no word to take on trust.
        let mut uncut = record.clone();
        for level in uncut.runs.iter_mut().flat_map(|run| &mut run.levels).filter(|level| level.pruned > 100) {
            (level.duplicates, level.pruned) = (level.duplicates + level.pruned, 0);
        }
        assert!(uncut == record || sample(&uncut).is_err_and(|why| why.contains("of a sample alone")));
    }
}

/// Nothing in a record makes check panic: what makes no sense is refused.
#[test]
fn figures_beyond_all_sense_are_refused_without_a_panic() {
    let transfers = [
        solved(CORNER, 4, "pruning = 'leading'"),
        solved(CORNER, 4, "pruning = 'mcc'"),
        of("transfer", HOLE, 6, "pruning = 'pattern'", Question::Prove { max_length: 10 }),
    ];
    let says = |record: &Record, change: &dyn Fn(&mut Record)| {
        let mut edited = record.clone();
        change(&mut edited);
        // What is larger than the budget is not looked at, and not accepted.
        assert!(!accepts(&edited), "{}", edited.to_json().unwrap());
    };
    for Subject { record, .. } in &transfers {
        // Permutations that are short, long, empty or none.
        for odd in [vec![], vec![0], vec![0; 16], vec![200; 16], (0..17).collect(), (0..16).rev().skip(1).collect()] {
            says(record, &|it| it.symmetries.as_mut().unwrap().fixing.push(odd.clone()));
            says(record, &|it| it.symmetries.as_mut().unwrap().fixing = vec![odd.clone()]);
            says(record, &|it| it.symmetries.as_mut().unwrap().mirror = Some(odd.clone()));
        }
        says(record, &|it| it.symmetries.as_mut().unwrap().fixing.clear());
        for value in [i32::MIN, i32::MAX] {
            says(record, &|it| it.centroid.as_mut().unwrap()[3] = value);
            says(record, &|it| it.centroid = Some(vec![value; 16]));
        }
        says(record, &|it| it.centroid = Some(vec![]));
        for length in [0, u32::MAX - 1, u32::MAX] {
            says(record, &|it| it.runs[0].length = length);
            says(record, &|it| it.lower_bound = Some(length));
            says(record, &|it| it.refuted_up_to = Some(length));
            says(record, &|it| it.runs.iter_mut().for_each(|run| run.shared_with = Some(length)));
            says(record, &|it| {
                it.runs.iter_mut().flat_map(|run| &mut run.levels).for_each(|level| level.depth = length)
            });
            says(record, &|it| {
                (it.lower_bound, it.refuted_up_to) = (Some(length), length.checked_sub(1));
                (it.length, it.solution, it.verdict, it.max_length) = (None, None, Verdict::None, Some(length));
                it.runs.truncate(1);
                (it.runs[0].length, it.runs[0].verdict) = (length, Verdict::None);
            });
        }
        for number in [u64::MAX, u64::MAX / 2, 1 << 40] {
            says(record, &|it| {
                for level in it.runs.iter_mut().flat_map(|run| &mut run.levels).filter(|level| level.depth > 0) {
                    (level.states, level.pruned, level.duplicates, level.old, level.generated) =
                        (number, 0, 0, 0, number);
                }
                it.runs.iter_mut().for_each(reseal_run);
            });
            says(record, &|it| it.runs.iter_mut().for_each(|run| run.generated = number));
        }
        says(record, &|it| it.problem.armies_mut().unwrap().men = usize::MAX);
        says(record, &|it| it.problem.armies_mut().unwrap().map = Some("#".repeat(100_000) + "."));
        says(record, &|it| it.problem.armies_mut().unwrap().map = Some(String::new()));
        says(record, &|it| it.problem.armies_mut().unwrap().start = vec![String::new(); 3]);
        says(record, &|it| it.solution = Some(vec!["-".into(), "a1-".into(), "é1-é2".into()]));
    }
    let (leading, mcc) = (&transfers[0].record, &transfers[1].record);
    for c in [i64::MIN, i64::MAX, -1] {
        says(mcc, &|it| {
            it.runs.iter_mut().for_each(|run| run.c = Some(c));
            it.runs.iter_mut().for_each(|run| run.self_consistent = true);
            it.runs.iter_mut().flat_map(|run| &mut run.levels).for_each(|level| level.pruned += u64::from(level.depth));
            it.runs.iter_mut().for_each(reseal_run);
        });
    }
    says(leading, &|it| it.partition.as_mut().unwrap().class_of[0] = 255);
    says(leading, &|it| it.partition.as_mut().unwrap().class_of.clear());
    says(leading, &|it| it.partition.as_mut().unwrap().values.clear());
    says(leading, &|it| it.partition.as_mut().unwrap().values[0] = i32::MIN);
    says(leading, &|it| it.runs.iter_mut().for_each(|run| run.up_to = Some(0)));
    for army in ["point-0", "square-2147483647", "triangle--3", "halma-19", "checkers-12", "-", "", "square-02"] {
        says(leading, &|it| it.problem.armies_mut().unwrap().army = halma_rules::job::Army::Named(army.into()));
    }
    let game = of("game", DUEL, 4, "pruning = 'all'", Question::Solve);
    says(&game.record, &|it| it.runs.iter_mut().for_each(|run| run.length = u32::MAX));
    says(&game.record, &|it| it.problem.armies_mut().unwrap().target = it.problem.armies_mut().unwrap().start.clone());
    says(&game.record, &|it| it.pruning = Pruning::LEADING);
    says(&game.record, &|it| {
        let level = it.runs[0].levels[1].clone();
        it.runs[0].levels = vec![level; 3];
        it.runs[0].levels.iter_mut().for_each(|level| (level.states, level.generated) = (u64::MAX, u64::MAX));
    });
    let counts = Counts { sequences: "9".repeat(1000).parse().unwrap(), ..of_count().counts.unwrap() };
    says(&of_count(), &|it| it.counts = Some(counts.clone()));
}

fn of_count() -> Record {
    of("transfer", CORNER, 4, "pruning = 'none'", Question::Count).record
}

/// A level file of some bytes that claims 4 GiB for one block, or more keys than it can have: nothing is reserved for it.
#[test]
fn a_level_file_reserves_no_more_than_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let mut job = job("transfer", CORNER, 4, false, "pruning = 'theorem-1'").unwrap();
    job.output.dir = Some(folder.path().into());
    job.output.keep_levels = true;
    let record = run::run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
    let options = Options { sample: None, budget: u64::MAX, memory: None, progress: &|_| () };
    let holds = |record: &Record| record_holds(record, folder.path(), &options).map_err(|why| why.to_string());
    assert!(holds(&record).is_ok());
    let named = record.runs[0].levels[2].file.clone().unwrap();
    let path = folder.path().join(&named.name);
    let whole = std::fs::read(&path).unwrap();
    let index_at = u64::from_le_bytes(whole[whole.len() - 64..whole.len() - 56].try_into().unwrap()) as usize;
    let width = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    // Of the first block in the index: where it lies, its bytes, its keys.
    for (at, bytes) in [(8, 4), (12, 4), (0, 8)] {
        let mut forged = whole.clone();
        forged[index_at + width + at..][..bytes].fill(0xff);
        reseal_file(&mut forged, index_at);
        write(&path, &forged);
        let why = holds(&record).unwrap_err();
        assert!(why.contains("the index has no block of") || why.contains("and ends at byte"), "{why}");
    }
    // As many keys as the record and the footer say.
    let mut forged = whole.clone();
    let footer = forged.len() - 64;
    forged[index_at + width + 12..][..4].fill(0xff);
    forged[footer + 16..footer + 24].copy_from_slice(&u64::from(u32::MAX).to_le_bytes());
    reseal_file(&mut forged, index_at);
    write(&path, &forged);
    let mut claims = record.clone();
    let level = &mut claims.runs[0].levels[2];
    level.states = u64::from(u32::MAX);
    claims.runs.iter_mut().for_each(reseal_run);
    let why = holds(&claims).unwrap_err();
    assert!(why.contains("the index has no block of"), "{why}");
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Makes the checksum of header, index and footer fit again.
fn reseal_file(bytes: &mut [u8], index_at: usize) {
    let footer = bytes.len() - 64;
    let hashed = [&bytes[..32], &bytes[index_at..footer + 40]].concat();
    bytes[footer + 40..footer + 56].copy_from_slice(&xxhash_rust::xxh3::xxh3_128(&hashed).to_le_bytes());
}

/// With fewer letters a move may not be seen. It would pass the turn, or take free moves with it: distances would be too long.
#[test]
fn moves_that_a_bound_does_not_see_refute_no_puzzle() {
    let turns = r#"
board = "A../B.."
rules = [{ rule = "A . -> . A", turn = 1 }, { rule = "B . -> . B", turn = 2 }]
goal = { at = { c1 = "A" } }
"#;
    let free = r#"
board = "@../B.."
rules = [{ rule = "@ . -> . @", free = true }, "B . -> . B"]
goal = { at = { c1 = "@" } }
"#;
    for (table, letters, searched, moves) in [(turns, "A", true, 3), (free, "@", false, 1)] {
        let table = table.replace("A../B..", "A..\\nB..").replace("@../B..", "@..\\nB..");
        let pruning = format!("projection({letters})");
        let own = if searched { &pruning } else { "none" };
        let text = format!(
            "[problem]\nkind = \"rules\"\ndirections = [\"right\"]\n{}\n[search]\npruning = \"{own}\"\n",
            table.trim()
        );
        let job = Job::parse(Path::new("test.toml"), &text).unwrap();
        let mut record = run::run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
        assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(moves)));
        checked(&record).unwrap_or_else(|why| panic!("{text}: {why}"));
        record.pruning = pruning.parse().unwrap();
        let Pruning::Projection(named) = &record.pruning else { panic!("a projection") };
        record.projections = named.clone();
        (record.verdict, record.exhausted, record.length, record.solution) = (Verdict::None, true, None, None);
        (record.lower_bound, record.refuted_up_to) = (None, None);
        record.runs.clear();
        refused(&record);
    }
}
