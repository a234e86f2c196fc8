//! `kind = "rules"`: grounds rewrite rules along a direction (as in PuzzleScript) to one step for each rule, direction,
//! place and choice of letters.

mod alphabet;
mod applications;
mod goals;
mod parsed;

use std::collections::HashSet;

use halma_record::job::puzzle_tables::{OneOrMany, RuleEntry, RulesTable, Until};

use super::TableFault;
use super::grounded::{CellMap, GoalCondition, GroundedTask, Letters, cell_maps, has_letter};
use super::map::Map;
use crate::board::Board;
use alphabet::Alphabet;
use parsed::{ParsedRule, parse};

/// The names of directions, as (columns to the right, rows down); the first four, six, eight of them have a number.
pub const DIRECTIONS: [(&str, (i32, i32)); 8] = [
    ("right", (1, 0)),
    ("left", (-1, 0)),
    ("down", (0, 1)),
    ("up", (0, -1)),
    ("right-up", (1, -1)),
    ("left-down", (-1, 1)),
    ("right-down", (1, 1)),
    ("left-up", (-1, -1)),
];

/// The most steps, and the most conditions of cells in all steps: more would take too much memory.
const MAX_STEPS: usize = 2_000_000;
const MAX_CONDITIONS: usize = 1 << 23;

/// The most rules: a step names its rule with 16 bits, of which one value stands for none.
const MAX_RULES: usize = u16::MAX as usize;

/// What is wrong with rules that apply too often.
fn too_many() -> String {
    format!(
        "more than {MAX_STEPS} applications, or {MAX_CONDITIONS} letters in all of them: fewer letters or smaller classes are needed"
    )
}

/// What one move can be under the rules of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveForms {
    /// Some rule chains.
    pub chains: bool,
    /// Some rule is repeated in its direction.
    pub repeats: bool,
    /// Some rule is free.
    pub free: bool,
}

fn parsed_rules(table: &RulesTable) -> Result<Vec<ParsedRule>, TableFault> {
    table.rules.iter().enumerate().map(|(number, entry)| parse(table, entry, number)).collect()
}

/// What one move can be. A rule without a man that moves neither chains nor repeats, whatever the table says for all.
///
/// # Errors
/// Where a rule cannot be read.
pub fn move_forms(table: &RulesTable) -> Result<MoveForms, TableFault> {
    let mut forms = MoveForms::default();
    for rule in parsed_rules(table)? {
        forms.chains |= rule.chain;
        forms.repeats |= rule.until != Until::Once;
        forms.free |= rule.free;
    }
    Ok(forms)
}

/// Compiles the table.
///
/// # Errors
/// The first fault found.
pub fn compile(table: &RulesTable) -> Result<GroundedTask, TableFault> {
    let (board, maps) = boards(table)?;
    let rules = parsed_rules(table)?;
    if rules.is_empty() {
        return Err(TableFault::of("rules", "there is no rule: at least one is needed"));
    }
    if rules.len() > MAX_RULES {
        return Err(TableFault::of(
            "rules",
            format!("at most {MAX_RULES} rules are allowed; there are {}", rules.len()),
        ));
    }
    if rules.iter().all(|rule| rule.free) {
        return Err(TableFault::of("rules", "all rules are free, so that no move counts: at least one must not be"));
    }
    let alphabet = Alphabet::of(table, &maps, &rules)?;
    let mut starts: Vec<Vec<u8>> =
        maps.iter().map(|map| map.letters.iter().map(|&l| alphabet.number(l)).collect()).collect();
    // One that is drawn twice is one start: its solutions are counted once.
    let mut seen = HashSet::new();
    starts.retain(|start| seen.insert(start.clone()));
    let (mut steps, mut conditions) = (Vec::new(), 0);
    for (number, rule) in rules.iter().enumerate() {
        let before = steps.len();
        rule.add_steps(&alphabet, &board, number, &mut steps).map_err(|fault| place(table, number, fault))?;
        if steps.len() == before && rule.fits(&board) {
            let message = "the rule changes nothing wherever it applies: its sides must differ";
            return Err(place(table, number, TableFault::whole(message)));
        }
        conditions += steps[before..].iter().map(|step| step.needs.len()).sum::<usize>();
        if steps.len() > MAX_STEPS || conditions > MAX_CONDITIONS {
            return Err(TableFault::of("rules", format!("the rules have {}", too_many())));
        }
    }
    if steps.is_empty() {
        let message = "no rule fits the board: none has as many cells in a row in the directions of the rule";
        return Err(TableFault::of("rules", message));
    }
    let turns = turns(table, &rules)?;
    let used: Vec<(i32, i32)> = rules.iter().flat_map(|rule| rule.directions.iter().map(|&(_, d)| d)).collect();
    let identity: Vec<u8> = (0..alphabet.letters.len() as u8).collect();
    let candidates = cell_maps(&board, &used);
    let candidates = candidates.into_iter().map(|cells| CellMap { cells, letters: identity.clone() }).collect();
    let goals = goals::goals(table, &alphabet, &board)?;
    let has_empty = alphabet.letters.last() == Some(&'.');
    let ranked = alphabet.letters.len() - usize::from(has_empty);
    let letters = alphabet.letters;
    let task =
        GroundedTask { board, letters, ranked, has_empty, bodies: Vec::new(), starts, steps, turns, goals, candidates };
    reachable(table, &task)?;
    Ok(task)
}

