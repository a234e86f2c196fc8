//! Counts the shortest games: path counting by dynamic programming over levels.
//!
//! A *game* is counted as its sequence of moves. A move is the pair of cells where a man starts and ends, so two chains
//! with the same ends are one move; men of one army are not distinguished. A *final position* is the position of both
//! armies after the last move. Both are also counted up to the symmetries of K.
//!
//! Level i under admissible bounds holds every position that some shortest game has after i moves. A backward pass from
//! the final positions leaves exactly these. The number of sequences is the sum, over the final positions, of the paths
//! to them (`path_counts.rs`), each class weighted by its members. By Burnside's lemma the number of classes of
//! sequences is the mean, over k in K, of the sequences that k fixes. k fixes a sequence if it fixes each of its
//! positions, so the same sums over these positions alone count them.

use halma_engine::search::Stopped;
use halma_engine::store::Level;
use halma_puzzles::game_puzzle::pair::PairKey;
use halma_puzzles::game_puzzle::{Armies, GamePuzzle};
use halma_rules::cells::Cells;
use halma_rules::game::Side;

use super::GameSearch;
use super::game_trace::neighbours;
use crate::solve::Counted;
use crate::solve::length_labels::stem_of_length;
use crate::solve::path_counts::{
    Before, CountLimits, Held, burnside, paths_by_class, paths_by_state, states, sum, sum_of_products,
};

/// The numbers of shortest games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Games {
    /// Sequences of moves.
    pub sequences: u128,
    /// Sequences up to symmetry.
    pub up_to_symmetry: u128,
    /// Positions after the last move.
    pub final_positions: u128,
    /// Final positions up to symmetry.
    pub final_up_to_symmetry: u128,
}

impl<const W: usize, K: PairKey> GameSearch<'_, W, K> {
    /// Counts the games of `length` moves, given that there is none shorter.
    pub fn count(&self, length: u32) -> Counted<Games> {
        let puzzle = self.puzzle(length);
        self.engine.progress.length(length);
        let mut sequence = self.sequence(&puzzle, stem_of_length(length));
        let games = (0..length).try_for_each(|_| self.engine.grow(&puzzle, &mut sequence)).and_then(|()| {
            let levels = &sequence.levels[..];
            self.engine.expander.install(|| Held::summing(&[levels], |held| self.sum(&puzzle, levels, held)))
        });
        Counted { numbers: games, levels: sequence.figures }
    }

    fn sum(&self, puzzle: &GamePuzzle<W, K>, levels: &[Level<K>], held: &mut Held) -> Result<Games, Stopped> {
        let limits = CountLimits { cancel: self.engine.cancel, plan: self.engine.expander.memory_plan() };
        let ends = self.goals_on(puzzle, &levels[levels.len() - 1])?;
        let on_games = states(levels, ends, || before(puzzle), limits, held)?;
        held.check()?;
        let ends = &on_games[on_games.len() - 1];
        let size = |key: &K| orbit(puzzle, puzzle.armies(*key).0);
        let ways = paths_by_class(&on_games, || before(puzzle), limits)?;
        let mut fixed = vec![sum_of_products(ways.iter().map(|(key, n)| (size(key), *n)))?];
        // All of K, even if the search did not use it.
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

/// The size of a position's class.
fn orbit<const W: usize, K: PairKey>(puzzle: &GamePuzzle<W, K>, armies: Armies<W>) -> u128 {
    let mut images: Vec<Armies<W>> =
        puzzle.permutations().iter().map(|i| armies.map(|a: Cells<W>| a.mapped(i))).collect();
    images.push(armies);
    images.sort_unstable();
    images.dedup();
    images.len() as u128
}

/// The sequences all of whose positions one symmetry fixes.
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
    let ends = paths_by_state(puzzle.bases(), on_games.len() - 1, after)?;
    sum(ends.into_values())
}

/// The predecessors of positions, for [`crate::solve::path_counts`].
fn before<const W: usize, K: PairKey>(puzzle: &GamePuzzle<W, K>) -> impl FnMut(K, usize, &mut Before<K>) {
    |key, depth, found| {
        // Every move is reversed by a move of the same man.
        let undone = neighbours(puzzle, puzzle.armies(key).0, Side::to_move(depth as u32)).into_iter();
        found.extend(undone.map(|armies| (puzzle.canonical(armies, depth as u32), 1)));
    }
}
