//! Each kind of rejection, with the place of the fault.

use std::path::Path;

use halma_record::job::PuzzleSpec;
use halma_record::record::{Asked, Count, Counts, LevelRecord, Record, Side, Verdict};
use serde_json::json;
use tempfile::TempDir;

use super::kept::keep;
use super::made::{check, check_in, identity, levels, met, run, said, search, solved, spec};
use crate::{Place, Rejection, RejectionKind as Kind};

fn puzzle() -> PuzzleSpec {
    spec("rules", json!({ "board": "125\n348\n.67", "rules": ["* . -> . *"], "goal": ".12\n345\n678" }))
}

/// Six moves.
fn answer() -> Record {
    solved(&puzzle(), Some(identity(9)), 6)
}

fn why(record: &Record) -> Rejection {
    check(&puzzle(), record).unwrap_err()
}

/// Why the record that a change makes is rejected.
fn changed(mut record: Record, change: fn(&mut Record)) -> Rejection {
    check(&puzzle(), &record).unwrap();
    change(&mut record);
    why(&record)
}

fn of_length(length: u32) -> Place {
    Place { length: Some(length), ..Place::default() }
}

fn at(length: u32, side: Side, level: u32) -> Place {
    Place { side: Some(side), level: Some(level), ..of_length(length) }
}

/// The kind and the place, without the state, are these.
#[track_caller]
fn is(fault: &Rejection, kind: Kind, place: &Place) {
    let without_state = Place { state: None, ..fault.place.clone() };
    assert_eq!((fault.kind, &without_state), (kind, place), "{fault}");
}

#[test]
fn a_problem_that_is_not_as_stated() {
    let fault = changed(answer(), |r| r.symmetries.as_mut().unwrap().fixing[0].swap(0, 1));
    is(&fault, Kind::Problem, &Place::default());
    is(&changed(answer(), |r| r.palindromic = true), Kind::Problem, &Place::default());
}

#[test]
fn a_lower_bound_that_does_not_hold() {
    let fault = changed(answer(), |r| {
        r.runs.remove(0);
        r.lower_bound = Some(1);
    });
    is(&fault, Kind::Bound, &Place::default());
    assert_eq!(fault.to_string(), "lower_bound 1, derived 0");
}

#[test]
fn levels_that_are_missing_or_of_no_side() {
    let fault = changed(answer(), |r| {
        let run = &mut r.runs[2];
        (run.generated, run.largest_level) = (0, 0);
        run.levels.clear();
    });
    is(&fault, Kind::Levels, &at(3, Side::Forward, 3));
    assert_eq!(fault.to_string(), "length 3: forward levels begin with level 3, not 2");
    is(&changed(answer(), |r| r.runs[4].levels[0].side = Side::Leading), Kind::Levels, &at(4, Side::Leading, 4));
}

#[test]
fn figures_that_do_not_add_up_or_were_not_derived() {
    is(&changed(answer(), |r| r.runs[3].levels[0].old += 1), Kind::Figures, &at(3, Side::Forward, 3));
    is(&changed(answer(), |r| r.runs[3].generated += 1), Kind::Figures, &of_length(3));
    let fault = changed(answer(), |r| {
        let level = &mut r.runs[3].levels[0];
        (level.old, level.duplicates) = (level.old - 1, level.duplicates + 1);
    });
    is(&fault, Kind::Figures, &at(3, Side::Forward, 3));
    assert!(fault.reason.contains("derived"), "{fault}");
}

#[test]
fn a_digest_of_other_states_on_either_side() {
    is(&changed(answer(), |r| r.runs[5].levels[0].digest.0 ^= 1), Kind::Digest, &at(5, Side::Forward, 5));
    let met = met(&puzzle(), Some(identity(9)), 6);
    let fault = changed(met, |r| r.runs[3].levels[0].second_digest.as_mut().unwrap().0 ^= 1);
    is(&fault, Kind::Digest, &at(3, Side::Backward, 1));
}

#[test]
fn a_verdict_that_does_not_follow() {
    // It says that there is none of six moves; the goal is on level 6.
    let fault = changed(answer(), |r| {
        r.runs[6].verdict = Verdict::None;
        (r.length, r.refuted_up_to, r.solution, r.max_length) = (None, Some(6), None, Some(6));
        r.verdict = Verdict::None;
    });
    is(&fault, Kind::Verdict, &at(6, Side::Forward, 6));
    assert_eq!(fault.place.state.as_deref(), Some(".12/345/678"));
    is(&changed(answer(), |r| r.refuted_up_to = Some(6)), Kind::Verdict, &Place::default());
}

#[test]
fn a_solution_that_cannot_be_played() {
    let fault = changed(answer(), |r| r.solution.as_mut().unwrap()[1] = "a1:12".into());
    is(&fault, Kind::Solution, &of_length(6));
    assert!(fault.reason.starts_with("solution, move 2 (a1:12): "), "{fault}");
}

#[test]
fn a_count_of_other_solutions() {
    let counted = |number: u128| {
        let mut record = Record { question: Asked::Count, verdict: Verdict::Counted, ..answer() };
        let numbers = json!({ "sequences": Count::from(number), "up_to_symmetry": Count::from(number) });
        record.counts = Some(serde_json::from_value::<Counts>(numbers).unwrap());
        record.runs.push(run(6, Verdict::Solution, Vec::new()));
        record
    };
    check(&puzzle(), &counted(1)).unwrap();
    let fault = why(&counted(2));
    is(&fault, Kind::Count, &of_length(6));
    assert_eq!(fault.to_string(), "counts: sequences 2, counted 1");
}

