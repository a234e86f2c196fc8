//! Writes PDDL (typed, with action costs), for Fast Downward and other planners: a domain and a problem.
//!
//! A move costs 1. If a move can have several steps, the first costs 1, and the others and the end of the move cost
//! nothing. Free rules cost nothing, and the goal does not hold after one, because the move that they belong to is not
//! complete.

mod blocked;
mod permutations;

use std::collections::BTreeSet;
use std::fmt::Write;

use super::super::grounded::{GoalCondition, Letters, Until, has_letter};
use super::lifted::{Lifted, Schema};
use super::{Export, ExportedFile, slug};

pub(super) use permutations::permutations;

/// An action.
#[derive(Default)]
struct Action {
    name: String,
    parameters: Vec<String>,
    needs: Vec<String>,
    effects: Vec<String>,
    cost: u32,
}

impl Action {
    fn text(&self) -> String {
        let mut text = format!("\n  (:action {}\n    :parameters ({})\n", self.name, self.parameters.join(" "));
        let and = |all: &[String]| format!("(and{})", all.iter().map(|part| format!(" {part}")).collect::<String>());
        let cost = (self.cost > 0).then(|| format!("(increase (total-cost) {})", self.cost));
        let effects: Vec<String> = self.effects.iter().cloned().chain(cost).collect();
        let _ = writeln!(text, "    :precondition {}\n    :effect {})", and(&self.needs), and(&effects));
        text
    }
}

/// The parts of the domain that its actions turn out to need.
struct Domain<'a> {
    lifted: &'a Lifted<'a>,
    /// Sets of letters that have a predicate.
    classes: BTreeSet<Letters>,
    /// Changes of counters that have a predicate.
    changes: BTreeSet<i64>,
    disjunctions: bool,
    /// Whether a chain that leads back must not end there.
    back: bool,
    /// Further tables of cells.
    stops: Vec<Vec<Vec<u8>>>,
}

/// The name of a set of letters, or of its predicate.
fn class(set: Letters) -> String {
    format!("class_{set:x}")
}

/// The name of the predicate of a change.
fn change(by: i64) -> String {
    if by < 0 { format!("less_{}", -by) } else { format!("more_{by}") }
}

/// The name of a number of cells; `n1` may be a cell.
fn amount(number: i64) -> String {
    format!("n_{number}")
}

