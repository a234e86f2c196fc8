//! Prints solutions as text or JSON, streamed: a solution of 10^8 moves is never held in memory.

use std::cell::RefCell;
use std::io::{self, Write};

use num_bigint::BigUint;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use halma_puzzles::row::row_board::Board;

use super::Common;

/// What is known of the length of the shortest solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimum {
    /// It is this.
    Known(u64),
    /// There is no solution.
    Unsolvable,
    /// It is proved to lie between these.
    Between(u64, u64),
}

/// What is said about the solutions before they are listed.
pub struct Heading {
    /// `shift`, `pairs` or `reverse`.
    pub puzzle: &'static str,
    /// What was asked about.
    pub parameters: Vec<(&'static str, Value)>,
    /// The length of the shortest solutions.
    pub minimum: Minimum,
    /// How many there are, where that was computed.
    pub count: Option<BigUint>,
    /// How the answer was found.
    pub method: &'static str,
    /// The same in words; where it is empty, text output has no heading.
    pub text: String,
}

/// A number in JSON: digits in a string where a double would not hold it.
pub struct Number<'a>(pub &'a BigUint);

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(small) if small <= 1 << 53 => serializer.serialize_u64(small),
            _ => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

impl Serialize for Minimum {
    /// A number; null where there is no solution; where it is not known, a word that is neither.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Known(minimum) => Number(&minimum.into()).serialize(serializer),
            Self::Unsolvable => serializer.serialize_none(),
            Self::Between(..) => serializer.serialize_str("unproved"),
        }
    }
}

/// An iterator as a JSON array, written as it goes; it is used up once.
struct Stream<I>(RefCell<Option<I>>);

impl<I> Stream<I> {
    fn new(items: I) -> Self {
        Self(RefCell::new(Some(items)))
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for Stream<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

impl Heading {
    /// The same with one more parameter.
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.parameters.push((name, value.into()));
        self
    }

    /// The same without words.
    pub fn bare(self) -> Self {
        Self { text: String::new(), ..self }
    }

    /// Prints the solutions, each on a line of its own, drawn from `start` on, or as a JSON document.
    pub fn print<I: Iterator<Item = u64>>(
        &self,
        solutions: impl IntoIterator<Item = I>,
        start: impl Fn() -> Board,
        common: &Common,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if common.json {
            return self.json(solutions.into_iter(), out);
        }
        if !self.text.is_empty() {
            writeln!(out, "{}", self.text)?;
        }
        let length = match self.minimum {
            Minimum::Known(length) | Minimum::Between(_, length) => length,
            Minimum::Unsolvable => 0,
        };
        for (number, moves) in solutions.into_iter().enumerate() {
            if common.draw {
                if number > 0 {
                    writeln!(out)?;
                }
                draw(start(), moves, length, out)?;
            } else {
                line(moves, out)?;
            }
        }
        Ok(())
    }

    /// Prints the number of solutions alone, or the JSON document without any.
    pub fn print_count(self, count: BigUint, common: &Common, out: &mut dyn Write) -> io::Result<()> {
        if !common.json {
            return writeln!(out, "{count}");
        }
        Self { count: Some(count), ..self }.json(std::iter::empty::<std::iter::Empty<u64>>(), out)
    }

    fn json<I: Iterator<Item = u64>>(&self, solutions: impl Iterator<Item = I>, out: &mut dyn Write) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::new(&mut *out);
        let parameters: serde_json::Map<String, Value> =
            self.parameters.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let mut document = serializer.serialize_map(None)?;
        document.serialize_entry("puzzle", self.puzzle)?;
        document.serialize_entry("parameters", &parameters)?;
        document.serialize_entry("minimum", &self.minimum)?;
        if let Minimum::Between(low, high) = self.minimum {
            document.serialize_entry("bounds", &[low, high])?;
        }
        document.serialize_entry("count", &self.count.as_ref().map(Number))?;
        document.serialize_entry("solutions", &Stream::new(solutions.map(Stream::new)))?;
        document.serialize_entry("method", self.method)?;
        document.end()?;
        writeln!(out)
    }
}

fn line(moves: impl Iterator<Item = u64>, out: &mut dyn Write) -> io::Result<()> {
    for (i, place) in moves.enumerate() {
        if i > 0 {
            out.write_all(b" ")?;
        }
        write!(out, "{place}")?;
    }
    writeln!(out)
}

/// The rows of a solution, numbered from 1 as the article on jumping checkers prints them.
fn draw(mut board: Board, moves: impl Iterator<Item = u64>, length: u64, out: &mut dyn Write) -> io::Result<()> {
    let width = ((length + 1).ilog10() as usize + 1).max(2);
    writeln!(out, "{:>width$}. {board}", 1)?;
    for (number, place) in (2..).zip(moves) {
        board.play(place).map_err(io::Error::other)?;
        writeln!(out, "{number:>width$}. {board}")?;
    }
    Ok(())
}
