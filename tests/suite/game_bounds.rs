//! Bounds of the game against the truth: exhaustive distances on small boards, the known shortest games, and their own
//! fast halves.

use std::sync::{Arc, LazyLock};

use halma_bounds::game_bounds::{Bounds, GameBound, Name, Position, bound};
use halma_puzzles::rank::{Ranks, choose};
use halma_rules::army;
use halma_rules::board::Board;
use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::moves::{ComponentScratch, Mover};
use halma_rules::notation::Script;
use halma_rules::problem::set;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

const RULES: [Rule; 3] = [Rule::Four, Rule::Six, Rule::Eight];

/// A square board with three men in each of two corners.
fn small(side: usize, rule: Rule) -> Game {
    let (board, _) = Board::from_map(&format!("{}\n", ".".repeat(side)).repeat(side)).expect("a map");
    Game::mirrored(Lattice::new(board, rule), &[0, 1, side]).expect("a mirror")
}

/// The fewest moves to a win of `winner` from every position and either side to move, by a search backward from all won
/// positions; nothing of what the bounds are made of.
struct Distances {
    ranks: Ranks<u64>,
    armies: u64,
    /// By turn (0 with the winner to move), winner's rank, loser's rank.
    moves: [Vec<u8>; 2],
}

const NEVER: u8 = u8::MAX;

impl Distances {
    fn new(game: &Game, winner: Side) -> Self {
        let (cells, men) = (game.lattice.len(), game.blue.len());
        let ranks = Ranks::<u64>::new(cells, men).expect("ranks");
        let armies = choose(cells, men).expect("few") as u64;
        let mut distances = Self { ranks, armies, moves: [0, 1].map(|_| vec![NEVER; (armies * armies) as usize]) };
        let (goal, home): (Cells<1>, Cells<1>) = (set(game.base(winner.other())), set(game.base(winner)));
        let mover = Mover::<1>::new(&game.lattice, false);
        let (mut pieces, mut reach) = (ComponentScratch::default(), vec![Cells::EMPTY; 2 * men]);
        let mut level: Vec<(Cells<1>, Cells<1>)> = (0..armies)
            .map(|rank| (goal, distances.army(rank)))
            .filter(|(w, l)| (*w & *l).is_empty() && *l != home)
            .collect();
        let mut turn = 1;
        for distance in 0..NEVER {
            level.retain(|&(w, l)| {
                let at = distances.at(w, l);
                let fresh = distances.moves[turn][at] == NEVER;
                if fresh {
                    distances.moves[turn][at] = distance;
                }
                fresh
            });
            let mut before = Vec::new();
            for &(w, l) in &level {
                // The side that is not to move moved last, and every move can be undone by a move.
                let (last, other) = if turn == 1 { (w, l) } else { (l, w) };
                let cells: Vec<u8> = last.iter().chain(other.iter()).map(|c| c as u8).collect();
                mover.reach(&cells, w | l, &mut pieces, &mut reach);
                for (&to, from) in cells[..men].iter().zip(&reach) {
                    for from in from.iter() {
                        let undone = last.without(to.into()).with(from);
                        let (w, l) = if turn == 1 { (undone, l) } else { (w, undone) };
                        if w != goal && l != home {
                            before.push((w, l));
                        }
                    }
                }
            }
            if before.is_empty() {
                break;
            }
            level = before;
            turn = 1 - turn;
        }
        distances
    }

    fn army(&self, rank: u64) -> Cells<1> {
        let mut cells = vec![0; self.ranks.men()];
        self.ranks.unrank(rank, &mut cells);
        cells.into_iter().map(usize::from).collect()
    }

    fn at(&self, winner: Cells<1>, loser: Cells<1>) -> usize {
        (self.ranks.rank(winner) * self.armies + self.ranks.rank(loser)) as usize
    }

    /// Every position with its distance, `step` apart.
    fn each(&self, step: usize, mut pruner: impl FnMut(Cells<1>, Cells<1>, u8)) {
        for moves in &self.moves {
            for (at, &distance) in moves.iter().enumerate().step_by(step).filter(|(_, d)| **d != NEVER) {
                let (winner, loser) = (at as u64 / self.armies, at as u64 % self.armies);
                pruner(self.army(winner), self.army(loser), distance);
            }
        }
    }
}

/// No bound refuses a position from which the winner can win in the moves that remain.
fn never_overestimates(side: usize, step: usize) {
    for rule in RULES {
        never_too_much(&small(side, rule), rule, step);
    }
}

