//! Fault injection for storage: wraps another storage, and fails where a test wants it to.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Input, Lock, Output, Part, Storage};

/// Which operations fail. Operations are counted from 0: every call of a [`Storage`] or of one of its files that
/// touches the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// One operation, with an error of that kind; a write leaves half of its bytes.
    At(u64, io::ErrorKind),
    /// That operation and all after it, as if the process had died; a write leaves half of its bytes.
    From(u64, io::ErrorKind),
    /// Writes, once so many bytes have been written: the disk is full.
    Full(u64),
    /// No operation, but each write accepts no more than so many bytes, as the system may.
    Short(usize),
}

/// The message of an injected error.
pub const INJECTED: &str = "injected";

#[derive(Debug)]
struct State {
    fault: Fault,
    written: u64,
    /// Whether a write was refused for lack of room.
    refused: bool,
    log: Vec<String>,
}

/// Storage with a fault; its folders and files share the fault.
#[derive(Clone, Debug)]
pub struct Faulty {
    inner: Arc<dyn Storage>,
    state: Arc<Mutex<State>>,
}

impl Faulty {
    /// The same storage, with a fault.
    pub fn new(inner: impl Storage + 'static, fault: Fault) -> Self {
        let state = State { fault, written: 0, refused: false, log: Vec::new() };
        Self { inner: Arc::new(inner), state: Arc::new(Mutex::new(state)) }
    }

    /// The operations so far.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        locked(&self.state).log.clone()
    }

    /// Bytes written so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        locked(&self.state).written
    }

    /// Whether a write was refused because the disk was full.
    #[must_use]
    pub fn refused(&self) -> bool {
        locked(&self.state).refused
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts an operation, or fails it.
fn count(state: &Mutex<State>, operation: &str, name: &str) -> io::Result<()> {
    let state = &mut *locked(state);
    let number = state.log.len() as u64;
    state.log.push(format!("{operation} {name}"));
    match state.fault {
        Fault::At(at, kind) if number == at => Err(io::Error::new(kind, INJECTED)),
        Fault::From(at, kind) if number >= at => Err(io::Error::new(kind, INJECTED)),
        _ => Ok(()),
    }
}

impl Faulty {
    fn count(&self, operation: &str, name: &str) -> io::Result<()> {
        count(&self.state, operation, name)
    }

    fn file<F>(&self, inner: F, name: &str) -> FaultyFile<F> {
        FaultyFile { inner, name: name.into(), state: Arc::clone(&self.state) }
    }
}

impl Storage for Faulty {
    fn create(&self, name: &str) -> io::Result<Box<dyn Output>> {
        self.count("create", name)?;
        Ok(Box::new(self.file(self.inner.create(name)?, name)))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Input>> {
        self.count("open", name)?;
        Ok(Box::new(self.file(self.inner.open(name)?, name)))
    }

    fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        self.count("read", name)?;
        self.inner.read(name, most)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.count("rename", from)?;
        self.inner.rename(from, to)
    }

    fn sync(&self) -> io::Result<()> {
        self.count("sync folder", "")?;
        self.inner.sync()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.count("remove", name)?;
        self.inner.remove(name)
    }

    fn free(&self) -> io::Result<u64> {
        let state = locked(&self.state);
        match state.fault {
            Fault::Full(room) => Ok(room.saturating_sub(state.written)),
            _ => self.inner.free(),
        }
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.count("names", "")?;
        self.inner.names()
    }

    fn beneath(&self, name: &str, make: bool) -> io::Result<Box<dyn Storage>> {
        self.count("open folder", name)?;
        let inner = Arc::from(self.inner.beneath(name, make)?);
        Ok(Box::new(Self { inner, state: Arc::clone(&self.state) }))
    }

    fn remove_empty(&self, name: &str) {
        if self.count("remove folder", name).is_ok() {
            self.inner.remove_empty(name);
        }
    }

    fn lock(&self, name: &str, patience: Duration) -> io::Result<Option<Lock>> {
        self.count("lock", name)?;
        self.inner.lock(name, patience)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.inner.path(name)
    }
}

#[derive(Debug)]
struct FaultyFile<F> {
    inner: F,
    name: String,
    state: Arc<Mutex<State>>,
}

impl Write for FaultyFile<Box<dyn Output>> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = count(&self.state, "write", &self.name) {
            let before = locked(&self.state).log.len() as u64 - 1;
            // After the process has died nothing is written.
            if matches!(locked(&self.state).fault, Fault::At(at, _) | Fault::From(at, _) if at == before) {
                self.inner.write_all(&bytes[..bytes.len() / 2])?;
            }
            return Err(error);
        }
        let mut state = locked(&self.state);
        let most = match state.fault {
            Fault::Full(room) => room.saturating_sub(state.written).min(bytes.len() as u64) as usize,
            Fault::Short(most) => most.min(bytes.len()),
            _ => bytes.len(),
        };
        if most == 0 && !bytes.is_empty() {
            state.refused = true;
            return Err(io::Error::new(io::ErrorKind::StorageFull, INJECTED));
        }
        let written = self.inner.write(&bytes[..most])?;
        state.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Output for FaultyFile<Box<dyn Output>> {
    fn sync(&self) -> io::Result<()> {
        count(&self.state, "sync", &self.name)?;
        self.inner.sync()
    }
}

impl Input for FaultyFile<Box<dyn Input>> {
    fn length(&self) -> io::Result<u64> {
        count(&self.state, "length of", &self.name)?;
        self.inner.length()
    }

    fn part(&self, offset: u64, bytes: usize) -> io::Result<Part> {
        count(&self.state, "part of", &self.name)?;
        self.inner.part(offset, bytes)
    }
}
