//! Breadth-first search, level after level, in memory and in the run's folder, where it leaves checkpoints.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_engine::search::{
    CancellationToken, Expander, Expansion, LevelDestination, Stopped, Tally, WHOLE_DIGEST, Watch, saved_share,
};
use halma_engine::store::workspace::{self, Saved, Workspace};
use halma_engine::store::{Level, StoreError};

use super::{Begun, LevelFigures, Progress, Side};

/// Tells files apart that are no part of a run.
static SCRATCH: AtomicU64 = AtomicU64::new(0);

/// Levels one after another, from one end.
#[derive(Debug)]
pub(super) struct LevelSequence<K> {
    /// What their names in the run begin with: levels of the same name are the same in every process of the run.
    pub(super) stem: String,
    pub(super) side: Side,
    pub(super) levels: Vec<Level<K>>,
    pub(super) figures: Vec<LevelFigures>,
    /// The digests of the levels; where several processes search, of this one's shares.
    pub(super) digests: Vec<u128>,
    /// Levels below this one are no longer needed.
    pub(super) forgotten: usize,
    /// Whether its levels are cut to the best states: such never go to the run's folder.
    pub(super) cut: bool,
    /// Whether its levels are hidden: not reported to progress.
    pub(super) aside: bool,
    /// With how many levels before the last one a new level is compared, every second one of them: a successor comes back
    /// from as far as that.
    pub(super) compared: usize,
    /// 1 where every level before the last one can have a successor again, 2 where only every second one can.
    pub(super) apart: usize,
}

impl<K: Key> LevelSequence<K> {
    pub(super) fn new(stem: String, side: Side) -> Self {
        Self {
            stem,
            side,
            levels: Vec::new(),
            figures: Vec::new(),
            digests: Vec::new(),
            forgotten: 0,
            cut: false,
            aside: false,
            compared: 1,
            apart: 2,
        }
    }

    /// Goes on from level `depth` of another trail, as if the levels so far were its own.
    pub(super) fn branch(&mut self, trail: &Self, depth: usize) {
        self.levels = trail.levels[..=depth].to_vec();
        self.figures = trail.figures[..=depth].to_vec();
        self.digests = trail.digests[..=depth].to_vec();
        // The other trail sees to those.
        self.forgotten = depth + 1;
    }

    /// The name of its level `depth`.
    pub(super) fn label(&self, depth: usize) -> String {
        format!("{}-{depth:03}", self.stem)
    }

    pub(super) fn last(&self) -> &Level<K> {
        &self.levels[self.levels.len() - 1]
    }

    /// Whether the last level has no states, in any process.
    pub(super) fn is_dead(&self) -> bool {
        self.last().whole() == 0
    }
}

/// The figures that were noted with a saved level, and the digest of what is saved.
pub(crate) fn figures(saved: &Saved) -> Result<(Tally, u128), StoreError> {
    let damaged = |reason: String| StoreError::Damaged { file: workspace::LIST.into(), reason };
    let mut tally: Tally = serde_json::from_value(saved.figures.clone()).map_err(|e| damaged(e.to_string()))?;
    let number = |digits: &str| u128::from_str_radix(digits, 16).map_err(|e| damaged(e.to_string()));
    tally.digest = number(saved.figures.get(WHOLE_DIGEST).and_then(|d| d.as_str()).unwrap_or(&saved.digest))?;
    Ok((tally, number(&saved.digest)?))
}

/// About how large the level after these may be: levels grow by factors that themselves shrink by a factor.
fn expected(sizes: &[u64]) -> Option<u64> {
    let [.., a, b, c] = *sizes else { return None };
    if a == 0 || b == 0 {
        return None;
    }
    let (before, last) = (b as f64 / a as f64, c as f64 / b as f64);
    Some((c as f64 * last * (last / before).min(1.0)) as u64)
}

/// What appends levels to trails.
#[derive(Clone, Copy)]
pub(super) struct LevelLoop<'a> {
    pub(super) expander: &'a Expander,
    pub(super) stop: &'a CancellationToken,
    pub(super) progress: &'a dyn Progress,
    pub(super) workspace: Option<&'a Workspace>,
}

