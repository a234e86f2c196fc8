//! Whole levels as groups of products: a level is expanded from them, and new states are told from old ones by bitmaps of a
//! group. Keys are made only for the digests.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, RwLock};

use halma_bounds::{Army, Pruner};
use halma_engine::batch::{Expanded, LevelWorker, NewStates, TakeKeys, WholeLevel};
use halma_engine::key::Key;
use halma_engine::store::layout::Layout;

use super::buckets::{Buckets, Groups, NumberSet};
use super::expand::{self, GroupOfStates};
use super::typed_armies::TypedArmies;
use super::{TypedBatches, rank_group};
use crate::transfer::by_thread::{read, write};
use crate::transfer::{KEYS_AT_ONCE, ProblemTables, parts_of, pass_on};

/// The states that have one first number.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// The second numbers, ascending, and where the pair numbers of each end.
    pub(super) groups: Vec<(u16, u32)>,
    /// The pair numbers, group by group, those of a group ascending.
    pub(super) pairs: Vec<u16>,
}

impl Part {
    /// Adds the group of these pair numbers, which comes after the others, unless it is empty. Returns its pair numbers.
    fn push(&mut self, second: usize, pairs: &mut NumberSet) -> &[u16] {
        let before = self.pairs.len();
        pairs.drain(|pair| self.pairs.push(pair));
        if self.pairs.len() > before {
            self.groups.push((second as u16, self.pairs.len() as u32));
        }
        &self.pairs[before..]
    }

    /// The pair numbers of the group with this second number, ascending.
    pub(super) fn group(&self, second: usize) -> &[u16] {
        match self.groups.binary_search_by_key(&second, |&(other, _)| usize::from(other)) {
            Ok(place) => {
                let start = place.checked_sub(1).map_or(0, |before| self.groups[before].1);
                &self.pairs[start as usize..self.groups[place].1 as usize]
            }
            Err(_) => &[],
        }
    }

    /// The groups: second number and pair numbers.
    pub(super) fn groups(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let starts = [0].into_iter().chain(self.groups.iter().map(|&(_, end)| end));
        starts
            .zip(&self.groups)
            .map(|(start, &(second, end))| (usize::from(second), &self.pairs[start as usize..end as usize]))
    }
}

/// A level as groups.
pub(super) struct TypedLevel<const W: usize, K> {
    pub(super) tables: Arc<ProblemTables<W, K>>,
    pub(super) typed: Arc<TypedArmies<W>>,
    /// By first number.
    pub(super) parts: Vec<Part>,
}

impl<const W: usize, K: Key> TypedLevel<W, K> {
    /// The layout as one of groups, if it is one of this problem.
    pub(super) fn of<'l>(layout: &'l dyn Layout<K>, typed: &Arc<TypedArmies<W>>) -> Option<&'l Self> {
        let layout: &dyn Any = layout;
        layout.downcast_ref::<Self>().filter(|level| Arc::ptr_eq(&level.typed, typed))
    }
}

impl<const W: usize, K> fmt::Debug for TypedLevel<W, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedLevel")
    }
}

impl<const W: usize, K: Key> Layout<K> for TypedLevel<W, K> {
    fn bytes(&self) -> u64 {
        let bytes = |part: &Part| {
            size_of::<Part>() + part.groups.capacity() * size_of::<(u16, u32)>() + part.pairs.capacity() * 2
        };
        self.parts.iter().map(|part| bytes(part) as u64).sum()
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn keys(&self, part: usize, keys: &mut Vec<K>) {
        let mut men = vec![0; self.tables.ranks.men()];
        for (second, pairs) in self.parts[part].groups() {
            rank_group(&self.tables.ranks, &self.typed, (part, second, pairs), (keys, &mut men));
        }
    }

    fn has(&self, key: K) -> bool {
        let army = self.tables.army(key);
        let men: Vec<u8> = army.iter().map(|cell| cell as u8).collect();
        self.typed.holds(army) && {
            let (first, rest) = self.typed.product.least(&self.typed.sets(&men));
            self.parts[first].group((rest >> 16) as usize).binary_search(&(rest as u16)).is_ok()
        }
    }
}

impl<const W: usize, K: Key> TypedBatches<W, K> {
    /// The layout as one of groups. It is one of this problem: [`WholeLevel::takes`] was asked.
    fn as_groups<'l>(&self, layout: &'l dyn Layout<K>) -> &'l TypedLevel<W, K> {
        // To go on without it would lose states, or take old ones for new ones.
        TypedLevel::of(layout, &self.typed).unwrap_or_else(|| unreachable!("{layout:?} is of another problem"))
    }

    /// The numbers of groups, and of pairs.
    fn counts(&self) -> (usize, usize) {
        (self.typed.product.kinds[1].len(), self.typed.product.pairs())
    }
}

impl<const W: usize, K: Key> WholeLevel<K> for TypedBatches<W, K> {
    fn takes(&self, layout: &dyn Layout<K>) -> bool {
        TypedLevel::of(layout, &self.typed).is_some()
    }

