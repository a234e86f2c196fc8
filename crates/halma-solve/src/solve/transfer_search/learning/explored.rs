//! What a round of a beam search has seen: the levels, where their states meet mirror images of others, and which of them lie on
//! solutions.

use std::collections::HashMap;

use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::Stopped;
use halma_engine::store::{Level, StoreError};
use halma_rules::cells::Cells;

use super::super::setup::Setup;

/// Blocks, or states, that a thread works on at a time.
const BATCH: usize = 64;

/// The levels of a round.
pub(super) struct Explored<K> {
    levels: Vec<Level<K>>,
    /// The first level of each state.
    depth: HashMap<K, u32>,
    pairs: Vec<ImagePair<K>>,
}

/// A state whose mirror image was seen, too.
struct ImagePair<K> {
    /// The moves of a solution through it.
    length: u32,
    key: K,
    image: K,
}

impl<K: Key> Explored<K> {
    pub(super) fn new() -> Self {
        Self { levels: Vec::new(), depth: HashMap::new(), pairs: Vec::new() }
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
        self.pairs.iter().map(|pair| pair.length).min()
    }

    /// Adds the next level, and looks for pairs with itself and those before.
    pub(super) fn add<const W: usize>(&mut self, setup: &Setup<'_, W, K>, level: &Level<K>) -> Result<(), Stopped> {
        let depth = self.levels();
        let mut keys = Vec::new();
        for block in 0..level.blocks() {
            level.read_block(block, &mut keys)?;
            for &key in &keys {
                self.depth.entry(key).or_insert(depth);
            }
        }
        let expander = setup.engine.expander;
        let seen = |(image, key): (K, K)| Some(ImagePair { length: depth + self.depth.get(&image)?, key, image });
        let pairs = expander.install(|| {
            let of_block = |(): &mut (), block| {
                let images = setup.images(level, block..block + 1)?;
                Ok::<_, StoreError>(images.into_iter().filter_map(seen).collect::<Vec<_>>())
            };
            parallel::map(level.blocks(), || (), of_block)
        })?;
        self.pairs.extend(pairs.into_iter().flatten());
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

    /// By level, ascending: the states on solutions of at most `most` moves, as far as they can be seen from the pairs back.
    pub(super) fn on_solutions<const W: usize>(
        &self,
        setup: &Setup<'_, W, K>,
        most: u32,
    ) -> Result<Vec<Vec<K>>, Stopped> {
        // How many moves are left to the target, by level and state.
        let mut left: Vec<HashMap<K, u32>> = self.levels.iter().map(|_| HashMap::new()).collect();
        let mut enter = |key: K, moves: u32| {
            let depth = self.depth[&key];
            if depth + moves <= most {
                let least = left[depth as usize].entry(key).or_insert(moves);
                *least = moves.min(*least);
            }
        };
        for &ImagePair { key, image, .. } in &self.pairs {
            enter(key, self.depth[&image]);
            enter(image, self.depth[&key]);
        }
        let tables = &setup.tables.states;
        for depth in (1..left.len()).rev() {
            let good: Vec<(K, u32)> = left[depth].iter().map(|(&key, &moves)| (key, moves)).collect();
            let before = |(): &mut (), good: &[(K, u32)]| {
                setup.engine.cancel.check()?;
                let mut before = Vec::new();
                for &(key, moves) in good {
                    let keys = setup.successor_armies(tables.army(key)).into_iter().map(|army| tables.canonical(army));
                    let there = keys.filter(|key| self.depth.get(key) == Some(&(depth as u32 - 1)));
                    before.extend(there.map(|key| (key, moves + 1)));
                }
                Ok::<_, Stopped>(before)
            };
            let before = setup.engine.expander.install(|| parallel::map_chunks(&good, BATCH, || (), before))?;
            for (key, moves) in before.into_iter().flatten() {
                let least = left[depth - 1].entry(key).or_insert(moves);
                *least = moves.min(*least);
            }
        }
        let sorted = |states: HashMap<K, u32>| {
            let mut keys: Vec<K> = states.into_keys().collect();
            keys.sort_unstable();
            keys
        };
        Ok(left.into_iter().map(sorted).collect())
    }
}
