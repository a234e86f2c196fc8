//! `kind = "rules"`: rewrite rules along a direction (as in PuzzleScript), grounded: one step for each rule, direction, place and
//! choice of letters.

use std::collections::BTreeMap;
use std::ops::Range;

use halma_record::job::Rule;
use halma_record::job::puzzle_tables::{
    Conditions, Directions, Goal, OneOrMany, Places, RuleEntry, RuleTable, RulesTable, Until,
};

use super::TableFault;
use super::ground::{CellMap, GoalCondition, Ground, Letters, MAX_LETTERS, Step, cell_maps};
use super::map::Map;
use crate::board::Board;

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

/// The most steps: a puzzle with more would not fit memory.
const MAX_STEPS: usize = 4_000_000;

/// Compiles the table.
///
/// # Errors
/// The first fault found.
pub fn compile(table: &RulesTable) -> Result<Ground, TableFault> {
    let (board, maps) = boards(table)?;
    let rules = table.rules.iter().enumerate().map(|(number, entry)| parse(table, entry, number));
    let rules = rules.collect::<Result<Vec<_>, _>>()?;
    if rules.is_empty() {
        return Err(TableFault::of("rules", "there is no rule: at least one is needed"));
    }
    let alphabet = Alphabet::of(table, &maps, &rules)?;
    let starts: Vec<Vec<u8>> =
        maps.iter().map(|map| map.letters.iter().map(|&l| alphabet.number(l)).collect()).collect();
    let mut steps = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let before = steps.len();
        rule.ground(&alphabet, &board, number, &mut steps).map_err(|fault| place(table, number, fault))?;
        if steps.len() == before && rule.fits(&board) {
            let message = "the rule changes nothing wherever it applies: its sides must differ";
            return Err(place(table, number, TableFault { path: Vec::new(), range: None, message: message.into() }));
        }
        if steps.len() > MAX_STEPS {
            let message = format!(
                "the rules have more than {MAX_STEPS} applications: fewer letters or smaller classes are needed"
            );
            return Err(TableFault::of("rules", message));
        }
    }
    let turns = turns(table, &rules)?;
    let used: Vec<(i32, i32)> = rules.iter().flat_map(|rule| rule.directions.iter().map(|&(_, d)| d)).collect();
    let identity: Vec<u8> = (0..alphabet.letters.len() as u8).collect();
    let candidates = cell_maps(&board, &used);
    let candidates = candidates.into_iter().map(|cells| CellMap { cells, letters: identity.clone() }).collect();
    let goals = goals(table, &alphabet, &board)?;
    let has_empty = alphabet.letters.last() == Some(&'.');
    let ranked = alphabet.letters.len() - usize::from(has_empty);
    let letters = alphabet.letters;
    let ground =
        Ground { board, letters, ranked, has_empty, bodies: Vec::new(), starts, steps, turns, goals, candidates };
    reachable(table, &ground)?;
    Ok(ground)
}

