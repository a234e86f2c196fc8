//! The searches: each makes the levels 0 to `depth` and returns how many states they have together, and how many
//! successors it made.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use halma_engine::puzzle::Puzzle;
use halma_engine::search::{CancellationToken, Expander, levels};
use halma_puzzles::transfer::{ProblemTables, Scratch, TransferPuzzle};
use halma_rules::centroid;
use halma_rules::job::{Job, Problem};
use stateright::{Checker, Model, Property};

use crate::{Fault, textbook};

/// The puzzle.
pub type Transfer = TransferPuzzle<2, u64>;
/// States, and successors where the tool tells.
pub type Found = Result<(u64, Option<u64>), Fault>;
type Search = fn(&Arc<Transfer>, u32) -> Found;

/// All of them; ratios are to the first.
pub const ALL: &[(&str, Search)] = &[
    ("halma, 1 thread", |puzzle, depth| halma(puzzle, depth, 1, None)),
    ("halma, 2 threads", |puzzle, depth| halma(puzzle, depth, 2, None)),
    (FRUGAL, |puzzle, depth| halma(puzzle, depth, 1, Some(42 << 20))),
    ("sort and deduplicate", sorted),
    ("HashSet of std", hashed),
    ("dashmap + ahash + crossbeam, 1 thread", |puzzle, depth| textbook::shared(puzzle, depth, 1)),
    ("dashmap + ahash + crossbeam, 2 threads", |puzzle, depth| textbook::shared(puzzle, depth, 2)),
    ("hash sets by shard + channels, 1 thread", |puzzle, depth| textbook::sharded(puzzle, depth, 1)),
    ("hash sets by shard + channels, 2 threads", |puzzle, depth| textbook::sharded(puzzle, depth, 2)),
    ("pathfinding, bfs_reach", reached),
    (STATERIGHT, |puzzle, depth| checked(puzzle, depth, 1)),
    ("stateright, 2 threads", |puzzle, depth| checked(puzzle, depth, 2)),
];

/// The frugal one of ours, and what it is compared with.
pub const FRUGAL: &str = "halma, 1 thread, within 42 MiB";
pub const STATERIGHT: &str = "stateright, 1 thread";

const JOB: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-4\"\n";

/// Problem 2 of the paper without bounds.
pub fn puzzle() -> Result<Arc<Transfer>, Fault> {
    let job = Job::parse("peers.toml".as_ref(), JOB)?;
    let Problem::Transfer(problem) = job.problem else { return Err("not a transfer".into()) };
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(&problem, &symmetries);
    let tables = ProblemTables::new(&problem, &symmetries.fixing, centroid).ok_or("the army does not fit")?;
    Ok(Arc::new(Transfer::new(&Arc::new(tables), &problem.start, Vec::new())))
}

fn halma(puzzle: &Arc<Transfer>, depth: u32, threads: usize, memory: Option<u64>) -> Found {
    let (expander, cancel) = (Expander::new(threads, memory)?, CancellationToken::after(None));
    let (mut states, mut successors) = (0, 0);
    for tally in levels(&**puzzle, &expander, &cancel).take(depth as usize + 1) {
        let tally = tally?;
        states += tally.states;
        successors += tally.generated;
    }
    Ok((states, Some(successors)))
}

/// Each level as a sorted list: all successors, sorted, without those that come twice or that the two levels before have.
fn sorted(puzzle: &Arc<Transfer>, depth: u32) -> Found {
    let mut scratch = puzzle.scratch();
    let (mut before, mut level) = (Vec::new(), puzzle.start());
    let (mut states, mut successors) = (level.len() as u64, 0);
    for depth in 0..depth {
        let mut next = Vec::new();
        for &key in &level {
            successors += puzzle.successors(&mut scratch, key, depth, &mut |k| next.push(k));
        }
        next.sort_unstable();
        next.dedup();
        let known = |key: &u64| level.binary_search(key).is_ok() || before.binary_search(key).is_ok();
        next.retain(|key| !known(key));
        states += next.len() as u64;
        before = std::mem::replace(&mut level, next);
    }
    Ok((states, Some(successors)))
}

/// One hash set of all states, and a list of those of the last level.
fn hashed(puzzle: &Arc<Transfer>, depth: u32) -> Found {
    let mut scratch = puzzle.scratch();
    let mut level = puzzle.start();
    let mut seen: HashSet<u64> = level.iter().copied().collect();
    let mut successors = 0;
    for depth in 0..depth {
        let mut next = Vec::new();
        for &key in &level {
            successors += puzzle.successors(&mut scratch, key, depth, &mut |k| {
                if seen.insert(k) {
                    next.push(k);
                }
            });
        }
        level = next;
    }
    Ok((seen.len() as u64, Some(successors)))
}

/// A state that knows its depth, which is no part of what it is.
#[derive(Clone)]
struct Deep(u64, u32);

impl PartialEq for Deep {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Deep {}

impl Hash for Deep {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

fn reached(puzzle: &Arc<Transfer>, depth: u32) -> Found {
    let mut scratch = puzzle.scratch();
    let mut successors = 0;
    let next = |state: &Deep| {
        let mut next = Vec::new();
        if state.1 < depth {
            successors += puzzle.successors(&mut scratch, state.0, state.1, &mut |k| next.push(Deep(k, state.1 + 1)));
        }
        next
    };
    let states = pathfinding::prelude::bfs_reach(Deep(puzzle.start()[0], 0), next).count();
    Ok((states as u64, Some(successors)))
}

thread_local! {
    static SCRATCH: RefCell<Option<Scratch<2, u64>>> = const { RefCell::new(None) };
}

/// The puzzle as stateright sees it: an action is the state that it leads to.
struct Checked(Arc<Transfer>);

impl Model for Checked {
    type State = u64;
    type Action = u64;

    fn init_states(&self) -> Vec<u64> {
        self.0.start()
    }

    fn actions(&self, state: &u64, actions: &mut Vec<u64>) {
        SCRATCH.with_borrow_mut(|scratch| {
            let scratch = scratch.get_or_insert_with(|| self.0.scratch());
            self.0.successors(scratch, *state, 0, &mut |k| actions.push(k));
        });
    }

    fn next_state(&self, _: &u64, action: u64) -> Option<u64> {
        Some(action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // Never violated, so nothing ends the search; without any property there is none.
        vec![Property::always("a state", |_, _| true)]
    }
}

fn checked(puzzle: &Arc<Transfer>, depth: u32, threads: usize) -> Found {
    // Its depths count states, not moves.
    let checker = Checked(Arc::clone(puzzle)).checker().threads(threads).target_max_depth(depth as usize + 1);
    let checker = checker.spawn_bfs().join();
    Ok((checker.unique_state_count() as u64, None))
}
