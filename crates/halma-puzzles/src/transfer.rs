//! The army transfer as the engine sees it: a key is the combinatorial rank of the army, the least over its images
//! under K.

pub mod army_batch;
mod by_thread;
#[cfg(test)]
mod level_tests;
pub mod typed_batch;
#[cfg(test)]
mod whole_level_checks;

use std::any::Any;
use std::sync::{Arc, OnceLock};

use halma_bounds::cells_by_value::CellsByValue;
use halma_bounds::relaxed::{Filter, FilterWorker};
use halma_bounds::{Army, Bound, Pruner};
use halma_engine::batch::{Batches, TakeKeys};
use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_engine::store::{Level, StoreError};
use halma_rules::cells::Cells;
use halma_rules::moves::{ComponentScratch, Mover};
use halma_rules::problem::{self, Transfer};
use halma_rules::symmetry::Symmetry;

use crate::incremental_ranking::{SymmetricView, Views};
use crate::rank::Ranks;
use army_batch::{ConfinedMoves, LastMatrix};
use typed_batch::TypedArmies;

/// Where a level is made as a whole, keys are passed on in lists of at least so many, but for the last.
const KEYS_AT_ONCE: usize = 1 << 12;

/// Passes keys on and removes them, where there are at least so many.
fn pass_on<K>(keys: &mut Vec<K>, least: usize, f: &mut TakeKeys<'_, K>) {
    if keys.len() >= least {
        f(keys);
        keys.clear();
    }
}

/// The parts of a level, as the workers of one kind have made them.
fn parts_of<T: 'static>(parts: Vec<Box<dyn Any + Send>>) -> Vec<T> {
    let own = |part: Box<dyn Any + Send>| *part.downcast().unwrap_or_else(|_| unreachable!("workers make no others"));
    parts.into_iter().map(own).collect()
}

/// The tables that all searches of one problem share: moves, ranks, and K.
#[derive(Clone, Debug)]
pub struct ProblemTables<const W: usize, K> {
    /// The moves.
    pub mover: Mover<W>,
    /// Ranks of armies.
    pub ranks: Ranks<K>,
    /// K without the identity, as permutations.
    permutations: Vec<Vec<u8>>,
    /// Each cell as a set.
    alone: Vec<Cells<W>>,
    /// A number for each cell; the army's sum is reported as its centroid.
    centroid: Vec<i32>,
    /// For each value of that number, the cells of at least that value; `None` if K changes an army's centroid.
    foremost: Option<CellsByValue<W>>,
    /// Moves on some cells alone.
    confined: ConfinedMoves<W>,
    /// Tables for batches of armies.
    matrix: LastMatrix<W, K>,
    /// The problem, where men only jump.
    jumping: Option<Transfer>,
    /// Its armies as products, made when they are first needed; `None` where they are no products.
    typed: OnceLock<Option<Arc<TypedArmies<W>>>>,
}

impl<const W: usize, K: Key> ProblemTables<W, K> {
    /// The tables of `problem`; `None` if its board or its armies do not fit `W` and `K`.
    #[must_use]
    pub fn new(problem: &Transfer, fixing: &[Symmetry], centroid: Vec<i32>) -> Option<Self> {
        if problem.lattice.len() > Cells::<W>::CAPACITY {
            return None;
        }
        let fixed = |s: &Symmetry| (0..centroid.len()).all(|c| centroid[c] == centroid[usize::from(s.cells[c])]);
        let permutations: Vec<Vec<u8>> = fixing[1..].iter().map(|s| s.cells.clone()).collect();
        Some(Self {
            jumping: problem.jumps_only.then(|| problem.clone()),
            typed: OnceLock::new(),
            alone: (0..centroid.len()).map(Cells::of).collect(),
            mover: Mover::new(&problem.lattice, problem.jumps_only),
            ranks: Ranks::new(problem.lattice.len(), problem.start.len())?,
            permutations,
            foremost: fixing.iter().all(fixed).then(|| CellsByValue::new(&centroid)),
            centroid,
            confined: ConfinedMoves::new(&problem.lattice, problem.jumps_only),
            matrix: LastMatrix::default(),
        })
    }