impl Domain<'_> {
    /// That a cell has one of these letters: nothing where it may have any. A parameter stands for one of several.
    fn has(&mut self, action: &mut Action, cell: &str, set: Letters) {
        if set == self.lifted.all() {
            return;
        }
        let mut named = self.lifted.named(set);
        if let (Some(letter), None) = (named.next(), named.next()) {
            action.needs.push(format!("(has {cell} {letter})"));
            return;
        }
        let name = format!("?x{}", action.parameters.len());
        action.parameters.push(format!("{name} - letter"));
        action.needs.push(format!("({} {name})", class(set)));
        action.needs.push(format!("(has {cell} {name})"));
        self.classes.insert(set);
    }

    /// The step of a schema, and nothing of what is around it.
    fn step(&mut self, schema: &Schema, name: String) -> Action {
        let mut action = Action { name, ..Action::default() };
        let cell = |place: usize| format!("?c{}", place + 1);
        action.parameters.extend((0..schema.kind.places.len()).map(|place| format!("{} - cell", cell(place))));
        let row: String = (0..schema.kind.places.len()).map(|place| format!(" {}", cell(place))).collect();
        action.needs.push(format!("(line_{}{row})", schema.table + 1));
        for (number, place) in schema.kind.places.iter().enumerate() {
            self.has(&mut action, &cell(number), place.needs);
        }
        for (number, place) in schema.kind.places.iter().enumerate() {
            if let Some(new) = place.writes {
                let old = self.lifted.named(place.needs).next().unwrap_or_default();
                let new = &self.lifted.letters[usize::from(new)];
                action.effects.push(format!("(not (has {0} {old})) (has {0} {new})", cell(number)));
            }
        }
        for (number, &set) in self.lifted.counters.iter().enumerate() {
            let by = schema.change(set);
            if by != 0 {
                self.changes.insert(by);
                let (old, new) = (format!("?n{number}"), format!("?m{number}"));
                action.parameters.push(format!("{old} {new} - amount"));
                action.needs.push(format!("({} {old} {new}) (count_{number} {old})", change(by)));
                action.effects.push(format!("(not (count_{number} {old})) (count_{number} {new})"));
            }
        }
        if schema.kind.turn > 0 {
            action.needs.push(format!("(side_{})", schema.kind.turn));
        }
        action
    }

    /// The actions of a schema: the beginning of a move, and going on with it.
    fn actions(&mut self, schema: &Schema) -> Vec<Action> {
        let mut first = self.step(schema, schema.name.clone());
        first.cost = u32::from(!schema.kind.free);
        if self.lifted.has_long_moves() {
            first.needs.push("(rest)".into());
        }
        if schema.kind.free {
            first.effects.push("(not (counted))".into());
            return vec![first];
        }
        if self.lifted.has_free() {
            first.effects.push("(counted)".into());
        }
        let Some(on) = schema.mode() else {
            if schema.kind.turn > 0 {
                first.effects.push(other_side(schema.kind.turn));
            }
            return vec![first];
        };
        let mut next = self.step(schema, format!("{}_on", schema.name));
        let (from, to) = (format!("?c{}", schema.kind.from + 1), format!("?c{}", schema.kind.to + 1));
        first.effects.push(format!("(not (rest)) ({on} {to})"));
        if self.back && schema.kind.chain {
            first.effects.push(format!("(origin {from})"));
        }
        next.needs.push(format!("({on} {from})"));
        next.effects.push(format!("(not ({on} {from})) ({on} {to})"));
        vec![first, next]
    }

    /// The actions that end a move.
    fn ends(&mut self) -> Vec<Action> {
        let mut modes: Vec<(String, u8)> = Vec::new();
        for schema in &self.lifted.schemas {
            // Where a repetition ends because it is blocked, other actions end it.
            let Some(on) = schema.mode().filter(|_| schema.kind.until != Until::Blocked) else { continue };
            if !modes.contains(&(on.clone(), schema.kind.turn)) {
                modes.push((on, schema.kind.turn));
            }
        }
        let mut ends: Vec<Action> = modes
            .into_iter()
            .map(|(on, turn)| {
                let mut end =
                    Action { name: format!("end_{on}"), parameters: vec!["?c - cell".into()], ..Action::default() };
                end.needs.push(format!("({on} ?c)"));
                end.effects.push(format!("(not ({on} ?c)) (rest)"));
                if self.back && on == "chaining" {
                    end.parameters.push("?o - cell".into());
                    end.needs.push("(origin ?o) (not (= ?c ?o))".into());
                    end.effects.push("(not (origin ?o))".into());
                }
                pass(&mut end, turn);
                end
            })
            .collect();
        ends.extend(blocked::ends(self));
        ends
    }

    /// The actions that reach the goal; with none where the goal itself can be said.
    fn finishes(&mut self, goals: &[GoalCondition]) -> (Vec<Action>, Vec<String>) {
        let rest = self.lifted.has_long_moves().then(|| "(rest)".to_string());
        let mut all: Vec<Action> = Vec::new();
        for (number, goal) in goals.iter().enumerate() {
            let mut action = Action { name: format!("goal_{}", number + 1), ..Action::default() };
            for &(cell, set) in &goal.cells {
                let cell = &self.lifted.cells[usize::from(cell)];
                self.has(&mut action, cell, set);
            }
            for &(set, count) in &goal.counts {
                if let Some(counter) = self.lifted.counters.iter().position(|&c| c == set) {
                    action.needs.push(format!("(count_{counter} {})", amount(count.into())));
                }
            }
            action.needs.extend(rest.clone());
            action.needs.extend(self.lifted.has_free().then(|| "(counted)".to_string()));
            action.effects.push("(solved)".into());
            all.push(action);
        }
        match &all[..] {
            [one] if one.parameters.is_empty() => (Vec::new(), one.needs.clone()),
            _ => (all, vec!["(solved)".into()]),
        }
    }

    /// The actions that choose a start, and what holds at first.
    fn starts(&self) -> (Vec<Action>, Vec<String>) {
        let task = self.lifted.task;
        let holds = |start: &Vec<u8>| -> Vec<String> {
            let has =
                |(cell, &letter): (&String, &u8)| format!("(has {cell} {})", self.lifted.letters[usize::from(letter)]);
            let mut all: Vec<String> = self.lifted.cells.iter().zip(start).map(has).collect();
            for (number, set) in self.lifted.counters.iter().enumerate() {
                let count = start.iter().filter(|&&letter| has_letter(*set, letter)).count();
                all.push(format!("(count_{number} {})", amount(count as i64)));
            }
            all.extend(self.lifted.has_long_moves().then(|| "(rest)".to_string()));
            all.extend(self.lifted.has_free().then(|| "(counted)".to_string()));
            all.extend(task.turns.then(|| "(side_1)".to_string()));
            all
        };
        if let [start] = &task.starts[..] {
            return (Vec::new(), holds(start));
        }
        let one = |(number, start): (usize, &Vec<u8>)| {
            let effects = std::iter::once("(not (before))".to_string()).chain(holds(start)).collect();
            Action {
                name: format!("start_{}", number + 1),
                needs: vec!["(before)".into()],
                effects,
                ..Action::default()
            }
        };
        (task.starts.iter().enumerate().map(one).collect(), vec!["(before)".into()])
    }

    fn predicates(&self) -> Vec<String> {
        let lifted = self.lifted;
        let tables = |name: &str, tables: &[Vec<Vec<u8>>]| -> Vec<String> {
            let of = |(number, table): (usize, &Vec<Vec<u8>>)| {
                let cells = (1..=table.first().map_or(0, Vec::len)).map(|c| format!(" ?c{c}")).collect::<String>();
                format!("({name}_{}{cells} - cell)", number + 1)
            };
            tables.iter().enumerate().map(of).collect()
        };
        let mut all = vec!["(has ?c - cell ?l - letter)".to_string()];
        all.extend(tables("line", &lifted.tables));
        all.extend(tables("stop", &self.stops));
        all.extend(self.classes.iter().map(|&set| format!("({} ?l - letter)", class(set))));
        all.extend(self.changes.iter().map(|&by| format!("({} ?n ?m - amount)", change(by))));
        all.extend((0..lifted.counters.len()).map(|number| format!("(count_{number} ?n - amount)")));
        all.extend(lifted.has_long_moves().then(|| "(rest)".to_string()));
        all.extend(lifted.has_free().then(|| "(counted)".to_string()));
        all.extend(lifted.has_chains().then(|| "(chaining ?c - cell)".to_string()));
        all.extend((1..=lifted.repetitions.len()).map(|repetition| format!("(running_{repetition} ?c - cell)")));
        all.extend(self.back.then(|| "(origin ?c - cell)".to_string()));
        if lifted.task.turns {
            all.extend(["(side_1)".to_string(), "(side_2)".to_string()]);
        }
        all
    }

    /// The static facts.
    fn facts(&self) -> Vec<String> {
        let lifted = self.lifted;
        let rows = |name: &str, tables: &[Vec<Vec<u8>>]| -> Vec<String> {
            let row = |number: usize, row: &Vec<u8>| {
                let cells = row.iter().map(|&c| format!(" {}", lifted.cells[usize::from(c)])).collect::<String>();
                format!("({name}_{}{cells})", number + 1)
            };
            tables.iter().enumerate().flat_map(|(n, table)| table.iter().map(move |r| row(n, r))).collect()
        };
        let mut all = rows("line", &lifted.tables);
        all.extend(rows("stop", &self.stops));
        for &set in &self.classes {
            all.extend(lifted.named(set).map(|letter| format!("({} {letter})", class(set))));
        }
        let most = lifted.cells.len() as i64;
        for &by in &self.changes {
            let pairs = (0..=most).map(|n| (n, n + by)).filter(|&(_, m)| (0..=most).contains(&m));
            all.extend(pairs.map(|(n, m)| format!("({} {} {})", change(by), amount(n), amount(m))));
        }
        all
    }
}

