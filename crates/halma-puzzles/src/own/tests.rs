use std::collections::BTreeSet;

use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, Expander, LevelDestination};
use halma_record::job::PuzzleSpec;
use halma_rules::puzzle::{Compiled, compile};

use super::*;

fn model_of(kind: &str, table: serde_json::Value) -> AnyModel {
    let serde_json::Value::Object(table) = table else { panic!("a table") };
    let spec = PuzzleSpec { kind: kind.into(), title: None, table };
    match compile(&spec).unwrap().unwrap() {
        Compiled::Grounded(task) => grounded::model(&task, true).unwrap(),
        _ => panic!("a board"),
    }
}

fn small(model: AnyModel) -> Box<dyn Model<u64>> {
    match model {
        AnyModel::Small(model) => model,
        _ => panic!("small keys"),
    }
}

/// Level sizes up to `most`, compared with all earlier levels.
fn sizes<K: Key>(model: &dyn Model<K>, most: usize) -> Vec<u64> {
    let (expander, cancel) = (Expander::new(2, None).unwrap(), CancellationToken::after(None));
    let puzzle = Searched::forward(model);
    let mut levels = vec![expander.level_of(&puzzle, puzzle.starts.clone()).level];
    while levels.len() <= most {
        let (last, earlier) = levels.split_last().unwrap();
        let earlier: Vec<_> = match model.repeats() {
            Repeats::All => earlier.iter().collect(),
            Repeats::Previous => earlier.iter().rev().take(1).collect(),
            Repeats::Never => Vec::new(),
        };
        let depth = levels.len() as u32 - 1;
        let next = expander.expand(&puzzle, depth, last, &earlier, LevelDestination::MEMORY, &cancel).unwrap();
        if next.tally.states == 0 {
            break;
        }
        levels.push(next.level);
    }
    levels.iter().map(|level| level.len()).collect()
}

const CROSS: &str = "##PPP##\n##PPP##\nPPPPPPP\nPPP.PPP\nPPPPPPP\n##PPP##\n##PPP##\n";

#[test]
fn peg_solitaire_has_its_published_level_sizes() {
    let model = small(model_of("rules", serde_json::json!({ "board": CROSS, "rules": ["P P . -> . . P"] })));
    assert_eq!((model.repeats(), model.order()), (Repeats::Never, 8));
    assert_eq!(sizes(&*model, 9), [1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312]);
}

#[test]
fn the_8_puzzle_has_its_published_level_sizes() {
    let table = serde_json::json!({ "board": ".12\n345\n678\n", "rules": ["* . -> . *"] });
    let model = small(model_of("rules", table));
    // The mirror of the square would exchange tiles.
    assert_eq!((model.repeats(), model.order()), (Repeats::Previous, 1));
    let found = sizes(&*model, 40);
    assert_eq!(found[..9], [1, 2, 4, 8, 16, 20, 39, 62, 116]);
    assert_eq!((found.len(), found.iter().sum::<u64>(), &found[30..]), (32, 181_440, &[221, 2][..]));
}

#[test]
fn several_tiles_at_once_take_24_moves_at_most() {
    let table = serde_json::json!({ "board": ".12\n345\n678\n", "rules": [". * -> * ."], "until": "any" });
    let model = small(model_of("rules", table));
    assert_eq!(model.repeats(), Repeats::Previous);
    let found = sizes(&*model, 40);
    assert_eq!((found.len(), found.iter().sum::<u64>()), (25, 181_440));
}

#[test]
fn every_number_is_that_of_the_state_that_it_reads_back_as() {
    let boards = [
        serde_json::json!({ "board": ".12\n345\n678\n", "rules": ["* . -> . *"] }),
        serde_json::json!({ "board": "AAB\n.B.\n..C\n", "rules": ["* . -> . *"] }),
        serde_json::json!({ "board": "AB\nBA\n", "rules": ["A B -> B A", "B A -> A B"] }),
        serde_json::json!({ "board": "PPP\n.PP\n", "rules": ["P P . -> . . P"] }),
    ];
    for table in boards {
        let model = small(model_of("rules", table.clone()));
        let (mut worker, start) = (model.worker(), model.starts()[0]);
        assert!(worker.is_state(start), "{table}");
        let mut after = Vec::new();
        worker.after(start, &mut after);
        assert!(!after.is_empty() && after.iter().all(|&state| worker.is_state(state)), "{table}");
        for state in after {
            let mut back = Vec::new();
            assert!(worker.before(state, &mut back));
            assert!(back.contains(&start), "{table}: {}", model.picture(state));
        }
    }
}

