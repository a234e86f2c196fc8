//! Why a record is rejected, as data: the kind of fault, its place, and the sentence that describes it.

use std::fmt;

use halma_record::record::Side;

/// What kind of fault a record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RejectionKind {
    /// The problem, its symmetries, or what the pruning is made from is stated wrongly.
    Problem,
    /// A lower bound, or a bound that prunes, is not what was derived again.
    Bound,
    /// Levels are missing, out of order, or of a side that the search does not have.
    Levels,
    /// Numbers do not add up, or are not those that were derived.
    Figures,
    /// A level has a key that stands for no state, or a state that another one stands for.
    State,
    /// A level lacks a state that it must have, or has one that it must not have.
    Closure,
    /// A level's digest is not that of its states.
    Digest,
    /// A level file is missing, damaged, or another one's.
    File,
    /// The verdict, or what goes with it, does not follow from what was searched.
    Verdict,
    /// A solution cannot be played, or is not one.
    Solution,
    /// How many solutions there are is not what was counted again.
    Count,
}

/// Where a fault is, as far as it has a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The length of solutions whose run it is in.
    pub length: Option<u32>,
    /// The side of the levels.
    pub side: Option<Side>,
    /// The level, or the one that a state is missing on.
    pub level: Option<u32>,
    /// The state, in words.
    pub state: Option<String>,
}

/// Why a record does not hold. Printed, it is the reason.
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
    /// A fault of this kind, whose place is not known yet.
    pub(crate) fn because(self, reason: impl Into<String>) -> Rejection {
        Rejection { kind: self, place: Place::default(), reason: reason.into() }
    }

    /// The same, of something that has a length or none.
    pub(crate) fn of_length(self, length: Option<u32>, reason: impl Into<String>) -> Rejection {
        Rejection { place: Place { length, ..Place::default() }, ..self.because(reason) }
    }

    /// `Err` of such a fault.
    pub(crate) fn reject<T>(self, reason: impl Into<String>) -> Result<T, Rejection> {
        Err(self.because(reason))
    }
}

impl Rejection {
    /// Makes faults of that kind of their reasons.
    pub(crate) fn of<S: Into<String>>(kind: RejectionKind) -> impl Fn(S) -> Self {
        move |reason| kind.because(reason)
    }

    /// Says which length it is about, unless that is known.
    pub(crate) fn at_length(mut self, length: u32) -> Self {
        self.place.length.get_or_insert(length);
        self
    }

    /// The same, also in words.
    pub(crate) fn in_length(self, length: u32) -> Self {
        self.prefixed(&format!("length {length}")).at_length(length)
    }

    /// Says which level it is about, unless that is known.
    pub(crate) fn at_level(mut self, side: Side, level: u32) -> Self {
        if self.place.level.is_none() {
            (self.place.side, self.place.level) = (Some(side), Some(level));
        }
        self
    }

    /// Says which state it is about.
    pub(crate) fn at_state(mut self, state: impl Into<String>) -> Self {
        self.place.state = Some(state.into());
        self
    }

    /// Puts what it is about before the reason.
    pub(crate) fn prefixed(mut self, about: &str) -> Self {
        self.reason = format!("{about}: {}", self.reason);
        self
    }
}
