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
    let of = |command: &str, entry: &Entry| format!("{command} {}", plain::quoted(&entry.file));
    html! {
        section.checking {
            h2 { "How to check it" }
            @if solved {
                p { "The solution was replayed for this page, move by move. Again: " }
                (commands(entries.iter().filter(|e| e.record.best_solution().is_some()).map(|e| of("halma replay", e))))
            }
            p { "The record, and its levels where they were kept or are few enough to derive, by code that shares nothing with the search: " }
            (commands(entries.iter().map(|e| of("halma check", e))))
            // It knows transfers and games alone, and derives no palindromes.
            @if let ProblemSpec::Armies(_) = record.problem {
                @if !record.palindromic {
                    p { "The same by a second program with rules of its own, for small runs: " }
                    (commands(entries.iter().map(|e| of("scripts/referee.py derive", e))))
                }
                @if solved {
                    p { "The solution alone, by a second program with rules of its own: " }
                    (commands(entries.iter().filter(|e| e.record.best_solution().is_some()).map(|e| of("scripts/referee.py replay", e))))
                }
            }
            ul {
                li { "Every level accounts for every successor: successors = pruned + duplicates + old + states." }
                li { "Every level has a digest, the sum modulo 2" sup { "128" } " of a mix of its states"
                    @if let Some(key) = &record.digest_key { " under the key " code { (key.to_string()) } }
                    ". The same search with any number of threads, or with levels on disk, has the same digests." }
                @if let Some(used) = symmetries(entries) { li { "Symmetry used: " (used) "." } }
            }
        }
    }
}

/// The symmetries that were used, in words.
fn symmetries(entries: &[&Entry]) -> Option<String> {
    let fixing = entries[0].record.symmetries.as_ref()?.fixing.len();
    let fix = if fixing == 1 { "fixes" } else { "fix" };
    let fixing = (fixing > 0).then(|| format!("{} of K, which {fix} start and target", counted(fixing, "element")));
    // Levels are all made from the start, whatever a mirror would exchange.
    let searches = || entries.iter().map(|e| &e.record).filter(|record| record.question != Asked::Levels);
    let is_mirrored = |record: &Record| record.symmetries.as_ref().is_some_and(|s| s.mirror.is_some());
    let mirror = searches().next().map(|_| match searches().any(is_mirrored) {
        true => "a mirror that exchanges them, so half of each way was searched".to_string(),
        false => "no mirror".to_string(),
    });
    let said: Vec<String> = [fixing, mirror].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
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
        _ if !record.more_solutions.is_empty() => {
            format!("halma solve job.toml --all {}", record.more_solutions.len() + 1)
        }
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

#[cfg(test)]
mod tests {
    use halma_engine::search::CancellationToken;
    use halma_rules::job::{Job, Overrides};

    use super::*;
    use crate::{Question, run};

    fn answered(problem: &str, question: Question, solutions: Option<u32>) -> Record {
        let job = Job::parse("a.toml".as_ref(), &format!("[problem]\n{problem}")).unwrap();
        let job = job.with(&Overrides { solutions, ..Overrides::default() }).unwrap();
        run(&job, question, &(), &CancellationToken::after(None)).unwrap()
    }

    #[test]
    fn a_list_of_solutions_is_asked_for_again() {
        let puzzle = "kind = \"rules\"\nboard = \"AA..\"\nrules = [\"A . -> . A\"]\ngoal = \"..AA\"\n";
        let command = |solutions| command(&answered(puzzle, Question::Solve, solutions));
        assert_eq!(command(None), "halma solve job.toml");
        // There are two.
        assert_eq!(command(Some(10)), "halma solve job.toml --all 2");
    }

    #[test]
    fn levels_use_no_mirror() {
        let row = "kind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
        let entry = |question| Entry { file: "a.json".into(), record: answered(row, question, None), checked: None };
        let (levels, solved) = (entry(Question::Levels { depth: 2 }), entry(Question::Solve));
        let fix = "1 element of K, which fixes start and target";
        assert_eq!(symmetries(&[&levels]).unwrap(), fix);
        let half = format!("{fix}; a mirror that exchanges them, so half of each way was searched");
        assert_eq!(symmetries(&[&levels, &solved]).unwrap(), half);
    }
}
