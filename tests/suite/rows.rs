//! The puzzles on one row: every way to an answer gives the same one, and it is the published one.

use std::collections::BTreeSet;
use std::io::{self, Write};

use clap::Parser;
use halma::cli::row::{self, RowCommand, RowError};
use halma_engine::search::{CancellationToken, Expander};
use halma_puzzles::row::levels::{self, Outcome, Paths};
use halma_puzzles::row::row_board::Board;
use halma_puzzles::row::shift::{First, Shift};
use halma_puzzles::row::shift_puzzle::ShiftRow;
use halma_solve::solve::deepening::shortest;
use halma_solve::solve::row_search::RowSearch;
use halma_solve::solve::{Answer, Engine};

#[derive(Parser)]
struct Typed {
    #[command(subcommand)]
    row: RowCommand,
}

fn typed(line: &str) -> Result<String, (u8, String)> {
    let words = std::iter::once("row").chain(line.split_whitespace());
    let typed = Typed::try_parse_from(words).map_err(|e| (e.exit_code() as u8, e.to_string()))?;
    let mut out = Vec::new();
    row::run(&typed.row, &CancellationToken::after(None), &mut out)
        .map_err(|e: RowError| (e.exit() as u8, e.to_string()))?;
    Ok(String::from_utf8(out).unwrap())
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(&typed(&format!("{line} --json")).unwrap()).unwrap()
}

fn solutions(shift: Shift) -> BTreeSet<Vec<u64>> {
    shift.solutions().map(Iterator::collect).collect()
}

/// All shortest paths through the levels of the plain search.
fn searched(puzzle: ShiftRow) -> BTreeSet<Vec<u64>> {
    let Outcome::Found(levels) = levels::search(&puzzle, puzzle.goal(), 10_000_000) else { panic!("{puzzle:?}") };
    let paths: Vec<Vec<u128>> = Paths::new(&puzzle, &levels, puzzle.goal()).collect();
    assert_eq!(levels::find(&levels[levels.len() - 1], puzzle.goal()), Some(paths.len() as u128));
    paths.into_iter().map(|path| path.into_iter().map(ShiftRow::place).collect()).collect()
}

fn engine(n: u64, m: u64, expander: &Expander) -> Vec<u64> {
    let lower = (n * m + (n + m).div_ceil(2)) as u32;
    let cancel = CancellationToken::after(None);
    let engine = Engine::new(expander, &cancel, &());
    let search = RowSearch::new(|l| ShiftRow::new(n, m, l), (lower, 1), ShiftRow::goal, engine, 1 << 30);
    match shortest(&mut search.unwrap(), None).answer {
        Answer::Found(states) => states.into_iter().skip(1).map(ShiftRow::place).collect(),
        other => panic!("{n} {m} {other:?}"),
    }
}

#[test]
fn no_other_shortest_solution_exists_when_all_twelve_kinds_of_moves_are_tried() {
    for (n, m) in (0..=10).flat_map(|n| (0..=10 - n).map(move |m| (n, m))) {
        let puzzle = ShiftRow::new(n, m, None).unwrap();
        assert_eq!(searched(puzzle), solutions(Shift::new(n, m)), "n={n} m={m}");
    }
}

#[test]
fn all_ways_of_forward_moves_are_enumerated_up_to_12() {
    for (n, m) in (1..=12).flat_map(|n| (1..=12).map(move |m| (n, m))) {
        let puzzle = ShiftRow::new(n, m, None).unwrap().forward_only();
        assert_eq!(searched(puzzle), solutions(Shift::new(n, m)), "n={n} m={m}");
    }
}

#[test]
fn the_engine_solves_in_the_moves_of_the_formula() {
    let expander = Expander::new(2, None).unwrap();
    for (n, m) in (0..=8).flat_map(|n| (0..=8).map(move |m| (n, m))) {
        let moves = engine(n, m, &expander);
        assert!(solutions(Shift::new(n, m)).contains(&moves), "n={n} m={m}: {moves:?}");
    }
}

#[test]
#[ignore = "a minute in a release build: rows of 24 checkers, all twelve kinds of moves"]
fn the_engine_solves_in_the_moves_of_the_formula_up_to_12() {
    let expander = Expander::new(2, None).unwrap();
    for (n, m) in (0..=12).flat_map(|n| (0..=12).map(move |m| (n, m))) {
        let moves = engine(n, m, &expander);
        assert_eq!(moves.len() as u64, Shift::new(n, m).minimum(), "n={n} m={m}");
        assert!(solutions(Shift::new(n, m)).contains(&moves), "n={n} m={m}: {moves:?}");
    }
}

