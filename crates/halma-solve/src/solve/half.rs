//! Bidirectional search in which one side is the mirror image of the other, so that only one is made.
//!
//! The usual form (Pohl, *Bi-directional search*, 1971) expands from both ends until the frontiers meet. Where a
//! symmetry ρ exchanges start and target, the levels from the target are the images of those from the start: the search
//! is over at the middle, where a level meets its own image (Bell 2009, Section 3.1).

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use halma_bounds::Army;
use halma_bounds::Bound;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::search::exchange::{Message, owner};
use halma_engine::store::wire::{get, put};
use halma_engine::store::{BLOCK, Level, StoreError};
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;

use super::{Answer, Attempt, LevelSequence, Side, TransferSearch, exhausted};

/// How many blocks are turned into images at a time, where memory is enough: many, so that these are looked up in ascending
/// order.
const BLOCKS: usize = 64;

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
        let found = match self.expander.exchange().is_shared() {
            true => self.common_shared(small, large)?,
            false => self.common_alone(small, large)?,
        };
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
        // Images and the states behind them, in a vector that grows by doubling.
        self.expander.plan().room().batch((BLOCK * 4 * K::BYTES) as u64, BLOCKS)
    }

    /// The least state of `small` whose image is in `large`, and its image.
    fn common_alone(&self, small: &Level<K>, large: &Level<K>) -> Result<Option<(K, K)>, Stopped> {
        let at_once = self.image_blocks();
        let search = |first: usize| {
            let blocks = first..(first + at_once).min(small.blocks());
            Ok(found(self.images(small, blocks)?, large)?.into_iter().min())
        };
        self.first_of((0..small.blocks()).step_by(at_once).collect(), search)
    }

    /// The same where each process has its share of both levels: images go to those who own them.
    fn common_shared(&self, small: &Level<K>, large: &Level<K>) -> Result<Option<(K, K)>, Stopped> {
        const BLOCKS: usize = 256;
        let exchange = self.expander.exchange();
        let rounds = exchange.all_gather(small.blocks().div_ceil(BLOCKS))?.into_iter().max().unwrap_or(0);
        let mut least: Option<(K, K)> = None;
        for round in 0..rounds {
            let end = small.blocks().min((round + 1) * BLOCKS);
            let blocks: Vec<usize> = ((round * BLOCKS).min(end)..end).collect();
            let images = self.expander.install(|| {
                let images = blocks.into_par_iter().map(|block| self.images(small, block..block + 1));
                images.collect::<Result<Vec<_>, StoreError>>()
            })?;
            let (mut own, mut messages) = (Vec::new(), vec![Vec::new(); exchange.processes()]);
            for (image, key) in images.into_iter().flatten() {
                let peer = owner(image, exchange.processes());
                if peer == exchange.process() {
                    own.push((image, key));
                } else {
                    put(image, &mut messages[peer]);
                    put(key, &mut messages[peer]);
                }
            }
            let messages = messages.into_iter().enumerate().map(|(peer, bytes)| Message { peer, bytes });
            for message in exchange.all_to_all(messages.filter(|p| !p.bytes.is_empty()).collect())? {
                own.extend(message.bytes.chunks_exact(2 * K::BYTES).map(|b| (get(b), get(&b[K::BYTES..]))));
            }
            least = least.into_iter().chain(found(own, large)?).min();
        }
        let all = exchange.all_gather(least.map(|(key, image)| (key.words(), image.words())))?.into_iter().flatten();
        Ok(all.map(|(key, image)| (K::from_words(key), K::from_words(image))).min())
    }

    /// What `search` finds in the first of `places` where it finds something.
    fn first_of<T: Send>(
        &self,
        places: Vec<usize>,
        search: impl Fn(usize) -> Result<Option<T>, StoreError> + Sync,
    ) -> Result<Option<T>, Stopped> {
        let search = |place| self.stop.check().and_then(|()| Ok(search(place)?)).transpose();
        self.expander.install(|| places.into_par_iter().find_map_first(search)).transpose()
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
        let here = self.first_of((0..middle.blocks()).collect(), search)?;
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

/// The keys behind those of these images that are in `level`, and those images.
pub(super) fn found<K: Key>(mut images: Vec<(K, K)>, level: &Level<K>) -> Result<Vec<(K, K)>, StoreError> {
    images.sort_unstable();
    let (mut cursor, mut found) = (level.cursor(), Vec::new());
    for (image, key) in images {
        if cursor.contains(image)? {
            found.push((key, image));
        }
    }
    Ok(found)
}
