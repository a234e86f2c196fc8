//! Checkpoints of several processes: each has a mark for every round after which all saved, matched by number.

use std::sync::Arc;

use super::{Lattices, expander, expected, in_blocks, open, start};
use halma_files::number::Digest;

use crate::puzzle::Puzzle;
use crate::search::exchange::mesh::mesh;
use crate::search::{CancellationToken, LevelDestination};
use crate::store::Level;
use crate::store::storage::forgetful::Forgetful;
use crate::store::workspace::{ManifestEntry, Mark, Partial};

/// Process 0 has saved two marks, process 1 one. They go on from the first. Process 1 may then save another second mark,
/// and process 0 be killed before it does: the one that it had must be gone by then.
#[test]
fn a_mark_that_another_process_does_not_have_is_gone_before_the_next_round() {
    let storages = [Forgetful::default(), Forgetful::default()];
    let marks = |storage: &Forgetful| open(storage, 1).unwrap().partial("level-1").unwrap().marks.len();
    for (storage, held) in storages.iter().zip([2, 1]) {
        let workspace = open(storage, 1).unwrap();
        let mark = |next_block| Mark { next_block, generated: 0, emitted: 0 };
        let partial = Partial {
            label: "level-1".into(),
            mark: mark(held),
            expanded: Some(Digest(start().fingerprint())),
            marks: (1..=held).map(mark).collect(),
            ..Partial::default()
        };
        workspace.enter_partial(partial, Vec::new()).unwrap();
        assert_eq!(workspace.partial("level-1").unwrap().marks.len(), held);
    }
    std::thread::scope(|scope| {
        for (storage, mut mesh) in storages.iter().zip(mesh(2)) {
            // They agree on marks in round 0, and lose each other in the next.
            mesh.dies_in = 1;
            scope.spawn(move || {
                let (workspace, expander) = (open(storage, 1).unwrap(), expander().sharing(Arc::new(Arc::new(mesh))));
                let (cancel, level) = (CancellationToken::after(None), start());
                let destination = LevelDestination::run(&workspace, "level-1");
                assert!(expander.expand(&Lattices, 0, &level, &[], destination, &cancel).is_err());
            });
        }
    });
    assert_eq!(storages.each_ref().map(marks), [1, 1]);
}

/// The share of one of two processes was made in other blocks since it had a mark. All begin the level anew.
#[test]
fn where_one_process_s_mark_counts_other_blocks_all_begin_anew() {
    let storages = [Forgetful::default(), Forgetful::default()];
    let share = expander().level_of(&Lattices, Lattices.start()).level;
    for (storage, expanded) in storages.iter().zip([Some(Digest(share.fingerprint())), Some(Digest(1))]) {
        let mark = Mark { next_block: 1000, generated: 0, emitted: 0 };
        let partial = Partial { label: "level-1".into(), mark, expanded, marks: vec![mark], ..Partial::default() };
        open(storage, 1).unwrap().enter_partial(partial, Vec::new()).unwrap();
    }
    std::thread::scope(|scope| {
        for (storage, mesh) in storages.iter().zip(mesh(2)) {
            scope.spawn(move || {
                let (workspace, expander) = (open(storage, 1).unwrap(), expander().sharing(Arc::new(Arc::new(mesh))));
                let cancel = CancellationToken::after(None);
                let destination = LevelDestination::run(&workspace, "level-1");
                let share = expander.level_of(&Lattices, Lattices.start()).level;
                let grown = expander.expand(&Lattices, 0, &share, &[], destination, &cancel).unwrap();
                assert_eq!(grown.tally, expected()[0]);
            });
        }
    });
}

/// One of two processes has a layer that was made in other ranges of states than are agreed on now.
#[test]
fn where_a_layer_of_one_process_reaches_over_two_ranges_all_begin_anew() {
    let storages = [Forgetful::default(), Forgetful::default()];
    std::thread::scope(|scope| {
        for (process, (storage, mesh)) in storages.iter().zip(mesh(2)).enumerate() {
            scope.spawn(move || {
                let (workspace, expander) = (open(storage, 1).unwrap(), expander().sharing(Arc::new(Arc::new(mesh))));
                let cancel = CancellationToken::after(None);
                let mut share = expander.level_of(&Lattices, Lattices.start()).level;
                let mut before = Level::default();
                for depth in 0..4 {
                    let label = format!("level-{}", depth + 1);
                    if depth == 3 && process == 1 {
                        let starts = Lattices.start();
                        let layer = format!("{label}.layer-0000");
                        let whole = in_blocks(&[starts[0], starts[starts.len() - 1]]);
                        workspace.write(&layer, &whole, 1).unwrap();
                        let saved = ManifestEntry { keys: 2, digest: Digest(1), figures: serde_json::Value::Null };
                        let mark = Mark { next_block: 1, generated: 2, emitted: 2 };
                        let (label, expanded) = (label.clone(), Some(Digest(share.fingerprint())));
                        let (layers, marks) = (vec![layer.clone()], vec![mark]);
                        let partial = Partial { label, mark, expanded, layers, marks, ..Partial::default() };
                        workspace.enter_partial(partial, vec![(layer, saved)]).unwrap();
                    }
                    let destination = LevelDestination::run(&workspace, &label);
                    let grown = expander.expand(&Lattices, depth, &share, &[&before], destination, &cancel).unwrap();
                    assert_eq!(grown.tally, expected()[depth as usize]);
                    before = std::mem::replace(&mut share, grown.level);
                }
                assert!(workspace.partial("level-4").is_none());
            });
        }
    });
}
