//! Positions for tests: men anywhere, and about as many moves as the winner needs.

use halma_rules::board::Board;
use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::moves::{ComponentScratch, Mover};

use super::{Position, goal};

/// Boards, rules and armies: quarters of up to 32 cells, of up to 64, and of more.
pub(crate) const GAMES: [(&str, Rule, &str); 6] = [
    ("9x9", Rule::Four, "triangle-4"),
    ("9x9", Rule::Six, "triangle-4"),
    ("9x9", Rule::Eight, "square-3"),
    ("16x16", Rule::Eight, "halma-19"),
    ("star-121", Rule::Six, "triangle-4"),
    ("", Rule::Six, ""),
];

/// One of [`GAMES`].
pub(crate) fn game(number: usize) -> Game {
    match GAMES[number] {
        ("", rule, _) => {
            let row = ".".repeat(85);
            let (board, _) = Board::from_map(&format!("{row}\n{row}\n{row}\n")).unwrap();
            Game::mirrored(Lattice::new(board, rule), &[0, 1, 2, 85, 86, 170]).unwrap()
        }
        (board, rule, army) => Game::named(board, rule, army).unwrap(),
    }
}

/// A position of one of [`GAMES`] in which the winner can afford a few moves, and the game.
pub(crate) fn position(number: usize, winner: Side, cells: &[u16], spare: u32) -> (Game, Position<4>) {
    let game = game(number);
    let base: Cells<4> = goal(&game, winner);
    // Half of the men near the winner's goal.
    let from_base = game.lattice.distances(game.base(winner.other()));
    let mut free: Vec<usize> = (0..game.lattice.len()).collect();
    free.sort_by_key(|&cell| from_base[cell]);
    let mut armies = [Cells::EMPTY; 2];
    for (i, &pick) in cells[..2 * game.blue.len()].iter().enumerate() {
        let most = if pick % 2 == 0 { free.len() } else { free.len().min(2 * game.blue.len()) };
        armies[i % 2].add(free.remove(usize::from(pick / 2) % most));
    }
    let outside = (armies[0] & !base).len() as u32;
    let remaining = (2 * outside + spare).saturating_sub(2).max(1);
    (game, Position { winner: armies[0], loser: armies[1], remaining })
}

/// The men to move, and where they can go.
pub(crate) fn moves(game: &Game, position: &Position<4>) -> (Vec<u8>, Vec<Cells<4>>) {
    let mover = position.mover();
    let other = (position.winner | position.loser) & !mover;
    let mut men: Vec<u8> = mover.iter().chain(other.iter()).map(|c| c as u8).collect();
    let mut reach = vec![Cells::EMPTY; mover.len()];
    Mover::new(&game.lattice, false).reach(&men, mover | other, &mut ComponentScratch::default(), &mut reach);
    men.truncate(mover.len());
    (men, reach)
}
