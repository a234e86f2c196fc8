//! `halma replay`: checks a solution, then shows it: as text, figures, or a page.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use halma_files::plain;
use halma_record::words::counted;
use halma_rules::job::Job;

use super::asking::put;
use super::whole_file::{named, not_to_a_terminal, write_or_print};
use super::{Exit, Failure, record_files};
use crate::figure::{self, Figure};
use crate::page;
use crate::solution::Solution;

/// What is shown, and how.
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// A solution file (TOML), a run's result.json, or its folder
    pub file: PathBuf,
    /// Only the summary, no boards
    #[arg(short, long)]
    pub quiet: bool,
    /// Draw a figure: all boards on a sheet, or the one of --at
    #[arg(long, group = "figure", conflicts_with_all = ["quiet", "html"])]
    pub svg: bool,
    /// The same for LaTeX: a document by itself, and in a paper by \input
    #[arg(long, group = "figure", conflicts_with_all = ["quiet", "html"])]
    pub tikz: bool,
    /// Make a page that plays the solution, and prints as a sheet
    #[arg(long, conflicts_with = "quiet")]
    pub html: bool,
    /// The board after so many moves, alone: with --svg or --tikz
    #[arg(long, value_name = "MOVES", requires = "figure")]
    pub at: Option<usize>,
    /// Boards in a row of the sheet
    #[arg(long, value_name = "N", requires = "figure", default_value = "6", value_parser = clap::value_parser!(u16).range(1..))]
    pub columns: u16,
    /// Names of columns and rows on every board of the sheet
    #[arg(long, requires = "figure")]
    pub coordinates: bool,
    /// Write here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl ReplayArgs {
    /// Whether it prints boards, on a terminal that wants colours; `NO_COLOR` and `CLICOLOR` say so, too.
    pub(super) fn wants_colours(&self) -> bool {
        let prints_boards = !(self.quiet || self.svg || self.tikz || self.html || self.output.is_some());
        let out = std::io::stdout();
        prints_boards && out.is_terminal() && anstream::AutoStream::choice(&out) != anstream::ColorChoice::Never
    }
}

/// Checks a solution, then shows it.
pub(super) fn replay(args: &ReplayArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let checked = solution_of(&args.file)?;
    let output = named(args.output.as_deref());
    if args.html || args.svg {
        not_to_a_terminal(output)?;
    }
    let text = if args.html {
        page::solution(&checked)
    } else if args.svg || args.tikz {
        drawing(&Figure::of(&checked).with_coordinates(args.coordinates), args, &checked.summary())?
    } else if args.quiet {
        checked.summary() + "\n"
    } else {
        format!("{}\n{}\n", drawn(&checked, false), checked.summary())
    };
    write_or_print(&text, output, out)
}

/// A figure, as SVG or for LaTeX.
fn drawing(figure: &Figure, args: &ReplayArgs, about: &str) -> Result<String, Failure> {
    let (last, columns) = (figure.len() - 1, args.columns.into());
    match args.at {
        Some(at) if at > last => {
            let moves = counted(last, "move");
            Err(Failure::input(format!("--at {at}: the solution has {moves}; allowed are 0 to {last}")))
        }
        at if args.tikz => figure.tikz(at, columns, about).map_err(|error| Failure::input(format!("--tikz: {error}"))),
        Some(at) => Ok(figure.board(at)),
        None => Ok(figure.sheet(columns, about)),
    }
}

/// Reads the solution of a file or a run's folder.
fn solution_of(path: &Path) -> Result<Solution, Failure> {
    solution(&record_files::record_of(path)?).map_err(|failure| {
        let unfit = path.is_dir() && failure.exit == Exit::Input;
        let others = if unfit { record_files::hint_at_others(path) } else { String::new() };
        Failure { message: failure.message + &others, ..failure }
    })
}

/// Reads a solution, and says what to do where there is a job instead.
fn solution(file: &Path) -> Result<Solution, Failure> {
    Solution::read(file).map_err(|error| match Job::read(file) {
        Ok(_) => {
            let (name, word) = (file.display(), file.to_string_lossy());
            let word = plain::quoted(&word);
            let message = format!("{name}: a job, and no solution; halma solve {word} --output-dir DIR makes one, halma replay DIR draws it");
            Failure::input(message)
        }
        Err(_) => error.into(),
    })
}

/// The boards as text, those of armies in their shape; `coloured` by commands to a terminal.
fn drawn(solution: &Solution, coloured: bool) -> String {
    match solution {
        Solution::Armies(checked) => figure::plain::solution(checked, coloured),
        Solution::Puzzle(replay) => figure::puzzle_text::solution(replay),
    }
}

/// `halma replay` on a terminal: boards in colours. They are made here; what comes from the file is shown as it may be.
pub(super) fn replay_coloured(file: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
    let checked = solution_of(file)?;
    let boards = match &checked {
        Solution::Armies(_) => drawn(&checked, true),
        Solution::Puzzle(_) => plain::shown(&drawn(&checked, false)).into_owned(),
    };
    put(&format!("{boards}\n{}\n", plain::shown(&checked.summary())), out)?;
    Ok(Exit::Answered)
}
