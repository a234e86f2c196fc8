//! Puzzles on a board: rewrite rules and sliding blocks.

use halma_engine::key::{Key, U256};
use halma_record::record::Repeats;
use halma_rules::puzzle::Ground;
use halma_rules::puzzle::ground::{CellMap, Until};

use super::coding::{self, Coding, LetterRanks, OtherMen, Set, for_each};
use super::moves::{Compact, Moves};
use super::{AnyModel, Model, Worker};

/// A puzzle on a board of at most `64 * W` cells.
#[derive(Debug)]
pub struct GroundModel<K, const W: usize> {
    pub(super) ground: Ground,
    images: Vec<CellMap>,
    /// By image, ranked letter and cell: where the man or block has its first cell in the image, and its letter.
    image_of: Vec<Vec<(u8, u8)>>,
    coding: Coding<K>,
    /// Every number of a state is below.
    numbers: U256,
    forward: Moves,
    pub(super) backward: Option<Moves>,
    repeats: Repeats,
}

/// The model of a puzzle, with symmetries or without; `None` where its states are too many to number.
#[must_use]
pub fn model(ground: &Ground, symmetry: bool) -> Option<AnyModel> {
    let numbers = coding::numbers(ground)?;
    // The last number stands for no state.
    Some(if numbers.high > 0 {
        AnyModel::Large(of_width(ground, symmetry))
    } else if numbers.low > u128::from(u64::MAX) {
        AnyModel::Medium(of_width(ground, symmetry))
    } else {
        AnyModel::Small(of_width(ground, symmetry))
    })
}

fn of_width<K: Key>(ground: &Ground, symmetry: bool) -> Box<dyn Model<K>> {
    match ground.board.len() {
        0..=64 => Box::new(GroundModel::<K, 1>::new(ground, symmetry)),
        65..=128 => Box::new(GroundModel::<K, 2>::new(ground, symmetry)),
        _ => Box::new(GroundModel::<K, 4>::new(ground, symmetry)),
    }
}

impl<K: Key, const W: usize> GroundModel<K, W> {
    /// The model of a puzzle whose states fit the keys.
    #[must_use]
    pub fn new(ground: &Ground, symmetry: bool) -> Self {
        let mut images = ground.symmetries();
        images.truncate(if symmetry { images.len() } else { 1 });
        let cells = ground.board.len();
        let image_of = images.iter().map(|map| {
            let each = |letter: usize| (0..cells).map(move |cell| (letter as u8, cell as u8));
            (0..ground.ranked).flat_map(each).map(|(letter, cell)| ground.image_of_block(map, letter, cell)).collect()
        });
        Self {
            image_of: image_of.collect(),
            coding: Coding::new(ground, &images),
            numbers: coding::numbers(ground).unwrap_or(U256::MAX),
            forward: Moves::new(ground, &ground.steps),
            backward: ground.has_inverse().then(|| Moves::new(ground, &ground.inverse_steps())),
            repeats: ground.repeats(),
            images,
            ground: ground.clone(),
        }
    }

    /// The number of a state.
    #[must_use]
    pub fn number(&self, letters: &[u8], second: bool) -> K {
        let mut state = State::<K, W>::new(self);
        state.letters[..letters.len()].copy_from_slice(letters);
        state.second = second;
        state.sum_up(self);
        state.number(self, 0)
    }

    /// The letters of a state, and whether side 2 is to move.
    #[must_use]
    pub fn letters(&self, number: K) -> (Vec<u8>, bool) {
        let mut state = State::<K, W>::new(self);
        state.read(self, number);
        (state.letters[..self.ground.board.len()].to_vec(), state.second)
    }
}

/// The letters of the state with that number, and whether side 2 is to move.
#[inline]
pub(super) fn read<K: Key>(ground: &Ground, coding: &Coding<K>, number: K, letters: &mut [u8]) -> bool {
    let [a, b, c, d] = number.words();
    let (second, number) = match ground.turns {
        true => (a & 1 == 1, K::from_words([a >> 1 | b << 63, b >> 1 | c << 63, c >> 1 | d << 63, d >> 1])),
        false => (false, number),
    };
    match coding {
        Coding::Counts(ranks) => {
            // Without `.` it is the last ranked letter that has what the others leave.
            coding::unrank(ranks, number, ground.letters.len() as u8 - 1, letters);
            if !ground.bodies.is_empty() {
                for cell in 0..letters.len() {
                    if let Some(bodies) = ground.bodies.get(usize::from(letters[cell])) {
                        for &(other, part) in &bodies[cell] {
                            letters[usize::from(other)] = part;
                        }
                    }
                }
            }
        }
        Coding::Digits(digits) => digits.unrank(number, letters),
    }
    second
}

