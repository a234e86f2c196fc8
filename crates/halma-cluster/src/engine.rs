//! The timely dataflow: packets are exchanged by address, and a probe detects when a round is complete everywhere.

use std::cell::RefCell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Once};
use std::thread::Builder;
use std::time::{Duration, Instant};

use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::container::NoopBuilder;
use timely::dataflow::InputHandle;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Input, Probe, probe};
use timely::worker::Worker;

use halma_engine::search::exchange::{Lost, Message};

use super::greeting::shown_peer_text;
use super::link::{Link, Links};
use super::packet::{ByAddress, Kind, MOST, Packet};

/// How long a process that ends waits for its last bytes to be sent.
pub(super) const FAREWELL: Duration = Duration::from_secs(5);
/// How long a waiting process sleeps at most; arriving data wakes it.
const NAP: Duration = Duration::from_millis(1);

/// A command of the search to the dataflow thread.
pub(super) enum Order {
    /// One round.
    Swap(Vec<Message>),
    /// The last round, in which the others are told why.
    GiveUp(String),
    /// The end, after all rounds.
    End,
}

/// The received packets, by round.
type Inbox = Rc<RefCell<Vec<(u64, Packet)>>>;

/// Starts the dataflow thread.
pub(super) fn start(
    process: usize,
    sockets: Vec<Option<Link>>,
    links: Arc<Links>,
    orders: Receiver<Order>,
    answers: Sender<Result<Vec<Message>, Lost>>,
) -> io::Result<()> {
    let processes = sockets.len();
    let hooks = Hooks::default();
    let own = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
    let (mut builders, guard) = initialize_networking_from_sockets(own, sockets, process, 1, hooks)?;
    let builder = builders.pop().ok_or_else(|| io::Error::other("timely has no worker"))?;
    be_quiet_about_lost_processes();
    let run = move || {
        let noted = Arc::clone(&links);
        let serve = || {
            let worker = Worker::new(WorkerConfig::default(), Allocator::Tcp(builder.build()), None);
            Dataflow::new(worker, process, processes, links).serve(&orders, &answers)
        };
        // Timely panics on input that it does not understand.
        let ended = catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|_| {
            noted.lose_last();
            let lost = noted.check().err().unwrap_or(Lost { process, reason: "it cannot go on".into() });
            let _ = answers.send(Err(lost));
            false
        });
        // Timely's threads end when all data has been sent on both sides; if a process is lost they never do.
        if ended {
            let (done, joined) = channel();
            let join = move || {
                drop(guard);
                done.send(())
            };
            if Builder::new().spawn(join).is_ok() {
                let _ = joined.recv_timeout(FAREWELL);
            }
            // Who waits for the end is told. After an error nobody may take this for the answer to an order.
            let _ = answers.send(Ok(Vec::new()));
        } else {
            std::mem::forget(guard);
        }
    };
    Builder::new().name(THREAD.into()).spawn(run).map(drop)
}

/// The name of the dataflow thread.
const THREAD: &str = "halma:exchange";

/// A panic of timely is reported as the loss of a process, without its text.
fn be_quiet_about_lost_processes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current();
            if !thread.name().is_some_and(|name| name == THREAD || name.starts_with("timely:")) {
                before(info);
            }
        }));
    });
}

struct Dataflow {
    worker: Worker,
    input: Option<InputHandle<u64, NoopBuilder<Packet>>>,
    probe: probe::Handle<u64>,
    inbox: Inbox,
    process: usize,
    round: u64,
    links: Arc<Links>,
}

impl Dataflow {
    fn new(mut worker: Worker, process: usize, processes: usize, links: Arc<Links>) -> Self {
        debug_assert_eq!((worker.index(), worker.peers()), (process, processes));
        let inbox = Inbox::default();
        let collected = Rc::clone(&inbox);
        let (input, probe) = worker.dataflow::<u64, _, _>(|scope| {
            let (input, packets) = scope.new_input_with_builder::<NoopBuilder<Packet>>();
            let arrived = packets.unary_frontier::<NoopBuilder<Packet>, _, _, _>(
                DistributorPact(|_| ByAddress),
                "collect",
                |_, _| {
                    move |(input, _), _| {
                        input.for_each(|time, packet| {
                            let mut packet = std::mem::take(packet);
                            if packet.from >= processes || packet.from == process || packet.to != process {
                                packet.kind = Kind::Garbled;
                            }
                            collected.borrow_mut().push((*time.time(), packet));
                        });
                    }
                },
            );
            (input, arrived.probe().0)
        });
        Self { worker, input: Some(input), probe, inbox, process, round: 0, links }
    }

    /// Executes commands; returns whether it came to a regular end.
    fn serve(mut self, orders: &Receiver<Order>, answers: &Sender<Result<Vec<Message>, Lost>>) -> bool {
        loop {
            match orders.recv() {
                Ok(Order::Swap(messages)) => {
                    let answer = self.all_to_all(messages);
                    let lost = answer.is_err();
                    if answers.send(answer).is_err() || lost {
                        return false;
                    }
                }
                Ok(Order::GiveUp(reason)) => {
                    self.say_farewell(&reason);
                    return self.end();
                }
                Ok(Order::End) | Err(_) => return self.end(),
            }
        }
    }

    fn send(&mut self, to: usize, kind: Kind, bytes: &[u8]) {
        let mut packet = Packet { to, from: self.process, kind, bytes: bytes.to_vec() };
        if let Some(input) = &mut self.input {
            input.send_batch(&mut packet);
        }
    }

