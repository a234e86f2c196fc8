//! `halma resume`: goes on with an interrupted run.

use std::io::Write;

use halma_record::record::{self, Record};
use halma_solve::run;

use super::asking::{Search, ask_there, print};
use super::{Exit, Failure, Options, SearchArgs};

/// `halma resume`: resumes the run in a folder, or shows the record of one that has ended.
pub(super) fn resume(args: &SearchArgs, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    let folder = &args.job;
    let Some((mut job, question)) = run::unfinished(folder)? else {
        let file = folder.join(record::FILE);
        if file.symlink_metadata().is_err() {
            let message = format!("{}: no run to go on with, and no record of one", folder.display());
            return Err(Failure { exit: Exit::Input, message });
        }
        return print(&Record::read(&file)?, args, out);
    };
    if run::place(&job, question)?.as_ref() != Some(folder) {
        let message = format!(
            "{}: the record there is not of the run that was interrupted there; move one of them away",
            folder.join(record::FILE).display()
        );
        return Err(Failure { exit: Exit::Input, message });
    }
    let Options { threads, memory, time, keep_levels, cache, .. } = &args.options;
    job.limits.threads = threads.map(|t| t as usize).or(job.limits.threads);
    job.limits.memory = memory.or(job.limits.memory);
    job.limits.time = time.or(job.limits.time);
    job.output.keep_levels = keep_levels.unwrap_or(job.output.keep_levels);
    job.output.cache = cache.clone().or(job.output.cache);
    print(&ask_there(&job, question, args, search)?, args, out)
}
