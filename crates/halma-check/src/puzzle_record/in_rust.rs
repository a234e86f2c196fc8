//! Puzzles in Rust: their moves are the word of the program that has them. Lengths and levels are derived from these again; which
//! moves can be undone, which states stand for others and which are all the goals is tested on many states.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use halma_record::job::PuzzleSpec;

use super::code::Part;
use super::model::{Distance, Model, State, named};
use crate::rejection::Trouble;

/// The number of a state, in words of 64 bits, the lowest first.
pub type Words = [u64; 4];

/// A puzzle as the program that has it states it: the moves, without any bound.
pub trait RustPuzzle: Send + Sync {
    /// How many bytes a number has: 8, 16 or 32.
    fn bytes(&self) -> usize;
    /// Where it begins.
    fn starts(&self) -> Vec<Words>;
    /// What one move leads to.
    fn moves(&self, state: Words) -> Vec<Words>;
    /// Whether a state satisfies the goal.
    fn is_goal(&self, state: Words) -> bool;
    /// All states that satisfy the goal, where they can be listed.
    fn goals(&self) -> Option<Vec<Words>>;
    /// The state that stands for those that a symmetry exchanges with this one.
    fn canonical(&self, state: Words) -> Words;
    /// Whether every move can be undone by a move.
    fn can_be_undone(&self) -> bool;
    /// A state as text.
    fn picture(&self, state: Words) -> String;
    /// A move as text.
    fn written(&self, before: Words, after: Words) -> String;
}

/// Makes the puzzle of a table.
pub type Maker = Box<dyn Fn(&PuzzleSpec) -> Result<Box<dyn RustPuzzle>, String> + Send + Sync>;

/// By the name of its kind. Settled once.
static KINDS: OnceLock<Vec<(String, Maker)>> = OnceLock::new();

/// Adds kinds of puzzles; only the first call of a process counts.
pub fn add(kinds: Vec<(String, Maker)>) {
    KINDS.get_or_init(|| kinds);
}

/// The puzzle of a table, if its kind is known.
pub(super) fn model(spec: &PuzzleSpec, symmetry: bool) -> Option<Result<Box<dyn Model>, String>> {
    let (_, make) = KINDS.get()?.iter().find(|(name, _)| *name == spec.kind)?;
    Some(make(spec).and_then(|puzzle| of(puzzle, symmetry)))
}

fn of(puzzle: Box<dyn RustPuzzle>, symmetry: bool) -> Result<Box<dyn Model>, String> {
    let starts = puzzle.starts();
    if starts.is_empty() {
        return Err("problem: it has no start".into());
    }
    let goals = puzzle.goals();
    if !starts.iter().chain(goals.iter().flatten()).all(|&state| fits(&*puzzle, state, symmetry)) {
        return Err("problem: a start or a goal has a number of 252 bits or more".into());
    }
    if let Some(goal) = goals.iter().flatten().find(|&&goal| !puzzle.is_goal(goal)) {
        return Err(format!("problem: {} is listed as a goal, and is none", puzzle.picture(*goal)));
    }
    let class = |goal| if symmetry { puzzle.canonical(goal) } else { goal };
    let goals = goals.map(|goals| goals.into_iter().map(class).collect());
    let starts: BTreeSet<State> = starts.into_iter().map(|start| digits(&*puzzle, start)).collect();
    Ok(Box::new(InRust { puzzle, starts: starts.into_iter().collect(), goals, symmetry, tested: AtomicUsize::new(0) }))
}

/// A number as digits to the base 16, the lowest first.
fn digits(puzzle: &dyn RustPuzzle, state: Words) -> State {
    (0..length(puzzle)).map(|at| (state[at / 16] >> (4 * (at % 16)) & 15) as u8).collect()
}

/// Whether the digits hold the number, and that of the state that stands for it.
fn fits(puzzle: &dyn RustPuzzle, state: Words, symmetry: bool) -> bool {
    let small = |state: Words| state[3] >> 60 == 0;
    puzzle.bytes() < 32 || small(state) && (!symmetry || small(puzzle.canonical(state)))
}

/// How many digits a number has; the widest lack one, so that their number has one itself.
fn length(puzzle: &dyn RustPuzzle) -> usize {
    (2 * puzzle.bytes()).min(63)
}

fn words(state: &[u8]) -> Words {
    let mut words = [0; 4];
    for (at, &digit) in state.iter().enumerate().take(64) {
        words[at / 16] |= u64::from(digit) << (4 * (at % 16));
    }
    words
}

/// How many states are tested. Each costs the moves of all its successors.
const TESTED: usize = 100_000;

struct InRust {
    puzzle: Box<dyn RustPuzzle>,
    starts: Vec<State>,
    /// What stands for the states of the goal, where they are listed.
    goals: Option<BTreeSet<Words>>,
    symmetry: bool,
    tested: AtomicUsize,
}

