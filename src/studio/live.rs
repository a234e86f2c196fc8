//! How far a search is, for those who ask from another thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;

use halma_engine::search::Watch;
use halma_record::record::Side;
use halma_solve::solve::{Begun, LevelFigures, Progress};

use crate::estimate::DecidedLengths;

/// So many levels are kept for the page; of a longer search the later ones are in its record alone.
const LEVELS: usize = 5_000;
/// So many remarks.
const NOTES: usize = 100;

/// What a search has told so far.
#[derive(Default)]
pub(super) struct SearchProgress {
    expanded: AtomicU64,
    successors: AtomicU64,
    told: Mutex<Events>,
}

#[derive(Default)]
struct Events {
    /// The one that is tried, with its successors up to the last level that is complete, and those before.
    lengths: DecidedLengths,
    begun: Option<(Begun, Instant)>,
    levels: Vec<Level>,
    notes: Vec<String>,
    /// The moves of a solution that is known.
    known: Option<u32>,
}

/// A level that is complete.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Level {
    length: Option<u32>,
    depth: u32,
    side: &'static str,
    states: u64,
    generated: u64,
    seconds: f64,
}

/// How far it is.
#[derive(Debug, Serialize)]
pub(super) struct Snapshot {
    /// The length that is tried.
    pub(super) length: Option<u32>,
    level: Option<u32>,
    side: Option<&'static str>,
    /// How many states there are to expand for that level, and how many of them are expanded.
    states: u64,
    expanded: u64,
    /// Successors a second.
    rate: f64,
    /// Seconds until the level is complete, at this rate.
    level_left: Option<f64>,
    /// Seconds until the length is decided, if the work goes on growing as it did.
    length_left: Option<f64>,
    /// The same until all lengths below the known solution's are decided, which ends the search.
    all_left: Option<f64>,
    known: Option<u32>,
    /// The levels from the one asked for on.
    pub(super) levels: Vec<Level>,
    notes: Vec<String>,
}

impl SearchProgress {
    fn told(&self) -> MutexGuard<'_, Events> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything but the first `from` levels.
    pub(super) fn snapshot(&self, from: usize) -> Snapshot {
        let told = self.told();
        let (expanded, successors) = (self.expanded.load(Ordering::Relaxed), self.successors.load(Ordering::Relaxed));
        let begun = told.begun.as_ref();
        let seconds = begun.map_or(0.0, |(_, since)| since.elapsed().as_secs_f64());
        let states = begun.map_or(0, |(level, _)| level.states);
        let left = states.saturating_sub(expanded) as f64;
        let level_left = (expanded > 0 && seconds > 0.5).then(|| left * seconds / expanded as f64);
        Snapshot {
            length: told.lengths.length(),
            level: begun.map(|(level, _)| level.depth),
            side: begun.map(|(level, _)| level.side.name()),
            states,
            expanded: expanded.min(states),
            rate: if begun.is_some() { successors as f64 / seconds.max(1e-3) } else { 0.0 },
            level_left,
            length_left: told.length_left(successors),
            all_left: told.all_left(successors),
            known: told.known,
            levels: told.levels.get(from..).unwrap_or_default().to_vec(),
            notes: told.notes.clone(),
        }
    }

    /// Nothing is under way any more.
    pub(super) fn end(&self) {
        self.told().begun = None;
    }
}

impl Events {
    /// By how the work has grown from length to length.
    fn length_left(&self, successors: u64) -> Option<f64> {
        let whole = *self.lengths.estimates(0)?.first()?;
        let left = 1.0 - (self.lengths.generated() + successors) as f64 / whole.generated;
        (left > 0.0).then_some(left * whole.seconds)
    }

    /// Below the length of a solution that is known, if more than this length is left.
    fn all_left(&self, successors: u64) -> Option<f64> {
        let further = self.known?.checked_sub(self.lengths.length()? + 1).filter(|&further| further > 0)?;
        let (now, estimates) = (self.length_left(successors)?, self.lengths.estimates(further)?);
        Some(now + estimates.iter().skip(1).map(|e| e.seconds).sum::<f64>())
    }
}