/// Of a chain that leaves something behind a state does not tell where the man is.
#[test]
fn a_man_that_leaves_copies_behind_goes_on_from_wherever_he_is() {
    let table = serde_json::json!({ "board": "A..\n...\n", "rules": ["A . -> A A"], "chain": true });
    let model = small(model_of("rules", table));
    let (mut worker, start, mut after) = (model.worker(), model.starts()[0], Vec::new());
    worker.after(start, &mut after);
    // Every set of cells that a path from the corner fills: along the edge, and once around.
    let pictures: Vec<String> = after.iter().map(|&state| model.picture(state).replace('\n', "/")).collect();
    for path in ["AA./...", "A../A..", "AAA/...", "AA./.A.", "AA./AA.", "AAA/..A", "AAA/.AA", "AAA/AAA"] {
        assert!(pictures.contains(&path.into()), "{path}: {pictures:?}");
    }
}

/// The last capture in a line may be of one's own kind: no man moves in it, since his letter is there already.
#[test]
fn a_chain_may_be_as_long_as_there_are_states() {
    let board = "A...\n....\n....\n...o\n";
    let table = serde_json::json!({ "board": board, "chain": true, "rules": ["A . -> o A", "A o -> . A"] });
    let serde_json::Value::Object(table) = table else { unreachable!() };
    let spec = PuzzleSpec { kind: "rules".into(), title: None, table };
    let Ok(Some(Compiled::Grounded(task))) = compile(&spec) else { panic!("a board") };
    let model = grounded::GroundedModel::<u64, 1>::new(&task, false);
    let mut after = Vec::new();
    model.worker().after(model.starts()[0], &mut after);
    let obvious: BTreeSet<u64> =
        task.moves(&task.starts[0], false).iter().map(|letters| model.number(letters, false)).collect();
    assert!(after.len() > 1 << 15, "{}", after.len());
    assert_eq!(after.into_iter().collect::<BTreeSet<u64>>(), obvious);
}

#[test]
fn a_repetition_may_end_where_the_man_would_come_upon_his_own_letter() {
    let table =
        serde_json::json!({ "board": "BAB\n", "rules": ["* x -> . *"], "legend": { "x": "AB" }, "until": "any" });
    let model = small(model_of("rules", table));
    assert_eq!((model.repeats(), model.has_inverse()), (Repeats::All, false));
    let (mut worker, mut after) = (model.worker(), Vec::new());
    worker.after(model.starts()[0], &mut after);
    let mut pictures: Vec<String> = after.iter().map(|&state| model.picture(state)).collect();
    pictures.sort();
    // B takes A, and then stands before B, from either side; A takes B, to either side.
    assert_eq!(pictures, ["..B", ".BB", "A.B", "B..", "B.A", "BB."].map(String::from));
}

/// A man who jumps on and on may have taken a man of either kind, each time: a move has as many beginnings.
#[test]
fn a_repetition_is_undone_in_all_ways() {
    let table = serde_json::json!({
        "board": "AB.C.\n", "rules": ["A x . -> . . A"], "legend": { "x": "BC" }, "until": "any", "directions": ["right"]
    });
    let model = small(model_of("rules", table));
    assert!(model.has_inverse());
    let (mut worker, mut after) = (model.worker(), Vec::new());
    worker.after(model.starts()[0], &mut after);
    let last = after.into_iter().find(|&state| model.picture(state) == "....A").unwrap();
    let mut before = Vec::new();
    assert!(worker.before(last, &mut before));
    let mut pictures: Vec<String> = before.iter().map(|&state| model.picture(state)).collect();
    pictures.sort();
    assert_eq!(pictures, ["..AB.", "..AC.", "AB.B.", "AB.C.", "AC.B.", "AC.C."].map(String::from));
}

/// On 8x7 cells undone jumps have more beginnings than are followed. What was given up leaves nothing behind.
#[test]
fn undone_chains_without_number_are_given_up_and_what_is_asked_next_is_right() {
    let row = |men: usize| format!("{}{}\n", "P".repeat(men), ".".repeat(8 - men));
    let board = row(2) + &row(0).repeat(6);
    let table = serde_json::json!({ "board": board, "rules": ["P P . -> . . P"], "chain": true });
    let model = small(model_of("rules", table));
    let [start] = model.starts()[..] else { panic!("one start") };
    let (mut worker, mut alone) = (model.worker(), Vec::new());
    worker.after(start, &mut alone);
    assert_eq!(alone.len(), 1);
    let mut many = Vec::new();
    assert!(!worker.before(alone[0], &mut many));
    let asked = |worker: &mut dyn Worker<u64>| {
        let (mut after, mut before) = (Vec::new(), Vec::new());
        worker.after(start, &mut after);
        let all = worker.before(start, &mut before);
        (after, before, all)
    };
    assert_eq!(asked(&mut *worker), asked(&mut *model.worker()));
}

