//! The command line: what may be typed, and what each command does with it.
//!
//! Results go to `out`, nothing else does; what is wrong comes back as a [`Failure`] for `main` to show.

pub mod row;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::job::{Job, Overrides, Pruning, typed};
use crate::record::{self, Asked, Record, RecordError, Verdict};
use crate::replay::{Replay, ReplayError};
use crate::report;
use crate::search::Stop;
use crate::source::Fault;

/// Searches board puzzles exhaustively and proves what the shortest solution is.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_STATUS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_STATUS: &str = "Exit status: 0 the question was answered (prove: 10 a solution exists, 20 none does), \
2 the job or the command line is wrong, 3 not finished, 4 a record or level file is damaged, 1 anything else.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the shortest solution and refute every shorter length
    Solve {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The greatest length to try
        #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(0..=9999))]
        max_length: Option<u32>,
    },
    /// Decide whether a solution of at most so many moves exists
    Prove {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The length asked about; the job's max-length where not given
        #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(0..=9999))]
        max_length: Option<u32>,
    },
    /// Show the level sets as they are, without a goal: sizes and digests
    Levels {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The last level
        #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(0..=9999))]
        depth: u32,
    },
    /// Check a written solution move by move and draw it
    Replay {
        /// A solution file (TOML), a run's result.json, or its folder
        file: PathBuf,
        /// Only the summary, no boards
        #[arg(short, long)]
        quiet: bool,
    },
    /// Solve, construct, enumerate and count the puzzles on one row of places
    #[command(subcommand)]
    Row(row::RowCommand),
    /// Ask the same question under several prunings, side by side
    Compare {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The prunings, as in none,mcc(5),leading
        #[arg(long, value_name = "NAMES", default_value = "theorem-1,pattern,leading")]
        prunings: Prunings,
        /// Ask about solutions of at most L moves, instead of for the shortest
        #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(0..=9999))]
        max_length: Option<u32>,
    },
}

/// What all commands that search take.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The job, a TOML file
    pub job: PathBuf,
    /// Print the record on standard output, instead of a report
    #[arg(long)]
    pub json: bool,
    /// Threads; all that the machine has where neither this nor the job says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub threads: Option<u32>,
    /// Memory to keep to, as in "4 GiB"
    #[arg(long, value_name = "SIZE", value_parser = typed::size)]
    pub memory: Option<u64>,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// none, theorem-1, mcc, mcc(C), pattern, leading, narrowed or truncate(KEEP,BETA)
    #[arg(long, value_name = "NAME")]
    pub pruning: Option<Pruning>,
    /// Let the level files stay when the run has ended
    #[arg(long)]
    pub keep_levels: bool,
    /// No progress on standard error
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Report every level
    #[arg(short, long)]
    pub verbose: bool,
}

/// A list of prunings; commas within brackets part parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prunings(pub Vec<Pruning>);

impl std::str::FromStr for Prunings {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut depth = 0;
        let parts = text.split(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ',' && depth == 0
        });
        parts.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

/// What is asked of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// What is the shortest solution?
    Solve,
    /// Is there a solution of at most so many moves?
    Prove {
        /// So many.
        max_length: u32,
    },
    /// How large is each level?
    Levels {
        /// The last one.
        depth: u32,
    },
}

/// The exit status, a contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The question was answered.
    Answered = 0,
    /// Anything that has no status of its own.
    Failed = 1,
    /// The job or the command line is wrong.
    Input = 2,
    /// The search ended before it had an answer.
    Unfinished = 3,
    /// A record or a level file is damaged.
    Damaged = 4,
    /// `prove`: a solution exists.
    Exists = 10,
    /// `prove`: none does.
    Refuted = 20,
}

impl Exit {
    /// The status that a record stands for.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        match (record.verdict, record.question) {
            (Verdict::Incomplete, _) => Self::Unfinished,
            (Verdict::None, Asked::Prove) => Self::Refuted,
            (Verdict::Optimal | Verdict::Solution, Asked::Prove) => Self::Exists,
            // A solution that may not be shortest answers no other question.
            (Verdict::Solution, _) => Self::Unfinished,
            (Verdict::Optimal | Verdict::None | Verdict::Levels | Verdict::Counted, _) => Self::Answered,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not do its work: one message, and the status it ends with.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub exit: Exit,
    /// The message.
    pub message: String,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self { exit: Exit::Input, message: fault.to_string() }
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        let exit = match &error {
            ReplayError::Solution(_) | ReplayError::Nothing(_) | ReplayError::Record(RecordError::Read { .. }) => {
                Exit::Input
            }
            ReplayError::Record(_) | ReplayError::Damaged { .. } => Exit::Damaged,
        };
        Self { exit, message: error.to_string() }
    }
}

