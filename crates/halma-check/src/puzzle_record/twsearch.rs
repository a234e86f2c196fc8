//! `kind = "permutation"`: a twsearch file, whose moves are applied position by position.

mod fewer_pieces;
mod new_names;
mod parse;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halma_record::job::puzzle_tables::PermutationTable;
use halma_record::record::SymmetryRecord;

use super::code::Part;
use super::model::{Distance, Model, State};
use crate::memory;
use crate::rejection::Trouble;
use new_names::NewNames;

/// The greatest order of a move.
const MOST_POWERS: usize = 1 << 12;

/// The most words that a scramble stands for, and how deep sequences may name each other.
const MOST_SCRAMBLED: usize = 100_000;
/// The most positions of all sets: a state has an entry or two for each.
const MOST_POSITIONS: usize = 4096;
const MOST_NESTED: usize = 17;
/// The most moves of a state, and the bytes that a state takes in a set beside its entries.
const MOST_MOVES: u64 = 1 << 20;
const BESIDE: usize = 48;

/// A set of pieces.
#[derive(Clone, Debug)]
struct Set {
    name: String,
    size: usize,
    /// How many orientations there are, and whether they count; pieces whose orientation does not count have 0.
    base: u8,
    oriented: bool,
    /// The number of each piece in the solved state, counted from 0, and its orientation.
    pieces: Vec<u8>,
    orientations: Vec<u8>,
    /// By number, what the file calls it, and whether its orientation counts.
    names: Vec<usize>,
    counts: Vec<bool>,
}

/// What a move does to one set: the position that each position's piece comes from, and what is added to its orientation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Turn {
    from: Vec<u8>,
    add: Vec<u8>,
}

/// A named move.
#[derive(Clone, Debug)]
struct Move {
    name: String,
    turns: Vec<Turn>,
    /// Doing it so many times does nothing.
    order: usize,
}

/// A puzzle of permutations. A state has for each set its pieces, and then their orientations, if they count.
#[derive(Debug)]
pub struct Permutations {
    sets: Vec<Set>,
    moves: Vec<Move>,
    quarter: bool,
    start: Vec<State>,
    solved: State,
    /// The names that are the record's mirror.
    mirror: Option<Vec<NewNames>>,
}

impl Set {
    fn entries(&self) -> usize {
        self.size * (1 + usize::from(self.oriented))
    }

    fn parts(&self) -> Vec<Part> {
        let count = |number: u8| self.pieces.iter().filter(|&&piece| piece == number).count();
        let pieces = Part::Arrangement((0..=u8::MAX).take(self.counts.len()).map(count).collect());
        let orientations = self.oriented.then_some(Part::Digits { base: self.base, len: self.size });
        [Some(pieces), orientations].into_iter().flatten().collect()
    }

    /// The entries of the set after a turn.
    fn turned(&self, own: &[u8], turn: &Turn) -> Vec<u8> {
        let (pieces, orientations) = own.split_at(self.size);
        let from = |position: usize| usize::from(turn.from[position]);
        let piece = |position: usize| pieces[from(position)];
        let orientation = |position: usize| match self.counts[usize::from(piece(position))] {
            true => {
                let sum = u16::from(orientations[from(position)]) + u16::from(turn.add[position]);
                (sum % u16::from(self.base)) as u8
            }
            false => 0,
        };
        let mut after: Vec<u8> = (0..self.size).map(piece).collect();
        if self.oriented {
            after.extend((0..self.size).map(orientation));
        }
        after
    }
}

impl Turn {
    fn identity(size: usize) -> Self {
        Self { from: (0..size).map(|position| position as u8).collect(), add: vec![0; size] }
    }

    /// First this one, then `next`.
    fn and(&self, next: &Self, base: u8) -> Self {
        let sum = |(&from, &add): (&u8, &u8)| {
            ((u16::from(self.add[usize::from(from)]) + u16::from(add)) % u16::from(base)) as u8
        };
        let from = next.from.iter().map(|&from| self.from[usize::from(from)]).collect();
        Self { from, add: next.from.iter().zip(&next.add).map(sum).collect() }
    }
}

