//! Distances in one abstract puzzle, looked up for states of the puzzle itself.

use halma_engine::search::{CancellationToken, Stopped};
use halma_rules::cells::Cells;
use halma_rules::puzzle::grounded::Letters;

use super::abstraction::Projected;
use super::distances;
use crate::own::coding::{self, Coding, LetterRanks};

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
pub(super) fn sum_up<const W: usize>(state: &[u8], sets: &mut [Cells<W>]) {
    sets.fill(Cells::EMPTY);
    for (cell, &letter) in state.iter().enumerate() {
        sets[usize::from(letter)].add(cell);
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
    pub(super) fn distance<const W: usize>(&self, state: &[u8], sets: &[Cells<W>]) -> u32 {
        let number = match &self.lookup {
            Lookup::Digits(add) => {
                let letters = add.len() / state.len();
                state.iter().enumerate().map(|(cell, &letter)| add[cell * letters + usize::from(letter)]).sum()
            }
            Lookup::Counts(all) => {
                let (mut number, mut used) = (0, Cells::EMPTY);
                for (members, ranks) in all {
                    let (mut set, mut rest) = (Cells::EMPTY, *members);
                    while rest != 0 {
                        set |= sets[rest.trailing_zeros() as usize];
                        rest &= rest - 1;
                    }
                    // A number that no move leads to can be read as a state with other counts: it has no bound.
                    if set.len() != ranks.men {
                        return 0;
                    }
                    number += coding::rank_of(ranks, &set, Some(&used));
                    used |= set;
                }
                number
            }
        };
        distances::look_up(&self.distances, number)
    }
}
