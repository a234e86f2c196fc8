//! Puzzles in Rust: their moves are the word of the program that has them, and everything else is derived from these again.

use std::collections::BTreeSet;
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
    if !starts.iter().chain(&puzzle.goals().unwrap_or_default()).all(|&state| fits(&*puzzle, state, symmetry)) {
        return Err("problem: a start or a goal has a number of 252 bits or more".into());
    }
    let starts: BTreeSet<State> = starts.into_iter().map(|start| digits(&*puzzle, start)).collect();
    Ok(Box::new(InRust { puzzle, starts: starts.into_iter().collect(), symmetry }))
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

struct InRust {
    puzzle: Box<dyn RustPuzzle>,
    starts: Vec<State>,
    symmetry: bool,
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
}
