//! All about one problem: the result, a solution to play, the search, how to check it.

use maud::{Markup, html};

use halma_puzzles::own::replay::start_of;
use halma_record::record::{Asked, Record};
use halma_rules::job;

use super::known::Known;
use super::player::{Player, ground, legend};
use super::{Entry, about, claim, sections};
use crate::figure::Figure;
use crate::report::goal;
use crate::report::problem;
use crate::solution::Solution;

/// Records of one problem, and how they are shown.
#[derive(Clone, Copy)]
pub(super) struct Chapter<'a> {
    pub(super) entries: &'a [&'a Entry],
    /// What the names of its parts begin with.
    pub(super) prefix: &'a str,
    /// Whether all boards stand below the player.
    pub(super) boards: bool,
    /// Whether there is a table of every level.
    pub(super) levels: bool,
}

impl<'a> Chapter<'a> {
    /// One that leaves out what takes room: all boards, and all levels.
    pub(super) fn new(entries: &'a [&'a Entry], prefix: &'a str) -> Self {
        Self { entries, prefix, boards: false, levels: false }
    }

    /// What is known of the problem.
    pub(super) fn known(&self) -> Known<'_> {
        Known::from(self.entries.iter().map(|e| &e.record))
    }

    fn problem(&self) -> String {
        problem(&self.entries[0].record.problem)
    }

    /// The solution that is shown: the shortest.
    fn solved(&self) -> Option<(&Record, &Solution)> {
        let solved = self.entries.iter().filter_map(|e| Some((&e.record, e.checked.as_ref()?)));
        solved.min_by_key(|(record, _)| record.length)
    }

    /// The claims, for the head of the page.
    pub(super) fn claims(&self) -> Markup {
        let claims = claims(self.entries);
        let first = claims.first().map(|(said, _)| said.as_str()).unwrap_or_default();
        let is_counted = self.entries.iter().any(|e| e.record.counts.is_some() && claim(&e.record) == first);
        html! {
            p.claim { (first) @if let Some(counted) = self.known().counted().filter(|_| !is_counted) { " " (counted) } }
            // The claim says that it is reached; which block has to leave is no part of it.
            @if let Some(goal) = self.entries[0].record.problem.puzzle().and_then(goal::words) { p.types { "The goal: " (goal) "." } }
            @if claims.len() > 1 || self.entries.len() > 1 {
                details.claims {
                    summary { (self.entries.len()) " records, and what each says" }
                    @for (claim, prunings) in &claims { p.claim { (claim) } p.types { "Found under: " (prunings.join(", ")) "." } }
                }
            }
        }
    }

    /// All but the headline and the claim; `story` stands before the search.
    pub(super) fn body(&self, story: &Markup) -> Markup {
        let Self { entries, prefix, boards, levels } = *self;
        html! {
            @match self.solved() {
                Some((record, solution)) => {
                    @let figure = Figure::of(solution);
                    @let copied = moves_as_file(record);
                    (Player { figure: &figure, prefix, copied: &copied, boards }.draw())
                    @if let Solution::Armies(checked) = solution && levels { (sections::centroid(&figure, checked, prefix)) }
                }
                None => { (self.start()) }
            }
            (story)
            (sections::search(entries, prefix, levels))
            (about::checking(entries))
            (about::provenance(entries))
        }
    }

    /// The chapter among others: folded away under its headline.
    pub(super) fn folded(&self, id: &str) -> Markup {
        html! {
            details.chapter id=(id) {
                summary { h2 { (self.known().headline()) } " " span.problem { (self.problem()) } }
                article { (self.claims()) (self.body(&html! {})) }
            }
        }
    }

    /// The board where there is no solution to look at.
    fn start(&self) -> Markup {
        let (record, id) = (&self.entries[0].record, format!("{}ground", self.prefix));
        html! {
            @if let Some(figure) = start_figure(record) {
                (ground(&figure, &id))
                div.player.still {
                    figure.stage { (figure.inline(0, &id, true)) figcaption { "The start" } }
                    div.side { @if figure.armies().is_some() { (legend(&figure)) } }
                }
            }
        }
    }
}

/// The start of a record's problem.
pub(super) fn start_figure(record: &Record) -> Option<Figure> {
    match job::transfer_of(&record.problem) {
        Ok(transfer) => Some(Figure::of_transfer(&transfer, &[])),
        Err(_) => match record.problem.puzzle() {
            Some(puzzle) => start_of(puzzle).ok().map(|picture| Figure::of_puzzle(puzzle, &[picture], &[])),
            None => job::game_of(&record.problem).ok().map(|game| Figure::of_game(&game, &[])),
        },
    }
}

/// What the records claim, each claim once, with the prunings that led to it; what says more comes first.
fn claims(entries: &[&Entry]) -> Vec<(String, Vec<String>)> {
    let mut claims: Vec<(String, Vec<String>)> = Vec::new();
    let unsettled = |record: &Record| !Known::from(std::iter::once(record)).is_settled();
    let mut sorted: Vec<&&Entry> = entries.iter().collect();
    sorted.sort_by_key(|e| (e.record.palindromic, unsettled(&e.record), e.record.question != Asked::Solve));
    for Entry { record, .. } in sorted {
        let (said, pruning) = (claim(record), record.pruning.to_string());
        match claims.iter_mut().find(|(known, _)| *known == said) {
            Some((_, prunings)) => prunings.push(pruning),
            None => claims.push((said, vec![pruning])),
        }
    }
    claims
}

/// A solution as it is copied: of armies as a file that `halma replay` reads, else a move a line.
pub(super) fn moves_as_file(record: &Record) -> String {
    let moves = record.best_solution().unwrap_or_default();
    if record.problem.puzzle().is_some() {
        return moves.join("\n") + "\n";
    }
    let problem = super::job_text::problem(record);
    format!("{problem}\n[solution]\nlength = {}\nmoves = \"\"\"\n{}\n\"\"\"\n", moves.len(), moves.join(",\n"))
}

#[cfg(test)]
mod tests {
    use halma_engine::search::CancellationToken;
    use halma_rules::job::Job;

    use super::*;
    use crate::{Question, run};

    #[test]
    fn a_page_of_rush_hour_says_which_block_has_to_leave() {
        let job = format!("[problem]\nkind = \"blocks\"\nboard = \"AA.XX.{}\"\nmetric = \"slide\"\n", "o".repeat(30));
        let job = Job::parse("a.toml".as_ref(), &job.replacen("XX.", ".XX", 1)).unwrap();
        let record = run(&job, Question::Levels { depth: 1 }, &(), &CancellationToken::after(None)).unwrap();
        let entry = Entry { file: "a.json".into(), record, checked: None };
        let said = Chapter::new(&[&entry], "").claims().into_string();
        assert!(said.contains("The goal: block A covers e1, f1 (the job names no goal: A leaves"), "{said}");
    }
}
