//! Puzzles from files and in Rust as the search sees them: one interface, whatever stated them.
//!
//! A [`Model`] numbers states exactly and says what one move leads to. It works on the numbers of states themselves; where a
//! puzzle has symmetries, the search stores the least number of each class ([`Worker::canonical`]).

mod coding;
pub mod grounded;
pub mod in_rust;
pub mod permutation_coding;
mod permuted;
pub mod projection;
pub mod replay;
mod step_index;
#[cfg(test)]
mod tests;
mod visited;

use std::collections::BTreeMap;

use halma_engine::key::{Key, U256};
use halma_engine::puzzle::Puzzle;
pub use halma_record::record::Repeats;
use halma_rules::puzzle::Compiled;

/// A puzzle as the search sees it.
pub trait Model<K: Key>: Send + Sync {
    /// The states that it begins with, at least one; not necessarily one for each class.
    fn starts(&self) -> Vec<K>;

    /// What one thread works with.
    fn worker(&self) -> Box<dyn Worker<K> + '_>;

    /// How far back a repeated state can lie.
    fn repeats(&self) -> Repeats;

    /// The maps of cells that are used as symmetries, the identity first; `None` where the puzzle has no cells.
    fn symmetries(&self) -> Option<Vec<Vec<u8>>> {
        None
    }

    /// Whether a puzzle without cells has its symmetries switched off. Where there are cells, their maps say it.
    fn symmetry_is_off(&self) -> bool {
        false
    }

    /// The map that takes the starts to the goal and turns moves round, where one is known: its cells, and the letters or pieces that
    /// it exchanges. Classes go to classes under it.
    fn mirror(&self) -> Option<(Vec<u8>, BTreeMap<String, String>)> {
        None
    }

    /// The same puzzle with all its symmetries, whose states have the same numbers; `None` where this one has them.
    fn whole(&self) -> Option<Box<dyn Model<K>>> {
        None
    }

    /// The number of symmetries: an upper bound for the states of a class.
    fn order(&self) -> usize {
        self.symmetries().map_or(1, |all| all.len())
    }

    /// Whether the puzzle has a goal at all.
    fn has_goal(&self) -> bool;

    /// All states that satisfy the goal, where they can be listed.
    fn goals(&self) -> Option<Vec<K>> {
        None
    }

    /// Whether [`Worker::before`] can say what leads to a state.
    fn has_inverse(&self) -> bool {
        self.repeats() == Repeats::Previous
    }

    /// A lower bound of the puzzle's own, where it has one.
    fn own_bound(&self) -> Option<&dyn LowerBound<K>> {
        None
    }

    /// Whether the sizes of classes are known, so that solutions can be counted.
    fn counts(&self) -> bool {
        true
    }

    /// A state as text, one line a row.
    fn picture(&self, state: K) -> String;

    /// The move from one state to another one, as records write it.
    fn written(&self, before: K, after: K) -> String;
}

/// The working part of a [`Model`], for one thread.
pub trait Worker<K: Key>: Send {
    /// The states that one move leads to, each once, the state itself not among them; put behind what `out` has.
    fn after(&mut self, state: K, out: &mut Vec<K>);

    /// The states from which one move leads here, each once; only where [`Model::has_inverse`]. Returns whether these are all, as
    /// they always are where moves lead back: a chain that takes men, undone, may come from more states than there is memory for.
    #[must_use]
    fn before(&mut self, state: K, out: &mut Vec<K>) -> bool {
        self.after(state, out);
        true
    }

    /// The least number of a state's images.
    fn canonical(&mut self, state: K) -> K {
        state
    }

    /// [`Self::canonical`] of each of [`Self::after`]; where two states have the same it comes twice.
    fn canonical_successors(&mut self, state: K, out: &mut Vec<K>) {
        let first = out.len();
        self.after(state, out);
        out[first..].iter_mut().for_each(|state| *state = self.canonical(*state));
    }

    /// [`Self::canonical`] of each of [`Self::before`]; where two states have the same it comes twice.
    #[must_use]
    fn canonical_predecessors(&mut self, state: K, out: &mut Vec<K>) -> bool {
        let first = out.len();
        let all = self.before(state, out);
        out[first..].iter_mut().for_each(|state| *state = self.canonical(*state));
        all
    }

    /// The image of a state under symmetry `map` of [`Model::order`]; 0 is the identity.
    fn image(&mut self, state: K, _map: usize) -> K {
        state
    }

    /// The class of a state's image under [`Model::mirror`]; the state itself where there is none.
    fn mirrored(&mut self, state: K) -> K {
        state
    }

    /// Whether a state satisfies the goal.
    fn is_goal(&mut self, state: K) -> bool;

    /// Whether a number is that of a state.
    fn is_state(&mut self, state: K) -> bool;
}

/// Keys that models have.
pub trait ModelKey: Key {
    /// A model with these keys.
    fn any(model: Box<dyn Model<Self>>) -> AnyModel;
}

impl ModelKey for u64 {
    fn any(model: Box<dyn Model<Self>>) -> AnyModel {
        AnyModel::Small(model)
    }
}

impl ModelKey for u128 {
    fn any(model: Box<dyn Model<Self>>) -> AnyModel {
        AnyModel::Medium(model)
    }
}