/// The article on jumping checkers, `?- solution(6)`.
#[test]
fn the_row_is_drawn_as_in_the_article() {
    let drawn = typed("shift 6 6 --draw").unwrap();
    let (heading, rows) = drawn.split_once('\n').unwrap();
    assert_eq!(heading, "48 moves, 2 shortest solutions");
    assert_eq!(rows, include_str!("../rows/article.txt"));
}

/// The article's first answer, `?- solution(3, K-X)`, names movers; these are the same moves as places.
#[test]
fn three_against_three_is_solved_as_in_the_article() {
    let moves: Vec<u64> = Shift::new(3, 3).construct(First::Right).collect();
    let mut board = Board::shift(3, 3);
    let mut named = Vec::new();
    for place in moves {
        let (from, to) = (place as usize - 1, board.vacancy());
        let colour = if board.checkers()[from] == 1 { "white" } else { "black" };
        named.push(format!("{colour}_{}", if from.abs_diff(to) == 1 { "step" } else { "jump" }));
        board.play(place).unwrap();
    }
    let article = "white_step black_jump black_step white_jump white_jump white_step black_jump black_jump black_jump \
                   white_step white_jump white_jump black_step black_jump white_step";
    assert_eq!(named.join(" "), article);
}

#[test]
fn published_solutions_of_the_pairs_are_enumerated() {
    let listed = |n: u64| json(&format!("pairs {n} --enumerate"))["solutions"].to_string();
    assert_eq!(listed(4), "[[1,4,7,0]]");
    assert_eq!(listed(5), "[[1,7,4,9,0]]");
    assert_eq!(listed(6), "[[1,7,3,8,11,0]]");
    assert_eq!(listed(7), "[[1,10,4,13,6,9,0],[1,10,4,9,6,13,0]]");
    for (n, count) in [(3, 2), (8, 16), (9, 32), (10, 96)] {
        let document = json(&format!("pairs {n} --enumerate"));
        assert_eq!(document["count"], count);
        let listed: BTreeSet<String> =
            document["solutions"].as_array().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(listed.len(), count);
        let constructed = json(&format!("pairs {n} --construct"))["solutions"][0].to_string();
        assert!(listed.contains(&constructed), "n={n}");
        assert_eq!(json(&format!("pairs {n} --solve"))["minimum"], document["minimum"]);
    }
}

#[test]
fn unsolvable_is_null_and_not_known_is_neither_null_nor_a_number() {
    for line in ["pairs 1 --solve", "pairs 2 --enumerate", "pairs 2", "pairs 1 --count"] {
        let document = json(line);
        assert!(document["minimum"].is_null(), "{line}");
        assert_eq!(document["solutions"], serde_json::json!([]));
    }
    assert_eq!(json("pairs 2 --count")["count"], 0);
    let document = json("reverse 5");
    assert_eq!((&document["minimum"], &document["bounds"]), (&"unproved".into(), &serde_json::json!([10, 16])));
    assert_eq!(json("reverse 5 --solve")["minimum"], 16);
}

#[test]
fn documents_have_the_fields_that_scripts_rely_on() {
    let document = json("shift 2 1 --enumerate");
    let expected = serde_json::json!({
        "puzzle": "shift", "parameters": {"n": 2, "m": 1}, "minimum": 5, "count": 3, "method": "enumerate",
        "solutions": [[4, 2, 3, 1, 2], [2, 4, 3, 1, 2], [4, 2, 1, 3, 2]],
    });
    assert_eq!(document, expected);
    assert_eq!(json("shift 100 1 --count")["count"], "927372692193078999176");
    assert_eq!(json("shift 1000000000 1000000000 --formula 1")["minimum"], "1000000002000000000");
}

#[test]
fn tiny_rows_have_sensible_answers() {
    for line in ["shift 0 0", "pairs 0", "reverse 0", "reverse 1"] {
        for way in ["--solve", "--construct", "--enumerate"] {
            let document = json(&format!("{line} {way}"));
            assert_eq!(document["minimum"], 0, "{line} {way}");
            assert_eq!(document["solutions"], serde_json::json!([[]]), "{line} {way}");
        }
        assert_eq!(typed(&format!("{line} --count")).unwrap(), "1\n");
        let (status, message) = typed(&format!("{line} --formula 1")).unwrap_err();
        assert_eq!((status, &message[..]), (2, "--formula 1: the solution has no moves"));
    }
    for (line, minimum, count) in [("shift 1 0", 1, 1), ("shift 0 1", 1, 1), ("shift 7 0", 4, 4), ("shift 1 1", 3, 2)] {
        assert_eq!(json(&format!("{line} --solve"))["minimum"], minimum, "{line}");
        assert_eq!(json(&format!("{line} --enumerate"))["solutions"].as_array().unwrap().len(), count, "{line}");
    }
    assert_eq!(json("reverse 1 --end 1 --enumerate")["solutions"], serde_json::json!([[1]]));
}

