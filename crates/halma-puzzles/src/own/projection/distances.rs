//! Distances of all states of a puzzle to its nearest goal, backward breadth-first over steps undone.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use rayon::prelude::*;

use halma_engine::search::{CancellationToken, Stopped};
use halma_rules::puzzle::GroundedTask;
use halma_rules::puzzle::grounded::Until;

use crate::own::coding;
use crate::own::grounded::{GroundedModel, State};
use crate::own::step_index::{IndexedStep, StepIndex, ToDo};
use crate::own::visited::Visited;

/// Stands for no way to a goal.
const INFINITE: u8 = u8::MAX;
/// Greater distances are cut off to this one.
const MOST: u8 = INFINITE - 1;
/// States that one thread takes at once.
const CHUNK: usize = 1 << 12;
/// The states of a distance are listed where they are at most this part of all, else they are looked for in the table.
const LISTED: usize = 16;

/// The distance of the state with that number in a table: 0 where the number is none of a state, [`u32::MAX`] where no
/// way leads to a goal.
#[inline]
pub(super) fn look_up(distances: &[u8], number: u64) -> u32 {
    match distances.get(number as usize) {
        None => 0,
        Some(&INFINITE) => u32::MAX,
        Some(&distance) => distance.into(),
    }
}

/// The most bytes that tables of so many states take while the last of them is made: a byte each, and as much again for the list.
pub(super) fn bytes(states: impl Iterator<Item = u64>) -> u64 {
    let (sum, largest) = states.fold((0u64, 0), |(sum, largest), n| (sum.saturating_add(n), n.max(largest)));
    sum.saturating_add(largest)
}

/// The distances by number of the state. No rule of the puzzle repeats until it is blocked, and no sides take turns.
///
/// # Errors
/// What stopped it.
pub(super) fn all(task: &GroundedTask, cancel: &CancellationToken) -> Result<Vec<u8>, Stopped> {
    match task.board.len() {
        0..=64 => of_width::<1>(task, cancel),
        65..=128 => of_width::<2>(task, cancel),
        _ => of_width::<4>(task, cancel),
    }
}

fn of_width<const W: usize>(task: &GroundedTask, cancel: &CancellationToken) -> Result<Vec<u8>, Stopped> {
    let model = GroundedModel::<u64, W>::new(task, false);
    let (Some(numbers), Some(moves)) = (coding::numbers(task), &model.backward) else { return Ok(Vec::new()) };
    let numbers = numbers.low as usize;
    let goals = |goal: &(dyn Fn(u64) + Sync)| goals(&model, numbers, goal, cancel);
    fill(numbers, goals, cancel, || Undo::new(&model, moves), |undo, number, found| undo.before(number, found))
}

/// The distances of states below `numbers` to the nearest of those that `goals` names, where `before` says from where one move leads
/// to a state.
///
/// # Errors
/// What stopped it.
pub(super) fn fill<U>(
    numbers: usize,
    goals: impl FnOnce(&(dyn Fn(u64) + Sync)) -> Result<(), Stopped>,
    cancel: &CancellationToken,
    scratch: impl Fn() -> U + Sync + Send,
    before: impl Fn(&mut U, u64, &mut dyn FnMut(u64)) + Sync + Send,
) -> Result<Vec<u8>, Stopped> {
    let table: Vec<AtomicU8> = (0..numbers).map(|_| AtomicU8::new(INFINITE)).collect();
    goals(&|goal| table[goal as usize].store(0, Ordering::Relaxed))?;
    // The states of the last distance: a list, or all in the table that have it.
    let (mut listed, mut distance): (Option<Vec<u32>>, u8) = (None, 0);
    loop {
        let last = distance;
        distance = (distance + 1).min(MOST);
        let count = AtomicUsize::new(0);
        let part = |scratch: &mut U, states: &mut dyn Iterator<Item = u64>| {
            cancel.check()?;
            let mut new: Vec<u32> = Vec::new();
            let mut found = |number: u64| {
                let entry = &table[number as usize];
                let known = entry.load(Ordering::Relaxed) != INFINITE;
                if !known && entry.compare_exchange(INFINITE, distance, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                    new.push(number as u32);
                }
            };
            states.for_each(|state| before(scratch, state, &mut found));
            let all = count.fetch_add(new.len(), Ordering::Relaxed) + new.len();
            Ok(if all > numbers / LISTED { Vec::new() } else { new })
        };
        let parts: Result<Vec<Vec<u32>>, Stopped> = match &listed {
            Some(states) => {
                let chunks = states.par_chunks(CHUNK);
                chunks.map_init(&scratch, |own, states| part(own, &mut states.iter().map(|&n| n.into()))).collect()
            }
            // From the greatest distance on this finds those before, too, which does no harm.
            None => {
                let has = |number: &usize| table[*number].load(Ordering::Relaxed) == last;
                let chunks = (0..numbers).into_par_iter().step_by(CHUNK);
                let range = |first: usize| (first..numbers.min(first + CHUNK)).filter(has).map(|n| n as u64);
                chunks.map_init(&scratch, |own, first| part(own, &mut range(first))).collect()
            }
        };
        let parts = parts?;
        listed = match count.into_inner() {
            0 => return Ok(table.into_iter().map(AtomicU8::into_inner).collect()),
            count => (count <= numbers / LISTED).then(|| parts.concat()),
        };
    }
}

