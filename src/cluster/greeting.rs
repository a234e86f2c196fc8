//! How processes meet, before the search: each listens on its own address of the host file and nowhere else, only until
//! all are there; and each shows the other what it is, before anything else is said.
//!
//! A process calls those with smaller numbers and is called by those with greater ones. Both sides send the same: a magic
//! number, a length, and a [`Greeting`]; then each says whether it accepts the other's.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{ClusterError, Terms};
use crate::record::{PROGRAM, SOURCE};

const MAGIC: &[u8; 8] = b"HALMANET";
/// The most bytes that a greeting has.
const MOST: u32 = 1 << 16;
/// How long a caller may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time between two calls of a process that does not answer.
const AGAIN: Duration = Duration::from_millis(100);

/// What a process shows another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Greeting {
    /// The version of what is said after the greeting; with it the form of the greeting changes.
    protocol: u32,
    program: String,
    /// The tree of the source that the program was built from.
    source: String,
    job: String,
    hosts: String,
    processes: usize,
    from: usize,
    to: usize,
}

/// A connection with a process that is of the same search, or why there is none.
type Met = Result<(usize, TcpStream), Apart>;

/// Why two processes do not go together.
enum Apart {
    /// What called is no process of a search at all.
    Stranger,
    /// The other is of another search.
    Refused { process: usize, reason: String },
}

impl Terms {
    fn greeting(&self, to: usize) -> Greeting {
        Greeting {
            protocol: 1,
            program: PROGRAM.into(),
            source: SOURCE.into(),
            job: self.job.clone(),
            hosts: self.hosts.digest(),
            processes: self.hosts.len(),
            from: self.process,
            to,
        }
    }

    /// What is wrong with the greeting of a process that should be number `from`.
    fn wrong(&self, theirs: &Greeting, from: usize) -> Option<String> {
        let ours = self.greeting(from);
        let differ = |what: &str, theirs: &str, ours: &str| Some(format!("its {what} is {theirs}, here it is {ours}"));
        if theirs.protocol != ours.protocol || theirs.program != ours.program {
            return differ("program", &theirs.program, &ours.program);
        }
        if theirs.source != ours.source {
            return differ("program's source", &theirs.source, &ours.source);
        }
        if theirs.processes != ours.processes {
            return differ("number of processes", &theirs.processes.to_string(), &ours.processes.to_string());
        }
        if theirs.hosts != ours.hosts {
            return Some("its host file is another one".into());
        }
        if theirs.job != ours.job {
            return differ("job", &theirs.job, &ours.job);
        }
        if theirs.from != from || theirs.to != self.process {
            return Some(format!(
                "it is process {} and means to speak with process {}, here is process {}",
                theirs.from, theirs.to, self.process
            ));
        }
        None
    }
}

/// Connects with all other processes: the sockets by their numbers, none for this one.
pub(super) fn meet(terms: &Terms) -> Result<Vec<Option<TcpStream>>, ClusterError> {
    let until = Instant::now() + terms.wait;
    let processes = terms.hosts.len();
    let listener = listen(terms)?;
    let (found, met) = channel();
    for peer in 0..terms.process {
        let (terms, found) = (terms.clone(), found.clone());
        thread::Builder::new().spawn(move || call(&terms, peer, until, &found))?;
    }
    let result = gather(terms, &listener, (&found, &met), until);
    drop(listener);
    let sockets = result?;
    debug_assert_eq!(sockets.iter().flatten().count(), processes - 1);
    Ok(sockets)
}

/// Waits for all, called and calling.
fn gather(
    terms: &Terms,
    listener: &TcpListener,
    (found, met): (&Sender<Met>, &Receiver<Met>),
    until: Instant,
) -> Result<Vec<Option<TcpStream>>, ClusterError> {
    let mut sockets: Vec<Option<TcpStream>> = (0..terms.hosts.len()).map(|_| None).collect();
    let missing = |sockets: &[Option<TcpStream>]| -> Vec<usize> {
        (0..sockets.len()).filter(|&peer| peer != terms.process && sockets[peer].is_none()).collect()
    };
    while !missing(&sockets).is_empty() {
        while let Ok((socket, _)) = listener.accept() {
            let (terms, found) = (terms.clone(), found.clone());
            thread::Builder::new().spawn(move || found.send(answer(&terms, socket)))?;
        }
        match met.recv_timeout(AGAIN / 4) {
            Ok(Ok((peer, _))) if sockets[peer].is_some() => {
                let reason = "there is one of that number already".into();
                return Err(ClusterError::Refused { process: peer, reason });
            }
            Ok(Ok((peer, socket))) => sockets[peer] = Some(socket),
            Ok(Err(Apart::Refused { process, reason })) => return Err(ClusterError::Refused { process, reason }),
            Ok(Err(Apart::Stranger)) | Err(_) => {}
        }
        if Instant::now() >= until {
            let missing = missing(&sockets).into_iter();
            let missing: Vec<String> =
                missing.map(|peer| format!("process {peer} ({})", terms.hosts.address(peer))).collect();
            if !missing.is_empty() {
                return Err(ClusterError::Missing { seconds: terms.wait.as_secs(), missing: missing.join(", ") });
            }
        }
    }
    Ok(sockets)
}

