//! Puzzles on a board: rewrite rules and sliding blocks.

mod one_letter;
mod state;
mod worker;

use std::collections::BTreeMap;

use halma_engine::key::{Key, U256};
use halma_record::record::Repeats;
use halma_rules::puzzle::Ground;
use halma_rules::puzzle::ground::{CellMap, Step};

use super::coding::{self, Coding};
use super::step_index::Moves;
use super::{AnyModel, Model, Worker};
use one_letter::OneLetter;
pub(super) use state::State;
use worker::GroundWorker;

/// A puzzle on a board of at most `64 * W` cells.
#[derive(Debug)]
pub struct GroundModel<K, const W: usize> {
    pub(super) ground: Ground,
    images: Vec<CellMap>,
    mirror: Option<CellMap>,
    /// By image, ranked letter and cell: where the man or block has its first cell in the image, and its letter.
    image_of: Vec<Vec<(u8, u8)>>,
    coding: Coding<K>,
    /// Every number of a state is below.
    numbers: U256,
    /// How many cells have each letter, where moves keep that.
    counts: Option<Vec<u32>>,
    forward: Moves,
    /// Steps that cost nothing, where there are any.
    free: Option<Moves>,
    pub(super) backward: Option<Moves>,
    /// The same moves, where all men are alike and move one at a time.
    alike: Option<OneLetter<K, W>>,
    alike_backward: Option<OneLetter<K, W>>,
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
        let (free, counted): (Vec<Step>, Vec<Step>) = ground.steps.iter().cloned().partition(|step| step.free);
        let cells = ground.board.len();
        let image_of = images.iter().map(|map| {
            let each = |letter: usize| (0..cells).map(move |cell| (letter as u8, cell as u8));
            (0..ground.ranked).flat_map(each).map(|(letter, cell)| ground.image_of_block(map, letter, cell)).collect()
        });
        let inverse = ground.has_inverse().then(|| ground.inverse_steps());
        Self {
            mirror: if symmetry { ground.mirror(&images) } else { None },
            alike: OneLetter::new(ground, &ground.steps, &images),
            alike_backward: inverse.as_ref().and_then(|steps| OneLetter::new(ground, steps, &images)),
            image_of: image_of.collect(),
            coding: Coding::new(ground, &images),
            counts: ground.counts(),
            numbers: coding::numbers(ground).unwrap_or(U256::MAX),
            forward: Moves::new(ground, &counted),
            free: ground.has_free().then(|| Moves::new(ground, &free)),
            backward: inverse.as_ref().map(|steps| Moves::new(ground, steps)),
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

impl<K: Key, const W: usize> Model<K> for GroundModel<K, W> {
    fn starts(&self) -> Vec<K> {
        self.ground.starts.iter().map(|letters| self.number(letters, false)).collect()
    }

    fn worker(&self) -> Box<dyn Worker<K> + '_> {
        Box::new(GroundWorker::new(self))
    }

    fn repeats(&self) -> Repeats {
        self.repeats
    }

    fn symmetries(&self) -> Option<Vec<Vec<u8>>> {
        Some(self.images.iter().map(|map| map.cells.clone()).collect())
    }

    fn mirror(&self) -> Option<(Vec<u8>, BTreeMap<String, String>)> {
        let map = self.mirror.as_ref()?;
        let drawn = |letter: u8| self.ground.letters[usize::from(letter)].to_string();
        // Of a block that is turned round parts change places, which are drawn alike.
        let all = (0..).zip(&map.letters).map(|(letter, &image)| (drawn(letter), drawn(image)));
        Some((map.cells.clone(), all.filter(|(letter, image)| letter != image).collect()))
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
