//! A reference implementation of breadth-first search: sorted vectors, exact path counts.
//!
//! The engine is compared with it, and it counts and lists all shortest solutions. It keeps every level, and for each
//! state the number of shortest paths to it.

use num_bigint::BigUint;
use rayon::prelude::*;

use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;

/// A level: its states, ascending, each with the number of paths from the start.
pub type Level<K> = Vec<(K, u128)>;

/// The result of a search.
#[derive(Debug)]
pub enum Outcome<K> {
    /// The goal is on the last of these levels and on none before.
    Found(Vec<Level<K>>),
    /// A level is empty, so the goal was not reached. `pruned` is the number of pruned successors; if it is 0, the goal
    /// cannot be reached at all.
    Exhausted {
        /// Successors that were counted and not emitted.
        pruned: u64,
    },
    /// The states of the levels exceeded the budget, or a count 128 bits, before either was known.
    Stopped,
}

/// States that are expanded before duplicates are merged.
const BATCH: usize = 1 << 15;

/// Expands one level: the states of the next, with their path counts, and how many successors were pruned. `None` if a
/// count exceeds 128 bits, or if a merge on the way shows that there are more than `most` states.
fn expand<P: Puzzle>(puzzle: &P, level: &[(P::Key, u128)], depth: u32, most: usize) -> Option<(Level<P::Key>, u64)> {
    let (mut next, mut distinct, mut pruned) = (Level::new(), 0, 0);
    for batch in level.chunks(BATCH) {
        let size = batch.len().div_ceil(rayon::current_num_threads()).max(1024);
        let parts: Vec<(Level<P::Key>, u64)> = batch
            .par_chunks(size)
            .map(|states| {
                let (mut scratch, mut next, mut generated) = (puzzle.scratch(), Vec::new(), 0);
                for &(key, paths) in states {
                    generated += puzzle.successors(&mut scratch, key, depth, &mut |k| next.push((k, paths)));
                }
                let pruned = generated - next.len() as u64;
                (next, pruned)
            })
            .collect();
        for (part, cut) in parts {
            next.extend(part);
            pruned += cut;
        }
        // Merged when the list has doubled, so a level takes at most about three times its size.
        if next.len() > 2 * distinct + 4 * BATCH {
            next = merged(next)?;
            distinct = next.len();
            if distinct > most {
                return None;
            }
        }
    }
    Some((merged(next)?, pruned))
}

/// Sorts, and adds up the counts of equal keys.
fn merged<K: Key>(mut level: Level<K>) -> Option<Level<K>> {
    level.par_sort_unstable_by_key(|&(key, _)| key);
    let mut kept = 0;
    for i in 1..level.len() {
        if level[i].0 == level[kept].0 {
            level[kept].1 = level[kept].1.checked_add(level[i].1)?;
        } else {
            kept += 1;
            level[kept] = level[i];
        }
    }
    level.truncate(kept + 1);
    Some(level)
}

/// The path count of `key`, if it is on the level.
pub fn find<K: Key>(level: &[(K, u128)], key: K) -> Option<u128> {
    level.binary_search_by_key(&key, |&(k, _)| k).ok().map(|i| level[i].1)
}

/// Levels from the puzzle's start until `goal` is reached, a level is empty, or there are more than `budget` states.
///
/// A new level leaves out states of the two levels before it. That is enough if every move can be undone by a move, or
/// if no state can recur at all.
pub fn search<P: Puzzle>(puzzle: &P, goal: P::Key, budget: usize) -> Outcome<P::Key> {
    let mut start: Vec<_> = puzzle.start().into_iter().map(|key| (key, 1)).collect();
    start.sort_unstable();
    let (mut levels, mut states, mut pruned) = (vec![start], 0, 0);
    loop {
        let level = &levels[levels.len() - 1];
        states += level.len();
        if level.is_empty() {
            return Outcome::Exhausted { pruned };
        }
        if find(level, goal).is_some() {
            return Outcome::Found(levels);
        }
        if states > budget {
            return Outcome::Stopped;
        }
        let Some((mut next, cut)) = expand(puzzle, level, levels.len() as u32 - 1, budget) else {
            return Outcome::Stopped;
        };
        let before = levels.len().checked_sub(2).map_or(&[][..], |i| &levels[i]);
        next.retain(|&(key, _)| find(level, key).is_none() && find(before, key).is_none());
        pruned += cut;
        levels.push(next);
    }
}

