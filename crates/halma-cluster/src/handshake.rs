//! Mutual authentication: a challenge-response handshake by which two processes prove that they have the shared secret.
//!
//! The caller sends a hello: magic number, version, both process numbers, a random nonce. The called side answers with
//! a nonce of its own, and nothing more. Then first the caller and after it the called side sends a proof: a hash of
//! both hellos, keyed by the secret and the sender's role. So no proof can be replayed, or reflected to its sender, and
//! a stranger learns only one nonce. The keys of the frames ([`frame`](super::frame)) are derived from the same hash.

use std::io::{self, ErrorKind, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::frame::{DirectionKey, Opener, Sealer, read_until};
use super::key::{Secret, random};

const MAGIC: &[u8; 8] = b"HALMANET";
/// The version of the whole protocol after the hello.
const VERSION: u32 = 3;
/// The time limit of handshake and greeting together, however slowly the other side sends.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
const HELLO: usize = 8 + 3 * 4 + 32;

/// The process numbers of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) caller: usize,
    pub(super) called: usize,
}

/// A connection whose other side has proved that it has the secret.
pub(super) struct Wire {
    pub(super) sealer: Sealer<TcpStream>,
    pub(super) opener: Opener<TcpStream>,
}

/// Why a handshake failed.
#[derive(Debug)]
pub(super) enum HandshakeError {
    /// It uses another protocol, or is silent, or is gone.
    Stranger(String),
    /// It claims this process number, without the secret.
    Unproven(usize, String),
}

fn stranger(e: &io::Error) -> HandshakeError {
    HandshakeError::Stranger(match e.kind() {
        ErrorKind::UnexpectedEof => "it closed the connection before it had said who it is".into(),
        ErrorKind::TimedOut => format!("it did not say who it is within {} s", PATIENCE.as_secs()),
        _ => e.to_string(),
    })
}

fn hello(pair: Pair, nonce: &[u8; 32]) -> [u8; HELLO] {
    let mut bytes = [0; HELLO];
    bytes[..8].copy_from_slice(MAGIC);
    let numbers = [VERSION, pair.caller as u32, pair.called as u32];
    bytes[8..20].chunks_exact_mut(4).zip(numbers).for_each(|(at, number)| at.copy_from_slice(&number.to_le_bytes()));
    bytes[20..].copy_from_slice(nonce);
    bytes
}

/// What a hello says, if it is one of this version.
fn read_hello(bytes: &[u8; HELLO]) -> Result<Pair, HandshakeError> {
    let number = |at: usize| bytes[at..].first_chunk().map_or(u32::MAX, |b| u32::from_le_bytes(*b));
    if bytes[..8] != *MAGIC {
        return Err(HandshakeError::Stranger("it says something else".into()));
    }
    // Version 1 had the length of its greeting here, which cannot be so small.
    if number(8) != VERSION {
        return Err(HandshakeError::Stranger("it is another version of this program".into()));
    }
    Ok(Pair { caller: number(12) as usize, called: number(16) as usize })
}

/// Everything that is derived from the secret and both hellos.
struct Keys {
    proof_of_caller: blake3::Hash,
    proof_of_called: blake3::Hash,
    from_caller: DirectionKey,
    from_called: DirectionKey,
}

impl Keys {
    fn new(secret: &Secret, hello: &[u8; HELLO], answer: &[u8; HELLO]) -> Self {
        let both = blake3::Hasher::new_keyed(secret.bytes()).update(hello).update(answer).finalize();
        let derived = |label: &str| blake3::keyed_hash(both.as_bytes(), label.as_bytes());
        Self {
            proof_of_caller: derived("proof of the caller"),
            proof_of_called: derived("proof of the called side"),
            from_caller: *derived("frames of the caller").as_bytes(),
            from_called: *derived("frames of the called side").as_bytes(),
        }
    }
}

fn read_proof(socket: &mut TcpStream, until: Instant) -> io::Result<blake3::Hash> {
    let mut bytes = [0; blake3::OUT_LEN];
    read_until(socket, &mut bytes, until)?;
    Ok(blake3::Hash::from_bytes(bytes))
}

