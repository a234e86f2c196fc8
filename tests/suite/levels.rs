//! Level sets without pruning: published sizes, and the same levels however they are computed.

use std::sync::Arc;

use crate::program;
use halma_engine::puzzle::check_contract;
use halma_engine::search::digest::mix;
use halma_engine::search::{CancellationToken, Expander, LevelDestination, Tally};
use halma_puzzles::transfer::{ProblemTables, TransferPuzzle};
use halma_rules::army;
use halma_rules::board::Board;
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::problem::{self, Transfer};

fn problem(board: &str, rule: Rule, army: &str) -> Transfer {
    let lattice = Lattice::new(Board::named(board).unwrap(), rule);
    let start = army::named(army, &lattice.board).unwrap().unwrap();
    let target = problem::mirrored(&lattice, &start).unwrap();
    Transfer { lattice, start, target, jumps_only: false }
}

/// The ground of `problem` on 9x9 whose states are classes under the first `order` members of K.
fn tables(problem: &Transfer, order: usize) -> Arc<ProblemTables<2, u64>> {
    let centroid = (0..problem.lattice.len()).map(|c| problem.lattice.board.xy(c)).map(|(x, y)| x + y - 8).collect();
    Arc::new(ProblemTables::new(problem, &problem.symmetries().fixing[..order], centroid).unwrap())
}

fn levels(problem: &Transfer, depth: u32, threads: usize) -> Vec<Tally> {
    let tables = tables(problem, problem.symmetries().fixing.len());
    let puzzle = TransferPuzzle::new(&tables, &problem.start, vec![]);
    check_contract(&puzzle, 3).unwrap();
    let expander = Expander::new(threads, None).unwrap();
    let cancel = CancellationToken::after(None);
    let first = expander.level_of(&puzzle, halma_engine::puzzle::Puzzle::start(&puzzle));
    let (mut levels, mut tallies) = (vec![first.level], vec![first.tally]);
    for d in 0..depth as usize {
        let earlier: Vec<_> = levels[..d].iter().rev().take(1).collect();
        let next = expander.expand(&puzzle, d as u32, &levels[d], &earlier, LevelDestination::MEMORY, &cancel).unwrap();
        let t = &next.tally;
        assert_eq!(t.generated, t.pruned + t.duplicates + t.old + t.states);
        tallies.push(next.tally);
        levels.push(next.level);
    }
    tallies
}

#[test]
fn problem_2_has_the_published_level_sizes() {
    let tallies = levels(&problem("9x9", Rule::Six, "triangle-4"), 7, 2);
    let sizes: Vec<u64> = tallies.iter().map(|t| t.states).collect();
    assert_eq!(sizes, [1, 7, 85, 749, 5699, 37114, 210_835, 1_054_311]);
    assert_eq!(tallies[0].measure_max, Some(-60));
}

#[test]
fn levels_do_not_depend_on_the_number_of_threads() {
    let problem = problem("9x9", Rule::Eight, "square-3");
    assert_eq!(levels(&problem, 5, 1), levels(&problem, 5, 3));
}

#[test]
fn levels_without_k_reduce_to_those_with_it() {
    for (rule, army) in [(Rule::Six, "triangle-4"), (Rule::Eight, "square-3")] {
        let problem = problem("9x9", rule, army);
        let (plain, classes) = (tables(&problem, 1), tables(&problem, 2));
        let puzzle = TransferPuzzle::new(&plain, &problem.start, vec![]);
        let (expander, cancel) = (Expander::new(2, None).unwrap(), CancellationToken::after(None));
        let mut level = expander.level_of(&puzzle, halma_engine::puzzle::Puzzle::start(&puzzle)).level;
        let mut before = halma_engine::store::Level::default();
        for (depth, expected) in (0..).zip(levels(&problem, 5, 2)) {
            let reduced = level.to_vec().unwrap().into_iter().map(|key| classes.canonical(plain.army(key))).collect();
            let reduced = halma_engine::store::Level::of(reduced);
            let digest = reduced.to_vec().unwrap().into_iter().fold(0u128, |sum, key| sum.wrapping_add(mix(key)));
            assert_eq!((reduced.len(), digest), (expected.states, expected.digest), "{army}, level {depth}");
            assert!(depth == 0 || level.len() > reduced.len(), "K does something on level {depth}");
            let next =
                expander.expand(&puzzle, depth, &level, &[&before], LevelDestination::MEMORY, &cancel).unwrap().level;
            before = std::mem::replace(&mut level, next);
        }
    }
}

/// The states of levels 6 and 7 are expanded together; a stop completes the batches that are under way.
#[test]
fn levels_that_are_stopped_again_and_again_are_the_published_ones() {
    let job = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-4\"\n";
    let folder = program::job_folder(job);
    let levels = ["levels", "job.toml", "--depth", "7", "-q", "--json", "--time", "200ms", "--output-dir", "run"];
    let mut ended = program::halma(folder.path(), &levels);
    let mut stops = 0;
    while ended.0 == 3 {
        stops += 1;
        assert!(stops < 200, "{}", ended.2);
        ended = program::halma(folder.path(), &["resume", "run", "-q", "--json", "--time", "200ms"]);
    }
    assert_eq!(ended.0, 0, "{}", ended.2);
    let record: serde_json::Value = serde_json::from_str(&ended.1).expect("a record");
    let last = record["runs"][0]["levels"].as_array().expect("levels").last().expect("a level").clone();
    let figures = ["states", "generated", "duplicates", "old"].map(|name| last[name].as_u64());
    assert_eq!(figures, [1_054_311, 9_566_978, 8_264_722, 247_945].map(Some), "{stops} stops: {last}");
}
