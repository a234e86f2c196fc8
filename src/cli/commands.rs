//! What each command does. Results go to `out`, nothing else does; what is wrong comes back as a [`Failure`].

use std::cell::OnceCell;
use std::io::{self, Write};
use std::path::Path;

use halma_bounds::game::Bounds;
use halma_engine::search::CancellationToken;
use halma_files::plain::{self, Plain};
use halma_record::record::Record;
use halma_record::source::Fault;
use halma_rules::job::{Job, Overrides, Problem, Pruning};
use halma_rules::replay::Checked;
use halma_solve::run::{self, Question};

#[cfg(feature = "cluster")]
use super::cluster;
use super::views::{self, Form};
use super::{Cli, Command, Exit, Failure, Prunings, SearchArgs, batch, certify, check, manual, resume, row, status};
use crate::interrupt::Interrupts;
use crate::progress::{self, All, Lines, StatusFile};
use crate::report;

/// The search behind the commands: a job, a question, how much to tell meanwhile.
pub type Search<'a> = dyn Fn(&Job, Question, &SearchArgs) -> Result<Record, Failure> + 'a;

/// The engine's search: it tells its progress on standard error and stops on a signal. Signals are caught from the
/// first search on; commands that do not search end on them like any filter.
pub fn search() -> impl Fn(&Job, Question, &SearchArgs) -> Result<Record, Failure> {
    let interrupts = OnceCell::new();
    move |job: &Job, question: Question, args: &SearchArgs| {
        if interrupts.get().is_none() {
            let installed = Interrupts::install()
                .map_err(|e| Failure { exit: Exit::Failed, message: format!("signals cannot be caught: {e}") })?;
            let _ = interrupts.set(installed);
        }
        let stop = interrupts
            .get()
            .map_or_else(|| CancellationToken::after(job.limits.time).into(), |i| i.stop(job.limits.time));
        let exchange = args.cluster.exchange(job, question, &stop)?;
        let mut told = All::default();
        if exchange.process() > 0 {
            // The first tells how all of them are doing.
            return Ok(run::run_shared(job, question, &told, &stop, exchange)?);
        }
        if !args.quiet {
            told.0.push(progress::watched(args.live.screen.as_ref()));
        }
        if let Some(log) = &args.live.log {
            told.0.push(Box::new(Lines::in_log(log)));
        }
        if let Some(folder) = &job.output.dir {
            told.0.push(Box::new(StatusFile::new(folder)));
        }
        Ok(run::run_shared(job, question, &told, &stop, exchange)?)
    }
}

/// Does what was typed. No text that goes to `out` or into the message has commands to a terminal in it, whatever stands in the
/// files that were read.
///
/// # Errors
/// One message for standard error, and the exit status.
pub fn run(cli: &Cli, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    halma_record::record::built_from(env!("HALMA_SOURCE"));
    let shown = |Failure { exit, message }| Failure { exit, message: plain::message(&message).into_owned() };
    command(cli, search, &mut Plain::new(out)).map_err(shown)
}

fn command(cli: &Cli, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Solve { search: args, max_length } => answer(args, *max_length, |_| Ok(Question::Solve), search, out),
        Command::Count { search: args, max_length } => answer(args, *max_length, |_| Ok(Question::Count), search, out),
        Command::Levels { search: args, depth } => {
            answer(args, None, |_| Ok(Question::Levels { depth: *depth }), search, out)
        }
        Command::Prove { search: args, max_length } => answer(args, *max_length, prove, search, out),
        Command::Compare { search: args, prunings, max_length } => {
            compare(args, *max_length, prunings.as_ref(), search, out)
        }
        Command::Resume { run, options } => resume::resume(&options.at(run), search, out),
        Command::Batch { jobs, table, output_dir, options } => {
            batch::batch(jobs, *table, output_dir.as_deref(), options, search, out)
        }
        Command::Status { run, json } => status::status(run, *json, out),
        Command::Replay { file, quiet, svg, html, at, columns, output } => {
            let form = match (svg, html) {
                (true, _) => Form::Svg { at: *at, columns: (*columns).into() },
                (_, true) => Form::Html,
                _ => Form::Text { quiet: *quiet },
            };
            views::replay(file, form, output.as_deref(), out)
        }
        Command::Report { runs, output, memory } => views::report(runs, output.as_deref(), *memory, out),
        #[cfg(feature = "cluster")]
        Command::ClusterKey { output } => cluster::make_key(output, out),
        Command::Describe { job, probe, threads } => views::describe(job, *probe, *threads, search, out),
        Command::Schema => views::write(manual::SCHEMA, None, out),
        Command::Man { output_dir } => manual::pages(output_dir.as_deref(), out),
        Command::Completions { shell } => manual::completions(*shell, out),
        Command::Check { run, sample, budget, threads, memory, quiet } => {
            let (sample, budget, memory, threads, quiet) = (*sample, *budget, *memory, *threads, *quiet);
            check::check(run, &check::Terms { sample, budget, memory, threads, quiet }, out)
        }
        Command::Certify { run, output, meet_beyond, threads, quiet } => {
            certify::certify(run, output, *meet_beyond, (*threads, *quiet), out)
        }
        Command::Row(command) => {
            row::run(command, &CancellationToken::after(None), out)?;
            Ok(Exit::Answered)
        }
    }
}

