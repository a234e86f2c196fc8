//! Mirror-narrowed search: what the mirror makes of a complete level is all that is possible as far from the end, and
//! distances to that prune the levels to come.
//!
//! It holds every state of every solution on each level, because the bound of a level is made of levels that do.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Answer, Attempt, Side, Trail, TransferSearch, exhausted};
use crate::bound::Bound;
use crate::bound::abstraction::{Extent, Table};
use crate::cells::Cells;
use crate::key::Key;
use crate::puzzle::transfer::TransferPuzzle;
use crate::search::Stopped;
use crate::store::{Level, StoreError};
use crate::symmetry::Symmetry;

/// What is within reach of the start, so many moves before level `by_then`.
struct WithinReach<'a> {
    from_start: &'a Table,
    by_then: u32,
}

impl Extent for WithinReach<'_> {
    fn keeps(&self, rank: u32, distance: u8) -> bool {
        self.from_start.within(rank, self.by_then.saturating_sub(distance.into()))
    }
}

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    pub(super) fn narrowed(&self, length: u32, attempt: &mut Attempt<Cells<W>>) -> Result<Answer<Cells<W>>, Stopped> {
        let mut trail = Trail::new(format!("L{length}"), Side::Forward);
        let grown = self.narrow(length, &mut trail);
        attempt.levels = std::mem::take(&mut trail.figures);
        grown?;
        if trail.is_dead() {
            return Ok(if exhausted(&attempt.levels) { Answer::Exhausted } else { Answer::Refuted });
        }
        self.meet(length, &trail.levels)
    }

    /// Grows the levels as far as the middle, or until one is empty.
    pub(super) fn narrow(&self, length: u32, trail: &mut Trail<K>) -> Result<(), Stopped> {
        let free = TransferPuzzle::new(&self.ground, &self.problem.start, Vec::new());
        self.open(&free, trail);
        while trail.levels.len() <= self.last_level(length) && !trail.is_dead() {
            let depth = trail.levels.len() as u32 - 1;
            let mut bounds = self.bounds(length);
            bounds.push(self.toward_images(length, depth, depth + 1, trail.last())?);
            self.grow(&TransferPuzzle::new(&self.ground, &self.problem.start, bounds), trail)?;
        }
        Ok(())
    }

    /// The bound of levels from `from` on: by level `length - depth` the histogram must be the mirror image of one of
    /// `level`, which holds all that is possible after `depth` moves.
    pub(super) fn toward_images(
        &self,
        length: u32,
        depth: u32,
        from: u32,
        level: &Level<K>,
    ) -> Result<Arc<dyn Bound<W>>, Stopped> {
        let databases = self.databases();
        let abstraction = &databases.abstraction;
        let classes = abstraction.space.classes();
        // A state stands for all its images under K. They have its histogram, unless classes are of one type and K exchanges
        // types; the identity comes first.
        let class_of = &abstraction.partition.class_of;
        let moves = |k: &Symmetry| (0..class_of.len()).any(|c| class_of[usize::from(k.cells[c])] != class_of[c]);
        let fixing = &self.symmetries.fixing;
        let moving: Vec<&Symmetry> = fixing[..1].iter().chain(fixing[1..].iter().filter(|&k| moves(k))).collect();
        let images = |block: usize| -> Result<Vec<u32>, StoreError> {
            let (mut keys, mut men) = (Vec::new(), vec![0; self.ground.ranks.men()]);
            let (mut histogram, mut scratch) = (vec![0; classes], vec![0; classes]);
            level.read_block(block, &mut keys)?;
            let mut ranks = Vec::with_capacity(keys.len() * moving.len());
            for key in keys {
                self.ground.ranks.unrank(key, &mut men);
                for k in &moving {
                    let image: Vec<u8> = men.iter().map(|&c| k.cells[usize::from(c)]).collect();
                    abstraction.histogram(&image, &mut histogram);
                    ranks.push(abstraction.mirror_rank(&histogram, &mut scratch));
                }
            }
            ranks.sort_unstable();
            ranks.dedup();
            Ok(ranks)
        };
        let by_then = length - depth;
        let here = self.expander.install(|| -> Result<Vec<u32>, StoreError> {
            let mut here = (0..level.blocks()).into_par_iter().map(images).collect::<Result<Vec<_>, _>>()?.concat();
            here.par_sort_unstable();
            here.dedup();
            Ok(here)
        })?;
        let table = self.expander.install(|| {
            let extent = WithinReach { from_start: &databases.from_start, by_then };
            abstraction.distances(here, by_then.saturating_sub(from), &extent, self.crew())
        })?;
        Ok(self.pattern(&Arc::new(table), by_then))
    }
}
