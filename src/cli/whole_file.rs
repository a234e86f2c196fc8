//! Files that a command writes: what was there stays until the new file is complete. And documents that go to standard output
//! where no file is named.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::Path;

use atomic_write_file::AtomicWriteFile;

use super::asking::put;
use super::{Exit, Failure};

/// A file to be written, whole or not at all.
pub(super) enum Target {
    New(AtomicWriteFile),
    /// What is no regular file, as a pipe or `/dev/null`, is written to, and not replaced.
    There(File),
}

impl Target {
    /// Opens it: what cannot be written shows before the work, not after it.
    ///
    /// # Errors
    /// Where the system refuses, or a job or a record is there: nothing that is written so takes its place.
    pub(super) fn open(file: &Path) -> io::Result<Self> {
        if file == Path::new(STANDARD) {
            return Err(io::Error::other("this does not go to standard output; a file of this name is ./-"));
        }
        if file.metadata().is_ok_and(|there| !there.is_file()) {
            return Ok(Self::There(OpenOptions::new().write(true).open(file)?));
        }
        match cannot_be_made_again(file) {
            Some(what) => {
                let why = format!("{what} is there, and is left as it is; another name is needed");
                Err(io::Error::other(why))
            }
            None => AtomicWriteFile::open(file).map(Self::New),
        }
    }

    /// Writes it; returns its bytes.
    ///
    /// # Errors
    /// Where the system refuses.
    pub(super) fn write(self, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
        match self {
            Self::There(file) => buffered(&file, contents),
            Self::New(whole) => {
                let bytes = buffered(whole.as_file(), contents)?;
                whole.commit()?;
                Ok(bytes)
            }
        }
    }
}

/// What is in a file that holds work: pages, pictures and certificates can be made again from it.
fn cannot_be_made_again(file: &Path) -> Option<&'static str> {
    if file.extension().is_some_and(|end| end == "toml") && file.exists() {
        return Some("a job");
    }
    let mut first = [0];
    File::open(file).and_then(|mut there| there.read_exact(&mut first)).ok()?;
    (first == *b"{" || first == *b"[").then_some("a record, or other JSON,")
}

/// The name that stands for standard input and output.
const STANDARD: &str = "-";

/// The file that is meant; `-` is standard output, as no file is.
pub(super) fn named(output: Option<&Path>) -> Option<&Path> {
    output.filter(|file| *file != Path::new(STANDARD))
}

/// Opens a file, and writes it.
pub(super) fn write(file: &Path, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    Target::open(file)?.write(contents)
}

fn buffered(file: &File, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
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

    #[test]
    fn a_job_or_a_record_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        for (name, there) in [("result.json", "{\n  \"format\": 1"), ("a-run.txt", "[{}]"), ("job.toml", "# mine")] {
            let file = folder.path().join(name);
            std::fs::write(&file, there).unwrap();
            let refused = write(&file, |out| out.write_all(b"page")).unwrap_err();
            assert!(refused.to_string().contains("is left as it is"), "{name}: {refused}");
            assert_eq!(std::fs::read(&file).unwrap(), there.as_bytes(), "{name}");
        }
        let page = folder.path().join("page.html");
        std::fs::write(&page, "").unwrap();
        assert_eq!(write(&page, |out| out.write_all(b"page")).unwrap(), 4);
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
