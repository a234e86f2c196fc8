//! What a reader needs to believe a page, to repeat it and to cite it.

use maud::{Markup, html};

use halma_files::plain;
use halma_record::job::ProblemSpec;
use halma_record::record::{Asked, Machine, Record, Verdict};
use halma_record::words::counted;

use super::{Entry, job_text};
use crate::report::problem;

/// A machine in a few words.
fn on(machine: &Machine) -> String {
    let Machine { system, processor, processors, cluster } = machine;
    let processor = processor.as_ref().map(|p| format!(", {p}")).unwrap_or_default();
    let cluster = cluster.as_ref().map(|c| format!(", {} processes together", c.processes)).unwrap_or_default();
    format!("{system}{processor}, {}{cluster}", counted(*processors, "processor"))
}

/// What a reader can do to believe it.
pub(super) fn checking(entries: &[&Entry]) -> Markup {
    let record = &entries[0].record;
    let solved = entries.iter().any(|e| e.record.best_solution().is_some());
    let symmetries = record.symmetries.as_ref();
    let of = |command: &str, entry: &Entry| format!("{command} {}", plain::quoted(&entry.file));
    html! {
        section.checking {
            h2 { "How to check it" }
            @if solved {
                p { "The solution was replayed for this page by code that shares nothing with the search. Again: " }
                (commands(entries.iter().filter(|e| e.record.best_solution().is_some()).map(|e| of("halma replay", e))))
            }
            p { "The record, and its levels where they were kept or are few enough to derive, by code that shares nothing with the search: " }
            (commands(entries.iter().map(|e| of("halma check", e))))
            // It knows transfers and games alone.
            @if let ProblemSpec::Armies(_) = record.problem {
                p { "The same by a second program with rules of its own, for small runs: " }
                (commands(entries.iter().map(|e| of("scripts/referee.py derive", e))))
                @if solved {
                    p { "And the solution alone: " }
                    (commands(entries.iter().filter(|e| e.record.best_solution().is_some()).map(|e| of("scripts/referee.py replay", e))))
                }
            }
            ul {
                li { "Every level accounts for every successor: successors = pruned + duplicates + old + states." }
                li { "Every level has a digest, the sum modulo 2" sup { "128" } " of a mix of its states"
                    @if let Some(key) = &record.digest_key { " under the key " code { (key.to_string()) } }
                    ". The same search with any number of threads, or with levels on disk, has the same digests." }
                @if let Some(s) = symmetries {
                    li { "Symmetry used: "
                        @if !s.fixing.is_empty() { (s.fixing.len()) @if s.fixing.len() == 1 { " element" } @else { " elements" } " of K, which fix start and target; " }
                        @if s.mirror.is_some() { "a mirror that exchanges them, so half of each way was searched." } @else { "no mirror." } }
                }
            }
        }
    }
}

fn commands(lines: impl Iterator<Item = String>) -> Markup {
    let lines: Vec<String> = lines.collect();
    html! { pre.commands tabindex="0" role="group" aria-label="Commands" { code { (lines.join("\n")) } } }
}

/// Job, date, source, machine; how to cite it.
pub(super) fn provenance(entries: &[&Entry]) -> Markup {
    html! {
        section.provenance {
            h2 { "Where it comes from" }
            @for Entry { file, record, .. } in entries {
                details open[entries.len() == 1] {
                    summary { (file) ": " (asked(record)) ", " (record.pruning.to_string()) }
                    dl {
                        dt { "program" } dd { (record.program) }
                        @if let Some(source) = &record.source { dt { "source tree" } dd { code { (source) } } }
                        @if let Some(finished) = &record.finished { dt { "finished" } dd { (finished) } }
                        @if let Some(machine) = &record.machine { dt { "machine" } dd { (on(machine)) } }
                        dt { "took" } dd {
                            (format!("{:.1} s on the clock, {:.1} s of CPU time, {}, {} of memory", record.seconds, record.cpu_seconds,
                                counted(record.threads, "thread"), bytesize::ByteSize(record.peak_memory_bytes)))
                        }
                        @if record.verdict == Verdict::Incomplete {
                            dt { "ended" } dd { "Not finished: this is no refutation." @if let Some(reason) = &record.reason { " (" (reason) ")" } }
                        }
                    }
                    (copied("The job", &job_text::text(record), &command(record)))
                }
            }
            (copied("Cite as", &citation(&entries[0].record), ""))
        }
    }
}

fn asked(record: &Record) -> &'static str {
    match record.question {
        Asked::Solve => "the shortest solution",
        Asked::Prove => "whether there is a solution",
        Asked::Levels => "levels",
        Asked::Count => "how many solutions",
    }
}

/// The command that asks the same.
fn command(record: &Record) -> String {
    match (record.question, record.max_length, record.depth) {
        (Asked::Prove, Some(most), _) => format!("halma prove job.toml --max-length {most}"),
        (Asked::Levels, _, Some(depth)) => format!("halma levels job.toml --depth {depth}"),
        (Asked::Count, ..) => "halma count job.toml".into(),
        _ => "halma solve job.toml".into(),
    }
}

/// A text with a button that copies it.
fn copied(name: &str, text: &str, command: &str) -> Markup {
    html! {
        div.take {
            h3 { (name) }
            pre tabindex="0" role="group" aria-label=(name) { code { (text) } }
            p { button type="button" data-copy="" hidden aria-label={ "Copy: " (name) } { "Copy" } @if !command.is_empty() { " " code { (command) } } }
        }
    }
}

/// For a list of references.
fn citation(record: &Record) -> String {
    let version = record.program.rsplit(' ').next().unwrap_or_default();
    let tree = record.source.as_ref().map(|s| format!(", source tree {s}")).unwrap_or_default();
    format!(
        "@misc{{halma,\n  author = {{the halma authors}},\n  title  = {{halma: shortest solutions of board puzzles, found and proved}},\n  \
         note   = {{version {version}{tree}; {}}}\n}}\n",
        for_latex(&problem(&record.problem))
    )
}

/// A text in which LaTeX takes no character for one of its own.
fn for_latex(text: &str) -> String {
    let one = |c: char| match c {
        '{' | '}' | '%' | '#' | '&' | '_' | '$' => format!("\\{c}"),
        '\\' => "\\textbackslash{}".into(),
        '~' => "\\textasciitilde{}".into(),
        '^' => "\\textasciicircum{}".into(),
        c => c.to_string(),
    };
    text.chars().map(one).collect()
}
