//! Records under distances in puzzles with fewer letters, blocks or pieces.

use std::collections::BTreeSet;

use halma_record::job::{Pruning, PuzzleSpec};
use halma_record::record::{Asked, Record, Side, Verdict};
use serde_json::json;

use super::super::model::State;
use super::made::{abstractions, blank, bounded, brute, check, identity, met, passes, run, said, search, solved, spec};
use crate::RejectionKind as Kind;

type Change = fn(&mut Record);

fn eight_puzzle(board: &str) -> PuzzleSpec {
    spec("rules", json!({ "board": board, "rules": ["* . -> . *"], "goal": ".12\n345\n678" }))
}

/// Two bars and two squares; the upper bar has to go down one row.
fn blocks(metric: &str) -> PuzzleSpec {
    let (board, goal) = ("AA.\nB.C\nDD.", "???\n?AA\n???");
    spec("blocks", json!({ "board": board, "goal": goal, "metric": metric }))
}

fn pancakes(n: usize, scramble: &str) -> PuzzleSpec {
    let row = |numbers: Vec<usize>| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!("Set STACK {n} 1\nSolved\nSTACK\n{}\nEnd\n", row((1..=n).collect()));
    for turned in 2..=n {
        text += &format!("Move F{turned}\nSTACK\n{}\nEnd\n", row((1..=turned).rev().chain(turned + 1..=n).collect()));
    }
    spec("permutation", json!({ "definition": text, "scramble": scramble }))
}

/// Two sets, equal pieces, orientations of which some do not count.
fn mixed(scramble: &str) -> PuzzleSpec {
    let text = "Set A 4 3\nSet B 4 1\nSolved\nA\n5 2 9 5\n0 1 ? 2\nB\n1 1 2 2\nEnd\n\
                Move T\nA\n2 3 4 1\n0 1 2 0\nB\n4 1 2 3\nEnd\n\
                Move S\nA\n1 3 2 4\n1 1 1 0\nB\n2 1 3 4\nEnd\n";
    spec("permutation", json!({ "definition": text, "scramble": scramble }))
}

/// A box in a corner never comes out of it; another one can be lost there.
fn sokoban(goal: &str) -> PuzzleSpec {
    let rules = json!(["@ $ . -> . @ $", "@ . -> . @"]);
    spec("rules", json!({ "board": "....\n.$@.\n....", "rules": rules, "goal": { "at": { goal: "$" } } }))
}

fn fixing(puzzle: &PuzzleSpec) -> Option<Vec<Vec<u8>>> {
    let cells = |board: &str| board.chars().filter(|letter| !letter.is_whitespace()).count();
    puzzle.table.get("board").map(|board| identity(cells(board.as_str().unwrap())))
}

/// The length of the shortest solution, by plain search.
fn shortest(puzzle: &PuzzleSpec) -> Option<u32> {
    let model = super::super::model(puzzle, &blank(Asked::Solve, fixing(puzzle))).unwrap();
    let mut level: BTreeSet<State> = model.starts().iter().cloned().collect();
    let mut seen = level.clone();
    for moves in 0.. {
        if level.is_empty() || level.iter().any(|state| model.is_goal(state)) {
            return (!level.is_empty()).then_some(moves);
        }
        let after = level.iter().flat_map(|state| model.moves(state).unwrap()).collect::<BTreeSet<State>>();
        level = after.into_iter().filter(|state| seen.insert(state.clone())).collect();
    }
    None
}

/// All puzzles, each with abstractions.
fn all() -> Vec<(PuzzleSpec, Vec<&'static str>)> {
    vec![
        (eight_puzzle("125\n348\n.67"), vec!["12", "1/2/34", "8"]),
        (blocks("step"), vec!["A", "A/D", "AD", "A/B"]),
        (blocks("slide"), vec!["A", "A/D", "AD", "A/B/D"]),
        (blocks("move"), vec!["A", "A/D", "AD", "B/D"]),
        (sokoban("c3"), vec!["$", "@"]),
        (pancakes(5, "F5 F3 F4 F2"), vec!["STACK 4 5", "STACK 1", "STACK 4=5 3"]),
        (mixed("T S T"), vec!["A 2 9", "A 2=5", "A 5? 2", "A 9=2/B 2", "B 1"]),
    ]
}

