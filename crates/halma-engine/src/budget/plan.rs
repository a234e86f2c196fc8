//! Divides the memory budget of a run.
//!
//! The budget is for the whole process as the system sees it, with the program's own pages, thread stacks and the
//! memory that the allocator retains. So a step measures what the process holds when it begins, and divides the rest.
//! All parts are named here; code whose memory grows with the job asks for its part.

use super::{give_back, memory};

const MIB: u64 = 1 << 20;

/// The program before it searches: its pages, the job, the tables of a problem.
const PROGRAM: u64 = 18 * MIB;
/// Each thread, whatever it does: its stack, the block that it reads, its vectors for each shard. 1.3 MiB were measured
/// where positions are largest (16x16, 19 men, level 6, 64 threads against one).
const THREAD: u64 = 2 * MIB;
/// The least that a step needs beside that.
const STEP: u64 = 22 * MIB;
/// One allocator arena for each so many bytes of the budget, because an arena retains memory that the others could use.
const ARENA: u64 = 64 * MIB;
/// The size of a piece of a level, in bytes of keys. With more shards pieces are larger, so that each shard receives
/// enough at a time; otherwise small, because a piece takes memory from the sorted sets.
const PIECE: std::ops::RangeInclusive<u64> = 16 * MIB..=32 * MIB;
/// The same for each shard.
const PIECE_PER_SHARD: u64 = 16 << 10;

/// The states that a thread expands together, with their successors: more than this gains little, and with less they have too few
/// successors in common.
const MOST_TOGETHER: u64 = 256 * MIB;
const LEAST_TOGETHER: u64 = 8 * MIB;

/// What a thread adds to a level that is made as a whole. A larger level is better made in pieces, of which a checkpoint can be made.
const MOST_WHOLE: u64 = 1 << 30;

/// What a job needs beside its levels, whatever the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Bytes of the puzzle itself: what its moves are looked up in.
    pub moves: u64,
    /// Bytes of tables and of what builds them: pattern databases with their frontiers.
    pub tables: u64,
    /// Bytes of the states that a beam search scores and keeps.
    pub beam: u64,
}

/// The memory budget of a run and its division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    budget: Option<u64>,
    threads: u64,
}

impl MemoryPlan {
    /// The plan for `threads` threads within `budget` bytes; without a budget no part is limited.
    #[must_use]
    pub fn new(budget: Option<u64>, threads: usize) -> Self {
        Self { budget, threads: threads.max(1) as u64 }
    }

    /// The least budget that suffices for a job with these needs, in whole MiB.
    #[must_use]
    pub fn least(threads: usize, needs: Needs) -> u64 {
        (PROGRAM + STEP + threads as u64 * THREAD + needs.moves + needs.tables + needs.beam).next_multiple_of(MIB)
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

    /// Complete levels that together exceed this go to disk.
    #[must_use]
    pub fn levels(&self) -> u64 {
        self.budget.map_or(u64::MAX, |budget| budget.saturating_sub(PROGRAM + self.threads * THREAD) / 4)
    }

    /// The memory for a step: the budget less what the process holds now. Where that is much, freed memory is returned to the
    /// system first.
    #[must_use]
    pub fn measure_room(&self) -> Room {
        let Some(budget) = self.budget else {
            return Room { bytes: u64::MAX, threads: self.threads, full_at: u64::MAX };
        };
        let mut held = memory();
        if held > budget / 2 {
            give_back();
            held = memory();
        }
        // The threads have not yet taken their part.
        let bytes = budget.saturating_sub(held + self.threads * THREAD).max(STEP / 4);
        Room { bytes, threads: self.threads, full_at: budget.saturating_sub(bytes / 8) }
    }

    /// Whether the process, with `more` bytes, would exceed its budget even after freed memory is returned to the
    /// system.
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

/// The memory of one step and its division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    bytes: u64,
    threads: u64,
    full_at: u64,
}

impl Room {
    /// The size of a piece of a level, in bytes of successors. Their vectors grow by doubling, and two pieces are under
    /// way.
    #[must_use]
    pub fn piece(&self, shards: usize) -> u64 {
        (shards as u64 * PIECE_PER_SHARD).clamp(*PIECE.start(), *PIECE.end()).min(self.bytes / 24)
    }

    /// What one shard may collect before it is compressed; each thread holds several times that while it merges.
    #[must_use]
    pub fn shard(&self) -> u64 {
        self.bytes / (16 * self.threads)
    }

    /// What all shards together may collect before they are compressed.
    #[must_use]
    pub(crate) fn sorted_set(&self) -> u64 {
        self.bytes / 4
    }

    /// What all segments together may take before they are spilled to a layer.
    #[must_use]
    pub(crate) fn segments(&self) -> u64 {
        self.bytes / 4
    }

    /// What one of several processes makes before it sends it.
    #[must_use]
    pub(crate) fn shipped(&self) -> u64 {
        self.bytes / 8
    }

