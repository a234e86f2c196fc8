//! The command line: commands and options.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, RangedI64ValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use halma_rules::job::{MAX_LENGTH, Pruning, raw};
use halma_rules::lattice::Rule;

use crate::progress::ProgressForm;

mod asking;
mod batch;
mod certify;
mod check;
pub mod cluster;
mod commands;
mod describe;
mod exit;
mod export;
mod gallery;
mod help;
mod manual;
mod new;
mod play;
mod record_files;
mod report;
mod resume;
pub mod row;
mod status;
#[cfg(feature = "studio")]
mod studio;
mod whole_file;

pub use asking::{Search, search};
pub use batch::TableFormat;
pub use commands::run;
pub use exit::{Exit, Failure};
pub use export::Format;
pub use help::grouped;

/// Searches board puzzles exhaustively and proves what the shortest solution is.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_STATUS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_STATUS: &str = "Exit status: 0 the question was answered (prove: 10 a solution exists, 20 none does), \
2 the job or the command line is wrong or a file is another version's, 3 not finished, 4 a record or level file cannot be used, 1 anything else.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find the shortest solution and refute every shorter length
    #[command(after_help = help::SOLVE)]
    Solve {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The greatest length to try
        #[arg(long, value_name = "L", value_parser = moves())]
        max_length: Option<u32>,
        /// Try no length that this earlier record refutes
        #[arg(long, value_name = "RUN")]
        refuted_by: Option<PathBuf>,
        /// Of a puzzle: write so many shortest solutions
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        all: Option<u32>,
    },
    /// Decide whether a solution of at most so many moves exists
    #[command(after_help = help::PROVE)]
    Prove {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The length asked about; the job's max-length where not given
        #[arg(long, value_name = "L", value_parser = moves())]
        max_length: Option<u32>,
        /// Try no length that this earlier record refutes
        #[arg(long, value_name = "RUN")]
        refuted_by: Option<PathBuf>,
    },
    /// Show the level sets as they are, without a goal: sizes and digests
    #[command(after_help = help::LEVELS, group(clap::ArgGroup::new("last level").required(true).args(["depth", "to_the_end"])))]
    // Scripts may give one, which was always without effect.
    #[command(mut_arg("pruning", |pruning| pruning.hide(true)))]
    Levels {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The last level
        #[arg(long, value_name = "D", value_parser = moves())]
        depth: Option<u32>,
        /// Until a level is empty: all positions that can be reached, and the farthest ones
        #[arg(long)]
        to_the_end: bool,
    },
    /// Count the shortest solutions: sequences of moves, also up to symmetry; palindromic ones; final positions of games
    #[command(after_help = help::COUNT)]
    Count {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The greatest length to try
        #[arg(long, value_name = "L", value_parser = moves())]
        max_length: Option<u32>,
        /// Try no length that this earlier record refutes
        #[arg(long, value_name = "RUN")]
        refuted_by: Option<PathBuf>,
    },
    /// Go on with an interrupted run
    #[command(after_help = help::RESUME)]
    Resume {
        /// The run's folder
        run: PathBuf,
        /// How.
        #[command(flatten)]
        options: Options,
    },
    /// Solve a queue of jobs: what is done is skipped, what was begun goes on
    #[command(after_help = help::BATCH)]
    Batch {
        /// Job files, or folders of them
        #[arg(required = true)]
        jobs: Vec<PathBuf>,
        /// The table at the end, on standard output: text, csv, or markdown for pages
        #[arg(long, value_name = "FORMAT", value_enum, default_value = "text", hide_possible_values = true)]
        table: TableFormat,
        /// A folder for the table in every format, a log, and the queue's status
        #[arg(long, value_name = "DIR")]
        output_dir: Option<PathBuf>,
        /// How.
        #[command(flatten)]
        options: Options,
    },
    /// Say how far a run or a batch is, from its folder, while it goes on or afterwards
    #[command(after_help = help::STATUS)]
    Status {
        /// The run's or the batch's folder
        run: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check a written solution move by move and draw it
    #[command(after_help = help::REPLAY)]
    Replay(play::ReplayArgs),
    /// Say what is known of a job before it is solved: board, symmetries, bounds, balance, cost
    #[command(after_help = help::DESCRIBE)]
    Describe(describe::DescribeArgs),
    /// Make a page of runs for a browser, or a site of them: results, boards, plots, tables, how to check them
    #[command(after_help = help::REPORT)]
    Report {
        /// Records or their folders; of a folder without a record, all beneath it
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<PathBuf>,
        /// Write here instead of to standard output. A folder that is there, `site/`, or a name without an ending for a
        /// folder of runs or several: a page for each problem, and an index
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Memory to keep to, as in "4 GiB"
        #[arg(long, value_name = "SIZE", value_parser = raw::size)]
        memory: Option<u64>,
    },
    /// Serve a page to design a puzzle on, to search it, and to watch what was found
    #[cfg(feature = "studio")]
    #[command(after_help = help::STUDIO)]
    Studio(studio::StudioArgs),
    /// Make a key for searches in several processes: 32 random bytes, in a file that only its owner may read
    #[cfg(feature = "cluster")]
    #[command(after_help = help::CLUSTER_KEY)]
    ClusterKey {
        /// The file, which must not be there yet
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Write a job to begin with, with a word about each key
    #[command(after_help = help::NEW)]
    New {
        /// The file, which must not be there yet; - writes to standard output
        file: PathBuf,
        /// What it states.
        #[command(flatten)]
        start: new::Start,
    },
    /// Print the JSON Schema of job files, for editors
    #[command(after_help = help::SCHEMA)]
    Schema,
    /// Print the man page, or write those of all commands
    #[command(after_help = help::MAN)]
    Man {
        /// Write a page for each command into this folder
        #[arg(long, value_name = "DIR")]
        output_dir: Option<PathBuf>,
    },
    /// Print what lets a shell complete commands and options
    #[command(after_help = help::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Verify a run's record, by code that shares nothing with the search
    #[command(after_help = help::CHECK)]
    Check(check::CheckArgs),
    /// Write a run's refutation as a certificate that anyone can verify, deriving all that it rests on again
    #[command(after_help = help::CERTIFY)]
    Certify(certify::CertifyArgs),
    /// Write the same puzzle for another tool: Fast Downward and other planners, Rumur, clingo
    #[command(after_help = help::EXPORT)]
    Export {
        /// The job, a TOML file; - reads it from standard input
        job: PathBuf,
        /// The language
        #[arg(long, value_enum)]
        format: Format,
        /// Write files of the job's name into this folder, instead of to standard output
        #[arg(short, long, value_name = "DIR")]
        output_dir: Option<PathBuf>,
    },
    /// Solve, construct, enumerate and count the puzzles on one row of places
    #[command(subcommand, after_help = help::ROW)]
    Row(row::RowCommand),
    /// Ask the same question under several prunings, side by side
    #[command(after_help = help::COMPARE, mut_arg("pruning", |arg| arg.hide(true)))]
    Compare {
        /// What to search.
        #[command(flatten)]
        search: SearchArgs,
        /// The prunings, as in none,mcc(5),leading; theorem-1,pattern,leading where not given, of a game theorem-1,all
        #[arg(long, value_name = "NAMES")]
        prunings: Option<Prunings>,
        /// Ask about solutions of at most L moves, instead of for the shortest
        #[arg(long, value_name = "L", value_parser = moves())]
        max_length: Option<u32>,
        /// Try no length that this earlier record refutes
        #[arg(long, value_name = "RUN")]
        refuted_by: Option<PathBuf>,
    },
}

/// What commands take that search, or go on with a search: how, and what is told of it.
#[derive(Clone, Debug, Default, Args)]
pub struct Options {
    /// Print the record on standard output, instead of a report; of several runs a list of records
    #[arg(long)]
    pub json: bool,
    /// Threads; all that the machine has where neither this nor the job says
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u32>,
    /// Memory to keep to, as in "4 GiB"
    #[arg(long, value_name = "SIZE", value_parser = raw::size)]
    pub memory: Option<u64>,
    /// Stop after so long, as in "2 h"; the run can go on later where it has a folder
    #[arg(long, value_name = "TIME", value_parser = raw::time)]
    pub time: Option<std::time::Duration>,
    /// Keep the level files after the run; =false: do not
    #[arg(
        long,
        value_name = "B",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_possible_values = true
    )]
    pub keep_levels: Option<bool>,
    /// Where pattern databases stay for later runs; also HALMA_CACHE
    #[arg(long, value_name = "DIR", env = "HALMA_CACHE", hide_env = true, value_parser = cache_folder())]
    pub cache: Option<PathBuf>,
    /// How progress is told: auto, lines, or json (an object a line on standard error, and nothing else there)
    #[arg(
        long,
        value_name = "FORM",
        value_enum,
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub progress: ProgressForm,
    /// No progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