    fn worker(&self) -> Box<dyn LevelWorker<K>> {
        let (seconds, pairs) = self.counts();
        Box::new(Worker {
            batches: self.clone(),
            pruners: self.pruners(),
            own: None,
            groups: Groups::new(seconds),
            pair_set: NumberSet::new(pairs),
            kept: Vec::new(),
            keys: Vec::new(),
            men: vec![0; self.tables.ranks.men()],
        })
    }

    fn parts(&self) -> usize {
        self.typed.product.kinds[0].len()
    }

    fn level(&self, parts: Vec<Box<dyn Any + Send>>) -> Arc<dyn Layout<K>> {
        self.made.forget();
        let parts: Vec<Part> = parts_of(parts);
        assert_eq!(parts.len(), WholeLevel::parts(self), "a part for each first number");
        Arc::new(TypedLevel { tables: Arc::clone(&self.tables), typed: Arc::clone(&self.typed), parts })
    }
}

/// One thread of a [`WholeLevel`].
struct Worker<const W: usize, K> {
    batches: TypedBatches<W, K>,
    pruners: Vec<Box<dyn Pruner<W>>>,
    /// What this thread has added. None where it only makes parts.
    own: Option<Arc<RwLock<Buckets>>>,
    groups: Groups,
    /// The pair numbers of the group that is made.
    pair_set: NumberSet,
    /// The pair numbers of the states that are expanded.
    kept: Vec<u16>,
    keys: Vec<K>,
    men: Vec<u8>,
}

impl<const W: usize, K: Key> LevelWorker<K> for Worker<W, K> {
    fn add(&mut self, keys: &[K]) {
        let Self { batches: TypedBatches { tables, typed, made, .. }, own, .. } = self;
        let mut own = write(own.get_or_insert_with(|| made.of_thread()));
        tables.each_army(keys, |_, army| own.push(typed.product.least(&typed.sets(army.men))));
    }

    fn expand(&mut self, before: &dyn Layout<K>, part: usize, bytes: usize) -> Expanded {
        let Self { batches, pruners, own, kept, men, .. } = self;
        let TypedBatches { typed, level_bound, made, .. } = &*batches;
        let level = batches.as_groups(before);
        let mut own = write(own.get_or_insert_with(|| made.of_thread()));
        let (mut all, made_before) = (Expanded::default(), own.len());
        for (second, mut pairs) in level.parts[part].groups() {
            if own.bytes() > bytes {
                break;
            }
            all.states += pairs.len() as u64;
            if !pruners.is_empty() {
                keep_expandable(typed, pruners, (part, second, pairs), (kept, men));
                pairs = kept;
            }
            all.generated += expand::expand(&typed.product, level_bound, (part, second, pairs), &mut own);
        }
        all.emitted = (own.len() - made_before) as u64;
        all
    }

    fn bytes(&self) -> usize {
        self.own.as_ref().map_or(0, |own| read(own).bytes())
    }

    fn new_states(&mut self, part: usize, before: &[&dyn Layout<K>], mut f: Option<&mut TakeKeys<'_, K>>) -> NewStates {
        let Self { batches, groups, pair_set, keys, men, .. } = self;
        let TypedBatches { tables, typed, made, .. } = &*batches;
        let mut before: Vec<_> =
            before.iter().map(|layout| batches.as_groups(*layout).parts[part].groups().peekable()).collect();
        let (mut new, mut old, mut measure_max) = (Part::default(), 0, None);
        made.sort(part, groups);
        while let Some((_, second, pairs)) = groups.next() {
            pairs.iter().for_each(|&pair| pair_set.add(pair));
            for level in &mut before {
                while level.next_if(|&(other, _)| other < second).is_some() {}
                if let Some((_, pairs)) = level.next_if(|&(other, _)| other == second) {
                    old += pairs.iter().map(|&pair| u64::from(pair_set.remove(pair))).sum::<u64>();
                }
            }
            let pairs = new.push(second, pair_set);
            let Some(f) = &mut f else { continue };
            let best = rank_group(&tables.ranks, typed, (part, second, pairs), (keys, men));
            measure_max = measure_max.max(best.map(|(centroid, _)| centroid));
            pass_on(keys, KEYS_AT_ONCE, f);
        }
        if let Some(f) = f {
            pass_on(keys, 1, f);
        }
        groups.shrink();
        new.groups.shrink_to_fit();
        new.pairs.shrink_to_fit();
        NewStates { len: new.pairs.len() as u64, states: Box::new(new), old, measure_max }
    }
}

/// Writes the pair numbers of those states of a group to `kept` from which anything can follow; `men` is scratch space.
fn keep_expandable<const W: usize>(
    typed: &TypedArmies<W>,
    pruners: &mut [Box<dyn Pruner<W>>],
    (first, second, pairs): GroupOfStates<'_>,
    (kept, men): (&mut Vec<u16>, &mut [u8]),
) {
    let group = typed.group(first, second);
    kept.clear();
    kept.extend(pairs.iter().copied().filter(|&pair| {
        let (set, _) = typed.least(&group, pair);
        set.write(men);
        pruners.iter_mut().all(|pruner| pruner.has_successors(Army { men, set }))
    }));
}