fn never_too_much(game: &Game, rule: Rule, step: usize) {
    for winner in [Side::Blue, Side::Red] {
        let distances = Distances::new(game, winner);
        let bounds = Name::ALL.map(|name| (name, bound::<1>(name, game, winner)));
        let mut positions = 0;
        distances.each(step, |w, l, distance| {
            positions += 1;
            for more in [0, 2] {
                let position = Position { winner: w, loser: l, remaining: u32::from(distance) + more };
                for (name, bound) in &bounds {
                    assert!(bound.admits(&position), "{name:?} under {rule:?} refuses\n{}", draw(game, &position));
                }
            }
        });
        assert!(positions > 1000);
    }
}

fn draw<const W: usize>(game: &Game, position: &Position<W>) -> String {
    let men = |army: Cells<W>| army.iter().collect::<Vec<_>>();
    let board = game.draw(&men(position.winner), &men(position.loser));
    format!("{board}{} moves to go, the winner's men drawn as B", position.remaining)
}

/// One rule, and one position in twelve: to find all distances takes half of the time.
#[test]
fn no_bound_overestimates_distances_on_four_by_four() {
    never_too_much(&small(4, RULES[1]), RULES[1], 12);
}

#[test]
#[ignore = "a minute: every position"]
fn no_bound_overestimates_any_distance_on_four_by_four() {
    never_overestimates(4, 1);
}

/// Where a side of a square has no cell to jump over, one man in its middle serves both diagonals.
fn beside_places_without_a_cell(rules: &[Rule], step: usize) {
    for &rule in rules {
        let (board, _) = Board::from_map("....\n#...\n...#\n....\n").expect("a map");
        let game = Game::mirrored(Lattice::new(board, rule), &[0, 1, 2]).expect("a mirror");
        never_too_much(&game, rule, step);
    }
}

/// One rule, and one position in five.
#[test]
fn no_bound_overestimates_distances_beside_places_without_a_cell() {
    beside_places_without_a_cell(&RULES[2..], 5);
}

#[test]
#[ignore = "half a minute: every position"]
fn no_bound_overestimates_any_distance_beside_places_without_a_cell() {
    beside_places_without_a_cell(&RULES, 1);
}

#[test]
#[ignore = "half a minute: all positions of three men each on 25 cells, every seventh of them judged"]
fn no_bound_overestimates_any_distance_on_five_by_five() {
    never_overestimates(5, 7);
}

#[test]
#[ignore = "minutes and a gigabyte: all positions of three men each on 36 cells, one in 101 judged"]
fn no_bound_overestimates_any_distance_on_six_by_six() {
    never_overestimates(6, 101);
}

fn named(board: &str, rule: Rule, men: &str) -> Game {
    let board = Board::named(board).expect("a board");
    let blue = army::named(men, &board).expect("it fits").expect("an army");
    Game::mirrored(Lattice::new(board, rule), &blue).expect("a mirror")
}

/// The games of Appendix A.1.
const PUBLISHED: [(&str, u32, &str); 2] = [
    (
        "triangle-4",
        30,
        "c2-d2, h8-h6, d1-d3, i6-g6, a3-c3-e3, g9-g7-g5, a2-c2-e2-e4, h7-h5-f7, e4-f4, i9-g9-g7-e7, d3-c4,
         g6-g4-e4-e2-c2-a2, a4-c2-e2-e4-g4-g6-e8-e6, i8-i6-g6-g4-e4-e2-c2-a4, a1-a3-c3-c5, f9-h7-h5-f5-f3-d3-d1,
         c5-d5, e7-e5-c5-c3-a3-a1, b2-b4-d4-d6-f6-f8-h8, i7-g9-g7-e7-e5-c5-c3-a3, c1-e1-c3-c5-e5-e7-g7,
         h6-f8-f6-d6-d4-b4-b2, b3-b4, g8-g6-g4-e4-e2-c2, b1-b3-b5-d3-f3-f5, g5-e5-c5-c3-c1, f5-f6,
         f7-f5-f3-d3-b5-b3-b1, e6-g6-g8-i8, h9-h7-f7-f5-f3-d3-b5-b3",
    ),
    (
        "triangle-5",
        36,
        "e1-e2, g8-g6, c1-e1-e3, h6-f6, e3-e4, f9-f7-f5, a1-c1-e1-e3-e5-g5-e7, g7-g5-e5-e3-e1-c1-a1, a5-b5,
         i7-g7-g5-e5-e3-e1-c1, c3-a5-c5, g9-i7-g7-g5-e5-e3-e1-c3-a5, a3-c3-e1-e3-e5-g5-g7-i7-g9,
         i9-i7-g7-g5-e5-e3-e1-c3-a3, a4-c4-c6, e9-g7-g5-e5-e3-e1-c3, c6-d6, i5-i7-g7-g5-e5-e3-e1,
         a2-a4-c4-c6-e6-g4, i8-g8-e8-e6-c6-c4-a4-a2, d2-f2, i6-g8-e8-e6-c6-c4-a4, b3-d3-f1-f3-d5-d7-f7-h5,
         f5-f7-d7-d5-f3-f1-d3-b3, d1-f1-d3, h8-h6-h4-f4-d4-d2, b1-d1-f1-f3-d5-d7-f7-f5,
         h9-f9-f7-d7-d5-f3-f1-d1-b1, b4-b6-d4-f4-h4-h6-h8, h7-h9-f9-f7-d7-d5-f3-f1-d1, c2-c4-c6-e6-e8,
         g6-e6-c6-c4-c2, b2-b4-b6-d4-f4-h4-h6, f6-f4-d4-b6-b4-b2, d3-f1-f3-d5-d7-f7-f9-h9,
         f8-d8-f6-f4-d4-b6-b4",
    ),
];

