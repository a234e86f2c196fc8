//! Puzzles in Rust: a type that says what its states are and what a move does gets the whole program.

mod claims;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::HashSet;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use halma_engine::key::Key;
use halma_record::job::PuzzleSpec;
use halma_record::record::Repeats;
use halma_record::source::InputError;
use halma_rules::puzzle::TableFault;
use halma_rules::puzzle::kinds::{Kind, RawTable};

use self::claims::Claims;
use super::{AnyModel, LowerBound, Model, ModelKey, Worker};

/// A puzzle in Rust. The type itself is read from the `[problem]` table of a job, without `kind` and `title`.
///
/// The first three functions are all that is needed. States are numbers: an exact one for each state, never a hash. The
/// search panics if a state has the largest number of the type, [`Key::MAX`]. It also panics if it sees that another
/// function is wrong; it tests that on the first 10,000 states that it expands.
///
/// ```
/// use halma_puzzles::own::in_rust::OwnPuzzle;
///
/// /// Water is poured between jugs until one of them has what is wanted.
/// #[derive(serde::Deserialize)]
/// struct Jugs { sizes: Vec<u64>, wanted: u64 }
///
/// impl OwnPuzzle for Jugs {
///     type Key = u64;
///     fn starts(&self) -> Vec<u64> {
///         vec![0]
///     }
///     fn after(&self, state: u64, out: &mut Vec<u64>) {
///         let held: Vec<u64> = (0..self.sizes.len()).map(|jug| state >> (8 * jug) & 255).collect();
///         let put = |jug: usize, amount: u64| (state & !(255 << (8 * jug))) | amount << (8 * jug);
///         for jug in 0..held.len() {
///             out.extend([put(jug, 0), put(jug, self.sizes[jug])]);
///         }
///     }
///     fn is_goal(&self, state: u64) -> bool {
///         (0..self.sizes.len()).any(|jug| state >> (8 * jug) & 255 == self.wanted)
///     }
/// }
/// ```
pub trait OwnPuzzle: DeserializeOwned + Send + Sync + 'static {
    /// What numbers its states: `u64`, `u128` or `U256`.
    type Key: ModelKey;

    /// The states that it begins with.
    fn starts(&self) -> Vec<Self::Key>;

    /// Puts the states that one move leads to behind what `out` has; the state itself and repeated ones do no harm.
    fn after(&self, state: Self::Key, out: &mut Vec<Self::Key>);

    /// Whether a state ends the puzzle.
    fn is_goal(&self, state: Self::Key) -> bool;

    /// Whether the table makes sense.
    ///
    /// # Errors
    /// What is wrong, and what is allowed. Where the text begins with a key and a colon, as in `wanted: 9 is more than any jug holds`, the
    /// message points at that key.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// All states that end the puzzle, where they can be listed: then it is searched from both ends, if moves can be undone.
    fn goals(&self) -> Option<Vec<Self::Key>> {
        None
    }

    /// How far back a repeated state can lie. [`Repeats::All`] is always right. If every move can be undone by a move,
    /// [`Repeats::Previous`] is right, too, and saves comparisons and memory.
    fn repeats(&self) -> Repeats {
        Repeats::All
    }

    /// The states from which one move leads here; what moves lead to, where they can be undone.
    fn before(&self, state: Self::Key, out: &mut Vec<Self::Key>) {
        self.after(state, out);
    }

    /// Whether [`Self::before`] is right.
    fn has_before(&self) -> bool {
        self.repeats() == Repeats::Previous
    }

    /// The state that stands for all that a symmetry exchanges with this one: the same for all of them.
    fn canonical(&self, state: Self::Key) -> Self::Key {
        state
    }

    /// A lower bound on the moves to the goal, for the pruning `bound`.
    fn bound(&self, _state: Self::Key) -> u32 {
        0
    }

    /// Whether a number is that of a state: asked of what is read from files.
    fn is_state(&self, _state: Self::Key) -> bool {
        true
    }

    /// A state as text: a map of letters is drawn as a board.
    fn picture(&self, state: Self::Key) -> String {
        format!("{state:?}")
    }

    /// A move as text: different for different states after it.
    fn written(&self, _before: Self::Key, after: Self::Key) -> String {
        self.picture(after).replace('\n', " / ")
    }
}

/// The kind of a puzzle in Rust, under the name that jobs call it by.
pub struct RustKind<P> {
    name: String,
    puzzle: PhantomData<fn() -> P>,
}

/// Makes the model of a puzzle whose type is forgotten.
pub(super) struct Opener(Box<dyn Fn(bool) -> AnyModel + Send + Sync>);

impl Opener {
    /// The model, with symmetries or without.
    pub(super) fn open(&self, symmetry: bool) -> AnyModel {
        (self.0)(symmetry)
    }
}

impl<P: OwnPuzzle> RustKind<P> {
    /// The kind that jobs call `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), puzzle: PhantomData }
    }
}

