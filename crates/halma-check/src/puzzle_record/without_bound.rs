//! Records under a bound that a puzzle in Rust has: its word, like the moves, but not needed. Levels are derived without
//! it, and what they show of lengths and verdict is what counts. The record's own levels are compared as far as nothing
//! was pruned; after that they must not have more states than were derived.

use halma_record::record::{Record, Side, Verdict};

use super::code::Arithmetic;
use super::graph::{Bounds, Graph};
use crate::Report;
use crate::evidence::{Claim, Evidence, LowerBound, Refuted};
use crate::level_walk::Walk;
use crate::rejection::{Rejection, RejectionKind};

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
    let mut derived = 0;
    for length in 0.. {
        let is_asked = last.is_some_and(|last| length <= last);
        let has_ended = walk.current().len() == 0;
        if !is_asked && (!to_the_end || has_ended) {
            break;
        }
        if length > 0 && !has_ended && !walk.follow(&Bounds::none(), budget)? {
            let why = format!("levels from {length} on, without the bound: more successors than are left to derive");
            (length..=last.unwrap_or(length).max(length)).for_each(|open| evidence.note_unchecked(open, why.clone()));
            // Without a length there is no run that was left.
            if record.lower_bound.is_none() {
                evidence.note_bound_unchecked(why);
            }
            break;
        }
        derived += walk.current().len();
        compare(record, &walk, derived)?;
        if is_asked {
            evidence.add_refutation(Refuted::by_goal(Claim::of(record, length), &walk)?);
        }
    }
    evidence.note_if_exhausted(&walk, false);
    if !evidence.is_bound_unchecked() {
        evidence.set_lower_bound(LowerBound::of_puzzle(Some(0)));
    }
    let how = match walk.current().len() {
        0 => "to the end".into(),
        _ => format!("as far as level {}", walk.depth()),
    };
    report.checked.push(format!(
        "derived {how} without the puzzle's bound; the levels that it pruned are compared in their sizes alone"
    ));
    Ok(())
}

/// Compares the record's levels of the walk's depth with the walk's, where nothing was pruned so far. Where something
/// was, a state may come later than without the bound, so that a level has at most as many as were `derived` in all.
fn compare<N: Arithmetic>(record: &Record, walk: &Walk<Graph<'_, N>>, derived: u64) -> Result<(), Rejection> {
    for run in &record.runs {
        let mut whole = true;
        for level in &run.levels {
            whole &= level.pruned == 0;
            let here = level.depth == walk.depth();
            let reached = here || level.depth > walk.depth() && walk.current().len() == 0;
            if level.side != Side::Forward || !reached {
                continue;
            }
            if here && whole {
                walk.check_against(level).map_err(|fault| fault.in_length(run.length))?;
            } else if level.states > derived {
                let why = format!("level {}: {} states, of at most {derived} there are", level.depth, level.states);
                return Err(RejectionKind::Figures.because(why).in_length(run.length));
            }
        }
    }
    Ok(())
}
