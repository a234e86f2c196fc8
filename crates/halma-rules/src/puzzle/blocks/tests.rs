use std::collections::HashSet;

use halma_record::job::puzzle_tables::{BlocksTable, Metric, OneOrMany};
use proptest::prelude::*;

use super::*;
use crate::puzzle::Part;
use crate::puzzle::grounded::Repeats;

const KLOTSKI: &str = "ABBC\nABBC\nDEEF\nDGHF\nI..J\n";
const KLOTSKI_GOAL: &str = "????\n????\n????\n?BB?\n?BB?\n";
/// The hardest board of Rush Hour there is, by Fogleman's census.
const HARDEST: &str = "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM";

fn table(board: &str, goal: &str, metric: Metric) -> BlocksTable {
    let goal = (!goal.is_empty()).then(|| OneOrMany::One(goal.into()));
    BlocksTable { board: board.into(), goal, metric, axis: false, distinct: Vec::new() }
}

/// All states that one move leads to.
fn moves(task: &GroundedTask, state: &[u8]) -> Vec<Vec<u8>> {
    let mut found: Vec<(Vec<u8>, &Step)> = Vec::new();
    let apply = |state: &[u8], step: &Step| {
        let all = step.needs.iter().all(|&(cell, set)| set >> state[usize::from(cell)] & 1 == 1);
        let mut next = state.to_vec();
        step.writes.iter().for_each(|&(cell, letter)| next[usize::from(cell)] = letter);
        all.then_some(next)
    };
    for step in &task.steps {
        found.extend(apply(state, step).map(|next| (next, step)));
    }
    let mut at = 0;
    while let Some((now, last)) = found.get(at).cloned() {
        at += 1;
        for step in task.steps.iter().filter(|s| (s.from, s.man) == (last.to, last.man)) {
            let goes_on =
                step.chain || step.until == Until::Any && (step.rule, step.direction) == (last.rule, last.direction);
            if let Some(next) = goes_on.then(|| apply(&now, step)).flatten()
                && found.iter().all(|(other, _)| *other != next)
            {
                found.push((next, step));
            }
        }
    }
    found.into_iter().map(|(state, _)| state).filter(|next| next != state).collect()
}

/// How many states there are, and the first level with a goal.
fn search(task: &GroundedTask) -> (usize, Option<usize>) {
    let is_goal = |state: &Vec<u8>| {
        let holds = |&(cell, set): &(u8, u64)| set >> state[usize::from(cell)] & 1 == 1;
        task.goals.iter().any(|goal| goal.cells.iter().all(holds))
    };
    let mut level = task.starts.clone();
    let mut seen: HashSet<Vec<u8>> = level.iter().cloned().collect();
    let (mut depth, mut solved) = (0, None);
    while !level.is_empty() {
        if solved.is_none() && level.iter().any(is_goal) {
            solved = Some(depth);
        }
        let next = level.iter().flat_map(|state| moves(task, state));
        level = next.filter(|state| seen.insert(state.clone())).collect();
        depth += 1;
    }
    (seen.len(), solved)
}

#[test]
fn klotski_has_25_955_positions_and_takes_116_steps_or_81_moves() {
    let task = |metric| compile(&table(KLOTSKI, KLOTSKI_GOAL, metric)).unwrap();
    assert_eq!(search(&task(Metric::Step)), (25_955, Some(116)));
    assert_eq!(search(&task(Metric::Move)), (25_955, Some(81)));
}

#[test]
fn the_hardest_board_of_rush_hour_takes_60_slides() {
    let hard = compile(&table(HARDEST, "", Metric::Slide)).unwrap();
    let (states, slides) = search(&hard);
    assert_eq!((states, slides), (2332, Some(60)));
    assert_eq!(hard.board.len(), 35, "one wall");
    // The same board drawn, with the goal written down.
    let rows =
        |text: &str| text.as_bytes().chunks(6).map(|r| str::from_utf8(r).unwrap()).collect::<Vec<_>>().join("\n");
    let drawn = rows(&HARDEST.replace('o', ".").replace('x', "#"));
    let goal = "???#??\n??????\n????AA\n??????\n??????\n??????";
    let mut same = table(&drawn, goal, Metric::Slide);
    same.axis = true;
    let same = compile(&same).unwrap();
    assert_eq!((same.steps, same.letters, same.bodies), (hard.steps, hard.letters, hard.bodies));
}

