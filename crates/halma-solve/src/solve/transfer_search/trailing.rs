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

use super::Solution;
use super::setup::Setup;
use crate::solve::level_sequence::LevelSequence;

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

/// The search from behind.
pub(super) struct Trailing<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
}

impl<const W: usize, K: Key> Trailing<'_, W, K> {
    /// Whether the last of the following levels (those after `half`) is large and larger than the one before. Where looks ahead
    /// keep trailing levels small, these are the better way from early on.
    pub(super) fn is_better_than(&self, following: &LevelSequence<K>, half: u32) -> bool {
        let (pruning, large) = (&self.setup.problem.pruning, self.setup.large);
        let levels = &following.levels;
        let last = levels.len() - 1;
        let (first, large) = match pruning.look_ahead() {
            None => (half as usize + 2, 2 * large),
            Some(_) => (half as usize + 1, large / 20),
        };
        last >= first && levels[last].whole() > large && levels[last].whole() > levels[last - 1].whole()
    }

    /// Decides the rest of the way for each of these, which ascend by length, by levels from the other end: the shortest
    /// solution and its length.
    pub(super) fn decide(
        &self,
        meetings: &[MeetingPoint<'_, K>],
        behind: &mut LevelSequence<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        self.grow(meetings, behind)?;
        for meeting in meetings {
            for length in meeting.lengths.clone() {
                let depth = meeting.depth(length);
                let Some(level) = behind.levels.get(depth).filter(|level| level.whole() > 0) else { continue };
                if let Some((here, there)) = self.setup.common(level, meeting.ahead.last())? {
                    let out = self.setup.trace(&meeting.ahead.levels, there)?;
                    let back = self.setup.trace(&behind.levels[..=depth], here)?;
                    return Ok(Some(Solution { length, walk: self.setup.join_mirrored(&out, &back)? }));
                }
            }
        }
        Ok(None)
    }

    /// Grows the levels `behind` toward the mirror images of the last levels of all `meetings`, or until one is empty.
    pub(super) fn grow(&self, meetings: &[MeetingPoint<'_, K>], behind: &mut LevelSequence<K>) -> Result<(), Stopped> {
        let setup = self.setup;
        let end = |meeting: &MeetingPoint<'_, K>| meeting.depth(*meeting.lengths.end());
        let ends: Vec<_> = meetings.iter().map(|m| (end(m) as u32, m.ahead.last())).collect();
        let (table, latest) = setup.distances_to_images(&ends, 0)?;
        // Who has come to an end that must be reached earlier is that far from the last one.
        let near = latest - ends.iter().map(|&(by_then, _)| by_then).min().unwrap_or(latest);
        let puzzle = setup.puzzle(vec![setup.pattern(&table, latest)]).sifted(setup.filter(&table, latest, near));
        setup.engine.open(&puzzle, behind);
        setup.engine.grow_to(&puzzle, meetings.iter().map(end).max().unwrap_or(0), behind)
    }
}
