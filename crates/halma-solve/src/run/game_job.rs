//! The run of a game: chooses the width of sets and keys, searches, and completes the record.

use halma_engine::key::U256;
use halma_puzzles::game_puzzle::Armies;
use halma_puzzles::game_puzzle::pair::PairKey;
use halma_record::record::{Count, Counts, Record, SymmetryRecord, Verdict};
use halma_rules::cells::Cells;
use halma_rules::game::Game;
use halma_rules::job::Pruning;
use halma_rules::notation;

use super::{Context, Question, RunError};
use crate::solve::game_search::GameSearch;
use crate::solve::game_search::beam::Beam;
use crate::solve::game_search::game_count;

impl Context<'_> {
    /// The record of a game; `None` if its states do not fit any key.
    pub(super) fn game(self, game: &Game) -> Result<Option<Record>, RunError> {
        // The narrowest sets and keys that hold the states. Every pair of widths compiles the search once more.
        if game.lattice.len() > Cells::<2>::CAPACITY {
            return self.play::<4, U256>(game);
        }
        match self.play::<2, u128>(game)? {
            None => self.play::<4, U256>(game),
            answered => Ok(answered),
        }
    }

    fn play<const W: usize, K: PairKey>(self, game: &Game) -> Result<Option<Record>, RunError> {
        let pruning = &self.job.search.pruning;
        let beam = match *pruning {
            Pruning::Beam { keep, seed, .. } => Some(Beam { keep, seed }),
            _ => None,
        };
        let search = GameSearch::<W, K>::new(
            game,
            pruning.of_games().unwrap_or_default(),
            beam,
            self.job.search.symmetry,
            self.engine(),
        );
        let Ok(mut search) = search else { return Ok(None) };
        let fixing = search.symmetries().iter().map(|s| s.cells.clone()).collect();
        let mut record = self.blank(SymmetryRecord::fixing(fixing));
        if !self.take_over::<K>(&mut record)? {
            return Ok(Some(record));
        }
        match self.question {
            Question::Levels { depth } => {
                let (figures, result) = search.levels(depth);
                self.levels_to(depth, &figures, result, &mut record)?;
            }
            Question::Solve | Question::Prove { .. } | Question::Count => {
                let moves = |walk: &[Armies<W>]| {
                    let both: Vec<Cells<W>> = walk.iter().map(|&[blue, red]| blue | red).collect();
                    notation::write_walk(&game.lattice, false, &both).map_err(|number| RunError::NoMove { number })
                };
                self.lengths(&mut search, moves, &mut record)?;
                if record.verdict == Verdict::None && record.lower_bound.is_none() {
                    record.impossible = game.closed().map(|c| c.record(&game.lattice.board));
                }
            }
        }
        self.count(|length| search.count(length), &mut record)?;
        self.measure(&mut record);
        Ok(Some(record))
    }
}

impl From<game_count::Games> for Counts {
    fn from(games: game_count::Games) -> Self {
        Self {
            final_positions: Some(Count::from(games.final_positions)),
            final_up_to_symmetry: Some(Count::from(games.final_up_to_symmetry)),
            ..Self::of(games.sequences, games.up_to_symmetry)
        }
    }
}
