//! The goals of a puzzle by rules: maps, counts and places.

use halma_record::job::puzzle_tables::{Conditions, Goal, OneOrMany, Places, RulesTable};

use super::alphabet::Alphabet;
use crate::board::Board;
use crate::puzzle::grounded::GoalCondition;
use crate::puzzle::map::Map;
use crate::puzzle::{Part, TableFault};

/// The goals.
pub(super) fn goals(table: &RulesTable, alphabet: &Alphabet, board: &Board) -> Result<Vec<GoalCondition>, TableFault> {
    let Some(goals) = &table.goal else { return Ok(Vec::new()) };
    let many = matches!(goals, OneOrMany::Many(_));
    let one = |(number, goal): (usize, &Goal)| {
        let compiled = match goal {
            Goal::Map(text) => goal_map(text, alphabet, board),
            Goal::Conditions(conditions) => goal_conditions(conditions, alphabet, board),
        };
        compiled.map_err(|mut fault| {
            if many {
                fault.path.insert(1.min(fault.path.len()), Part::At(number));
            }
            fault
        })
    };
    let all = goals.as_slice().iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?;
    match all.is_empty() {
        true => Err(TableFault::of("goal", "the list of goals is empty: leave `goal` out, or name one")),
        false => Ok(all),
    }
}

fn goal_map(text: &str, alphabet: &Alphabet, board: &Board) -> Result<GoalCondition, TableFault> {
    let map = Map::parse("goal", text)?;
    if map.board != *board {
        return Err(TableFault::of("goal", "the goal must have its cells where the board has them"));
    }
    let mut cells = Vec::new();
    for (cell, &letter) in map.letters.iter().enumerate() {
        let set = alphabet.set(letter).ok_or_else(|| {
            let message =
                format!("`{letter}` is no letter of the puzzle: allowed are {}, ? and classes", alphabet.list());
            TableFault::of("goal", message).within(map.spans[cell].clone())
        })?;
        if Some(set) != alphabet.set('?') {
            cells.push((cell as u8, set));
        }
    }
    Ok(GoalCondition { cells, counts: Vec::new() })
}

fn goal_conditions(conditions: &Conditions, alphabet: &Alphabet, board: &Board) -> Result<GoalCondition, TableFault> {
    let fault = |key: &str, message: String| TableFault::of("goal", message).key(key);
    let set = |key: &str, name: &str| {
        let mut chars = name.chars();
        let letter = chars.next().filter(|_| chars.next().is_none());
        letter.and_then(|l| alphabet.set(l)).ok_or_else(|| {
            fault(key, format!("`{name}` is no letter of the puzzle: allowed are {} and classes", alphabet.list()))
        })
    };
    let mut counts = Vec::new();
    for (name, &count) in &conditions.count {
        if count as usize > board.len() {
            return Err(fault("count", format!("{name} = {count}: the board has {} cells", board.len())));
        }
        counts.push((set("count", name)?, count));
    }
    let cell = |name: &str| {
        let found = board.cell(name).map(|cell| cell as u8);
        found.ok_or_else(|| fault("at", format!("`{name}` is no cell of the board: {}", board.names())))
    };
    let only = || match counts[..] {
        [(letters, _)] => Ok(letters),
        _ => Err(fault("at", "cells alone need a `count` of one letter: else write at = { d4 = \"P\" }".into())),
    };
    let mut cells = match &conditions.at {
        None => Vec::new(),
        Some(Places::Cell(name)) => vec![(cell(name)?, only()?)],
        Some(Places::Cells(names)) => names.iter().map(|n| Ok((cell(n)?, only()?))).collect::<Result<Vec<_>, _>>()?,
        Some(Places::Letters(places)) => {
            places.iter().map(|(n, letter)| Ok((cell(n)?, set("at", letter)?))).collect::<Result<Vec<_>, _>>()?
        }
    };
    cells.sort_unstable();
    if let Some(pair) = cells.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(fault("at", format!("{} is there twice", board.name_of(pair[0].0.into()))));
    }
    if cells.is_empty() && counts.is_empty() {
        return Err(TableFault::of("goal", "a goal needs a condition: count or at"));
    }
    // Symmetries compare goals as they stand: in one order, without `?`.
    counts.sort_unstable();
    cells.retain(|&(_, letters)| Some(letters) != alphabet.set('?'));
    Ok(GoalCondition { cells, counts })
}

#[cfg(test)]
mod tests {
    use crate::puzzle::{Compiled, compile};

    #[test]
    fn symmetries_do_not_depend_on_how_a_goal_is_written() {
        let symmetries = |goal: &str| {
            let table = format!(
                r#"{{"kind": "rules", "board": "B.A.B", "rules": ["A . -> . A", "B . -> . B"], "goal": {goal}}}"#
            );
            let Some(Compiled::Grounded(task)) = compile(&serde_json::from_str(&table).unwrap()).unwrap() else {
                panic!("a puzzle on a board")
            };
            task.symmetries().len()
        };
        let at = r#""at": {"b1": "A"#;
        assert_eq!(symmetries(&format!(r#"{{{at}"}}}}"#)), 1);
        // The board has B before A.
        assert_eq!(symmetries(r#"{"count": {"A": 1, "B": 2}}"#), 2);
        assert_eq!(symmetries(r#"{"count": {"A": 1, "B": 2}, "at": {"c1": "B", "a1": "?"}}"#), 2);
        assert_eq!(symmetries(r#"["?.B.A", "A.B.?"]"#), 2);
    }
}
