//! Solution reconstruction, from levels back to a solution, and its check by the slow move generator.

use halma_engine::key::Key;
use halma_engine::search::{Stopped, trace_shared};
use halma_engine::store::Level;
use halma_rules::cells::Cells;
use halma_rules::moves;
use halma_rules::problem::{self, Transfer};

use super::setup::Setup;

impl<const W: usize, K: Key> Setup<'_, W, K> {
    /// The keys of a walk through `levels`, from level 0 to `last` on the last level.
    pub(super) fn trace(&self, levels: &[Level<K>], last: K) -> Result<Vec<K>, Stopped> {
        trace_shared(&self.puzzle(Vec::new()), levels, last, self.engine.expander.exchange())
    }

    /// The armies of a walk that is given by keys, from the start on.
    pub(super) fn armies(&self, keys: &[K]) -> Result<Vec<Cells<W>>, Stopped> {
        let mut walk: Vec<Cells<W>> = vec![self.problem.start()];
        for &key in &keys[1..] {
            let army = walk[walk.len() - 1];
            let next = self.successor_armies(army).into_iter().find(|&a| self.tables.states.canonical(a) == key);
            let apart = || Stopped::Contradiction("two states of a walk are not one move apart".into());
            walk.push(next.ok_or_else(apart)?);
        }
        Ok(walk)
    }

    /// All armies one move away.
    pub(super) fn successor_armies(&self, army: Cells<W>) -> Vec<Cells<W>> {
        let men: Vec<u8> = army.iter().map(|c| c as u8).collect();
        let mut reach = vec![Cells::EMPTY; men.len()];
        self.tables.states.mover.reach(&men, army, &mut Default::default(), &mut reach);
        let moved = |(&from, to): (&u8, Cells<W>)| to.iter().map(move |to| army.without(usize::from(from)).with(to));
        men.iter().zip(reach).flat_map(moved).collect()
    }

    /// Joins a walk to the middle and the mirror image of another one, back from it.
    ///
    /// The last army of `there` must be the mirror image of the last army of `back`, or one move away from it.
    pub(super) fn join_mirrored(&self, there: &[K], back: &[K]) -> Result<Vec<Cells<W>>, Stopped> {
        let image = |&key: &K| self.tables.states.canonical(self.tables.states.army(key).mapped(self.problem.mirror()));
        let mut keys = there.to_vec();
        let returning: Vec<K> = back.iter().rev().map(image).collect();
        let shared = usize::from(keys.last() == returning.first());
        keys.extend(&returning[shared..]);
        self.armies(&keys)
    }

    /// Whether a walk fills the target before its last move. Levels that are cut may lead through it, since a level is compared with
    /// the two before it alone; such a walk is no solution of its length.
    pub(super) fn fills_target_early(&self, walk: &[Cells<W>]) -> bool {
        let target = problem::set::<W>(&self.problem.transfer.target);
        walk.split_last().is_some_and(|(_, inner)| inner.contains(&target))
    }

    /// Checks by the slow move generator that the army walks from the start to the target in `length` legal moves, and is there no
    /// earlier.
    pub(super) fn check_walk(&self, walk: &[Cells<W>], length: u32) -> Result<(), String> {
        let ends = (walk.first().copied(), walk.last().copied());
        let Transfer { lattice, start, target, jumps_only } = self.problem.transfer;
        let set = |cells: &[usize]| Some(problem::set::<W>(cells));
        if ends != (set(start), set(target)) || walk.len() != length as usize + 1 {
            return Err("it does not lead from the start to the target in that many moves".into());
        }
        if self.fills_target_early(walk) {
            return Err("it fills the target before its last move".into());
        }
        for (number, pair) in (1..).zip(walk.windows(2)) {
            let occupied: Vec<bool> = (0..lattice.len()).map(|c| pair[0].contains(c)).collect();
            let legal = pair[0]
                .moved(pair[1])
                .is_some_and(|(from, to)| moves::destinations(lattice, &occupied, from, *jumps_only).contains(&to));
            if !legal {
                return Err(format!("move {number} is illegal"));
            }
        }
        Ok(())
    }
}
