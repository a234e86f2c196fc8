//! The search and the verifier against each other, in one program: what the search gets wrong on purpose the verifier finds, and
//! what both wrote for themselves says the same.

#![allow(clippy::unwrap_used, reason = "tests")]

mod faults;
mod game_bounds;
mod game_faults;
mod look_ahead;
mod walks;
