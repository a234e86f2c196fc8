//! Checks one step from a level to the next: the next level is derived again, or the file of it is proved to be closed
//! under moves (all of it, or a sample).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use halma_record::record::{LevelRecord, Side};

use super::level_file::{Level, Marks};
use super::memory::{self, MOST_STATES};
use super::number::Number;
use super::rejection::{Rejection, RejectionKind, Trouble};
use crate::parallel;

/// Keys that are sorted at a time.
const BATCH: usize = 12 << 20;

/// The states of one kind of problem, as walks over levels see them.
pub(super) trait StateSpace: Sync {
    type Key: Number;
    /// The bounds.
    type Bounds: ?Sized + Sync;
    /// How many levels a state can recur on, counted from the last one.
    const LEVELS_HELD: usize;
    /// What the end of a solution on a level means, for messages.
    const END: &'static str;

    /// The successors of states on level `depth` that no bound prunes, and the number of all successors.
    fn expand(
        &self,
        parents: &[Self::Key],
        depth: u32,
        bounds: &Self::Bounds,
    ) -> Result<(Vec<Self::Key>, u64), Trouble>;
    /// Whether [`Self::filter_states`] may drop new states of that level.
    fn has_filter(_depth: u32, _bounds: &Self::Bounds) -> bool {
        false
    }
    /// Those of some new states of level `depth` that the filter keeps.
    fn filter_states(&self, keys: &[Self::Key], _depth: u32, _bounds: &Self::Bounds) -> Result<Vec<Self::Key>, String> {
        Ok(keys.to_vec())
    }
    /// The predecessors of a state.
    fn predecessors(&self, key: Self::Key) -> Result<Vec<Self::Key>, Trouble>;
    /// The centroid, if there is one; an error if this is not the key of a state.
    fn checked_centroid(&self, key: Self::Key) -> Result<Option<i64>, String>;
    /// A state, for messages.
    fn show(&self, key: Self::Key) -> String;
    /// A state of the level at which a solution ends, whatever the goal of the walk.
    fn first_goal(&self, level: &Level<Self::Key>) -> Result<Option<Self::Key>, Rejection>;
    /// Whether a successor of the last level counts as old if it is on the level so many before that one.
    fn may_recur(before_last: usize) -> bool;
}

/// A level and the number of successors that were made for it; `None` if it is too large to derive.
pub(super) type Unstated<K> = Option<(Level<K>, u64)>;

/// The successors of a level.
enum Expansion {
    /// All of them, and those that no bound prunes.
    Whole { generated: u64, emitted: u64 },
    /// More than were allowed.
    TooMany { generated: u64 },
}

/// One step: the last level of one side, and how the next one follows from it.
pub(super) struct Step<'a, S: StateSpace> {
    pub states: &'a S,
    pub side: Side,
    /// The depth of the last level.
    pub depth: u32,
    /// The levels that are held, the last one at the end.
    pub levels: &'a [Arc<Level<S::Key>>],
}