fn wire(socket: &TcpStream, sends: DirectionKey, receives: DirectionKey) -> Result<Wire, HandshakeError> {
    let clone = || socket.try_clone().map_err(|e| stranger(&e));
    Ok(Wire { sealer: Sealer::new(clone()?, sends), opener: Opener::new(clone()?, receives) })
}

/// The handshake of the calling side.
pub(super) fn call(mut socket: TcpStream, secret: &Secret, pair: Pair, until: Instant) -> Result<Wire, HandshakeError> {
    let nonce = random().map_err(|e| stranger(&e))?;
    let hello = hello(pair, &nonce);
    let mut answer = [0; HELLO];
    let heard = socket.write_all(&hello).and_then(|()| read_until(&mut socket, &mut answer, until));
    heard.map_err(|e| stranger(&e))?;
    let answered = read_hello(&answer)?;
    if answered != pair {
        let what = format!("it is process {}, so one of the host files is another one", answered.called);
        return Err(HandshakeError::Stranger(what));
    }
    let keys = Keys::new(secret, &hello, &answer);
    let proof = socket
        .write_all(keys.proof_of_caller.as_bytes())
        .and_then(|()| read_proof(&mut socket, until))
        .map_err(|_| HandshakeError::Unproven(pair.called, "it does not take this process's key".into()))?;
    // `Hash` compares in constant time.
    match proof == keys.proof_of_called {
        true => wire(&socket, keys.from_caller, keys.from_called),
        false => Err(HandshakeError::Unproven(pair.called, "it has another key".into())),
    }
}

