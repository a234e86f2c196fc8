//! Numbers that others have published.

use halma_record::record::{Asked, Side, Verdict};
use serde_json::json;

use super::made::{blank, cross, identity, levels, met, passes, peg_solitaire, search, sizes, solved, spec, square};

#[test]
fn peg_solitaire_has_the_published_levels() {
    let expected = [1, 1, 2, 8, 39, 171, 719, 2757];
    assert_eq!(sizes(&peg_solitaire(), Some(cross()), 7), expected);
    // Without symmetries: 1, 4, 12, 60, ... positions.
    assert_eq!(sizes(&peg_solitaire(), Some(identity(33)), 4), [1, 4, 12, 60, 296]);
    passes(&peg_solitaire(), &levels(&peg_solitaire(), Some(cross()), 5));
    passes(&peg_solitaire(), &levels(&peg_solitaire(), Some(identity(33)), 3));
}

fn eight_puzzle(board: &str) -> halma_record::job::PuzzleSpec {
    spec("rules", json!({ "board": board, "rules": ["* . -> . *"], "goal": ".12\n345\n678" }))
}

#[test]
fn the_8_puzzle_has_the_published_levels() {
    let puzzle = eight_puzzle(".12\n345\n678");
    assert_eq!(sizes(&puzzle, Some(identity(9)), 8), [1, 2, 4, 8, 16, 20, 39, 62, 116]);
    passes(&puzzle, &levels(&puzzle, Some(identity(9)), 10));
}

#[test]
#[ignore = "some seconds"]
fn the_8_puzzle_has_181440_states_in_31_moves() {
    let sizes = sizes(&eight_puzzle(".12\n345\n678"), Some(identity(9)), 99);
    assert_eq!((sizes.len(), sizes.iter().sum::<u64>(), sizes[31]), (32, 181_440, 2));
}

#[test]
fn the_8_puzzle_is_solved_from_both_sides() {
    // The blank goes right, down, down, left, left.
    let puzzle = eight_puzzle("125\n348\n.67");
    let found = sizes(&puzzle, Some(identity(9)), 8);
    assert_eq!(found[1], 2);
    passes(&puzzle, &solved(&puzzle, Some(identity(9)), 6));
    passes(&puzzle, &met(&puzzle, Some(identity(9)), 6));
}

#[test]
fn frogs_and_toads_take_n_times_n_plus_2_moves() {
    for n in 1..=5usize {
        let [frogs, toads] = ["F", "T"].map(|letter| letter.repeat(n));
        let rules = json!([
            { "rule": "F . -> . F", "directions": ["right"] },
            { "rule": "F T . -> . T F", "directions": ["right"] },
            { "rule": "T . -> . T", "directions": ["left"] },
            { "rule": "T F . -> . F T", "directions": ["left"] },
        ]);
        let (board, goal) = (format!("{frogs}.{toads}"), format!("{toads}.{frogs}"));
        let puzzle = spec("rules", json!({ "board": board, "rules": rules, "goal": goal }));
        passes(&puzzle, &solved(&puzzle, Some(identity(2 * n + 1)), (n * (n + 2)) as u32));
    }
}

fn klotski(metric: &str) -> halma_record::job::PuzzleSpec {
    let board = "BAAC\nBAAC\nDEEF\nDGHF\nI..J";
    let goal = "????\n????\n????\n?AA?\n?AA?";
    spec("blocks", json!({ "board": board, "goal": goal, "metric": metric }))
}

/// The board and its mirror image.
fn mirrored() -> Vec<Vec<u8>> {
    vec![identity(20).concat(), (0..20).map(|cell| cell / 4 * 4 + 3 - cell % 4).collect()]
}

/// The first level with a state that satisfies the goal.
fn first_goal(puzzle: &halma_record::job::PuzzleSpec, fixing: Vec<Vec<u8>>) -> usize {
    use super::super::{Code, Graph, model};
    let levels = search(puzzle, Some(fixing.clone()), 999, Side::Forward);
    let model = model(puzzle, &blank(Asked::Levels, Some(fixing))).unwrap();
    let code = Code::new(model.parts()).unwrap();
    let graph = Graph::new(&*model, &code, false);
    let is_goal = |key: &_| model.is_goal(&graph.state(*key).unwrap());
    levels.iter().position(|(keys, _)| keys.iter().any(is_goal)).unwrap()
}

#[test]
fn klotski_has_25955_positions_and_takes_116_steps_or_81_moves() {
    let all = sizes(&klotski("step"), Some(identity(20)), 999);
    assert_eq!(all.iter().sum::<u64>(), 25_955);
    assert_eq!(first_goal(&klotski("step"), mirrored()), 116);
    assert_eq!(first_goal(&klotski("move"), mirrored()), 81);
    passes(&klotski("step"), &levels(&klotski("step"), Some(mirrored()), 999));
    passes(&klotski("move"), &solved(&klotski("move"), Some(mirrored()), 81));
}

