//! One search in several processes, on one host or many, on [timely dataflow](https://docs.rs/timely).
//!
//! Timely exchanges the messages of the processes, and detects when a round is complete everywhere. Halma opens the
//! connections itself (`meet`), because timely's own set-up would wait for a missing process for ever, and accept any
//! process. On a connection that timely receives, both sides have proved that they have the same key (`handshake`), and
//! that they run the same program on the same job (`greeting`). Only what the other side sent, in its order, is read
//! (`frame`), and only messages that timely can take (`stream`). If a connection is lost or silent, the search is told,
//! instead of the process ending (`link`).

mod engine;
mod frame;
mod greeting;
mod handshake;
mod hosts;
mod key;
mod link;
mod meet;
mod packet;
mod stream;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use halma_engine::budget;
use halma_engine::search::CancellationToken;
use halma_engine::search::exchange::{Exchange, Lost, Message};

use engine::Order;
pub use hosts::{Hosts, process_number};
pub use key::{Secret, VARIABLE};
use link::Links;

/// Why the processes of a search did not connect.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// The host file, the key or the number of the process is wrong.
    #[error("{0}")]
    Input(String),
    /// This process cannot listen on its address.
    #[error("process {process} cannot listen on {address}: {source}")]
    Listen {
        /// The number of this process.
        process: usize,
        /// Its address.
        address: String,
        /// Why.
        source: std::io::Error,
    },
    /// Another process belongs to another run.
    #[error("process {process} is not of this run: {reason}")]
    Refused {
        /// The other process.
        process: usize,
        /// The difference.
        reason: String,
    },
    /// Not all processes came in time.
    #[error("after {seconds} s there is no connection with {missing}; start all processes again")]
    Missing {
        /// How long this one waited.
        seconds: u64,
        /// Which processes are missing, and what was last seen of them.
        missing: String,
    },
    /// This process was cancelled before all had connected.
    #[error("{reason} while waiting for {missing}")]
    Stopped {
        /// The reason.
        reason: String,
        /// Which processes are missing.
        missing: String,
    },
    /// The system refused something.
    #[error("connections: {0}")]
    Io(#[from] std::io::Error),
}

/// The parameters of a process, most of them common to all processes of a search.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The addresses of all processes.
    pub hosts: Hosts,
    /// The number of this process.
    pub process: usize,
    /// Everything that the answer depends on: problem, question, pruning.
    pub job: String,
    /// How long to wait for the others.
    pub wait: Duration,
    /// The shared secret. Without one, all addresses must be loopback addresses.
    pub secret: Option<Secret>,
    /// A process that is silent for so long is lost.
    pub peer_timeout: Duration,
    /// The memory of this process; by default its part of the free memory. At most half of it is for what others send
    /// at once.
    pub memory: Option<u64>,
    /// Ends the waiting.
    pub cancel: Arc<CancellationToken>,
    /// Is told about callers that were refused.
    pub note: fn(&str),
}

/// The connections of this process with all others.
#[derive(Debug)]
pub struct Cluster {
    process: usize,
    processes: usize,
    beside: usize,
    links: Arc<Links>,
    orders: Mutex<Sender<Order>>,
    answers: Mutex<Receiver<Result<Vec<Message>, Lost>>>,
}

/// Connects with all other processes.
///
/// # Errors
/// Where they do not connect in time, or are not of the same search.
pub fn connect(terms: &Terms) -> Result<Cluster, ClusterError> {
    terms.check_key()?;
    let connections = meet::meet(terms)?;
    let beside = terms.hosts.beside(terms.process);
    let part = || budget::available_memory().map(|free| free / beside as u64);
    let most = terms.memory.or_else(part).map_or(u64::MAX, |memory| memory / 2);
    let links = Links::new(terms.process, connections.len(), terms.peer_timeout, most)?;
    let wrap = |connection: Option<link::Connection>| {
        connection.map(|connection| link::Link::new(connection, Arc::clone(&links))).transpose()
    };
    let sockets = connections.into_iter().map(wrap).collect::<std::io::Result<Vec<_>>>()?;
    let (orders, taken) = channel();
    let (given, answers) = channel();
    engine::start(terms.process, sockets, Arc::clone(&links), taken, given)?;
    let (process, processes) = (terms.process, terms.hosts.len());
    Ok(Cluster { process, processes, beside, links, orders: Mutex::new(orders), answers: Mutex::new(answers) })
}

impl Cluster {
    fn gone(&self) -> Lost {
        let ended = || Lost { process: self.process, reason: "its connections have ended".into() };
        self.links.check().err().unwrap_or_else(ended)
    }

