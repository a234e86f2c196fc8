//! The abstract puzzle: letters merged with each other or with `.`, in steps, starts and goals.
//!
//! The abstract puzzle may have more moves than the images of moves: that only lowers distances. So three things are left out: whose turn
//! it is; that a rule repeats until it is blocked (it may stop anywhere); and conditions of a goal that the image does not decide.

use std::collections::HashSet;

use halma_engine::key::U256;
use halma_record::job::pruning::Abstraction;
use halma_rules::puzzle::GroundedTask;
use halma_rules::puzzle::grounded::{GoalCondition, Letters, Step, Until, has_letter};
use thiserror::Error;

use crate::own::coding;
use crate::own::permutation_coding::TooManyStates;

/// The most states of an abstract puzzle: one byte each.
pub const MOST_STATES: u64 = 1 << 28;

/// Why an abstraction does not fit a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProjectionError {
    /// A letter that the puzzle does not have.
    #[error("projection({abstraction}): `{letter}` is no letter of the puzzle; allowed are {allowed}")]
    UnknownLetter {
        /// All of it.
        abstraction: Abstraction,
        /// The letter.
        letter: char,
        /// The puzzle's letters.
        allowed: String,
    },
    /// Blocks that cannot be told to be one.
    #[error(
        "projection({abstraction}): blocks {first} and {second} have different shapes, which cannot become one letter"
    )]
    OtherShape {
        /// All of it.
        abstraction: Abstraction,
        /// A block.
        first: char,
        /// One of another shape.
        second: char,
    },
    /// More states than a table takes.
    #[error(
        "projection({abstraction}): the table would have {states} states; allowed are {MOST_STATES}: keep fewer letters or pieces apart"
    )]
    TooLarge {
        /// All of it.
        abstraction: Abstraction,
        /// The number of its states.
        states: String,
    },
    /// Of permutations: no groups of its pieces.
    #[error("projection({abstraction}): {why}")]
    Pieces {
        /// All of it.
        abstraction: Abstraction,
        /// What is wrong.
        why: String,
    },
    /// A puzzle in Rust.
    #[error("pruning projection needs a puzzle from a file: kind = \"rules\", \"blocks\" or \"permutation\"")]
    NoFile,
    /// A repetition may end by an application in which no man moves; undoing such moves is not implemented.
    #[error(
        "pruning projection: a rule with `until` may end where a man would come upon his own letter: use --pruning none"
    )]
    EndsWithoutMan,
    /// Of permutations: more states than the keys number.
    #[error(transparent)]
    TooManyStates(#[from] TooManyStates),
}

/// An abstract puzzle.
#[derive(Debug)]
pub(super) struct Projected {
    pub task: GroundedTask,
    /// What each letter becomes.
    pub becomes: Vec<u8>,
}

/// Whether these are abstractions of the puzzle whose tables can be made.
pub(super) fn check(task: &GroundedTask, abstractions: &[Abstraction]) -> Result<(), ProjectionError> {
    if task.ends_without_man() {
        return Err(ProjectionError::EndsWithoutMan);
    }
    for abstraction in abstractions {
        let numbers = coding::numbers(&project(task, abstraction)?.task);
        let states = match numbers {
            Some(U256 { high: 0, low }) if low <= MOST_STATES.into() => continue,
            Some(U256 { high: 0, low }) => low.to_string(),
            _ => "2^128 or more".into(),
        };
        return Err(ProjectionError::TooLarge { abstraction: abstraction.clone(), states });
    }
    Ok(())
}

/// How many states the abstract puzzle has, where a table can be made of it.
pub(super) fn states(task: &GroundedTask, abstraction: &Abstraction) -> Option<u64> {
    let numbers = coding::numbers(&project(task, abstraction).ok()?.task)?;
    u64::try_from(numbers.low).ok().filter(|&states| numbers.high == 0 && states <= MOST_STATES)
}

/// The abstract puzzle.
///
/// # Errors
/// Where a letter is unknown, or blocks of a group have different shapes.
pub(super) fn project(task: &GroundedTask, abstraction: &Abstraction) -> Result<Projected, ProjectionError> {
    let groups = groups(task, abstraction)?;
    let (becomes, letters, has_empty) = letters(task, &groups);
    let map = Map { becomes: &becomes, letters: letters.len() };
    let body = |group: &Vec<usize>| {
        let bodies = task.bodies.get(group[0])?;
        let one = |body: &Vec<(u8, u8)>| body.iter().map(|&(cell, part)| (cell, map.letter(part))).collect();
        Some(bodies.iter().map(one).collect())
    };
    let mut starts: Vec<Vec<u8>> =
        task.starts.iter().map(|start| start.iter().map(|&letter| map.letter(letter)).collect()).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut goals: Vec<GoalCondition> = task.goals.iter().map(|goal| map.goal(goal)).collect();
    goals.sort_unstable();
    goals.dedup();
    let task = GroundedTask {
        board: task.board.clone(),
        letters,
        ranked: groups.len(),
        has_empty,
        bodies: groups.iter().filter_map(body).collect(),
        starts,
        steps: steps(task, &map),
        turns: false,
        goals,
        candidates: Vec::new(),
    };
    Ok(Projected { task, becomes })
}

