//! The names of the bounds of games, and choices of several.

use std::fmt;
use std::str::FromStr;

/// The bounds by name, in the order in which they are asked: cheap ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// `halma_bounds::game_bounds::count`
    Count,
    /// `halma_bounds::game_bounds::vacate`
    Vacate,
    /// `halma_bounds::game_bounds::contact`
    Contact,
    /// `halma_bounds::game_bounds::packing`
    Packing,
    /// `halma_bounds::game_bounds::types`
    Types,
    /// `halma_bounds::game_bounds::diagonal_gaps`
    DiagonalGaps,
    /// `halma_bounds::game_bounds::two_ladders`
    TwoLadders,
    /// `halma_bounds::game_bounds::hall`
    Hall,
    /// `halma_bounds::game_bounds::rungs`
    Rungs,
    /// `halma_bounds::game_bounds::look_ahead`
    LookAhead,
}

impl Name {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Count,
        Self::Vacate,
        Self::Contact,
        Self::Packing,
        Self::Types,
        Self::DiagonalGaps,
        Self::TwoLadders,
        Self::Hall,
        Self::Rungs,
        Self::LookAhead,
    ];

    /// The name as job files write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Vacate => "vacate",
            Self::Contact => "contact",
            Self::Packing => "packing",
            Self::Types => "types",
            Self::DiagonalGaps => "diagonal-gaps",
            Self::TwoLadders => "two-ladders",
            Self::Hall => "hall",
            Self::Rungs => "rungs",
            Self::LookAhead => "look-ahead",
        }
    }
}

/// A choice of bounds.
///
/// ```
/// use halma_record::job::game_bounds::{Bounds, Name};
/// let paper: Bounds = "paper".parse().unwrap();
/// assert_eq!(paper, Bounds::of([Name::Count, Name::Contact]));
/// assert_eq!("contact+count".parse(), Ok(paper.clone()));
/// assert_eq!(paper.to_string(), "count+contact");
/// assert!("all-but-hall".parse::<Bounds>().unwrap() != Bounds::all());
/// assert_eq!("all+rungs".parse(), Ok(Bounds::all_and_rungs()));
/// assert_eq!(Bounds::all_and_rungs().to_string(), "all+rungs");
/// assert_eq!(Bounds::usual(256), Bounds::all_and_rungs());
/// assert_eq!(Bounds::usual(81), Bounds::all());
/// assert!("hull".parse::<Bounds>().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds(Vec<Name>);

impl Bounds {
    /// These bounds.
    #[must_use]
    pub fn of(names: impl IntoIterator<Item = Name>) -> Self {
        let mut names: Vec<Name> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        Self(names)
    }

    /// No bound at all.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The bound of the paper's Section 2.5: bound (7), in the form that holds for every position (`contact`).
    #[must_use]
    pub fn paper() -> Self {
        Self::of([Name::Count, Name::Contact])
    }

    /// The bounds that records call `all`: every bound but [`Name::Rungs`], which is younger than that name.
    #[must_use]
    pub fn all() -> Self {
        Self::of(Name::ALL.into_iter().filter(|&name| name != Name::Rungs))
    }

    /// Every bound.
    #[must_use]
    pub fn all_and_rungs() -> Self {
        Self::of(Name::ALL)
    }

    /// The fastest choice for a board of so many cells. On small boards a line has few cells, so lines say as much as
    /// cells, and cost less. On a large one they say more: `results/bench/look-ahead.md` has the times.
    #[must_use]
    pub fn usual(cells: usize) -> Self {
        if cells > 128 { Self::all_and_rungs() } else { Self::all() }
    }

    /// Their names, in the order in which they are asked.
    #[must_use]
    pub fn names(&self) -> &[Name] {
        &self.0
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            _ if self.0.is_empty() => f.write_str("none"),
            _ if *self == Self::all() => f.write_str("all"),
            _ if *self == Self::all_and_rungs() => f.write_str("all+rungs"),
            _ => f.write_str(&self.0.iter().map(|n| n.as_str()).collect::<Vec<_>>().join("+")),
        }
    }
}

impl FromStr for Bounds {
    type Err = String;

    /// `none`, `paper`, or `all`, `all-but-NAME` and names joined by `+`.
    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || {
            let names = Name::ALL.map(Name::as_str).join(", ");
            format!("pruning {text:?}: allowed are none, paper, or all, all-but-NAME and names joined by '+': {names}")
        };
        let name = |word: &str| Name::ALL.into_iter().find(|n| n.as_str() == word).ok_or_else(fault);
        let names = |word: &str| match word.strip_prefix("all-but-").map(name) {
            Some(without) => without.map(|without| Self::all().0.into_iter().filter(|&n| n != without).collect()),
            None if word == "all" => Ok(Self::all().0),
            None => name(word).map(|name| vec![name]),
        };
        match text {
            "none" => Ok(Self::none()),
            "paper" => Ok(Self::paper()),
            _ => Ok(Self::of(text.split('+').map(names).collect::<Result<Vec<_>, _>>()?.concat())),
        }
    }
}
