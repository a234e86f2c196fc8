//! A static site of records: a page for each problem, and an index with the results.

use std::path::Path;

use maud::{Markup, html};

use halma_record::record::{Asked, Record};

use super::chapter::Chapter;
pub use super::story::Stories;
use super::table::of_markup;
use super::{Entry, by_problem, document, of_problem};
use crate::report::problem;

/// The name of the page that leads to the others.
const INDEX: &str = "index";

/// A file of the site.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its name.
    pub name: String,
    /// What it says.
    pub html: String,
}

/// The index, then a page for each problem. `title` is what the index is called.
#[must_use]
pub fn pages(title: &str, entries: &[Entry], stories: &Stories) -> Vec<Page> {
    let problems = by_problem(entries);
    let mut names: Vec<String> = Vec::new();
    for entries in &problems {
        // The name by which a page of Markdown speaks of it, if one does.
        let all = names_of(entries);
        let is_told = |name: &&String| stories.heading(std::slice::from_ref(*name)).is_some();
        let told = all.iter().filter(is_told).min_by_key(|name| name.len());
        let name = told.cloned().unwrap_or_else(|| plain(topmost(entries)));
        // Some file systems do not tell capitals apart.
        let taken = |name: &String| {
            name.eq_ignore_ascii_case(INDEX) || names.iter().any(|other| other.eq_ignore_ascii_case(name))
        };
        let free = (2..).map(|n| format!("{name}-{n}")).find(|n| !taken(n));
        names.push(if taken(&name) { free.unwrap_or_default() } else { name });
    }
    let back = || html! { nav aria-label="Site" { a href={ (INDEX) ".html" } { "All problems" } } };
    let of = |(entries, name): (&Vec<&Entry>, &String)| Page {
        name: format!("{name}.html"),
        html: of_problem(entries, back(), stories.tell(&names_of(entries))),
    };
    let index = Page { name: format!("{INDEX}.html"), html: index(title, &problems, &names, stories) };
    std::iter::once(index).chain(problems.iter().zip(&names).map(of)).collect()
}

/// The results, folder by folder.
fn index(title: &str, problems: &[Vec<&Entry>], names: &[String], stories: &Stories) -> String {
    let mut folders: Vec<(String, Vec<usize>)> = Vec::new();
    for (i, entries) in problems.iter().enumerate() {
        let folder = stories.heading(&names_of(entries)).map_or_else(|| folder(topmost(entries)), String::from);
        match folders.iter_mut().find(|(name, _)| *name == folder) {
            Some((_, members)) => members.push(i),
            None => folders.push((folder, vec![i])),
        }
    }
    let row = |&i: &usize| -> Vec<Markup> {
        let chapter = Chapter::new(&problems[i], "");
        let known = chapter.known();
        let published = stories.published(&names_of(&problems[i])).unwrap_or_default();
        vec![
            html! { a href={ (link(&names[i])) ".html" } { (names[i]) } },
            html! { (known.short()) },
            html! { (published) },
            html! { (problem(&problems[i][0].record.problem)) },
            html! { (known.headline()) },
        ]
    };
    let settled = problems.iter().filter(|entries| Chapter::new(entries, "").known().is_settled()).count();
    let head = ["page", "result", "published", "problem", "in words"];
    let body = html! {
        p.claim { (problems.len()) " problems, " (settled) " of them settled: a page has the search, a solution to play where one was asked for, "
            "and how to check both. Every page holds all that it needs." }
        @for (folder, members) in &folders {
            @let rows: Vec<Vec<Markup>> = members.iter().map(row).collect();
            div.index { (of_markup(folder, &head, &rows, &[false, true, true, false, false], &[])) }
        }
    };
    document(title, html! { h1 { (title) } }, body)
}

/// A page's name as part of an address, where `#`, `?`, `:` and `%` mean something else.
fn link(name: &str) -> String {
    let byte = |&byte: &u8| match byte {
        b if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    name.as_bytes().iter().map(byte).collect()
}

/// The record that gives its problem a name: further questions about it are in folders beneath. Of several the shortest name.
fn topmost<'a>(entries: &[&'a Entry]) -> &'a Entry {
    let place = |entry: &&&Entry| {
        let name = plain(entry);
        (parts(entry).len(), name.len(), name)
    };
    entries.iter().min_by_key(place).unwrap_or(&entries[0])
}

