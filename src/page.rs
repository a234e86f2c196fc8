//! Records and solutions as pages for a browser: one file each, nothing is fetched.
//!
//! A page has what a reader of a paper looks for, in that order: the claim, a solution to look at, what the refutation
//! rests on, how to check it. It reads without scripts; they add the player and sort the tables.

mod claim;
mod plot;
mod sections;
mod table;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use halma_record::record::Record;

use crate::figure::{self, Figure};
use crate::report;
use crate::solution::Solution;
pub use claim::claim;

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// Nothing may be fetched; a browser that is asked to says so on its console.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'";

/// A record and where it lies.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The file, as commands that check it are given it.
    pub file: String,
    /// What it says.
    pub record: Record,
    /// Its solution, if it has one, replayed.
    pub checked: Option<Solution>,
}

/// A page about runs. Runs of one problem share a chapter, and its plots show them side by side.
#[must_use]
pub fn report(entries: &[Entry]) -> String {
    let mut chapters: Vec<Vec<&Entry>> = Vec::new();
    for entry in entries {
        match chapters.iter_mut().find(|c| c[0].record.problem == entry.record.problem) {
            Some(chapter) => chapter.push(entry),
            None => chapters.push(vec![entry]),
        }
    }
    let title = match &*chapters {
        [only] => report::problem(&only[0].record.problem),
        _ => format!("{} problems", chapters.len()),
    };
    page(
        &title,
        html! {
            @if chapters.len() > 1 {
                nav aria-label="Problems" {
                    ul {
                        @for (i, chapter) in chapters.iter().enumerate() {
                            li { a href={ "#problem-" (i) } { (report::problem(&chapter[0].record.problem)) } }
                        }
                    }
                }
            }
            @for (i, chapter) in chapters.iter().enumerate() {
                (sections::chapter(i, chapter, chapters.len() > 1))
            }
        },
    )
}

/// A page about one solution: its boards, a player, a table of its moves. It prints as a sheet.
#[must_use]
pub fn solution(checked: &Solution) -> String {
    page(
        &report::problem(&checked.stated()),
        html! {
            p.claim { "Checked move by move; " (checked.summary()) "." }
            (sections::player(&Figure::of(checked), "solution"))
            @if let Solution::Armies(armies) = checked { (sections::centroid(checked, armies)) }
        },
    )
}

fn page(title: &str, body: Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) " – halma" }
                style { (PreEscaped(figure::STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the answer" }
                header {
                    h1 { (title) }
                    button.theme type="button" hidden { "Dark" }
                }
                main id="main" tabindex="-1" { (body) }
                footer { p { "Made by " (halma_record::record::PROGRAM) "; the page holds all it needs." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}
