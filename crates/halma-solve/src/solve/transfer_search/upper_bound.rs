//! An upper bound by beam search, and the choice of how many lengths to decide together, which depends on that bound
//! and on the cost of the lengths so far.
//!
//! No answer depends on it. The choice depends only on the problem and the lengths decided before, so a run that is
//! resumed makes the same choices as an undisturbed one.

use std::ops::RangeInclusive;

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_record::words::counted;
use halma_rules::cells::Cells;

use super::Solution;
use super::setup::Setup;
use super::truncate::{BETA, Truncation};
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, Side};

/// The beam widths of the first and the last beam search; each is ten times as wide as the one before.
const KEEP: RangeInclusive<usize> = 1_000..=100_000;
/// A solution is sought up to so many times the lower bound.
const FARTHEST: u32 = 3;
/// Lengths are decided together if that is expected to take at most this many times the successors of all searches before.
const FACTOR: f64 = 4.0;
/// The same factor where the lengths reach up to the known solution, so that this search is the last.
const LEAP: f64 = 200.0;
/// Before such a last search, a beam search is worth it if the last search is expected to make so many times its successors: if it finds
/// a shorter solution, the last search has fewer lengths.
const WORTH_IT: f64 = 40.0;
/// A total of so many successors is quick, and counts as done.
const QUICK: f64 = 1e6;
/// If no upper bound is known, a search decides at most so many lengths together.
const TOGETHER: u32 = 6;

/// The best solution of the beam searches.
pub(super) struct UpperBound<const W: usize> {
    /// The beam width of the next one.
    keep: usize,
    /// How many successors the last one made.
    made: u64,
    shortest: Option<Solution<W>>,
    /// How many choices have been made: one before each search that decides lengths.
    choices: usize,
}

impl<const W: usize> Default for UpperBound<W> {
    fn default() -> Self {
        Self { keep: *KEEP.start(), made: 0, shortest: None, choices: 0 }
    }
}

impl<const W: usize> UpperBound<W> {
    /// Whether no solution has been found yet.
    pub(super) fn knows_no_solution(&self) -> bool {
        self.shortest.is_none()
    }

    /// The last of the lengths from `first` on to decide together, at most `greatest`; see
    /// [`LengthSearch::reach`](crate::solve::deepening::LengthSearch::reach).
    pub(super) fn reach<K: Key>(
        &mut self,
        setup: &Setup<'_, W, K>,
        first: u32,
        greatest: Option<u32>,
        decided: &[(u32, u64)],
    ) -> Result<u32, Stopped> {
        if !setup.problem.decides_several() || first == 0 {
            return Ok(first);
        }
        // A run that is resumed has not made the choices before, nor the beam searches for them.
        while self.choices < decided.len() {
            let (before, after) = decided.split_at(self.choices);
            let first = before.last().map_or(after[0].0, |&(top, _)| top + 1);
            self.choose(setup, first, greatest, before)?;
        }
        self.choose(setup, first, greatest, decided)
    }

    /// One choice, after the beam searches that are due.
    fn choose<K: Key>(
        &mut self,
        setup: &Setup<'_, W, K>,
        first: u32,
        greatest: Option<u32>,
        decided: &[(u32, u64)],
    ) -> Result<u32, Stopped> {
        self.choices = decided.len() + 1;
        let done: u64 = decided.iter().map(|&(_, made)| made).sum();
        // The next beam search makes ten times as many successors as the last one. If a solution is known, it may well
        // be a shortest one already, so the next search has to wait longer.
        while KEEP.contains(&self.keep)
            && self.found(first).is_none()
            && self.made * if self.shortest.is_none() { 6 } else { 80 } <= done
        {
            self.search_on(setup, first)?;
        }
        loop {
            let found = self.shortest.as_ref().map(|known| known.length.saturating_sub(1));
            let (last, expected) = farthest(first, found.into_iter().chain(greatest).min(), decided);
            let leaps = found == Some(last) && last > first;
            if !leaps || !KEEP.contains(&self.keep) || WORTH_IT * (10 * self.made) as f64 > expected {
                return Ok(last);
            }
            self.search_on(setup, first)?;
        }
    }

    /// The solution of `length` moves that a beam search has found, if any.
    pub(super) fn found(&self, length: u32) -> Option<Vec<Cells<W>>> {
        self.shortest.as_ref().filter(|known| known.length == length).map(|known| known.walk.clone())
    }