/// Of kept counts a goal must not ask for others.
fn reachable(table: &RulesTable, ground: &Ground) -> Result<(), TableFault> {
    let Some(counts) = ground.counts() else { return Ok(()) };
    for (number, goal) in ground.goals.iter().enumerate() {
        let fault = |message: String| {
            let fault = TableFault::of("goal", message);
            Err(if matches!(table.goal, Some(OneOrMany::Many(_))) { fault.at(number) } else { fault })
        };
        let name = |letters: Letters| {
            let all = (0..ground.letters.len()).filter(|l| letters >> l & 1 == 1).map(|l| ground.letters[l]);
            all.collect::<String>()
        };
        let sum =
            |letters: Letters| (0..counts.len()).filter(|l| letters >> l & 1 == 1).map(|l| counts[l]).sum::<u32>();
        if let Some(&(letters, asked)) = goal.counts.iter().find(|&&(letters, asked)| sum(letters) != asked) {
            let (name, there) = (name(letters), sum(letters));
            return fault(format!(
                "no state can meet it: it asks for {asked} cells with {name}, the start has {there}, and no rule changes that number"
            ));
        }
        for (letter, &there) in counts.iter().enumerate() {
            let only = goal.cells.iter().filter(|&&(_, letters)| letters == 1 << letter).count() as u32;
            if only > there {
                let name = name(1 << letter);
                return fault(format!(
                    "no state can meet it: it has {name} on {only} cells, the start on {there}, and no rule changes that number"
                ));
            }
        }
    }
    Ok(())
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

/// All sides must be said to take turns, or none.
fn turns(table: &RulesTable, rules: &[Parsed]) -> Result<bool, TableFault> {
    let with = rules.iter().filter(|rule| rule.turn > 0).count();
    if let (true, Some(number)) = (with > 0, rules.iter().position(|rule| rule.turn == 0)) {
        let message = "this rule has no turn, and others have: sides take turns in all rules or in none";
        return Err(place(table, number, TableFault { path: Vec::new(), range: None, message: message.into() }));
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

/// The letters of a puzzle, and its classes.
struct Alphabet {
    /// `.` last.
    letters: Vec<char>,
    classes: BTreeMap<char, Letters>,
}

impl Alphabet {
    fn of(table: &RulesTable, maps: &[Map], rules: &[Parsed]) -> Result<Self, TableFault> {
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
                    alphabet.letters.iter().position(|&l| l == token.letter).is_some_and(|at| met >> at & 1 == 1);
                let named = alphabet.classes.contains_key(&token.letter)
                    || on_board
                    || is_met && alphabet.is_named(table, rules, token.letter);
                if !named {
                    let letter = token.letter;
                    let message = format!(
                        "`{letter}` is neither on the board nor in the legend: allowed are {} and classes (legend = {{ {letter} = \"...\" }})",
                        alphabet.list()
                    );
                    let fault = TableFault { path: Vec::new(), range: Some(token.span.clone()), message };
                    return Err(place(table, number, fault));
                }
            }
        }
        Ok(alphabet)
    }

    /// The letters that states can have: those of the starts, and what rules write that can ever apply.
    fn met(&self, maps: &[Map], rules: &[Parsed]) -> Letters {
        let mut met = 0;
        maps.iter().flat_map(|map| &map.letters).for_each(|&letter| met |= 1 << self.number(letter));
        loop {
            let before = met;
            let applies = |rule: &&Parsed| {
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
    fn is_named(&self, table: &RulesTable, rules: &[Parsed], letter: char) -> bool {
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
    fn list(&self) -> String {
        self.letters.iter().map(|l| format!("`{l}`")).collect::<Vec<_>>().join(", ")
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

    fn number(&self, letter: char) -> u8 {
        self.letters.iter().position(|&l| l == letter).unwrap_or_default() as u8
    }

    /// What a character of a rule or a goal stands for; nothing where it is unknown.
    fn set(&self, letter: char) -> Option<Letters> {
        let class = self.classes.get(&letter).copied();
        class.or_else(|| self.letters.iter().position(|&l| l == letter).map(|at| 1 << at))
    }
}

/// A letter or class of a rule, and where it stands in its text.
#[derive(Clone, Debug)]
struct Token {
    letter: char,
    span: Range<usize>,
    /// Of a class: how many of the same class stand before it on this side.
    occurrence: Option<usize>,
}

/// A rule as it was parsed.
struct Parsed {
    left: Vec<Token>,
    right: Vec<Token>,
    directions: Vec<Direction>,
    chain: bool,
    until: Until,
    turn: u8,
    /// The place on the right side where the man goes that stands first on the left.
    target: Option<usize>,
}

/// Reads a rule with its options.
fn parse(table: &RulesTable, entry: &RuleEntry, number: usize) -> Result<Parsed, TableFault> {
    let options = match entry {
        RuleEntry::Text(rule) => RuleTable { rule: rule.clone(), ..RuleTable::default() },
        RuleEntry::Table(table) => table.clone(),
    };
    let fault = |range: Option<Range<usize>>, message: String| {
        place(table, number, TableFault { path: Vec::new(), range, message })
    };
    let text = &options.rule;
    let allowed = "allowed is LEFT -> RIGHT with as many letters on each side, as in \"A . -> . A\"";
    let Some(arrow) = text.find("->") else {
        return Err(fault(None, format!("the rule has no arrow: {allowed}")));
    };
    let side = |from: usize, part: &str| -> Result<Vec<Token>, TableFault> {
        let mut tokens: Vec<Token> = Vec::new();
        for (at, word) in words(part) {
            let span = from + at..from + at + word.len();
            let mut chars = word.chars();
            let (Some(letter), None) = (chars.next(), chars.next()) else {
                return Err(fault(Some(span), format!("`{word}`: letters are parted by spaces; {allowed}")));
            };
            if letter == '#' {
                return Err(fault(Some(span), "`#` is a place without a cell, which no rule can name".into()));
            }
            let same = tokens.iter().filter(|t| t.letter == letter).count();
            tokens.push(Token { letter, span, occurrence: is_class(table, letter).then_some(same) });
        }
        Ok(tokens)
    };
    let (left, right) = (side(0, &text[..arrow])?, side(arrow + 2, &text[arrow + 2..])?);
    if left.len() != right.len() || left.is_empty() {
        let (l, r) = (left.len(), right.len());
        return Err(fault(None, format!("the left side has {l} letters and the right side {r}: {allowed}")));
    }
    let known = |token: &Token| left.iter().any(|t| (t.letter, t.occurrence) == (token.letter, token.occurrence));
    if let Some(token) = right.iter().find(|token| token.occurrence.is_some() && !known(token)) {
        let message = format!(
            "the class {} is on the right more often than on the left: what it becomes is not said",
            token.letter
        );
        return Err(fault(Some(token.span.clone()), message));
    }
    let same = |a: &Token, b: &Token| (a.letter, a.occurrence) == (b.letter, b.occurrence);
    if left.iter().zip(&right).all(|(l, r)| same(l, r)) {
        return Err(fault(None, "the two sides are equal: the rule changes nothing".into()));
    }
    let first = &left[0];
    let goes = |&at: &usize| same(&right[at], first) && !same(&left[at], &right[at]) && left[at].letter != first.letter;
    let mut targets = (0..right.len()).filter(goes);
    let target = targets.next().filter(|_| targets.next().is_none());
    let own = |key: &str| matches!(entry, RuleEntry::Table(_)).then_some(key.to_string());
    let chain = options.chain.unwrap_or(table.chain);
    let until = options.until.or(table.until).unwrap_or(Until::Once);
    if target.is_none() && (options.chain == Some(true) || options.until.is_some_and(|u| u != Until::Once)) {
        let message = "chain and until need a man that moves: the first letter of the left side must have one new place on the right";
        return Err(fault(None, message.into()));
    }
    if chain && until != Until::Once && target.is_some() {
        return Err(fault(None, "a rule with `until` does not chain: allowed is one of the two".into()));
    }
    if let Some(turn) = options.turn.filter(|turn| !(1..=2).contains(turn)) {
        return Err(fault(None, format!("turn = {turn}: allowed are 1 and 2")));
    }
    let directions = match (&options.directions, &table.directions) {
        (Some(own_directions), _) => directions(own_directions).map_err(|message| {
            TableFault::of("rules", message).at(number).key(&own("directions").unwrap_or_default())
        })?,
        (None, Some(all)) => directions(all).map_err(|message| TableFault::of("directions", message))?,
        (None, None) => DIRECTIONS[..4].iter().zip(0..).map(|(&(_, d), n)| (n, d)).collect(),
    };
    let (chain, until) = if target.is_some() { (chain, until) } else { (false, Until::Once) };
    Ok(Parsed { left, right, directions, chain, until, turn: options.turn.unwrap_or(0), target })
}

/// The words of a text with the bytes that they begin at.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// A direction's number, and (columns to the right, rows down).
type Direction = (u8, (i32, i32));

/// Directions with their numbers.
fn directions(directions: &Directions) -> Result<Vec<Direction>, String> {
    let all = DIRECTIONS.iter().zip(0..);
    let named = || DIRECTIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    match directions {
        Directions::Number(number) => match Rule::try_from(*number) {
            Ok(_) => Ok(all.take((*number).into()).map(|(&(_, d), n)| (n, d)).collect()),
            Err(_) => Err(format!("directions = {number}: allowed are 4, 6, 8, and a list of {}", named())),
        },
        Directions::Named(names) => {
            let one = |name: &String| {
                let found = DIRECTIONS.iter().zip(0..).find(|((n, _), _)| n == name);
                found
                    .map(|(&(_, d), n)| (n, d))
                    .ok_or_else(|| format!("unknown direction `{name}`: allowed are {}", named()))
            };
            let mut found = names.iter().map(one).collect::<Result<Vec<_>, _>>()?;
            found.sort_unstable();
            if found.is_empty() || found.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(format!("each direction once, and at least one: allowed are {}", named()));
            }
            Ok(found)
        }
    }
}

impl Parsed {
    /// The cells from `cell` on in a direction, as many as the rule has letters.
    fn cells(&self, board: &Board, cell: usize, (dx, dy): (i32, i32)) -> Option<Vec<usize>> {
        let (x, y) = board.xy(cell);
        (0..self.left.len() as i32).map(|i| board.at(x + i * dx, y + i * dy)).collect()
    }

    /// Whether the rule fits the board anywhere.
    fn fits(&self, board: &Board) -> bool {
        self.directions.iter().any(|&(_, d)| (0..board.len()).any(|cell| self.cells(board, cell, d).is_some()))
    }

    /// Which place of the left side a place of the right side copies; nothing for a letter.
    fn source(&self, place: usize) -> Option<usize> {
        let token = &self.right[place];
        token.occurrence?;
        self.left.iter().position(|t| (t.letter, t.occurrence) == (token.letter, token.occurrence))
    }

    fn ground(
        &self,
        alphabet: &Alphabet,
        board: &Board,
        number: usize,
        steps: &mut Vec<Step>,
    ) -> Result<(), TableFault> {
        let places = self.left.len();
        let sets: Vec<Letters> = self.left.iter().map(|t| alphabet.set(t.letter).unwrap_or_default()).collect();
        // A place whose letter is copied elsewhere, or that is written, has to have one letter.
        let stays = |place: usize| self.source(place) == Some(place);
        let copied = |place: usize| (0..places).any(|p| p != place && self.source(p) == Some(place));
        let expanded: Vec<bool> = (0..places).map(|place| !stays(place) || copied(place)).collect();
        let mut choices: Vec<Vec<u8>> = vec![Vec::new()];
        for (place, &set) in sets.iter().enumerate() {
            let letters: Vec<u8> = match expanded[place] {
                true => (0..alphabet.letters.len() as u8).filter(|l| set >> l & 1 == 1).collect(),
                false => vec![u8::MAX],
            };
            let all = choices
                .iter()
                .flat_map(|chosen| letters.iter().map(move |&letter| chosen.iter().copied().chain([letter]).collect()));
            choices = all.collect();
            if choices.len() * board.len() * self.directions.len() > MAX_STEPS {
                let message = format!("the rule has more than {MAX_STEPS} applications: smaller classes are needed");
                return Err(TableFault { path: Vec::new(), range: None, message });
            }
        }
        for &(direction, vector) in &self.directions {
            for cell in 0..board.len() {
                let Some(cells) = self.cells(board, cell, vector) else { continue };
                for chosen in &choices {
                    let after = |place: usize| match self.source(place) {
                        Some(source) => chosen[source],
                        None => alphabet.number(self.right[place].letter),
                    };
                    let mut writes: Vec<(u8, u8)> = (0..places)
                        .filter(|&place| !stays(place) && after(place) != chosen[place])
                        .map(|place| (cells[place] as u8, after(place)))
                        .collect();
                    if writes.is_empty() {
                        continue;
                    }
                    let need = |place: usize| if chosen[place] == u8::MAX { sets[place] } else { 1 << chosen[place] };
                    let mut needs: Vec<(u8, Letters)> =
                        (0..places).map(|place| (cells[place] as u8, need(place))).collect();
                    needs.sort_unstable();
                    writes.sort_unstable();
                    // Whether this choice of letters moves the man at all.
                    let target = self.target.filter(|&to| chosen[to] != chosen[0]);
                    steps.push(Step {
                        rule: number as u16,
                        direction,
                        needs,
                        writes,
                        from: cell as u8,
                        to: target.map_or(cell, |to| cells[to]) as u8,
                        man: if chosen[0] == u8::MAX { 0 } else { chosen[0] },
                        chain: self.chain && target.is_some(),
                        until: if target.is_some() { self.until } else { Until::Once },
                        turn: self.turn,
                    });
                }
            }
        }
        Ok(())
    }
}

/// The goals.
fn goals(table: &RulesTable, alphabet: &Alphabet, board: &Board) -> Result<Vec<GoalCondition>, TableFault> {
    let Some(goals) = &table.goal else { return Ok(Vec::new()) };
    let many = matches!(goals, OneOrMany::Many(_));
    let one = |(number, goal): (usize, &Goal)| {
        let compiled = match goal {
            Goal::Map(text) => goal_map(text, alphabet, board),
            Goal::Conditions(conditions) => goal_conditions(conditions, alphabet, board),
        };
        compiled.map_err(|mut fault| {
            if many {
                fault.path.insert(1.min(fault.path.len()), super::Part::At(number));
            }
            fault
        })
    };
    let all = goals.as_slice().iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?;
    match all.is_empty() {
        true => Err(TableFault::of("goal", "the list of goals is empty: leave `goal` out, or name one")),
        false => Ok(all),
    }
}

fn goal_map(text: &str, alphabet: &Alphabet, board: &Board) -> Result<GoalCondition, TableFault> {
    let map = Map::parse("goal", text)?;
    if map.board != *board {
        return Err(TableFault::of("goal", "the goal must have its cells where the board has them"));
    }
    let mut cells = Vec::new();
    for (cell, &letter) in map.letters.iter().enumerate() {
        let set = alphabet.set(letter).ok_or_else(|| {
            let message =
                format!("`{letter}` is no letter of the puzzle: allowed are {}, ? and classes", alphabet.list());
            TableFault::of("goal", message).within(map.spans[cell].clone())
        })?;
        if letter != '?' {
            cells.push((cell as u8, set));
        }
    }
    Ok(GoalCondition { cells, counts: Vec::new() })
}

fn goal_conditions(conditions: &Conditions, alphabet: &Alphabet, board: &Board) -> Result<GoalCondition, TableFault> {
    let fault = |key: &str, message: String| TableFault::of("goal", message).key(key);
    let set = |key: &str, name: &str| {
        let mut chars = name.chars();
        let letter = chars.next().filter(|_| chars.next().is_none());
        letter.and_then(|l| alphabet.set(l)).ok_or_else(|| {
            fault(key, format!("`{name}` is no letter of the puzzle: allowed are {} and classes", alphabet.list()))
        })
    };
    let mut counts = Vec::new();
    for (name, &count) in &conditions.count {
        if count as usize > board.len() {
            return Err(fault("count", format!("{name} = {count}: the board has {} cells", board.len())));
        }
        counts.push((set("count", name)?, count));
    }
    let cell = |name: &str| {
        let found = board.cell(name).map(|cell| cell as u8);
        found.ok_or_else(|| {
            fault("at", format!("`{name}` is no cell of the board, whose cells are a column letter and a row number"))
        })
    };
    let only = || match counts[..] {
        [(letters, _)] => Ok(letters),
        _ => Err(fault("at", "cells alone need a `count` of one letter: else write at = { d4 = \"P\" }".into())),
    };
    let mut cells = match &conditions.at {
        None => Vec::new(),
        Some(Places::Cell(name)) => vec![(cell(name)?, only()?)],
        Some(Places::Cells(names)) => names.iter().map(|n| Ok((cell(n)?, only()?))).collect::<Result<Vec<_>, _>>()?,
        Some(Places::Letters(places)) => {
            places.iter().map(|(n, letter)| Ok((cell(n)?, set("at", letter)?))).collect::<Result<Vec<_>, _>>()?
        }
    };
    cells.sort_unstable();
    if let Some(pair) = cells.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(fault("at", format!("{} is there twice", board.name_of(pair[0].0.into()))));
    }
    if cells.is_empty() && counts.is_empty() {
        return Err(TableFault::of("goal", "a goal needs a condition: count or at"));
    }
    Ok(GoalCondition { cells, counts })
}
