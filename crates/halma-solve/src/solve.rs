//! The searches: their questions, answers and progress reports.
//!
//! Each search decides one exact length after another, the shortest first, by breadth-first search, level by level.
//! [`transfer_search`] has the techniques for transfers, one a file. `game_search` is for games, `model_search` for
//! puzzles from files and in Rust, [`row_search`] for those on one row. All share the loop over lengths ([`deepening`])
//! and the loop over levels ([`Engine`], in `level_sequence`).

mod best_states;
pub mod deepening;
pub mod engine;
mod filtered;
mod frontiers;
pub(crate) mod game_search;
mod images;
pub(crate) mod length_labels;
mod level_sequence;
pub(crate) mod model_search;
pub(crate) mod path_counts;
mod reported;
pub mod row_search;
pub mod transfer_search;

use std::time::Instant;

use halma_engine::search::{Stopped, Tally, Watch};
use halma_record::record::FileRecord;
pub use halma_record::record::Side;

pub use engine::Engine;

/// The figures of one level of an attempt.
#[derive(Clone, Debug)]
pub struct LevelFigures {
    /// Moves from its side's end; for [`Side::Following`], from the start.
    pub depth: u32,
    /// Its side.
    pub side: Side,
    /// Its counts.
    pub tally: Tally,
    /// Its size in bytes.
    pub bytes: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// The file that keeps it.
    pub file: Option<FileRecord>,
}

/// The answer of an attempt at one length.
#[derive(Debug)]
pub enum Answer<S> {
    /// A solution: the positions from the start to the end; an army each, or two in a game.
    Found(Vec<S>),
    /// There is no solution of this length, given that there is none shorter.
    Refuted,
    /// There is no solution of this length or any greater one: no states were left to search from.
    Exhausted,
    /// No solution was found and nothing was proved, for this reason.
    Unproved(String),
    /// The same, and every greater length would end in the same way.
    GivenUp(String),
    /// The search was stopped.
    Stopped(Stopped),
}

/// The result of one length.
#[derive(Debug)]
pub struct Attempt<S> {
    /// The length.
    pub length: u32,
    /// If its leading levels also decide greater lengths: the greatest of them.
    pub up_to: Option<u32>,
    /// If the following levels also decide the next length: that length.
    pub shared_with: Option<u32>,
    /// Whether following levels leave out what the leading levels would have met.
    pub covered: bool,
    /// The answer.
    pub answer: Answer<S>,
    /// The levels searched.
    pub levels: Vec<LevelFigures>,
    /// For the minimum centroid constraint: the C of the last search, and whether no army on its middle level exceeds
    /// it.
    pub c: Option<(i64, bool)>,
    /// Seconds taken.
    pub seconds: f64,
}

impl<S> Attempt<S> {
    /// An attempt without levels.
    pub(crate) fn of(length: u32, answer: Answer<S>, begun: Instant) -> Self {
        let seconds = begun.elapsed().as_secs_f64();
        Self { length, up_to: None, shared_with: None, covered: false, answer, levels: Vec::new(), c: None, seconds }
    }
}

/// The result of a count.
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
    /// The states that this process expands: those of the previous level; with several processes, its share of them.
    pub states: u64,
    /// An estimate of the size of the whole level, from the growth of the previous levels.
    pub expected: Option<u64>,
}

/// Receives the progress of a search.
pub trait Progress: Watch {
    /// A length is about to be tried.
    fn length(&self, _length: u32) {}
    /// A level is about to be made.
    fn begin(&self, _level: Begun) {}
    /// A level is complete, now or by an earlier process of the run.
    fn level(&self, _figures: &LevelFigures) {}
    /// There is a solution of so many moves: with the shorter lengths the search ends.
    fn known(&self, _length: u32) {}
    /// Another message.
    fn note(&self, _text: &str) {}
}

/// Reports nothing.
impl Progress for () {}

/// The answer to a length, after the check of its solution.
fn checked<S>(engine: Engine<'_>, answer: Answer<S>, check: impl FnOnce(&[S]) -> Result<(), String>) -> Answer<S> {
    #[cfg(not(any(test, feature = "testing")))]
    let _ = engine;
    #[cfg(any(test, feature = "testing"))]
    if engine.expander.fault == Some(crate::fault::Fault::NoneWhenStopped) && matches!(answer, Answer::Stopped(_)) {
        return Answer::Refuted;
    }
    match answer {
        Answer::Found(walk) => match check(&walk) {
            Ok(()) => Answer::Found(walk),
            // If the solution is wrong, the refutations cannot be trusted either.
            Err(fault) => Answer::Stopped(Stopped::Contradiction(format!("the solution found is wrong: {fault}"))),
        },
        answer => answer,
    }
}

/// Whether all reachable states have been seen: the last level is empty, and no bound ever pruned a state.
fn exhausted(figures: &[LevelFigures]) -> bool {
    figures.last().is_some_and(|f| f.tally.states == 0) && figures.iter().all(|f| f.tally.pruned == 0)
}

/// The answer where these levels have no solution.
fn no_solution<S>(figures: &[LevelFigures]) -> Answer<S> {
    if exhausted(figures) { Answer::Exhausted } else { Answer::Refuted }
}
