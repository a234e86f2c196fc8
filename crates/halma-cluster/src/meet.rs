//! Opens the connections between all processes. Each listens on its own address of the host file and nowhere else, and
//! only until all have met. A process calls those with smaller numbers and is called by those with greater ones.
//!
//! Anybody may call. A caller that does not prove the key is closed and noted. At most [`PENDING`] callers are heard at
//! a time, each for a limited time; beyond that the oldest is dropped. A true process needs only moments, and calls
//! again.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::greeting::{agree, compare};
use super::handshake::{self, HandshakeError, PATIENCE, Pair, Wire};
use super::key::Secret;
use super::link::{Connection, PULSES, watch};
use super::{ClusterError, Terms};

/// The time between two calls of a process that does not answer; ten times that after a fault.
const AGAIN: Duration = Duration::from_millis(100);
/// The most callers that are heard at a time.
const PENDING: usize = 64;
/// The most callers that are accepted before other work is done.
const AT_ONCE: usize = 16;
/// The most different faults of callers that are noted.
const NOTES: usize = 20;

/// What the threads of a meeting report to the main one.
enum Event {
    /// A caller of this run asks for its number.
    Claim(usize, std::sync::mpsc::SyncSender<Answer>),
    /// A connection is complete.
    Met(usize, Wire),
    /// A claim of a number failed.
    Free(usize),
    /// A process belongs to another run.
    Refused { pair: Pair, reason: String },
    /// A process cannot be called, and waiting alone will not help.
    Unreachable { peer: usize, what: String },
    /// A caller belongs to no process of this run, or cannot prove it.
    Fault { process: Option<usize>, address: IpAddr, what: String },
}

/// Whether a caller may take the number that it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    /// Another connection has it.
    No,
    /// Another caller is about to take it, and may fail.
    Later,
}

/// Connects with all other processes: the connections by process number, none for this one.
pub(super) fn meet(terms: &Terms) -> Result<Vec<Option<Connection>>, ClusterError> {
    let (events, told) = channel();
    let meeting = Rendezvous {
        terms: Arc::new(terms.clone()),
        events,
        until: Instant::now() + terms.wait,
        over: Arc::new(AtomicBool::new(false)),
        slots: (0..terms.hosts.len()).map(|_| Slot::default()).collect(),
        pending: VecDeque::new(),
        noted: HashSet::new(),
    };
    meeting.gather(&told)
}

/// The state of a process.
#[derive(Default)]
struct Slot {
    connection: Option<Connection>,
    /// A caller is about to take this number.
    promised: bool,
    /// Why a caller of this number was refused.
    refused: Option<String>,
    /// The last fault of a caller that claimed this number.
    seen: Option<String>,
}

/// A caller of unknown identity.
struct Pending {
    socket: TcpStream,
    done: Arc<AtomicBool>,
}

struct Rendezvous {
    terms: Arc<Terms>,
    events: Sender<Event>,
    until: Instant,
    over: Arc<AtomicBool>,
    slots: Vec<Slot>,
    pending: VecDeque<Pending>,
    noted: HashSet<String>,
}

impl Drop for Rendezvous {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let strangers = self.pending.iter().filter(|pending| !pending.done.load(Ordering::Relaxed));
        strangers.for_each(|pending| drop(pending.socket.shutdown(Shutdown::Both)));
    }
}

