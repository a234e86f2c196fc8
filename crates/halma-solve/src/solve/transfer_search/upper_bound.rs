//! An upper bound by beam search, and the choice of how many lengths to decide together, which depends on that bound
//! and on the cost of the lengths so far.
//!
//! No answer depends on it. The choice depends only on the problem and the lengths decided before, so a run that is
//! resumed makes the same choices as an undisturbed one.

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_record::words::counted;
use halma_rules::cells::Cells;

use super::Solution;
use super::leading::Probes;
use super::setup::Setup;
use super::truncate::{BETA, Truncation};
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, Side};

/// The widths of the beam searches. The first one costs little where a search takes a quarter of a second, the second one where it takes
/// seconds.
const WIDTHS: [usize; 3] = [500, 10_000, 100_000];
/// The next beam search waits until all lengths so far have made so many times the successors of the last one: while no solution is
/// known, and once one is, which may well be a shortest one already.
const WAITS: [u64; 2] = [1, 80];
/// The longest solution that is sought has so many times the moves of the lower bound.
const LONGEST_SOUGHT: u32 = 3;
/// Lengths are decided together if that is expected to take at most this many times the successors of all searches before.
const FACTOR: f64 = 4.0;
/// The same factor where the lengths reach up to the known solution, so that this search is the last.
const LEAP: f64 = 32.0;
/// A total of so many successors is quick, and counts as done.
const QUICK_SUCCESSORS: f64 = 2e6;
/// A last search of so many successors takes ten to twenty seconds. It pays at once: the known solution is likely a shortest one, and each search on
/// the way to it would take its own tables.
const LAST_SEARCH_SUCCESSORS: f64 = 1e9;
/// Until the lengths so far have made [`QUICK_SUCCESSORS`] successors, a last search is expected to grow by at least
/// this factor a length.
const LEAST_GROWTH: f64 = 6.0;
/// If no upper bound is known, a search decides at most so many lengths together.
const TOGETHER: u32 = 6;

/// The best solution of the beam searches.
#[derive(Default)]
pub(super) struct UpperBound<const W: usize> {
    /// How many beam searches there were.
    beams: usize,
    /// How many successors the last one made.
    made: u64,
    shortest: Option<Solution<W>>,
    /// Whether the lengths that were chosen last are expected to take seconds.
    is_short: bool,
}

impl<const W: usize> UpperBound<W> {
    /// Which of the lengths that were chosen last to probe for palindromes.
    pub(super) fn probes(&self) -> Probes {
        match self.shortest {
            None => Probes::All,
            Some(_) if self.is_short => Probes::Never,
            Some(_) => Probes::First,
        }
    }

    /// The shortest solution that they have found.
    pub(super) fn shortest(&self) -> Option<&Solution<W>> {
        self.shortest.as_ref()
    }

    /// The last of the lengths from `first` on to decide together, at most `greatest`; see
    /// [`LengthSearch::last_together`](crate::solve::deepening::LengthSearch::last_together).
    pub(super) fn last_together<K: Key>(
        &mut self,
        setup: &Setup<'_, W, K>,
        first: u32,
        greatest: Option<u32>,
        decided: &[(u32, u64)],
    ) -> Result<u32, Stopped> {
        if !setup.problem.decides_several() || first == 0 {
            return Ok(first);
        }
        let done: u64 = decided.iter().map(|&(_, made)| made).sum();
        while let Some(&keep) = WIDTHS.get(self.beams)
            && self.found(first).is_none()
            && self.made * WAITS[usize::from(self.shortest.is_some())] <= done
        {
            self.search_on(setup, first, keep)?;
        }
        let found = self.shortest.as_ref().map(|known| known.length.saturating_sub(1));
        let last = found.into_iter().chain(greatest).min();
        let Together { last, is_short } = lengths_to_decide_together(first, last, decided);
        self.is_short = is_short;
        Ok(last)
    }

    /// The solution of `length` moves that a beam search has found, if any.
    pub(super) fn found(&self, length: u32) -> Option<Vec<Cells<W>>> {
        self.shortest.as_ref().filter(|known| known.length == length).map(|known| known.walk.clone())
    }

    /// Runs the next beam search, of width `keep`, for a solution of at least `first` moves that is shorter than the known one.
    fn search_on<K: Key>(&mut self, setup: &Setup<'_, W, K>, first: u32, keep: usize) -> Result<(), Stopped> {
        let longest = LONGEST_SOUGHT * setup.lower_bound()?.unwrap_or(0);
        let known = self.shortest.as_ref().map_or(u32::MAX, |known| known.length);
        let truncation = Truncation { setup, keep, beta: BETA };
        let mut beam = truncation.beam();
        let mut kept = LevelSequence::new("beam".into(), Side::Forward).hidden();
        for length in first..=longest.min(known - 1) {
            truncation.grow(length.div_ceil(2), &mut beam, &mut kept)?;
            if kept.is_dead() {
                break;
            }
            let greatest = |level: usize| kept.figures[level].tally.measure_max;
            if let Answer::Found(walk) = setup.meet_below(length, &kept.levels, greatest)?
                && !setup.fills_target_early(&walk)
            {
                let moves = counted(length as usize, "move");
                setup.engine.progress.note(&format!("a search that keeps {keep} states a level finds {moves}"));
                setup.engine.progress.known(length);
                self.shortest = Some(Solution { length, walk });
                break;
            }
        }
        self.made = kept.figures.iter().map(|f| f.tally.generated).sum();
        self.beams += 1;
        Ok(())
    }
}

