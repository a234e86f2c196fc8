//! A record as text: the answer in a sentence, the solution, a table of the lengths tried.

pub(crate) mod goal;
mod text_table;
mod words;

use std::fmt::Write;

use halma_record::record::{
    Asked, Count, ImpossibleRecord, LengthRecord, LevelRecord, Record, Side, Verdict, together,
};
use halma_record::words::{counted, moves, plural};
use halma_rules::job::{self, ProblemSpec};

use text_table::fits;
pub use text_table::grouped;
pub(crate) use text_table::table;
pub(crate) use words::built_on;
pub use words::{named, one_move, problem};

/// The whole report; `levels` adds a table of every level.
///
/// Ends with a line break.
#[must_use]
pub fn text(record: &Record, levels: bool) -> String {
    let mut text = format!("{}\n{}\n", problem(&record.problem), sentence(record));
    if let Some(bound) = record.lower_bound.filter(|&bound| bound > 0 && record.question != Asked::Levels) {
        let _ = writeln!(text, "A bound refutes every length below {bound} without a search.");
    }
    if let Some(said) = built_on(record) {
        let _ = writeln!(text, "{said}");
    }
    if let Some(solution) = record.best_solution().filter(|s| !s.is_empty()) {
        let width = solution.len().to_string().len();
        text.push('\n');
        for (i, chain) in solution.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:>width$}. {chain}", i + 1);
        }
    }
    for (number, solution) in (2..).zip(&record.more_solutions) {
        let _ = writeln!(text, "\nSolution {number}: {}", solution.join("; "));
    }
    if !record.runs.is_empty() && record.question != Asked::Levels {
        text.push('\n');
        text += &runs(record);
    }
    for run in record.runs.iter().filter(|_| levels || record.question == Asked::Levels) {
        let _ = write!(text, "\n{}{}", title(record, run), self::levels(&run.levels));
    }
    if record.exhausted && record.question == Asked::Levels && record.problem.puzzle().is_some() {
        let radius = record.runs.last().map_or(0, |run| run.length);
        let _ = writeln!(
            text,
            "\n{} states in all{}; the farthest are {} away.",
            grouped(record.states()),
            if up_to_symmetry(record).is_empty() { "" } else { ", up to symmetry" },
            counted(radius as usize, "move")
        );
        for picture in &record.farthest {
            let _ = writeln!(text, "\n{picture}");
        }
    }
    let memory = bytesize::ByteSize(record.peak_memory_bytes);
    let _ = writeln!(
        text,
        "\n{:.1} s, {:.1} s of CPU time on {}, {memory:.1} of memory",
        record.seconds,
        record.cpu_seconds,
        counted(record.threads, "thread")
    );
    text
}

/// The answer in a sentence.
#[must_use]
pub fn sentence(record: &Record) -> String {
    let solution = if record.palindromic { "palindromic solution" } else { "solution" };
    let at_most = |l: u32| format!("of at most {}", moves(l));
    let length = record.length.map(moves).unwrap_or_default();
    match record.verdict {
        Verdict::Optimal if record.length == Some(0) => "The start is a solution: 0 moves.".into(),
        Verdict::Optimal => format!("The shortest {solution} has {length}: every shorter length is refuted."),
        Verdict::Solution if record.question == Asked::Prove => format!("There is a {solution} of {length}."),
        Verdict::Solution => {
            format!("There is a {solution} of {length}; whether that is the shortest has not been decided.")
        }
        Verdict::None if record.exhausted => format!("There is no {solution} of any length: {}.", no_length(record)),
        Verdict::None => match record.max_length.or(record.refuted_up_to) {
            Some(l) => format!("There is no {solution} {}.", at_most(l)),
            None => format!("There is no {solution}."),
        },
        Verdict::Levels => match reached(record).or(record.depth) {
            Some(last) if record.exhausted => {
                format!("All levels are complete, 0 to {last}: no move leads to another position.")
            }
            Some(depth) => format!("The levels 0 to {depth} are complete."),
            None => "The levels are complete.".into(),
        },
        Verdict::Counted => match &record.counts {
            Some(c) => {
                let reversal = c.up_to_reversal.as_ref().filter(|_| !record.palindromic);
                let reversal = reversal.map(|n| format!(", {n} up to symmetry and reversal")).unwrap_or_default();
                let palindromic = match (&c.palindromic, &c.palindromic_up_to_symmetry) {
                    (Some(all), Some(classes)) if !record.palindromic => {
                        format!(" {}, {classes} up to symmetry.", of_them_palindromic(all))
                    }
                    _ => String::new(),
                };
                let ends = match (&c.final_positions, &c.final_up_to_symmetry) {
                    (Some(all), Some(classes)) => {
                        format!(" They end in {all} {}, {classes} up to symmetry.", noun(all, "position"))
                    }
                    _ => String::new(),
                };
                let (all, classes) = (&c.sequences, &c.up_to_symmetry);
                let solutions = noun(all, solution);
                format!(
                    "{all} shortest {solutions} of {length}, {classes} up to symmetry{reversal}.{palindromic}{ends}"
                )
            }
            None => "The shortest solutions are counted.".into(),
        },
        Verdict::Incomplete => {
            let reason = record.reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
            format!("Not finished{reason}. {}", so_far(record, solution))
        }
    }
}

