//! What a search keeps in the run's folder beside its levels, so that it can go on after a kill.
//!
//! The file holds the magic `HALMASTA`, the identity of the run, the contents, and the XXH3-128 of all that. What the contents mean is
//! the search's affair.

use std::io;

use xxhash_rust::xxh3::xxh3_128;

use super::{Workspace, identity_of};
use crate::store::StoreError;
use crate::store::disk::refused;
use crate::store::storage::replace;

/// The name of the file.
pub(super) const STATE: &str = "search.state";
const MAGIC: &[u8; 8] = b"HALMASTA";
const HEAD: usize = MAGIC.len() + 16;
/// The most bytes that a file may have.
const LARGEST: u64 = 1 << 26;

impl Workspace {
    fn head_of_state(&self) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        head[MAGIC.len()..].copy_from_slice(&identity_of(self.identity, STATE).to_le_bytes());
        head
    }

    /// Keeps the state of the search, in place of the one before. It is a checkpoint.
    ///
    /// # Errors
    /// Where it cannot be written; the one before stays.
    pub fn save_state(&self, contents: &[u8]) -> Result<(), StoreError> {
        let mut bytes = [&self.head_of_state()[..], contents].concat();
        bytes.extend(xxh3_128(&bytes).to_le_bytes());
        if bytes.len() as u64 > LARGEST {
            let reason = format!("it would have {} bytes, and the most is {LARGEST}", bytes.len());
            return Err(StoreError::Full { file: self.folder.path(STATE), reason });
        }
        replace(&*self.folder, STATE, &bytes).map_err(|e| refused(&*self.folder, STATE, e))?;
        self.begin()
    }

    /// The state that this run last kept, if it kept one.
    ///
    /// # Errors
    /// Where the file is damaged, or of another run.
    pub fn state(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let mut bytes = match self.folder.read(STATE, LARGEST) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|source| StoreError::io(self.folder.path(STATE), source))?,
        };
        let end = bytes.len().saturating_sub(16);
        if end < HEAD || !bytes.starts_with(MAGIC) || bytes[end..] != xxh3_128(&bytes[..end]).to_le_bytes() {
            return Err(self.damaged_state("it is not as it was written"));
        }
        if !bytes.starts_with(&self.head_of_state()) {
            let reason = "it is of another run".into();
            return Err(StoreError::Foreign { file: self.folder.path(STATE), reason });
        }
        bytes.truncate(end);
        bytes.drain(..HEAD);
        Ok(Some(bytes))
    }

    /// The error for a state that the search cannot have kept.
    pub fn damaged_state(&self, reason: &str) -> StoreError {
        StoreError::Damaged { file: self.folder.path(STATE), reason: reason.into() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use super::super::WorkspaceOptions;
    use super::*;

    fn run(folder: &Path, name: &str) -> Workspace {
        let run = serde_json::json!({ "name": name });
        let options = WorkspaceOptions { interval: Duration::MAX, ..WorkspaceOptions::default() };
        Workspace::open(folder, run, options).unwrap()
    }

    #[test]
    fn a_state_comes_back_to_its_run_until_the_run_ends() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("run");
        let workspace = run(&place, "one");
        assert_eq!(workspace.state().unwrap(), None);
        for contents in [&b"first"[..], b"", b"the last one"] {
            workspace.save_state(contents).unwrap();
            assert_eq!(workspace.state().unwrap().as_deref(), Some(contents));
        }
        drop(workspace);
        // A process that was killed while it wrote leaves a temporary file.
        fs::write(place.join(".search.state.7.tmp"), "half").unwrap();
        let workspace = run(&place, "one");
        assert_eq!(workspace.state().unwrap().as_deref(), Some(&b"the last one"[..]));
        assert!(!place.join(".search.state.7.tmp").exists());
        workspace.close().unwrap();
        assert!(!place.join(STATE).exists());
        // A state without a manifest is of no run.
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join(STATE), "a leftover").unwrap();
        assert_eq!(run(&place, "one").state().unwrap(), None);
    }

    #[test]
    fn no_byte_of_a_state_can_change_unnoticed_and_that_of_another_run_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        let workspace = run(&one, "one");
        workspace.save_state(b"contents").unwrap();
        let whole = fs::read(one.join(STATE)).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            fs::write(one.join(STATE), &changed).unwrap();
            assert!(matches!(workspace.state(), Err(StoreError::Damaged { .. })), "byte {at}");
            fs::write(one.join(STATE), &whole[..at]).unwrap();
            assert!(matches!(workspace.state(), Err(StoreError::Damaged { .. })), "cut at {at}");
        }
        let other = run(&two, "two");
        fs::write(two.join(STATE), &whole).unwrap();
        assert!(matches!(other.state(), Err(StoreError::Foreign { .. })));
    }
}
