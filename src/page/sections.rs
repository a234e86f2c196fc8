//! The parts of a chapter that tell of the search: plots, and the tables that they are drawn from.

use maud::{Markup, html};

use halma_record::record::{Asked, LengthRecord, LevelRecord, Record, Side, together};
use halma_record::words::counted;
use halma_rules::centroid;
use halma_rules::problem::Transfer;
use halma_rules::replay::Checked;

use super::Entry;
use super::plot::{Plot, Series};
use super::table::table;
use crate::figure::Figure;
use crate::report::{built_on, by_pruning, grouped, level_cells, verdict_of};

/// Plots and tables of the search; `prefix` begins the names that link them, `all` asks for every level.
pub(super) fn search(entries: &[&Entry], prefix: &str, all: bool) -> Markup {
    let searched = entries.iter().any(|e| !e.record.runs.is_empty() || e.record.lower_bound.is_some());
    html! {
        @if searched {
            section.search {
                h2 { "The search" }
                div.plots { (plots(entries, prefix, all)) }
                (lengths(entries, prefix))
                @if all {
                    @for (i, entry) in entries.iter().enumerate() { (all_levels(entry, &format!("{prefix}{i}"), (entries.len() > 1).then_some(i + 1))) }
                }
            }
        }
    }
}

/// How far the armies have come after each move.
pub(super) fn centroid(figure: &Figure, checked: &Checked, prefix: &str) -> Markup {
    let (problem, names) = match checked {
        Checked::Transfer(replay) => (replay.transfer.clone(), vec!["the army"]),
        Checked::Game(replay) => {
            let game = &replay.game;
            let (lattice, start, target) = (game.lattice.clone(), game.blue.clone(), game.red.clone());
            (Transfer { lattice, start, target, jumps_only: false }, vec!["blue", "red"])
        }
    };
    let values = centroid::of_cells(&problem, &problem.symmetries());
    let positions = figure.armies().unwrap_or_default();
    let of_army = |(army, name): (usize, &&str)| {
        let sum = |p: &crate::figure::Position| p.armies[army].iter().map(|c| f64::from(values[c])).sum::<f64>();
        let points = positions.iter().enumerate().map(|(i, p)| (i as f64, sum(p))).collect();
        let links = (0..positions.len()).map(|i| format!("move:{prefix}{i}")).collect();
        Series { name: (*name).into(), points, links }
    };
    let series: Vec<Series> = names.iter().enumerate().map(of_army).collect();
    let says = "the sum over the men of how far each has come, after each move; 0 is half way";
    Plot { title: "Centroid over time", x: "move", y: "centroid", says, log: false }.draw(&series)
}

/// A level, and the name that links it with its row.
type Linked<'a> = (String, &'a LevelRecord);

/// The levels of the length that decided, the last one; levels that serve several lengths stand with the length that made
/// them. With them the least and the greatest of the lengths that they were made for.
fn deciding<'a>(record: &'a Record, prefix: &str) -> (Vec<Linked<'a>>, Option<(u32, u32)>) {
    let mut levels: Vec<Linked<'a>> = Vec::new();
    let mut lengths: Option<(u32, u32)> = None;
    for (number, run) in record.runs.iter().enumerate().rev() {
        if levels.iter().any(|(_, l)| l.depth == 0) {
            break;
        }
        // What follows from a middle serves the lengths that have it.
        let serves = |side: Side| levels.is_empty() || !matches!(side, Side::Following | Side::Trailing);
        let new = |l: &LevelRecord| levels.iter().all(|(_, m)| (m.side, m.depth) != (l.side, l.depth));
        let linked = run.levels.iter().enumerate().map(|(i, l)| (key(prefix, number, i), l));
        let earlier: Vec<Linked<'a>> = linked.filter(|(_, l)| serves(l.side) && new(l)).collect();
        if !earlier.is_empty() {
            let last = run.up_to.or(run.shared_with).unwrap_or(run.length);
            let (first, last) = lengths.map_or((run.length, last), |(a, b)| (a.min(run.length), b.max(last)));
            lengths = Some((first, last));
        }
        levels.splice(0..0, earlier);
    }
    (levels, lengths)
}

/// What links a level's point with its row.
fn key(prefix: &str, run: usize, level: usize) -> String {
    format!("{prefix}.{run}.{level}")
}

/// What the levels of a plot were made for.
fn purpose(record: &Record) -> String {
    match deciding(record, "").1 {
        Some(_) if record.question == Asked::Levels => String::new(),
        Some((a, b)) if a == b => format!("the search for {}", counted(a as usize, "move")),
        Some((a, b)) => format!("the searches for {a} to {b} moves"),
        None => String::new(),
    }
}

/// Of more records than that, plots would be a tangle.
const LINES: usize = 4;

