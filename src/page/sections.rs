//! The parts of a page.

use maud::{Markup, html};

use halma_puzzles::own::replay::start_of;
use halma_record::record::{Asked, LengthRecord, LevelRecord, Machine, Record, Side, Verdict, together};
use halma_record::words::counted;
use halma_rules::centroid;
use halma_rules::job;
use halma_rules::problem::Transfer;
use halma_rules::replay::Checked;

use super::plot::{Plot, Series};
use super::table::table;
use super::{Entry, claim};
use crate::figure::Figure;
use crate::report::{decided_by, grouped, level_cells, problem, verdict};
use crate::solution::Solution;

/// All about one problem.
pub(super) fn chapter(number: usize, entries: &[&Entry], headed: bool) -> Markup {
    let solved = entries.iter().find_map(|e| e.checked.as_ref());
    html! {
        article id={ "problem-" (number) } {
            @if headed { h2 { (problem(&entries[0].record.problem)) } }
            @for (claim, prunings) in &claims(entries) {
                p.claim { (claim) }
                @if entries.len() > 1 { p.types { "Found under: " (prunings.join(", ")) "." } }
            }
            @match solved {
                Some(solution) => {
                    (player(&Figure::of(solution), &format!("solution-{number}")))
                    @if let Solution::Armies(checked) = solution { (centroid(solution, checked)) }
                }
                None => { (start(&entries[0].record, number)) }
            }
            section {
                h3 { "The search" }
                (plots(entries))
                (lengths(entries))
                @for entry in entries { (all_levels(entry, entries.len() > 1)) }
            }
            (checking(entries))
        }
    }
}

/// What the records claim, each claim once, with the prunings that led to it.
fn claims(entries: &[&Entry]) -> Vec<(String, Vec<String>)> {
    let mut claims: Vec<(String, Vec<String>)> = Vec::new();
    for Entry { record, .. } in entries {
        let (said, pruning) = (claim(record), record.pruning.to_string());
        match claims.iter_mut().find(|(known, _)| *known == said) {
            Some((_, prunings)) => prunings.push(pruning),
            None => claims.push((said, vec![pruning])),
        }
    }
    claims
}

/// The board where there is no solution to look at.
fn start(record: &Record, number: usize) -> Markup {
    let figure = match job::transfer_of(&record.problem) {
        Ok(transfer) => Some(Figure::of_transfer(&transfer, &[])),
        Err(_) => match record.problem.puzzle() {
            Some(puzzle) => start_of(puzzle).ok().map(|picture| Figure::of_pictures(&[picture], &[])),
            None => job::game_of(&record.problem).ok().map(|game| Figure::of_game(&game, &[])),
        },
    };
    html! {
        @if let Some(figure) = figure {
            (ground(&figure, &format!("ground-{number}")))
            figure.start { (figure.inline(0, &format!("ground-{number}"), true)) figcaption { "The start" } @if figure.armies().is_some() { (legend(figure.is_game())) } }
        }
    }
}

fn ground(figure: &Figure, id: &str) -> Markup {
    html! { svg.defs aria-hidden="true" width="0" height="0" { defs { (figure.ground(id)) } } }
}

/// The buttons of the player: what they do, what they are called, what is drawn on them.
const CONTROLS: [(&str, &str, &str); 5] = [
    ("first", "First board", "M2 3H4V13H2ZM14 3V13L5 8Z"),
    ("back", "One move back", "M12 3V13L4 8Z"),
    ("play", "Play", "M4 2V14L14 8Z"),
    ("on", "One move on", "M4 3V13L12 8Z"),
    ("last", "Last board", "M12 3H14V13H12ZM2 3V13L11 8Z"),
];
const PAUSE: &str = "M3 2H7V14H3ZM9 2H13V14H9Z";

