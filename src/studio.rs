//! Halma studio: a page on the loopback address to design a puzzle on, to search it, and to watch what was found.
//!
//! It uses the library as any program would: a job's text, a search with its progress, a record, the views. The page talks to
//! it over HTTP ([`oxhttp`], synchronous and small) and is served from here; the searches run one after another in the thread
//! that calls [`Studio::serve`], whether a page is open or not.

mod api;
mod drawing;
mod guard;
mod live;
mod queue;
mod server;
mod untrusted_job;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;

use halma_engine::budget;

use crate::interrupt::Interrupts;
use guard::{Guard, Token};
use queue::{SearchLimits, SearchQueue};

/// How often it looks whether a signal asks it to end.
const LOOK: Duration = Duration::from_millis(100);

/// Which port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// The usual one, 4256, so that links go on being right; any free one where that is taken.
    Usual,
    /// This one; 0 is any free one.
    Number(u16),
}

/// What a studio is given.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens, on 127.0.0.1.
    pub port: Port,
    /// Where its searches leave their folders; made when the first begins.
    pub folder: PathBuf,
    /// The most threads of a search; all that the machine has where not given.
    pub threads: Option<usize>,
    /// The most memory of a search, in bytes; three quarters of what is free where not given.
    pub memory: Option<u64>,
    /// The job that the page begins with, as text.
    pub job: Option<String>,
}

/// Why there is no studio.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudioError {
    /// The port cannot be had.
    #[error("cannot listen on port {port} of 127.0.0.1: {error}")]
    Port {
        /// The port.
        port: u16,
        /// Why.
        error: io::Error,
    },
    /// Searches would have nowhere to write.
    #[error("{}: searches cannot have folders here: {error}", folder.display())]
    Folder {
        /// The folder of all searches.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The system has no random numbers.
    #[error("the system has no random numbers for a token: {0}")]
    Chance(String),
}

/// A studio that listens.
pub struct Studio {
    queue: Arc<SearchQueue>,
    address: String,
    token: Token,
}

/// Begins to listen. Nothing is searched before [`Studio::serve`].
///
/// # Errors
/// Where the folder cannot be made, or the port is taken.
pub fn open(settings: Settings) -> Result<Studio, StudioError> {
    let Settings { port, folder, threads, memory, job } = settings;
    can_be_made(&folder).map_err(|error| StudioError::Folder { folder: folder.clone(), error })?;
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let memory = memory.or_else(|| budget::available_memory().map(|memory| memory / 4 * 3));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let queue = Arc::new(SearchQueue::new(folder, SearchLimits { threads, memory }).after(1000 * now));
    let token = Token::new()?;
    let studio = Arc::new(server::Shared { queue: Arc::clone(&queue), job });
    let port = server::listen(port, |port| Guard::new(token.clone(), port), &studio)?;
    Ok(Studio { queue, address: format!("http://127.0.0.1:{port}/"), token })
}

/// Whether folders can be made in the nearest part of the path that exists. Nothing stays of it: a studio that searches nothing
/// leaves nothing.
fn can_be_made(folder: &Path) -> io::Result<()> {
    let folder = std::path::absolute(folder)?;
    let nearest = folder.ancestors().find(|part| part.exists()).unwrap_or(&folder);
    tempfile::tempdir_in(nearest)?.close()
}

impl Studio {
    /// The address to open, with the token. It is behind the `#`, which browsers send to nobody.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}#token={}", self.address, self.token.digits())
    }

    /// Searches what the page asks for, until a signal; the search that is under way then stops, and can go on later. Returns
    /// the folders of searches that have no answer and can go on.
    #[must_use]
    pub fn serve(self, interrupts: &Interrupts) -> Vec<PathBuf> {
        halma_record::record::built_from(env!("HALMA_SOURCE"));
        // Also of searches that failed, and of those that the page shows no more.
        let mut folders: Vec<PathBuf> = Vec::new();
        while !interrupts.ends() {
            if let Some(ticket) = self.queue.next(LOOK) {
                if !folders.contains(&ticket.folder) {
                    folders.push(ticket.folder.clone());
                }
                queue::work(&ticket, &interrupts.token(ticket.time));
            }
        }
        self.queue.close();
        folders.retain(|folder| matches!(halma_solve::run::manifest_job(folder), Ok(Some(_))));
        folders
    }
}