#[test]
fn reversals_are_enumerated_as_often_as_they_are_counted() {
    for (n, s, f) in [(3, 0, 0), (4, 2, 2), (5, 1, 1), (6, 0, 6), (7, 0, 0)] {
        let line = format!("reverse {n} --start {s} --end {f}");
        let (listed, counted) = (json(&format!("{line} --enumerate")), json(&format!("{line} --count")));
        assert_eq!(listed["count"], counted["count"], "{line}");
        let solutions: BTreeSet<Vec<u64>> = serde_json::from_value(listed["solutions"].clone()).unwrap();
        assert_eq!(counted["count"], solutions.len(), "{line}");
        assert_eq!(typed(&format!("{line} --conjecture")).unwrap().trim(), counted["minimum"].to_string());
        assert_eq!(json(&format!("{line} --solve"))["minimum"], counted["minimum"], "{line}");
        for solution in solutions {
            let mut board = Board::reversal(n, s);
            solution.iter().for_each(|&place| board.play(place).unwrap());
            assert_eq!(board, Board::reversed(n, f), "{line}");
        }
    }
}

#[test]
fn what_is_wrong_gets_one_message_and_status_2() {
    let refused = |line: &str| {
        let (status, message) = typed(line).unwrap_err();
        assert_eq!(status, 2, "{line}: {message}");
        message
    };
    for line in ["shift -3 2", "shift x 2", "shift 3 1.5", "pairs -1", "reverse 99999999999", "reverse 4 --start -1"] {
        assert!(refused(line).contains("allowed are whole numbers from 0 to 1000000000"), "{line}");
    }
    assert_eq!(refused("reverse 4 --end 5"), "--end 5: allowed are the places 0 to 4");
    assert_eq!(refused("shift 3 3 --formula 16"), "--formula 16: allowed are 1 to 15, the moves of the solution");
    assert_eq!(refused("shift 3 2 --labels"), "labels are for one white checker: M is 2, allowed is 1");
    assert!(refused("shift 3 1 --label 5").contains("not a label of 3 black checkers"));
    assert!(refused("shift 100 100 --solve").contains("at most 120 checkers"));
    assert!(refused("pairs 29 --solve").contains("at most 56 checkers"));
    assert!(refused("reverse 16 --count").contains("at most 15 checkers"));
    assert!(refused("pairs 2 --formula 1").contains("have no solution"));
    refused("shift 3 3 --solve --count");
    refused("shift 3");
}

#[test]
fn a_search_that_outgrows_its_memory_is_not_finished() {
    for line in ["shift 12 12 --solve", "pairs 14 --count", "pairs 14 --enumerate", "reverse 8 --count --end 8"] {
        let (status, message) = typed(&format!("{line} --memory 1KiB")).unwrap_err();
        assert_eq!(status, 3, "{line}: {message}");
        assert!(message.starts_with("not finished: "), "{message}");
    }
}

#[test]
fn labels_go_there_and_back_on_the_command_line() {
    let labels = typed("shift 5 1 --labels").unwrap();
    assert_eq!(labels.lines().count(), 13);
    for label in labels.lines() {
        let words = ["row", "shift", "5", "1", "--label", label];
        let text = typed(&words[1..].join(" ")).unwrap();
        let moves = text.lines().nth(1).unwrap();
        let back = Typed::try_parse_from(["row", "shift", "5", "1", "--label-of", moves]).unwrap();
        let mut out = Vec::new();
        row::run(&back.row, &CancellationToken::after(None), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap().trim(), label);
    }
}

/// A reader that goes away, as `head` does.
struct Gone(usize);

impl Write for Gone {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.0 -= 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    for line in ["shift 1000000 1000000", "shift 1000000 1000000 --json", "shift 60 1 --enumerate", "pairs 1000000"] {
        let typed = Typed::try_parse_from(std::iter::once("row").chain(line.split_whitespace())).unwrap();
        for writes in [0, 1, 3] {
            row::run(&typed.row, &CancellationToken::after(None), &mut Gone(writes)).unwrap();
        }
    }
}
