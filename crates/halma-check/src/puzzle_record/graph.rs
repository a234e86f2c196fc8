//! States by their numbers, for the walk over levels.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::code::{Arithmetic, Code};
use super::model::{Distance, Model, State};
use crate::level_file::Level;
use crate::level_step::StateSpace;
use crate::rejection::{Rejection, Trouble};

/// The bound of puzzles: prunes states from which the moves that are left do not lead to the goal.
pub struct Bounds {
    length: u32,
    distance: Option<Arc<Distance>>,
    /// Whether one was pruned from which more moves may lead there.
    live: AtomicBool,
}

impl Bounds {
    /// By these distances, for solutions of that length.
    pub fn of(length: u32, distance: Option<Arc<Distance>>) -> Self {
        Self { length, distance, live: AtomicBool::new(false) }
    }

    /// Nothing is pruned.
    pub fn none() -> Self {
        Self::of(u32::MAX, None)
    }

    /// Whether none was pruned so far from which any number of moves leads to the goal.
    pub fn pruned_only_lost_states(&self) -> bool {
        !self.live.load(Ordering::Relaxed)
    }

    /// Whether the bound says that no way of that length leads from there to the goal.
    fn prunes(&self, distance: &Distance, state: &[u8], depth: u32) -> bool {
        let Some(moves) = distance(state) else { return true };
        let prunes = self.length.checked_sub(depth).is_none_or(|left| moves > left);
        if prunes {
            self.live.store(true, Ordering::Relaxed);
        }
        prunes
    }
}

/// A puzzle whose states have numbers, seen from its starts or from its goal.
pub struct Graph<'a, N> {
    pub model: &'a dyn Model,
    pub code: &'a Code<N>,
    /// Whether the way goes from the goal to a start.
    backward: bool,
    /// The keys of the starts, ascending.
    starts: Vec<N>,
}

impl<'a, N: Arithmetic> Graph<'a, N> {
    /// The states of a puzzle, numbered by `code`.
    pub fn new(model: &'a dyn Model, code: &'a Code<N>, backward: bool) -> Self {
        let mut graph = Self { model, code, backward, starts: Vec::new() };
        graph.starts = model.starts().iter().map(|start| graph.key(start)).collect();
        graph.starts.sort_unstable();
        graph
    }

    /// The key of the class of a state: the least of its images' numbers.
    pub fn key(&self, state: &[u8]) -> N {
        self.model.images(state).iter().map(|image| self.code.number(image)).min().unwrap_or_default()
    }

    /// The class of the image of a class under the record's mirror.
    pub fn mirrored(&self, key: N) -> Result<N, String> {
        let image = self.model.mirrored(&self.state(key)?);
        image.map(|image| self.key(&image)).ok_or_else(|| "there is no mirror".into())
    }

    /// Whether the record names a mirror, which was found to be one.
    pub fn has_mirror(&self) -> bool {
        self.model.starts().first().is_some_and(|start| self.model.mirrored(start).is_some())
    }

    /// The state of a number.
    pub fn state(&self, key: N) -> Result<State, String> {
        let state = self.code.state(key).ok_or_else(|| format!("{key} is the number of no state"))?;
        match self.model.fault(&state) {
            None => Ok(state),
            Some(fault) => Err(format!("{key} is the number of no state: {fault}")),
        }
    }

    fn is_end(&self, key: N) -> Result<bool, String> {
        match self.backward {
            false => Ok(self.model.is_goal(&self.state(key)?)),
            true => Ok(self.starts.binary_search(&key).is_ok()),
        }
    }
}

impl<N: Arithmetic> StateSpace for Graph<'_, N> {
    type Key = N;
    type Bounds = Bounds;
    const LEVELS_HELD: usize = usize::MAX;
    const END: &'static str = "a solution ends";

    fn expand(&self, parents: &[N], depth: u32, bounds: &Bounds) -> Result<(Vec<N>, u64), Trouble> {
        let (mut keys, mut generated) = (Vec::new(), 0);
        for &parent in parents {
            for state in self.model.moves(&self.state(parent)?)? {
                generated += 1;
                let key = self.key(&state);
                // The state that stands for the class is the one that is judged.
                let pruned = match &bounds.distance {
                    Some(distance) => bounds.prunes(&**distance, &self.state(key)?, depth + 1),
                    None => false,
                };
                keys.extend((!pruned).then_some(key));
            }
        }
        Ok((keys, generated))
    }

    // Only asked where moves can be undone.
    fn predecessors(&self, key: N) -> Result<Vec<N>, Trouble> {
        Ok(self.model.moves(&self.state(key)?)?.iter().map(|state| self.key(state)).collect())
    }

    fn checked_centroid(&self, key: N) -> Result<Option<i64>, String> {
        match self.key(&self.state(key)?) == key {
            true => Ok(None),
            false => Err(format!("{} stands for another state", self.show(key))),
        }
    }

    fn show(&self, key: N) -> String {
        self.state(key).map_or_else(|fault| fault, |state| self.model.show(&state))
    }

    fn first_goal(&self, level: &Level<N>) -> Result<Option<N>, Rejection> {
        level.find_first(|key| self.is_end(key))
    }

    // Moves may lead back after any number of moves.
    fn may_recur(_before_last: usize) -> bool {
        true
    }
}
