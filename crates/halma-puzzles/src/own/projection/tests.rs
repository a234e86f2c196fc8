use std::collections::HashMap;

use halma_record::job::PuzzleSpec;
use halma_rules::puzzle::{Compiled, compile};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::own::Model;
use crate::own::grounded::GroundedModel;

const FAR: u32 = u32::MAX;

fn try_task(kind: &str, table: Value) -> Option<GroundedTask> {
    let Value::Object(table) = table else { panic!("a table") };
    match compile(&PuzzleSpec { kind: kind.into(), title: None, table }) {
        Ok(Some(Compiled::Grounded(task))) => Some(task),
        Ok(_) => panic!("a board"),
        Err(_) => None,
    }
}

fn task(kind: &str, table: Value) -> GroundedTask {
    try_task(kind, table).expect("a puzzle")
}

fn named(texts: &[&str]) -> Vec<Abstraction> {
    texts.iter().map(|text| Abstraction::try_from(text.to_string()).unwrap()).collect()
}

fn projections(task: &GroundedTask, texts: &[&str]) -> Projections<u64> {
    made(task, &named(texts)).unwrap()
}

fn made(task: &GroundedTask, abstractions: &[Abstraction]) -> Result<Projections<u64>, Unmade> {
    Projections::new(&Compiled::Grounded(task.clone()), abstractions, &never())
}

fn chosen(task: &GroundedTask) -> Projections<u64> {
    Projections::chosen(&Compiled::Grounded(task.clone()), &never()).unwrap()
}

fn never() -> CancellationToken {
    CancellationToken::after(None)
}

fn texts(abstractions: &[Abstraction]) -> Vec<String> {
    abstractions.iter().map(ToString::to_string).collect()
}

/// All states that can be reached, the moves between them, and their distances to the goal, by brute force.
struct Graph {
    states: Vec<u64>,
    moves: Vec<(usize, usize)>,
    distances: Vec<u32>,
}

impl Graph {
    fn of(task: &GroundedTask) -> Self {
        let model = GroundedModel::<u64, 1>::new(task, false);
        let mut worker = model.worker();
        let mut states = model.starts();
        states.sort_unstable();
        states.dedup();
        let mut numbers: HashMap<u64, usize> = states.iter().enumerate().map(|(at, &state)| (state, at)).collect();
        let (mut moves, mut at, mut after) = (Vec::new(), 0, Vec::new());
        while let Some(&state) = states.get(at) {
            after.clear();
            worker.after(state, &mut after);
            for &next in &after {
                let to = *numbers.entry(next).or_insert_with(|| {
                    states.push(next);
                    states.len() - 1
                });
                moves.push((at, to));
            }
            at += 1;
        }
        let goals = states.iter().map(|&state| worker.is_goal(state)).collect::<Vec<_>>();
        let distances = distances(&goals, &moves);
        Self { states, moves, distances }
    }

    /// That the bound is admissible and consistent; gives back its values.
    fn holds(&self, bound: &Projections<u64>) -> Vec<u32> {
        let mut evaluate = bound.evaluator();
        let h: Vec<u32> = self.states.iter().map(|&state| evaluate(state)).collect();
        for (at, (&h, &exact)) in h.iter().zip(&self.distances).enumerate() {
            assert!(h <= exact, "state {}: bound {h}, distance {exact}", self.states[at]);
        }
        for &(from, to) in &self.moves {
            assert!(h[from] <= h[to].saturating_add(1), "{} -> {}", self.states[from], self.states[to]);
        }
        h
    }

    /// The mean of finite values.
    fn mean(values: &[u32]) -> f64 {
        let finite: Vec<f64> = values.iter().filter(|&&v| v < FAR).map(|&v| v.into()).collect();
        finite.iter().sum::<f64>() / finite.len().max(1) as f64
    }
}

fn distances(goals: &[bool], moves: &[(usize, usize)]) -> Vec<u32> {
    let mut before = vec![Vec::new(); goals.len()];
    moves.iter().for_each(|&(from, to)| before[to].push(from));
    let mut distances: Vec<u32> = goals.iter().map(|&goal| if goal { 0 } else { FAR }).collect();
    let mut level: Vec<usize> = (0..goals.len()).filter(|&at| goals[at]).collect();
    let mut depth = 0;
    while !level.is_empty() {
        depth += 1;
        let mut next = Vec::new();
        for &from in level.iter().flat_map(|&at| &before[at]) {
            if distances[from] == FAR {
                distances[from] = depth;
                next.push(from);
            }
        }
        level = next;
    }
    distances
}

fn eight_puzzle(options: Value) -> GroundedTask {
    let mut table = json!({ "board": "8.6\n547\n231\n", "rules": ["* . -> . *"], "goal": ".12\n345\n678\n" });
    table.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    task("rules", table)
}

