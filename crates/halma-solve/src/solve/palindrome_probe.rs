//! A beam search for a palindromic solution, from the first large level on.
//!
//! Where a length has solutions, it often has a palindromic one that is easy to find: the symmetry constraint and a cut
//! to the best states keep every further level small. What is found is a solution whatever was cut; where nothing is
//! found nothing follows, and the search goes on as if nobody had looked.

use std::sync::Arc;

use halma_bounds::Bound;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;

use super::truncate::BETA;
use super::{Answer, LevelSequence, TransferSearch};

/// States kept on each level of it.
const KEEP: usize = 20_000;

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// Whether to look ahead from the last level of `trail`: it is the first large one.
    pub(super) fn worth_a_look(&self, trail: &LevelSequence<K>) -> bool {
        let large = |figures: &super::LevelFigures| figures.tally.states >= self.large;
        trail.figures.iter().filter(|f| large(f)).count() == 1 && trail.figures.last().is_some_and(large)
    }

    /// A palindromic solution of `length` moves that begins with a walk through `trail`, if one is easily found.
    pub(super) fn look_ahead(
        &self,
        length: u32,
        bounds: &[Arc<dyn Bound<W>>],
        trail: &LevelSequence<K>,
    ) -> Result<Option<Vec<Cells<W>>>, Stopped> {
        if trail.levels.len() > length as usize / 2 + 1 {
            return Ok(None);
        }
        let palindrome = self.palindrome_bound(length);
        let bounds = bounds.iter().cloned().chain([palindrome]).collect();
        let puzzle = TransferPuzzle::new(&self.tables, &self.problem.start, bounds);
        let mut ahead = LevelSequence::new(String::new(), trail.side);
        ahead.levels.clone_from(&trail.levels);
        (ahead.cut, ahead.aside) = (true, true);
        self.cut_last(&mut ahead, KEEP, BETA)?;
        while ahead.levels.len() <= length as usize / 2 && !ahead.is_dead() {
            self.grow(&puzzle, &mut ahead)?;
            self.cut_last(&mut ahead, KEEP, BETA)?;
        }
        if ahead.is_dead() {
            return Ok(None);
        }
        Ok(match self.meet_own_image(length, &ahead.levels)? {
            Answer::Found(walk) => Some(walk),
            _ => None,
        })
    }
}
