//! Collective operations (all-to-all, all-gather, all-reduce, as in MPI): what the processes of one search tell each other.
//!
//! Every process does the same, in the same order, with its share of each level: the states whose keys it owns
//! ([`owner`]). Whatever decides how the search goes on is agreed upon, so that all of them go the same way; and nobody
//! has anything of a round before everybody has sent all of it, so that nobody is more than one round ahead.

#[cfg(any(test, feature = "testing"))]
pub mod mesh;

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::key::Key;
use crate::store::wire::{get, put};

/// Bytes for another process, or from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The other process; on the way in, who sent it.
    pub peer: usize,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// A process of the search is gone, or gave up, so that no level can be completed any more.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("process {process} is lost: {reason}")]
pub struct Lost {
    /// Which one.
    pub process: usize,
    /// How that showed.
    pub reason: String,
}

/// How the processes of one search exchange what they have.
///
/// All of them call [`Exchange::all_to_all`] equally often.
pub trait Exchange: Send + Sync + Debug {
    /// The number of this process, from 0.
    fn process(&self) -> usize;

    /// How many processes there are.
    fn processes(&self) -> usize;

    /// How many of them share this one's host, itself included.
    fn beside(&self) -> usize {
        1
    }

    /// Sends the parcels, and returns those that the other processes sent to this one in their same call.
    ///
    /// # Errors
    /// Where a process is lost; then all further calls fail.
    fn all_to_all(&self, messages: Vec<Message>) -> Result<Vec<Message>, Lost>;

    /// Whether all processes are there, as far as this one knows; quick.
    ///
    /// # Errors
    /// Which one is not.
    fn check(&self) -> Result<(), Lost>;

    /// Says to all others that this process does not go on; they are not to wait for it.
    fn give_up(&self, reason: &str);

    /// Bytes sent to other processes so far, all overhead above TCP included.
    fn sent(&self) -> u64;
}

/// The only process.
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

/// The process that owns `key`: by a mix of all its bits, so that each has about as much of every level, and the same
/// one on all levels, so that a state is compared with earlier levels where it is owned.
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
    pub fn gather(&self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, Lost> {
        let (processes, process) = (self.processes(), self.process());
        let others = (0..processes).filter(|&peer| peer != process);
        let received = self.all_to_all(others.map(|peer| Message { peer, bytes: bytes.clone() }).collect())?;
        let mut all = vec![Vec::new(); processes];
        received.into_iter().for_each(|message| all[message.peer] = message.bytes);
        all[process] = bytes;
        Ok(all)
    }

    /// The value that each process has, by its number.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`], and where another process sends what is no such value.
    pub fn all_gather<T: Serialize + DeserializeOwned>(&self, value: T) -> Result<Vec<T>, Lost> {
        if !self.is_shared() {
            return Ok(vec![value]);
        }
        let garbled = |process| move |e: serde_json::Error| Lost { process, reason: format!("it makes no sense: {e}") };
        let bytes = serde_json::to_vec(&value).map_err(garbled(self.process()))?;
        let all = self.gather(bytes)?.into_iter().enumerate();
        all.map(|(process, bytes)| serde_json::from_slice(&bytes).map_err(garbled(process))).collect()
    }

    /// Whether all processes say so.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    pub fn all(&self, here: bool) -> Result<bool, Lost> {
        Ok(self.all_gather(here)?.into_iter().all(|there| there))
    }

    /// Whether a process says so.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    pub fn any(&self, here: bool) -> Result<bool, Lost> {
        Ok(self.all_gather(here)?.into_iter().any(|there| there))
    }

    /// The least key that a process has, if one has any.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    pub fn all_reduce_min<K: Key>(&self, here: Option<K>) -> Result<Option<K>, Lost> {
        let all = self.all_gather(here.map(K::words))?;
        Ok(all.into_iter().flatten().map(K::from_words).min())
    }

    /// Of what all processes have together the `keep` entries that come first; those keys of them that this process owns.
    ///
    /// # Errors
    /// As [`Exchange::all_to_all`].
    pub fn first<K: Key>(&self, mut here: Vec<(i64, u128, K)>, keep: usize) -> Result<Vec<K>, Lost> {
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

    /// Of this process's entries those that are among the first `keep` of all. Only those are sent that may be on the
    /// edge: by their scores first, then by the first bits of their ties.
    fn cut_shared<K: Key>(&self, here: Vec<(i64, u128, K)>, keep: usize) -> Result<Vec<(i64, u128, K)>, Lost> {
        let (mut sure, edge, keep) = self.split(here, keep as u64, |entry| entry.0)?;
        let (more, edge, keep) = self.split(edge, keep, |entry| (entry.1 >> 116) as i64)?;
        sure.extend(more);
        let mut bytes = Vec::with_capacity(edge.len() * (16 + K::BYTES));
        for (_, tie, key) in &edge {
            bytes.extend_from_slice(&tie.to_le_bytes());
            put(*key, &mut bytes);
        }
        let all = self.gather(bytes)?.concat();
        let entry = |bytes: &[u8]| (bytes.first_chunk().map_or(0, |b| u128::from_le_bytes(*b)), get::<K>(&bytes[16..]));
        let mut all: Vec<(u128, K)> = all.chunks_exact(16 + K::BYTES).map(entry).collect();
        all.sort_unstable();
        // All keys are different.
        let end = all.get(keep as usize).copied();
        sure.extend(edge.into_iter().filter(|&(_, tie, key)| end.is_none_or(|end| (tie, key) < end)));
        Ok(sure)
    }

    /// Parts the entries by a number: those of smaller numbers, which all belong to the first `keep`; those of the number on
    /// the edge, and how many of these belong to them.
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