const KLOTSKI: &str = "ABBC\nABBC\nDEEF\nDGHF\nI..J\n";

fn klotski(metric: &str) -> GroundedTask {
    task("blocks", json!({ "board": KLOTSKI, "goal": "????\n????\n????\n?BB?\n?BB?\n", "metric": metric }))
}

const SOKOBAN: &str = "..##..\n.$.$..\n..@$..\n......\n";

fn sokoban() -> GroundedTask {
    let rules = ["@ $ . -> . @ $", "@ . -> . @"];
    task("rules", json!({ "board": SOKOBAN, "rules": rules, "goal": { "at": { "e2": "$", "f3": "$", "e4": "$" } } }))
}

fn halma() -> GroundedTask {
    let rules =
        json!(["A . -> . A", { "rule": "A x . -> . x A", "chain": true }, { "rule": "B x . -> . x B", "chain": true }]);
    let legend = json!({ "x": "AB" });
    task(
        "rules",
        json!({ "board": "AA..\nAB..\n.B..\n....\n", "rules": rules, "legend": legend, "goal": "????\n????\n??AA\n???A\n" }),
    )
}

#[test]
fn distances_of_the_8_puzzle_without_its_letters_hold_for_all_its_states() {
    let puzzle = eight_puzzle(json!({}));
    let graph = Graph::of(&puzzle);
    assert_eq!((graph.states.len(), graph.distances[0], graph.distances.iter().max()), (181_440, 31, Some(&31)));
    let one = graph.holds(&projections(&puzzle, &["1/2/3/45678"]));
    let both = graph.holds(&projections(&puzzle, &["1/2/3/45678", "1234/5/6/7/8"]));
    assert!(one.iter().zip(&both).all(|(one, both)| one <= both) && Graph::mean(&one) < Graph::mean(&both));
    // Where nothing is merged the bound is the distance.
    assert_eq!(graph.holds(&projections(&puzzle, &["1/2/3/4/5/6/7/8"])), graph.distances);
}

#[test]
fn rules_that_repeat_are_undone_along_their_lines() {
    for until in ["any", "blocked"] {
        let puzzle = eight_puzzle(json!({ "rules": [". * -> * ."], "until": until }));
        let graph = Graph::of(&puzzle);
        let exact = graph.holds(&projections(&puzzle, &["1/2/3/4/5/6/7/8"]));
        assert!(until == "blocked" || exact == graph.distances);
        assert!(Graph::mean(&graph.holds(&projections(&puzzle, &["1/2/3/4/5678"]))) > 1.0);
    }
}

#[test]
fn blocks_that_are_left_out_make_klotski_shorter_and_never_longer() {
    for metric in ["step", "slide", "move"] {
        let puzzle = klotski(metric);
        let graph = Graph::of(&puzzle);
        assert_eq!(graph.states.len(), 25_955);
        let published = [("step", 116), ("slide", 90), ("move", 81)];
        assert!(published.contains(&(metric, graph.distances[0])), "{metric}: {}", graph.distances[0]);
        let mut means = Vec::new();
        for kept in [&["B"][..], &["B/E"], &["A/B"], &["A/B/E"]] {
            means.push(Graph::mean(&graph.holds(&projections(&puzzle, kept))));
        }
        assert!(means[0] < means[1] && means[1] < means[3] && means[2] < means[3], "{metric}: {means:?}");
    }
}

#[test]
fn boxes_without_the_man_and_the_man_without_boxes_bound_sokoban() {
    let puzzle = sokoban();
    let graph = Graph::of(&puzzle);
    let boxes = graph.holds(&projections(&puzzle, &["$"]));
    // Without the man a box moves wherever there is room for him to push: some states are lost nevertheless.
    assert!(boxes.contains(&FAR) && Graph::mean(&boxes) > 1.0);
    // All that is left of the goal is that the man stands on none of its cells.
    assert_eq!(graph.holds(&projections(&puzzle, &["@"])).iter().max(), Some(&1));
    assert_eq!(graph.holds(&projections(&puzzle, &["@/$"])), graph.distances);
}

#[test]
fn men_who_jump_on_unseen_are_followed() {
    let puzzle = halma();
    let graph = Graph::of(&puzzle);
    let men = graph.holds(&projections(&puzzle, &["A"]));
    assert!(Graph::mean(&men) > 1.0);
    graph.holds(&projections(&puzzle, &["AB", "B"]));
    assert_eq!(graph.holds(&projections(&puzzle, &["A/B"])), graph.distances);
}