/// The end of a move of a side.
fn pass(action: &mut Action, turn: u8) {
    if turn > 0 {
        action.name += &format!("_{turn}");
        action.needs.push(format!("(side_{turn})"));
        action.effects.push(other_side(turn));
    }
}

fn other_side(turn: u8) -> String {
    format!("(not (side_{turn})) (side_{})", 3 - turn)
}

/// Words in lines of a width that is easy to read.
fn lines(words: &[String], indent: &str) -> String {
    let mut text = String::new();
    let mut width = usize::MAX;
    for word in words {
        if width.saturating_add(word.len()) > 110 {
            let _ = write!(text, "\n{indent}");
            width = indent.len();
        } else {
            text.push(' ');
        }
        text.push_str(word);
        width += word.len() + 1;
    }
    text
}

/// Domain and problem of rules and blocks.
pub(super) fn task(export: &Export, lifted: &Lifted) -> Result<Vec<ExportedFile>, String> {
    let task = lifted.task;
    if task.goals.is_empty() {
        return Err("the job has no goal: a planner has nothing to look for".into());
    }
    if task.turns && lifted.has_free() {
        return Err("sides take turns, and a move may lead back after free rules: that cannot be exported".into());
    }
    let (classes, changes) = (BTreeSet::new(), BTreeSet::new());
    let mut domain =
        Domain { lifted, classes, changes, disjunctions: false, back: lifted.could_pass()?, stops: Vec::new() };
    let mut actions: Vec<Action> = lifted.schemas.iter().flat_map(|schema| domain.actions(schema)).collect();
    actions.extend(domain.ends());
    let (finishes, goal) = domain.finishes(&task.goals);
    let (starts, holds) = domain.starts();
    let mut predicates = domain.predicates();
    predicates.extend((!finishes.is_empty()).then(|| "(solved)".to_string()));
    predicates.extend((!starts.is_empty()).then(|| "(before)".to_string()));
    actions.extend(finishes.into_iter().chain(starts));

    let name = slug(export.title);
    let mut costs = String::from("A plan's cost is its number of moves; what costs nothing is no move of its own.");
    costs += " The least cost of a plan is the length of the shortest solution.";
    let mut text = export.head(";", &[costs.clone(), lifted.legend()]);
    let mut adl = if domain.disjunctions { " :disjunctive-preconditions" } else { "" }.to_string();
    if domain.back {
        adl += " :equality :negative-preconditions";
    }
    let numbers = !lifted.counters.is_empty();
    let _ = write!(
        text,
        "\n(define (domain {name})\n  (:requirements :strips :typing :action-costs{adl})\n  (:types cell letter{})\n",
        if numbers { " amount" } else { "" }
    );
    let _ = write!(text, "  (:constants{} - cell", lines(&lifted.cells, "    "));
    let amounts: Vec<String> = (0..=lifted.cells.len() as i64).map(amount).collect();
    if numbers {
        let _ = write!(text, "{} - amount", lines(&amounts, "    "));
    }
    let _ = writeln!(text, "{} - letter)", lines(&lifted.letters, "    "));
    let _ = writeln!(text, "  (:predicates{})", lines(&predicates, "    "));
    let _ = writeln!(text, "  (:functions (total-cost) - number)");
    actions.iter().for_each(|action| text += &action.text());
    text += ")\n";

    let mut problem = export.head(";", &[costs]);
    let _ = write!(problem, "\n(define (problem {name}_1)\n  (:domain {name})\n  (:init (= (total-cost) 0)");
    problem += &lines(&holds, "    ");
    problem += &lines(&domain.facts(), "    ");
    let _ = write!(problem, ")\n  (:goal (and{}))\n  (:metric minimize (total-cost)))\n", lines(&goal, "    "));
    Ok(files(text, problem))
}

fn files(domain: String, problem: String) -> Vec<ExportedFile> {
    vec![ExportedFile { ending: "-domain.pddl", text: domain }, ExportedFile { ending: "-problem.pddl", text: problem }]
}
