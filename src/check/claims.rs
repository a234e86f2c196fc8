//! What a record claims of itself: its figures add up, its runs leave no length out, its verdict follows from them.

use crate::record::{Asked, LevelRecord, Record, RunRecord, Verdict};

/// Every successor is accounted for, and every run's sums are those of its levels.
pub(super) fn figures(run: &RunRecord) -> Result<(), String> {
    let sum = |values: &mut dyn Iterator<Item = u64>| values.map(u128::from).sum::<u128>();
    for level in &run.levels {
        let LevelRecord { depth, side, states, generated, pruned, duplicates, old, .. } = *level;
        let parts = sum(&mut [pruned, duplicates, old, states].into_iter());
        let holds =
            if depth == 0 { parts == 1 && states == 1 && generated == 0 } else { parts == u128::from(generated) };
        if !holds {
            return Err(format!(
                "length {}, {side:?} level {depth}: {generated} generated, but pruned {pruned} + duplicates {duplicates} + \
                 old {old} + states {states} = {parts}",
                run.length
            ));
        }
    }
    if sum(&mut run.levels.iter().map(|l| l.generated)) != u128::from(run.generated) {
        return Err(format!("length {}: generated is not the sum over its levels", run.length));
    }
    if run.levels.iter().map(|l| l.states).max().unwrap_or(0) != run.largest_level {
        return Err(format!("length {}: largest_level is not that of its levels", run.length));
    }
    if run.verdict == Verdict::None && (!run.self_consistent || run.reason.is_some()) {
        let why = run.reason.as_deref().unwrap_or("its guess proved too small");
        return Err(format!("length {}: verdict none of a run that was not finished: {why}", run.length));
    }
    Ok(())
}

/// Every length from the lower bound on has its run, and the verdict is what the runs say.
pub(super) fn verdict(record: &Record) -> Result<(), String> {
    let wrong = |text: String| Err(text);
    if record.question == Asked::Levels {
        let claims = record.length.is_some() || record.refuted_up_to.is_some() || record.solution.is_some();
        return match record.verdict {
            Verdict::Levels | Verdict::Incomplete if !claims => Ok(()),
            _ => wrong("levels without a goal claim a length".into()),
        };
    }
    let said = record.verdict;
    let Some(bound) = record.lower_bound else {
        let none = said == Verdict::None && record.exhausted && record.runs.is_empty();
        return if none { Ok(()) } else { wrong("no lower_bound, and not all seen without a search".into()) };
    };
    // A count adds a run for the length found.
    let counting = record.question == Asked::Count && record.length.is_some();
    let runs = &record.runs[..record.runs.len() - usize::from(counting && !record.runs.is_empty())];
    for (expected, run) in (bound..).zip(runs) {
        if run.length != expected {
            return wrong(format!("the run after lengths {bound} to {} is for length {}", expected - 1, run.length));
        }
    }
    let refuting = runs.iter().take_while(|run| run.verdict == Verdict::None).count() as u32;
    // Without a run, the bound refutes as far as anybody asked.
    let asked = record.max_length.unwrap_or(u32::MAX);
    let refuted = (bound + refuting).checked_sub(1).map(|l| if refuting == 0 { l.min(asked) } else { l });
    if record.refuted_up_to != refuted {
        let shown = |l: Option<u32>| l.map_or("none".into(), |l| l.to_string());
        let claimed = shown(record.refuted_up_to);
        return wrong(format!("refuted_up_to is {claimed}, the runs refute up to {}", shown(refuted)));
    }
    let solved = runs.last().filter(|run| run.verdict == Verdict::Solution);
    if runs.iter().rev().skip(1).any(|run| run.verdict == Verdict::Solution) {
        return wrong("runs go on after a solution".into());
    }
    if solved.map(|run| run.length) != record.length || record.solution.is_some() != record.length.is_some() {
        return wrong("length or solution is not that of the run that found one".into());
    }
    let all_refuted = refuting as usize + usize::from(solved.is_some()) == runs.len();
    let follows = match said {
        Verdict::Optimal | Verdict::Counted => solved.is_some() && all_refuted,
        Verdict::Solution => solved.is_some(),
        Verdict::None => {
            let enough = record.exhausted || record.max_length.is_some() && refuted >= record.max_length;
            solved.is_none() && all_refuted && enough
        }
        Verdict::Incomplete => (solved.is_none() || counting) && !record.exhausted,
        Verdict::Levels => false,
    };
    if !follows {
        return wrong(format!("the verdict {said:?} does not follow from the runs").to_lowercase());
    }
    Ok(())
}