/// A state while moves are made on it.
pub(super) struct State<K, const W: usize> {
    pub(super) letters: [u8; 256],
    /// By ranked letter, where states are numbered so: its cells.
    sets: Vec<Set<W>>,
    /// By image, where states have digits: its number.
    sums: Vec<K>,
    second: bool,
    /// Of an image, by ranked letter: its cells.
    image: Vec<Set<W>>,
}

impl<K: Key, const W: usize> State<K, W> {
    pub(super) fn new(model: &GroundModel<K, W>) -> Self {
        let (sets, sums) = match &model.coding {
            Coding::Counts(_) => (vec![[0; W]; model.ground.ranked], Vec::new()),
            Coding::Digits(_) => (Vec::new(), vec![K::default(); model.images.len()]),
        };
        Self { letters: [0; 256], image: sets.clone(), sets, sums, second: false }
    }

    /// Takes on the state with that number.
    pub(super) fn read(&mut self, model: &GroundModel<K, W>, number: K) {
        let letters = &mut self.letters[..model.ground.board.len()];
        self.second = read(&model.ground, &model.coding, number, letters);
        self.sum_up(model);
    }

    /// Sets of cells and sums from the letters.
    fn sum_up(&mut self, model: &GroundModel<K, W>) {
        let letters = &self.letters[..model.ground.board.len()];
        match &model.coding {
            Coding::Counts(_) => {
                self.sets.fill([0; W]);
                for (cell, &letter) in letters.iter().enumerate() {
                    if let Some(set) = self.sets.get_mut(usize::from(letter)) {
                        set[cell / 64] |= 1 << (cell % 64);
                    }
                }
            }
            Coding::Digits(digits) => {
                for (image, sum) in self.sums.iter_mut().enumerate() {
                    let each = letters.iter().enumerate().map(|(cell, &letter)| digits.of(image, cell, letter));
                    *sum = each.fold(K::default(), Key::plus);
                }
            }
        }
    }

    /// Puts `after` on a cell that has `before`.
    #[inline]
    pub(super) fn put(&mut self, model: &GroundModel<K, W>, cell: u8, before: u8, after: u8) {
        self.letters[usize::from(cell)] = after;
        let (word, bit) = (usize::from(cell) / 64, 1 << (cell % 64));
        match &model.coding {
            Coding::Counts(_) => {
                if let Some(set) = self.sets.get_mut(usize::from(before)) {
                    set[word] ^= bit;
                }
                if let Some(set) = self.sets.get_mut(usize::from(after)) {
                    set[word] ^= bit;
                }
            }
            Coding::Digits(digits) => {
                for (image, sum) in self.sums.iter_mut().enumerate() {
                    let cell = usize::from(cell);
                    *sum = sum.plus(digits.of(image, cell, after)).minus(digits.of(image, cell, before));
                }
            }
        }
    }

    /// The number of an image of the state.
    #[inline]
    pub(super) fn number(&mut self, model: &GroundModel<K, W>, image: usize) -> K {
        let number = match &model.coding {
            Coding::Digits(_) => self.sums[image],
            Coding::Counts(ranks) if image == 0 => coding::rank(ranks, &self.sets),
            Coding::Counts(ranks) => {
                let (cells, to) = (model.ground.board.len(), &model.image_of[image]);
                self.image.fill([0; W]);
                for (letter, set) in self.sets.iter().enumerate() {
                    for_each(set, |cell| {
                        let (cell, letter) = to[letter * cells + cell];
                        self.image[usize::from(letter)][usize::from(cell) / 64] |= 1 << (cell % 64);
                    });
                }
                coding::rank(ranks, &self.image)
            }
        };
        if model.ground.turns {
            let double = number.plus(number);
            if self.second { double.plus(K::from_words([1, 0, 0, 0])) } else { double }
        } else {
            number
        }
    }

    /// The least number of all images.
    #[inline]
    fn least(&mut self, model: &GroundModel<K, W>) -> (K, K) {
        let own = self.number(model, 0);
        (own, (1..model.images.len()).fold(own, |least, image| least.min(self.number(model, image))))
    }
}

impl<K: Key, const W: usize> Model<K> for GroundModel<K, W> {
    fn starts(&self) -> Vec<K> {
        self.ground.starts.iter().map(|letters| self.number(letters, false)).collect()
    }

