//! All integration tests, in one program: it is linked once, and its tests share the processors.

#![allow(clippy::unwrap_used, reason = "tests may panic; clippy sees only #[test] functions as tests")]

mod all_states;
mod axe;
mod boards;
mod browser;
mod cache;
mod certify;
mod check;
mod check_cases;
mod check_fields;
mod check_forged;
mod check_hostile;
mod check_mutilated;
mod check_trailing;
mod cli;
#[cfg(feature = "cluster")]
mod cluster;
mod configs;
mod counts;
mod export;
mod export_peers;
mod folders;
mod forgery;
mod frozen;
mod game_bounds;
mod games;
mod guide;
mod job_errors;
mod known_solution;
mod learning_beam;
mod levels;
mod memory;
mod mirrors;
mod oracle;
mod paper;
mod program;
mod pushes;
mod puzzles;
mod random_blocks;
mod random_permutations;
mod random_rules;
mod record;
mod referee_levels;
mod referee_shortest;
mod refuted_by;
mod rows;
mod same_levels;
mod schema;
mod scripts;
mod small;
mod snapshots;
mod solutions;
mod store;
#[cfg(feature = "studio")]
mod studio;
#[cfg(feature = "studio")]
mod studio_page;
mod tiny;
mod trial;
mod views;
mod walls;

/// Says that a test did not look at this, also where the output of tests that pass is not shown.
fn skipped(what: &str) {
    use std::io::Write;
    // `println!` would be captured.
    let _ = writeln!(std::io::stderr(), "skipped: {what}");
}