/// The positions of a game, from the start to the end, as the winner's bounds see them.
fn positions(game: &Game, moves: &str) -> Vec<Position<2>> {
    let script = Script::parse(moves, &game.lattice.board).expect("notation");
    let length = script.len() as u32;
    let (winner, loser) = match Side::winner(length) {
        Side::Blue => (set(&game.blue), set(&game.red)),
        Side::Red => (set(&game.red), set(&game.blue)),
    };
    let mut all = vec![Position { winner, loser, remaining: length }];
    for m in &script.moves {
        all.push(all[all.len() - 1].after(m.cells[0], m.cells[m.cells.len() - 1]));
    }
    all
}

/// Whether a bound keeps a move when it judges all of a position.
fn keeps<const W: usize>(game: &Game, bound: &dyn GameBound<W>, position: &Position<W>, next: &Position<W>) -> bool {
    let (from, to) = ((position.mover() & !(next.winner | next.loser)), (next.winner | next.loser) & !position.mover());
    let (men, mut reach) = moves(game, position);
    bound.filter(position, &men, &mut reach);
    men.iter().zip(&reach).any(|(&m, reach)| from.contains(m.into()) && !(*reach & to).is_empty())
}

/// The men to move and where they can go.
fn moves<const W: usize>(game: &Game, position: &Position<W>) -> (Vec<u8>, Vec<Cells<W>>) {
    let mover = position.mover();
    let other = (position.winner | position.loser) & !mover;
    let mut men: Vec<u8> = mover.iter().chain(other.iter()).map(|c| c as u8).collect();
    let mut reach = vec![Cells::EMPTY; men.len()];
    Mover::new(&game.lattice, false).reach(&men, mover | other, &mut ComponentScratch::default(), &mut reach);
    men.truncate(mover.len());
    reach.truncate(mover.len());
    (men, reach)
}

#[test]
fn every_prefix_of_a_published_game_survives_every_bound() {
    for (men, length, text) in PUBLISHED {
        let game = named("9x9", Rule::Six, men);
        let positions = positions(&game, text);
        assert_eq!(positions.len() as u32, length + 1);
        assert_eq!(positions[length as usize].winner, set(game.base(Side::winner(length).other())));
        for name in Name::ALL {
            let bound = halma_bounds::game_bounds::bound::<2>(name, &game, Side::winner(length));
            for pair in positions.windows(2) {
                assert!(bound.admits(&pair[0]), "{name:?} refuses\n{}", draw(&game, &pair[0]));
                assert!(keeps(&game, &*bound, &pair[0], &pair[1]), "{name:?} cuts from\n{}", draw(&game, &pair[0]));
            }
        }
    }
}

/// A position of `game` after random moves that tend to go forward, with a deadline near what the count asks for.
fn wandering(game: &Game, moves_made: &[u16], winner: Side, slack: u32) -> Position<2> {
    let (mut winner_army, mut loser_army): (Cells<2>, Cells<2>) =
        (set(game.base(winner)), set(game.base(winner.other())));
    let base: Cells<2> = set(game.base(winner.other()));
    let from_base = game.lattice.distances(game.base(winner.other()));
    for (i, &choice) in moves_made.iter().enumerate() {
        let position = Position { winner: winner_army, loser: loser_army, remaining: 100 - i as u32 % 2 };
        let (men, reach) = moves(game, &position);
        let progress = |from: u8, to: usize| {
            let gain = i32::from(from_base[usize::from(from)]) - i32::from(from_base[to]);
            if position.winner_to_move() { gain } else { -gain }
        };
        let mut all: Vec<(i32, u8, usize)> = Vec::new();
        for (&from, reach) in men.iter().zip(&reach) {
            all.extend(reach.iter().map(|to| (-progress(from, to), from, to)));
        }
        all.sort_unstable();
        let Some(&(_, from, to)) = all.get(usize::from(choice) % all.len().clamp(1, 12)) else { break };
        let next = position.after(from.into(), to);
        (winner_army, loser_army) = (next.winner, next.loser);
    }
    let outside = (winner_army & !base).len() as u32;
    let remaining =
        (2 * (outside + slack)).saturating_sub(1 + u32::from(moves_made.first().is_some_and(|c| c % 2 == 0)));
    Position { winner: winner_army, loser: loser_army, remaining: remaining.max(1) }
}

