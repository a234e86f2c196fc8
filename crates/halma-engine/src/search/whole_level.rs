//! A level that its puzzle makes as a whole, in a layout of its own ([`WholeLevel`]): nothing is sorted and nothing is
//! coded, so this is the fastest way where memory holds all successors at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use halma_files::number::Digest;

use super::sums::Sums;
use super::{CancellationToken, Expander, Expansion, LevelDestination, LevelSource, Stopped, Tally};
use crate::batch::{Expanded, LevelWorker, NewStates, WholeLevel};
use crate::key::Key;
use crate::parallel;
use crate::puzzle::Puzzle;
use crate::store::Level;
use crate::store::layout::Layout;
use crate::store::workspace::Partial;

/// Larger levels are expanded in pieces, of which a checkpoint can be made. So what is lost where a search is stopped takes
/// seconds.
const MOST_STATES: u64 = 1 << 26;

/// The most of a level that memory may hold.
#[derive(Clone, Copy)]
struct Limits {
    /// The most bytes that one thread may add.
    bytes: usize,
    /// The most states of the level.
    states: u64,
}

impl Expander {
    /// [`Self::expand`], where the puzzle makes the level as a whole. `None` where it does not, or where memory is short, a checkpoint of
    /// the level is there, or several processes search: then nothing was made. Nothing is saved before the level is complete.
    ///
    /// # Errors
    /// As [`Self::expand`].
    pub fn expand_whole<P: Puzzle>(
        &self,
        source: LevelSource<'_, P>,
        destination: LevelDestination<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<Expansion<P::Key>>, Stopped> {
        let LevelSource { puzzle, depth, current, .. } = source;
        if self.exchange().is_shared() {
            return Ok(None);
        }
        cancel.check()?;
        #[cfg(any(test, feature = "testing"))]
        if self.fault.is_some() {
            // Faults are injected where shards are merged.
            return Ok(None);
        }
        let sizes = self.least_together()..self.too_large.load(Ordering::Relaxed).min(MOST_STATES);
        let may_batch = puzzle.may_batch() && !puzzle.filters(depth + 1) && sizes.contains(&current.len());
        let begun = || destination.folder.of_run().is_some_and(|run| run.partial(destination.label).is_some());
        // Measured last: that may take long.
        let has_room = || self.memory_plan().measure_room().whole_level() > 0;
        if !may_batch || begun() || !has_room() {
            return Ok(None);
        }
        let batches = self.install(|| puzzle.batches(depth, current))?;
        let Some(whole) = batches.and_then(|batches| batches.whole_level()) else { return Ok(None) };
        let made = self.make_whole(&*whole, &source.before(), destination, cancel);
        if let (Err(_), Some(run)) = (&made, destination.folder.of_run()) {
            // The next process makes it in pieces: else a run that is stopped again and again would never come past this level. Why it
            // was stopped matters more than why this fails.
            _ = run.enter_partial(Partial::nothing_of(destination.label), Vec::new());
        }
        let made = made?;
        match &made {
            Some(made) => _ = self.emitted.fetch_add(made.tally.generated - made.tally.pruned, Ordering::Relaxed),
            None => {
                self.too_large.fetch_min(current.len(), Ordering::Relaxed);
                destination.watch.iter().for_each(|watch| watch.begun_anew());
            }
        }
        Ok(made)
    }

    /// The limits, by the memory that is left now.
    fn limits_of_whole<K: Key>(&self) -> Limits {
        let room = self.memory_plan().measure_room();
        let bytes = room.whole_level();
        #[cfg(any(test, feature = "testing"))]
        let bytes = self.whole_bytes.unwrap_or(bytes);
        // Where keys are sorted later (`Level::code`), memory holds them twice, in parts and in one list, beside the layout.
        Limits { bytes, states: room.level() / (3 * K::BYTES as u64) }
    }

    /// The next level; `None` where it exceeds the limits.
    fn make_whole<K: Key>(
        &self,
        whole: &dyn WholeLevel<K>,
        before: &[&Level<K>],
        destination: LevelDestination<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<Expansion<K>>, Stopped> {
        let mut layouts = Vec::with_capacity(before.len());
        for level in before {
            layouts.push(match level.layout().filter(|layout| whole.takes(&***layout)) {
                Some(layout) => Arc::clone(layout),
                None => match self.lay_out(whole, level, self.limits_of_whole::<K>(), cancel)? {
                    Some(layout) => layout,
                    None => return Ok(None),
                },
            });
        }
        // The tables of the puzzle and these layouts take memory, too.
        let limits = self.limits_of_whole::<K>();
        let layouts: Vec<&dyn Layout<K>> = layouts.iter().map(|layout| &**layout).collect();
        let expand = |worker: &mut dyn LevelWorker<K>, _: &mut Vec<K>, part: usize| {
            let expanded = worker.expand(layouts[0], part, limits.bytes);
            if let Some(watch) = destination.watch {
                watch.expanded(expanded.states, expanded.generated);
            }
            Ok(expanded)
        };
        match self.add_all(whole, layouts[0].parts(), limits.bytes, cancel, expand)? {
            Some(expanded) => self.new_level(whole, &layouts, expanded, limits.states, cancel),
            None => Ok(None),
        }
    }

    /// The level in such a layout. `None` where it does not fit memory.
    fn lay_out<K: Key>(
        &self,
        whole: &dyn WholeLevel<K>,
        level: &Level<K>,
        limits: Limits,
        cancel: &CancellationToken,
    ) -> Result<Option<Arc<dyn Layout<K>>>, Stopped> {
        if level.len() > limits.states {
            return Ok(None);
        }
        let add = |worker: &mut dyn LevelWorker<K>, keys: &mut Vec<K>, part: usize| {
            match level.layout() {
                Some(layout) => {
                    keys.clear();
                    layout.keys(part, keys);
                }
                None => level.read_block(part, keys)?,
            }
            worker.add(keys);
            Ok(Expanded::default())
        };
        let parts = level.layout().map_or_else(|| level.blocks(), |layout| layout.parts());
        if self.add_all(whole, parts, limits.bytes, cancel, add)?.is_none() {
            return Ok(None);
        }
        let make = |worker: &mut Box<dyn LevelWorker<K>>, part: usize| {
            cancel.check()?;
            Ok::<_, Stopped>(worker.new_states(part, &[], None))
        };
        let parts = self.install(|| parallel::map(whole.parts(), || whole.worker(), make))?;
        let laid_out: u64 = parts.iter().map(|part| part.len).sum();
        if laid_out != level.len() {
            // A state that is missing would not be expanded, and would count as new where it comes again.
            let reason = format!("{laid_out} of the {} states of a level are laid out", level.len());
            return Err(Stopped::Contradiction(reason));
        }
        Ok(Some(whole.level(parts.into_iter().map(|part| part.states).collect())))
    }

    /// Calls `add` for all parts of a level, with the keys of a part before as scratch space. `None` where what a thread has added takes
    /// more than so many bytes.
    fn add_all<K: Key>(
        &self,
        whole: &dyn WholeLevel<K>,
        parts: usize,
        bytes: usize,
        cancel: &CancellationToken,
        add: impl Fn(&mut dyn LevelWorker<K>, &mut Vec<K>, usize) -> Result<Expanded, Stopped> + Sync,
    ) -> Result<Option<Expanded>, Stopped> {
        let full = AtomicBool::new(false);
        let add_part = |(worker, keys): &mut (Box<dyn LevelWorker<K>>, Vec<K>), part: usize| {
            cancel.check()?;
            if full.load(Ordering::Relaxed) {
                return Ok(Expanded::default());
            }
            let added = add(&mut **worker, keys, part)?;
            full.fetch_or(worker.bytes() > bytes, Ordering::Relaxed);
            Ok::<_, Stopped>(added)
        };
        let added = self.install(|| parallel::map(parts, || (whole.worker(), Vec::new()), add_part))?;
        let mut all = Expanded::default();
        added.into_iter().for_each(|added| all.add(added));
        Ok((!full.into_inner()).then_some(all))
    }

    /// The next level, after all of the last one was expanded; `None` where it has more than so many `states`.
    fn new_level<K: Key>(
        &self,
        whole: &dyn WholeLevel<K>,
        before: &[&dyn Layout<K>],
        Expanded { generated, emitted, .. }: Expanded,
        states: u64,
        cancel: &CancellationToken,
    ) -> Result<Option<Expansion<K>>, Stopped> {
        let made = AtomicU64::new(0);
        let make = |worker: &mut Box<dyn LevelWorker<K>>, part: usize| {
            cancel.check()?;
            if made.load(Ordering::Relaxed) > states {
                return Ok(None);
            }
            let mut sums = Sums::default();
            let mut sum = |keys: &[K]| sums = sums.and(Sums::measured(keys, None));
            let new = worker.new_states(part, before, Some(&mut sum));
            made.fetch_add(new.len, Ordering::Relaxed);
            Ok::<_, Stopped>(Some((new, sums)))
        };
        let parts = self.install(|| parallel::map(whole.parts(), || whole.worker(), make))?;
        if made.into_inner() > states {
            return Ok(None);
        }
        let (mut all, mut sums, mut len, mut all_old) = (Vec::with_capacity(parts.len()), Sums::default(), 0, 0);
        for (NewStates { states: part, len: new, old, measure_max }, part_sums) in parts.into_iter().flatten() {
            all.push(part);
            sums = sums.and(part_sums).and(Sums { measure_max, ..Sums::default() });
            (len, all_old) = (len + new, all_old + old);
        }
        let Sums { digest, second, measure_max } = sums;
        assert!(len + all_old <= emitted, "{len} new and {all_old} old states are no more than {emitted} successors");
        let tally = Tally {
            states: len,
            generated,
            pruned: generated - emitted,
            duplicates: emitted - len - all_old,
            old: all_old,
            digest,
            second: Digest(second),
            measure_max,
        };
        let level = Level::laid_out(whole.level(all), len);
        let bytes = level.bytes();
        Ok(Some(Expansion { level, tally, digest, bytes }))
    }
}
