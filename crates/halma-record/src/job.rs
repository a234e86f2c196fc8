//! The contents of a job file: the stated problem, the pruning, and every key with its place in the file.

pub mod game_bounds;
pub mod projection;
pub mod pruning;
pub mod puzzle_tables;
pub mod raw;
mod rule;
mod spec;

pub use pruning::{Granularity, Learning, LookAhead, LookAheadDepth, Pruning, Weights};
pub use puzzle_tables::PuzzleSpec;
pub use rule::Rule;
pub use spec::{ArmiesSpec, Army, ProblemSpec};