impl<S: StateSpace> Step<'_, S> {
    fn current(&self) -> &Level<S::Key> {
        &self.levels[self.levels.len() - 1]
    }

    /// The levels on which a successor of the last one can be old, the latest first.
    fn old(&self) -> Vec<&Level<S::Key>> {
        self.levels.iter().rev().enumerate().filter(|(by, _)| S::may_recur(*by)).map(|(_, level)| &**level).collect()
    }

    fn at(&self, depth: u32) -> String {
        format!("{} level {depth}", self.side.name())
    }

    /// Makes rejections about a state of a level.
    fn of_state<T: Into<Trouble>>(&self, depth: u32) -> impl Fn(T) -> Rejection {
        let side = self.side;
        move |why| Rejection::of(RejectionKind::State)(why).at_level(side, depth)
    }

    /// The rejection of wrong figures of a level.
    fn figures(&self, depth: u32, why: &str) -> Rejection {
        RejectionKind::Figures.because(format!("{}: {why}", self.at(depth))).at_level(self.side, depth)
    }

    /// The rejection of a level that has a wrong state, or lacks one.
    fn not_closed(&self, depth: u32, key: S::Key, why: String) -> Rejection {
        RejectionKind::Closure.because(why).at_level(self.side, depth).at_state(self.states.show(key))
    }

    /// Checks that all successors of the last level are old; `last` is its entry in the record.
    pub fn ends(&self, last: &LevelRecord, bounds: &S::Bounds) -> Result<(), Rejection> {
        let beyond = LevelRecord { depth: self.depth.saturating_add(1), generated: u64::MAX, ..last.clone() };
        let old = self.old();
        self.batches(&beyond, bounds, |batch| match Self::fresh(batch, &old, &[])?.first() {
            None => Ok(()),
            Some(&key) => {
                let (at, new) = (self.at(self.depth), self.states.show(key));
                let why = format!("exhausted, but {at} leads to {new}, which is on no level");
                Err(self.not_closed(beyond.depth, key, why))
            }
        })
        .map(|_| ())
    }

    /// Calls [`Self::expanded`] with the number of successors that the record states as the limit, because the budget was
    /// computed from it.
    fn batches(
        &self,
        stated: &LevelRecord,
        bounds: &S::Bounds,
        sink: impl FnMut(Vec<S::Key>) -> Result<(), Rejection>,
    ) -> Result<(u64, u64), Rejection> {
        match self.expanded(stated.generated, bounds, sink)? {
            Expansion::Whole { generated, emitted } => Ok((generated, emitted)),
            Expansion::TooMany { generated } => {
                let why = format!("generated {}, derived {generated} or more", stated.generated);
                Err(self.figures(stated.depth, &why))
            }
        }
    }

    /// Derives the level after the current one without a record's figures. It makes at most `most` successors, and holds
    /// no more states than fit into memory.
    pub fn unstated(&self, bounds: &S::Bounds, most: u64) -> Result<Unstated<S::Key>, Rejection> {
        let old = self.old();
        let held: u64 = self.levels.iter().map(|level| level.len()).sum();
        let room = memory::states(size_of::<S::Key>(), MOST_STATES).saturating_sub(held);
        let (mut next, mut fits): (Vec<S::Key>, bool) = (Vec::new(), true);
        let expansion = self.expanded(most, bounds, |batch| {
            next = merged(&next, &Self::fresh(batch, &old, &[])?);
            fits &= next.len() as u64 <= room;
            next.truncate(if fits { next.len() } else { 0 });
            Ok(())
        })?;
        Ok(match expansion {
            Expansion::Whole { generated, .. } if fits => Some((Level::Memory(next), generated)),
            _ => None,
        })
    }

    /// Expands the current level in batches, and calls `sink` with ascending keys. It stops where there are more than `most`
    /// successors.
    fn expanded(
        &self,
        most: u64,
        bounds: &S::Bounds,
        mut sink: impl FnMut(Vec<S::Key>) -> Result<(), Rejection>,
    ) -> Result<Expansion, Rejection> {
        // The pieces are smaller than blocks, so that a level of one block keeps all threads busy, too.
        let group = memory::pieces(32 * rayon::current_num_threads());
        let at_once = memory::batch(size_of::<S::Key>(), BATCH);
        let all = 8 * self.current().blocks();
        let (mut batch, mut generated, mut emitted) = (Vec::new(), 0, 0);
        // By all threads together, so that none goes on where all that may be made is made.
        let made = AtomicU64::new(0);
        for first in (0..all).step_by(group) {
            let expand = |piece: usize| {
                let (block, part) = ((first + piece) / 8, (first + piece) % 8);
                if made.load(Ordering::Relaxed) > most {
                    return Ok((Vec::new(), 0));
                }
                let mut keys = Vec::new();
                self.current().read(block, &mut keys)?;
                let size = keys.len().div_ceil(8);
                let parents = keys.chunks(size).nth(part).unwrap_or_default();
                let (keys, count) =
                    self.states.expand(parents, self.depth, bounds).map_err(self.of_state(self.depth))?;
                made.fetch_add(count, Ordering::Relaxed);
                Ok((keys, count))
            };
            for (keys, count) in parallel::map(group.min(all - first), expand)? {
                generated += count;
                emitted += keys.len() as u64;
                batch.extend(keys);
            }
            if generated > most {
                return Ok(Expansion::TooMany { generated });
            }
            if batch.len() >= at_once {
                sink(sorted(std::mem::take(&mut batch)))?;
            }
        }
        sink(sorted(batch))?;
        Ok(Expansion::Whole { generated, emitted })
    }

    /// Those of ascending keys that no old level has; the others are marked.
    fn fresh(keys: Vec<S::Key>, old: &[&Level<S::Key>], marks: &[Marks]) -> Result<Vec<S::Key>, Rejection> {
        old.iter().enumerate().try_fold(keys, |rest, (by, level)| level.without(&rest, marks.get(by)))
    }

    /// Derives the next level.
    pub fn derive(&self, stated: &LevelRecord, bounds: &S::Bounds) -> Result<Level<S::Key>, Rejection> {
        let old = self.old();
        let marks: Vec<Marks> = old.iter().map(|level| Marks::new(level)).collect();
        let mut next: Vec<S::Key> = Vec::new();
        // New states that the filter drops are removed at the end, and count as pruned.
        let most = stated.states.saturating_add(if S::has_filter(self.depth + 1, bounds) { stated.pruned } else { 0 });
        let counts = self.batches(stated, bounds, |batch| {
            let rest = Self::fresh(batch, &old, &marks)?;
            next = if next.is_empty() { rest } else { merged(&next, &rest) };
            match next.len() as u64 > most {
                true => {
                    let why = format!("states {}, derived {} or more", stated.states, next.len());
                    Err(self.figures(stated.depth, &why))
                }
                false => Ok(()),
            }
        })?;
        let new = next.len() as u64;
        if S::has_filter(self.depth + 1, bounds) {
            next = self.staying(&next, bounds)?;
        }
        let dropped = Some(new - next.len() as u64);
        self.account(stated, counts, (next.len() as u64, dropped), &marks)?;
        Ok(Level::Memory(next))
    }

    /// Those of some new states of the next level that the filter keeps.
    fn staying(&self, keys: &[S::Key], bounds: &S::Bounds) -> Result<Vec<S::Key>, Rejection> {
        let all = parallel::map_chunks(keys, 256, |keys| self.states.filter_states(keys, self.depth + 1, bounds));
        Ok(all.map_err(self.of_state(self.depth + 1))?.concat())
    }

    /// Proves that `next` has exactly the states that follow from the current level.
    pub fn close(&self, stated: &LevelRecord, bounds: &S::Bounds, next: &Level<S::Key>) -> Result<(), Rejection> {
        let old = self.old();
        let marks: Vec<Marks> = old.iter().map(|level| Marks::new(level)).collect();
        let reached = Marks::new(next);
        let filters = S::has_filter(self.depth + 1, bounds);
        // New states that the filter drops, each once; if there are too many, they are tested and not counted.
        let mut dropped = Some(Vec::new());
        let counts = self.batches(stated, bounds, |batch| {
            let rest = Self::fresh(next.without(&batch, Some(&reached))?, &old, &marks)?;
            let lost = if filters { self.staying(&rest, bounds)? } else { rest.clone() };
            if let Some(&lost) = lost.first() {
                return Err(self.lost(lost));
            }
            dropped =
                dropped.take().map(|all| merged(&all, &rest)).filter(|all| all.len() as u64 <= Self::most_dropped());
            Ok(())
        })?;
        if filters {
            Self::all_pass(next, |keys| self.staying(keys, bounds), |key| self.stray(key))?;
        }
        Self::all_pass(next, |keys| Self::fresh(keys.to_vec(), &old, &[]), |key| self.stale(key))?;
        if let Some(position) = reached.first_missing(next) {
            let mut keys = Vec::new();
            let block = next.block_at(position);
            next.read(block, &mut keys)?;
            let key = keys[(position - next.start(block)) as usize];
            return Err(self.unsupported(key));
        }
        self.account(stated, counts, (next.len(), dropped.map(|all| all.len() as u64)), &marks)
    }

    /// The most new states dropped by the filter that are counted.
    fn most_dropped() -> u64 {
        memory::states(size_of::<S::Key>(), MOST_STATES)
    }

    /// Checks that every state of the next level passes `test`, which returns those that do; `fault` makes the
    /// rejection of one that does not.
    fn all_pass(
        next: &Level<S::Key>,
        test: impl Fn(&[S::Key]) -> Result<Vec<S::Key>, Rejection> + Sync,
        fault: impl Fn(S::Key) -> Rejection + Sync,
    ) -> Result<(), Rejection> {
        let block = |block: usize| -> Result<(), Rejection> {
            let mut keys = Vec::new();
            next.read(block, &mut keys)?;
            let pass = test(&keys)?;
            first_without(&keys, &pass).map_or(Ok(()), |key| Err(fault(key)))
        };
        parallel::map(next.blocks(), block).map(drop)
    }

    fn stray(&self, key: S::Key) -> Rejection {
        let (at, state) = (self.at(self.depth + 1), self.states.show(key));
        self.not_closed(self.depth + 1, key, format!("{at} has {state}, which the look-ahead prunes"))
    }

    fn stale(&self, key: S::Key) -> Rejection {
        let (at, state) = (self.at(self.depth + 1), self.states.show(key));
        self.not_closed(self.depth + 1, key, format!("{at} has {state}, which is old: an earlier level has it"))
    }

    fn lost(&self, key: S::Key) -> Rejection {
        let (here, there, state) = (self.at(self.depth), self.depth + 1, self.states.show(key));
        let why = format!(
            "not closed: from {here} one move leads to {state}, which is neither on level {there} nor old, and no bound prunes it"
        );
        self.not_closed(there, key, why)
    }

    fn unsupported(&self, key: S::Key) -> Rejection {
        let (next, here, state) = (self.at(self.depth + 1), self.depth, self.states.show(key));
        self.not_closed(here + 1, key, format!("{next} has {state}, which no state of level {here} leads to"))
    }

    /// Checks some states of the current level and some of `next`; returns how many were expanded.
    pub fn sample(
        &self,
        stated: &LevelRecord,
        bounds: &S::Bounds,
        next: &Level<S::Key>,
        sample: u64,
    ) -> Result<u64, Rejection> {
        let there = self.depth + 1;
        // The seed is the digest of the next level: fixed by the record, and unpredictable for the search that made an
        // error.
        let seed = stated.digest.0 as u64;
        let parents = Self::pick(self.current(), seed, sample)?;
        let pieces = parallel::map_chunks(&parents, 64, |keys| self.states.expand(keys, self.depth, bounds));
        let (mut successors, mut generated) = (Vec::new(), 0);
        for (keys, count) in pieces.map_err(self.of_state(self.depth))? {
            successors.extend(keys);
            generated += count;
        }
        // A part of the states has no more successors than all have.
        let dropped = generated - successors.len() as u64;
        if generated > stated.generated || dropped > stated.pruned {
            let LevelRecord { generated: all, pruned, .. } = stated;
            let why = format!("generated {all}, pruned {pruned}; of a sample alone {generated} and {dropped}");
            return Err(self.figures(stated.depth, &why));
        }
        let rest = Self::fresh(next.without(&sorted(successors), None)?, &self.old(), &[])?;
        let filters = S::has_filter(there, bounds);
        let lost = if filters { self.staying(&rest, bounds)? } else { rest };
        if let Some(&lost) = lost.first() {
            return Err(self.lost(lost));
        }
        let children = Self::pick(next, !seed, sample)?;
        if let Some(key) = first_without(&children, &Self::fresh(children.clone(), &self.old(), &[])?) {
            return Err(self.stale(key));
        }
        for &child in children.iter().filter(|_| filters) {
            if self.staying(&[child], bounds)?.is_empty() {
                return Err(self.stray(child));
            }
        }
        let before = |child: usize| self.states.predecessors(children[child]).map(sorted);
        let around = parallel::map(children.len(), before).map_err(self.of_state(there))?;
        let absent = self.current().without(&sorted(around.concat()), None)?;
        // The move must be one that no bound prunes.
        let is_led_to = |child: usize| -> Result<bool, Trouble> {
            let parents = around[child].iter().copied().filter(|key| absent.binary_search(key).is_err());
            let (led_to, _) = self.states.expand(&parents.collect::<Vec<_>>(), self.depth, bounds)?;
            Ok(led_to.contains(&children[child]))
        };
        let led_to = parallel::map(children.len(), is_led_to).map_err(self.of_state(self.depth))?;
        match led_to.iter().position(|led_to| !led_to) {
            Some(child) => Err(self.unsupported(children[child])),
            None => Ok(parents.len() as u64),
        }
    }

    /// The keys at some positions of a level.
    fn pick(level: &Level<S::Key>, seed: u64, sample: u64) -> Result<Vec<S::Key>, Rejection> {
        let (mut keys, mut loaded, mut picked) = (Vec::new(), None, Vec::new());
        for position in chosen(seed, sample, level.len()) {
            let block = level.block_at(position);
            if loaded != Some(block) {
                level.read(block, &mut keys)?;
                loaded = Some(block);
            }
            picked.push(keys[(position - level.start(block)) as usize]);
        }
        Ok(picked)
    }

    /// Compares the figures of the level. `dropped` new states were dropped by the filter; if they were not counted,
    /// only the sum of pruned states and duplicates is known.
    fn account(
        &self,
        stated: &LevelRecord,
        (generated, emitted): (u64, u64),
        (states, dropped): (u64, Option<u64>),
        marks: &[Marks],
    ) -> Result<(), Rejection> {
        let old: u64 = marks.iter().map(Marks::count).sum();
        // If they were not counted, there were more.
        let least = generated - emitted + dropped.unwrap_or(Self::most_dropped());
        let unknown = dropped.is_none();
        let pruned = if unknown { stated.pruned.max(least) } else { least };
        let found = [generated, pruned, (generated - old - states).saturating_sub(pruned), old, states];
        let said = [stated.generated, stated.pruned, stated.duplicates, stated.old, stated.states];
        if unknown && stated.pruned < least {
            return Err(self.figures(stated.depth, &format!("pruned {}, at least {least}", stated.pruned)));
        }
        let names = ["generated", "pruned", "duplicates", "old", "states"];
        let wrong = (0..names.len())
            .filter(|&i| found[i] != said[i])
            .map(|i| format!("{} {}, derived {}", names[i], said[i], found[i]));
        let wrong: Vec<String> = wrong.collect();
        if wrong.is_empty() { Ok(()) } else { Err(self.figures(stated.depth, &wrong.join("; "))) }
    }
}

