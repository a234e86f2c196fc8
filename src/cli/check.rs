//! `halma check`: prints what was verified, and what follows from it.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use halma_check::{Options, Report};
use halma_rules::job::raw;

use super::asking::{pool, put, said, too_little};
use super::{Exit, Failure, record_files, threads};
use crate::interrupt;
use crate::progress::ProgressForm;

/// Which run, and how it is checked.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The run's folder, or its result.json
    pub run: PathBuf,
    /// Of levels kept in files expand only N states each, instead of all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// Successors to make at most where levels were not kept and are derived again
    #[arg(long, value_name = "N", default_value_t = 2_000_000_000)]
    pub budget: u64,
    /// Threads; all that the machine has where not given
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u32>,
    /// Memory to keep to, as in "4 GiB"; what does not fit is named as not checked
    #[arg(long, value_name = "SIZE", value_parser = raw::size)]
    pub memory: Option<u64>,
    /// Stop after this time, as in "2 h", without a verdict
    #[arg(long, value_name = "TIME", value_parser = raw::time)]
    pub time: Option<Duration>,
    /// No progress on standard error
    #[arg(short, long)]
    pub quiet: bool,
}

/// Checks a run's record. Not finished is a status of its own: what nobody looked at is not accepted.
pub(super) fn check(args: &CheckArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let file = record_files::record_of(&args.run)?;
    let progress = |text: &str| {
        if !args.quiet {
            said(ProgressForm::Auto)(text);
        }
    };
    interrupt::end_with("stopped by a signal: this is no verdict")
        .map_err(|e| Failure::failed(format!("signals cannot be caught: {e}")))?;
    if let Some(time) = args.time {
        interrupt::end_after(time, "stopped by its time limit: this is no verdict")
            .map_err(|e| Failure::failed(format!("no thread for the time limit: {e}")))?;
    }
    let pool = pool(args.threads)?;
    let least = halma_check::least_memory(&file, pool.current_num_threads());
    if let Some(memory) = args.memory.filter(|&memory| memory < least) {
        return Err(too_little(memory, least, &format!(" with {} threads", pool.current_num_threads())));
    }
    let options = Options { sample: args.sample, budget: args.budget, memory: args.memory, progress: &progress };
    let report = pool.install(|| halma_check::check(&file, &options))?;
    put(&text(&report, args.sample), out)?;
    Ok(if report.unchecked.is_empty() { Exit::Answered } else { Exit::Unfinished })
}

fn text(report: &Report, sample: Option<u64>) -> String {
    let Report { checked, unchecked, sampled, title, conclusion } = report;
    let mut text = title.as_ref().map(|title| format!("title: {title:?} (not checked)\n")).unwrap_or_default();
    text += &checked.iter().map(|line| format!("checked: {line}\n")).collect::<String>();
    text += &unchecked.iter().map(|line| format!("not checked: {line}\n")).collect::<String>();
    if let Some(n) = sample.filter(|_| *sampled) {
        text += &format!(
            "The sample: of each level {n} states, or all where it has fewer, were expanded. For as many it was seen that the level \
             before leads to them. A mistake that shows at a share p of a level's states escapes with probability (1-p)^{n}: with \
             95 % none shows at more than {:.2} % of them. Rarer ones it cannot exclude; a single lost state is seen only if it was a successor of one in the \
             sample. Numbers of states, digests, identities of files, and that the middle does not meet, were checked in full; \
             the other figures of a level only against their sum and against the sample.\n",
            100.0 * (1.0 - 0.05f64.powf(1.0 / n as f64))
        );
    }
    if unchecked.is_empty() {
        let told = if *sampled { "So, as far as a sample tells," } else { "So" };
        text += &format!("{told} {conclusion}.\n");
    }
    text + match (unchecked.is_empty(), sampled) {
        (true, false) => "The record holds.\n",
        (true, true) => "The record holds, as far as a sample tells.\n",
        (false, _) => "Nothing is wrong with what was checked. Not all was: this is no proof of the verdict.\n",
    }
}
