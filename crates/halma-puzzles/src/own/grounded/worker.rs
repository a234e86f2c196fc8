//! The moves of a state, as one thread makes them: a step at a time on the state itself, and undone again.

use std::collections::HashSet;

use halma_engine::key::{Key, U256};
use halma_rules::cells::Cells;
use halma_rules::puzzle::grounded::Until;

use super::GroundedModel;
use super::one_letter::{OneLetter, OneLetterScratch};
use super::state::State;
use crate::own::step_index::{IndexedStep, StepIndex, ToDo};
use crate::own::visited::Visited;
use crate::own::{Repeats, Worker};

/// One thread's state, and what it has found.
pub(super) struct GroundedWorker<'a, K, const W: usize> {
    model: &'a GroundedModel<K, W>,
    state: State<K, W>,
    /// The numbers of what was found, each with the least one of its images.
    found: Vec<(K, K)>,
    /// Cells that the man has gone on from, and cells that he has ended on.
    reached: Cells<W>,
    ended: Cells<W>,
    /// States on the way of a chain, each with the cell of the man: another man may leave the same state behind.
    chained: Visited<(K, u8)>,
    /// What is left to do for a chain.
    to_do: Vec<ToDo<'a>>,
    /// For [`OneLetter`], forward and backward.
    alike: [Option<OneLetterScratch<K, W>>; 2],
    /// Whether images are asked for.
    images: bool,
    /// The most that may be found on the way of one move.
    most: usize,
    /// Whether that was exceeded, and the rest left out.
    gave_up: bool,
}

/// The most states that undone moves of several steps are followed to: each undone step may put back a man, or any of several.
const MOST_BEFORE: usize = 1 << 10;

impl<'a, K: Key, const W: usize> GroundedWorker<'a, K, W> {
    /// Nothing is found yet.
    pub(super) fn new(model: &'a GroundedModel<K, W>) -> Self {
        Self {
            model,
            state: State::new(model),
            found: Vec::new(),
            reached: Cells::EMPTY,
            ended: Cells::EMPTY,
            chained: Visited::default(),
            to_do: Vec::new(),
            alike: [&model.alike, &model.alike_backward].map(|moves| moves.as_ref().map(OneLetter::scratch)),
            images: true,
            most: usize::MAX,
            gave_up: false,
        }
    }

    /// All moves of the state at hand.
    fn all_moves(&mut self, moves: &'a StepIndex) {
        self.found.clear();
        let turn = match (self.model.task.turns, self.state.second) {
            (false, _) => 0,
            (true, second) => 1 + u8::from(second),
        };
        for cell in 0..self.model.task.board.len() {
            let letter = self.state.letters[cell];
            let mut all = moves.from(cell as u8, letter).peekable();
            if all.peek().is_none() {
                continue;
            }
            if moves.one_man {
                self.reached = Cells::EMPTY;
                self.ended = Cells::of(cell);
                for step in all {
                    self.one_man(moves, step);
                }
                continue;
            }
            self.chained.clear();
            for step in all {
                if step.turn == turn && moves.applies(step, &self.state.letters) {
                    self.one(moves, step, turn);
                }
            }
        }
        if !moves.one_man {
            self.found.sort_unstable();
            self.found.dedup();
        }
    }

    /// A step of one man, and those that he may go on with: each cell that he comes to is a state, found once.
    fn one_man(&mut self, moves: &StepIndex, step: &IndexedStep) {
        let to = usize::from(step.to);
        let new = !self.ended.contains(to);
        let goes_on = step.chain && !self.reached.contains(to);
        if !(new || goes_on) || !moves.applies(step, &self.state.letters) {
            return;
        }
        self.apply(moves, step, false);
        if new {
            self.ended.add(to);
            self.emit();
        }
        if goes_on {
            self.reached.add(to);
            for next in moves.chains(step.to, step.man) {
                self.one_man(moves, next);
            }
        }
        self.apply(moves, step, true);
    }

