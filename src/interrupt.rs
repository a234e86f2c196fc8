//! Signals: the first cancels the search, so that its record is still written; the second ends the program.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use halma_engine::search::CancellationToken;

/// The exit status after a second signal: not finished.
const UNFINISHED: i32 = 3;

/// The state that the signal handler shares with the searches.
#[derive(Debug, Default)]
struct Shared {
    signalled: bool,
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
            if shared.signalled {
                std::process::exit(UNFINISHED);
            }
            shared.signalled = true;
            if let Some(cancel) = shared.current.upgrade() {
                cancel.request();
            }
        })?;
        Ok(Self(shared))
    }

    /// Whether there was a signal.
    #[must_use]
    pub fn signalled(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).signalled
    }

    /// The cancellation token of the next search, for signals and the time limit.
    #[must_use]
    pub fn token(&self, limit: Option<Duration>) -> Arc<CancellationToken> {
        let cancel = Arc::new(CancellationToken::after(limit));
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.current = Arc::downgrade(&cancel);
        // A signal between two searches cancels the second.
        if shared.signalled {
            cancel.request();
        }
        cancel
    }
}
