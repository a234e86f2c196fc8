use std::collections::HashMap;

use super::super::random_positions::moves;
use super::*;
use halma_rules::board::Board;
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::problem::set;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

const GAMES: [(&str, Rule, &str); 6] = [
    ("9x9", Rule::Four, "triangle-4"),
    ("9x9", Rule::Six, "triangle-4"),
    ("9x9", Rule::Six, "triangle-5"),
    ("9x9", Rule::Eight, "square-3"),
    ("8x8", Rule::Eight, "triangle-3"),
    ("16x16", Rule::Eight, "halma-19"),
];

fn game(number: usize) -> Game {
    let (board, rule, army) = GAMES[number];
    Game::named(board, rule, army).unwrap()
}

/// A position from which the winner wins with the last of `picks.len()` moves, made by undoing moves from a won one; the
/// winner's are moves out of the base, but for one in so many.
fn undone(game: &Game, idle: u16, loser: &[u16], picks: &[u16]) -> Vec<Position<4>> {
    let base: Cells<4> = set(&game.red);
    let mut free: Vec<usize> = (0..game.lattice.len()).filter(|&c| !base.contains(c)).collect();
    let loser = loser[..game.red.len()].iter().map(|&pick| free.swap_remove(usize::from(pick) % free.len())).collect();
    // Who moved last moves first when moves are undone; `after` takes parity from the moves that remain.
    let mut all = vec![Position { winner: base, loser, remaining: 0 }];
    for &pick in picks {
        let last = all[all.len() - 1];
        let turned = Position { remaining: last.remaining + 1, ..last };
        let (men, reach) = moves(game, &turned);
        let leaves = turned.winner_to_move() && pick % idle != 0;
        let targets = men.iter().zip(&reach).flat_map(|(&man, reach)| {
            let allowed = !leaves || base.contains(man.into());
            reach.iter().filter(move |&to| allowed && (!leaves || !base.contains(to))).map(move |to| (man, to))
        });
        let targets: Vec<(u8, usize)> = targets.collect();
        let Some(&(man, to)) = targets.get(usize::from(pick) % targets.len().max(1)) else { break };
        let moved = turned.after(man.into(), to);
        if moved.winner == base || moved.loser == set(&game.blue) {
            break;
        }
        all.push(Position { remaining: turned.remaining, ..moved });
    }
    all
}

fn cuts_one_by_one(game: &Game, bound: &Rungs<4>, position: &Position<4>) -> TestCaseResult {
    let (men, all) = moves(game, position);
    let mut reach = all.clone();
    bound.filter(position, &men, &mut reach);
    for ((&man, all), kept) in men.iter().zip(&all).zip(&reach) {
        for to in all.iter() {
            let admits = bound.admits(&position.after(man.into(), to));
            prop_assert_eq!(kept.contains(to), admits, "{} to {} in {:?}", man, to, position);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// Each position has a play to the end; near the deadline, moves are judged together as one by one.
    #[test]
    fn what_leads_to_a_win_in_time_is_admitted(
        number in 0..GAMES.len(),
        idle in 2..9u16,
        loser in proptest::collection::vec(any::<u16>(), 19),
        picks in proptest::collection::vec(any::<u16>(), 44),
    ) {
        let game = game(number);
        let bound = Rungs::<4>::new(&game, Side::Blue);
        let walk = undone(&game, idle, &loser, &picks);
        for position in &walk {
            prop_assert!(bound.admits(position), "{position:?}");
        }
        for position in walk.iter().skip(1).step_by(5) {
            for less in [0, 1, 2, 4] {
                let remaining = position.remaining.saturating_sub(less).max(1);
                cuts_one_by_one(&game, &bound, &Position { remaining, ..*position })?;
            }
        }
    }
}

#[test]
fn positions_are_cut_and_admitted() {
    let game = game(1);
    let bound = Rungs::<4>::new(&game, Side::Blue);
    let (winner, loser) = (set(&game.blue), set(&game.red));
    // Ten men with four moves too many, and without one: the tenth way needs a ladder across the board.
    assert!(bound.admits(&Position { winner, loser, remaining: 29 }));
    assert!(!bound.admits(&Position { winner, loser, remaining: 19 }));
    assert!(!bound.admits(&Position { winner, loser, remaining: 17 }));
}

#[test]
fn boards_of_too_many_cells_are_not_looked_at() {
    let game = Game::named("star-121", Rule::Six, "triangle-4").unwrap();
    let bound = Rungs::<4>::new(&game, Side::Blue);
    assert!(bound.admits(&Position { winner: set(&game.blue), loser: set(&game.red), remaining: 1 }));
}

/// The winner's men, the loser's, and who moves next (1 the winner).
type Small = (Cells<4>, Cells<4>, u32);

/// From every position from which the winner can win in at most `most` moves, with how few: moves undone from all won
/// positions.
fn distances(game: &Game, most: u32) -> HashMap<Small, u32> {
    let (goal, home): (Cells<4>, Cells<4>) = (set(&game.red), set(&game.blue));
    let free: Vec<usize> = (0..game.lattice.len()).filter(|&c| !goal.contains(c)).collect();
    let pairs = free.iter().flat_map(|&a| free.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b);
    let won = pairs.map(|(a, b)| (goal, [a, b].into_iter().collect(), 0)).filter(|won: &Small| won.1 != home);
    let mut level: Vec<Small> = won.collect();
    let mut found: HashMap<Small, u32> = level.iter().map(|&won| (won, 0)).collect();
    for distance in 1..=most {
        let mut before = Vec::new();
        for &(winner, loser, turn) in &level {
            let after = Position { winner, loser, remaining: 2 + (1 - turn) };
            let (men, reach) = moves(game, &after);
            for (&man, reach) in men.iter().zip(&reach) {
                for from in reach.iter() {
                    let Position { winner, loser, .. } = after.after(man.into(), from);
                    let undone = (winner, loser, 1 - turn);
                    if winner != goal && loser != home && !found.contains_key(&undone) {
                        found.insert(undone, distance);
                        before.push(undone);
                    }
                }
            }
        }
        level = before;
    }
    found
}

/// Two men a side on narrow boards, where slack is spent on rungs; beside places without a cell, too.
#[test]
fn no_position_with_so_few_moves_to_a_win_is_cut() {
    let maps = [".........\n.........", "........\n........\n........", ".....\n#.#.#\n.....", ".#.#.\n.....\n.#.#."];
    let mut tight = 0;
    for map in maps {
        for rule in [Rule::Four, Rule::Six, Rule::Eight] {
            let (board, _) = Board::from_map(map).unwrap();
            let game = Game::mirrored(Lattice::new(board, rule), &[0, 1]).unwrap();
            let bound = Rungs::<4>::new(&game, Side::Blue);
            for ((winner, loser, turn), distance) in distances(&game, 9) {
                assert_eq!(turn, distance % 2);
                let position = |remaining| Position { winner, loser, remaining };
                assert!(bound.admits(&position(distance)), "{rule:?}, {distance}: {winner:?} {loser:?}\n{map}");
                assert!(bound.admits(&position(distance + 2)), "{rule:?}, {distance} + 2: {winner:?} {loser:?}\n{map}");
                tight += u32::from(distance > 2 && !bound.admits(&position(distance - 2)));
            }
        }
    }
    assert!(tight > 1000, "{tight}");
}