    /// Room for a set of cells and its images under K.
    fn room_for_images(&self) -> Vec<Cells<W>> {
        vec![Cells::EMPTY; 1 + self.permutations.len()]
    }

    /// Writes a set of cells, then its images in the order of `permutations`, to `images`.
    fn write_images(&self, cells: Cells<W>, images: &mut [Cells<W>]) {
        images[0] = cells;
        for (image, permutation) in images[1..].iter_mut().zip(&self.permutations) {
            *image = cells.mapped(permutation);
        }
    }

    /// The key of the class of `army`.
    #[must_use]
    pub fn canonical(&self, army: Cells<W>) -> K {
        let images = self.permutations.iter().map(|permutation| self.ranks.rank(army.mapped(permutation)));
        images.fold(self.ranks.rank(army), K::min)
    }

    /// The army whose rank is `key`.
    #[must_use]
    pub fn army(&self, key: K) -> Cells<W> {
        let mut men = vec![0; self.ranks.men()];
        self.ranks.unrank(key, &mut men);
        men.into_iter().map(usize::from).collect()
    }

    /// Calls `f` with each of these keys and its army; fast if keys ascend in small steps.
    pub fn each_army(&self, keys: &[K], mut f: impl FnMut(K, Army<'_, W>)) {
        let (mut men, mut last) = (vec![0; self.ranks.men()], K::MAX);
        for &key in keys {
            self.ranks.unrank_after(key, &mut men, &mut last);
            f(key, Army { men: &men, set: men.iter().map(|&c| usize::from(c)).collect() });
        }
    }

    /// The set of these cells.
    #[inline(always)]
    fn set(&self, cells: impl Iterator<Item = u8>) -> Cells<W> {
        cells.fold(Cells::EMPTY, |set, cell| set | self.alone[usize::from(cell)])
    }

    /// The sum of the cells' centroids.
    #[must_use]
    pub fn centroid(&self, men: &[u8]) -> i64 {
        men.iter().map(|&c| i64::from(self.centroid[usize::from(c)])).sum()
    }
}

/// A transfer with the bounds of one search.
pub struct TransferPuzzle<const W: usize, K> {
    /// Moves, ranks and K.
    pub tables: Arc<ProblemTables<W, K>>,
    /// The bounds; every one of them must admit a successor.
    pub bounds: Vec<Arc<dyn Bound<W>>>,
    /// The filter of new states.
    pub filter: Option<Arc<dyn Filter>>,
    /// The states at level 0.
    pub start: Vec<Cells<W>>,
}

impl<const W: usize, K: Key> TransferPuzzle<W, K> {
    /// The problem of `tables` from one army, under `bounds`.
    #[must_use]
    pub fn new(tables: &Arc<ProblemTables<W, K>>, start: &[usize], bounds: Vec<Arc<dyn Bound<W>>>) -> Self {
        Self { tables: Arc::clone(tables), bounds, filter: None, start: vec![problem::set(start)] }
    }

    /// The armies as products, if all from the start are.
    fn typed(&self) -> Option<&Arc<TypedArmies<W>>> {
        let ProblemTables { jumping, typed, permutations, centroid, .. } = &*self.tables;
        let made = || Some(Arc::new(TypedArmies::new(jumping.as_ref()?, permutations, centroid)?));
        typed.get_or_init(made).as_ref().filter(|typed| self.start.iter().all(|&army| typed.holds(army)))
    }

