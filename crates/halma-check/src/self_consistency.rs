//! What a record claims of itself: its figures add up, its runs leave no length out, its verdict follows from them.

use halma_record::job::Pruning;
use halma_record::record::{Asked, LevelRecord, Record, RunRecord, Verdict};

/// Every successor is accounted for, and every run's sums are those of its levels. Level 0 is one state, but where there may be
/// `several` starts.
pub(super) fn figures(record: &Record, run: &RunRecord, several: bool) -> Result<(), String> {
    let sum = |values: &mut dyn Iterator<Item = u64>| values.map(u128::from).sum::<u128>();
    for level in &run.levels {
        let LevelRecord { depth, side, states, generated, pruned, duplicates, old, .. } = *level;
        let parts = sum(&mut [pruned, duplicates, old, states].into_iter());
        let holds = match depth {
            0 => parts == u128::from(states) && (states == 1 || several && states > 0) && generated == 0,
            _ => parts == u128::from(generated),
        };
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
    let length = run.length;
    // What is found is found, whatever was cut.
    let guessed = run.verdict == Verdict::None && !run.self_consistent;
    if guessed || run.verdict != Verdict::Incomplete && run.reason.is_some() {
        let verdict = format!("{:?}", run.verdict).to_lowercase();
        let why = run.reason.as_deref().unwrap_or("its guess proved too small");
        return Err(format!("length {length}: verdict {verdict} of a run that was not finished: {why}"));
    }
    if record.question != Asked::Levels
        && (run.pruning.is_some() || !matches!(run.verdict, Verdict::None | Verdict::Solution | Verdict::Incomplete))
    {
        return Err(format!("length {length}: a pruning of its own, or a verdict that no length has"));
    }
    let Pruning::Mcc { c, .. } = record.pruning else {
        return match run.c.is_none() && run.self_consistent {
            true => Ok(()),
            false => Err(format!("length {length}: c or self_consistent, which only runs of mcc have")),
        };
    };
    // A run that was stopped need not have come to one, and levels without a goal have none.
    let has_none = run.levels.is_empty() || record.question == Asked::Levels || run.verdict == Verdict::Incomplete;
    if run.c.is_none() && !(has_none && run.self_consistent) {
        return Err(format!("length {length}: a run of mcc without its C"));
    }
    match run.c.filter(|&found| c.is_some_and(|given| found != given)) {
        Some(found) => Err(format!("length {length}: C = {found}, and the pruning says {}", record.pruning)),
        None => Ok(()),
    }
}

/// What lengths that were decided together say of each other is for the leading pruning alone.
fn together(record: &Record) -> Result<(), String> {
    let leads = matches!(record.pruning, Pruning::Leading { .. }) && !record.palindromic;
    match record.runs.iter().find(|run| !leads && (run.up_to.is_some() || run.shared_with.is_some())) {
        Some(run) => Err(format!("length {}: up_to or shared_with, where every length has its own levels", run.length)),
        None => Ok(()),
    }
}

/// What was asked, and what goes with it.
fn question(record: &Record) -> Result<(), String> {
    let Record { question, max_length, depth, verdict, .. } = record;
    let fits = match question {
        Asked::Solve | Asked::Count => depth.is_none(),
        Asked::Prove => depth.is_none() && max_length.is_some(),
        Asked::Levels => depth.is_some() && max_length.is_none() && record.lower_bound.is_none(),
    };
    if !fits {
        return Err("max_length, depth or lower_bound is not what the question has".into());
    }
    if record.counts.is_some() != (*verdict == Verdict::Counted) {
        return Err("counts: there are some exactly where the verdict is counted".into());
    }
    if record.reason.is_some() && *verdict != Verdict::Incomplete {
        return Err("reason: only what is incomplete has one".into());
    }
    together(record)
}

/// Levels without a goal: one run.
fn levels(record: &Record) -> Result<(), String> {
    let claims = record.length.is_some() || record.refuted_up_to.is_some() || record.solution.is_some();
    if claims || !matches!(record.verdict, Verdict::Levels | Verdict::Incomplete) {
        return Err("levels without a goal claim a length".into());
    }
    if record.impossible.is_some() || record.partition.is_some() {
        return Err("levels: impossible and partition are of searches for a solution".into());
    }
    let [run] = &record.runs[..] else { return Err("levels: there is one run of them".into()) };
    if run.verdict != record.verdict {
        return Err("levels: the run has another verdict than the record".into());
    }
    if run.pruning.as_ref().is_some_and(|pruning| *pruning != Pruning::None) {
        return Err("levels: their pruning is none".into());
    }
    Ok(())
}

/// All levels that were asked for are there; the search goes on with empty ones.
fn whole_levels(record: &Record) -> Result<(), String> {
    let run = record.runs.first().filter(|run| Some(run.length) == record.depth);
    let run = run.ok_or_else(|| format!("levels up to {:?}, and a run of other ones", record.depth))?;
    if record.exhausted != run.levels.last().is_some_and(|level| level.states == 0) {
        return Err("exhausted: it is said where the last level is empty, and only there".into());
    }
    Ok(())
}

/// Levels up to what was asked for, or up to the last that is not empty.
fn levels_to_last(record: &Record) -> Result<(), String> {
    let (Some(run), Some(depth)) = (record.runs.first(), record.depth) else { return Ok(()) };
    let complete = record.verdict == Verdict::Levels;
    match run.levels.iter().any(|level| level.states == 0) {
        true => Err("levels: one is empty, and they end with the last that is not".into()),
        false if run.length > depth || complete && !record.exhausted && run.length != depth => {
            Err(format!("levels up to {depth} were asked for, those up to {} are there", run.length))
        }
        false if record.exhausted && !complete => Err("exhausted, and its levels are incomplete".into()),
        false => Ok(()),
    }
}

/// Without a bound there is no run: no length is possible, or nothing was begun.
fn unbounded(record: &Record) -> Result<(), String> {
    let Record { length, refuted_up_to, max_length, exhausted, verdict, .. } = record;
    let bare = record.runs.is_empty() && length.is_none() && record.solution.is_none();
    let holds = match verdict {
        Verdict::None => *exhausted && refuted_up_to == max_length,
        Verdict::Incomplete => !exhausted && refuted_up_to.is_none(),
        _ => false,
    };
    if bare && holds { Ok(()) } else { Err("no lower_bound, and not all seen without a search".into()) }
}

/// The run that a count adds is for the length found; it claims nothing itself.
fn of_count(record: &Record, run: &RunRecord) -> Result<(), String> {
    let same = Some(run.length) == record.length && run.verdict == Verdict::Solution;
    match same && run.c.is_none() && run.up_to.is_none() && run.shared_with.is_none() {
        true => Ok(()),
        false => Err(format!("the last run, for {} moves, is not the one that a count adds", run.length)),
    }
}

/// Every length from the lower bound on has its run, and the verdict is what the runs say.
pub(super) fn verdict(record: &Record) -> Result<(), String> {
    question(record)?;
    match record.question {
        Asked::Levels => levels(record).and_then(|()| whole_levels(record)),
        _ => lengths(record),
    }
}

/// The same of a puzzle from a file, whose levels end with the last that is not empty.
pub(super) fn puzzle_verdict(record: &Record) -> Result<(), String> {
    question(record)?;
    match record.question {
        Asked::Levels => levels(record).and_then(|()| levels_to_last(record)),
        _ => lengths(record),
    }
}

/// Every length from the lower bound on has its run, and the verdict is what the runs say.
fn lengths(record: &Record) -> Result<(), String> {
    let Some(bound) = record.lower_bound else { return unbounded(record) };
    let wrong = |text: String| Err(text);
    let counting = record.question == Asked::Count
        && record.length.is_some()
        && matches!(record.verdict, Verdict::Counted | Verdict::Incomplete);
    let runs = match record.runs.split_last() {
        Some((last, runs)) if counting => {
            of_count(record, last)?;
            runs
        }
        _ => &record.runs[..],
    };
    let asked = record.max_length.unwrap_or(u32::MAX);
    for (expected, run) in (u64::from(bound)..).zip(runs) {
        if u64::from(run.length) != expected || run.length > asked {
            return wrong(format!(
                "the run after lengths {bound} to {} is for length {}",
                expected.saturating_sub(1),
                run.length
            ));
        }
    }
    let refuting = runs.iter().take_while(|run| run.verdict == Verdict::None).count();
    let refuted = match refuting.checked_sub(1) {
        Some(last) => Some(runs[last].length),
        // Without a run, the bound refutes as far as anybody asked.
        None => bound.checked_sub(1).map(|l| l.min(asked)),
    };
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
    let all_refuted = refuting + usize::from(solved.is_some()) == runs.len();
    let enough = record.exhausted || record.max_length.is_some() && refuted >= record.max_length;
    let follows: &[Verdict] = match (solved.is_some() && !record.exhausted, all_refuted, record.question) {
        (true, true, Asked::Solve) => &[Verdict::Optimal],
        (true, true, Asked::Count) => &[Verdict::Counted, Verdict::Incomplete],
        (true, ..) => &[Verdict::Solution],
        (false, true, _) if solved.is_none() && enough => &[Verdict::None],
        (false, ..) if solved.is_none() && !record.exhausted => &[Verdict::Incomplete],
        _ => &[],
    };
    match follows.contains(&record.verdict) {
        true => Ok(()),
        false => wrong(format!("the verdict {:?} does not follow from the runs", record.verdict).to_lowercase()),
    }
}