/// Listens on the address of this process.
fn listen(terms: &Terms) -> Result<TcpListener, ClusterError> {
    let refused = |source| ClusterError::Listen {
        process: terms.process,
        address: terms.hosts.address(terms.process).into(),
        source,
    };
    let addresses = terms.hosts.resolve(terms.process).map_err(refused)?;
    let listener = TcpListener::bind(&addresses[..]).map_err(refused)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Calls process `peer` until it answers or there is no more time.
fn call(terms: &Terms, peer: usize, until: Instant, found: &Sender<Met>) {
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        let addresses: Vec<SocketAddr> = terms.hosts.resolve(peer).unwrap_or_default();
        let connected =
            addresses.iter().find_map(|address| TcpStream::connect_timeout(address, left.min(PATIENCE)).ok());
        match connected.map(|socket| introduce(terms, peer, socket)) {
            // What listens there is not it yet, or any more.
            None | Some(Err(Apart::Stranger)) => thread::sleep(AGAIN),
            Some(met) => {
                // Nobody waits any more where another refusal came first.
                let _ = found.send(met);
                return;
            }
        }
    }
}

/// The greeting from the side that calls.
fn introduce(terms: &Terms, peer: usize, mut socket: TcpStream) -> Met {
    let spoken = (|| {
        prepare(&socket)?;
        say(&mut socket, &terms.greeting(peer))?;
        let theirs: Greeting = hear(&mut socket)?;
        let wrong = terms.wrong(&theirs, peer);
        say(&mut socket, &wrong)?;
        Ok((wrong, hear::<Option<String>>(&mut socket)?))
    })();
    agreed(spoken, peer, socket)
}

/// The greeting from the side that is called.
fn answer(terms: &Terms, mut socket: TcpStream) -> Met {
    let mut peer = usize::MAX;
    let spoken = (|| {
        socket.set_nonblocking(false)?;
        prepare(&socket)?;
        let theirs: Greeting = hear(&mut socket)?;
        peer = theirs.from;
        say(&mut socket, &terms.greeting(peer))?;
        let mut wrong = terms.wrong(&theirs, peer);
        if wrong.is_none() && !(terms.process + 1..terms.hosts.len()).contains(&peer) {
            wrong = Some(format!("it says that it is process {peer}, which does not call process {}", terms.process));
        }
        say(&mut socket, &wrong)?;
        Ok((wrong, hear::<Option<String>>(&mut socket)?))
    })();
    agreed(spoken, peer, socket)
}

fn agreed(spoken: io::Result<(Option<String>, Option<String>)>, peer: usize, socket: TcpStream) -> Met {
    match spoken {
        Ok((None, None)) => Ok((peer, socket)),
        Ok((Some(reason), _)) => Err(Apart::Refused { process: peer, reason }),
        Ok((None, Some(reason))) => {
            Err(Apart::Refused { process: peer, reason: format!("it says of this process: {reason}") })
        }
        Err(_) => Err(Apart::Stranger),
    }
}

fn prepare(socket: &TcpStream) -> io::Result<()> {
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    super::link::watch(socket)
}

fn say(socket: &mut TcpStream, what: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(what)?;
    socket.write_all(&[&MAGIC[..], &(text.len() as u32).to_le_bytes(), &text].concat())
}

fn hear<T: DeserializeOwned>(socket: &mut TcpStream) -> io::Result<T> {
    let mut head = [0; 12];
    socket.read_exact(&mut head)?;
    let length = head[8..].first_chunk().map_or(u32::MAX, |b| u32::from_le_bytes(*b));
    if head[..8] != *MAGIC || length > MOST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no greeting"));
    }
    let mut text = vec![0; length as usize];
    socket.read_exact(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
