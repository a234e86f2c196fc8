//! The army transfer as the level search sees it: a key is the binomial rank of the army, the least of its images
//! under K.

use std::sync::Arc;

use crate::bound::{Bound, Judge};
use crate::cells::Cells;
use crate::key::Key;
use crate::moves::{Mover, Pieces};
use crate::problem::{self, Transfer};
use crate::puzzle::Puzzle;
use crate::rank::Ranks;
use crate::symmetry::Symmetry;

/// An army: its cells, ascending, and the same as a set.
#[derive(Clone, Copy, Debug)]
pub struct Army<'a, const W: usize> {
    /// The cells, ascending.
    pub men: &'a [u8],
    /// The cells.
    pub set: Cells<W>,
}

/// What all searches of one problem share: moves, ranks, and K.
#[derive(Clone, Debug)]
pub struct Ground<const W: usize, K> {
    /// The moves.
    pub mover: Mover<W>,
    /// Ranks of armies.
    pub ranks: Ranks<K>,
    /// K without the identity, as permutations.
    images: Vec<Vec<u8>>,
    /// A number for each cell whose sum over the army is reported as its centroid.
    centroid: Vec<i32>,
}

impl<const W: usize, K: Key> Ground<W, K> {
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

    /// The sum of the cells' centroids.
    #[must_use]
    pub fn centroid(&self, men: &[u8]) -> i64 {
        men.iter().map(|&c| i64::from(self.centroid[usize::from(c)])).sum()
    }
}

/// A transfer with the bounds of one search.
pub struct TransferPuzzle<const W: usize, K> {
    /// Moves, ranks and K.
    pub ground: Arc<Ground<W, K>>,
    /// What cuts successors; all of them must admit one.
    pub bounds: Vec<Arc<dyn Bound<W>>>,
    /// The states at level 0.
    pub start: Vec<Cells<W>>,
}

impl<const W: usize, K: Key> TransferPuzzle<W, K> {
    /// The problem of `ground` from one army, under `bounds`.
    #[must_use]
    pub fn new(ground: &Arc<Ground<W, K>>, start: &[usize], bounds: Vec<Arc<dyn Bound<W>>>) -> Self {
        Self { ground: Arc::clone(ground), bounds, start: vec![problem::set(start)] }
    }
}

/// One orientation of the parent: how the rank of a successor comes about from the mover and his new cell.
///
/// Taking the man at place i out of c_0 < c_1 < ... and putting one on cell q shifts the men between by one place: up
/// if q is lower, down if it is higher. With the prefix sums of C(c_j, j + 1), C(c_j, j) and C(c_j, j + 2) the new rank
/// is `removed[s][i] + passed[s][j] + C(q, j + s)`, where j men stand below q and s = 1 if q is lower than the mover.
pub(crate) struct Orientation<const W: usize, K> {
    pub(crate) set: Cells<W>,
    pub(crate) men: Vec<u8>,
    removed: [Vec<K>; 2],
    passed: [Vec<K>; 2],
}

impl<const W: usize, K: Key> Orientation<W, K> {
    pub(crate) fn new(men: usize) -> Self {
        let zeros = || vec![K::default(); men + 1];
        Self { set: Cells::EMPTY, men: vec![0; men], removed: [zeros(), zeros()], passed: [zeros(), zeros()] }
    }

    /// Prepares the sums for the army `self.set`, whose men stand in `self.men`.
    #[inline]
    pub(crate) fn prepare(&mut self, ranks: &Ranks<K>) {
        let k = self.men.len();
        let mut whole = K::default();
        // passed[0][j] = sum over the men below of C(c, place - 1) - C(c, place); passed[1][j] of C(c, place) - C(c, place + 1),
        // place counted from 1.
        for (j, &cell) in self.men.iter().enumerate() {
            let cell = usize::from(cell);
            let here = ranks.choose(cell, j + 1);
            self.passed[0][j + 1] = self.passed[0][j].plus(ranks.choose(cell, j)).minus(here);
            self.passed[1][j + 1] = self.passed[1][j].plus(here).minus(ranks.choose(cell, j + 2));
            whole = whole.plus(here);
        }
        for i in 0..k {
            let cell = usize::from(self.men[i]);
            // Men between the mover and a higher cell move down one place, to a lower cell up one.
            self.removed[0][i] = whole.minus(ranks.choose(cell, i + 1)).minus(self.passed[0][i + 1]);
            self.removed[1][i] = whole.minus(ranks.choose(cell, i + 1)).minus(self.passed[1][i]);
        }
    }

