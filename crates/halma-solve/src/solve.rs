//! The searches: what they are asked, what they answer and what they tell on the way.
//!
//! Each searches level by level, breadth first, for solutions of one exact length after another, the shortest first.
//! [`transfer_search`] has the techniques for transfers, one a file; `game_search` is for games, `model_search` for
//! puzzles from files and in Rust, [`row_search`] for those on one row. All of them go through lengths by [`deepening`], and
//! grow their levels by [`Engine`].

mod best_states;
pub mod deepening;
pub mod engine;
mod frontiers;
pub(crate) mod game_search;
mod images;
pub(crate) mod level_sequence;
pub(crate) mod model_search;
pub mod row_search;
pub mod transfer_search;
pub(crate) mod walks;

use std::time::Instant;

use halma_engine::search::{Stopped, Tally, Watch};
use halma_record::record::FileRecord;
pub use halma_record::record::Side;

pub use engine::Engine;

/// One level of an attempt.
#[derive(Clone, Debug)]
pub struct LevelFigures {
    /// Moves from its side's end; for [`Side::Following`] from the start.
    pub depth: u32,
    /// Its side.
    pub side: Side,
    /// Its counts.
    pub tally: Tally,
    /// Bytes that it takes up.
    pub bytes: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// The file that keeps it.
    pub file: Option<FileRecord>,
}

/// The answer of an attempt at one length.
#[derive(Debug)]
pub enum Answer<S> {
    /// A solution: the positions from the start to the end, an army each, or two in a game.
    Found(Vec<S>),
    /// There is none of this length, if there is none shorter.
    Refuted,
    /// There is none of this length or any greater one: every state that can be reached was seen.
    Exhausted,
    /// Nothing was found, and nothing proved, for this reason.
    Unproved(String),
    /// The same, and no greater length would end otherwise.
    GivenUp(String),
    /// The search was stopped.
    Stopped(Stopped),
}

/// What came of one length.
#[derive(Debug)]
pub struct Attempt<S> {
    /// The length.
    pub length: u32,
    /// Where its leading levels decide the lengths after it, too: the greatest one.
    pub up_to: Option<u32>,
    /// Where what follows from its middle level decides the next length, too: that length.
    pub shared_with: Option<u32>,
    /// What came of it.
    pub answer: Answer<S>,
    /// The levels searched.
    pub levels: Vec<LevelFigures>,
    /// For the minimum centroid constraint: the C of the last run, and whether no army on its middle level exceeds it.
    pub c: Option<(i64, bool)>,
    /// Seconds taken.
    pub seconds: f64,
}

impl<S> Attempt<S> {
    /// An attempt without levels.
    pub(crate) fn of(length: u32, answer: Answer<S>, begun: Instant) -> Self {
        let seconds = begun.elapsed().as_secs_f64();
        Self { length, up_to: None, shared_with: None, answer, levels: Vec::new(), c: None, seconds }
    }
}

/// What a count came to.
#[derive(Debug)]
pub struct Counted<N> {
    /// The numbers, or why there are none.
    pub numbers: Result<N, Stopped>,
    /// The levels searched.
    pub levels: Vec<LevelFigures>,
}

/// A level that is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Moves from its side's end.
    pub depth: u32,
    /// Its side.
    pub side: Side,
    /// The states to expand: those of the level before.
    pub states: u64,
    /// About how many states it may have, by how the levels before have grown.
    pub expected: Option<u64>,
}

/// What a search tells while it goes on.
pub trait Progress: Watch {
    /// A length is about to be tried.
    fn length(&self, _length: u32) {}
    /// A level is about to be made.
    fn begin(&self, _level: Begun) {}
    /// A level is complete, now or by an earlier process of the run.
    fn level(&self, _figures: &LevelFigures) {}
    /// Something else worth a line.
    fn note(&self, _text: &str) {}
}

/// No progress is told.
impl Progress for () {}

/// Whether every state that can be reached has been seen: the last level is empty, and no bound ever cut one.
fn exhausted(figures: &[LevelFigures]) -> bool {
    figures.last().is_some_and(|f| f.tally.states == 0) && figures.iter().all(|f| f.tally.pruned == 0)
}
