//! A job file as parsed: every key, its value and its place in the file. Only the types have been checked.

use std::fmt;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Unexpected, Visitor};
use toml::Spanned;

use super::Pruning;
use super::Rule;
use crate::source::{InputError, Source, suggestion};

/// A whole job file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// `[problem]`
    pub problem: ProblemTable,
    /// `[search]`
    #[serde(default)]
    pub search: SearchTable,
    /// `[limits]`
    #[serde(default)]
    pub limits: LimitsTable,
    /// `[output]`
    #[serde(default)]
    pub output: OutputTable,
}

/// `[problem]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table, as in [problem]", rename_all = "kebab-case")]
pub struct ProblemTable {
    /// `transfer` or `game`.
    pub kind: Spanned<String>,
    /// What the problem is called.
    pub title: Option<String>,
    /// A board's name, or a map.
    pub board: Spanned<String>,
    /// The move rule.
    pub moves: Moves,
    /// Where the men start, unless the map shows it.
    pub army: Option<Spanned<Men>>,
    /// The cells to fill, unless the map shows them or they mirror the army.
    pub target: Option<Spanned<Men>>,
    /// Whether steps are forbidden.
    pub jumps_only: Option<Spanned<bool>>,
}

/// `[search]`
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table, as in [search]", rename_all = "kebab-case")]
pub struct SearchTable {
    /// A name, or a table.
    pub pruning: Option<Spanned<Pruning>>,
    /// Whether only palindromes count.
    pub palindromic: Option<Spanned<bool>>,
    /// The greatest length to try.
    pub max_length: Option<Within<0, 9999>>,
    /// Whether the problem's symmetry is used; it is unless switched off.
    pub symmetry: Option<bool>,
    /// An earlier record: its file, or its run's folder. The lengths that it refutes are not tried again.
    pub refuted_by: Option<PathText>,
}

/// `[limits]`
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table, as in [limits]")]
pub struct LimitsTable {
    /// How many threads.
    pub threads: Option<Within<1, 4096>>,
    /// As in `4 GiB`.
    pub memory: Option<Size>,
    /// As in `40 GiB`.
    pub disk: Option<Size>,
    /// As in `2 h`.
    pub time: Option<Time>,
    /// As in `5 min`: after so much work, what is only in memory is saved.
    pub checkpoint: Option<Time>,
}

/// `[output]`
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table, as in [output]", rename_all = "kebab-case")]
pub struct OutputTable {
    /// The folder to write to.
    pub dir: Option<PathText>,
    /// Whether level files stay.
    #[serde(default)]
    pub keep_levels: bool,
    /// The folder where pattern databases stay.
    pub cache: Option<PathText>,
}

/// `army` or `target`.
#[derive(Debug)]
pub enum Men {
    /// A name.
    Named(String),
    /// Cells.
    Listed(Vec<Spanned<String>>),
}

/// `moves = 4`, 6 or 8.
#[derive(Debug)]
pub struct Moves(pub Rule);

/// A whole number from `LOW` to `HIGH`.
#[derive(Debug)]
pub struct Within<const LOW: i64, const HIGH: i64>(pub i64);

/// A parameter of a pruning.
#[derive(Debug)]
pub enum Parameter {
    /// A whole number.
    Number(i64),
    /// Weights.
    Weights(Numbers),
    /// `trial`: to be chosen by trial.
    Trial,
}

impl Parameter {
    /// The parameter that a word states, if it states one.
    #[must_use]
    pub fn word(word: &str) -> Option<Self> {
        (word == "trial").then_some(Self::Trial)
    }
}

/// Whole numbers, joined by `/`.
#[derive(Debug)]
pub struct Numbers(pub Vec<i64>);

impl Numbers {
    /// Reads `1/2/3`.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        text.split('/').map(|number| number.trim().parse().ok()).collect::<Option<_>>().map(Self)
    }
}

/// A number of bytes.
#[derive(Debug)]
pub struct Size(pub u64);

/// A time on the clock.
#[derive(Debug)]
pub struct Time(pub Duration);

/// The path of a file or a folder.
#[derive(Debug)]
pub struct PathText(pub String);

/// Reads TOML; the parser's own message, with its place and a suggestion for a misspelt key.
///
/// # Errors
/// The first thing in the text that is no TOML, no known key or of another type.
pub fn parse<T: serde::de::DeserializeOwned>(source: &Source) -> Result<T, InputError> {
    toml::from_str(source.text()).map_err(|e| fault(source, &e, 0..0))
}

/// What the parser says, with a suggestion for a misspelt key; `place` is where it says no place.
#[must_use]
pub fn fault(source: &Source, error: &toml::de::Error, place: std::ops::Range<usize>) -> InputError {
    let mut words = error.message().split('`').skip(1).step_by(2);
    let is = |what: &str| error.message().starts_with(what);
    let help = match words.next() {
        Some(found) if is("unknown field") => suggestion(found, words),
        Some(key) if is("missing field") => values(key).map(|values| format!(": {values}")).unwrap_or_default(),
        _ => String::new(),
    };
    let message = in_toml(&error.message().replace('\n', ", "));
    source.fault(error.span().unwrap_or(place), message + &help)
}

