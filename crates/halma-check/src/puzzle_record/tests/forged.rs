//! Records with one thing changed.

use halma_record::record::{Asked, Count, Counts, Record, Repeats, Verdict};
use serde_json::json;

use super::made::{
    blank, check, check_in, cross, identity, levels, met, passes, peg_solitaire, run, solved, spec, square,
};
use crate::rejection::Trouble;

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

/// From the middle to any corner, in two steps of eight kinds.
fn corners() -> halma_record::job::PuzzleSpec {
    let goals: Vec<_> = ["a1", "c1", "a3", "c3"].map(|cell| json!({ "at": { cell: "A" } })).to_vec();
    spec("rules", json!({ "board": "...\n.A.\n...", "rules": ["A . -> . A"], "goal": goals }))
}

fn counted(fixing: Vec<Vec<u8>>, up_to_symmetry: u64) -> Record {
    let mut record = solved(&corners(), Some(fixing), 2);
    (record.question, record.verdict) = (Asked::Count, Verdict::Counted);
    let numbers = json!({ "sequences": Count::from(8u64), "up_to_symmetry": Count::from(up_to_symmetry) });
    record.counts = Some(serde_json::from_value::<Counts>(numbers).unwrap());
    record.runs.push(run(2, Verdict::Solution, Vec::new()));
    record
}

#[test]
fn a_symmetry_that_is_named_twice_changes_no_count() {
    let all = square(3, |_, _| true);
    let report = check(&corners(), &counted(all.clone(), 1)).unwrap();
    let said = "how many there are: counted again, 8, 1 up to symmetry under K of order 8";
    assert!(report.checked.iter().any(|line| line == said), "{report:?}");
    // Burnside's lemma over these would say 4.
    let twice = [vec![all[0].clone(); 8], all[1..].to_vec()].concat();
    let mut forged = counted(all, 4);
    forged.symmetries.as_mut().unwrap().fixing = twice;
    let fault = check(&corners(), &forged).unwrap_err();
    assert!(fault.reason.contains("names a map twice"), "{fault}");
}

#[test]
fn what_was_searched_without_symmetries_is_counted_up_to_those_that_the_record_names() {
    let all = square(3, |_, _| true);
    let counted_by = |symmetries: Vec<Vec<u8>>, up_to_symmetry| {
        let mut record = counted(identity(9), up_to_symmetry);
        record.counts.as_mut().unwrap().symmetries = Some(symmetries);
        check(&corners(), &record)
    };
    let report = counted_by(all.clone(), 1).unwrap();
    let said = "how many there are: counted again, 8, 1 up to symmetry under K of order 8";
    assert!(report.checked.iter().any(|line| line == said), "{report:?}");
    for (symmetries, up_to_symmetry) in [
        (all.clone(), 8),
        (identity(9), 1),
        ([all.clone(), all.clone()].concat(), 1),
        (all[..3].to_vec(), 1),
        (all[1..].to_vec(), 1),
        ([all.clone(), vec![vec![1, 0, 2, 3, 4, 5, 6, 7, 8]]].concat(), 1),
    ] {
        assert!(counted_by(symmetries.clone(), up_to_symmetry).is_err(), "{symmetries:?}");
    }
    // A search that used its symmetries names no others.
    let mut beside = counted(all.clone(), 1);
    beside.counts.as_mut().unwrap().symmetries = Some(all);
    assert!(check(&corners(), &beside).unwrap_err().reason.contains("searched without symmetries"));
}

#[test]
fn the_problem_is_restated() {
    let mut puzzle = spec("rules", json!({ "board": ["A.\nB.", ".A\nB."], "rules": ["A . -> . A"], "goal": "AB\n.." }));
    let said =
        |puzzle: &halma_record::job::PuzzleSpec| check(puzzle, &levels(puzzle, Some(identity(4)), 1)).unwrap().checked;
    let begins = ["rules: A./B., the first of 2 starts", "problem.board: [\"A.\\nB.\",\".A\\nB.\"]"];
    let others = ["problem.goal: AB/..", "problem.rules: [\"A . -> . A\"]"];
    assert_eq!(said(&puzzle)[..4], [begins, others].concat());
    puzzle.table.insert("board".into(), json!("A.\nB."));
    assert_eq!(said(&puzzle)[..2], ["rules: A./B.", "problem.board: A./B."]);
}

#[test]
fn a_solution_in_other_words_is_no_other_solution() {
    let file = "Set C 4 1\nSolved\nC\n1 2 3 4\nEnd\nMove R\nC\n2 3 4 1\nEnd\nMove S\nC\n2 1 3 4\nEnd\n";
    let puzzle = spec("permutation", json!({ "definition": file, "scramble": "R S" }));
    let mut record = solved(&puzzle, None, 2);
    record.solution = Some(["S", "R'"].map(String::from).to_vec());
    passes(&puzzle, &record);
    for words in [["S", "R'"], ["S'", "R'"], ["S", "R3"], ["S", "R7"]] {
        record.more_solutions = vec![words.map(String::from).to_vec()];
        let fault = check(&puzzle, &record).unwrap_err();
        assert_eq!(fault.reason, "more_solutions: two of them are alike");
    }
}

