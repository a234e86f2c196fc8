//! The table of `kind = "rules"`, word by word.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halma_record::job::puzzle_tables::{Conditions, Directions, Goal, Places, RuleEntry, RuleTable, RulesTable, Until};

use super::super::grid::{DIRECTIONS, Grid, MAX_CELLS, MAX_LETTERS, Step};
use super::{After, Condition, Letters, Rule, Rules};

/// A rule's words.
struct Words {
    left: Vec<char>,
    right: Vec<char>,
    options: RuleTable,
}

/// The characters that stand for letters, and what they stand for.
struct Alphabet {
    letters: Vec<char>,
    legend: BTreeMap<char, String>,
}

impl Alphabet {
    fn is_class(&self, symbol: char) -> bool {
        matches!(symbol, '*' | '?') || self.legend.contains_key(&symbol)
    }

    /// The value of a letter, if states can have it.
    fn value(&self, letter: char) -> Option<u8> {
        self.letters.iter().position(|&other| other == letter).map(|value| value as u8)
    }

    /// The letters that a symbol stands for, of those that states can have.
    fn set(&self, symbol: char) -> Letters {
        let stands_for = |letter: char| match symbol {
            '?' => true,
            '*' => letter != '.',
            _ => self.legend.get(&symbol).map_or(letter == symbol, |class| class.contains(letter)),
        };
        (0..).zip(&self.letters).filter(|(_, letter)| stands_for(**letter)).map(|(value, _)| 1 << value).sum()
    }
}

fn one_character(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) if one != '#' && !one.is_whitespace() => Ok(one),
        _ => Err(format!("`{text}` is no letter")),
    }
}

/// The classes of a legend.
fn legend(stated: &BTreeMap<String, String>) -> Result<BTreeMap<char, String>, String> {
    let mut legend = BTreeMap::new();
    for (name, letters) in stated {
        let class = one_character(name)?;
        let sound = |letter: char| !matches!(letter, '#' | '*' | '?') && !letter.is_whitespace();
        let of_classes = letters.chars().any(|letter| stated.contains_key(letter.encode_utf8(&mut [0; 4])));
        if matches!(class, '.' | '*' | '?') || letters.is_empty() || !letters.chars().all(sound) || of_classes {
            return Err(format!("legend: {name} = \"{letters}\""));
        }
        legend.insert(class, letters.clone());
    }
    Ok(legend)
}

/// A direction that is written as columns to the right, and rows down.
fn columns_and_rows(text: &str) -> Option<Step> {
    let (columns, rows) = text.split_once(',')?;
    // No board has more columns than cells; `i16` bounds what is multiplied.
    let [columns, rows] = [columns, rows].map(|text| text.parse::<i16>().ok().filter(|_| !text.starts_with('+')));
    Some((columns?.into(), rows?.into())).filter(|step| *step != (0, 0))
}

fn directions(stated: Option<&Directions>) -> Result<Vec<Step>, String> {
    let first = |count: usize| DIRECTIONS[..count].iter().map(|(_, step)| *step).collect();
    let named = |name: &String| {
        let found = DIRECTIONS.iter().find(|(known, _)| known == name).map(|(_, step)| *step);
        found.or_else(|| columns_and_rows(name)).ok_or_else(|| format!("directions: `{name}`"))
    };
    let found: BTreeSet<Step> = match stated {
        None => first(4),
        Some(Directions::Number(count @ (4 | 6 | 8))) => first(usize::from(*count)),
        Some(Directions::Number(other)) => return Err(format!("directions: {other}")),
        Some(Directions::Named(names)) => names.iter().map(named).collect::<Result<_, _>>()?,
    };
    if found.is_empty() { Err("directions: none".into()) } else { Ok(found.into_iter().collect()) }
}

fn words(entry: &RuleEntry) -> Result<Words, String> {
    let options = match entry {
        RuleEntry::Text(rule) => RuleTable { rule: rule.clone(), ..RuleTable::default() },
        RuleEntry::Table(table) => table.clone(),
    };
    let side = |text: &str| text.split_whitespace().map(one_character).collect::<Result<Vec<_>, _>>();
    let sides: Vec<&str> = options.rule.split("->").collect();
    let [left, right] = sides[..] else { return Err(format!("rule `{}`: no `LEFT -> RIGHT`", options.rule)) };
    let (left, right) = (side(left)?, side(right)?);
    if left.is_empty() || left.len() != right.len() || left == right {
        return Err(format!("rule `{}`: its sides are empty, of other lengths, or equal", options.rule));
    }
    if left.len() > MAX_CELLS {
        return Err(format!("rule of {} letters: no board has more than {MAX_CELLS} cells", left.len()));
    }
    Ok(Words { left, right, options })
}

