//! States that are expanded together, for puzzles that can do so faster than state by state.

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

/// Makes the batches of one level.
pub trait Batches<K>: Send + Sync {
    /// An empty batch, for one thread.
    fn batch(&self) -> Box<dyn Batch<K>>;
}

/// States that are expanded together.
///
/// States are added, then expanded bit by bit, then their successors are emitted bit by bit. All successors that no bound prunes are
/// emitted, each at least once: where many states have the same successor, a batch saves work by emitting it once.
pub trait Batch<K>: Send {
    /// Adds states of the level, which ascend.
    fn add(&mut self, keys: &[K]);

    /// The bytes that the states and the successors take.
    fn bytes(&self) -> usize;

    /// Expands some of the states that wait, at least one, until their successors take so many bytes. Nothing if none wait. What was
    /// expanded before has been emitted.
    fn expand(&mut self, bytes: usize) -> Expanded;

    /// Emits successors that were not emitted yet: about `wanted`, or all that are left. Returns how many.
    fn emit(&mut self, wanted: usize, emit: &mut dyn FnMut(&[K])) -> usize;

    /// Whether no state waits and all successors were emitted.
    fn is_done(&self) -> bool;

    /// As [`Puzzle::leader`](crate::puzzle::Puzzle::leader), of what this batch has emitted.
    fn leader(&self) -> Option<(i64, K)>;
}
