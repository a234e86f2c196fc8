//! Memory-mapped parts of files. Nothing else maps.

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

/// Maps `bytes` bytes of `file` from `offset` on.
///
/// # Errors
/// Where the file is too short for that, or the system refuses.
pub(super) fn map(file: &File, offset: u64, bytes: usize) -> io::Result<Mmap> {
    // Reading past the end of a mapped file kills the process, so the length is asked for each time; it costs
    // little beside the mapping.
    let length = file.metadata()?.len();
    if offset.checked_add(bytes as u64).is_none_or(|end| end > length) {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("it is only {length} bytes long")));
    }
    // SAFETY: the mapping is read only, and the file is one that this program wrote, synced and renamed into place
    // and never changes again. Whoever else changes it meanwhile can make the bytes change (checksums tell) or,
    // by cutting the file in this very moment, end the process, but can make nothing else of it.
    unsafe { MmapOptions::new().offset(offset).len(bytes).map(file) }
}
