//! Storage in memory that loses in a crash what was not synced, as a disk may when the power fails. For tests; the idea
//! is from the tests of redb.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Input, Lock, Output, Part, Storage};
use crate::draws::Draws;

/// What a crash leaves of the data that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// Nothing.
    LosesAll,
    /// Everything: the process was killed, and the system went on.
    LosesNothing,
    /// Some names and some bytes, chosen by this seed; unsynced bytes may survive in part, or as zeros.
    LosesSome(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    File(usize),
    Folder(usize),
}

/// A name that was added or removed since names were last synced.
#[derive(Clone, Debug)]
enum Change {
    Put(String, Entry),
    Gone(String),
    Renamed(String, String, Entry),
}

#[derive(Clone, Debug, Default)]
struct Names {
    now: BTreeMap<String, Entry>,
    synced: BTreeMap<String, Entry>,
    since: Vec<Change>,
}

impl Names {
    fn change(&mut self, change: Change) {
        apply(&mut self.now, &change);
        self.since.push(change);
    }
}

fn apply(names: &mut BTreeMap<String, Entry>, change: &Change) {
    match change {
        Change::Put(name, entry) => drop(names.insert(name.clone(), *entry)),
        Change::Gone(name) => drop(names.remove(name)),
        Change::Renamed(from, to, entry) => {
            names.remove(from);
            names.insert(to.clone(), *entry);
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Bytes {
    now: Vec<u8>,
    synced: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
struct Tree {
    folders: Vec<Names>,
    files: Vec<Bytes>,
    locks: BTreeSet<(usize, String)>,
    /// How often it has crashed. Handles from before a crash are invalid.
    crashes: usize,
}

/// A folder in memory; copies of the handle are the same folder.
#[derive(Clone, Debug)]
pub struct Forgetful {
    tree: Arc<Mutex<Tree>>,
    folder: usize,
    path: PathBuf,
}

impl Default for Forgetful {
    fn default() -> Self {
        let tree = Tree { folders: vec![Names::default()], ..Tree::default() };
        Self { tree: Arc::new(Mutex::new(tree)), folder: 0, path: "memory".into() }
    }
}

fn locked(tree: &Mutex<Tree>) -> MutexGuard<'_, Tree> {
    tree.lock().unwrap_or_else(PoisonError::into_inner)
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl Forgetful {
    /// An independent copy, without locks.
    #[must_use]
    pub fn copied(&self) -> Self {
        let tree = Tree { locks: BTreeSet::new(), ..locked(&self.tree).clone() };
        Self { tree: Arc::new(Mutex::new(tree)), folder: self.folder, path: self.path.clone() }
    }

    /// A power failure. All locks are released.
    pub fn crash(&self, crash: Crash) {
        let tree = &mut *locked(&self.tree);
        tree.locks.clear();
        tree.crashes += 1;
        let mut draws = Draws::new(match crash {
            Crash::LosesSome(seed) => seed,
            _ => 0,
        });
        for names in &mut tree.folders {
            for change in std::mem::take(&mut names.since) {
                let kept = match crash {
                    Crash::LosesAll => false,
                    Crash::LosesNothing => true,
                    Crash::LosesSome(_) => draws.draw() & 1 == 0,
                };
                if kept {
                    apply(&mut names.synced, &change);
                }
            }
            names.now.clone_from(&names.synced);
        }
        for file in tree.files.iter_mut().filter(|file| file.now != file.synced) {
            file.synced = match crash {
                Crash::LosesAll => std::mem::take(&mut file.synced),
                Crash::LosesNothing => std::mem::take(&mut file.now),
                Crash::LosesSome(_) => survivors(file, &mut draws),
            };
            file.now.clone_from(&file.synced);
        }
    }

    /// The names of all files, in subfolders too, relative to this folder, in order.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        fn collect(tree: &Tree, folder: usize, before: &str, found: &mut Vec<String>) {
            for (name, entry) in &tree.folders[folder].now {
                match entry {
                    Entry::File(_) => found.push(format!("{before}{name}")),
                    Entry::Folder(inner) => collect(tree, *inner, &format!("{before}{name}/"), found),
                }
            }
        }
        let mut found = Vec::new();
        collect(&locked(&self.tree), self.folder, "", &mut found);
        found
    }

    /// Changes the bytes of a file that [`Self::files`] names, as a bad disk or an attacker might.
    ///
    /// # Errors
    /// Where there is none.
    pub fn tamper(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let tree = &mut *locked(&self.tree);
        let number = file.split('/').try_fold(Entry::Folder(self.folder), |at, name| match at {
            Entry::Folder(folder) => tree.folders[folder].now.get(name).copied(),
            Entry::File(_) => None,
        });
        let Some(Entry::File(number)) = number else { return Err(missing()) };
        let bytes = &mut tree.files[number];
        change(&mut bytes.now);
        bytes.synced.clone_from(&bytes.now);
        Ok(())
    }

    fn number(&self, tree: &Tree, name: &str) -> io::Result<usize> {
        match tree.folders[self.folder].now.get(name) {
            Some(Entry::File(number)) => Ok(*number),
            Some(Entry::Folder(_)) => Err(io::Error::new(io::ErrorKind::InvalidData, "it is a folder")),
            None => Err(missing()),
        }
    }

    fn file(&self, name: &str) -> io::Result<Open> {
        let tree = locked(&self.tree);
        Ok(Open { number: self.number(&tree, name)?, crashes: tree.crashes, tree: Arc::clone(&self.tree) })
    }
}

/// What is left of a file whose last bytes were not synced.
fn survivors(file: &Bytes, draws: &mut Draws) -> Vec<u8> {
    let length = file.now.len();
    let kept = draws.draw() as usize % (length + 1);
    match draws.draw() % 4 {
        0 => file.synced.clone(),
        1 => file.now.clone(),
        2 => file.now[..kept].to_vec(),
        _ => [&file.now[..kept], &vec![0; length - kept]].concat(),
    }
}

impl Storage for Forgetful {
    fn create(&self, name: &str) -> io::Result<Box<dyn Output>> {
        self.remove(name)?;
        let tree = &mut *locked(&self.tree);
        tree.files.push(Bytes::default());
        let number = tree.files.len() - 1;
        tree.folders[self.folder].change(Change::Put(name.into(), Entry::File(number)));
        Ok(Box::new(Open { tree: Arc::clone(&self.tree), number, crashes: tree.crashes }))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Input>> {
        Ok(Box::new(self.file(name)?))
    }

    fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let tree = locked(&self.tree);
        let bytes = &tree.files[self.number(&tree, name)?].now;
        match bytes.len() as u64 <= most {
            true => Ok(bytes.clone()),
            false => Err(io::Error::new(io::ErrorKind::InvalidData, "it is too large")),
        }
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let tree = &mut *locked(&self.tree);
        let entry = Entry::File(self.number(tree, from)?);
        tree.folders[self.folder].change(Change::Renamed(from.into(), to.into(), entry));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let names = &mut locked(&self.tree).folders[self.folder];
        names.synced.clone_from(&names.now);
        names.since.clear();
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let tree = &mut *locked(&self.tree);
        match self.number(tree, name) {
            Ok(_) => tree.folders[self.folder].change(Change::Gone(name.into())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }

    fn free(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(locked(&self.tree).folders[self.folder].now.keys().cloned().collect())
    }

    fn beneath(&self, name: &str, make: bool) -> io::Result<Box<dyn Storage>> {
        let tree = &mut *locked(&self.tree);
        let found = tree.folders[self.folder].now.get(name).copied();
        let folder = match found {
            Some(Entry::Folder(folder)) => folder,
            Some(Entry::File(_)) => return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no folder")),
            None if !make => return Err(missing()),
            None => {
                tree.folders.push(Names::default());
                let folder = tree.folders.len() - 1;
                tree.folders[self.folder].change(Change::Put(name.into(), Entry::Folder(folder)));
                folder
            }
        };
        Ok(Box::new(Self { tree: Arc::clone(&self.tree), folder, path: self.path(name) }))
    }

    fn remove_empty(&self, name: &str) {
        let tree = &mut *locked(&self.tree);
        if let Some(Entry::Folder(folder)) = tree.folders[self.folder].now.get(name).copied()
            && tree.folders[folder].now.is_empty()
        {
            tree.folders[self.folder].change(Change::Gone(name.into()));
        }
    }

    fn lock(&self, name: &str, _: Duration) -> io::Result<Option<Lock>> {
        let tree = &mut *locked(&self.tree);
        if self.number(tree, name).is_err() {
            tree.files.push(Bytes::default());
            let entry = Entry::File(tree.files.len() - 1);
            tree.folders[self.folder].change(Change::Put(name.into(), entry));
        }
        let lock = (self.folder, name.to_owned());
        let taken = tree.locks.insert(lock.clone());
        Ok(taken.then(|| Box::new(Held { tree: Arc::clone(&self.tree), lock, crashes: tree.crashes }) as Lock))
    }

    fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.path.clone() } else { self.path.join(name) }
    }
}

struct Held {
    tree: Arc<Mutex<Tree>>,
    lock: (usize, String),
    crashes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        let tree = &mut *locked(&self.tree);
        if tree.crashes == self.crashes {
            tree.locks.remove(&self.lock);
        }
    }
}

#[derive(Debug)]
struct Open {
    tree: Arc<Mutex<Tree>>,
    number: usize,
    crashes: usize,
}

impl Open {
    fn with<R>(&self, work: impl FnOnce(&mut Bytes) -> R) -> io::Result<R> {
        let tree = &mut *locked(&self.tree);
        match tree.crashes == self.crashes {
            true => Ok(work(&mut tree.files[self.number])),
            false => Err(io::Error::other("opened before the crash")),
        }
    }
}

impl Write for Open {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|file| file.now.extend_from_slice(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for Open {
    fn sync(&self) -> io::Result<()> {
        self.with(|file| file.synced.clone_from(&file.now))
    }
}

impl Input for Open {
    fn length(&self) -> io::Result<u64> {
        self.with(|file| file.now.len() as u64)
    }

    fn part(&self, offset: u64, bytes: usize) -> io::Result<Part> {
        let part = self.with(|file| {
            let from = usize::try_from(offset).ok()?;
            file.now.get(from..from.checked_add(bytes)?).map(<[u8]>::to_vec)
        })?;
        part.map(Part::Read).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::storage::replace;

    fn written(storage: &Forgetful, name: &str, bytes: &[u8]) -> Box<dyn Output> {
        let mut file = storage.create(name).unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn a_crash_loses_what_was_not_synced_and_nothing_else() {
        let storage = Forgetful::default();
        replace(&storage, "kept", b"old").unwrap();
        written(&storage, "nameless", b"new").sync().unwrap();
        let mut kept = written(&storage, "unsynced", b"seen ");
        kept.sync().unwrap();
        storage.sync().unwrap();
        kept.write_all(b"unseen").unwrap();
        written(&storage, "later", b"new").sync().unwrap();
        storage.rename("later", "kept").unwrap();
        let lost = storage.copied();
        lost.crash(Crash::LosesAll);
        assert_eq!(lost.files(), ["kept", "nameless", "unsynced"]);
        assert_eq!(lost.read("kept", 9).unwrap(), b"old");
        assert_eq!(lost.read("unsynced", 99).unwrap(), b"seen ");
        storage.crash(Crash::LosesNothing);
        assert_eq!(
            (storage.read("kept", 9).unwrap(), storage.read("unsynced", 99).unwrap()),
            (b"new".to_vec(), b"seen unseen".to_vec())
        );
    }

    #[test]
    fn a_rename_that_is_not_synced_is_lost_or_not_and_never_half() {
        let left: BTreeSet<Vec<u8>> = (0..20)
            .map(|seed| {
                let storage = Forgetful::default();
                replace(&storage, "a", b"old").unwrap();
                written(&storage, "b", b"new").sync().unwrap();
                storage.rename("b", "a").unwrap();
                storage.crash(Crash::LosesSome(seed));
                storage.read("a", 9).unwrap()
            })
            .collect();
        assert_eq!(left, [b"old".to_vec(), b"new".to_vec()].into());
    }
}
