//! Processes that are threads, for tests of what they do together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Exchange, Lost, Parcel};

type Round = (usize, Vec<Parcel>);

/// One of several threads.
#[derive(Debug)]
pub(crate) struct Mesh {
    process: usize,
    to: Vec<Sender<Round>>,
    from: Vec<Mutex<Receiver<Round>>>,
    rounds: AtomicU64,
    /// The round in which this one goes; for tests of what becomes of the others.
    pub(crate) dies_in: u64,
}

/// So many, connected with each other.
pub(crate) fn mesh(processes: usize) -> Vec<Mesh> {
    let ends: Vec<Vec<_>> = (0..processes).map(|_| (0..processes).map(|_| channel()).collect()).collect();
    let mut meshes: Vec<Mesh> = Vec::new();
    for (process, ends) in ends.iter().enumerate() {
        let to = ends.iter().map(|(to, _)| to.clone()).collect();
        meshes.push(Mesh { process, to, from: Vec::new(), rounds: AtomicU64::new(0), dies_in: u64::MAX });
    }
    for from in ends {
        for (to, (_, receiver)) in from.into_iter().enumerate() {
            meshes[to].from.push(Mutex::new(receiver));
        }
    }
    meshes
}

impl Mesh {
    pub(crate) fn process_number(&self) -> usize {
        self.process
    }
}

impl Exchange for Arc<Mesh> {
    fn process(&self) -> usize {
        self.process
    }
    fn processes(&self) -> usize {
        self.to.len()
    }
    fn swap(&self, parcels: Vec<Parcel>) -> Result<Vec<Parcel>, Lost> {
        let lost = |process| Lost { process, reason: "its thread has ended".into() };
        if self.rounds.fetch_add(1, Ordering::Relaxed) >= self.dies_in {
            return Err(lost(self.process));
        }
        let mut by_peer: Vec<Vec<Parcel>> = vec![Vec::new(); self.to.len()];
        parcels.into_iter().for_each(|parcel| by_peer[parcel.peer].push(parcel));
        let others = (0..self.to.len()).filter(|&peer| peer != self.process);
        for (peer, parcels) in by_peer.into_iter().enumerate().filter(|(peer, _)| *peer != self.process) {
            self.to[peer].send((self.process, parcels)).map_err(|_| lost(peer))?;
        }
        let mut received = Vec::new();
        for peer in others {
            let round = self.from[peer].lock().unwrap_or_else(PoisonError::into_inner).recv();
            let (peer, parcels) = round.map_err(|_| lost(peer))?;
            received.extend(parcels.into_iter().map(|parcel| Parcel { peer, ..parcel }));
        }
        Ok(received)
    }
    fn check(&self) -> Result<(), Lost> {
        Ok(())
    }
    fn give_up(&self, _: &str) {}
    fn sent(&self) -> u64 {
        0
    }
}
