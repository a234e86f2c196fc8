//! The command line of halma.
fn main() {}
