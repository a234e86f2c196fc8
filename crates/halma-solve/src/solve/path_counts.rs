//! Path counting by dynamic programming over levels: finds the states that lie on the paths to given ends, and the
//! number of paths to each.
//!
//! Let f(X) be the number of paths from the start to X. K fixes the start, so f(kX) = f(X), and one number for each
//! class suffices: f(X) is the sum of f over the predecessors of X, for one member X of each class.
//!
//! Predecessors come from closures that `before` makes, one for each thread. Given a key and the number of the previous
//! level, the closure lists the keys of all predecessors there, each as often as there are such states, and with each a
//! factor by which paths through this move count.

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;

use halma_engine::budget::plan::MemoryPlan;
use halma_engine::budget::{give_back, memory};
use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::{CancellationToken, Stopped};
use halma_engine::store::Level;

/// Predecessors, each with the factor by which paths through the move count.
pub(crate) type Before<K> = Vec<(K, u8)>;

/// How many states are processed at a time, if memory suffices.
const PART: usize = 1 << 16;

/// How many parts are processed before their results are merged.
pub(crate) const AT_ONCE: usize = 64;

/// Bytes for each state that is processed: about a hundred predecessors.
const AROUND: u64 = 4 << 10;

/// The memory plan and cancellation token of a count.
#[derive(Clone, Copy)]
pub(crate) struct CountLimits<'a> {
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) plan: &'a MemoryPlan,
}

/// Memory does not suffice; [`Held::summing`] fills in how much would.
const SHORT: Stopped = Stopped::Memory { least: 0, exact: false };

impl CountLimits<'_> {
    pub(crate) fn part(self) -> usize {
        self.plan.measure_room().batch(AROUND, PART)
    }

    /// Whether to go on. All states of the solutions are held in memory, which may not suffice.
    pub(crate) fn check(self) -> Result<(), Stopped> {
        self.cancel.check()?;
        if self.plan.is_exceeded(0) { Err(SHORT) } else { Ok(()) }
    }

    /// Whether memory suffices for `entries` more entries. Does not poll the cancellation token.
    pub(crate) fn check_memory_for<T>(self, entries: usize) -> Result<(), Stopped> {
        if self.plan.is_exceeded((entries * size_of::<T>()) as u64) { Err(SHORT) } else { Ok(()) }
    }

    /// Whether to go on with lists that go on growing: the least that would do is twice what they take now.
    pub(crate) fn check_for_more(self) -> Result<(), Stopped> {
        self.check().map_err(|stopped| match stopped {
            Stopped::Memory { .. } => Stopped::Memory { least: 2 * memory(), exact: false },
            stopped => stopped,
        })
    }
}

/// The number of states to be held, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// By level, on both sides.
    sizes: Vec<usize>,
    /// Whether levels were freed and only their sizes kept.
    partial: bool,
    /// Whether the size of some level is unknown.
    unknown: bool,
}

impl Held {
    /// Calls `sum`. If memory does not suffice, the error says how much would; `levels` are the levels of the count.
    pub(crate) fn summing<K: Key, T>(
        levels: &[&[Level<K>]],
        sum: impl FnOnce(&mut Self) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let mut held = Self::default();
        match sum(&mut held) {
            Err(Stopped::Memory { .. }) => {
                give_back();
                let least = held.least(memory(), levels);
                Err(Stopped::Memory { least, exact: !held.unknown })
            }
            summed => summed,
        }
    }

    /// An upper bound of the memory that the sums take beside `rest`: the states of all levels; the path counts of one
    /// level and the previous one, on both sides; their successors; and the levels that are on disk now but would stay
    /// in more memory, at most a quarter for each side.
    fn least<K: Key>(&self, rest: u64, levels: &[&[Level<K>]]) -> u64 {
        let entry = size_of::<(K, u128)>();
        let largest = self.sizes.iter().copied().max().unwrap_or(0);
        let sums = self.sizes.iter().sum::<usize>() * size_of::<K>() + 5 * largest * entry;
        let on_disk = |level: &Level<K>| level.bytes().saturating_sub(level.resident_bytes());
        let on_disk: u64 = levels.iter().copied().flatten().map(on_disk).sum();
        let needed = rest + sums as u64;
        needed + on_disk.min(needed) + needed / 16
    }

    /// Enters a level of so many states, the next of those that are held whole. Fails if memory does not suffice for more.
    pub(crate) fn enter(&mut self, states: usize, limits: CountLimits<'_>) -> Result<(), Stopped> {
        self.sizes.push(states);
        let enough = limits.check();
        self.unknown |= enough.is_err();
        enough
    }

    /// Fails if some levels were freed. To be called when the sizes of all levels are known.
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        if self.partial { Err(SHORT) } else { Ok(()) }
    }
}

