//! Where a level meets the image of another level under a symmetry: a merge join, in batches of images.
//!
//! Levels are sorted, images are not. So the images of many states are computed at a time, sorted, and looked up in
//! ascending order. With several processes, images go to the processes that own them.

use std::ops::Range;

use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::Stopped;
use halma_engine::search::exchange::{Lost, Message, owner};
use halma_engine::store::wire::{get, put};
use halma_engine::store::{BLOCK, Level, StoreError};

use super::engine::Engine;
use super::frontiers::found_on;

/// The most blocks whose images are computed at a time: many, so that lookups ascend over long stretches.
const BLOCKS: usize = 64;
/// The fewest, but where memory is short: a small level is shared out among threads in no smaller parts.
const LEAST_BLOCKS: usize = 8;
/// The most blocks whose images several processes exchange in one round.
const ROUND_BLOCKS: usize = 256;

/// The states of some blocks of a level, as pairs (image, key).
pub(super) trait Images<K>: Fn(&Level<K>, Range<usize>) -> Result<Vec<(K, K)>, StoreError> + Sync {}

impl<K, F: Fn(&Level<K>, Range<usize>) -> Result<Vec<(K, K)>, StoreError> + Sync> Images<K> for F {}

/// A state, its image, and the place of a level that has the image.
pub(super) type Common<K> = (K, K, usize);

/// The least of these pairs (image, key), by key, with an image on one of the levels.
fn least_on<K: Key>(mut images: Vec<(K, K)>, levels: &[&Level<K>]) -> Result<Option<Common<K>>, StoreError> {
    images.sort_unstable();
    let mut least = None;
    for (place, level) in levels.iter().enumerate() {
        let found = found_on(&images, level)?.into_iter().map(|(key, image)| (key, image, place));
        least = found.chain(least).min();
    }
    Ok(least)
}

