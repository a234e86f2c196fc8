//! A filter is saved in parts: whoever stops it, kills it or damages its parts gets the level of an undisturbed run, or a clear error.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::draws::Draws;
use crate::key::Key;
use crate::store::storage::forgetful::Crash;
use crate::store::workspace::{Disk, MANIFEST};
use halma_files::number::Digest;
use xxhash_rust::xxh3::xxh3_128;

/// The lattices, under a filter that drops some states and asks for the end after so many calls. The measure is the key.
struct Sieve<'a> {
    drops: fn(u64) -> bool,
    left: AtomicU64,
    expanded: AtomicU64,
    cancel: &'a CancellationToken,
}

impl Puzzle for Sieve<'_> {
    type Key = u64;
    type Scratch = Option<u64>;

    fn scratch(&self) -> Self::Scratch {
        None
    }

    fn start(&self) -> Vec<u64> {
        Lattices.start()
    }

    fn successors(&self, largest: &mut Self::Scratch, key: u64, depth: u32, emit: &mut impl FnMut(u64)) -> u64 {
        self.expanded.fetch_add(1, Ordering::Relaxed);
        Lattices.successors(&mut (), key, depth, &mut |key| {
            *largest = (*largest).max(Some(key));
            emit(key);
        })
    }

    fn is_state(&self, _: &mut Self::Scratch, key: u64) -> bool {
        Lattices.is_state(&mut (), key)
    }

    fn filters(&self, _: u32) -> bool {
        true
    }

    fn admits(&self, _: &mut Self::Scratch, key: u64, _: u32) -> bool {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.request();
        }
        !(self.drops)(key)
    }

    fn measure(&self, _: &mut Self::Scratch, key: u64) -> Option<i64> {
        Some(key as i64)
    }

    fn leader(&self, largest: &Self::Scratch) -> Option<(i64, u64)> {
        largest.map(|key| (key as i64, key))
    }
}

/// A level has so many states before it.
const STATES: u64 = 6000;

/// Its shards are merged in several groups, and each is a part of the level, since a checkpoint is always due.
fn expander() -> Expander {
    let mut expander = Expander::new(1, None).unwrap();
    expander.small_parts = true;
    expander
}

/// A third goes, the largest key among them or not.
const DROPS: [fn(u64) -> bool; 2] = [|key| key.is_multiple_of(3), |key| key % 3 == LARGEST % 3];
const LARGEST: u64 = ORIGIN + ((STATES - 1) << 10) + (1 << 16);

/// What a process did: the level with its figures, how many states it expanded, and how many it filtered.
struct Outcome {
    level: Result<(Tally, u128), Stopped>,
    expanded: u64,
    filtered: u64,
}

