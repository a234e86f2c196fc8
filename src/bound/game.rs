//! Bounds of the two-player shortest game: each proves that a position cannot end in a game of the length in question.
//!
//! The winner is fixed by the length's parity. In a position from which `remaining` moves are left, ceil(remaining / 2)
//! are the winner's, who makes the last one, and floor(remaining / 2) the loser's. Let s be the winner's men outside
//! the base they have to fill. Every winner's move lowers s by at most one, so the winner can afford
//! σ = ceil(remaining / 2) - s moves that do not enter: its *slack*. Most bounds below are arguments about σ.
//!
//! Each bound is one file with its proof. [`GameBound::admits`] is its definition; [`GameBound::restrict`] judges all
//! successors of a position at once and must agree with it, which the tests check.

pub mod contact;
pub mod count;
pub mod diagonal_gaps;
pub mod hall;
pub mod lines;
pub mod look_ahead;
pub mod packing;
pub mod two_ladders;
pub mod types;
pub mod vacate;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::cells::Cells;
use crate::game::{Game, Side};
use crate::problem::set;

/// A position with the moves that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<const W: usize> {
    /// The army that makes the last move.
    pub winner: Cells<W>,
    /// The other army.
    pub loser: Cells<W>,
    /// Moves of both sides still to be made.
    pub remaining: u32,
}

impl<const W: usize> Position<W> {
    /// Whether the winner moves next.
    #[inline]
    #[must_use]
    pub fn winner_to_move(&self) -> bool {
        self.remaining % 2 == 1
    }

    /// The winner's moves among those that remain.
    #[inline]
    #[must_use]
    pub fn winner_moves(&self) -> u32 {
        self.remaining.div_ceil(2)
    }

    /// The loser's moves among those that remain; the winner's last move comes after all of them.
    #[inline]
    #[must_use]
    pub fn loser_moves(&self) -> u32 {
        self.remaining / 2
    }

    /// The army to move.
    #[inline]
    #[must_use]
    pub fn mover(&self) -> Cells<W> {
        if self.winner_to_move() { self.winner } else { self.loser }
    }

    /// σ, where the winner's goal is `base`; negative where the moves do not suffice.
    #[inline]
    #[must_use]
    pub fn slack(&self, base: Cells<W>) -> i32 {
        self.winner_moves() as i32 - (self.winner & !base).len() as i32
    }

    /// The position after the man to move on `from` has gone to `to`.
    #[inline]
    #[must_use]
    pub fn after(&self, from: usize, to: usize) -> Self {
        let moved = |army: Cells<W>| army.without(from).with(to);
        let remaining = self.remaining - 1;
        if self.winner_to_move() {
            Self { winner: moved(self.winner), remaining, ..*self }
        } else {
            Self { loser: moved(self.loser), remaining, ..*self }
        }
    }
}

/// A bound for games that one side wins.
pub trait GameBound<const W: usize>: Send + Sync {
    /// False only where no play of `position.remaining` more moves ends with the winner's last man entering, the
    /// game not being over before.
    fn admits(&self, position: &Position<W>) -> bool;

    /// Takes out of `reach[i]`, the cells that the man on `men[i]` of the army to move can go to, those after which
    /// the bound does not admit the position.
    fn restrict(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        for (&man, reach) in men.iter().zip(reach) {
            let from = usize::from(man);
            for to in reach.iter() {
                if !self.admits(&position.after(from, to)) {
                    reach.remove(to);
                }
            }
        }
    }
}

/// The bounds by name, in the order in which they are asked: cheap ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// [`count`]
    Count,
    /// [`vacate`]
    Vacate,
    /// [`contact`]
    Contact,
    /// [`packing`]
    Packing,
    /// [`types`]
    Types,
    /// [`diagonal_gaps`]
    DiagonalGaps,
    /// [`two_ladders`]
    TwoLadders,
    /// [`hall`]
    Hall,
    /// [`look_ahead`]
    LookAhead,
}

