//! Beam search (Lowerre 1976; Bell 2009, Sections 3.2 and 3.3): only the best states of each level stay. It finds
//! solutions, and guesses C; it proves nothing, and its verdict says so.

use halma_bounds::palindrome::symmetry;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::Level;
use halma_rules::cells::Cells;

use super::setup::Setup;
use super::shared_levels::SharedLevels;
use crate::solve::best_states::best_of;
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, LevelFigures};

/// Weight of the symmetry in looks ahead: the paper's.
pub(super) const BETA: i64 = 2;

/// Levels of which only the best states stay.
pub(super) struct Truncation<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
    /// States a level.
    pub(super) keep: usize,
    /// What the symmetry of a state weighs beside its centroid.
    pub(super) beta: i64,
}

impl<const W: usize, K: Key> Truncation<'_, W, K> {
    /// One length of the truncated search; its levels serve all lengths.
    pub(super) fn decide(
        &self,
        length: u32,
        shared: &mut SharedLevels<K>,
        figures: &mut Vec<LevelFigures>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let Self { setup, keep, .. } = *self;
        let grown = self.grow(setup.problem.last_level(length) as u32, &mut shared.sequence);
        *figures = shared.unreported();
        shared.complete &= grown?;
        let died = shared.are_all_met(length);
        let nothing = || format!("no solution among the {keep} best states of each level");
        Ok(match setup.meet(length, &shared.sequence.levels)? {
            Answer::Refuted if shared.complete && died => Answer::Exhausted,
            Answer::Refuted if shared.complete => Answer::Refuted,
            Answer::Refuted if died || goes_in_circles(&shared.sequence.figures, length) => {
                Answer::GivenUp(format!("{}, and greater lengths have no others", nothing()))
            }
            Answer::Refuted => Answer::Unproved(nothing()),
            answer => answer,
        })
    }

    /// Appends truncated levels as far as `depth`; says whether nothing had to be cut.
    pub(super) fn grow(&self, depth: u32, sequence: &mut LevelSequence<K>) -> Result<bool, Stopped> {
        let engine = self.setup.engine;
        let puzzle = self.setup.puzzle(Vec::new());
        let mut complete = true;
        sequence.cut = true;
        if sequence.levels.is_empty() {
            engine.open(&puzzle, sequence);
        }
        while sequence.levels.len() <= depth as usize && !sequence.is_dead() {
            engine.grow(&puzzle, sequence)?;
            complete &= !self.cut_last(sequence)?;
        }
        Ok(complete)
    }

    /// Cuts the last level to its best states; says whether that took any away.
    pub(super) fn cut_last(&self, sequence: &mut LevelSequence<K>) -> Result<bool, Stopped> {
        let last = sequence.levels.len() - 1;
        if sequence.levels[last].whole() <= self.keep as u64 {
            return Ok(false);
        }
        sequence.levels[last] = self.best(&sequence.levels[last])?;
        Ok(true)
    }

    /// The states of `level` with the highest centroid + beta * symmetry; among equals those with the least keys.
    fn best(&self, level: &Level<K>) -> Result<Level<K>, Stopped> {
        let Self { setup, keep, beta } = *self;
        let (states, expander) = (&setup.tables.states, setup.engine.expander);
        let scored = |block| {
            let (mut keys, mut scored) = (Vec::new(), Vec::new());
            level.read_block(block, &mut keys)?;
            states.each_army(&keys, |key, army| {
                let symmetry = if beta == 0 { 0 } else { symmetry(setup.problem.mirror(), army) as i64 };
                scored.push((-states.centroid(army.men) - beta * symmetry, 0, key));
            });
            Ok(scored)
        };
        let here = expander.install(|| best_of(level, keep, expander.plan(), scored))?;
        let keys = expander.exchange().first(here, keep)?;
        Ok(Level::of(keys).of_whole(level.whole().min(keep as u64)))
    }
}

/// Whether the levels from here on are levels that were there already, all of which have been met: two levels make all
/// that follow, for what is cut is lost and may come again.
fn goes_in_circles(figures: &[LevelFigures], length: u32) -> bool {
    let whole: Vec<_> = figures.iter().map(|f| (f.tally.digest, f.tally.second)).collect();
    let Some(last) = whole.len().checked_sub(2) else { return false };
    length as usize > 2 * last && whole.windows(2).take(last).any(|pair| pair == &whole[last..])
}
