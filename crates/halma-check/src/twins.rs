//! The verifier's bounds one by one, for tests that compare them with the search's. No stable interface.

use std::sync::Arc;

use halma_record::job::ProblemSpec;
use halma_record::job::game_bounds::Name;

use crate::board::Board;
use crate::game_record::bounds::Bounds;
use crate::histograms::Histograms;
use crate::moves::Set;
use crate::relaxed::{Ahead, LookAhead};

/// One bound of games.
pub struct GameBound(Bounds);

impl GameBound {
    /// The bound of that name, for games between these bases that the side of number `winner` wins.
    ///
    /// # Errors
    /// Where there is none.
    pub fn new(stated: &ProblemSpec, bases: [&[u8]; 2], winner: usize, name: Name) -> Result<Self, String> {
        let board = Board::of(stated.armies().ok_or("no armies")?)?;
        Ok(Self(Bounds::new(&board, bases, winner, &[name])))
    }

    /// Whether a game may go on from there and end after so many moves.
    #[must_use]
    pub fn admits(&self, armies: &[Vec<u8>; 2], remaining: u32) -> bool {
        self.0.admit(armies, &Set::of(&armies.concat()), remaining)
    }
}

/// The look-ahead of transfers to one army.
pub struct TransferLookAhead(LookAhead);

impl TransferLookAhead {
    /// From `start` to `goal`, over classes of cells, by level `limit` to a distance of at most `near`. `None` if the goal's histogram
    /// cannot be reached.
    ///
    /// # Errors
    /// Where the words state no problem.
    pub fn new(
        stated: &ProblemSpec,
        class_of: &[u8],
        [start, goal]: [&[u8]; 2],
        (limit, near): (u32, u32),
        how: halma_record::job::LookAhead,
        reach: u32,
    ) -> Result<Option<Self>, String> {
        let stated = stated.armies().ok_or("no armies")?;
        let board = Board::of(stated)?;
        let histograms = Histograms::new(&board, class_of, start, stated.jumps_only)?;
        let Some(number) = histograms.number(goal) else { return Ok(None) };
        let table = histograms.distances(&[number], reach, |_, _| true).map_err(|why| why.to_string())?;
        let all = Ahead::new(&board, stated.jumps_only, &Arc::new(histograms), how);
        let Some(all) = all else { return Ok(None) };
        Ok(Some(Self(LookAhead { all: Arc::new(all), table: Arc::new(table), limit, near })))
    }

    /// Whether it looks at states of level `depth`.
    #[must_use]
    pub fn applies(&self, depth: u32) -> bool {
        self.0.applies(depth)
    }

    /// Whether the table alone allows the goal within so many moves.
    #[must_use]
    pub fn within(&self, men: &[u8], moves: u32) -> bool {
        let histograms = &self.0.all.histograms;
        self.0.within(histograms.rank(&histograms.of(men)), moves)
    }

    /// Whether these men may stay on level `depth`.
    #[must_use]
    pub fn stays(&self, men: &[u8], depth: u32) -> bool {
        self.0.stays(men, depth)
    }
}
