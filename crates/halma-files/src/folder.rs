//! Safe access to the files of a folder that may come from a stranger.
//!
//! A run's folder may contain links to files elsewhere, pipes without a writer, or endless devices. A [`Folder`] is
//! opened once, and its files are opened relative to it: by plain names only, never through a symbolic link, and only
//! if they are regular files. Files that are read whole have a size limit. So nothing outside the folder is read,
//! written or removed, whatever the folder contains.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{self as system, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

/// The most bytes that a record, or the list of a run, may have: six hundred thousand levels.
pub const RECORD_BYTES: u64 = 256 << 20;

/// The most bytes that something written by hand may have, a job or a solution; and a status.
pub const TYPED_BYTES: u64 = 1 << 20;

/// The permissions of new files: what the user's mask leaves.
const MODE: Mode = Mode::from_raw_mode(0o666);

/// A folder, open.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    handle: OwnedFd,
}

/// A lock on a folder, let go when it is dropped.
#[derive(Debug)]
pub struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone would leave it locked while a process that this one is just starting has a copy of the file. The
        // only error is that of a file system without locks.
        let _ = self.0.unlock();
    }
}

/// The error for a file that this program cannot have written.
fn odd(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

/// An error of the system in words where its own say little.
fn told(error: Errno) -> io::Error {
    match error {
        Errno::LOOP => odd("it is a symbolic link"),
        Errno::NOTDIR => odd("it is no folder"),
        Errno::ISDIR => odd("it is a folder"),
        Errno::NXIO | Errno::NODEV => odd("it is no regular file"),
        Errno::MFILE => io::Error::other(
            "this process has too many files open; `ulimit -n` says how many are allowed, and raises that",
        ),
        other => other.into(),
    }
}

/// The name, where it is one of a file right in the folder.
fn plain(name: &str) -> io::Result<&str> {
    match is_plain(name) {
        true => Ok(name),
        false => Err(odd(format!("`{name}` is no plain name of a file"))),
    }
}

/// Whether a file right in a folder may have this name: one part of a path, without control characters.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    let odd = |c: char| c == '/' || c.is_control();
    !name.is_empty() && name.len() <= 255 && name != "." && name != ".." && !name.contains(odd)
}

/// The file, if it is a regular one.
fn regular(handle: OwnedFd) -> io::Result<File> {
    let stat = system::fstat(&handle)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(File::from(handle)),
        FileType::Directory => Err(odd("it is a folder")),
        _ => Err(odd("it is no regular file")),
    }
}

/// All of a file that has no more than `most` bytes.
fn whole(file: File, most: u64) -> io::Result<Vec<u8>> {
    let large = || odd(format!("it is larger than {}", bytesize::ByteSize(most)));
    let length = file.metadata()?.len();
    if length > most {
        return Err(large());
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // It may grow meanwhile.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(large()) } else { Ok(bytes) }
}

/// A file that the user named, whole; links lead where they lead. Standard input and what a shell hands over (`/dev/fd/3`)
/// may be pipes.
///
/// # Errors
/// Where it cannot be read, is no regular file, or is larger than `most` bytes.
pub fn read_named(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let handed_over =
        path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd");
    if handed_over {
        return whole(File::open(path)?, most);
    }
    whole(open_named(path)?, most)
}

/// Opens a file that the user named, for reading; links lead where they lead. A pipe is not waited for.
///
/// # Errors
/// Where it cannot be opened, or is no regular file.
pub fn open_named(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    regular(system::openat(CWD, path, flags, Mode::empty()).map_err(told)?)
}

/// Refuses a folder within a run's that is a link: what is written into it would go elsewhere.
///
/// # Errors
/// Where it is one.
pub fn refuse_link(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => Err(odd("it is a symbolic link")),
        _ => Ok(()),
    }
}

/// A name that no other file has, for what is to take the name `name` when it is whole.
#[must_use]
pub fn temporary_name(name: &str) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!(".{name}.{}-{number}", std::process::id())
}

/// The folder that holds `path`, and its name there.
///
/// # Errors
/// Where there is no such folder, or the path names no file.
pub fn parted(path: &Path) -> io::Result<(Folder, &str)> {
    let (folder, name) = split(path)?;
    Ok((Folder::open(folder)?, name))
}

