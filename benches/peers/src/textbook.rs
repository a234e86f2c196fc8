//! The textbook designs of a parallel breadth-first search, as tuned as their libraries allow: a concurrent hash set that
//! all threads share, and hash sets by shard, each with an owner who is sent what belongs to it.
//!
//! The memory of a first run is given to the tables at once, so that none grows while it is measured: that favours them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use ahash::RandomState;
use crossbeam_channel::{Receiver, Sender, bounded};
use dashmap::DashSet;
use halma_engine::puzzle::Puzzle;
use hashbrown::HashSet;

use crate::search::{Found, Transfer};

/// Parents that a thread takes at once.
const PARENTS: usize = 256;
/// States that are sent at once.
const BATCH: usize = 4096;

fn hasher() -> RandomState {
    RandomState::with_seeds(1, 2, 3, 4)
}

/// States of levels 0 to `depth`, about, for the tables' first size: a wrong guess costs time, not states.
fn expected(depth: u32) -> usize {
    [1 << 10, 1 << 10, 1 << 10, 1 << 13, 1 << 15, 1 << 16, 1 << 18, 1_400_000, 6_200_000][depth.min(8) as usize]
}

/// `dashmap` hashed by `ahash`, shared by crossbeam's scoped threads, which take pieces of the level by a counter. A state
/// belongs to the thread that was the first to insert it.
pub fn shared(puzzle: &Arc<Transfer>, depth: u32, threads: usize) -> Found {
    let seen: DashSet<u64, RandomState> = DashSet::with_capacity_and_hasher(expected(depth), hasher());
    let mut level = puzzle.start();
    level.iter().for_each(|&key| {
        seen.insert(key);
    });
    let successors = AtomicU64::new(0);
    for depth in 0..depth {
        let (taken, frontier, seen, successors) = (AtomicUsize::new(0), &level, &seen, &successors);
        let expand = || {
            let (mut scratch, mut next, mut made) = (puzzle.scratch(), Vec::new(), 0);
            loop {
                let first = taken.fetch_add(PARENTS, Ordering::Relaxed);
                let Some(parents) = frontier.get(first..frontier.len().min(first + PARENTS)) else { break };
                for &key in parents {
                    made += puzzle.successors(&mut scratch, key, depth, &mut |k| {
                        if seen.insert(k) {
                            next.push(k);
                        }
                    });
                }
            }
            successors.fetch_add(made, Ordering::Relaxed);
            next
        };
        let parts = crossbeam_utils::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(|_| expand())).collect();
            handles.into_iter().map(|handle| handle.join()).collect::<Result<Vec<_>, _>>()
        });
        level = parts.and_then(|parts| parts).map_err(|_| "a thread panicked")?.concat();
    }
    Ok((seen.len() as u64, Some(successors.into_inner())))
}

/// Hash sets by shard: each thread expands its share of the level and owns a set; a state goes to the thread that its hash
/// names, in batches over crossbeam's channels. A thread empties its own channel whenever another one's is full.
pub fn sharded(puzzle: &Arc<Transfer>, depth: u32, threads: usize) -> Found {
    let mut shards: Vec<Shard> = (0..threads)
        .map(|_| Shard {
            seen: HashSet::with_capacity_and_hasher(expected(depth) / threads, hasher()),
            level: Vec::new(),
        })
        .collect();
    for key in puzzle.start() {
        shards[owner(key, threads)].add(key);
    }
    let mut successors = 0;
    for depth in 0..depth {
        let (senders, receivers): (Vec<Sender<Vec<u64>>>, Vec<Receiver<Vec<u64>>>) =
            (0..threads).map(|_| bounded(64)).unzip();
        let made = crossbeam_utils::thread::scope(|scope| {
            let handles: Vec<_> = shards
                .iter_mut()
                .zip(receivers)
                .map(|(shard, receiver)| {
                    let senders = senders.clone();
                    scope.spawn(move |_| shard.expand(puzzle, depth, senders, &receiver))
                })
                .collect();
            drop(senders);
            handles.into_iter().map(|handle| handle.join()).sum::<Result<u64, _>>()
        });
        successors += made.and_then(|made| made).map_err(|_| "a thread panicked")?;
    }
    Ok((shards.iter().map(|shard| shard.seen.len() as u64).sum(), Some(successors)))
}

/// The thread whose set a state belongs to.
fn owner(key: u64, threads: usize) -> usize {
    ((key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize * threads) >> 32
}

struct Shard {
    seen: HashSet<u64, RandomState>,
    level: Vec<u64>,
}

impl Shard {
    fn add(&mut self, key: u64) {
        if self.seen.insert(key) {
            self.level.push(key);
        }
    }

    fn expand(
        &mut self,
        puzzle: &Arc<Transfer>,
        depth: u32,
        senders: Vec<Sender<Vec<u64>>>,
        receiver: &Receiver<Vec<u64>>,
    ) -> u64 {
        let (mut scratch, mut made) = (puzzle.scratch(), 0);
        let mut batches: Vec<Vec<u64>> = senders.iter().map(|_| Vec::with_capacity(BATCH)).collect();
        for key in std::mem::take(&mut self.level) {
            made += puzzle.successors(&mut scratch, key, depth, &mut |k| batches[owner(k, senders.len())].push(k));
            for (batch, sender) in batches.iter_mut().zip(&senders).filter(|(batch, _)| batch.len() >= BATCH) {
                self.send(std::mem::replace(batch, Vec::with_capacity(BATCH)), sender, receiver);
            }
        }
        for (batch, sender) in batches.into_iter().zip(&senders) {
            self.send(batch, sender, receiver);
        }
        // Without senders left, all channels end once every thread has sent its last batch.
        drop(senders);
        receiver.iter().flatten().for_each(|key| self.add(key));
        made
    }

    fn send(&mut self, mut batch: Vec<u64>, sender: &Sender<Vec<u64>>, receiver: &Receiver<Vec<u64>>) {
        while let Err(full) = sender.try_send(batch) {
            batch = full.into_inner();
            match receiver.try_recv() {
                Ok(received) => received.into_iter().for_each(|key| self.add(key)),
                Err(_) => std::thread::yield_now(),
            }
        }
    }
}
