//! What each command does. Only results go to `out`; errors are returned as a [`Failure`].

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use halma_engine::search::CancellationToken;
use halma_files::plain::{self, Plain};
use halma_record::record::{Record, Verdict};
use halma_record::source::InputError;
use halma_rules::job::{Job, Overrides};
use halma_solve::run::{self, Question};

use super::asking::{Search, ask, catch, json as as_json, overrides, print, put, read, say};
#[cfg(feature = "cluster")]
use super::cluster;
#[cfg(feature = "studio")]
use super::studio;
use super::{
    Cli, Command, Exit, Failure, Prunings, SearchArgs, batch, certify, check, describe, export, manual, new, play,
    resume, row, status, whole_file,
};
use crate::progress::{ProgressForm, json};
use crate::report;

/// Runs the command. Neither `out` nor the message contains terminal control sequences, even if a file that was read does.
///
/// # Errors
/// One message for standard error, and the exit status.
pub fn run(cli: &Cli, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    halma_record::record::built_from(env!("HALMA_SOURCE"));
    let shown = |Failure { exit, message }| Failure { exit, message: plain::message(&message).into_owned() };
    let is_json = cli.tells_json();
    if let Command::Replay(args) = &cli.command
        && args.wants_colours()
    {
        return play::replay_coloured(&args.file, out).map_err(shown);
    }
    match command(cli, search, &mut Plain::new(out)).map_err(shown) {
        Ok(exit) => {
            if is_json && matches!(cli.command, Command::Batch { .. } | Command::Compare { .. }) {
                json::ended(exit as u8);
            }
            Ok(exit)
        }
        Err(Failure { exit, message }) if is_json => {
            json::failed(&message, exit as u8);
            Err(Failure { exit, message: String::new() })
        }
        Err(failure) => Err(failure),
    }
}

impl Cli {
    /// Whether standard error has JSON and nothing else.
    #[must_use]
    pub fn tells_json(&self) -> bool {
        progress_of(&self.command) == ProgressForm::Json
    }
}

/// How the command tells its progress.
fn progress_of(command: &Command) -> ProgressForm {
    match command {
        Command::Solve { search, .. }
        | Command::Prove { search, .. }
        | Command::Levels { search, .. }
        | Command::Count { search, .. }
        | Command::Compare { search, .. } => search.options.progress,
        Command::Resume { options, .. } | Command::Batch { options, .. } => options.progress,
        _ => ProgressForm::Auto,
    }
}

fn command(cli: &Cli, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Solve { search: args, max_length, refuted_by, all } => {
            let overrides = overrides(args, *max_length, refuted_by.as_deref());
            let job = read(&args.job)?.with(&Overrides { solutions: *all, ..overrides })?;
            print(&ask(&job, Question::Solve, args, search)?, args, out)
        }
        Command::Count { search: args, max_length, refuted_by } => {
            answer(args, (*max_length, refuted_by.as_deref()), |_| Ok(Question::Count), search, out)
        }
        Command::Levels { search: args, depth, to_the_end: _ } => {
            let depth = depth.unwrap_or(halma_rules::job::MAX_LENGTH);
            if args.pruning.is_some() {
                say(args, "levels are made without bounds: --pruning changes nothing");
            }
            answer(args, (None, None), |_| Ok(Question::Levels { depth }), search, out)
        }
        Command::Prove { search: args, max_length, refuted_by } => {
            answer(args, (*max_length, refuted_by.as_deref()), prove, search, out)
        }
        Command::Compare { search: args, prunings, max_length, refuted_by } => {
            compare(args, (*max_length, refuted_by.as_deref()), prunings.as_ref(), search, out)
        }
        Command::Resume { run, options } => resume::resume(&options.at(run), search, out),
        Command::Batch { jobs, table, output_dir, options } => {
            batch::batch(jobs, *table, output_dir.as_deref(), options, search, out)
        }
        Command::Status { run, json } => status::status(run, *json, out),
        Command::Replay(args) => play::replay(args, out),
        Command::Report { runs, output, memory } => super::report::report(runs, output.as_deref(), *memory, out),
        #[cfg(feature = "studio")]
        Command::Studio(args) => studio::studio(args, out),
        #[cfg(feature = "cluster")]
        Command::ClusterKey { output } => cluster::make_key(output, out),
        Command::Describe(args) => describe::describe(args, search, out),
        Command::New { file, start } => new::new(file, start, out),
        Command::Schema => whole_file::write_or_print(manual::SCHEMA, None, out),
        Command::Man { output_dir } => manual::pages(output_dir.as_deref(), out),
        Command::Completions { shell } => manual::completions(*shell, out),
        Command::Check(args) => check::check(args, out),
        Command::Certify(args) => certify::certify(args, out),
        Command::Export { job, format, output_dir } => export::export(job, *format, output_dir.as_deref(), out),
        Command::Row(command) => {
            // What does not search ends on a signal like any filter.
            let interrupts = command.is_search().then(|| catch(ProgressForm::Auto)).transpose()?;
            let cancel = interrupts
                .as_ref()
                .map_or_else(|| Arc::new(CancellationToken::after(None)), |interrupts| interrupts.token(None));
            row::run(command, &cancel, out)?;
            Ok(Exit::Answered)
        }
    }
}