    /// What the states that a thread expands together may take, with their successors; 0 where memory is so short that states are
    /// expanded one by one.
    #[must_use]
    pub(crate) fn batch_of_states(&self) -> usize {
        // Vectors have room for twice as much, and the states that wait take half as much again.
        let each = (self.bytes / 16 / self.threads).min(MOST_TOGETHER);
        if each < LEAST_TOGETHER { 0 } else { each as usize }
    }

    /// What a thread may add to a level that is made as a whole; 0 where not even [`Self::batch_of_states`] has room. There are no
    /// pieces and shards meanwhile. But vectors may have room for twice as much, and the level itself takes as much again.
    #[must_use]
    pub(crate) fn whole_level(&self) -> usize {
        if self.batch_of_states() == 0 { 0 } else { (self.bytes / 8 / self.threads).min(MOST_WHOLE) as usize }
    }

    /// How many successors of `key` bytes the states may have that a thread expands together: they have to fit its share of the segments.
    #[must_use]
    pub(crate) fn successors_together(&self, key: usize) -> u64 {
        self.segments() / self.threads / key as u64
    }

    /// The largest level that stays in memory; larger ones go to disk.
    #[must_use]
    pub fn level(&self) -> u64 {
        self.bytes / 4
    }

    /// How many threads may work at once where each takes `each` bytes.
    #[must_use]
    pub(crate) fn workers(&self, each: u64) -> usize {
        (self.bytes / 4 / each.max(1)).clamp(1, self.threads) as usize
    }

    /// Whether merging these shards fits the room; with `results_too`, also what comes out of it.
    #[must_use]
    pub(crate) fn holds(&self, merging: Merging, results_too: bool) -> bool {
        let threads = merging.threads.min(self.threads);
        threads * merging.each + if results_too { merging.coded } else { 0 } <= self.bytes / 4
    }

    /// How many items of `each` bytes a thread may hold at once, at most `most`.
    #[must_use]
    pub fn batch(&self, each: u64, most: usize) -> usize {
        (self.bytes / 4 / self.threads / each.max(1)).clamp(1, most as u64) as usize
    }

    /// Whether memory has to be freed.
    #[must_use]
    pub(crate) fn is_full(&self) -> bool {
        self.full_at < u64::MAX && memory() > self.full_at
    }
}

/// What merging some shards takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Merging {
    /// How many threads can merge: one for each shard.
    pub threads: u64,
    /// The most bytes that one of them works with.
    pub each: u64,
    /// The bytes that all results together may take: what is coded of the sources, which have at least as many keys.
    pub coded: u64,
}

impl Merging {
    /// With further shards.
    pub(crate) fn with(self, more: Self) -> Self {
        Self {
            threads: self.threads + more.threads,
            each: self.each.max(more.each),
            coded: self.coded.saturating_add(more.coded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_grows_with_threads_and_with_what_a_job_needs() {
        let least = |threads, tables| MemoryPlan::least(threads, Needs { tables, ..Needs::default() });
        assert!(least(1, 0) < least(2, 0) && least(2, 0) < least(64, 0) && least(2, 0) < least(2, 1));
        assert!(least(64, 1 << 30) > 1 << 30);
        assert!(least(2, 0) <= 48 << 20, "small machines search small problems");
    }

    #[test]
    fn parts_of_a_step_that_stand_beside_each_other_fit_its_room() {
        for threads in [1, 2, 16, 64] {
            let room = Room { bytes: 64 << 20, threads, full_at: 0 };
            // Two pieces in vectors that may be twice as large, sorted sets, what each thread merges, segments.
            let together = 4 * room.piece(2048) + room.sorted_set() + threads * 2 * room.shard() + room.segments();
            assert!(together <= 64 << 20, "{threads} threads: {together}");
            let each = 3 << 20;
            assert!(room.workers(each) as u64 * each <= 16 << 20 || room.workers(each) == 1);
            let of = |shards, each, coded| Merging { threads: shards, each, coded };
            // Sixteen MiB: what all threads work with, and what comes out of all shards.
            assert_eq!(room.holds(of(8, each, 0), true), threads < 6, "{threads} threads");
            assert!(!room.holds(of(8, 1, 17 << 20), true) && room.holds(of(8, 1, 17 << 20), false));
            assert_eq!(of(1, 5, 2).with(of(3, 2, 4)), of(4, 5, 6));
        }
    }

    #[test]
    fn without_a_budget_no_part_is_limited() {
        let plan = MemoryPlan::new(None, 64);
        let room = plan.measure_room();
        assert_eq!((plan.levels(), plan.budget(), plan.arenas()), (u64::MAX, None, None));
        assert_eq!((room.workers(1 << 30), room.piece(1), room.is_full()), (64, *PIECE.start(), false));
        assert!(!plan.is_exceeded(u64::MAX / 2));
    }
}