impl Name {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Count,
        Self::Vacate,
        Self::Contact,
        Self::Packing,
        Self::Types,
        Self::DiagonalGaps,
        Self::TwoLadders,
        Self::Hall,
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
            Self::LookAhead => "look-ahead",
        }
    }

    /// The bound for games on `game`'s board that `winner` wins.
    #[must_use]
    pub fn bound<const W: usize>(self, game: &Game, winner: Side) -> Arc<dyn GameBound<W>> {
        match self {
            Self::Count => Arc::new(count::Count::new(game, winner)),
            Self::Vacate => Arc::new(vacate::Vacate::new(game, winner)),
            Self::Contact => Arc::new(contact::Contact::new(game, winner)),
            Self::Packing => Arc::new(packing::Packing::new(game, winner)),
            Self::Types => Arc::new(types::Types::new(game, winner)),
            Self::DiagonalGaps => Arc::new(diagonal_gaps::DiagonalGaps::new(game, winner)),
            Self::TwoLadders => Arc::new(two_ladders::TwoLadders::new(game, winner)),
            Self::Hall => Arc::new(hall::Hall::new(game, winner)),
            Self::LookAhead => Arc::new(look_ahead::LookAhead::new(game, winner)),
        }
    }
}

/// A choice of bounds.
///
/// ```
/// use halma::bound::game::{Bounds, Name};
/// let paper: Bounds = "paper".parse().unwrap();
/// assert_eq!(paper, Bounds::of([Name::Count, Name::Contact]));
/// assert_eq!("contact+count".parse(), Ok(paper.clone()));
/// assert_eq!(paper.to_string(), "count+contact");
/// assert!("all-but-hall".parse::<Bounds>().unwrap() != Bounds::all());
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

    /// What the paper's Section 2.5 prunes with: bound (7), in the form that holds for every position ([`contact`]).
    #[must_use]
    pub fn paper() -> Self {
        Self::of([Name::Count, Name::Contact])
    }

    /// Every bound.
    #[must_use]
    pub fn all() -> Self {
        Self::of(Name::ALL)
    }

    /// Their names, in the order in which they are asked.
    #[must_use]
    pub fn names(&self) -> &[Name] {
        &self.0
    }

    /// The bounds for games on `game`'s board that `winner` wins, without those that others of them imply.
    #[must_use]
    pub fn build<const W: usize>(&self, game: &Game, winner: Side) -> Vec<Arc<dyn GameBound<W>>> {
        let implied = |name| name == Name::TwoLadders && self.0.contains(&Name::Hall);
        self.0.iter().filter(|&&name| !implied(name)).map(|name| name.bound(game, winner)).collect()
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            _ if self.0.is_empty() => f.write_str("none"),
            _ if *self == Self::all() => f.write_str("all"),
            _ => f.write_str(&self.0.iter().map(|n| n.as_str()).collect::<Vec<_>>().join("+")),
        }
    }
}

impl FromStr for Bounds {
    type Err = String;

    /// `none`, `paper`, `all`, `all-but-NAME`, or names joined by `+`.
    fn from_str(text: &str) -> Result<Self, String> {
        let name = |word: &str| {
            Name::ALL.into_iter().find(|n| n.as_str() == word).ok_or_else(|| {
                let names = Name::ALL.map(Name::as_str).join(", ");
                format!("pruning {text:?}: allowed are none, paper, all, all-but-NAME, or names joined by '+': {names}")
            })
        };
        match text {
            "none" => Ok(Self::none()),
            "paper" => Ok(Self::paper()),
            "all" => Ok(Self::all()),
            _ => match text.strip_prefix("all-but-") {
                Some(word) => {
                    let without = name(word)?;
                    Ok(Self::of(Name::ALL.into_iter().filter(|&n| n != without)))
                }
                None => text.split('+').map(name).collect::<Result<Vec<_>, _>>().map(Self::of),
            },
        }
    }
}

/// The base that `winner` has to fill.
fn goal<const W: usize>(game: &Game, winner: Side) -> Cells<W> {
    set(game.base(winner.other()))
}
