//! Signals: the first cancels the search, so that its record is still written; a later one ends the program.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

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
    /// The running search.
    current: Weak<CancellationToken>,
}

/// Turns signals into cancellation of the running search.
#[derive(Debug)]
pub struct Interrupts(Arc<Mutex<Shared>>);

impl Interrupts {
    /// Installs the handler of SIGINT, SIGTERM and SIGHUP; once in a program.
    ///
    /// # Errors
    /// Where the system refuses, or it was installed before.
    pub fn install() -> Result<Self, ctrlc::Error> {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let seen = Arc::clone(&shared);
        ctrlc::set_handler(move || {
            let mut shared = seen.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.signalled.is_some_and(|first| first.elapsed() > SAME) {
                std::process::exit(UNFINISHED);
            }
            shared.signalled.get_or_insert_with(Instant::now);
            if let Some(cancel) = shared.current.upgrade() {
                cancel.request();
            }
        })?;
        Ok(Self(shared))
    }

    /// Whether there was a signal.
    #[must_use]
    pub fn signalled(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).signalled.is_some()
    }

    /// The cancellation token of the next search, for signals and the time limit.
    #[must_use]
    pub fn token(&self, limit: Option<Duration>) -> Arc<CancellationToken> {
        let cancel = Arc::new(CancellationToken::after(limit));
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.current = Arc::downgrade(&cancel);
        // A signal between two searches cancels the second.
        if shared.signalled.is_some() {
            cancel.request();
        }
        cancel
    }
}
