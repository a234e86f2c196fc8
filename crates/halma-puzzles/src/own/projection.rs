//! Pattern databases by projection: distances in a puzzle with fewer letters are lower bounds in the puzzle itself (Culberson
//! and Schaeffer, Pattern databases, 1998; for any homomorphism Holte et al., Maximizing over multiple pattern databases, 2006).
//!
//! Let f merge letters. The abstract puzzle has as its moves the images of all moves, and its goals hold wherever they hold for some
//! state with that image ([`abstraction`]). So f is a homomorphism: for every move s -> t of the puzzle f(s) -> f(t) is an abstract
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
mod table;
#[cfg(test)]
mod tests;

use halma_engine::key::Key;
use halma_record::job::pruning::Abstraction;
use halma_rules::puzzle::Ground;

use super::Bound;
use super::coding::{Coding, Set};
use super::ground::read;
pub use abstraction::{MOST_STATES, ProjectionError, check};
use table::Table;

/// The largest of the distances in several abstract puzzles.
pub struct Projections<K> {
    ground: Ground,
    coding: Coding<K>,
    abstractions: Vec<Abstraction>,
    tables: Vec<Table>,
}

impl<K: Key> Projections<K> {
    /// The distances under these abstractions of a puzzle whose states fit the keys.
    ///
    /// # Errors
    /// As [`check`].
    pub fn new(ground: &Ground, abstractions: &[Abstraction]) -> Result<Self, ProjectionError> {
        check(ground, abstractions)?;
        let tables = abstractions.iter().map(|one| Ok(Table::of(&abstraction::project(ground, one)?)));
        Ok(Self::with(ground, abstractions.to_vec(), tables.collect::<Result<_, _>>()?))
    }

    /// The distances under abstractions that are chosen by trial; none where none is of use: then every bound is 0.
    #[must_use]
    pub fn chosen(ground: &Ground) -> Self {
        let (abstractions, tables) = choice::choose(ground).into_iter().unzip();
        Self::with(ground, abstractions, tables)
    }

    fn with(ground: &Ground, abstractions: Vec<Abstraction>, tables: Vec<Table>) -> Self {
        Self { ground: ground.clone(), coding: Coding::plain(ground), abstractions, tables }
    }

    /// What the distances are those of.
    #[must_use]
    pub fn abstractions(&self) -> &[Abstraction] {
        &self.abstractions
    }

    /// The memory that the tables take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.tables.iter().map(Table::bytes).sum()
    }

    fn evaluate<const W: usize>(&self) -> impl FnMut(K) -> u32 + Send + '_ {
        let (cells, letters) = (self.ground.board.len(), self.ground.letters.len());
        let (mut state, mut sets): ([u8; 256], Vec<Set<W>>) = ([0; 256], vec![[0; W]; letters]);
        move |number| {
            let state = &mut state[..cells];
            read(&self.ground, &self.coding, number, state);
            table::sum_up(state, &mut sets);
            self.tables.iter().map(|table| table.distance(state, &sets)).max().unwrap_or(0)
        }
    }
}

/// The abstractions that [`Projections::chosen`] takes for a puzzle.
#[must_use]
pub fn choose(ground: &Ground) -> Vec<Abstraction> {
    choice::choose(ground).into_iter().map(|(abstraction, _)| abstraction).collect()
}

impl<K: Key> Bound<K> for Projections<K> {
    fn evaluator(&self) -> Box<dyn FnMut(K) -> u32 + Send + '_> {
        match self.ground.board.len() {
            0..=64 => Box::new(self.evaluate::<1>()),
            65..=128 => Box::new(self.evaluate::<2>()),
            _ => Box::new(self.evaluate::<4>()),
        }
    }
}
