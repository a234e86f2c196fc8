//! A filter of new states may take longer than everything else: it stops when it is asked to, and loses nothing that was
//! made before it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// The lattices under a filter that drops a third of the states, and asks for the end after so many calls.
struct Filtered<'a> {
    left: AtomicU64,
    made: AtomicU64,
    cancel: &'a CancellationToken,
}

impl Puzzle for Filtered<'_> {
    type Key = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u64> {
        Lattices.start()
    }

    fn successors(&self, (): &mut (), key: u64, depth: u32, emit: &mut impl FnMut(u64)) -> u64 {
        let made = Lattices.successors(&mut (), key, depth, emit);
        self.made.fetch_add(made, Ordering::Relaxed);
        made
    }

    fn is_state(&self, (): &mut (), key: u64) -> bool {
        Lattices.is_state(&mut (), key)
    }

    fn filters(&self, _: u32) -> bool {
        true
    }

    fn admits(&self, (): &mut (), key: u64, _: u32) -> bool {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.request();
        }
        !key.is_multiple_of(3)
    }
}

/// The level after the start, by a process whose filter is called so often before it is interrupted; and how many
/// successors it made.
fn grown(storage: &Forgetful, calls: u64) -> (Result<Tally, Stopped>, u64) {
    let (workspace, cancel) = (open(storage, 1).unwrap(), CancellationToken::after(None));
    let puzzle = Filtered { left: AtomicU64::new(calls), made: AtomicU64::new(0), cancel: &cancel };
    workspace.begin().unwrap();
    let destination = LevelDestination { workspace: Some(&workspace), label: "level-1", ..LevelDestination::MEMORY };
    let wide: Level<u64> = Level::of((0..3000).map(|i| ORIGIN + (i << 10)).collect());
    let expander = Expander::new(1, None).unwrap();
    let grown = expander.expand(&puzzle, 0, &wide, &[], destination, &cancel);
    // Some are made for a sample; whoever resumes makes no others.
    let expanded = puzzle.made.into_inner() > 6 * 3000;
    (grown.map(|grown| grown.tally), u64::from(expanded))
}

#[test]
fn an_interrupted_filter_ends_early_and_the_next_process_begins_with_it() {
    let (whole, expanded) = grown(&Forgetful::default(), u64::MAX);
    let whole = whole.unwrap();
    assert!(expanded == 1 && whole.pruned > 0 && whole.states > 2000);
    let storage = Forgetful::default();
    let (stopped, expanded) = grown(&storage, 10);
    assert!(expanded == 1 && matches!(stopped, Err(Stopped::Interrupted)));
    let (resumed, expanded) = grown(&storage, u64::MAX);
    assert_eq!((resumed.unwrap(), expanded), (whole, 0));
}