#[test]
fn names_of_moves_may_end_in_digits() {
    let turn = |name: &str| format!("Move {name}\nC\n2 3 4 5 1\nEnd\n");
    let puzzle = |moves: &[&str]| {
        let moves: String = moves.iter().map(|name| turn(name)).collect();
        let file = format!("Set C 5 1\nSolved\nC\n1 2 3 4 5\nEnd\n{moves}");
        spec("permutation", json!({ "definition": file, "scramble": "A12'" }))
    };
    let said = |moves: &[&str], word: &str| {
        let mut record = solved(&puzzle(moves), None, 1);
        record.solution = Some(vec![word.into()]);
        check(&puzzle(moves), &record).is_ok()
    };
    assert_eq!(["A12", "A13'", "A1", "A1'", "A"].map(|word| said(&["A1"], word)), [true, true, false, false, false]);
    // The longest name that a word begins with is the move.
    assert_eq!(["A12", "A2"].map(|word| said(&["A", "A1"], word)), [true, true]);
}

#[test]
fn levels_have_no_solutions_and_no_position_twice_among_the_farthest() {
    let puzzle = spec("rules", json!({ "board": "A..", "rules": ["A . -> . A"] }));
    let mut record = levels(&puzzle, Some(identity(3)), 9);
    record.farthest = vec!["..A".into()];
    let changes: &[Change] = &[
        |r| r.farthest.push("..A".into()),
        |r| r.farthest.push("A..".into()),
        |r| r.more_solutions = vec![vec![]],
        |r| r.more_solutions = vec![vec!["a1:A. b1:.A".into()]],
    ];
    all_rejected(&puzzle, &record, changes);
}

#[test]
fn states_repeat_where_moves_can_be_undone() {
    let puzzle = spec("rules", json!({ "board": "A..", "rules": ["A . -> . A"] }));
    let record = levels(&puzzle, Some(identity(3)), 1);
    all_rejected(&puzzle, &record, &[|r| r.repeats = Some(Repeats::Never), |r| r.repeats = None]);
    let mut blocked = spec("rules", json!({ "board": "AA", "rules": ["A . -> . A"] }));
    let mut stuck = levels(&blocked, Some(identity(2)), 1);
    stuck.repeats = Some(Repeats::Never);
    passes(&blocked, &stuck);
    blocked.table.insert("board".into(), json!("A."));
    blocked.table.insert("directions".into(), json!(["right"]));
    let mut graded = levels(&blocked, Some(identity(2)), 1);
    graded.repeats = Some(Repeats::Never);
    passes(&blocked, &graded);
}

/// Tokens on a graph are rules over a whole row, with `?` for all nodes that a move leaves alone: too many letters to try one by
/// one.
#[test]
fn moves_along_the_edges_of_a_graph_can_be_undone_but_where_an_edge_leads_one_way() {
    let rule = |from: usize, to: usize| {
        let side = |here, there| {
            let place = |node| {
                if node == from {
                    here
                } else if node == to {
                    there
                } else {
                    "?"
                }
            };
            (0..11).map(place).collect::<Vec<_>>().join(" ")
        };
        format!("{} -> {}", side("*", "."), side(".", "*"))
    };
    let undone = |board: &str, rules: &[String]| {
        let puzzle = spec("rules", json!({ "board": board, "rules": rules, "directions": ["right"] }));
        let mut record = levels(&puzzle, Some(identity(board.len())), 2);
        record.repeats = Some(Repeats::Previous);
        check(&puzzle, &record).unwrap().unchecked.is_empty()
    };
    let mut ring: Vec<String> = (0..11).flat_map(|a| [rule(a, (a + 1) % 11), rule((a + 1) % 11, a)]).collect();
    assert!(undone("ABC........", &ring));
    ring.pop();
    assert!(!undone("ABC........", &ring));
    // The way back asks for each letter of what stays by a rule of its own.
    let mut apart = ["* . ? -> . * ?", ". * A -> * . A", ". * B -> * . B", ". * . -> * . ."].map(String::from).to_vec();
    assert!(undone("AB.", &apart));
    apart.pop();
    assert!(!undone("AB.", &apart));
}

/// Free rules lead to 2^16 positions, and from each of them there are 96 moves.
#[test]
fn a_move_that_leads_to_more_positions_than_fit_is_not_followed() {
    let board = format!("{}#{}", "a".repeat(16), "c".repeat(96));
    let rules = json!([{ "rule": "a -> b", "free": true }, "c -> d"]);
    let puzzle = spec("rules", json!({ "board": board, "rules": rules, "goal": { "count": { "d": 1 } } }));
    let model = super::super::model(&puzzle, &blank(Asked::Solve, Some(identity(112)))).unwrap();
    let moved = model.moves(&model.starts()[0]);
    assert!(matches!(&moved, Err(Trouble::TooMany(_))), "{:?}", moved.map(|states| states.len()));
}

#[test]
fn a_sample_of_no_files_derives_the_levels() {
    let table = json!({ "board": "A..", "rules": ["A . -> . A"], "directions": ["right"], "goal": "..A" });
    let puzzle = spec("rules", table);
    let sampled = |record: &Record| {
        let report = check_in(&puzzle, record, ("".as_ref(), Some(5))).unwrap();
        assert_eq!((report.unchecked, report.sampled), (vec![], false));
        report.checked
    };
    let only_the_start = levels(&puzzle, Some(identity(3)), 0);
    assert!(sampled(&only_the_start).contains(&"length 0, levels: 1 level derived again".to_string()));
    sampled(&solved(&puzzle, Some(identity(3)), 2));
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