#[test]
fn a_letter_is_a_cell_of_a_shape_and_a_shape_is_numbered_by_its_first_cell() {
    let task = compile(&table(KLOTSKI, KLOTSKI_GOAL, Metric::Step)).unwrap();
    // Upright, B, lying, small; then the other cells of these.
    assert_eq!(task.letters.iter().collect::<String>(), "ABEGABBBE.");
    assert_eq!((task.ranked, task.has_empty), (4, true));
    let start: String = task.starts[0].iter().map(|l| char::from(b'0' + l)).collect();
    assert_eq!(start, "01504674".to_owned() + "0280" + "4334" + "3993");
    assert_eq!(task.bodies[1][5], [(6, 5), (9, 6), (10, 7)]);
    assert!(task.bodies[1][16].is_empty());
    let all = |goal: &str| compile(&table(KLOTSKI, goal, Metric::Step)).unwrap().goals.remove(0);
    let b = 1 << 1 | 1 << 5 | 1 << 6 | 1 << 7;
    assert_eq!(all(KLOTSKI_GOAL).cells, [(13, b), (14, b), (17, b), (18, b)]);
    assert_eq!(all("????\n????\n????\n????\n.??.").cells, [(16, 1 << 9), (19, 1 << 9)]);
}

#[test]
fn blocks_that_are_named_are_shapes_of_their_own() {
    let mut table = table(KLOTSKI, "", Metric::Step);
    assert_eq!(compile(&table).unwrap().ranked, 4);
    table.distinct = vec!["C".into(), "J".into()];
    assert_eq!(compile(&table).unwrap().ranked, 6);
    table.goal = Some(OneOrMany::Many(vec!["????\n????\n????\n????\nA???".into(), KLOTSKI_GOAL.into()]));
    let task = compile(&table).unwrap();
    assert_eq!((task.ranked, task.goals.len()), (7, 2));
}

#[test]
fn klotski_is_its_own_mirror_image_and_not_upside_down() {
    let task = compile(&table(KLOTSKI, KLOTSKI_GOAL, Metric::Move)).unwrap();
    let candidates = &task.candidates;
    assert_eq!(candidates.len(), 2, "{candidates:?}");
    assert!(candidates.iter().any(|map| map.cells[..4] == [3, 2, 1, 0]));
    assert_eq!(task.symmetries().len(), 2);
    for map in candidates {
        let mut image = vec![0; 20];
        for (cell, &letter) in task.starts[0].iter().enumerate() {
            image[usize::from(map.cells[cell])] = map.letters[usize::from(letter)];
        }
        assert_eq!(image, task.starts[0]);
    }
    // A diagonal takes lying blocks to upright ones.
    let corner = compile(&table(".AA\nB..\nB..", "", Metric::Step)).unwrap();
    assert_eq!(corner.candidates.iter().filter(|map| map.letters == [1, 0, 3, 2, 4]).count(), 1);
    assert_eq!(corner.symmetries().len(), 2, "{:?}", corner.candidates);
    // But not where one of the two is told apart.
    let told = BlocksTable { distinct: vec!["A".into()], ..table(".AA\nB..\nB..", "", Metric::Step) };
    assert_eq!(compile(&told).unwrap().candidates.len(), 1);
}

#[test]
fn every_move_of_a_block_can_be_undone() {
    for metric in [Metric::Step, Metric::Slide, Metric::Move] {
        let task = compile(&table(KLOTSKI, KLOTSKI_GOAL, metric)).unwrap();
        assert_eq!(task.repeats(), Repeats::Previous, "{metric:?}");
    }
}

#[test]
fn cars_move_along_their_longer_side_and_squares_do_not_move() {
    let table = BlocksTable { axis: true, ..table("AA.\n.B.\nC..\nC..", "", Metric::Step) };
    let task = compile(&table).unwrap();
    let directions = |man| task.steps.iter().filter(|s| s.man == man).map(|s| s.direction).collect::<BTreeSet<u8>>();
    assert_eq!(directions(0), BTreeSet::from([0, 1]));
    assert_eq!(directions(1), BTreeSet::new());
    assert_eq!(directions(2), BTreeSet::from([2, 3]));
}

/// The key, the bytes, and a part of the message.
fn fault(table: &BlocksTable) -> (String, Option<String>, String) {
    let fault = compile(table).unwrap_err();
    let path = fault.path.iter().map(|part| match part {
        Part::Key(key) => key.clone(),
        Part::At(position) => position.to_string(),
    });
    let path = path.collect::<Vec<_>>().join(".");
    let goal = table.goal.as_ref().and_then(|g| g.as_slice().last().cloned()).unwrap_or_default();
    let text = if path.starts_with("goal") { goal } else { table.board.clone() };
    (path, fault.range.map(|range| format!("{}:{}", range.start, &text[range.clone()])), fault.message)
}