impl Permutations {
    /// The puzzle of a table, searched under that mirror, if there is one.
    pub fn new(table: &PermutationTable, symmetries: Option<&SymmetryRecord>) -> Result<Self, Trouble> {
        let (sets, moves, sequences) = parse::definition(&table.definition)?;
        let entries: usize = sets.iter().map(Set::entries).sum();
        let powers: u64 = moves.iter().map(|turn| if table.quarter { 2 } else { turn.order as u64 - 1 }).sum();
        let most = memory::whole_states(entries, BESIDE, MOST_MOVES);
        if powers > most {
            let why = format!("definition: {powers} moves of a state, and this verifier follows at most {most}");
            return Err(Trouble::TooMany(why));
        }
        let solved = sets.iter().flat_map(|set| {
            let orientations = if set.oriented { &set.orientations[..] } else { &[] };
            [&set.pieces[..], orientations].concat()
        });
        let solved: State = solved.collect();
        let quarter = table.quarter;
        let mut made = Self { sets, moves, quarter, start: Vec::new(), solved: solved.clone(), mirror: None };
        let words = table.scramble.as_deref().unwrap_or_default();
        let words: Vec<&str> = words.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()).collect();
        let (mut start, mut left) = (solved, MOST_SCRAMBLED);
        for word in words {
            made.scramble(word, &sequences, MOST_NESTED, &mut left, &mut start)?;
        }
        made.start = vec![start];
        made.mirror = symmetries.map(|symmetries| made.checked_mirror(symmetries)).transpose()?;
        Ok(made)
    }

    /// New names are all that permutations have: none is taken from the record, which must say those that are derived.
    fn checked_mirror(&self, symmetries: &SymmetryRecord) -> Result<Vec<NewNames>, String> {
        let SymmetryRecord { fixing, mirror, letters } = symmetries;
        if !fixing.is_empty() || mirror.as_ref().is_none_or(|cells| !cells.is_empty()) {
            return Err("symmetries: permutations have a mirror alone, and it moves no position".into());
        }
        let names = self.derived_names()?;
        match self.written_names(&names) == *letters {
            true => Ok(names),
            false => Err("symmetries.letters: the new names that make the start the solved state are others".into()),
        }
    }

    /// Makes the moves that a word of a scramble stands for.
    fn scramble(
        &self,
        word: &str,
        sequences: &BTreeMap<String, Vec<String>>,
        depth: usize,
        left: &mut usize,
        state: &mut State,
    ) -> Result<(), String> {
        let fault = |what: &str| Err(format!("scramble: `{word}` {what}"));
        *left = left.saturating_sub(1);
        if depth == 0 || *left == 0 {
            return fault("stands for too many moves");
        }
        match (self.reading(word), sequences.get(word)) {
            (Some((turn, times)), _) => {
                *state = self.after(&self.power(turn, times), state);
                Ok(())
            }
            (None, Some(words)) => words.iter().try_for_each(|w| self.scramble(w, sequences, depth - 1, left, state)),
            (None, None) => fault("is no move"),
        }
    }

    /// What a word stands for: a move, or a move and its power, as in `R2`, `R'`, `R2'`. Where several names of moves would do it is
    /// the longest.
    fn reading(&self, word: &str) -> Option<(&Move, usize)> {
        let named = |name: &str| self.moves.iter().find(|turn| turn.name == name);
        if let Some(turn) = named(word) {
            return Some((turn, 1 % turn.order));
        }
        let (rest, inverse) = word.strip_suffix('\'').map_or((word, false), |rest| (rest, true));
        let digits = rest.bytes().rev().take_while(u8::is_ascii_digit).count();
        let mut names = (0..=digits).map(|behind| rest.split_at(rest.len() - behind));
        let (turn, times) = names.find_map(|(name, times)| Some((named(name)?, times)))?;
        let times = if times.is_empty() { 1 } else { times.parse::<usize>().ok()? } % turn.order;
        Some((turn, if inverse { (turn.order - times) % turn.order } else { times }))
    }

    fn after(&self, turns: &[Turn], state: &[u8]) -> State {
        let (mut after, mut rest) = (Vec::new(), state);
        for (set, turn) in self.sets.iter().zip(turns) {
            let (own, others) = rest.split_at(set.entries());
            rest = others;
            after.extend(set.turned(own, turn));
        }
        after
    }

    /// What a move does if it is made so many times, by squaring.
    fn power(&self, turn: &Move, times: usize) -> Vec<Turn> {
        let both = |first: &[Turn], next: &[Turn]| -> Vec<Turn> {
            first.iter().zip(next).zip(&self.sets).map(|((first, next), set)| first.and(next, set.base)).collect()
        };
        let mut power: Vec<Turn> = self.sets.iter().map(|set| Turn::identity(set.size)).collect();
        let (mut square, mut left) = (turn.turns.clone(), times);
        while left > 0 {
            if left & 1 == 1 {
                power = both(&power, &square);
            }
            square = both(&square, &square);
            left >>= 1;
        }
        power
    }

    /// The powers of a move that are one move.
    fn is_one_move(&self, power: usize, order: usize) -> bool {
        !self.quarter || power == 1 || power + 1 == order
    }
}

