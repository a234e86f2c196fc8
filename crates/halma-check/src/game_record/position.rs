//! Positions of a game, their keys, and their successors.

use std::marker::PhantomData;

use super::bounds::Rules;
use crate::board::Board;
use crate::level_file::Level;
use crate::level_step::StateSpace;
use crate::moves::{Set, destinations};
use crate::number::Number;
use crate::rejection::{Rejection, Trouble};
use crate::transfer_model::TransferModel;

/// Both armies, blue's first, their cells in any order, and the side to move: 0 blue, 1 red.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub armies: [Vec<u8>; 2],
    pub turn: usize,
}

impl Position {
    /// The start: every man in his own base, blue to move.
    pub fn first(bases: [&[u8]; 2]) -> Self {
        Self { armies: bases.map(<[u8]>::to_vec), turn: 0 }
    }
}

/// The tables of a game: the board, both bases, and K; keys are numbers of this kind.
pub(super) struct Table<'a, N> {
    pub model: &'a TransferModel,
    /// The base that blue has to fill, and red's.
    goals: [Set; 2],
    /// Bits of a rank.
    bits: u32,
    keys: PhantomData<N>,
}

impl<'a, N: Number> Table<'a, N> {
    /// For the game between these bases; `None` if its keys need more bits.
    pub fn new(model: &'a TransferModel, [blue, red]: [&[u8]; 2]) -> Option<Self> {
        let bits = u128::BITS - model.binomials.sets().leading_zeros();
        let table = Self { model, goals: [Set::of(red), Set::of(blue)], bits, keys: PhantomData };
        (bits < 128 && 2 * bits < N::BITS).then_some(table)
    }

    pub fn board(&self) -> &Board {
        &self.model.board
    }

    /// The key of a position's state, the least under K.
    pub fn key(&self, position: &Position) -> N {
        let [blue, red] = position.armies.each_ref().map(|army| army.as_slice());
        let images = self.model.fixing.iter().map(|image| {
            let rank = |army: &[u8]| self.model.binomials.rank(image_of(image, army).cells());
            self.pack(position.turn, rank(blue), rank(red))
        });
        images.min().unwrap_or_default()
    }

    /// The position's own key, which need not be its state's.
    pub fn own_key(&self, Position { armies, turn }: &Position) -> N {
        let [blue, red] = armies.each_ref().map(|army| self.model.binomials.rank(Set::of(army).cells()));
        self.pack(*turn, blue, red)
    }

    fn pack(&self, turn: usize, blue: u128, red: u128) -> N {
        N::default().push(turn as u128, 1).push(blue, self.bits).push(red, self.bits)
    }

    /// The position of a key.
    pub fn position(&self, key: N) -> Result<Position, String> {
        let (rest, red) = key.pop(self.bits);
        let (turn, blue) = rest.pop(self.bits);
        let mut armies = [blue, red].map(|rank| (rank, vec![0; self.model.men]));
        let whole = armies.iter_mut().all(|(rank, cells)| self.model.binomials.unrank(*rank, cells));
        let armies = armies.map(|(_, cells)| cells);
        let turn = [N::default(), N::default().push(1, 1)].iter().position(|&t| t == turn);
        let apart = armies[0].iter().all(|c| !armies[1].contains(c));
        match turn {
            Some(turn) if whole && apart => Ok(Position { armies, turn }),
            _ => Err(format!("{key} is the key of no position")),
        }
    }

    /// The side that has filled the other's base, if any.
    pub fn winner(&self, armies: &[Vec<u8>; 2]) -> Option<usize> {
        (0..2).find(|&side| armies[side].iter().all(|&c| self.goals[side].has(c)))
    }

    /// Whether a side has won.
    fn is_over(&self, key: N) -> Result<bool, String> {
        Ok(self.winner(&self.position(key)?.armies).is_some())
    }