impl Rendezvous {
    /// Waits for all processes, those that are called and those that call.
    fn gather(mut self, told: &Receiver<Event>) -> Result<Vec<Option<Connection>>, ClusterError> {
        let listener = listen(&self.terms)?;
        (0..self.terms.process).try_for_each(|peer| self.call(peer))?;
        let tick = self.terms.peer_timeout / PULSES;
        let mut looked = Instant::now();
        loop {
            let accepted = self.accept(&listener);
            let nap = if accepted { AGAIN / 50 } else { AGAIN / 4 };
            if let Ok(event) = told.recv_timeout(nap) {
                self.take(event)?;
            }
            // All that there are: each turn lets in several callers, and one who belongs here must not wait behind strangers.
            told.try_iter().try_for_each(|event| self.take(event))?;
            if looked.elapsed() >= tick {
                looked = Instant::now();
                (0..self.slots.len()).try_for_each(|peer| self.look_after(peer))?;
            }
            let missing: Vec<usize> = self.missing().collect();
            if missing.is_empty() {
                return Ok(self.slots.iter_mut().map(|slot| slot.connection.take()).collect());
            }
            let list = |said: bool| -> String {
                let named = |&peer: &usize| match self.slots[peer].seen.as_ref().filter(|_| said) {
                    Some(seen) => format!("process {peer} ({}: {seen})", self.terms.hosts.address(peer)),
                    None => format!("process {peer} ({})", self.terms.hosts.address(peer)),
                };
                missing.iter().map(named).collect::<Vec<_>>().join(", ")
            };
            if let Err(stopped) = self.terms.cancel.check() {
                return Err(ClusterError::Stopped { reason: stopped.to_string(), missing: list(false) });
            }
            if Instant::now() >= self.until {
                let refused = missing.iter().find_map(|&peer| Some((peer, self.slots[peer].refused.clone()?)));
                return Err(match refused {
                    Some((process, reason)) => ClusterError::Refused { process, reason },
                    None => ClusterError::Missing { seconds: self.terms.wait.as_secs(), missing: list(true) },
                });
            }
        }
    }

    fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.slots.len()).filter(|&peer| peer != self.terms.process && self.slots[peer].connection.is_none())
    }

    fn take(&mut self, event: Event) -> Result<(), ClusterError> {
        match event {
            Event::Claim(peer, reply) => {
                self.look_after(peer)?;
                let slot = &mut self.slots[peer];
                let answer = match slot.connection {
                    _ if slot.promised => Answer::Later,
                    None => Answer::Yes,
                    Some(_) => Answer::No,
                };
                slot.promised |= answer == Answer::Yes;
                if reply.send(answer).is_err() && answer == Answer::Yes {
                    slot.promised = false;
                }
            }
            Event::Free(peer) => self.slots[peer].promised = false,
            Event::Met(peer, wire) => {
                let connection = Connection::new(wire, peer, self.terms.peer_timeout)?;
                let slot = &mut self.slots[peer];
                *slot = Slot { connection: Some(connection), ..Slot::default() };
            }
            Event::Refused { pair, reason } => {
                let called = pair.caller == self.terms.process;
                let process = if called { pair.called } else { pair.caller };
                // Without a key any caller may claim to be a process of another run, so this does not end the run.
                if called || self.terms.secret.is_some() {
                    return Err(ClusterError::Refused { process, reason });
                }
                let what = format!("process {process} is not of this run: {reason}");
                self.note(format!("{what}; this process goes on waiting"));
                if let Some(slot) = self.slots.get_mut(process) {
                    slot.refused = Some(reason);
                }
            }
            Event::Unreachable { peer, what } => {
                self.slots[peer].seen = Some(what.clone());
                self.note(format!("process {peer} ({}): {what}; trying again", self.terms.hosts.address(peer)));
            }
            Event::Fault { process, address, what } => {
                let said = match process {
                    Some(peer) if peer < self.terms.process => {
                        format!("process {peer} ({}): {what}", self.terms.hosts.address(peer))
                    }
                    Some(peer) => format!("a call from {address}, said to be process {peer}, is turned away: {what}"),
                    None => format!("a call from {address} is turned away: {what}"),
                };
                if let Some(slot) = process.and_then(|peer| self.slots.get_mut(peer)) {
                    slot.seen = Some(what);
                }
                self.note(said);
            }
        }
        Ok(())
    }

    /// Reports each fault once, and only so many.
    fn note(&mut self, what: String) {
        if self.noted.len() < NOTES && self.noted.insert(what.clone()) {
            (self.terms.note)(&what);
            if self.noted.len() == NOTES {
                (self.terms.note)("what else calls is turned away without a note");
            }
        }
    }

    /// Whether a connected process is still there; if not, it may connect again.
    fn look_after(&mut self, peer: usize) -> Result<(), ClusterError> {
        let gone = match &mut self.slots[peer].connection {
            Some(connection) => connection.look(),
            None => return Ok(()),
        };
        if let Err(reason) = gone {
            self.slots[peer] = Slot { seen: Some(format!("it was there: {reason}")), ..Slot::default() };
            (self.terms.note)(&format!("process {peer} was there and is gone: {reason}"));
            if peer < self.terms.process {
                self.call(peer)?;
            }
        }
        Ok(())
    }

    /// Accepts callers, a few at a time; returns whether there were any.
    fn accept(&mut self, listener: &TcpListener) -> bool {
        // Identified callers are not among those that may be closed.
        self.pending.retain(|pending| !pending.done.load(Ordering::Relaxed));
        for number in 0..AT_ONCE {
            let Ok((socket, from)) = listener.accept() else { return number > 0 };
            // A caller that cannot be accepted is dropped, and may call again.
            let Ok(kept) = socket.try_clone() else { continue };
            let done = Arc::new(AtomicBool::new(false));
            let (terms, events, finished) = (Arc::clone(&self.terms), self.events.clone(), Arc::clone(&done));
            let answer = move || {
                answer(&terms, socket, from.ip(), &events, &finished);
                finished.store(true, Ordering::Relaxed);
            };
            if thread::Builder::new().name("halma:greeting".into()).spawn(answer).is_err() {
                continue;
            }
            self.pending.push_back(Pending { socket: kept, done });
            if self.pending.len() > PENDING
                && let Some(oldest) = self.pending.pop_front().filter(|oldest| !oldest.done.load(Ordering::Relaxed))
            {
                let _ = oldest.socket.shutdown(Shutdown::Both);
            }
        }
        true
    }

    /// Calls a process, in a thread of its own.
    fn call(&self, peer: usize) -> io::Result<()> {
        let (terms, events) = (Arc::clone(&self.terms), self.events.clone());
        let (until, over) = (self.until, Arc::clone(&self.over));
        let call = move || {
            while Instant::now() < until && !over.load(Ordering::Relaxed) {
                match call(&terms, peer, until, &events) {
                    Called::Done => return,
                    Called::Nobody => thread::sleep(AGAIN),
                    Called::Fault => thread::sleep(10 * AGAIN),
                }
            }
        };
        thread::Builder::new().name("halma:call".into()).spawn(call).map(drop)
    }
}

