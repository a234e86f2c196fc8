//! Records and solutions as pages for a browser: one file each, nothing is fetched.
//!
//! A page has what a reader of a paper looks for, in that order: the result, a solution to look at, what the refutation
//! rests on, how to check it, where it comes from. It reads without scripts; they add the player and sort the tables.

mod about;
mod chapter;
mod claim;
mod index;
mod job_text;
mod known;
mod player;
mod plot;
mod sections;
pub mod site;
mod story;
mod table;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use halma_record::record::Record;

use crate::figure::{self, Figure};
use crate::report;
use crate::solution::Solution;
use chapter::Chapter;
pub use claim::claim;
use player::Player;

const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

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

/// A page about runs. Runs of one problem share a chapter, and its plots show them side by side; of several problems the
/// page begins with a table of results.
#[must_use]
pub fn report(entries: &[Entry]) -> String {
    let chapters = by_problem(entries);
    if let [only] = &*chapters {
        return of_problem(only, html! {}, html! {});
    }
    let prefixes: Vec<String> = (1..=chapters.len()).map(|n| format!("{n}.")).collect();
    let parts = chapters.iter().zip(&prefixes);
    let parts: Vec<Chapter<'_>> = parts.map(|(entries, prefix)| Chapter::new(entries, prefix)).collect();
    let ids: Vec<String> = (1..=parts.len()).map(|n| format!("problem-{n}")).collect();
    let links: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
    let title = format!("{} problems", parts.len());
    let body = html! {
        (index::table(&parts, &links))
        p.types { "A page with all boards and all levels of one problem: name its record alone, or make a site of all by " code { "-o FOLDER/" } "." }
        @for (part, id) in parts.iter().zip(&ids) { (part.folded(id)) }
    };
    document(&title, html! { h1 { (title) } }, body)
}

/// The records of each problem, in the order of their first.
fn by_problem(entries: &[Entry]) -> Vec<Vec<&Entry>> {
    let mut chapters: Vec<Vec<&Entry>> = Vec::new();
    for entry in entries {
        match chapters.iter_mut().find(|c| same(&c[0].record, &entry.record)) {
            Some(chapter) => chapter.push(entry),
            None => chapters.push(vec![entry]),
        }
    }
    chapters
}

/// Whether two records speak of one problem; what it is called is no part of it.
fn same(one: &Record, other: &Record) -> bool {
    one.problem == other.problem || one.problem.untitled() == other.problem.untitled()
}

/// A page that is larger is sent slowly: it leaves out the levels, then the boards below the player.
const HEAVY: usize = 300_000;

/// The page of one problem; `before` stands above its headline, `after` at the end.
fn of_problem(entries: &[&Entry], before: Markup, after: Markup) -> String {
    let page = |boards, levels| {
        let chapter = Chapter { boards, levels, ..Chapter::new(entries, "") };
        let (headline, problem) = (chapter.known().headline(), report::problem(&entries[0].record.problem));
        let head = html! { (before) p.problem { (problem) } h1 { (headline) } (chapter.claims()) };
        document(&format!("{headline}: {problem}"), head, html! { (chapter.body(&after)) })
    };
    let pages = [(true, true), (true, false)].into_iter().map(|(boards, levels)| page(boards, levels));
    let light = pages.into_iter().find(|page| page.len() < HEAVY);
    light.unwrap_or_else(|| page(false, false))
}

/// A page about one solution: its boards, a player, a table of its moves. It prints as a sheet.
#[must_use]
pub fn solution(checked: &Solution) -> String {
    let (figure, problem) = (Figure::of(checked), report::problem(&checked.spec()));
    let headline = halma_record::words::counted(figure.len() - 1, "move");
    let copied: String = (1..figure.len()).map(|i| figure.caption(i) + "\n").collect();
    let head = html! { p.problem { (problem) } h1 { (headline) } p.claim { "Checked move by move; " (checked.summary()) "." } };
    let body = html! {
        (Player { figure: &figure, prefix: "", copied: &copied, boards: true }.draw())
        @if let Solution::Armies(armies) = checked { (sections::centroid(&figure, armies, "")) }
    };
    document(&format!("{headline}: {problem}"), head, body)
}

/// Nothing may be fetched, and nothing runs but the page's own style and script; a browser that is asked to says so on its
/// console.
fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())));
    format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    )
}

/// Whether a file is a page that this program has made.
#[must_use]
pub fn is_page(html: &str) -> bool {
    html.contains("<footer><p>Made by halma ")
}

fn document(title: &str, head: Markup, body: Markup) -> String {
    let style = format!("{}{STYLE}", figure::STYLE);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy(&style, SCRIPT));
                meta name="color-scheme" content="light dark";
                meta name="description" content=(title);
                link rel="icon" href="data:,";
                title { (title) " – halma" }
                style { (PreEscaped(&style)) }
            }
            body {
                a.skip href="#main" { "Skip to the answer" }
                header {
                    div.head { (head) }
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
