//! Iterative deepening on the solution length (Korf, *Depth-first iterative-deepening*, 1985): the one loop over
//! lengths, the least first. A search implements [`LengthSearch`]; a [`Ledger`] keeps the answers.
//!
//! It differs from the usual form in two ways. A search may decide several lengths at once. And the length increases by
//! one (or by the search's own step), not to the least value that a bound pruned, because the levels of a length hold
//! for that length alone.

use std::ops::{ControlFlow, RangeInclusive};
use std::time::Instant;

use halma_engine::search::Stopped;
use halma_rules::job::MAX_LENGTH;

use super::{Answer, Attempt};

/// A search that decides one exact length after another.
pub trait LengthSearch {
    /// A position of a solution.
    type State;

    /// A lower bound of the length of every solution; `None` if there is no solution at all.
    ///
    /// # Errors
    /// Why the search for it was stopped.
    fn lower_bound(&self) -> Result<Option<u32>, Stopped>;

    /// Says how many levels earlier processes of the run have reported.
    fn resume_after(&mut self, _levels: usize) {}

    /// The distance to the next length; the lengths between have no solution.
    fn step(&self) -> u32 {
        1
    }

    /// Whether it may begin with a length that an earlier search has left. Without a bound the levels of a puzzle serve all
    /// lengths, and nothing is gained.
    fn begins_anywhere(&self) -> bool {
        true
    }

    /// The last of the lengths from `first` on to decide together, at most `greatest`. `decided` has the cost so far:
    /// pairs of a length up to which all is decided, and the successors that took.
    ///
    /// # Errors
    /// Why the search for it was stopped.
    fn last_together(&mut self, first: u32, _greatest: Option<u32>, _decided: &[(u32, u64)]) -> Result<u32, Stopped> {
        Ok(first)
    }

    /// The shortest solution that the search has found so far, if that is longer than what is decided.
    fn known(&self) -> Option<&[Self::State]> {
        None
    }

    /// Decides lengths one after another, until one has a solution, given that no shorter one has. Returns attempts for
    /// the first one or more of them, without gaps. The lengths that are left remain to be decided.
    fn attempts(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<Self::State>>;
}

/// Keeps the result of each length, and says when to end.
pub trait Ledger<S> {
    /// Why it cannot go on.
    type Error;

    /// The cost so far: pairs of a length up to which all is decided, and the successors that took.
    fn decided(&self) -> Vec<(u32, u64)>;

    /// Enters the result of a length.
    ///
    /// # Errors
    /// Why it cannot.
    fn enter(&mut self, attempt: Attempt<S>) -> Result<ControlFlow<()>, Self::Error>;

    /// Called when all lengths that were decided together have been entered.
    ///
    /// # Errors
    /// Why they cannot be kept.
    fn entered_together(&mut self) -> Result<(), Self::Error>;
}

/// Why the loop ended.
#[derive(Debug)]
pub enum Ended {
    /// The ledger asked for it.
    Enough,
    /// The greatest length was tried.
    AllTried,
    /// The search was stopped between two lengths.
    Stopped(Stopped),
}

/// The loop: decides the lengths from `next` on, up to `greatest` or up to the greatest that a job may ask for.
///
/// # Errors
/// Why the ledger cannot go on.
pub fn deepen<S: LengthSearch, L: Ledger<S::State>>(
    search: &mut S,
    mut next: u32,
    greatest: Option<u32>,
    ledger: &mut L,
) -> Result<Ended, L::Error> {
    let last = greatest.unwrap_or(MAX_LENGTH);
    while next <= last {
        let together = match search.last_together(next, greatest, &ledger.decided()) {
            Ok(reach) => next..=reach.min(last),
            Err(stopped) => return Ok(Ended::Stopped(stopped)),
        };
        for attempt in search.attempts(together) {
            next = attempt.length + search.step();
            if ledger.enter(attempt)?.is_break() {
                return Ok(Ended::Enough);
            }
        }
        ledger.entered_together()?;
    }
    Ok(Ended::AllTried)
}

/// A ledger of the last answer alone, up to the first that does not refute its length.
struct LastAnswer<S>(Attempt<S>);

impl<S> Ledger<S> for LastAnswer<S> {
    type Error = std::convert::Infallible;

    fn decided(&self) -> Vec<(u32, u64)> {
        Vec::new()
    }

    fn enter(&mut self, attempt: Attempt<S>) -> Result<ControlFlow<()>, Self::Error> {
        self.0 = attempt;
        Ok(if matches!(self.0.answer, Answer::Refuted) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }

    fn entered_together(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// The attempt at the first length that is not refuted; if all are refuted up to `greatest`, the last attempt made.
pub fn shortest<S: LengthSearch>(search: &mut S, greatest: Option<u32>) -> Attempt<S::State> {
    let begun = Instant::now();
    let lower = match search.lower_bound() {
        Ok(Some(lower)) => lower,
        Ok(None) => return Attempt::of(0, Answer::Exhausted, begun),
        Err(stopped) => return Attempt::of(0, Answer::Stopped(stopped), begun),
    };
    let mut last = LastAnswer(Attempt::of(lower.saturating_sub(1), Answer::Refuted, begun));
    let Ok(ended) = deepen(search, lower, greatest, &mut last);
    if let Ended::Stopped(stopped) = ended {
        last.0.answer = Answer::Stopped(stopped);
    }
    last.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search whose answers are known: it refutes in pairs, and finds at one length.
    struct Known {
        lower: Option<u32>,
        found_at: u32,
        tried: Vec<u32>,
    }

    impl LengthSearch for Known {
        type State = ();

        fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
            Ok(self.lower)
        }

        fn step(&self) -> u32 {
            2
        }

        fn last_together(&mut self, first: u32, _: Option<u32>, _: &[(u32, u64)]) -> Result<u32, Stopped> {
            if first > 8 { Err(Stopped::Interrupted) } else { Ok(first) }
        }

        fn attempts(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<()>> {
            let length = *lengths.start();
            self.tried.push(length);
            let answer = if length == self.found_at { Answer::Found(Vec::new()) } else { Answer::Refuted };
            vec![Attempt::of(length, answer, Instant::now())]
        }
    }

    fn ended(lower: Option<u32>, found_at: u32, greatest: Option<u32>) -> (u32, String, Vec<u32>) {
        let mut search = Known { lower, found_at, tried: Vec::new() };
        let Attempt { length, answer, .. } = shortest(&mut search, greatest);
        (length, format!("{answer:?}"), search.tried)
    }

    #[test]
    fn lengths_are_tried_from_the_lower_bound_on_in_steps_until_one_is_not_refuted() {
        assert_eq!(ended(Some(3), 7, None), (7, "Found([])".into(), vec![3, 5, 7]));
        assert_eq!(ended(None, 7, None), (0, "Exhausted".into(), vec![]));
    }

    #[test]
    fn no_length_beyond_the_greatest_is_tried_and_a_stop_between_two_is_no_refutation() {
        assert_eq!(ended(Some(3), 7, Some(6)), (5, "Refuted".into(), vec![3, 5]));
        assert_eq!(ended(Some(6), 11, None), (8, "Stopped(Interrupted)".into(), vec![6, 8]));
    }
}
