//! Backward search, for the last moves of lengths whose levels after the middle grow too large: the mirror makes it a
//! search from the start as well. The two meet as in bidirectional search (Pohl 1971), one backward half for all
//! lengths decided together.
//!
//! A solution A_0, ..., A_L with a leading middle has A_m on the following level m, which holds every such army. Its
//! mirrored reversal B_i = ρ(A_(L-i)) also begins at the start, and B_(L-m) is the mirror image of A_m. So levels from
//! the start need to hold only what can still come, by level L - m, to the mirror image of a histogram of level m;
//! where they meet the mirror image of that level itself, there is a solution, and if they do not, there is none. The
//! levels before that one say the same of shorter solutions.
//!
//! Levels that serve several such F_m, of different lengths L, hold what can come to one of them in time.

use std::ops::RangeInclusive;

use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_puzzles::transfer::TransferPuzzle;

use super::Solution;
use super::{LevelSequence, TransferSearch};

/// Following levels, complete as far as the last of `ahead`, that are to be met from behind.
pub(super) struct MeetingPoint<'a, K> {
    /// The lengths to decide.
    pub(super) lengths: RangeInclusive<u32>,
    pub(super) ahead: &'a LevelSequence<K>,
}

impl<K: Key> MeetingPoint<'_, K> {
    /// How many moves from the other end a solution of `length` moves meets them.
    fn depth(&self, length: u32) -> usize {
        length as usize + 1 - self.ahead.levels.len()
    }
}

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// Whether the last of the following levels (those after `half`) is large and larger than the one before. Where looks ahead
    /// keep trailing levels small, these are the better way from early on.
    pub(super) fn outgrown(&self, trail: &LevelSequence<K>, half: u32) -> bool {
        let last = trail.levels.len() - 1;
        let (first, large) = match self.pruning.look_ahead() {
            None => (half as usize + 2, 2 * self.large),
            Some(_) => (half as usize + 1, self.large / 20),
        };
        last >= first
            && trail.levels[last].whole() > large
            && trail.levels[last].whole() > trail.levels[last - 1].whole()
    }

    /// Decides the rest of the way for each of these, which ascend by length, by levels from the other end: the shortest
    /// solution and its length.
    pub(super) fn trail_behind(
        &self,
        meetings: &[MeetingPoint<'_, K>],
        behind: &mut LevelSequence<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        self.trail_toward(meetings, behind)?;
        for meeting in meetings {
            for length in meeting.lengths.clone() {
                let depth = meeting.depth(length);
                let Some(level) = behind.levels.get(depth).filter(|level| level.whole() > 0) else { continue };
                if let Some((here, there)) = self.common(level, meeting.ahead.last())? {
                    let out = self.trace(&meeting.ahead.levels, there)?;
                    let back = self.trace(&behind.levels[..=depth], here)?;
                    return Ok(Some((length, self.join_mirrored(&out, &back)?)));
                }
            }
        }
        Ok(None)
    }

    /// Grows the levels `behind` toward the mirror images of the last levels of all `meetings`, or until one is empty.
    pub(super) fn trail_toward(
        &self,
        meetings: &[MeetingPoint<'_, K>],
        behind: &mut LevelSequence<K>,
    ) -> Result<(), Stopped> {
        let end = |meeting: &MeetingPoint<'_, K>| meeting.depth(*meeting.lengths.end());
        let ends: Vec<_> = meetings.iter().map(|m| (end(m) as u32, m.ahead.last())).collect();
        let (table, latest) = self.distances_to_images(&ends, 0)?;
        // Who has come to an end that must be reached earlier is that far from the last one.
        let near = latest - ends.iter().map(|&(by_then, _)| by_then).min().unwrap_or(latest);
        let puzzle = TransferPuzzle::new(&self.tables, &self.problem.start, vec![self.pattern(&table, latest)]);
        let puzzle = puzzle.sifted(self.filter(&table, latest, near));
        self.open(&puzzle, behind);
        self.grow_to(&puzzle, meetings.iter().map(end).max().unwrap_or(0), behind)
    }
}
