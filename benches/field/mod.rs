//! What the benches work on: levels 5 and 6 of problem 2 of the paper (10 men on 9x9, 6-move, no bounds).

#![allow(dead_code, reason = "not every bench needs every part")]

use std::sync::Arc;

use halma_engine::puzzle::Puzzle;
use halma_engine::search::shards::Shards;
use halma_engine::search::{CancellationToken, Expander, LevelDestination};
use halma_engine::store::Level;
use halma_puzzles::transfer::{ProblemTables, TransferPuzzle};
use halma_rules::centroid;
use halma_rules::job::{Job, Problem};
use halma_rules::problem::Transfer;

/// The search without bounds.
pub type Search = TransferPuzzle<2, u64>;

/// The level that is expanded.
pub const DEPTH: u32 = 6;
/// Its states, their successors, those among them that are different, and those that are on level 7.
pub const STATES: usize = 210_835;
pub const SUCCESSORS: u64 = 9_566_978;
pub const UNIQUE: u64 = 1_302_256;
pub const NEXT: u64 = 1_054_311;

pub struct Field {
    pub problem: Transfer,
    pub search: Search,
    /// Levels 5 and 6.
    pub levels: [Level<u64>; 2],
    /// The states of level 6.
    pub states: Vec<u64>,
}

/// Problem 2 of the paper under 4-, 6- or 8-move rules, and its search.
pub fn ten_men(moves: u8) -> (Transfer, Search) {
    let job = format!("[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = {moves}\narmy = \"triangle-4\"\n");
    let job = Job::parse("field.toml".as_ref(), &job).expect("a job");
    let Problem::Transfer(problem) = job.problem else { unreachable!("a transfer") };
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(&problem, &symmetries);
    let tables = Arc::new(ProblemTables::new(&problem, &symmetries.fixing, centroid).expect("it fits"));
    let search = Search::new(&tables, &problem.start, Vec::new());
    (problem, search)
}

pub fn field() -> Field {
    let (problem, search) = ten_men(6);
    let (expander, cancel) = (Expander::new(1, None).expect("a thread"), CancellationToken::after(None));
    let mut levels = [Level::default(), expander.level_of(&search, search.start()).level];
    for depth in 0..DEPTH {
        let next = expander
            .expand(&search, depth, &levels[1], &[&levels[0]], LevelDestination::MEMORY, &cancel)
            .expect("a level");
        levels.swap(0, 1);
        levels[1] = next.level;
    }
    let states = levels[1].to_vec().expect("memory");
    assert_eq!(states.len(), STATES);
    Field { problem, search, levels, states }
}

/// All successors of the states, in the order in which they are generated.
pub fn successors(field: &Field) -> Vec<u64> {
    let (mut scratch, mut all) = (field.search.scratch(), Vec::with_capacity(SUCCESSORS as usize));
    for &key in &field.states {
        field.search.successors(&mut scratch, key, DEPTH, &mut |k| all.push(k));
    }
    assert_eq!(all.len() as u64, SUCCESSORS);
    all
}

/// The ranges of keys that these successors of a level are parted into.
pub fn shards(all: &[u64]) -> Shards {
    let sample: Vec<u64> = all.iter().copied().step_by(97).collect();
    Shards::balanced(&sample, all.len() >> 16)
}