/// A number below the last is no state where blocks would overlap or hang over the edge.
#[test]
fn numbers_of_blocks_that_do_not_fit_are_no_states() {
    let table = serde_json::json!({ "board": "AA.\nBB.\n", "metric": "step" });
    let model = small(model_of("blocks", table));
    let mut worker = model.worker();
    // Two blocks of two cells, alike, on two rows of three: one on each row, on either side.
    let states: Vec<u64> = (0..100).filter(|&number| worker.is_state(number)).collect();
    assert_eq!(states.len(), 4, "{states:?}");
    assert!(states.iter().all(|&state| model.picture(state).matches('A').count() == 4));
}

mod random {
    use std::cell::Cell;
    use std::collections::BTreeSet;

    use halma_engine::draws::Draws;
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;

    /// Whether the first letter of the left side stands on the right in a place that is new to it, and in one such place alone.
    fn goes(left: &[&str], right: &[&str]) -> bool {
        let man = left[0];
        let mut places = (0..right.len()).filter(|&at| right[at] == man);
        match "*x".contains(man) {
            true => places.next().is_some_and(|at| left[at] != man),
            false => places.filter(|&at| left[at] != man).count() == 1,
        }
    }

    fn rule() -> impl Strategy<Value = serde_json::Value> {
        let letter = || proptest::sample::select(&["A", "B", ".", "*", "x"][..]);
        let plain = || proptest::sample::select(&["A", "B", "."][..]);
        let sides = (proptest::collection::vec(letter(), 2..4), proptest::collection::vec(plain(), 3));
        let options = (any::<bool>(), proptest::sample::select(&["once", "free", "any", "blocked"][..]));
        (sides, options, proptest::sample::select(&[4u8, 6, 8][..])).prop_map(
            |((left, mut right), (chain, until), directions)| {
                right.truncate(left.len());
                // What the first class matched goes to the last place, if the left side has one.
                if let Some(class) = left.iter().find(|l| "*x".contains(**l)) {
                    let last = right.len() - 1;
                    right[last] = class;
                }
                let rule = format!("{} -> {}", left.join(" "), right.join(" "));
                // What chains or repeats needs a man who goes.
                let until = if goes(&left, &right) { until } else { "once" };
                let chain = chain && goes(&left, &right);
                match until {
                    "once" => serde_json::json!({ "rule": rule, "chain": chain, "directions": directions }),
                    "free" => serde_json::json!({ "rule": rule, "free": true, "directions": directions }),
                    until => serde_json::json!({ "rule": rule, "until": until, "directions": directions }),
                }
            },
        )
    }

