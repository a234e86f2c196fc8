//! Going on: one interrupted run, or a queue of jobs of which some are done, some begun and some not.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::commands::{Search, ask, ask_there, overrides, print};
use super::{Exit, Failure, Options, SearchArgs};
use crate::job::Job;
use crate::record::{self, Record, Verdict};
use crate::report;
use crate::run::{self, Question};

/// `halma resume`: goes on with the run in a folder, or shows the record of one that has ended.
pub(super) fn resume(args: &SearchArgs, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    let folder = &args.job;
    let Some((mut job, question)) = run::unfinished(folder)? else {
        let file = folder.join(record::FILE);
        if !file.exists() {
            let message = format!("{}: no run to go on with, and no record of one", folder.display());
            return Err(Failure { exit: Exit::Input, message });
        }
        return print(&Record::read(&file)?, args, out);
    };
    job.limits.threads = args.threads.map(|t| t as usize).or(job.limits.threads);
    job.limits.memory = args.memory.or(job.limits.memory);
    job.output.keep_levels |= args.keep_levels;
    print(&ask_there(&job, question, args, search)?, args, out)
}

/// `halma batch`: solves job after job; what has its record is not solved again, what was begun goes on, and a job that
/// fails does not stop the others.
pub(super) fn batch(
    paths: &[PathBuf],
    options: &Options,
    search: &Search,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files)?;
    }
    if files.is_empty() {
        let message = "no job file (*.toml) there".to_string();
        return Err(Failure { exit: Exit::Input, message });
    }
    let (mut worst, mut records) = (Exit::Answered, Vec::new());
    for (number, file) in (1..).zip(&files) {
        if !options.quiet {
            // Who closed standard error does not want it.
            let _ = writeln!(io::stderr(), "{number} of {}: {}", files.len(), file.display());
        }
        let (mut interrupted, said) = (false, one(file, &options.at(file), search));
        let said = match said {
            Ok(record) => {
                let sentence = report::sentence(&record);
                worst = worse(worst, Exit::of(&record));
                interrupted = record.reason.as_deref() == Some("interrupted");
                records.push(record);
                sentence
            }
            Err(failure) => {
                worst = worse(worst, failure.exit);
                failure.message
            }
        };
        if !options.json {
            writeln!(out, "{}\t{said}", file.display())?;
            out.flush()?;
        }
        if interrupted {
            break;
        }
    }
    if options.json {
        let text = serde_json::to_string_pretty(&records);
        let text = text.map_err(|e| Failure { exit: Exit::Failed, message: e.to_string() })?;
        writeln!(out, "{text}")?;
    }
    Ok(worst)
}

fn one(file: &Path, args: &SearchArgs, search: &Search) -> Result<Record, Failure> {
    let mut job = Job::read(file)?.with(&overrides(args, None))?;
    if job.output.dir.is_none() {
        // A queue without records could not tell what is done.
        job.output.dir = Some(Path::new("runs").join(file.file_stem().unwrap_or_default()));
    }
    let done = job.output.dir.as_ref().map(|d| d.join(record::FILE)).filter(|f| f.exists());
    if let Some(record) = done.map(|f| Record::read(&f)).transpose()?
        && record.problem == job.stated
        && (&record.pruning, record.palindromic) == (&job.search.pruning, job.search.palindromic)
        && record.question == record::Asked::Solve
        && record.max_length == job.search.max_length
        && record.verdict != Verdict::Incomplete
    {
        return Ok(record);
    }
    ask(&job, Question::Solve, args, search)
}

/// Job files: the file itself, or all of a folder by name.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |e: io::Error| Failure { exit: Exit::Input, message: format!("{}: {e}", path.display()) };
    if !path.is_dir() {
        files.push(path.into());
        return Ok(());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        found.push(entry.map_err(unreadable)?.path());
    }
    found.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    found.sort();
    files.append(&mut found);
    Ok(())
}

/// The exit status that says more: damage before failure before bad input before not finished.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Damaged => 4,
        Exit::Failed => 3,
        Exit::Input => 2,
        Exit::Unfinished => 1,
        _ => 0,
    };
    if rank(other) > rank(one) { other } else { one }
}