/// The folder of a record's problem, as a heading of the index.
fn folder(entry: &Entry) -> String {
    let parts: Vec<String> = parts(entry);
    let mut letters = parts.iter().rev().nth(1).map(String::as_str).unwrap_or_default().chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What a record is called: its file, or the folder that it has for itself.
fn plain(entry: &Entry) -> String {
    parts(entry).pop().unwrap_or_else(|| "record".into())
}

/// The folders of a record and its own name, without words that say what was asked.
fn parts(entry: &Entry) -> Vec<String> {
    let path = Path::new(&entry.file).with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    let mut parts: Vec<String> =
        parts.filter(|part| !["result", ".", "count-all", "/"].contains(&part.as_str())).collect();
    if let Some(last) = parts.last_mut() {
        let asked = ["-solve", "-levels", "-count", "-prove"].iter().find_map(|end| last.strip_suffix(end));
        if let Some(name) = asked.map(String::from) {
            *last = name;
        }
    }
    if parts.len() > 1 && path.ends_with("result") && parts.last().is_some_and(|name| is_question(name, &entry.record))
    {
        parts.pop();
    }
    parts
}

/// Whether a folder is called after the question of its record, as `compare` and further questions call theirs.
fn is_question(folder: &str, record: &Record) -> bool {
    let (asked, pruning) = (record.question.name(), record.pruning.folder_name());
    let further = folder.strip_prefix(asked).and_then(|rest| rest.strip_prefix('-'));
    let of_levels = |rest: &str| {
        let depth = record.depth.map(|depth| depth.to_string()).unwrap_or_default();
        rest.strip_suffix("-without-symmetry").unwrap_or(rest) == depth
    };
    let asks = |rest: &str| if record.question == Asked::Levels { of_levels(rest) } else { rest.ends_with(&pruning) };
    folder == pruning || further.is_some_and(asks)
}

/// All names under which a page may speak of a problem.
fn names_of(entries: &[&Entry]) -> Vec<String> {
    let mut names: Vec<String> = entries.iter().map(|entry| plain(entry)).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use halma_engine::search::CancellationToken;
    use halma_rules::job::Job;

    use super::*;
    use crate::page::is_page;
    use crate::{Question, run};

    fn entry(file: &str, row: &str, question: Question) -> Entry {
        let job =
            format!("[problem]\nkind = \"transfer\"\nboard = \"{row}\"\nmoves = 4\n[search]\npruning = \"none\"\n");
        let job = Job::parse("a.toml".as_ref(), &job).unwrap();
        Entry {
            file: file.into(),
            record: run(&job, question, &(), &CancellationToken::after(None)).unwrap(),
            checked: None,
        }
    }

    #[test]
    fn a_page_keeps_its_name_when_more_is_asked_about_its_problem() {
        let (row, other) = ("SS..TT", "SS...TT");
        let [solve, levels] = [Question::Solve, Question::Levels { depth: 2 }];
        let asked = [
            entry("r/lunar/result.json", row, solve),
            entry("r/lunar/count-none/result.json", row, Question::Count),
            entry("r/lunar/levels-2/result.json", row, levels),
            entry("r/lunar/none/result.json", row, solve),
            // Of a comparison there are only such folders.
            entry("r/compared/none/result.json", other, solve),
        ];
        let [shorter, aside, named] = ["S..T", "S...T", "S....T"];
        let others = [
            entry("r/long-name/result.json", shorter, solve),
            entry("r/long-name/b/result.json", shorter, Question::Count),
            entry("r/none.json", aside, solve),
            entry("none/result.json", named, solve),
        ];
        let names = |entries: &[Entry]| -> Vec<String> {
            pages("Results", entries, &Stories::default()).into_iter().map(|page| page.name).collect()
        };
        assert_eq!(names(&asked[..1]), ["index.html", "lunar.html"]);
        assert_eq!(names(&asked), ["index.html", "lunar.html", "compared.html"]);
        assert_eq!(names(&others), ["index.html", "long-name.html", "none.html", "none-2.html"]);
        let backwards: Vec<Entry> = asked.iter().rev().cloned().collect();
        assert_eq!(names(&backwards), ["index.html", "compared.html", "lunar.html"]);
        assert!(pages("Results", &asked, &Stories::default()).iter().all(|page| is_page(&page.html)));
    }
}