impl Options {
    /// A search by these options of the job or run at `path`, as it is stated there.
    fn at(&self, path: &std::path::Path) -> SearchArgs {
        SearchArgs {
            job: path.into(),
            options: self.clone(),
            moves: None,
            output_dir: None,
            pruning: None,
            verbose: false,
            cluster: cluster::ClusterArgs::default(),
            display: BatchDisplay::default(),
        }
    }
}

/// What all commands that search a job take.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The job, a TOML file; - reads it from standard input
    pub job: PathBuf,
    /// How.
    #[command(flatten)]
    pub options: Options,
    /// Play by these rules: 4, 6 or 8 (transfers, games)
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub moves: Option<Rule>,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// none, theorem-1, mcc, mcc(C), pattern, leading, narrowed or truncate(KEEP,BETA[,rounds=N,seed=S]); leading takes cap=C,
    /// cap=trial, weights=A/B/C, look-ahead=N, class-look-ahead=N, and like pattern and narrowed classes=N; of a game none,
    /// theorem-1, all, all-but-BOUND, bounds joined by '+' or beam(KEEP,SEED); of a puzzle none, projection or bound
    #[arg(long, value_name = "NAME")]
    pub pruning: Option<Pruning>,
    /// Report every level
    #[arg(short, long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// With which other processes.
    #[cfg_attr(feature = "cluster", command(flatten))]
    #[cfg_attr(not(feature = "cluster"), arg(skip))]
    pub cluster: cluster::ClusterArgs,
    /// Who else is told.
    #[arg(skip)]
    pub display: BatchDisplay,
}

/// The screen and the log of a batch, to which its searches report.
#[derive(Clone, Debug, Default)]
pub struct BatchDisplay {
    /// What is on the terminal already.
    pub screen: Option<indicatif::MultiProgress>,
    /// A log.
    pub log: Option<PathBuf>,
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
        let prunings: Vec<Pruning> = parts.map(str::parse).collect::<Result<_, _>>()?;
        match (1..prunings.len()).find(|&i| prunings[..i].contains(&prunings[i])) {
            Some(i) => Err(format!("{} is there twice: allowed is each pruning once", prunings[i])),
            None => Ok(Self(prunings)),
        }
    }
}

/// Reads a number of moves.
fn moves() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=i64::from(MAX_LENGTH))
}

/// Reads a folder. Clap's own parser refuses an empty value (`HALMA_CACHE=`); `overrides` treats it as no folder.
fn cache_folder() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// Reads a number of threads.
fn threads() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=4096)
}

/// Reads a move rule.
fn rule(text: &str) -> Result<Rule, String> {
    let number = text.parse::<u8>().ok().and_then(|number| Rule::try_from(number).ok());
    number.ok_or_else(|| format!("`{text}` is no move rule: allowed are 4, 6 and 8"))
}
