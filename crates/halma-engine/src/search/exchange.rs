//! Collective operations, as in MPI (all-to-all, all-gather, all-reduce), between the processes of one search.
//!
//! Every process makes the same calls in the same order, each with its share of the level: the states whose keys it
//! owns ([`owner`]). Every decision about how the search goes on is reduced over all processes, so that all take the
//! same one. A process receives a round's data only after all have sent theirs, so no process is more than one round
//! ahead.

#[cfg(any(test, feature = "testing"))]
pub mod mesh;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::slice::ChunksExact;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::key::Key;
use crate::store::wire::{get, put};

/// Bytes to or from another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The other process: the receiver of what is sent, the sender of what is received.
    pub peer: usize,
    /// The contents.
    pub bytes: Vec<u8>,
}

impl Message {
    /// The contents as entries of `size` bytes each. A remainder is an error: without it a state could be lost.
    ///
    /// # Errors
    /// Where they are no whole number of entries.
    pub fn entries(&self, size: usize) -> Result<ChunksExact<'_, u8>, Lost> {
        let entries = self.bytes.chunks_exact(size);
        if entries.remainder().is_empty() { Ok(entries) } else { Err(Lost::of_states(self.peer)) }
    }
}

/// A process of the search is gone or gave up. No level can be completed any more.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("process {process} is lost: {reason}")]
pub struct Lost {
    /// Which one.
    pub process: usize,
    /// How that showed.
    pub reason: String,
}

impl Lost {
    /// The error for a process that sends what are no states, or not those that it should send.
    #[must_use]
    pub fn of_states(process: usize) -> Self {
        Self { process, reason: "its states make no sense".into() }
    }
}

/// The connection between the processes of one search.
///
/// All of them call [`Exchange::all_to_all`] equally often.
pub trait Exchange: Send + Sync + Debug {
    /// The number of this process, from 0.
    fn process(&self) -> usize;

    /// How many processes there are.
    fn processes(&self) -> usize;

    /// How many of the processes run on this process's host, itself included.
    fn beside(&self) -> usize {
        1
    }

    /// Sends the messages, and returns those that the other processes sent to this one in the same round.
    ///
    /// # Errors
    /// Where a process is lost; then all further calls fail.
    fn all_to_all(&self, messages: Vec<Message>) -> Result<Vec<Message>, Lost>;

    /// Whether all processes are alive, as far as this one knows; cheap.
    ///
    /// # Errors
    /// The process that is not.
    fn check(&self) -> Result<(), Lost>;

    /// All have the answer: from now on the others may end, and none of them is lost by that.
    fn finished(&self) {}

    /// Tells all others that this process does not go on, so that they do not wait for it.
    fn give_up(&self, reason: &str);

    /// Bytes sent to other processes so far, with the overhead above TCP.
    fn sent(&self) -> u64;
}

/// A search in one process.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Exchange for Alone {
    fn process(&self) -> usize {
        0
    }
    fn processes(&self) -> usize {
        1
    }
    fn all_to_all(&self, _: Vec<Message>) -> Result<Vec<Message>, Lost> {
        Ok(Vec::new())
    }
    fn check(&self) -> Result<(), Lost> {
        Ok(())
    }
    fn give_up(&self, _: &str) {}
    fn sent(&self) -> u64 {
        0
    }
}

/// The process that owns `key`. It depends on a hash of the key alone: so each process gets about as many states of
/// every level, and a state has the same owner on all levels, where it is compared with earlier ones.
#[inline]
#[must_use]
pub fn owner<K: Key>(key: K, processes: usize) -> usize {
    (((key.mix() >> 32) * processes as u64) >> 32) as usize
}

