//! A problem in words, and the record on which another builds.

use halma_record::record::Record;
use halma_record::words::{counted, moves};
use halma_rules::job::puzzle_tables::{BlocksTable, Metric, PermutationTable};
use halma_rules::job::{Army, ProblemSpec, Pruning, PuzzleSpec};
use halma_rules::puzzle::rules::{self, MoveForms};

use super::goal;

/// The problem in a line.
#[must_use]
pub fn problem(spec: &ProblemSpec) -> String {
    let spec = match spec {
        ProblemSpec::Armies(armies) => armies,
        ProblemSpec::Puzzle(puzzle) => {
            return format!("{}; {}{}", named(puzzle), one_move(puzzle), untold_goal(puzzle));
        }
    };
    let title = spec.title.as_ref().map(|title| format!("{title}: ")).unwrap_or_default();
    let army = match &spec.army {
        Army::Named(name) => format!("{name}, {}", counted(spec.men, "man")),
        Army::Cells(_) => counted(spec.men, "man"),
    };
    let board = if spec.map.is_some() { "a drawn board" } else { &spec.board };
    let jumps = if spec.jumps_only { ", jumps only" } else { "" };
    format!("{title}{army}, on {board} under {}-move rules{jumps}", spec.moves.number())
}

/// Which lengths were not tried, because the record builds on an earlier one.
pub(crate) fn built_on(record: &Record) -> Option<String> {
    let earlier = record.refuted_by.as_ref()?;
    let refuted = moves(earlier.refuted_up_to?);
    let day = earlier.finished.as_ref().and_then(|finished| finished.get(..10));
    let day = day.map(|day| format!(" of {day}")).unwrap_or_default();
    let pruning = match &earlier.pruning {
        Pruning::None => "without pruning".into(),
        pruning => pruning.to_string(),
    };
    Some(format!(
        "An earlier record{day} ({pruning}) shows that no solution has at most {refuted}: these lengths were not tried again."
    ))
}

/// The goal of blocks whose job names none: who wrote it may mean another car.
fn untold_goal(puzzle: &PuzzleSpec) -> String {
    let table = Some(puzzle).filter(|puzzle| puzzle.kind == "blocks").and_then(|puzzle| puzzle.table().ok());
    let is_untold = table.is_some_and(|table: BlocksTable| table.goal.is_none());
    let goal = is_untold.then(|| goal::words(puzzle)).flatten();
    goal.map(|goal| format!("; {goal}")).unwrap_or_default()
}

/// What a puzzle is called: its title, or what it is.
#[must_use]
pub fn named(puzzle: &PuzzleSpec) -> String {
    let what = match puzzle.kind.as_str() {
        "rules" => "a puzzle by rewrite rules",
        "blocks" => "a puzzle of sliding blocks",
        "permutation" => "a puzzle by permutations",
        kind => return puzzle.title.clone().unwrap_or_else(|| format!("a puzzle of kind {kind}")),
    };
    puzzle.title.clone().unwrap_or_else(|| what.into())
}

/// What counts as one move of a puzzle, in words.
#[must_use]
pub fn one_move(puzzle: &PuzzleSpec) -> String {
    let what = match puzzle.kind.as_str() {
        "rules" => move_forms(puzzle).map(by_rules).unwrap_or_default(),
        "blocks" => match puzzle.table::<BlocksTable>().map(|table| table.metric) {
            Ok(Metric::Step) => "one block by one cell",
            Ok(Metric::Slide) => "one block in one direction, any distance",
            _ => "one block, by any path",
        },
        "permutation" => match puzzle.table::<PermutationTable>().map(|table| table.quarter) {
            Ok(true) => "a move of the file, or its inverse",
            _ => "any power of a move of the file",
        },
        _ => "as the puzzle's program has it",
    };
    format!("one move: {what}")
}

fn move_forms(puzzle: &PuzzleSpec) -> Option<MoveForms> {
    rules::move_forms(&puzzle.table().ok()?).ok()
}

fn by_rules(MoveForms { chains, repeats, free }: MoveForms) -> &'static str {
    if free {
        return match chains || repeats {
            true => "a rule that is not free, with its chain or repetition; free rules before it cost nothing",
            false => "a rule that is not free; free rules before it cost nothing",
        };
    }
    match (chains, repeats) {
        (true, true) => "a rule applied once, a chain by one man, or a rule repeated in one direction",
        (true, false) => "a rule applied once, or a chain by one man",
        (false, true) => "a rule applied once, or repeated in one direction",
        (false, false) => "a rule applied once",
    }
}