    /// Calls `each` with every move of `side`: the man's place in his army, and his new cell.
    pub fn moves(&self, armies: &[Vec<u8>; 2], side: usize, mut each: impl FnMut(usize, u8)) {
        let (all, mut found) = (Set::of(&armies.concat()), Vec::new());
        for (man, &from) in armies[side].iter().enumerate() {
            destinations(self.board(), all, from, false, &mut found);
            found.iter().for_each(|&to| each(man, to));
        }
    }
}

/// The image of an army.
fn image_of(image: &[u8], army: &[u8]) -> Set {
    let mut set = Set::default();
    army.iter().for_each(|&c| set.flip(image[usize::from(c)]));
    set
}

impl<N: Number> StateSpace for Table<'_, N> {
    type Key = N;
    type Bounds = Rules;
    const LEVELS_HELD: usize = usize::MAX;
    const END: &'static str = "a game ends";

    fn expand(&self, parents: &[N], depth: u32, rules: &Rules) -> Result<(Vec<N>, u64), Trouble> {
        let (mut keys, mut generated) = (Vec::new(), 0);
        let TransferModel { binomials, fixing, .. } = self.model;
        for &key in parents {
            let Position { mut armies, turn } = self.position(key)?;
            if turn != depth as usize % 2 {
                return Err(format!("{}: the other side is to move on level {depth}", self.show(key)).into());
            }
            if depth >= rules.length || self.winner(&armies).is_some() {
                continue;
            }
            // By symmetry: the army to move as a set, and the rank of the other one.
            let mut images: Vec<(Set, u128)> = fixing
                .iter()
                .map(|k| (image_of(k, &armies[turn]), binomials.rank(image_of(k, &armies[1 - turn]).cells())))
                .collect();
            let before = armies.clone();
            let mut occupied = Set::of(&armies.concat());
            self.moves(&before, turn, |man, to| {
                generated += 1;
                let from = before[turn][man];
                for cell in [from, to] {
                    occupied.flip(cell);
                }
                armies[turn][man] = to;
                if rules.bounds.admit(&armies, &occupied, rules.length - depth - 1) {
                    let key = |((army, other), k): (&mut (Set, u128), &Vec<u8>)| {
                        let ends = [k[usize::from(from)], k[usize::from(to)]];
                        ends.iter().for_each(|&c| army.flip(c));
                        let moved = binomials.rank(army.cells());
                        ends.iter().for_each(|&c| army.flip(c));
                        let (blue, red) = if turn == 0 { (moved, *other) } else { (*other, moved) };
                        self.pack(1 - turn, blue, red)
                    };
                    keys.extend(images.iter_mut().zip(fixing).map(key).min());
                }
                armies[turn][man] = from;
                for cell in [from, to] {
                    occupied.flip(cell);
                }
            });
        }
        Ok((keys, generated))
    }

    // Every move is reversible by the same man; no move leaves a position that is over.
    fn predecessors(&self, key: N) -> Result<Vec<N>, Trouble> {
        let Position { armies, turn } = self.position(key)?;
        let (side, mut keys) = (1 - turn, Vec::new());
        self.moves(&armies, side, |man, from| {
            let mut armies = armies.clone();
            armies[side][man] = from;
            if self.winner(&armies).is_none() {
                armies[side].sort_unstable();
                keys.push(self.key(&Position { armies, turn: side }));
            }
        });
        Ok(keys)
    }

    fn checked_centroid(&self, key: N) -> Result<Option<i64>, String> {
        match self.key(&self.position(key)?) == key {
            true => Ok(None),
            false => Err(format!("{} stands for another state", self.show(key))),
        }
    }

    fn show(&self, key: N) -> String {
        let told = |Position { armies: [blue, red], turn }| {
            let [blue, red] = [blue, red].map(|army: Vec<u8>| self.board().names(&army));
            format!("blue on {blue}, red on {red}, {} to move", ["blue", "red"][turn])
        };
        self.position(key).map_or_else(|fault| fault, told)
    }

    fn first_goal(&self, level: &Level<N>) -> Result<Option<N>, Rejection> {
        level.find_first(|key| self.is_over(key))
    }

    // The side to move alternates, so a position may recur after any even number of moves.
    fn may_recur(before_last: usize) -> bool {
        before_last % 2 == 1
    }
}
