//! A state while moves are made on it: its letters, and what its number is made of.

use halma_engine::key::Key;
use halma_rules::cells::Cells;

use super::{GroundedModel, read};
use crate::own::coding::{self, Coding};

/// A state while moves are made on it.
pub(in crate::own) struct State<K, const W: usize> {
    pub(in crate::own) letters: [u8; 256],
    /// By ranked letter, where states are numbered so: its cells.
    pub(in crate::own) sets: Vec<Cells<W>>,
    /// By image, where states have digits: its number.
    pub(in crate::own) sums: Vec<K>,
    pub(in crate::own) second: bool,
    /// Of an image, by ranked letter: its cells.
    pub(in crate::own) image: Vec<Cells<W>>,
}

impl<K: Key, const W: usize> State<K, W> {
    pub(in crate::own) fn new(model: &GroundedModel<K, W>) -> Self {
        let (sets, sums) = match &model.coding {
            Coding::Counts(_) => (vec![Cells::EMPTY; model.task.ranked], Vec::new()),
            Coding::Digits(_) => (Vec::new(), vec![K::default(); model.images.len()]),
        };
        Self { letters: [0; 256], image: sets.clone(), sets, sums, second: false }
    }

    /// Takes on the state with that number.
    pub(in crate::own) fn read(&mut self, model: &GroundedModel<K, W>, number: K) {
        let letters = &mut self.letters[..model.task.board.len()];
        self.second = read(&model.task, &model.coding, number, letters);
        self.sum_up(model);
    }

    /// Sets of cells and sums from the letters.
    pub(in crate::own) fn sum_up(&mut self, model: &GroundedModel<K, W>) {
        let letters = &self.letters[..model.task.board.len()];
        match &model.coding {
            Coding::Counts(_) => {
                self.sets.fill(Cells::EMPTY);
                for (cell, &letter) in letters.iter().enumerate() {
                    if let Some(set) = self.sets.get_mut(usize::from(letter)) {
                        set.add(cell);
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
    pub(in crate::own) fn put(&mut self, model: &GroundedModel<K, W>, cell: u8, before: u8, after: u8) {
        self.letters[usize::from(cell)] = after;
        match &model.coding {
            Coding::Counts(_) => {
                if let Some(set) = self.sets.get_mut(usize::from(before)) {
                    set.remove(cell.into());
                }
                if let Some(set) = self.sets.get_mut(usize::from(after)) {
                    set.add(cell.into());
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
    pub(in crate::own) fn number(&mut self, model: &GroundedModel<K, W>, image: usize) -> K {
        let number = match &model.coding {
            Coding::Digits(_) => self.sums[image],
            Coding::Counts(ranks) if image == 0 => coding::rank(ranks, &self.sets),
            Coding::Counts(ranks) => {
                let (cells, to) = (model.task.board.len(), &model.image_of[image]);
                self.image.fill(Cells::EMPTY);
                for (letter, set) in self.sets.iter().enumerate() {
                    set.for_each(|cell| {
                        let (cell, letter) = to[letter * cells + cell];
                        self.image[usize::from(letter)].add(cell.into());
                    });
                }
                coding::rank(ranks, &self.image)
            }
        };
        if model.task.turns {
            let double = number.plus(number);
            if self.second { double.plus(K::from_words([1, 0, 0, 0])) } else { double }
        } else {
            number
        }
    }

    /// The state's own number, and the least number of all its images.
    #[inline]
    pub(in crate::own) fn own_and_least(&mut self, model: &GroundedModel<K, W>) -> (K, K) {
        let own = self.number(model, 0);
        (own, (1..model.images.len()).fold(own, |least, image| least.min(self.number(model, image))))
    }
}
