//! Consistency of a record with itself: its figures add up, no length is left out, and its verdict follows from them.

use halma_record::job::Pruning;
use halma_record::record::{Asked, LONGEST, LengthRecord, LevelRecord, Record, Verdict};

use super::rejection::{Rejection, RejectionKind, or_none};

/// Every successor is accounted for, and the sums of every length are those of its levels. Level 0 has one state,
/// unless there may be `several` starts.
pub(super) fn figures(record: &Record, entry: &LengthRecord, several: bool) -> Result<(), Rejection> {
    let length = entry.length;
    let fault = |kind: RejectionKind, why: &str| Err(kind.because(why).in_length(length));
    let sum = |values: &mut dyn Iterator<Item = u64>| values.map(u128::from).sum::<u128>();
    for level in &entry.levels {
        let LevelRecord { depth, side, states, generated, pruned, duplicates, old, .. } = *level;
        let parts = sum(&mut [pruned, duplicates, old, states].into_iter());
        let holds = match depth {
            0 => parts == u128::from(states) && (states == 1 || several && states > 0) && generated == 0,
            _ => parts == u128::from(generated),
        };
        if !holds {
            let why = format!(
                "length {length}, {} level {depth}: {generated} generated, but pruned {pruned} + duplicates {duplicates} + \
                 old {old} + states {states} = {parts}",
                side.name()
            );
            return Err(RejectionKind::Figures.because(why).at_length(length).at_level(side, depth));
        }
    }
    if sum(&mut entry.levels.iter().map(|l| l.generated)) != u128::from(entry.generated) {
        return fault(RejectionKind::Figures, "generated is not the sum over its levels");
    }
    if entry.levels.iter().map(|l| l.states).max().unwrap_or(0) != entry.largest_level {
        return fault(RejectionKind::Figures, "largest_level is not that of its levels");
    }
    // A solution counts, whatever was pruned.
    let guessed = entry.verdict == Verdict::None && !entry.self_consistent;
    if guessed || entry.verdict != Verdict::Incomplete && entry.reason.is_some() {
        let verdict = entry.verdict.name();
        let why = entry.reason.as_deref().unwrap_or("its guess proved too small");
        return fault(RejectionKind::Verdict, &format!("verdict {verdict} of a run that was not finished: {why}"));
    }
    if record.question != Asked::Levels
        && (entry.pruning.is_some()
            || !matches!(entry.verdict, Verdict::None | Verdict::Solution | Verdict::Incomplete))
    {
        return fault(RejectionKind::Verdict, "a pruning of its own, or a verdict that no length has");
    }
    let Pruning::Mcc { c, .. } = record.pruning else {
        return match entry.c.is_none() && entry.self_consistent {
            true => Ok(()),
            false => fault(RejectionKind::Figures, "c or self_consistent, which only runs of mcc have"),
        };
    };
    // A search that was stopped need not have a verdict, and levels without a goal have none.
    let has_none = entry.levels.is_empty() || record.question == Asked::Levels || entry.verdict == Verdict::Incomplete;
    if entry.c.is_none() && !(has_none && entry.self_consistent) {
        return fault(RejectionKind::Figures, "a run of mcc without its C");
    }
    match entry.c.filter(|&found| c.is_some_and(|given| found != given)) {
        Some(found) => fault(RejectionKind::Figures, &format!("C = {found}, and the pruning says {}", record.pruning)),
        None => Ok(()),
    }
}

/// Lengths that are decided together occur under the leading pruning alone. So do the bounds by moves that a leading
/// solution can make and by covered states: only following levels are made by them. A look-ahead prunes leading
/// levels by more than histograms, which covers nothing.
fn together(record: &Record) -> Result<(), Rejection> {
    let leads = matches!(record.pruning, Pruning::Leading { .. }) && !record.palindromic;
    if let Some(entry) = record.runs.iter().find(|entry| entry.leading_moves && !(leads && entry.has_following())) {
        let why = "leading_moves, and it has no following levels";
        return Err(RejectionKind::Levels.because(why).in_length(entry.length));
    }
    let covers = leads && record.pruning.look_ahead().is_none();
    if let Some(entry) = record.runs.iter().find(|entry| entry.covered && !(covers && entry.has_following())) {
        let why = "covered, and it has no following levels, or a look-ahead";
        return Err(RejectionKind::Levels.because(why).in_length(entry.length));
    }
    // Without a mirror there is no middle that lengths could have in common.
    let mirrored = record.symmetries.as_ref().is_some_and(|symmetries| symmetries.mirror.is_some());
    let alone = !(leads && mirrored);
    match record.runs.iter().find(|entry| alone && (entry.up_to.is_some() || entry.shared_with.is_some())) {
        Some(entry) => {
            let why = "up_to or shared_with, where every length has its own levels";
            Err(RejectionKind::Levels.because(why).in_length(entry.length))
        }
        None => Ok(()),
    }
}

