//! The wire format: frames, each with its length, its kind, and a message authentication code (keyed BLAKE3).
//!
//! Little-endian: the length of the content (4 bytes), the kind (1), zeros (3); the content; BLAKE3 of content, header
//! and the frame's number in its direction, keyed for the connection and the direction (32). The number is counted and not
//! sent: a frame that is sent again, left out, or out of turn does not fit, nor does one of another connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The most bytes of a frame's content, and so the most memory that a length from outside can claim.
pub(super) const MOST: usize = 1 << 16;
const HEAD: usize = 8;
const TAG: usize = blake3::OUT_LEN;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A piece of timely's stream.
    Data = 0,
    /// A sign of life, empty.
    Pulse = 1,
    /// The last frame.
    End = 2,
    /// A message of the greeting.
    Talk = 3,
}

impl Kind {
    fn of(byte: u8) -> Option<Self> {
        [Self::Data, Self::Pulse, Self::End, Self::Talk].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// The secret of one direction of one connection.
pub(super) type DirectionKey = [u8; 32];

fn tag(key: &DirectionKey, number: u64, head: &[u8], content: &[u8]) -> blake3::Hash {
    // The content comes first, because the hash processes long pieces faster.
    blake3::Hasher::new_keyed(key).update(content).update(head).update(&number.to_le_bytes()).finalize()
}

fn invalid(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.into())
}

/// The sending end.
pub(super) struct Sealer<W> {
    to: W,
    key: DirectionKey,
    number: u64,
    buffer: Vec<u8>,
    /// After an end or a fault nothing more is sent.
    closed: bool,
    sent: Arc<AtomicU64>,
}

impl<W: Write> Sealer<W> {
    pub(super) fn new(to: W, key: DirectionKey) -> Self {
        Self { to, key, number: 0, buffer: Vec::new(), closed: false, sent: Arc::default() }
    }

    /// Sends a frame with as much of `content` as one holds; returns how much that is.
    pub(super) fn send(&mut self, kind: Kind, content: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Err(io::Error::new(ErrorKind::BrokenPipe, "this side has ended"));
        }
        let content = &content[..content.len().min(MOST)];
        self.buffer.clear();
        self.buffer.extend_from_slice(&(content.len() as u32).to_le_bytes());
        self.buffer.extend_from_slice(&[kind as u8, 0, 0, 0]);
        self.buffer.extend_from_slice(content);
        let tag = tag(&self.key, self.number, &self.buffer[..HEAD], content);
        self.buffer.extend_from_slice(tag.as_bytes());
        self.number += 1;
        let written = self.to.write_all(&self.buffer);
        // After a part of a frame the rest cannot be read.
        self.closed = written.is_err() || kind == Kind::End;
        self.sent.fetch_add(self.buffer.len() as u64, Ordering::Relaxed);
        written.map(|()| content.len())
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The number of bytes sent so far, shared with other threads.
    pub(super) fn sent(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.sent)
    }

    pub(super) fn target(&self) -> &W {
        &self.to
    }
}

/// A source of frames: a socket with a timeout.
pub(super) trait Source: Read {
    /// Limits how long a read waits, or lets it wait for ever.
    fn wait_at_most(&self, time: Option<Duration>) -> io::Result<()>;
}

impl Source for TcpStream {
    fn wait_at_most(&self, time: Option<Duration>) -> io::Result<()> {
        // Zero would mean for ever.
        self.set_read_timeout(time.map(|time| time.max(Duration::from_millis(1))))
    }
}

/// Reads all of `bytes` before `until`, however slowly they arrive.
pub(super) fn read_until(from: &mut impl Source, bytes: &mut [u8], until: Instant) -> io::Result<()> {
    let mut have = 0;
    while have < bytes.len() {
        have += read_some(from, &mut bytes[have..], Some(until))?;
    }
    Ok(())
}

fn read_some(from: &mut impl Source, bytes: &mut [u8], until: Option<Instant>) -> io::Result<usize> {
    loop {
        if let Some(until) = until {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(ErrorKind::TimedOut, "it takes too long"));
            }
            from.wait_at_most(Some(left))?;
        }
        match from.read(bytes) {
            Ok(0) => return Err(io::Error::new(ErrorKind::UnexpectedEof, "it closed the connection")),
            Ok(read) => return Ok(read),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if until.is_some() && is_waiting(&e) => {}
            Err(e) => return Err(e),
        }
    }
}