/// The position with no more than so many men of each army, and as much slack: what a bound counts on is then far apart.
fn thinned(position: Position<2>, base: Cells<2>, men: usize) -> Position<2> {
    // The last, the first, and men between them.
    let few = |army: Cells<2>| {
        let all: Vec<usize> = army.iter().collect();
        (0..men).map(|i| all[i * (all.len() - 1) / (men - 1)]).collect::<Cells<2>>()
    };
    let (winner, loser) = (few(position.winner), few(position.loser));
    let gone = (position.winner & !base).len() - (winner & !base).len();
    Position { winner, loser, remaining: position.remaining.saturating_sub(2 * gone as u32).max(1) }
}

/// What a bound cuts from all moves of a position is what it cuts from each.
fn cuts_one_by_one(game: &Game, name: Name, bound: &dyn GameBound<2>, position: &Position<2>) -> TestCaseResult {
    let (men, all) = moves(game, position);
    let mut reach = all.clone();
    bound.filter(position, &men, &mut reach);
    for ((&man, all), kept) in men.iter().zip(&all).zip(&reach) {
        for to in all.iter() {
            let admits = bound.admits(&position.after(man.into(), to));
            prop_assert_eq!(kept.contains(to), admits, "{:?}, {} to {}\n{}", name, man, to, draw(game, position));
        }
    }
    Ok(())
}

/// A game under each rule with every bound for either winner, made once.
type Prepared = (Game, [Vec<Arc<dyn GameBound<2>>>; 2]);

static PREPARED: LazyLock<[Prepared; 3]> = LazyLock::new(|| {
    RULES.map(|rule| {
        let game = named("9x9", rule, "triangle-4");
        let bounds = [Side::Blue, Side::Red].map(|side| Name::ALL.map(|name| bound(name, &game, side)).into());
        (game, bounds)
    })
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn bounds_cut_from_all_moves_what_they_cut_one_by_one(
        moves_made in proptest::collection::vec(any::<u16>(), 0..40),
        blue_wins: bool,
        rule in 0..3usize,
        slack in 0u32..7,
        men in prop_oneof![Just(10usize), 2usize..5],
    ) {
        let (game, bounds) = &PREPARED[rule];
        let winner = if blue_wins { Side::Blue } else { Side::Red };
        let position = thinned(wandering(game, &moves_made, winner, slack), set(game.base(winner.other())), men);
        for (&name, bound) in Name::ALL.iter().zip(&bounds[usize::from(!blue_wins)]) {
            cuts_one_by_one(game, name, &**bound, &position)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]
    /// Without slack and with the loser to move, men anywhere around the base.
    #[test]
    fn where_every_move_has_to_enter_the_right_moves_of_the_loser_are_kept(
        rule in 0..3usize,
        winner in proptest::collection::btree_set(27..81usize, 1..4),
        loser in proptest::collection::btree_set(27..81usize, 3..20),
    ) {
        let (game, [bounds, _]) = &PREPARED[rule];
        let base: Cells<2> = set(&game.red);
        let winner: Cells<2> = winner.into_iter().collect();
        let loser = loser.into_iter().collect::<Cells<2>>() & !winner;
        let outside = (winner & !base).len() as u32;
        prop_assume!(outside > 0);
        let position = Position { winner, loser, remaining: 2 * outside };
        prop_assert_eq!(position.slack(base), 0);
        let (_, bound) = Name::ALL.iter().zip(bounds).find(|(name, _)| **name == Name::LookAhead).expect("a bound");
        cuts_one_by_one(game, Name::LookAhead, &**bound, &position)?;
    }
}

#[test]
fn bounds_are_chosen_by_name() {
    for text in ["none", "all", "all+rungs", "count", "count+contact", "vacate+packing+look-ahead"] {
        assert_eq!(text.parse::<Bounds>().expect(text).to_string(), text);
    }
    assert_eq!("all-but-hall".parse::<Bounds>().expect("a name").names().len(), Name::ALL.len() - 2);
    // `all` means what it has meant in records: rungs are younger.
    assert_eq!("all+rungs".parse::<Bounds>().expect("names").names().len(), Name::ALL.len());
    assert_eq!("paper".parse::<Bounds>().expect("a name").to_string(), "count+contact");
    let fault = "paper+hull".parse::<Bounds>().expect_err("no name");
    assert!(fault.starts_with(
        "pruning \"paper+hull\": allowed are none, paper, or all, all-but-NAME and names joined by '+': count, "
    ));
}
