//! Checks a proof that there is no solution: cells that no move leads out of, in which start and end need different
//! numbers of men.

use halma_record::record::Record;

use super::moves::Set;
use super::problem::Problem;

/// A verified proof that there is no solution.
pub(super) struct Shown(());

/// Checks the record's cells, if it names any. `None` if it names none.
pub(super) fn check_impossible(record: &Record, problem: &Problem) -> Result<Option<Shown>, String> {
    let Some(said) = &record.impossible else { return Ok(None) };
    if record.lower_bound.is_some() {
        return Err("impossible: it names a lower bound, too".into());
    }
    let Problem { model, start, target } = problem;
    let cells = model.board.army(&said.cells)?;
    let among = Set::of(&cells);
    for &cell in &cells {
        let steps = model.board.steps[usize::from(cell)].iter().filter(|_| !model.jumps_only).copied();
        let jumps = model.board.jumps[usize::from(cell)].iter().map(|&(_, land)| land);
        if let Some(to) = steps.chain(jumps).find(|&to| !among.has(to)) {
            let [from, to] = [cell, to].map(|c| model.board.name(c));
            return Err(format!("impossible: {from} is among the cells, and a move may lead from there to {to}"));
        }
    }
    let [at_start, in_target] = [start, target].map(|end| end.iter().filter(|&&c| among.has(c)).count());
    if (at_start, in_target) != (said.at_start, said.in_target) || at_start == in_target {
        return Err(format!("impossible: {at_start} of the cells are in the start and {in_target} in the target"));
    }
    Ok(Some(Shown(())))
}