    fn worker(&self) -> Box<dyn Worker<K> + '_> {
        Box::new(GroundWorker {
            model: self,
            state: State::new(self),
            found: Vec::new(),
            reached: [0; W],
            ended: [0; W],
            chained: Vec::new(),
            others: (0..self.images.len()).map(|_| OtherMen::new()).collect(),
            images: true,
        })
    }

    fn repeats(&self) -> Repeats {
        self.repeats
    }

    fn symmetries(&self) -> Option<Vec<Vec<u8>>> {
        Some(self.images.iter().map(|map| map.cells.clone()).collect())
    }

    fn has_goal(&self) -> bool {
        !self.ground.goals.is_empty()
    }

    fn goals(&self) -> Option<Vec<K>> {
        let states = self.ground.goal_states()?;
        Some(states.iter().map(|letters| self.number(letters, false)).collect())
    }

    fn has_inverse(&self) -> bool {
        self.backward.is_some()
    }

    fn picture(&self, state: K) -> String {
        self.ground.picture(&self.letters(state).0)
    }

    fn written(&self, before: K, after: K) -> String {
        self.ground.change(&self.letters(before).0, &self.letters(after).0)
    }
}

/// One thread's state, and what it has found.
struct GroundWorker<'a, K, const W: usize> {
    model: &'a GroundModel<K, W>,
    state: State<K, W>,
    /// The numbers of what was found, each with the least one of its images.
    found: Vec<(K, K)>,
    /// Cells that the man has gone on from, and cells that he has ended on.
    reached: Set<W>,
    ended: Set<W>,
    /// States on the way of a chain, each with the cell of the man: another man may leave the same state behind.
    chained: Vec<(K, u8)>,
    /// By image: the men beside the one that moves, where states are told by him.
    others: Vec<OtherMen<K, W>>,
    /// Whether images are asked for.
    images: bool,
}

