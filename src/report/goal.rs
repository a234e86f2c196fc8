//! What ends a puzzle, and how its board is drawn, as its job has them.

use halma_record::job::PuzzleSpec;
use halma_rules::job::puzzle_tables::{BlocksTable, Goal, RulesTable};
use halma_rules::puzzle::blocks::{SIDE, is_rush_hour, map_of};
use halma_rules::puzzle::map::Map;

/// A goal says of so many blocks where they are to be; of more it is shown as the map that it is.
const SAID: usize = 4;

/// The most letters of several goals.
const LINE: usize = 80;

/// The goal in a line; `None` where the puzzle states none, or is in Rust.
#[must_use]
pub(crate) fn words(puzzle: &PuzzleSpec) -> Option<String> {
    match puzzle.kind.as_str() {
        "rules" => {
            let goals = puzzle.table::<RulesTable>().ok()?.goal?;
            Some(any_of(&goals.as_slice().iter().map(as_stated).collect::<Vec<_>>()))
        }
        "blocks" => of_blocks(&puzzle.table().ok()?),
        "permutation" => Some("the solved state of the file".into()),
        _ => None,
    }
}

/// The board of a puzzle of blocks in the letters of its job: states have one letter for all blocks of a shape.
#[cfg(feature = "cli")]
#[must_use]
pub(crate) fn board(puzzle: &PuzzleSpec) -> Option<String> {
    let table = Some(puzzle).filter(|puzzle| puzzle.kind == "blocks")?.table::<BlocksTable>().ok()?;
    let map = map_of("board", &table.board, is_rush_hour(&table.board)).ok()?;
    Some(map.board.map(|cell| map.letters[cell]))
}

/// One of several goals will do: the first, and of the others as many as a line has room for.
fn any_of(goals: &[String]) -> String {
    let mut said = goals.first().cloned().unwrap_or_default();
    for (number, goal) in goals.iter().enumerate().skip(1) {
        if said.chars().count() + goal.chars().count() > LINE {
            let more = goals.len() - number;
            return if more == 1 { format!("{said}, or one other") } else { format!("{said}, or one of {more} more") };
        }
        said += &format!(", or {goal}");
    }
    said
}

/// A goal of rules as the job has it, in a line.
fn as_stated(goal: &Goal) -> String {
    match goal {
        Goal::Map(map) => in_a_line(map),
        Goal::Conditions(conditions) => {
            toml::Value::try_from(conditions).map(|table| table.to_string()).unwrap_or_default()
        }
    }
}

fn in_a_line(map: &str) -> String {
    map.split_whitespace().collect::<Vec<_>>().join(" / ")
}

fn of_blocks(table: &BlocksTable) -> Option<String> {
    let short = is_rush_hour(&table.board);
    match &table.goal {
        None if short => way_out(&map_of("board", &table.board, true).ok()?),
        None => None,
        Some(goals) => {
            let said = |text: &String| Some(covered(&map_of("goal", text, short && is_rush_hour(text)).ok()?));
            Some(any_of(&goals.as_slice().iter().map(said).collect::<Option<Vec<_>>>()?))
        }
    }
}

/// Which blocks cover which cells.
fn covered(goal: &Map) -> String {
    let mut asked: Vec<(char, Vec<usize>)> = Vec::new();
    for (cell, &letter) in goal.letters.iter().enumerate().filter(|(_, letter)| **letter != '?') {
        match asked.iter_mut().find(|(other, _)| *other == letter) {
            Some((_, cells)) => cells.push(cell),
            None => asked.push((letter, vec![cell])),
        }
    }
    match asked.len() {
        0 => "any state".into(),
        1..=SAID => asked.iter().map(|(letter, cells)| one(*letter, cells, goal)).collect::<Vec<_>>().join(" and "),
        _ => in_a_line(&goal.board.map(|cell| goal.letters[cell])),
    }
}

fn one(letter: char, cells: &[usize], on: &Map) -> String {
    let names = cells.iter().map(|&cell| on.board.name_of(cell)).collect::<Vec<_>>().join(", ");
    match (letter, cells.len()) {
        ('.', 1) => format!("{names} is empty"),
        ('.', _) => format!("{names} are empty"),
        _ => format!("block {letter} covers {names}"),
    }
}