/// A solution: the player, then all boards in a row.
pub(super) fn player(figure: &Figure, name: &str) -> Markup {
    let (ground_name, last) = (format!("{name}-ground"), figure.len() - 1);
    html! {
        (ground(figure, &ground_name))
        section.player id=(name) aria-label="The solution, move by move" data-at="0" {
            h3 { "A solution" }
            div.stage tabindex="0" role="group" aria-label="Board; arrow keys step, Home and End go to the ends, the space bar plays" {
                (figure.inline(0, &ground_name, true))
            }
            p.now aria-live="polite" { (figure.caption(0)) }
            div.controls hidden {
                @for (deed, name, icon) in CONTROLS {
                    button type="button" data-do=(deed) aria-label=(name) {
                        svg.icon aria-hidden="true" viewBox="0 0 16 16" { path d=(icon) {} @if deed == "play" { path.pause d=(PAUSE) {} } }
                    }
                }
                input type="range" min="0" max=(last) value="0" aria-label="Move";
                span.count { "0 / " (last) }
            }
            @if figure.armies().is_some() { (legend(figure.is_game())) }
            h3 { "All boards" }
            ol.boards start="0" {
                @for i in 0..=last {
                    li { figure { (figure.inline(i, &ground_name, true)) figcaption { button type="button" data-to=(i) { (figure.caption(i)) } } } }
                }
            }
        }
    }
}

fn legend(game: bool) -> Markup {
    html! {
        p.types {
            "Colours are the types of cells, those of: "
            @for (kind, name) in ["a1", "b1", "a2", "b2"].iter().enumerate() {
                span { svg.dot aria-hidden="true" viewBox="-8 -8 16 16" { circle class={ "man t" (kind) } r="6" {} } (name) } " "
            }
            @if game { "Circles are blue's men, squares red's. " }
            "A jump keeps a man's type. Dotted lines are jumps that lie open: joined, they are ladders. Tinted cells: start and target."
        }
    }
}

/// How far the armies have come after each move.
pub(super) fn centroid(solution: &Solution, checked: &Checked) -> Markup {
    let (problem, names) = match checked {
        Checked::Transfer(replay) => (replay.transfer.clone(), vec!["the army"]),
        Checked::Game(replay) => {
            let game = &replay.game;
            let (lattice, start, target) = (game.lattice.clone(), game.blue.clone(), game.red.clone());
            (Transfer { lattice, start, target, jumps_only: false }, vec!["blue", "red"])
        }
    };
    let values = centroid::of_cells(&problem, &problem.symmetries());
    let figure = Figure::of(solution);
    let positions = figure.armies().unwrap_or_default();
    let of_army = |(army, name): (usize, &&str)| {
        let sum = |p: &crate::figure::Position| p.armies[army].iter().map(|c| f64::from(values[c])).sum::<f64>();
        let points = positions.iter().enumerate().map(|(i, p)| (i as f64, sum(p))).collect();
        Series { name: (*name).into(), points }
    };
    let series: Vec<Series> = names.iter().enumerate().map(of_army).collect();
    let y = "the sum over the men of how far each has come; 0 is half way";
    Plot { title: "Centroid over time", x: "moves", y, log: false }.draw(&series)
}

/// The levels of the length that decided, the last one; levels that serve several lengths stand with the length that made
/// them. With them the least and the greatest of the lengths that they were made for.
fn deciding(record: &Record) -> (Vec<&LevelRecord>, Option<(u32, u32)>) {
    let mut levels: Vec<&LevelRecord> = Vec::new();
    let mut lengths: Option<(u32, u32)> = None;
    for run in record.runs.iter().rev() {
        if levels.iter().any(|l| l.depth == 0) {
            break;
        }
        // What follows from a middle serves the lengths that have it.
        let serves = |side: Side| levels.is_empty() || !matches!(side, Side::Following | Side::Trailing);
        let new = |l: &&LevelRecord| levels.iter().all(|m| (m.side, m.depth) != (l.side, l.depth));
        let earlier: Vec<&LevelRecord> = run.levels.iter().filter(|l| serves(l.side)).filter(new).collect();
        if !earlier.is_empty() {
            let last = run.up_to.or(run.shared_with).unwrap_or(run.length);
            let (first, last) = lengths.map_or((run.length, last), |(a, b)| (a.min(run.length), b.max(last)));
            lengths = Some((first, last));
        }
        levels.splice(0..0, earlier);
    }
    (levels, lengths)
}

