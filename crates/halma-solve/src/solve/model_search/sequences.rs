//! Counts the shortest solutions of a puzzle, and lists some, from the levels of a search from the start: dynamic
//! programming over levels.
//!
//! A backward pass from the goal keeps the states that lie on some shortest solution. A forward pass from the start
//! counts the sequences of states that lead to each. States that symmetries map to each other are one class; its sum
//! counts the sequences that lead to all its members together. Sequences up to symmetry are counted by Burnside's
//! lemma.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};

use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::Stopped;
use halma_engine::store::{Level, StoreError};
use halma_puzzles::own::Worker;

use super::ModelSearch;
use crate::solve::Counted;
use crate::solve::path_counts::{AT_ONCE, Before, CountLimits, Held, burnside, paths_by_state, states, sum};

/// States whose moves are summed at a time, if memory suffices.
const PART: usize = 1 << 12;

/// Memory is checked each time so many solutions have been listed.
const OFTEN: usize = 1 << 10;

/// Numbers of shortest solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequences {
    /// Sequences of states.
    pub sequences: u128,
    /// Sequences, counting those that a symmetry maps to each other once.
    pub up_to_symmetry: u128,
    /// These symmetries, where the search used none.
    pub symmetries: Option<Vec<Vec<u8>>>,
    /// By level, the number of classes of states that lie on some shortest solution.
    pub positions: Vec<u64>,
}

