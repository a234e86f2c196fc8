//! Shortest transfers on small boards as `scripts/referee.py` settles them, against every pruning that proves.

#![allow(clippy::unwrap_used, reason = "tests may panic; clippy sees only #[test] functions as tests")]

use halma::board::Board;
use halma::job::Pruning;
use halma::lattice::{Lattice, Rule};
use halma::problem::Transfer;
use halma::search::{Expander, Stop};
use halma::solve::{Answer, TransferSearch};

/// The longest shortest solution in the file, and some: up to here a search without a solution must say so.
const LONGEST: u32 = 14;

/// A line of tests/shortest.txt: the problem and its length.
fn read(line: &str) -> (Transfer, Option<u32>) {
    let [map, moves, start, target, jumps_only, length, ..] = line.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{line}")
    };
    let board = Board::from_map(&map.replace('/', "\n")).unwrap().0;
    let lattice = Lattice::new(board, Rule::try_from(moves.parse::<u8>().unwrap()).unwrap());
    let cells = |names: &str| {
        let mut cells: Vec<_> = names.split(',').map(|name| lattice.board.cell(name).unwrap()).collect();
        cells.sort_unstable();
        cells
    };
    let (start, target) = (cells(start), cells(target));
    (Transfer { jumps_only: jumps_only == "true", lattice, start, target }, length.parse().ok())
}

/// The first length that the search does not refute; `None` where it refutes all.
fn shortest(problem: &Transfer, pruning: Pruning, symmetry: bool, large: u64, expander: &Expander) -> Option<u32> {
    let stop = Stop::after(None);
    let shared = (expander, &stop, &() as _);
    let search = TransferSearch::<2, u64>::new(problem, pruning, false, symmetry, 1 << 26, shared).unwrap();
    let mut search = search.with_large(large);
    for length in search.lower_bound().unwrap()?..=LONGEST {
        match search.attempt(length).answer {
            Answer::Found(_) => return Some(length),
            Answer::Refuted => {}
            Answer::Exhausted => return None,
            other => panic!("{other:?}"),
        }
    }
    None
}

#[test]
fn every_pruning_finds_the_lengths_that_the_referee_derives() {
    let expander = Expander::new(2, None).unwrap();
    let text = std::fs::read_to_string("tests/shortest.txt").unwrap();
    let cases: Vec<_> = text.lines().filter(|l| !l.starts_with("# ")).collect();
    assert!(cases.len() >= 40);
    for line in cases {
        let (problem, length) = read(line);
        assert!(length.is_none_or(|l| l < LONGEST));
        let mirror = problem.symmetries().mirror.is_some();
        let capped = Pruning::Leading { classes: None, cap: Some(1) };
        let coarse = Pruning::Leading { classes: Some(4), cap: Some(2) };
        let always = [Pruning::None, Pruning::Theorem1, Pruning::PATTERN, Pruning::LEADING, capped, coarse];
        let with_mirror = [Pruning::NARROWED, Pruning::Mcc { c: None, keep: 1000 }];
        for pruning in always.into_iter().chain(with_mirror.into_iter().filter(|_| mirror)) {
            // Levels that count as large from no, a few, or very many states on: all ways on from them.
            for (symmetry, large) in [(true, 0), (false, 0), (true, 8), (true, u64::MAX / 2), (false, u64::MAX / 2)] {
                let found = shortest(&problem, pruning.clone(), symmetry, large, &expander);
                assert_eq!(found, length, "{line}: {pruning:?}, K {symmetry}, large from {large}");
            }
        }
    }
}
