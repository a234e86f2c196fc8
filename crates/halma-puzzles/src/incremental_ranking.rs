//! Incremental ranking: the rank of a successor in constant time, from prefix sums over the men of its parent (combinadics: Knuth,
//! The Art of Computer Programming 7.2.1.3).

use halma_engine::key::Key;
use halma_rules::cells::Cells;
use multiversion::multiversion;

use crate::rank::Ranks;

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

    /// Sets the view to the image of an army under a permutation of the cells, and prepares it.
    #[inline]
    pub fn show(&mut self, army: Cells<W>, permutation: &[u8], ranks: &Ranks<K>) {
        self.set = army.mapped(permutation);
        self.prepare_set(ranks);
    }

    /// Prepares the sums for the army `self.set`.
    #[inline]
    pub fn prepare_set(&mut self, ranks: &Ranks<K>) {
        self.set.write(&mut self.men);
        self.prepare(ranks);
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

/// An army with its images under symmetries.
pub struct Views<'a, const W: usize, K> {
    /// The army itself.
    pub identity: &'a SymmetricView<W, K>,
    /// Its images.
    pub images: &'a [SymmetricView<W, K>],
    /// The permutations of the cells that make them.
    pub permutations: &'a [Vec<u8>],
}

impl<const W: usize, K: Key> Views<'_, W, K> {
    /// Calls `emit` with the least rank of all images after the man on `from` has gone to each of `targets`.
    #[inline(always)]
    pub fn each_after(&self, ranks: &Ranks<K>, from: u8, targets: Cells<W>, mut emit: impl FnMut(K)) {
        let Self { identity, images, permutations } = self;
        let moving = identity.moving(from);
        let image_of = |permutation: &[u8], cell: u8| permutation[usize::from(cell)];
        match (images, permutations) {
            ([], _) => targets.for_each(|to| emit(identity.moved(ranks, moving, to as u8))),
            ([image], [permutation]) => {
                let image_moving = image.moving(image_of(permutation, from));
                targets.for_each(|to| {
                    let other = image.moved(ranks, image_moving, image_of(permutation, to as u8));
                    emit(identity.moved(ranks, moving, to as u8).min(other));
                });
            }
            _ => targets.for_each(|to| {
                let others = images.iter().zip(*permutations).map(|(image, permutation)| {
                    image.moved(ranks, image.moving(image_of(permutation, from)), image_of(permutation, to as u8))
                });
                emit(others.fold(identity.moved(ranks, moving, to as u8), K::min));
            }),
        }
    }
}
