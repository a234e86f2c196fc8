//! A filter of new states, or a merge of what was spilled, may take longer than everything else: it stops when it is asked to, and
//! loses nothing that was made before it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// The lattices, with a measure or under a filter that drops a third of the states, either of which asks for the end after so many
/// calls.
struct Filtered<'a> {
    left: AtomicU64,
    made: AtomicU64,
    filters: bool,
    cancel: &'a CancellationToken,
}

impl Filtered<'_> {
    fn called(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.request();
        }
    }
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
        self.filters
    }

    fn admits(&self, (): &mut (), key: u64, _: u32) -> bool {
        self.called();
        !key.is_multiple_of(3)
    }

    fn measure(&self, (): &mut (), key: u64) -> Option<i64> {
        if !self.filters {
            self.called();
        }
        Some(key as i64)
    }
}

/// The level after the start, by a process whose filter or measure is called so often before it is interrupted, and its figures; and
/// how many successors it made.
fn grown(storage: &Forgetful, expander: &Expander, stops: (bool, u64)) -> (Result<(Tally, Level<u64>), Stopped>, u64) {
    grown_in(open(storage, 1), expander, stops)
}

/// The same in a folder that may not have opened.
fn grown_in(
    workspace: Result<Workspace, StoreError>,
    expander: &Expander,
    (filters, calls): (bool, u64),
) -> (Result<(Tally, Level<u64>), Stopped>, u64) {
    let cancel = CancellationToken::after(None);
    let puzzle = Filtered { left: AtomicU64::new(calls), made: AtomicU64::new(0), filters, cancel: &cancel };
    let wide: Level<u64> = Level::of((0..3000).map(|i| ORIGIN + (i << 10)).collect());
    let grown = workspace.map_err(Stopped::Store).and_then(|workspace| {
        workspace.begin()?;
        let destination = LevelDestination::run(&workspace, "level-1");
        expander.expand(&puzzle, 0, &wide, &[], destination, &cancel)
    });
    // Some are made for a sample; whoever resumes makes no others.
    let expanded = puzzle.made.into_inner() > 6 * 3000;
    (grown.map(|grown| (grown.tally, grown.level)), u64::from(expanded))
}

/// Interrupts it after so many calls, and goes on.
fn goes_on_after(expander: &Expander, (filters, calls): (bool, u64)) {
    let (whole, expanded) = grown(&Forgetful::default(), expander, (filters, u64::MAX));
    let (whole, _) = whole.unwrap();
    assert!(expanded == 1 && (whole.pruned > 0) == filters && whole.states > 2000);
    let storage = Forgetful::default();
    let (stopped, expanded) = grown(&storage, expander, (filters, calls));
    assert!(expanded == 1 && matches!(stopped, Err(Stopped::Interrupted)));
    let (resumed, expanded) = grown(&storage, expander, (filters, u64::MAX));
    assert_eq!((resumed.unwrap().0, expanded), (whole, 0));
}

#[test]
fn an_interrupted_filter_ends_early_and_the_next_process_begins_with_it() {
    goes_on_after(&Expander::new(1, None).unwrap(), (true, 10));
}

#[test]
fn an_interrupted_merge_of_layers_ends_early_and_the_next_process_begins_with_it() {
    goes_on_after(&within(None), (false, 10));
}

/// The level itself is in memory, and needs none.
#[test]
fn a_filter_whose_checkpoint_finds_no_room_goes_on_and_loses_nothing() {
    let expander = Expander::new(1, None).unwrap();
    // No checkpoint is due but the one before the filter.
    let grown = |storage: &Faulty| {
        let make = || Ok(Box::new(storage.clone()) as Box<dyn Storage>);
        let options = WorkspaceOptions { interval: Duration::from_secs(3600), ..WorkspaceOptions::default() };
        let workspace = Workspace::open_on(make, Path::new("memory"), serde_json::Value::Null, options);
        grown_in(workspace, &expander, (true, u64::MAX)).0
    };
    let whole = Faulty::new(Forgetful::default(), Fault::None);
    let (expected, level) = grown(&whole).unwrap();
    let (mut went_on, mut stopped) = (0, 0);
    for room in (0..whole.written()).step_by((whole.written() / 300) as usize) {
        let full = Faulty::new(Forgetful::default(), Fault::Full(room));
        match grown(&full) {
            Ok(found) => {
                assert_eq!((found.0, found.1.fingerprint()), (expected.clone(), level.fingerprint()), "{room}");
                went_on += u32::from(full.refused());
            }
            Err(Stopped::Store(StoreError::Full { .. })) => stopped += 1,
            Err(other) => panic!("{room}: {other:?}"),
        }
    }
    assert!(went_on > 100 && stopped > 0, "{went_on} went on, {stopped} stopped");
}

/// With too little memory for anything a shard is merged alone, and its states go to the file as they are found.
#[test]
fn blocks_do_not_depend_on_memory() {
    let fingerprint = |memory| {
        let (level, _) = grown(&Forgetful::default(), &within(memory), (true, u64::MAX));
        level.unwrap().1.fingerprint()
    };
    assert_eq!(fingerprint(Some(1)), fingerprint(None));
}
