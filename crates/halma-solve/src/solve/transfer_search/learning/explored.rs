//! What a round of a beam search has seen: the levels, where their states meet mirror images of others, and which of them lie on
//! solutions.

use std::collections::HashMap;

use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::Stopped;
use halma_engine::store::{Level, StoreError};
use halma_rules::cells::Cells;

use super::super::setup::Setup;
use super::BATCH;

/// Solutions longer than the shortest ones by so many moves are told, too.
const LONGER: u32 = 1;

/// The levels of a round.
pub(super) struct Explored<K> {
    levels: Vec<Level<K>>,
    /// The first level of each state.
    depth: HashMap<K, u32>,
    /// The length of the shortest solution seen.
    shortest: Option<u32>,
    /// The pairs on solutions that are longer by at most [`LONGER`].
    pairs: Vec<ImagePair<K>>,
}

/// A state whose mirror image was seen, too.
struct ImagePair<K> {
    /// The number of moves of a solution through it.
    length: u32,
    key: K,
    image: K,
}

impl<K: Key> Explored<K> {
    pub(super) fn new() -> Self {
        Self { levels: Vec::new(), depth: HashMap::new(), shortest: None, pairs: Vec::new() }
    }

    /// How many levels there are.
    pub(super) fn levels(&self) -> u32 {
        self.levels.len() as u32
    }

    /// The states of a level, ascending.
    pub(super) fn keys(&self, level: u32) -> Result<Vec<K>, StoreError> {
        self.levels[level as usize].to_vec()
    }

    /// The length of the shortest solution seen.
    pub(super) fn shortest(&self) -> Option<u32> {
        self.shortest
    }

    /// Adds the next level, and looks for pairs with itself and those before.
    pub(super) fn add<const W: usize>(&mut self, setup: &Setup<'_, W, K>, level: &Level<K>) -> Result<(), Stopped> {
        let depth = self.levels();
        let mut keys = Vec::new();
        setup.engine.code(level);
        for block in 0..level.blocks() {
            level.read_block(block, &mut keys)?;
            for &key in &keys {
                self.depth.entry(key).or_insert(depth);
            }
        }
        let seen = |(image, key): (K, K)| Some(ImagePair { length: depth + self.depth.get(&image)?, key, image });
        let pairs = setup.engine.expander.install(|| {
            let of_block = |(): &mut (), block| {
                setup.engine.cancel.check()?;
                let images = setup.images(level, block..block + 1, |_| true)?;
                Ok::<_, Stopped>(images.into_iter().filter_map(seen).collect::<Vec<_>>())
            };
            parallel::map(level.blocks(), || (), of_block)
        })?;
        self.pairs.extend(pairs.into_iter().flatten());
        self.shortest = self.pairs.iter().map(|pair| pair.length).min();
        self.pairs.retain(|pair| self.shortest.is_some_and(|shortest| pair.length <= shortest + LONGER));
        self.levels.push(level.clone());
        Ok(())
    }

    /// The walk of a shortest solution seen.
    ///
    /// # Panics
    /// Where none was seen.
    pub(super) fn solution<const W: usize>(&self, setup: &Setup<'_, W, K>) -> Result<Vec<Cells<W>>, Stopped> {
        let best = self.pairs.iter().min_by_key(|pair| (pair.length, pair.key));
        let Some(&ImagePair { key, image, .. }) = best else { panic!("no solution was seen") };
        let trace = |key| setup.trace(&self.levels[..=self.depth[&key] as usize], key);
        setup.join_mirrored(&trace(key)?, &trace(image)?)
    }

    /// Whether that is the first level with the state.
    pub(super) fn is_first(&self, key: K, level: u32) -> bool {
        self.depth.get(&key) == Some(&level)
    }

    /// By level, ascending: the states on the shortest solutions and on those longer by at most [`LONGER`], found by going back from
    /// the pairs.
    pub(super) fn on_solutions<const W: usize>(&self, setup: &Setup<'_, W, K>) -> Result<Vec<Vec<K>>, Stopped> {
        let tables = &setup.tables.states;
        let mut good: Vec<Vec<K>> = self.levels.iter().map(|_| Vec::new()).collect();
        for ImagePair { key, image, .. } in &self.pairs {
            good[self.depth[key] as usize].push(*key);
            good[self.depth[image] as usize].push(*image);
        }
        for depth in (0..good.len()).rev() {
            good[depth].sort_unstable();
            good[depth].dedup();
            if depth == 0 {
                break;
            }
            let before = |(): &mut (), good: &[K]| {
                setup.engine.cancel.check()?;
                let keys = good.iter().flat_map(|&key| setup.successor_armies(tables.army(key)));
                let keys = keys.map(|army| tables.canonical(army));
                Ok::<_, Stopped>(keys.filter(|&key| self.is_first(key, depth as u32 - 1)).collect::<Vec<K>>())
            };
            let before = setup.engine.expander.install(|| parallel::map_chunks(&good[depth], BATCH, || (), before))?;
            good[depth - 1].extend(before.into_iter().flatten());
        }
        Ok(good)
    }
}