#[test]
fn a_man_who_takes_unseen_takes_several_in_one_move() {
    // Without B, whole chains of captures are one move in which nothing is seen of the one who moves.
    let rules = json!([{ "rule": "B A . -> . . B", "chain": true }, { "rule": "B C . -> . C B", "chain": true }]);
    let table = json!({ "board": "BA.C.A.\n", "rules": rules, "goal": { "count": { "A": 0 } } });
    let puzzle = task("rules", table);
    let graph = Graph::of(&puzzle);
    assert_eq!(graph.distances[0], 1);
    for kept in ["A", "A/C", "AC", "A/B", "AB"] {
        graph.holds(&projections(&puzzle, &[kept]));
    }
    let mut evaluate = [0; 2].map(|_| 0);
    let mut bound = |kept: &str, slot: usize| {
        let projections = projections(&puzzle, &[kept]);
        evaluate[slot] = projections.evaluator()(graph.states[0]);
    };
    bound("A", 0);
    bound("A/C", 1);
    assert_eq!(evaluate, [1, 1]);
}

#[test]
fn peg_solitaire_has_no_abstraction_of_use() {
    let board = "##PPP##\n##PPP##\nPPPPPPP\nPPP.PPP\nPPPPPPP\n##PPP##\n##PPP##\n";
    let goal = json!({ "count": { "P": 1 }, "at": "d4" });
    let puzzle = task("rules", json!({ "board": board, "rules": ["P P . -> . . P"], "goal": goal }));
    let none = chosen(&puzzle);
    assert!(none.abstractions().is_empty());
    assert_eq!(none.evaluator()(GroundedModel::<u64, 1>::new(&puzzle, false).starts()[0]), 0);
    // Nothing is left of it where the pegs are gone, and its own table is too large.
    assert_eq!(
        check(&Compiled::Grounded(puzzle), &named(&["P"])).unwrap_err().to_string(),
        "projection(P): the table would have 8589934592 states; allowed are 268435456: keep fewer letters or pieces apart"
    );
}

#[test]
fn what_is_no_abstraction_is_refused() {
    let error = |task: &GroundedTask, text: &str| {
        check(&Compiled::Grounded(task.clone()), &named(&[text])).unwrap_err().to_string()
    };
    let puzzle = eight_puzzle(json!({}));
    let allowed = "allowed are `8`, `6`, `5`, `4`, `7`, `2`, `3`, `1`";
    assert_eq!(error(&puzzle, "1/29"), format!("projection(1/29): `9` is no letter of the puzzle; {allowed}"));
    let message = "projection(AB): blocks A and B have different shapes, which cannot become one letter";
    assert_eq!(error(&klotski("step"), "AB"), message);
    assert_eq!(check(&Compiled::Grounded(puzzle), &named(&["1/2", "345678"])), Ok(()));
}

#[test]
fn blocks_of_one_shape_that_a_goal_tells_apart_can_be_merged() {
    for metric in ["step", "slide", "move"] {
        let table = json!({ "board": "AA.\nBB.\n.C.\n", "goal": "BB.\nAA.\n???\n", "metric": metric });
        let puzzle = task("blocks", table);
        let graph = Graph::of(&puzzle);
        for kept in ["A", "AB", "A/B", "AB/C"] {
            graph.holds(&projections(&puzzle, &[kept]));
        }
        assert_eq!(graph.holds(&projections(&puzzle, &["A/B/C"])), graph.distances, "{metric}");
    }
}

#[test]
fn a_goal_that_names_one_of_several_merged_blocks_leaves_open_where_the_others_stand() {
    for metric in ["step", "slide", "move"] {
        for goal in ["???\nAA?\n???\n", "???\nAA.\n???\n"] {
            let puzzle = task("blocks", json!({ "board": "AA.\nBB.\n.C.\n", "goal": goal, "metric": metric }));
            let graph = Graph::of(&puzzle);
            assert!(graph.distances[0] < FAR, "{metric}, {goal}");
            for kept in ["A", "AB", "A/B", "AB/C", "A/C"] {
                graph.holds(&projections(&puzzle, &[kept]));
            }
            assert_eq!(graph.holds(&projections(&puzzle, &["A/B/C"])), graph.distances, "{metric}, {goal}");
            graph.holds(&chosen(&puzzle));
        }
    }
}

