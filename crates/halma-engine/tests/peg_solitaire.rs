//! What the example claims.

#[path = "../examples/peg_solitaire.rs"]
#[allow(dead_code, reason = "its main is not called here")]
mod peg_solitaire;

use halma_engine::search::{CancellationToken, Expander, levels};
use peg_solitaire::PegSolitaire;

/// <https://oeis.org/A112737>
const PUBLISHED: [u64; 11] = [1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312, 89927];

#[test]
fn peg_solitaire_from_the_centre_has_the_published_levels() {
    let (puzzle, cancel) = (PegSolitaire::cross(), CancellationToken::after(None));
    let expander = Expander::new(2, None).expect("threads");
    let sizes = levels(&puzzle, &expander, &cancel).take(PUBLISHED.len()).map(|l| l.expect("a level").states);
    assert_eq!(sizes.collect::<Vec<_>>(), PUBLISHED);
}

#[test]
fn every_jump_takes_a_peg_so_levels_account_for_their_successors_without_old_ones() {
    let (puzzle, cancel) = (PegSolitaire::cross(), CancellationToken::after(None));
    let expander = Expander::new(1, None).expect("threads");
    for level in levels(&puzzle, &expander, &cancel).skip(1).take(7) {
        let l = level.expect("a level");
        assert_eq!((l.generated, l.old, l.pruned), (l.duplicates + l.states, 0, 0));
    }
}

#[test]
fn the_example_stays_under_a_hundred_lines() {
    let lines = include_str!("../examples/peg_solitaire.rs").lines().count();
    assert!(lines < 100, "{lines}");
}
