//! Permutations with fewer pieces: pieces made alike, orientations dropped, sets left out (for cubes: Korf, Finding optimal
//! solutions to Rubik's Cube using pattern databases, 1997).
//!
//! What a move does depends on positions alone, so the image of a state after a move is the image of the state, after the same
//! move: it is a homomorphism, whatever pieces are made alike. The orientation of pieces that became alike counts only where that
//! of each of them did, and then it goes on as before.

use std::collections::HashSet;

use halma_record::job::pruning::Abstraction;
use halma_rules::puzzle::Permutations;
use halma_rules::puzzle::permutation::{Piece, PieceSet, SetTransformation, Transformation};
use num_bigint::BigUint;

use super::abstraction::{MOST_STATES, ProjectionError};
use crate::own::permutation_coding::tables::{SetTables, count};

/// An abstract puzzle.
#[derive(Debug)]
pub(super) struct AbstractPermutations {
    /// The sets that are kept.
    pub sets: Vec<AbstractSet>,
    /// How many states there are.
    pub states: u64,
    /// What undoes the moves, by kept set; no two do the same.
    pub undo: Vec<Vec<Option<SetTransformation>>>,
}

/// A set with fewer pieces.
#[derive(Debug)]
pub(super) struct AbstractSet {
    /// Its number in the puzzle.
    pub set: usize,
    /// What becomes of each piece of the puzzle.
    pub class_of: Vec<u8>,
    /// How many orientations there are.
    pub base: u8,
    /// Where the places of each class begin, in a list of the positions class by class; and the end of it.
    begins: Vec<usize>,
    /// How places are numbered.
    tables: SetTables<u64>,
    /// By entry of that list, what one orientation adds to the number: 0 where none counts.
    turned: Vec<u64>,
}

/// Space to number a state in.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberingScratch {
    places: Vec<u8>,
    free: Vec<u8>,
    next: Vec<usize>,
}

/// Whether these are abstractions of the puzzle whose tables can be made.
pub(super) fn check(puzzle: &Permutations, abstractions: &[Abstraction]) -> Result<(), ProjectionError> {
    abstractions.iter().try_for_each(|one| project(puzzle, one).map(drop))
}

/// The abstract puzzle.
///
/// # Errors
/// Where the groups are no pieces of the puzzle, or leave too many states.
pub(super) fn project(
    puzzle: &Permutations,
    abstraction: &Abstraction,
) -> Result<AbstractPermutations, ProjectionError> {
    let sets = classes(puzzle, abstraction)?;
    let states: BigUint = sets.iter().map(|(_, _, set)| states(set)).product();
    let states = match u64::try_from(&states).ok().filter(|&states| states <= MOST_STATES) {
        Some(states) => states,
        None => {
            let states = if states.bits() <= 128 { states.to_string() } else { "2^128 or more".into() };
            return Err(ProjectionError::TooLarge { abstraction: abstraction.clone(), states });
        }
    };
    let mut weight = BigUint::from(1u8);
    let sets: Vec<AbstractSet> =
        sets.into_iter().map(|(number, class_of, set)| AbstractSet::new(number, class_of, &set, &mut weight)).collect();
    let undo = puzzle.moves.iter().map(|step| images(&sets, &puzzle.inverse(&step.sets)));
    let mut seen = HashSet::new();
    let undo = undo.filter(|step| step.iter().any(Option::is_some) && seen.insert(step.clone())).collect();
    Ok(AbstractPermutations { sets, states, undo })
}

/// By kept set: its number, what becomes of each piece, and the set of what they become.
type Classes = Vec<(usize, Vec<u8>, PieceSet)>;

fn classes(puzzle: &Permutations, abstraction: &Abstraction) -> Result<Classes, ProjectionError> {
    let fault = |why: String| ProjectionError::Pieces { abstraction: abstraction.clone(), why };
    let listed = |names: Vec<String>| names.join(", ");
    let mut all = Vec::new();
    for (name, groups) in abstraction.pieces().map_err(fault)? {
        let number = puzzle.sets.iter().position(|set| set.name == name);
        let number = number.ok_or_else(|| {
            let names = listed(puzzle.sets.iter().map(|set| set.name.clone()).collect());
            fault(format!("`{name}` is no set of the puzzle; allowed are {names}"))
        })?;
        let set = &puzzle.sets[number];
        let rest = groups.len() as u8;
        let mut class_of = vec![rest; set.pieces.len()];
        for (class, group) in (0..=u8::MAX).zip(&groups) {
            for &named in &group.numbers {
                let piece = set.pieces.iter().position(|piece| piece.number == named);
                let piece = piece.ok_or_else(|| {
                    let numbers = listed(set.pieces.iter().map(|piece| piece.number.to_string()).collect());
                    fault(format!("{name} has no piece {named}; allowed are {numbers}"))
                })?;
                class_of[piece] = class;
            }
        }
        let piece = |class: u8| {
            let members = || set.pieces.iter().zip(&class_of).filter(|&(_, &of)| of == class).map(|(piece, _)| piece);
            let asked = groups.get(usize::from(class)).is_some_and(|group| group.oriented);
            Piece {
                number: class.into(),
                count: members().map(|piece| piece.count).sum(),
                oriented: asked && set.orientations > 1 && members().all(|piece| piece.oriented),
            }
        };
        let pieces: Vec<Piece> = (0..=rest).map(piece).filter(|piece| piece.count > 0).collect();
        all.push((number, class_of.clone(), PieceSet { pieces, ..set.clone() }));
    }
    all.sort_by_key(|&(number, ..)| number);
    Ok(all)
}