/// What an incomplete record shows.
fn so_far(record: &Record, solution: &str) -> String {
    match (record.length, record.refuted_up_to) {
        _ if record.question == Asked::Levels => match last_complete(record) {
            Some(last) => format!("The levels 0 to {last} are complete; deeper ones were not made."),
            None => "No level is complete.".into(),
        },
        (Some(length), Some(refuted)) if refuted + 1 >= length => {
            let what = if record.question == Asked::Count { "count" } else { "list" };
            format!(
                "The shortest {solution} has {}: every shorter length is refuted. The {what} of such solutions is not complete.",
                moves(length)
            )
        }
        (Some(length), Some(refuted)) => format!(
            "A {solution} of {} was found; no {solution} of at most {} exists; whether one is shorter is undecided.",
            moves(length),
            moves(refuted)
        ),
        (Some(0), None) => {
            let what = if record.question == Asked::Count { "count" } else { "list" };
            format!("The start is a solution: 0 moves. The {what} of {solution}s is not complete.")
        }
        (Some(length), None) => {
            format!("A {solution} of {} was found; whether one is shorter is undecided.", moves(length))
        }
        (None, refuted) => so_far_unsolved(refuted, record.best_length(), solution),
    }
}

/// The same, where no length was found to have a solution; one of `known` moves may be known.
fn so_far_unsolved(refuted: Option<u32>, known: Option<u32>, solution: &str) -> String {
    match (refuted.map(moves), known) {
        (Some(least), Some(known)) if refuted.map(|refuted| refuted + 1) == Some(known) => {
            format!(
                "No {solution} of at most {least} exists, and one of {} is known: it is a shortest one.",
                moves(known)
            )
        }
        (Some(least), Some(known)) => format!(
            "No {solution} of at most {least} exists, and one of {} is known; whether one is shorter is undecided.",
            moves(known)
        ),
        (Some(least), None) => format!("No {solution} of at most {least} exists; longer ones are undecided."),
        (None, Some(known)) => {
            format!("A {solution} of {} is known; whether one is shorter is undecided.", moves(known))
        }
        (None, None) => "Nothing is decided.".into(),
    }
}

/// `levels` that were stopped: the last level that is complete.
pub(crate) fn last_complete(record: &Record) -> Option<u32> {
    record.runs.last()?.levels.iter().map(|level| level.depth).max()
}

/// " up to symmetry", where a state stands for a class of more than one position.
pub(crate) fn up_to_symmetry(record: &Record) -> &'static str {
    let many = record.symmetries.as_ref().is_some_and(|symmetries| symmetries.fixing.len() > 1);
    if many { " up to symmetry" } else { "" }
}

/// `levels` to the end: the last level that is not empty.
pub(crate) fn reached(record: &Record) -> Option<u32> {
    let last = record.runs.last().filter(|_| record.exhausted)?;
    last.levels.iter().filter(|level| level.states > 0).map(|level| level.depth).max()
}

/// The noun for a count.
fn noun(count: &Count, noun: &str) -> String {
    plural(if count.to_string() == "1" { 1 } else { 2 }, noun)
}

