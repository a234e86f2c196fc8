//! Pattern databases to a goal that shrinks (`narrowed`): what the mirror makes of a complete level is all that is
//! possible as far from the end, and abstract distances to that cut the levels to come.
//!
//! The usual pattern database (Culberson and Schaeffer 1998) has one goal for the whole search. Here it is made anew
//! after each level, as in bidirectional search with a perimeter (Dillenburg and Nelson 1994), but in the abstract
//! space.
//!
//! It holds every state of every solution on each level, because the bound of a level is made of levels that do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use halma_bounds::Bound;
use halma_bounds::abstraction::{Extent, Table};
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::Level;
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;
use halma_rules::symmetry::Symmetry;

use super::{Answer, Attempt, LevelSequence, Side, TransferSearch, exhausted};

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
        let mut trail = LevelSequence::new(format!("L{length}"), Side::Forward);
        let grown = self.narrow(length, &mut trail);
        attempt.levels = std::mem::take(&mut trail.figures);
        grown?;
        if trail.is_dead() {
            return Ok(if exhausted(&attempt.levels) { Answer::Exhausted } else { Answer::Refuted });
        }
        self.meet(length, &trail.levels)
    }

    /// Grows the levels as far as the middle, or until one is empty.
    pub(super) fn narrow(&self, length: u32, trail: &mut LevelSequence<K>) -> Result<(), Stopped> {
        let free = TransferPuzzle::new(&self.tables, &self.problem.start, Vec::new());
        self.open(&free, trail);
        while trail.levels.len() <= self.last_level(length) && !trail.is_dead() {
            let depth = trail.levels.len() as u32 - 1;
            let mut bounds = self.bounds(length);
            bounds.push(self.toward_images(&[(length - depth, trail.last())], depth + 1)?);
            self.grow(&TransferPuzzle::new(&self.tables, &self.problem.start, bounds), trail)?;
        }
        Ok(())
    }

    /// The bound of levels from `from` on: for one of the pairs of `ends`, the histogram must by that level be the mirror
    /// image of one of the states.
    pub(super) fn toward_images(&self, ends: &[(u32, &Level<K>)], from: u32) -> Result<Arc<dyn Bound<W>>, Stopped> {
        let (table, latest) = self.distances_to_images(ends, from)?;
        Ok(self.pattern(&table, latest))
    }

    /// The distances of [`Self::toward_images`], and the level by which the last end must be come to.
    pub(super) fn distances_to_images(
        &self,
        ends: &[(u32, &Level<K>)],
        from: u32,
    ) -> Result<(Arc<Table>, u32), Stopped> {
        let latest = ends.iter().map(|&(by_then, _)| by_then).max().unwrap_or(0);
        let nearest = Table::new(self.databases().abstraction.space.count());
        for &(by_then, level) in ends {
            // With fewer moves to make, an end is as far away as if the missing ones had to be made there.
            let table = self.to_images(by_then, from, level)?;
            self.expander.install(|| nearest.lower(&table, latest - by_then));
        }
        Ok((Arc::new(nearest), latest))
    }

    /// The distances to the mirror images of the histograms of `level`, given only where they can be of use: where a walk from
    /// the start can get, on level `from` or later, and be there by level `by_then`.
    fn to_images(&self, by_then: u32, from: u32, level: &Level<K>) -> Result<Table, Stopped> {
        let databases = self.databases();
        let abstraction = &databases.abstraction;
        let classes = abstraction.space.classes();
        // A state stands for all its images under K. They have its histogram, unless classes are of one type and K exchanges
        // types; the identity comes first.
        let class_of = &abstraction.partition.class_of;
        let moves = |k: &Symmetry| (0..class_of.len()).any(|c| class_of[usize::from(k.cells[c])] != class_of[c]);
        let fixing = &self.symmetries.fixing;
        let moving: Vec<&Symmetry> = fixing[..1].iter().chain(fixing[1..].iter().filter(|&k| moves(k))).collect();
        let count = abstraction.space.count();
        // By rank, a bit that says whether the level holds the histogram's mirror image.
        let held: Vec<AtomicU64> = (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let enter = |block: usize| -> Result<(), Stopped> {
            self.stop.check()?;
            let (mut keys, mut image) = (Vec::new(), vec![0; self.tables.ranks.men()]);
            let (mut histogram, mut scratch) = (vec![0; classes], vec![0; classes]);
            level.read_block(block, &mut keys)?;
            self.tables.each_army(&keys, |_, army| {
                for k in &moving {
                    image.iter_mut().zip(army.men).for_each(|(image, &c)| *image = k.cells[usize::from(c)]);
                    abstraction.histogram(&image, &mut histogram);
                    let rank = abstraction.mirror_rank(&histogram, &mut scratch);
                    let (word, bit) = (&held[rank as usize / 64], 1 << (rank % 64));
                    if word.load(Ordering::Relaxed) & bit == 0 {
                        word.fetch_or(bit, Ordering::Relaxed);
                    }
                }
            });
            Ok(())
        };
        let here = self.expander.install(|| -> Result<Vec<u32>, Stopped> {
            (0..level.blocks()).into_par_iter().try_for_each(enter)?;
            let holds = |rank: &u32| held[*rank as usize / 64].load(Ordering::Relaxed) >> (rank % 64) & 1 != 0;
            Ok((0..count as u32).into_par_iter().filter(holds).collect())
        })?;
        self.expander.install(|| {
            let extent = WithinReach { from_start: &databases.from_start, by_then };
            abstraction.distances(here, by_then.saturating_sub(from), &extent, self.context())
        })
    }
}
