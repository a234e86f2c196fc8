//! A connection to another process, in the form that timely uses.
//!
//! Timely's threads panic when a connection ends. So these streams never report an error: the thread that meets a fault
//! notes which process is lost, and then sleeps. The search finds the note, saves a checkpoint, and ends.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use socket2::{SockRef, TcpKeepalive};
use timely::communication::allocator::zero_copy::stream::Stream;

use halma_engine::search::exchange::Lost;

use super::frame::{Kind, Opener, Sealer, Source};
use super::handshake::Wire;
use super::stream::Shape;

/// TCP keepalive: the idle time before a silent host is probed, and the interval of probes.
const IDLE: Duration = Duration::from_secs(5);
/// Heartbeats are sent so often within the time after which a silent process is lost.
pub(super) const PULSES: u32 = 12;

/// What happens in the peers of a lost process.
type Then = Box<dyn Fn(&Lost) + Send + Sync>;
type Sending = Mutex<Sealer<TcpStream>>;

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An authenticated connection. From here on it sends heartbeats.
pub(super) struct Connection {
    sending: Arc<Sending>,
    opener: Opener<TcpStream>,
    peer: usize,
    timeout: Duration,
    heard: Instant,
    /// Data of the search that arrived before the search began here.
    begun: Option<Vec<u8>>,
}

impl Connection {
    pub(super) fn new(wire: Wire, peer: usize, timeout: Duration) -> io::Result<Self> {
        let Wire { sealer, opener } = wire;
        // A write may take long if the other side is slow; it is alive as long as it is heard.
        opener.source().set_write_timeout(None)?;
        let sending = Arc::new(Mutex::new(sealer));
        let beating = Arc::downgrade(&sending);
        let beat = move || beat(&beating, timeout / PULSES);
        thread::Builder::new().name(format!("halma:pulse-{peer}")).spawn(beat)?;
        Ok(Self { sending, opener, peer, timeout, heard: Instant::now(), begun: None })
    }

    /// Whether the other side is still there, before the search begins here.
    pub(super) fn look(&mut self) -> Result<(), String> {
        while self.begun.is_none() {
            match self.opener.poll().map_err(|e| e.to_string())? {
                Some((Kind::Pulse, _)) => self.heard = Instant::now(),
                Some((Kind::Data, bytes)) => self.begun = Some(bytes.to_vec()),
                Some((kind, _)) => return Err(format!("it sent a frame of kind {kind:?} out of turn")),
                None if self.heard.elapsed() > self.timeout => return Err(silence(self.timeout)),
                None => break,
            }
        }
        Ok(())
    }
}

fn silence(timeout: Duration) -> String {
    format!("it has said nothing for {}", humantime::format_duration(timeout))
}

/// Sends heartbeats, in a thread for each connection: one whose other side does not read does not delay the others.
fn beat(sending: &Weak<Sending>, tick: Duration) {
    loop {
        thread::sleep(tick);
        let Some(sending) = sending.upgrade() else { return };
        let mut sealer = locked(&sending);
        if sealer.is_closed() || sealer.send(Kind::Pulse, b"").is_err() {
            // The reading side reports the reason.
            return;
        }
    }
}

/// The state that all connections of a process share.
pub(super) struct Links {
    own: usize,
    lost: OnceLock<Lost>,
    any: AtomicBool,
    then: Mutex<Option<Then>>,
    peers: Vec<Peer>,
    /// This process needs nothing more.
    ending: AtomicBool,
    /// The process whose data came last.
    last: AtomicUsize,
    /// The most bytes that all others together may have sent and the search has not yet taken.
    most: u64,
}

/// The state of another process.
#[derive(Default)]
struct Peer {
    heard: AtomicBool,
    ended: AtomicBool,
    /// How many bytes were sent to it.
    sent: OnceLock<Arc<AtomicU64>>,
    /// How many bytes came from it since the last round was complete here.
    came: AtomicU64,
    #[cfg(test)]
    socket: OnceLock<TcpStream>,
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Links").field("lost", &self.lost).finish_non_exhaustive()
    }
}