impl ModelKey for U256 {
    fn any(model: Box<dyn Model<Self>>) -> AnyModel {
        AnyModel::Large(model)
    }
}

/// A lower bound on the moves from a state to the goal.
pub trait LowerBound<K>: Sync {
    /// A function for one thread: a lower bound on the moves to the goal; `u32::MAX` where the goal cannot be reached.
    fn evaluator(&self) -> Box<dyn FnMut(K) -> u32 + Send + '_>;
}

/// A model as the engine searches it: classes of states, from the starts or from the goals, under a bound or not.
pub struct Searched<'a, K> {
    /// The puzzle.
    pub model: &'a dyn Model<K>,
    /// Where the search begins: least numbers of their classes.
    pub starts: Vec<K>,
    /// Whether moves are undone.
    pub backward: bool,
    /// States from which the goal is further than what is left of this length are dropped.
    pub bound: Option<(&'a dyn LowerBound<K>, u32)>,
}

/// What one thread searches a [`Searched`] with.
pub struct SearchScratch<'a, K> {
    worker: Box<dyn Worker<K> + 'a>,
    bound: Option<Box<dyn FnMut(K) -> u32 + Send + 'a>>,
    found: Vec<K>,
}

impl<'a, K: Key> Searched<'a, K> {
    /// From the starts, without a bound.
    #[must_use]
    pub fn forward(model: &'a dyn Model<K>) -> Self {
        Self { model, starts: classes(model, model.starts()), backward: false, bound: None }
    }

    /// From these states by moves undone.
    #[must_use]
    pub fn backward(model: &'a dyn Model<K>, goals: Vec<K>) -> Self {
        Self { model, starts: classes(model, goals), backward: true, bound: None }
    }

    /// The same under a bound, for solutions of `length` moves.
    #[must_use]
    pub fn bounded(self, bound: &'a dyn LowerBound<K>, length: u32) -> Self {
        Self { bound: Some((bound, length)), ..self }
    }
}

/// The least numbers of the classes of states, ascending.
fn classes<K: Key>(model: &dyn Model<K>, states: Vec<K>) -> Vec<K> {
    let mut worker = model.worker();
    let mut classes: Vec<K> = states.into_iter().map(|state| worker.canonical(state)).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

impl<'a, K: Key> Puzzle for Searched<'a, K> {
    type Key = K;
    type Scratch = SearchScratch<'a, K>;

    fn scratch(&self) -> Self::Scratch {
        let bound = self.bound.map(|(bound, _)| bound.evaluator());
        SearchScratch { worker: self.model.worker(), bound, found: Vec::new() }
    }

    fn start(&self) -> Vec<K> {
        self.starts.clone()
    }

    fn successors(&self, scratch: &mut Self::Scratch, key: K, depth: u32, emit: &mut impl FnMut(K)) -> u64 {
        let SearchScratch { worker, bound, found } = scratch;
        found.clear();
        if self.backward {
            // A level without some of its states would prove nothing.
            assert!(
                worker.canonical_predecessors(key, found),
                "a search from the goal, and not all that leads to a state is known"
            );
        } else {
            worker.canonical_successors(key, found);
        }
        match (bound, self.bound) {
            (Some(bound), Some((_, length))) => {
                let left = length.saturating_sub(depth + 1);
                found.iter().copied().filter(|&state| bound(state) <= left).for_each(emit);
            }
            _ => found.iter().copied().for_each(emit),
        }
        found.len() as u64
    }

    fn is_state(&self, scratch: &mut Self::Scratch, key: K) -> bool {
        scratch.worker.is_state(key)
    }
}

/// Whether [`open`] has keys for the states of a puzzle.
#[must_use]
pub fn can_be_numbered(compiled: &Compiled) -> bool {
    match compiled {
        Compiled::Grounded(task) => coding::numbers(task).is_some(),
        Compiled::Permutations(puzzle) => permutation_coding::key_bytes(puzzle).is_ok(),
        Compiled::Own(_) => true,
    }
}

/// The model of a compiled puzzle, with symmetries or without; `None` where its states are too many to number.
#[must_use]
pub fn open(compiled: &Compiled, symmetry: bool) -> Option<AnyModel> {
    match compiled {
        Compiled::Grounded(task) => grounded::model(task, symmetry),
        Compiled::Permutations(puzzle) => permuted::model(puzzle, symmetry),
        Compiled::Own(own) => own.downcast_ref::<in_rust::Opener>().map(|opener| opener.open(symmetry)),
    }
}

/// `with_model!(any, model => what)`: does the same with a model whatever the width of its keys; it is compiled once for each.
#[macro_export]
macro_rules! with_model {
    ($any:expr, $model:ident => $what:expr) => {
        match $any {
            $crate::own::AnyModel::Small($model) => $what,
            $crate::own::AnyModel::Medium($model) => $what,
            $crate::own::AnyModel::Large($model) => $what,
        }
    };
}

/// A model with the smallest keys that hold its states; see [`with_model!`](crate::with_model).
pub enum AnyModel {
    /// Up to 2^64 - 1 states.
    Small(Box<dyn Model<u64>>),
    /// Up to 2^128 - 1 states.
    Medium(Box<dyn Model<u128>>),
    /// Up to 2^256 - 1 states.
    Large(Box<dyn Model<U256>>),
}