#[test]
fn no_distance_with_fewer_letters_or_pieces_says_too_much() {
    for (puzzle, named) in all() {
        // The whole 8-puzzle takes too long here; the search's own tests have it.
        if puzzle.kind == "rules" && puzzle.table["rules"].as_array().unwrap().len() == 1 {
            continue;
        }
        let (model, all) = brute(&puzzle, fixing(&puzzle));
        for one in abstractions(&named) {
            let Ok(fewer) = model.with_fewer_letters(&one.0) else { panic!("{one}") };
            let mut above = 0;
            for (state, exact, after) in &all {
                let h = fewer(state);
                assert!(exact.is_none_or(|exact| h.is_some_and(|h| h <= exact)), "{one}: {}", model.show(state));
                // Consistent: where the next one has a way, so has this one, one move longer at most.
                let near = |next: &Vec<u8>| fewer(next).is_none_or(|there| h.is_some_and(|h| h <= there + 1));
                assert!(after.iter().all(near), "{one}: {}", model.show(state));
                above = above.max(h.unwrap_or(99));
            }
            assert!(above > 0, "{one} of {}", puzzle.kind);
        }
    }
}

#[test]
fn records_under_distances_pass_and_forged_ones_do_not() {
    let changes: [Change; 7] = [
        |r| r.projections.clear(),
        |r| drop(r.projections.pop()),
        |r| r.projections.push(r.projections[0].clone()),
        |r| r.lower_bound = r.lower_bound.map(|bound| bound + 1),
        |r| {
            r.lower_bound = r.length;
            r.runs.drain(..r.runs.len() - 1);
        },
        |r| r.runs.last_mut().unwrap().levels[1].pruned += 1,
        |r| {
            // It says that there is none.
            r.runs.last_mut().unwrap().verdict = Verdict::None;
            (r.refuted_up_to, r.length, r.solution) = (r.length, None, None);
            (r.verdict, r.exhausted) = (Verdict::None, true);
        },
    ];
    for (puzzle, named) in all() {
        let length = shortest(&puzzle);
        let record = bounded(&puzzle, fixing(&puzzle), &named, length);
        assert!(record.runs.iter().flat_map(|run| &run.levels).any(|level| level.pruned > 0), "{}", puzzle.kind);
        assert!(record.lower_bound.unwrap() > 0);
        passes(&puzzle, &record);
        for (number, change) in changes.iter().enumerate() {
            if number == 4 && record.runs.len() == 1 {
                continue;
            }
            let mut forged = record.clone();
            change(&mut forged);
            assert!(check(&puzzle, &forged).is_err(), "{} {number}", puzzle.kind);
        }
    }
}

#[test]
fn what_is_no_abstraction_is_rejected() {
    for (puzzle, named, other) in [
        (blocks("step"), ["A"], "C"),
        (blocks("step"), ["A"], "AB"),
        (pancakes(4, "F4 F2"), ["STACK 4"], "STACK 5"),
        (pancakes(4, "F4 F2"), ["STACK 4"], "PILE 4"),
        (pancakes(4, "F4 F2"), ["STACK 4"], "4"),
        (eight_puzzle("1.2\n345\n678"), ["1"], "STACK 4"),
    ] {
        let mut record = bounded(&puzzle, fixing(&puzzle), &named, shortest(&puzzle));
        passes(&puzzle, &record);
        record.projections = abstractions(&[other]);
        record.pruning = Pruning::Projection(record.projections.clone());
        let fault = check(&puzzle, &record).unwrap_err();
        assert!(fault.kind == Kind::Problem && fault.reason.starts_with("projections: "), "{other}: {fault}");
    }
}

/// Puzzles without a solution: of some the abstraction sees lost states, of others none.
fn unsolvable() -> Vec<(PuzzleSpec, Vec<&'static str>)> {
    let mut both = sokoban("a1");
    both.table["goal"] = json!({ "at": { "a2": "$", "d2": "@", "a1": "." }, "count": { "@": 0 } });
    let mut parity = eight_puzzle("12\n.3");
    parity.table["goal"] = json!("21\n3.");
    vec![(both, vec!["$"]), (parity, vec!["1/2"])]
}

#[test]
fn a_puzzle_without_a_solution_is_exhausted_under_a_bound() {
    for (puzzle, named) in unsolvable() {
        assert_eq!(shortest(&puzzle), None);
        let record = bounded(&puzzle, fixing(&puzzle), &named, None);
        passes(&puzzle, &record);
    }
    // Lost states are pruned at all lengths, and the last one says so nevertheless.
    let (puzzle, named) = &unsolvable()[0];
    let record = bounded(puzzle, fixing(puzzle), named, None);
    assert!(record.runs.last().unwrap().levels.iter().any(|level| level.pruned > 0));
}

