//! Records with one thing changed.

use halma_record::record::{Record, Verdict};
use serde_json::json;

use super::made::{check, cross, identity, levels, met, peg_solitaire, solved, spec};

type Change = fn(&mut Record);

/// All these changes are found.
fn all_rejected(puzzle: &halma_record::job::PuzzleSpec, record: &Record, changes: &[Change]) {
    check(puzzle, record).unwrap();
    for (number, change) in changes.iter().enumerate() {
        let mut forged = record.clone();
        change(&mut forged);
        assert!(check(puzzle, &forged).is_err(), "{number}");
    }
}

#[test]
fn forged_levels_are_rejected() {
    let record = levels(&peg_solitaire(), Some(cross()), 5);
    all_rejected(
        &peg_solitaire(),
        &record,
        &[
            |r| r.runs[0].levels[3].digest.0 ^= 1,
            |r| r.runs[0].levels[0].states = 2,
            |r| {
                // A state left out, and the figures made to fit.
                let level = &mut r.runs[0].levels[5];
                (level.states, level.duplicates) = (level.states - 1, level.duplicates + 1);
                r.runs[0].largest_level -= 1;
            },
            |r| r.exhausted = true,
            |r| drop(r.runs[0].levels.pop()),
            |r| r.runs[0].levels[2].centroid_max = Some(0),
            |r| r.symmetries = None,
            |r| r.symmetries.as_mut().unwrap().fixing[3].swap(0, 1),
            |r| drop(r.symmetries.as_mut().unwrap().fixing.pop()),
            |r| drop(r.symmetries.as_mut().unwrap().fixing.remove(0)),
            |r| r.symmetries.as_mut().unwrap().fixing[1] = vec![0; 3],
            |r| r.symmetries.as_mut().unwrap().mirror = Some(identity(33).concat()),
            |r| r.digest_key = None,
            |r| r.depth = Some(4),
            |r| r.depth = Some(6),
        ],
    );
}

#[test]
fn forged_solutions_are_rejected() {
    let board = "125\n348\n.67";
    let puzzle = spec("rules", json!({ "board": board, "rules": ["* . -> . *"], "goal": ".12\n345\n678" }));
    let changes: &[Change] = &[
        |r| r.solution.as_mut().unwrap()[1] = "a1:12".into(),
        |r| r.solution.as_mut().unwrap().swap(0, 1),
        |r| {
            r.runs.truncate(5);
            r.runs[4].verdict = Verdict::Solution;
            (r.length, r.refuted_up_to) = (Some(4), Some(3));
            r.solution.as_mut().unwrap().truncate(4);
        },
        |r| {
            // It says that there is none.
            r.runs[6].verdict = Verdict::None;
            (r.length, r.refuted_up_to, r.solution, r.exhausted) = (None, Some(6), None, true);
            r.verdict = Verdict::None;
        },
        |r| {
            r.runs[6].verdict = Verdict::None;
            (r.length, r.refuted_up_to, r.solution, r.max_length) = (None, Some(6), None, Some(6));
            r.verdict = Verdict::None;
        },
        |r| r.lower_bound = Some(1),
        |r| {
            r.runs.remove(0);
            r.lower_bound = Some(1);
        },
        |r| r.runs[2].levels.clear(),
        |r| r.runs[3].levels[0].generated += 1,
    ];
    all_rejected(&puzzle, &solved(&puzzle, Some(identity(9)), 6), changes);
    all_rejected(&puzzle, &met(&puzzle, Some(identity(9)), 6), changes);
    // Of another goal nothing holds.
    let mut other = puzzle.clone();
    other.table.insert("goal".into(), json!(".21\n345\n678"));
    assert!(check(&other, &solved(&puzzle, Some(identity(9)), 6)).is_err());
}

#[test]
fn a_symmetry_that_moves_the_goal_is_rejected() {
    let mut puzzle = peg_solitaire();
    puzzle.table.insert("goal".into(), json!({ "count": { "P": 1 }, "at": "d1" }));
    assert!(check(&puzzle, &levels(&peg_solitaire(), Some(cross()), 3)).unwrap_err().reason.contains("does not keep"));
}

#[test]
fn moves_that_cannot_be_undone_are_not_searched_from_the_goal() {
    let table = json!({ "board": "A..", "rules": ["A . -> . A"], "directions": ["right"], "goal": "..A" });
    let puzzle = spec("rules", table);
    check(&puzzle, &solved(&puzzle, Some(identity(3)), 2)).unwrap();
    assert!(check(&puzzle, &met(&puzzle, Some(identity(3)), 2)).unwrap_err().reason.contains("undone"));
}

#[test]
fn tables_that_say_nothing_are_errors() {
    let sound = json!({ "board": "A.", "rules": ["A . -> . A"] });
    let puzzle = spec("rules", sound.clone());
    let record = levels(&puzzle, Some(identity(2)), 1);
    check(&puzzle, &record).unwrap();
    let changes = [
        ("board", json!("A*")),
        ("board", json!("")),
        ("board", json!("A.\nA")),
        ("board", json!([])),
        ("rules", json!([])),
        ("rules", json!(["A . -> A ."])),
        ("rules", json!(["A . -> A"])),
        ("rules", json!(["A. -> .A"])),
        ("rules", json!(["A . -> * *"])),
        ("rules", json!([{ "rule": "A . -> . A", "turn": 3 }])),
        ("rules", json!([{ "rule": "A . -> . A", "turn": 1 }, "A A -> . ."])),
        ("rules", json!([{ "rule": "A . -> . .", "chain": true }])),
        ("rules", json!([{ "rule": "A . -> . A", "how": true }])),
        ("rules", json!([{ "rule": "A . -> . A", "free": true }])),
        ("rules", json!(["A . -> . A", { "rule": "A . -> A A", "free": true, "chain": true }])),
        ("rules", json!(["A . -> . A", { "rule": "A . -> A A", "free": true, "until": "any" }])),
        ("directions", json!(5)),
        ("directions", json!(["north"])),
        ("legend", json!({ "A": "B" })),
        ("legend", json!({ "xy": "A" })),
        ("goal", json!("A..")),
        ("goal", json!({ "at": "a1" })),
        ("goal", json!({ "count": { "A": 1 }, "at": "c1" })),
        ("other", json!(1)),
    ];
    for (key, value) in changes {
        let mut puzzle = puzzle.clone();
        puzzle.table.insert(key.into(), value.clone());
        assert!(check(&puzzle, &record).is_err(), "{key} = {value}");
    }
}
