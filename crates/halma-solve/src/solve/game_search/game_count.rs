//! Counting shortest paths by dynamic programming over levels: how many games have the shortest length.
//!
//! A *game* is counted as its sequence of moves, a move being where a man starts and where he ends; two chains with the same
//! ends are one move, men of one army are not told apart. A *final position* is where both armies stand after the last move.
//! Both are counted as they are, and with those that a symmetry of K takes to each other counted once.
//!
//! Level i under admissible bounds holds every position that some shortest game has after i moves. Going back from
//! the ends leaves exactly these. All sequences are the sum, over the final positions, of the ways to come there
//! (`crates/halma-solve/src/solve/walks.rs`), every class counted with its members. By Burnside's lemma the classes of sequences are the
//! mean, over k in K, of the sequences that k fixes; k fixes a sequence if it fixes each of its positions, and the same
//! sums over these positions alone count them.

use halma_engine::search::Stopped;
use halma_engine::store::Level;
use halma_puzzles::game_puzzle::pair::PairKey;
use halma_puzzles::game_puzzle::{Armies, GamePuzzle};
use halma_rules::cells::Cells;
use halma_rules::game::Side;

use super::GameSearch;
use super::walk::{goals, neighbours};
use crate::solve::Counted;
use crate::solve::walks::{Before, Held, Resources, burnside, states, sum_of_products, walks, ways};

/// How many shortest games there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Games {
    /// Sequences of moves.
    pub sequences: u128,
    /// Sequences up to symmetry.
    pub up_to_symmetry: u128,
    /// Positions after the last move.
    pub final_positions: u128,
    /// These up to symmetry.
    pub final_up_to_symmetry: u128,
}

impl<const W: usize, K: PairKey> GameSearch<'_, W, K> {
    /// Counts the games of `length` moves, given that there is none shorter.
    pub fn count(&self, length: u32) -> Counted<Games> {
        let puzzle = self.puzzle(length);
        self.engine.progress.length(length);
        let mut sequence = self.sequence(&puzzle, format!("L{length}"));
        let games = (0..length).try_for_each(|_| self.engine.grow(&puzzle, &mut sequence)).and_then(|()| {
            let levels = &sequence.levels[..];
            self.engine.expander.install(|| Held::summing(&[levels], |held| self.sum(&puzzle, levels, held)))
        });
        Counted { numbers: games, levels: sequence.figures }
    }

    fn sum(&self, puzzle: &GamePuzzle<W, K>, levels: &[Level<K>], held: &mut Held) -> Result<Games, Stopped> {
        let resources = Resources { cancel: self.engine.cancel, plan: self.engine.expander.plan() };
        let ends = goals(puzzle, &levels[levels.len() - 1])?;
        let on_games = states(levels, ends, || before(puzzle), resources, held)?;
        held.check()?;
        let ends = &on_games[on_games.len() - 1];
        let size = |key: &K| orbit(puzzle, puzzle.armies(*key).0);
        let ways = ways(&on_games, || before(puzzle), resources)?;
        let mut fixed = vec![sum_of_products(ways.iter().map(|(key, n)| (size(key), *n)))?];
        // All of K, whether or not the search used it.
        let group = self.game.symmetries();
        for k in &group[1..] {
            let fixes = |armies: Armies<W>| armies.map(|army| k.apply(army)) == armies;
            fixed.push(fixed_sequences(puzzle, &on_games, fixes)?);
        }
        let image = |armies: Armies<W>| group.iter().map(|k| armies.map(|army| k.apply(army))).min();
        let mut classes: Vec<_> = ends.iter().map(|key| image(puzzle.armies(*key).0)).collect();
        classes.sort_unstable();
        classes.dedup();
        Ok(Games {
            sequences: fixed[0],
            up_to_symmetry: burnside(&fixed)?,
            final_positions: ends.iter().map(size).sum(),
            final_up_to_symmetry: classes.len() as u128,
        })
    }
}

/// How many positions are in the class of one.
fn orbit<const W: usize, K: PairKey>(puzzle: &GamePuzzle<W, K>, armies: Armies<W>) -> u128 {
    let mut images: Vec<Armies<W>> = puzzle.images().iter().map(|i| armies.map(|a: Cells<W>| a.mapped(i))).collect();
    images.push(armies);
    images.sort_unstable();
    images.dedup();
    images.len() as u128
}

/// The sequences whose positions all are fixed by one symmetry.
fn fixed_sequences<const W: usize, K: PairKey>(
    puzzle: &GamePuzzle<W, K>,
    on_games: &[Vec<K>],
    fixes: impl Fn(Armies<W>) -> bool,
) -> Result<u128, Stopped> {
    let after = |armies: Armies<W>, depth: usize| {
        let on_level = |moved: &Armies<W>| {
            let key = puzzle.canonical(*moved, depth as u32 + 1);
            fixes(*moved) && on_games[depth + 1].binary_search(&key).is_ok()
        };
        let moved = neighbours(puzzle, armies, Side::to_move(depth as u32)).into_iter();
        moved.filter(on_level).map(|moved| (moved, 1)).collect()
    };
    let ends = walks(puzzle.bases(), on_games.len() - 1, after)?;
    sum_of_products(ends.into_values().map(|n| (n, 1)))
}

/// What comes before positions, for [`crate::solve::ways`].
fn before<const W: usize, K: PairKey>(puzzle: &GamePuzzle<W, K>) -> impl FnMut(K, usize, &mut Before<K>) {
    |key, depth, found| {
        // Every move can be undone by a move of the same man.
        let undone = neighbours(puzzle, puzzle.armies(key).0, Side::to_move(depth as u32)).into_iter();
        found.extend(undone.map(|armies| (puzzle.canonical(armies, depth as u32), 1)));
    }
}
