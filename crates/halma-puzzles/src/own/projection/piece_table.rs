//! Distances in one abstract permutation puzzle, looked up for states of the puzzle itself.

use halma_engine::search::{CancellationToken, Stopped};
use halma_rules::puzzle::permutation::Arrangement;

use super::distances;
use super::pieces::{AbstractPermutations, AbstractSet, NumberingScratch};

/// The distance table of an abstraction.
pub(super) struct PieceTable {
    sets: Vec<AbstractSet>,
    distances: Vec<u8>,
}

/// A state of the abstract puzzle: by kept set, what it adds to the number, and by position the class and the orientation.
struct State {
    sets: Vec<(u64, Vec<(u8, u8)>)>,
    space: NumberingScratch,
}

impl PieceTable {
    /// The table, backward from the solved state.
    ///
    /// # Errors
    /// What stopped its making.
    pub(super) fn of(
        fewer: AbstractPermutations,
        solved: &Arrangement,
        cancel: &CancellationToken,
    ) -> Result<Self, Stopped> {
        let of_solved = |set: usize| (&solved[set].pieces[..], &solved[set].orientations[..]);
        let goal = number(&fewer.sets, of_solved, &mut NumberingScratch::default());
        let state = || State {
            sets: fewer.sets.iter().map(|set| (0, vec![(0, 0); set.positions()])).collect(),
            space: NumberingScratch::default(),
        };
        let goals = |mark: &(dyn Fn(u64) + Sync)| {
            mark(goal);
            Ok(())
        };
        let before = |state: &mut State, number: u64, found: &mut dyn FnMut(u64)| state.before(&fewer, number, found);
        let distances = distances::fill(fewer.states as usize, goals, cancel, state, before)?;
        Ok(Self { sets: fewer.sets, distances })
    }

    /// The distance of a state to the solved one; `u32::MAX` where there is no way. `at` says what stands on each position of a set.
    #[inline]
    pub(super) fn distance<'s>(&self, at: impl Fn(usize) -> (&'s [u8], &'s [u8]), space: &mut NumberingScratch) -> u32 {
        distances::look_up(&self.distances, number(&self.sets, at, space))
    }
}

/// The number of the image of a state.
#[inline]
fn number<'s>(sets: &[AbstractSet], at: impl Fn(usize) -> (&'s [u8], &'s [u8]), space: &mut NumberingScratch) -> u64 {
    let one = |set: &AbstractSet| {
        let (pieces, orientations) = at(set.set);
        let class = |&piece: &u8| set.class_of[usize::from(piece)];
        set.number(pieces.iter().map(class).zip(orientations.iter().copied()), space)
    };
    sets.iter().map(one).sum()
}

impl State {
    /// The states from which one move leads to this one; some of them more than once, and itself perhaps.
    fn before(&mut self, fewer: &AbstractPermutations, number: u64, found: &mut dyn FnMut(u64)) {
        let mut rest = number;
        for (set, (part, state)) in fewer.sets.iter().zip(&mut self.sets).rev() {
            *part = set.read(&mut rest, state, &mut self.space);
        }
        for step in &fewer.undo {
            let mut before = number;
            for ((set, step), (part, state)) in fewer.sets.iter().zip(step).zip(&self.sets) {
                let Some(step) = step else { continue };
                let moved = step.from.iter().zip(&step.turn).map(|(&from, &turn)| {
                    let (class, orientation) = state[usize::from(from)];
                    let sum = u16::from(orientation) + u16::from(turn);
                    (class, (sum % u16::from(set.base)) as u8)
                });
                before = before - part + set.number(moved, &mut self.space);
            }
            found(before);
        }
    }
}
