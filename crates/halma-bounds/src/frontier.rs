//! Distributed breadth-first search in the abstract space: the histograms of one distance, divided among the processes.
//!
//! Every process has the whole table, and expands its part of a frontier. Before the next distance the processes
//! exchange their new entries, so that all tables are equal again.

use rayon::prelude::*;
use roaring::RoaringBitmap;

use halma_engine::search::exchange::{Exchange, Lost, Message};
use halma_engine::search::{CancellationToken, Stopped};

/// The size of the blocks of consecutive ranks that one process owns.
pub(crate) const PART: usize = 1 << 14;

/// A frontier: the histograms of one distance.
#[derive(Debug)]
pub struct Frontier {
    /// Those that this process owns, ascending.
    pub own: Vec<u32>,
    /// Whether it is empty in all processes.
    pub is_empty: bool,
}

impl Frontier {
    /// A single histogram, which every process may expand.
    #[must_use]
    pub(crate) fn of_all(rank: u32) -> Self {
        Self { own: vec![rank], is_empty: false }
    }

    /// Up to which distance a table is complete that has been computed up to `distance`, where these histograms are.
    pub(crate) fn complete_to(&self, distance: u32) -> u32 {
        if self.is_empty { u32::MAX } else { distance }
    }

    /// Parts of the own histograms, for one thread each: so small that a frontier of some thousands keeps several threads busy.
    pub(crate) fn own_parts(&self) -> impl IndexedParallelIterator<Item = &[u32]> {
        self.own.par_chunks(256)
    }
}

/// The processes that compute a table together, and their cancellation token.
#[derive(Clone, Copy, Debug)]
pub struct WorkContext<'a> {
    /// The connection to the other processes.
    pub exchange: &'a dyn Exchange,
    /// The cancellation token.
    pub cancel: &'a CancellationToken,
}

/// What a process sends before its new entries.
const GOES_ON: u8 = 0;
const INTERRUPTED: u8 = 1;
const OUT_OF_TIME: u8 = 2;

