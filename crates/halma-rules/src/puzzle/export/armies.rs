//! Writes transfers and games as rewrite rules: men step to an empty cell beside them, or jump in chains over any man.

use std::collections::BTreeMap;

use halma_record::job::puzzle_tables::{Directions, Goal, OneOrMany, RuleEntry, RuleTable, RulesTable};

use super::super::{GroundedTask, TableFault, rules};
use crate::game::Game;
use crate::lattice::Lattice;
use crate::problem::Transfer;

/// Steps and jumps of the men of one letter; `x` is any man.
fn moves(man: char, jumps_only: bool, turn: Option<u8>) -> Vec<RuleEntry> {
    let rule = |rule: String, chain| RuleEntry::Table(RuleTable { rule, chain, turn, ..RuleTable::default() });
    let step = (!jumps_only).then(|| rule(format!("{man} . -> . {man}"), None));
    step.into_iter().chain([rule(format!("{man} x . -> . x {man}"), Some(true))]).collect()
}

fn table(lattice: &Lattice, men: &str, board: String, rules: Vec<RuleEntry>, goals: Vec<String>) -> RulesTable {
    RulesTable {
        board: OneOrMany::One(board),
        directions: Some(Directions::Number(lattice.rule.number())),
        rules,
        legend: BTreeMap::from([("x".to_string(), men.to_string())]),
        chain: false,
        until: None,
        goal: Some(OneOrMany::Many(goals.into_iter().map(Goal::Map).collect())),
    }
}

/// Rules move men to cells with the letter of empty ones, which a full board does not have.
fn need_an_empty_cell(lattice: &Lattice, men: usize) -> Result<(), TableFault> {
    let message = "a board without an empty cell, on which nobody can move, cannot be exported".into();
    if men < lattice.len() { Ok(()) } else { Err(TableFault { path: Vec::new(), range: None, message }) }
}

/// A transfer as a puzzle.
///
/// # Errors
/// Rules cannot express a board without an empty cell.
pub fn transfer(transfer: &Transfer) -> Result<GroundedTask, TableFault> {
    let lattice = &transfer.lattice;
    need_an_empty_cell(lattice, transfer.start.len())?;
    let board = lattice.board.map(|cell| if transfer.start.contains(&cell) { 'A' } else { '.' });
    let goal = lattice.board.map(|cell| if transfer.target.contains(&cell) { 'A' } else { '?' });
    rules::compile(&table(lattice, "A", board, moves('A', transfer.jumps_only, None), vec![goal]))
}

/// A game as a puzzle: it ends when either side has filled the other's base.
///
/// # Errors
/// Rules cannot express a board without an empty cell.
pub fn game(game: &Game) -> Result<GroundedTask, TableFault> {
    let lattice = &game.lattice;
    need_an_empty_cell(lattice, game.blue.len() + game.red.len())?;
    let on_blue_and_red = |on_blue: char, on_red: char, elsewhere: char| {
        lattice.board.map(|cell| match cell {
            _ if game.blue.contains(&cell) => on_blue,
            _ if game.red.contains(&cell) => on_red,
            _ => elsewhere,
        })
    };
    let goals = vec![on_blue_and_red('?', 'B', '?'), on_blue_and_red('R', '?', '?')];
    let moves = [moves('B', false, Some(1)), moves('R', false, Some(2))].concat();
    rules::compile(&table(lattice, "BR", on_blue_and_red('B', 'R', '.'), moves, goals))
}
