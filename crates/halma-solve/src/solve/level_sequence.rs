//! Breadth-first search: the one step from level to level, in memory or in the run's folder, where it leaves checkpoints.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_engine::search::{
    Expansion, LevelDestination, LevelFolder, LevelSource, Stopped, Watch, manifest_entry_of_share, read_manifest_entry,
};
use halma_engine::store::workspace::Workspace;
use halma_engine::store::{Level, StoreError};
use halma_rules::job::MAX_LENGTH;

use super::engine::Engine;
use super::{Begun, LevelFigures, Side};

/// Numbers files that are no part of a run.
static SCRATCH: AtomicU64 = AtomicU64::new(0);

/// Successive levels from one end.
#[derive(Debug)]
pub(super) struct LevelSequence<K> {
    /// The beginning of its labels in the run. Levels of the same label are the same in every process of the run.
    pub(super) stem: String,
    pub(super) side: Side,
    pub(super) levels: Vec<Level<K>>,
    pub(super) figures: Vec<LevelFigures>,
    /// The digests of the levels; with several processes, of this one's shares.
    pub(super) digests: Vec<u128>,
    /// Levels below this depth are not this sequence's to write or remove: they were freed, or another sequence writes them.
    pub(super) forgotten: usize,
    /// Whether its levels are truncated to the best states. Such levels are no part of the run.
    pub(super) cut: bool,
    /// Whether its levels are hidden: not reported to progress.
    pub(super) hidden: bool,
    /// Where states of a new level may have been before.
    pub(super) recurs: Recurs,
}

/// Where states of a new level may have been before. With the last level it is always compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recurs {
    /// On the last level alone.
    Never,
    /// Also on the level before it: a move may be undone.
    Previous,
    /// Also on every other level before it: states recur after an even number of moves.
    AfterEvenlyMany,
    /// On any level.
    Anywhere,
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
            hidden: false,
            recurs: Recurs::Previous,
        }
    }

    /// Its levels are not reported to progress.
    pub(super) fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    /// States of its levels may have been where `recurs` says.
    pub(super) fn compared(self, recurs: Recurs) -> Self {
        Self { recurs, ..self }
    }

    /// Continues from these levels, without their figures.
    pub(super) fn with_levels(self, levels: &[Level<K>]) -> Self {
        Self { levels: levels.to_vec(), ..self }
    }

    /// Continues from level `depth` of another sequence, as if the levels so far were its own.
    pub(super) fn branch(&mut self, other: &Self, depth: usize) {
        self.levels = other.levels[..=depth].to_vec();
        self.figures = other.figures[..=depth].to_vec();
        self.digests = other.digests[..=depth].to_vec();
        // The other sequence writes its own levels.
        self.forgotten = depth + 1;
    }

    /// The label of its level `depth`.
    pub(super) fn label(&self, depth: usize) -> String {
        format!("{}-{depth:03}", self.stem)
    }

    pub(super) fn last(&self) -> &Level<K> {
        &self.levels[self.levels.len() - 1]
    }

    /// The number of the last level.
    pub(super) fn depth(&self) -> u32 {
        self.levels.len() as u32 - 1
    }

    /// Whether it has level `depth`.
    pub(super) fn has(&self, depth: u32) -> bool {
        self.levels.len() > depth as usize
    }

    /// The levels before the last one with which the next one is compared, the latest first.
    fn compared_before_last(&self) -> Vec<&Level<K>> {
        let before = self.levels[..self.levels.len() - 1].iter().rev();
        match self.recurs {
            Recurs::Never => Vec::new(),
            Recurs::Previous => before.take(1).collect(),
            Recurs::AfterEvenlyMany => before.step_by(2).collect(),
            Recurs::Anywhere => before.collect(),
        }
    }

    /// Forgets the last level.
    pub(super) fn drop_last(&mut self) {
        self.levels.pop();
        self.figures.pop();
        self.digests.pop();
    }

    /// Whether the last level is empty, in all processes.
    pub(super) fn is_dead(&self) -> bool {
        self.last().whole() == 0
    }
}

/// An estimate of the next level's size: the growth factor is assumed to keep shrinking at the same rate.
fn expected(sizes: &[u64]) -> Option<u64> {
    let [.., a, b, c] = *sizes else { return None };
    if a == 0 || b == 0 {
        return None;
    }
    let (before, last) = (b as f64 / a as f64, c as f64 / b as f64);
    Some((c as f64 * last * (last / before).min(1.0)) as u64)
}

