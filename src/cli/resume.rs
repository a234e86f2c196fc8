//! `halma resume`: goes on with an interrupted run.

use std::io::Write;

use halma_engine::store::workspace::{self, MANIFEST};
use halma_record::record::{self, Record, Verdict};
use halma_rules::job::Overrides;
use halma_solve::run;

use super::asking::{Search, ask_there, overrides, print, say};
use super::{Exit, Failure, SearchArgs, record_files};

/// `halma resume`: resumes the run in a folder, or shows the record of one that has ended.
pub(super) fn resume(args: &SearchArgs, search: &Search, out: &mut dyn Write) -> Result<Exit, Failure> {
    let folder = &args.job;
    let Some((job, question)) = run::manifest_job(folder)? else {
        let file = folder.join(record::FILE);
        if file.symlink_metadata().is_err() {
            let what = if folder.is_file() {
                "a file, and no run's folder"
            } else {
                "no run to go on with, and no record of one"
            };
            let message = format!("{}: {what}", folder.display());
            return Err(record_files::record_of(folder).err().unwrap_or_else(|| Failure::input(message)));
        }
        let record = Record::read(&file)?;
        if record.verdict == Verdict::Incomplete {
            let what = match workspace::has_shares(folder) {
                true => "the levels there are of several processes, which go on when they are started again".into(),
                false => format!("no checkpoint to go on from ({MANIFEST})"),
            };
            say(args, &format!("{}: {what}; this is the record", folder.display()));
        }
        return print(&record, args, out);
    };
    if run::place(&job, question)?.as_ref() != Some(folder) {
        let message = format!(
            "{}: the record there is not of the run that was interrupted there; move one of them away",
            folder.join(record::FILE).display()
        );
        return Err(Failure::input(message));
    }
    if let Some(time) = job.limits.time.filter(|_| args.options.time.is_none()) {
        let time = humantime::format_duration(time);
        say(args, &format!("it stops after {time}, as this run was begun; --time TIME says otherwise"));
    }
    let job = job.with(&Overrides { time: None, ..overrides(args, None, None) })?;
    print(&ask_there(&job, question, args, search)?, args, out)
}
