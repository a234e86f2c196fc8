//! The letters of a puzzle by rules, and the classes that stand for several of them.

use std::collections::BTreeMap;

use halma_record::job::puzzle_tables::{Goal, Places, RulesTable};

use super::parsed::ParsedRule;
use super::{is_class, place};
use crate::puzzle::TableFault;
use crate::puzzle::grounded::{Letters, MAX_LETTERS, has_letter};
use crate::puzzle::map::Map;

/// The letters of a puzzle, and its classes.
pub(super) struct Alphabet {
    /// `.` last.
    pub(super) letters: Vec<char>,
    classes: BTreeMap<char, Letters>,
}

impl Alphabet {
    pub(super) fn of(table: &RulesTable, maps: &[Map], rules: &[ParsedRule]) -> Result<Self, TableFault> {
        let mut letters: Vec<char> = Vec::new();
        let mut add = |letter: char| {
            if !letters.contains(&letter) {
                letters.push(letter);
            }
        };
        maps.iter().flat_map(|map| &map.letters).for_each(|&letter| add(letter));
        for rule in rules {
            rule.right.iter().map(|token| token.letter).filter(|&l| !is_class(table, l)).for_each(&mut add);
        }
        if let Some(at) = letters.iter().position(|&l| l == '.') {
            letters.remove(at);
            letters.push('.');
        }
        if letters.len() > MAX_LETTERS {
            let message = format!("the puzzle has {} letters: allowed are {MAX_LETTERS}", letters.len());
            return Err(TableFault::of("board", message));
        }
        let all = (1u64 << letters.len()) - 1;
        let empty = if letters.last() == Some(&'.') { 1 << (letters.len() - 1) } else { 0 };
        let mut alphabet = Self { letters, classes: BTreeMap::from([('*', all & !empty), ('?', all)]) };
        for (name, members) in &table.legend {
            let class = alphabet.class(name, members)?;
            alphabet.classes.extend([class]);
        }
        // A letter that no state can have, or that is written by a rule and that nothing else names, is a slip of the pen.
        let met = alphabet.met(maps, rules);
        for (number, rule) in rules.iter().enumerate() {
            for token in rule.left.iter().chain(&rule.right) {
                let on_board = maps.iter().any(|map| map.letters.contains(&token.letter));
                let is_met =
                    alphabet.letters.iter().position(|&l| l == token.letter).is_some_and(|at| has_letter(met, at));
                let named = alphabet.classes.contains_key(&token.letter)
                    || on_board
                    || is_met && (token.letter == '.' || alphabet.is_named(table, rules, token.letter));
                if !named {
                    let letter = token.letter;
                    let known = |&at: &usize| has_letter(met, at) && alphabet.letters[at] != letter;
                    let known = (0..alphabet.letters.len()).filter(known).map(|at| alphabet.letters[at]);
                    let message = match is_met {
                        false => format!(
                            "`{letter}` is neither on the board nor in the legend: allowed are {} and classes (legend = {{ {letter} = \"...\" }})",
                            listed(known)
                        ),
                        // Which a mistyped letter is, too.
                        true => format!(
                            "`{letter}` is written, and read nowhere: allowed are {}; if it is to stay there, legend = {{ x = \"{letter}\" }} names it",
                            listed(known)
                        ),
                    };
                    let fault = TableFault::whole(message).within(token.span.clone());
                    return Err(place(table, number, fault));
                }
            }
        }
        Ok(alphabet)
    }

    /// The letters that states can have: those of the starts, and what rules write that can ever apply.
    fn met(&self, maps: &[Map], rules: &[ParsedRule]) -> Letters {
        let mut met = 0;
        maps.iter().flat_map(|map| &map.letters).for_each(|&letter| met |= 1 << self.number(letter));
        loop {
            let before = met;
            let applies = |rule: &&ParsedRule| {
                rule.left.iter().all(|token| self.set(token.letter).is_some_and(|set| set & before != 0))
            };
            for token in rules.iter().filter(applies).flat_map(|rule| &rule.right).filter(|t| t.occurrence.is_none()) {
                met |= self.set(token.letter).unwrap_or_default();
            }
            if met == before {
                return met;
            }
        }
    }

    /// Whether a letter that is only written stands elsewhere, too: on a left side, in the legend or in a goal.
    fn is_named(&self, table: &RulesTable, rules: &[ParsedRule], letter: char) -> bool {
        let goal = |goal: &Goal| match goal {
            Goal::Map(map) => map.contains(letter),
            Goal::Conditions(conditions) => {
                let at = match &conditions.at {
                    Some(Places::Letters(places)) => places.values().any(|l| l.contains(letter)),
                    _ => false,
                };
                at || conditions.count.keys().any(|l| l.contains(letter))
            }
        };
        rules.iter().any(|rule| rule.left.iter().any(|token| token.letter == letter))
            || table.legend.values().any(|members| members.contains(letter))
            || table.goal.as_ref().is_some_and(|goals| goals.as_slice().iter().any(goal))
    }

    /// The letters as messages list them.
    pub(super) fn list(&self) -> String {
        listed(self.letters.iter().copied())
    }

    fn class(&self, name: &str, members: &str) -> Result<(char, Letters), TableFault> {
        let fault = |message: String| Err(TableFault::of("legend", message).key(name));
        let mut chars = name.chars();
        let (Some(letter), None) = (chars.next(), chars.next()) else {
            return fault(format!("`{name}`: a class has a name of one character"));
        };
        if "#.*?".contains(letter) || letter.is_whitespace() {
            return fault(format!("`{letter}` has a meaning already: it cannot name a class"));
        }
        if self.letters.contains(&letter) && !members.chars().eq([letter]) {
            return fault(format!("`{letter}` is a letter of the puzzle already: a class needs another name"));
        }
        let mut set = 0;
        for member in members.chars() {
            let Some(at) = self.letters.iter().position(|&l| l == member) else {
                return fault(format!("`{member}` is no letter of the puzzle: allowed are {}", self.list()));
            };
            set |= 1 << at;
        }
        if set == 0 {
            return fault(format!("the class {letter} is empty: allowed are {}", self.list()));
        }
        Ok((letter, set))
    }

    /// The number of a letter of a start, or of one that a rule writes.
    pub(super) fn number(&self, letter: char) -> u8 {
        let at = self.letters.iter().position(|&l| l == letter);
        at.unwrap_or_else(|| unreachable!("starts and rules have no letters but these")) as u8
    }

    /// The letters that a character of a rule or a goal stands for; `None` if it is unknown.
    pub(super) fn set(&self, letter: char) -> Option<Letters> {
        let class = self.classes.get(&letter).copied();
        class.or_else(|| self.letters.iter().position(|&l| l == letter).map(|at| 1 << at))
    }
}

/// Letters as messages list them.
fn listed(letters: impl Iterator<Item = char>) -> String {
    letters.map(|letter| format!("`{letter}`")).collect::<Vec<_>>().join(", ")
}
