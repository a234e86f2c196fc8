//! From level sets back to a solution.

use halma_engine::key::Key;
use halma_engine::search::{Stopped, trace_shared};
use halma_engine::store::Level;
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;

use super::TransferSearch;

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// The keys of a walk through `levels`, from level 0 to `last` on the last level.
    pub(super) fn trace(&self, levels: &[Level<K>], last: K) -> Result<Vec<K>, Stopped> {
        let free = TransferPuzzle::new(&self.tables, &self.problem.start, Vec::new());
        trace_shared(&free, levels, last, self.expander.exchange())
    }

    /// The armies of a walk that is given by keys, from the start on.
    pub(super) fn armies(&self, keys: &[K]) -> Result<Vec<Cells<W>>, Stopped> {
        let mut walk: Vec<Cells<W>> = vec![halma_rules::problem::set(&self.problem.start)];
        for &key in &keys[1..] {
            let army = walk[walk.len() - 1];
            let next = self.successor_armies(army).into_iter().find(|&a| self.tables.canonical(a) == key);
            let apart = || Stopped::Contradiction("two states of a walk are not one move apart".into());
            walk.push(next.ok_or_else(apart)?);
        }
        Ok(walk)
    }

    /// All armies one move away.
    pub(super) fn successor_armies(&self, army: Cells<W>) -> Vec<Cells<W>> {
        let men: Vec<u8> = army.iter().map(|c| c as u8).collect();
        let mut reach = vec![Cells::EMPTY; men.len()];
        self.tables.mover.reach(&men, army, &mut Default::default(), &mut reach);
        let moved = |(&from, to): (&u8, Cells<W>)| to.iter().map(move |to| army.without(usize::from(from)).with(to));
        men.iter().zip(reach).flat_map(moved).collect()
    }

    /// A walk to the middle, and the mirror image of another one back from it.
    ///
    /// `there` ends on the army that the mirror image of the end of `back` continues: the same state, or one move away.
    pub(super) fn join_mirrored(&self, there: &[K], back: &[K]) -> Result<Vec<Cells<W>>, Stopped> {
        let image = |&key: &K| self.tables.canonical(self.tables.army(key).mapped(self.mirror()));
        let mut keys = there.to_vec();
        let returning: Vec<K> = back.iter().rev().map(image).collect();
        let shared = usize::from(keys.last() == returning.first());
        keys.extend(&returning[shared..]);
        self.armies(&keys)
    }
}
