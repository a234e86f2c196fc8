//! The program, as tests run it: in a folder, without what the developer's environment would change.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// The program, still without arguments.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halma"));
    command.env_remove("HALMA_CACHE").env_remove("HALMA_CLUSTER_KEY");
    command
}

/// The program in that folder.
pub(crate) fn command(folder: impl AsRef<Path>, args: &[&str]) -> Command {
    let mut command = program();
    command.current_dir(folder).args(args);
    command
}

/// Exit status, standard output and standard error of the program in that folder.
pub(crate) fn halma(folder: impl AsRef<Path>, args: &[&str]) -> (i32, String, String) {
    said(command(folder, args).output().expect("it runs"))
}

/// The same of a process that has ended.
pub(crate) fn said(Output { status, stdout, stderr }: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code().expect("no signal"), text(stdout), text(stderr))
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).expect("a file"));
    folder
}

/// A folder with this job in `job.toml`.
pub(crate) fn job_folder(job: &str) -> TempDir {
    folder(&[("job.toml", job)])
}
