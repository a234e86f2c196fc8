//! Walks through levels: the states on those that end where they should, and in how many ways each is come to.
//!
//! Let f(X) be the number of walks from the start to X. K keeps the start, so f(kX) = f(X), and one number for each class
//! will do: f(X) is the sum of f over the states that one move leads from to X, taken of one member X of each class.
//!
//! What comes before a state is told by closures that `before` makes, one for each thread: given a key and the level
//! before its own, they list the key of every state there that a move leads from, once for each such state, and beside
//! it how many times walks through this move count.

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;

use crate::budget::plan::MemoryPlan;
use crate::key::Key;
use crate::search::{Stop, Stopped};
use crate::store::{Level, StoreError};

/// A state before another one, and how many times walks through both count.
pub(crate) type Before<K> = Vec<(K, u8)>;

/// How many states are taken back at a time, where memory is enough.
const PART: usize = 1 << 16;

/// Bytes for each state that is taken back: the hundred states around it.
const AROUND: u64 = 4 << 10;

/// What sums may use, and when they are to stop.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub(crate) stop: &'a Stop,
    pub(crate) plan: &'a MemoryPlan,
}

impl Means<'_> {
    fn part(self) -> usize {
        self.plan.room().batch(AROUND, PART)
    }

    /// Whether to go on. All states of the solutions are held in memory, which may not be enough.
    fn check(self) -> Result<(), Stopped> {
        self.stop.check()?;
        if self.plan.is_exceeded(0) { Err(Stopped::Memory) } else { Ok(()) }
    }

    /// The same, where `entries` more are to be held.
    fn check_for<T>(self, entries: usize) -> Result<(), Stopped> {
        if self.plan.is_exceeded((entries * size_of::<T>()) as u64) { Err(Stopped::Memory) } else { Ok(()) }
    }
}

/// The classes on each level from which walks end in `ends`, ascending.
pub(crate) fn states<K: Key, B: FnMut(K, usize, &mut Before<K>)>(
    levels: &[Level<K>],
    ends: Vec<K>,
    before: impl Fn() -> B + Sync,
    means: Means<'_>,
) -> Result<Vec<Vec<K>>, Stopped> {
    let mut found = vec![ends];
    for (depth, level) in levels[..levels.len() - 1].iter().enumerate().rev() {
        // In parts, because every state has dozens of neighbours, few of which are on the level.
        let part = |before: &mut B, keys: &[K]| -> Result<Vec<K>, Stopped> {
            means.check()?;
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
        let last = &found[found.len() - 1];
        let parts = last.par_chunks(means.part()).map_init(&before, part).collect::<Result<Vec<_>, Stopped>>()?;
        means.check_for::<K>(parts.iter().map(Vec::len).sum())?;
        let mut kept = parts.concat();
        kept.par_sort_unstable();
        kept.dedup();
        // Every state came once for each part that it is next to.
        kept.shrink_to_fit();
        found.push(kept);
    }
    found.reverse();
    Ok(found)
}

/// f of the classes on the last of these levels, which hold those and only those that come before these.
pub(crate) fn ways<K: Key, B: FnMut(K, usize, &mut Before<K>)>(
    on_walks: &[Vec<K>],
    before: impl Fn() -> B + Sync,
    means: Means<'_>,
) -> Result<Vec<(K, u128)>, Stopped> {
    let mut ways: Vec<(K, u128)> = on_walks[0].iter().map(|&key| (key, 1)).collect();
    for (depth, keys) in on_walks[1..].iter().enumerate() {
        let part = |(before, from): &mut (B, Before<K>), keys: &[K]| -> Result<Vec<(K, u128)>, Stopped> {
            means.check()?;
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
        means.check_for::<(K, u128)>(2 * keys.len())?;
        let parts = keys.par_chunks(means.part()).map_init(|| (before(), Vec::new()), part);
        ways = parts.collect::<Result<Vec<_>, Stopped>>()?.concat();
    }
    Ok(ways)
}

/// The walks from `start` through so many levels, by where they end; `after` lists the states after one on a level.
///
/// By state, not by class: for walks that a symmetry fixes, another member of a class is fixed by another symmetry.
pub(crate) fn walks<S: Copy + Eq + Hash>(
    start: S,
    moves: usize,
    after: impl Fn(S, usize) -> Vec<(S, u8)>,
) -> Result<HashMap<S, u128>, Stopped> {
    let mut walks = HashMap::from([(start, 1)]);
    for depth in 0..moves {
        let mut next = HashMap::new();
        for (&state, &n) in &walks {
            for (moved, counts) in after(state, depth) {
                let sum = next.entry(moved).or_insert(0);
                *sum = sum_of_products([(*sum, 1), (n, u128::from(counts))].into_iter())?;
            }
        }
        walks = next;
    }
    Ok(walks)
}

/// The sum, unless it is too large a number.
pub(crate) fn sum_of_products(mut terms: impl Iterator<Item = (u128, u128)>) -> Result<u128, Stopped> {
    terms.try_fold(0u128, |sum, (a, b)| sum.checked_add(a.checked_mul(b)?)).ok_or(Stopped::TooMany)
}

/// All keys of a level that `wanted` wants, ascending.
pub(crate) fn filtered<K: Key>(level: &Level<K>, wanted: impl Fn(K) -> bool + Sync) -> Result<Vec<K>, StoreError> {
    let block = |number: usize| -> Result<Vec<K>, StoreError> {
        let mut keys = Vec::new();
        level.read_block(number, &mut keys)?;
        keys.retain(|&key| wanted(key));
        Ok(keys)
    };
    Ok((0..level.blocks()).into_par_iter().map(block).collect::<Result<Vec<_>, _>>()?.concat())
}
