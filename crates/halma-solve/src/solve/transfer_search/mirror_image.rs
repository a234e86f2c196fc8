//! Where a level of a transfer meets the mirror image of a level, and the solution that follows.

use std::ops::Range;

use halma_bounds::Army;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::{Level, StoreError};
use halma_puzzles::transfer::typed_batch::MirroredLevels;
use halma_rules::cells::Cells;

use super::setup::Setup;
use crate::solve::Answer;
use crate::solve::images::Common;

impl<const W: usize, K: Key> Setup<'_, W, K> {
    /// Looks for a solution of `length` moves whose first half runs through `levels`: for 2N moves in L_N ∩ ρ(L_N), for
    /// 2N + 1 moves in L_(N+1) ∩ ρ(L_N).
    pub(super) fn meet(&self, length: u32, levels: &[Level<K>]) -> Result<Answer<Cells<W>>, Stopped> {
        self.meet_below(length, levels, |_| None)
    }

    /// The same where the states of some levels are known to have no greater centroid than `greatest`. ρ negates
    /// centroids, so then most states cannot meet.
    pub(super) fn meet_below(
        &self,
        length: u32,
        levels: &[Level<K>],
        greatest: impl Fn(usize) -> Option<i64>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let half = length as usize / 2;
        let last = self.problem.last_level(length) as usize;
        if levels.len() <= last {
            return Ok(Answer::Refuted);
        }
        if self.problem.palindromic {
            return self.meet_own_image(length, &levels[..=half]);
        }
        let greatest = [last, half].map(|level| greatest(level).unwrap_or(i64::MAX));
        let Some((here, there)) = self.common_below([&levels[last], &levels[half]], greatest)? else {
            return Ok(Answer::Refuted);
        };
        let (out, back) = (self.trace(&levels[..=last], here)?, self.trace(&levels[..=half], there)?);
        Ok(Answer::Found(self.join_mirrored(&out, &back)?))
    }

    /// A state of `here` whose mirror image is in `there`, and that image; of several, the one that is least in the
    /// smaller level.
    pub(super) fn common(&self, here: &Level<K>, there: &Level<K>) -> Result<Option<(K, K)>, Stopped> {
        self.common_below([here, there], [i64::MAX; 2])
    }

    /// The same for two levels whose states have no greater centroids than these.
    fn common_below(&self, [here, there]: [&Level<K>; 2], greatest: [i64; 2]) -> Result<Option<(K, K)>, Stopped> {
        let swapped = here.whole() > there.whole();
        let (small, large, greatest) = if swapped { (there, here, greatest[0]) } else { (here, there, greatest[1]) };
        let meets = |army: Army<'_, W>| -self.tables.states.centroid(army.men) <= greatest;
        let found = self.common_of(small, &[large], || meets)?;
        Ok(found.map(|(key, image, _)| if swapped { (image, key) } else { (key, image) }))
    }

    /// The least state of `here` that is wanted and whose mirror image is on one of the levels `there`.
    pub(super) fn common_of<F: FnMut(Army<'_, W>) -> bool>(
        &self,
        here: &Level<K>,
        there: &[&Level<K>],
        wanted: impl Fn() -> F + Send + Sync,
    ) -> Result<Option<Common<K>>, Stopped> {
        #[cfg(any(test, feature = "testing"))]
        if self.engine.expander.fault == Some(crate::fault::Fault::Unmirrored) {
            return Ok(None);
        }
        if let Some(groups) = self.groups(here, there) {
            let search = |wanted: &mut F, part: usize| Ok(groups.some_meet(part, wanted)?.then_some(()));
            if self.engine.first_of(groups.parts(), &wanted, search)?.is_none() {
                return Ok(None);
            }
        }
        let images = |level: &Level<K>, blocks: Range<usize>| self.images(level, blocks, wanted());
        self.engine.common(here, there, images)
    }

    /// The levels, if all of them are laid out as groups: then most that do not meet are told apart without keys.
    fn groups<'l>(&'l self, here: &'l Level<K>, there: &[&'l Level<K>]) -> Option<MirroredLevels<'l, W, K>> {
        let mirror =
            self.problem.symmetries.mirror.as_ref().filter(|_| !self.engine.expander.exchange().is_shared())?;
        MirroredLevels::new(&self.tables.states, &mirror.cells, here, there)
    }

    /// The wanted states of these blocks, as pairs (mirror image, key).
    pub(super) fn images(
        &self,
        level: &Level<K>,
        blocks: Range<usize>,
        mut wanted: impl FnMut(Army<'_, W>) -> bool,
    ) -> Result<Vec<(K, K)>, StoreError> {
        let (mut block, mut images) = (Vec::new(), Vec::new());
        for number in blocks {
            level.read_block(number, &mut block)?;
            self.tables.states.each_army(&block, |key, army| {
                if wanted(army) {
                    images.push((self.tables.states.canonical(self.problem.reflected(army.set)), key));
                }
            });
        }
        Ok(images)
    }

    /// How many blocks a thread processes at a time. No answer depends on it.
    pub(super) fn image_blocks(&self) -> usize {
        self.engine.image_blocks::<K>()
    }

    /// A palindromic solution through the last of `levels`: its army is its own mirror image or, for odd lengths,
    /// becomes its mirror image by one move.
    pub(super) fn meet_own_image(&self, length: u32, levels: &[Level<K>]) -> Result<Answer<Cells<W>>, Stopped> {
        let middle = &levels[levels.len() - 1];
        let continues = |army: Army<'_, W>| {
            // For most armies the first men decide.
            let strays =
                army.men.iter().filter(|&&man| !army.set.contains(self.problem.mirror()[usize::from(man)].into()));
            let moves = length as usize % 2;
            strays.take(moves + 1).count() == moves
                && (moves == 0 || self.successor_armies(army.set).contains(&army.set.mapped(self.problem.mirror())))
        };
        if let Some(groups) = self.groups(middle, &[]).filter(|_| middle.layout().is_some()) {
            let men = length as usize % 2;
            let search = |(): &mut (), part: usize| Ok(groups.some_own_image(part, men, continues)?.then_some(()));
            if self.engine.first_of(groups.parts(), || (), search)?.is_none() {
                return Ok(Answer::Refuted);
            }
        }
        self.engine.code(middle);
        let search = |block: &mut Vec<K>, number: usize| {
            let mut first = None;
            middle.read_block(number, block)?;
            self.tables.states.each_army(block, |key, army| {
                if first.is_none() && continues(army) {
                    first = Some(key);
                }
            });
            Ok(first)
        };
        let here = self.engine.first_of(middle.blocks(), Vec::new, search)?;
        let Some(key) = self.engine.expander.exchange().all_reduce_min(here)? else { return Ok(Answer::Refuted) };
        let walk = self.trace(levels, key)?;
        Ok(Answer::Found(self.palindrome(length, &walk)?))
    }

    /// The palindromic solution whose first half has these keys.
    fn palindrome(&self, length: u32, keys: &[K]) -> Result<Vec<Cells<W>>, Stopped> {
        let mut walk = self.armies(keys)?;
        let returning: Vec<_> = walk.iter().rev().map(|a| a.mapped(self.problem.mirror())).collect();
        walk.extend(&returning[usize::from(length.is_multiple_of(2))..]);
        Ok(walk)
    }
}