impl Terms {
    fn key(&self) -> Secret {
        self.secret.clone().unwrap_or_else(Secret::none)
    }

    /// The addresses of a process; without a key only loopback addresses.
    fn addresses(&self, process: usize) -> io::Result<Vec<SocketAddr>> {
        let addresses = self.hosts.resolve(process)?;
        match self.secret.is_some() || addresses.iter().all(|address| address.ip().to_canonical().is_loopback()) {
            true => Ok(addresses),
            false => {
                Err(io::Error::new(io::ErrorKind::PermissionDenied, "without a key it must be a loopback address"))
            }
        }
    }

    /// Whether there is a key, or all addresses are loopback addresses.
    ///
    /// # Errors
    /// Which one is not, and what to do.
    pub(super) fn check_key(&self) -> Result<(), ClusterError> {
        for process in (0..self.hosts.len()).filter(|_| self.secret.is_none()) {
            self.addresses(process).map_err(|e| {
                ClusterError::Input(format!(
                    "process {process} ({}): {e}; several hosts need a key: make one with `halma cluster-key -o FILE`, \
                     copy it to all of them, and give it with --key FILE or in {}",
                    self.hosts.address(process),
                    super::key::VARIABLE
                ))
            })?;
        }
        Ok(())
    }
}

/// Listens on the address of this process.
fn listen(terms: &Terms) -> Result<TcpListener, ClusterError> {
    let refused = |source| ClusterError::Listen {
        process: terms.process,
        address: terms.hosts.address(terms.process).into(),
        source,
    };
    let addresses = terms.addresses(terms.process).map_err(refused)?;
    let listener = TcpListener::bind(&addresses[..]).map_err(refused)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// The result of a call.
enum Called {
    Done,
    /// Nothing listens there yet.
    Nobody,
    /// The listener is not the process, yet or any more.
    Fault,
}

fn prepare(socket: &TcpStream, terms: &Terms) -> io::Result<()> {
    socket.set_nonblocking(false)?;
    socket.set_write_timeout(Some(PATIENCE))?;
    watch(socket, terms.peer_timeout)
}

/// The calling side: tries each address of the process, until the process answers.
fn call(terms: &Terms, peer: usize, until: Instant, events: &Sender<Event>) -> Called {
    let mut called = Called::Nobody;
    let unreachable =
        |what: String| events.send(Event::Unreachable { peer, what }).map_or(Called::Done, |()| Called::Nobody);
    let addresses = match terms.addresses(peer) {
        Ok(addresses) => addresses,
        Err(e) => return unreachable(format!("its address is not known: {e}")),
    };
    for address in addresses {
        let left = until.saturating_duration_since(Instant::now()).clamp(AGAIN, PATIENCE);
        let socket = match TcpStream::connect_timeout(&address, left) {
            Ok(socket) => socket,
            // It may not have begun yet.
            Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => continue,
            Err(e) => match unreachable(format!("it cannot be called at {address}: {e}")) {
                Called::Done => return Called::Done,
                _ => continue,
            },
        };
        called = match introduce(terms, peer, socket) {
            Ok(event) => {
                // After another refusal the result is not needed any more.
                let _ = events.send(event);
                return Called::Done;
            }
            Err(what) => match events.send(Event::Fault { process: Some(peer), address: address.ip(), what }) {
                Ok(()) => Called::Fault,
                Err(_) => return Called::Done,
            },
        };
    }
    called
}

/// The handshake and greeting of the calling side.
fn introduce(terms: &Terms, peer: usize, socket: TcpStream) -> Result<Event, String> {
    let (until, pair) = (Instant::now() + PATIENCE, Pair { caller: terms.process, called: peer });
    prepare(&socket, terms).map_err(|e| e.to_string())?;
    let shaken = handshake::call(socket, &terms.key(), pair, until);
    let mut wire = shaken.map_err(|(HandshakeError::Stranger(what) | HandshakeError::Unproven(_, what))| what)?;
    let spoken = compare(terms, &mut wire, peer, until)
        .and_then(|wrong| Ok((agree(&mut wire, wrong.as_deref(), until)?, wrong)));
    Ok(match spoken.map_err(|e| e.to_string())? {
        (None, None) => Event::Met(peer, wire),
        (_, Some(reason)) => Event::Refused { pair, reason },
        (Some(reason), None) => Event::Refused { pair, reason: of_this(&reason) },
    })
}

/// The verdict of another process about this one.
fn of_this(reason: &str) -> String {
    format!("it says of this process: {}", super::greeting::shown_peer_text(reason))
}

/// The called side.
fn answer(terms: &Terms, socket: TcpStream, address: IpAddr, events: &Sender<Event>, known: &AtomicBool) {
    let until = Instant::now() + PATIENCE;
    let shaken = prepare(&socket, terms)
        .map_err(|e| HandshakeError::Stranger(e.to_string()))
        .and_then(|()| handshake::answer(socket, &terms.key(), terms.process, until));
    let fault = |process, what| drop(events.send(Event::Fault { process, address, what }));
    let (pair, mut wire) = match shaken {
        Ok(shaken) => shaken,
        Err(HandshakeError::Stranger(what)) => return fault(None, what),
        Err(HandshakeError::Unproven(process, what)) => return fault(Some(process), what),
    };
    if terms.secret.is_some() {
        // A process with the key is not closed in favour of strangers.
        known.store(true, Ordering::Relaxed);
    }
    let peer = pair.caller;
    let mut claimed = false;
    let spoken = (|| {
        let mut wrong = compare(terms, &mut wire, peer, until)?;
        if wrong.is_none() && !(terms.process + 1..terms.hosts.len()).contains(&peer) {
            wrong = Some(format!("it says that it is process {peer}, which does not call process {}", terms.process));
        }
        if wrong.is_none() {
            let (reply, may) = sync_channel(1);
            let asked = events.send(Event::Claim(peer, reply)).ok().and_then(|()| may.recv().ok());
            match asked.unwrap_or(Answer::Later) {
                Answer::Yes => claimed = true,
                Answer::No => {
                    let reason = "there is a process of that number already";
                    agree(&mut wire, Some(reason), until)?;
                    return Err(io::Error::other(reason));
                }
                Answer::Later => return Err(io::Error::other("another call is just being answered")),
            }
        }
        Ok((agree(&mut wire, wrong.as_deref(), until)?, wrong))
    })();
    match spoken {
        Ok((None, None)) => {
            known.store(true, Ordering::Relaxed);
            return drop(events.send(Event::Met(peer, wire)));
        }
        Ok((_, Some(reason))) => drop(events.send(Event::Refused { pair, reason })),
        Ok((Some(reason), None)) => {
            drop(events.send(Event::Refused { pair, reason: of_this(&reason) }));
        }
        Err(e) => fault(Some(peer), e.to_string()),
    }
    if claimed {
        let _ = events.send(Event::Free(peer));
    }
}
