//! What travels through the dataflow: a stretch of bytes with an address.

use std::io::Write;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};

/// The most bytes that a packet carries: timely wants room for a whole packet at once.
pub(super) const MOST: usize = 1 << 20;

/// What a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// A part of a parcel, of which more is to come.
    #[default]
    Part,
    /// The last part of a parcel.
    End,
    /// The reason why the sender does not go on.
    Farewell,
}

/// A stretch of bytes from one process for another.
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
    fn from_bytes(bytes: Bytes) -> Self {
        let number = |at: usize| bytes[at..at + 4].first_chunk().map_or(0, |b| u32::from_le_bytes(*b)) as usize;
        let kind = match number(8) {
            0 => Kind::Part,
            1 => Kind::End,
            _ => Kind::Farewell,
        };
        Self { to: number(0), from: number(4), kind, bytes: bytes[HEAD..HEAD + number(12)].to_vec() }
    }

    fn length_in_bytes(&self) -> usize {
        (HEAD + self.bytes.len()).next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let mut head = [0; HEAD];
        let numbers = [self.to as u32, self.from as u32, self.kind as u32, self.bytes.len() as u32];
        head.chunks_exact_mut(4).zip(numbers).for_each(|(at, number)| at.copy_from_slice(&number.to_le_bytes()));
        let padding = &[0; 8][..self.length_in_bytes() - HEAD - self.bytes.len()];
        // Timely gives memory to write to, which has room for all of it.
        let written = [&head[..], &self.bytes, padding].into_iter().try_for_each(|bytes| writer.write_all(bytes));
        debug_assert!(written.is_ok());
    }
}

/// Sends every packet where it is addressed to.
pub(super) struct ByAddress;

impl Distributor<Packet> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Packet>>>(&mut self, packet: &mut Packet, time: &T, to: &mut [P]) {
        let address = packet.to;
        Message::push_at(packet, time.clone(), &mut to[address]);
    }

    fn flush<T: Clone, P: Push<Message<T, Packet>>>(&mut self, _: &T, _: &mut [P]) {}
}
