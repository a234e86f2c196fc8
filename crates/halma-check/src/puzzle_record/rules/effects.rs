//! What rules do at each place: compared under maps of cells, and with what undoes it.

use std::collections::{BTreeMap, BTreeSet};

use halma_record::job::puzzle_tables::Until;

use super::super::grid::Step;
use super::mirror::Mirror;
use super::{After, Letters, Rule, Rules};
use crate::memory;

/// The most places of all effects that are compared.
const MOST: usize = 1 << 20;

/// Bytes for each place of an effect, which is held with its image.
const PLACE: usize = 300;

/// What may be done after a rule was applied, in terms of cells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Once,
    /// The man of a chain, from where to where.
    Chain(u8, u8),
    /// All cells in order, which say how the rule goes on, and where the man goes; whether each end counts.
    Repeated(Vec<u8>, u8, bool),
}

/// What a cell has afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Then {
    Letter(u8),
    /// What that cell had.
    From(u8),
}

/// A rule at one place: what each cell must have, and has afterwards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effect {
    turn: u8,
    free: bool,
    kind: Kind,
    cells: BTreeMap<u8, (Letters, Then)>,
}

impl Effect {
    fn of(rule: &Rule, cells: &[u8]) -> Self {
        let (from, to) = (cells[0], cells[rule.goes_to.unwrap_or(0)]);
        let kind = match (rule.chain, rule.until) {
            (true, _) => Kind::Chain(from, to),
            (false, Until::Once) => Kind::Once,
            (false, until) => Kind::Repeated(cells.to_vec(), to, until == Until::Any),
        };
        let then = |after: After| match after {
            After::Letter(letter) => Then::Letter(letter),
            After::From(place) => Then::From(cells[place]),
        };
        let places = cells.iter().zip(rule.left.iter().zip(&rule.right));
        let cells = places.map(|(&cell, (&set, &after))| (cell, (set, then(after)))).collect();
        Self { turn: rule.turn, free: rule.free, kind, cells }
    }

    /// The same where a map takes its cells.
    pub fn moved(&self, map: &[u8]) -> Self {
        let to = |cell: u8| map[usize::from(cell)];
        let kind = match &self.kind {
            Kind::Once => Kind::Once,
            Kind::Chain(from, man) => Kind::Chain(to(*from), to(*man)),
            Kind::Repeated(cells, man, any) => Kind::Repeated(cells.iter().map(|&c| to(c)).collect(), to(*man), *any),
        };
        let then = |after: Then| match after {
            Then::Letter(letter) => Then::Letter(letter),
            Then::From(cell) => Then::From(to(cell)),
        };
        let cells = self.cells.iter().map(|(&cell, &(set, after))| (to(cell), (set, then(after)))).collect();
        Self { turn: self.turn, free: self.free, kind, cells }
    }
}

/// All effects; `None` where they are too many.
pub fn all(rules: &Rules) -> Option<BTreeSet<Effect>> {
    let (mut effects, most) = (BTreeSet::new(), memory::items(PLACE, MOST));
    for rule in &rules.rules {
        for &direction in &rule.directions {
            for first in 0..rules.grid.len() {
                let cells = rules.grid.line(first as u8, direction, rule.left.len());
                effects.extend(cells.map(|cells| Effect::of(rule, &cells)));
                if effects.len() * rule.left.len() > most {
                    return None;
                }
            }
        }
    }
    Some(effects)
}

/// An application: by cell what is there before and after, as sets of letters; and the man's way. A set of several letters stands
/// before and after alike, on a cell that keeps its letter: one for each of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    letters: BTreeMap<u8, (Letters, Letters)>,
    man: Option<(u8, u8)>,
}

impl Change {
    fn undone(&self) -> Self {
        let letters = self.letters.iter().map(|(&cell, &(before, after))| (cell, (after, before))).collect();
        Self { letters, man: self.man.map(|(from, to)| (to, from)) }
    }

    /// The same where a mirror takes it.
    fn mirrored(&self, mirror: &Mirror) -> Self {
        let cell = |cell: u8| mirror.cells[usize::from(cell)];
        let images = |set: Letters| {
            let each = mirror.letters.iter().enumerate().filter(|(letter, _)| set >> letter & 1 == 1);
            each.fold(0, |images, (_, image)| images | 1 << image)
        };
        let letters = self.letters.iter().map(|(&c, &(before, after))| (cell(c), (images(before), images(after))));
        Self { letters: letters.collect(), man: self.man.map(|(from, to)| (cell(from), cell(to))) }
    }

    fn without_man(&self) -> Self {
        Self { letters: self.letters.clone(), man: None }
    }
}

