//! A parsed rule: its two sides, its directions and its options.

use std::collections::BTreeSet;
use std::ops::Range;

use halma_record::job::Rule;
use halma_record::job::puzzle_tables::{Directions, RuleEntry, RuleTable, RulesTable, Until};

use super::{DIRECTIONS, is_class, place};
use crate::board::MAX_CELLS;
use crate::puzzle::TableFault;

/// A letter or class of a rule, and where it stands in its text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) letter: char,
    pub(super) span: Range<usize>,
    /// Of a class: how many of the same class stand before it on this side.
    pub(super) occurrence: Option<usize>,
}

/// A rule as it was parsed.
pub(super) struct ParsedRule {
    pub(super) left: Vec<Token>,
    pub(super) right: Vec<Token>,
    pub(super) directions: Vec<Direction>,
    pub(super) chain: bool,
    pub(super) until: Until,
    pub(super) turn: u8,
    pub(super) free: bool,
    /// The place on the right side where the man goes that stands first on the left.
    pub(super) target: Option<usize>,
}

/// The two sides of a rule.
struct Sides {
    left: Vec<Token>,
    right: Vec<Token>,
}

/// Reads a rule with its options.
pub(super) fn parse(table: &RulesTable, entry: &RuleEntry, number: usize) -> Result<ParsedRule, TableFault> {
    let options = match entry {
        RuleEntry::Text(rule) => RuleTable { rule: rule.clone(), ..RuleTable::default() },
        RuleEntry::Table(table) => table.clone(),
    };
    let sides = Sides::parse(table, &options.rule).map_err(|fault| place(table, number, fault))?;
    let target = sides.target();
    let fault = |message: String| place(table, number, TableFault::whole(message));
    let free = options.free;
    let goes_on = options.chain == Some(true) || options.until.is_some_and(|u| u != Until::Once);
    if free && goes_on {
        return Err(fault("a free rule neither chains nor repeats: it is applied as often as one likes".into()));
    }
    // What the table says for all is for rules that count.
    let chain = options.chain.unwrap_or(table.chain && !free);
    let until = options.until.or(table.until.filter(|_| !free)).unwrap_or(Until::Once);
    if target.is_none() && goes_on {
        let message = "chain and until need a man that moves: the first letter of the left side must have one new place on the right";
        return Err(fault(message.into()));
    }
    if chain && until != Until::Once && target.is_some() {
        return Err(fault("a rule with `until` does not chain, and defaults hold for it, too: allowed is one of the two (chain = false, or until = \"once\")".into()));
    }
    if let Some(turn) = options.turn.filter(|turn| !(1..=2).contains(turn)) {
        return Err(fault(format!("turn = {turn}: allowed are 1 and 2")));
    }
    let directions = match (&options.directions, &table.directions) {
        (Some(own), _) => {
            directions(own).map_err(|message| TableFault::of("rules", message).at(number).key("directions"))?
        }
        (None, Some(all)) => directions(all).map_err(|message| TableFault::of("directions", message))?,
        (None, None) => DIRECTIONS[..4].iter().zip(0..).map(|(&(_, d), n)| (n, d)).collect(),
    };
    let (chain, until) = if target.is_some() { (chain, until) } else { (false, Until::Once) };
    let Sides { left, right } = sides;
    Ok(ParsedRule { left, right, directions, chain, until, turn: options.turn.unwrap_or(0), free, target })
}