/// Checks the question, and its parameters.
fn question(record: &Record) -> Result<(), Rejection> {
    let Record { question, max_length, depth, verdict, .. } = record;
    let fits = match question {
        Asked::Solve | Asked::Count => depth.is_none(),
        Asked::Prove => depth.is_none() && max_length.is_some(),
        Asked::Levels => depth.is_some() && max_length.is_none() && record.lower_bound.is_none(),
    };
    if !fits {
        return RejectionKind::Verdict.reject("max_length, depth or lower_bound is not what the question has");
    }
    if record.counts.is_some() != (*verdict == Verdict::Counted) {
        return RejectionKind::Count.reject("counts: there are some exactly where the verdict is counted");
    }
    if record.reason.is_some() && *verdict != Verdict::Incomplete {
        return RejectionKind::Verdict.reject("reason: only what is incomplete has one");
    }
    known_solution(record)?;
    together(record)
}

/// A known solution is longer than what is refuted, and the search for shorter ones was stopped. Whether it plays is
/// checked elsewhere.
fn known_solution(record: &Record) -> Result<(), Rejection> {
    let Some(moves) = record.known_solution.as_ref().map(|moves| moves.len() as u64) else { return Ok(()) };
    let searched = record.problem.kind() == "transfer" && record.question != Asked::Levels;
    if !searched || record.verdict != Verdict::Incomplete || record.length.is_some() {
        return RejectionKind::Solution.reject("known_solution: only a search of a transfer that was stopped has one");
    }
    match record.refuted_up_to.filter(|&refuted| moves <= u64::from(refuted)) {
        Some(refuted) => {
            let why = format!("known_solution: {moves} moves, and {refuted} are refuted");
            Err(RejectionKind::Solution.because(why))
        }
        None => Ok(()),
    }
}

/// Checks the question `levels`: one entry, without a goal.
fn levels(record: &Record) -> Result<(), Rejection> {
    let claims = record.length.is_some() || record.refuted_up_to.is_some() || record.solution.is_some();
    if claims || !matches!(record.verdict, Verdict::Levels | Verdict::Incomplete) {
        return RejectionKind::Verdict.reject("levels without a goal claim a length");
    }
    if record.impossible.is_some() || record.partition.is_some() {
        return RejectionKind::Verdict.reject("levels: impossible and partition are of searches for a solution");
    }
    let [entry] = &record.runs[..] else { return RejectionKind::Levels.reject("levels: there is one run of them") };
    if entry.verdict != record.verdict {
        return RejectionKind::Verdict.reject("levels: the run has another verdict than the record");
    }
    if entry.pruning.as_ref().is_some_and(|pruning| *pruning != Pruning::None) {
        return RejectionKind::Verdict.reject("levels: their pruning is none");
    }
    if entry.up_to.is_some() || entry.shared_with.is_some() || entry.c.is_some() || !entry.self_consistent {
        return RejectionKind::Levels.reject("levels: up_to, shared_with and c are of searches for a solution");
    }
    Ok(())
}

/// All levels that were asked for are there, or all up to the first empty one.
fn whole_levels(record: &Record) -> Result<(), Rejection> {
    let ends = |depth: u32, length: u32| length == depth || record.exhausted && length < depth;
    let whole = |entry: &&LengthRecord| record.depth.is_some_and(|depth| ends(depth, entry.length));
    let entry = record.runs.first().filter(whole);
    let other =
        || RejectionKind::Levels.because(format!("levels up to {}, and a run of other ones", or_none(record.depth)));
    let entry = entry.ok_or_else(other)?;
    if record.exhausted != entry.levels.last().is_some_and(|level| level.states == 0) {
        return RejectionKind::Verdict.reject("exhausted: it is said where the last level is empty, and only there");
    }
    Ok(())
}

/// The levels up to the one asked for, or up to the last that is not empty.
fn levels_to_last(record: &Record) -> Result<(), Rejection> {
    let (Some(entry), Some(depth)) = (record.runs.first(), record.depth) else { return Ok(()) };
    let complete = record.verdict == Verdict::Levels;
    match entry.levels.iter().any(|level| level.states == 0) {
        true => RejectionKind::Levels.reject("levels: one is empty, and they end with the last that is not"),
        false if entry.length > depth || complete && !record.exhausted && entry.length != depth => {
            let why = format!("levels up to {depth} were asked for, those up to {} are there", entry.length);
            RejectionKind::Levels.reject(why)
        }
        false if record.exhausted && !complete => {
            RejectionKind::Verdict.reject("exhausted, and its levels are incomplete")
        }
        false => Ok(()),
    }
}