impl Words {
    /// The place to which the first man of the left side goes: the one that has his letter, or of a class the first that has it,
    /// and had another symbol.
    fn goes_to(&self, is_class: bool) -> Option<usize> {
        let man = self.left[0];
        let places = (0..self.right.len()).filter(|&place| self.right[place] == man);
        let places = places.take(if is_class { 1 } else { usize::MAX });
        let mut places = places.filter(|&place| self.left[place] != man);
        places.next().filter(|_| places.next().is_none())
    }

    /// The rule, with what the table says for all.
    fn rule(&self, table: &RulesTable, alphabet: &Alphabet) -> Result<Rule, String> {
        let fault = |what: &str| format!("rule `{}`: {what}", self.options.rule);
        let mut right = Vec::new();
        for (place, &symbol) in self.right.iter().enumerate() {
            right.push(match alphabet.value(symbol) {
                _ if alphabet.is_class(symbol) => {
                    let nth = self.right[..place].iter().filter(|&&other| other == symbol).count();
                    let mut same = (0..self.left.len()).filter(|&place| self.left[place] == symbol);
                    After::From(same.nth(nth).ok_or_else(|| fault("a class comes more often on the right"))?)
                }
                Some(letter) => After::Letter(letter),
                None => return Err(fault("a letter that no state has")),
            });
        }
        let free = self.options.free;
        let for_all = table.until.filter(|_| !free);
        let until = self.options.until.or(for_all).unwrap_or(Until::Once);
        let chain = self.options.chain.unwrap_or(table.chain && !free);
        let goes_to = self.goes_to(alphabet.is_class(self.left[0]));
        // What the table says for all is for rules that count, and in which a man moves.
        let own = self.options.chain == Some(true) || self.options.until.is_some_and(|until| until != Until::Once);
        if free && own {
            return Err(fault("it is free, and chains or repeats"));
        }
        if goes_to.is_none() && own {
            return Err(fault("no man moves, so that none can go on"));
        }
        if chain && until != Until::Once && goes_to.is_some() {
            return Err(fault("it chains and repeats"));
        }
        let (chain, until) = if goes_to.is_some() { (chain, until) } else { (false, Until::Once) };
        let turn = self.options.turn.unwrap_or(0);
        if self.options.turn.is_some_and(|turn| !(1..=2).contains(&turn)) {
            return Err(fault("turn is neither 1 nor 2"));
        }
        let left = self.left.iter().map(|&symbol| alphabet.set(symbol)).collect();
        let directions = directions(self.options.directions.as_ref().or(table.directions.as_ref()))?;
        Ok(Rule { left, right, directions, goes_to, chain, until, turn, free })
    }
}

impl Rule {
    /// Whether there is a place for it anywhere on the board.
    pub(super) fn fits(&self, grid: &Grid) -> bool {
        let fits = |first: usize| self.directions.iter().any(|&d| grid.line(first as u8, d, self.left.len()).is_some());
        (0..grid.len()).any(fits)
    }

    /// Whether every application keeps the number of each letter: what it does not carry to another place are letters, and the
    /// same as those that it writes.
    fn keeps_counts(&self) -> bool {
        let mut carried = vec![false; self.left.len()];
        for after in &self.right {
            if let After::From(place) = after {
                carried[*place] = true;
            }
        }
        let mut lost: Vec<Letters> = (0..self.left.len()).filter(|&p| !carried[p]).map(|p| self.left[p]).collect();
        let written = self.right.iter().filter_map(|after| match after {
            After::Letter(letter) => Some(1 << letter),
            After::From(_) => None,
        });
        let mut written: Vec<Letters> = written.collect();
        lost.sort_unstable();
        written.sort_unstable();
        self.left.contains(&0) || lost == written
    }
}

/// The letters of starts, cell by cell, and of right sides, as they first appear; `.` last.
fn letters(starts: &[Vec<char>], rules: &[Words], is_class: impl Fn(char) -> bool) -> Result<Vec<char>, String> {
    let written = rules.iter().flat_map(|words| words.right.iter().copied()).filter(|&symbol| !is_class(symbol));
    let mut letters = Vec::new();
    for letter in starts.concat().into_iter().chain(written) {
        if !letters.contains(&letter) {
            letters.push(letter);
        }
    }
    let (mut ordered, empty): (Vec<char>, Vec<char>) = letters.into_iter().partition(|&letter| letter != '.');
    ordered.extend(empty);
    match ordered.len() <= MAX_LETTERS {
        true => Ok(ordered),
        false => Err(format!("{} letters", ordered.len())),
    }
}

