//! The earlier record on which a record builds: it is checked like any other, and then counts as evidence for the lengths that it
//! refutes.

use std::path::Path;

use halma_record::record::{Asked, FORMAT, Record};

use super::rejection::{Rejection, RejectionKind};
use super::{Options, Report, judged};

/// What an earlier record shows, checked.
#[derive(Debug)]
pub(super) struct EarlierRecord {
    /// No solution has so many moves, or fewer.
    refuted_up_to: u32,
    report: Report,
}

impl EarlierRecord {
    /// Checks the record that `record` builds on, if it builds on one. The search kept no levels of it.
    pub fn of(record: &Record, options: &Options) -> Result<Option<Self>, Rejection> {
        let Some(earlier) = record.refuted_by.as_deref() else { return Ok(None) };
        let refuted_up_to = refutes(earlier, record).map_err(|why| about(RejectionKind::Verdict.because(why)))?;
        let report = judged(earlier, Path::new(""), options).map_err(about)?;
        Ok(Some(Self { refuted_up_to, report }))
    }

    pub fn refuted_up_to(&self) -> u32 {
        self.refuted_up_to
    }

    /// Enters what was checked of it, and what was not.
    pub fn enter(self, into: &mut Report) {
        let Self { refuted_up_to, report } = self;
        if report.unchecked.is_empty() {
            let how = if report.sampled { "a sample of which was checked" } else { "which was checked, too" };
            into.checked
                .push(format!("no solution up to length {refuted_up_to}, by the record that it builds on, {how}"));
        }
        // A record below this one has said so already.
        let said = |what: String| if what.starts_with(OF_EARLIER) { what } else { format!("{OF_EARLIER}, {what}") };
        into.unchecked.extend(report.unchecked.into_iter().map(said));
        into.sampled |= report.sampled;
    }
}

/// How the report names what is of an earlier record.
const OF_EARLIER: &str = "of the record that it builds on";

/// Says that a fault is one of the earlier record.
fn about(fault: Rejection) -> Rejection {
    fault.prefixed("refuted_by, the record that it builds on")
}

/// How far it refutes solutions of `record`, or why it does not.
fn refutes(earlier: &Record, record: &Record) -> Result<u32, String> {
    if earlier.format != FORMAT {
        return Err(format!("it has the format {}, and this program reads format {FORMAT}", earlier.format));
    }
    if earlier.problem.untitled() != record.problem.untitled() {
        return Err("it is of another problem".into());
    }
    if earlier.question == Asked::Levels || record.question == Asked::Levels {
        return Err("levels without a goal have no lengths".into());
    }
    if earlier.palindromic && !record.palindromic {
        return Err("it refutes palindromic solutions only".into());
    }
    if earlier.runs.iter().flat_map(|run| &run.levels).any(|level| level.file.is_some()) {
        return Err("it names level files, which a record that builds on it does not have".into());
    }
    if earlier.exhausted {
        return Err("it says that there is no solution of any length".into());
    }
    let refuted = earlier.refuted_up_to.ok_or("it refutes no length")?;
    match record.lower_bound {
        None => Err("the record has no lower_bound, and tries no length".into()),
        Some(bound) if bound > refuted => Err(format!("it refutes {refuted} moves, and lower_bound is {bound}")),
        Some(_) if record.max_length.is_some_and(|most| most <= refuted) => {
            Err(format!("it refutes {refuted} moves, and the record asks about fewer, or as many"))
        }
        Some(_) => Ok(refuted),
    }
}
