//! Puzzles that a file states: the tables of `kind = "rules"`, `"blocks"` and `"permutation"`, key by key.
//!
//! This file does not say what a rule means; `docs/guide/puzzle-files.md` does. The search compiles these tables, and
//! the verifier interprets them independently.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::raw;

/// The kinds of puzzles that a file states.
pub const KINDS: [&str; 3] = ["rules", "blocks", "permutation"];

/// A puzzle as records repeat it: the `[problem]` table of the job, with the texts of files that it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PuzzleSpec {
    /// One of [`KINDS`], or that of a puzzle in Rust.
    pub kind: String,
    /// What the puzzle is called in lists and pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// All other keys.
    #[serde(flatten)]
    pub table: serde_json::Map<String, serde_json::Value>,
}

impl PuzzleSpec {
    /// The table's keys as `T` has them.
    ///
    /// # Errors
    /// Which key is unknown, missing, or of another type.
    pub fn table<T: serde::de::DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_value(serde_json::Value::Object(self.table.clone())).map_err(|e| raw::in_toml(&e.to_string()))
    }
}

/// One value, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// One.
    One(T),
    /// A list.
    Many(Vec<T>),
}

/// What messages say of a value that is neither one of these nor a list of them.
pub trait Allowed {
    /// As in `a map, or a list of maps`.
    const ALLOWED: &str;
}

impl Allowed for String {
    const ALLOWED: &str = "a map, or a list of maps";
}

impl Allowed for Goal {
    const ALLOWED: &str =
        "a map, a table, as in { count = { A = 1 }, at = \"d4\" } or { at = { d4 = \"A\" } }, or a list of these";
}

impl<'de, T: Deserialize<'de> + Allowed> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Allowed> Visitor<'de> for Reader<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::ALLOWED)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                T::deserialize(text.into_deserializer()).map(OneOrMany::One)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OneOrMany::One)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMany::Many)
            }
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

/// Reads what is a text or a table. An untagged enum would not say what is wrong in the table.
struct TextOrTable<T, V> {
    expected: &'static str,
    text: fn(String) -> V,
    table: fn(T) -> V,
}

impl<'de, T: Deserialize<'de>, V> Visitor<'de> for TextOrTable<T, V> {
    type Value = V;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<V, E> {
        Ok((self.text)(text.into()))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(self.table)
    }
}

impl<T> OneOrMany<T> {
    /// All of them.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// `kind = "rules"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RulesTable {
    /// The start as a map; several starts as a list of maps of one shape.
    pub board: OneOrMany<String>,
    /// 4, 6, 8 or names; 4 where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directions: Option<Directions>,
    /// Rewrite rules.
    pub rules: Vec<RuleEntry>,
    /// Letters that stand for one of several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub legend: BTreeMap<String, String>,
    /// Whether the man that moved may go on, for rules that do not say it themselves.
    #[serde(default)]
    pub chain: bool,
    /// How often a rule repeats along its direction, for rules that do not say it themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// What ends the puzzle; none where only levels are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<OneOrMany<Goal>>,
}

/// The directions of rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "directions: allowed are 4, 6, 8, and a list of names")]
pub enum Directions {
    /// 4, 6 or 8.
    Number(u8),
    /// As in `["right", "down"]`.
    Named(Vec<String>),
}

/// A rule: its text, or a table with what holds for it alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum RuleEntry {
    /// As in `"A x . -> . x A"`.
    Text(String),
    /// The same with options.
    Table(RuleTable),
}

impl<'de> Deserialize<'de> for RuleEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected =
            "a rule: a text, or a table with rule, directions, chain, until (once, blocked, any), turn and free";
        deserializer.deserialize_any(TextOrTable { expected, text: Self::Text, table: Self::Table })
    }
}

/// A rule with options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleTable {
    /// As in `"A x . -> . x A"`.
    pub rule: String,
    /// Its own directions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directions: Option<Directions>,
    /// Whether the man that moved may go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<bool>,
    /// How often it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// The side that may use it, 1 or 2: sides take turns, 1 begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u8>,
    /// Whether it costs nothing: a move is any number of applications of free rules and one of another rule.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
}

/// How often a rule repeats along its direction in one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Until {
    /// Once.
    Once,
    /// As often as it can.
    Blocked,
    /// As often as the player likes, at least once.
    Any,
}

/// What ends a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Goal {
    /// A map of the board's shape with `?` for anything.
    Map(String),
    /// Counts and places.
    Conditions(Conditions),
}

impl<'de> Deserialize<'de> for Goal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a goal: a map, or a table with count and at";
        deserializer.deserialize_any(TextOrTable { expected, text: Self::Map, table: Self::Conditions })
    }
}

/// Conditions that all have to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// How many cells have that letter, or one of its class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub count: BTreeMap<String, u32>,
    /// Cells that have a letter, or one of its class: a table of cells and letters, or cells alone where [`Self::count`] names
    /// one letter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Places>,
}

/// Cells, or cells and letters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "at: allowed are a cell, a list of cells, and a table of cells and letters")]
pub enum Places {
    /// One cell.
    Cell(String),
    /// Cells.
    Cells(Vec<String>),
    /// Cells with their letters.
    Letters(BTreeMap<String, String>),
}

/// `kind = "blocks"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BlocksTable {
    /// A map in which each letter is one block; or 36 characters, a board of Rush Hour row by row.
    pub board: String,
    /// Maps of the board's shape with `?` for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<OneOrMany<String>>,
    /// What one move is.
    pub metric: Metric,
    /// Whether blocks move along their longer side alone.
    #[serde(default)]
    pub axis: bool,
    /// Blocks that are told apart from others of their shape, beside those that the goal names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub distinct: Vec<String>,
}

/// What one move of a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// One cell in one direction.
    Step,
    /// As far as one likes in one direction.
    Slide,
    /// As far as one likes, in any directions one after another.
    Move,
}

/// `kind = "permutation"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PermutationTable {
    /// The text of a twsearch file; a job may say `file` instead, whose text records have here.
    pub definition: String,
    /// The moves, in the file's names, that lead from its solved state to the start; without it the search begins there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scramble: Option<String>,
    /// Whether only the moves named in the file count, and not their powers (the quarter-turn metric).
    #[serde(default)]
    pub quarter: bool,
}