#[test]
fn a_rush_hour_of_one_car_goes_out_in_one_slide_or_four_steps() {
    let board = "oooooo".repeat(2) + "AAoooo" + &"oooooo".repeat(3);
    for (metric, moves) in [("slide", 1), ("step", 4), ("move", 1)] {
        let puzzle = spec("blocks", json!({ "board": board, "metric": metric }));
        passes(&puzzle, &solved(&puzzle, Some(identity(36)), moves));
        assert_eq!(sizes(&puzzle, Some(identity(36)), 9).iter().sum::<u64>(), 5, "it stays in its row");
    }
}

/// Prefix reversals of `n` pancakes.
fn pancakes(n: usize) -> halma_record::job::PuzzleSpec {
    let row = |from: &dyn Fn(usize) -> usize| (1..=n).map(|i| from(i).to_string()).collect::<Vec<_>>().join(" ");
    let mut file = format!("Name Pancakes\nSet P {n} 1\nSolved\nP\n{}\nEnd\n", row(&|i| i));
    for flip in 2..=n {
        file += &format!("Move F{flip}\nP\n{}\nEnd\n", row(&|i| if i <= flip { flip + 1 - i } else { i }));
    }
    spec("permutation", json!({ "definition": file }))
}

#[test]
fn pancakes_have_the_radius_of_a058986() {
    for (n, radius) in [(4, 4), (5, 5), (6, 7)] {
        let sizes = sizes(&pancakes(n), None, 99);
        assert_eq!((sizes.len() - 1, sizes.iter().sum::<u64>()), (radius, (1..=n as u64).product()));
        passes(&pancakes(n), &levels(&pancakes(n), None, 99));
    }
}

/// The Pyraminx without its tips' edges: four corners that turn by thirds, 3^4 states.
#[test]
fn four_corners_that_turn_are_numbered_by_digits() {
    let mut file = "Set C 4 3\nSolved\nC\n1 2 3 4\n0 0 0 0\nEnd\n".to_string();
    for corner in 0..4 {
        let turn: Vec<&str> = (0..4).map(|c| if c == corner { "1" } else { "0" }).collect();
        file += &format!("Move M{corner}\nC\n1 2 3 4\n{}\nEnd\n", turn.join(" "));
    }
    let puzzle = spec("permutation", json!({ "definition": file, "scramble": "M0 M1' M3" }));
    // So many corners are turned: C(4, k) 2^k.
    assert_eq!(sizes(&puzzle, None, 9), [1, 8, 24, 32, 16]);
    let mut record = solved(&puzzle, None, 3);
    record.solution = Some(["M1", "M0'", "M3'"].map(String::from).to_vec());
    passes(&puzzle, &record);
    let mut record = met(&puzzle, None, 3);
    record.solution = Some(["M1", "M0'", "M3'"].map(String::from).to_vec());
    passes(&puzzle, &record);
    let mut quarter = puzzle.clone();
    quarter.table.insert("quarter".into(), json!(true));
    assert_eq!(sizes(&quarter, None, 9), [1, 8, 24, 32, 16], "the powers of an order of three are it and its inverse");
}

#[test]
fn counts_that_change_are_numbered_by_digits() {
    // Lights out in a row: a press turns a cell and its neighbours; here only pairs.
    let rules = json!(["0 0 -> 1 1", "1 1 -> 0 0", "0 1 -> 1 0", "1 0 -> 0 1"]);
    let puzzle = spec("rules", json!({ "board": "000\n000\n000", "rules": rules }));
    // Any even number of cells: 2^8.
    assert_eq!(sizes(&puzzle, Some(identity(9)), 99).iter().sum::<u64>(), 256);
    passes(&puzzle, &levels(&puzzle, Some(square(3, |_, _| true)), 99));
    passes(&puzzle, &levels(&puzzle, Some(identity(9)), 99));
}

#[test]
fn an_unsolvable_puzzle_is_exhausted() {
    let puzzle = eight_puzzle("12.\n354\n678");
    let corner = spec("rules", json!({ "board": "1.\n32", "rules": ["* . -> . *"], "goal": "3.\n12" }));
    assert_eq!(sizes(&puzzle, Some(identity(9)), 1), [1, 2]);
    let levels = search(&corner, Some(identity(4)), 99, Side::Forward);
    let runs = levels.into_iter().map(|(_, level)| super::made::run(level.depth, Verdict::None, vec![level]));
    let mut record = blank(Asked::Solve, Some(identity(4)));
    record.runs = runs.collect();
    (record.verdict, record.exhausted, record.lower_bound) = (Verdict::None, true, Some(0));
    record.refuted_up_to = Some(record.runs.len() as u32 - 1);
    passes(&corner, &record);
}

/// The 2x2x2 cube with a corner that stays, by faces: whence the piece of each corner comes, and how it is turned there.
const CUBE: [(&str, [usize; 7], [usize; 7]); 3] = [
    ("U", [3, 0, 1, 2, 4, 5, 6], [0; 7]),
    ("R", [4, 1, 2, 0, 6, 5, 3], [2, 0, 0, 1, 1, 0, 2]),
    ("F", [1, 5, 2, 3, 0, 4, 6], [1, 2, 0, 0, 2, 1, 0]),
];

