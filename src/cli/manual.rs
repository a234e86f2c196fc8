//! Files for an installation: man pages, completions, the schema of job files.

use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use super::asking::put;
use super::{Cli, Exit, Failure};

/// The JSON Schema of job files.
pub(super) const SCHEMA: &str = include_str!("../../docs/job.schema.json");

/// `halma man`: the page of the program on `out`, or the pages of all commands in a folder.
pub(super) fn pages(folder: Option<&Path>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let command = Cli::command();
    match folder {
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(command).render(&mut text)?;
            put(&String::from_utf8_lossy(&text), out)?;
        }
        Some(folder) => {
            let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
            written.map_err(|e| Failure::unwritten(folder, &e))?;
        }
    }
    Ok(Exit::Answered)
}

/// `halma completions`.
pub(super) fn completions(shell: Shell, out: &mut dyn Write) -> Result<Exit, Failure> {
    // Into memory first: the generator panics where its writer fails.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "halma", &mut text);
    put(&String::from_utf8_lossy(&text), out)?;
    Ok(Exit::Answered)
}
