//! The command line of halma.

use std::process::ExitCode;

fn main() -> ExitCode {
    halma::app().run()
}
