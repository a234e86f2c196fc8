//! Searches of the puzzles on one row. They have no job, and write no record.

use num_bigint::BigUint;
use thiserror::Error;

use halma_engine::budget;
use halma_engine::puzzle::Puzzle;
use halma_engine::search::{CancellationToken, Expander};
use halma_engine::store::StoreError;
use halma_engine::store::workspace::{Disk, Workspace};
use halma_puzzles::row::levels::{Level, Outcome, Paths, find};
use halma_puzzles::row::pair_puzzle::{self, PairRow};
use halma_puzzles::row::pairs::{self, Pairs};
use halma_puzzles::row::reversal::{self, Reversal};
use halma_puzzles::row::reversal_puzzle::{self, RowReversal};
use halma_puzzles::row::shift::Shift;
use halma_puzzles::row::shift_puzzle::{self, ShiftRow};

use crate::solve::deepening::shortest;
use crate::solve::row_search::RowSearch;
use crate::solve::{Answer, Engine};

/// Bytes of a state with its number of paths, on its level, on the level before, and as successors before equal ones are joined.
const STATE: u64 = 6 * 32;

/// Why a search of a row has no answer.
#[derive(Debug, Error)]
pub enum RowSearchError {
    /// The keys hold rows of at most so many checkers.
    #[error("a search takes rows of at most {0} checkers")]
    TooLong(u64),
    /// It ended before the answer was known.
    #[error("{0}")]
    Unfinished(String),
    /// The threads could not be started.
    #[error("the threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The temporary folder could not be made.
    #[error(transparent)]
    Folder(#[from] StoreError),
    /// What it found contradicts what is proved.
    #[error("a bug, no answer: the search finds {found}, where {proved} is proved")]
    Contradiction {
        /// What it found, in words.
        found: String,
        /// What the paper proves, in words.
        proved: String,
    },
}

/// Threads and memory for searches of rows.
pub struct RowSearches {
    expander: Expander,
    memory: u64,
}

/// All shortest solutions of a row.
pub struct ShortestSolutions<P: Puzzle> {
    row: P,
    /// The levels of its states, if there is a solution.
    levels: Option<Vec<Level<P::Key>>>,
    goal: P::Key,
}

impl RowSearches {
    /// With so many threads and bytes; with all threads, and three quarters of the free memory, where not given.
    ///
    /// # Errors
    /// Where the threads cannot be started.
    pub fn new(threads: Option<u32>, memory: Option<u64>) -> Result<Self, RowSearchError> {
        let memory = memory.unwrap_or_else(|| budget::available_memory().unwrap_or(4 << 30) / 4 * 3);
        let threads = threads.map_or_else(super::processors, |threads| threads as usize);
        Ok(Self { expander: super::expander(threads, Some(memory))?, memory })
    }

    /// A shortest solution of a shift, as the places of its moves.
    ///
    /// # Errors
    /// Where there is no answer, or one that contradicts the proved minimum.
    pub fn shift(&self, shift: Shift, cancel: &CancellationToken) -> Result<Vec<u64>, RowSearchError> {
        let (n, m) = (shift.black(), shift.white());
        // The bound of the puzzle at its start.
        let lengths = (u32::try_from(n * m + (n + m).div_ceil(2)).unwrap_or(u32::MAX), 1);
        let row = |length| ShiftRow::new(n, m, length);
        let most = shift_puzzle::MAX_CHECKERS;
        match self.solve(row, lengths, (ShiftRow::goal, ShiftRow::place), most, cancel)? {
            Some(moves) if moves.len() as u64 == shift.minimum() => Ok(moves),
            other => Err(contradiction(other.as_deref(), Some(shift.minimum()))),
        }
    }