/// The first of ascending keys that is not in `rest`, a part of them.
pub(super) fn first_without<N: Number>(keys: &[N], rest: &[N]) -> Option<N> {
    let rest = rest.iter().map(Some).chain(std::iter::repeat(None));
    keys.iter().zip(rest).find(|(key, rest)| Some(*key) != *rest).map(|(&key, _)| key)
}

/// Keys in ascending order, without duplicates.
pub(super) fn sorted<N: Number>(mut keys: Vec<N>) -> Vec<N> {
    keys.par_sort_unstable();
    keys.dedup();
    keys
}

/// Merges two ascending lists.
fn merged<N: Number>(a: &[N], b: &[N]) -> Vec<N> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (x, y) => x.or(y).copied().unwrap_or_default(),
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        all.push(next);
    }
    all
}

/// `sample` distinct positions below `all`, ascending, chosen by the seed (splitmix64); all positions if there are no
/// more.
fn chosen(mut seed: u64, sample: u64, all: u64) -> Vec<u64> {
    if sample >= all {
        return (0..all).collect();
    }
    let mut positions: Vec<u64> = (0..sample)
        .map(|_| {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut x = seed;
            x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((u128::from(x ^ x >> 31) * u128::from(all)) >> 64) as u64
        })
        .collect();
    positions.sort_unstable();
    // A state that is chosen twice counts once.
    positions.dedup();
    positions
}