/// Names all states of the goal, reachable or not.
fn goals<const W: usize>(
    model: &GroundedModel<u64, W>,
    numbers: usize,
    goal: &(dyn Fn(u64) + Sync),
    cancel: &CancellationToken,
) -> Result<(), Stopped> {
    let task = &model.task;
    if let Some(states) = task.goal_states() {
        // What has other counts has no number.
        let fits = |letters: &&Vec<u8>| task.counts().is_none_or(|counts| counts == task.count_letters(letters));
        states.iter().filter(fits).for_each(|letters| goal(model.number(letters, false)));
        return Ok(());
    }
    let counts = task.counts().filter(|_| !task.bodies.is_empty());
    let of_chunk = |state: &mut State<u64, W>, first: usize| {
        cancel.check()?;
        let is_goal = |number: &usize| {
            state.read(model, *number as u64);
            let letters = &state.letters[..task.board.len()];
            // Of blocks a number may be one of blocks that overlap: some cell of theirs is missing.
            task.is_goal(letters) && counts.as_ref().is_none_or(|counts| *counts == task.count_letters(letters))
        };
        (first..numbers.min(first + CHUNK)).filter(is_goal).for_each(|number| goal(number as u64));
        Ok(())
    };
    let chunks = (0..numbers).into_par_iter().step_by(CHUNK);
    chunks.map_init(|| State::new(model), of_chunk).collect()
}

/// What one thread undoes moves by.
struct Undo<'a, const W: usize> {
    model: &'a GroundedModel<u64, W>,
    moves: &'a StepIndex,
    state: State<u64, W>,
    /// States on the way of a move with several steps, with the man who goes on, where he is and along which line: in an abstract
    /// puzzle he can go on unseen, and the same state is not the same place on the way.
    seen: Visited<(u64, u8, u8, u32)>,
    /// What is left to do for a move. Its steps go backward.
    to_do: Vec<ToDo<'a>>,
}

impl<'a, const W: usize> Undo<'a, W> {
    fn new(model: &'a GroundedModel<u64, W>, moves: &'a StepIndex) -> Self {
        Self { model, moves, state: State::new(model), seen: Visited::default(), to_do: Vec::new() }
    }

    /// The states that a move leads to this one from; some of them more than once, and the state itself perhaps.
    fn before(&mut self, number: u64, found: &mut dyn FnMut(u64)) {
        self.state.read(self.model, number);
        let moves = self.moves;
        for cell in 0..self.model.task.board.len() {
            self.seen.clear();
            for step in moves.from(cell as u8, self.state.letters[cell]) {
                self.undo(step, found);
            }
        }
    }

    /// A step back, and all that the same move may have before it.
    fn undo(&mut self, step: &'a IndexedStep, found: &mut dyn FnMut(u64)) {
        let moves = self.moves;
        let mut to_do = std::mem::take(&mut self.to_do);
        to_do.push(ToDo::Step(step));
        while let Some(next) = to_do.pop() {
            let step = match next {
                ToDo::Step(step) => step,
                ToDo::Undo(step) => {
                    for &(cell, before, after) in moves.writes(step) {
                        self.state.put(self.model, cell, after, before);
                    }
                    continue;
                }
            };
            if !moves.applies(step, &self.state.letters) {
                continue;
            }
            for &(cell, before, after) in moves.writes(step) {
                self.state.put(self.model, cell, before, after);
            }
            to_do.push(ToDo::Undo(step));
            let number = self.state.number(self.model, 0);
            if step.until == Until::Once && !step.chain {
                found(number);
            } else if self.seen.insert((number, step.to, step.man, step.line)) {
                found(number);
                let same_man = |next: &&IndexedStep| next.man == step.man;
                if step.chain {
                    to_do.extend(moves.chains(step.to, step.man).filter(same_man).map(ToDo::Step));
                } else {
                    to_do.extend(moves.line(step).filter(same_man).map(ToDo::Step));
                }
            }
        }
        self.to_do = to_do;
    }
}