impl Engine<'_> {
    /// Puts level 0 of `puzzle` into `sequence`.
    pub(super) fn open<P: Puzzle>(&self, puzzle: &P, sequence: &mut LevelSequence<P::Key>) {
        let begun = Instant::now();
        let first = self.expander.level_of(puzzle, puzzle.start());
        self.append(first, begun.elapsed().as_secs_f64(), sequence);
        self.report(sequence);
    }

    /// Appends the next level of `puzzle` to `sequence`: loads it from the run's folder, or else expands the last one.
    pub(super) fn grow<P: Puzzle>(&self, puzzle: &P, sequence: &mut LevelSequence<P::Key>) -> Result<(), Stopped> {
        self.make(puzzle, sequence)?;
        self.report(sequence);
        Ok(())
    }

    /// The same, without a report to progress.
    pub(super) fn make<P: Puzzle>(&self, puzzle: &P, sequence: &mut LevelSequence<P::Key>) -> Result<(), Stopped> {
        let begun = Instant::now();
        let depth = sequence.levels.len() - 1;
        let label = sequence.label(depth + 1);
        let workspace = self.workspace.filter(|_| !sequence.cut);
        let found = workspace.map_or(Ok(None), |w| w.load::<P::Key>(&label))?;
        // A level that only some processes have was not completed, and is made again.
        let bytes = self.expander.exchange().all_gather(found.as_ref().map(|(level, _)| level.bytes()))?;
        let bytes: Option<u64> = bytes.into_iter().sum();
        if let Some((workspace, ((level, saved), bytes))) = workspace.zip(found.zip(bytes)) {
            let (tally, digest) = read_manifest_entry(&saved).map_err(|e| workspace.damaged(e.to_string()))?;
            self.expander.audit(puzzle, &level, &tally, digest, self.cancel)?;
            self.append(Expansion { level: level.of_whole(tally.states), tally, digest, bytes }, 0.0, sequence);
            return Ok(());
        }
        let watch = if sequence.hidden { None } else { Some(self.progress as &dyn Watch) };
        if !sequence.hidden {
            let sizes: Vec<u64> = sequence.figures.iter().map(|f| f.tally.states).collect();
            let (states, expected) = (sequence.last().len(), expected(&sizes));
            self.progress.begin(Begun { depth: depth as u32 + 1, side: sequence.side, states, expected });
        }
        // Truncated levels are no part of the run. Large ones use its folder under labels of their own.
        let (folder, label) = match self.workspace {
            Some(run) if sequence.cut => {
                (LevelFolder::Scratch(run), format!("scratch-{}", SCRATCH.fetch_add(1, Ordering::Relaxed)))
            }
            Some(run) => (LevelFolder::Run(run), label),
            None => (LevelFolder::None, label),
        };
        let destination = LevelDestination { folder, label: &label, watch };
        let earlier = sequence.compared_before_last();
        let source = LevelSource { puzzle, depth: depth as u32, current: sequence.last(), earlier: &earlier };
        let mut grown = self.expander.expand_whole(source, destination, self.cancel);
        if matches!(grown, Ok(None)) {
            if sequence.last().layout().is_some() {
                // Checkpoints of the next level count the blocks of this one. If it were made again, that might be in other blocks.
                self.save(sequence)?;
            }
            let earlier = sequence.compared_before_last();
            let source = LevelSource { puzzle, depth: depth as u32, current: sequence.last(), earlier: &earlier };
            grown = self.expander.expand_in_pieces(source, destination, self.cancel).map(Some);
        }
        let grown = match grown.transpose().unwrap_or_else(|| unreachable!("made in pieces")) {
            Ok(grown) => grown,
            Err(stopped) => {
                // Save what was complete when the step was stopped. Why it was stopped matters more than why that fails.
                if let Err(fault) = self.save(sequence) {
                    self.progress.note(&format!("complete levels could not be saved: {fault}"));
                }
                return Err(stopped);
            }
        };
        self.append_made(grown, begun.elapsed().as_secs_f64(), sequence)
    }

    /// Appends the next level of `puzzle`, which is known to be empty, as [`Self::grow`] would.
    pub(super) fn grow_empty<P: Puzzle>(
        &self,
        puzzle: &P,
        sequence: &mut LevelSequence<P::Key>,
    ) -> Result<(), Stopped> {
        self.append_made(self.expander.level_of(puzzle, Vec::new()), 0.0, sequence)?;
        self.report(sequence);
        Ok(())
    }

    /// Appends a level that is no part of the run's folder yet, and saves what is due.
    fn append_made<K: Key>(
        &self,
        made: Expansion<K>,
        seconds: f64,
        sequence: &mut LevelSequence<K>,
    ) -> Result<(), Stopped> {
        self.append(made, seconds, sequence);
        let workspace = self.workspace.filter(|_| !sequence.cut);
        let resident: u64 = sequence.levels.iter().map(Level::resident_bytes).sum();
        let crowded = resident > self.expander.memory_plan().levels();
        let kept = sequence.figures.last().is_some_and(|f| f.file.is_some());
        if kept || crowded || workspace.is_some_and(Workspace::is_due) {
            self.save(sequence)?;
        }
        if crowded {
            sequence.levels.iter_mut().for_each(Level::free_layout);
        }
        Ok(())
    }

    /// Grows `sequence` up to level `last`, or until a level is empty.
    pub(super) fn grow_to<P: Puzzle>(
        &self,
        puzzle: &P,
        last: u32,
        sequence: &mut LevelSequence<P::Key>,
    ) -> Result<(), Stopped> {
        #[cfg(any(test, feature = "testing"))]
        let last = last.saturating_sub(u32::from(self.expander.fault == Some(crate::fault::Fault::StopEarly)));
        while !sequence.has(last) && !sequence.is_dead() {
            self.grow(puzzle, sequence)?;
        }
        Ok(())
    }

    /// The levels 0 to `depth` of `puzzle`, which go into `sequence`, and what stopped them if they are fewer; with the
    /// greatest depth that there is they end with the first empty one.
    pub(super) fn levels<P: Puzzle>(
        &self,
        puzzle: &P,
        depth: u32,
        mut sequence: LevelSequence<P::Key>,
    ) -> (Vec<LevelFigures>, Result<(), Stopped>) {
        self.open(puzzle, &mut sequence);
        let mut grown = Ok(());
        while grown.is_ok() && !sequence.has(depth) && !(depth == MAX_LENGTH && sequence.is_dead()) {
            grown = self.grow(puzzle, &mut sequence).and_then(|()| Ok(self.forget(&mut sequence)?));
        }
        (sequence.figures, grown)
    }

    /// Writes the levels that are only in memory to the run's folder, if there is one.
    fn save<K: Key>(&self, sequence: &mut LevelSequence<K>) -> Result<(), StoreError> {
        let Some(workspace) = self.workspace.filter(|_| !sequence.cut) else { return Ok(()) };
        let saved = self.write_levels(workspace, sequence);
        if saved.is_err() {
            // A record must not name files that the folder does not have.
            for depth in sequence.forgotten.max(1)..sequence.levels.len() {
                let label = sequence.label(depth);
                sequence.figures[depth].file.take_if(|_| !workspace.has(&label));
            }
        }
        saved
    }

    fn write_levels<K: Key>(self, workspace: &Workspace, sequence: &mut LevelSequence<K>) -> Result<(), StoreError> {
        let mut entered = Vec::new();
        for depth in 1..sequence.levels.len() {
            let label = sequence.label(depth);
            if sequence.levels[depth].path().is_none() && depth >= sequence.forgotten {
                let (tally, digest, level) =
                    (&sequence.figures[depth].tally, sequence.digests[depth], &sequence.levels[depth]);
                let (keys, whole) = (level.len(), level.whole());
                self.code(level);
                sequence.levels[depth] = workspace.write(&label, level, digest)?.of_whole(whole).laid_out_as(level);
                entered.push((label, manifest_entry_of_share(tally, keys, digest)));
            }
        }
        if entered.is_empty() { Ok(()) } else { workspace.enter_also(entered) }
    }

    /// Frees the levels with which no later one is compared: all but the last two, or none.
    pub(super) fn forget<K: Key>(&self, sequence: &mut LevelSequence<K>) -> Result<(), StoreError> {
        if matches!(sequence.recurs, Recurs::AfterEvenlyMany | Recurs::Anywhere) {
            return Ok(());
        }
        let done = sequence.levels.len().saturating_sub(2);
        let gone: Vec<String> = (sequence.forgotten..done).map(|d| sequence.label(d)).collect();
        sequence.levels[..done].iter_mut().for_each(|l| *l = Level::default());
        sequence.forgotten = sequence.forgotten.max(done);
        self.workspace.map_or(Ok(()), |w| w.forget(&gone))
    }

    fn append<K: Key>(&self, expansion: Expansion<K>, seconds: f64, sequence: &mut LevelSequence<K>) {
        let Expansion { level, tally, digest, bytes } = expansion;
        let depth = sequence.levels.len() as u32;
        // Level 0 is the start, which needs no file.
        let workspace = self.workspace.filter(|_| depth > 0 && !sequence.cut);
        let file = workspace.and_then(|w| w.kept(&sequence.label(depth as usize)));
        sequence.figures.push(LevelFigures { depth, side: sequence.side, tally, bytes, seconds, file });
        sequence.digests.push(digest);
        sequence.levels.push(level);
    }

    /// Tells progress about the last level.
    pub(super) fn report<K: Key>(&self, sequence: &LevelSequence<K>) {
        if let Some(figures) = sequence.figures.last().filter(|_| !sequence.hidden) {
            self.progress.level(figures);
        }
    }

    /// Puts some of the states of the last level in its place; the others count as pruned.
    pub(super) fn select<P: Puzzle>(
        &self,
        puzzle: &P,
        selected: Level<P::Key>,
        sequence: &mut LevelSequence<P::Key>,
    ) -> Result<(), Stopped> {
        let last = sequence.levels.len() - 1;
        if sequence.hidden {
            // Nobody asks for its figures.
            sequence.levels[last] = selected;
            return Ok(());
        }
        let figures = &mut sequence.figures[last];
        let Expansion { level, tally, digest, bytes } = self.expander.selected(puzzle, selected, &figures.tally)?;
        (figures.tally, figures.bytes) = (tally, bytes);
        (sequence.levels[last], sequence.digests[last]) = (level, digest);
        Ok(())
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