impl<P: OwnPuzzle> Kind for RustKind<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn check_table(&self, table: RawTable<'_>) -> Result<(), InputError> {
        table.read::<P>()
    }

    fn build(&self, spec: &PuzzleSpec) -> Result<Arc<dyn Any + Send + Sync>, TableFault> {
        let fault = |message: String| {
            let key = message.split_once(':').map(|(key, _)| key).filter(|key| spec.table.contains_key(*key));
            match key {
                Some(key) => TableFault::of(key, message.clone()),
                None => TableFault::whole(message),
            }
        };
        let puzzle: P = from_spec(spec).map_err(fault)?;
        if puzzle.starts().is_empty() {
            return Err(fault("the puzzle has no start".into()));
        }
        let goals = puzzle.goals().unwrap_or_default();
        if puzzle.starts().iter().chain(&goals).any(|&state| state == P::Key::MAX) {
            return Err(fault(format!("a start or a goal is {NO_STATE}")));
        }
        if let Some(state) = goals.into_iter().find(|&state| !puzzle.is_goal(state)) {
            return Err(fault(format!("goals() lists {}, which is_goal() denies", puzzle.picture(state))));
        }
        let puzzle = Arc::new(puzzle);
        let open = move |symmetry| P::Key::any(Box::new(InRust::new(Arc::clone(&puzzle), symmetry)));
        Ok(Arc::new(Opener(Box::new(open))))
    }
}

/// The model of a puzzle in Rust.
struct InRust<P: OwnPuzzle> {
    puzzle: Arc<P>,
    symmetry: bool,
    claims: Claims<P::Key>,
}

impl<P: OwnPuzzle> InRust<P> {
    fn new(puzzle: Arc<P>, symmetry: bool) -> Self {
        let claims = Claims::of(&*puzzle, symmetry);
        Self { puzzle, symmetry, claims }
    }
}

impl<P: OwnPuzzle> Model<P::Key> for InRust<P> {
    fn starts(&self) -> Vec<P::Key> {
        let (mut starts, mut seen) = (self.puzzle.starts(), HashSet::new());
        starts.retain(|&start| seen.insert(start));
        starts
    }

    fn worker(&self) -> Box<dyn Worker<P::Key> + '_> {
        Box::new(RustWorker { model: self })
    }

    fn repeats(&self) -> Repeats {
        self.puzzle.repeats()
    }

    fn symmetry_is_off(&self) -> bool {
        !self.symmetry
    }

    fn has_goal(&self) -> bool {
        true
    }

    fn goals(&self) -> Option<Vec<P::Key>> {
        self.puzzle.goals()
    }

    fn has_inverse(&self) -> bool {
        self.puzzle.has_before()
    }

    fn own_bound(&self) -> Option<&dyn LowerBound<P::Key>> {
        Some(self)
    }

    fn counts(&self) -> bool {
        // The size of a class is not known.
        !self.symmetry || self.puzzle.starts().iter().all(|&start| self.puzzle.canonical(start) == start)
    }

    fn picture(&self, state: P::Key) -> String {
        self.puzzle.picture(state)
    }

    fn written(&self, before: P::Key, after: P::Key) -> String {
        self.puzzle.written(before, after)
    }
}

impl<P: OwnPuzzle> LowerBound<P::Key> for InRust<P> {
    fn evaluator(&self) -> Box<dyn FnMut(P::Key) -> u32 + Send + '_> {
        Box::new(|state| self.puzzle.bound(state))
    }
}

/// The puzzle of a table, for those who only ask it about moves.
///
/// # Errors
/// What is wrong with the table.
pub fn from_spec<P: OwnPuzzle>(spec: &PuzzleSpec) -> Result<P, String> {
    let puzzle: P = spec.table()?;
    puzzle.check()?;
    Ok(puzzle)
}

/// The working part for one thread.
struct RustWorker<'a, P: OwnPuzzle> {
    model: &'a InRust<P>,
}

/// What is wrong with that number.
const NO_STATE: &str = "the largest number of its type, which stands for no state";

/// Each once and without the state itself, of what stands in `out` from `first` on.
fn cleaned<K: Key>(state: K, out: &mut Vec<K>, first: usize) {
    let mut rest = out.split_off(first);
    rest.retain(|&next| next != state);
    rest.sort_unstable();
    rest.dedup();
    // Going on would lose it, and "none" could be wrong.
    assert!(rest.last() != Some(&K::MAX), "the puzzle in Rust made {NO_STATE}");
    out.append(&mut rest);
}

impl<P: OwnPuzzle> Worker<P::Key> for RustWorker<'_, P> {
    fn after(&mut self, state: P::Key, out: &mut Vec<P::Key>) {
        let first = out.len();
        self.model.puzzle.after(state, out);
        cleaned(state, out, first);
        if let Err(why) = self.model.claims.test(&*self.model.puzzle, state, &out[first..]) {
            panic!("the puzzle in Rust contradicts itself: {why}");
        }
    }

    fn before(&mut self, state: P::Key, out: &mut Vec<P::Key>) -> bool {
        let first = out.len();
        self.model.puzzle.before(state, out);
        cleaned(state, out, first);
        true
    }

    fn canonical(&mut self, state: P::Key) -> P::Key {
        if !self.model.symmetry {
            return state;
        }
        let least = self.model.puzzle.canonical(state);
        assert!(least != P::Key::MAX, "the puzzle in Rust has as a canonical state {NO_STATE}");
        least
    }

    fn is_goal(&mut self, state: P::Key) -> bool {
        self.model.puzzle.is_goal(state)
    }

    fn is_state(&mut self, state: P::Key) -> bool {
        self.model.puzzle.is_state(state)
    }
}