/// Without a bound there is no entry: no length is possible, or nothing was begun.
fn unbounded(record: &Record) -> Result<(), Rejection> {
    let Record { length, refuted_up_to, max_length, exhausted, verdict, .. } = record;
    let bare = record.runs.is_empty() && length.is_none() && record.solution.is_none() && record.refuted_by.is_none();
    let holds = match verdict {
        Verdict::None => *exhausted && refuted_up_to == max_length,
        Verdict::Incomplete => !exhausted && refuted_up_to.is_none(),
        _ => false,
    };
    if bare && holds {
        Ok(())
    } else {
        RejectionKind::Verdict.reject("no lower_bound, and not all seen without a search")
    }
}

/// The entry that a count adds is for the length found; it makes no claim itself.
fn of_count(record: &Record, entry: &LengthRecord) -> Result<(), Rejection> {
    let same = Some(entry.length) == record.length && entry.verdict == Verdict::Solution;
    match same && entry.c.is_none() && entry.up_to.is_none() && entry.shared_with.is_none() {
        true => Ok(()),
        false => {
            let why = format!("the last run, for {} moves, is not the one that a count adds", entry.length);
            Err(RejectionKind::Verdict.because(why).at_length(entry.length))
        }
    }
}

/// Every length from the lower bound on has its entry, and the verdict follows from the entries.
pub(super) fn verdict(record: &Record) -> Result<(), Rejection> {
    question(record)?;
    match record.question {
        Asked::Levels => levels(record).and_then(|()| whole_levels(record)),
        _ => lengths(record),
    }
}

/// The same for a puzzle from a file, whose levels end with the last that is not empty.
pub(super) fn puzzle_verdict(record: &Record) -> Result<(), Rejection> {
    question(record)?;
    match record.question {
        Asked::Levels => levels(record).and_then(|()| levels_to_last(record)),
        _ => lengths(record),
    }
}

/// Every length from the lower bound on has its entry, and the verdict follows from the entries.
fn lengths(record: &Record) -> Result<(), Rejection> {
    let wrong = |text: String| RejectionKind::Verdict.reject(text);
    let named = [("max_length", record.max_length), ("refuted_up_to", record.refuted_up_to)];
    if let Some((name, length)) = named.into_iter().find(|(_, length)| length.is_some_and(|length| length > LONGEST)) {
        return wrong(format!("{name} {}: no search goes beyond length {LONGEST}", or_none(length)));
    }
    let Some(bound) = record.lower_bound else { return unbounded(record) };
    if bound > LONGEST {
        return wrong(format!("a lower_bound of {bound}: no search goes beyond length {LONGEST}"));
    }
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
    let taken_over = record.refuted_by.as_ref().and_then(|earlier| earlier.refuted_up_to);
    let first = taken_over.map_or(bound, |refuted| bound.max(refuted.saturating_add(1)));
    for (expected, entry) in (u64::from(first)..).zip(runs) {
        if u64::from(entry.length) != expected || entry.length > asked {
            let (last, length) = (expected.saturating_sub(1), entry.length);
            let why = format!("the run after lengths {bound} to {last} is for length {length}");
            return Err(RejectionKind::Verdict.because(why).at_length(length));
        }
    }
    let refuting = runs.iter().take_while(|entry| entry.verdict == Verdict::None).count();
    let refuted = match refuting.checked_sub(1) {
        Some(last) => Some(runs[last].length),
        // Without entries, the bound refutes up to the greatest length asked about.
        None => first.checked_sub(1).map(|l| l.min(asked)),
    };
    if record.refuted_up_to != refuted {
        let claimed = or_none(record.refuted_up_to);
        return wrong(format!("refuted_up_to is {claimed}, the runs refute up to {}", or_none(refuted)));
    }
    let solved = runs.last().filter(|entry| entry.verdict == Verdict::Solution);
    if runs.iter().rev().skip(1).any(|entry| entry.verdict == Verdict::Solution) {
        return wrong("runs go on after a solution".into());
    }
    if solved.map(|entry| entry.length) != record.length || record.solution.is_some() != record.length.is_some() {
        return wrong("length or solution is not that of the run that found one".into());
    }
    let all_refuted = refuting + usize::from(solved.is_some()) == runs.len();
    let enough = record.exhausted || record.max_length.is_some() && refuted >= record.max_length;
    let follows: &[Verdict] = match (solved.is_some() && !record.exhausted, all_refuted, record.question) {
        // A list of solutions may not have come to its end.
        (true, true, Asked::Solve) if record.reason.is_none() => &[Verdict::Optimal],
        (true, true, Asked::Solve) => &[Verdict::Incomplete],
        (true, true, Asked::Count) => &[Verdict::Counted, Verdict::Incomplete],
        (true, ..) => &[Verdict::Solution],
        (false, true, _) if solved.is_none() && enough => &[Verdict::None],
        (false, ..) if solved.is_none() && !record.exhausted => &[Verdict::Incomplete],
        _ => &[],
    };
    match follows.contains(&record.verdict) {
        true => Ok(()),
        false => wrong(format!("the verdict {} does not follow from the runs", record.verdict.name())),
    }
}