/// The handshake of the called side, process `own`; returns who the caller is.
pub(super) fn answer(
    mut socket: TcpStream,
    secret: &Secret,
    own: usize,
    until: Instant,
) -> Result<(Pair, Wire), HandshakeError> {
    let mut hello_of_caller = [0; HELLO];
    read_until(&mut socket, &mut hello_of_caller, until).map_err(|e| stranger(&e))?;
    let pair = read_hello(&hello_of_caller)?;
    let nonce = random().map_err(|e| stranger(&e))?;
    let answer = hello(Pair { called: own, ..pair }, &nonce);
    socket.write_all(&answer).map_err(|e| stranger(&e))?;
    // Whoever calls another process, or passes such a call on, gets no proof.
    if pair.called != own {
        let what = format!(
            "it calls process {}, and this is process {own}: one of the host files is another one",
            pair.called
        );
        return Err(HandshakeError::Stranger(what));
    }
    let keys = Keys::new(secret, &hello_of_caller, &answer);
    let unproven = |what: String| HandshakeError::Unproven(pair.caller, what);
    let proof = read_proof(&mut socket, until);
    // `Hash` compares in constant time.
    match proof {
        Ok(proof) if proof == keys.proof_of_caller => {}
        Ok(_) => return Err(unproven("it has another key".into())),
        Err(e) => return Err(unproven(format!("it did not show that it has the key ({e})"))),
    }
    socket.write_all(keys.proof_of_called.as_bytes()).map_err(|e| stranger(&e))?;
    Ok((pair, wire(&socket, keys.from_called, keys.from_caller)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Kind;
    use std::net::TcpListener;
    use std::thread;

    const PAIR: Pair = Pair { caller: 1, called: 0 };

    fn sockets() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let caller = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (caller, listener.accept().unwrap().0)
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    fn shake(ours: &Secret, theirs: &Secret) -> (Result<Wire, HandshakeError>, Result<(Pair, Wire), HandshakeError>) {
        let (caller, called) = sockets();
        thread::scope(|scope| {
            let called = scope.spawn(|| answer(called, theirs, 0, soon()));
            (call(caller, ours, PAIR, soon()), called.join().unwrap())
        })
    }

    #[test]
    fn who_has_the_secret_gets_a_wire_and_who_has_not_gets_none() {
        let (secret, other) = (Secret::random().unwrap(), Secret::random().unwrap());
        let (caller, called) = shake(&secret, &secret);
        let (mut caller, (pair, mut called)) = (caller.unwrap(), called.unwrap());
        assert_eq!(pair, PAIR);
        caller.sealer.send(Kind::Talk, b"good day").unwrap();
        assert_eq!(called.opener.next(Some(soon())).unwrap(), (Kind::Talk, &b"good day"[..]));
        called.sealer.send(Kind::Talk, b"to you, too").unwrap();
        assert_eq!(caller.opener.next(Some(soon())).unwrap(), (Kind::Talk, &b"to you, too"[..]));
        let (caller, called) = shake(&secret, &other);
        assert!(
            matches!(caller, Err(HandshakeError::Unproven(0, _)))
                && matches!(called, Err(HandshakeError::Unproven(1, _)))
        );
        let (caller, called) = shake(&secret, &Secret::none());
        assert!(
            matches!(caller, Err(HandshakeError::Unproven(0, _)))
                && matches!(called, Err(HandshakeError::Unproven(1, _)))
        );
    }

    #[test]
    fn a_proof_that_is_played_back_or_handed_back_proves_nothing() {
        let secret = Secret::random().unwrap();
        // What a true caller says is recorded by who stands between.
        let ((caller, relay_in), (relay_out, called)) = (sockets(), sockets());
        let recorded = thread::scope(|scope| {
            scope.spawn(|| call(caller, &secret, PAIR, soon()).is_ok());
            scope.spawn(|| answer(called, &secret, 0, soon()).is_ok());
            let (mut to, mut from) = (relay_out.try_clone().unwrap(), relay_in.try_clone().unwrap());
            let mut recorded = [0; HELLO + 32];
            read_until(&mut from, &mut recorded[..HELLO], soon()).unwrap();
            to.write_all(&recorded[..HELLO]).unwrap();
            let mut answer = [0; HELLO];
            read_until(&mut to, &mut answer, soon()).unwrap();
            from.write_all(&answer).unwrap();
            read_until(&mut from, &mut recorded[HELLO..], soon()).unwrap();
            to.write_all(&recorded[HELLO..]).unwrap();
            let mut proof = [0; 32];
            read_until(&mut to, &mut proof, soon()).unwrap();
            from.write_all(&proof).unwrap();
            recorded
        });
        let (mut replayer, called) = sockets();
        replayer.write_all(&recorded).unwrap();
        assert!(matches!(answer(called, &secret, 0, soon()), Err(HandshakeError::Unproven(1, _))));
        // A called side that only gives back what it hears.
        let (caller, mut mirror) = sockets();
        let mirrored = thread::spawn(move || {
            let mut bytes = [0; HELLO + 32];
            read_until(&mut mirror, &mut bytes[..HELLO], soon()).unwrap();
            mirror.write_all(&bytes[..HELLO]).unwrap();
            read_until(&mut mirror, &mut bytes[HELLO..], soon()).unwrap();
            mirror.write_all(&bytes[HELLO..]).unwrap();
        });
        assert!(matches!(call(caller, &secret, PAIR, soon()), Err(HandshakeError::Unproven(0, _))));
        mirrored.join().unwrap();
    }

    #[test]
    fn a_call_to_another_process_gets_no_proof() {
        let secret = Secret::random().unwrap();
        let (caller, called) = sockets();
        thread::scope(|scope| {
            let called = scope.spawn(|| answer(called, &secret, 2, soon()).map(drop));
            let refused = call(caller, &secret, PAIR, soon()).map(drop).unwrap_err();
            assert!(
                matches!(&refused, HandshakeError::Stranger(what) if what.starts_with("it is process 2")),
                "{refused:?}"
            );
            let fault = called.join().unwrap().unwrap_err();
            assert!(
                matches!(&fault, HandshakeError::Stranger(what) if what.starts_with("it calls process 0, and this is process 2")),
                "{fault:?}"
            );
        });
    }

    #[test]
    fn who_drips_loses_its_thread_after_a_total_time() {
        let (mut dripping, called) = sockets();
        let until = Instant::now() + Duration::from_millis(300);
        let dripper = thread::spawn(move || {
            while dripping.write_all(b"H").is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        let secret = Secret::none();
        let fault = answer(called, &secret, 0, until).map(drop).unwrap_err();
        // Not that it says something else: the greeting would take a second to arrive.
        assert!(matches!(&fault, HandshakeError::Stranger(what) if what.contains("within")), "{fault:?}");
        dripper.join().unwrap();
    }
}
