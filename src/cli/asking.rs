//! The shared part of the commands: read a job, answer a question, print the record.

use std::cell::OnceCell;
use std::io::{self, Write};
use std::path::Path;

use rustix::fs::{Access, access};

use halma_files::plain;
use halma_record::record::{Record, Verdict};
use halma_record::source::{InputError, Source};
use halma_rules::job::{Job, Overrides};
use halma_solve::run::{self, Question};
use halma_solve::solve::Progress;

use super::exit::command;
use super::{Exit, Failure, SearchArgs};
use crate::interrupt::Interrupts;
use crate::progress::{self, All, Lines, Outlook, ProgressForm, StatusFile};
use crate::report;
use crate::solution::Solution;

/// A search as the commands use it: job, question and arguments to a record.
pub type Search<'a> = dyn Fn(&Job, Question, &SearchArgs) -> Result<Record, Failure> + 'a;

/// The real search: it reports progress on standard error and stops on a signal, or when a program that read events
/// there has ended. Signals are caught from the first search on; commands that do not search end on them like any filter.
pub fn search() -> impl Fn(&Job, Question, &SearchArgs) -> Result<Record, Failure> {
    let caught = OnceCell::new();
    move |job: &Job, question: Question, args: &SearchArgs| {
        let interrupts: &Interrupts = match caught.get() {
            Some(interrupts) => interrupts,
            None => {
                let interrupts = catch(args.options.progress)?;
                caught.get_or_init(|| interrupts)
            }
        };
        // A limit of the command line is one of this call: `resume` does not keep it with the run.
        let cancel = interrupts.token(args.options.time.or(job.limits.time));
        let exchange = args.cluster.exchange(job, question, &cancel, args.options.progress)?;
        if exchange.process() > 0 {
            // The first process shows the progress of all.
            return Ok(run::run_shared(job, question, &(), &cancel, exchange)?);
        }
        let mut told: Vec<Box<dyn Progress>> = Vec::new();
        if !args.options.quiet {
            told.push(progress::display(args.options.progress, args.display.screen.as_ref()));
        }
        if let Some(log) = &args.display.log {
            told.push(Box::new(Lines::in_log(log)));
        }
        if let Some(folder) = &job.output.dir {
            told.push(Box::new(StatusFile::new(folder)));
        }
        let (_, last, _) = question.asked(job);
        let told = All(told.iter().map(Box::as_ref).collect());
        let told = Outlook::new(told, last, job.output.dir.is_some());
        Ok(run::run_shared(job, question, &told, &cancel, exchange)?)
    }
}

/// Catches signals, and the end of a program that reads events.
pub(super) fn catch(progress: ProgressForm) -> Result<Interrupts, Failure> {
    let interrupts = Interrupts::install().map_err(|e| Failure::failed(format!("signals cannot be caught: {e}")))?;
    if progress == ProgressForm::Json {
        let unwatched = |e| Failure::failed(format!("standard error cannot be watched: {e}"));
        interrupts.watch_reader().map_err(unwatched)?;
    }
    Ok(interrupts)
}

/// So many threads, or one for each processor.
pub(super) fn pool(threads: Option<u32>) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, |t| t as usize)).build();
    pool.map_err(|e| Failure::failed(format!("cannot start threads: {e}")))
}

/// Writes a message to standard error, in the form of the progress.
pub(super) fn say(args: &SearchArgs, text: &str) {
    if !args.options.quiet {
        said(args.options.progress)(text);
    }
}

/// What writes messages to standard error in that form.
pub(super) fn said(form: ProgressForm) -> fn(&str) {
    match form {
        ProgressForm::Json => progress::json::note,
        // Standard error may be closed.
        _ => |text| drop(writeln!(io::stderr(), "{}", plain::message(text))),
    }
}

/// The file at `path`, or standard input where that is `-`.
pub(super) fn source(path: &Path) -> Result<Source, InputError> {
    if path == Path::new("-") { Source::read_standard_input() } else { Source::read(path) }
}

/// The job at `path`, or on standard input where that is `-`.
pub(super) fn read(path: &Path) -> Result<Job, InputError> {
    let no_job =
        |what: String| InputError { file: Some(path.into()), place: None, message: format!("{what}, and no job") };
    if path.is_dir() {
        let resume = command("resume", path);
        return Err(no_job(format!("a folder ({resume} goes on with a run there)")));
    }
    let source = source(path)?;
    Job::of_source(&source).map_err(|fault| match other_kind(path, source.text()) {
        Some(what) => no_job(what.into()),
        None => fault,
    })
}

/// What a file is that people take for a job, and what reads it.
fn other_kind(path: &Path, text: &str) -> Option<&'static str> {
    if text.trim_start().starts_with('{') {
        return Some("JSON, as a record is (halma check verifies one, halma replay plays it)");
    }
    Solution::read(path).is_ok().then_some("a solution (halma replay plays it)")
}