impl InRust {
    fn canonical(&self, state: Words) -> Words {
        if self.symmetry { self.puzzle.canonical(state) } else { state }
    }

    /// Whether a state, whose moves these are, has another one to stand for it that is alike.
    fn stands(&self, state: Words, moves: Vec<Words>) -> Result<(), String> {
        let class = self.canonical(state);
        if class == state {
            return Ok(());
        }
        // A move within a class leads nowhere.
        let classes = |moves: Vec<Words>| -> BTreeSet<Words> {
            moves.into_iter().map(|next| self.canonical(next)).filter(|next| *next != class).collect()
        };
        let alike = self.canonical(class) == class && self.puzzle.is_goal(class) == self.puzzle.is_goal(state);
        if alike && classes(moves) == classes(self.puzzle.moves(class)) {
            return Ok(());
        }
        let [class, state] = [class, state].map(|state| self.show(&digits(&*self.puzzle, state)));
        Err(format!("{class} does not stand for {state}"))
    }

    /// Tests what the puzzle says of itself at a state and those that one move leads to, if enough were not tested yet.
    fn test(&self, state: Words, after: &[Words]) -> Result<(), String> {
        let before = self.tested.fetch_add(1, Ordering::Relaxed);
        if before >= TESTED {
            return Ok(());
        }
        if before == 0 {
            // What is expanded stands for its class already. Of the starts that is still to be tested.
            for start in self.starts.iter().take(TESTED).map(|start| words(start)) {
                self.stands(start, self.puzzle.moves(start))?;
            }
        }
        let shown = |state: Words| self.show(&digits(&*self.puzzle, state));
        let listed = |goals: &BTreeSet<Words>| goals.contains(&self.canonical(state));
        if self.puzzle.is_goal(state) && !self.goals.as_ref().is_none_or(listed) {
            return Err(format!("the goal holds of {}, which is not listed", shown(state)));
        }
        for &next in after {
            let moves = self.puzzle.moves(next);
            if self.puzzle.can_be_undone() && next != state && !moves.contains(&state) {
                return Err(format!("the move from {} to {} cannot be undone by one", shown(state), shown(next)));
            }
            self.stands(next, moves)?;
        }
        Ok(())
    }
}

impl Model for InRust {
    fn parts(&self) -> Vec<Part> {
        vec![Part::Digits { base: 16, len: length(&*self.puzzle) }]
    }

    fn starts(&self) -> &[State] {
        &self.starts
    }

    fn has_goal(&self) -> bool {
        true
    }

    fn is_goal(&self, state: &[u8]) -> bool {
        self.puzzle.is_goal(words(state))
    }

    fn goal_states(&self) -> Option<Vec<State>> {
        let goals = self.puzzle.goals()?;
        Some(goals.into_iter().map(|goal| digits(&*self.puzzle, goal)).collect())
    }

    fn moves(&self, state: &[u8]) -> Result<BTreeSet<State>, Trouble> {
        let after = self.puzzle.moves(words(state));
        if after.iter().any(|&after| !fits(&*self.puzzle, after, self.symmetry)) {
            let why = "a move leads to a number of 252 bits or more, which check cannot hold";
            return Err(Trouble::TooMany(why.into()));
        }
        self.test(words(state), &after).map_err(|why| format!("the puzzle in Rust contradicts itself: {why}"))?;
        Ok(after.into_iter().map(|after| digits(&*self.puzzle, after)).filter(|after| after != state).collect())
    }

    fn can_be_undone(&self) -> bool {
        self.puzzle.can_be_undone()
    }

    fn images(&self, state: &[u8]) -> Vec<State> {
        match self.symmetry {
            true => vec![digits(&*self.puzzle, self.puzzle.canonical(words(state)))],
            false => vec![state.to_vec()],
        }
    }

    fn fault(&self, _state: &[u8]) -> Option<String> {
        None
    }

    fn play(&self, state: &[u8], text: &str) -> Result<State, Trouble> {
        named(self.moves(state)?, text, |after| self.puzzle.written(words(state), words(after)))
    }

    fn with_fewer_letters(&self, _groups: &[String]) -> Result<Arc<Distance>, Trouble> {
        Err(Trouble::Wrong("projections: a puzzle in Rust has none".into()))
    }

    fn picture(&self, state: &[u8]) -> String {
        self.puzzle.picture(words(state))
    }

