//! An on-disk cache of tables (pattern databases) that outlast a run.
//!
//! A file holds the magic `HALMATBL`, the length of its name (4 bytes, little-endian), the name, the table, and the
//! XXH3-128 of all that. The name contains the program's version and everything that the table depends on. It is
//! compared in full; the file is named by its digest. A file that does not match in some way is not used, and replaced.
//! Files may be deleted at any time.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use halma_files::folder::Folder;

use super::StoreError;
use super::storage::{Storage, replace};
use super::tables::TableStore;

const MAGIC: &[u8; 8] = b"HALMATBL";

/// The most bytes that a table may have.
const LARGEST: u64 = 3 << 29;

/// A folder of tables.
#[derive(Debug)]
pub struct DiskTables {
    folder: Box<dyn Storage>,
    program: String,
    fault: Mutex<Option<String>>,
}

impl DiskTables {
    /// Opens the folder, which is made if there is none, for tables of this version of the program.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn open(folder: &Path, program: &str) -> Result<Self, StoreError> {
        let folder = Folder::make(folder).map_err(|source| StoreError::Io { file: folder.into(), source })?;
        Ok(Self { folder: Box::new(folder), program: program.into(), fault: Mutex::new(None) })
    }

    /// The first failure, in a line.
    #[must_use]
    pub fn first_error(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, file: &str, fault: impl std::fmt::Display) {
        let file = self.folder.path(file);
        let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| format!("cache: {}: {fault}", file.display()));
    }

    /// The name of the table's file, and the bytes that the file begins with.
    fn place(&self, name: &str) -> (String, Vec<u8>) {
        let name = format!("{} {name}", self.program);
        let mut head = MAGIC.to_vec();
        head.extend((name.len() as u32).to_le_bytes());
        head.extend(name.as_bytes());
        (format!("{:032x}.table", xxh3_128(name.as_bytes())), head)
    }
}

impl TableStore for DiskTables {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        let (file, head) = self.place(name);
        let mut bytes = match self.folder.read(&file, LARGEST) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return None,
            read => read.map_err(|e| self.note(&file, e)).ok()?,
        };
        let end = bytes.len().saturating_sub(16);
        if end < head.len() || !bytes.starts_with(&head) || bytes[end..] != xxh3_128(&bytes[..end]).to_le_bytes() {
            self.note(&file, "it is damaged, and is made again");
            return None;
        }
        bytes.truncate(end);
        bytes.drain(..head.len());
        Some(bytes)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let (file, head) = self.place(name);
        let mut digest = Xxh3::new();
        digest.update(&head);
        digest.update(bytes);
        let table = [&head[..], bytes, &digest.digest128().to_le_bytes()].concat();
        if let Err(e) = replace(&*self.folder, &file, &table) {
            self.note(&file, format_args!("the table is not kept: {e}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn only_file(folder: &Path) -> PathBuf {
        let mut files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let file = files.next().unwrap();
        assert_eq!(files.next(), None);
        file
    }

    #[test]
    fn a_table_comes_back_to_the_same_program_and_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskTables::open(folder.path(), "one").unwrap();
        assert_eq!(cache.get("a"), None);
        cache.put("a", b"table");
        assert_eq!(cache.get("a").as_deref(), Some(&b"table"[..]));
        cache.put("a", b"");
        assert_eq!(cache.get("a").as_deref(), Some(&b""[..]));
        assert_eq!(cache.get("b"), None);
        assert_eq!(DiskTables::open(folder.path(), "two").unwrap().get("a"), None);
        assert_eq!(cache.first_error(), None);
    }

    #[test]
    fn no_byte_of_a_file_can_change_unnoticed() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskTables::open(folder.path(), "one").unwrap();
        cache.put("a", b"table");
        let file = only_file(folder.path());
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            fs::write(&file, &changed).unwrap();
            assert_eq!(cache.get("a"), None, "byte {at}");
            fs::write(&file, &whole[..at]).unwrap();
            assert_eq!(cache.get("a"), None, "cut at {at}");
        }
        assert!(cache.first_error().unwrap().contains("damaged"));
        // Another table's file under this one's name.
        cache.put("b", b"other");
        fs::remove_file(&file).unwrap();
        fs::rename(only_file(folder.path()), &file).unwrap();
        assert_eq!(cache.get("a"), None);
    }

    #[test]
    fn a_folder_that_is_gone_is_told_of_and_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let cache = DiskTables::open(folder.path(), "one").unwrap();
        fs::remove_dir(folder.path()).unwrap();
        cache.put("a", b"table");
        assert!(cache.first_error().unwrap().contains("not kept"));
        assert!(DiskTables::open("/dev/null/cache".as_ref(), "one").is_err());
    }

    /// The checksum of a file that is too short may lie over its head, and be right: one of 256 names is such.
    #[test]
    fn a_file_shorter_than_its_head_and_checksum_is_no_table() {
        let folder = tempfile::tempdir().unwrap();
        let tables = DiskTables::open(folder.path(), "halma test").unwrap();
        let mut forged = 0;
        for number in 0..5000 {
            let name = format!("table {number}");
            let (file, head) = tables.place(&name);
            let (body, last) = head.split_at(head.len() - 1);
            let sum = xxh3_128(body).to_le_bytes();
            if sum[0] == last[0] {
                forged += 1;
                fs::write(folder.path().join(file), [body, &sum].concat()).unwrap();
                assert_eq!(tables.get(&name), None);
            }
        }
        assert!(forged > 3, "{forged}");
    }
}
