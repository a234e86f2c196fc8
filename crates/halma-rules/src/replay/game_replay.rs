//! Replay of games: checks a written game move by move, with nothing but the rules.
//!
//! Blue and red move in turn, blue first; a move is a step or a chain of jumps by one man of the side whose turn it is,
//! over men of either side; the game is over as soon as one army fills the other's base, and not before.

use std::path::Path;

use halma_record::record::Record;
use halma_record::source::{InputError, Source};
use halma_record::words::counted;

use super::{Refusal, ReplayError, SolutionFile, all_moves, ends, legal, recorded, written};
use crate::cells::Cells;
use crate::game::{Game, Side};
use crate::job::{self, Problem, ProblemSpec, resolve_problem};
use crate::notation::{Script, write_chain};
use crate::problem::set;

/// A game that was checked.
#[derive(Clone, Debug)]
pub struct GameReplay {
    /// The problem as stated.
    pub spec: ProblemSpec,
    /// The game.
    pub game: Game,
    /// Every move with all landings.
    pub moves: Vec<Vec<usize>>,
}

impl GameReplay {
    /// Checks a game file that was read.
    ///
    /// # Errors
    /// The first fault: no such cell, an illegal move, a move of the wrong side, a game that is over earlier or later than
    /// its last move, or another length than claimed.
    pub fn from_source(source: &Source) -> Result<Self, InputError> {
        let SolutionFile { problem, solution } = SolutionFile::parse(source)?;
        let (spec, game) = match resolve_problem(source, &problem)? {
            (spec, Problem::Game(game)) => (spec, game),
            (_, Problem::Transfer(_) | Problem::Puzzle(_)) => {
                return Err(source.fault(problem.kind.span(), "this is no game"));
            }
        };
        let moves = written(source, &solution, &game.lattice.board, |script| check(&game, script), "game")?;
        Ok(Self { spec, game, moves })
    }

    /// Checks the game of a record; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`Self::from_source`].
    pub fn from_record(file: &Path, record: &Record) -> Result<Self, ReplayError> {
        let (game, moves) = recorded(file, record, job::game_of(&record.problem), |g| &g.lattice.board, check, "game")?;
        Ok(Self { spec: record.problem.clone(), game, moves })
    }

    /// Who wins.
    #[must_use]
    pub fn winner(&self) -> Side {
        Side::winner(self.moves.len() as u32)
    }

    /// One line: who wins, and in how many moves.
    #[must_use]
    pub fn summary(&self) -> String {
        let (men, moves) = (counted(self.game.blue.len(), "man"), counted(self.moves.len(), "move"));
        format!("legal: {} wins with {men} a side in {moves}", self.winner().name())
    }
}

/// The armies at the start, blue's first.
fn bases(game: &Game) -> [Cells<4>; 2] {
    [set(&game.blue), set(&game.red)]
}

/// Plays a script from the start; its moves, if all are legal and only the last one ends the game.
fn check(game: &Game, script: &Script) -> Result<Vec<Vec<usize>>, Refusal> {
    let board = &game.lattice.board;
    if script.reflect {
        return Err((None, "(reflect) is for transfers: the second half of a game never mirrors the first".into()));
    }
    let start = bases(game);
    let mut armies = start;
    let over = |armies: &[Cells<4>; 2]| armies[0] == start[1] || armies[1] == start[0];
    let mut moves: Vec<Vec<usize>> = Vec::new();
    for (number, m) in (0..).zip(&script.moves) {
        let (cells, side) = (&m.cells, Side::to_move(number));
        let refused = |why: String| {
            (Some(number as usize), format!("move {} ({}): {why}", number + 1, write_chain(cells, board)))
        };
        if over(&armies) {
            let winner = Side::winner(number).name();
            let moves = counted(number as usize, "move");
            return Err(refused(format!("the game is over before it: {winner} has won in {moves}")));
        }
        let mover = usize::from(side == Side::Red);
        let (from, to) = ends(cells);
        if armies[1 - mover].contains(from) {
            let name = board.name_of(from);
            return Err(refused(format!(
                "{} is to move, and the man on {name} is {}'s",
                side.name(),
                side.other().name()
            )));
        }
        legal(&game.lattice, armies[0] | armies[1], cells, false).map_err(refused)?;
        armies[mover] = armies[mover].without(from).with(to);
        moves.push(cells.clone());
    }
    if over(&armies) {
        return Ok(moves);
    }
    let outside = |side: usize| (armies[side] & !start[1 - side]).len();
    let message = format!(
        "after {} nobody has won: blue has {} outside red's base, red {} outside blue's",
        all_moves(moves.len()),
        counted(outside(0), "man"),
        outside(1)
    );
    Err((None, message))
}
