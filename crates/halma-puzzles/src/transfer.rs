//! The army transfer as the level search sees it: a key is the binomial rank of the army, the least of its images
//! under K.

use std::sync::Arc;

use halma_bounds::relaxed::{Filter, Sifter};
use halma_bounds::{Army, Bound, Pruner};
use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_rules::cells::Cells;
use halma_rules::moves::{Mover, Pieces};
use halma_rules::problem::{self, Transfer};
use halma_rules::symmetry::Symmetry;

use crate::incremental_ranking::{SymmetricView, Views};
use crate::rank::Ranks;

/// What all searches of one problem share: moves, ranks, and K.
#[derive(Clone, Debug)]
pub struct ProblemTables<const W: usize, K> {
    /// The moves.
    pub mover: Mover<W>,
    /// Ranks of armies.
    pub ranks: Ranks<K>,
    /// K without the identity, as permutations.
    images: Vec<Vec<u8>>,
    /// A number for each cell whose sum over the army is reported as its centroid.
    centroid: Vec<i32>,
}

impl<const W: usize, K: Key> ProblemTables<W, K> {
    /// The ground of `problem`; `None` where its board or its armies do not fit `W` and `K`.
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

    /// Calls `f` with each of these keys and its army; one that is a little larger than the one before comes about quickly.
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
    /// What cuts successors; all of them must admit one.
    pub bounds: Vec<Arc<dyn Bound<W>>>,
    /// What drops new states.
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

    /// The same, with a filter of new states.
    #[must_use]
    pub fn sifted(mut self, filter: Option<Arc<dyn Filter>>) -> Self {
        self.filter = filter;
        self
    }
}

/// One thread's scratch space.
pub struct Scratch<const W: usize, K> {
    pieces: Pieces<W>,
    reach: Vec<Cells<W>>,
    upright: SymmetricView<W, K>,
    /// The rank of the army in `upright`.
    at: K,
    images: Vec<SymmetricView<W, K>>,
    pruners: Vec<Box<dyn Pruner<W>>>,
    /// Made when it is first asked.
    sifter: Option<Box<dyn Sifter>>,
}

impl<const W: usize, K: Key> Puzzle for TransferPuzzle<W, K> {
    type Key = K;
    type Scratch = Scratch<W, K>;

    fn scratch(&self) -> Self::Scratch {
        let men = self.tables.ranks.men();
        Scratch {
            pieces: Pieces::default(),
            reach: vec![Cells::EMPTY; men],
            upright: SymmetricView::new(men),
            at: K::MAX,
            images: self.tables.images.iter().map(|_| SymmetricView::new(men)).collect(),
            pruners: self.bounds.iter().map(|b| b.pruner()).collect(),
            sifter: None,
        }
    }

    fn start(&self) -> Vec<K> {
        self.start.iter().map(|&army| self.tables.canonical(army)).collect()
    }

    #[inline]
    fn successors(&self, scratch: &mut Self::Scratch, key: K, depth: u32, emit: &mut impl FnMut(K)) -> u64 {
        let ProblemTables { mover, ranks, images: permutations, .. } = &*self.tables;
        let Scratch { pieces, reach, upright, at, images, pruners, .. } = scratch;
        ranks.unrank_after(key, &mut upright.men, at);
        upright.set = upright.men.iter().map(|&c| usize::from(c)).collect();
        let army = Army { men: &upright.men, set: upright.set };
        if !pruners.iter_mut().all(|pruner| pruner.has_successors(army)) {
            return 0;
        }
        mover.reach(&upright.men, upright.set, pieces, reach);
        let generated = reach.iter().map(|r| r.len() as u64).sum();
        for pruner in pruners {
            pruner.filter(army, depth + 1, reach);
        }
        if reach.iter().all(Cells::is_empty) {
            return generated;
        }
        upright.prepare(ranks);
        for (image, permutation) in images.iter_mut().zip(permutations) {
            image.show(upright.set, permutation, ranks);
        }
        let views = Views { upright, images, permutations };
        for (&from, &targets) in upright.men.iter().zip(reach.iter()) {
            views.each_after(ranks, from, targets, &mut *emit);
        }
        generated
    }

    fn is_state(&self, _: &mut Self::Scratch, key: K) -> bool {
        key < self.tables.ranks.count()
    }

    fn sifts(&self, depth: u32) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.asks(depth))
    }

    fn admits(&self, scratch: &mut Self::Scratch, key: K, depth: u32) -> bool {
        let Some(filter) = &self.filter else { return true };
        self.tables.ranks.unrank_after(key, &mut scratch.upright.men, &mut scratch.at);
        scratch.sifter.get_or_insert_with(|| filter.sifter()).admits(&scratch.upright.men, depth)
    }

    fn measure(&self, scratch: &mut Self::Scratch, key: K) -> Option<i64> {
        self.tables.ranks.unrank_after(key, &mut scratch.upright.men, &mut scratch.at);
        Some(self.tables.centroid(&scratch.upright.men))
    }
}
