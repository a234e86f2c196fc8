//! The command line of halma.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use halma::cli::{self, Cli};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli::run(&cli, &cli::search(), &mut io::stdout().lock()) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            // Who closed standard error does not want the message.
            let _ = writeln!(io::stderr(), "{}", failure.message);
            failure.exit.into()
        }
    }
}