impl Engine<'_> {
    /// The least state of `level` whose image is in one of `others`.
    pub(super) fn common<K: Key>(
        self,
        level: &Level<K>,
        others: &[&Level<K>],
        images: impl Images<K>,
    ) -> Result<Option<Common<K>>, Stopped> {
        others.iter().chain([&level]).for_each(|level| self.code(level));
        match self.expander.exchange().is_shared() {
            true => self.common_shared(level, others, images),
            false => self.common_alone(level, others, images),
        }
    }

    /// How many blocks a thread processes at a time. No answer depends on it.
    pub(super) fn image_blocks<K: Key>(self) -> usize {
        // Pairs of image and key, in a vector that grows by doubling.
        self.expander.memory_plan().measure_room().batch((BLOCK * 4 * K::BYTES) as u64, BLOCKS)
    }

    fn common_alone<K: Key>(
        self,
        level: &Level<K>,
        others: &[&Level<K>],
        images: impl Images<K>,
    ) -> Result<Option<Common<K>>, Stopped> {
        let share = level.blocks().div_ceil(self.expander.threads()).max(LEAST_BLOCKS);
        let at_once = self.image_blocks::<K>().min(share);
        let search = |(): &mut (), number: usize| {
            let blocks = number * at_once..((number + 1) * at_once).min(level.blocks());
            least_on(images(level, blocks)?, others)
        };
        self.first_of(level.blocks().div_ceil(at_once), || (), search)
    }

    /// The same for several processes, each with its share of both levels: images go to their owners.
    fn common_shared<K: Key>(
        self,
        level: &Level<K>,
        others: &[&Level<K>],
        images: impl Images<K>,
    ) -> Result<Option<Common<K>>, Stopped> {
        let (exchange, room) = (self.expander.exchange(), self.expander.memory_plan().measure_room());
        // Pairs are held as they are made, as they are sent, and as they come; the process with the least room decides.
        let held = room.batch((BLOCK * 2 * K::BYTES * 4) as u64, ROUND_BLOCKS);
        let at_once = exchange.all_gather(held)?.into_iter().min().unwrap_or(held).max(1);
        let rounds = exchange.all_gather(level.blocks().div_ceil(at_once))?.into_iter().max().unwrap_or(0);
        let mut least: Option<Common<K>> = None;
        for round in 0..rounds {
            let end = level.blocks().min((round + 1) * at_once);
            let blocks: Vec<usize> = ((round * at_once).min(end)..end).collect();
            let images = self.expander.install(|| {
                parallel::map(blocks.len(), || (), |(), number| images(level, blocks[number]..blocks[number] + 1))
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
                let from = own.len();
                own.extend(message.entries(2 * K::BYTES)?.map(|b| (get(b), get(&b[K::BYTES..]))));
                // An image that came to the wrong process would be found by none.
                if !own[from..].iter().all(|&(image, _)| exchange.owns(image)) {
                    return Err(Lost::of_states(message.peer).into());
                }
            }
            least = least.into_iter().chain(least_on(own, others)?).min();
        }
        let least = least.map(|(key, image, place)| (key.words(), image.words(), place));
        let all = exchange.all_gather(least)?.into_iter().flatten();
        Ok(all.map(|(key, image, place)| (K::from_words(key), K::from_words(image), place)).min())
    }

    /// The first result that `search` finds for one of `0..count`. Each thread has scratch space.
    pub(super) fn first_of<S, T: Send>(
        self,
        count: usize,
        scratch: impl Fn() -> S + Send + Sync,
        search: impl Fn(&mut S, usize) -> Result<Option<T>, StoreError> + Sync,
    ) -> Result<Option<T>, Stopped> {
        let search = |scratch: &mut S, number| self.cancel.check().and_then(|()| Ok(search(scratch, number)?));
        self.expander.install(|| parallel::find_first(count, scratch, search))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use halma_engine::search::exchange::Exchange;
    use halma_engine::search::exchange::mesh::mesh;
    use halma_engine::search::{CancellationToken, Expander};

    use super::*;

    /// What process 0 finds, whose share of both levels has all of `keys`, each its own image, where process 1 says that it has room
    /// for `held` blocks and sends these bytes.
    fn found(keys: Vec<u64>, held: usize, bytes: Vec<u8>) -> Result<Option<Common<u64>>, Stopped> {
        let [here, liar] = <[_; 2]>::try_from(mesh(2)).unwrap().map(Arc::new);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let exchange: &dyn Exchange = &liar;
                exchange.all_gather(held).unwrap();
                exchange.all_gather(1usize).unwrap();
                liar.all_to_all(vec![Message { peer: 0, bytes }]).unwrap();
                // Nothing found; process 0 may have gone.
                let _ = exchange.all_gather(None::<([u64; 4], [u64; 4], usize)>);
            });
            let (expander, cancel) =
                (Expander::new(1, None).unwrap().sharing(Arc::new(here)), CancellationToken::after(None));
            let engine = Engine::new(&expander, &cancel, &());
            let level = Level::of(keys);
            engine.common(&level, &[&level], |level: &Level<u64>, blocks: Range<usize>| {
                let (mut keys, mut images) = (Vec::new(), Vec::new());
                for block in blocks {
                    level.read_block(block, &mut keys)?;
                    images.extend(keys.iter().map(|&key| (key, key)));
                }
                Ok(images)
            })
        })
    }

    /// The least keys that these processes own, of two.
    fn owned<const N: usize>(processes: [usize; N]) -> [u64; N] {
        processes.map(|process| (0..).find(|&key: &u64| owner(key, 2) == process).unwrap())
    }

    #[test]
    fn a_process_whose_states_make_no_sense_is_lost() {
        let [here, there] = owned([0, 1]);
        let pairs = |pairs: &[(u64, u64)]| {
            let mut bytes = Vec::new();
            pairs.iter().flat_map(|&(image, key)| [image, key]).for_each(|key| put(key, &mut bytes));
            bytes
        };
        let sound = pairs(&[(here, there)]);
        assert_eq!(found(vec![here], 1, sound.clone()).unwrap(), Some((here.min(there), here, 0)));
        for garbled in [&sound[..15], &sound[..8], &[&sound[..], &[0]].concat(), &pairs(&[(there, there)])] {
            let Err(Stopped::Lost(lost)) = found(vec![here], 1, garbled.to_vec()) else { panic!("{garbled:?}") };
            assert_eq!(lost, Lost::of_states(1));
        }
    }

    #[test]
    fn a_process_without_room_takes_one_block_at_a_time() {
        let [here] = owned([0]);
        assert_eq!(found(vec![here], 0, Vec::new()).unwrap(), Some((here, here, 0)));
    }
}
