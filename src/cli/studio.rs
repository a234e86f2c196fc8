//! `halma studio`: serves the page until a signal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use halma_files::plain;

use super::asking::{put, source};
use super::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::studio::{self, Port, Settings, StudioError};

/// Serves the page; `most` is the most threads and memory of a search.
pub(super) fn studio(
    job: Option<&Path>,
    port: Option<u16>,
    folder: &Path,
    (threads, memory): (Option<usize>, Option<u64>),
    open: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    // Whether it is a job at all is said on the page, where it can be mended.
    let job = job.map(source).transpose()?.map(|source| source.text().to_owned());
    let port = port.map_or(Port::Usual, Port::Number);
    let interrupts = Interrupts::install().map_err(|e| Failure::failed(format!("signals cannot be caught: {e}")))?;
    let studio = studio::open(Settings { port, folder: folder.into(), threads, memory, job })?;
    put(&format!("{}\n", studio.url()), out)?;
    put("Ctrl-C ends it. Anyone who has this address can start searches on this machine.\n", out)?;
    // Until the browser has read it.
    let _page = if open { browse(&studio.url()) } else { None };
    let unfinished = studio.serve(&interrupts);
    for folder in &unfinished {
        // Who closed standard error does not want it.
        let _ =
            writeln!(io::stderr(), "not finished; to go on: halma resume {}", plain::quoted(&folder.to_string_lossy()));
    }
    Ok(if unfinished.is_empty() { Exit::Answered } else { Exit::Unfinished })
}

/// Opens the browser by a page that leads on: what stands on a command line can be read by everybody on the machine.
fn browse(url: &str) -> Option<tempfile::TempPath> {
    let page = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url={url}\"><title>halma</title>\
         <a href=\"{url}\">Halma studio</a>\n"
    );
    // Only its owner may read it.
    let mut file = tempfile::Builder::new().prefix("halma-studio-").suffix(".html").tempfile().ok()?;
    file.write_all(page.as_bytes()).ok()?;
    let path = file.into_temp_path();
    let opened = opener(&path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = opened {
        let _ = writeln!(io::stderr(), "no browser was found ({error}): open the address by hand");
    }
    Some(path)
}

fn opener(page: &Path) -> Command {
    let program: PathBuf = match std::env::consts::OS {
        "macos" => "open".into(),
        "windows" => "explorer".into(),
        _ => "xdg-open".into(),
    };
    let mut command = Command::new(program);
    command.arg(page);
    command
}

impl From<StudioError> for Failure {
    fn from(error: StudioError) -> Self {
        let exit = if matches!(error, StudioError::Port { .. } | StudioError::Folder { .. }) {
            Exit::Input
        } else {
            Exit::Failed
        };
        Self { exit, message: error.to_string() }
    }
}
