//! `halma row`: the puzzles on one row.

mod pairs;
mod print;
mod reverse;
mod shift;

use std::io::{self, Write};

use clap::{Args, Subcommand};
use num_bigint::BigUint;
use thiserror::Error;

use halma_engine::budget;
use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_engine::search::{CancellationToken, Expander};
use halma_puzzles::row::levels::{Level, Outcome, find};
use halma_rules::job::raw;
use halma_solve::solve::deepening::shortest;
use halma_solve::solve::row_search::RowSearch;
use halma_solve::solve::{Answer, Engine};

use super::Exit;

/// A puzzle on one row of places.
#[derive(Clone, Debug, Subcommand)]
pub enum RowCommand {
    /// Exchange the sides of N black and M white checkers by slides and jumps
    Shift(shift::ShiftArgs),
    /// Carry N black and N white checkers, pair by pair, into white and black by turns
    Pairs(pairs::PairsArgs),
    /// Reverse a row of N numbered checkers by slides and jumps
    Reverse(reverse::ReverseArgs),
}

/// Why a command has no answer.
#[derive(Debug, Error)]
pub enum RowError {
    /// The question is wrong: exit status 2.
    #[error("{0}")]
    Input(String),
    /// The search ended without an answer, which is none: exit status 3.
    #[error("not finished: {0}")]
    Unfinished(String),
    /// The threads could not be started: exit status 1.
    #[error("the threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Standard output cannot be written: exit status 1.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl RowError {
    /// The exit status that it stands for.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Input(_) => Exit::Input,
            Self::Unfinished(_) => Exit::Unfinished,
            Self::Threads(_) | Self::Output(_) => Exit::Failed,
        }
    }
}

/// What all three take.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Draw the row before the first move and after each one
    #[arg(long, conflicts_with_all = ["json", "formula", "count"])]
    pub draw: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Threads of a search; all that the machine has unless given
    #[arg(long, value_name = "N", value_parser = super::threads())]
    pub threads: Option<u32>,
    /// Memory that a search keeps to, as in "4 GiB"; three quarters of what is free unless given
    #[arg(long, value_name = "SIZE", value_parser = raw::size)]
    pub memory: Option<u64>,
}

impl Common {
    fn expander(&self) -> Result<Expander, RowError> {
        Ok(Expander::new(self.threads.unwrap_or(0) as usize, None)?)
    }

    fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(|| budget::available_memory().unwrap_or(4 << 30) / 4 * 3)
    }

    /// The states of a level that a search with path counts may hold: 32 bytes each, and room for three times as many
    /// successors before equal ones are joined and for the level before.
    fn states(&self) -> usize {
        usize::try_from(self.memory() / (6 * 32)).unwrap_or(usize::MAX)
    }

    /// A shortest solution by the engine, as the places of its moves; `None` where there is none. `what` is the row and
    /// the most checkers that a key holds.
    fn solve<P: Puzzle>(
        &self,
        puzzle: impl Fn(Option<u32>) -> Option<P>,
        lengths: (u32, u32),
        goal: impl Fn(&P) -> P::Key,
        place: impl Fn(P::Key) -> u64,
        (what, most): (String, u64),
        cancel: &CancellationToken,
    ) -> Result<Option<Vec<u64>>, RowError> {
        let (expander, memory) = (self.expander()?, self.memory());
        let search = RowSearch::new(puzzle, lengths, goal, Engine::new(&expander, cancel, &()), memory);
        let attempt = shortest(&mut search.ok_or_else(|| too_long(&what, most))?, None);
        let length = attempt.length;
        match attempt.answer {
            Answer::Found(states) => Ok(Some(states.into_iter().skip(1).map(place).collect())),
            Answer::Exhausted => Ok(None),
            Answer::GivenUp(reason) => Err(RowError::Unfinished(format!(
                "no solution has fewer than {length} moves; for {length}, {reason} (--memory: {})",
                bytes(memory)
            ))),
            Answer::Stopped(stopped) => Err(RowError::Unfinished(stopped.to_string())),
            Answer::Refuted | Answer::Unproved(_) => Err(RowError::Unfinished(format!(
                "no solution has {length} moves or fewer, and greater lengths are not tried"
            ))),
        }
    }

    /// The levels of a search with path counts that reached the goal; `None` where it cannot be reached.
    fn levels<K>(&self, outcome: Outcome<K>) -> Result<Option<Vec<Level<K>>>, RowError> {
        match outcome {
            Outcome::Found(levels) => Ok(Some(levels)),
            Outcome::Exhausted { .. } => Ok(None),
            Outcome::Stopped => Err(self.outgrown()),
        }
    }

    fn outgrown(&self) -> RowError {
        RowError::Unfinished(format!("the levels outgrow the {} of memory", bytes(self.memory())))
    }
}

/// A size as people write it.
fn bytes(bytes: u64) -> bytesize::Display {
    bytesize::ByteSize::b(bytes).display().iec()
}

/// A number of checkers: small enough that every closed form stays in 64 bits.
fn checkers(text: &str) -> Result<u64, String> {
    let allowed = 0..=1_000_000_000;
    let number = text.parse().ok().filter(|n| allowed.contains(n));
    number.ok_or_else(|| "allowed are whole numbers from 0 to 1000000000".into())
}

/// The number of a move.
fn index(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "allowed are whole numbers from 1 to the number of moves".into())
}

/// The number of shortest paths to the goal, which is on the last level.
fn paths<K: Key>(levels: &[Level<K>], goal: K) -> BigUint {
    levels.last().and_then(|last| find(last, goal)).unwrap_or(0).into()
}

/// A row beyond what the keys of a search hold.
fn too_long(what: &str, most: u64) -> RowError {
    RowError::Input(format!("{what}: a search takes rows of at most {most} checkers; use --construct or --formula"))
}

/// The move asked for by its number, of which there are `moves`.
fn one_move(i: u64, moves: u64, place: Option<u64>) -> Result<u64, RowError> {
    place.ok_or_else(|| match moves {
        0 => RowError::Input(format!("--formula {i}: the solution has no moves")),
        _ => RowError::Input(format!("--formula {i}: allowed are 1 to {moves}, the moves of the solution")),
    })
}

/// "1 solution", "2 solutions".
fn counted(count: &BigUint, what: &str) -> String {
    format!("{count} {what}{}", if *count == BigUint::from(1u8) { "" } else { "s" })
}

/// Does what was typed; results go to `out`, and a reader that goes away ends it quietly.
///
/// # Errors
/// One message, and the exit status that it stands for.
pub fn run(command: &RowCommand, cancel: &CancellationToken, out: &mut dyn Write) -> Result<(), RowError> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    let done = match command {
        RowCommand::Shift(args) => shift::run(args, cancel, &mut out),
        RowCommand::Pairs(args) => pairs::run(args, cancel, &mut out),
        RowCommand::Reverse(args) => reverse::run(args, cancel, &mut out),
    };
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    match done.and_then(|()| out.flush().map_err(RowError::from)) {
        Err(RowError::Output(error)) if broken(&error) => {
            // What is still in the buffer has no reader either.
            let _ = out.into_parts();
            Ok(())
        }
        done => done,
    }
}