impl<K: Key> ModelSearch<'_, K> {
    /// Counts the solutions of `length` moves, given that there is none shorter and that the levels have been made.
    pub fn count(&self, length: u32) -> Counted<Sequences> {
        self.engine.progress.length(length);
        let levels = &self.ahead.levels[..];
        let numbers = self.engine.expander.install(|| Held::summing(&[levels], |held| self.sum(levels, held)));
        Counted { numbers, levels: Vec::new() }
    }

    /// So many shortest solutions, as `written` writes them, each text once, or all if there are fewer; the levels must have been made.
    ///
    /// # Errors
    /// Where it is stopped, where memory does not suffice for the states on them, or where a level cannot be read.
    pub fn all<T: Clone + Eq + Hash>(&self, most: usize, written: impl Fn(&[K]) -> T) -> Result<Vec<T>, Stopped> {
        let levels = &self.ahead.levels[..];
        let on_paths = self.engine.expander.install(|| Held::summing(&[levels], |held| self.on_paths(levels, held)))?;
        let (mut worker, mut found, mut listed) = (self.model.worker(), Vec::new(), HashSet::new());
        let mut starts: Vec<K> = self.model.starts();
        starts.retain(|&start| on_paths[0].binary_search(&worker.canonical(start)).is_ok());
        // Depth-first: the states still to be tried, each with its level.
        let mut open: Vec<(usize, K)> = starts.into_iter().rev().map(|start| (0, start)).collect();
        let (mut walk, mut after): (Vec<K>, Vec<K>) = (Vec::new(), Vec::new());
        while let Some((depth, state)) = open.pop() {
            self.engine.cancel.check()?;
            walk.truncate(depth);
            walk.push(state);
            let Some(next) = on_paths.get(depth + 1) else {
                let solution = written(&walk);
                if listed.insert(solution.clone()) {
                    found.push(solution);
                    if found.len() % OFTEN == 0 {
                        self.limits().check_for_more()?;
                    }
                }
                if found.len() == most {
                    break;
                }
                continue;
            };
            after.clear();
            worker.after(state, &mut after);
            after.retain(|&state| next.binary_search(&worker.canonical(state)).is_ok());
            open.extend(after.iter().rev().map(|&state| (depth + 1, state)));
        }
        Ok(found)
    }

    fn limits(&self) -> CountLimits<'_> {
        CountLimits { cancel: self.engine.cancel, plan: self.engine.expander.memory_plan() }
    }

    /// The predecessors of a class of states, for sums over paths; none any more after `gave_up` is set, because one had too many.
    fn befores<'s>(&'s self, gave_up: &'s AtomicBool) -> impl FnMut(K, usize, &mut Before<K>) + 's {
        let (mut worker, mut around) = (self.model.worker(), Vec::new());
        move |key: K, _: usize, found: &mut Before<K>| {
            if gave_up.load(Ordering::Relaxed) {
                return;
            }
            around.clear();
            gave_up.fetch_or(!worker.before(key, &mut around), Ordering::Relaxed);
            found.extend(around.iter().map(|&state| (worker.canonical(state), 1)));
        }
    }

    /// By level, the classes of states that lie on some solution through these levels.
    fn on_paths(&self, levels: &[Level<K>], held: &mut Held) -> Result<Vec<Vec<K>>, Stopped> {
        let limits = self.limits();
        let ends = self.goals_on(&levels[levels.len() - 1])?;
        if self.model.has_inverse() {
            let gave_up = AtomicBool::new(false);
            let on_paths = states(levels, ends.clone(), || self.befores(&gave_up), limits, held)?;
            if !gave_up.into_inner() {
                held.check()?;
                return Ok(on_paths);
            }
            *held = Held::default();
        }
        // Where predecessors cannot be computed, or are too many, every state of the previous level is tried.
        held.enter(ends.len(), limits)?;
        let mut on_paths = vec![ends];
        for level in levels[..levels.len() - 1].iter().rev() {
            let next = &on_paths[on_paths.len() - 1];
            let block = |(worker, keys, after): &mut (Box<dyn Worker<K> + '_>, Vec<K>, Vec<K>), block: usize| {
                level.read_block(block, keys)?;
                keys.retain(|&key| {
                    after.clear();
                    worker.canonical_successors(key, after);
                    after.iter().any(|state| next.binary_search(state).is_ok())
                });
                Ok::<_, StoreError>(std::mem::take(keys))
            };
            let scratch = || (self.model.worker(), Vec::new(), Vec::new());
            let here = parallel::map(level.blocks(), scratch, block)?.concat();
            held.enter(here.len(), limits)?;
            on_paths.push(here);
        }
        on_paths.reverse();
        Ok(on_paths)
    }

    /// For each class of the next level, how many sequences of states lead to it from the starts; `ways` are those of
    /// this level. The number is the same for all members of a class together, since a symmetry maps the moves of one
    /// member to those of another.
    fn pushed(&self, here: &[K], ways: &[u128], next: &[K]) -> Result<Vec<u128>, Stopped> {
        let limits = self.limits();
        limits.check_memory_for::<u128>(next.len())?;
        let size = limits.part().min(PART);
        let part = |(worker, after): &mut (Box<dyn Worker<K> + '_>, Vec<K>), number: usize| {
            limits.check()?;
            let (mut found, part) = (Vec::new(), number * size..here.len().min((number + 1) * size));
            for (&key, &ways) in here[part.clone()].iter().zip(&ways[part]) {
                after.clear();
                worker.canonical_successors(key, after);
                found.extend(after.iter().filter_map(|state| next.binary_search(state).ok()).map(|at| (at, ways)));
            }
            Ok::<_, Stopped>(found)
        };
        let (mut sums, parts) = (vec![0u128; next.len()], here.len().div_ceil(size));
        // Each move takes more memory than its sum. So not all are held at once.
        for first in (0..parts).step_by(AT_ONCE) {
            let scratch = || (self.model.worker(), Vec::new());
            let some = |scratch: &mut _, number| part(scratch, first + number);
            let found = parallel::map(AT_ONCE.min(parts - first), scratch, some)?;
            for (at, ways) in found.into_iter().flatten() {
                sums[at] = sum([sums[at], ways])?;
            }
        }
        Ok(sums)
    }

    fn sum(&self, levels: &[Level<K>], held: &mut Held) -> Result<Sequences, Stopped> {
        let on_paths = self.on_paths(levels, held)?;
        let mut worker = self.model.worker();
        let mut ways = vec![0u128; on_paths[0].len()];
        for start in self.model.starts() {
            if let Ok(at) = on_paths[0].binary_search(&worker.canonical(start)) {
                ways[at] += 1;
            }
        }
        for pair in on_paths.windows(2) {
            ways = self.pushed(&pair[0], &ways, &pair[1])?;
        }
        let mut fixed = vec![sum(ways.iter().copied())?];
        // Burnside's lemma: the number of classes is the mean of the sequences that each symmetry fixes. Solutions are counted up to
        // all symmetries, also where the search used none.
        let whole = self.model.whole();
        let symmetries = whole.as_ref().and_then(|whole| whole.symmetries());
        let whole = whole.as_deref().unwrap_or(self.model);
        let mut moved = whole.worker();
        for map in 1..whole.order() {
            let mut starts = self.model.starts();
            starts.retain(|&start| {
                moved.image(start, map) == start && on_paths[0].binary_search(&worker.canonical(start)).is_ok()
            });
            let mut after = |state: K, depth: usize| {
                let mut after = Vec::new();
                worker.after(state, &mut after);
                after.retain(|&next| {
                    moved.image(next, map) == next && on_paths[depth + 1].binary_search(&worker.canonical(next)).is_ok()
                });
                after.into_iter().map(|next| (next, 1)).collect()
            };
            let mut all = 0;
            for start in starts {
                let ends = paths_by_state(start, on_paths.len() - 1, &mut after)?;
                all = sum(ends.into_values().chain([all]))?;
            }
            fixed.push(all);
        }
        let positions = on_paths.iter().map(|level| level.len() as u64).collect();
        Ok(Sequences { sequences: fixed[0], up_to_symmetry: burnside(&fixed)?, symmetries, positions })
    }
}