    /// A step of any kind, and all that one move may have after it.
    fn one(&mut self, moves: &'a StepIndex, step: &'a IndexedStep, turn: u8) {
        match step.until {
            Until::Once if step.chain => {
                // A state that one chain of this man has reached is not expanded again by another.
                if self.chained.is_empty() {
                    let start = self.state.number(self.model, 0);
                    self.chained.insert((start, step.from));
                }
                self.chain(moves, step, turn);
            }
            Until::Once => {
                self.apply(moves, step, false);
                self.end(turn);
                self.apply(moves, step, true);
            }
            Until::Any | Until::Blocked => self.line(moves, step, 0, turn),
        }
    }

    /// Repeats a step along its direction; `done` steps of the move came before it.
    ///
    /// Forward at most one step goes on. Undone moves may have several: where the rule takes a man of one of several letters, it
    /// may have taken any of them.
    fn line(&mut self, moves: &StepIndex, step: &IndexedStep, done: usize, turn: u8) {
        self.gave_up |= self.found.len() > self.most;
        if self.gave_up {
            return;
        }
        self.apply(moves, step, false);
        let mut ends = true;
        for next in moves.line(step) {
            if next.man == self.state.letters[usize::from(step.to)] && moves.applies(next, &self.state.letters) {
                ends = false;
                // Each step goes on by at least a cell, so a line ends; around in a circle it cannot lead.
                if done < 255 {
                    self.line(moves, next, done + 1, turn);
                }
            }
        }
        if ends || step.until == Until::Any {
            self.end(turn);
        }
        self.apply(moves, step, true);
    }

    /// A step that chains, and those after it. No state comes twice on the way.
    fn chain(&mut self, moves: &'a StepIndex, step: &'a IndexedStep, turn: u8) {
        let mut to_do = std::mem::take(&mut self.to_do);
        to_do.push(ToDo::Step(step));
        while let Some(next) = to_do.pop() {
            let step = match next {
                ToDo::Step(step) => step,
                ToDo::Undo(step) => {
                    self.apply(moves, step, true);
                    continue;
                }
            };
            self.gave_up |= self.found.len() > self.most;
            if self.gave_up {
                continue;
            }
            self.apply(moves, step, false);
            to_do.push(ToDo::Undo(step));
            // The same state with the man elsewhere is no new one, but he may go on from there.
            if self.chained.insert((self.state.number(self.model, 0), step.to)) {
                self.end(turn);
                let on = moves.chains(step.to, step.man).filter(|on| on.turn == turn);
                to_do.extend(on.filter(|on| moves.applies(on, &self.state.letters)).map(ToDo::Step));
            }
        }
        self.to_do = to_do;
    }

    #[inline]
    fn apply(&mut self, moves: &StepIndex, step: &IndexedStep, undo: bool) {
        for &(cell, before, after) in moves.writes(step) {
            let (before, after) = if undo { (after, before) } else { (before, after) };
            self.state.put(self.model, cell, before, after);
        }
    }

    /// The state at hand is what a move of that side leads to.
    fn end(&mut self, turn: u8) {
        if turn > 0 {
            self.state.second = !self.state.second;
        }
        self.emit();
        if turn > 0 {
            self.state.second = !self.state.second;
        }
    }

    #[inline]
    fn emit(&mut self) {
        let found = if self.images {
            self.state.own_and_least(self.model)
        } else {
            let own = self.state.number(self.model, 0);
            (own, own)
        };
        self.found.push(found);
    }

    /// What moves lead to from a state: with or without images.
    fn find(&mut self, state: K, moves: &'a StepIndex, images: bool) {
        self.images = images;
        self.state.read(self.model, state);
        self.all_moves(moves);
    }

    /// What whole moves lead to from a state: where steps are free, from all that these lead to.
    fn find_forward(&mut self, state: K, images: bool) {
        let model = self.model;
        let unmoved = |here: K| if model.task.turns { other_side(here) } else { here };
        let Some(free) = &model.free else {
            self.find(state, &model.forward, images);
            if model.task.turns {
                // A chain may lead back to the letters at its beginning, which is no move: a side could pass by it.
                self.found.retain(|&(own, _)| own != unmoved(state));
            }
            return;
        };
        let mut found = Vec::new();
        for here in self.reached_freely(state, free) {
            self.find(here, &model.forward, images);
            found.extend(self.found.iter().copied().filter(|&(own, _)| own != unmoved(here)));
        }
        found.sort_unstable();
        found.dedup();
        self.found = found;
    }

