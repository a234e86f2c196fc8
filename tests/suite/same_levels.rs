//! One puzzle stated twice: its levels are the same sets of positions, whatever numbers either statement gives them.
//!
//! Transfers and the engine's peg solitaire number positions as rules do, so that their digests are equal as they are
//! (`puzzles.rs`). Games and rows number them otherwise: here each position is written as the cells of either letter and whose
//! turn it is, the least of its images stands for all, and digests are made of that.

use std::path::Path;

use halma_engine::key::{Key, U256};
use halma_engine::puzzle::Puzzle;
use halma_engine::search::{CancellationToken, Expander, LevelDestination, digest};
use halma_engine::store::Level;
use halma_puzzles::game_puzzle::GamePuzzle;
use halma_puzzles::own::{AnyModel, Model, Searched, open};
use halma_puzzles::row::shift_puzzle::ShiftRow;
use halma_rules::cells::Cells;
use halma_rules::job::{Job, Problem};

/// Cells of two letters, and whether side 2 is to move.
type Position = ([u64; 2], bool);

/// Number and digest of the positions of levels 0 to `depth`.
fn digests<P: Puzzle>(
    puzzle: &P,
    depth: u32,
    position: impl Fn(P::Key) -> Position,
    images: &[Vec<u8>],
) -> Vec<(usize, u128)> {
    let (expander, stop) = (Expander::new(2, None).unwrap(), CancellationToken::after(None));
    let mut levels = vec![expander.level_of(puzzle, puzzle.start()).level];
    for depth in 0..depth {
        let earlier: Vec<&Level<P::Key>> = levels.iter().rev().skip(1).collect();
        let last = &levels[levels.len() - 1];
        let next = expander.expand(puzzle, depth, last, &earlier, LevelDestination::MEMORY, &stop);
        levels.push(next.unwrap().level);
    }
    let coded = |key: P::Key| {
        let ([one, other], turn) = position(key);
        let code = |image: &Vec<u8>| {
            let moved = |cells: u64| Cells::from_words([cells]).mapped(image).words()[0];
            U256::from_words([moved(one), moved(other), u64::from(turn), 0])
        };
        images.iter().map(code).min().unwrap()
    };
    let digest = |level: &Level<P::Key>| {
        let mut codes: Vec<U256> = level.to_vec().unwrap().into_iter().map(coded).collect();
        codes.sort_unstable();
        codes.dedup();
        (codes.len(), digest::of(digest::KEY, &codes))
    };
    levels.iter().map(digest).collect()
}

/// A position of rules: cells of two letters on their pictures.
fn drawn<K: Key>(model: &dyn Model<K>, letters: [char; 2], turns: bool) -> impl Fn(K) -> Position + '_ {
    move |key| {
        let picture: Vec<char> = model.picture(key).chars().filter(|letter| !letter.is_whitespace()).collect();
        let cells = |letter| (0..).zip(&picture).filter(|&(_, l)| *l == letter).map(|(cell, _)| 1u64 << cell).sum();
        (letters.map(cells), turns && key.words()[0] & 1 == 1)
    }
}

/// The digests of a puzzle by rules.
fn by_rules(text: &str, letters: [char; 2], depth: u32, images: &[Vec<u8>]) -> Vec<(usize, u128)> {
    let job = Job::parse("rules.toml".as_ref(), text).unwrap();
    let Problem::Puzzle(puzzle) = &job.problem else { panic!("a puzzle") };
    let turns = text.contains("turn =");
    match open(&puzzle.compiled, true).unwrap() {
        AnyModel::Small(model) => digests(&Searched::forward(&*model), depth, drawn(&*model, letters, turns), images),
        AnyModel::Medium(model) => digests(&Searched::forward(&*model), depth, drawn(&*model, letters, turns), images),
        AnyModel::Large(model) => digests(&Searched::forward(&*model), depth, drawn(&*model, letters, turns), images),
    }
}

/// The game of a row of Table 2, by rules in these directions.
fn game_as_rules(board: &str, directions: u8) -> String {
    format!(
        r#"
        [problem]
        kind = "rules"
        board = """
{board}
"""
        directions = {directions}
        legend = {{ x = "BR" }}
        rules = [
            {{ rule = "B . -> . B", turn = 1 }},
            {{ rule = "B x . -> . x B", turn = 1, chain = true }},
            {{ rule = "R . -> . R", turn = 2 }},
            {{ rule = "R x . -> . x R", turn = 2, chain = true }},
        ]
        "#
    )
}

#[test]
fn grasshopper_of_table_2_written_as_rules_has_the_digests_of_the_game() {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/table-2/grasshopper.toml");
    let Problem::Game(game) = Job::read(&config).unwrap().problem else { panic!("a game") };
    let fixing = game.symmetries();
    let images: Vec<Vec<u8>> = fixing.iter().map(|symmetry| symmetry.cells.clone()).collect();
    assert_eq!(images.len(), 2);
    // No game is over so soon.
    let depth = 4;
    let puzzle = GamePuzzle::<1, u128>::new(&game, game.theorem_1(), Vec::new(), &fixing).unwrap();
    let position = |key| {
        let (armies, turn) = puzzle.armies(key);
        (armies.map(|army| army.words()[0]), turn == halma_rules::game::Side::Red)
    };
    let expected = digests(&puzzle, depth, position, &images);
    // By hand: 15 steps and 9 jumps, of which the diagonal's mirror image keeps two.
    assert_eq!(expected.iter().map(|level| level.0).collect::<Vec<_>>()[..2], [1, 13]);

    let drawn = game.draw(&game.blue, &game.red);
    let board = drawn.replace(' ', "");
    let found = by_rules(&game_as_rules(&board, 8), ['B', 'R'], depth, &images);
    assert_eq!(found, expected);
    // What differs is seen: no diagonal moves, or the colours exchanged.
    let straight = by_rules(&game_as_rules(&board, 4), ['B', 'R'], 2, &images);
    assert_ne!(straight[..=1], expected[..=1]);
    assert_ne!(by_rules(&game_as_rules(&board, 8), ['R', 'B'], 1, &images)[1].1, expected[1].1);
}

/// All twelve kinds of moves: a checker of either colour slides, or jumps over one of either, both ways.
fn row_as_rules(black: usize, white: usize, jump: &str) -> String {
    let (black, white) = ("B".repeat(black), "W".repeat(white));
    format!(
        r#"
        [problem]
        kind = "rules"
        board = "{black}.{white}"
        directions = ["left", "right"]
        legend = {{ x = "BW", y = "BW" }}
        rules = ["x . -> . x", "{jump}"]
        "#
    )
}

#[test]
fn row_shift_written_as_rules_has_the_digests_of_the_row() {
    for (black, white) in [(1, 1), (3, 2), (4, 4)] {
        let row = ShiftRow::new(black, white, None).unwrap();
        let (places, depth) = (black + white + 1, 12);
        let position = |key: u128| {
            let (blacks, vacancy) = ((key >> 7) as u64, ShiftRow::place(key) - 1);
            ([blacks, ((1 << places) - 1) & !blacks & !(1 << vacancy)], false)
        };
        let identity: [Vec<u8>; 1] = [(0..places as u8).collect()];
        let expected = digests(&row, depth, position, &identity);
        let rules = |jump| {
            let text = row_as_rules(black as usize, white as usize, jump);
            by_rules(&text, ['B', 'W'], depth, &identity)
        };
        assert_eq!(rules("x y . -> . y x"), expected, "{black} {white}");
        // What differs is seen: jumps over white checkers only.
        assert_ne!(rules("x W . -> . W x"), expected, "{black} {white}");
    }
}