/// Reads the job at `path`, or standard input where that is `-`.
pub(super) fn read(path: &Path) -> Result<Job, Fault> {
    if path == Path::new("-") { Job::read_standard_input() } else { Job::read(path) }
}

fn prove(job: &Job) -> Result<Question, Failure> {
    let message =
        || format!("{}: prove needs a length: give --max-length L, or max-length in [search]", job.file.display());
    let max_length = job.search.max_length.ok_or_else(|| Failure { exit: Exit::Input, message: message() })?;
    Ok(Question::Prove { max_length })
}

pub(super) fn overrides(args: &SearchArgs, max_length: Option<u32>) -> Overrides {
    Overrides {
        pruning: args.pruning.clone(),
        max_length,
        threads: args.threads.map(|t| t as usize),
        memory: args.memory,
        output_dir: args.output_dir.clone(),
        keep_levels: args.keep_levels,
        cache: args.cache.clone(),
    }
}

fn answer(
    args: &SearchArgs,
    max_length: Option<u32>,
    question: impl Fn(&Job) -> Result<Question, Failure>,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let job = read(&args.job)?.with(&overrides(args, max_length))?;
    print(&ask(&job, question(&job)?, args, search)?, args, out)
}

/// Prints a record as asked for; the exit status is the record's.
pub(super) fn print(record: &Record, args: &SearchArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.cluster.follows() {
        // The first process prints; what is wrong is said by all.
        return match &record.reason {
            Some(reason) => Err(Failure { exit: Exit::of(record), message: reason.clone() }),
            None => Ok(Exit::of(record)),
        };
    }
    let text = if args.json { json(record.to_json())? } else { report::text(record, args.verbose) };
    put(&text, out)?;
    Ok(Exit::of(record))
}

/// Writes an answer. A reader who goes away before its end has read enough: the exit status stays that of the answer.
pub(super) fn put(text: &str, out: &mut dyn Write) -> Result<(), Failure> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Searches, which writes the record, and has the solution replayed by code that shares nothing with the search.
pub(super) fn ask(job: &Job, question: Question, args: &SearchArgs, search: &Search) -> Result<Record, Failure> {
    // Now, and not when the search has taken hours.
    let dir = run::place(job, question)?;
    // Processes of a cluster share their host's processors, and only know each other later: the run itself asks then.
    if args.cluster.is_alone() {
        run::affordable(job, question, 1)?;
    }
    if let Some(dir) = &dir {
        std::fs::create_dir_all(dir).map_err(|e| Failure {
            exit: Exit::Input,
            message: format!("{}: the output folder cannot be made: {e}", dir.display()),
        })?;
    }
    if let Some(beneath) = dir.as_ref().filter(|d| Some(*d) != job.output.dir.as_ref() && !args.quiet) {
        let text = format!("the folder has the record of another question; this one: {}", beneath.display());
        // Who closed standard error does not want it.
        let _ = writeln!(io::stderr(), "{}", plain::message(&text));
    }
    let mut job = job.clone();
    job.output.dir = dir;
    ask_there(&job, question, args, search)
}

/// As [`ask`], in the job's output folder, which is the right one.
pub(super) fn ask_there(job: &Job, question: Question, args: &SearchArgs, search: &Search) -> Result<Record, Failure> {
    let record = search(job, question, args)?;
    if record.solution.is_some() {
        Checked::from_record(&job.file, &record)
            .map_err(|e| Failure { exit: Exit::Failed, message: format!("a bug: the solution found is none: {e}") })?;
    }
    Ok(record)
}

fn compare(
    args: &SearchArgs,
    max_length: Option<u32>,
    prunings: Option<&Prunings>,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let job = read(&args.job)?.with(&overrides(args, max_length))?;
    let usual = match job.problem {
        Problem::Transfer(_) => Prunings(vec![Pruning::Theorem1, Pruning::PATTERN, Pruning::LEADING]),
        Problem::Game(_) => Prunings(vec![Pruning::Theorem1, Pruning::Game(Bounds::all())]),
    };
    // All jobs are checked before the first one runs.
    let jobs = prunings.unwrap_or(&usual).0.iter().map(|pruning| {
        let mut job = job.clone().with(&Overrides { pruning: Some(pruning.clone()), ..Overrides::default() })?;
        job.output.dir = job.output.dir.map(|dir| dir.join(pruning.to_string()));
        Ok(job)
    });
    let jobs = jobs.collect::<Result<Vec<_>, Fault>>()?;
    let question = max_length.map_or(Question::Solve, |max_length| Question::Prove { max_length });
    let records = jobs.iter().map(|job| ask(job, question, args, search)).collect::<Result<Vec<_>, _>>()?;
    let text = match args.json {
        true => json(serde_json::to_string_pretty(&records).map(|text| text + "\n"))?,
        false => report::comparison(&records),
    };
    put(&text, out)?;
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
