//! The unit of the dataflow: a piece of a message with its address.

use std::io::Write;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// The most bytes of a packet: timely needs room for a whole packet at once.
pub(super) const MOST: usize = 1 << 20;

/// The kind of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// A part of a message, of which more will come.
    #[default]
    Part,
    /// The last part of a message.
    End,
    /// The reason why the sender does not go on.
    Farewell,
    /// The sender has no message for this process in this round.
    Nothing,
    /// Invalid bytes.
    Garbled,
}

/// A piece of a message from one process to another.
#[derive(Clone, Debug, Default)]
pub(super) struct Packet {
    pub(super) to: usize,
    pub(super) from: usize,
    pub(super) kind: Kind,
    pub(super) bytes: Vec<u8>,
}

/// A packet is one record, whatever it carries.
impl Accountable for Packet {
    fn record_count(&self) -> i64 {
        1
    }
}

const HEAD: usize = 16;

impl ContainerBytes for Packet {
    // Timely accepts no error from here, so an invalid packet has a kind of its own.
    fn from_bytes(bytes: Bytes) -> Self {
        Self::read(&bytes).unwrap_or(Self { kind: Kind::Garbled, ..Self::default() })
    }

    fn length_in_bytes(&self) -> usize {
        (HEAD + self.bytes.len()).next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let mut head = [0; HEAD];
        let numbers = [self.to as u32, self.from as u32, self.kind as u32, self.bytes.len() as u32];
        head.chunks_exact_mut(4).zip(numbers).for_each(|(at, number)| at.copy_from_slice(&number.to_le_bytes()));
        let padding = &[0; 8][..self.length_in_bytes() - HEAD - self.bytes.len()];
        // Timely's buffer has room for all of it.
        let written = [&head[..], &self.bytes, padding].into_iter().try_for_each(|bytes| writer.write_all(bytes));
        debug_assert!(written.is_ok());
    }
}

impl Packet {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let number = |at: usize| Some(u32::from_le_bytes(*head[at..].first_chunk()?) as usize);
        let kind = match number(8)? {
            0 => Kind::Part,
            1 => Kind::End,
            2 => Kind::Farewell,
            3 => Kind::Nothing,
            _ => return None,
        };
        let length = number(12).filter(|&length| length <= MOST)?;
        let packet = Self { to: number(0)?, from: number(4)?, kind, bytes: rest.get(..length)?.to_vec() };
        (packet.length_in_bytes() == bytes.len()).then_some(packet)
    }
}

/// Routes every packet to its address.
pub(super) struct ByAddress;

impl Distributor<Packet> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Packet>>>(&mut self, packet: &mut Packet, time: &T, to: &mut [P]) {
        let address = packet.to;
        Message::push_at(packet, time.clone(), &mut to[address]);
    }

    fn flush<T: Clone, P: Push<Message<T, Packet>>>(&mut self, _: &T, _: &mut [P]) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_packet_is_read_as_it_was_written(to in 0usize..9, from in 0usize..9, bytes: Vec<u8>) {
            let packet = Packet { to, from, kind: Kind::End, bytes };
            let mut written = Vec::new();
            packet.into_bytes(&mut written);
            prop_assert_eq!(written.len(), packet.length_in_bytes());
            let read = Packet::read(&written).unwrap();
            prop_assert_eq!((read.to, read.from, read.kind, &read.bytes), (to, from, Kind::End, &packet.bytes));
            prop_assert!(Packet::read(&written[..written.len() - 1]).is_none());
        }

        #[test]
        fn no_bytes_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..64), length in 0u32..80, kind in 0u32..4) {
            let _ = Packet::read(&bytes);
            // Mostly what could be one, but for its length.
            if bytes.len() >= HEAD {
                bytes[8..12].copy_from_slice(&kind.to_le_bytes());
                bytes[12..16].copy_from_slice(&length.to_le_bytes());
                prop_assert!(Packet::read(&bytes).is_none_or(|packet| packet.bytes.len() == length as usize));
            }
        }
    }
}