    fn order(&self, order: Order) -> Result<(), Lost> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner).send(order).map_err(|_| self.gone())
    }

    /// Calls `then` from another thread when a process is lost, and so long afterwards the run has not
    /// [finished](Exchange::finished).
    pub fn when_lost(&self, grace: Duration, then: impl Fn(&Lost) + Send + Sync + 'static) {
        let (links, then) = (Arc::downgrade(&self.links), Arc::new(then));
        self.links.when_lost(Box::new(move |lost| {
            let (links, then, lost) = (Weak::clone(&links), Arc::clone(&then), lost.clone());
            let wait = move || {
                thread::sleep(grace);
                if links.upgrade().is_some_and(|links| !links.is_ending()) {
                    then(&lost);
                }
            };
            // Without a thread for it the search looks for itself, only later.
            let _ = thread::Builder::new().name("halma:lost".into()).spawn(wait);
        }));
    }
}

impl Exchange for Cluster {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn beside(&self) -> usize {
        self.beside
    }

    fn all_to_all(&self, messages: Vec<Message>) -> Result<Vec<Message>, Lost> {
        self.links.check()?;
        self.order(Order::Swap(messages))?;
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).recv().map_err(|_| self.gone())?
    }

    fn check(&self) -> Result<(), Lost> {
        self.links.check()
    }

    fn finished(&self) {
        self.links.end();
    }

    fn give_up(&self, reason: &str) {
        if self.order(Order::GiveUp(reason.into())).is_ok() {
            // Until the others have the message, or are gone themselves.
            let _ = self.answers.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(engine::FAREWELL);
        }
    }

    fn sent(&self) -> u64 {
        self.links.sent()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The others must not take the silence of a process with a bug for the end of its work.
        let order = if std::thread::panicking() { Order::GiveUp("it has a bug".into()) } else { Order::End };
        if self.order(order).is_ok() {
            let _ = self.answers.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(engine::FAREWELL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    pub(super) fn terms(hosts: &str, process: usize) -> Terms {
        Terms {
            hosts: Hosts::parse(hosts).unwrap(),
            process,
            job: "a".into(),
            wait: Duration::from_secs(20),
            secret: None,
            peer_timeout: Duration::from_secs(60),
            memory: None,
            cancel: Arc::new(CancellationToken::after(None)),
            note: |_| {},
        }
    }

    /// So many processes, as threads.
    fn clusters(count: usize) -> Vec<Cluster> {
        clusters_within(count, None)
    }

    /// The same, each with so much memory.
    fn clusters_within(count: usize, memory: Option<u64>) -> Vec<Cluster> {
        let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let lines: Vec<String> = listeners.iter().map(|l| l.local_addr().unwrap().to_string()).collect();
        drop(listeners);
        let hosts = lines.join("\n");
        thread::scope(|scope| {
            let all: Vec<_> = (0..count)
                .map(|p| {
                    scope.spawn({
                        let terms = Terms { memory, ..terms(&hosts, p) };
                        move || connect(&terms).unwrap()
                    })
                })
                .collect();
            all.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    fn bytes(from: usize, to: usize, round: usize) -> Vec<u8> {
        let length = [0, 5, 3 * packet::MOST + 1, packet::MOST][(from + to + round) % 4];
        (0..length).map(|i| (i * (from + 3) + to * 7 + round) as u8).collect()
    }

    #[test]
    fn every_parcel_arrives_in_its_round() {
        let clusters = clusters(3);
        thread::scope(|scope| {
            for cluster in &clusters {
                scope.spawn(move || {
                    let own = cluster.process();
                    for round in 0..12 {
                        let others = (0..3).filter(|&peer| peer != own);
                        let messages = others.clone().map(|peer| Message { peer, bytes: bytes(own, peer, round) });
                        let mut received = cluster.all_to_all(messages.collect()).unwrap();
                        received.sort_by_key(|message| message.peer);
                        let expected: Vec<_> =
                            others.map(|peer| Message { peer, bytes: bytes(peer, own, round) }).collect();
                        assert!(received == expected, "round {round}");
                    }
                });
            }
        });
    }

    #[test]
    fn who_sends_more_at_once_than_there_is_memory_for_is_lost() {
        let mut clusters = clusters_within(2, Some(8 << 20));
        let (second, first) = (clusters.pop().unwrap(), clusters.pop().unwrap());
        // What is sent round by round has no bound. Two rounds may come at once: the other may be one ahead.
        thread::scope(|scope| {
            let rounds = |cluster: &Cluster| {
                for _ in 0..8 {
                    let message = Message { peer: 1 - cluster.process(), bytes: vec![1; 7 << 18] };
                    assert_eq!(cluster.all_to_all(vec![message]).unwrap()[0].bytes.len(), 7 << 18);
                }
            };
            let first = &first;
            scope.spawn(move || rounds(first));
            rounds(&second);
        });
        let sending = thread::spawn(move || second.all_to_all(vec![Message { peer: 0, bytes: vec![1; 40 << 20] }]));
        let lost = first.all_to_all(Vec::new()).unwrap_err();
        assert_eq!(lost.process, 1);
        assert!(lost.reason.contains("more came from it at once than the 4.0 MiB"), "{lost}");
        first.links.cut();
        assert!(sending.join().unwrap().is_err());
    }

    #[test]
    fn who_sends_two_messages_in_one_round_is_lost() {
        let mut clusters = clusters(2);
        let (second, first) = (clusters.pop().unwrap(), clusters.pop().unwrap());
        let message = |byte| Message { peer: 0, bytes: vec![byte; 9] };
        let sending = thread::spawn(move || drop(second.all_to_all(vec![message(1), message(2)])));
        let lost = first.all_to_all(Vec::new()).unwrap_err();
        assert!(lost.process == 1 && lost.reason.contains("no round of this run"), "{lost}");
        first.links.cut();
        sending.join().unwrap();
    }

    #[test]
    fn a_cut_connection_and_a_farewell_reach_those_who_wait() {
        let (mut one, mut other) = (clusters(2), clusters(2));
        let (second, first) = (one.pop().unwrap(), one.pop().unwrap());
        let waiting = thread::spawn(move || (first.all_to_all(Vec::new()), first.check()));
        second.links.cut();
        let lost = waiting.join().unwrap();
        assert!(matches!(&lost, (Err(a), Err(b)) if a == b && a.process == 1), "{lost:?}");
        let (second, first) = (other.pop().unwrap(), other.pop().unwrap());
        let waiting = thread::spawn(move || first.all_to_all(Vec::new()));
        second.give_up("its disk is full");
        let reason = "process 1 is lost: it gave up: its disk is full";
        assert_eq!(waiting.join().unwrap().unwrap_err().to_string(), reason);
    }

    /// A process with a bug does not look like one that has nothing to send.
    #[test]
    fn who_panics_is_lost_to_the_others_at_once() {
        let mut clusters = clusters(2);
        let (second, first) = (clusters.pop().unwrap(), clusters.pop().unwrap());
        let waiting = thread::spawn(move || first.all_to_all(Vec::new()));
        let failed = thread::spawn(move || {
            let _second = second;
            std::panic::resume_unwind(Box::new("a bug"));
        });
        assert!(failed.join().is_err());
        assert_eq!(waiting.join().unwrap().unwrap_err().to_string(), "process 1 is lost: it gave up: it has a bug");
    }

    /// A process that still removes its files is not ended because the others have gone.
    #[test]
    fn who_has_finished_is_not_told_of_others_that_end() {
        let mut clusters = clusters(2);
        let (second, first) = (clusters.pop().unwrap(), clusters.pop().unwrap());
        let (sent, heard) = channel();
        first.when_lost(Duration::from_millis(300), move |lost| sent.send(lost.process).unwrap());
        second.links.cut();
        first.all_to_all(Vec::new()).unwrap_err();
        first.finished();
        assert!(heard.recv_timeout(Duration::from_secs(1)).is_err());
    }

    /// One that ends in the middle of a round has sent no message, and is not taken for one that has none.
    #[test]
    fn who_ends_before_the_others_is_lost_to_them() {
        let mut clusters = clusters(2);
        let (second, first) = (clusters.pop().unwrap(), clusters.pop().unwrap());
        let waiting = thread::spawn(move || first.all_to_all(Vec::new()));
        drop(second);
        assert_eq!(waiting.join().unwrap().unwrap_err().process, 1);
    }

    #[test]
    fn who_calls_after_another_was_lost_hears_of_it() {
        let mut clusters = clusters(2);
        let (second, first) = (clusters.pop().unwrap(), clusters.pop().unwrap());
        second.links.cut();
        first.all_to_all(Vec::new()).unwrap_err();
        let (sent, heard) = channel();
        first.when_lost(Duration::ZERO, move |lost| sent.send(lost.process).unwrap());
        assert_eq!(heard.recv_timeout(Duration::from_secs(20)), Ok(1));
    }
}