/// The level after one of [`STATES`] states, by a process whose filter is interrupted after so many calls.
fn run(storage: &(impl Storage + Clone + 'static), drops: fn(u64) -> bool, calls: u64) -> Outcome {
    run_by(&expander(), WorkspaceOptions::default(), storage, drops, calls)
}

fn run_by(
    expander: &Expander,
    options: WorkspaceOptions,
    storage: &(impl Storage + Clone + 'static),
    drops: fn(u64) -> bool,
    calls: u64,
) -> Outcome {
    let cancel = CancellationToken::after(None);
    let puzzle = Sieve { drops, left: AtomicU64::new(calls), expanded: AtomicU64::new(0), cancel: &cancel };
    let wide: Level<u64> = Level::of((0..STATES).map(|i| ORIGIN + (i << 10)).collect());
    let make = || Ok(Box::new(storage.clone()) as Box<dyn Storage>);
    let workspace = Workspace::open_on(make, Path::new("memory"), serde_json::json!({ "run": 1 }), options);
    let level = workspace.map_err(Stopped::Store).and_then(|workspace| {
        workspace.begin()?;
        let destination = LevelDestination::run(&workspace, "level-1");
        let made = expander.expand(&puzzle, 0, &wide, &[], destination, &cancel)?;
        if made.level.path().is_some() {
            let names = workspace.levels().into_keys().collect::<Vec<_>>();
            assert_eq!((names, workspace.partial("level-1")), (vec!["level-1".into()], None));
        }
        Ok((made.tally, made.level.fingerprint()))
    });
    let (left, expanded) = (puzzle.left.into_inner(), puzzle.expanded.into_inner());
    Outcome { level, expanded, filtered: calls.wrapping_sub(left) }
}

/// An undisturbed run, which is compared with one in memory alone.
fn undisturbed(drops: fn(u64) -> bool) -> Outcome {
    let cancel = CancellationToken::after(None);
    let puzzle = Sieve { drops, left: AtomicU64::new(u64::MAX), expanded: AtomicU64::new(0), cancel: &cancel };
    let wide: Level<u64> = Level::of((0..STATES).map(|i| ORIGIN + (i << 10)).collect());
    let in_memory = expander().expand(&puzzle, 0, &wide, &[], LevelDestination::MEMORY, &cancel).unwrap();
    let outcome = run(&Forgetful::default(), drops, u64::MAX);
    assert_eq!(*outcome.level.as_ref().unwrap(), (in_memory.tally, in_memory.level.fingerprint()));
    outcome
}

/// The files of a run that was interrupted after so many calls of its filter.
fn interrupted(calls: u64) -> Forgetful {
    let storage = Forgetful::default();
    assert!(matches!(run(&storage, DROPS[0], calls).level, Err(Stopped::Interrupted)));
    storage
}

fn parts(storage: &Forgetful) -> Vec<String> {
    storage.files().into_iter().filter(|name| name.contains(".part-")).collect()
}

/// The run with a list that was changed.
fn forged(storage: &Forgetful, change: impl FnOnce(&mut serde_json::Value)) -> Result<(Tally, u128), Stopped> {
    let copy = storage.copied();
    forge(&copy, change);
    run(&copy, DROPS[0], u64::MAX).level
}

/// Changes the list of a run, under a new checksum.
fn forge(storage: &Forgetful, change: impl FnOnce(&mut serde_json::Value)) {
    let changed = storage.tamper(MANIFEST, |bytes| {
        let mut list = serde_json::from_slice::<serde_json::Value>(bytes).unwrap()["list"].take();
        change(&mut list);
        let checksum = Digest(xxh3_128(list.to_string().as_bytes()));
        *bytes = format!("{{\"checksum\": {}, \"list\": {list}}}", serde_json::json!(checksum)).into();
    });
    changed.unwrap();
}

#[test]
fn an_interrupted_filter_goes_on_after_its_last_part() {
    for drops in DROPS {
        let whole = undisturbed(drops);
        let calls = whole.filtered;
        for eighth in 1..8 {
            let storage = Forgetful::default();
            let first = run(&storage, drops, calls * eighth / 8);
            assert!(matches!(first.level, Err(Stopped::Interrupted)));
            let second = run(&storage, drops, u64::MAX);
            assert_eq!(second.level.unwrap(), *whole.level.as_ref().unwrap());
            assert!(second.expanded < STATES / 4, "{} are for the choice of shards alone", second.expanded);
            // What is filtered again is less than a group of shards.
            assert!(first.filtered + second.filtered < calls * 5 / 4, "{} + {}", first.filtered, second.filtered);
            assert_eq!(storage.files().iter().filter(|name| name.ends_with(".level")).count(), 1);
        }
    }
}

#[test]
fn after_a_crash_at_any_operation_a_filter_goes_on_to_the_same_level() {
    let kinds: [fn(u64) -> Crash; 3] = [|_| Crash::LosesAll, |_| Crash::LosesNothing, Crash::LosesSome];
    for (drops, kinds) in [(DROPS[0], &kinds[..]), (DROPS[1], &kinds[2..])] {
        let whole = undisturbed(drops).level.unwrap();
        let log = Faulty::new(Forgetful::default(), Fault::None);
        run(&log, drops, u64::MAX).level.unwrap();
        for part in ["create level-1.part-0000.tmp", "create level-1.part-0002.tmp", "remove level-1.layer-0000.level"]
        {
            assert!(log.log().iter().any(|operation| operation == part), "{part}: {:#?}", log.log());
        }
        for number in 0..log.log().len() as u64 {
            for crash in kinds.iter().map(|kind| kind(number)) {
                let storage = Forgetful::default();
                let died = run(&Faulty::new(storage.clone(), Fault::From(number, ErrorKind::Other)), drops, u64::MAX);
                assert!(died.level.is_err() || died.level.is_ok_and(|level| level == whole), "{number}");
                storage.crash(crash);
                let operation = &log.log()[number as usize];
                // A complete level is in the list and is not made again.
                if open(&storage, 1).unwrap().has("level-1") {
                    continue;
                }
                let level = run(&storage, drops, u64::MAX).level;
                assert_eq!(level.unwrap_or_else(|e| panic!("{number}, {operation}, {crash:?}: {e}")), whole);
            }
        }
    }
}

#[test]
fn a_filter_whose_part_was_removed_begins_anew() {
    let whole = undisturbed(DROPS[0]);
    let storage = interrupted(whole.filtered - 10);
    let names = parts(&storage);
    assert!(names.len() > 1, "{names:?}");
    for name in &names {
        let copy = storage.copied();
        copy.beneath("levels", false).unwrap().remove(name.strip_prefix("levels/").unwrap()).unwrap();
        let again = run(&copy, DROPS[0], u64::MAX);
        assert_eq!(again.level.unwrap(), *whole.level.as_ref().unwrap());
        assert!(again.filtered == whole.filtered && again.expanded < STATES / 4, "the layers are still there");
    }
}

/// With the last part the layers are removed, so that the level then begins anew.
#[test]
fn a_level_whose_part_was_removed_after_its_layers_begins_anew() {
    let (storage, whole) = (Forgetful::default(), undisturbed(DROPS[0]));
    let log = Faulty::new(Forgetful::default(), Fault::None);
    run(&log, DROPS[0], u64::MAX).level.unwrap();
    let copying = log.log().iter().position(|operation| operation == "create level-1.tmp").unwrap() as u64;
    run(&Faulty::new(storage.clone(), Fault::From(copying, ErrorKind::Other)), DROPS[0], u64::MAX).level.unwrap_err();
    assert!(!storage.files().iter().any(|name| name.contains(".layer-")));
    let copied = run(&storage.copied(), DROPS[0], u64::MAX);
    assert_eq!((copied.level.as_ref().unwrap(), copied.filtered), (whole.level.as_ref().unwrap(), 0));
    let part = parts(&storage).pop().unwrap();
    storage.beneath("levels", false).unwrap().remove(part.strip_prefix("levels/").unwrap()).unwrap();
    let again = run(&storage, DROPS[0], u64::MAX);
    assert_eq!((again.level.unwrap(), again.expanded), (whole.level.unwrap(), whole.expanded));
}

#[test]
fn a_damaged_part_is_found() {
    let storage = interrupted(undisturbed(DROPS[0]).filtered - 10);
    for name in parts(&storage) {
        for at in (0..).step_by(997) {
            let (copy, mut length) = (storage.copied(), 0);
            copy.tamper(&name, |bytes| {
                length = bytes.len();
                if at < length {
                    bytes[at] ^= 1 << (at % 8);
                }
            })
            .unwrap();
            if at >= length {
                break;
            }
            match run(&copy, DROPS[0], u64::MAX).level {
                Err(Stopped::Store(StoreError::Damaged { file, .. })) => assert!(file.ends_with(&name)),
                other => panic!("{name}, byte {at}: {other:?}"),
            }
        }
    }
}

/// Whoever forges the list forges its checksum, too. It must not contradict itself or the files.
#[test]
fn a_list_that_says_what_is_not_so_of_a_part_is_refused() {
    let whole = undisturbed(DROPS[0]);
    let storage = interrupted(whole.filtered - 10);
    let (first, second) = ("level-1.part-0000", "level-1.part-0001");
    let mut list = serde_json::Value::Null;
    assert_eq!(forged(&storage, |found| list = found.clone()).unwrap(), *whole.level.as_ref().unwrap());
    let figures = |label: &str| list["files"][label]["figures"].clone();
    let with = |label: &str, key: &str, value: serde_json::Value| {
        forged(&storage, |list| list["files"][label]["figures"][key] = value).is_ok()
    };
    for key in ["states", "unique", "old", "dropped"] {
        let stated = figures(first)[key].as_u64().unwrap();
        for value in [stated + 1, u64::MAX, 0] {
            assert_eq!(with(first, key, value.into()), value == stated, "{key}: {value}");
        }
    }
    assert!(!with(first, "digest", figures(second)["digest"].clone()));
    assert!(!with(first, "measure_max", 5.into()));
    // The end of another part: states lie outside.
    for (label, other) in [(first, second), (second, first)] {
        assert!(!with(label, "next_bucket", figures(other)["next_bucket"].clone()), "{label}");
    }
    let with_partial =
        |forge: &dyn Fn(&mut serde_json::Value)| forged(&storage, |list| forge(&mut list["partial"])).is_ok();
    assert!(!with_partial(&|partial| partial["parts"].as_array_mut().unwrap().reverse()));
    assert!(!with_partial(&|partial| partial["layers"] = serde_json::json!([])));
    let parts = |partial: &mut serde_json::Value, labels: &[&str]| partial["parts"] = serde_json::json!(labels);
    for labels in
        [&[first, second, "level-1.part-0009"][..], &[second], &[first, first], &["level-1.layer-0000", second]]
    {
        assert!(!with_partial(&|partial| parts(partial, labels)), "{labels:?}");
    }
    assert!(!with_partial(&|partial| partial["layers"] = serde_json::json!([second])));
    for mark in [0, 1] {
        assert!(!with_partial(&|partial| partial["next_block"] = mark.into()), "its successors are not all made");
    }
    assert!(
        !with_partial(&|partial| partial["emitted"] = figures(first)["unique"].clone()),
        "fewer than the parts have"
    );
}

/// A part without states has no keys that could lie outside its buckets.
#[test]
fn a_part_without_states_is_taken_up_and_does_not_lead_back() {
    let drops: fn(u64) -> bool = |key| key.bucket() < (ORIGIN + ((STATES / 2) << 10)).bucket();
    let (storage, whole) = (Forgetful::default(), undisturbed(drops));
    assert!(matches!(run(&storage, drops, whole.filtered - 10).level, Err(Stopped::Interrupted)));
    let (mut labels, mut states) = (Vec::new(), Vec::new());
    let copy = storage.copied();
    forge(&copy, |list| {
        labels = list["partial"]["parts"].as_array().unwrap().clone();
        states = labels.iter().map(|l| list["files"][l.as_str().unwrap()]["figures"]["states"].clone()).collect();
    });
    assert!(states.len() > 2 && states[0] == 0 && states[states.len() - 1] != 0, "{states:?}");
    assert_eq!(run(&copy, drops, u64::MAX).level.unwrap(), whole.level.unwrap());
    let copy = storage.copied();
    forge(&copy, |list| list["files"][labels[1].as_str().unwrap()]["figures"]["next_bucket"] = 0.into());
    assert!(matches!(run(&copy, drops, u64::MAX).level, Err(Stopped::Store(StoreError::Damaged { .. }))));
}

/// How a process works, and what becomes of it.
struct Conditions {
    threads: usize,
    memory: Option<u64>,
    interval: Duration,
    disk: Option<u64>,
    calls: u64,
    fault: Fault,
}

impl Conditions {
    fn drawn(draws: &mut Draws, calls: u64) -> Self {
        let mut draw = |of: u64| draws.draw() % of;
        Self {
            threads: 1 + draw(2) as usize,
            memory: [None, Some(1)][draw(2) as usize],
            interval: [Duration::ZERO, Duration::from_micros(500), Duration::MAX][draw(3) as usize],
            disk: (draw(2) == 0).then(|| draw(200_000)),
            calls: if draw(3) == 0 { u64::MAX } else { 1 + draw(calls) },
            fault: if draw(3) == 0 { Fault::From(draw(120), ErrorKind::Other) } else { Fault::None },
        }
    }
}

/// Draws a history of interruptions, crashes and full disks; the last process is left in peace.
#[test]
fn after_any_history_the_level_is_the_same() {
    for drops in DROPS {
        let Outcome { level, filtered, .. } = undisturbed(drops);
        let (whole, mut full, mut stopped) = (level.unwrap(), 0, 0);
        for seed in 0..40 {
            let (mut draws, storage) = (Draws::new(seed), Forgetful::default());
            for _ in 0..8 {
                let Conditions { threads, memory, interval, disk, calls, fault } =
                    Conditions::drawn(&mut draws, filtered);
                let mut expander = Expander::new(threads, memory).unwrap();
                expander.small_parts = true;
                let options = WorkspaceOptions { interval, disk: Disk::new(disk), ..WorkspaceOptions::default() };
                let crashes = !matches!(fault, Fault::None);
                match run_by(&expander, options, &Faulty::new(storage.clone(), fault), drops, calls).level {
                    Ok(level) => assert_eq!(level, whole, "{seed}"),
                    Err(Stopped::Store(StoreError::Full { .. })) => full += 1,
                    Err(Stopped::Interrupted) => stopped += 1,
                    Err(other) => assert!(crashes, "{seed}: {other:?}"),
                }
                if crashes {
                    storage.crash(Crash::LosesSome(draws.draw()));
                }
                if open(&storage, 1).unwrap().has("level-1") {
                    break;
                }
            }
            if !open(&storage, 1).unwrap().has("level-1") {
                assert_eq!(run(&storage, drops, u64::MAX).level.unwrap(), whole, "{seed}");
            }
            assert_eq!(storage.files().iter().filter(|name| name.ends_with(".level")).count(), 1, "{seed}");
        }
        assert!(full > 10 && stopped > 10, "{full} full, {stopped} stopped");
    }
}