/// The number of paths of `forward + backward` moves from the start of one puzzle to the start of the other, which is
/// the same puzzle played from its end. It is exact if the bounds of both admit every state of every such path. `None`
/// if a count exceeds 128 bits or a level exceeds `budget` states.
///
/// Only two levels are in memory at a time, and none beyond the middle.
pub fn count_between<P: Puzzle>(
    (from, forward): (&P, u32),
    (to, backward): (&P, u32),
    budget: usize,
) -> Option<BigUint> {
    let middle = |puzzle: &P, depth: u32| {
        let mut level: Level<P::Key> = puzzle.start().into_iter().map(|key| (key, 1)).collect();
        level.sort_unstable();
        for d in 0..depth {
            level = expand(puzzle, &level, d, budget)?.0;
            if level.len() > budget {
                return None;
            }
        }
        Some(level)
    };
    let (one, other) = (middle(from, forward)?, middle(to, backward)?);
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let meeting = few.iter().filter_map(|&(key, paths)| find(&many, key).map(|rest| (paths, rest)));
    Some(meeting.map(|(paths, rest)| BigUint::from(paths) * rest).sum())
}

/// All shortest paths through the levels of [`Outcome::Found`], one after another, as the keys after each move: a
/// depth-first search.
///
/// Holds the states on such paths and the current path, whatever the number of paths.
pub struct Paths<'a, P: Puzzle> {
    puzzle: &'a P,
    scratch: P::Scratch,
    /// The states on a shortest path, by level, ascending.
    live: Vec<Vec<P::Key>>,
    /// The current path: for each depth the states still to try there, the current one last.
    path: Vec<Vec<P::Key>>,
}

impl<'a, P: Puzzle> Paths<'a, P> {
    /// The paths to `goal`, which is on the last level.
    #[must_use]
    pub fn new(puzzle: &'a P, levels: &[Level<P::Key>], goal: P::Key) -> Self {
        let mut scratch = puzzle.scratch();
        let mut live = vec![vec![goal]];
        for (depth, level) in levels.iter().enumerate().rev().skip(1) {
            let after = &live[live.len() - 1];
            let mut on_path = |key: P::Key| {
                let mut found = false;
                puzzle.successors(&mut scratch, key, depth as u32, &mut |k| found |= after.binary_search(&k).is_ok());
                found
            };
            let here = level.iter().map(|&(key, _)| key).filter(|&key| on_path(key)).collect();
            live.push(here);
        }
        live.reverse();
        let path = vec![live[0].iter().rev().copied().collect()];
        Self { puzzle, scratch, live, path }
    }
}

impl<P: Puzzle> Iterator for Paths<'_, P> {
    type Item = Vec<P::Key>;

    fn next(&mut self) -> Option<Vec<P::Key>> {
        loop {
            let depth = self.path.len().checked_sub(1)?;
            let Some(&key) = self.path[depth].last() else {
                // All states at this depth have been tried, and so has the current one of the previous depth.
                self.path.pop();
                self.path.last_mut()?.pop();
                continue;
            };
            if depth + 1 == self.live.len() {
                let path = self.path.iter().skip(1).filter_map(|states| states.last().copied()).collect();
                self.path[depth].pop();
                return Some(path);
            }
            let (after, mut next) = (&self.live[depth + 1], Vec::new());
            self.puzzle.successors(&mut self.scratch, key, depth as u32, &mut |k| {
                if after.binary_search(&k).is_ok() {
                    next.push(k);
                }
            });
            // Descending, since they are taken from the end.
            next.sort_unstable_by(|a, b| b.cmp(a));
            self.path.push(next);
        }
    }
}

/// Iterative deepening: searches one length after another, `lower` first and then every `step` more, each in the puzzle
/// that `puzzle` makes for it, until the goal is found, or a search ends that no bound has pruned. `None` if there is
/// no puzzle for a length.
///
/// Every length below the result is then refuted, provided that the lengths skipped by `lower` and `step` are
/// impossible.
pub fn shortest<P: Puzzle>(
    puzzle: impl Fn(u32) -> Option<P>,
    lower: u32,
    step: u32,
    goal: impl Fn(&P) -> P::Key,
    budget: usize,
) -> Option<(P, Outcome<P::Key>)> {
    let mut length = lower;
    loop {
        let puzzle = puzzle(length)?;
        match search(&puzzle, goal(&puzzle), budget) {
            Outcome::Exhausted { pruned } if pruned > 0 => length += step,
            outcome => return Some((puzzle, outcome)),
        }
    }
}