/// What the levels of a plot were made for.
fn purpose(record: &Record) -> String {
    match deciding(record).1 {
        Some(_) if record.question == Asked::Levels => String::new(),
        Some((a, b)) if a == b => format!("the search for {}", counted(a as usize, "move")),
        Some((a, b)) => format!("the searches for {a} to {b} moves"),
        None => String::new(),
    }
}

/// Level sizes and successors of the deciding runs, and the work of each length.
fn plots(entries: &[&Entry]) -> Markup {
    let several = entries.len() > 1;
    // In one word where all levels were made for the same lengths, else with each line.
    let purposes: Vec<String> = entries.iter().map(|e| purpose(&e.record)).collect();
    let alike = purposes.iter().all(|p| *p == purposes[0]);
    let by_level = |value: &dyn Fn(&LevelRecord) -> u64| -> Vec<Series> {
        let of_entry = |entry: &&&Entry| {
            let record = &entry.record;
            let levels = deciding(record).0;
            let mut sides: Vec<Side> = levels.iter().map(|l| l.side).collect();
            sides.dedup();
            let mut seen = Vec::new();
            sides.retain(|s| {
                !seen.contains(s) && {
                    seen.push(*s);
                    true
                }
            });
            let of_side = |side: Side| {
                let points = levels.iter().filter(|l| l.side == side).map(|l| (f64::from(l.depth), value(l) as f64));
                let name = match (several, alike) {
                    (false, _) => side.name().into(),
                    (true, true) => format!("{}, {}", record.pruning, side.name()),
                    (true, false) => format!("{}, {}, {}", record.pruning, side.name(), purpose(record)),
                };
                Series { name, points: points.collect() }
            };
            sides.into_iter().map(of_side).collect::<Vec<_>>()
        };
        entries.iter().flat_map(|e| of_entry(&e)).collect()
    };
    let by_length: Vec<Series> = entries
        .iter()
        .filter(|e| e.record.runs.len() > 1)
        .map(|e| Series {
            name: e.record.pruning.to_string(),
            points: together(&e.record.runs).iter().map(|t| (f64::from(t.last()), t.generated() as f64)).collect(),
        })
        .collect();
    let of = match purposes[0].as_str() {
        purpose if alike && !purpose.is_empty() => format!(" in {purpose}"),
        _ => String::new(),
    };
    html! {
        (Plot { title: "Level sizes", x: "level", y: &format!("new positions on each level{of}"), log: true }.draw(&by_level(&|l| l.states)))
        (Plot { title: "Successors", x: "level", y: &format!("successors computed for each level{of}"), log: true }.draw(&by_level(&|l| l.generated)))
        (Plot { title: "Work by length", x: "length", y: "successors computed to decide each length", log: true }.draw(&by_length))
    }
}

/// The lengths tried.
fn lengths(entries: &[&Entry]) -> Markup {
    let row = |record: &Record, first: u32, run: &LengthRecord| {
        vec![
            decided_by(record, run, first),
            run.length.to_string(),
            verdict(run.verdict).to_string(),
            run.levels.len().to_string(),
            grouped(run.generated),
            grouped(run.largest_level),
            format!("{:.2}", run.seconds),
        ]
    };
    let of_record = |record: &Record| -> Vec<Vec<String>> {
        let parts = together(&record.runs);
        parts.iter().flat_map(|part| part.0.iter().map(|run| row(record, part.0[0].length, run))).collect()
    };
    let rows: Vec<Vec<String>> = entries.iter().flat_map(|e| of_record(&e.record)).collect();
    let mut bounds: Vec<(u32, Vec<String>)> = Vec::new();
    for Entry { record, .. } in entries.iter().filter(|e| e.record.question != Asked::Levels) {
        let (Some(bound), pruning) = (record.lower_bound, record.pruning.to_string()) else { continue };
        match bounds.iter_mut().find(|(known, _)| *known == bound) {
            Some((_, prunings)) => prunings.push(pruning),
            None => bounds.push((bound, vec![pruning])),
        }
    }
    let head = ["pruning", "length", "verdict", "levels", "successors", "largest level", "seconds"];
    html! {
        @for (bound, prunings) in &bounds {
            p { "A bound refutes every length below " (bound) " without a search" @if bounds.len() > 1 { " (" (prunings.join(", ")) ")" } "." }
        }
        @if !rows.is_empty() { (table("Lengths tried, one after another", &head, &rows)) }
    }
}

