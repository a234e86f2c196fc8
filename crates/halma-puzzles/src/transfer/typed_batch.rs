//! Many armies expanded together, where men only jump and a pattern database prunes.
//!
//! A jump keeps a man on cells of his type. So an army is a product: of each type it has one of a few sets of cells,
//! and a state is four set numbers. Two of them are the pair number, and the states that share the other two are a
//! group:
//! - The jumps that men allow to men of another type are looked up by set number, and so are the sets that follow.
//! - The rank of a histogram is the sum of four numbers, one for each type. So a successor costs one look-up of its
//!   distance.
//! - Successors are sorted into groups by counting. Within a group the pair numbers are a bitmap, and duplicates are
//!   gone without a comparison.

mod buckets;
mod expand;
mod kind;
mod level_bound;
mod mirrored;
mod product;
mod shared_buckets;
#[cfg(test)]
mod tests;
mod typed_armies;
mod typed_level;

use std::sync::{Arc, RwLock};

use halma_bounds::{Army, Asked, Bound, Pruner};
use halma_engine::batch::{Batch, Batches, Expanded, WholeLevel};
use halma_engine::key::Key;
use multiversion::multiversion;

use super::by_thread::{read, write};
use super::{ProblemTables, TransferPuzzle};
use crate::rank::Ranks;
use buckets::{Buckets, Groups, NumberSet};
use expand::GroupOfStates;
use level_bound::LevelBound;
pub use mirrored::MirroredLevels;
use shared_buckets::SharedBuckets;
pub use typed_armies::TypedArmies;

/// The batches of a level; `None` where armies are no products of a few sets, or where a bound asks for more than
/// histograms and values.
pub fn batches<const W: usize, K: Key>(puzzle: &TransferPuzzle<W, K>, depth: u32) -> Option<Box<dyn Batches<K>>> {
    let typed = puzzle.typed()?;
    // Otherwise the answer of a bound may depend on which image of a state it is asked about.
    puzzle.tables.foremost.as_ref()?;
    let (mut histogram, mut values, mut parent_bounds) = (None, None, Vec::new());
    for bound in &puzzle.bounds {
        match bound.asked() {
            Asked::Nothing => parent_bounds.push(Arc::clone(bound)),
            Asked::Histogram(asked) if histogram.is_none() => histogram = Some(asked),
            Asked::Values(asked) if values.is_none() => values = Some(asked),
            Asked::Histogram(_) | Asked::Values(_) | Asked::Move => return None,
        }
    }
    let level_bound = Arc::new(LevelBound::new(typed, histogram?, values, depth + 1)?);
    let (tables, typed) = (Arc::clone(&puzzle.tables), Arc::clone(typed));
    let made = Arc::new(SharedBuckets::new(typed.product.kinds[0].len()));
    Some(Box::new(TypedBatches { tables, typed, level_bound, parent_bounds, made }))
}

/// What all batches of a level share.
#[derive(Clone)]
struct TypedBatches<const W: usize, K> {
    tables: Arc<ProblemTables<W, K>>,
    typed: Arc<TypedArmies<W>>,
    level_bound: Arc<LevelBound>,
    /// The bounds that ask only whether anything can follow from a state.
    parent_bounds: Vec<Arc<dyn Bound<W>>>,
    /// The successors of all threads.
    made: Arc<SharedBuckets>,
}

impl<const W: usize, K: Key> TypedBatches<W, K> {
    /// The working parts of `parent_bounds`, for one thread.
    fn pruners(&self) -> Vec<Box<dyn Pruner<W>>> {
        self.parent_bounds.iter().map(|bound| bound.pruner()).collect()
    }
}

impl<const W: usize, K: Key> Batches<K> for TypedBatches<W, K> {
    fn batch(&self) -> Box<dyn Batch<K>> {
        let [first, second, ..] = &self.typed.product.kinds;
        Box::new(TypedBatch {
            batches: self.clone(),
            pruners: self.pruners(),
            unranked: vec![0; self.tables.ranks.men()],
            last: K::MAX,
            waiting: Buckets::new(first.len()),
            waiting_groups: Groups::new(second.len()),
            cut: 0,
            own: self.made.of_thread(),
            made_groups: Groups::new(second.len()),
            pair_set: NumberSet::new(self.typed.product.pairs()),
            pairs: Vec::new(),
            keys: Vec::new(),
            men: vec![0; self.tables.ranks.men()],
            leader: None,
        })
    }

    fn have_successors(&self) -> bool {
        self.made.are_left()
    }

    fn clear(&self) {
        self.made.clear();
    }