    /// The same puzzle with a filter of new states.
    #[must_use]
    pub fn filtered(mut self, filter: Option<Arc<dyn Filter>>) -> Self {
        self.filter = filter;
        self
    }
}

/// One thread's scratch space.
pub struct Scratch<const W: usize, K> {
    components: ComponentScratch<W>,
    reach: Vec<Cells<W>>,
    /// The men who have somewhere to go, and where.
    movers: Vec<(u8, Cells<W>)>,
    identity: SymmetricView<W, K>,
    /// The rank of the army in `identity`.
    at: K,
    images: Vec<SymmetricView<W, K>>,
    pruners: Vec<Box<dyn Pruner<W>>>,
    /// Made when it is first needed.
    filter_worker: Option<Box<dyn FilterWorker>>,
    /// The successor with the largest centroid so far.
    leader: Option<(i64, K)>,
}

/// Calls `emit` with the key of every state that a man of `scratch.identity` makes by going to a cell of his
/// `scratch.reach`.
#[inline(always)]
fn make<const W: usize, K: Key>(tables: &ProblemTables<W, K>, scratch: &mut Scratch<W, K>, emit: &mut impl FnMut(K)) {
    let ProblemTables { ranks, permutations, .. } = tables;
    let Scratch { reach, identity, images, leader, .. } = scratch;
    identity.prepare(ranks);
    for (image, permutation) in images.iter_mut().zip(permutations) {
        image.show(identity.set, permutation, ranks);
    }
    let views = Views { identity, images, permutations };
    let movers = || identity.men.iter().copied().zip(reach.iter().copied());
    for (from, targets) in movers() {
        views.each_after(ranks, from, targets, &mut *emit);
    }
    lead(tables, movers(), identity, leader, |from, to| {
        let mut key = K::MAX;
        views.each_after(ranks, from, Cells::of(to), |k| key = k);
        key
    });
}

/// The same, faster where few successors are left and K has one image.
///
/// Ranks are in the order of sets, so that comparing two sets tells which image has the least rank. Mostly that is the
/// image that the parent's key is of, and then the other is not prepared. Not inlined: then the compiler would no longer
/// inline all of [`make`].
#[inline(never)]
fn make_few<const W: usize, K: Key>(
    tables: &ProblemTables<W, K>,
    scratch: &mut Scratch<W, K>,
    emit: &mut impl FnMut(K),
) {
    let ProblemTables { ranks, permutations, alone, .. } = tables;
    let Scratch { reach, movers, identity, images, leader, .. } = scratch;
    let ([image], [permutation]) = (&mut images[..], &permutations[..]) else {
        // To return would lose all successors.
        unreachable!("K has {} images", images.len());
    };
    movers.clear();
    let men = identity.men.iter().copied().zip(reach.iter().copied());
    movers.extend(men.filter(|(_, targets)| !targets.is_empty()));
    identity.prepare(ranks);
    image.set = tables.set(identity.men.iter().map(|&cell| permutation[usize::from(cell)]));
    let mut prepared = false;
    let mut after = |from: u8, to: usize| {
        let (image_from, image_to) = (permutation[usize::from(from)], permutation[to]);
        let own = identity.set & !alone[usize::from(from)] | alone[to];
        let other = image.set & !alone[usize::from(image_from)] | alone[usize::from(image_to)];
        if own.at_most(&other) {
            return identity.moved(ranks, identity.moving(from), to as u8);
        }
        if !prepared {
            image.prepare_set(ranks);
            prepared = true;
        }
        image.moved(ranks, image.moving(image_from), image_to)
    };
    for &(from, targets) in &*movers {
        targets.for_each(|to| emit(after(from, to)));
    }
    lead(tables, movers.iter().copied(), identity, leader, after);
}

/// Keeps the successor with the largest centroid, whose key `after` tells.
#[inline(always)]
fn lead<const W: usize, K: Key>(
    tables: &ProblemTables<W, K>,
    movers: impl Iterator<Item = (u8, Cells<W>)>,
    identity: &SymmetricView<W, K>,
    leader: &mut Option<(i64, K)>,
    mut after: impl FnMut(u8, usize) -> K,
) {
    let Some(foremost) = &tables.foremost else { return };
    let army = tables.centroid(&identity.men);
    for (from, targets) in movers {
        let rest = army - i64::from(tables.centroid[usize::from(from)]);
        let better = leader.map_or(targets, |(best, _)| targets & foremost.at_least(best + 1 - rest));
        if let Some(to) = better.iter().max_by_key(|&to| tables.centroid[to]) {
            *leader = Some((rest + i64::from(tables.centroid[to]), after(from, to)));
        }
    }
}

impl<const W: usize, K: Key> Puzzle for TransferPuzzle<W, K> {
    type Key = K;
    type Scratch = Scratch<W, K>;