    /// Moves looked up by where they begin are those found by trying every step; numbers read back; moves undone lead back.
    #[test]
    fn the_fast_moves_are_the_obvious_ones() {
        let asked = Cell::new(0);
        let puzzles = (proptest::collection::vec(rule(), 1..4), "[AB.]{6}", any::<bool>());
        let done = TestRunner::new(ProptestConfig::with_cases(400)).run(&puzzles, |(rules, cells, row)| {
            // A row is long enough for a repetition.
            let board = if row { format!("{cells}\n") } else { format!("{}\n{}#\n", &cells[..3], &cells[3..5]) };
            let table = serde_json::json!({ "board": board, "rules": rules, "legend": { "x": "AB" } });
            let serde_json::Value::Object(table) = table else { unreachable!() };
            let spec = PuzzleSpec { kind: "rules".into(), title: None, table };
            // Rules that make no sense are refused.
            let Ok(Some(Compiled::Grounded(task))) = compile(&spec) else { return Ok(()) };
            asked.set(asked.get() + 1);
            let model = grounded::GroundedModel::<u64, 1>::new(&task, true);
            let (mut worker, mut seen, mut open) = (model.worker(), BTreeSet::new(), model.starts());
            while let Some(state) = open.pop() {
                if seen.len() == 60 || !seen.insert(state) {
                    continue;
                }
                let (letters, second) = model.letters(state);
                prop_assert_eq!(model.number(&letters, second), state);
                let mut after = Vec::new();
                worker.after(state, &mut after);
                after.sort_unstable();
                let obvious: BTreeSet<u64> =
                    task.moves(&letters, second).iter().map(|l| model.number(l, second)).collect();
                prop_assert_eq!(
                    &after,
                    &obvious.into_iter().collect::<Vec<_>>(),
                    "{:?} {}",
                    &rules,
                    model.picture(state)
                );
                let mut classes = Vec::new();
                worker.canonical_successors(state, &mut classes);
                let mut expected: Vec<u64> = after.iter().map(|&state| worker.canonical(state)).collect();
                classes.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(classes, expected);
                for &next in after.iter().filter(|_| model.has_inverse()) {
                    let mut before = Vec::new();
                    assert!(worker.before(next, &mut before));
                    prop_assert!(
                        before.contains(&state),
                        "{:?} {} {}",
                        &rules,
                        model.picture(state),
                        model.picture(next)
                    );
                    for &other in &before {
                        let mut forth = Vec::new();
                        worker.after(other, &mut forth);
                        prop_assert!(
                            forth.contains(&next),
                            "{:?} {} {}",
                            &rules,
                            model.picture(other),
                            model.picture(next)
                        );
                    }
                    if model.repeats() == Repeats::Previous {
                        let mut back = Vec::new();
                        worker.after(next, &mut back);
                        prop_assert!(
                            back.contains(&state),
                            "{:?} {} {}",
                            &rules,
                            model.picture(state),
                            model.picture(next)
                        );
                    }
                }
                open.extend(after);
            }
            Ok(())
        });
        done.unwrap();
        assert!(asked.get() > 150, "{asked:?}");
    }

    /// A rule of letters, and the same turned round with the letters exchanged, so that the half turn of a board is a mirror.
    fn turned_rules(draws: &mut Draws, exchange: impl Fn(char) -> char) -> [String; 2] {
        let length = 2 + draws.below(2);
        let mut side = || -> Vec<char> { (0..length).map(|_| draws.one_of(&['A', 'B', '.'])).collect() };
        let text = |side: &[char]| side.iter().map(char::to_string).collect::<Vec<_>>().join(" ");
        let turned = |side: &[char]| text(&side.iter().map(|&letter| exchange(letter)).collect::<Vec<_>>());
        let (left, right) = (side(), side());
        [format!("{} -> {}", text(&left), text(&right)), format!("{} -> {}", turned(&right), turned(&left))]
    }

    /// Under a mirror the image of every move, turned round, is a move, of all states that there are.
    #[test]
    fn a_mirror_turns_every_move_round() {
        let mut draws = Draws::new(1);
        let (mut mirrors, mut moves) = (0, 0);
        for _ in 0..300 {
            let exchanged = draws.below(2) == 0;
            let exchange = |c: char| match (exchanged, c) {
                (true, 'A') => 'B',
                (true, 'B') => 'A',
                _ => c,
            };
            let cells: String = (0..6).map(|_| draws.one_of(&['A', 'B', '.'])).collect();
            let goal: String = cells.chars().rev().map(exchange).collect();
            let map = |cells: &str| format!("{}\n{}\n", &cells[..3], &cells[3..]);
            let rules: Vec<String> = (0..1 + draws.below(2)).flat_map(|_| turned_rules(&mut draws, exchange)).collect();
            let table = serde_json::json!({
                "board": map(&cells), "rules": rules, "legend": { "x": "AB" }, "goal": map(&goal)
            });
            let serde_json::Value::Object(table) = table else { unreachable!() };
            let spec = PuzzleSpec { kind: "rules".into(), title: None, table };
            let Ok(Some(Compiled::Grounded(task))) = compile(&spec) else { continue };
            let Some(mirror) = task.mirror(&task.symmetries()) else { continue };
            mirrors += 1;
            let goals = task.goal_states().unwrap();
            assert_eq!(vec![mirror.image(&task.starts[0])], goals);
            let letters = task.letters.len();
            for code in 0..letters.pow(6) {
                let state: Vec<u8> = (0..6).map(|cell| (code / letters.pow(cell) % letters) as u8).collect();
                for after in task.moves(&state, false) {
                    moves += 1;
                    let back = task.moves(&mirror.image(&after), false);
                    assert!(back.contains(&mirror.image(&state)), "{rules:?} {}", task.picture(&state));
                }
            }
        }
        assert!(mirrors > 60 && moves > 10_000, "{mirrors} mirrors, {moves} moves");
    }
}
