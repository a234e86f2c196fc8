//! Replay: checks a written solution move by move, with nothing but the rules.
//!
//! A solution file is TOML: the `[problem]` of a job and a `[solution]` with `moves` and, optionally, `length`. A run's
//! `result.json` is read as well. The checks are slow and plain on purpose. They share tables of neighbours and jumps
//! with the search, and no more: a step goes to an empty neighbour, a jump over a man to the empty cell behind him.

pub mod game_replay;

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;

use halma_record::record::{Record, RecordError};
use halma_record::source::{InputError, Source};
use halma_record::words::counted;

use crate::board::Board;
use crate::cells::Cells;
use crate::job::raw::{self, ProblemTable, Within};
use crate::job::{self, Problem, ProblemSpec, resolve_problem};
use crate::lattice::Lattice;
use crate::notation::{Script, jumped, write_chain};
use crate::problem::{Transfer, set};

/// A checked solution.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The problem as stated.
    pub spec: ProblemSpec,
    /// The problem.
    pub transfer: Transfer,
    /// Every move with all landings; `(reflect)` is written out.
    pub moves: Vec<Vec<usize>>,
}

/// Why a file has no valid solution.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The solution in the file is invalid.
    #[error(transparent)]
    Solution(#[from] InputError),
    /// A record cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The solution in the record is invalid.
    #[error("{file}: damaged record: {message}")]
    Damaged {
        /// The record.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// The record has no solution.
    #[error("{0}: the record has no solution to replay")]
    Nothing(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SolutionFile {
    problem: ProblemTable,
    solution: SolutionTable,
}

impl SolutionFile {
    fn parse(source: &Source) -> Result<Self, InputError> {
        // Before the keys are looked at, which are those of another kind.
        job::refuse_solution(source)?;
        raw::parse(source)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SolutionTable {
    moves: Spanned<String>,
    length: Option<Spanned<Within<0, 9999>>>,
}

/// A solution of either kind.
#[derive(Clone, Debug)]
pub enum Checked {
    /// Of a transfer.
    Transfer(Replay),
    /// A game.
    Game(game_replay::GameReplay),
}

impl Checked {
    /// Reads a solution file, or a record where the name ends in `.json`, and checks every move.
    ///
    /// # Errors
    /// As [`Replay::read`] and [`game_replay::GameReplay::from_source`].
    pub fn read(file: &Path) -> Result<Self, ReplayError> {
        if file.extension().is_some_and(|e| e == "json") {
            return Self::from_record(file, &Record::read(file)?);
        }
        let source = Source::read(file)?;
        let kind = SolutionFile::parse(&source)?.problem.kind.into_inner();
        Ok(match kind.as_str() {
            "game" => Self::Game(game_replay::GameReplay::from_source(&source)?),
            _ => Self::Transfer(Replay::from_source(&source)?),
        })
    }

    /// Checks the solution of a record; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_record(file: &Path, record: &Record) -> Result<Self, ReplayError> {
        Ok(match record.problem.kind() {
            "game" => Self::Game(game_replay::GameReplay::from_record(file, record)?),
            _ => Self::Transfer(Replay::from_record(file, record)?),
        })
    }

    /// What was checked, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Transfer(replay) => replay.summary(),
            Self::Game(replay) => replay.summary(),
        }
    }
}

/// An error in a solution: the number of the wrong move (from 0), if it is a single move, and the reason.
type Refusal = (Option<usize>, String);

impl Replay {
    /// Reads a solution file, or a record where the name ends in `.json`, and checks every move.
    ///
    /// # Errors
    /// The first fault: no such file, no such cell, an illegal move, another length than claimed, or men outside
    /// the target after the last move.
    pub fn read(file: &Path) -> Result<Self, ReplayError> {
        if file.extension().is_some_and(|e| e == "json") {
            return Self::from_record(file, &Record::read(file)?);
        }
        Ok(Self::from_source(&Source::read(file)?)?)
    }

    /// Checks the solution of a record; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`Replay::read`].
    pub fn from_record(file: &Path, record: &Record) -> Result<Self, ReplayError> {
        let (transfer, moves) =
            recorded(file, record, job::transfer_of(&record.problem), |t| &t.lattice.board, check, "solution")?;
        Ok(Self { spec: record.problem.clone(), transfer, moves })
    }

    /// Checks a solution file that was read.
    ///
    /// # Errors
    /// As [`Replay::read`].
    pub fn from_source(source: &Source) -> Result<Self, InputError> {
        let SolutionFile { problem, solution } = SolutionFile::parse(source)?;
        let (spec, transfer) = match resolve_problem(source, &problem)? {
            (spec, Problem::Transfer(transfer)) => (spec, transfer),
            (_, Problem::Game(_) | Problem::Puzzle(_)) => {
                return Err(source.fault(problem.kind.span(), "this is no transfer"));
            }
        };
        let moves = written(source, &solution, &transfer.lattice.board, |script| check(&transfer, script), "solution")?;
        Ok(Self { spec, transfer, moves })
    }

    /// How many of the moves are steps; the others are chains of jumps.
    #[must_use]
    pub fn steps(&self) -> usize {
        let is_step = |m: &&Vec<usize>| m.len() == 2 && jumped(&self.transfer.lattice, m[0], m[1]).is_none();
        self.moves.iter().filter(is_step).count()
    }

    /// The army's average speed σ, equation (18) of the paper, as a reduced fraction; `None` without moves.
    #[must_use]
    pub fn speed(&self) -> Option<(u64, u64)> {
        self.transfer.speed(self.moves.len())
    }

    /// The boards as text: before the first move and after each, `o` a man, `O` the one that has moved, `+` the cell
    /// that he left.
    #[must_use]
    pub fn draw(&self) -> String {
        let Transfer { lattice, start, .. } = &self.transfer;
        let board = &lattice.board;
        let start: Cells<4> = set(start);
        let mut text = format!("start\n{}", board.draw(|c| if start.contains(c) { 'o' } else { '.' }));
        for (number, (cells, [men, _])) in (1..).zip(played([start, Cells::EMPTY], &self.moves)) {
            let (from, to) = ends(cells);
            let glyph = |c| match c {
                c if c == to => 'O',
                c if c == from => '+',
                c if men.contains(c) => 'o',
                _ => '.',
            };
            text += &format!("\n{number}. {}\n{}", write_chain(cells, board), board.draw(glyph));
        }
        text
    }

    /// One line: how many moves of which kind, and how fast.
    #[must_use]
    pub fn summary(&self) -> String {
        let (moves, steps) = (self.moves.len(), self.steps());
        let speed = self.speed().map(|(a, b)| format!(", speed {a}/{b} cells a move")).unwrap_or_default();
        let kinds = format!("{} and {} of jumps", counted(steps, "step"), counted(moves - steps, "chain"));
        let all = self.transfer.start.len();
        let reach = if all == 1 { "reaches" } else { "reach" };
        let (men, moves) = (counted(all, "man"), counted(moves, "move"));
        format!("legal: {men} {reach} the target in {moves}, {kinds}{speed}")
    }
}

/// Moves that were checked, each with the armies after it: the man who stands where it begins goes to where it ends.
pub fn played(mut armies: [Cells<4>; 2], moves: &[Vec<usize>]) -> impl Iterator<Item = (&Vec<usize>, [Cells<4>; 2])> {
    moves.iter().map(move |cells| {
        if let [from, .., to] = **cells {
            let army = &mut armies[usize::from(armies[1].contains(from))];
            *army = army.without(from).with(to);
        }
        (cells, armies)
    })
}

/// The moves written in a file, all landings named, if `check` finds them legal and they are as many as claimed; `what` is
/// what messages call them.
fn written(
    source: &Source,
    SolutionTable { moves, length }: &SolutionTable,
    board: &Board,
    check: impl FnOnce(&Script) -> Result<Vec<Vec<usize>>, Refusal>,
    what: &str,
) -> Result<Vec<Vec<usize>>, InputError> {
    let text = moves.get_ref();
    let fault = |part: Range<usize>, message| Err(source.fault(source.within(&moves.span(), text, part), message));
    let script = match Script::parse(text, board) {
        Ok(script) => script,
        Err(e) => return fault(e.span, e.message),
    };
    let played = match check(&script) {
        Ok(played) => played,
        Err((at, message)) => {
            let start = text.len() - text.trim_start().len();
            let last = script.moves.last().map_or(start..start, |m| m.span.clone());
            return fault(at.map_or(last, |i| script.moves[i].span.clone()), message);
        }
    };
    if let Some(length) = length.as_ref().filter(|l| l.get_ref().0 != played.len() as i64) {
        let message = format!("length = {}, and the {what} has {}", length.get_ref().0, counted(played.len(), "move"));
        return Err(source.fault(length.span(), message));
    }
    Ok(played)
}

/// The same for the moves of a record: with what they solve, `problem`, the board that it is on, and what checks them.
fn recorded<P>(
    file: &Path,
    record: &Record,
    problem: Result<P, String>,
    board: impl Fn(&P) -> &Board,
    check: impl FnOnce(&P, &Script) -> Result<Vec<Vec<usize>>, Refusal>,
    what: &str,
) -> Result<(P, Vec<Vec<usize>>), ReplayError> {
    let file = file.display().to_string();
    let Some(solution) = record.best_solution() else { return Err(ReplayError::Nothing(file)) };
    let damaged = |message| ReplayError::Damaged { file: file.clone(), message };
    let problem = problem.map_err(damaged)?;
    let script = Script::parse(&solution.join(",\n"), board(&problem))
        .map_err(|e| damaged(format!("solution: {}", e.message)))?;
    let moves = check(&problem, &script).map_err(|(_, message)| damaged(message))?;
    match record.best_length() {
        Some(length) if length as usize == moves.len() => Ok((problem, moves)),
        length => {
            let claimed = length.map_or("null".into(), |l| l.to_string());
            Err(damaged(format!("length is {claimed}, and the {what} has {}", counted(moves.len(), "move"))))
        }
    }
}

/// "1 move", "all 2 moves".
fn all_moves(number: usize) -> String {
    format!("{}{}", if number == 1 { "" } else { "all " }, counted(number, "move"))
}

fn ends(cells: &[usize]) -> (usize, usize) {
    (cells[0], cells[cells.len() - 1])
}

/// Plays a script from the start; its moves written out, if all are legal and the last one fills the target.
fn check(transfer: &Transfer, script: &Script) -> Result<Vec<Vec<usize>>, Refusal> {
    let board = &transfer.lattice.board;
    let mirror = transfer.symmetries().mirror.map(|m| m.cells);
    let moves = script.expand(mirror.as_deref()).ok_or_else(|| {
        (None, "(reflect) needs a mirror: a symmetry that exchanges start and target; this problem has none".into())
    })?;
    let (mut men, target): (Cells<4>, Cells<4>) = (set(&transfer.start), set(&transfer.target));
    for (i, cells) in moves.iter().enumerate() {
        // Move i of the second half mirrors the one as far from the other end.
        let written = if i < script.moves.len() { i } else { moves.len() - 1 - i };
        let refused = |why: String| {
            let mirrors = if i == written { String::new() } else { format!(", the mirror of move {}", written + 1) };
            (Some(written), format!("move {} ({}{mirrors}): {why}", i + 1, write_chain(cells, board)))
        };
        if men == target {
            return Err(refused("the target is filled before it, so the solution ends there".into()));
        }
        legal(&transfer.lattice, men, cells, transfer.jumps_only).map_err(refused)?;
        let (from, to) = ends(cells);
        men = men.without(from).with(to);
    }
    if men == target {
        return Ok(moves);
    }
    let outside: Vec<String> = men.iter().filter(|&c| !target.contains(c)).map(|c| board.name_of(c)).collect();
    let (played, outside) = (all_moves(moves.len()), outside.join(", "));
    Err((None, format!("after {played} men stand outside the target, on {outside}")))
}

/// Whether a man may make this move.
fn legal(lattice: &Lattice, men: Cells<4>, cells: &[usize], jumps_only: bool) -> Result<(), String> {
    let name = |cell| lattice.board.name_of(cell);
    let [from, .., to] = *cells else { return Err("a move has two cells at least".into()) };
    if !men.contains(from) {
        return Err(format!("no man stands on {}", name(from)));
    }
    if from == to {
        return Err("it ends where it began".into());
    }
    let others = men.without(from);
    for pair in cells.windows(2) {
        let (here, there) = (pair[0], pair[1]);
        if others.contains(there) {
            return Err(format!("{} is occupied", name(there)));
        }
        if lattice.neighbours(here).contains(&(there as u8)) {
            match (jumps_only, cells.len()) {
                (false, 2) => continue,
                (true, _) => return Err(format!("{}-{} is a step, and only jumps count", name(here), name(there))),
                (false, _) => return Err(format!("{}-{} is a step inside a chain", name(here), name(there))),
            }
        }
        match jumped(lattice, here, there) {
            Some(over) if others.contains(over) => {}
            Some(over) => return Err(format!("no man stands on {} to be jumped over", name(over))),
            None => return Err(format!("{} and {} are neither a step nor a jump apart", name(here), name(there))),
        }
    }
    Ok(())
}
