//! Beam search (Lowerre 1976; Bell 2009, Sections 3.2 and 3.3): only the best states of each level stay. It finds
//! solutions, and guesses C; it proves nothing, and its verdict says so.

use rayon::prelude::*;

use halma_bounds::palindrome::symmetry;
use halma_engine::budget::plan::MemoryPlan;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::{BLOCK, Level, StoreError};
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;

use super::{Answer, Attempt, LevelSequence, Side, TransferSearch};

/// Blocks of a level that are scored at a time, at most, by each thread.
const BATCH: usize = 64;

/// Weight of the symmetry in looks ahead: the paper's.
pub(super) const BETA: i64 = 2;

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// One length of the truncated search; its levels serve all lengths.
    pub(super) fn truncated(
        &mut self,
        length: u32,
        keep: usize,
        beta: i64,
        attempt: &mut Attempt<Cells<W>>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let mut trail = std::mem::replace(&mut self.kept, LevelSequence::new(String::new(), Side::Forward));
        let grown = self.grow_truncated(self.last_level(length) as u32, keep, beta, &mut trail);
        self.kept = trail;
        attempt.levels = self.unreported();
        self.kept_complete &= grown?;
        let died = self.kept.is_dead() && length as usize >= 2 * self.kept.levels.len();
        let nothing = || format!("no solution among the {keep} best states of each level");
        Ok(match self.meet(length, &self.kept.levels)? {
            Answer::Refuted if self.kept_complete => {
                if died {
                    Answer::Exhausted
                } else {
                    Answer::Refuted
                }
            }
            Answer::Refuted if died || self.goes_in_circles(length) => {
                Answer::GivenUp(format!("{}, and greater lengths have no others", nothing()))
            }
            Answer::Refuted => Answer::Unproved(nothing()),
            answer => answer,
        })
    }

    /// Whether the levels from here on are levels that were there already, all of which have been met: two levels make all
    /// that follow, for what is cut is lost and may come again.
    fn goes_in_circles(&self, length: u32) -> bool {
        let whole: Vec<_> = self.kept.figures.iter().map(|f| (f.tally.digest, f.tally.second)).collect();
        let Some(last) = whole.len().checked_sub(2) else { return false };
        length as usize > 2 * last && whole.windows(2).take(last).any(|pair| pair == &whole[last..])
    }

    /// The largest centroid after `depth` moves of a search that keeps `keep` states a level, for a first C.
    pub(super) fn guess(&self, depth: u32, keep: usize) -> Result<i64, Stopped> {
        let mut trail = LevelSequence::new("guess".into(), Side::Forward);
        self.grow_truncated(depth, keep, 0, &mut trail)?;
        let reached = trail.figures.iter().find(|f| f.depth == depth).and_then(|f| f.tally.measure_max);
        let c = reached.unwrap_or(0).max(0);
        self.progress.note(&format!("C = {c} by a search that keeps {keep} states a level"));
        Ok(c)
    }

    /// Appends truncated levels as far as `depth`; says whether nothing had to be cut.
    pub(super) fn grow_truncated(
        &self,
        depth: u32,
        keep: usize,
        beta: i64,
        trail: &mut LevelSequence<K>,
    ) -> Result<bool, Stopped> {
        let puzzle = TransferPuzzle::new(&self.tables, &self.problem.start, Vec::new());
        let mut complete = true;
        trail.cut = true;
        if trail.levels.is_empty() {
            self.open(&puzzle, trail);
        }
        while trail.levels.len() <= depth as usize && !trail.is_dead() {
            self.grow(&puzzle, trail)?;
            complete &= !self.cut_last(trail, keep, beta)?;
        }
        Ok(complete)
    }

    /// Cuts the last level to its best states; says whether that took any away.
    pub(super) fn cut_last(&self, trail: &mut LevelSequence<K>, keep: usize, beta: i64) -> Result<bool, Stopped> {
        let last = trail.levels.len() - 1;
        if trail.levels[last].whole() <= keep as u64 {
            return Ok(false);
        }
        trail.levels[last] = self.best(&trail.levels[last], keep, beta)?;
        Ok(true)
    }

    /// The `keep` states of `level` with the highest centroid + beta * symmetry; among equals those with the least keys.
    fn best(&self, level: &Level<K>, keep: usize, beta: i64) -> Result<Level<K>, Stopped> {
        let scored = |block| {
            let (mut keys, mut scored) = (Vec::new(), Vec::new());
            level.read_block(block, &mut keys)?;
            self.tables.each_army(&keys, |key, army| {
                let symmetry = if beta == 0 { 0 } else { symmetry(self.mirror(), army) as i64 };
                scored.push((-self.tables.centroid(army.men) - beta * symmetry, 0, key));
            });
            Ok(scored)
        };
        let here = self.expander.install(|| best_of(level, keep, self.expander.plan(), scored))?;
        let keys = self.expander.exchange().first(here, keep)?;
        Ok(Level::of(keys).of_whole(level.whole().min(keep as u64)))
    }
}

/// The `keep` entries of a level that come first, in any order, by what `scored` says of each of its blocks.
pub(super) fn best_of<K: Key>(
    level: &Level<K>,
    keep: usize,
    plan: &MemoryPlan,
    scored: impl Fn(usize) -> Result<Vec<(i64, u128, K)>, StoreError> + Sync,
) -> Result<Vec<(i64, u128, K)>, StoreError> {
    let (room, entry) = (plan.room(), size_of::<(i64, u128, K)>() as u64);
    // In batches, so that a level larger than memory is never held as a whole; twice, in parts and together.
    let batch = room.batch(2 * BLOCK as u64 * entry, BATCH) * rayon::current_num_threads();
    // Seldom cut, so that most entries are not gone over again and again.
    let most = keep.saturating_add(keep.min(room.batch(entry, keep.max(1)) * rayon::current_num_threads()));
    let mut best =
        Vec::with_capacity(usize::try_from(level.len()).unwrap_or(usize::MAX).min(most.saturating_add(BLOCK)));
    for first in (0..level.blocks()).step_by(batch) {
        let blocks = (first..(first + batch).min(level.blocks())).into_par_iter();
        for entries in blocks.map(&scored).collect::<Result<Vec<_>, StoreError>>()? {
            best.extend(entries);
            if best.len() > most {
                best.select_nth_unstable(keep);
                best.truncate(keep);
            }
        }
    }
    Ok(best)
}