    /// Runs the next beam search, for a solution of at least `first` moves that is shorter than the known one.
    fn search_on<K: Key>(&mut self, setup: &Setup<'_, W, K>, first: u32) -> Result<(), Stopped> {
        let keep = self.keep;
        let farthest = FARTHEST * setup.lower_bound()?.unwrap_or(0);
        let known = self.shortest.as_ref().map_or(u32::MAX, |known| known.length);
        let truncation = Truncation { setup, keep, beta: BETA };
        let mut beam = truncation.beam();
        let mut kept = LevelSequence::new("beam".into(), Side::Forward).hidden();
        for length in first..=farthest.min(known - 1) {
            truncation.grow(length.div_ceil(2), &mut beam, &mut kept)?;
            if kept.is_dead() {
                break;
            }
            if let Answer::Found(walk) = setup.meet(length, &kept.levels)? {
                let moves = counted(length as usize, "move");
                setup.engine.progress.note(&format!("a search that keeps {keep} states a level finds {moves}"));
                setup.engine.progress.known(length);
                self.shortest = Some(Solution { length, walk });
                break;
            }
        }
        self.made = kept.figures.iter().map(|f| f.tally.generated).sum();
        self.keep = 10 * keep;
        Ok(())
    }
}

/// The last length to decide together, from `first` on, and how many successors that is expected to make. It is `last`, if that is known
/// and seems near; otherwise as far as the growth so far predicts an effort of the same order as for `decided` (see
/// [`UpperBound::reach`]).
fn farthest(first: u32, last: Option<u32>, decided: &[(u32, u64)]) -> (u32, f64) {
    let last = last.map(|last| last.max(first));
    let Some((&(top, made), before)) = decided.split_last() else { return (first, 0.0) };
    // Odd and even lengths differ, so growth is measured over at least two lengths.
    let Some(&(earlier, less)) = before.iter().rev().find(|&&(earlier, _)| earlier + 2 <= top) else {
        return (first, 0.0);
    };
    let done: f64 = decided.iter().map(|&(_, made)| made as f64).sum();
    let power = |growth: f64, lengths: u32| (0..lengths).fold(1.0, |p, _| p * growth);
    let ratio = made.max(1) as f64 / less.max(1) as f64;
    // The growth from one length to the next, rounded up to sixteenths, so that it is the same on every machine.
    let growth = (17..).map(|g| f64::from(g) / 16.0).find(|&g| power(g, top - earlier) >= ratio).unwrap_or(f64::MAX);
    let expected = |length: u32| made as f64 * power(growth, length - top);
    let leap = last.filter(|&last| expected(last) <= LEAP * done.max(QUICK));
    let beyond = last.unwrap_or(u32::MAX).min(first + TOGETHER - 1);
    let near = || (first..=beyond).rev().find(|&length| expected(length) <= FACTOR * done.max(QUICK));
    let last = leap.or_else(near).unwrap_or(first);
    (last, expected(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(first: u32, known: Option<u32>, decided: &[(u32, u64)]) -> u32 {
        farthest(first, known, decided).0
    }

    #[test]
    fn growth_is_learnt_from_single_lengths_before_several_are_decided() {
        assert_eq!(last(19, Some(26), &[]), 19);
        assert_eq!(last(20, Some(26), &[(19, 1_500)]), 20);
        // Two lengths alone may be alike, whatever comes.
        assert_eq!(last(21, Some(26), &[(19, 1_500), (20, 1_500)]), 21);
        assert_eq!(last(22, Some(26), &[(19, 1_500), (20, 1_500), (21, 65_000)]), 23);
    }

    #[test]
    fn what_grows_slowly_is_decided_up_to_the_known_end_and_what_grows_fast_length_by_length() {
        let slow = [(36, 20_000_000), (39, 43_000_000)];
        assert_eq!(last(40, Some(45), &slow), 45);
        assert_eq!(last(40, None, &slow), 45);
        assert_eq!(last(40, Some(100), &slow), 45);
        let fast = [(28, 68_000_000), (29, 490_000_000), (30, 1_160_000_000)];
        assert_eq!(last(31, Some(35), &fast), 31);
        assert_eq!(last(31, None, &fast), 31);
        assert_eq!(last(31, Some(30), &fast), 31);
    }
}
