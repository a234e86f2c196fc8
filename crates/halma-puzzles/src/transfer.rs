//! The army transfer as the engine sees it: a key is the combinatorial rank of the army, the least over its images
//! under K.

use std::sync::Arc;

use halma_bounds::relaxed::{Filter, FilterWorker};
use halma_bounds::{Army, Bound, Pruner};
use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_rules::cells::Cells;
use halma_rules::moves::{Mover, Pieces};
use halma_rules::problem::{self, Transfer};
use halma_rules::symmetry::Symmetry;
use multiversion::multiversion;

use crate::rank::Ranks;

/// The tables that all searches of one problem share: moves, ranks, and K.
#[derive(Clone, Debug)]
pub struct ProblemTables<const W: usize, K> {
    /// The moves.
    pub mover: Mover<W>,
    /// Ranks of armies.
    pub ranks: Ranks<K>,
    /// K without the identity, as permutations.
    images: Vec<Vec<u8>>,
    /// A number for each cell; the army's sum is reported as its centroid.
    centroid: Vec<i32>,
}

impl<const W: usize, K: Key> ProblemTables<W, K> {
    /// The tables of `problem`; `None` if its board or its armies do not fit `W` and `K`.
    #[must_use]
    pub fn new(problem: &Transfer, fixing: &[Symmetry], centroid: Vec<i32>) -> Option<Self> {
        if problem.lattice.len() > Cells::<W>::CAPACITY {
            return None;
        }
        Some(Self {
            mover: Mover::new(&problem.lattice, problem.jumps_only),
            ranks: Ranks::new(problem.lattice.len(), problem.start.len())?,
            images: fixing[1..].iter().map(|s| s.cells.clone()).collect(),
            centroid,
        })
    }

    /// The key of the class of `army`.
    #[must_use]
    pub fn canonical(&self, army: Cells<W>) -> K {
        let images = self.images.iter().map(|image| self.ranks.rank(army.mapped(image)));
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

    /// The same puzzle with a filter of new states.
    #[must_use]
    pub fn filtered(mut self, filter: Option<Arc<dyn Filter>>) -> Self {
        self.filter = filter;
        self
    }
}

/// One symmetric image of the parent, and the sums from which the rank of a successor follows in constant time.
///
/// Remove the man at place i from c_0 < c_1 < ..., and put one on cell q. Then the men between shift by one place: up
/// if q is lower, down if it is higher. With prefix sums of C(c_j, j + 1), C(c_j, j) and C(c_j, j + 2) the new rank is
/// `removed[i][s] + passed[j][s] + C(q, j + s)`, where j men stand below q, and s = 1 if q is lower than the moving
/// man.
pub struct SymmetricView<const W: usize, K> {
    /// The cells as a set.
    pub set: Cells<W>,
    /// The cells, ascending.
    pub men: Vec<u8>,
    /// By cell: the number of men below it.
    below: [u8; 256],
    removed: Vec<[K; 2]>,
    passed: Vec<[K; 2]>,
}

/// The moving man, in one image.
#[derive(Clone, Copy)]
pub struct MovingMan<K> {
    from: u8,
    removed: [K; 2],
}

/// All cells, for loops that the compiler vectorises.
const CELLS: [u8; 256] = {
    let mut cells = [0; 256];
    let mut c = 0;
    while c < 256 {
        cells[c] = c as u8;
        c += 1;
    }
    cells
};

impl<const W: usize, K: Key> SymmetricView<W, K> {
    /// Space for so many men.
    #[must_use]
    pub fn new(men: usize) -> Self {
        let zeros = || vec![[K::default(); 2]; men + 1];
        Self { set: Cells::EMPTY, men: vec![0; men], below: [0; 256], removed: zeros(), passed: zeros() }
    }

    /// Prepares the sums for the army `self.set`, whose men stand in `self.men`.
    #[inline]
    pub fn prepare(&mut self, ranks: &Ranks<K>) {
        prepare(self, ranks);
    }

    /// The man on `from`.
    #[inline(always)]
    pub fn moving(&self, from: u8) -> MovingMan<K> {
        MovingMan { from, removed: self.removed[usize::from(self.below[usize::from(from)])] }
    }

