//! Solution reconstruction, from levels back to states, and its check.

use halma_engine::key::Key;
use halma_engine::search::{Stopped, trace_by};
use halma_engine::store::Level;
use halma_puzzles::own::Worker;

use super::ModelSearch;

impl<K: Key> ModelSearch<'_, K> {
    /// The classes of a path through levels that ends in `last`, from level 0 on. `backward`: through levels from the
    /// goal.
    pub(super) fn trace(&self, levels: &[Level<K>], last: K, backward: bool) -> Result<Vec<K>, Stopped> {
        let exchange = self.engine.expander.exchange();
        let mut worker = self.model.worker();
        trace_by(levels, last, exchange, |here, _, level| {
            if !backward && !self.model.has_inverse() {
                return self.first_that_leads_to(level, here);
            }
            let mut around = Vec::new();
            if backward {
                worker.canonical_successors(here, &mut around);
            } else if !worker.canonical_predecessors(here, &mut around) {
                return self.first_that_leads_to(level, here);
            }
            Ok(level.first_of(around)?)
        })
    }

    /// The least state of a level with a move to the class of `next`; tries one state after another.
    fn first_that_leads_to(&self, level: &Level<K>, next: K) -> Result<Option<K>, Stopped> {
        let search = |(worker, keys): &mut (Box<dyn Worker<K> + '_>, Vec<K>), block: usize| {
            level.read_block(block, keys)?;
            let mut after = Vec::new();
            Ok(keys.iter().copied().find(|&key| {
                after.clear();
                worker.canonical_successors(key, &mut after);
                after.contains(&next)
            }))
        };
        self.engine.first_of(level.blocks(), || (self.model.worker(), Vec::new()), search)
    }

    /// The states of a path that is given by classes.
    pub(super) fn states(&self, classes: &[K]) -> Result<Vec<K>, Stopped> {
        let mut worker = self.model.worker();
        let apart = || Stopped::Contradiction("two states of a walk are not one move apart".into());
        let mut starts = self.model.starts().into_iter();
        let mut walk = vec![starts.find(|&state| worker.canonical(state) == classes[0]).ok_or_else(apart)?];
        let mut after = Vec::new();
        for &class in &classes[1..] {
            after.clear();
            worker.after(walk[walk.len() - 1], &mut after);
            walk.push(after.iter().copied().find(|&state| worker.canonical(state) == class).ok_or_else(apart)?);
        }
        Ok(walk)
    }

    /// Checks a solution: every move is legal, and only the last state satisfies the goal.
    pub(super) fn check(&self, walk: &[K], length: u32) -> Result<(), String> {
        let (mut worker, mut after) = (self.model.worker(), Vec::new());
        let mut moves = walk.windows(2).map(|pair| {
            after.clear();
            worker.after(pair[0], &mut after);
            after.contains(&pair[1])
        });
        let legal = moves.all(|legal| legal) && walk.len() == length as usize + 1;
        drop(moves);
        let first = walk.iter().position(|&state| worker.is_goal(state));
        match legal && first == Some(length as usize) {
            true => Ok(()),
            false => Err(format!("legal moves {legal}, the goal is met at {first:?}, asked {length}")),
        }
    }
}