/// How many of the solutions are palindromic, without a full stop.
pub(crate) fn of_them_palindromic(count: &Count) -> String {
    format!("{count} of them {} palindromic", if count.to_string() == "1" { "is" } else { "are" })
}

/// Why there is no solution of any length, where the record says so.
#[must_use]
pub fn no_length(record: &Record) -> String {
    if record.lower_bound.is_some() {
        return "no position was left to search from".into();
    }
    let Some(said) = &record.impossible else {
        if record.problem.puzzle().is_some() {
            return "the puzzle's bound leaves none from the start".into();
        }
        let what = if record.palindromic { "the middle of a palindrome" } else { "the target" };
        return format!("not even the numbers of men in each class of cells can become those of {what}");
    };
    leads_out(&record.problem, said)
}

/// Why cells that no move leads out of leave no solution.
pub(crate) fn leads_out(spec: &ProblemSpec, said: &ImpossibleRecord) -> String {
    let transfer = job::transfer_of(spec).ok().filter(|t| t.jumps_only);
    if let Some([from, to]) = transfer.map(|t| [t.types(&t.start), t.types(&t.target)]).filter(|[from, to]| from != to)
    {
        let list = |counts: [usize; 4]| counts.map(|n| n.to_string()).join(", ");
        let (from, to) = (list(from), list(to));
        return format!("jumps keep a man's type, and the start has ({from}) men of types 0 to 3, the target ({to})");
    }
    let cells = match said.cells.len() {
        ..=12 => said.cells.join(", "),
        n => format!("{}, ... ({n} cells)", said.cells[..10].join(", ")),
    };
    let (start, target) = (said.at_start, said.in_target);
    let among = match spec.kind() {
        "game" => format!("{start} of them in blue's base and {target} in red's"),
        _ => format!("{start} of them in the start and {target} in the target"),
    };
    let mover = if spec.armies().is_some_and(|armies| armies.jumps_only) { "jump" } else { "move" };
    format!("no {mover} leads out of these cells, {among}: {cells}")
}

/// One line for each length tried.
fn runs(record: &Record) -> String {
    let head = ["length", "verdict", "pruning", "generated", "largest level", "seconds"];
    let parts = together(&record.runs);
    let rows = |pruning: &str| {
        let all = parts.iter().flat_map(|part| part.0.iter().map(|run| (part.0[0].length, run)));
        let cells = all.map(|(first, run)| {
            vec![
                run.length.to_string(),
                verdict_of(record, run).into(),
                by_pruning(pruning, run, first),
                grouped(run.generated),
                grouped(run.largest_level),
                format!("{:.1}", run.seconds),
            ]
        });
        table(&head, cells)
    };
    let whole = rows(&record.pruning.to_string());
    if fits(&whole) {
        return whole;
    }
    // In full it is said once.
    format!("Pruning: {}\n\n{}", record.pruning, rows(record.pruning.name()))
}

/// How a length was decided: by its own pruning, or by the record's (`pruning`); then its C, or the other lengths decided with it, of
/// which `first` is the first.
pub(crate) fn by_pruning(pruning: &str, run: &LengthRecord, first: u32) -> String {
    let pruning = run.pruning.as_ref().map_or(pruning.into(), ToString::to_string);
    match run.c {
        Some(c) if !run.self_consistent => format!("{pruning}, C = {c} too small"),
        Some(c) => format!("{pruning}, C = {c}"),
        None => match run.up_to {
            Some(last) => format!("{pruning}, up to {last}"),
            None if run.length > first => format!("{pruning}, from {first}"),
            None => pruning,
        },
    }
}

fn title(record: &Record, run: &LengthRecord) -> String {
    if record.question == Asked::Levels { String::new() } else { format!("Levels for length {}\n", run.length) }
}

