//! Files that a command writes: what was there stays until the new file is complete. And documents that go to standard output
//! where no file is named.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use atomic_write_file::AtomicWriteFile;

use super::asking::put;
use super::{Exit, Failure};

/// Writes a file, whole or not at all; returns its bytes. What is no regular file, as a pipe or `/dev/null`, is written to, and not
/// replaced.
pub(super) fn write(file: &Path, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    if file.metadata().is_ok_and(|there| !there.is_file()) {
        return buffered(&std::fs::OpenOptions::new().write(true).open(file)?, contents);
    }
    let whole = AtomicWriteFile::open(file)?;
    let bytes = buffered(whole.as_file(), contents)?;
    whole.commit()?;
    Ok(bytes)
}

fn buffered(file: &std::fs::File, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let mut counted = Counted { writer: BufWriter::new(file), bytes: 0 };
    contents(&mut counted)?;
    counted.flush()?;
    Ok(counted.bytes)
}

/// Counts the bytes that are written.
struct Counted<W> {
    writer: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A page or a picture is not written to a terminal.
pub(super) fn not_to_a_terminal(output: Option<&Path>) -> Result<(), Failure> {
    if output.is_none() && io::stdout().is_terminal() {
        return Err(Failure::input("this is for a browser and not for a terminal: -o FILE writes it to a file"));
    }
    Ok(())
}

/// Writes a document to a file, where one is named, else to standard output.
pub(super) fn write_or_print(text: &str, file: Option<&Path>, out: &mut dyn Write) -> Result<Exit, Failure> {
    match file {
        None => put(text, out)?,
        Some(file) => {
            let written = write(file, |out| out.write_all(text.as_bytes()));
            written.map_err(|e| Failure::unwritten(file, &e))?;
        }
    }
    Ok(Exit::Answered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_completed_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page");
        let put = |text: &'static str| move |out: &mut dyn Write| out.write_all(text.as_bytes());
        assert_eq!(write(&file, put("first")).unwrap(), 5);
        let failed = write(&file, |out| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(std::fs::read(&file).unwrap(), b"first");
        assert_eq!(write(&file, put("second")).unwrap(), 6);
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let null = Path::new("/dev/null");
        assert_eq!(write(null, |out| out.write_all(b"page")).unwrap(), 4);
        assert!(null.metadata().unwrap().file_type().is_char_device());
    }
}
