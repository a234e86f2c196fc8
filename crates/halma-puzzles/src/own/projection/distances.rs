//! Distances of all states of a puzzle to its nearest goal, backward breadth-first over steps undone.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use halma_rules::puzzle::Ground;
use halma_rules::puzzle::ground::Until;

use crate::own::coding;
use crate::own::ground::{GroundModel, State};
use crate::own::step_index::{Compact, Moves};

/// Stands for no way to a goal.
pub(super) const INFINITE: u8 = u8::MAX;
/// Greater distances are cut off to this one.
const MOST: u8 = INFINITE - 1;
/// States that one thread takes at once.
const CHUNK: usize = 1 << 12;

/// The distances by number of the state. No rule of the puzzle repeats until it is blocked, and no sides take turns.
pub(super) fn all(ground: &Ground) -> Vec<u8> {
    match ground.board.len() {
        0..=64 => of_width::<1>(ground),
        65..=128 => of_width::<2>(ground),
        _ => of_width::<4>(ground),
    }
}

fn of_width<const W: usize>(ground: &Ground) -> Vec<u8> {
    let model = GroundModel::<u64, W>::new(ground, false);
    let (Some(numbers), Some(moves)) = (coding::numbers(ground), &model.backward) else { return Vec::new() };
    let table: Vec<AtomicU8> = (0..numbers.low as usize).map(|_| AtomicU8::new(INFINITE)).collect();
    let mut frontier = goals(&model, table.len());
    for &goal in &frontier {
        table[goal as usize].store(0, Ordering::Relaxed);
    }
    let mut distance = 0u8;
    while !frontier.is_empty() {
        distance = (distance + 1).min(MOST);
        let part = |undo: &mut Undo<'_, W>, states: &[u32]| {
            let mut new = Vec::new();
            let mut found = |number: u64| {
                let entry = &table[number as usize];
                let known = entry.load(Ordering::Relaxed) != INFINITE;
                if !known && entry.compare_exchange(INFINITE, distance, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                    new.push(number as u32);
                }
            };
            states.iter().for_each(|&state| undo.before(state.into(), &mut found));
            new
        };
        let parts: Vec<Vec<u32>> = frontier.par_chunks(CHUNK).map_init(|| Undo::new(&model, moves), part).collect();
        frontier = parts.concat();
    }
    table.into_iter().map(AtomicU8::into_inner).collect()
}

/// The numbers of all states of the goal, reachable or not.
fn goals<const W: usize>(model: &GroundModel<u64, W>, numbers: usize) -> Vec<u32> {
    let ground = &model.ground;
    if let Some(states) = ground.goal_states() {
        // What has other counts has no number.
        let fits = |letters: &&Vec<u8>| ground.counts().is_none_or(|counts| counts == counted(ground, letters));
        let mut goals: Vec<u32> =
            states.iter().filter(fits).map(|letters| model.number(letters, false) as u32).collect();
        goals.sort_unstable();
        goals.dedup();
        return goals;
    }
    let counts = ground.counts().filter(|_| !ground.bodies.is_empty());
    let chunks = (0..numbers).into_par_iter().step_by(CHUNK);
    let of_chunk = |state: &mut State<u64, W>, first: usize| {
        let is_goal = |&number: &usize| {
            state.read(model, number as u64);
            let letters = &state.letters[..ground.board.len()];
            // Of blocks a number may be one of blocks that overlap: some cell of theirs is missing.
            ground.is_goal(letters) && counts.as_ref().is_none_or(|counts| *counts == counted(ground, letters))
        };
        (first..numbers.min(first + CHUNK)).filter(is_goal).map(|number| number as u32).collect::<Vec<u32>>()
    };
    chunks.map_init(|| State::new(model), of_chunk).collect::<Vec<_>>().concat()
}

/// How many cells have each letter.
fn counted(ground: &Ground, letters: &[u8]) -> Vec<u32> {
    let mut counts = vec![0; ground.letters.len()];
    letters.iter().for_each(|&letter| counts[usize::from(letter)] += 1);
    counts
}

/// What one thread undoes moves by.
struct Undo<'a, const W: usize> {
    model: &'a GroundModel<u64, W>,
    moves: &'a Moves,
    state: State<u64, W>,
    /// States on the way of a move with several steps, with the man who goes on, where he is and along which line: in an abstract
    /// puzzle he can go on unseen, and the same state is not the same place on the way.
    seen: Vec<(u64, u8, u8, u32)>,
}

impl<'a, const W: usize> Undo<'a, W> {
    fn new(model: &'a GroundModel<u64, W>, moves: &'a Moves) -> Self {
        Self { model, moves, state: State::new(model), seen: Vec::new() }
    }

    /// The states that a move leads to this one from; some of them more than once, and the state itself perhaps.
    fn before(&mut self, number: u64, found: &mut impl FnMut(u64)) {
        self.state.read(self.model, number);
        let moves = self.moves;
        for cell in 0..self.model.ground.board.len() {
            self.seen.clear();
            for step in moves.from(cell as u8, self.state.letters[cell]) {
                self.undo(step, found);
            }
        }
    }

    /// A step back, and all that the same move may have before it.
    fn undo(&mut self, step: &Compact, found: &mut impl FnMut(u64)) {
        let moves = self.moves;
        if !moves.applies(step, &self.state.letters) {
            return;
        }
        for &(cell, before, after) in moves.writes(step) {
            self.state.put(self.model, cell, before, after);
        }
        let number = self.state.number(self.model, 0);
        if step.until == Until::Once && !step.chain {
            found(number);
        } else if !self.seen.contains(&(number, step.to, step.man, step.line)) {
            self.seen.push((number, step.to, step.man, step.line));
            found(number);
            let same_man = |next: &&Compact| next.man == step.man;
            if step.chain {
                moves.chains(step.to, step.man).filter(same_man).for_each(|next| self.undo(next, found));
            } else {
                moves.line(step).filter(same_man).for_each(|next| self.undo(next, found));
            }
        }
        for &(cell, before, after) in moves.writes(step) {
            self.state.put(self.model, cell, after, before);
        }
    }
}
