//! Threads in the roles of processes, for tests of distributed searches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Exchange, Lost, Message};

type Round = (usize, Vec<Message>);

/// One of the threads.
#[derive(Debug)]
pub struct Mesh {
    process: usize,
    to: Vec<Sender<Round>>,
    from: Vec<Mutex<Receiver<Round>>>,
    rounds: AtomicU64,
    /// The round in which this one fails, for tests of how the others react.
    pub dies_in: u64,
}

/// So many processes, connected with each other.
pub fn mesh(processes: usize) -> Vec<Mesh> {
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
    /// Its number.
    #[must_use]
    pub fn process_number(&self) -> usize {
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
    fn all_to_all(&self, messages: Vec<Message>) -> Result<Vec<Message>, Lost> {
        let lost = |process| Lost { process, reason: "its thread has ended".into() };
        if self.rounds.fetch_add(1, Ordering::Relaxed) >= self.dies_in {
            return Err(lost(self.process));
        }
        let mut by_peer: Vec<Vec<Message>> = vec![Vec::new(); self.to.len()];
        messages.into_iter().for_each(|message| by_peer[message.peer].push(message));
        let others = (0..self.to.len()).filter(|&peer| peer != self.process);
        for (peer, messages) in by_peer.into_iter().enumerate().filter(|(peer, _)| *peer != self.process) {
            self.to[peer].send((self.process, messages)).map_err(|_| lost(peer))?;
        }
        let mut received = Vec::new();
        for peer in others {
            let round = self.from[peer].lock().unwrap_or_else(PoisonError::into_inner).recv();
            let (peer, messages) = round.map_err(|_| lost(peer))?;
            received.extend(messages.into_iter().map(|message| Message { peer, ..message }));
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
