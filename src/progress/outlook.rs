//! Estimates from the growth so far: how long the next length may take, and all lengths up to the last one asked about.

use std::sync::{Mutex, PoisonError};

use halma_engine::search::Watch;
use halma_solve::solve::{Begun, LevelFigures, Progress};

use crate::estimate::{DecidedLengths, rough_time};

/// Shorter times are not announced.
const WORTH_A_LINE: f64 = 10.0;

/// The growth of less work than these seconds says too little of lengths to come.
const TELLING: f64 = 1.0;
/// The same in successors: on a busy machine little work takes long, and so do tables.
const TELLING_WORK: u64 = 2_000_000;

/// A run of so many seconds is long: the user should know what it means to have no folder for it.
const LONG: f64 = 120.0;

/// Passes progress on, and adds estimates now and then.
pub struct Outlook<P> {
    told: P,
    /// The last length asked about; a solution may come earlier.
    last: Option<u32>,
    /// Whether a run that is stopped can be resumed.
    is_kept: bool,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    lengths: DecidedLengths,
    /// The moves of a solution that is known: the search ends with the length before.
    known: Option<u32>,
    warned: bool,
}

impl<P: Progress> Outlook<P> {
    /// For a search of lengths up to `last`, if it is known.
    pub fn new(told: P, last: Option<u32>, is_kept: bool) -> Self {
        Self { told, last, is_kept, seen: Mutex::default() }
    }

    /// An estimate of the time for the lengths from `length` on.
    fn expected(&self, length: u32) -> Option<String> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.lengths.begin(length);
        let known = seen.known.filter(|&known| self.last.is_none_or(|last| known <= last));
        let last = known.map(|known| known.saturating_sub(1)).or(self.last);
        let (work, done) = seen.lengths.work();
        let is_telling = done >= TELLING && work >= TELLING_WORK;
        let estimates = seen.lengths.estimates(last.map_or(0, |last| last.saturating_sub(length)));
        // The length of a known solution is not searched.
        let is_searched = known.is_none_or(|known| length < known);
        let estimates = estimates.filter(|_| is_searched && is_telling)?;
        let next = estimates.first()?.seconds;
        let all: f64 = estimates.iter().map(|e| e.seconds).sum();
        let mut text = String::new();
        if next >= WORTH_A_LINE || all >= WORTH_A_LINE {
            text = format!("length {length} may take about {}", rough_time(next));
            match (known, last.filter(|&last| last > length)) {
                (Some(known), Some(_)) => {
                    text += &format!(", all below the {known} that are known at most about {}", rough_time(all))
                }
                (None, Some(last)) => text += &format!(", all up to {last} about {}", rough_time(all)),
                (_, None) => {}
            }
        }
        if next.max(all) >= LONG && !self.is_kept && !seen.warned {
            seen.warned = true;
            text += "; nothing of it is kept: with --output-dir DIR a run that is stopped can go on";
        }
        (!text.is_empty()).then_some(text)
    }
}

impl<P: Progress> Watch for Outlook<P> {
    fn expanded(&self, states: u64, successors: u64) {
        self.told.expanded(states, successors);
    }

    fn begun_anew(&self) {
        self.told.begun_anew();
    }

    fn merged(&self, done: usize, shards: usize) {
        self.told.merged(done, shards);
    }
}

impl<P: Progress> Progress for Outlook<P> {
    fn length(&self, length: u32) {
        self.told.length(length);
        if let Some(text) = self.expected(length) {
            self.told.note(&text);
        }
    }

    fn begin(&self, level: Begun) {
        self.told.begin(level);
    }

    fn level(&self, figures: &LevelFigures) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).lengths.add(figures.tally.generated, figures.seconds);
        self.told.level(figures);
    }

    fn known(&self, length: u32) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).known = Some(length);
        self.told.known(length);
    }

    fn note(&self, text: &str) {
        self.told.note(text);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use halma_engine::search::Tally;
    use halma_record::record::Side;

    /// What is said when the third length begins, each having taken so many seconds and ten times the work of the one before.
    fn said(seconds: f64, last: Option<u32>, is_kept: bool) -> Option<String> {
        with(&Outlook::new((), last, is_kept), seconds)
    }

    fn with(outlook: &Outlook<()>, seconds: f64) -> Option<String> {
        with_work(outlook, seconds, 10_000_000)
    }

    /// The same where the last of these lengths took so many successors.
    fn with_work(outlook: &Outlook<()>, seconds: f64, work: u64) -> Option<String> {
        let mut text = None;
        for (length, generated) in [(20, work / 100), (21, work / 10), (22, work), (23, 0)] {
            text = outlook.expected(length);
            let tally = Tally { generated, ..Tally::default() };
            let seconds = seconds * generated as f64 / work as f64;
            let figures = LevelFigures { depth: 1, side: Side::Forward, tally, bytes: 0, seconds, file: None };
            outlook.level(&figures);
            outlook.seen.lock().unwrap().lengths.take(Duration::from_secs_f64(seconds));
        }
        text
    }

    #[test]
    fn the_time_of_the_next_length_and_of_all_that_are_asked_about() {
        assert_eq!(said(3.0, Some(25), true).unwrap(), "length 23 may take about 30s, all up to 25 about 55m 30s");
        assert_eq!(said(3.0, None, true).unwrap(), "length 23 may take about 30s");
        assert_eq!(said(0.1, None, false), None);
        assert_eq!(said(0.5, Some(30), true), None, "half a second says nothing of hours");
        let little = with_work(&Outlook::new((), Some(30), true), 3.0, 1_000_000);
        assert_eq!(little, None, "a million successors say nothing, however long a busy machine took for them");
    }

    #[test]
    fn a_known_solution_says_when_the_search_ends() {
        let told = |known: u32, last: Option<u32>| {
            let outlook = Outlook::new((), last, true);
            outlook.known(known);
            with(&outlook, 3.0)
        };
        let text = "length 23 may take about 30s, all below the 26 that are known at most about 55m 30s";
        assert_eq!(told(26, None).unwrap(), text);
        assert_eq!(told(26, Some(30)).unwrap(), text);
        assert_eq!(told(30, Some(25)), said(3.0, Some(25), true), "what is asked about ends before");
        assert_eq!(told(24, None).unwrap(), "length 23 may take about 30s");
        assert_eq!(told(23, None), None, "a length with a solution is not searched");
    }

    #[test]
    fn a_long_run_without_a_folder_is_warned_of() {
        let text = said(60.0, None, false).unwrap();
        assert!(text.starts_with("length 23 may take about 10m; nothing of it is kept: "), "{text}");
        assert!(!said(60.0, None, true).unwrap().contains("kept"));
    }
}