/// Whether a read had nothing to give in its time.
fn is_waiting(e: &io::Error) -> bool {
    matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// The receiving end. It keeps the part of a frame that is not yet complete.
pub(super) struct Opener<R> {
    from: R,
    key: DirectionKey,
    number: u64,
    buffer: Vec<u8>,
    have: usize,
}

impl<R: Source> Opener<R> {
    pub(super) fn new(from: R, key: DirectionKey) -> Self {
        Self { from, key, number: 0, buffer: Vec::new(), have: 0 }
    }

    pub(super) fn source(&self) -> &R {
        &self.from
    }

    /// The next frame, valid until the next call.
    pub(super) fn next(&mut self, until: Option<Instant>) -> io::Result<(Kind, &[u8])> {
        self.fill(HEAD, until)?;
        let length = self.buffer.first_chunk().map_or(usize::MAX, |b| u32::from_le_bytes(*b) as usize);
        if length > MOST {
            return Err(invalid(format!("it announced a frame of {length} bytes")));
        }
        let end = HEAD + length;
        self.fill(end + TAG, until)?;
        let (head, content) = self.buffer[..end].split_at(HEAD);
        let theirs = self.buffer[end..end + TAG].first_chunk::<TAG>().ok_or_else(|| invalid("a frame is short"))?;
        // `Hash` compares in constant time.
        if tag(&self.key, self.number, head, content) != blake3::Hash::from_bytes(*theirs) {
            return Err(invalid("what came from it is not what it sent"));
        }
        let kind = Kind::of(head[4]).filter(|_| head[5..] == [0; 3]);
        let kind = kind.ok_or_else(|| invalid(format!("it sent a frame of kind {}", head[4])))?;
        self.number += 1;
        self.have = 0;
        Ok((kind, &self.buffer[HEAD..end]))
    }

    /// The same without waiting: `None` if the frame has not arrived.
    pub(super) fn poll(&mut self) -> io::Result<Option<(Kind, &[u8])>> {
        self.from.wait_at_most(Some(Duration::ZERO))?;
        match self.next(None) {
            Ok(frame) => Ok(Some(frame)),
            Err(e) if is_waiting(&e) => Ok(None),
            Err(e) => Err(e),
        }
    }

    fn fill(&mut self, end: usize, until: Option<Instant>) -> io::Result<()> {
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        while self.have < end {
            self.have += read_some(&mut self.from, &mut self.buffer[self.have..end], until)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Source for &[u8] {
        fn wait_at_most(&self, _: Option<Duration>) -> io::Result<()> {
            Ok(())
        }
    }

    const KEY: DirectionKey = [7; 32];

    fn sealed(contents: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut sealer = Sealer::new(Vec::new(), KEY);
        let seal = |content: &Vec<u8>| {
            assert_eq!(sealer.send(Kind::Data, content).unwrap(), content.len());
            std::mem::take(&mut sealer.to)
        };
        contents.iter().map(seal).collect()
    }

    /// The contents that are read until a fault, which is a byte that is not there at the latest.
    fn opened(key: DirectionKey, wire: &[u8]) -> (Vec<Vec<u8>>, ErrorKind) {
        let mut opener = Opener::new(wire, key);
        let mut contents = Vec::new();
        loop {
            match opener.next(None) {
                Ok((_, content)) => contents.push(content.to_vec()),
                Err(e) => {
                    assert!(opener.buffer.capacity() <= 2 * (HEAD + MOST + TAG));
                    return (contents, e.kind());
                }
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic_or_take_more_than_a_frame(wire in prop::collection::vec(any::<u8>(), 0..300)) {
            let (contents, _) = opened(KEY, &wire);
            prop_assert!(contents.is_empty());
        }

        #[test]
        fn only_what_was_sent_is_read_whatever_is_done_to_it(
            contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..5),
            harm in 0..6, at in any::<prop::sample::Index>(), bit in 0u32..8,
        ) {
            let frames = sealed(&contents);
            let mut wire = frames.concat();
            let frame = at.index(frames.len());
            match harm {
                // A bit, a cut, a frame again, a frame left out, two exchanged, one from the other direction.
                0 => wire[at.index(frames.concat().len())] ^= 1u8 << bit,
                1 => wire.truncate(at.index(frames.concat().len())),
                2 => { let mut all = frames.clone(); all.insert(frame, frames[frame].clone()); wire = all.concat() }
                3 => { let mut all = frames.clone(); all.remove(frame); wire = all.concat() }
                4 => { let mut all = frames.clone(); all.reverse(); wire = all.concat() }
                _ => prop_assert_eq!(opened([8; 32], &wire).0.len(), 0),
            }
            let (read, _) = opened(KEY, &wire);
            prop_assert!(contents.starts_with(&read), "something else was read");
            prop_assert!(harm > 1 || read.len() < contents.len());
        }
    }

    #[test]
    fn a_header_that_claims_gigabytes_is_refused_before_memory_is_taken() {
        assert_eq!(opened(KEY, b"\xff\xff\xff\xff\0\0\0\0"), (vec![], ErrorKind::InvalidData));
        assert_eq!(opened(KEY, b"\x01\0\x01\0\0\0\0\0"), (vec![], ErrorKind::InvalidData));
    }

    #[test]
    fn a_kind_that_there_is_not_is_refused_although_it_is_authentic() {
        let mut wire = vec![0, 0, 0, 0, 9, 0, 0, 0];
        wire.extend_from_slice(tag(&KEY, 0, &wire.clone(), b"").as_bytes());
        assert_eq!(opened(KEY, &wire), (vec![], ErrorKind::InvalidData));
    }

    #[test]
    fn nothing_is_sent_after_the_end_and_long_contents_go_in_parts() {
        let mut sealer = Sealer::new(Vec::new(), KEY);
        assert_eq!(sealer.send(Kind::Data, &vec![1; MOST + 1]).unwrap(), MOST);
        sealer.send(Kind::End, b"").unwrap();
        assert!(sealer.is_closed() && sealer.send(Kind::Pulse, b"").is_err());
        assert_eq!(sealer.sent().load(Ordering::Relaxed) as usize, 2 * (HEAD + TAG) + MOST);
        assert_eq!(opened(KEY, &sealer.to).0, [vec![1; MOST], vec![]]);
    }
}
