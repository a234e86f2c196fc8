//! States that are expanded together, for puzzles that can do so faster than state by state.

use std::any::Any;
use std::sync::Arc;

use crate::store::layout::Layout;

/// What was expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// States.
    pub states: u64,
    /// Their successors, with repetitions and with those that a bound prunes.
    pub generated: u64,
    /// The same without those that a bound prunes.
    pub emitted: u64,
}

impl Expanded {
    /// Adds what was expanded further.
    pub fn add(&mut self, more: Self) {
        self.states += more.states;
        self.generated += more.generated;
        self.emitted += more.emitted;
    }
}

/// The batches of one level: one for each thread.
///
/// Two phases take turns. First each thread adds states of the level to its batch and expands them. Then all threads together emit the
/// successors of all batches, so that states of two batches with the same successor emit it once.
pub trait Batches<K>: Send + Sync {
    /// An empty batch, for one thread.
    fn batch(&self) -> Box<dyn Batch<K>>;

    /// Whether a batch has successors that were not emitted. Not to be asked while a thread emits.
    fn have_successors(&self) -> bool;

    /// Forgets the successors, which were emitted. No thread may expand or emit meanwhile.
    fn clear(&self);

    /// What makes the whole next level in a layout of the puzzle's own, if there is one.
    fn whole_level(self: Box<Self>) -> Option<Box<dyn WholeLevel<K>>> {
        None
    }
}

/// Makes levels as a whole, in a layout of the puzzle's own. Keys are never sorted: the puzzle removes duplicates and old states by
/// itself.
///
/// First all threads add states: the successors of all parts of the level before, or, to lay out another level, that level's states.
/// Then they make all parts of the level from them.
pub trait WholeLevel<K>: Send + Sync {
    /// Whether this layout can be expanded, and compared with new states.
    fn takes(&self, layout: &dyn Layout<K>) -> bool;

    /// What one thread works with.
    fn worker(&self) -> Box<dyn LevelWorker<K>>;

    /// In how many parts the level is made. To be asked when all threads have added.
    fn parts(&self) -> usize;

    /// The level of these states: those of all parts, in order, as [`LevelWorker::new_states`] made them. Forgets what was added.
    fn level(&self, parts: Vec<Box<dyn Any + Send>>) -> Arc<dyn Layout<K>>;
}

/// What takes keys, some at a time.
pub type TakeKeys<'f, K> = dyn FnMut(&[K]) + 'f;

/// One thread's part in a [`WholeLevel`].
pub trait LevelWorker<K>: Send {
    /// Adds states.
    fn add(&mut self, keys: &[K]);

    /// Adds the successors of a part of the level before. It may stop as soon as [`Self::bytes`] is more than `bytes`: then the level is
    /// given up.
    fn expand(&mut self, before: &dyn Layout<K>, part: usize, bytes: usize) -> Expanded;

    /// The bytes of what this worker has added.
    fn bytes(&self) -> usize;

    /// Makes a part of the level: what all threads have added, without the states that one of the levels `before` has. Calls `f`,
    /// if there is one, with the keys, in any order. No thread adds any more.
    fn new_states(&mut self, part: usize, before: &[&dyn Layout<K>], f: Option<&mut TakeKeys<'_, K>>) -> NewStates;
}

/// A part of a level.
pub struct NewStates {
    /// For [`WholeLevel::level`].
    pub states: Box<dyn Any + Send>,
    /// How many there are.
    pub len: u64,
    /// How many states were added that are not new, each counted once.
    pub old: u64,
    /// The largest of the new states' [`Puzzle::measure`](crate::puzzle::Puzzle::measure)s, if there was an `f`.
    pub measure_max: Option<i64>,
}

/// States that a thread expands together.
///
/// All successors that no bound prunes are emitted, each at least once: where many states have the same successor, work is saved by
/// emitting it once.
pub trait Batch<K>: Send {
    /// Adds states of the level, which ascend. None may wait that [`Self::expand`] has left.
    fn add(&mut self, keys: &[K]);

    /// Whether states wait to be expanded.
    fn waits(&self) -> bool;

    /// The bytes that the states which wait take.
    fn bytes_waiting(&self) -> usize;

    /// The bytes that the successors of this batch take.
    fn bytes_made(&self) -> usize;

    /// Expands some of the states that wait, at least one, until [`Self::bytes_made`] is so much. Nothing if none wait.
    /// If successors were emitted before, [`Batches::clear`] must have been called since.
    fn expand(&mut self, bytes: usize) -> Expanded;

    /// Emits successors of any batch that were not emitted yet: about `wanted`, or all that are left to this thread. Returns how many.
    /// Other threads may do the same, but none expands.
    fn emit(&mut self, wanted: usize, emit: &mut dyn FnMut(&[K])) -> usize;

    /// As [`Puzzle::leader`](crate::puzzle::Puzzle::leader), of what this batch has emitted.
    fn leader(&self) -> Option<(i64, K)>;
}
