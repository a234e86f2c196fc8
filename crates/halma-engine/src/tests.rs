//! Searches on storage that crashes, fails, is full or damaged: at every operation, the outcome is the one of an undisturbed
//! search, or a clear error.

mod crashes;
mod damage;
mod failures;
mod filters;
mod leaders;
mod marks;
mod parts;

use std::path::Path;
use std::time::Duration;

use crate::puzzle::Puzzle;
use crate::search::{
    CancellationToken, Expander, LevelDestination, LevelFolder, Stopped, Tally, digest, manifest_entry,
    read_manifest_entry,
};
use crate::store::storage::Storage;
use crate::store::storage::faulty::{Fault, Faulty};
use crate::store::storage::forgetful::Forgetful;
use crate::store::workspace::{ManifestEntry, Mark, Partial, Workspace, WorkspaceOptions};
use crate::store::{Level, SegmentWriter, StoreError};

/// A token in each of so many copies of the cubic lattice: it moves by one.
struct Lattices;

const COPIES: u64 = 32;
const ORIGIN: u64 = 0x80_80_80;
const DEPTH: usize = 4;

impl Puzzle for Lattices {
    type Key = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u64> {
        (0..COPIES).map(|copy| copy << 24 | ORIGIN).collect()
    }

    fn successors(&self, (): &mut (), key: u64, _: u32, emit: &mut impl FnMut(u64)) -> u64 {
        let moves = [1, 1 << 8, 1 << 16].map(|step| [key + step, key - step]);
        moves.as_flattened().iter().map(|&key| emit(key)).count() as u64
    }

    fn is_state(&self, (): &mut (), key: u64) -> bool {
        key >> 24 < COPIES
    }
}

/// Points at distance n from the origin of the cubic lattice (<https://oeis.org/A005899>), in all copies.
fn published(depth: usize) -> u64 {
    COPIES * if depth == 0 { 1 } else { 4 * (depth as u64).pow(2) + 2 }
}

/// The start in blocks of a few keys, so that its expansion can be interrupted between them.
fn start() -> Level<u64> {
    in_blocks(&Lattices.start())
}

fn in_blocks(keys: &[u64]) -> Level<u64> {
    let segment = |keys: &[u64]| {
        let mut writer = SegmentWriter::default();
        keys.iter().for_each(|&key| writer.push(key));
        writer.finish()
    };
    keys.chunks(4).map(segment).collect()
}

/// Makes small pieces, and saves each, because that is always due.
fn expander() -> Expander {
    within(None)
}

/// The same with a budget of memory: with one that is too small for anything, pieces go to disk because they must.
fn within(memory: Option<u64>) -> Expander {
    let mut expander = Expander::new(1, memory).unwrap();
    expander.piece = Some(40);
    expander
}

