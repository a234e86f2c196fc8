//! Memory mapping of parts of files. No other file of the engine maps.

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

/// Maps `bytes` bytes of `file` from `offset` on.
///
/// # Errors
/// Where the file is too short, or the system refuses.
pub(super) fn map(file: &File, offset: u64, bytes: usize) -> io::Result<Mmap> {
    // Reading past the end of a mapped file kills the process, so the length is asked for each time; that costs little
    // beside the mapping.
    let length = file.metadata()?.len();
    if offset.checked_add(bytes as u64).is_none_or(|end| end > length) {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("it is only {length} bytes long")));
    }
    // SAFETY: the mapping is read only. The program wrote the file, synced it, renamed it into place, and never changes
    // it again. If another program changes it meanwhile, the bytes change; checksums detect that, unless it happens between the
    // comparison and the decoding, which checks its bounds. If another program truncates the file at this moment, or the device
    // cannot be read, SIGBUS ends the process; the run goes on from its checkpoint.
    unsafe { MmapOptions::new().offset(offset).len(bytes).map(file) }
}