    /// The rank after the man has gone to `to`.
    #[inline(always)]
    pub fn moved(&self, ranks: &Ranks<K>, MovingMan { from, removed }: MovingMan<K>, to: u8) -> K {
        let (j, lower) = (usize::from(self.below[usize::from(to)]), usize::from(to < from));
        removed[lower].plus(self.passed[j][lower]).plus(ranks.choose(usize::from(to), j + lower))
    }
}

/// [`SymmetricView::prepare`], compiled for several instruction sets; the processor decides which one runs.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn prepare<const W: usize, K: Key>(view: &mut SymmetricView<W, K>, ranks: &Ranks<K>) {
    let SymmetricView { men, below, removed, passed, .. } = view;
    let below = &mut below[..Cells::<W>::CAPACITY.min(256)];
    below.fill(0);
    for &man in &*men {
        below.iter_mut().zip(&CELLS).for_each(|(n, &cell)| *n += u8::from(cell > man));
    }
    let mut whole = K::default();
    // passed[j][0] = sum over the men below of C(c, place - 1) - C(c, place); passed[j][1] of C(c, place) - C(c, place + 1),
    // place counted from 1.
    for (j, &cell) in men.iter().enumerate() {
        let cell = usize::from(cell);
        let here = ranks.choose(cell, j + 1);
        passed[j + 1] = [
            passed[j][0].plus(ranks.choose(cell, j)).minus(here),
            passed[j][1].plus(here).minus(ranks.choose(cell, j + 2)),
        ];
        // Men between the mover and a higher cell move down one place, to a lower cell up one.
        removed[j] = [here.plus(passed[j + 1][0]), here.plus(passed[j][1])];
        whole = whole.plus(here);
    }
    for removed in &mut removed[..men.len()] {
        *removed = removed.map(|gone| whole.minus(gone));
    }
}

/// One thread's scratch space.
pub struct Scratch<const W: usize, K> {
    pieces: Pieces<W>,
    reach: Vec<Cells<W>>,
    identity: SymmetricView<W, K>,
    /// The rank of the army in `identity`.
    at: K,
    images: Vec<SymmetricView<W, K>>,
    pruners: Vec<Box<dyn Pruner<W>>>,
    /// Made when it is first needed.
    filter_worker: Option<Box<dyn FilterWorker>>,
}

impl<const W: usize, K: Key> Puzzle for TransferPuzzle<W, K> {
    type Key = K;
    type Scratch = Scratch<W, K>;

    fn scratch(&self) -> Self::Scratch {
        let men = self.tables.ranks.men();
        Scratch {
            pieces: Pieces::default(),
            reach: vec![Cells::EMPTY; men],
            identity: SymmetricView::new(men),
            at: K::MAX,
            images: self.tables.images.iter().map(|_| SymmetricView::new(men)).collect(),
            pruners: self.bounds.iter().map(|b| b.pruner()).collect(),
            filter_worker: None,
        }
    }

    fn start(&self) -> Vec<K> {
        self.start.iter().map(|&army| self.tables.canonical(army)).collect()
    }

    #[inline]
    fn successors(&self, scratch: &mut Self::Scratch, key: K, depth: u32, emit: &mut impl FnMut(K)) -> u64 {
        let ProblemTables { mover, ranks, images: permutations, .. } = &*self.tables;
        let Scratch { pieces, reach, identity, at, images, pruners, .. } = scratch;
        ranks.unrank_after(key, &mut identity.men, at);
        identity.set = identity.men.iter().map(|&c| usize::from(c)).collect();
        let army = Army { men: &identity.men, set: identity.set };
        if !pruners.iter_mut().all(|pruner| pruner.has_successors(army)) {
            return 0;
        }
        mover.reach(&identity.men, identity.set, pieces, reach);
        let generated = reach.iter().map(|r| r.len() as u64).sum();
        for pruner in pruners {
            pruner.filter(army, depth + 1, reach);
        }
        if reach.iter().all(Cells::is_empty) {
            return generated;
        }
        identity.prepare(ranks);
        for (image, permutation) in images.iter_mut().zip(permutations) {
            image.set = identity.set.mapped(permutation);
            let mut i = 0;
            image.set.for_each(|c| {
                image.men[i] = c as u8;
                i += 1;
            });
            image.prepare(ranks);
        }
        for (&from, targets) in identity.men.iter().zip(reach.iter()) {
            let moving = identity.moving(from);
            let image_of = |permutation: &[u8], cell: u8| permutation[usize::from(cell)];
            match (&images[..], &permutations[..]) {
                ([], _) => targets.for_each(|to| emit(identity.moved(ranks, moving, to as u8))),
                ([image], [permutation]) => {
                    let image_moving = image.moving(image_of(permutation, from));
                    targets.for_each(|to| {
                        let other = image.moved(ranks, image_moving, image_of(permutation, to as u8));
                        emit(identity.moved(ranks, moving, to as u8).min(other));
                    });
                }
                _ => targets.for_each(|to| {
                    let others = images.iter().zip(permutations).map(|(image, permutation)| {
                        image.moved(ranks, image.moving(image_of(permutation, from)), image_of(permutation, to as u8))
                    });
                    emit(others.fold(identity.moved(ranks, moving, to as u8), K::min));
                }),
            }
        }
        generated
    }

    fn is_state(&self, _: &mut Self::Scratch, key: K) -> bool {
        key < self.tables.ranks.count()
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
}
