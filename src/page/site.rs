//! A static site of records: a page for each problem, and an index with the results.

use std::path::Path;

use maud::{Markup, html};

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
        let name = told.or_else(|| all.iter().min_by_key(|name| name.len())).cloned().unwrap_or_default();
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
        let folder = stories.heading(&names_of(entries)).map_or_else(|| folder(entries[0]), String::from);
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
    parts
}

/// All names under which a page may speak of a problem.
fn names_of(entries: &[&Entry]) -> Vec<String> {
    let mut names: Vec<String> = entries.iter().map(|entry| plain(entry)).collect();
    names.sort();
    names.dedup();
    names
}