/// How many states a set has, where only orientations that count are digits.
fn states(set: &PieceSet) -> BigUint {
    let oriented: usize = set.pieces.iter().filter(|piece| piece.oriented).map(|piece| piece.count).sum();
    count(&unoriented(set)) * BigUint::from(set.orientations).pow(oriented as u32)
}

/// The set by its places alone.
fn unoriented(set: &PieceSet) -> PieceSet {
    let pieces = set.pieces.iter().map(|&piece| Piece { oriented: false, ..piece }).collect();
    PieceSet { pieces, ..set.clone() }
}

/// What a transformation does to the kept sets; nothing to some.
fn images(sets: &[AbstractSet], step: &Transformation) -> Vec<Option<SetTransformation>> {
    let image = |set: &AbstractSet| {
        let SetTransformation { from, turn } = &step[set.set];
        let turn = if set.is_oriented() { turn.clone() } else { vec![0; turn.len()] };
        let image = SetTransformation { from: from.clone(), turn };
        let stays = image.is_identity() || !set.is_oriented() && set.begins.len() == 2;
        (!stays).then_some(image)
    };
    sets.iter().map(image).collect()
}

impl AbstractSet {
    fn new(number: usize, class_of: Vec<u8>, set: &PieceSet, weight: &mut BigUint) -> Self {
        let tables = SetTables::new(&unoriented(set), weight);
        let (mut begins, mut turned) = (vec![0], Vec::new());
        for piece in &set.pieces {
            for _ in 0..piece.count {
                turned.push(if piece.oriented { u64::try_from(&*weight).unwrap_or(u64::MAX) } else { 0 });
                if piece.oriented {
                    *weight *= set.orientations;
                }
            }
            begins.push(turned.len());
        }
        Self { set: number, class_of, base: set.orientations, begins, tables, turned }
    }

    /// How many positions it has.
    pub(super) fn positions(&self) -> usize {
        self.turned.len()
    }

    fn is_oriented(&self) -> bool {
        self.turned.iter().any(|&weight| weight > 0)
    }

    /// What the set adds to the number of a state: by position, the class of the piece and its orientation.
    #[inline]
    pub(super) fn number(&self, state: impl Iterator<Item = (u8, u8)>, space: &mut NumberingScratch) -> u64 {
        let NumberingScratch { places, next, .. } = space;
        places.resize(self.turned.len(), 0);
        next.clear();
        next.extend_from_slice(&self.begins);
        let mut number = 0;
        for (position, (class, orientation)) in (0..=u8::MAX).zip(state) {
            let at = &mut next[usize::from(class)];
            places[*at] = position;
            number += self.turned[*at] * u64::from(orientation);
            *at += 1;
        }
        number + self.tables.rank(places)
    }

    /// Reads the uppermost part of `rest`, which loses it: by position, the class of the piece and its orientation. What it was.
    pub(super) fn read(&self, rest: &mut u64, state: &mut [(u8, u8)], space: &mut NumberingScratch) -> u64 {
        let NumberingScratch { places, free, .. } = space;
        let before = *rest;
        state.fill((0, 0));
        places.resize(self.turned.len(), 0);
        free.resize(self.turned.len(), 0);
        // Orientations stand above places: the places are known only when all of them are read.
        let mut digits = *rest;
        let lowest = self.turned.iter().copied().find(|&weight| weight > 0);
        if let Some(lowest) = lowest {
            *rest %= lowest;
        }
        self.tables.places(rest, places, free);
        let classes =
            (0..=u8::MAX).zip(self.begins.windows(2)).flat_map(|(class, ends)| (ends[0]..ends[1]).map(move |_| class));
        for (class, &place) in classes.zip(&*places) {
            state[usize::from(place)].0 = class;
        }
        for (&weight, &place) in self.turned.iter().zip(&*places).rev().filter(|&(&weight, _)| weight > 0) {
            state[usize::from(place)].1 = (digits / weight) as u8;
            digits %= weight;
        }
        before - *rest
    }
}