/// The goal of a Rush Hour board whose job names none: A at the right end of its row. The text says that this is assumed,
/// because the user may mean another car.
fn way_out(map: &Map) -> Option<String> {
    let car: Vec<usize> = (0..map.letters.len()).filter(|&cell| map.letters[cell] == 'A').collect();
    let row = map.board.xy(*car.first()?).1;
    let end = (SIDE.checked_sub(car.len())?..SIDE).map(|x| map.board.at(x as i32, row)).collect::<Option<Vec<_>>>()?;
    Some(format!("{} (the job names no goal: A leaves at the right end of its row)", one('A', &end, map)))
}

#[cfg(test)]
mod tests {
    use halma_rules::job::{Job, ProblemSpec};

    use super::*;

    fn puzzle(problem: &str) -> PuzzleSpec {
        let job = Job::parse("a.toml".as_ref(), &format!("[problem]\n{problem}")).unwrap();
        let ProblemSpec::Puzzle(spec) = job.spec else { unreachable!() };
        spec
    }

    #[test]
    fn a_board_of_rush_hour_says_that_a_leaves_where_no_goal_is_named() {
        let board = "AA...OP..Q.OPXXQ.OP..Q..B...CCB.RRR.";
        let rush_hour =
            |goal: &str| puzzle(&format!("kind = \"blocks\"\nmetric = \"slide\"\nboard = \"{board}\"\n{goal}"));
        assert_eq!(
            words(&rush_hour("")).unwrap(),
            "block A covers e1, f1 (the job names no goal: A leaves at the right end of its row)"
        );
        let goal = format!("{}????XX{}", "?".repeat(12), "?".repeat(18));
        assert_eq!(words(&rush_hour(&format!("goal = \"{goal}\"\n"))).unwrap(), "block X covers e3, f3");
        assert!(super::board(&rush_hour("")).unwrap().starts_with("AA...O\nP..Q.O\nPXXQ.O\n"));
    }

    #[test]
    fn a_goal_of_blocks_says_which_block_covers_which_cells() {
        let said = |goal: &str| {
            let board = "board = \"\"\"\nAAB\nAAC\nD..\n\"\"\"\nmetric = \"step\"\n";
            words(&puzzle(&format!("kind = \"blocks\"\n{board}{goal}")))
        };
        assert_eq!(said(""), None);
        assert_eq!(said("goal = \"???\\n?AA\\n?AA\"\n").unwrap(), "block A covers b2, c2, b3, c3");
        assert_eq!(said("goal = \"C??\\n???\\n.??\"\n").unwrap(), "block C covers a1 and a3 is empty");
        assert_eq!(
            said("goal = [\"B??\\n???\\n???\", \"??D\\n???\\n..?\"]\n").unwrap(),
            "block B covers a1, or block D covers c1 and a3, b3 are empty"
        );
        // More than a few are easier to see.
        assert_eq!(said("goal = \"AAC\\nAAB\\n.D.\"\n").unwrap(), "AAC / AAB / .D.");
    }

    #[test]
    fn a_goal_of_rules_is_said_as_the_job_states_it() {
        let said = |goal: &str| {
            let rules = "board = \"PP..\"\nrules = [\"P . -> . P\", \"P P . -> . . P\"]\n";
            words(&puzzle(&format!("kind = \"rules\"\n{rules}{goal}")))
        };
        assert_eq!(said(""), None);
        assert_eq!(said("goal = \"??PP\"\n").unwrap(), "??PP");
        assert_eq!(said("goal = { count = { P = 1 } }\n").unwrap(), "{ count = { P = 1 } }");
        assert_eq!(said("goal = { at = { d1 = \"P\" } }\n").unwrap(), "{ at = { d1 = \"P\" } }");
        assert_eq!(said("goal = [\"P..P\", \".P.P\"]\n").unwrap(), "P..P, or .P.P");
        let many = vec!["\"P..P\""; 14].join(", ");
        let some = ["P..P"; 10].join(", or ");
        assert_eq!(said(&format!("goal = [{many}]\n")).unwrap(), format!("{some}, or one of 4 more"));
    }
}
