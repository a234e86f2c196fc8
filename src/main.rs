//! The command line of halma.

use std::process::ExitCode;

use clap::Parser;
use halma::cli::{self, Cli, Exit, Failure};

fn main() -> ExitCode {
    let search: &cli::Search =
        &|_, _, _| Err(Failure { exit: Exit::Failed, message: "searches are not wired on this branch".into() });
    match cli::run(&Cli::parse(), search, &mut std::io::stdout().lock()) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("halma: {}", failure.message);
            failure.exit.into()
        }
    }
}
