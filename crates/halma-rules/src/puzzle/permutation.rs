//! `kind = "permutation"`: pieces on positions, and moves that permute and turn them, as in twsearch's files.
//!
//! An arrangement has the piece on each position. A move says for each position where its piece comes from and how far
//! it is turned on the way; twsearch computes with this form, and its `MoveTransformation` blocks have it. The older
//! `Move` blocks are read as twsearch reads them: numbers from 1, and a turn belongs to the position that the piece
//! comes *from*.

mod renaming;
mod scramble;
mod tws_file;

use std::collections::{HashMap, HashSet};

use halma_record::job::puzzle_tables::PermutationTable;

use super::TableFault;
pub use renaming::{Renamed, Renaming};
use tws_file::TwsFile;

/// The most moves, powers included.
pub const MAX_MOVES: usize = 4096;

/// A permutation puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutations {
    /// What the file calls it.
    pub name: Option<String>,
    /// Its sets of pieces.
    pub sets: Vec<PieceSet>,
    /// All moves: those of the file with their powers, or with their inverses; no two are the same transformation.
    pub moves: Vec<PermutationMove>,
    /// Moves of the file that turn the puzzle as a whole, by their names (twsearch: `x`, `y`, `z`, or capitals and a `v`):
    /// as in twsearch they do not count as moves.
    pub rotations: Vec<String>,
    /// The solved state.
    pub goal: Arrangement,
    /// The solved state after the scramble.
    pub start: Arrangement,
    /// Whether the inverse of every move is a move.
    pub has_inverse_moves: bool,
}

/// Pieces that share positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PieceSet {
    /// What the file calls it.
    pub name: String,
    /// How many positions it has.
    pub positions: usize,
    /// How many orientations a piece has: 1 where they do not matter.
    pub orientations: u8,
    /// The pieces that can be told apart, by ascending number.
    pub pieces: Vec<Piece>,
}

/// Equal pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Their number in the solved state of the file.
    pub number: u32,
    /// How many there are.
    pub count: usize,
    /// Whether their orientation counts; where it does not, it is 0 in every arrangement.
    pub oriented: bool,
}

/// The pieces on all positions, set by set.
pub type Arrangement = Vec<SetArrangement>;

/// The pieces on the positions of one set.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetArrangement {
    /// By position, an entry of [`PieceSet::pieces`].
    pub pieces: Vec<u8>,
    /// By position, the orientation of the piece on it.
    pub orientations: Vec<u8>,
}

/// A permutation of all positions, with turns: set by set.
pub type Transformation = Vec<SetTransformation>;

/// A permutation of the positions of one set, with turns.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetTransformation {
    /// By position, where its piece comes from.
    pub from: Vec<u8>,
    /// By position, by how much its piece is turned on the way.
    pub turn: Vec<u8>,
}

/// A move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermutationMove {
    /// As in `R`, `R2`, `R'`.
    pub name: String,
    /// What it does, set by set.
    pub sets: Transformation,
}

impl SetTransformation {
    /// The one that leaves everything as it is.
    #[must_use]
    pub fn identity(positions: usize) -> Self {
        Self { from: (0..positions).map(|p| p as u8).collect(), turn: vec![0; positions] }
    }

    /// Whether it leaves everything as it is.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.turn.iter().all(|&t| t == 0) && self.from.iter().enumerate().all(|(p, &f)| p == usize::from(f))
    }

    /// First this one, then `next`, with `orientations` orientations.
    #[must_use]
    pub fn then(&self, next: &Self, orientations: u8) -> Self {
        let one = |(&f, &t): (&u8, &u8)| {
            let f = usize::from(f);
            (self.from[f], add(self.turn[f], t, orientations))
        };
        let (from, turn) = next.from.iter().zip(&next.turn).map(one).unzip();
        Self { from, turn }
    }

    /// What undoes it.
    #[must_use]
    pub fn inverse(&self, orientations: u8) -> Self {
        let mut inverse = Self::identity(self.from.len());
        for (position, (&from, &turn)) in self.from.iter().zip(&self.turn).enumerate() {
            inverse.from[usize::from(from)] = position as u8;
            inverse.turn[usize::from(from)] = (orientations - turn) % orientations;
        }
        inverse
    }
}

/// The sum of two orientations; there are at most 127.
fn add(a: u8, b: u8, orientations: u8) -> u8 {
    (a + b) % orientations
}

impl PieceSet {
    /// The arrangement after a transformation.
    #[must_use]
    pub fn after(&self, arrangement: &SetArrangement, step: &SetTransformation) -> SetArrangement {
        let one = |(&from, &turn): (&u8, &u8)| {
            let piece = arrangement.pieces[usize::from(from)];
            let orientation = add(arrangement.orientations[usize::from(from)], turn, self.orientations);
            (piece, if self.pieces[usize::from(piece)].oriented { orientation } else { 0 })
        };
        let (pieces, orientations) = step.from.iter().zip(&step.turn).map(one).unzip();
        SetArrangement { pieces, orientations }
    }
}