impl LevelLoop<'_> {
    /// Puts level 0 of `puzzle` into `trail`.
    pub(super) fn open<P: Puzzle>(&self, puzzle: &P, trail: &mut LevelSequence<P::Key>) {
        let begun = Instant::now();
        let first = self.expander.level_of(puzzle, puzzle.start());
        self.told(first, begun.elapsed().as_secs_f64(), trail);
    }

    /// Appends the next level of `puzzle` to `trail`: as the run's folder has it, else by expanding the last one.
    pub(super) fn grow<P: Puzzle>(&self, puzzle: &P, trail: &mut LevelSequence<P::Key>) -> Result<(), Stopped> {
        let begun = Instant::now();
        let depth = trail.levels.len() - 1;
        let label = trail.label(depth + 1);
        let workspace = self.workspace.filter(|_| !trail.cut);
        let found = workspace.map_or(Ok(None), |w| w.load::<P::Key>(&label))?;
        // A level that some processes have was not complete in all: it is made again.
        let bytes = self.expander.exchange().all_gather(found.as_ref().map(|(level, _)| level.bytes()))?;
        let bytes: Option<u64> = bytes.into_iter().sum();
        if let Some(((level, saved), bytes)) = found.zip(bytes) {
            let (tally, digest) = figures(&saved)?;
            self.expander.audit(puzzle, &level, (&tally, digest), self.stop)?;
            self.told(Expansion { level: level.of_whole(tally.states), tally, digest, bytes }, 0.0, trail);
            return Ok(());
        }
        let earlier: Vec<&Level<P::Key>> =
            trail.levels[..depth].iter().rev().step_by(trail.apart).take(trail.compared).collect();
        let watch = if trail.aside { None } else { Some(self.progress as &dyn Watch) };
        if !trail.aside {
            let sizes: Vec<u64> = trail.figures.iter().map(|f| f.tally.states).collect();
            let (states, expected) = (trail.last().len(), expected(&sizes));
            self.progress.begin(Begun { depth: depth as u32 + 1, side: trail.side, states, expected });
        }
        // Cut levels are no part of the run; what is too large of them goes into its folder under names of their own.
        let scratch = self.workspace.filter(|_| trail.cut);
        let label =
            if scratch.is_some() { format!("scratch-{}", SCRATCH.fetch_add(1, Ordering::Relaxed)) } else { label };
        let berth = LevelDestination { workspace, scratch, label: &label, watch };
        let grown = self.expander.expand(puzzle, depth as u32, &trail.levels[depth], &earlier, berth, self.stop);
        if grown.is_err() {
            // What was complete before is not lost with what was not.
            self.save(trail)?;
        }
        self.told(grown?, begun.elapsed().as_secs_f64(), trail);
        let resident: u64 = trail.levels.iter().map(Level::resident_bytes).sum();
        let crowded = resident > self.expander.plan().levels();
        let kept = trail.figures.last().is_some_and(|f| f.file.is_some());
        if kept || crowded || workspace.is_some_and(Workspace::is_due) {
            self.save(trail)?;
        }
        Ok(())
    }

    /// Puts the levels that are only in memory into the run's folder, if there is one.
    fn save<K: Key>(&self, trail: &mut LevelSequence<K>) -> Result<(), StoreError> {
        let Some(workspace) = self.workspace.filter(|_| !trail.cut) else { return Ok(()) };
        let saved = Self::put_into(workspace, trail);
        if saved.is_err() {
            // No record may name what the folder has not.
            for depth in trail.forgotten.max(1)..trail.levels.len() {
                let label = trail.label(depth);
                trail.figures[depth].file.take_if(|_| !workspace.has(&label));
            }
        }
        saved
    }

    fn put_into<K: Key>(workspace: &Workspace, trail: &mut LevelSequence<K>) -> Result<(), StoreError> {
        let mut entered = Vec::new();
        for depth in 1..trail.levels.len() {
            let label = trail.label(depth);
            if trail.levels[depth].path().is_none() && depth >= trail.forgotten {
                let (tally, digest, level) = (&trail.figures[depth].tally, trail.digests[depth], &trail.levels[depth]);
                let (keys, whole) = (level.len(), level.whole());
                trail.levels[depth] = workspace.write(&label, level, digest)?.of_whole(whole);
                entered.push((label, saved_share(tally, keys, digest)));
            }
        }
        if entered.is_empty() { Ok(()) } else { workspace.enter_also(entered) }
    }

    /// Lets go of all levels of `trail` but the last two, which are all that the next one needs.
    pub(super) fn forget<K: Key>(&self, trail: &mut LevelSequence<K>) -> Result<(), StoreError> {
        let done = trail.levels.len().saturating_sub(2);
        let gone: Vec<String> = (trail.forgotten..done).map(|d| trail.label(d)).collect();
        trail.levels[..done].iter_mut().for_each(|l| *l = Level::default());
        trail.forgotten = trail.forgotten.max(done);
        self.workspace.map_or(Ok(()), |w| w.forget(&gone))
    }

    fn told<K: Key>(&self, expansion: Expansion<K>, seconds: f64, trail: &mut LevelSequence<K>) {
        let Expansion { level, tally, digest, bytes } = expansion;
        let depth = trail.levels.len() as u32;
        // Level 0 is the start, which needs no file.
        let workspace = self.workspace.filter(|_| depth > 0 && !trail.cut);
        let file = workspace.and_then(|w| w.kept(&trail.label(depth as usize)));
        let figures = LevelFigures { depth, side: trail.side, tally, bytes, seconds, file };
        if !trail.aside {
            self.progress.level(&figures);
        }
        trail.figures.push(figures);
        trail.digests.push(digest);
        trail.levels.push(level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_levels_size_is_foretold_within_a_twentieth_where_growth_is_steady() {
        // Problem 2 under 6-move rules, unpruned.
        let sizes = [749, 5699, 37_114, 210_835, 1_054_311, 4_684_029];
        for i in 3..sizes.len() {
            let foretold = expected(&sizes[..i]).unwrap() as f64;
            assert!((foretold / sizes[i] as f64 - 1.0).abs() < 0.05, "{i}: {foretold}");
        }
        assert_eq!((expected(&[1, 7]), expected(&[0, 0, 5])), (None, None));
    }
}
