//! Why a record is rejected, as data: the kind of fault, its place, and the sentence that describes it.

use std::fmt;

use halma_record::record::Side;

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RejectionKind {
    /// The problem, its symmetries, or the tables of the pruning are wrong.
    Problem,
    /// A lower bound, or a bound that prunes, differs from the derived one.
    Bound,
    /// Levels are missing, out of order, or of a side that the search does not have.
    Levels,
    /// Numbers do not add up, or differ from the derived ones.
    Figures,
    /// A level has a key of no state, or one that is not the least of its class.
    State,
    /// A level lacks a state that it must have, or has one that it must not have.
    Closure,
    /// A level's digest is not that of its states.
    Digest,
    /// A level file is missing, damaged, or a foreign one.
    File,
    /// A level file was written by another version of the program.
    Version,
    /// The verdict, or a field with it, does not follow from the search.
    Verdict,
    /// A solution cannot be played, or does not solve the problem.
    Solution,
    /// A number of solutions differs from the recount.
    Count,
    /// Nothing is known to be wrong: it is larger than this verifier follows.
    TooLarge,
}

/// Why something was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// There is more of it than this verifier, or its budget, allows.
    TooMany(String),
    /// It is wrong.
    Wrong(String),
}

impl Trouble {
    /// Puts its subject before the reason.
    pub(crate) fn prefixed(self, about: &str) -> Self {
        match self {
            Self::TooMany(why) => Self::TooMany(format!("{about}: {why}")),
            Self::Wrong(why) => Self::Wrong(format!("{about}: {why}")),
        }
    }
}

impl From<String> for Trouble {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

impl From<&str> for Trouble {
    fn from(why: &str) -> Self {
        Self::Wrong(why.into())
    }
}

/// The place of a fault, as far as it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The length.
    pub length: Option<u32>,
    /// The side of the levels.
    pub side: Option<Side>,
    /// The level of the state, or the level that lacks it.
    pub level: Option<u32>,
    /// The state, in words.
    pub state: Option<String>,
}

/// Why a record is rejected. Its text is the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// What kind of fault it is.
    pub kind: RejectionKind,
    /// Where it is.
    pub place: Place,
    /// What is wrong, for people.
    pub reason: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Rejection {}

impl RejectionKind {
    /// A fault of this kind without a place.
    pub(crate) fn because(self, reason: impl Into<String>) -> Rejection {
        Rejection { kind: self, place: Place::default(), reason: reason.into() }
    }

    /// The same, for something that may have a length.
    pub(crate) fn of_length(self, length: Option<u32>, reason: impl Into<String>) -> Rejection {
        Rejection { place: Place { length, ..Place::default() }, ..self.because(reason) }
    }

    /// `Err` of such a fault.
    pub(crate) fn reject<T>(self, reason: impl Into<String>) -> Result<T, Rejection> {
        Err(self.because(reason))
    }
}

impl Rejection {
    /// Turns reasons into faults of that kind, but for what is too large.
    pub(crate) fn of<T: Into<Trouble>>(kind: RejectionKind) -> impl Fn(T) -> Self {
        move |trouble| match trouble.into() {
            Trouble::Wrong(reason) => kind.because(reason),
            Trouble::TooMany(reason) => RejectionKind::TooLarge.because(reason),
        }
    }

    /// Adds the length, unless it is known.
    pub(crate) fn at_length(mut self, length: u32) -> Self {
        self.place.length.get_or_insert(length);
        self
    }

    /// The same, also in the text.
    pub(crate) fn in_length(self, length: u32) -> Self {
        self.prefixed(&format!("length {length}")).at_length(length)
    }

    /// Adds the level, unless it is known.
    pub(crate) fn at_level(mut self, side: Side, level: u32) -> Self {
        if self.place.level.is_none() {
            (self.place.side, self.place.level) = (Some(side), Some(level));
        }
        self
    }

    /// Adds the state, unless it is known.
    pub(crate) fn at_state(mut self, state: impl Into<String>) -> Self {
        self.place.state.get_or_insert_with(|| state.into());
        self
    }

    /// Puts its subject before the reason.
    pub(crate) fn prefixed(mut self, about: &str) -> Self {
        self.reason = format!("{about}: {}", self.reason);
        self
    }
}

/// A value in words, where there may be none.
pub(crate) fn or_none<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "none".into(), |value| value.to_string())
}