    /// One round: sends, and waits until all processes have sent their data.
    fn all_to_all(&mut self, messages: Vec<Message>) -> Result<Vec<Message>, Lost> {
        // Who sends nothing says so: silence is never taken for a message that a lost process did not send.
        let silent = |peer: &usize| *peer != self.process && messages.iter().all(|message| message.peer != *peer);
        let silent: Vec<usize> = (0..self.worker.peers()).filter(silent).collect();
        silent.into_iter().for_each(|peer| self.send(peer, Kind::Nothing, &[]));
        for Message { peer, bytes } in messages {
            let mut rest = &bytes[..];
            while rest.len() > MOST {
                let (part, more) = rest.split_at(MOST);
                self.send(peer, Kind::Part, part);
                // One piece is sent before the next is copied.
                self.worker.step();
                rest = more;
            }
            self.send(peer, Kind::End, rest);
        }
        self.advance();
        while self.probe.less_than(&self.round) {
            self.step();
            self.links.check()?;
            self.check_inbox()?;
        }
        self.collect()
    }

    /// Lets timely do one step, and waits a moment for more. Timely's own waiting would keep a core busy, because its
    /// activations are never empty.
    fn step(&mut self) {
        // What a step moves on the next one may find at its place.
        for _ in 0..4 {
            self.worker.step();
        }
        if self.input.is_none() || self.probe.less_than(&self.round) {
            std::thread::park_timeout(NAP);
        }
    }

    /// Ends this process's part of the round.
    fn advance(&mut self) {
        self.round += 1;
        if let Some(input) = &mut self.input {
            input.advance_to(self.round);
        }
    }

    /// The messages of the round that has just ended.
    fn collect(&mut self) -> Result<Vec<Message>, Lost> {
        let mut inbox = self.inbox.borrow_mut();
        let (now, later): (Vec<_>, Vec<_>) = inbox.drain(..).partition(|&(round, _)| round < self.round);
        *inbox = later;
        drop(inbox);
        self.links.taken();
        let (mut messages, mut open): (Vec<Message>, Vec<Message>) = (Vec::new(), Vec::new());
        let mut heard = vec![false; self.worker.peers()];
        heard[self.process] = true;
        for (_, Packet { from, kind, bytes, .. }) in now {
            let at = open.iter().position(|message| message.peer == from);
            let mut message = at.map_or(Message { peer: from, bytes: Vec::new() }, |at| open.swap_remove(at));
            match kind {
                Kind::Farewell => return Err(self.left(from, &bytes)),
                Kind::Garbled => return Err(self.garbled()),
                Kind::Nothing if heard[from] || at.is_some() => return Err(self.senseless(from)),
                Kind::Nothing => {
                    heard[from] = true;
                    continue;
                }
                _ if message.bytes.is_empty() => message.bytes = bytes,
                _ => message.bytes.extend_from_slice(&bytes),
            }
            if kind == Kind::End && std::mem::replace(&mut heard[from], true) {
                return Err(self.senseless(from));
            }
            if kind == Kind::End { &mut messages } else { &mut open }.push(message);
        }
        match heard.iter().position(|heard| !heard) {
            None if open.is_empty() => Ok(messages),
            // What comes after the end of a message belongs to none.
            None => Err(self.senseless(open[0].peer)),
            Some(silent) => Err(self.lose(silent, "it sent nothing, or only a part")),
        }
    }

    /// Fails if a packet is garbled or of no round that can be, or if a process says that it gives up.
    fn check_inbox(&self) -> Result<(), Lost> {
        let inbox = self.inbox.borrow();
        // No process is more than one round ahead or behind; anything else would wait for ever.
        if let Some((_, packet)) = inbox.iter().find(|(round, _)| !(self.round - 1..=self.round).contains(round)) {
            return Err(self.senseless(packet.from));
        }
        if inbox.iter().any(|(_, packet)| packet.kind == Kind::Garbled) {
            return Err(self.garbled());
        }
        let farewell = inbox.iter().find(|(round, packet)| *round < self.round && packet.kind == Kind::Farewell);
        farewell.map_or(Ok(()), |(_, packet)| Err(self.left(packet.from, &packet.bytes)))
    }

    fn garbled(&self) -> Lost {
        self.links.lose_last();
        let garbled = || Lost { process: self.process, reason: "what came makes no sense".into() };
        self.links.check().err().unwrap_or_else(garbled)
    }

    fn senseless(&self, process: usize) -> Lost {
        self.lose(process, "it sent what belongs to no round of this run")
    }

    fn lose(&self, process: usize, reason: &str) -> Lost {
        self.links.lose(process, reason.into());
        self.links.check().err().unwrap_or(Lost { process, reason: reason.into() })
    }

    fn left(&self, process: usize, reason: &[u8]) -> Lost {
        self.links.lose(process, format!("it gave up: {}", shown_peer_text(&String::from_utf8_lossy(reason))));
        self.links.check().err().unwrap_or(Lost { process, reason: "it gave up".into() })
    }

    fn say_farewell(&mut self, reason: &str) {
        let process = self.process;
        for peer in (0..self.worker.peers()).filter(|&peer| peer != process) {
            self.send(peer, Kind::Farewell, reason.as_bytes());
        }
        self.advance();
    }

    /// Closes the dataflow, together with the others; returns whether they did so in time.
    fn end(mut self) -> bool {
        self.links.end();
        drop(self.input.take());
        let until = Instant::now() + FAREWELL;
        while self.worker.has_dataflows() && self.links.check().is_ok() && Instant::now() < until {
            self.step();
        }
        !self.worker.has_dataflows() && self.links.check().is_ok()
    }
}