    fn scratch(&self) -> Self::Scratch {
        let men = self.tables.ranks.men();
        Scratch {
            components: ComponentScratch::default(),
            reach: vec![Cells::EMPTY; men],
            movers: Vec::with_capacity(men),
            identity: SymmetricView::new(men),
            at: K::MAX,
            images: self.tables.permutations.iter().map(|_| SymmetricView::new(men)).collect(),
            pruners: self.bounds.iter().map(|b| b.pruner()).collect(),
            filter_worker: None,
            leader: None,
        }
    }

    fn start(&self) -> Vec<K> {
        self.start.iter().map(|&army| self.tables.canonical(army)).collect()
    }

    #[inline]
    fn successors(&self, scratch: &mut Self::Scratch, key: K, depth: u32, emit: &mut impl FnMut(K)) -> u64 {
        let ProblemTables { mover, ranks, .. } = &*self.tables;
        let Scratch { components, reach, identity, at, images, pruners, .. } = scratch;
        ranks.unrank_after(key, &mut identity.men, at);
        identity.set = self.tables.set(identity.men.iter().copied());
        let army = Army { men: &identity.men, set: identity.set };
        if !pruners.iter_mut().all(|pruner| pruner.has_successors(army)) {
            return 0;
        }
        let generated = mover.reach(&identity.men, identity.set, components, reach);
        for pruner in &mut *pruners {
            pruner.filter(army, depth + 1, reach);
        }
        if reach.iter().all(Cells::is_empty) {
            return generated;
        }
        if images.len() == 1 && !pruners.is_empty() {
            make_few(&self.tables, scratch, emit);
        } else {
            make(&self.tables, scratch, emit);
        }
        generated
    }

    fn may_batch(&self) -> bool {
        self.bounds.is_empty() || self.tables.jumping.is_some()
    }

    fn batches(&self, depth: u32, level: &Level<K>) -> Result<Option<Box<dyn Batches<K>>>, StoreError> {
        Ok(match self.bounds.is_empty() {
            true => army_batch::batches(&self.tables, &level.sample()?),
            false => typed_batch::batches(self, depth),
        })
    }

    fn is_state(&self, scratch: &mut Self::Scratch, key: K) -> bool {
        if key >= self.tables.ranks.count() {
            return false;
        }
        // Jumps keep the number of men of each type, and batches rely on that.
        let Some(typed) = self.typed() else { return true };
        self.tables.ranks.unrank_after(key, &mut scratch.identity.men, &mut scratch.at);
        typed.holds(self.tables.set(scratch.identity.men.iter().copied()))
    }

    fn filters(&self, depth: u32) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.applies(depth))
    }

    fn admits(&self, scratch: &mut Self::Scratch, key: K, depth: u32) -> bool {
        let Some(filter) = &self.filter else { return true };
        self.tables.ranks.unrank_after(key, &mut scratch.identity.men, &mut scratch.at);
        scratch.filter_worker.get_or_insert_with(|| filter.worker()).admits(&scratch.identity.men, depth)
    }

    fn measure(&self, scratch: &mut Self::Scratch, key: K) -> Option<i64> {
        self.tables.ranks.unrank_after(key, &mut scratch.identity.men, &mut scratch.at);
        Some(self.tables.centroid(&scratch.identity.men))
    }

    fn leader(&self, scratch: &Self::Scratch) -> Option<(i64, K)> {
        scratch.leader
    }
}
