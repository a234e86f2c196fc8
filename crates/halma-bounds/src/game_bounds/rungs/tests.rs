use super::*;
use halma_rules::lattice::Rule;
use halma_rules::moves::{Mover, Pieces};
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

/// Where the men to move can go.
fn moves(game: &Game, position: &Position<4>) -> (Vec<u8>, Vec<Cells<4>>) {
    let mover = position.mover();
    let other = (position.winner | position.loser) & !mover;
    let mut men: Vec<u8> = mover.iter().chain(other.iter()).map(|c| c as u8).collect();
    let mut reach = vec![Cells::EMPTY; men.len()];
    Mover::new(&game.lattice, false).reach(&men, mover | other, &mut Pieces::default(), &mut reach);
    men.truncate(mover.len());
    reach.truncate(mover.len());
    (men, reach)
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
