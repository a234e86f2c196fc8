//! `halma describe`: what is known of a job before it is solved.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use halma_rules::job::{Output, Problem, raw};
use halma_solve::run::Question;

use super::asking::{Search, overrides, put, read};
use super::{Exit, Failure, Options, threads};
use crate::describe;

/// Which job, and how long it is tried.
#[derive(Clone, Debug, Args)]
pub struct DescribeArgs {
    /// The job, a TOML file; - reads it from standard input
    pub job: PathBuf,
    /// How long to try it for an estimate of its cost; 0 s to leave that out
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time_or_none)]
    pub probe: Duration,
    /// Threads of the trial; all that the machine has where not given
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u32>,
}

/// A time, which may be none.
fn time_or_none(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time.is_zero() => Ok(time),
        _ => raw::time(text),
    }
}

/// Says what is known, and what a short search says of the cost.
pub(super) fn describe(args: &DescribeArgs, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    let DescribeArgs { job: file, probe, threads } = args;
    let mut job = read(file)?;
    put(&describe::text(&job), out)?;
    // Without a goal there is nothing to solve on trial.
    let has_goal = !matches!(&job.problem, Problem::Puzzle(puzzle) if puzzle.no_goal.is_some());
    if probe.is_zero() || !has_goal {
        return Ok(Exit::Answered);
    }
    // A trial leaves nothing behind.
    job.output = Output::default();
    job.limits.time = Some(*probe);
    let options = Options { threads: *threads, quiet: true, ..Options::default() };
    let args = options.at(file);
    let job = job.with(&overrides(&args, None, None))?;
    let record = search(&job, Question::Solve, &args)?;
    put(&describe::cost(&record), out)?;
    Ok(if record.is_interrupted() { Exit::Unfinished } else { Exit::Answered })
}