/// Level sizes and successors of the deciding runs, and the work of each length.
fn plots(entries: &[&Entry], prefix: &str, all_plots: bool) -> Markup {
    let entries = &entries[..entries.len().min(LINES)];
    let several = entries.len() > 1;
    // In one word where all levels were made for the same lengths, else with each line.
    let purposes: Vec<String> = entries.iter().map(|e| purpose(&e.record)).collect();
    let alike = purposes.iter().all(|p| *p == purposes[0]);
    let by_level = |value: &dyn Fn(&LevelRecord) -> u64| -> Vec<Series> {
        let of_entry = |(number, entry): (usize, &&Entry)| {
            let record = &entry.record;
            let levels = deciding(record, &format!("{prefix}{number}")).0;
            let mut sides: Vec<Side> = Vec::new();
            levels.iter().for_each(|(_, l)| {
                if !sides.contains(&l.side) {
                    sides.push(l.side);
                }
            });
            let of_side = |side: Side| {
                let mine = levels.iter().filter(|(_, l)| l.side == side);
                let points = mine.clone().map(|(_, l)| (f64::from(l.depth), value(l) as f64)).collect();
                let name = match (several, alike) {
                    (false, _) => side.name().into(),
                    (true, true) => format!("{}, {}", record.pruning, side.name()),
                    (true, false) => format!("{}, {}, {}", record.pruning, side.name(), purpose(record)),
                };
                Series { name, points, links: mine.map(|(key, _)| key.clone()).collect() }
            };
            sides.into_iter().map(of_side).collect::<Vec<_>>()
        };
        entries.iter().enumerate().flat_map(of_entry).collect()
    };
    let by_length: Vec<Series> = entries
        .iter()
        .enumerate()
        .filter(|(_, e)| e.record.runs.len() > 1)
        .map(|(number, e)| {
            let parts = together(&e.record.runs);
            Series {
                name: e.record.pruning.to_string(),
                points: parts.iter().map(|t| (f64::from(t.last()), t.generated() as f64)).collect(),
                links: parts.iter().map(|t| format!("{prefix}{number}:{}", t.last())).collect(),
            }
        })
        .collect();
    let of = match purposes[0].as_str() {
        purpose if alike && !purpose.is_empty() => format!(" in {purpose}"),
        _ => String::new(),
    };
    let lengths = entries.iter().flat_map(|e| &e.record.runs).map(|run| run.length);
    let range = match (lengths.clone().min(), lengths.max()) {
        (Some(a), Some(b)) if a < b => format!(" from {a} to {b} moves"),
        _ => String::new(),
    };
    let sizes = format!("new states on each level{of}");
    let work = format!("successors computed for each level{of}");
    let all = format!("successors computed to decide each length{range}");
    html! {
        (Plot { title: "Level sizes", x: "level", y: "states", says: &sizes, log: true }.draw(&by_level(&|l| l.states)))
        @if all_plots { (Plot { title: "Successors", x: "level", y: "successors", says: &work, log: true }.draw(&by_level(&|l| l.generated))) }
        (Plot { title: "Work by length", x: "length", y: "successors", says: &all, log: true }.draw(&by_length))
    }
}

/// The lengths tried.
fn lengths(entries: &[&Entry], prefix: &str) -> Markup {
    let row = |record: &Record, first: u32, run: &LengthRecord| {
        vec![
            by_pruning(&record.pruning.to_string(), run, first),
            run.length.to_string(),
            verdict_of(record, run).to_string(),
            run.levels.len().to_string(),
            grouped(run.generated),
            grouped(run.largest_level),
            format!("{:.2}", run.seconds),
        ]
    };
    let of_record = |(number, entry): (usize, &&Entry)| -> Vec<(String, Vec<String>)> {
        let parts = together(&entry.record.runs);
        let linked = |run: &LengthRecord| format!("{prefix}{number}:{}", run.length);
        let rows = parts.iter().flat_map(|part| part.0.iter().map(|run| (part.0[0].length, run)));
        rows.map(|(first, run)| (linked(run), row(&entry.record, first, run))).collect()
    };
    let (keys, rows): (Vec<String>, Vec<Vec<String>>) = entries.iter().enumerate().flat_map(of_record).unzip();
    let mut bounds: Vec<(u32, Vec<String>)> = Vec::new();
    for Entry { record, .. } in entries.iter().filter(|e| e.record.question != Asked::Levels) {
        let (Some(bound @ 1..), pruning) = (record.lower_bound, record.pruning.to_string()) else { continue };
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
        @for Entry { record, .. } in entries {
            @if let Some(said) = built_on(record) {
                p { @if entries.len() > 1 { (record.pruning) ": " } (said) }
            }
        }
        @if !rows.is_empty() { (table("Lengths tried, one after another", &head, &rows, &keys)) }
    }
}

/// Every level of every length, folded away.
fn all_levels(entry: &Entry, prefix: &str, number: Option<usize>) -> Markup {
    let record = &entry.record;
    let head = [
        "length",
        "level",
        "side",
        "states",
        "successors",
        "pruned",
        "duplicates",
        "old",
        "largest centroid",
        "digest",
    ];
    let row = |run: &LengthRecord, level: &LevelRecord| [vec![run.length.to_string()], level_cells(level)].concat();
    let levels = record.runs.iter().enumerate().flat_map(|(number, run)| {
        run.levels.iter().enumerate().map(move |(i, level)| (key(prefix, number, i), row(run, level)))
    });
    let (keys, rows): (Vec<String>, Vec<Vec<String>>) = levels.unzip();
    let name = match number {
        Some(number) => format!("All levels of record {number}: {}", record.pruning),
        None => "All levels".into(),
    };
    html! {
        @if !rows.is_empty() {
            details { summary { (name) " (" (rows.len()) ")" } (table(&name, &head, &rows, &keys)) }
        }
    }
}
