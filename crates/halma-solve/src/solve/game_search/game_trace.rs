//! Solution reconstruction for games, from levels back to a game.

use halma_engine::search::{Stopped, trace_by};
use halma_engine::store::{Level, StoreError};
use halma_puzzles::game_puzzle::pair::PairKey;
use halma_puzzles::game_puzzle::{Armies, GamePuzzle};
use halma_rules::cells::Cells;
use halma_rules::game::Side;

use super::GameSearch;

impl<const W: usize, K: PairKey> GameSearch<'_, W, K> {
    /// A game that ends on the last of these levels, if there is one.
    pub(super) fn ending(
        &self,
        puzzle: &GamePuzzle<W, K>,
        levels: &[Level<K>],
    ) -> Result<Option<Vec<Armies<W>>>, Stopped> {
        let exchange = self.engine.expander.exchange();
        let here = self.goals_on(puzzle, &levels[levels.len() - 1])?.first().copied();
        let Some(last) = exchange.all_reduce_min(here)? else { return Ok(None) };
        let keys = trace_by(levels, last, exchange, |key, depth, level| {
            let (armies, _) = puzzle.armies(key);
            // Every move is reversed by a move of the same man.
            let undone = neighbours(puzzle, armies, Side::to_move(depth as u32));
            Ok(level.first_of(undone.into_iter().map(|a| puzzle.canonical(a, depth as u32)).collect())?)
        })?;
        let mut game = vec![puzzle.bases()];
        for (depth, &key) in keys.iter().enumerate().skip(1) {
            let side = Side::to_move(depth as u32 - 1);
            let next = neighbours(puzzle, game[depth - 1], side);
            let next = next.into_iter().find(|&armies| puzzle.canonical(armies, depth as u32) == key);
            let apart = || Stopped::Contradiction("two positions of a game are not one move apart".into());
            game.push(next.ok_or_else(apart)?);
        }
        Ok(Some(game))
    }

    /// The states of a level that end a game, ascending.
    pub(super) fn goals_on(&self, puzzle: &GamePuzzle<W, K>, level: &Level<K>) -> Result<Vec<K>, StoreError> {
        self.engine.filtered(level, || (), |(), key| puzzle.is_goal(key))
    }
}

/// The positions one move of `side` away, which are also the positions from which such a move leads here.
pub(super) fn neighbours<const W: usize, K: PairKey>(
    puzzle: &GamePuzzle<W, K>,
    armies: Armies<W>,
    side: Side,
) -> Vec<Armies<W>> {
    let mover = usize::from(side == Side::Red);
    let men: Vec<u8> = armies[mover].iter().chain(armies[1 - mover].iter()).map(|c| c as u8).collect();
    let mut reach = vec![Cells::EMPTY; men.len()];
    puzzle.mover().reach(&men, armies[0] | armies[1], &mut Default::default(), &mut reach);
    let mut all = Vec::new();
    for (&from, targets) in men.iter().zip(&reach).take(armies[mover].len()) {
        targets.for_each(|to| {
            let mut moved = armies;
            moved[mover] = armies[mover].without(from.into()).with(to);
            all.push(moved);
        });
    }
    all
}
