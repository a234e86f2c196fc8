//! Signals: the first cancels the search, so that its record is still written; a later one ends the program. The end of the
//! program that reads standard error cancels the search, too, but is not counted as a signal.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::Signal;
use signal_hook::iterator::Signals;

use halma_engine::search::CancellationToken;

/// The exit status after a second signal: not finished.
const UNFINISHED: i32 = 3;

/// Signals within this time of the first count as the same: a terminal signals the whole process group, and a parent process
/// passes the signal on.
const SAME: Duration = Duration::from_millis(500);

/// The state that the signal handler shares with the searches.
#[derive(Debug, Default)]
struct Shared {
    /// When the first signal came.
    signalled: Option<Instant>,
    /// Whether the program that read standard error has ended.
    reader_gone: bool,
    /// The running search.
    current: Weak<CancellationToken>,
}

impl Shared {
    /// Whether no further search is to begin.
    fn ends(&self) -> bool {
        self.signalled.is_some() || self.reader_gone
    }

    /// Cancels the running search. [`Interrupts::token`] cancels those that begin later.
    fn cancel(&self) {
        if let Some(cancel) = self.current.upgrade() {
            cancel.request();
        }
    }
}

/// Turns signals into cancellation of the running search.
#[derive(Debug)]
pub struct Interrupts(Arc<Mutex<Shared>>);

impl Interrupts {
    /// Catches SIGINT, SIGTERM and SIGHUP; once in a program.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn install() -> io::Result<Self> {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let seen = Arc::clone(&shared);
        on_signal(move || {
            let mut shared = seen.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.signalled.is_some_and(|first| first.elapsed() > SAME) {
                std::process::exit(UNFINISHED);
            }
            shared.signalled.get_or_insert_with(Instant::now);
            shared.cancel();
        })?;
        Ok(Self(shared))
    }

    /// From now on the search is also cancelled when the program that reads standard error ends. A program that is killed sends no
    /// signal, and nobody else waits for the answer.
    ///
    /// # Errors
    /// Where the system has no thread for it.
    pub fn watch_reader(&self) -> io::Result<()> {
        let shared = Arc::clone(&self.0);
        let watch = move || {
            if wait_for_reader_to_close(io::stderr()) {
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                shared.reader_gone = true;
                shared.cancel();
            }
        };
        thread::Builder::new().name("reader".into()).spawn(watch).map(drop)
    }

    /// Whether no further search is to begin: after a signal, or since nobody reads.
    #[must_use]
    pub fn ends(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).ends()
    }

    /// The cancellation token of the next search, for signals and the time limit.
    #[must_use]
    pub fn token(&self, limit: Option<Duration>) -> Arc<CancellationToken> {
        let cancel = Arc::new(CancellationToken::after(limit));
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.current = Arc::downgrade(&cancel);
        // A signal between two searches cancels the second.
        if shared.ends() {
            cancel.request();
        }
        cancel
    }
}

/// Calls `act` at each SIGINT, SIGTERM and SIGHUP. SIGHUP stays ignored where it was, as `nohup` does it. The shell of a script
/// ignores SIGINT for the jobs that it starts in the background: there it is caught all the same, because `kill -INT` stops a search.
fn on_signal(act: impl Fn() + Send + 'static) -> io::Result<()> {
    let caught = [Signal::INT, Signal::TERM, Signal::HUP].into_iter();
    let caught = caught.filter(|&signal| signal != Signal::HUP || !is_ignored(signal)).map(Signal::as_raw);
    let mut signals = Signals::new(caught)?;
    let handle = move || signals.forever().for_each(|_| act());
    thread::Builder::new().name("signals".into()).spawn(handle).map(drop)
}

/// A signal ends the program at once, with that message and the status "not finished": for commands that write nothing before their
/// end.
///
/// # Errors
/// As [`Interrupts::install`].
pub fn end_with(message: &'static str) -> io::Result<()> {
    // One for a process is enough.
    static CAUGHT: OnceLock<()> = OnceLock::new();
    if CAUGHT.set(()).is_err() {
        return Ok(());
    }
    on_signal(move || give_up(message))
}

/// From now on a write beyond the limit on the size of files (`ulimit -f`) fails like one on a full disk. Without it SIGXFSZ ends the
/// program.
///
/// # Errors
/// Where the system refuses.
pub fn survive_file_limit() -> io::Result<()> {
    signal_hook::flag::register(Signal::XFSZ.as_raw(), Arc::default()).map(drop)
}

/// The program ends after that time, with that message and the status "not finished": for the same commands as [`end_with`].
///
/// # Errors
/// Where the system has no thread for it.
pub fn end_after(limit: Duration, message: &'static str) -> io::Result<()> {
    let end = move || {
        thread::sleep(limit);
        give_up(message);
    };
    thread::Builder::new().name("time limit".into()).spawn(end).map(drop)
}

fn give_up(message: &str) -> ! {
    // Standard error may be closed.
    let _ = writeln!(io::stderr(), "{message}");
    std::process::exit(UNFINISHED);
}

/// Whether this process ignores the signal, as whoever started it wanted; `false` where the system does not tell.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal.as_raw() - 1) & 1 == 1
}

/// Waits until nobody can read any more what is written there; `false` where that cannot be seen. A file never ends so.
fn wait_for_reader_to_close(written: impl AsFd) -> bool {
    // The other side's end is told unasked, and nothing else shall be told.
    let mut watched = [PollFd::new(&written, PollFlags::empty())];
    loop {
        match poll(&mut watched, None) {
            Err(Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_left_when_its_reader_is_gone_and_not_when_it_was_read() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        let watched = writer.try_clone().unwrap();
        thread::spawn(move || tell.send(wait_for_reader_to_close(watched)));
        io::Write::write_all(&mut writer, b"x").unwrap();
        io::Read::read_exact(&mut reader, &mut [0]).unwrap();
        assert!(told.recv_timeout(Duration::from_millis(100)).is_err(), "somebody listens");
        drop(reader);
        assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok(true));
    }
}