    /// What leads to a state: with `images` the least number of each state's images, else its own.
    fn leading_here(&mut self, state: K, images: bool, out: &mut Vec<K>) -> bool {
        if let (Some(moves), [_, Some(scratch)]) = (&self.model.alike_backward, &mut self.alike) {
            moves.after(scratch, state, images, out);
            return true;
        }
        let Some(backward) = &self.model.backward else { return false };
        // The move that leads here was the other side's.
        let turn = self.model.task.turns;
        let told = |number: K| if turn { other_side(number) } else { number };
        // Where moves lead back, what leads here is as much as leads away.
        self.most = if self.model.repeats == Repeats::Previous { usize::MAX } else { MOST_BEFORE };
        self.find(told(state), backward, images);
        self.most = usize::MAX;
        let found = self.found.iter().filter(|&&(own, _)| own != state);
        out.extend(found.map(|&(own, least)| told(if images { least } else { own })));
        !std::mem::take(&mut self.gave_up)
    }

    /// What free steps lead to from a state, itself first.
    fn reached_freely(&mut self, state: K, free: &'a StepIndex) -> Vec<K> {
        let (mut reached, mut seen) = (vec![state], HashSet::from([state]));
        let mut next = 0;
        while let Some(&here) = reached.get(next) {
            self.find(here, free, false);
            for &(own, _) in &self.found {
                // It is still the turn of the same side.
                let own = if self.model.task.turns { other_side(own) } else { own };
                if seen.insert(own) {
                    reached.push(own);
                }
            }
            next += 1;
        }
        reached
    }
}

/// The number of the same letters with the other side to move.
fn other_side<K: Key>(number: K) -> K {
    let one = K::from_words([1, 0, 0, 0]);
    if number.words()[0] & 1 == 1 { number.minus(one) } else { number.plus(one) }
}

impl<K: Key, const W: usize> Worker<K> for GroundedWorker<'_, K, W> {
    fn after(&mut self, state: K, out: &mut Vec<K>) {
        if let (Some(moves), [Some(scratch), _]) = (&self.model.alike, &mut self.alike) {
            return moves.after(scratch, state, false, out);
        }
        self.find_forward(state, false);
        out.extend(self.found.iter().map(|&(own, _)| own).filter(|&own| own != state));
    }

    fn before(&mut self, state: K, out: &mut Vec<K>) -> bool {
        self.leading_here(state, false, out)
    }

    fn canonical_predecessors(&mut self, state: K, out: &mut Vec<K>) -> bool {
        self.leading_here(state, true, out)
    }

    fn canonical(&mut self, state: K) -> K {
        if self.model.images.len() == 1 {
            return state;
        }
        self.state.read(self.model, state);
        self.state.own_and_least(self.model).1
    }

    fn image(&mut self, state: K, map: usize) -> K {
        self.state.read(self.model, state);
        self.state.number(self.model, map)
    }

    fn mirrored(&mut self, state: K) -> K {
        let Some(mirror) = &self.model.mirror else { return state };
        self.state.read(self.model, state);
        let cells = self.model.task.board.len();
        let image = mirror.image(&self.state.letters[..cells]);
        self.state.letters[..cells].copy_from_slice(&image);
        self.state.sum_up(self.model);
        self.state.own_and_least(self.model).1
    }

    fn canonical_successors(&mut self, state: K, out: &mut Vec<K>) {
        if let (Some(moves), [Some(scratch), _]) = (&self.model.alike, &mut self.alike) {
            return moves.after(scratch, state, true, out);
        }
        self.find_forward(state, true);
        out.extend(self.found.iter().filter(|&&(own, _)| own != state).map(|&(_, least)| least));
    }

    fn is_goal(&mut self, state: K) -> bool {
        self.state.read(self.model, state);
        self.model.task.is_goal(&self.state.letters[..self.model.task.board.len()])
    }

    fn is_state(&mut self, state: K) -> bool {
        if U256::from_words(state.words()) >= self.model.numbers {
            return false;
        }
        let task = &self.model.task;
        if task.bodies.is_empty() {
            return true;
        }
        // Blocks that overlap, or hang over the edge, lack some of their cells.
        self.state.read(self.model, state);
        let counts = task.count_letters(&self.state.letters[..task.board.len()]);
        self.model.counts.as_ref() == Some(&counts)
    }
}
