//! The simplest use of the engine: the levels of any puzzle, one after another.

use super::{CancellationToken, Expander, LevelDestination, Stopped, Tally};
use crate::puzzle::Puzzle;
use crate::store::Level;

/// The levels of a puzzle, in memory, from the start until one is empty; see [`levels`].
#[derive(Debug)]
pub struct Levels<'a, P: Puzzle> {
    puzzle: &'a P,
    expander: &'a Expander,
    cancel: &'a CancellationToken,
    depth: u32,
    /// The last level and the one before.
    last: [Level<P::Key>; 2],
    over: bool,
}

/// The levels of `puzzle`, from level 0 until one is empty, each with its counts and digest.
///
/// A state is dropped if one of the two previous levels has it. For puzzles in which every move can be undone, and for
/// those in which no state ever recurs (as in peg solitaire), each state is then on exactly one level. In other puzzles
/// a state may occur again on a later level.
///
/// ```
/// use halma_engine::key::Key;
/// use halma_engine::puzzle::Puzzle;
/// use halma_engine::search::{Expander, CancellationToken, levels};
///
/// /// A token on the numbers: it moves by one, or to twice where it is.
/// struct Doubling;
/// impl Puzzle for Doubling {
///     type Key = u64;
///     type Scratch = ();
///     fn scratch(&self) {}
///     fn start(&self) -> Vec<u64> {
///         vec![1]
///     }
///     fn successors(&self, _: &mut (), key: u64, _: u32, emit: &mut impl FnMut(u64)) -> u64 {
///         [key + 1, 2 * key].map(emit).len() as u64
///     }
/// }
/// let (expander, stop) = (Expander::new(1, None)?, CancellationToken::after(None));
/// let sizes = levels(&Doubling, &expander, &stop).take(5).map(|level| level.map(|l| l.states));
/// assert_eq!(sizes.collect::<Result<Vec<_>, _>>()?, [1, 1, 2, 3, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn levels<'a, P: Puzzle>(puzzle: &'a P, expander: &'a Expander, cancel: &'a CancellationToken) -> Levels<'a, P> {
    Levels { puzzle, expander, cancel, depth: 0, last: [Level::default(), Level::default()], over: false }
}

impl<P: Puzzle> Iterator for Levels<'_, P> {
    type Item = Result<Tally, Stopped>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let [last, before] = &self.last;
        let next = if self.depth == 0 {
            Ok(self.expander.level_of(self.puzzle, self.puzzle.start()))
        } else {
            self.expander.expand(self.puzzle, self.depth - 1, last, &[before], LevelDestination::MEMORY, self.cancel)
        };
        self.depth += 1;
        let step = next.map(|next| {
            self.last.swap(0, 1);
            self.last[0] = next.level;
            next.tally
        });
        self.over = step.as_ref().map_or(true, |tally| tally.states == 0);
        step.map(|tally| (!self.over).then_some(tally)).transpose()
    }
}