impl<'a, K: Key, const W: usize> GroundWorker<'a, K, W> {
    /// All moves of the state at hand.
    fn all_moves(&mut self, moves: &Moves) {
        self.found.clear();
        let turn = match (self.model.ground.turns, self.state.second) {
            (false, _) => 0,
            (true, second) => 1 + u8::from(second),
        };
        for cell in 0..self.model.ground.board.len() {
            let letter = self.state.letters[cell];
            let mut all = moves.from(cell as u8, letter).peekable();
            if all.peek().is_none() {
                continue;
            }
            if moves.one_man {
                self.reached = [0; W];
                self.ended = [0; W];
                self.ended[cell / 64] |= 1 << (cell % 64);
                let ranks = self.of_one_letter();
                if let Some(ranks) = ranks {
                    self.take_others(ranks, cell);
                }
                for step in all {
                    self.one_man(moves, step, ranks);
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
    fn one_man(&mut self, moves: &Moves, step: &Compact, ranks: Option<&LetterRanks<K>>) {
        let (word, bit) = (usize::from(step.to) / 64, 1u64 << (step.to % 64));
        let new = self.ended[word] & bit == 0;
        let goes_on = step.chain && self.reached[word] & bit == 0;
        if !(new || goes_on) || !moves.applies(step, &self.state.letters) {
            return;
        }
        self.apply(moves, step, false);
        if new {
            self.ended[word] |= bit;
            match ranks {
                Some(ranks) => self.emit_by_man(ranks, step.to),
                None => self.emit(),
            }
        }
        if goes_on {
            self.reached[word] |= bit;
            for next in moves.chains(step.to, step.man) {
                self.one_man(moves, next, ranks);
            }
        }
        self.apply(moves, step, true);
    }

    /// The ranks of the only letter, where there is one beside `.`.
    fn of_one_letter(&self) -> Option<&'a LetterRanks<K>> {
        match &self.model.coding {
            Coding::Counts(ranks) if self.model.ground.bodies.is_empty() => match &ranks[..] {
                [only] if self.model.ground.has_empty => Some(only),
                _ => None,
            },
            _ => None,
        }
    }

    /// Takes all men but the one on `cell` as the others, in every image.
    fn take_others(&mut self, ranks: &LetterRanks<K>, cell: usize) {
        let mut others = self.state.sets[0];
        others[cell / 64] &= !(1 << (cell % 64));
        self.others[0].take(ranks, others);
        let images = if self.images { self.model.images.len() } else { 1 };
        for image in 1..images {
            let (mut set, to) = ([0; W], &self.model.image_of[image]);
            for_each(&others, |cell| set[usize::from(to[cell].0) / 64] |= 1 << (to[cell].0 % 64));
            self.others[image].take(ranks, set);
        }
    }

    /// [`Self::emit`] where the other men are known.
    #[inline]
    fn emit_by_man(&mut self, ranks: &LetterRanks<K>, cell: u8) {
        let own = self.others[0].number(ranks, cell.into());
        let mut least = own;
        if self.images {
            for (others, to) in self.others.iter().zip(&self.model.image_of).skip(1) {
                least = least.min(others.number(ranks, to[usize::from(cell)].0.into()));
            }
        }
        self.found.push((own, least));
    }

    /// A step of any kind, and all that one move may have after it.
    fn one(&mut self, moves: &Moves, step: &Compact, turn: u8) {
        match step.until {
            Until::Once if step.chain => {
                // All chains of one man are looked at together: what one has come to the others need not go on from.
                if self.chained.is_empty() {
                    let start = self.state.number(self.model, 0);
                    self.chained.push((start, step.from));
                }
                self.chain(moves, step, turn);
            }
            Until::Once => {
                self.apply(moves, step, false);
                self.end(turn);
                self.apply(moves, step, true);
            }
            Until::Any | Until::Blocked => self.line(moves, step, turn),
        }
    }

    /// Repeats a step along its direction.
    fn line(&mut self, moves: &Moves, step: &Compact, turn: u8) {
        let mut done = vec![*step];
        self.apply(moves, step, false);
        loop {
            let last = done[done.len() - 1];
            let next = moves.next(&last, &self.state.letters).copied();
            if last.until == Until::Any || next.is_none() {
                self.end(turn);
            }
            // Each step goes on by at least a cell, so a line ends; around in a circle it cannot lead.
            let Some(next) = next.filter(|_| done.len() < 256) else { break };
            self.apply(moves, &next, false);
            done.push(next);
        }
        for step in done.iter().rev() {
            self.apply(moves, step, true);
        }
    }

    /// A step that chains, and those after it. No state comes twice on the way.
    fn chain(&mut self, moves: &Moves, step: &Compact, turn: u8) {
        self.apply(moves, step, false);
        let number = self.state.number(self.model, 0);
        if !self.chained.contains(&(number, step.to)) {
            // The same state with the man elsewhere is no new one, but he may go on from there.
            self.chained.push((number, step.to));
            self.end(turn);
            for next in moves.chains(step.to, step.man) {
                if next.turn == turn && moves.applies(next, &self.state.letters) {
                    self.chain(moves, next, turn);
                }
            }
        }
        self.apply(moves, step, true);
    }

    #[inline]
    fn apply(&mut self, moves: &Moves, step: &Compact, undo: bool) {
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
            self.state.least(self.model)
        } else {
            let own = self.state.number(self.model, 0);
            (own, own)
        };
        self.found.push(found);
    }

    /// What moves lead to from a state: with or without images.
    fn find(&mut self, state: K, moves: &Moves, images: bool) {
        self.images = images;
        self.state.read(self.model, state);
        self.all_moves(moves);
    }
}

impl<K: Key, const W: usize> Worker<K> for GroundWorker<'_, K, W> {
    fn after(&mut self, state: K, out: &mut Vec<K>) {
        self.find(state, &self.model.forward, false);
        out.extend(self.found.iter().map(|&(own, _)| own).filter(|&own| own != state));
    }

    fn before(&mut self, state: K, out: &mut Vec<K>) {
        if let Some(backward) = &self.model.backward {
            // The move that leads here was the other side's.
            let turn = self.model.ground.turns;
            let one = K::from_words([1, 0, 0, 0]);
            let other = |number: K| if number.words()[0] & 1 == 1 { number.minus(one) } else { number.plus(one) };
            self.find(if turn { other(state) } else { state }, backward, false);
            let found = self.found.iter().map(|&(own, _)| if turn { other(own) } else { own });
            out.extend(found.filter(|&own| own != state));
        }
    }

    fn canonical(&mut self, state: K) -> K {
        if self.model.images.len() == 1 {
            return state;
        }
        self.state.read(self.model, state);
        self.state.least(self.model).1
    }

    fn image(&mut self, state: K, map: usize) -> K {
        self.state.read(self.model, state);
        self.state.number(self.model, map)
    }

    fn successors(&mut self, state: K, out: &mut Vec<K>) {
        self.find(state, &self.model.forward, true);
        out.extend(self.found.iter().filter(|&&(own, _)| own != state).map(|&(_, least)| least));
    }

    fn is_goal(&mut self, state: K) -> bool {
        self.state.read(self.model, state);
        self.model.ground.is_goal(&self.state.letters[..self.model.ground.board.len()])
    }

    fn is_state(&mut self, state: K) -> bool {
        U256::from_words(state.words()) < self.model.numbers
    }
}