#[test]
fn the_2x2x2_cube_has_the_published_levels_in_both_forms_of_moves() {
    let row = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    for transformation in [true, false] {
        let mut file = "Name 2x2x2 # a comment\nSet C 7 3\nSolved\nC\n1 2 3 4 5 6 7\nEnd\n".to_string();
        for (face, from, turns) in CUBE {
            let (word, from, turns) = match transformation {
                true => ("MoveTransformation", from, turns),
                false => {
                    let mut at_source = [0; 7];
                    (0..7).for_each(|to| at_source[from[to]] = turns[to]);
                    ("Move", from.map(|f| f + 1), at_source)
                }
            };
            file += &format!("{word} {face}\nC\n{}\n{}\nEnd\n", row(&from), row(&turns));
        }
        let puzzle = |quarter: bool| spec("permutation", json!({ "definition": file, "quarter": quarter }));
        assert_eq!(sizes(&puzzle(false), None, 4), [1, 9, 54, 321, 1847]);
        assert_eq!(sizes(&puzzle(true), None, 5), [1, 6, 27, 120, 534, 2256]);
        passes(&puzzle(false), &levels(&puzzle(false), None, 3));
    }
}

/// Chains of jumps over men of either kind, stated as rules, are Halma.
#[test]
fn halma_as_rules_has_the_levels_of_the_transfers_model() {
    use crate::board::Board;
    use crate::keys::Binomials;
    use crate::level_step::StateSpace;
    use crate::number::Number;
    use crate::transfer_model::TransferModel;

    let rules = json!(["A . -> . A", { "rule": "A x . -> . x A", "chain": true }]);
    let map = "AAA.\nAA#.\n....\n....";
    let puzzle = spec("rules", json!({ "board": map, "rules": rules, "legend": { "x": "A" } }));
    let board = Board::of(&serde_json::from_value(super::made::halma(&map.replace('A', "."))).unwrap()).unwrap();
    let (men, binomials) = (5, Binomials::new(board.len(), 5).unwrap());
    let fixing = identity(board.len());
    let (mirror, centroid) = (None, None);
    let model = TransferModel { board, jumps_only: false, binomials, men, fixing, mirror, centroid };
    let mut seen = Vec::new();
    let mut level = vec![model.key(&[0, 1, 2, 4, 5], &mut Vec::new())];
    for (keys, said) in search(&puzzle, Some(identity(15)), 5, Side::Forward) {
        assert!(keys.iter().map(|key| key.words()).eq(level.iter().map(|key| key.words())));
        let (mut next, generated) = model.expand(&level, said.depth, &[]).unwrap();
        seen.extend(level);
        next.sort_unstable();
        next.dedup();
        next.retain(|key| !seen.contains(key));
        level = next;
        assert!(generated > 0);
    }
    assert!(seen.len() > 1000);
    passes(&puzzle, &levels(&puzzle, Some(identity(15)), 4));
}

#[test]
fn a_man_that_slides_stops_where_he_is_blocked_or_anywhere() {
    let table = |until: &str| json!({ "board": "A...#\n.....", "rules": ["A . -> . A"], "until": until });
    let second = |until: &str| sizes(&spec("rules", table(until)), Some(identity(9)), 1)[1];
    assert_eq!((second("once"), second("blocked"), second("any")), (2, 2, 4));
    // Blocked: from corner to corner, and never between; the lower right one is reached, and the place beside the hole.
    let all = |until: &str| sizes(&spec("rules", table(until)), Some(identity(9)), 99).iter().sum::<u64>();
    assert_eq!((all("once"), all("blocked"), all("any")), (9, 5, 9));
}

#[test]
fn sides_take_turns() {
    let rules = json!([{ "rule": "A . -> . A", "turn": 1 }, { "rule": "B . -> . B", "turn": 2 }]);
    let puzzle = spec("rules", json!({ "board": "A..B", "rules": rules, "goal": "B..A" }));
    // A..B .A.B .AB. A.B. AB..: there A cannot move, and loses.
    let sizes = sizes(&puzzle, Some(identity(4)), 99);
    assert_eq!((sizes[1], sizes[2], sizes.iter().sum::<u64>()), (1, 1, 5));
    passes(&puzzle, &levels(&puzzle, Some(identity(4)), 99));
}

#[test]
fn several_starts_are_one_level() {
    let boards = json!(["A..\n...\n...", "..A\n...\n...", "...\n.A.\n..."]);
    let puzzle = spec("rules", json!({ "board": boards, "rules": ["A . -> . A"] }));
    assert_eq!(sizes(&puzzle, Some(identity(9)), 9), [3, 4, 2]);
    let mirror: Vec<u8> = (0..9).map(|cell| cell / 3 * 3 + 2 - cell % 3).collect();
    let both = vec![identity(9).concat(), mirror];
    assert_eq!(sizes(&puzzle, Some(both.clone()), 9), [2, 3, 1]);
    passes(&puzzle, &levels(&puzzle, Some(both), 9));
}
