//! Processes that die, and power that fails.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use super::*;
use crate::store::storage::forgetful::Crash;

/// Searches until operation `number` fails with all that follow, as it does for a process that dies there.
fn die_at(storage: &Forgetful, number: u64, expander: &Expander) {
    let died = search(&Faulty::new(storage.clone(), Fault::From(number, ErrorKind::Other)), expander);
    match died {
        Ok(levels) => assert_eq!(levels, expected()),
        Err(stopped) => assert!(stopped.to_string().contains("injected"), "{number}: {stopped}"),
    }
}

#[test]
fn after_a_crash_at_any_operation_a_run_goes_on_to_the_same_levels() {
    let (expander, expected) = (expander(), expected());
    for (number, operation) in (0..).zip(operations(&expander)) {
        for crash in [Crash::LosesAll, Crash::LosesNothing, Crash::LosesSome(number), Crash::LosesSome(!number)] {
            let storage = Forgetful::default();
            die_at(&storage, number, &expander);
            storage.crash(crash);
            let went_on = search(&storage, &expander);
            assert_eq!(went_on.unwrap_or_else(|e| panic!("{number}, {operation}, {crash:?}: {e}")), expected);
            assert_eq!(storage.files(), [""; 0], "{number}, {operation}, {crash:?}");
        }
    }
}

#[test]
fn a_run_that_crashes_again_and_again_goes_on_to_the_same_levels() {
    let (expander, expected) = (expander(), expected());
    let operations = operations(&expander).len() as u64;
    for round in 0..100 {
        let storage = Forgetful::default();
        for time in 0..5 {
            die_at(&storage, (round * 31 + time * 47) % operations, &expander);
            storage.crash(Crash::LosesSome(round * 5 + time));
        }
        assert_eq!(search(&storage, &expander).unwrap(), expected, "{round}");
    }
}

#[test]
fn a_crash_loses_no_level_that_is_in_the_list() {
    let (storage, expander) = (Forgetful::default(), expander());
    let at = operations(&expander).iter().position(|o| o == "create level-4.layer-0000.tmp").unwrap();
    die_at(&storage, at as u64, &expander);
    storage.crash(Crash::LosesAll);
    let labels: Vec<String> = open(&storage, 1).unwrap().levels().into_keys().collect();
    assert_eq!(labels, ["level-1", "level-2", "level-3"]);
}

/// A level may be put together again from the shares of several processes, and then its keys lie in other blocks.
#[test]
fn a_checkpoint_is_dropped_where_the_level_before_lies_in_other_blocks_since() {
    let (storage, expander, cancel) = (Forgetful::default(), expander(), CancellationToken::after(None));
    let at = operations(&expander).iter().position(|o| o == "create level-1.layer-0001.tmp").unwrap();
    die_at(&storage, at as u64, &expander);
    let workspace = open(&storage, 1).unwrap();
    assert!(workspace.partial("level-1").is_some_and(|partial| partial.mark.next_block > 0));
    let level = Level::of(Lattices.start());
    assert!(level.blocks() < start().blocks());
    let destination = LevelDestination::run(&workspace, "level-1");
    let grown = expander.expand(&Lattices, 0, &level, &[], destination, &cancel).unwrap();
    assert_eq!(grown.tally, expected()[0]);
}

/// A program that divides levels otherwise may have made the layers.
#[test]
fn a_checkpoint_is_dropped_where_its_layers_lie_across_the_shards_of_today() {
    let cancel = CancellationToken::after(None);
    let (fine, mut coarse) = (expander(), expander());
    coarse.small_parts = false;
    let mut levels = vec![BTreeSet::from_iter(Lattices.start())];
    while levels.len() <= 3 {
        let mut next = BTreeSet::new();
        levels[levels.len() - 1]
            .iter()
            .for_each(|&key| _ = Lattices.successors(&mut (), key, 0, &mut |k| _ = next.insert(k)));
        levels.push(
            next.into_iter().filter(|key| levels.iter().rev().take(2).all(|level| !level.contains(key))).collect(),
        );
    }
    let [before, current] = [2, 3].map(|depth| in_blocks(&levels[depth].iter().copied().collect::<Vec<_>>()));
    let shards = |expander: &Expander| expander.choose_shards(&Lattices, 3, &current).unwrap().count();
    assert!(shards(&fine) > shards(&coarse));
    let step = |workspace: &Workspace, expander: &Expander| {
        let destination = LevelDestination::run(workspace, "level-4");
        expander.expand(&Lattices, 3, &current, &[&before], destination, &cancel).map(|grown| grown.tally)
    };
    let begun = |storage: &Faulty| {
        let workspace = open(storage, 1)?;
        workspace.begin()?;
        step(&workspace, &coarse)
    };
    let undisturbed = Faulty::new(Forgetful::default(), Fault::None);
    assert_eq!(begun(&undisturbed).unwrap(), expected()[3]);
    let at = undisturbed.log().iter().rposition(|o| o.starts_with("create level-4.layer-")).unwrap();
    let storage = Forgetful::default();
    begun(&Faulty::new(storage.clone(), Fault::From(at as u64, ErrorKind::Other))).unwrap_err();
    let workspace = open(&storage, 1).unwrap();
    assert!(workspace.partial("level-4").is_some_and(|partial| partial.mark.next_block > 0));
    assert_eq!(step(&workspace, &fine).unwrap(), expected()[3]);
}