impl Links {
    /// For so many processes. One that is silent for so long is lost, and so is one that sends more than `most` bytes
    /// at once.
    pub(super) fn new(own: usize, processes: usize, timeout: Duration, most: u64) -> io::Result<Arc<Self>> {
        let links = Arc::new(Self {
            own,
            lost: OnceLock::new(),
            any: AtomicBool::new(false),
            then: Mutex::default(),
            peers: (0..processes).map(|_| Peer::default()).collect(),
            ending: AtomicBool::new(false),
            last: AtomicUsize::new(own),
            most,
        });
        let watched = Arc::downgrade(&links);
        thread::Builder::new().name("halma:watch".into()).spawn(move || listen_for_life(&watched, timeout))?;
        Ok(links)
    }

    /// Notes that a process is lost, unless one already is.
    pub(super) fn lose(&self, process: usize, reason: String) {
        if self.lost.set(Lost { process, reason }).is_ok() {
            self.any.store(true, Ordering::Release);
            if let (Some(then), Some(lost)) = (locked(&self.then).take(), self.lost.get()) {
                then(lost);
            }
        }
    }

    /// The same for the process whose data came last: it cannot be understood.
    pub(super) fn lose_last(&self) {
        self.lose(self.last.load(Ordering::Relaxed), "what it sent makes no sense".into());
    }

    /// Counts bytes from a process. Timely takes everything and holds it until a round is complete, so there must be a
    /// limit. If it is exceeded, the process that has sent the most is lost.
    fn count(&self, process: usize, bytes: usize) -> Result<(), String> {
        self.peers[process].came.fetch_add(bytes as u64, Ordering::Relaxed);
        let came = || self.peers.iter().map(|peer| peer.came.load(Ordering::Relaxed));
        if came().fold(0, u64::saturating_add) <= self.most {
            return Ok(());
        }
        let (_, largest) = came().zip(0..).max().unwrap_or((0, process));
        let most = bytesize::ByteSize(self.most);
        let reason = format!("more came from it at once than the {most} that there is memory for");
        self.lose(largest, reason.clone());
        Err(reason)
    }

    /// A round is complete: what came so far has been taken, except for data of the next round, which is not more.
    pub(super) fn taken(&self) {
        self.peers.iter().for_each(|peer| peer.came.store(0, Ordering::Relaxed));
    }

    pub(super) fn check(&self) -> Result<(), Lost> {
        match self.any.load(Ordering::Acquire) {
            false => Ok(()),
            true => self.lost.get().cloned().map_or(Ok(()), Err),
        }
    }

    pub(super) fn sent(&self) -> u64 {
        self.peers.iter().filter_map(|peer| peer.sent.get()).map(|sent| sent.load(Ordering::Relaxed)).sum()
    }

    /// From now on the others may end, too.
    pub(super) fn end(&self) {
        self.ending.store(true, Ordering::Release);
    }

    /// Whether they may.
    pub(super) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    /// Closes all connections, as a fault between the hosts would.
    #[cfg(test)]
    pub(super) fn cut(&self) {
        self.peers.iter().filter_map(|peer| peer.socket.get()).for_each(|socket| drop(socket.shutdown(Shutdown::Both)));
    }

    pub(super) fn when_lost(&self, then: Then) {
        *locked(&self.then) = Some(then);
        // A process may be lost already.
        if let Some(lost) = self.lost.get() {
            let then = locked(&self.then).take();
            if let Some(then) = then {
                then(lost);
            }
        }
    }
}

/// Notes which processes are silent. Time in which this process itself was suspended does not count, because it is
/// counted in ticks.
fn listen_for_life(links: &Weak<Links>, timeout: Duration) {
    let mut silent: Vec<u32> = Vec::new();
    loop {
        thread::sleep(timeout / PULSES);
        let Some(links) = links.upgrade() else { return };
        silent.resize(links.peers.len(), 0);
        for (number, (peer, silent)) in links.peers.iter().zip(&mut silent).enumerate() {
            if number == links.own || peer.ended.load(Ordering::Relaxed) {
                continue;
            }
            *silent = if peer.heard.swap(false, Ordering::Relaxed) { 0 } else { *silent + 1 };
            if *silent >= PULSES && !links.is_ending() {
                links.lose(number, self::silence(timeout));
                return;
            }
        }
    }
}

