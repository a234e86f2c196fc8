//! Signals: the first asks the search to stop where its record can still be written, a later one ends the program.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use halma_engine::search::CancellationToken;

/// The exit status of a search that a second signal ended: not finished.
const UNFINISHED: i32 = 3;

/// Signals that come so soon after the first say the same: a terminal tells the whole group, and who has started the program
/// passes on what it was told.
const SAME: Duration = Duration::from_millis(500);

/// What the signal handler shares with the searches.
#[derive(Debug, Default)]
struct Shared {
    /// When the first signal came.
    signalled: Option<Instant>,
    /// The search that runs now.
    current: Weak<CancellationToken>,
}

/// Turns signals into requests to the running search to stop.
#[derive(Debug)]
pub struct Interrupts(Arc<Mutex<Shared>>);

impl Interrupts {
    /// Takes over SIGINT, SIGTERM and SIGHUP; once in a program.
    ///
    /// # Errors
    /// Where the system does not let it, or it was done before.
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

    /// What stops the next search: a signal, or the time limit from now on.
    #[must_use]
    pub fn token(&self, limit: Option<Duration>) -> Arc<CancellationToken> {
        let cancel = Arc::new(CancellationToken::after(limit));
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.current = Arc::downgrade(&cancel);
        // A signal between two searches stops the second.
        if shared.signalled.is_some() {
            cancel.request();
        }
        cancel
    }
}