#[test]
fn exhausted_is_rejected_where_a_state_was_cut_for_its_length() {
    for (puzzle, named) in unsolvable().into_iter().chain(all()) {
        let length = shortest(&puzzle);
        let record = bounded(&puzzle, fixing(&puzzle), &named, length);
        for shorter in 1..record.runs.len() {
            let mut forged = record.clone();
            forged.runs.truncate(shorter);
            forged.refuted_up_to = forged.runs.last().map(|run| run.length);
            (forged.length, forged.solution) = (None, None);
            (forged.verdict, forged.exhausted) = (Verdict::None, true);
            let fault = check(&puzzle, &forged).unwrap_err();
            assert_eq!(fault.kind, Kind::Verdict, "{fault}");
        }
    }
}

#[test]
fn where_no_abstraction_is_of_use_levels_are_shared() {
    let puzzle = pancakes(4, "F4 F3 F4");
    let length = shortest(&puzzle).unwrap();
    let mut record = bounded(&puzzle, None, &["STACK 4"], Some(length));
    let levels = search(&puzzle, None, length, Side::Forward);
    let verdict = |depth| if depth == length { Verdict::Solution } else { Verdict::None };
    record.runs = levels.into_iter().map(|(_, level)| run(level.depth, verdict(level.depth), vec![level])).collect();
    record.lower_bound = Some(0);
    record.projections.clear();
    record.pruning = Pruning::Projection(Vec::new());
    passes(&puzzle, &record);
    record.runs[1].levels[0].pruned = 1;
    assert!(check(&puzzle, &record).is_err());
}

#[test]
fn what_was_stopped_before_its_tables_were_made_claims_nothing() {
    let puzzle = pancakes(4, "F4 F3 F4");
    let pruning = Pruning::Projection(abstractions(&["STACK 4"]));
    let record = Record { pruning, verdict: Verdict::Incomplete, ..blank(Asked::Solve, None) };
    check(&puzzle, &record).unwrap();
    let mut forged = record.clone();
    (forged.lower_bound, forged.refuted_up_to) = (Some(3), Some(2));
    assert!(check(&puzzle, &forged).is_err());
    let mut forged = record;
    forged.runs = vec![run(0, Verdict::None, vec![said(0, Side::Forward, &[1], 0, 0)])];
    (forged.lower_bound, forged.refuted_up_to) = (Some(0), Some(0));
    assert!(check(&puzzle, &forged).is_err());
}

#[test]
fn the_number_of_letters_that_are_one_with_others_is_not_known() {
    let rules = json!(["P P -> . .", "Q Q -> . .", "P Q . -> . P Q", "Q . -> P Q"]);
    let puzzle = |count| spec("rules", json!({ "board": "PPQQ", "rules": rules, "goal": { "count": count } }));
    let distance = |count| {
        let model = super::super::model(&puzzle(count), &blank(Asked::Solve, Some(identity(4)))).unwrap();
        let Ok(distance) = model.with_fewer_letters(&["PQ".into()]) else { panic!("no distances") };
        distance(&model.starts()[0])
    };
    assert_eq!(distance(json!({ "P": 1 })), Some(0));
    assert_eq!(distance(json!({ ".": 2 })), Some(1));
}

#[test]
fn a_mirror_beside_a_projection_of_no_use_holds() {
    let puzzle = spec("rules", json!({ "board": "A.", "rules": ["A . -> . A"], "goal": ".A" }));
    let mut record = solved(&puzzle, Some(identity(2)), 1);
    record.symmetries.as_mut().unwrap().mirror = Some(vec![1, 0]);
    passes(&puzzle, &record);
    record.pruning = Pruning::Projection(Vec::new());
    passes(&puzzle, &record);
    record.pruning = Pruning::Projection(abstractions(&["A"]));
    assert!(check(&puzzle, &record).unwrap_err().reason.contains("without bounds"));
    record.projections = abstractions(&["A"]);
    assert!(check(&puzzle, &record).unwrap_err().reason.contains("without bounds"));
}

#[test]
fn a_free_rule_that_fits_nowhere_changes_nothing() {
    let free = json!({ "rule": "A A A A -> . A A A", "free": true });
    let puzzle = spec("rules", json!({ "board": "A..", "rules": ["A . -> . A", free], "goal": "..A" }));
    passes(&puzzle, &met(&puzzle, Some(identity(3)), 2));
    passes(&puzzle, &bounded(&puzzle, Some(identity(3)), &["A"], Some(2)));
}