    /// A shortest solution of pairs, as the places of its moves; `None` where there is none.
    ///
    /// # Errors
    /// As [`Self::shift`].
    pub fn pairs(&self, pairs: Pairs, cancel: &CancellationToken) -> Result<Option<Vec<u64>>, RowSearchError> {
        let n = pairs.pairs();
        let lengths = (u32::try_from(n).unwrap_or(u32::MAX), 1);
        let row = |length| PairRow::new(n, length);
        let moves = self.solve(row, lengths, (PairRow::goal, PairRow::place), pair_puzzle::MAX_CHECKERS, cancel)?;
        match moves.as_ref().map(|moves| moves.len() as u64) == pairs.minimum() {
            true => Ok(moves),
            false => Err(contradiction(moves.as_deref(), pairs.minimum())),
        }
    }

    /// A shortest solution of a reversal, as the places of its moves; `None` where there is none.
    ///
    /// # Errors
    /// Where there is no answer.
    pub fn reversal(&self, reversal: Reversal, cancel: &CancellationToken) -> Result<Option<Vec<u64>>, RowSearchError> {
        let row = reversal.row(None).ok_or(RowSearchError::TooLong(reversal_puzzle::MAX_CHECKERS))?;
        // A move changes the bound by one: all solutions have its parity.
        let lengths = (u32::try_from(reversal.lower_bound()).unwrap_or(u32::MAX), 2);
        let place = |key| row.place(key);
        let most = reversal_puzzle::MAX_CHECKERS;
        self.solve(|length| reversal.row(length), lengths, (RowReversal::goal, place), most, cancel)
    }

    /// The number of shortest solutions of pairs.
    ///
    /// # Errors
    /// Where the levels outgrow the memory.
    pub fn count_pairs(&self, pairs: Pairs) -> Result<BigUint, RowSearchError> {
        PairRow::new(pairs.pairs(), None).ok_or(RowSearchError::TooLong(pair_puzzle::MAX_CHECKERS))?;
        self.expander.install(|| pairs.count(self.states())).ok_or_else(|| self.outgrown())
    }

    /// The least number of moves of a reversal, and in how many ways it takes no more.
    ///
    /// # Errors
    /// As [`Self::count_pairs`].
    pub fn count_reversal(&self, reversal: Reversal) -> Result<(u64, BigUint), RowSearchError> {
        reversal.row(None).ok_or(RowSearchError::TooLong(reversal_puzzle::MAX_CHECKERS))?;
        self.expander.install(|| reversal.minimum_and_count(self.states())).ok_or_else(|| self.outgrown())
    }

    /// The same for all places of the vacancy among `n` checkers: a row for each start, a cell for each end.
    ///
    /// # Errors
    /// As [`Self::count_pairs`].
    pub fn reversal_table(&self, n: u64) -> Result<Vec<Vec<(u64, BigUint)>>, RowSearchError> {
        Reversal::new(n, 0, 0).row(None).ok_or(RowSearchError::TooLong(reversal_puzzle::MAX_CHECKERS))?;
        self.expander.install(|| reversal::table(n, self.states())).ok_or_else(|| self.outgrown())
    }

    /// All shortest solutions of pairs.
    ///
    /// # Errors
    /// As [`Self::count_pairs`].
    pub fn all_pairs(&self, pairs: Pairs) -> Result<ShortestSolutions<PairRow>, RowSearchError> {
        let solved = self.expander.install(|| pairs::solve(pairs.pairs(), self.states()));
        let (row, outcome) = solved.ok_or(RowSearchError::TooLong(pair_puzzle::MAX_CHECKERS))?;
        let goal = row.goal();
        Ok(ShortestSolutions { row, levels: self.levels(outcome)?, goal })
    }

    /// All shortest solutions of a reversal.
    ///
    /// # Errors
    /// As [`Self::count_pairs`].
    pub fn all_reversals(&self, reversal: Reversal) -> Result<ShortestSolutions<RowReversal>, RowSearchError> {
        let solved = self.expander.install(|| reversal.solve(self.states()));
        let (row, outcome) = solved.ok_or(RowSearchError::TooLong(reversal_puzzle::MAX_CHECKERS))?;
        let goal = row.goal();
        Ok(ShortestSolutions { row, levels: self.levels(outcome)?, goal })
    }

