//! Pattern databases by projection: distances in a puzzle with fewer letters are lower bounds in the puzzle itself (Culberson
//! and Schaeffer, Pattern databases, 1998; for any homomorphism Holte et al., Maximizing over multiple pattern databases, 2006).
//!
//! Let f merge letters, or pieces of permutations (`pieces`). The abstract puzzle has as its moves the images of all moves, and its
//! goals hold wherever they hold for some state with that image ([`abstraction`]). So f is a homomorphism: for every move s -> t of the puzzle f(s) -> f(t) is an abstract
//! move, or f(s) = f(t); and f takes goals to goals. Let h(s) be the distance from f(s) to the nearest abstract goal.
//!
//! - Admissible: f takes a shortest way from s to a goal to a way from f(s) to an abstract goal that is no longer.
//! - Consistent: for a move s -> t the abstract way f(s) -> f(t) -> ... gives h(s) <= 1 + h(t).
//!
//! Both hold where h is infinite (f(s) has no way at all, so s has none), for the maximum of several such h, and where distances of
//! more than 254 are cut off to that. Between canonical states h is admissible, and not always consistent: it belongs to the state
//! whose number is given, and a symmetry that the abstraction does not have changes it.

pub mod abstraction;
mod choice;
mod distances;
mod piece_choice;
mod piece_table;
#[cfg(test)]
mod piece_tests;
mod pieces;
mod table;
#[cfg(test)]
mod tests;

use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, Stopped};
use halma_record::job::pruning::Abstraction;
use halma_rules::cells::Cells;
use halma_rules::puzzle::{Compiled, GroundedTask, Permutations};
use thiserror::Error;

use super::LowerBound;
use super::coding::Coding;
use super::grounded::read;
use super::permutation_coding::PermutationCoding;
pub use abstraction::{MOST_STATES, ProjectionError};
use piece_table::PieceTable;
use table::Table;

/// The largest of the distances in several abstract puzzles.
pub struct Projections<K> {
    abstractions: Vec<Abstraction>,
    distances: Distances<K>,
}

enum Distances<K> {
    OfLetters { task: Box<GroundedTask>, coding: Coding<K>, tables: Vec<Table> },
    OfPieces { coding: Box<PermutationCoding<K>>, tables: Vec<PieceTable> },
}

/// Why there are no distances.
#[derive(Debug, Error)]
pub enum Unmade {
    /// The abstractions do not fit the puzzle.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// Their making was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Whether these are abstractions of the puzzle whose tables can be made.
///
/// # Errors
/// What is wrong with the first that does not fit.
pub fn check(puzzle: &Compiled, abstractions: &[Abstraction]) -> Result<(), ProjectionError> {
    match puzzle {
        Compiled::Grounded(task) => abstraction::check(task, abstractions),
        Compiled::Permutations(puzzle) => pieces::check(puzzle, abstractions),
        Compiled::Own(_) => Err(ProjectionError::NoFile),
    }
}

/// The memory that their making takes: of those named, or of all that [`Projections::chosen`] tries.
#[must_use]
pub fn bytes(puzzle: &Compiled, abstractions: &[Abstraction]) -> u64 {
    let sizes = match (puzzle, abstractions) {
        (Compiled::Own(_), _) => Vec::new(),
        (Compiled::Grounded(task), _) if task.goals.is_empty() => Vec::new(),
        (Compiled::Grounded(task), []) => choice::sizes(task),
        (Compiled::Permutations(puzzle), []) => piece_choice::sizes(puzzle),
        (Compiled::Grounded(task), named) => named.iter().filter_map(|one| abstraction::states(task, one)).collect(),
        (Compiled::Permutations(puzzle), named) => {
            named.iter().filter_map(|one| pieces::project(puzzle, one).ok()).map(|fewer| fewer.states).collect()
        }
    };
    distances::bytes(sizes.into_iter())
}

impl<K: Key> Projections<K> {
    /// The distances under these abstractions of a puzzle whose states fit the keys.
    ///
    /// # Errors
    /// As [`check`]; what stopped their making.
    pub fn new(puzzle: &Compiled, abstractions: &[Abstraction], cancel: &CancellationToken) -> Result<Self, Unmade> {
        check(puzzle, abstractions)?;
        let distances = match puzzle {
            Compiled::Grounded(task) => {
                let table = |one| Ok(Table::of(&abstraction::project(task, one)?, cancel)?);
                Distances::of_letters(task, abstractions.iter().map(table).collect::<Result<_, Unmade>>()?)
            }
            Compiled::Permutations(puzzle) => {
                let table = |one| Ok(PieceTable::of(pieces::project(puzzle, one)?, &puzzle.goal, cancel)?);
                Distances::of_pieces(puzzle, abstractions.iter().map(table).collect::<Result<_, Unmade>>()?)?
            }
            Compiled::Own(_) => return Err(ProjectionError::NoFile.into()),
        };
        Ok(Self { abstractions: abstractions.to_vec(), distances })
    }