/// Every level of every length, folded away.
fn all_levels(entry: &Entry, several: bool) -> Markup {
    let record = &entry.record;
    let head = [
        "length",
        "level",
        "side",
        "positions",
        "successors",
        "pruned",
        "duplicates",
        "old",
        "largest centroid",
        "digest",
    ];
    let row = |run: &LengthRecord, level: &LevelRecord| [vec![run.length.to_string()], level_cells(level)].concat();
    let rows: Vec<Vec<String>> = record.runs.iter().flat_map(|run| run.levels.iter().map(|l| row(run, l))).collect();
    let name = if several { format!("All levels: {}", record.pruning) } else { "All levels".into() };
    html! {
        @if !rows.is_empty() {
            details { summary { (name) " (" (rows.len()) ")" } (table(&name, &head, &rows)) }
        }
    }
}

/// A machine in a few words.
fn on(machine: &Machine) -> String {
    let Machine { system, processor, processors, cluster } = machine;
    let processor = processor.as_ref().map(|p| format!(", {p}")).unwrap_or_default();
    let cluster = cluster.as_ref().map(|c| format!(", {} processes together", c.processes)).unwrap_or_default();
    format!("{system}{processor}, {}{cluster}", counted(*processors, "processor"))
}

/// What a reader can do to believe it.
fn checking(entries: &[&Entry]) -> Markup {
    let record = &entries[0].record;
    let symmetries = record.symmetries.as_ref();
    html! {
        section {
            h3 { "How to check it" }
            ul {
                @if record.solution.is_some() {
                    li { "The solution was replayed for this page by code that shares nothing with the search. By hand: "
                        @for e in entries { code { "halma replay " (e.file) } " " } }
                }
                li { "The record, and its levels where they were kept or are few enough to derive, by code that shares nothing with the search: "
                    @for e in entries { code { "halma check " (e.file) } " " } }
                li { "The same by a second program with rules of its own, for small runs; and the solution alone: "
                    @for e in entries { code { "scripts/referee.py derive " (e.file) } ", " code { "scripts/referee.py replay " (e.file) } " " } }
                li { "Every level accounts for every successor: successors = pruned + duplicates + old + positions." }
                li { "Every level has a digest, the sum modulo 2" sup { "128" } " of a mix of its positions"
                    @if let Some(key) = &record.digest_key { " under the key " code { (key.to_string()) } }
                    ". The same search with any number of threads, or with levels on disk, has the same digests." }
                @if let Some(s) = symmetries {
                    li { "Symmetry used: " (s.fixing.len()) @if s.fixing.len() == 1 { " element" } @else { " elements" } " of K, which fix start and target; "
                        @if s.mirror.is_some() { "a mirror that exchanges them, so half of each way was searched." } @else { "no mirror." } }
                }
                @for e in entries {
                    li { code { (e.file) } ": " (e.record.program) ", " (e.record.pruning.to_string()) ", "
                        (format!("{:.1} s on the clock, {:.1} s of CPU time, {}, {} of memory", e.record.seconds, e.record.cpu_seconds,
                            counted(e.record.threads, "thread"), bytesize::ByteSize(e.record.peak_memory_bytes)))
                        @if let Some(machine) = &e.record.machine { "; on " (on(machine)) }
                        @if let Some(source) = &e.record.source { "; source tree " code { (source) } }
                        @if e.record.verdict == Verdict::Incomplete { ". Not finished: this is no refutation." } }
                }
            }
        }
    }
}