impl Permutations {
    /// The arrangement after a transformation.
    #[must_use]
    pub fn after(&self, arrangement: &[SetArrangement], step: &[SetTransformation]) -> Arrangement {
        self.sets.iter().zip(arrangement).zip(step).map(|((set, now), step)| set.after(now, step)).collect()
    }

    /// The inverse of a transformation.
    #[must_use]
    pub fn inverse(&self, step: &[SetTransformation]) -> Transformation {
        self.sets.iter().zip(step).map(|(set, step)| step.inverse(set.orientations)).collect()
    }
}

/// First `one`, then `other`.
fn then(sets: &[PieceSet], one: &[SetTransformation], other: &[SetTransformation]) -> Transformation {
    sets.iter().zip(one).zip(other).map(|((set, one), other)| one.then(other, set.orientations)).collect()
}

/// Whether a transformation leaves everything as it is.
fn is_identity(step: &[SetTransformation]) -> bool {
    step.iter().all(SetTransformation::is_identity)
}

/// Compiles the table.
///
/// # Errors
/// The error: for the file the line and its bytes, for the scramble the move.
pub fn compile(table: &PermutationTable) -> Result<Permutations, TableFault> {
    let file = tws_file::read(&table.definition)?;
    let moves = all_moves(&file, table.quarter)?;
    let goal = file.goal;
    let mut puzzle = Permutations {
        name: file.name,
        sets: file.sets,
        moves,
        rotations: file.rotations.into_iter().map(|r| r.name).collect(),
        start: goal.clone(),
        goal,
        has_inverse_moves: false,
    };
    let known: HashSet<&Transformation> = puzzle.moves.iter().map(|m| &m.sets).collect();
    puzzle.has_inverse_moves = puzzle.moves.iter().all(|m| known.contains(&puzzle.inverse(&m.sets)));
    if let Some(text) = &table.scramble {
        for step in scramble::read(text, &puzzle.sets, &file.moves, &puzzle.rotations, &file.sequences)? {
            puzzle.start = puzzle.after(&puzzle.start, &step);
        }
    }
    Ok(puzzle)
}

/// The moves that count: the named ones in the file's order, each followed by its powers, or by its inverse.
fn all_moves(file: &TwsFile, quarter: bool) -> Result<Vec<PermutationMove>, TableFault> {
    let mut owner: HashMap<&Transformation, usize> = HashMap::new();
    for (number, named) in file.moves.iter().enumerate() {
        owner.entry(&named.sets).or_insert(number);
    }
    let mut found: Vec<PermutationMove> = Vec::new();
    let mut seen = HashSet::new();
    for (number, named) in file.moves.iter().enumerate() {
        for (name, sets) in powers(file, named, quarter)? {
            // A power that the file has as a move of its own comes under that name.
            if owner.get(&sets).is_some_and(|&o| o != number) || !seen.insert(sets.clone()) {
                continue;
            }
            if let Some(other) = read_as(file, &name).filter(|read| *read != named.name) {
                let is = if other == name { "another move".into() } else { format!("a power of {other}") };
                let message =
                    format!("line {}: a power of {} would be called {name}, but that is {is}", named.line, named.name);
                return Err(TableFault::of("definition", message).within(named.range.clone()));
            }
            found.push(PermutationMove { name, sets });
            if found.len() > MAX_MOVES {
                return Err(too_many());
            }
        }
    }
    Ok(found)
}

/// The move that a name, or that of a power, is read as.
fn read_as<'a>(file: &TwsFile, name: &'a str) -> Option<&'a str> {
    let is_name = |name: &str| file.moves.iter().any(|m| m.name == name);
    if is_name(name) { Some(name) } else { scramble::parts(name, is_name).map(|(name, ..)| name) }
}

fn too_many() -> TableFault {
    let message = format!("there are more than {MAX_MOVES} moves, powers included; quarter = true counts no powers");
    TableFault::of("definition", message)
}

/// A named move with its powers but the identity, or with its inverse, under twsearch's names.
fn powers(file: &TwsFile, named: &tws_file::Named, quarter: bool) -> Result<Vec<(String, Transformation)>, TableFault> {
    let mut powers = vec![named.sets.clone()];
    if quarter {
        let inverse = file.sets.iter().zip(&named.sets).map(|(set, step)| step.inverse(set.orientations)).collect();
        let names = [named.name.clone(), format!("{}'", named.name)];
        return Ok(names.into_iter().zip([named.sets.clone(), inverse]).collect());
    }
    loop {
        let next = then(&file.sets, &powers[powers.len() - 1], &named.sets);
        if is_identity(&next) {
            break;
        }
        powers.push(next);
        if powers.len() > MAX_MOVES {
            return Err(too_many());
        }
    }
    let order = powers.len() + 1;
    let name = |power: usize| {
        // The shorter way round; half way it is the way of the named move.
        let (times, back) = if 2 * power > order { (order - power, "'") } else { (power, "") };
        let times = if times == 1 { String::new() } else { times.to_string() };
        format!("{}{times}{back}", named.name)
    };
    Ok(powers.into_iter().enumerate().map(|(i, sets)| (name(i + 1), sets)).collect())
}

#[cfg(test)]
mod tests;
