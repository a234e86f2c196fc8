//! Puzzles on a board: rewrite rules and sliding blocks.

mod one_letter;
mod state;
mod worker;

use std::collections::BTreeMap;

use halma_engine::key::{Key, U256};
use halma_record::record::Repeats;
use halma_rules::puzzle::GroundedTask;
use halma_rules::puzzle::grounded::{CellMap, Step};

use super::coding::{self, Coding};
use super::step_index::StepIndex;
use super::{AnyModel, Model, Worker};
use one_letter::OneLetter;
pub(super) use state::State;
use worker::GroundedWorker;

/// A puzzle on a board of at most `64 * W` cells.
#[derive(Debug)]
pub struct GroundedModel<K, const W: usize> {
    pub(super) task: GroundedTask,
    images: Vec<CellMap>,
    mirror: Option<CellMap>,
    /// By image, ranked letter and cell: where the man or block has its first cell in the image, and its letter.
    image_of: Vec<Vec<(u8, u8)>>,
    coding: Coding<K>,
    /// Every number of a state is below.
    numbers: U256,
    /// How many cells have each letter, where moves keep that.
    counts: Option<Vec<u32>>,
    forward: StepIndex,
    /// Steps that cost nothing, where there are any.
    free: Option<StepIndex>,
    pub(super) backward: Option<StepIndex>,
    /// The same moves, where all men are alike and move one at a time.
    alike: Option<OneLetter<K, W>>,
    alike_backward: Option<OneLetter<K, W>>,
    repeats: Repeats,
}

/// The model of a puzzle, with symmetries or without; `None` where its states are too many to number.
#[must_use]
pub fn model(task: &GroundedTask, symmetry: bool) -> Option<AnyModel> {
    let numbers = coding::numbers(task)?;
    // The last number stands for no state.
    Some(if numbers.high > 0 {
        AnyModel::Large(of_width(task, symmetry))
    } else if numbers.low > u128::from(u64::MAX) {
        AnyModel::Medium(of_width(task, symmetry))
    } else {
        AnyModel::Small(of_width(task, symmetry))
    })
}

fn of_width<K: Key>(task: &GroundedTask, symmetry: bool) -> Box<dyn Model<K>> {
    match task.board.len() {
        0..=64 => Box::new(GroundedModel::<K, 1>::new(task, symmetry)),
        65..=128 => Box::new(GroundedModel::<K, 2>::new(task, symmetry)),
        _ => Box::new(GroundedModel::<K, 4>::new(task, symmetry)),
    }
}

impl<K: Key, const W: usize> GroundedModel<K, W> {
    /// The model of a puzzle whose states fit the keys.
    #[must_use]
    pub fn new(task: &GroundedTask, symmetry: bool) -> Self {
        let mut images = task.symmetries();
        images.truncate(if symmetry { images.len() } else { 1 });
        let (free, counted): (Vec<Step>, Vec<Step>) = task.steps.iter().cloned().partition(|step| step.free);
        let cells = task.board.len();
        let image_of = images.iter().map(|map| {
            let each = |letter: usize| (0..cells).map(move |cell| (letter as u8, cell as u8));
            (0..task.ranked).flat_map(each).map(|(letter, cell)| task.image_of_block(map, letter, cell)).collect()
        });
        let inverse = task.has_inverse().then(|| task.inverse_steps());
        Self {
            mirror: if symmetry { task.mirror(&images) } else { None },
            alike: OneLetter::new(task, &task.steps, &images),
            alike_backward: inverse.as_ref().and_then(|steps| OneLetter::new(task, steps, &images)),
            image_of: image_of.collect(),
            coding: Coding::new(task, &images),
            counts: task.counts(),
            numbers: coding::numbers(task).unwrap_or(U256::MAX),
            forward: StepIndex::new(task, &counted),
            free: task.has_free().then(|| StepIndex::new(task, &free)),
            backward: inverse.as_ref().map(|steps| StepIndex::new(task, steps)),
            repeats: task.repeats(),
            images,
            task: task.clone(),
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
        (state.letters[..self.task.board.len()].to_vec(), state.second)
    }
}

/// The letters of the state with that number, and whether side 2 is to move.
#[inline]
pub(super) fn read<K: Key>(task: &GroundedTask, coding: &Coding<K>, number: K, letters: &mut [u8]) -> bool {
    let [a, b, c, d] = number.words();
    let (second, number) = match task.turns {
        true => (a & 1 == 1, K::from_words([a >> 1 | b << 63, b >> 1 | c << 63, c >> 1 | d << 63, d >> 1])),
        false => (false, number),
    };
    match coding {
        Coding::Counts(ranks) => {
            // Without `.` it is the last ranked letter that has what the others leave.
            coding::unrank(ranks, number, task.letters.len() as u8 - 1, letters);
            if !task.bodies.is_empty() {
                for cell in 0..letters.len() {
                    if let Some(bodies) = task.bodies.get(usize::from(letters[cell])) {
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

impl<K: Key, const W: usize> Model<K> for GroundedModel<K, W> {
    fn starts(&self) -> Vec<K> {
        self.task.starts.iter().map(|letters| self.number(letters, false)).collect()
    }

    fn worker(&self) -> Box<dyn Worker<K> + '_> {
        Box::new(GroundedWorker::new(self))
    }

    fn repeats(&self) -> Repeats {
        self.repeats
    }

    fn symmetries(&self) -> Option<Vec<Vec<u8>>> {
        Some(self.images.iter().map(|map| map.cells.clone()).collect())
    }

    fn whole(&self) -> Option<Box<dyn Model<K>>> {
        let whole = Self::new(&self.task, true);
        (whole.images.len() > self.images.len()).then(|| Box::new(whole) as Box<dyn Model<K>>)
    }

    fn mirror(&self) -> Option<(Vec<u8>, BTreeMap<String, String>)> {
        let map = self.mirror.as_ref()?;
        let drawn = |letter: u8| self.task.letters[usize::from(letter)].to_string();
        // Of a block that is turned round parts change places, which are drawn alike.
        let all = (0..).zip(&map.letters).map(|(letter, &image)| (drawn(letter), drawn(image)));
        Some((map.cells.clone(), all.filter(|(letter, image)| letter != image).collect()))
    }

    fn has_goal(&self) -> bool {
        !self.task.goals.is_empty()
    }

    fn goals(&self) -> Option<Vec<K>> {
        let states = self.task.goal_states()?;
        Some(states.iter().map(|letters| self.number(letters, false)).collect())
    }

    fn has_inverse(&self) -> bool {
        self.backward.is_some()
    }

    fn picture(&self, state: K) -> String {
        self.task.picture(&self.letters(state).0)
    }

    fn written(&self, before: K, after: K) -> String {
        self.task.change(&self.letters(before).0, &self.letters(after).0)
    }
}