/// The path of the folder that holds `path`, and its name there.
///
/// # Errors
/// Where the path names no file, or by a name that is no text.
pub fn split(path: &Path) -> io::Result<(&Path, &str)> {
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| odd("it is no name of a file"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((folder, name))
}

impl Folder {
    /// Opens the folder that the user named.
    ///
    /// # Errors
    /// Where there is none, or it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = system::openat(CWD, path, flags, Mode::empty())?;
        Ok(Self { path: path.into(), handle })
    }

    /// Opens the folder that the user named, made where there is none.
    ///
    /// # Errors
    /// Where it can neither be opened nor made.
    pub fn make(path: &Path) -> io::Result<Self> {
        // Somebody may take it away just before it is opened.
        for _ in 0..100 {
            let new: Vec<&Path> = path.ancestors().take_while(|part| !part.exists()).collect();
            std::fs::create_dir_all(path)?;
            // What is written into a folder is safe only when the folder's own name is.
            for parent in new.into_iter().filter_map(Path::parent) {
                let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
                // It may be one that this user cannot read, or where the system knows no such thing.
                let _ = File::open(parent).and_then(|parent| parent.sync_all());
            }
            match Self::open(path) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                opened => return opened,
            }
        }
        Self::open(path)
    }

    /// Opens a folder in this one.
    ///
    /// # Errors
    /// Where there is none, or it is a link or a file.
    pub fn beneath(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = system::openat(&self.handle, plain(name)?, flags, Mode::empty()).map_err(told)?;
        Ok(Self { path: self.path(name), handle })
    }

    /// Opens a folder in this one, made where there is none.
    ///
    /// # Errors
    /// As [`Self::beneath`], or where it cannot be made.
    pub fn make_beneath(&self, name: &str) -> io::Result<Self> {
        match system::mkdirat(&self.handle, plain(name)?, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => self.beneath(name),
            Err(error) => Err(error.into()),
        }
    }

    /// What messages call a file of it, or, without a name, the folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.path.clone() } else { self.path.join(name) }
    }

    fn open_file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        regular(system::openat(&self.handle, plain(name)?, flags, MODE).map_err(told)?)
    }

    /// Opens a file to read it.
    ///
    /// # Errors
    /// Where there is none, or it is no regular file.
    pub fn file(&self, name: &str) -> io::Result<File> {
        self.open_file(name, OFlags::RDONLY)
    }

    /// All of a file of no more than `most` bytes.
    ///
    /// # Errors
    /// As [`Self::file`], or where it is larger.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        whole(self.file(name)?, most)
    }

    /// Whether something of that name is there, whatever it is.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        plain(name).is_ok_and(|name| system::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).is_ok())
    }

    /// How many bytes a file has; 0 where there is none.
    #[must_use]
    pub fn length(&self, name: &str) -> u64 {
        self.file(name).and_then(|file| file.metadata()).map_or(0, |metadata| metadata.len())
    }

    /// A new file, in place of what has that name.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn create(&self, name: &str) -> io::Result<File> {
        self.remove(name)?;
        self.open_file(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)
    }

    /// Removes a file or a link, if there is one.
    ///
    /// # Errors
    /// Where it is there and cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match system::unlinkat(&self.handle, plain(name)?, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(told(error)),
        }
    }

    /// Removes a folder in this one, unless somebody has put something there.
    pub fn remove_empty(&self, name: &str) {
        if plain(name).is_ok() {
            let _ = system::unlinkat(&self.handle, name, AtFlags::REMOVEDIR);
        }
    }

    /// Renames a file, over another one if need be; only [`Self::sync`] makes that last.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(system::renameat(&self.handle, plain(from)?, &self.handle, plain(to)?)?)
    }

    /// Makes the names in it last.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn sync(&self) -> io::Result<()> {
        Ok(system::fsync(&self.handle)?)
    }

    /// How many bytes this user may still write where the folder lies.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn free(&self) -> io::Result<u64> {
        let room = system::fstatvfs(&self.handle)?;
        Ok(room.f_bavail.saturating_mul(room.f_frsize))
    }

    /// Puts a file with these bytes in place of what has that name, whole or not at all; `sync` makes it last before
    /// it takes the name.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn replace(&self, name: &str, bytes: &[u8], sync: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        let temporary = temporary_name(name);
        let written = self.create(&temporary).and_then(|mut file| {
            file.write_all(bytes)?;
            sync(&file)?;
            self.rename(&temporary, plain(name)?)?;
            self.sync()
        });
        if written.is_err() {
            // What cannot be removed now goes when the run's folder is next opened.
            let _ = self.remove(&temporary);
        }
        written
    }

    /// The names in it, in any order; without those that are no text, which this program has not written.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in system::Dir::read_from(self.handle.as_fd())? {
            let entry = entry?;
            let name = entry.file_name().to_str().ok().filter(|name| is_plain(name));
            names.extend(name.map(String::from));
        }
        Ok(names)
    }

    /// Takes the lock with that name, trying for so long: a process that this one has just started holds a copy of every
    /// open file, locks included, until it runs its own program. `None` where another process holds it.
    ///
    /// Whoever ends may remove the lock's file while it holds it; so after locking, the file must still have the name.
    ///
    /// # Errors
    /// Where the file cannot be made or locked.
    pub fn lock(&self, name: &str, patience: Duration) -> io::Result<Option<Lock>> {
        let begun = Instant::now();
        loop {
            let file = self.open_file(name, OFlags::RDWR | OFlags::CREATE)?;
            match file.try_lock() {
                Ok(()) if self.names_file(name, &file)? => return Ok(Some(Lock(file))),
                // Another one has the name by now.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Whether the name stands for this very file.
    fn names_file(&self, name: &str, file: &File) -> io::Result<bool> {
        let own = system::fstat(file)?;
        match system::statat(&self.handle, plain(name)?, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(there) => Ok((there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a process holds the lock with that name.
    #[must_use]
    pub fn is_locked(&self, name: &str) -> bool {
        // Shared, so that two who ask do not take each other for the holder.
        let Ok(asked) = self.file(name) else { return false };
        let locked = matches!(asked.try_lock_shared(), Err(TryLockError::WouldBlock));
        drop(Lock(asked));
        locked
    }
}

/// Whether a write failed because the disk, a quota or the limit on the size of files has no room.
#[must_use]
pub fn is_no_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn place() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("outside"), "mine").unwrap();
        let folder = Folder::make(&place.path().join("run/of/somebody")).unwrap();
        (place, folder)
    }

    #[test]
    fn nothing_is_read_or_written_through_a_link() {
        let (place, folder) = place();
        let outside = place.path().join("outside");
        symlink(&outside, folder.path("a")).unwrap();
        symlink(place.path(), folder.path("levels")).unwrap();
        assert!(folder.read("a", TYPED_BYTES).unwrap_err().to_string().contains("symbolic link"));
        assert!(folder.beneath("levels").is_err() && folder.make_beneath("levels").is_err());
        assert!(folder.lock("a", Duration::ZERO).is_err() && !folder.is_locked("a"));
        folder.replace("a", b"new", File::sync_all).unwrap();
        assert_eq!(folder.read("a", TYPED_BYTES).unwrap(), b"new");
        let mode = std::fs::symlink_metadata(folder.path("a")).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0, "a link's mode is nobody's");
        symlink(&outside, folder.path("b")).unwrap();
        folder.create("b").unwrap().write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&outside).unwrap(), b"mine");
        let mut names = folder.names().unwrap();
        names.sort();
        assert_eq!(names, ["a", "b", "levels"], "nothing is left");
    }

    #[test]
    fn only_plain_names_and_regular_files_of_bounded_size_are_opened() {
        let (place, folder) = place();
        for name in ["", ".", "..", "../../../outside", "/etc/hostname", "a/b", "a\nb", "\u{1b}[2J"] {
            assert!(folder.read(name, TYPED_BYTES).is_err() && folder.create(name).is_err(), "{name:?}");
            assert!(folder.remove(name).is_err() && folder.beneath(name).is_err(), "{name:?}");
            assert!(!folder.has(name));
        }
        let pipe = place.path().join("run/of/somebody/pipe");
        system::mknodat(CWD, &pipe, FileType::Fifo, MODE, 0).unwrap();
        std::fs::create_dir(folder.path("folder")).unwrap();
        let socket = std::os::unix::net::UnixListener::bind(folder.path("socket")).unwrap();
        for name in ["pipe", "folder", "socket"] {
            let refused = folder.read(name, TYPED_BYTES).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "{name}: {refused}");
            assert!(read_named(&folder.path(name), TYPED_BYTES).is_err(), "{name}");
            assert!(folder.lock(name, Duration::ZERO).is_err() && !folder.is_locked(name), "{name}");
        }
        drop(socket);
        assert!(read_named(Path::new("/dev/zero"), TYPED_BYTES).is_err());
        std::fs::write(folder.path("file"), [0; 100]).unwrap();
        assert_eq!(folder.read("file", 100).unwrap().len(), 100);
        assert!(folder.read("file", 99).unwrap_err().to_string().contains("larger than 99 B"));
    }

    #[test]
    fn a_lock_ends_with_its_owner_though_a_process_just_started_has_a_copy_of_the_file() {
        let (_place, folder) = place();
        let lock = folder.lock("lock", Duration::ZERO).unwrap().unwrap();
        let copy = lock.0.try_clone().unwrap();
        assert!(folder.is_locked("lock"));
        drop(lock);
        assert!(!folder.is_locked("lock"));
        assert!(folder.lock("lock", Duration::ZERO).unwrap().is_some());
        drop(copy);
    }

    #[test]
    fn a_lock_that_was_removed_is_no_lock() {
        let (_place, folder) = place();
        let first = folder.lock("lock", Duration::ZERO).unwrap().unwrap();
        assert!(folder.lock("lock", Duration::ZERO).unwrap().is_none() && folder.is_locked("lock"));
        // One who has opened the file before it goes must not take that for the lock.
        let opened = folder.open_file("lock", OFlags::RDWR).unwrap();
        folder.remove("lock").unwrap();
        drop(first);
        opened.try_lock().unwrap();
        assert!(!folder.names_file("lock", &opened).unwrap());
        let second = folder.lock("lock", Duration::ZERO).unwrap().unwrap();
        assert!(!folder.names_file("lock", &opened).unwrap() && folder.is_locked("lock"));
        drop(second);
        assert!(!folder.is_locked("lock"));
    }
}