/// The lengths to decide together.
#[derive(Debug, PartialEq, Eq)]
struct Together {
    last: u32,
    /// Whether the growth so far tells that this takes seconds.
    is_short: bool,
}

/// The lengths to decide together, from `first` on: up to `last`, if that is known and seems near; otherwise as far as
/// the growth so far predicts an effort of the same order as for `decided` (see [`UpperBound::last_together`]).
fn lengths_to_decide_together(first: u32, last: Option<u32>, decided: &[(u32, u64)]) -> Together {
    let alone = Together { last: first, is_short: false };
    let last = last.map(|last| last.max(first));
    let Some((&(top, made), before)) = decided.split_last() else { return alone };
    // Odd and even lengths differ, so growth is measured over at least two lengths.
    let Some(&(earlier, less)) = before.iter().rev().find(|&&(earlier, _)| earlier + 2 <= top) else { return alone };
    let done: f64 = decided.iter().map(|&(_, made)| made as f64).sum();
    let power = |growth: f64, lengths: u32| (0..lengths).fold(1.0, |p, _| p * growth);
    let ratio = made.max(1) as f64 / less.max(1) as f64;
    // The growth from one length to the next, rounded up to sixteenths, so that it is the same on every machine.
    let growth = (17..).map(|g| f64::from(g) / 16.0).find(|&g| power(g, top - earlier) >= ratio).unwrap_or(f64::MAX);
    let expected = |length: u32, growth: f64| made as f64 * power(growth, length - top);
    let careful = if done < QUICK_SUCCESSORS { growth.max(LEAST_GROWTH) } else { growth };
    let up_to = |last: u32| Together { last, is_short: expected(last, careful) <= LAST_SEARCH_SUCCESSORS };
    // Growth measured on little work may be far from the truth.
    let width = top - before.last().map_or(top - 1, |&(before, _)| before);
    let trusted = if done < QUICK_SUCCESSORS { first + 2 * width - 1 } else { u32::MAX };
    if let Some(last) = last {
        if up_to(last).is_short {
            return up_to(last);
        }
        if expected(last, growth) <= LEAP * done.max(QUICK_SUCCESSORS) {
            return up_to(last.min(trusted));
        }
    }
    let beyond = last.unwrap_or(u32::MAX).min(trusted).min(first + TOGETHER - 1);
    let fits = |&length: &u32| expected(length, growth) <= FACTOR * done.max(QUICK_SUCCESSORS);
    up_to((first..=beyond).rev().find(fits).unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_to_decide_together(first: u32, last: Option<u32>, decided: &[(u32, u64)]) -> u32 {
        lengths_to_decide_together(first, last, decided).last
    }

    #[test]
    fn growth_is_learnt_from_single_lengths_before_several_are_decided() {
        assert_eq!(last_to_decide_together(19, Some(26), &[]), 19);
        assert_eq!(last_to_decide_together(20, Some(26), &[(19, 1_500)]), 20);
        // Two lengths alone may be alike, whatever comes.
        assert_eq!(last_to_decide_together(21, Some(26), &[(19, 1_500), (20, 1_500)]), 21);
        assert_eq!(last_to_decide_together(22, Some(27), &[(19, 1_500), (20, 1_500), (21, 65_000)]), 23);
    }

    #[test]
    fn a_last_search_that_takes_seconds_is_made_at_once_but_not_because_little_work_has_grown_little() {
        let rising = [(19, 343), (20, 343), (21, 14_568)];
        assert_eq!(last_to_decide_together(22, Some(26), &rising), 26);
        assert_eq!(last_to_decide_together(22, Some(27), &rising), 23);
        let level = [(19, 14_568), (20, 14_568), (21, 14_568)];
        assert_eq!(last_to_decide_together(22, Some(27), &level), 27);
        assert_eq!(last_to_decide_together(22, Some(28), &level), 23);
    }

    #[test]
    fn only_growth_can_tell_that_a_search_is_short() {
        let is_short = |last: u32, decided: &[(u32, u64)]| lengths_to_decide_together(22, Some(last), decided).is_short;
        assert!(!is_short(26, &[]));
        assert!(!is_short(26, &[(20, 343), (21, 14_568)]));
        assert!(is_short(26, &[(19, 343), (20, 343), (21, 14_568)]));
        assert!(!is_short(26, &[(19, 343), (20, 343), (21, 2_000_000_000)]));
    }

    #[test]
    fn what_grows_slowly_is_decided_up_to_the_known_end_and_what_grows_fast_length_by_length() {
        let slow = [(36, 20_000_000), (39, 43_000_000)];
        assert_eq!(last_to_decide_together(40, Some(45), &slow), 45);
        assert_eq!(last_to_decide_together(40, None, &slow), 45);
        assert_eq!(last_to_decide_together(40, Some(100), &slow), 45);
        let fast = [(28, 68_000_000), (29, 490_000_000), (30, 1_160_000_000)];
        assert_eq!(last_to_decide_together(31, Some(35), &fast), 31);
        assert_eq!(last_to_decide_together(31, None, &fast), 31);
        assert_eq!(last_to_decide_together(31, Some(30), &fast), 31);
    }
}
