//! Counting: how many games have the shortest length.
//!
//! A *game* is counted as its sequence of moves, a move being where a man starts and where he ends; two chains with the same
//! ends are one move, men of one army are not told apart. A *final position* is where both armies stand after the last move.
//! Both are counted as they are, and with those that a symmetry of K takes to each other counted once.
//!
//! Level i under admissible bounds holds every position that some shortest game has after i moves. Going back from
//! the ends leaves exactly these. Let f(X) be the number of move sequences from the start to X; since K keeps the start,
//! f(kX) = f(X), so one number for each class will do: f(X) is the sum of f over the positions that one move leads from to
//! X, taken of one member X of each class. All sequences are the sum of f over the final positions, every class counted
//! with its members. By Burnside's lemma the classes of sequences are the mean, over k in K, of the sequences that k fixes; k
//! fixes a sequence if it fixes each of its positions, and the same sums over these positions alone count them.

use std::collections::HashMap;

use rayon::prelude::*;

use super::GameSearch;
use super::walk::{goals, neighbours};
use crate::cells::Cells;
use crate::game::Side;
use crate::puzzle::game::pair::PairKey;
use crate::puzzle::game::{Armies, GamePuzzle};
use crate::search::Stopped;
use crate::solve::LevelFigures;
use crate::store::{Level, StoreError};

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

/// What a count came to.
#[derive(Debug)]
pub struct Counted {
    /// The numbers, or why there are none.
    pub games: Result<Games, Stopped>,
    /// The levels searched.
    pub levels: Vec<LevelFigures>,
}

impl<const W: usize, K: PairKey> GameSearch<'_, W, K> {
    /// Counts the games of `length` moves, given that there is none shorter.
    pub fn count(&self, length: u32) -> Counted {
        let puzzle = self.puzzle(length);
        self.progress.length(length);
        let mut trail = self.trail(&puzzle, format!("L{length}"));
        let games = (0..length)
            .try_for_each(|_| self.grower().grow(&puzzle, &mut trail))
            .and_then(|()| Ok(self.sum(&puzzle, &trail.levels)?));
        Counted { games, levels: trail.figures }
    }

    fn sum(&self, puzzle: &GamePuzzle<W, K>, levels: &[Level<K>]) -> Result<Games, StoreError> {
        let on_games = self.expander.install(|| states_on_games(puzzle, levels))?;
        let ends = &on_games[on_games.len() - 1];
        let size = |key: &K| orbit(puzzle, puzzle.armies(*key).0);
        let sequences = self.expander.install(|| sequences(puzzle, &on_games));
        let all: u128 = sequences.iter().map(|(key, n)| size(key) * n).sum();
        let fixed = puzzle.images().iter().map(|image| {
            let fixes = |[blue, red]: Armies<W>| blue.mapped(image) == blue && red.mapped(image) == red;
            fixed_sequences(puzzle, &on_games, fixes)
        });
        let burnside = all + fixed.sum::<u128>();
        Ok(Games {
            sequences: all,
            up_to_symmetry: burnside / (1 + puzzle.images().len() as u128),
            final_positions: ends.iter().map(size).sum(),
            final_up_to_symmetry: ends.len() as u128,
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
) -> u128 {
    // By position, not by class: another member of a fixed position's class is fixed by another symmetry.
    let mut counts: HashMap<Armies<W>, u128> = HashMap::from([(puzzle.bases(), 1)]);
    for depth in 1..on_games.len() as u32 {
        let mut next = HashMap::new();
        for (&armies, &n) in &counts {
            for moved in neighbours(puzzle, armies, Side::to_move(depth - 1)) {
                let key = puzzle.canonical(moved, depth);
                if fixes(moved) && on_games[depth as usize].binary_search(&key).is_ok() {
                    *next.entry(moved).or_insert(0) += n;
                }
            }
        }
        counts = next;
    }
    counts.values().sum()
}

/// How many states are taken back at a time.
const PART: usize = 1 << 16;

/// The classes on each level from which a game of the length ends, ascending.
fn states_on_games<const W: usize, K: PairKey>(
    puzzle: &GamePuzzle<W, K>,
    levels: &[Level<K>],
) -> Result<Vec<Vec<K>>, StoreError> {
    let last = levels.len() - 1;
    let mut found = vec![goals(puzzle, &levels[last])?];
    for (depth, level) in levels[..last].iter().enumerate().rev() {
        let undone = |&key: &K| {
            let positions = neighbours(puzzle, puzzle.armies(key).0, Side::to_move(depth as u32));
            positions.into_iter().map(|armies| puzzle.canonical(armies, depth as u32)).collect::<Vec<K>>()
        };
        // In parts, because every state has dozens of neighbours, few of which are on the level.
        let part = |keys: &[K]| {
            let mut before: Vec<K> = keys.iter().flat_map(undone).collect();
            before.sort_unstable();
            before.dedup();
            let mut cursor = level.cursor();
            let mut kept = Vec::new();
            for key in before {
                if cursor.contains(key)? {
                    kept.push(key);
                }
            }
            Ok(kept)
        };
        let parts = found[found.len() - 1].par_chunks(PART).map(part).collect::<Result<Vec<Vec<K>>, StoreError>>()?;
        let mut kept = parts.concat();
        kept.par_sort_unstable();
        kept.dedup();
        found.push(kept);
    }
    found.reverse();
    Ok(found)
}

/// f of the classes on the last level.
fn sequences<const W: usize, K: PairKey>(puzzle: &GamePuzzle<W, K>, on_games: &[Vec<K>]) -> Vec<(K, u128)> {
    let mut before: Vec<(K, u128)> = on_games[0].iter().map(|&key| (key, 1)).collect();
    for (depth, keys) in (0u32..).zip(&on_games[1..]) {
        let f = |&key: &K| {
            let (armies, _) = puzzle.armies(key);
            let from = neighbours(puzzle, armies, Side::to_move(depth)).into_iter();
            let ways = from.filter_map(|armies| {
                let key = puzzle.canonical(armies, depth);
                before.binary_search_by_key(&key, |&(k, _)| k).ok().map(|at| before[at].1)
            });
            (key, ways.sum())
        };
        before = keys.par_iter().map(f).collect();
    }
    before
}