/// A message about a value of the wrong type, with TOML's words for the type that is needed.
#[must_use]
pub(super) fn in_toml(message: &str) -> String {
    let types = [("a sequence", "a list"), ("a map", "a table"), ("u8", "a whole number"), ("u32", "a whole number")];
    let renamed = types.iter().find_map(|(rust, toml)| Some(message.strip_suffix(rust)?.to_string() + toml));
    renamed.unwrap_or_else(|| message.into())
}

/// What a key may say that every job, or every puzzle of a kind, must have.
fn values(key: &str) -> Option<&'static str> {
    Some(match key {
        "problem" => "a job has a table [problem] with the keys kind, board, ...; `halma new FILE` writes one",
        "kind" => "allowed are \"transfer\", \"game\", \"rules\", \"blocks\" and \"permutation\"",
        "moves" => "allowed are 4, 6 and 8 directions",
        "metric" => "allowed are \"step\", \"slide\" and \"move\"",
        "definition" => "allowed is a text in twsearch's notation, or `file` with the name of such a file",
        _ => return None,
    })
}

/// Reads `4 GiB`, `512 MiB`, `1.5 GB`.
///
/// # Errors
/// What was found and what is allowed.
pub fn size(text: &str) -> Result<u64, String> {
    match text.parse::<bytesize::ByteSize>() {
        Ok(size) if size.0 > 0 => Ok(size.0),
        _ => Err(format!("`{text}` is no size: allowed are sizes such as 4 GiB, 512 MiB and 1.5 GB")),
    }
}

/// Reads `2 h`, `90 min`, `30 s`.
///
/// # Errors
/// What was found and what is allowed.
pub fn time(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err(format!("`{text}` is no time: allowed are times such as 2 h, 90 min and 30 s")),
    }
}

/// What a value has to be, as messages say it, and how it is read from a number or a text.
trait Value: Sized {
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn number(_: i64) -> Option<Self> {
        None
    }
    fn text(_: &str) -> Option<Result<Self, String>> {
        None
    }
}

impl Value for Moves {
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("4, 6 or 8")
    }
    fn number(n: i64) -> Option<Self> {
        Some(Self(Rule::try_from(u8::try_from(n).ok()?).ok()?))
    }
}

impl<const LOW: i64, const HIGH: i64> Value for Within<LOW, HIGH> {
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from {LOW} to {HIGH}")
    }
    fn number(n: i64) -> Option<Self> {
        (LOW..=HIGH).contains(&n).then_some(Self(n))
    }
}

impl Value for Parameter {
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }
    fn number(n: i64) -> Option<Self> {
        Some(Self::Number(n))
    }
    fn text(text: &str) -> Option<Result<Self, String>> {
        Self::word(text).map(Ok)
    }
}

impl Value for Numbers {
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("whole numbers, as in \"1/2/3\"")
    }
    fn number(n: i64) -> Option<Self> {
        Some(Self(vec![n]))
    }
    fn text(text: &str) -> Option<Result<Self, String>> {
        Self::of(text).map(Ok)
    }
}

impl Value for Size {
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size such as \"4 GiB\", \"512 MiB\" or \"1.5 GB\"")
    }
    fn text(text: &str) -> Option<Result<Self, String>> {
        Some(size(text).map(Self))
    }
}

impl Value for Time {
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time such as \"2 h\", \"90 min\" or \"30 s\"")
    }
    fn text(text: &str) -> Option<Result<Self, String>> {
        Some(time(text).map(Self))
    }
}

impl Value for PathText {
    fn expecting(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path")
    }
    fn text(text: &str) -> Option<Result<Self, String>> {
        let is_path = !text.is_empty() && !text.contains('\0');
        Some(if is_path { Ok(Self(text.into())) } else { Err(format!("{text:?} is no path")) })
    }
}

struct Reader<T>(std::marker::PhantomData<T>);

impl<T: Value> Visitor<'_> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        T::expecting(f)
    }
    fn visit_i64<E: Error>(self, n: i64) -> Result<T, E> {
        T::number(n).ok_or_else(|| E::invalid_value(Unexpected::Signed(n), &self))
    }
    /// A number that is larger than any value may be.
    fn visit_i128<E: Error>(self, n: i128) -> Result<T, E> {
        Err(E::invalid_value(Unexpected::Other(&n.to_string()), &self))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let wrong_type = || E::invalid_type(Unexpected::Str(text), &self);
        T::text(text).ok_or_else(wrong_type)?.map_err(E::custom)
    }
}

macro_rules! read_as_value {
    ($($type:ty $(, $low:ident, $high:ident)?;)*) => {$(
        impl<'de $(, const $low: i64, const $high: i64)?> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Reader(std::marker::PhantomData))
            }
        }
    )*};
}
read_as_value! {
    Moves;
    Within<LOW, HIGH>, LOW, HIGH;
    Parameter;
    Numbers;
    Size;
    Time;
    PathText;
}

impl<'de> Deserialize<'de> for Men {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// An untagged enum would lose the places of the cells.
        struct MenReader;
        impl<'de> Visitor<'de> for MenReader {
            type Value = Men;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an army's name or a list of cells")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Men, E> {
                Ok(Men::Named(name.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Men, A::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = seq.next_element()? {
                    cells.push(cell);
                }
                Ok(Men::Listed(cells))
            }
        }
        deserializer.deserialize_any(MenReader)
    }
}