/// The levels of the puzzle up to level 6, kept in files; level 5 and level 6 may be other ones than it has.
struct Kept {
    folder: TempDir,
    /// By level.
    keys: Vec<Vec<u128>>,
    record: Record,
}

impl Kept {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let found = search(&puzzle(), Some(identity(9)), 6, Side::Forward);
        let keys: Vec<Vec<u128>> = found.into_iter().map(|(keys, _)| keys).collect();
        let mut record = levels(&puzzle(), Some(identity(9)), 6);
        for (level, keys) in record.runs[0].levels.iter_mut().zip(&keys) {
            keep(folder.path(), level, keys);
        }
        Self { folder, keys, record }
    }

    fn check(&self, sample: Option<u64>) -> Result<(), Rejection> {
        check_in(&puzzle(), &self.record, (self.folder.path(), sample)).map(|report| {
            assert_eq!(report.unchecked, Vec::<String>::new());
        })
    }

    /// Puts other states onto the last level; all of its figures fit.
    fn put(mut self, change: impl FnOnce(&mut Vec<u128>)) -> Self {
        change(&mut self.keys[6]);
        self.keys[6].sort_unstable();
        let run = &mut self.record.runs[0];
        let LevelRecord { generated, old, .. } = run.levels[6];
        run.levels[6] = said(6, Side::Forward, &self.keys[6], generated, old);
        keep(self.folder.path(), &mut run.levels[6], &self.keys[6]);
        run.largest_level = run.levels.iter().map(|level| level.states).max().unwrap();
        self
    }

    fn path(&self, level: usize) -> std::path::PathBuf {
        self.folder.path().join(&self.record.runs[0].levels[level].file.as_ref().unwrap().name)
    }
}

/// All states, and every state of a sample that is large enough.
const WAYS: [Option<u64>; 2] = [None, Some(u64::MAX)];

#[test]
fn a_level_that_is_not_what_the_one_before_leads_to() {
    assert_eq!(WAYS.map(|sample| Kept::new().check(sample)), [Ok(()), Ok(())]);
    for sample in WAYS {
        let lost = Kept::new().put(|keys| keys.truncate(keys.len() - 1)).check(sample).unwrap_err();
        is(&lost, Kind::Closure, &at(6, Side::Forward, 6));
        assert!(lost.reason.starts_with("not closed: from forward level 5 one move leads to "), "{lost}");
        assert!(lost.reason.contains(&lost.place.state.unwrap()));
        let old = Kept::new().keys[2][0];
        let stale = Kept::new().put(|keys| keys.push(old)).check(sample).unwrap_err();
        is(&stale, Kind::Closure, &at(6, Side::Forward, 6));
        assert!(
            stale.reason.ends_with(&format!("{}, which is old: an earlier level has it", stale.place.state.unwrap()))
        );
    }
    // Of a level further on.
    let far = search(&puzzle(), Some(identity(9)), 8, Side::Forward)[8].0[0];
    let unsupported = Kept::new().put(|keys| keys.push(far)).check(None).unwrap_err();
    is(&unsupported, Kind::Closure, &at(6, Side::Forward, 6));
    assert!(unsupported.reason.ends_with("which no state of level 5 leads to"), "{unsupported}");
}

#[test]
fn levels_that_go_on_after_all_was_seen() {
    let fault = changed(levels(&puzzle(), Some(identity(9)), 4), |r| r.exhausted = true);
    is(&fault, Kind::Closure, &at(4, Side::Forward, 5));
    assert!(fault.reason.starts_with("exhausted, but forward level 4 leads to "), "{fault}");
}

#[test]
fn a_key_of_no_state() {
    let fault = Kept::new().put(|keys| keys.push(1 << 40)).check(Some(u64::MAX)).unwrap_err();
    is(&fault, Kind::State, &at(6, Side::Forward, 6));
    assert!(fault.reason.contains("is the number of no state"), "{fault}");
}

#[test]
fn a_level_file_that_is_missing_damaged_or_another_one_s() {
    let rejected = |change: &dyn Fn(&mut Kept)| {
        let mut kept = Kept::new();
        change(&mut kept);
        WAYS.map(|sample| {
            let fault = kept.check(sample).unwrap_err();
            is(&fault, Kind::File, &at(6, Side::Forward, 3));
            fault.reason
        })
    };
    let overwrite = |path: &Path, at: usize| {
        let mut bytes = std::fs::read(path).unwrap();
        bytes[at] ^= 1;
        std::fs::write(path, bytes).unwrap();
    };
    let _ = rejected(&|kept| std::fs::remove_file(kept.path(3)).unwrap());
    let _ = rejected(&|kept| assert!(std::fs::copy(kept.path(2), kept.path(3)).unwrap() > 0));
    for reason in rejected(&|kept| overwrite(&kept.path(3), 32)) {
        assert!(reason.ends_with("the block at byte 32: its bytes do not match their checksum"), "{reason}");
    }
    for reason in rejected(&|kept| overwrite(&kept.path(3), 12)) {
        assert!(reason.ends_with("keys of 17 bytes; understood are 8, 16 or 32"), "{reason}");
    }
    for reason in rejected(&|kept| overwrite(&kept.path(3), 8)) {
        assert!(reason.ends_with("it lost the number of its version"), "{reason}");
    }
    let outside = |kept: &mut Kept| kept.record.runs[0].levels[3].file.as_mut().unwrap().name = "../level-3".into();
    for reason in rejected(&outside) {
        assert_eq!(reason, "\"../level-3\" is no name of a file in the run's folder");
    }
}
