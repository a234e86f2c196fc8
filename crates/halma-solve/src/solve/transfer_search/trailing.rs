//! Trailing levels: backward search, for the last moves of lengths whose following levels grow too large. By the mirror
//! it is a search from the start. The two meet as in bidirectional search (Pohl 1971); one backward half serves all
//! lengths that are decided together.
//!
//! A solution A_0, ..., A_L with a leading middle has A_m on the following level m, which holds every such army. Its
//! mirrored reversal B_i = ρ(A_(L-i)) also begins at the start, and B_(L-m) is the mirror image of A_m. So trailing
//! levels need to hold only states that can reach, by level L - m, the mirror image of a histogram of level m. If they
//! meet the mirror image of that level itself, there is a solution; if they do not, there is none. The previous
//! trailing level decides shorter lengths in the same way.
//!
//! Trailing levels that serve several such following levels, of different lengths L, hold states that can reach one of
//! them in time.

use std::ops::RangeInclusive;

use halma_engine::key::Key;
use halma_engine::search::Stopped;

use super::Solution;
use super::setup::Setup;
use crate::solve::level_sequence::LevelSequence;

/// A level of so many times the states of a large one is huge.
const HUGE: u64 = 100;
/// Without a look-ahead, following levels go on up to so many times the states of a large one.
const LARGER: u64 = 2;
/// Under a look-ahead, which keeps trailing levels small, up to this part of the states of a large one.
const SMALLER: u64 = 20;

/// A part of the label that names the moves of the first following level: all moves (of an even length), those of an odd length, or
/// those of an odd length and the even one before. Earlier programs made all moves; the label keeps their levels apart.
pub(super) fn made_by(lengths: &RangeInclusive<u32>) -> &'static str {
    match (lengths.end().is_multiple_of(2), lengths.start() < lengths.end()) {
        (true, _) => "",
        (false, false) => "-led",
        (false, true) => "-led-both",
    }
}

/// Following levels, complete up to the last of `ahead`, that trailing levels are to meet.
pub(super) struct MeetingPoint<'a, K> {
    /// The lengths to decide.
    pub(super) lengths: RangeInclusive<u32>,
    pub(super) ahead: &'a LevelSequence<K>,
}

impl<K: Key> MeetingPoint<'_, K> {
    /// The lengths and the level that is met, for labels.
    pub(super) fn name(&self) -> String {
        format!("-{}{}-at-{}", self.lengths.end(), made_by(&self.lengths), self.ahead.depth())
    }

    /// The trailing level on which a solution of `length` moves meets them.
    fn depth(&self, length: u32) -> u32 {
        length - self.ahead.depth()
    }
}

/// The backward search.
pub(super) struct Trailing<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
}

impl<const W: usize, K: Key> Trailing<'_, W, K> {
    /// Whether the last of the following levels (those after `half`) is large and larger than the previous one. If a
    /// look-ahead keeps trailing levels small, or if the next level would be huge, they are better from the first one
    /// on: a following level has nearly all histograms that one abstract move leads to from the level before, so the
    /// trailing levels toward either are nearly the same.
    pub(super) fn is_better_than(&self, following: &LevelSequence<K>, half: u32) -> bool {
        let (pruning, large) = (&self.setup.problem.pruning, self.setup.large);
        let levels = &following.levels;
        let last = levels.len() - 1;
        let huge = levels[last].whole() > HUGE.saturating_mul(large);
        let (first, large) = match pruning.look_ahead() {
            None => (half as usize + if huge { 1 } else { 2 }, LARGER * large),
            Some(_) => (half as usize + 1, large / SMALLER),
        };
        last >= first && levels[last].whole() > large && levels[last].whole() > levels[last - 1].whole()
    }

    /// Decides the lengths of these meeting points (ascending by length) by trailing levels: the shortest solution and
    /// its length.
    pub(super) fn decide(
        &self,
        meetings: &[MeetingPoint<'_, K>],
        behind: &mut LevelSequence<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        self.grow(meetings, behind)?;
        for meeting in meetings {
            for length in meeting.lengths.clone() {
                let depth = meeting.depth(length);
                let Some(level) = behind.levels.get(depth as usize).filter(|level| level.whole() > 0) else { continue };
                if let Some((here, there)) = self.setup.common(level, meeting.ahead.last())? {
                    let out = self.setup.trace(&meeting.ahead.levels, there)?;
                    let back = self.setup.trace(&behind.levels[..=depth as usize], here)?;
                    return Ok(Some(Solution { length, walk: self.setup.join_mirrored(&out, &back)? }));
                }
            }
        }
        Ok(None)
    }

    /// Grows the trailing levels `behind` toward the mirror images of the last levels of all `meetings`, or until one
    /// is empty.
    pub(super) fn grow(&self, meetings: &[MeetingPoint<'_, K>], behind: &mut LevelSequence<K>) -> Result<(), Stopped> {
        let setup = self.setup;
        let end = |meeting: &MeetingPoint<'_, K>| meeting.depth(*meeting.lengths.end());
        let ends: Vec<_> = meetings.iter().map(|m| (end(m), m.ahead.last())).collect();
        let (table, latest) = setup.distances_to_images(&ends, 0)?;
        // An end that must be reached earlier is that many moves from the last one.
        let near = latest - ends.iter().map(|&(by_then, _)| by_then).min().unwrap_or(latest);
        let puzzle = setup.puzzle(vec![setup.pattern(&table, latest)]).filtered(setup.filter(&table, latest, near));
        setup.engine.open(&puzzle, behind);
        setup.engine.grow_to(&puzzle, meetings.iter().map(end).max().unwrap_or(0), behind)
    }
}
