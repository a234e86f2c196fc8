//! `halma row`: the puzzles on one row.

mod pairs;
mod print;
mod reverse;
mod shift;

use std::io::{self, Write};

use clap::{Args, Subcommand};
use num_bigint::BigUint;
use thiserror::Error;

use halma_engine::search::CancellationToken;
use halma_rules::job::raw;
use halma_solve::run::rows::{RowSearchError, RowSearches};

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

impl RowCommand {
    /// Whether a search answers it that looks at signals.
    pub(super) fn is_search(&self) -> bool {
        match self {
            Self::Shift(args) => args.solve,
            Self::Pairs(args) => args.solve,
            Self::Reverse(args) => args.solve,
        }
    }
}

/// Why a command has no answer.
#[derive(Debug, Error)]
pub enum RowError {
    /// The question is wrong: exit status 2.
    #[error("{0}")]
    Input(String),
    /// The search ended before it had an answer: exit status 3.
    #[error("not finished: {0}")]
    Unfinished(String),
    /// The search failed: exit status 1.
    #[error("{0}")]
    Failed(String),
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
            Self::Failed(_) | Self::Output(_) => Exit::Failed,
        }
    }
}

impl From<RowSearchError> for RowError {
    fn from(error: RowSearchError) -> Self {
        match error {
            RowSearchError::TooLong(_) => Self::Input(format!("{error}; --construct and --formula need no search")),
            RowSearchError::Unfinished(why) => Self::Unfinished(why),
            RowSearchError::Threads(_) | RowSearchError::Folder(_) | RowSearchError::Contradiction { .. } => {
                Self::Failed(error.to_string())
            }
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
    fn searches(&self) -> Result<RowSearches, RowSearchError> {
        RowSearches::new(self.threads, self.memory)
    }
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
