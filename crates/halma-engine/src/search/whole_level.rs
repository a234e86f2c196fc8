//! A level that its puzzle makes as a whole, in a layout of its own ([`WholeLevel`]): nothing is sorted and nothing is
//! coded, so this is the fastest way where memory holds all successors at once.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use halma_files::number::Digest;

use super::sums::Sums;
use super::{CancellationToken, Expander, Expansion, LevelDestination, Stopped, Tally};
use crate::batch::{Expanded, LevelWorker, NewStates, WholeLevel};
use crate::key::Key;
use crate::parallel::{self, lock};
use crate::puzzle::Puzzle;
use crate::store::Level;
use crate::store::layout::Layout;
use crate::store::workspace::Partial;

/// Larger levels are expanded in pieces, of which a checkpoint can be made. So what is lost where a search is stopped takes
/// seconds.
const MOST_STATES: u64 = 1 << 26;

/// What memory holds of a level that is made as a whole.
#[derive(Clone, Copy)]
struct Limits {
    /// The bytes of what one thread adds.
    bytes: usize,
    /// The states of a level.
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
        puzzle: &P,
        depth: u32,
        current: &Level<P::Key>,
        earlier: &[&Level<P::Key>],
        destination: LevelDestination<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<Expansion<P::Key>>, Stopped> {
        if self.exchange().is_shared() {
            return Ok(None);
        }
        cancel.check()?;
        #[cfg(any(test, feature = "testing"))]
        if self.fault.is_some() {
            // Faults are injected where shards are merged.
            return Ok(None);
        }
        let begun = || destination.folder.of_run().is_some_and(|run| run.partial(destination.label).is_some());
        let room = self.memory_plan().measure_room();
        let sizes = self.least_together()..self.too_large.load(Ordering::Relaxed).min(MOST_STATES);
        let may_fit = sizes.contains(&current.len()) && room.whole_level() > 0;
        if !may_fit || !puzzle.may_batch() || puzzle.filters(depth + 1) || begun() {
            return Ok(None);
        }
        let batches = self.install(|| puzzle.batches(depth, current))?;
        let Some(whole) = batches.and_then(|batches| batches.whole_level()) else { return Ok(None) };
        let before: Vec<_> = [current].iter().chain(earlier).copied().collect();
        let made = self.make_whole(&*whole, &before, destination, cancel);
        if let (Err(_), Some(run)) = (&made, destination.folder.of_run()) {
            // The next process makes it in pieces: else a run that is stopped again and again would never come past this level. Why it
            // was stopped matters more than why this fails.
            _ = run.enter_partial(Partial::nothing_of(destination.label), Vec::new());
        }
        let made = made?;
        match &made {
            Some(made) => _ = self.emitted.fetch_add(made.tally.generated - made.tally.pruned, Ordering::Relaxed),
            None => destination.watch.iter().for_each(|watch| watch.begun_anew()),
        }
        Ok(made)
    }

    /// The limits, by the memory that is left now.
    fn limits_of_whole<K: Key>(&self) -> Limits {
        let room = self.memory_plan().measure_room();
        let bytes = room.whole_level();
        #[cfg(any(test, feature = "testing"))]
        let bytes = self.whole_bytes.unwrap_or(bytes);
        // Keys may have to be sorted later: they are in parts, then in one list.
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
        let too_large = |level: &Level<K>| _ = self.too_large.fetch_min(level.len(), Ordering::Relaxed);
        let mut layouts = Vec::with_capacity(before.len());
        for level in before {
            match level.layout().filter(|layout| whole.takes(&***layout)) {
                Some(layout) => layouts.push(Arc::clone(layout)),
                None => match self.lay_out(whole, level, self.limits_of_whole::<K>(), cancel)? {
                    Some(layout) => layouts.push(layout),
                    None => {
                        too_large(level);
                        return Ok(None);
                    }
                },
            }
        }
        // The tables of the puzzle and these layouts take memory, too.
        let limits = self.limits_of_whole::<K>();
        let layouts: Vec<&dyn Layout<K>> = layouts.iter().map(|layout| &**layout).collect();
        let expand = |worker: &mut dyn LevelWorker<K>, _: usize, part: usize| {
            let expanded = worker.expand(layouts[0], part, limits.bytes);
            if let Some(watch) = destination.watch {
                watch.expanded(expanded.states, expanded.generated);
            }
            Ok(expanded)
        };
        let made = match self.add_all(whole, layouts[0].parts(), limits.bytes, cancel, expand)? {
            Some(expanded) => self.new_level(whole, &layouts, expanded, limits.states, cancel)?,
            None => None,
        };
        if made.is_none() {
            too_large(before[0]);
        }
        Ok(made)
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
        let mut keys: Vec<Mutex<Vec<K>>> = Vec::new();
        keys.resize_with(self.threads(), Mutex::default);
        let add = |worker: &mut dyn LevelWorker<K>, thread: usize, part: usize| {
            let keys = &mut *lock(&keys[thread]);
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
            Ok::<_, Stopped>(worker.new_states(part, &[], None).states)
        };
        let states = self.install(|| parallel::map(whole.parts(), || whole.worker(), make))?;
        Ok(Some(whole.level(states)))
    }

    /// Calls `add` for all parts of a level, each in one thread. `None` where what a thread has added takes more than so many bytes.
    fn add_all<K: Key>(
        &self,
        whole: &dyn WholeLevel<K>,
        parts: usize,
        bytes: usize,
        cancel: &CancellationToken,
        add: impl Fn(&mut dyn LevelWorker<K>, usize, usize) -> Result<Expanded, Stopped> + Sync,
    ) -> Result<Option<Expanded>, Stopped> {
        let (next, full) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |thread: usize| {
            let (mut worker, mut all) = (whole.worker(), Expanded::default());
            while !full.load(Ordering::Relaxed) {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts {
                    break;
                }
                cancel.check()?;
                all.add(add(&mut *worker, thread, part)?);
                full.fetch_or(worker.bytes() > bytes, Ordering::Relaxed);
            }
            Ok::<_, Stopped>(all)
        };
        let mut all = Expanded::default();
        for added in self.broadcast(work) {
            all.add(added?);
        }
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