/// A connection during the search.
pub(super) struct Link {
    peer: usize,
    links: Arc<Links>,
    sending: Arc<Sending>,
    incoming: Arc<Mutex<Incoming>>,
}

/// The receiving end of a connection.
struct Incoming {
    opener: Opener<TcpStream>,
    shape: Shape,
    /// Content that is not yet taken, from `at` on.
    content: Vec<u8>,
    at: usize,
}

impl Link {
    pub(super) fn new(connection: Connection, links: Arc<Links>) -> io::Result<Self> {
        let Connection { sending, opener, peer, begun, .. } = connection;
        opener.source().wait_at_most(None)?;
        let content = begun.unwrap_or_default();
        let mut shape = Shape::new(links.own, peer);
        if let Err(reason) = shape.check(&content) {
            links.lose(peer, reason);
        }
        if let Some(peer) = links.peers.get(peer) {
            let _ = peer.sent.set(locked(&sending).sent());
            #[cfg(test)]
            let _ = peer.socket.set(opener.source().try_clone()?);
        }
        let incoming = Arc::new(Mutex::new(Incoming { opener, shape, content, at: 0 }));
        Ok(Self { peer, links, sending, incoming })
    }

    /// Notes the fault, and never returns.
    fn lose(&self, reason: String) -> ! {
        self.links.lose(self.peer, reason);
        loop {
            thread::park();
        }
    }

    /// More of timely's stream, or its regular end.
    fn receive(&self, incoming: &mut Incoming, bytes: &mut [u8]) -> Result<usize, String> {
        loop {
            let rest = &incoming.content[incoming.at..];
            if !rest.is_empty() {
                let taken = rest.len().min(bytes.len());
                bytes[..taken].copy_from_slice(&rest[..taken]);
                incoming.at += taken;
                self.links.last.store(self.peer, Ordering::Relaxed);
                return Ok(taken);
            }
            let (kind, content) = incoming.opener.next(None).map_err(|e| e.to_string())?;
            let Peer { heard, ended, .. } = &self.links.peers[self.peer];
            heard.store(true, Ordering::Relaxed);
            match kind {
                Kind::Data => {
                    incoming.shape.check(content)?;
                    self.links.count(self.peer, content.len())?;
                    incoming.content.clear();
                    incoming.content.extend_from_slice(content);
                    incoming.at = 0;
                }
                Kind::Pulse => {}
                Kind::End if incoming.shape.has_ended() && self.links.is_ending() => {
                    ended.store(true, Ordering::Relaxed);
                    return Ok(0);
                }
                Kind::End => return Err("it ended before the search did".into()),
                Kind::Talk => return Err("it sent a greeting out of turn".into()),
            }
        }
    }
}

/// Lets the system detect that the other host, or the path to it, is gone: if nothing is acknowledged for a part of the
/// time after which a silent process is lost.
pub(super) fn watch(socket: &TcpStream, peer_timeout: Duration) -> io::Result<()> {
    let socket = SockRef::from(socket);
    socket.set_tcp_nodelay(true)?;
    let keepalive = TcpKeepalive::new().with_time(IDLE).with_interval(IDLE);
    #[cfg(target_os = "linux")]
    let keepalive = keepalive.with_retries(4);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(peer_timeout * 5 / PULSES))?;
    Ok(())
}

impl Read for Link {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let received = self.receive(&mut locked(&self.incoming), bytes);
        received.map_or_else(|reason| self.lose(reason), Ok)
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = locked(&self.sending).send(Kind::Data, bytes);
        sent.map_or_else(|e| self.lose(e.to_string()), Ok)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        let (sending, incoming) = (Arc::clone(&self.sending), Arc::clone(&self.incoming));
        Ok(Self { peer: self.peer, links: Arc::clone(&self.links), sending, incoming })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        locked(&self.sending).target().set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may have closed first. It has received everything then, or is noted as lost.
        let mut sealer = locked(&self.sending);
        let _ = sealer.send(Kind::End, b"");
        let _ = sealer.target().shutdown(how);
        Ok(())
    }
}