#[test]
fn a_faulty_table_is_refused_with_its_bytes() {
    let step = Metric::Step;
    let check = |board: &str, goal: &str, key: &str, bytes: Option<&str>, says: &str| {
        let (path, range, message) = fault(&table(board, goal, step));
        assert_eq!((path.as_str(), range.as_deref()), (key, bytes), "{message}");
        assert!(message.contains(says), "{message}");
    };
    check("A.\nA", "", "board", Some("3:A"), "ragged");
    check("A\u{200b}.", "", "board", Some("1:\u{200b}"), "takes no column of its own");
    check("e\u{301}.", "", "board", Some("1:\u{301}"), "takes no column of its own");
    check("\nAB\n.A", "", "board", Some("5:A"), "do not touch");
    check("A?", "", "board", Some("1:?"), "several letters");
    check("..", "", "board", None, "no block");
    check("AB\nAC", "", "board", None, "can ever move");
    check("A.", "?B", "goal", Some("1:B"), "no block B");
    check("A..", "AA?", "goal", Some("1:A"), "one cell");
    check("A..", "??", "goal", None, "same cells");
    check("A..", "...", "goal", None, "2 empty cells");
    check("AA.\n...", "A??\nA??", "goal", Some("0:A"), "can never cover");
    check("AA.\n...", "A.?\n???", "goal", Some("0:A"), "can never cover");
    check("A.#.", "??#A", "goal", Some("3:A"), "can never cover");
    let bad: String = (0..63).map(|i| char::from_u32(0x100 + i).unwrap()).chain(['.']).collect();
    let all = BlocksTable { distinct: bad.chars().take(63).map(String::from).collect(), ..table(&bad, "", step) };
    assert!(fault(&all).2.contains("at most 62"));
    check(&format!("A{}", ".".repeat(256)), "", "board", None, "256");
    let unknown = BlocksTable { distinct: vec!["A".into(), "Q".into()], ..table("A.", "", step) };
    assert_eq!(fault(&unknown).0, "distinct.1");
    let list = OneOrMany::Many(vec!["?A".into(), "AA".into()]);
    let second = BlocksTable { goal: Some(list), ..table("A.", "", step) };
    assert_eq!(fault(&second).0, "goal.1");
}

#[test]
fn a_faulty_board_of_rush_hour_is_refused() {
    let check = |board: &str, says: &str| {
        let (path, _, message) = fault(&table(board, "", Metric::Slide));
        assert_eq!(path, "board");
        assert!(message.contains(says), "{message}");
    };
    check(&"o".repeat(36), "no block");
    check(&format!("BB{}", "o".repeat(34)), "no block A");
    check(&format!("Aooooo{}{}", "Aooooo", "o".repeat(24)), "along its row");
    check(&format!("AAoxoo{}", "o".repeat(30)), "can never cover");
    check(&format!("AAooox{}", "o".repeat(30)), "a wall");
    let (_, range, _) = fault(&table(&format!(" AAooAo{}", "o".repeat(30)), "", Metric::Slide));
    assert_eq!(range.unwrap(), "5:A");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(board in "[AB.#?ox\n]{0,40}", goal in "[AB.#?\n]{0,12}", distinct in "[ABC]{0,2}", axis: bool) {
        let table = BlocksTable { axis, distinct: vec![distinct], ..table(&board, &goal, Metric::Move) };
        if let Err(fault) = compile(&table) {
            prop_assert!(!fault.message.is_empty());
        }
    }

    /// Steps are exact: each keeps the number of every letter, and writes only what it has asked.
    #[test]
    fn steps_keep_all_letters(board in "[AB.]{3}\n[AB.]{3}\n[AC.]{3}") {
        let Ok(task) = compile(&table(&board, "", Metric::Step)) else { return Ok(()) };
        for step in &task.steps {
            let mut old: Vec<u64> = step.needs.iter().map(|n| n.1).collect();
            let mut new: Vec<u64> = step.writes.iter().map(|w| 1 << w.1).collect();
            prop_assert!(step.needs.is_sorted() && step.writes.is_sorted());
            prop_assert!(step.needs.iter().zip(&step.writes).all(|(n, w)| n.0 == w.0 && n.1 != 1 << w.1));
            old.sort_unstable();
            new.sort_unstable();
            prop_assert_eq!(old, new);
        }
    }
}