/// By level, the classes from which paths lead to `ends`, ascending. If memory does not suffice for all, only the last
/// level is kept and the others are counted.
pub(crate) fn states<K: Key, B: FnMut(K, usize, &mut Before<K>)>(
    levels: &[Level<K>],
    ends: Vec<K>,
    before: impl Fn() -> B + Sync,
    limits: CountLimits<'_>,
    held: &mut Held,
) -> Result<Vec<Vec<K>>, Stopped> {
    held.sizes.push(ends.len());
    let mut found = vec![ends];
    for depth in (0..levels.len() - 1).rev() {
        let mut last = found.pop().unwrap_or_default();
        let mut earlier = earlier_states(&levels[depth], depth, &last, &before, limits);
        if matches!(earlier, Err(Stopped::Memory { .. })) && !held.partial {
            held.partial = true;
            found.clear();
            earlier = earlier_states(&levels[depth], depth, &last, &before, limits);
        }
        if held.partial {
            last = Vec::new();
        }
        found.push(last);
        held.unknown |= earlier.is_err();
        let earlier = earlier?;
        held.sizes.push(earlier.len());
        found.push(earlier);
    }
    found.reverse();
    Ok(found)
}

/// The classes on `level`, of number `depth`, with a move to one of `last`, ascending.
fn earlier_states<K: Key, B: FnMut(K, usize, &mut Before<K>)>(
    level: &Level<K>,
    depth: usize,
    last: &[K],
    before: &(impl Fn() -> B + Sync),
    limits: CountLimits<'_>,
) -> Result<Vec<K>, Stopped> {
    // In parts, because every state has dozens of neighbours, few of which are on the level.
    let part = |before: &mut B, keys: &[K]| -> Result<Vec<K>, Stopped> {
        limits.check()?;
        let mut all = Vec::new();
        keys.iter().for_each(|&key| before(key, depth, &mut all));
        let mut all: Vec<K> = all.into_iter().filter(|&(_, counts)| counts > 0).map(|(key, _)| key).collect();
        all.sort_unstable();
        all.dedup();
        let (mut cursor, mut kept) = (level.cursor(), Vec::new());
        for key in all {
            if cursor.contains(key)? {
                kept.push(key);
            }
        }
        Ok(kept)
    };
    let size = limits.part();
    // A state occurs in every part that has a successor of it. The results of a few parts are merged at a time.
    let (mut kept, mut fresh): (Vec<K>, Vec<K>) = (Vec::new(), Vec::new());
    for keys in last.chunks(size.saturating_mul(AT_ONCE)) {
        let parts = parallel::map_chunks(keys, size, before, part)?;
        limits.check_memory_for::<K>(parts.iter().map(Vec::len).sum())?;
        parts.into_iter().for_each(|part| fresh.extend(part));
        if fresh.len() >= kept.len() {
            gather(&mut kept, &mut fresh, limits)?;
        }
    }
    gather(&mut kept, &mut fresh, limits)?;
    kept.shrink_to_fit();
    Ok(kept)
}

/// Merges `fresh` into `kept`, ascending and without duplicates.
fn gather<K: Key>(kept: &mut Vec<K>, fresh: &mut Vec<K>, limits: CountLimits<'_>) -> Result<(), Stopped> {
    fresh.par_sort_unstable();
    fresh.dedup();
    limits.check_memory_for::<K>(kept.len() + fresh.len())?;
    kept.append(fresh);
    kept.par_sort_unstable();
    kept.dedup();
    Ok(())
}

/// f of the classes on the last of these levels. The levels must hold exactly the states on the paths.
pub(crate) fn paths_by_class<K: Key, B: FnMut(K, usize, &mut Before<K>)>(
    on_paths: &[Vec<K>],
    before: impl Fn() -> B + Sync,
    limits: CountLimits<'_>,
) -> Result<Vec<(K, u128)>, Stopped> {
    let mut ways: Vec<(K, u128)> = on_paths[0].iter().map(|&key| (key, 1)).collect();
    for (depth, keys) in on_paths[1..].iter().enumerate() {
        let part = |(before, from): &mut (B, Before<K>), keys: &[K]| -> Result<Vec<(K, u128)>, Stopped> {
            limits.check()?;
            let f = |&key: &K| {
                from.clear();
                before(key, depth, from);
                let terms = from.iter().filter_map(|&(key, counts)| {
                    ways.binary_search_by_key(&key, |&(k, _)| k).ok().map(|at| (ways[at].1, u128::from(counts)))
                });
                Ok((key, sum_of_products(terms)?))
            };
            keys.iter().map(f).collect()
        };
        limits.check_memory_for::<(K, u128)>(keys.len())?;
        let (mut next, size) = (Vec::with_capacity(keys.len()), limits.part());
        for keys in keys.chunks(size.saturating_mul(AT_ONCE)) {
            let parts = parallel::map_chunks(keys, size, || (before(), Vec::new()), part)?;
            parts.into_iter().for_each(|part| next.extend(part));
        }
        ways = next;
    }
    Ok(ways)
}

/// The number of paths of `moves` moves from `start`, by their last state; `after` lists the successors of a state on a
/// level.
///
/// By state, not by class: if a symmetry fixes a path, other symmetries fix the path's images.
pub(crate) fn paths_by_state<S: Copy + Eq + Hash>(
    start: S,
    moves: usize,
    mut after: impl FnMut(S, usize) -> Vec<(S, u8)>,
) -> Result<HashMap<S, u128>, Stopped> {
    let mut paths = HashMap::from([(start, 1)]);
    for depth in 0..moves {
        let mut next = HashMap::new();
        for (&state, &n) in &paths {
            for (moved, counts) in after(state, depth) {
                let sum = next.entry(moved).or_insert(0);
                *sum = sum_of_products([(*sum, 1), (n, u128::from(counts))].into_iter())?;
            }
        }
        paths = next;
    }
    Ok(paths)
}

