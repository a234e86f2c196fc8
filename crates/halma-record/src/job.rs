//! A job file's words: the problem as it is stated, the pruning, and every key with the place where it stands.

pub mod game_bounds;
pub mod projection;
pub mod pruning;
pub mod puzzle_tables;
pub mod raw;
mod rule;
mod spec;

pub use pruning::{Granularity, LookAheadDepth, Pruning};
pub use puzzle_tables::PuzzleSpec;
pub use rule::Rule;
pub use spec::{ArmiesSpec, Army, ProblemSpec};
