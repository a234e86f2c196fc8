//! Scrambles: names of moves, separated by spaces or commas, each with an optional power: `R`, `R2`, `R'`, `R2'`.

use std::collections::BTreeMap;

use super::tws_file::Named;
use super::{PieceSet, SetTransformation, Transformation, then};
use crate::puzzle::TableFault;

/// How many sequences may be nested in each other.
const MAX_DEPTH: usize = 16;
/// The most moves that a scramble may have once its sequences are written out.
const MAX_LENGTH: usize = 100_000;

/// The transformations that a scramble names, one after another.
pub(super) fn read(
    text: &str,
    sets: &[PieceSet],
    moves: &[Named],
    rotations: &[String],
    sequences: &BTreeMap<String, Vec<String>>,
) -> Result<Vec<Transformation>, TableFault> {
    let names = Names { sets, moves, rotations, sequences };
    let mut found = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()) {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let fault = |message: String| TableFault::of("scramble", message).within(start..start + word.len());
        names.resolve(word, MAX_DEPTH, &mut found).map_err(fault)?;
    }
    Ok(found)
}

struct Names<'a> {
    sets: &'a [PieceSet],
    moves: &'a [Named],
    rotations: &'a [String],
    sequences: &'a BTreeMap<String, Vec<String>>,
}

impl Names<'_> {
    fn named(&self, name: &str) -> Option<&Named> {
        self.moves.iter().find(|m| m.name == name)
    }

    /// Adds what `word` stands for.
    fn resolve(&self, word: &str, depth: usize, found: &mut Vec<Transformation>) -> Result<(), String> {
        if let Some(step) = self.power(word) {
            found.push(step);
            return if found.len() > MAX_LENGTH { Err("the scramble is too long".into()) } else { Ok(()) };
        }
        if let Some(sequence) = self.sequences.get(word) {
            if depth == 0 {
                return Err(format!("the sequence {word:?} is made of too many others"));
            }
            return sequence.iter().try_for_each(|word| self.resolve(word, depth - 1, found));
        }
        if self.rotations.iter().any(|r| r == word || parts(word, |name| name == r).is_some()) {
            return Err(format!("{word} turns the whole puzzle, and is no move"));
        }
        let all: Vec<&str> = self.moves.iter().take(40).map(|m| m.name.as_str()).collect();
        Err(format!("there is no move {word:?}; moves are {}, with a number or ' behind them", all.join(" ")))
    }

    /// The move of that name, or a power of one.
    fn power(&self, word: &str) -> Option<Transformation> {
        if let Some(named) = self.named(word) {
            return Some(named.sets.clone());
        }
        let (name, times, back) = parts(word, |name| self.named(name).is_some())?;
        let mut square = self.named(name)?.sets.clone();
        if back {
            square = self.sets.iter().zip(&square).map(|(set, step)| step.inverse(set.orientations)).collect();
        }
        let mut times = if times.is_empty() { 1 } else { times.parse::<u32>().ok()? };
        let mut power: Transformation = self.sets.iter().map(|s| SetTransformation::identity(s.positions)).collect();
        while times > 0 {
            if times % 2 == 1 {
                power = then(self.sets, &power, &square);
            }
            square = then(self.sets, &square, &square);
            times /= 2;
        }
        Some(power)
    }
}

/// A word as the name of a move, the digits of a power, and whether it is undone. Names may end in digits themselves: of several
/// that the word begins with it is the longest.
pub(super) fn parts(word: &str, is_name: impl Fn(&str) -> bool) -> Option<(&str, &str, bool)> {
    let (word, back) = word.strip_suffix('\'').map_or((word, false), |w| (w, true));
    let shortest = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (name, times) = (shortest..=word.len()).rev().map(|end| word.split_at(end)).find(|(name, _)| is_name(name))?;
    Some((name, times, back))
}