/// Boards of 3x4 with blocks of one or two cells, or none of a cell, and what of a board a goal names.
fn board_of_blocks() -> impl Strategy<Value = (String, Vec<bool>)> {
    let block = (0..12usize, 0..3u8);
    (prop::collection::vec(block, 2..6), prop::collection::vec(any::<bool>(), 12)).prop_map(|(blocks, named)| {
        let mut board = ['.'; 12];
        for (letter, (at, kind)) in ('A'..).zip(blocks) {
            let cells = match kind {
                1 if at % 4 < 3 => vec![at, at + 1],
                2 if at < 8 => vec![at, at + 4],
                _ => vec![at],
            };
            if cells.iter().all(|&cell| board[cell] == '.') {
                cells.iter().for_each(|&cell| board[cell] = letter);
            }
        }
        (board.chunks(4).map(|row| row.iter().collect::<String>() + "\n").collect(), named)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// The goal names some cells of a state that can be reached, if blocks of one shape are taken for each other.
    #[test]
    fn no_abstraction_of_blocks_overestimates(
        (board, named) in board_of_blocks(),
        metric in prop::sample::select(vec!["step", "slide", "move"]),
        at in any::<prop::sample::Index>(),
    ) {
        let Some(open) = try_task("blocks", json!({ "board": board, "metric": metric })) else { return Ok(()) };
        let model = GroundedModel::<u64, 1>::new(&open, false);
        let reached = Graph::of(&open).states;
        let picture = model.picture(*at.get(&reached));
        let mut named = named.iter();
        let goal: String = picture.chars().map(|c| if c == '\n' || *named.next().unwrap_or(&true) { c } else { '?' }).collect();
        let Some(puzzle) = try_task("blocks", json!({ "board": board, "goal": goal, "metric": metric })) else { return Ok(()) };
        let graph = Graph::of(&puzzle);
        let letters: Vec<char> = puzzle.letters[..puzzle.ranked].to_vec();
        let pairs = letters.iter().flat_map(|a| letters.iter().map(move |b| [*a, *b]));
        let merged = pairs.filter(|[a, b]| a < b).map(|pair| pair.iter().collect::<String>());
        for kept in merged.chain(letters.iter().map(char::to_string)) {
            let kept = named_one(&kept);
            if check(&Compiled::Grounded(puzzle.clone()), &kept).is_ok() {
                graph.holds(&made(&puzzle, &kept).unwrap());
            }
        }
    }
}

fn named_one(text: &str) -> Vec<Abstraction> {
    named(&[text])
}

#[test]
fn the_choice_by_trial_is_the_same_each_time_and_of_use() {
    for (puzzle, least) in [(eight_puzzle(json!({})), 12.0), (sokoban(), 1.0), (halma(), 1.0)] {
        let bound = chosen(&puzzle);
        assert_eq!(bound.abstractions(), chosen(&puzzle).abstractions());
        let mean = Graph::mean(&Graph::of(&puzzle).holds(&bound));
        assert!(mean > least, "{:?}: {mean}", texts(bound.abstractions()));
    }
    // It is searched in less time than tables of use would take.
    assert_eq!(texts(chosen(&klotski("step")).abstractions()), Vec::<String>::new());
}

/// Rules of one to three letters over A, B, C, `.` and the class of all men.
fn rule() -> impl Strategy<Value = Value> {
    let letter = || prop::sample::select(vec!['A', 'B', 'C', '.', '*']);
    let sides =
        (2..=3usize).prop_flat_map(move |n| (prop::collection::vec(letter(), n), prop::collection::vec(letter(), n)));
    (sides, 0..4u8).prop_map(|((left, right), kind)| {
        let side = |side: Vec<char>| side.iter().map(char::to_string).collect::<Vec<_>>().join(" ");
        let rule = format!("{} -> {}", side(left), side(right));
        match kind {
            0 => json!(rule),
            1 => json!({ "rule": rule, "chain": true }),
            2 => json!({ "rule": rule, "until": "any" }),
            _ => json!({ "rule": rule, "until": "blocked" }),
        }
    })
}

fn puzzle() -> impl Strategy<Value = Value> {
    let map = |letters: &'static str| {
        let letter = prop::sample::select(letters.chars().collect::<Vec<_>>());
        prop::collection::vec(letter, 6)
            .prop_map(|letters| letters.chunks(3).map(|row| row.iter().collect::<String>() + "\n").collect::<String>())
    };
    let count =
        (prop::sample::select(vec!["A", "B", "*"]), 0..4u32).prop_map(|(letter, n)| json!({ "count": { letter: n } }));
    let goal = prop_oneof![map("AB.?*").prop_map(|map| json!(map)), count];
    let table = (map("ABC.."), prop::collection::vec(rule(), 1..4), goal);
    table.prop_map(|(board, rules, goal)| json!({ "board": board, "rules": rules, "goal": goal }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn distances_of_random_rules_hold(table in puzzle()) {
        let Some(task) = try_task("rules", table) else { return Ok(()) };
        let graph = Graph::of(&task);
        for text in ["A", "B", "C", "AB", "AC", "A/B", "AB/C", "ABC", "A/BC", "A/B/C"] {
            if let Ok(projections) = made(&task, &named(&[text])) {
                graph.holds(&projections);
            }
        }
        graph.holds(&chosen(&task));
    }
}