/// The ranked letters of each group.
fn groups(task: &GroundedTask, abstraction: &Abstraction) -> Result<Vec<Vec<usize>>, ProjectionError> {
    let ranked = &task.letters[..task.ranked];
    let number = |letter: char| {
        let unknown = || ProjectionError::UnknownLetter {
            abstraction: abstraction.clone(),
            letter,
            allowed: ranked.iter().map(|l| format!("`{l}`")).collect::<Vec<_>>().join(", "),
        };
        ranked.iter().position(|&l| l == letter).ok_or_else(unknown)
    };
    let group = |text: &String| text.chars().map(number).collect::<Result<Vec<usize>, _>>();
    let groups = abstraction.0.iter().map(group).collect::<Result<Vec<_>, _>>()?;
    for group in &groups {
        if let Some(&other) = group.iter().find(|&&other| shape(task, other) != shape(task, group[0])) {
            let (first, second) = (ranked[group[0]], ranked[other]);
            return Err(ProjectionError::OtherShape { abstraction: abstraction.clone(), first, second });
        }
    }
    Ok(groups)
}

/// By cell where a block has its first: where it has the others.
fn shape(task: &GroundedTask, letter: usize) -> Vec<Vec<u8>> {
    let bodies = task.bodies.get(letter).map_or(&[][..], |bodies| bodies);
    bodies.iter().map(|body| body.iter().map(|&(cell, _)| cell).collect()).collect()
}

/// What each letter becomes, how the abstract letters are drawn, and whether `.` is one of them.
fn letters(task: &GroundedTask, groups: &[Vec<usize>]) -> (Vec<u8>, Vec<char>, bool) {
    let mut becomes: Vec<Option<u8>> = vec![None; task.letters.len()];
    let mut drawn: Vec<char> = groups.iter().map(|group| task.letters[group[0]]).collect();
    for (number, group) in groups.iter().enumerate() {
        let parts = |letter: usize| {
            let bodies = task.bodies.get(letter).into_iter().flatten();
            let longest = bodies.max_by_key(|body| body.len()).into_iter().flatten();
            longest.map(|&(_, part)| usize::from(part)).collect::<Vec<_>>()
        };
        let first = drawn.len();
        drawn.extend(parts(group[0]).iter().map(|_| task.letters[group[0]]));
        for &letter in group {
            becomes[letter] = Some(number as u8);
            for (place, part) in parts(letter).into_iter().enumerate() {
                becomes[part] = Some((first + place) as u8);
            }
        }
    }
    let has_empty = becomes.contains(&None);
    let rest = drawn.len() as u8;
    drawn.extend(has_empty.then_some('.'));
    (becomes.into_iter().map(|letter| letter.unwrap_or(rest)).collect(), drawn, has_empty)
}

/// A map of letters.
struct Map<'a> {
    becomes: &'a [u8],
    /// How many abstract letters there are.
    letters: usize,
}

impl Map<'_> {
    fn letter(&self, letter: u8) -> u8 {
        self.becomes[usize::from(letter)]
    }

    fn set(&self, set: Letters) -> Letters {
        let members = self.becomes.iter().enumerate().filter(|&(letter, _)| has_letter(set, letter));
        members.fold(0, |image, (_, to)| image | 1 << to)
    }

    /// The letters whose image is in a set.
    fn preimage(&self, set: Letters) -> Letters {
        let members = self.becomes.iter().enumerate().filter(|&(_, &to)| has_letter(set, to));
        members.fold(0, |all, (letter, _)| all | 1 << letter)
    }

    fn is_all(&self, set: Letters) -> bool {
        set.count_ones() as usize == self.letters
    }

    /// What the image of every state of the goal satisfies.
    fn goal(&self, goal: &GoalCondition) -> GoalCondition {
        let cells = goal.cells.iter().map(|&(cell, set)| (cell, self.set(set)));
        // A number of cells is known where the set holds all letters that have an image in common, or none of them.
        let known = |&&(set, _): &&(Letters, u32)| self.preimage(self.set(set)) == set;
        let mut counts: Vec<_> = goal.counts.iter().filter(known).map(|&(set, n)| (self.set(set), n)).collect();
        counts.sort_unstable();
        GoalCondition { cells: cells.filter(|&(_, set)| !self.is_all(set)).collect(), counts }
    }

    /// The image of a step. What it writes is not written where the image stays the same.
    fn step(&self, step: &Step) -> Step {
        let man = self.letter(step.man);
        let until = if step.until == Until::Blocked { Until::Any } else { step.until };
        let needs = step.needs.iter().map(|&(cell, set)| (cell, self.set(set)));
        let changes = |&&(cell, letter): &&(u8, u8)| self.letter(letter) != self.letter(step.before(cell));
        let writes = step.writes.iter().filter(changes).map(|&(cell, letter)| (cell, self.letter(letter)));
        let image = Step { needs: needs.collect(), writes: writes.collect(), man, until, turn: 0, ..step.clone() };
        // Rule and direction name the lines of repetitions, the man those who go on: no others need them. A rule that repeats may
        // have any number but this one.
        let none = u16::MAX;
        match (until, step.chain) {
            (Until::Once, false) => Step { rule: none, direction: 0, man: 0, to: step.from, ..image },
            (Until::Once, true) => Step { rule: none, direction: 0, ..image },
            _ => image,
        }
    }
}

/// The images of all steps, each once. One that changes nothing matters only where the same man can change something before it
/// or after it in the same move.
fn steps(task: &GroundedTask, map: &Map<'_>) -> Vec<Step> {
    let images: Vec<Step> = task.steps.iter().map(|step| map.step(step)).collect();
    let goes_on = |step: &Step| step.chain || step.until != Until::Once;
    let visible: HashSet<u8> =
        images.iter().filter(|step| goes_on(step) && !step.writes.is_empty()).map(|step| step.man).collect();
    let matters = |step: &Step| !step.writes.is_empty() || goes_on(step) && visible.contains(&step.man);
    let mut seen = HashSet::new();
    images.into_iter().filter(|step| matters(step) && seen.insert(step.clone())).collect()
}