impl dyn Exchange + '_ {
    /// Whether there are others.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.processes() > 1
    }

    /// Whether this process owns `key`.
    #[inline]
    #[must_use]
    pub fn owns<K: Key>(&self, key: K) -> bool {
        owner(key, self.processes()) == self.process()
    }

    /// What each process has, by its number.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    fn all_gather_bytes(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Lost> {
        let (processes, process) = (self.processes(), self.process());
        let others = (0..processes).filter(|&peer| peer != process);
        let received = self.all_to_all(others.map(|peer| Message { peer, bytes: bytes.clone() }).collect())?;
        let mut all = vec![Vec::new(); processes];
        received.into_iter().for_each(|message| all[message.peer] = message.bytes);
        all[process] = bytes;
        Ok(all)
    }

    /// All-gather of values: what each process has, by its number.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`], and where another process sends what is no such value.
    pub fn all_gather<T: Serialize + DeserializeOwned>(&self, value: T) -> Result<Vec<T>, Lost> {
        if !self.is_shared() {
            return Ok(vec![value]);
        }
        let garbled = |process| move |e: serde_json::Error| Lost { process, reason: format!("it makes no sense: {e}") };
        let bytes = serde_json::to_vec(&value).map_err(garbled(self.process()))?;
        let all = self.all_gather_bytes(bytes)?.into_iter().enumerate();
        all.map(|(process, bytes)| serde_json::from_slice(&bytes).map_err(garbled(process))).collect()
    }

    /// Whether the answer is yes in all processes.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    pub fn all(&self, here: bool) -> Result<bool, Lost> {
        Ok(self.all_gather(here)?.into_iter().all(|there| there))
    }

    /// Whether the answer is yes in some process.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    pub fn any(&self, here: bool) -> Result<bool, Lost> {
        Ok(self.all_gather(here)?.into_iter().any(|there| there))
    }

    /// The least key over all processes, if one has any.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    pub fn all_reduce_min<K: Key>(&self, here: Option<K>) -> Result<Option<K>, Lost> {
        let all = self.all_gather(here.map(K::words))?;
        Ok(all.into_iter().flatten().map(K::from_words).min())
    }

    /// Distributed selection of the `keep` least entries of all processes. Entries are (score, tie-breaker, key). Returns, in any order,
    /// the keys of those in `here` that are among them.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    pub fn select_least<K: Key>(&self, mut here: Vec<(i64, u128, K)>, keep: usize) -> Result<Vec<K>, Lost> {
        let cut = |entries: &mut Vec<(i64, u128, K)>| {
            if entries.len() > keep {
                entries.select_nth_unstable(keep);
                entries.truncate(keep);
            }
        };
        cut(&mut here);
        if self.is_shared() {
            here = self.cut_shared(here, keep)?;
        }
        Ok(here.into_iter().map(|(.., key)| key).collect())
    }

    /// Selects this process's part of the first `keep` entries of all processes. It sends only entries near the cut:
    /// first by their scores, then by the leading bits of their tie-breakers.
    fn cut_shared<K: Key>(&self, here: Vec<(i64, u128, K)>, keep: usize) -> Result<Vec<(i64, u128, K)>, Lost> {
        let (mut sure, edge, keep) = self.split(here, keep as u64, |entry| entry.0)?;
        let (more, edge, keep) = self.split(edge, keep, |entry| (entry.1 >> 116) as i64)?;
        sure.extend(more);
        let mut bytes = Vec::with_capacity(edge.len() * (16 + K::BYTES));
        for (_, tie, key) in &edge {
            bytes.extend_from_slice(&tie.to_le_bytes());
            put(*key, &mut bytes);
        }
        let entry = |bytes: &[u8]| (bytes.first_chunk().map_or(0, |b| u128::from_le_bytes(*b)), get::<K>(&bytes[16..]));
        let mut all: Vec<(u128, K)> = Vec::new();
        for (peer, bytes) in self.all_gather_bytes(bytes)?.into_iter().enumerate() {
            all.extend(Message { peer, bytes }.entries(16 + K::BYTES)?.map(entry));
        }
        all.sort_unstable();
        // Keys are distinct, so ties end here.
        let end = all.get(keep as usize).copied();
        sure.extend(edge.into_iter().filter(|&(_, tie, key)| end.is_none_or(|end| (tie, key) < end)));
        Ok(sure)
    }

    /// Splits the entries at the cut: those with smaller numbers, which are all among the first `keep`; those with the
    /// number at the cut, and how many of these are among them.
    fn split<E>(&self, here: Vec<E>, keep: u64, number: impl Fn(&E) -> i64) -> Result<(Vec<E>, Vec<E>, u64), Lost> {
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        here.iter().for_each(|entry| *counts.entry(number(entry)).or_default() += 1);
        let mut all: BTreeMap<i64, u64> = BTreeMap::new();
        for (number, count) in self.all_gather(counts.into_iter().collect::<Vec<_>>())?.into_iter().flatten() {
            *all.entry(number).or_default() += count;
        }
        let (mut left, mut edge) = (keep, i64::MAX);
        for (number, count) in all {
            if count > left {
                edge = number;
                break;
            }
            left -= count;
        }
        let (mut sure, mut on_edge) = (Vec::new(), Vec::new());
        for entry in here {
            match number(&entry).cmp(&edge) {
                std::cmp::Ordering::Less => sure.push(entry),
                std::cmp::Ordering::Equal => on_edge.push(entry),
                std::cmp::Ordering::Greater => {}
            }
        }
        Ok((sure, on_edge, left))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::mesh::mesh;
    use super::*;

    #[test]
    fn a_process_that_sends_a_part_of_an_entry_is_lost() {
        let mut sound = 7u128.to_le_bytes().to_vec();
        put(30u64, &mut sound);
        let garbled = [&sound[..23], &[&sound[..], &[0]].concat(), &[1]].map(<[u8]>::to_vec);
        for (bytes, is_sound) in garbled.map(|bytes| (bytes, false)).into_iter().chain([(sound, true)]) {
            let [here, liar] = <[_; 2]>::try_from(mesh(2)).unwrap().map(Arc::new);
            let kept = std::thread::scope(|scope| {
                scope.spawn(move || {
                    let exchange: &dyn Exchange = &liar;
                    // One entry of that score, and of the leading bits of that tie-breaker.
                    (0..2).for_each(|_| drop(exchange.all_gather(vec![(0i64, 1u64)]).unwrap()));
                    liar.all_to_all(vec![Message { peer: 0, bytes }]).unwrap();
                });
                let exchange: &dyn Exchange = &here;
                exchange.select_least(vec![(0, 5, 10u64), (0, 9, 20)], 2)
            });
            let expected = if is_sound { Ok(vec![10]) } else { Err(Lost::of_states(1)) };
            assert_eq!(kept, expected);
        }
    }
}