    /// The rank after the man at place `i`, on cell `from`, has gone to `to`.
    #[inline(always)]
    pub(crate) fn moved(&self, ranks: &Ranks<K>, i: usize, from: usize, to: usize) -> K {
        let (j, lower) = (self.set.below(to), usize::from(to < from));
        self.removed[lower][i].plus(self.passed[lower][j]).plus(ranks.choose(to, j + lower))
    }
}

/// One thread's scratch space.
pub struct Scratch<const W: usize, K> {
    pieces: Pieces<W>,
    reach: Vec<Cells<W>>,
    upright: Orientation<W, K>,
    /// The rank of the army in `upright`.
    at: K,
    images: Vec<Orientation<W, K>>,
    judges: Vec<Box<dyn Judge<W>>>,
}

impl<const W: usize, K: Key> Puzzle for TransferPuzzle<W, K> {
    type Key = K;
    type Scratch = Scratch<W, K>;

    fn scratch(&self) -> Self::Scratch {
        let men = self.ground.ranks.men();
        Scratch {
            pieces: Pieces::default(),
            reach: vec![Cells::EMPTY; men],
            upright: Orientation::new(men),
            at: K::MAX,
            images: self.ground.images.iter().map(|_| Orientation::new(men)).collect(),
            judges: self.bounds.iter().map(|b| b.judge()).collect(),
        }
    }

    fn start(&self) -> Vec<K> {
        self.start.iter().map(|&army| self.ground.canonical(army)).collect()
    }

    #[inline]
    fn successors(&self, scratch: &mut Self::Scratch, key: K, depth: u32, emit: &mut impl FnMut(K)) -> u64 {
        let Ground { mover, ranks, images: permutations, .. } = &*self.ground;
        let Scratch { pieces, reach, upright, at, images, judges } = scratch;
        ranks.unrank_after(key, &mut upright.men, at);
        upright.set = upright.men.iter().map(|&c| usize::from(c)).collect();
        mover.reach(&upright.men, upright.set, pieces, reach);
        let generated = reach.iter().map(|r| r.len() as u64).sum();
        for judge in judges {
            judge.restrict(Army { men: &upright.men, set: upright.set }, depth + 1, reach);
        }
        if reach.iter().all(Cells::is_empty) {
            return generated;
        }
        upright.prepare(ranks);
        for (image, permutation) in images.iter_mut().zip(permutations) {
            image.set = upright.set.mapped(permutation);
            let mut i = 0;
            image.set.for_each(|c| {
                image.men[i] = c as u8;
                i += 1;
            });
            image.prepare(ranks);
        }
        for (i, (&from, targets)) in upright.men.iter().zip(reach.iter()).enumerate() {
            let from = usize::from(from);
            match (&images[..], &permutations[..]) {
                ([], _) => targets.for_each(|to| emit(upright.moved(ranks, i, from, to))),
                ([image], [permutation]) => {
                    let image_from = usize::from(permutation[from]);
                    let place = image.set.below(image_from);
                    targets.for_each(|to| {
                        let other = image.moved(ranks, place, image_from, usize::from(permutation[to]));
                        emit(upright.moved(ranks, i, from, to).min(other));
                    });
                }
                _ => targets.for_each(|to| {
                    let others = images.iter().zip(permutations).map(|(image, permutation)| {
                        let image_from = usize::from(permutation[from]);
                        let place = image.set.below(image_from);
                        image.moved(ranks, place, image_from, usize::from(permutation[to]))
                    });
                    emit(others.fold(upright.moved(ranks, i, from, to), K::min));
                }),
            }
        }
        generated
    }

    fn measure(&self, scratch: &mut Self::Scratch, key: K) -> Option<i64> {
        self.ground.ranks.unrank_after(key, &mut scratch.upright.men, &mut scratch.at);
        Some(self.ground.centroid(&scratch.upright.men))
    }
}