    fn whole_level(self: Box<Self>) -> Option<Box<dyn WholeLevel<K>>> {
        Some(self)
    }
}

/// A batch of armies; see the module.
struct TypedBatch<const W: usize, K> {
    batches: TypedBatches<W, K>,
    pruners: Vec<Box<dyn Pruner<W>>>,
    unranked: Vec<u8>,
    last: K,
    /// The states to expand.
    waiting: Buckets,
    waiting_groups: Groups,
    /// States that were added and from which nothing can follow, since the last call of [`Batch::expand`].
    cut: u64,
    /// The successors that this thread has made, with repetitions.
    own: Arc<RwLock<Buckets>>,
    made_groups: Groups,
    /// The pair numbers of the group that is emitted, as a set and as a list.
    pair_set: NumberSet,
    pairs: Vec<u16>,
    keys: Vec<K>,
    /// The men of the state whose key is made.
    men: Vec<u8>,
    leader: Option<(i64, K)>,
}

impl<const W: usize, K: Key> Batch<K> for TypedBatch<W, K> {
    fn add(&mut self, keys: &[K]) {
        let Self { batches: TypedBatches { tables, typed, .. }, pruners, unranked, last, waiting, cut, .. } = self;
        for &key in keys {
            tables.ranks.unrank_after(key, unranked, last);
            if !pruners.is_empty() {
                let army = Army { men: unranked, set: tables.set(unranked.iter().copied()) };
                if !pruners.iter_mut().all(|pruner| pruner.has_successors(army)) {
                    *cut += 1;
                    continue;
                }
            }
            waiting.push(typed.product.least(&typed.sets(unranked)));
        }
    }

    fn waits(&self) -> bool {
        self.cut > 0 || self.waiting.len() > 0 || !self.waiting_groups.are_taken()
    }

    fn bytes_waiting(&self) -> usize {
        self.waiting.bytes() + self.waiting_groups.bytes()
    }

    fn bytes_made(&self) -> usize {
        read(&self.own).bytes()
    }

    fn expand(&mut self, bytes: usize) -> Expanded {
        let Self { batches: TypedBatches { typed, level_bound, .. }, waiting, waiting_groups, own, .. } = self;
        let mut all = Expanded { states: std::mem::take(&mut self.cut), ..Expanded::default() };
        let mut own = write(own);
        let before = own.len();
        while (all.states == 0 || own.bytes() < bytes)
            && let Some((first, second, pairs)) = waiting_groups.take(waiting)
        {
            all.states += pairs.len() as u64;
            all.generated += expand::expand(&typed.product, level_bound, (first, second, pairs), &mut own);
        }
        all.emitted = (own.len() - before) as u64;
        all
    }

    fn emit(&mut self, wanted: usize, emit: &mut dyn FnMut(&[K])) -> usize {
        let Self { batches, made_groups, pair_set, pairs, keys, men, leader, .. } = self;
        let TypedBatches { tables, typed, made, .. } = &*batches;
        let mut emitted = 0;
        made.take(made_groups, |(first, second, group)| {
            group.iter().for_each(|&pair| pair_set.add(pair));
            pairs.clear();
            pair_set.drain(|pair| pairs.push(pair));
            keys.clear();
            let best = rank_group(&tables.ranks, typed, (first, second, pairs), (keys, men));
            if let Some((centroid, place)) = best
                && leader.is_none_or(|(largest, _)| centroid > largest)
            {
                *leader = Some((centroid, keys[place]));
            }
            emitted += keys.len();
            emit(keys);
            emitted < wanted
        });
        emitted
    }

    fn leader(&self) -> Option<(i64, K)> {
        self.leader
    }
}

/// Appends the keys of a group's states to `keys`; `men` is scratch space. Returns the largest centroid, and the
/// place of a key that has it. Compiled for several instruction sets; the processor decides which one runs.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn rank_group<const W: usize, K: Key>(
    ranks: &Ranks<K>,
    typed: &TypedArmies<W>,
    (first, second, pairs): GroupOfStates<'_>,
    (keys, men): (&mut Vec<K>, &mut [u8]),
) -> Option<(i64, usize)> {
    let mut best: Option<(i64, usize)> = None;
    let group = typed.group(first, second);
    for &pair in pairs {
        let (army, centroid) = typed.least(&group, pair);
        if best.is_none_or(|(largest, _)| centroid > largest) {
            best = Some((centroid, keys.len()));
        }
        army.write(men);
        let mut rank = K::default();
        for (j, &cell) in men.iter().enumerate() {
            rank = rank.plus(ranks.choose(usize::from(cell), j + 1));
        }
        keys.push(rank);
    }
    best
}
