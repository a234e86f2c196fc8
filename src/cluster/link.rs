//! A connection with another process, as timely sees it.
//!
//! Timely's threads end with a panic when a connection does. Here they are never told: whoever meets the fault notes who
//! is lost and how, and then sleeps; the search finds the note, saves what it has, and ends.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use timely::communication::allocator::zero_copy::stream::Stream;

use crate::search::exchange::Lost;

/// A silent host is asked after so long whether it is there, then so often.
const IDLE: Duration = Duration::from_secs(5);
/// A connection on which nothing is acknowledged for so long is lost.
const SILENCE: Duration = Duration::from_secs(25);

/// What becomes of a lost process's peers.
type Then = Box<dyn Fn(&Lost) + Send + Sync>;

/// What is common to all connections of a process.
#[derive(Default)]
pub(super) struct Links {
    lost: OnceLock<Lost>,
    any: AtomicBool,
    sent: AtomicU64,
    then: Mutex<Option<Then>>,
    #[cfg(test)]
    sockets: Mutex<Vec<TcpStream>>,
}

impl std::fmt::Debug for Links {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Links").field("lost", &self.lost).field("sent", &self.sent).finish_non_exhaustive()
    }
}

impl Links {
    /// Notes that a process is lost, unless that is known of one already.
    pub(super) fn lose(&self, process: usize, reason: String) {
        if self.lost.set(Lost { process, reason }).is_ok() {
            self.any.store(true, Ordering::Release);
            if let (Some(then), Some(lost)) =
                (self.then.lock().unwrap_or_else(PoisonError::into_inner).take(), self.lost.get())
            {
                then(lost);
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), Lost> {
        match self.any.load(Ordering::Acquire) {
            false => Ok(()),
            true => self.lost.get().cloned().map_or(Ok(()), Err),
        }
    }

    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Ends all connections, as a fault between the hosts would.
    #[cfg(test)]
    pub(super) fn cut(&self) {
        let sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        sockets.iter().for_each(|socket| drop(socket.shutdown(Shutdown::Both)));
    }

    pub(super) fn when_lost(&self, then: Then) {
        *self.then.lock().unwrap_or_else(PoisonError::into_inner) = Some(then);
    }
}

/// A connection.
pub(super) struct Link {
    socket: TcpStream,
    peer: usize,
    links: Arc<Links>,
    /// Zeros at the end of what was read: timely says goodbye by a header of zeros.
    zeros: usize,
}

/// The bytes of a message's header in timely.
const HEADER: usize = 48;

impl Link {
    pub(super) fn new(socket: TcpStream, peer: usize, links: Arc<Links>) -> io::Result<Self> {
        socket.set_read_timeout(None)?;
        socket.set_write_timeout(None)?;
        watch(&socket)?;
        #[cfg(test)]
        links.sockets.lock().unwrap_or_else(PoisonError::into_inner).push(socket.try_clone()?);
        Ok(Self { socket, peer, links, zeros: 0 })
    }

    /// Notes the fault, and does not come back.
    fn lose(&self, reason: String) -> ! {
        self.links.lose(self.peer, reason);
        loop {
            std::thread::park();
        }
    }
}

/// Has the system find out when the other host, or the way there, is gone.
pub(super) fn watch(socket: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(socket);
    socket.set_tcp_nodelay(true)?;
    let keepalive = TcpKeepalive::new().with_time(IDLE).with_interval(IDLE);
    #[cfg(target_os = "linux")]
    let keepalive = keepalive.with_retries(4);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(SILENCE))?;
    Ok(())
}

impl Read for Link {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.socket.read(bytes) {
                Ok(0) if self.zeros >= HEADER => return Ok(0),
                Ok(0) => self.lose("it closed the connection".into()),
                Ok(read) => {
                    let zeros = bytes[..read].iter().rev().take_while(|&&byte| byte == 0).count();
                    self.zeros = if zeros == read { self.zeros + read } else { zeros };
                    return Ok(read);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => self.lose(e.to_string()),
            }
        }
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.socket.write(bytes) {
                Ok(written) => {
                    self.links.sent.fetch_add(written as u64, Ordering::Relaxed);
                    return Ok(written);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => self.lose(e.to_string()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { socket: self.socket.try_clone()?, peer: self.peer, links: Arc::clone(&self.links), zeros: 0 })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may have gone first; it has had everything then, or is noted as lost.
        let _ = self.socket.shutdown(how);
        Ok(())
    }
}