fn levels(levels: &[LevelRecord]) -> String {
    let head = ["depth", "side", "states", "generated", "pruned", "duplicates", "old", "centroid", "digest"];
    let rows: Vec<Vec<String>> = levels.iter().map(level_cells).collect();
    // What is the same on all levels says nothing: one side, no pruning, no centroid.
    let is_said = |&i: &usize| match head[i] {
        "side" => levels.iter().any(|level| level.side != Side::Forward),
        "pruned" => levels.iter().any(|level| level.pruned > 0),
        "centroid" => levels.iter().any(|level| level.centroid_max.is_some()),
        _ => true,
    };
    let said: Vec<usize> = (0..head.len()).filter(is_said).collect();
    let of = |columns: &[usize]| {
        let names: Vec<&str> = columns.iter().map(|&i| head[i]).collect();
        table(&names, rows.iter().map(|row| columns.iter().map(|&i| row[i].clone()).collect()))
    };
    let whole = of(&said);
    if fits(&whole) {
        return whole;
    }
    // Digests are half of a terminal's width: they get a table of their own.
    let (figures, digest) = said.split_at(said.len() - 1);
    let named: Vec<usize> = figures.iter().copied().filter(|&i| i < 2).chain(digest.iter().copied()).collect();
    format!("{}\n{}", of(figures), of(&named))
}

/// A level as a row of a table: depth, side, states, generated, pruned, duplicates, old, centroid, digest.
#[must_use]
pub fn level_cells(level: &LevelRecord) -> Vec<String> {
    vec![
        level.depth.to_string(),
        level.side.name().into(),
        grouped(level.states),
        grouped(level.generated),
        grouped(level.pruned),
        grouped(level.duplicates),
        grouped(level.old),
        level.centroid_max.map(|c| c.to_string()).unwrap_or_default(),
        level.digest.to_string(),
    ]
}

/// Records of one question under several prunings, side by side.
#[must_use]
pub fn comparison(records: &[Record]) -> String {
    let head = ["pruning", "verdict", "length", "refuted", "generated", "largest level", "seconds", "CPU", "memory"];
    let rows = records.iter().map(|record| {
        let number = |n: Option<u32>| n.map(|n| n.to_string()).unwrap_or_default();
        vec![
            record.pruning.to_string(),
            verdict(record.verdict).into(),
            number(record.length),
            number(record.refuted_up_to),
            grouped(record.generated()),
            grouped(record.largest_level()),
            format!("{:.1}", record.seconds),
            format!("{:.1}", record.cpu_seconds),
            bytesize::ByteSize(record.peak_memory_bytes).to_string(),
        ]
    });
    let about = records.first().map(|r| problem(&r.problem) + "\n\n").unwrap_or_default();
    let on_others = records.iter().filter_map(|record| Some(format!("\n{}: {}\n", record.pruning, built_on(record)?)));
    about + &table(&head, rows) + &on_others.collect::<String>()
}

/// What became of one of the record's lengths. The length of the solutions may be searched twice: to find one, and to count all.
pub(crate) fn verdict_of(record: &Record, run: &LengthRecord) -> &'static str {
    let is_solved = |run: &LengthRecord| run.verdict == Verdict::Solution;
    let first = record.runs.iter().find(|r| is_solved(r) && r.length == run.length);
    match first {
        Some(first) if record.question == Asked::Count && is_solved(run) && !std::ptr::eq(first, run) => {
            verdict(record.verdict)
        }
        _ => verdict(run.verdict),
    }
}

pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Incomplete => "not finished",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_engine::search::CancellationToken;
    use halma_rules::job::Job;
    use halma_solve::run::{self, Question};

    fn solved() -> Record {
        let text = "[problem]\nkind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
        let job = Job::parse("a.toml".as_ref(), text).unwrap();
        run::run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap()
    }

    #[test]
    fn the_answer_is_said_with_what_it_rests_on() {
        let record = solved();
        assert_eq!(sentence(&record), "The shortest solution has 4 moves: every shorter length is refuted.");
        let said = |change: &dyn Fn(&mut Record)| {
            let mut record = record.clone();
            change(&mut record);
            sentence(&record)
        };
        assert_eq!(
            said(&|r| (r.verdict, r.palindromic, r.length) = (Verdict::Optimal, true, Some(1))),
            "The shortest palindromic solution has 1 move: every shorter length is refuted."
        );
        assert_eq!(
            said(&|r| r.verdict = Verdict::Solution),
            "There is a solution of 4 moves; whether that is the shortest has not been decided."
        );
        assert_eq!(
            said(&|r| (r.verdict, r.exhausted) = (Verdict::None, true)),
            "There is no solution of any length: no position was left to search from."
        );
        assert_eq!(said(&|r| r.verdict = Verdict::None), "There is no solution of at most 3 moves.");
    }

    #[test]
    fn what_is_not_finished_says_how_far_it_came() {
        let said = |length, refuted_up_to| {
            let reason = Some("time limit reached".to_string());
            sentence(&Record { verdict: Verdict::Incomplete, reason, length, refuted_up_to, ..solved() })
        };
        assert_eq!(
            said(None, Some(3)),
            "Not finished: time limit reached. No solution of at most 3 moves exists; longer ones are undecided."
        );
        assert_eq!(said(None, None), "Not finished: time limit reached. Nothing is decided.");
        assert_eq!(
            so_far_unsolved(Some(3), Some(6), "solution"),
            "No solution of at most 3 moves exists, and one of 6 moves is known; whether one is shorter is undecided."
        );
        assert_eq!(
            so_far_unsolved(Some(3), Some(4), "solution"),
            "No solution of at most 3 moves exists, and one of 4 moves is known: it is a shortest one."
        );
        assert_eq!(
            so_far_unsolved(None, Some(4), "palindromic solution"),
            "A palindromic solution of 4 moves is known; whether one is shorter is undecided."
        );
        assert_eq!(
            said(Some(4), Some(3)),
            "Not finished: time limit reached. The shortest solution has 4 moves: every shorter length is refuted. \
             The list of such solutions is not complete."
        );
        assert_eq!(
            said(Some(6), Some(3)),
            "Not finished: time limit reached. A solution of 6 moves was found; no solution of at most 3 moves exists; \
             whether one is shorter is undecided."
        );
    }

    #[test]
    fn levels_that_were_stopped_say_which_are_complete() {
        let text = "[problem]\nkind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
        let job = Job::parse("a.toml".as_ref(), text).unwrap();
        let levels = run::run(&job, Question::Levels { depth: 3 }, &(), &CancellationToken::after(None)).unwrap();
        let stopped = Record { verdict: Verdict::Incomplete, reason: Some("time limit reached".into()), ..levels };
        let complete = "The levels 0 to 3 are complete; deeper ones were not made.";
        assert_eq!(sentence(&stopped), format!("Not finished: time limit reached. {complete}"));
        assert!(
            crate::page::claim(&stopped)
                .ends_with("after exactly 0, 1, ..., 3 moves are enumerated; those after more are not.")
        );
    }

    /// Levels to the end stop there: transfers and games have an empty level then, and nothing after it.
    #[test]
    fn levels_to_the_end_of_a_transfer_end_with_the_first_empty_one() {
        let text = "[problem]\nkind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
        let job = Job::parse("a.toml".as_ref(), text).unwrap();
        let depth = halma_rules::job::MAX_LENGTH;
        let levels = run::run(&job, Question::Levels { depth }, &(), &CancellationToken::after(None)).unwrap();
        let states: Vec<u64> = levels.runs[0].levels.iter().map(|level| level.states).collect();
        assert_eq!((levels.depth, levels.runs[0].length, states.len()), (Some(depth), 5, 6), "{states:?}");
        assert_eq!(states[5], 0);
        assert_eq!(states[..5].iter().sum::<u64>(), 15);
        assert_eq!(sentence(&levels), "All levels are complete, 0 to 4: no move leads to another position.");
    }

    #[test]
    fn a_table_of_levels_fits_a_terminal_and_has_all_that_differs() {
        let text = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"\n";
        let job = Job::parse("a.toml".as_ref(), text).unwrap();
        let levels = run::run(&job, Question::Levels { depth: 4 }, &(), &CancellationToken::after(None)).unwrap();
        for record in [solved(), levels] {
            let shown = super::text(&record, true);
            assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
            for level in record.runs.iter().flat_map(|run| &run.levels) {
                assert!(
                    shown.contains(&level.digest.to_string()) && shown.contains(&grouped(level.generated)),
                    "{shown}"
                );
            }
        }
    }
}