fn condition(grid: &Grid, goal: &Goal, alphabet: &Alphabet) -> Result<Condition, String> {
    let set = |text: &str| one_character(text).map(|symbol| alphabet.set(symbol));
    let mut cells: Vec<(u8, Letters)> = match goal {
        Goal::Map(map) => {
            let symbols = grid.letters_of(map).map_err(|fault| format!("goal: {fault}"))?;
            (0..=u8::MAX).zip(symbols).map(|(c, symbol)| (c, alphabet.set(symbol))).collect()
        }
        Goal::Conditions(Conditions { count, at }) => {
            let only = count.keys().next().filter(|_| count.len() == 1);
            let only = || only.ok_or("goal: `at` names cells, and `count` not one letter".to_string());
            match at {
                None if count.is_empty() => return Err("goal: no condition".into()),
                None => Vec::new(),
                Some(Places::Cell(name)) => vec![(grid.board.cell(name)?, set(only()?)?)],
                Some(Places::Cells(names)) => {
                    let set = set(only()?)?;
                    names.iter().map(|name| Ok((grid.board.cell(name)?, set))).collect::<Result<_, String>>()?
                }
                Some(Places::Letters(letters)) => {
                    let place = |(name, letter): (&String, &String)| Ok((grid.board.cell(name)?, set(letter)?));
                    letters.iter().map(place).collect::<Result<_, String>>()?
                }
            }
        }
    };
    // What any letter meets is no condition, and no symmetry has to keep it.
    cells.retain(|&(_, letters)| letters != alphabet.set('?'));
    cells.sort_unstable();
    cells.dedup();
    let counts = match goal {
        Goal::Map(_) => Vec::new(),
        Goal::Conditions(Conditions { count, .. }) => {
            count.iter().map(|(letter, &number)| Ok((set(letter)?, number))).collect::<Result<_, String>>()?
        }
    };
    Ok(Condition { cells, counts })
}

/// The puzzle of a table, without symmetries.
pub fn rules(table: &RulesTable) -> Result<Rules, String> {
    let maps = table.board.as_slice();
    let (grid, first) = Grid::drawn(maps.first().ok_or("board: none")?)?;
    let others = maps[1..].iter().map(|map| grid.letters_of(map)).collect::<Result<Vec<_>, _>>()?;
    let drawn = [vec![first], others].concat();
    let legend = legend(&table.legend)?;
    let words = table.rules.iter().map(words).collect::<Result<Vec<_>, _>>()?;
    if words.iter().all(|words| words.options.free) {
        return Err("rules: none, or all are free".into());
    }
    let mut alphabet = Alphabet { letters: Vec::new(), legend };
    if let Some(class) = drawn.concat().into_iter().find(|&letter| alphabet.is_class(letter)) {
        return Err(format!("board: `{class}` stands for one of several letters"));
    }
    alphabet.letters = letters(&drawn, &words, |symbol| alphabet.is_class(symbol))?;
    let compiled = |alphabet: &Alphabet| words.iter().map(|w| w.rule(table, alphabet)).collect::<Result<Vec<_>, _>>();
    let mut rules = compiled(&alphabet)?;
    let counts = |letters: &Vec<char>| {
        let mut sorted = letters.clone();
        sorted.sort_unstable();
        sorted
    };
    let counts_kept = drawn.iter().all(|letters| counts(letters) == counts(&drawn[0]))
        && rules.iter().all(|rule| !rule.fits(&grid) || rule.keeps_counts());
    if !counts_kept && alphabet.letters.last() == Some(&'.') {
        // Digits: 0 for `.`, and one more for the others.
        alphabet.letters.rotate_right(1);
        rules = compiled(&alphabet)?;
    }
    let turns = rules.iter().any(|rule| rule.turn > 0);
    if turns && rules.iter().any(|rule| rule.turn == 0) {
        return Err("rules: some have a turn, and some have none".into());
    }
    let turn = if turns { vec![0] } else { Vec::new() };
    let value = |letter: &char| alphabet.value(*letter).unwrap_or_default();
    let start = |letters: &Vec<char>| [turn.clone(), letters.iter().map(value).collect()].concat();
    let goals = table.goal.as_ref().map(|goals| goals.as_slice()).unwrap_or_default();
    let conditions = goals.iter().map(|goal| condition(&grid, goal, &alphabet)).collect::<Result<_, _>>()?;
    let starts = drawn.iter().map(start).collect();
    let values = 0..alphabet.letters.len();
    Ok(Rules {
        has: values.clone().map(|value| value as u8).collect(),
        stands_for: values.map(|value| 1 << value).collect(),
        alphabet: alphabet.letters,
        rules,
        turns,
        counts_kept,
        starts,
        goals: conditions,
        has_goal: !goals.is_empty(),
        undone: None,
        fixing: Vec::new(),
        mirror: None,
        grid: Arc::new(grid),
    })
}
