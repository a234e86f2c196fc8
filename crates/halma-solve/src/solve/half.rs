//! Bidirectional search in which one side is the mirror image of the other, so that only one is made.
//!
//! The usual form (Pohl, *Bi-directional search*, 1971) expands from both ends until the frontiers meet. Where a
//! symmetry ρ exchanges start and target, the levels from the target are the images of those from the start: the search
//! is over at the middle, where a level meets its own image (Bell 2009, Section 3.1).

use std::ops::Range;
use std::sync::Arc;

use halma_bounds::Army;
use halma_bounds::Bound;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::{Level, StoreError};
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;

use super::images::Meeting;
use super::{Answer, Attempt, LevelSequence, Side, TransferSearch, exhausted};

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// Levels from the start under `bounds` as far as the middle of solutions of `length` moves, and what they meet there.
    pub(super) fn mirrored_half(
        &self,
        length: u32,
        bounds: Vec<Arc<dyn Bound<W>>>,
        stem: &str,
        attempt: &mut Attempt<Cells<W>>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let puzzle = TransferPuzzle::new(&self.tables, &self.problem.start, bounds);
        let mut trail = LevelSequence::new(stem.into(), Side::Forward);
        self.open(&puzzle, &mut trail);
        let grown = self.grow_to(&puzzle, self.last_level(length), &mut trail);
        attempt.levels = std::mem::take(&mut trail.figures);
        grown?;
        if trail.is_dead() {
            return Ok(if exhausted(&attempt.levels) { Answer::Exhausted } else { Answer::Refuted });
        }
        self.meet(length, &trail.levels)
    }

    /// The search without bounds: its levels serve all lengths.
    pub(super) fn unpruned(
        &mut self,
        length: u32,
        attempt: &mut Attempt<Cells<W>>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        if self.palindromic {
            return self.mirrored_half(length, self.bounds(length), &format!("L{length}"), attempt);
        }
        let grown = self.grow_shared(length);
        attempt.levels = self.unreported();
        grown?;
        let levels = &self.kept.levels;
        // When the last level is empty those that there are may still meet; after that nothing can.
        match self.meet(length, levels)? {
            Answer::Refuted if self.kept.is_dead() && length as usize >= 2 * levels.len() => Ok(Answer::Exhausted),
            answer => Ok(answer),
        }
    }

    /// Grows the levels without bounds as far as solutions of `length` moves ask for them.
    pub(super) fn grow_shared(&mut self, length: u32) -> Result<(), Stopped> {
        let puzzle = TransferPuzzle::new(&self.tables, &self.problem.start, Vec::new());
        let mut trail = std::mem::replace(&mut self.kept, LevelSequence::new(String::new(), Side::Forward));
        if trail.levels.is_empty() {
            self.open(&puzzle, &mut trail);
        }
        let grown = self.grow_to(&puzzle, self.last_level(length), &mut trail);
        self.kept = trail;
        grown
    }

    /// Grows `trail` as far as level `last`, or until a level is empty.
    pub(super) fn grow_to(
        &self,
        puzzle: &TransferPuzzle<W, K>,
        last: usize,
        trail: &mut LevelSequence<K>,
    ) -> Result<(), Stopped> {
        #[cfg(any(test, feature = "testing"))]
        let last = last - usize::from(self.expander.fault == Some(crate::fault::Fault::StopEarly));
        while trail.levels.len() <= last && !trail.is_dead() {
            self.grow(puzzle, trail)?;
        }
        Ok(())
    }

    /// The last level that [`Self::meet`] looks at.
    pub(super) fn last_level(&self, length: u32) -> usize {
        (if self.palindromic { length / 2 } else { length.div_ceil(2) }) as usize
    }

    /// Looks for a solution of `length` moves whose first half runs through `levels`: for 2N moves in L_N ∩ ρ(L_N), for
    /// 2N + 1 in L_(N+1) ∩ ρ(L_N).
    pub(super) fn meet(&self, length: u32, levels: &[Level<K>]) -> Result<Answer<Cells<W>>, Stopped> {
        let half = length as usize / 2;
        let last = self.last_level(length);
        if levels.len() <= last {
            return Ok(Answer::Refuted);
        }
        if self.palindromic {
            return self.meet_own_image(length, &levels[..=half]);
        }
        let Some((here, there)) = self.common(&levels[last], &levels[half])? else { return Ok(Answer::Refuted) };
        let (out, back) = (self.trace(&levels[..=last], here)?, self.trace(&levels[..=half], there)?);
        Ok(Answer::Found(self.join_mirrored(&out, &back)?))
    }

    /// A state of `here` whose mirror image is in `there`, and that image: of several the one that is least in the smaller
    /// level.
    pub(super) fn common(&self, here: &Level<K>, there: &Level<K>) -> Result<Option<(K, K)>, Stopped> {
        let swapped = here.whole() > there.whole();
        let (small, large) = if swapped { (there, here) } else { (here, there) };
        #[cfg(any(test, feature = "testing"))]
        if self.expander.fault == Some(crate::fault::Fault::Unmirrored) {
            return Ok(None);
        }
        let images = |level: &Level<K>, blocks: Range<usize>| self.images(level, blocks);
        let found = self.meeting().common(small, large, images)?;
        Ok(found.map(|(key, image)| if swapped { (image, key) } else { (key, image) }))
    }

    /// The army's mirror image; where there is no mirror, the army itself, which is what a search from the target meets.
    pub(super) fn reflected(&self, army: Cells<W>) -> Cells<W> {
        self.symmetries.mirror.as_ref().map_or(army, |mirror| mirror.apply(army))
    }

    /// The states of these blocks, behind their mirror images.
    pub(super) fn images(&self, level: &Level<K>, blocks: Range<usize>) -> Result<Vec<(K, K)>, StoreError> {
        let (mut block, mut images) = (Vec::new(), Vec::new());
        for number in blocks {
            level.read_block(number, &mut block)?;
            self.tables.each_army(&block, |key, army| {
                images.push((self.tables.canonical(self.reflected(army.set)), key));
            });
        }
        Ok(images)
    }

    /// How many blocks a thread turns into images at a time. No answer depends on it.
    pub(super) fn image_blocks(&self) -> usize {
        self.meeting().blocks::<K>()
    }

    fn meeting(&self) -> Meeting<'_> {
        Meeting { expander: self.expander, stop: self.stop }
    }

    /// A palindromic solution through the last of `levels`: an army that is its own mirror image, or, for odd lengths,
    /// becomes its mirror image by one move.
    pub(super) fn meet_own_image(&self, length: u32, levels: &[Level<K>]) -> Result<Answer<Cells<W>>, Stopped> {
        let middle = &levels[levels.len() - 1];
        let continues = |army: Army<'_, W>| {
            // Most armies are told by their first men.
            let strays = army.men.iter().filter(|&&man| !army.set.contains(self.mirror()[usize::from(man)].into()));
            let moves = length as usize % 2;
            strays.take(moves + 1).count() == moves
                && (moves == 0 || self.successor_armies(army.set).contains(&army.set.mapped(self.mirror())))
        };
        let search = |number: usize| {
            let (mut block, mut first) = (Vec::new(), None);
            middle.read_block(number, &mut block)?;
            self.tables.each_army(&block, |key, army| {
                if first.is_none() && continues(army) {
                    first = Some(key);
                }
            });
            Ok(first)
        };
        let here = self.meeting().first_of((0..middle.blocks()).collect(), search)?;
        let Some(key) = self.expander.exchange().all_reduce_min(here)? else { return Ok(Answer::Refuted) };
        let walk = self.trace(levels, key)?;
        Ok(Answer::Found(self.palindrome(length, &walk)?))
    }

    /// The palindromic solution whose first half has these keys.
    fn palindrome(&self, length: u32, keys: &[K]) -> Result<Vec<Cells<W>>, Stopped> {
        let mut walk = self.armies(keys)?;
        let returning: Vec<_> = walk.iter().rev().map(|a| a.mapped(self.mirror())).collect();
        walk.extend(&returning[usize::from(length.is_multiple_of(2))..]);
        Ok(walk)
    }
}
