//! Where a level meets the mirror image of another one: a merge join, in batches of images.
//!
//! Levels are kept sorted, images are not: so those of many states are made at a time, sorted, and looked up in ascending
//! order. Where several processes search, images go to the process that owns them.

use std::ops::Range;

use rayon::prelude::*;

use halma_bounds::Army;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::search::exchange::{Message, owner};
use halma_engine::store::wire::{get, put};
use halma_engine::store::{BLOCK, Level, StoreError};
use halma_rules::cells::Cells;

use super::setup::Setup;
use crate::solve::Answer;
use crate::solve::frontiers::found_on;

/// How many blocks are turned into images at a time, where memory is enough: many, so that these are looked up in ascending
/// order.
const BLOCKS: usize = 64;

impl<const W: usize, K: Key> Setup<'_, W, K> {
    /// Looks for a solution of `length` moves whose first half runs through `levels`: for 2N moves in L_N ∩ ρ(L_N), for
    /// 2N + 1 in L_(N+1) ∩ ρ(L_N).
    pub(super) fn meet(&self, length: u32, levels: &[Level<K>]) -> Result<Answer<Cells<W>>, Stopped> {
        let half = length as usize / 2;
        let last = self.problem.last_level(length);
        if levels.len() <= last {
            return Ok(Answer::Refuted);
        }
        if self.problem.palindromic {
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
        if self.engine.expander.fault == Some(crate::fault::Fault::Unmirrored) {
            return Ok(None);
        }
        let found = match self.engine.expander.exchange().is_shared() {
            true => self.common_shared(small, large)?,
            false => self.common_alone(small, large)?,
        };
        Ok(found.map(|(key, image)| if swapped { (image, key) } else { (key, image) }))
    }

    /// The states of these blocks, behind their mirror images.
    pub(super) fn images(&self, level: &Level<K>, blocks: Range<usize>) -> Result<Vec<(K, K)>, StoreError> {
        let (mut block, mut images) = (Vec::new(), Vec::new());
        for number in blocks {
            level.read_block(number, &mut block)?;
            self.tables.states.each_army(&block, |key, army| {
                images.push((self.tables.states.canonical(self.problem.reflected(army.set)), key));
            });
        }
        Ok(images)
    }

    /// How many blocks a thread turns into images at a time. No answer depends on it.
    pub(super) fn image_blocks(&self) -> usize {
        // Images and the states behind them, in a vector that grows by doubling.
        self.engine.expander.plan().room().batch((BLOCK * 4 * K::BYTES) as u64, BLOCKS)
    }

    /// The least state of `small` whose image is in `large`, and its image.
    fn common_alone(&self, small: &Level<K>, large: &Level<K>) -> Result<Option<(K, K)>, Stopped> {
        let at_once = self.image_blocks();
        let search = |first: usize| {
            let blocks = first..(first + at_once).min(small.blocks());
            Ok(found_on(self.images(small, blocks)?, large)?.into_iter().min())
        };
        self.first_of((0..small.blocks()).step_by(at_once).collect(), search)
    }

    /// The same where each process has its share of both levels: images go to those who own them.
    fn common_shared(&self, small: &Level<K>, large: &Level<K>) -> Result<Option<(K, K)>, Stopped> {
        const BLOCKS: usize = 256;
        let exchange = self.engine.expander.exchange();
        let rounds = exchange.all_gather(small.blocks().div_ceil(BLOCKS))?.into_iter().max().unwrap_or(0);
        let mut least: Option<(K, K)> = None;
        for round in 0..rounds {
            let end = small.blocks().min((round + 1) * BLOCKS);
            let blocks: Vec<usize> = ((round * BLOCKS).min(end)..end).collect();
            let images = self.engine.expander.install(|| {
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
            least = least.into_iter().chain(found_on(own, large)?).min();
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
        let search = |place| self.engine.cancel.check().and_then(|()| Ok(search(place)?)).transpose();
        self.engine.expander.install(|| places.into_par_iter().find_map_first(search)).transpose()
    }

    /// A palindromic solution through the last of `levels`: an army that is its own mirror image, or, for odd lengths,
    /// becomes its mirror image by one move.
    pub(super) fn meet_own_image(&self, length: u32, levels: &[Level<K>]) -> Result<Answer<Cells<W>>, Stopped> {
        let middle = &levels[levels.len() - 1];
        let continues = |army: Army<'_, W>| {
            // Most armies are told by their first men.
            let strays =
                army.men.iter().filter(|&&man| !army.set.contains(self.problem.mirror()[usize::from(man)].into()));
            let moves = length as usize % 2;
            strays.take(moves + 1).count() == moves
                && (moves == 0 || self.successor_armies(army.set).contains(&army.set.mapped(self.problem.mirror())))
        };
        let search = |number: usize| {
            let (mut block, mut first) = (Vec::new(), None);
            middle.read_block(number, &mut block)?;
            self.tables.states.each_army(&block, |key, army| {
                if first.is_none() && continues(army) {
                    first = Some(key);
                }
            });
            Ok(first)
        };
        let here = self.first_of((0..middle.blocks()).collect(), search)?;
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
