//! Writes a certificate as bytes. `docs/certificate.md` has the format.

use std::io::{self, Write};

use super::{Certificate, Levels};

/// The first 16 bytes of a certificate; the last two digits are its version.
pub const MAGIC: &[u8; 16] = b"halma refutes 01";

/// Added to directions, so that no number is negative.
const OFFSET: i32 = 8;

/// A writer of variable-length integers (LEB128): seven bits a byte, the low ones first.
struct Numbers<'a>(&'a mut dyn Write);

impl Numbers<'_> {
    fn put(&mut self, mut number: u64) -> io::Result<()> {
        let (mut bytes, mut len) = ([0u8; 10], 0);
        loop {
            bytes[len] = (number & 0x7f) as u8;
            number >>= 7;
            len += 1;
            if number == 0 {
                break;
            }
            bytes[len - 1] |= 0x80;
        }
        self.0.write_all(&bytes[..len])
    }

    fn all(&mut self, numbers: impl IntoIterator<Item = u64>) -> io::Result<()> {
        numbers.into_iter().try_for_each(|n| self.put(n))
    }

    fn levels(&mut self, levels: &Levels) -> io::Result<()> {
        self.put(levels.len() as u64)?;
        for level in levels {
            self.put(level.len() as u64)?;
            let mut before = 0;
            for &key in level {
                self.put(key - before)?;
                before = key;
            }
        }
        Ok(())
    }
}

impl Certificate {
    /// Writes the certificate.
    ///
    /// # Errors
    /// Where `out` does not take it.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(MAGIC)?;
        let mut out = Numbers(out);
        let Self { problem, symmetries, partition, .. } = self;
        let board = &problem.lattice.board;
        out.put(board.len() as u64)?;
        for cell in 0..board.len() {
            let (x, y) = board.xy(cell);
            out.all([x, y].map(|v| v.unsigned_abs().into()))?;
        }
        let directions: Vec<_> = problem.lattice.rule.directions().collect();
        out.put(directions.len() as u64)?;
        for (dx, dy) in directions {
            out.all([dx, dy].map(|v| (v + OFFSET).unsigned_abs().into()))?;
        }
        out.put(problem.jumps_only.into())?;
        out.put(problem.start.len() as u64)?;
        out.all(problem.start.iter().chain(&problem.target).map(|&c| c as u64))?;
        out.put(self.length.into())?;
        out.put(symmetries.fixing.len() as u64)?;
        out.all(symmetries.fixing.iter().flat_map(|k| &k.cells).map(|&c| c.into()))?;
        out.put(partition.classes() as u64)?;
        out.all(partition.class_of.iter().map(|&c| c.into()))?;
        let mirror = symmetries.mirror.as_ref().filter(|_| self.leading);
        out.put(mirror.is_some().into())?;
        if let Some(mirror) = mirror {
            out.all(mirror.cells.iter().map(|&c| c.into()))?;
            let offset = partition.values.iter().map(|v| v.abs()).max().unwrap_or(0);
            out.put(offset.unsigned_abs().into())?;
            out.all(partition.values.iter().map(|&v| u64::from((v + offset).unsigned_abs())))?;
        }
        out.put(self.meeting.into())?;
        out.put(self.behind_is_bounded.into())?;
        self.families.iter().try_for_each(|levels| out.levels(levels))
    }
}