/// A goal must not contradict itself, nor ask for other numbers of letters than those that are kept.
fn reachable(table: &RulesTable, task: &GroundedTask) -> Result<(), TableFault> {
    for (number, goal) in task.goals.iter().enumerate() {
        let fault = |message: String| {
            let fault = TableFault::of("goal", message);
            Err(if matches!(table.goal, Some(OneOrMany::Many(_))) { fault.at(number) } else { fault })
        };
        kept(task, goal).map_or(Ok(()), fault)?;
        if task.contradicts(goal) {
            return fault("no state can meet it: its conditions contradict one another".into());
        }
    }
    Ok(())
}

/// What a goal asks for that is not what every state has, where no rule changes numbers of letters.
fn kept(task: &GroundedTask, goal: &GoalCondition) -> Option<String> {
    let counts = task.counts()?;
    let name = |letters: Letters| {
        let all = (0..task.letters.len()).filter(|&l| has_letter(letters, l)).map(|l| task.letters[l]);
        all.collect::<String>()
    };
    let sum = |letters: Letters| (0..counts.len()).filter(|&l| has_letter(letters, l)).map(|l| counts[l]).sum::<u32>();
    if let Some(&(letters, asked)) = goal.counts.iter().find(|&&(letters, asked)| sum(letters) != asked) {
        let (name, there) = (name(letters), sum(letters));
        return Some(format!(
            "no state can meet it: it asks for {asked} cells with {name}, the start has {there}, and no rule changes that number"
        ));
    }
    for (letter, &there) in counts.iter().enumerate() {
        let only = goal.cells.iter().filter(|&&(_, letters)| letters == 1 << letter).count() as u32;
        if only > there {
            let name = name(1 << letter);
            return Some(format!(
                "no state can meet it: it has {name} on {only} cells, the start on {there}, and no rule changes that number"
            ));
        }
    }
    None
}

/// A fault in the text or the table of a rule.
fn place(table: &RulesTable, number: usize, mut fault: TableFault) -> TableFault {
    let rest = std::mem::take(&mut fault.path);
    let base = TableFault::of("rules", "").at(number);
    let text = matches!(table.rules[number], RuleEntry::Text(_));
    let base = if text || !rest.is_empty() { base } else { base.key("rule") };
    let path = base.path.into_iter().chain(if text { Vec::new() } else { rest }).collect();
    TableFault { path, ..fault }
}

/// Whether sides take turns. Either every rule names its turn, or none does.
fn turns(table: &RulesTable, rules: &[ParsedRule]) -> Result<bool, TableFault> {
    let with = rules.iter().filter(|rule| rule.turn > 0).count();
    if let (true, Some(number)) = (with > 0, rules.iter().position(|rule| rule.turn == 0)) {
        let message = "this rule has no turn, and others have: sides take turns in all rules or in none";
        return Err(place(table, number, TableFault::whole(message)));
    }
    Ok(with > 0)
}

/// The start maps, on one board.
fn boards(table: &RulesTable) -> Result<(Board, Vec<Map>), TableFault> {
    let many = matches!(table.board, OneOrMany::Many(_));
    let texts = table.board.as_slice();
    let faulty = |number: usize| move |fault: TableFault| if many { fault.at(number) } else { fault };
    let mut maps = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let map = Map::parse("board", text).map_err(faulty(number))?;
        if let Some((cell, letter)) =
            map.letters.iter().enumerate().find(|(_, l)| "*?".contains(**l) || is_class(table, **l))
        {
            let message = format!("a start has no classes: `{letter}` stands for one of several letters");
            return Err(faulty(number)(TableFault::of("board", message).within(map.spans[cell].clone())));
        }
        maps.push(map);
    }
    let Some(first) = maps.first() else {
        return Err(TableFault::of("board", "there is no start: at least one map is needed"));
    };
    let board = first.board.clone();
    if let Some(number) = maps.iter().position(|map| map.board != board) {
        let message = "the starts must have their cells at the same places";
        return Err(faulty(number)(TableFault::of("board", message)));
    }
    Ok((board, maps))
}

fn is_class(table: &RulesTable, letter: char) -> bool {
    letter == '*' || letter == '?' || table.legend.keys().any(|key| key.chars().eq([letter]))
}