    /// The distances under abstractions that are chosen by trial; none where none is of use: then every bound is 0.
    ///
    /// # Errors
    /// Where the puzzle is in Rust; what stopped their making.
    pub fn chosen(puzzle: &Compiled, cancel: &CancellationToken) -> Result<Self, Unmade> {
        let (abstractions, distances) = match puzzle {
            Compiled::Grounded(task) => {
                let (abstractions, tables) = choice::choose(task, cancel)?.into_iter().unzip();
                (abstractions, Distances::of_letters(task, tables))
            }
            Compiled::Permutations(puzzle) => {
                let (abstractions, tables) = piece_choice::choose(puzzle, cancel)?.into_iter().unzip();
                (abstractions, Distances::of_pieces(puzzle, tables)?)
            }
            Compiled::Own(_) => return Err(ProjectionError::NoFile.into()),
        };
        Ok(Self { abstractions, distances })
    }

    /// What the distances are those of.
    #[must_use]
    pub fn abstractions(&self) -> &[Abstraction] {
        &self.abstractions
    }
}

impl<K: Key> Distances<K> {
    fn of_letters(task: &GroundedTask, tables: Vec<Table>) -> Self {
        Self::OfLetters { task: Box::new(task.clone()), coding: Coding::plain(task), tables }
    }

    fn of_pieces(puzzle: &Permutations, tables: Vec<PieceTable>) -> Result<Self, ProjectionError> {
        let coding = PermutationCoding::new(puzzle)?;
        Ok(Self::OfPieces { coding: Box::new(coding), tables })
    }
}

/// Looks letters up.
fn by_letters<'a, K: Key, const W: usize>(
    task: &'a GroundedTask,
    coding: &'a Coding<K>,
    tables: &'a [Table],
) -> impl FnMut(K) -> u32 + Send + 'a {
    let (cells, letters) = (task.board.len(), task.letters.len());
    let (mut state, mut sets): ([u8; 256], Vec<Cells<W>>) = ([0; 256], vec![Cells::EMPTY; letters]);
    move |number| {
        let state = &mut state[..cells];
        read(task, coding, number, state);
        table::sum_up(state, &mut sets);
        tables.iter().map(|table| table.distance(state, &sets)).max().unwrap_or(0)
    }
}

impl<K: Key> LowerBound<K> for Projections<K> {
    fn evaluator(&self) -> Box<dyn FnMut(K) -> u32 + Send + '_> {
        match &self.distances {
            Distances::OfPieces { coding, tables } => {
                let (mut scratch, mut space) = (coding.scratch(), pieces::NumberingScratch::default());
                Box::new(move |number| {
                    let at = coding.read(&mut scratch, number);
                    tables.iter().map(|table| table.distance(&at, &mut space)).max().unwrap_or(0)
                })
            }
            Distances::OfLetters { task, coding, tables } => match task.board.len() {
                0..=64 => Box::new(by_letters::<K, 1>(task, coding, tables)),
                65..=128 => Box::new(by_letters::<K, 2>(task, coding, tables)),
                _ => Box::new(by_letters::<K, 4>(task, coding, tables)),
            },
        }
    }
}