    fn show(&self, state: &[u8]) -> String {
        self.puzzle.picture(words(state)).replace('\n', " / ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 0 to the number that only the highest bit distinguishes from it.
    struct HighestBit {
        starts: Vec<Words>,
        goals: Option<Vec<Words>>,
    }

    const HIGHEST: Words = [0, 0, 0, 1 << 63];

    impl RustPuzzle for HighestBit {
        fn bytes(&self) -> usize {
            32
        }
        fn starts(&self) -> Vec<Words> {
            self.starts.clone()
        }
        fn moves(&self, state: Words) -> Vec<Words> {
            vec![if state == HIGHEST { [0; 4] } else { HIGHEST }]
        }
        fn is_goal(&self, state: Words) -> bool {
            state == HIGHEST
        }
        fn goals(&self) -> Option<Vec<Words>> {
            self.goals.clone()
        }
        fn canonical(&self, state: Words) -> Words {
            if state == [1, 0, 0, 0] { HIGHEST } else { state }
        }
        fn can_be_undone(&self) -> bool {
            true
        }
        fn picture(&self, state: Words) -> String {
            format!("{state:?}")
        }
        fn written(&self, before: Words, after: Words) -> String {
            format!("{before:?} {after:?}")
        }
    }

    fn made(starts: Vec<Words>, goals: Option<Vec<Words>>, symmetry: bool) -> Result<Box<dyn Model>, String> {
        of(Box::new(HighestBit { starts, goals }), symmetry)
    }

    #[test]
    fn no_number_loses_its_highest_bits() {
        let puzzle = made(vec![[0; 4]], None, false).unwrap();
        let trouble = puzzle.moves(&puzzle.starts()[0]).unwrap_err();
        assert!(matches!(&trouble, Trouble::TooMany(why) if why.contains("252 bits")), "{trouble:?}");
        assert!(made(vec![HIGHEST], None, false).is_err() && made(vec![], None, false).is_err());
        assert!(made(vec![[0; 4]], Some(vec![HIGHEST]), false).is_err());
        assert!(made(vec![[1, 0, 0, 0]], None, true).is_err() && made(vec![[1, 0, 0, 0]], None, false).is_ok());
    }

    /// A number of 64 bits as four words.
    fn word(number: u64) -> Words {
        [number, 0, 0, 0]
    }

    /// Moves from each number to others, and what is said of them.
    struct Stated {
        moves: &'static [&'static [u64]],
        goals: &'static [u64],
        listed: &'static [u64],
        undone: bool,
        canonical: &'static [u64],
    }

    impl RustPuzzle for Stated {
        fn bytes(&self) -> usize {
            8
        }
        fn starts(&self) -> Vec<Words> {
            vec![word(0)]
        }
        fn moves(&self, state: Words) -> Vec<Words> {
            self.moves[state[0] as usize].iter().map(|&next| word(next)).collect()
        }
        fn is_goal(&self, state: Words) -> bool {
            self.goals.contains(&state[0])
        }
        fn goals(&self) -> Option<Vec<Words>> {
            Some(self.listed.iter().map(|&goal| word(goal)).collect())
        }
        fn canonical(&self, state: Words) -> Words {
            word(self.canonical[state[0] as usize])
        }
        fn can_be_undone(&self) -> bool {
            self.undone
        }
        fn picture(&self, state: Words) -> String {
            state[0].to_string()
        }
        fn written(&self, _: Words, after: Words) -> String {
            self.picture(after)
        }
    }

    /// Three numbers in a line, and that all that is said of them is true.
    const LINE: Stated =
        Stated { moves: &[&[1], &[0, 2], &[1]], goals: &[2], listed: &[2], undone: true, canonical: &[0, 1, 2] };

    /// What is wrong with it, as the moves of a state show.
    fn wrong(stated: Stated, state: u8) -> Option<String> {
        let model = match of(Box::new(stated), true) {
            Ok(model) => model,
            Err(why) => return Some(why),
        };
        let mut digits = vec![0; 16];
        digits[0] = state;
        match model.moves(&digits) {
            Err(Trouble::Wrong(why)) => Some(why),
            _ => None,
        }
    }

    #[test]
    fn a_claim_that_moves_contradict_is_seen() {
        assert!((0..3).all(|state| wrong(LINE, state).is_none()));
        for (stated, state, why) in [
            (Stated { listed: &[1, 2], ..LINE }, 0, "1 is listed as a goal, and is none"),
            (Stated { goals: &[1, 2], ..LINE }, 1, "the goal holds of 1, which is not listed"),
            (Stated { moves: &[&[1], &[2], &[1]], ..LINE }, 0, "the move from 0 to 1 cannot be undone by one"),
            (Stated { canonical: &[0, 0, 2], ..LINE }, 0, "0 does not stand for 1"),
            (Stated { canonical: &[0, 1, 0], ..LINE }, 1, "0 does not stand for 2"),
            (Stated { canonical: &[2, 1, 2], ..LINE }, 1, "2 does not stand for 0"),
        ] {
            let said = wrong(stated, state).unwrap_or_default();
            assert!(said.contains(why), "{said}");
        }
        // As the other end of it, 0 stands for 2.
        let turned = Stated { goals: &[1], listed: &[1], canonical: &[0, 1, 0], ..LINE };
        assert_eq!(wrong(turned, 1), None);
    }
}