fn prove(job: &Job) -> Result<Question, Failure> {
    let message =
        || format!("{}: prove needs a length: give --max-length L, or max-length in [search]", job.file.display());
    let max_length = job.search.max_length.ok_or_else(|| Failure::input(message()))?;
    Ok(Question::Prove { max_length })
}

fn answer(
    args: &SearchArgs,
    (max_length, refuted_by): (Option<u32>, Option<&Path>),
    question: impl Fn(&Job) -> Result<Question, Failure>,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let job = read(&args.job)?.with(&overrides(args, max_length, refuted_by))?;
    print(&ask(&job, question(&job)?, args, search)?, args, out)
}

fn compare(
    args: &SearchArgs,
    (max_length, refuted_by): (Option<u32>, Option<&Path>),
    prunings: Option<&Prunings>,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    if args.pruning.is_some() {
        return Err(Failure::input("compare takes --prunings NAMES, and no --pruning"));
    }
    let job = read(&args.job)?.with(&overrides(args, max_length, refuted_by))?;
    let usual = Prunings(job.problem.prunings_to_compare());
    // All jobs are checked before the first one runs.
    let jobs = prunings.unwrap_or(&usual).0.iter().map(|pruning| {
        let mut job = job.clone().with(&Overrides { pruning: Some(pruning.clone()), ..Overrides::default() })?;
        job.output.dir = job.output.dir.map(|dir| dir.join(pruning.folder_name()));
        Ok(job)
    });
    let jobs = jobs.collect::<Result<Vec<_>, InputError>>()?;
    let question = max_length.map_or(Question::Solve, |max_length| Question::Prove { max_length });
    for job in &jobs {
        run::answerable(job, question)?;
        if args.cluster.is_alone() {
            run::affordable(job, question, 1).map_err(|e| Failure::from(e).with(&job.search.pruning))?;
        }
    }
    let (mut records, mut failure) = (Vec::new(), None);
    for job in &jobs {
        match ask(job, question, args, search) {
            Ok(record) => records.push(record),
            Err(why) => failure = Some(why.with(&job.search.pruning)),
        }
        if failure.is_some() || records.last().is_some_and(Record::is_interrupted) {
            break;
        }
    }
    if let Some(left) = jobs.get(records.len() + usize::from(failure.is_some())..).filter(|left| !left.is_empty()) {
        let left: Vec<String> = left.iter().map(|job| job.search.pruning.to_string()).collect();
        say(args, &format!("stopped before {}", left.join(", ")));
    }
    // What was finished before a failure is told all the same.
    if !records.is_empty() {
        let text = match args.options.json {
            true => as_json(serde_json::to_string_pretty(&records))? + "\n",
            false => report::comparison(&records),
        };
        put(&text, out)?;
    }
    check_agreement(&records)?;
    failure.map_or(Ok(worst(&records)), Err)
}

/// Prunings are sound only if none finds a solution of a length that another refutes.
fn check_agreement(records: &[Record]) -> Result<(), Failure> {
    let refutes =
        |r: &Record, length: u32| r.verdict == Verdict::None && r.exhausted || r.refuted_up_to >= Some(length);
    let found = records.iter().filter_map(|r| Some((r, r.best_length()?)));
    let mut pairs = found.flat_map(|(finder, length)| records.iter().map(move |r| (r, finder, length)));
    if let Some((refuter, finder, _)) = pairs.find(|&(r, _, length)| refutes(r, length)) {
        let said = |r: &Record| format!("{} says: {}", r.pruning, report::sentence(r));
        let message = format!("the prunings contradict each other. {} {}", said(refuter), said(finder));
        return Err(Failure::failed(message));
    }
    Ok(())
}

/// The exit status of records that agree: that of one that is not finished, if there is one.
fn worst(records: &[Record]) -> Exit {
    records.iter().map(Exit::of).max_by_key(|&exit| exit == Exit::Unfinished).unwrap_or(Exit::Answered)
}
