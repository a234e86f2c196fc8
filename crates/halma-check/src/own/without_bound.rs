//! Records under a bound that a puzzle in Rust has: its word, like the moves, but not needed. Levels are derived without it, and
//! what they show of lengths and verdict is what counts. The record's own levels, of which the bound has cut some, are not compared.

use halma_record::record::{Record, Side, Verdict};

use super::code::Arithmetic;
use super::graph::{Cuts, Graph};
use crate::Report;
use crate::evidence::{Claim, Evidence, Floor, Refuted};
use crate::level_walk::Walk;
use crate::rejection::Rejection;

/// Looks for solutions of all lengths that the record refutes.
pub fn derive<N: Arithmetic>(
    graph: &Graph<'_, N>,
    record: &Record,
    budget: &mut u64,
    evidence: &mut Evidence,
    report: &mut Report,
) -> Result<(), Rejection> {
    let none = record.runs.iter().filter(|run| run.verdict == Verdict::None).map(|run| run.length);
    let last = none.chain(record.refuted_up_to).max();
    let to_the_end = record.exhausted && record.verdict == Verdict::None;
    let starts = graph.model.starts().iter().map(|start| graph.key(start)).collect();
    let mut walk = Walk::unstated(graph, starts, Side::Forward)?;
    for length in 0.. {
        let is_asked = last.is_some_and(|last| length <= last);
        let has_ended = walk.current().len() == 0;
        if !is_asked && (!to_the_end || has_ended) {
            break;
        }
        if length > 0 && !has_ended && !walk.follow(&Cuts::none(), budget)? {
            let why = format!("levels from {length} on, without the bound: more successors than are left to derive");
            (length..=last.unwrap_or(length).max(length)).for_each(|open| evidence.leave(open, why.clone()));
            // Without a length there is no run that was left.
            if record.lower_bound.is_none() {
                evidence.unbounded(why);
            }
            break;
        }
        if is_asked {
            evidence.refutes(Refuted::by_goal(Claim::of(record, length), &walk)?);
        }
    }
    evidence.saw(&walk, false);
    if !evidence.is_unbounded() {
        evidence.bounded(Floor::of_puzzle(Some(0)));
    }
    let how = match walk.current().len() {
        0 => "to the end".into(),
        _ => format!("as far as level {}", walk.depth()),
    };
    report.checked.push(format!("derived {how} without the puzzle's bound; the levels that it cut are not compared"));
    Ok(())
}
