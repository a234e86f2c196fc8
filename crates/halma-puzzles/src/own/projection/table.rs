//! Distances in one abstract puzzle, looked up for states of the puzzle itself.

use halma_engine::search::{CancellationToken, Stopped};
use halma_rules::puzzle::grounded::Letters;

use super::abstraction::Projected;
use super::distances::{self, INFINITE};
use crate::own::coding::{self, Coding, LetterRanks, Set};

/// The distance table of an abstraction.
pub(super) struct Table {
    lookup: Lookup,
    distances: Vec<u8>,
}

/// How the number of the abstract state follows from the letters.
enum Lookup {
    /// By abstract ranked letter: which letters become it, and its ranks.
    Counts(Vec<(Letters, LetterRanks<u64>)>),
    /// By cell and letter: what this adds to the number.
    Digits(Vec<u64>),
}

/// The cells of each letter.
#[inline]
pub(super) fn sum_up<const W: usize>(state: &[u8], sets: &mut [Set<W>]) {
    sets.fill([0; W]);
    for (cell, &letter) in state.iter().enumerate() {
        sets[usize::from(letter)][cell / 64] |= 1 << (cell % 64);
    }
}

impl Table {
    /// # Errors
    /// What stopped its making.
    pub(super) fn of(projected: &Projected, cancel: &CancellationToken) -> Result<Self, Stopped> {
        let Projected { task, becomes } = projected;
        let members = |letter: usize| {
            let all = becomes.iter().enumerate().filter(|&(_, &to)| usize::from(to) == letter);
            all.fold(0, |set, (from, _)| set | 1 << from)
        };
        let lookup = match Coding::plain(task) {
            Coding::Counts(ranks) => {
                Lookup::Counts(ranks.into_iter().enumerate().map(|(letter, ranks)| (members(letter), ranks)).collect())
            }
            Coding::Digits(digits) => {
                let each = |cell| becomes.iter().map(move |&to| (cell, to));
                let cells = (0..task.board.len()).flat_map(each);
                Lookup::Digits(cells.map(|(cell, to)| digits.of(0, cell, to)).collect())
            }
        };
        Ok(Self { lookup, distances: distances::all(task, cancel)? })
    }

    /// The distance of a state to the nearest abstract goal; `u32::MAX` where there is no way.
    #[inline]
    pub(super) fn distance<const W: usize>(&self, state: &[u8], sets: &[Set<W>]) -> u32 {
        let number = match &self.lookup {
            Lookup::Digits(add) => {
                let letters = add.len() / state.len();
                state.iter().enumerate().map(|(cell, &letter)| add[cell * letters + usize::from(letter)]).sum()
            }
            Lookup::Counts(all) => {
                let (mut number, mut used) = (0, [0; W]);
                for (members, ranks) in all {
                    let (mut set, mut rest) = ([0; W], *members);
                    while rest != 0 {
                        let one = &sets[rest.trailing_zeros() as usize];
                        rest &= rest - 1;
                        set.iter_mut().zip(one).for_each(|(set, one)| *set |= one);
                    }
                    // A number that no move leads to can be read as a state with other counts: it has no bound.
                    if set.iter().map(|word| word.count_ones() as usize).sum::<usize>() != ranks.men {
                        return 0;
                    }
                    number += coding::rank_of(ranks, &set, Some(&used));
                    used.iter_mut().zip(&set).for_each(|(used, bits)| *used |= bits);
                }
                number
            }
        };
        match self.distances.get(number as usize) {
            None => 0,
            Some(&INFINITE) => u32::MAX,
            Some(&distance) => distance.into(),
        }
    }
}
