//! Storage that refuses, and storage that is full.

use std::io::ErrorKind;

use super::*;
use crate::store::storage::faulty::INJECTED;

#[test]
fn an_error_at_any_operation_stops_the_search_which_then_goes_on_to_the_same_levels() {
    let (expander, expected) = (expander(), expected());
    let log = operations(&expander);
    for (number, operation) in log.iter().enumerate() {
        let storage = Forgetful::default();
        let failing = Faulty::new(storage.clone(), Fault::At(number as u64, ErrorKind::PermissionDenied));
        match search(&failing, &expander) {
            Err(Stopped::Store(StoreError::Io { source, .. })) => assert_eq!(source.to_string(), INJECTED),
            Err(other) => panic!("{number}, {operation}: {other:?}"),
            Ok(levels) => {
                assert!(is_idle(&log, number), "{number}, {operation} failed unnoticed");
                assert_eq!(levels, expected);
            }
        }
        let temporary = storage.files().into_iter().filter(|name| name.ends_with(".tmp"));
        assert_eq!(temporary.collect::<Vec<_>>(), [""; 0], "{number}, {operation}: what is of no use keeps no room");
        assert_eq!(search(&storage, &expander).unwrap(), expected, "{number}, {operation}");
    }
}

#[test]
fn a_disk_that_is_full_at_any_write_stops_the_search_which_goes_on_when_there_is_room() {
    let (expander, expected) = (expander(), expected());
    let measured = Faulty::new(Forgetful::default(), Fault::None);
    search(&measured, &expander).unwrap();
    let all = measured.written();
    let every = (all / 1000) as usize;
    let mut stopped = 0;
    for room in (0..all - every as u64).step_by(every) {
        let storage = Forgetful::default();
        let full = Faulty::new(storage.clone(), Fault::Full(room));
        match search(&full, &expander) {
            Err(Stopped::Store(StoreError::Full { reason, .. })) => {
                assert_eq!(reason, "injected; 0 B are free");
                stopped += 1;
            }
            // The list has times in it, of more digits or fewer: a run may take a little less room than the one measured.
            Ok(levels) if !full.refused() => assert_eq!(levels, expected, "{room}"),
            other => panic!("{room}: {other:?}"),
        }
        assert_eq!(search(&storage, &expander).unwrap(), expected, "{room}");
    }
    assert!(stopped > 900, "{stopped}");
    for (number, _) in (0..).zip(operations(&expander)).filter(|(_, operation)| operation.starts_with("write")) {
        let storage = Forgetful::default();
        let full = Faulty::new(storage.clone(), Fault::At(number, ErrorKind::StorageFull));
        assert!(matches!(search(&full, &expander), Err(Stopped::Store(StoreError::Full { .. }))), "{number}");
        assert_eq!(search(&storage, &expander).unwrap(), expected, "{number}");
    }
}

#[test]
fn writes_that_take_a_part_only_change_nothing() {
    for most in [1, 7, 4096] {
        assert_eq!(search(&Faulty::new(Forgetful::default(), Fault::Short(most)), &expander()).unwrap(), expected());
    }
}

#[test]
fn a_search_that_no_run_is_made_of_fails_with_its_scratch_files_or_finds_the_same_levels() {
    let (expander, expected, cancel) = (within(Some(1)), expected(), CancellationToken::after(None));
    let levels = |storage: &Faulty| -> Result<Vec<Tally>, Stopped> {
        let workspace = open(storage, 1)?;
        let (mut before, mut level, mut tallies) = (Level::default(), start(), Vec::new());
        for depth in 0..DEPTH {
            let label = format!("scratch-{depth}");
            let destination = LevelDestination { folder: LevelFolder::Scratch(&workspace), label: &label, watch: None };
            let grown = expander.expand(&Lattices, depth as u32, &level, &[&before], destination, &cancel)?;
            tallies.push(grown.tally);
            before = std::mem::replace(&mut level, grown.level);
        }
        Ok(tallies)
    };
    let whole = Faulty::new(Forgetful::default(), Fault::None);
    assert_eq!(levels(&whole).unwrap(), expected);
    for number in 0..whole.log().len() {
        let fault = Fault::At(number as u64, ErrorKind::PermissionDenied);
        let found = levels(&Faulty::new(Forgetful::default(), fault));
        match found {
            Err(Stopped::Store(StoreError::Io { source, .. })) => assert_eq!(source.to_string(), INJECTED),
            Ok(levels) if is_idle(&whole.log(), number) => assert_eq!(levels, expected),
            other => panic!("{number}: {other:?}"),
        }
    }
}

/// A list that is too long to be read again is not written: what the run has so far stays, and can be gone on with.
#[test]
fn a_list_is_never_longer_than_what_is_read() {
    let storage = Forgetful::default();
    let workspace = open(&storage, 1).unwrap();
    workspace.begin().unwrap();
    let answer = |bytes: usize| vec![serde_json::Value::String("x".repeat(bytes))];
    workspace.answer(answer(1000), |_| false).unwrap();
    let Err(StoreError::Full { reason, .. }) = workspace.answer(answer(1 << 18), |_| false) else { panic!("it fits") };
    assert!(reason.contains("and the most is 256.0 KiB"), "{reason}");
    drop(workspace);
    assert_eq!(open(&storage, 1).unwrap().answers(), answer(1000));
}
