//! Checks timely's byte stream: messages, each with a header of six numbers, and a header of zeros at the end. Timely
//! trusts every header, so each is validated before timely reads it.

use super::packet;

/// The size of a timely header, in bytes.
const HEADER: usize = 48;
/// The most bytes after a header: a packet, with what timely puts before it.
const MOST: u64 = packet::MOST as u64 + 4096;
/// The largest channel number: timely numbers channels from 0, and one dataflow has a few.
const CHANNELS: u64 = 64;

/// Validates the messages from one process to another.
pub(super) struct Shape {
    own: u64,
    peer: u64,
    head: [u8; HEADER],
    /// Bytes of the header so far.
    have: usize,
    /// Bytes of the message still to come.
    left: u64,
    ended: bool,
}

impl Shape {
    /// For the stream to `own` from `peer`.
    pub(super) fn new(own: usize, peer: usize) -> Self {
        Self { own: own as u64, peer: peer as u64, head: [0; HEADER], have: 0, left: 0, ended: false }
    }

    /// Validates the next bytes.
    ///
    /// # Errors
    /// What is wrong with them; timely must not see any of them then.
    pub(super) fn check(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        while !bytes.is_empty() {
            if self.ended {
                return Err("it went on after its end".into());
            }
            if self.left > 0 {
                let passed = self.left.min(bytes.len() as u64);
                self.left -= passed;
                bytes = &bytes[passed as usize..];
                continue;
            }
            let (part, rest) = bytes.split_at((HEADER - self.have).min(bytes.len()));
            self.head[self.have..self.have + part.len()].copy_from_slice(part);
            self.have += part.len();
            bytes = rest;
            if self.have == HEADER {
                self.have = 0;
                self.read_header()?;
            }
        }
        Ok(())
    }

    fn read_header(&mut self) -> Result<(), String> {
        let mut numbers = [0; HEADER / 8];
        for (number, bytes) in numbers.iter_mut().zip(self.head.chunks_exact(8)) {
            *number = bytes.first_chunk().map_or(0, |b| u64::from_be_bytes(*b));
        }
        let [channel, source, lower, upper, length, _] = numbers;
        if length == 0 {
            self.ended = numbers == [0; HEADER / 8];
            return if self.ended { Ok(()) } else { Err("it sent an empty message".into()) };
        }
        if length > MOST {
            return Err(format!("it announced a message of {length} bytes, allowed are {MOST}"));
        }
        if !length.is_multiple_of(8)
            || channel >= CHANNELS
            || source != self.peer
            || (lower, upper) != (self.own, self.own + 1)
        {
            return Err("it sent a message that no process of this run sends".into());
        }
        self.left = length;
        Ok(())
    }

    /// Whether the last header has come.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(numbers: [u64; 6], content: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        bytes.resize(HEADER + content, 1);
        bytes
    }

    fn checked(pieces: &[&[u8]]) -> Result<bool, String> {
        let mut shape = Shape::new(2, 5);
        pieces.iter().try_for_each(|piece| shape.check(piece))?;
        Ok(shape.has_ended())
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = checked(&[&bytes]);
        }

        #[test]
        fn messages_pass_however_they_are_cut(at in any::<prop::sample::Index>()) {
            let all = [message([3, 5, 2, 3, 64, 0], 64), message([0, 5, 2, 3, 8, 1], 8), vec![0; HEADER]].concat();
            let (one, other) = all.split_at(at.index(all.len()));
            prop_assert_eq!(checked(&[one, other]), Ok(true));
            prop_assert_eq!(checked(&[one]), Ok(false));
            prop_assert!(checked(&[&all, &[0]]).is_err());
        }
    }

    #[test]
    fn what_timely_would_believe_is_refused() {
        let wrong = [
            [3, 5, 2, 3, 4_200_000_000, 0],
            [3, 5, 2, 3, u64::MAX, 0],
            [3, 5, 2, 3, 9, 0],
            [CHANNELS, 5, 2, 3, 64, 0],
            [3, 4, 2, 3, 64, 0],
            [3, 5, 0, 9, 64, 0],
            [3, 5, 3, 2, 64, 0],
            [3, 5, 2, 3, 0, 0],
        ];
        for numbers in wrong {
            assert!(checked(&[&message(numbers, 0)]).is_err(), "{numbers:?}");
        }
    }
}