impl Sides {
    /// Reads the text of a rule.
    fn parse(table: &RulesTable, text: &str) -> Result<Self, TableFault> {
        let allowed = "allowed is LEFT -> RIGHT with as many letters on each side, as in \"A . -> . A\"";
        let Some(arrow) = text.find("->") else {
            return Err(TableFault::whole(format!("the rule has no arrow: {allowed}")));
        };
        let side = |from: usize, part: &str| -> Result<Vec<Token>, TableFault> {
            let mut tokens: Vec<Token> = Vec::new();
            for (at, word) in words(part) {
                let span = from + at..from + at + word.len();
                let mut chars = word.chars();
                let (Some(letter), None) = (chars.next(), chars.next()) else {
                    let message = format!("`{word}`: letters are parted by spaces; {allowed}");
                    return Err(TableFault::whole(message).within(span));
                };
                if letter == '#' {
                    let message = "`#` is a place without a cell, which no rule can name";
                    return Err(TableFault::whole(message).within(span));
                }
                if tokens.len() == MAX_CELLS {
                    let message = format!("a side has more than {MAX_CELLS} letters, and no board has as many cells");
                    return Err(TableFault::whole(message));
                }
                let same = tokens.iter().filter(|t| t.letter == letter).count();
                tokens.push(Token { letter, span, occurrence: is_class(table, letter).then_some(same) });
            }
            Ok(tokens)
        };
        let (left, right) = (side(0, &text[..arrow])?, side(arrow + 2, &text[arrow + 2..])?);
        if left.len() != right.len() || left.is_empty() {
            let (l, r) = (left.len(), right.len());
            let message = format!("the left side has {l} letters and the right side {r}: {allowed}");
            return Err(TableFault::whole(message));
        }
        let known = |token: &&Token| left.iter().any(|t| t.is_as(token));
        if let Some(token) = right.iter().find(|token| token.occurrence.is_some() && !known(token)) {
            let message = format!(
                "the class {} is on the right more often than on the left: what it becomes is not said",
                token.letter
            );
            return Err(TableFault::whole(message).within(token.span.clone()));
        }
        if left.iter().zip(&right).all(|(l, r)| l.is_as(r)) {
            return Err(TableFault::whole("the two sides are equal: the rule changes nothing"));
        }
        Ok(Self { left, right })
    }

    /// The place on the right side where the man goes that stands first on the left, if there is exactly one.
    fn target(&self) -> Option<usize> {
        let Self { left, right } = self;
        let man = &left[0];
        let goes = |&at: &usize| right[at].is_as(man) && !left[at].is_as(&right[at]) && left[at].letter != man.letter;
        let mut targets = (0..right.len()).filter(goes);
        targets.next().filter(|_| targets.next().is_none())
    }
}

impl Token {
    /// Whether both are the same letter; of a class, the same of its occurrences.
    fn is_as(&self, other: &Self) -> bool {
        (self.letter, self.occurrence) == (other.letter, other.occurrence)
    }
}

/// The words of a text with the bytes that they begin at.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// A direction's number, and (columns to the right, rows down).
type Direction = (u8, (i32, i32));

/// The most directions of a rule: they are numbered with 8 bits.
const MOST_DIRECTIONS: usize = 200;

/// A direction as columns to the right and rows down: `"2,1"` is a knight's.
fn columns_and_rows(text: &str) -> Option<(i32, i32)> {
    let (columns, rows) = text.split_once(',')?;
    let number = |text: &str| {
        // Each has one form: no plus, no zeros before it.
        let is_allowed = |number: &i32| number.to_string() == text && number.unsigned_abs() < MAX_CELLS as u32;
        text.parse().ok().filter(is_allowed)
    };
    Some((number(columns)?, number(rows)?)).filter(|step| *step != (0, 0))
}

/// Directions with their numbers.
fn directions(directions: &Directions) -> Result<Vec<Direction>, String> {
    let all = DIRECTIONS.iter().zip(0..);
    let named = || {
        let names = DIRECTIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        format!("{names}, and columns with rows as in \"2,-1\" (2 to the right, 1 up)")
    };
    match directions {
        Directions::Number(number) => match Rule::try_from(*number) {
            Ok(_) => Ok(all.take((*number).into()).map(|(&(_, d), n)| (n, d)).collect()),
            Err(_) => Err(format!("directions = {number}: allowed are 4, 6, 8, and a list of {}", named())),
        },
        Directions::Named(names) => {
            let one = |name: &String| {
                let named = || DIRECTIONS.iter().find(|(n, _)| n == name).map(|&(_, d)| d);
                named().or_else(|| columns_and_rows(name))
            };
            let mut found = BTreeSet::new();
            for name in names {
                let step = one(name).ok_or_else(|| format!("unknown direction `{name}`: allowed are {}", named()))?;
                if !found.insert(step) {
                    return Err(format!("direction `{name}` is there twice"));
                }
            }
            if found.is_empty() || found.len() > MOST_DIRECTIONS {
                return Err(format!("at least one direction, and at most {MOST_DIRECTIONS}: allowed are {}", named()));
            }
            // Those with names keep their numbers.
            let number = |step: (i32, i32)| DIRECTIONS.iter().zip(0..).find(|&(&(_, d), _)| d == step).map(|(_, n)| n);
            let mut others = DIRECTIONS.len() as u8..;
            let numbered = found.into_iter().filter_map(|step| Some((number(step).or_else(|| others.next())?, step)));
            let mut all: Vec<Direction> = numbered.collect();
            all.sort_unstable();
            Ok(all)
        }
    }
}
