//! What a puzzle in Rust says of itself, tested on some of its states: a wrong claim can make a wrong "none".

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use halma_engine::key::Key;
use halma_record::record::Repeats;

use super::OwnPuzzle;

/// How many states are tested. Each costs the moves of all its successors.
const TESTED: usize = 10_000;

/// The claims of a puzzle that its moves do not show.
pub(super) struct Claims<K> {
    /// Whether `canonical` is used.
    symmetry: bool,
    /// What stands for the states of the goal, where they are listed.
    goals: Option<HashSet<K>>,
    tested: AtomicUsize,
}

impl<K: Key> Claims<K> {
    pub(super) fn of<P: OwnPuzzle<Key = K>>(puzzle: &P, symmetry: bool) -> Self {
        let stands = |goal| if symmetry { puzzle.canonical(goal) } else { goal };
        let goals = puzzle.goals().map(|goals| goals.into_iter().map(stands).collect());
        Self { symmetry, goals, tested: AtomicUsize::new(0) }
    }

    /// Tests the claims at a state and its successors, if enough states were not tested yet.
    ///
    /// # Errors
    /// Which claim is wrong.
    pub(super) fn test<P: OwnPuzzle<Key = K>>(&self, puzzle: &P, state: K, after: &[K]) -> Result<(), String> {
        if self.tested.load(Ordering::Relaxed) >= TESTED {
            return Ok(());
        }
        let before = self.tested.fetch_add(1, Ordering::Relaxed);
        let shown = |state| puzzle.picture(state).replace('\n', " / ");
        // What is expanded stands for its class already. Of the starts that is still to be tested.
        if before == 0 && self.symmetry {
            for start in puzzle.starts().into_iter().take(TESTED) {
                let mut moves = Vec::new();
                puzzle.after(start, &mut moves);
                symmetric(puzzle, start, &moves, shown)?;
            }
        }
        let class = if self.symmetry { puzzle.canonical(state) } else { state };
        if self.goals.as_ref().is_some_and(|goals| puzzle.is_goal(state) && !goals.contains(&class)) {
            return Err(format!("is_goal() holds of {}, which goals() does not list", shown(state)));
        }
        let mut moves = Vec::new();
        for &next in after {
            if puzzle.has_before() {
                moves.clear();
                puzzle.before(next, &mut moves);
                if !moves.contains(&state) {
                    let way = format!("a move leads from {} to {}", shown(state), shown(next));
                    return Err(format!("{way}, and before() of the latter lacks the former"));
                }
            }
            moves.clear();
            puzzle.after(next, &mut moves);
            if puzzle.repeats() == Repeats::Previous && !moves.contains(&state) {
                let way = format!("a move leads from {} to {}, and none back", shown(state), shown(next));
                return Err(format!("{way}, but repeats() is Previous"));
            }
            if self.symmetry {
                symmetric(puzzle, next, &moves, shown)?;
            }
        }
        Ok(())
    }
}

/// What stands for a state must have moves to the like and be a goal if the state is.
fn symmetric<P: OwnPuzzle>(
    puzzle: &P,
    state: P::Key,
    moves: &[P::Key],
    shown: impl Fn(P::Key) -> String,
) -> Result<(), String> {
    let least = puzzle.canonical(state);
    if least == state {
        return Ok(());
    }
    let pair = format!("canonical() of {} is {}", shown(state), shown(least));
    if puzzle.canonical(least) != least {
        return Err(format!("{pair}, and of that another state"));
    }
    if puzzle.is_goal(state) != puzzle.is_goal(least) {
        return Err(format!("{pair}, and one of them alone is a goal"));
    }
    // A move within the class leads nowhere.
    let classes = |moves: &[P::Key]| -> BTreeSet<P::Key> {
        moves.iter().map(|&next| puzzle.canonical(next)).filter(|&next| next != least).collect()
    };
    let mut others = Vec::new();
    puzzle.after(least, &mut others);
    match classes(moves) == classes(&others) {
        true => Ok(()),
        false => Err(format!("{pair}, and their moves lead to different states")),
    }
}
