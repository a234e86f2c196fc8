//! `halma export`: writes a puzzle for another tool.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;

use halma_rules::job::{Job, Problem, Puzzle};
use halma_rules::puzzle::export::{self, Export, ExportedFile};
use halma_rules::puzzle::{Compiled, GroundedTask, TableFault};

use super::asking::{put, read};
use super::{Exit, Failure, whole_file};

/// The languages, as they are typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    /// For planners, as Fast Downward: a domain and a problem
    Pddl,
    /// For Rumur and other Murphi checkers
    Murphi,
    /// For clingo
    Asp,
}

impl From<Format> for export::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Pddl => Self::Pddl,
            Format::Murphi => Self::Murphi,
            Format::Asp => Self::Asp,
        }
    }
}

/// Writes the files into a folder, and says which; without one they go to `out`, one after another.
pub(super) fn export(path: &Path, format: Format, folder: Option<&Path>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let job = read(path)?;
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).filter(|name| name != "-");
    let name = name.unwrap_or_else(|| "puzzle".into());
    let files = files(&job, &name, format.into())
        .map_err(|message| Failure::input(format!("{}: {message}", path.display())))?;
    let Some(folder) = folder else {
        let comment = match format {
            Format::Pddl => ";",
            Format::Murphi => "--",
            Format::Asp => "%",
        };
        for ExportedFile { ending, text } in &files {
            let parted = if files.len() > 1 { format!("{comment} ==== {name}{ending} ====\n") } else { String::new() };
            put(&(parted + text), out)?;
        }
        return Ok(Exit::Answered);
    };
    for ExportedFile { ending, text } in &files {
        let file = folder.join(format!("{name}{ending}"));
        let made = std::fs::create_dir_all(folder);
        let written = made.and_then(|()| whole_file::write(&file, |out| out.write_all(text.as_bytes())));
        written.map_err(|e| Failure::unwritten(&file, &e))?;
        put(&format!("{}\n", file.display()), out)?;
    }
    Ok(Exit::Answered)
}

/// The files of a job. Transfers and games are told as the rewrite rules that they are.
fn files(job: &Job, name: &str, format: export::Format) -> Result<Vec<ExportedFile>, String> {
    if job.search.palindromic {
        return Err("only palindromes are asked for (palindromic = true), which other tools cannot be told: export the job without it".into());
    }
    let length = job.search.max_length;
    let of = |title: &str, compiled: &Compiled, counted: Option<&str>| {
        Export { title, compiled, counted, length }.files(format)
    };
    let rules = |task: Result<GroundedTask, TableFault>| task.map(Compiled::Grounded).map_err(|fault| fault.message);
    match &job.problem {
        Problem::Transfer(transfer) => {
            let counted = match transfer.jumps_only {
                true => "a chain of jumps of one man, each over a man beside him to the empty cell behind",
                false => "a step of one man to an empty cell beside him, or a chain of jumps of one man",
            };
            of(name, &rules(export::transfer(transfer))?, Some(counted))
        }
        Problem::Game(game) => {
            let counted = "a step or a chain of jumps of one man of the side whose turn it is, B first";
            of(name, &rules(export::game(game))?, Some(counted))
        }
        Problem::Puzzle(Puzzle { spec, compiled, .. }) => {
            let counted = match spec.table.get("metric").and_then(|metric| metric.as_str()) {
                Some("step") if spec.kind == "blocks" => Some("one block, one cell in one direction"),
                Some("slide") if spec.kind == "blocks" => Some("one block, any distance in one direction"),
                Some("move") if spec.kind == "blocks" => Some("one block, any path"),
                _ => None,
            };
            of(spec.title.as_deref().unwrap_or(name), compiled, counted)
        }
    }
}
