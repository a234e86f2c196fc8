//! The command line of halma.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::Parser;
use halma::cli::{self, Cli, Exit};

fn main() -> ExitCode {
    let cli = Cli::parse();
    panic::set_hook(Box::new(|panic| {
        let _ = writeln!(io::stderr(), "a bug, no answer: {panic}");
    }));
    // A search that contradicts itself has a status of this program's own, not the one of a panic.
    let run = || cli::run(&cli, &cli::search(), &mut io::stdout().lock());
    match panic::catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            if !failure.message.is_empty() {
                // Who closed standard error does not want the message.
                let _ = writeln!(io::stderr(), "{}", failure.message);
            }
            failure.exit.into()
        }
        Err(_) => Exit::Failed.into(),
    }
}
