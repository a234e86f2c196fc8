//! The program, with further kinds of puzzles in Rust.
//!
//! ```no_run
//! # use halma::OwnPuzzle;
//! # #[derive(serde::Deserialize)]
//! # struct Tiles;
//! # impl OwnPuzzle for Tiles {
//! #     type Key = u64;
//! #     fn starts(&self) -> Vec<u64> { vec![0] }
//! #     fn after(&self, _: u64, _: &mut Vec<u64>) {}
//! #     fn is_goal(&self, _: u64) -> bool { true }
//! # }
//! fn main() -> std::process::ExitCode {
//!     halma::app().kind::<Tiles>("tiles").run()
//! }
//! ```

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use halma_check::puzzle_record::in_rust::{self as verified, Maker, RustPuzzle, Words};
use halma_engine::key::Key;
use halma_puzzles::own::Repeats;
use halma_puzzles::own::in_rust::{OwnPuzzle, RustKind, from_spec};
use halma_rules::puzzle::kinds::{self, Kind};

use crate::cli::{self, Cli, Exit};
use crate::interrupt;
use crate::progress::json;

/// The command line, with further kinds of puzzles.
#[derive(Default)]
pub struct App {
    kinds: Vec<Box<dyn Kind>>,
    /// The same kinds, for the verifier.
    verified: Vec<(String, Maker)>,
}

/// The command line of halma.
#[must_use]
pub fn app() -> App {
    App::default()
}

impl App {
    /// Adds puzzles of type `P`, for jobs with `kind = "name"`.
    #[must_use]
    pub fn kind<P: OwnPuzzle>(mut self, name: &str) -> Self {
        self.kinds.push(Box::new(RustKind::<P>::new(name)));
        let make: Maker = Box::new(|spec| Ok(Box::new(Verified(from_spec::<P>(spec)?)) as Box<dyn RustPuzzle>));
        self.verified.push((name.into(), make));
        self
    }

    /// Runs the command line, and returns its exit status.
    pub fn run(self) -> ExitCode {
        allow_open_files();
        // If this fails, SIGXFSZ ends the program when a file grows beyond `ulimit -f`.
        let _ = interrupt::survive_file_limit();
        kinds::add(self.kinds);
        verified::add(self.verified);
        let matches = cli::grouped(Cli::command()).try_get_matches();
        let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
            Ok(cli) => cli,
            Err(error) if error.use_stderr() && asks_for_json() => {
                json::failed(error.to_string().trim_end(), Exit::Input as u8);
                return Exit::Input.into();
            }
            Err(error) => error.exit(),
        };
        outcome(&cli).into()
    }
}

/// Does what was typed. A search that contradicts itself has an exit status of this program, not that of a panic.
fn outcome(cli: &Cli) -> Exit {
    let is_json = cli.tells_json();
    panic::set_hook(Box::new(move |panic| {
        let text = format!("a bug, no answer: {panic}");
        match is_json {
            true => json::note(&text),
            // Standard error may be closed.
            false => drop(writeln!(io::stderr(), "{text}")),
        }
    }));
    match panic::catch_unwind(AssertUnwindSafe(|| cli::run(cli, &cli::search(), &mut io::stdout().lock()))) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            if !failure.message.is_empty() {
                let _ = writeln!(io::stderr(), "{}", failure.message);
            }
            failure.exit
        }
        Err(_) => {
            if is_json {
                json::failed("a bug, no answer: the note before says where", Exit::Failed as u8);
            }
            Exit::Failed
        }
    }
}

/// Whether a command line that makes no sense otherwise wants its messages as JSON.
fn asks_for_json() -> bool {
    let arguments: Vec<_> = std::env::args_os().collect();
    arguments.iter().any(|argument| argument == "--progress=json")
        || arguments.windows(2).any(|pair| pair[0] == "--progress" && pair[1] == "json")
}

/// The most files that the process asks to have open.
const MOST_OPEN: u64 = 1 << 20;

/// Lets the process have as many files open as the system allows: a long search has one open for each level and each spilled layer.
fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Not more: a browser that this program starts may close every number up to the limit.
    let most = limit.maximum.map_or(MOST_OPEN, |maximum| maximum.min(MOST_OPEN));
    if limit.current.is_some_and(|current| current < most) {
        // Where it cannot be raised, the one that is set will have to do.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limit });
    }
}

/// A puzzle in Rust as the verifier uses it: moves and goal, without its bound.
struct Verified<P>(P);

impl<P: OwnPuzzle> RustPuzzle for Verified<P> {
    fn bytes(&self) -> usize {
        P::Key::BYTES
    }

    fn starts(&self) -> Vec<Words> {
        self.0.starts().into_iter().map(Key::words).collect()
    }

    fn moves(&self, state: Words) -> Vec<Words> {
        let mut after = Vec::new();
        self.0.after(P::Key::from_words(state), &mut after);
        after.into_iter().map(Key::words).collect()
    }

    fn is_goal(&self, state: Words) -> bool {
        self.0.is_goal(P::Key::from_words(state))
    }

    fn goals(&self) -> Option<Vec<Words>> {
        Some(self.0.goals()?.into_iter().map(Key::words).collect())
    }

    fn canonical(&self, state: Words) -> Words {
        self.0.canonical(P::Key::from_words(state)).words()
    }

    fn can_be_undone(&self) -> bool {
        self.0.repeats() == Repeats::Previous
    }

    fn picture(&self, state: Words) -> String {
        self.0.picture(P::Key::from_words(state))
    }

    fn written(&self, before: Words, after: Words) -> String {
        self.0.written(P::Key::from_words(before), P::Key::from_words(after))
    }
}

#[cfg(test)]
mod tests;
