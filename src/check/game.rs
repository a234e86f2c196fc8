//! Records of games: the lower bound, and the game that was found. Levels of games are not derived again yet.

use super::Report;
use super::board::Board;
use super::moves::{Set, play};
use crate::record::{Asked, Record};

/// What holds of a game's record.
pub(super) fn holds(record: &Record) -> Result<Report, String> {
    let stated = &record.problem;
    let board = Board::of(stated)?;
    let bases = [board.army(&stated.start)?, board.army(&stated.target)?];
    if bases[0] != board.stated_army(stated)? || bases.iter().any(|b| b.len() != stated.men) {
        return Err("problem.start is not the army that problem.army names, or the armies differ in size".into());
    }
    let [blue, red] = [board.names(&bases[0]), board.names(&bases[1])];
    let mut report = Report::default();
    report.checked.push(format!("{} men a side on {} cells: blue on {blue}, red on {red}", stated.men, board.len()));
    report.checked.push("every successor is accounted for, and the verdict follows from the runs".into());
    if let Some(said) = record.lower_bound {
        // Equation (7): somebody must come near first, and then both armies' men enter one by one.
        let distance = board.steps_to(&bases[0]);
        let apart = bases[1].iter().filter_map(|&c| distance[usize::from(c)]).min().unwrap_or(0);
        let derived = apart.saturating_sub(2) + (2 * stated.men as u32).saturating_sub(1);
        if said > derived {
            return Err(format!("lower_bound {said}, derived {derived}"));
        }
        report.checked.push(format!("no game below length {said}, by equation (7) derived again: {derived}"));
    }
    if let Some(solution) = &record.solution {
        let (moves, winner) = replay(&board, &bases, solution)?;
        if record.length != Some(moves) {
            return Err(format!("solution: {moves} moves for length {:?}", record.length));
        }
        report.checked.push(format!("the game plays, {moves} moves, {winner} wins"));
    }
    if !record.runs.is_empty() || record.question == Asked::Count {
        report.unchecked.push("the levels of a game".into());
    }
    Ok(report)
}

/// Plays a game: how many moves it has, and who wins with the last one.
fn replay(board: &Board, bases: &[Vec<u8>; 2], solution: &[String]) -> Result<(u32, &'static str), String> {
    let mut armies = [Set::of(&bases[0]), Set::of(&bases[1])];
    let goals = [armies[1], armies[0]];
    let mut all = Set::of(&bases.concat());
    let won = |armies: &[Set; 2]| (0..2).find(|&side| armies[side] == goals[side]);
    for (number, written) in solution.iter().enumerate() {
        let fault = |fault: String| format!("solution, move {} ({written}): {fault}", number + 1);
        if won(&armies).is_some() {
            return Err(fault("the game is over before it".into()));
        }
        let (from, to) = play(board, all, written, false).map_err(fault)?;
        let army = &mut armies[number % 2];
        if !army.has(from) {
            return Err(fault(format!("{} is the other side's", board.name(from))));
        }
        for cell in [from, to] {
            army.flip(cell);
            all.flip(cell);
        }
    }
    match won(&armies) {
        Some(side) if side != solution.len() % 2 => Ok((solution.len() as u32, ["blue", "red"][side])),
        _ => Err("solution: nobody wins with its last move".into()),
    }
}
