//! A pattern database whose goals are the mirror images of the states on a level: perimeter search (Dillenburg and
//! Nelson, *Perimeter search*, 1994), in the abstract space.

use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use halma_bounds::abstraction::{Extent, Table};
use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::Stopped;
use halma_engine::store::Level;
use halma_rules::symmetry::Symmetry;

use super::setup::Setup;

/// Restricts the table to histograms within reach of the start, so many moves before level `by_then`.
struct WithinReach<'a> {
    from_start: &'a Table,
    by_then: u32,
}

impl Extent for WithinReach<'_> {
    fn keeps(&self, rank: u32, distance: u8) -> bool {
        self.from_start.within(rank, self.by_then.saturating_sub(distance.into()))
    }
}

impl<const W: usize, K: Key> Setup<'_, W, K> {
    /// The distances that bound the levels from `from` on, and the level by which the last end must be reached. A state
    /// stays if, for one of the pairs of `ends`, its histogram can reach by that level the mirror image of one of the
    /// states. Entries are given only where they are needed: for histograms that a walk from the start can reach on
    /// level `from` or later, and that can reach an image in time.
    pub(super) fn distances_to_images(
        &self,
        ends: &[(u32, &Level<K>)],
        from: u32,
    ) -> Result<(Arc<Table>, u32), Stopped> {
        let databases = self.databases();
        let latest = ends.iter().map(|&(by_then, _)| by_then).max().unwrap_or(0);
        // By rank: a bit that says whether an end has the histogram's mirror image. Ends with more moves to make come
        // first, so that each image is a source once, where it is nearest.
        let held: Vec<AtomicU64> =
            (0..databases.abstraction.space.count().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let mut in_order = ends.to_vec();
        in_order.sort_by_key(|&(by_then, _)| Reverse(by_then));
        let mut sources = Vec::new();
        for (by_then, level) in in_order {
            // If an end has fewer moves to make, its distances are increased by the difference.
            let later = (latest - by_then) as usize;
            sources.resize(sources.len().max(later + 1), Vec::new());
            sources[later].append(&mut self.new_images(level, &held)?);
        }
        let table = self.engine.expander.install(|| {
            let extent = WithinReach { from_start: &databases.from_start, by_then: latest };
            databases.abstraction.distances(&sources, latest.saturating_sub(from), &extent, self.work_context())
        })?;
        Ok((Arc::new(table), latest))
    }

    /// The mirror images of the histograms of `level` that are not in `held` yet, where they are entered.
    fn new_images(&self, level: &Level<K>, held: &[AtomicU64]) -> Result<Vec<u32>, Stopped> {
        let abstraction = &self.databases().abstraction;
        // A state stands for all its images under K. They have its histogram, unless classes have one type each and K
        // exchanges types. The identity comes first.
        let class_of = &abstraction.partition.class_of;
        let moves = |k: &Symmetry| (0..class_of.len()).any(|c| class_of[usize::from(k.cells[c])] != class_of[c]);
        let fixing = &self.problem.symmetries.fixing;
        let moving = fixing[..1].iter().chain(fixing[1..].iter().filter(|&k| moves(k)));
        // For each of them: where a man of a cell comes to stand.
        let image = |k: &Symmetry| -> Vec<u8> {
            k.cells.iter().map(|&c| abstraction.mirror_class(class_of[usize::from(c)])).collect()
        };
        let images: Vec<Vec<u8>> = moving.map(image).collect();
        let enter = |(): &mut (), block: usize| -> Result<Vec<u32>, Stopped> {
            self.engine.cancel.check()?;
            let (mut keys, mut new) = (Vec::new(), Vec::new());
            let mut histogram = vec![0; abstraction.space.classes()];
            level.read_block(block, &mut keys)?;
            self.tables.states.each_army(&keys, |_, army| {
                for image in &images {
                    histogram.fill(0);
                    army.men.iter().for_each(|&c| histogram[usize::from(image[usize::from(c)])] += 1);
                    let rank = abstraction.space.rank(&histogram);
                    let (word, bit) = (&held[rank as usize / 64], 1 << (rank % 64));
                    if word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
                        new.push(rank);
                    }
                }
            });
            Ok(new)
        };
        self.engine.code(level);
        let new = self.engine.expander.install(|| parallel::map(level.blocks(), || (), enter))?;
        Ok(new.concat())
    }
}