pub(super) fn overrides(args: &SearchArgs, max_length: Option<u32>, refuted_by: Option<&Path>) -> Overrides {
    Overrides {
        pruning: args.pruning.clone(),
        max_length,
        solutions: None,
        refuted_by: refuted_by.map(Into::into),
        threads: args.options.threads.map(|t| t as usize),
        memory: args.options.memory,
        time: args.options.time,
        moves: args.moves,
        output_dir: args.output_dir.clone(),
        keep_levels: args.options.keep_levels,
        cache: args.options.cache.clone().filter(|folder| !folder.as_os_str().is_empty()),
    }
}

/// Prints a record in the requested form; the exit status is the record's.
pub(super) fn print(record: &Record, args: &SearchArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.cluster.follows() {
        // The first process prints; errors are reported by all.
        return match &record.reason {
            Some(reason) => Err(Failure { exit: Exit::of(record), message: reason.clone() }),
            None => Ok(Exit::of(record)),
        };
    }
    let text = if args.options.json { json(record.to_json())? } else { report::text(record, args.verbose) };
    put(&text, out)?;
    if args.options.progress == ProgressForm::Json {
        progress::json::done(record, Exit::of(record) as u8);
    }
    Ok(Exit::of(record))
}

/// Writes an answer. If the reader closes the pipe early, the exit status stays that of the answer.
pub(super) fn put(text: &str, out: &mut dyn Write) -> Result<(), Failure> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Searches, which writes the record, and replays the solution.
pub(super) fn ask(job: &Job, question: Question, args: &SearchArgs, search: &Search) -> Result<Record, Failure> {
    // Checked now, not after hours of search, and before anything is written.
    let job = &*run::with_earlier_record(job, question)?;
    run::answerable(job, question)?;
    let dir = run::place(job, question)?;
    // Processes of a cluster share their host's processors, and learn of each other later: then the run checks.
    if args.cluster.is_alone() {
        run::affordable(job, question, 1)?;
    }
    if dir.is_none() && args.options.keep_levels == Some(true) {
        said(args.options.progress)("--keep-levels keeps nothing without a folder: --output-dir DIR");
    }
    if let Some(folder) = &dir {
        make_folder(folder, "output", Access::WRITE_OK | Access::EXEC_OK, "--output-dir DIR")?;
    }
    if let Some(folder) = &job.output.cache {
        // Tables may come from a folder that cannot be written to.
        make_folder(folder, "cache", Access::EXEC_OK, "--cache DIR, or HALMA_CACHE")?;
    }
    if let Some(beneath) = dir.as_ref().filter(|d| Some(*d) != job.output.dir.as_ref()) {
        say(args, &format!("the folder has another question's run; this one: {}", beneath.display()));
    }
    let mut job = job.clone();
    job.output.dir = dir;
    ask_there(&job, question, args, search)
}

/// Makes a folder where there is none, and tests the rights to it. A refusal says how to name another.
pub(super) fn make_folder(folder: &Path, what: &str, rights: Access, instead: &str) -> Result<(), Failure> {
    let refused = |done: &str, e: io::Error| {
        let folder = folder.display();
        Failure::input(format!("{folder}: the {what} folder cannot be {done}: {e}; another one: {instead}"))
    };
    std::fs::create_dir_all(folder).map_err(|e| refused("made", e))?;
    let done = if rights.contains(Access::WRITE_OK) { "written to" } else { "entered" };
    access(folder, rights).map_err(|e| refused(done, e.into()))
}

/// What there is to do where a run has tried what it was asked about, and does not know the answer.
pub(super) const TRIED_OUT: &str =
    "every length was tried, and halma resume decides no more; try another pruning, or a greater max-length";

/// The same as [`ask`], in the job's output folder itself.
pub(super) fn ask_there(job: &Job, question: Question, args: &SearchArgs, search: &Search) -> Result<Record, Failure> {
    let record = search(job, question, args)?;
    if record.verdict == Verdict::Incomplete && !args.cluster.follows() {
        match &job.output.dir {
            Some(_) if !args.cluster.is_alone() => {
                say(args, "not finished; all processes go on when they are started again")
            }
            Some(dir) if run::is_tried_out(dir, job, question).unwrap_or_default() => {
                say(args, &format!("not finished: {TRIED_OUT}"))
            }
            Some(dir) => say(args, &format!("not finished; {} goes on", command("resume", dir))),
            None => {
                say(args, "not finished, and nothing was kept: with --output-dir DIR a run that is stopped can go on")
            }
        }
    }
    if record.best_solution().is_some() {
        Solution::from_record(&job.file, &record)
            .map_err(|e| Failure::failed(format!("a bug: the solution found is wrong: {e}")))?;
    }
    Ok(record)
}

pub(super) fn json(text: serde_json::Result<String>) -> Result<String, Failure> {
    text.map_err(|e| Failure::failed(format!("the record cannot be printed: {e}")))
}

/// The error for a memory budget that is too small.
pub(super) fn too_little(memory: u64, least: u64, with: &str) -> Failure {
    let (memory, least) = (memory.div_ceil(1 << 10), least.div_ceil(1 << 20));
    let message = format!("{memory} KiB of memory are too little: this needs at least {least} MiB{with}");
    Failure::input(message)
}
