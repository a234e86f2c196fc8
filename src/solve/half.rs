//! Searches of half the way, which the mirror completes.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Answer, Attempt, Side, TransferSearch, exhausted};
use crate::bound::Bound;
use crate::key::Key;
use crate::puzzle::transfer::TransferPuzzle;
use crate::search::Stopped;
use crate::store::Level;

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// Levels from the start under `bounds` as far as the middle of solutions of `length` moves, and what they meet there.
    pub(super) fn mirrored_half(
        &self,
        length: u32,
        bounds: Vec<Arc<dyn Bound<W>>>,
        attempt: &mut Attempt<W>,
    ) -> Result<Answer<W>, Stopped> {
        let puzzle = TransferPuzzle::new(&self.ground, &self.problem.start, bounds);
        let mut levels = Vec::new();
        self.open(&puzzle, Side::Forward, &mut levels, &mut attempt.levels);
        while levels.len() <= self.last_level(length) {
            self.grow(&puzzle, Side::Forward, &mut levels, &mut attempt.levels)?;
            if levels[levels.len() - 1].is_empty() {
                return Ok(if exhausted(&attempt.levels) { Answer::Exhausted } else { Answer::Refuted });
            }
        }
        Ok(self.meet(length, &levels))
    }

    /// The search without bounds: its levels serve all lengths.
    pub(super) fn unpruned(&mut self, length: u32, attempt: &mut Attempt<W>) -> Result<Answer<W>, Stopped> {
        if self.palindromic {
            return self.mirrored_half(length, self.bounds(length), attempt);
        }
        let puzzle = TransferPuzzle::new(&self.ground, &self.problem.start, Vec::new());
        let mut kept = std::mem::take(&mut self.kept);
        if kept.is_empty() {
            self.open(&puzzle, Side::Forward, &mut kept, &mut attempt.levels);
        }
        while kept.len() <= self.last_level(length) && kept.last().is_some_and(|l| !l.is_empty()) {
            let grown = self.grow(&puzzle, Side::Forward, &mut kept, &mut attempt.levels);
            if let Err(stopped) = grown {
                self.kept = kept;
                return Err(stopped);
            }
        }
        let answer = if kept.last().is_some_and(Level::is_empty) {
            // The levels that there are may still meet: the last two that are not empty.
            match self.meet(length, &kept) {
                Answer::Refuted if length as usize >= 2 * kept.len() => Answer::Exhausted,
                answer => answer,
            }
        } else {
            self.meet(length, &kept)
        };
        self.kept = kept;
        Ok(answer)
    }

    /// The last level that [`Self::meet`] looks at.
    fn last_level(&self, length: u32) -> usize {
        (if self.palindromic { length / 2 } else { length.div_ceil(2) }) as usize
    }

    /// Looks for a solution of `length` moves whose first half runs through `levels`: for 2N moves in L_N ∩ ρ(L_N), for
    /// 2N + 1 in L_(N+1) ∩ ρ(L_N).
    pub(super) fn meet(&self, length: u32, levels: &[Level<K>]) -> Answer<W> {
        let half = length as usize / 2;
        let last = self.last_level(length);
        if levels.len() <= last {
            return Answer::Refuted;
        }
        if self.palindromic {
            return self.meet_own_image(length, &levels[..=half]);
        }
        let Some((here, there)) = self.common(&levels[last], &levels[half]) else { return Answer::Refuted };
        Answer::Found(self.join_mirrored(&self.trace(&levels[..=last], here), &self.trace(&levels[..=half], there)))
    }

    /// A state of `here` whose mirror image is in `there`, and that image: the first one in a fixed order.
    pub(super) fn common(&self, here: &Level<K>, there: &Level<K>) -> Option<(K, K)> {
        // The smaller level is mirrored and looked up in the larger one, many blocks at a time in ascending order.
        const BLOCKS: usize = 64;
        let swapped = here.len() > there.len();
        let (small, large) = if swapped { (there, here) } else { (here, there) };
        let search = |first: usize| {
            let (mut block, mut images) = (Vec::new(), Vec::new());
            for number in first..(first + BLOCKS).min(small.blocks()) {
                small.read_block(number, &mut block);
                let image = |&key: &K| (self.ground.canonical(self.ground.army(key).mapped(self.mirror())), key);
                images.extend(block.iter().map(image));
            }
            images.sort_unstable();
            let mut cursor = large.cursor();
            images.into_iter().find(|&(image, _)| cursor.contains(image))
        };
        let groups: Vec<usize> = (0..small.blocks()).step_by(BLOCKS).collect();
        let (image, key) = self.expander.install(|| groups.into_par_iter().find_map_first(search))?;
        Some(if swapped { (image, key) } else { (key, image) })
    }

    /// A palindromic solution through the last of `levels`: an army that is its own mirror image, or, for odd lengths,
    /// becomes its mirror image by one move.
    pub(super) fn meet_own_image(&self, length: u32, levels: &[Level<K>]) -> Answer<W> {
        let middle = &levels[levels.len() - 1];
        let search = |number: usize| {
            let mut block = Vec::new();
            middle.read_block(number, &mut block);
            block.into_iter().find(|&key| {
                let army = self.ground.army(key);
                let image = army.mapped(self.mirror());
                if length.is_multiple_of(2) {
                    return image == army;
                }
                (army & image).len() + 1 == army.len() && self.successor_armies(army).contains(&image)
            })
        };
        let found = self.expander.install(|| (0..middle.blocks()).into_par_iter().find_map_first(search));
        found.map_or(Answer::Refuted, |key| {
            let walk = self.trace(levels, key);
            Answer::Found(self.palindrome(length, &walk))
        })
    }

    /// The palindromic solution whose first half has these keys.
    fn palindrome(&self, length: u32, keys: &[K]) -> Vec<crate::cells::Cells<W>> {
        let mut walk = self.armies(keys);
        let returning: Vec<_> = walk.iter().rev().map(|a| a.mapped(self.mirror())).collect();
        walk.extend(&returning[usize::from(length.is_multiple_of(2))..]);
        walk
    }
}
