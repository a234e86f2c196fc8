//! Counts the shortest games again: sums over paths of positions from the first to the last move, without levels or K,
//! and Burnside's lemma for numbers up to symmetry.

use halma_record::record::Counts;

use super::bounds::Bounds;
use super::position::{Position, Table};
use crate::moves::Set;
use crate::number::Number;
use crate::path_counts::{self, PathCounts};
use crate::problem::Problem;
use crate::rejection::Trouble;

/// A count.
pub(super) struct Counter<'a, N> {
    pub problem: &'a Problem,
    pub table: &'a Table<'a, N>,
    /// Bounds that keep every position of a game of that length.
    pub bounds: &'a Bounds,
    pub length: u32,
    pub budget: &'a mut u64,
    pub progress: &'a (dyn Fn(&str) + Sync),
}

impl<N: Number> Counter<'_, N> {
    /// Checks the record's numbers, given that no game is shorter.
    pub fn confirm(&mut self, stated: &Counts) -> Result<(), Trouble> {
        let whole = self.problem.whole_fixing();
        let games_to = |ends: &PathCounts<N>| path_counts::total(ends.iter().map(|path| path.1));
        let ends = self.paths(&whole[0])?;
        let mut games = vec![games_to(&ends)?];
        for k in &whole[1..] {
            games.push(games_to(&self.paths(k)?)?);
        }
        let kept = |k: &Vec<u8>| -> Result<u128, String> {
            let kept = |path: &(N, u128)| Ok(u128::from(keeps(k, &self.table.position(path.0)?.armies)));
            ends.iter().map(kept).sum()
        };
        let kept = whole.iter().map(kept).collect::<Result<Vec<_>, _>>()?;
        let order = whole.len() as u128;
        let classes = path_counts::total(games.iter().copied())? / order;
        let ends_up_to_symmetry = kept.iter().sum::<u128>() / order;
        path_counts::compare(&[
            ("sequences", Some(games[0]), Some(&stated.sequences)),
            ("up_to_symmetry", Some(classes), Some(&stated.up_to_symmetry)),
            ("final_positions", Some(kept[0]), stated.final_positions.as_ref()),
            ("final_up_to_symmetry", Some(ends_up_to_symmetry), stated.final_up_to_symmetry.as_ref()),
            ("up_to_reversal", None, stated.up_to_reversal.as_ref()),
            ("palindromic", None, stated.palindromic.as_ref()),
            ("palindromic_up_to_symmetry", None, stated.palindromic_up_to_symmetry.as_ref()),
        ])
    }

    /// Games of that length whose positions `k` fixes, by the last one.
    fn paths(&mut self, k: &[u8]) -> Result<PathCounts<N>, Trouble> {
        let mut paths = vec![(self.table.own_key(&Position::first(self.problem.ends())), 1)];
        for depth in 0..self.length {
            let positions = paths.len();
            (self.progress)(&format!(
                "how many there are: {positions} positions after {depth} of {} moves",
                self.length
            ));
            let (table, bounds, remaining) = (self.table, self.bounds, self.length - depth - 1);
            let expand = |parents: &[(N, u128)]| -> Result<(PathCounts<N>, u64), String> {
                let (mut made, mut generated) = (Vec::new(), 0);
                for &(key, count) in parents {
                    let Position { armies, turn } = table.position(key)?;
                    if table.winner(&armies).is_some() {
                        continue;
                    }
                    table.moves(&armies, turn, |man, to| {
                        generated += 1;
                        let mut armies = armies.clone();
                        armies[turn][man] = to;
                        if bounds.admit(&armies, &Set::of(&armies.concat()), remaining) && keeps(k, &armies) {
                            made.push((table.own_key(&Position { armies, turn: 1 - turn }), count));
                        }
                    });
                }
                Ok((made, generated))
            };
            paths = path_counts::step(&paths, self.budget, expand)?;
        }
        let mut won = Vec::new();
        for path in paths {
            let Position { armies, turn } = self.table.position(path.0)?;
            // The side that moved last.
            if self.table.winner(&armies) == Some(1 - turn) {
                won.push(path);
            }
        }
        Ok(won)
    }
}

/// Whether a symmetry maps each army to itself.
fn keeps(k: &[u8], armies: &[Vec<u8>; 2]) -> bool {
    armies.iter().all(|army| {
        let set = Set::of(army);
        army.iter().all(|&cell| set.has(k[usize::from(cell)]))
    })
}
