//! Several problems on one page: what came of each first, the chapters folded away below.

use maud::{Markup, html};

use super::chapter::Chapter;
use super::table::of_markup;
use crate::report::{grouped, problem};

/// A table of results; `links` leads to each problem's part.
pub(super) fn table(chapters: &[Chapter<'_>], links: &[String]) -> Markup {
    let head = ["problem", "result", "in words", "records", "successors", "seconds"];
    let rows: Vec<Vec<Markup>> = chapters.iter().zip(links).map(|(chapter, link)| row(chapter, link)).collect();
    html! { div.index { (of_markup("Results", &head, &rows, &[false, true, false, true, true, true], &[])) } }
}

fn row(chapter: &Chapter<'_>, link: &str) -> Vec<Markup> {
    let records = || chapter.entries.iter().map(|e| &e.record);
    let known = chapter.known();
    let successors = records().fold(0u64, |sum, record| sum.saturating_add(record.generated()));
    let seconds: f64 = records().map(|r| r.seconds).sum();
    vec![
        html! { a href=(link) { (problem(&chapter.entries[0].record.problem)) } },
        html! { (known.short()) },
        html! { (known.headline()) },
        html! { (chapter.entries.len()) },
        html! { (grouped(successors)) },
        html! { (format!("{seconds:.1}")) },
    ]
}
