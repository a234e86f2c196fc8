//! Puzzles in Rust: a type that says what its states are and what a move does gets the whole program.

mod claims;

use std::any::Any;
use std::collections::HashSet;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use halma_engine::key::Key;
use halma_record::job::PuzzleSpec;
use halma_record::record::Repeats;
use halma_record::source::Fault;
use halma_rules::puzzle::TableFault;
use halma_rules::puzzle::kinds::{Kind, RawTable};

use self::claims::Claims;
use super::{AnyModel, Bound, Model, ModelKey, Worker};

/// A puzzle in Rust. The type itself is read from the `[problem]` table of a job, without `kind` and `title`.
///
/// The first three functions are all that is needed. States are numbers: an exact one for each state, never a hash. The largest
/// number of the type, [`Key::MAX`], must not be one: the search stops with a panic where it is. It also does where what the
/// other functions say is seen to be wrong; the first 10,000 states that it expands are tested for that.
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

    /// How far back a repeated state can lie. [`Repeats::All`] is always right; [`Repeats::Previous`] where every move can be
    /// undone by a move saves comparisons and memory.
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

    fn check_table(&self, table: RawTable<'_>) -> Result<(), Fault> {
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

    fn symmetries(&self) -> Option<Vec<Vec<u8>>> {
        // No cells are mapped: that says that symmetries were switched off.
        (!self.symmetry).then(Vec::new)
    }

    fn order(&self) -> usize {
        1
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

    fn own_bound(&self) -> Option<&dyn Bound<P::Key>> {
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

impl<P: OwnPuzzle> Bound<P::Key> for InRust<P> {
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

#[cfg(test)]
mod tests {
    use halma_rules::job::Job;
    use halma_rules::puzzle::kinds;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Jugs {
        sizes: Vec<u64>,
        wanted: u64,
        #[serde(default)]
        _taps: Option<Taps>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Taps {
        _open: bool,
    }

    impl OwnPuzzle for Jugs {
        type Key = u64;
        fn starts(&self) -> Vec<u64> {
            if self.sizes.is_empty() { Vec::new() } else { vec![0] }
        }
        fn after(&self, _: u64, _: &mut Vec<u64>) {}
        fn is_goal(&self, state: u64) -> bool {
            state == self.wanted
        }
        fn check(&self) -> Result<(), String> {
            match self.sizes.iter().max() {
                Some(most) if *most < self.wanted => Err(format!("wanted: {} is more than any jug holds", self.wanted)),
                _ if self.wanted == 0 => Err("no water is there at once".into()),
                _ => Ok(()),
            }
        }
    }

    /// From 0 to the largest number, and to 5 twice. A start below 0 stands for one from the largest number down.
    #[derive(Debug, serde::Deserialize)]
    struct Largest {
        starts: Vec<i64>,
    }

    impl OwnPuzzle for Largest {
        type Key = u64;
        fn starts(&self) -> Vec<u64> {
            self.starts.iter().map(|&start| start as u64).collect()
        }
        fn after(&self, state: u64, out: &mut Vec<u64>) {
            out.extend([5, if state == 0 { u64::MAX } else { 5 }]);
        }
        fn is_goal(&self, state: u64) -> bool {
            state == 5
        }
    }

    /// Moves from each number to others, and what is said of them.
    #[derive(Clone, Debug, serde::Deserialize)]
    struct Stated {
        moves: Vec<Vec<u64>>,
        goals: Vec<u64>,
        listed: Vec<u64>,
        undone: bool,
        before: Vec<Vec<u64>>,
        canonical: Vec<u64>,
    }

    impl OwnPuzzle for Stated {
        type Key = u64;
        fn starts(&self) -> Vec<u64> {
            vec![0]
        }
        fn after(&self, state: u64, out: &mut Vec<u64>) {
            out.extend(&self.moves[state as usize]);
        }
        fn is_goal(&self, state: u64) -> bool {
            self.goals.contains(&state)
        }
        fn goals(&self) -> Option<Vec<u64>> {
            Some(self.listed.clone())
        }
        fn repeats(&self) -> Repeats {
            if self.undone { Repeats::Previous } else { Repeats::All }
        }
        fn before(&self, state: u64, out: &mut Vec<u64>) {
            out.extend(&self.before[state as usize]);
        }
        fn has_before(&self) -> bool {
            true
        }
        fn canonical(&self, state: u64) -> u64 {
            self.canonical[state as usize]
        }
    }

    #[test]
    fn a_claim_that_moves_contradict_is_seen() {
        let line = Stated {
            moves: vec![vec![1], vec![0, 2], vec![1]],
            goals: vec![2],
            listed: vec![2],
            undone: true,
            before: vec![vec![1], vec![0, 2], vec![1]],
            canonical: vec![0, 1, 2],
        };
        let said = |puzzle: &Stated, state: u64| {
            Claims::of(puzzle, true).test(puzzle, state, &puzzle.moves[state as usize]).err()
        };
        assert!((0..3).all(|state| said(&line, state).is_none()));
        for (puzzle, state, why) in [
            (Stated { goals: vec![1, 2], ..line.clone() }, 1, "is_goal() holds of 1, which goals() does not list"),
            (Stated { moves: vec![vec![1], vec![2], vec![1]], ..line.clone() }, 0, "from 0 to 1, and none back"),
            (Stated { before: vec![vec![1], vec![2], vec![1]], ..line.clone() }, 0, "before() of the latter lacks"),
            (Stated { canonical: vec![0, 0, 2], ..line.clone() }, 0, "canonical() of 1 is 0, and their moves"),
            (Stated { canonical: vec![0, 1, 0], ..line.clone() }, 1, "and one of them alone is a goal"),
            (Stated { canonical: vec![2, 1, 2], ..line.clone() }, 1, "canonical() of 0 is 2, and one of them alone"),
            (
                Stated { canonical: vec![1, 2, 2], ..line.clone() },
                1,
                "canonical() of 0 is 1, and of that another state",
            ),
        ] {
            let said = said(&puzzle, state).unwrap_or_default();
            assert!(said.contains(why), "{said}");
        }
        // As the other end of it, 0 stands for 2.
        let turned = Stated { goals: vec![1], listed: vec![1], canonical: vec![0, 1, 0], ..line };
        assert_eq!(said(&turned, 1), None);
    }

    #[test]
    fn a_goal_that_is_listed_must_be_one() {
        add_kinds();
        let job = "[problem]\nkind = \"stated\"\nmoves = [[]]\ngoals = []\nlisted = [0]\nundone = true\nbefore = [[]]\ncanonical = [0]";
        let fault = Job::parse("a.toml".as_ref(), job).map(|job| job.spec).unwrap_err().to_string();
        assert!(fault.contains("goals() lists 0, which is_goal() denies"), "{fault}");
    }

    /// Once for all tests: a program has one list of kinds.
    fn add_kinds() {
        kinds::add(vec![
            Box::new(RustKind::<Jugs>::new("jugs")),
            Box::new(RustKind::<Largest>::new("largest")),
            Box::new(RustKind::<Stated>::new("stated")),
        ]);
    }

    #[test]
    fn a_start_that_is_named_twice_is_one() {
        let model = InRust::new(Arc::new(Largest { starts: vec![3, 2, 3] }), true);
        assert_eq!(model.starts(), [3, 2]);
    }

    #[test]
    fn a_start_must_not_have_the_largest_number() {
        add_kinds();
        let job = "[problem]\nkind = \"largest\"\nstarts = [-1]";
        let fault = Job::parse("a.toml".as_ref(), job).map(|job| job.spec).unwrap_err().to_string();
        assert!(fault.contains("a start or a goal is the largest number of its type"), "{fault}");
    }

    #[test]
    #[should_panic(expected = "the puzzle in Rust made the largest number of its type")]
    fn no_move_may_lead_to_the_largest_number() {
        let model = InRust::new(Arc::new(Largest { starts: vec![0] }), true);
        model.worker().after(0, &mut Vec::new());
    }

    #[test]
    fn a_fault_in_the_table_of_a_puzzle_in_rust_points_at_its_key() {
        add_kinds();
        let job =
            |lines: &str| Job::parse("a.toml".as_ref(), &format!("# Water.\n[problem]\nkind = \"jugs\"\n{lines}"));
        assert!(job("title = \"Two\"\nsizes = [5, 3]\nwanted = 4").is_ok());
        for (lines, message) in [
            ("sizes = [5, \"3\"]\nwanted = 4", "a.toml:4:13: invalid type: string \"3\", expected u64"),
            ("sizes = [5, 3]\nwanted = -4", "a.toml:5:10: invalid value: integer `-4`, expected u64"),
            (
                "sizes = [5, 3]\nwnated = 4",
                "a.toml:5:1: unknown field `wnated`, expected one of `sizes`, `wanted`, `_taps`; did you mean `wanted`?",
            ),
            ("sizes = [5, 3]", "a.toml:2:1: missing field `wanted`"),
            ("sizes = 5\nwanted = 4", "a.toml:4:9: invalid type: integer `5`, expected a sequence"),
            (
                "sizes = [5, 3]\nwanted = 4\n[problem._taps]\n_open = \"yes\"",
                "a.toml:7:9: invalid type: string \"yes\", expected a boolean",
            ),
            ("sizes = [5, 3]\nwanted = 6", "a.toml:5:10: wanted: 6 is more than any jug holds"),
            ("sizes = [5, 3]\nwanted = 0", "a.toml:2:1: no water is there at once"),
            ("sizes = []\nwanted = 4", "a.toml:2:1: the puzzle has no start"),
        ] {
            let fault = job(lines).map(|job| job.spec).unwrap_err().to_string();
            assert_eq!(fault.lines().next(), Some(message), "{lines}");
        }
    }
}