/// Whether a place keeps its letter, whatever that is, and nothing else depends on which it is.
fn stays(rule: &Rule, place: usize) -> bool {
    let asked = (0..).zip(&rule.right).filter(|&(_, &after)| after == After::From(place));
    place != 0 && rule.goes_to != Some(place) && asked.map(|(to, _)| to).eq([place])
}

/// All applications of a rule in one direction that change something; `None` where there are too many. If `together`, letters of
/// places that stay are not told apart.
fn changes(rules: &Rules, rule: &Rule, direction: Step, together: bool, room: &mut usize) -> Option<BTreeSet<Change>> {
    let letters = 0..rules.alphabet.len();
    let alphabet: Letters = letters.clone().map(|letter| 1 << letter).sum();
    // What the left side can match, place by place.
    let mut matches: Vec<Vec<Letters>> = vec![Vec::new()];
    for (place, &set) in rule.left.iter().enumerate() {
        let choices: Vec<Letters> = match together && stays(rule, place) {
            true => vec![set & alphabet],
            false => letters.clone().map(|letter| set & 1 << letter).collect(),
        };
        let choices: Vec<Letters> = choices.into_iter().filter(|&choice| choice != 0).collect();
        // Before the list is made, which grows as a product.
        if matches.len() * choices.len() * rule.left.len() > *room {
            return None;
        }
        let with = |matched: &Vec<Letters>| {
            choices.iter().map(|&choice| [&matched[..], &[choice]].concat()).collect::<Vec<_>>()
        };
        matches = matches.iter().flat_map(with).collect();
    }
    let mut found = BTreeSet::new();
    for first in 0..rules.grid.len() {
        let Some(cells) = rules.grid.line(first as u8, direction, rule.left.len()) else { continue };
        *room = room.checked_sub(matches.len() * rule.left.len())?;
        for matched in &matches {
            let after = |place: usize| match rule.right[place] {
                After::Letter(letter) => 1 << letter,
                After::From(place) => matched[place],
            };
            // What stays as it is counts, too: it is what the application needs.
            let letters = (0..cells.len()).map(|place| (cells[place], (matched[place], after(place))));
            // Where what is like him was there before, no man moves.
            let to = rule.goes_to.filter(|&to| matched[to] != matched[0]);
            let change = Change { letters: letters.collect(), man: to.map(|to| (cells[0], cells[to])) };
            if change.letters.values().any(|(before, after)| before != after) {
                found.insert(change);
            }
        }
    }
    Some(found)
}

/// Whether the image of every move under the mirror, or the move itself where there is none, leads back by a move: that of a single
/// application by a single one, of a step of a chain by one of the same man, of a repetition by one that repeats. (Rules that go on
/// until they are blocked, and moves that begin with free rules, are taken to lead back by none.) `None` where there are too many to compare.
pub fn turns_round(rules: &Rules, mirror: Option<&Mirror>) -> Option<bool> {
    // Mostly the rule that leads back asks the same of what stays.
    match all_lead_back(rules, mirror, true) {
        Some(true) => Some(true),
        _ => all_lead_back(rules, mirror, false),
    }
}

fn all_lead_back(rules: &Rules, mirror: Option<&Mirror>, together: bool) -> Option<bool> {
    if rules.has_free() {
        return Some(false);
    }
    let mut room = memory::items(PLACE, MOST);
    let (mut single, mut chains, mut repeated) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for rule in &rules.rules {
        for &direction in &rule.directions {
            let changes = changes(rules, rule, direction, together, &mut room)?;
            let (moved, others): (BTreeSet<Change>, BTreeSet<Change>) =
                changes.into_iter().partition(|change| change.man.is_some());
            match (rule.chain, rule.until) {
                // Where no man moves, nothing is repeated.
                (_, Until::Blocked | Until::Any) if moved.is_empty() => {}
                // It may end with an application in which no man moves.
                (_, Until::Any) if !others.is_empty() => return Some(false),
                (_, Until::Blocked) => return Some(false),
                (true, _) => chains.extend(moved),
                (false, Until::Once) => single.extend(moved.iter().map(Change::without_man)),
                (false, Until::Any) => repeated.push(moved),
            }
            single.extend(others);
        }
    }
    let back = |change: &Change| mirror.map_or_else(|| change.undone(), |mirror| change.mirrored(mirror).undone());
    let all_lead_back = single.iter().all(|change| single.contains(&back(change)))
        && chains.iter().all(|change| chains.contains(&back(change)))
        && repeated.iter().all(|changes| {
            let undone: BTreeSet<Change> = changes.iter().map(&back).collect();
            repeated.iter().any(|others| undone.is_subset(others))
        });
    Some(all_lead_back)
}
