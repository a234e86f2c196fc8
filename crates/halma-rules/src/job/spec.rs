//! A problem in words, and back: the form in which records and run folders state it.

use halma_record::job::{ArmiesSpec, Army, ProblemSpec};

use super::Problem;
use crate::board::Board;
use crate::game::Game;
use crate::lattice::Lattice;
use crate::problem::Transfer;

/// The transfer that these words state.
///
/// # Errors
/// The inconsistency in them; words that a [`Job`](super::Job) has written have none.
pub fn transfer(spec: &ProblemSpec) -> Result<Transfer, String> {
    match spec {
        ProblemSpec::Armies(spec) if spec.kind == "transfer" => armies(spec),
        other => Err(format!("problem.kind is `{}`, not transfer", other.kind())),
    }
}

/// The game that these words state.
///
/// # Errors
/// As [`transfer`].
pub fn game(spec: &ProblemSpec) -> Result<Game, String> {
    let spec = match spec {
        ProblemSpec::Armies(spec) if spec.kind == "game" => spec,
        other => return Err(format!("problem.kind is `{}`, not game", other.kind())),
    };
    let Transfer { lattice, start: blue, target: red, .. } = armies(spec)?;
    match blue.iter().any(|c| red.contains(c)) {
        true => Err("problem.start and problem.target overlap: the bases of a game must be apart".into()),
        false => Ok(Game { lattice, blue, red }),
    }
}

/// The lattice and both sets of cells.
fn armies(spec: &ArmiesSpec) -> Result<Transfer, String> {
    let board = match &spec.map {
        Some(map) => Board::from_map(map).map_err(|e| format!("problem.map: {e}"))?.0,
        None => Board::named(&spec.board).ok_or_else(|| format!("problem.board: unknown board `{}`", spec.board))?,
    };
    let cells = |key: &str, names: &[String]| -> Result<Vec<usize>, String> {
        let cell = |n: &String| board.cell(n).ok_or_else(|| format!("problem.{key}: {n} is no cell of the board"));
        let mut cells = names.iter().map(cell).collect::<Result<Vec<_>, _>>()?;
        cells.sort_unstable();
        cells.dedup();
        match cells.len() == spec.men {
            true => Ok(cells),
            false => Err(format!("problem.{key} has {} cells for {} men", cells.len(), spec.men)),
        }
    };
    let (start, target) = (cells("start", &spec.start)?, cells("target", &spec.target)?);
    Ok(Transfer { lattice: Lattice::new(board, spec.moves), start, target, jumps_only: spec.jumps_only })
}

/// A problem in words.
pub(super) fn of(problem: &Problem) -> ProblemSpec {
    match problem {
        Problem::Transfer(transfer) => of_armies("transfer", transfer).into(),
        Problem::Game(Game { lattice, blue, red }) => {
            let (lattice, start, target) = (lattice.clone(), blue.clone(), red.clone());
            of_armies("game", &Transfer { lattice, start, target, jumps_only: false }).into()
        }
        Problem::Puzzle(puzzle) => puzzle.spec.clone().into(),
    }
}

/// Two sets of cells in words: the armies cell by cell, and a board without a name as a map.
pub(super) fn of_armies(kind: &str, transfer: &Transfer) -> ArmiesSpec {
    let Transfer { lattice, start, target, jumps_only } = transfer;
    let board = &lattice.board;
    let names = |cells: &[usize]| cells.iter().map(|&cell| board.name_of(cell)).collect::<Vec<_>>();
    ArmiesSpec {
        kind: kind.into(),
        title: None,
        board: board.name().into(),
        map: (board.name() == "map").then(|| map(board, start, target)),
        moves: lattice.rule,
        army: Army::Cells(names(start)),
        men: start.len(),
        jumps_only: *jumps_only,
        start: names(start),
        target: names(target),
    }
}

/// The map that draws a board and both ends.
fn map(board: &Board, start: &[usize], target: &[usize]) -> String {
    board.map(|cell| match (start.contains(&cell), target.contains(&cell)) {
        (true, true) => 'B',
        (true, false) => 'S',
        (false, true) => 'T',
        (false, false) => '.',
    })
}