    /// The states of a level that a search with path counts may hold.
    fn states(&self) -> usize {
        usize::try_from(self.memory / STATE).unwrap_or(usize::MAX)
    }

    /// A shortest solution by the engine, as the places of its moves; `None` where there is none. `row` is the puzzle for
    /// solutions of a length, `lengths` the first one and the step between them.
    fn solve<P: Puzzle>(
        &self,
        row: impl Fn(Option<u32>) -> Option<P>,
        lengths: (u32, u32),
        (goal, place): (impl Fn(&P) -> P::Key, impl Fn(P::Key) -> u64),
        most: u64,
        cancel: &CancellationToken,
    ) -> Result<Option<Vec<u64>>, RowSearchError> {
        // What a level that is being made has no memory for.
        let workspace = Workspace::temporary(Disk::new(None))?;
        let engine = Engine::new(&self.expander, cancel, &()).within(Some(&workspace));
        let search = RowSearch::new(row, lengths, goal, engine, self.memory);
        let attempt = shortest(&mut search.ok_or(RowSearchError::TooLong(most))?, None);
        let length = attempt.length;
        let unfinished = |why: String| Err(RowSearchError::Unfinished(why));
        match attempt.answer {
            Answer::Found(states) => Ok(Some(states.into_iter().skip(1).map(place).collect())),
            Answer::Exhausted => Ok(None),
            Answer::GivenUp(reason) => unfinished(format!(
                "no solution has fewer than {length} moves; for {length}, {reason} (--memory: {})",
                self.memory_in_words()
            )),
            Answer::Stopped(stopped) => unfinished(format!("no solution has fewer than {length} moves; {stopped}")),
            Answer::Refuted | Answer::Unproved(_) => {
                unfinished(format!("no solution has {length} moves or fewer, and greater lengths are not tried"))
            }
        }
    }

    /// The levels of a search with path counts that reached the goal; `None` where it cannot be reached.
    fn levels<K>(&self, outcome: Outcome<K>) -> Result<Option<Vec<Level<K>>>, RowSearchError> {
        match outcome {
            Outcome::Found(levels) => Ok(Some(levels)),
            Outcome::Exhausted { .. } => Ok(None),
            Outcome::Stopped => Err(self.outgrown()),
        }
    }

    fn outgrown(&self) -> RowSearchError {
        RowSearchError::Unfinished(format!("the levels outgrow the {} of memory", self.memory_in_words()))
    }

    fn memory_in_words(&self) -> bytesize::Display {
        bytesize::ByteSize::b(self.memory).display().iec()
    }
}

impl<P: Puzzle> ShortestSolutions<P> {
    /// How many moves each has, if there is one.
    #[must_use]
    pub fn minimum(&self) -> Option<u64> {
        self.levels.as_ref().map(|levels| levels.len() as u64 - 1)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> BigUint {
        let last = self.levels.as_ref().and_then(|levels| levels.last());
        last.and_then(|last| find(last, self.goal)).unwrap_or(0).into()
    }

    /// Each of them, as the places of its moves; `place` is that of the move that led to a state.
    pub fn solutions<'a>(
        &'a self,
        place: impl Fn(&'a P, P::Key) -> u64 + Copy + 'a,
    ) -> impl Iterator<Item = impl Iterator<Item = u64> + 'a> + 'a {
        let paths = self.levels.iter().flat_map(|levels| Paths::new(&self.row, levels, self.goal));
        paths.map(move |keys| keys.into_iter().map(move |key| place(&self.row, key)))
    }
}

fn contradiction(found: Option<&[u64]>, proved: Option<u64>) -> RowSearchError {
    let words = |moves: Option<u64>| moves.map_or("no solution".into(), |moves| format!("{moves} moves"));
    RowSearchError::Contradiction { found: words(found.map(|moves| moves.len() as u64)), proved: words(proved) }
}
