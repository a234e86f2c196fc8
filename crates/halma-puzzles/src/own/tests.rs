use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, Expander, LevelDestination};
use halma_record::job::PuzzleSpec;
use halma_rules::puzzle::{Compiled, compile};

use super::*;

fn model_of(kind: &str, table: serde_json::Value) -> AnyModel {
    let serde_json::Value::Object(table) = table else { panic!("a table") };
    let spec = PuzzleSpec { kind: kind.into(), title: None, table };
    match compile(&spec).unwrap().unwrap() {
        Compiled::Ground(ground) => ground::model(&ground, true).unwrap(),
        _ => panic!("a board"),
    }
}

fn small(model: AnyModel) -> Box<dyn Model<u64>> {
    match model {
        AnyModel::Small(model) => model,
        _ => panic!("small keys"),
    }
}

/// Level sizes up to `most`, compared with all earlier levels.
fn sizes<K: Key>(model: &dyn Model<K>, most: usize) -> Vec<u64> {
    let (expander, stop) = (Expander::new(2, None).unwrap(), CancellationToken::after(None));
    let puzzle = Searched::forward(model);
    let mut levels = vec![expander.level_of(&puzzle, puzzle.starts.clone()).level];
    while levels.len() <= most {
        let (last, earlier) = levels.split_last().unwrap();
        let earlier: Vec<_> = match model.repeats() {
            Repeats::All => earlier.iter().collect(),
            Repeats::Previous => earlier.iter().rev().take(1).collect(),
            Repeats::Never => Vec::new(),
        };
        let depth = levels.len() as u32 - 1;
        let next = expander.expand(&puzzle, depth, last, &earlier, LevelDestination::MEMORY, &stop).unwrap();
        if next.tally.states == 0 {
            break;
        }
        levels.push(next.level);
    }
    levels.iter().map(|level| level.len()).collect()
}

const CROSS: &str = "##PPP##\n##PPP##\nPPPPPPP\nPPP.PPP\nPPPPPPP\n##PPP##\n##PPP##\n";

#[test]
fn peg_solitaire_has_its_published_level_sizes() {
    let model = small(model_of("rules", serde_json::json!({ "board": CROSS, "rules": ["P P . -> . . P"] })));
    assert_eq!((model.repeats(), model.order()), (Repeats::Never, 8));
    assert_eq!(sizes(&*model, 9), [1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312]);
}

#[test]
fn the_8_puzzle_has_its_published_level_sizes() {
    let table = serde_json::json!({ "board": ".12\n345\n678\n", "rules": ["* . -> . *"] });
    let model = small(model_of("rules", table));
    // The mirror of the square would exchange tiles.
    assert_eq!((model.repeats(), model.order()), (Repeats::Previous, 1));
    let found = sizes(&*model, 40);
    assert_eq!(found[..9], [1, 2, 4, 8, 16, 20, 39, 62, 116]);
    assert_eq!((found.len(), found.iter().sum::<u64>(), &found[30..]), (32, 181_440, &[221, 2][..]));
}

#[test]
fn several_tiles_at_once_take_24_moves_at_most() {
    let table = serde_json::json!({ "board": ".12\n345\n678\n", "rules": [". * -> * ."], "until": "any" });
    let model = small(model_of("rules", table));
    assert_eq!(model.repeats(), Repeats::Previous);
    let found = sizes(&*model, 40);
    assert_eq!((found.len(), found.iter().sum::<u64>()), (25, 181_440));
}

#[test]
fn every_number_is_that_of_the_state_that_it_reads_back_as() {
    let boards = [
        serde_json::json!({ "board": ".12\n345\n678\n", "rules": ["* . -> . *"] }),
        serde_json::json!({ "board": "AAB\n.B.\n..C\n", "rules": ["* . -> . *"] }),
        serde_json::json!({ "board": "AB\nBA\n", "rules": ["A B -> B A", "B A -> A B"] }),
        serde_json::json!({ "board": "PPP\n.PP\n", "rules": ["P P . -> . . P"] }),
    ];
    for table in boards {
        let model = small(model_of("rules", table.clone()));
        let (mut worker, start) = (model.worker(), model.starts()[0]);
        assert!(worker.is_state(start), "{table}");
        let mut after = Vec::new();
        worker.after(start, &mut after);
        assert!(!after.is_empty() && after.iter().all(|&state| worker.is_state(state)), "{table}");
        for state in after {
            let mut back = Vec::new();
            worker.before(state, &mut back);
            assert!(back.contains(&start), "{table}: {}", model.picture(state));
        }
    }
}
