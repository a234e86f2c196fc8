//! Shortest transfers on small boards as `scripts/referee.py` settles them, against every pruning that proves.

use halma_engine::search::{CancellationToken, Expander};
use halma_rules::board::Board;
use halma_rules::job::{Pruning, Weights};
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::problem::Transfer;
use halma_solve::solve::deepening::LengthSearch;
use halma_solve::solve::transfer_search::{TransferOptions, TransferSearch};
use halma_solve::solve::{Answer, Engine, Side};

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
    let cancel = CancellationToken::after(None);
    let options = TransferOptions { pruning, palindromic: false, symmetry, histograms: 1 << 26 };
    let search = TransferSearch::<2, u64>::new(problem, options, Engine::new(expander, &cancel, &()));
    let mut search = search.unwrap().with_large(large);
    for length in search.lower_bound().unwrap()?..=LONGEST {
        match search.attempts(length..=length).remove(0).answer {
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
        let capped = Pruning::Leading { classes: None, weights: Some(Weights::Cap(1)), look_ahead: None };
        let coarse = Pruning::Leading { classes: Some(4), weights: Some(Weights::Cap(2)), look_ahead: None };
        let far = "leading(look-ahead=9)".parse().unwrap();
        let near = "leading(classes=4,cap=2,look-ahead=3,least=1)".parse().unwrap();
        let by_class = "leading(class-look-ahead=4)".parse().unwrap();
        let with_few_classes = "leading(classes=4,cap=1,class-look-ahead=9)".parse().unwrap();
        let plain = [Pruning::None, Pruning::Theorem1, Pruning::PATTERN, Pruning::LEADING];
        // Weights that break ties, that neither rise nor fall, and that say nothing: with those every state leads.
        let finer = "leading(weights=10/20/30/31)".parse().unwrap();
        let uneven = "leading(classes=6,weights=3/0/7/2)".parse().unwrap();
        let level = "leading(weights=0)".parse().unwrap();
        let weighted = [finer, uneven, level];
        let always = plain.into_iter().chain([capped, coarse, far, near, by_class, with_few_classes]).chain(weighted);
        let with_mirror = [Pruning::NARROWED, Pruning::Mcc { c: None, keep: 1000 }];
        for pruning in always.chain(with_mirror.into_iter().filter(|_| mirror)) {
            // Levels that count as large from no, a few, or very many states on: all ways on from them.
            for (symmetry, large) in [(true, 0), (false, 0), (true, 8), (true, u64::MAX / 2), (false, u64::MAX / 2)] {
                let found = shortest(&problem, pruning.clone(), symmetry, large, &expander);
                assert_eq!(found, length, "{line}: {pruning:?}, K {symmetry}, large from {large}");
            }
        }
    }
}

/// However many lengths one leading half decides, each is decided as it would be by itself.
#[test]
fn lengths_that_are_decided_together_are_decided_alike() {
    let expander = Expander::new(1, None).unwrap();
    let cancel = CancellationToken::after(None);
    let text = std::fs::read_to_string("tests/shortest.txt").unwrap();
    let (mut together, mut later, mut met) = (0, 0, 0);
    for line in text.lines().filter(|l| !l.starts_with("# ")) {
        let (problem, shortest) = read(line);
        if problem.symmetries().mirror.is_none() {
            continue;
        }
        let ways = [("leading", 1), ("leading", u64::MAX / 2), ("leading(cap=1)", 1), ("leading(cap=1)", u64::MAX / 2)];
        let ahead = [
            ("leading(cap=2)", 3),
            ("leading(weights=20/31/40)", 3),
            ("leading(look-ahead=5,least=2)", 1),
            ("leading(cap=1,look-ahead=9)", 3),
            ("leading(class-look-ahead=3)", 1),
        ];
        for (pruning, large) in ways.into_iter().chain(ahead) {
            let pruning: Pruning = pruning.parse().unwrap();
            let search = || {
                let pruning = pruning.clone();
                let options = TransferOptions { pruning, palindromic: false, symmetry: true, histograms: 1 << 26 };
                let search = TransferSearch::<2, u64>::new(&problem, options, Engine::new(&expander, &cancel, &()));
                search.unwrap().with_large(large)
            };
            let Some(bound) = search().lower_bound().unwrap() else { continue };
            for first in bound.max(1)..=shortest.unwrap_or(LONGEST) {
                for top in first..=LONGEST {
                    let attempts = search().attempts(first..=top);
                    for (length, attempt) in (first..).zip(&attempts) {
                        assert_eq!(attempt.length, length, "{line}: {first} to {top}");
                        let found = matches!(attempt.answer, Answer::Found(_));
                        assert_eq!(
                            found,
                            shortest == Some(length),
                            "{line}: {pruning}, {large}: {first} to {top}: {length}"
                        );
                    }
                    // A look ahead that finds a solution leaves its length to the next call.
                    let (last, ended) = (attempts.last().unwrap(), attempts.len() as u32);
                    let found = matches!(last.answer, Answer::Found(_));
                    let foreseen = shortest.is_some_and(|shortest| shortest <= top && shortest == last.length + 1);
                    assert!(found || foreseen || last.length == top, "{line}: {first} to {top}: {ended}");
                    together += usize::from(ended > 2);
                    later += usize::from(ended > 1 && found);
                    // Following levels that end open, before the length that has the levels which met them.
                    let trailing = attempts.iter().rposition(|a| a.levels.iter().any(|l| l.side == Side::Trailing));
                    let mut before = attempts[..trailing.unwrap_or(0)].iter().filter_map(|a| a.levels.last());
                    met += usize::from(before.any(|l| l.side == Side::Following && l.tally.states > 0));
                }
            }
        }
    }
    assert!(together > 100 && later > 200 && met > 30, "{together}, {later}, {met}");
}
