//! A level that its puzzle makes as a whole, in a layout of its own ([`WholeLevel`]): nothing is sorted and nothing is
//! coded, so this is the fastest way where memory holds all successors at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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

/// Larger levels are expanded in pieces, of which a checkpoint can be made. So what is lost where a search is stopped takes
/// seconds.
const MOST_STATES: u64 = 1 << 26;

impl Expander {
    /// [`Self::expand`], where the puzzle makes the level as a whole. `None` where it does not, or where memory is short or a
    /// checkpoint of the level is there: then nothing was made. Nothing is saved before the level is complete, which takes
    /// seconds at most.
    pub(super) fn expand_whole<P: Puzzle>(
        &self,
        puzzle: &P,
        depth: u32,
        before: &[&Level<P::Key>],
        destination: LevelDestination<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<Expansion<P::Key>>, Stopped> {
        let current = before[0];
        #[cfg(any(test, feature = "testing"))]
        if self.fault.is_some() {
            // Faults are injected where shards are merged.
            return Ok(None);
        }
        let begun = || destination.folder.of_run().is_some_and(|run| run.partial(destination.label).is_some());
        let room = self.memory_plan().measure_room();
        // Its keys may have to be sorted later.
        let fits =
            |states: u64| states <= MOST_STATES && states.saturating_mul(2 * P::Key::BYTES as u64) <= room.level();
        let sizes = self.least_together()..self.too_large.load(Ordering::Relaxed);
        if !sizes.contains(&current.len())
            || !fits(current.len())
            || room.batch_of_states() == 0
            || !puzzle.may_batch()
            || puzzle.filters(depth + 1)
            || begun()
        {
            return Ok(None);
        }
        let batches = self.install(|| puzzle.batches(depth, current))?;
        let Some(whole) = batches.and_then(|batches| batches.whole_level()) else { return Ok(None) };
        // Its tables take memory, too.
        let bytes = self.memory_plan().measure_room().batch_of_states();
        #[cfg(any(test, feature = "testing"))]
        let bytes = self.whole_bytes.unwrap_or(bytes);
        let made = self.make_whole(&*whole, before, bytes, destination, cancel)?;
        let made = made.filter(|made| fits(made.tally.states));
        match &made {
            Some(made) => _ = self.emitted.fetch_add(made.tally.generated - made.tally.pruned, Ordering::Relaxed),
            None => {
                self.too_large.fetch_min(current.len(), Ordering::Relaxed);
                destination.watch.iter().for_each(|watch| watch.begun_anew());
            }
        }
        Ok(made)
    }

    /// The next level; `None` where what one thread holds of it takes more than so many bytes.
    fn make_whole<K: Key>(
        &self,
        whole: &dyn WholeLevel<K>,
        before: &[&Level<K>],
        bytes: usize,
        destination: LevelDestination<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<Expansion<K>>, Stopped> {
        let mut layouts = Vec::with_capacity(before.len());
        for level in before {
            match level.layout().filter(|layout| whole.takes(&***layout)) {
                Some(layout) => layouts.push(Arc::clone(layout)),
                None => match self.lay_out(whole, level, bytes, cancel)? {
                    Some(layout) => layouts.push(layout),
                    None => return Ok(None),
                },
            }
        }
        let layouts: Vec<&dyn Layout<K>> = layouts.iter().map(|layout| &**layout).collect();
        let expand = |worker: &mut dyn LevelWorker<K>, _: usize, part: usize| {
            let expanded = worker.expand(layouts[0], part);
            if let Some(watch) = destination.watch {
                watch.expanded(expanded.states, expanded.generated);
            }
            Ok(expanded)
        };
        let Some(expanded) = self.add_all(whole, layouts[0].parts(), bytes, cancel, expand)? else { return Ok(None) };
        self.new_level(whole, &layouts, expanded, cancel).map(Some)
    }

    /// The level in such a layout. `None` where it does not fit memory.
    fn lay_out<K: Key>(
        &self,
        whole: &dyn WholeLevel<K>,
        level: &Level<K>,
        bytes: usize,
        cancel: &CancellationToken,
    ) -> Result<Option<Arc<dyn Layout<K>>>, Stopped> {
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
        if self.add_all(whole, parts, bytes, cancel, add)?.is_none() {
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

    /// The next level, after all of the last one was expanded.
    fn new_level<K: Key>(
        &self,
        whole: &dyn WholeLevel<K>,
        before: &[&dyn Layout<K>],
        Expanded { generated, emitted, .. }: Expanded,
        cancel: &CancellationToken,
    ) -> Result<Expansion<K>, Stopped> {
        let make = |worker: &mut Box<dyn LevelWorker<K>>, part: usize| {
            cancel.check()?;
            let mut sums = Sums::default();
            let mut sum = |keys: &[K]| sums = sums.and(Sums::measured(keys, None));
            let new = worker.new_states(part, before, Some(&mut sum));
            Ok::<_, Stopped>((new, sums))
        };
        let parts = self.install(|| parallel::map(whole.parts(), || whole.worker(), make))?;
        let (mut states, mut sums, mut len, mut all_old) = (Vec::with_capacity(parts.len()), Sums::default(), 0, 0);
        for (NewStates { states: part, len: new, old, measure_max }, part_sums) in parts {
            states.push(part);
            sums = sums.and(part_sums).and(Sums { measure_max, ..Sums::default() });
            (len, all_old) = (len + new, all_old + old);
        }
        let Sums { digest, second, measure_max } = sums;
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
        let level = Level::laid_out(whole.level(states), len);
        let bytes = level.bytes();
        Ok(Expansion { level, tally, digest, bytes })
    }
}