impl Watch for SearchProgress {
    fn expanded(&self, states: u64, successors: u64) {
        self.expanded.fetch_add(states, Ordering::Relaxed);
        self.successors.fetch_add(successors, Ordering::Relaxed);
    }

    fn begun_anew(&self) {
        self.expanded.store(0, Ordering::Relaxed);
        self.successors.store(0, Ordering::Relaxed);
    }
}

impl Progress for SearchProgress {
    fn length(&self, length: u32) {
        self.told().lengths.begin(length);
    }

    fn begin(&self, level: Begun) {
        let mut told = self.told();
        self.expanded.store(0, Ordering::Relaxed);
        self.successors.store(0, Ordering::Relaxed);
        told.begun = Some((level, Instant::now()));
    }

    fn level(&self, figures: &LevelFigures) {
        let mut told = self.told();
        // The level's total replaces the live count.
        self.successors.store(0, Ordering::Relaxed);
        told.lengths.add(figures.tally.generated, figures.seconds);
        if told.levels.len() < LEVELS {
            let (length, side): (_, Side) = (told.lengths.length(), figures.side);
            let (states, generated) = (figures.tally.states, figures.tally.generated);
            let level =
                Level { length, depth: figures.depth, side: side.name(), states, generated, seconds: figures.seconds };
            told.levels.push(level);
        }
    }

    fn known(&self, length: u32) {
        self.told().known = Some(length);
    }

    fn note(&self, text: &str) {
        let mut told = self.told();
        if told.notes.len() < NOTES {
            told.notes.push(text.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use halma_engine::search::Tally;

    use super::*;

    fn level(depth: u32, generated: u64) -> LevelFigures {
        let tally = Tally { states: generated / 2, generated, ..Tally::default() };
        LevelFigures { depth, side: Side::Leading, tally, bytes: 0, seconds: 1.0, file: None }
    }

    #[test]
    fn levels_are_told_from_the_one_asked_for_on() {
        let live = SearchProgress::default();
        live.length(7);
        live.begin(Begun { depth: 1, side: Side::Leading, states: 10, expected: None });
        live.expanded(4, 40);
        let snapshot = live.snapshot(0);
        assert_eq!((snapshot.length, snapshot.level, snapshot.expanded, snapshot.states), (Some(7), Some(1), 4, 10));
        (1..=3).for_each(|depth| live.level(&level(depth, 100)));
        assert_eq!(live.snapshot(1).levels.iter().map(|l| l.depth).collect::<Vec<_>>(), [2, 3]);
        assert!(live.snapshot(9).levels.is_empty());
        live.end();
        assert_eq!(live.snapshot(0).level, None);
    }

    #[test]
    fn work_that_has_grown_tenfold_is_expected_to_go_on_so() {
        let live = SearchProgress::default();
        for (length, generated) in [(20, 10_000), (21, 20_000), (22, 100_000), (23, 200_000)] {
            live.length(length);
            live.level(&level(1, generated));
        }
        live.length(24);
        // A million is expected; half of it is done.
        live.level(&level(1, 500_000));
        let told = live.told();
        let all = told.lengths.estimates(0).unwrap()[0];
        assert_eq!((all.length, all.generated.round()), (24, 1e6));
        let left = told.length_left(0).unwrap();
        assert!((left - all.seconds / 2.0).abs() <= all.seconds * 1e-9, "{left}");
        assert_eq!(told.length_left(600_000), None, "more than was expected");
        assert_eq!(told.all_left(0), None, "there may be no solution");
        drop(told);
        // Lengths 25 and 26 are left then, each of which takes longer than the one before.
        live.known(27);
        assert!(live.told().all_left(0).unwrap() > left + 2.0 * all.seconds);
        live.known(25);
        assert_eq!(live.told().all_left(0), None, "the length under way is the last one");
    }

    #[test]
    fn a_search_that_tells_without_end_does_not_fill_the_memory() {
        let live = SearchProgress::default();
        for i in 0..2 * LEVELS as u32 {
            live.level(&level(i, 1));
            live.note("again");
        }
        let snapshot = live.snapshot(0);
        assert_eq!((snapshot.levels.len(), snapshot.notes.len()), (LEVELS, NOTES));
    }
}
