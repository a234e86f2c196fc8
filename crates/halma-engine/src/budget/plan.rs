//! Who gets which part of the memory that a run may take.
//!
//! The budget is for the whole process, as the system sees it: the program's own pages, thread stacks and what the
//! allocator holds back count, too. So a step measures what the process holds when it begins, and shares out the rest.
//! All parts are named here; whoever takes memory that grows with the job asks for its part.

use super::{give_back, memory};

const MIB: u64 = 1 << 20;

/// What the program takes before it searches: its pages, the job, the tables of a problem.
const PROGRAM: u64 = 18 * MIB;
/// What each thread takes whatever it does: its stack, the block that it reads, its vectors for each range of keys. 1.3 MiB
/// were measured where positions are largest (16x16, 19 men, level 6, 64 threads against one).
const THREAD: u64 = 2 * MIB;
/// What a step needs beside that.
const STEP: u64 = 22 * MIB;
/// Arenas of the allocator keep what other arenas could use: one for so much of the budget.
const ARENA: u64 = 64 * MIB;
/// Successors that one piece of a level makes at most (about), in bytes of keys: the more ranges they go to, the more, so
/// that each range is worth fetching; but few where that will do, because they stand beside what is gathered.
const PIECE: std::ops::RangeInclusive<u64> = 16 * MIB..=128 * MIB;
/// The same for each range.
const PIECE_PER_RANGE: u64 = 16 << 10;

/// What a job takes beside its levels, whatever the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Bytes of tables and of what makes them: pattern databases with their frontiers.
    pub tables: u64,
    /// Bytes of the states that a truncated search scores and keeps.
    pub beam: u64,
}

/// The memory of a run and who gets which part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    budget: Option<u64>,
    threads: u64,
}

impl MemoryPlan {
    /// The plan for `threads` threads within `budget` bytes; no part is limited where there is no budget.
    #[must_use]
    pub fn new(budget: Option<u64>, threads: usize) -> Self {
        Self { budget, threads: threads.max(1) as u64 }
    }

    /// The least budget that will do for a job with these needs, in whole MiB.
    #[must_use]
    pub fn least(threads: usize, needs: Needs) -> u64 {
        (PROGRAM + STEP + threads as u64 * THREAD + needs.tables + needs.beam).next_multiple_of(MIB)
    }

    /// The budget, if there is one.
    #[must_use]
    pub fn budget(&self) -> Option<u64> {
        self.budget
    }

    /// How many arenas the allocator may have.
    #[must_use]
    pub fn arenas(&self) -> Option<u64> {
        self.budget.map(|budget| (budget / ARENA).max(1))
    }

    /// Complete levels in memory beyond this go to disk.
    #[must_use]
    pub fn levels(&self) -> u64 {
        self.budget.map_or(u64::MAX, |budget| budget.saturating_sub(PROGRAM + self.threads * THREAD) / 4)
    }

    /// What is left for a step beside what the process holds now.
    #[must_use]
    pub fn room(&self) -> Room {
        let Some(budget) = self.budget else {
            return Room { bytes: u64::MAX, threads: self.threads, brim: u64::MAX };
        };
        let mut held = memory();
        if held > budget / 2 {
            give_back();
            held = memory();
        }
        // What the threads are about to take is not there yet.
        let bytes = budget.saturating_sub(held + self.threads * THREAD).max(STEP / 4);
        Room { bytes, threads: self.threads, brim: budget.saturating_sub(bytes / 8) }
    }

    /// Whether the process, with `more` bytes, would hold more than its budget allows, and nothing can be done about it.
    #[must_use]
    pub fn is_exceeded(&self, more: u64) -> bool {
        let exceeded = |budget: u64| memory() + more > budget;
        self.budget.is_some_and(|budget| {
            exceeded(budget) && {
                give_back();
                exceeded(budget)
            }
        })
    }
}

/// What one step may take, and who gets which part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    bytes: u64,
    threads: u64,
    brim: u64,
}

impl Room {
    /// A piece of a level: successors that are made before they are gathered. They stand in vectors that grow by
    /// doubling, and two pieces are under way.
    #[must_use]
    pub fn piece(&self, ranges: usize) -> u64 {
        (ranges as u64 * PIECE_PER_RANGE).clamp(*PIECE.start(), *PIECE.end()).min(self.bytes / 24)
    }

    /// What one range of keys gathers before it is coded as a segment: each thread holds several times that while it merges.
    #[must_use]
    pub fn range(&self) -> u64 {
        self.bytes / (16 * self.threads)
    }

    /// What all ranges gather together before they are coded.
    #[must_use]
    pub(crate) fn sorted_set(&self) -> u64 {
        self.bytes / 4
    }

    /// Segments together, before they go to disk as a layer.
    #[must_use]
    pub(crate) fn segments(&self) -> u64 {
        self.bytes / 4
    }

    /// What one of several processes makes before it ships it.
    #[must_use]
    pub(crate) fn shipped(&self) -> u64 {
        self.bytes / 8
    }

    /// A level that is coded in memory; a larger one goes to disk.
    #[must_use]
    pub fn level(&self) -> u64 {
        self.bytes / 4
    }

    /// How many threads may work at once where each takes `each` bytes; all of them where that will do.
    #[must_use]
    pub(crate) fn workers(&self, each: u64) -> usize {
        (self.bytes / 4 / each.max(1)).clamp(1, self.threads) as usize
    }

    /// How many things of `each` bytes a thread may hold at once, at most `most`.
    #[must_use]
    pub fn batch(&self, each: u64, most: usize) -> usize {
        (self.bytes / 4 / self.threads / each.max(1)).clamp(1, most as u64) as usize
    }

    /// Whether the process holds so much that something has to go.
    #[must_use]
    pub(crate) fn is_full(&self) -> bool {
        self.brim < u64::MAX && memory() > self.brim
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_grows_with_threads_and_with_what_a_job_needs() {
        let least = |threads, tables| MemoryPlan::least(threads, Needs { tables, beam: 0 });
        assert!(least(1, 0) < least(2, 0) && least(2, 0) < least(64, 0) && least(2, 0) < least(2, 1));
        assert!(least(64, 1 << 30) > 1 << 30);
        assert!(least(2, 0) <= 48 << 20, "small machines search small problems");
    }

    #[test]
    fn parts_of_a_step_that_stand_beside_each_other_fit_its_room() {
        for threads in [1, 2, 16, 64] {
            let room = Room { bytes: 64 << 20, threads, brim: 0 };
            // Two pieces in vectors that may be twice as large, what is gathered and what each thread merges, segments.
            let together = 4 * room.piece(2048) + room.sorted_set() + threads * 2 * room.range() + room.segments();
            assert!(together <= 64 << 20, "{threads} threads: {together}");
            let each = 3 << 20;
            assert!(room.workers(each) as u64 * each <= 16 << 20 || room.workers(each) == 1);
        }
    }

    #[test]
    fn without_a_budget_no_part_is_limited() {
        let plan = MemoryPlan::new(None, 64);
        let room = plan.room();
        assert_eq!((plan.levels(), plan.budget(), plan.arenas()), (u64::MAX, None, None));
        assert_eq!((room.workers(1 << 30), room.piece(1), room.is_full()), (64, *PIECE.start(), false));
        assert!(!plan.is_exceeded(u64::MAX / 2));
    }
}
