//! Level sets as `scripts/referee.py` derives them from rules of its own: sizes, successors and digests agree.

use std::path::Path;
use std::sync::Arc;

use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_engine::search::{CancellationToken, Expander, LevelDestination};
use halma_engine::store::Level;
use halma_puzzles::transfer::{ProblemTables, TransferPuzzle};
use halma_rules::board::Board;
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::problem::Transfer;

/// A file of tests/levels: `# key: value` lines, then `depth states generated digest` lines.
struct Fixture {
    problem: Transfer,
    symmetry: bool,
    /// States, successors of the level, digest.
    levels: Vec<(u64, u64, u128)>,
}

fn read(path: &Path) -> Fixture {
    let text = std::fs::read_to_string(path).unwrap();
    let value = |key: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(&format!("# {key}: ")));
        line.unwrap_or_else(|| panic!("{}: no {key}", path.display()))
    };
    let drawn = value("board");
    let board = Board::named(drawn).unwrap_or_else(|| Board::from_map(&drawn.replace('/', "\n")).unwrap().0);
    let lattice = Lattice::new(board, Rule::try_from(value("moves").parse::<u8>().unwrap()).unwrap());
    let cells = |key| value(key).split(' ').map(|name| lattice.board.cell(name).unwrap()).collect::<Vec<_>>();
    let (start, target) = (cells("start"), cells("target"));
    let rows = text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split(' ').collect::<Vec<_>>());
    let levels = rows.map(|r| (r[1].parse().unwrap(), r[2].parse().unwrap(), u128::from_str_radix(r[3], 16).unwrap()));
    Fixture {
        levels: levels.collect(),
        symmetry: !value("symmetry").starts_with("off"),
        problem: Transfer { jumps_only: value("jumps-only") == "true", lattice, start, target },
    }
}

/// Compares level by level; the successors of the deepest level come from one expansion more.
fn agrees<const W: usize, K: Key>(name: &str, fixture: &Fixture, expander: &Expander) {
    let symmetries = fixture.problem.symmetries();
    let symmetries = if fixture.symmetry { symmetries } else { symmetries.without_fixing() };
    let centroid = vec![0; fixture.problem.lattice.len()];
    let tables = Arc::new(ProblemTables::<W, K>::new(&fixture.problem, &symmetries.fixing, centroid).unwrap());
    let puzzle = TransferPuzzle::new(&tables, &fixture.problem.start, vec![]);
    let cancel = CancellationToken::after(None);
    let first = expander.level_of(&puzzle, puzzle.start());
    let (mut before, mut level, mut tally) = (Level::default(), first.level, first.tally);
    for (depth, &(states, generated, digest)) in (0u32..).zip(&fixture.levels) {
        let next = expander.expand(&puzzle, depth, &level, &[&before], LevelDestination::MEMORY, &cancel).unwrap();
        let found = (tally.states, next.tally.generated, tally.digest);
        assert_eq!(found, (states, generated, digest), "{name}, level {depth}: states, successors, digest");
        (before, level, tally) = (level, next.level, next.tally);
    }
}

#[test]
fn levels_are_those_that_the_referee_derives() {
    let expander = Expander::new(2, None).unwrap();
    let mut files: Vec<_> = std::fs::read_dir("tests/levels").unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "levels"));
    assert!(files.len() >= 30, "{} files", files.len());
    for file in files {
        let fixture = read(&file);
        let name = file.display().to_string();
        match fixture.problem.lattice.len() {
            ..=128 => agrees::<2, u64>(&name, &fixture, &expander),
            _ => agrees::<4, u128>(&name, &fixture, &expander),
        }
    }
}