impl WorkContext<'_> {
    /// The blocks of `0..count` that this process owns.
    pub fn parts(self, count: usize) -> impl IndexedParallelIterator<Item = std::ops::Range<u32>> {
        let (process, processes) = (self.exchange.process(), self.exchange.processes());
        let parts = (process..count.div_ceil(PART)).into_par_iter().step_by(processes);
        parts.map(move |part| (part * PART) as u32..((part + 1) * PART).min(count) as u32)
    }

    fn owns(self, rank: u32) -> bool {
        rank as usize / PART % self.exchange.processes() == self.exchange.process()
    }

    /// Exchanges the new entries of all processes, and returns the next frontier. `entered` are this process's, in any
    /// order, out of `count` histograms; those of others are entered here by `enter`, which says whether one was new.
    /// If one process has to stop, all do.
    ///
    /// # Errors
    /// Why they stop; that another process names a histogram which does not exist.
    pub fn join(
        self,
        entered: Result<Vec<u32>, Stopped>,
        count: usize,
        enter: impl Fn(u32) -> bool + Sync,
    ) -> Result<Frontier, Stopped> {
        if !self.exchange.is_shared() {
            let mut own = entered?;
            own.par_sort_unstable();
            return Ok(Frontier { is_empty: own.is_empty(), own });
        }
        let mut own = Vec::new();
        let word = match entered {
            Ok(ranks) => {
                own = ranks;
                GOES_ON
            }
            Err(Stopped::Interrupted) => INTERRUPTED,
            Err(Stopped::Time) => OUT_OF_TIME,
            Err(lost_or_broken) => return Err(lost_or_broken),
        };
        own.par_sort_unstable();
        let mut bytes = vec![word];
        let all = RoaringBitmap::from_sorted_iter(own.iter().copied());
        let all = all.unwrap_or_else(|e| unreachable!("each rank is entered once: {e}"));
        all.serialize_into(&mut bytes).unwrap_or_else(|e| unreachable!("memory takes all bytes: {e}"));
        own.retain(|&rank| self.owns(rank));
        let peers = (0..self.exchange.processes()).filter(|&peer| peer != self.exchange.process());
        let messages = peers.map(|peer| Message { peer, bytes: bytes.clone() }).collect();
        let mut is_empty = all.is_empty();
        let mut ends = [INTERRUPTED, OUT_OF_TIME].map(|end| end == word);
        for Message { peer, bytes } in self.exchange.all_to_all(messages)? {
            let garbled = || Lost { process: peer, reason: "its histograms make no sense".into() };
            let (&word, mut bytes) = bytes.split_first().ok_or_else(garbled)?;
            match word {
                GOES_ON => {
                    let ranks = RoaringBitmap::deserialize_from(&mut bytes).map_err(|_| garbled())?;
                    if !bytes.is_empty() || ranks.max().is_some_and(|rank| rank as usize >= count) {
                        return Err(garbled().into());
                    }
                    is_empty &= ranks.is_empty();
                    own.extend(ranks.into_iter().filter(|&rank| enter(rank) && self.owns(rank)));
                }
                INTERRUPTED => ends[0] = true,
                OUT_OF_TIME => ends[1] = true,
                _ => return Err(garbled().into()),
            }
        }
        own.par_sort_unstable();
        match ends {
            [true, _] => Err(Stopped::Interrupted),
            [_, true] => Err(Stopped::Time),
            _ => Ok(Frontier { own, is_empty }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_engine::search::exchange::mesh::mesh;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// What three processes make of what each of them has.
    fn joined(entered: [Result<Vec<u32>, Stopped>; 3]) -> Vec<(Vec<u32>, Result<Frontier, Stopped>)> {
        std::thread::scope(|scope| {
            let process = |(mesh, entered): (_, Result<Vec<u32>, Stopped>)| {
                scope.spawn(move || {
                    let table: Vec<AtomicU32> = (0..100_000).map(|_| AtomicU32::new(0)).collect();
                    let enter = |rank: u32| table[rank as usize].swap(1, Ordering::Relaxed) == 0;
                    entered.iter().flatten().for_each(|&rank| assert!(enter(rank)));
                    let (exchange, cancel) = (Arc::new(mesh), CancellationToken::after(None));
                    let frontier = WorkContext { exchange: &exchange, cancel: &cancel }.join(entered, 100_000, enter);
                    ((0..100_000).filter(|&rank| !enter(rank)).collect(), frontier)
                })
            };
            let threads: Vec<_> = mesh(3).into_iter().zip(entered).map(process).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn every_process_enters_what_any_has_and_owns_a_part_of_it() {
        let entered = [vec![99_999, 3, 20_000], vec![3, 40_000, 70_000], vec![20_000]];
        let all = [3, 20_000, 40_000, 70_000, 99_999];
        let mut owned = Vec::new();
        for (table, frontier) in joined(entered.map(Ok)) {
            assert_eq!(table, all);
            let frontier = frontier.unwrap();
            assert!(!frontier.is_empty);
            owned.extend(frontier.own);
        }
        owned.sort_unstable();
        assert_eq!(owned, all);
        assert!(joined([vec![], vec![], vec![]].map(Ok)).iter().all(|(_, f)| f.as_ref().unwrap().is_empty));
    }

    #[test]
    fn a_process_that_names_histograms_that_there_are_not_is_lost() {
        let said = |ranks: &[u32]| {
            let mut bytes = vec![GOES_ON];
            RoaringBitmap::from_sorted_iter(ranks.iter().copied()).unwrap().serialize_into(&mut bytes).unwrap();
            bytes
        };
        let sound = said(&[3, 999]);
        let garbled = [
            said(&[3, 1000]),
            said(&[u32::MAX]),
            [&sound[..], &[0]].concat(),
            sound[..sound.len() - 1].to_vec(),
            [&[7], &sound[1..]].concat(),
            Vec::new(),
        ];
        for (bytes, is_sound) in garbled.map(|bytes| (bytes, false)).into_iter().chain([(sound.clone(), true)]) {
            let [here, liar]: [_; 2] = mesh(2).try_into().unwrap();
            let joined = std::thread::scope(|scope| {
                scope.spawn(move || Arc::new(liar).all_to_all(vec![Message { peer: 0, bytes }]).unwrap());
                let (exchange, cancel) = (Arc::new(here), CancellationToken::after(None));
                let table: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
                let enter = |rank: u32| table[rank as usize].swap(1, Ordering::Relaxed) == 0;
                WorkContext { exchange: &exchange, cancel: &cancel }.join(Ok(vec![5]), 1000, enter)
            });
            match joined {
                Ok(_) => assert!(is_sound),
                Err(Stopped::Lost(lost)) => assert!(!is_sound && lost.process == 1, "{lost}"),
                Err(other) => panic!("{other}"),
            }
        }
    }

    #[test]
    fn where_one_process_stops_all_do() {
        for (_, frontier) in joined([Ok(vec![1, 2]), Err(Stopped::Time), Ok(vec![])]) {
            assert!(matches!(frontier, Err(Stopped::Time)), "{frontier:?}");
        }
        for (_, frontier) in joined([Err(Stopped::Time), Ok(vec![5]), Err(Stopped::Interrupted)]) {
            assert!(matches!(frontier, Err(Stopped::Interrupted)), "{frontier:?}");
        }
    }
}
