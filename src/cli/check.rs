//! `halma check`: prints what was verified, and what follows from it.

use std::io::{self, Write};
use std::path::Path;

use halma_check::{Options, Report};
use halma_files::plain;

use super::asking::{put, too_little};
use super::{Exit, Failure};

/// What the command line says of how to check.
pub(super) struct CheckArgs {
    pub sample: Option<u64>,
    pub budget: u64,
    pub memory: Option<u64>,
    pub threads: Option<u32>,
    pub quiet: bool,
}

/// Checks a run's record. Not finished is a status of its own: what nobody looked at is not accepted.
pub(super) fn check(run: &Path, args: &CheckArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let progress = |text: &str| {
        if !args.quiet {
            // Who closed standard error does not want it.
            let _ = writeln!(io::stderr(), "{}", plain::message(text));
        }
    };
    let threads = args.threads.map_or(0, |t| t as usize);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Failure::failed(format!("cannot start threads: {e}")))?;
    let least = halma_check::least_memory(run, pool.current_num_threads());
    if let Some(memory) = args.memory.filter(|&memory| memory < least) {
        return Err(too_little(memory, least, &format!(" with {} threads", pool.current_num_threads())));
    }
    let options = Options { sample: args.sample, budget: args.budget, memory: args.memory, progress: &progress };
    let report = pool.install(|| halma_check::check(run, &options))?;
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
            "The sample: {n} states of each level were expanded, and for {n} it was seen that the level before leads to them. A mistake \
             that shows at a share p of a level's states escapes with probability (1-p)^{n}: with 95 % none shows at more than \
             {:.2} % of them. Rarer ones it cannot exclude; a single lost state is seen only if it was a successor of one in the \
             sample. Numbers of states, digests, identities of files, and that the middle does not meet, were checked in full; \
             the other figures of a level only against their sum and against the sample.\n",
            (300.0 / n as f64).min(100.0)
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