/// The run's folder on that storage.
fn open(storage: &(impl Storage + Clone + 'static), run: u32) -> Result<Workspace, StoreError> {
    open_keeping(storage, run, false)
}

/// The same, with level files that are kept or not.
fn open_keeping(storage: &(impl Storage + Clone + 'static), run: u32, keep: bool) -> Result<Workspace, StoreError> {
    let (run, terms) = (serde_json::json!({ "run": run }), serde_json::json!(null));
    let make = || Ok(Box::new(storage.clone()) as Box<dyn Storage>);
    Workspace::open_on(make, Path::new("memory"), run, WorkspaceOptions { terms, keep, ..WorkspaceOptions::default() })
}

/// The levels of the lattices as a run makes them that has a folder, and takes up what it finds there.
fn search(storage: &(impl Storage + Clone + 'static), expander: &Expander) -> Result<Vec<Tally>, Stopped> {
    search_of(1, storage, expander)
}

fn search_of(run: u32, storage: &(impl Storage + Clone + 'static), expander: &Expander) -> Result<Vec<Tally>, Stopped> {
    let workspace = open(storage, run)?;
    let mut tallies = Vec::new();
    for answer in workspace.answers() {
        tallies.push(read_manifest_entry(&serde_json::from_value::<ManifestEntry>(answer).unwrap()).unwrap().0);
    }
    if tallies.is_empty() {
        workspace.begin()?;
        // In the expander's own thread, which saves the many ways there and back.
        tallies = expander.install(|| levels(&workspace, expander))?;
        let answers = tallies.iter().map(|tally| serde_json::to_value(manifest_entry(tally)).unwrap()).collect();
        workspace.answer(answers, |label| label.starts_with("level-"))?;
    }
    workspace.close()?;
    Ok(tallies)
}

fn levels(workspace: &Workspace, expander: &Expander) -> Result<Vec<Tally>, Stopped> {
    let cancel = CancellationToken::after(None);
    let (mut before, mut level, mut tallies) = (Level::default(), start(), Vec::new());
    for depth in 0..DEPTH {
        let label = format!("level-{}", depth + 1);
        let next = match workspace.load::<u64>(&label)? {
            Some((next, saved)) => {
                let (tally, digest) = read_manifest_entry(&saved).unwrap();
                expander.audit(&Lattices, &next, &tally, digest, &cancel)?;
                tallies.push(tally);
                next
            }
            None => {
                let destination = LevelDestination::run(workspace, &label);
                let grown = expander.expand(&Lattices, depth as u32, &level, &[&before], destination, &cancel)?;
                assert!(grown.level.path().is_some(), "it goes to disk");
                tallies.push(grown.tally);
                grown.level
            }
        };
        before = std::mem::replace(&mut level, next);
    }
    // A file that the run can do without.
    let figures = manifest_entry(&tallies[DEPTH - 1]);
    workspace.write("copy", &level, figures.digest.0)?;
    workspace.enter_also(vec![("copy".into(), figures)])?;
    workspace.forget(&["copy".into()])?;
    // The digest is of the states that the last level's file really holds.
    assert_eq!(digest::of(digest::KEY, &level.to_vec()?), tallies[DEPTH - 1].digest);
    Ok(tallies)
}

/// What every search has to come to: levels made in memory, of the published sizes.
fn expected() -> Vec<Tally> {
    let (expander, cancel) = (Expander::new(1, None).unwrap(), CancellationToken::after(None));
    let levels: Vec<Tally> =
        crate::search::levels(&Lattices, &expander, &cancel).map(Result::unwrap).take(DEPTH + 1).collect();
    assert!(levels.iter().enumerate().all(|(depth, tally)| tally.states == published(depth)));
    levels[1..].to_vec()
}

/// Whether nothing depends on an operation: a folder that stays where it is empty.
fn is_idle(log: &[String], number: usize) -> bool {
    log[number].starts_with("remove folder ")
}

/// The operations of an undisturbed search.
fn operations(expander: &Expander) -> Vec<String> {
    let storage = Faulty::new(Forgetful::default(), Fault::None);
    assert_eq!(search(&storage, expander).unwrap(), expected());
    storage.log()
}

#[test]
fn a_search_that_writes_every_piece_to_disk_leaves_nothing_and_has_the_published_levels() {
    for expander in [expander(), within(Some(1))] {
        let storage = Forgetful::default();
        assert_eq!(search(&storage, &expander).unwrap(), expected());
        assert_eq!(storage.files(), [""; 0]);
    }
    let log = operations(&expander());
    assert_eq!(log.len(), operations(&within(Some(1))).len());
    for part in
        ["create level-1.layer-0003.tmp", "create level-4.layer-0000.tmp", "part of level-3.level", "sync .run.json."]
    {
        assert!(log.iter().any(|operation| operation.starts_with(part)), "{part}: {log:#?}");
    }
}

/// Once a level that a resumed run made again took with it the checkpoint of the level that the run had been stopped in.
#[test]
fn the_checkpoint_of_a_level_stays_until_that_level_is_complete_or_another_one_has_a_checkpoint() {
    let storage = Forgetful::default();
    let workspace = open(&storage, 1).unwrap();
    workspace.begin().unwrap();
    let written = |label: &str| {
        workspace.write(label, &start(), 0).unwrap();
        (
            label.to_string(),
            ManifestEntry { keys: COPIES, digest: Default::default(), figures: serde_json::Value::Null },
        )
    };
    let stop_in = |label: &str| {
        let layer = format!("{label}.layer-0000");
        let partial = Partial {
            label: label.into(),
            mark: Mark { next_block: 1, generated: 6, emitted: 6 },
            layers: vec![layer.clone()],
            ..Partial::default()
        };
        workspace.enter_partial(partial, vec![written(&layer)]).unwrap();
    };
    let has = |label: &str| (workspace.partial(label).is_some(), workspace.has(&format!("{label}.layer-0000")));
    stop_in("level-9");
    workspace.enter(vec![written("level-1")]).unwrap();
    assert_eq!(has("level-9"), (true, true), "level 1 is complete");
    stop_in("level-2");
    assert_eq!((has("level-9"), has("level-2")), ((false, false), (true, true)), "level 2 has the checkpoint");
    let layers = || storage.files().iter().filter(|name| name.contains("layer")).count();
    assert_eq!(layers(), 1, "{:?}", storage.files());
    workspace.enter(vec![written("level-2")]).unwrap();
    assert_eq!((has("level-2"), layers()), ((false, false), 0), "level 2 is complete");
}

/// Once its layers stayed where levels are kept, and counted as levels.
#[test]
fn the_checkpoint_of_a_level_that_no_length_needs_any_more_goes_with_its_layers() {
    for keep in [true, false] {
        let storage = Forgetful::default();
        let workspace = open_keeping(&storage, 1, keep).unwrap();
        workspace.begin().unwrap();
        let written = |label: &str| {
            workspace.write(label, &start(), 0).unwrap();
            (
                label.to_string(),
                ManifestEntry { keys: COPIES, digest: Default::default(), figures: serde_json::Value::Null },
            )
        };
        workspace.enter(vec![written("L7-001")]).unwrap();
        let partial = Partial {
            label: "L7-002".into(),
            mark: Mark { next_block: 1, generated: 6, emitted: 6 },
            layers: vec!["L7-002.layer-0000".into()],
            ..Partial::default()
        };
        workspace.enter_partial(partial, vec![written("L7-002.layer-0000")]).unwrap();
        workspace.answer(Vec::new(), |label| label.starts_with("L7")).unwrap();
        assert!(workspace.partial("L7-002").is_none());
        let kept: &[&str] = if keep { &["L7-001"] } else { &[] };
        assert!(workspace.levels().into_keys().eq(kept.iter().copied()), "{:?}", workspace.levels());
        assert!(!storage.files().iter().any(|name| name.contains("layer")), "{:?}", storage.files());
    }
}