impl From<row::RowError> for Failure {
    fn from(error: row::RowError) -> Self {
        Self { exit: error.exit(), message: error.to_string() }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { exit: Exit::Failed, message: format!("standard output: {error}") }
    }
}

/// The search behind the commands: a job, a question, how much to tell meanwhile.
pub type Search<'a> = dyn Fn(&Job, Question, &SearchArgs) -> Result<Record, Failure> + 'a;

/// Does what was typed.
///
/// # Errors
/// One message for standard error, and the exit status.
pub fn run(cli: &Cli, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Solve { search: args, max_length } => answer(args, *max_length, |_| Ok(Question::Solve), search, out),
        Command::Levels { search: args, depth } => {
            answer(args, None, |_| Ok(Question::Levels { depth: *depth }), search, out)
        }
        Command::Prove { search: args, max_length } => answer(args, *max_length, prove, search, out),
        Command::Compare { search: args, prunings, max_length } => compare(args, *max_length, prunings, search, out),
        Command::Replay { file, quiet } => replay(file, *quiet, out),
        Command::Row(command) => {
            row::run(command, &Stop::after(None), out)?;
            Ok(Exit::Answered)
        }
    }
}

fn prove(job: &Job) -> Result<Question, Failure> {
    let message =
        || format!("{}: prove needs a length: give --max-length L, or max-length in [search]", job.file.display());
    let max_length = job.search.max_length.ok_or_else(|| Failure { exit: Exit::Input, message: message() })?;
    Ok(Question::Prove { max_length })
}

fn overrides(args: &SearchArgs, max_length: Option<u32>) -> Overrides {
    Overrides {
        pruning: args.pruning.clone(),
        max_length,
        threads: args.threads.map(|t| t as usize),
        memory: args.memory,
        output_dir: args.output_dir.clone(),
        keep_levels: args.keep_levels,
    }
}

fn answer(
    args: &SearchArgs,
    max_length: Option<u32>,
    question: impl Fn(&Job) -> Result<Question, Failure>,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let job = Job::read(&args.job)?.with(&overrides(args, max_length))?;
    let record = search(&job, question(&job)?, args)?;
    let text = if args.json { json(record.to_json())? } else { report::text(&record, args.verbose) };
    out.write_all(text.as_bytes())?;
    Ok(Exit::of(&record))
}

fn compare(
    args: &SearchArgs,
    max_length: Option<u32>,
    Prunings(prunings): &Prunings,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let job = Job::read(&args.job)?.with(&overrides(args, max_length))?;
    // All jobs are checked before the first one runs.
    let jobs = prunings.iter().map(|pruning| {
        let mut job = job.clone().with(&Overrides { pruning: Some(pruning.clone()), ..Overrides::default() })?;
        job.output.dir = job.output.dir.map(|dir| dir.join(pruning.to_string()));
        Ok(job)
    });
    let jobs = jobs.collect::<Result<Vec<_>, Fault>>()?;
    let question = max_length.map_or(Question::Solve, |max_length| Question::Prove { max_length });
    let records = jobs.iter().map(|job| search(job, question, args)).collect::<Result<Vec<_>, _>>()?;
    let text = match args.json {
        true => json(serde_json::to_string_pretty(&records).map(|text| text + "\n"))?,
        false => report::comparison(&records),
    };
    out.write_all(text.as_bytes())?;
    agreed(&records)
}

/// The common answer of the records: prunings are sound only if those that finished agree.
fn agreed(records: &[Record]) -> Result<Exit, Failure> {
    let finished: Vec<&Record> = records.iter().filter(|r| Exit::of(r) != Exit::Unfinished).collect();
    let answer = |r: &Record| (r.verdict, r.length);
    if let Some(pair) = finished.windows(2).find(|pair| answer(pair[0]) != answer(pair[1])) {
        let said = |r: &Record| format!("{} says: {}", r.pruning, report::sentence(r));
        let message = format!("the prunings contradict each other. {} {}", said(pair[0]), said(pair[1]));
        return Err(Failure { exit: Exit::Failed, message });
    }
    Ok(records.iter().map(Exit::of).max_by_key(|&exit| exit == Exit::Unfinished).unwrap_or(Exit::Answered))
}

fn json(text: serde_json::Result<String>) -> Result<String, Failure> {
    text.map_err(|e| Failure { exit: Exit::Failed, message: format!("the record cannot be printed: {e}") })
}

fn replay(file: &std::path::Path, quiet: bool, out: &mut dyn Write) -> Result<Exit, Failure> {
    let file = if file.is_dir() { file.join(record::FILE) } else { file.into() };
    let replay = Replay::read(&file)?;
    if !quiet {
        writeln!(out, "{}", replay.draw())?;
    }
    writeln!(out, "{}", replay.summary())?;
    Ok(Exit::Answered)
}