impl Model for Permutations {
    fn parts(&self) -> Vec<Part> {
        self.sets.iter().flat_map(Set::parts).collect()
    }

    fn starts(&self) -> &[State] {
        &self.start
    }

    fn has_goal(&self) -> bool {
        true
    }

    fn is_goal(&self, state: &[u8]) -> bool {
        state == self.solved
    }

    fn goal_states(&self) -> Option<Vec<State>> {
        Some(vec![self.solved.clone()])
    }

    fn moves(&self, state: &[u8]) -> Result<BTreeSet<State>, Trouble> {
        let mut found = BTreeSet::new();
        for turn in &self.moves {
            let mut after = state.to_vec();
            for power in 1..turn.order {
                after = self.after(&turn.turns, &after);
                if self.is_one_move(power, turn.order) {
                    found.insert(after.clone());
                }
            }
        }
        found.remove(state);
        Ok(found)
    }

    // The inverse of a power is a power, and that of a named move is a move, too.
    fn can_be_undone(&self) -> bool {
        true
    }

    fn images(&self, state: &[u8]) -> Vec<State> {
        vec![state.to_vec()]
    }

    fn mirrored(&self, state: &[u8]) -> Option<State> {
        self.mirror.as_ref().map(|names| self.under(names, state))
    }

    fn fault(&self, state: &[u8]) -> Option<String> {
        // Orientations that do not count are 0.
        let mut rest = state;
        for set in &self.sets {
            let (own, others) = rest.split_at(set.entries());
            rest = others;
            let (pieces, orientations) = own.split_at(set.size);
            if pieces.iter().zip(orientations).any(|(&piece, &o)| o > 0 && !set.counts[usize::from(piece)]) {
                return Some(format!("set {}: a piece without an orientation has one", set.name));
            }
        }
        None
    }

    fn play(&self, state: &[u8], text: &str) -> Result<State, Trouble> {
        let (turn, times) = self.reading(text).ok_or("no move has this name")?;
        if times == 0 || !self.is_one_move(times, turn.order) {
            return Err("it is not one move".into());
        }
        let after = self.after(&self.power(turn, times), state);
        Some(after).filter(|after| after != state).ok_or_else(|| "it changes nothing".into())
    }

    fn with_fewer_letters(&self, groups: &[String]) -> Result<Arc<Distance>, Trouble> {
        fewer_pieces::distances(self, groups)
    }

    fn picture(&self, state: &[u8]) -> String {
        let (mut lines, mut rest) = (Vec::new(), state);
        for set in &self.sets {
            let (own, others) = rest.split_at(set.entries());
            rest = others;
            let (pieces, orientations) = own.split_at(set.size);
            let mut words = vec![set.name.clone()];
            words.extend(pieces.iter().map(|&piece| set.names[usize::from(piece)].to_string()));
            if set.base > 1 {
                words.push("|".into());
                words.extend((0..set.size).map(|position| match orientations.get(position) {
                    Some(orientation) if set.counts[usize::from(pieces[position])] => orientation.to_string(),
                    _ => "?".into(),
                }));
            }
            lines.push(words.join(" "));
        }
        lines.join("\n")
    }

    fn show(&self, state: &[u8]) -> String {
        self.picture(state).replace('\n', ", ")
    }
}
