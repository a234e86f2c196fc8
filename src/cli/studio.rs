//! `halma studio`: serves the page until a signal.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use halma_files::plain;
use halma_rules::job::raw;

use super::asking::{put, source};
use super::{Exit, Failure, threads};
use crate::interrupt::Interrupts;
use crate::studio::{self, Port, Settings, StudioError};

/// What the page begins with, and what its searches may use.
#[derive(Clone, Debug, Args)]
pub struct StudioArgs {
    /// The job that the page begins with, a TOML file; - reads it from standard input
    pub job: Option<PathBuf>,
    /// The port on 127.0.0.1, 0 for any free one; 4256 where not given, or any free one if that is taken
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Where searches leave their folders: jobs, records, reports
    #[arg(long, value_name = "DIR", default_value = "halma-studio")]
    pub folder: PathBuf,
    /// The most threads of a search; all that the machine has where not given
    #[arg(long, value_name = "N", value_parser = threads())]
    pub threads: Option<u32>,
    /// The most memory of a search, as in "4 GiB"; three quarters of what is free where not given
    #[arg(long, value_name = "SIZE", value_parser = raw::size)]
    pub memory: Option<u64>,
    /// Open the page in the browser
    #[arg(long, overrides_with = "no_open")]
    pub open: bool,
    /// Only print its address, as without --open
    #[arg(long, hide = true)]
    pub no_open: bool,
}

/// Serves the page.
pub(super) fn studio(args: &StudioArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    // Whether it is a job at all is said on the page, where it can be mended.
    let job = args.job.as_deref().map(source).transpose()?.map(|source| source.text().to_owned());
    let port = args.port.map_or(Port::Usual, Port::Number);
    let interrupts = Interrupts::install().map_err(|e| Failure::failed(format!("signals cannot be caught: {e}")))?;
    let threads = args.threads.map(|threads| threads as usize);
    let studio = studio::open(Settings { port, folder: args.folder.clone(), threads, memory: args.memory, job })?;
    put(&format!("{}\n", studio.url()), out)?;
    put("Ctrl-C ends it. Anyone who has this address can start searches on this machine.\n", out)?;
    // Until the browser has read it.
    let _page = if args.open { browse(&studio.url()) } else { None };
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