/// The sum; an error if it exceeds 128 bits.
pub(crate) fn sum(terms: impl IntoIterator<Item = u128>) -> Result<u128, Stopped> {
    terms.into_iter().try_fold(0u128, u128::checked_add).ok_or(Stopped::TooMany)
}

/// The sum of products; an error if it exceeds 128 bits.
pub(crate) fn sum_of_products(mut terms: impl Iterator<Item = (u128, u128)>) -> Result<u128, Stopped> {
    terms.try_fold(0u128, |sum, (a, b)| sum.checked_add(a.checked_mul(b)?)).ok_or(Stopped::TooMany)
}

/// Burnside's lemma: the number of classes, from the number of items that each element of the group fixes.
pub(crate) fn burnside(fixed: &[u128]) -> Result<u128, Stopped> {
    let sum = sum(fixed.iter().copied())?;
    let order = fixed.len() as u128;
    match sum.is_multiple_of(order) {
        true => Ok(sum / order),
        false => Err(Stopped::Contradiction(format!("Burnside's lemma: {sum} over {order} is no whole number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_engine::store::SegmentWriter;

    const SIZES: [u64; 4] = [1, 700, 40_000, 200_000];

    fn levels() -> Vec<Level<u64>> {
        let level = |&size: &u64| {
            let mut writer = SegmentWriter::default();
            (0..size).for_each(|key| writer.push(3 * key));
            [writer.finish()].into_iter().collect()
        };
        SIZES.iter().map(level).collect()
    }

    /// Three states before each, some of which are on no level; the last one counts twice.
    fn before(key: u64, depth: usize, found: &mut Before<u64>) {
        let size = SIZES[depth];
        let mut all = vec![(key / 3 % size * 3, 1), (key * 7 % size, 1), (key % 11 % size * 3 + size / 2 * 3, 2)];
        all.sort_unstable();
        all.dedup_by_key(|(key, _)| *key);
        found.extend(all);
    }

    /// How many states there are on each level, and the ways to those of the last.
    type Summed = (Vec<usize>, Vec<(u64, u128)>);

    fn summed(ends: &[u64], plan: &MemoryPlan) -> Result<Summed, Stopped> {
        let (levels, cancel) = (levels(), CancellationToken::after(None));
        let limits = CountLimits { cancel: &cancel, plan };
        Held::summing(&[&levels], |held| {
            let on_paths = states(&levels, ends.to_vec(), || before, limits, held)?;
            held.check()?;
            let sums = paths_by_class(&on_paths, || before, limits)?;
            Ok((held.sizes.clone(), sums))
        })
    }

    #[test]
    fn sums_are_those_of_walks_written_out() {
        let ends: Vec<u64> = (0..SIZES[3]).step_by(5).map(|key| 3 * key).collect();
        let mut sums: Vec<HashMap<u64, u128>> = vec![HashMap::from([(0, 1)])];
        for depth in 0..3 {
            let keys: Vec<u64> =
                if depth == 2 { ends.clone() } else { (0..SIZES[depth + 1]).map(|key| 3 * key).collect() };
            let sum = |key: u64| -> u128 {
                let mut from = Vec::new();
                before(key, depth, &mut from);
                from.iter().map(|(key, n)| sums[depth].get(key).copied().unwrap_or(0) * u128::from(*n)).sum()
            };
            sums.push(keys.into_iter().map(|key| (key, sum(key))).collect());
        }
        let (sizes, found) = summed(&ends, &MemoryPlan::new(None, 2)).unwrap();
        assert!(sizes[0] == ends.len() && sizes[1..].iter().all(|&size| size > 0), "{sizes:?}");
        assert!(found.len() == ends.len() && found.iter().all(|(key, n)| sums[3][key] == *n));
        assert!(found.iter().any(|&(_, n)| n > 1));
    }

    #[test]
    fn sums_that_memory_is_not_enough_for_say_how_much_would_be() {
        let Err(Stopped::Memory { least, exact }) = summed(&[0, 3], &MemoryPlan::new(Some(1 << 20), 1)) else {
            panic!()
        };
        assert!(least > 1 << 20 && !exact);
        let needs = |sizes: &[usize]| {
            let held = Held { sizes: sizes.to_vec(), ..Held::default() };
            held.least::<u64>(1 << 20, &[&levels()])
        };
        assert!(needs(&[1]) < needs(&[1, 1000]) && needs(&[1, 1000]) < needs(&[1000, 1000]));
        // All states, and the ways to those of the largest level and of the one before it, at least.
        assert!(needs(&[1 << 20, 1 << 20]) > (2 << 20) * 8 + (2 << 20) * 32);
        assert!(Held { partial: true, ..Held::default() }.check().is_err());
    }
}
