//! From one level to the next: derived again, or proved to be what a file keeps.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use halma_record::record::{LevelRecord, RunRecord, Side};

use super::Options;
use super::file::{Level, Marks, below};
use super::keys::{PUBLISHED, mix};
use super::memory;
use super::number::Number;

/// Keys that are sorted at once.
const BATCH: usize = 12 << 20;

/// The most states that are held in memory.
const MOST_STATES: u64 = 40_000_000;

/// What walks need to know of the states that they go over.
pub(super) trait States: Sync {
    type Key: Number;
    /// What drops successors.
    type Cuts: ?Sized + Sync;
    /// How many levels states can come back to, the last one among them.
    const HELD: usize;
    /// What the end of a solution on a level means, in words.
    const END: &'static str;

    /// The successors of states on level `depth` that no cut drops, and how many there are with those.
    fn expand(&self, parents: &[Self::Key], depth: u32, cuts: &Self::Cuts) -> Result<(Vec<Self::Key>, u64), String>;
    /// Whether [`Self::stay`] drops new states of that level.
    fn sifts(_depth: u32, _cuts: &Self::Cuts) -> bool {
        false
    }
    /// Those of some new states of level `depth` that may stay there.
    fn stay(&self, keys: &[Self::Key], _depth: u32, _cuts: &Self::Cuts) -> Result<Vec<Self::Key>, String> {
        Ok(keys.to_vec())
    }
    /// The states from which one move leads to this one.
    fn before(&self, key: Self::Key) -> Result<Vec<Self::Key>, String>;
    /// The centroid, where there is one; an error where this is not the key of its state.
    fn look(&self, key: Self::Key) -> Result<Option<i64>, String>;
    /// A state, for messages.
    fn show(&self, key: Self::Key) -> String;
    /// A state of the level at which a solution ends, whatever the goal of the walk.
    fn ended(&self, level: &Level<Self::Key>) -> Result<Option<Self::Key>, String>;
    /// Whether a successor of the last level counts as old where it is on the level so many before that one.
    fn comes_back(before_last: usize) -> bool;
}

/// What a level was found to be.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    states: u64,
    digests: [u128; 2],
    centroid_max: Option<i64>,
}

/// How a level is to be looked at.
#[derive(Clone, Copy)]
pub(super) enum Mode<'a> {
    /// Derived again from the level before.
    Derive,
    /// Read from its file below this folder; every state before it is expanded, every successor looked up.
    Close(&'a Path),
    /// Read from its file; so many states on either side are looked at.
    Sample(&'a Path, u64),
}

impl<'a> Mode<'a> {
    /// How to look at a run's levels, of which `held` states with keys of so many bytes are in memory at a time where they are
    /// derived again; the budget pays for that. An error says what is too much.
    pub fn of(
        run: &RunRecord,
        folder: &'a Path,
        options: &Options,
        budget: &mut u64,
        (held, key): (u64, usize),
    ) -> Result<Self, String> {
        let with_files = run.levels.iter().all(|l| l.depth == 0 || l.file.is_some());
        match options.sample {
            _ if !with_files && (run.generated > *budget || held > MOST_STATES) => {
                let what = format!("length {}: levels of {} successors, kept in no files", run.length, run.generated);
                Err(format!("{what}, and more than the {budget} left to derive again"))
            }
            _ if !with_files && held > memory::states(key, MOST_STATES) => {
                let needed = memory::needed(held, key);
                Err(format!("length {}: {held} states at a time, kept in no files, take {needed}", run.length))
            }
            _ if !with_files => {
                *budget -= run.generated;
                Ok(Self::Derive)
            }
            // A bit for each state of a level and of those that are held beside it.
            None => memory::fit(&format!("length {}: marks of {held} states", run.length), held / 8 * 3)
                .map(|()| Self::Close(folder)),
            Some(sample) => Ok(Self::Sample(folder, sample)),
        }
    }

    /// How they were looked at, in words; `sampled` states of so many.
    pub fn told(self, (looked, all): (u64, u64)) -> String {
        match self {
            Self::Derive => "derived again".to_string(),
            Self::Close(_) => "read from their files and closed under moves".to_string(),
            Self::Sample(..) => format!("read from their files; {looked} of {all} states expanded"),
        }
    }
}

/// Levels one after another from one end; those are held that states can come back to.
pub(super) struct Walk<'a, S: States> {
    pub states: &'a S,
    /// What the levels are called.
    side: &'static str,
    depth: u32,
    /// The last one at the end.
    levels: Vec<Arc<Level<S::Key>>>,
    /// The other end, where there is one; and the first level that a solution ends on, with the state in words.
    goal: Option<S::Key>,
    met: Option<(u32, String)>,
    /// Whether nothing has been cut so far.
    uncut: bool,
    /// States that were looked at in samples, and states there were.
    pub sampled: (u64, u64),
}

impl<'a, S: States> Walk<'a, S> {
    /// Level 0: `start` alone, and as the record says.
    pub fn begin(states: &'a S, start: S::Key, goal: Option<S::Key>, stated: &LevelRecord) -> Result<Self, String> {
        Self::begin_with(states, vec![start], goal, stated)
    }

    /// Level 0: all of `starts`, and as the record says.
    pub fn begin_with(
        states: &'a S,
        starts: Vec<S::Key>,
        goal: Option<S::Key>,
        stated: &LevelRecord,
    ) -> Result<Self, String> {
        let side = stated.side.name();
        let levels = vec![Arc::new(Level::Memory(sorted(starts)))];
        let mut walk = Self { states, side, depth: 0, levels, goal, met: None, uncut: true, sampled: (0, 0) };
        if stated.depth != 0 {
            return Err(format!("{side} levels begin with level {}", stated.depth));
        }
        walk.compare(stated, walk.current())?;
        walk.meet()?;
        Ok(walk)
    }

    /// Another walk that goes on from here, under the name of another side.
    pub fn branch(&self, side: Side) -> Self {
        let Self { states, depth, goal, uncut, sampled, .. } = *self;
        let (levels, met) = (self.levels.clone(), self.met.clone());
        Self { states, side: side.name(), depth, levels, goal, met, uncut, sampled }
    }

    /// Says that not all of the last level is gone on from.
    pub fn leave_some(&mut self) {
        self.uncut = false;
    }

    /// The depth of the last level.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Which levels these are.
    pub fn side(&self) -> &'static str {
        self.side
    }

    /// The first level that a solution ends on, with the state in words.
    pub fn met(&self) -> Option<&(u32, String)> {
        self.met.as_ref()
    }

    /// Whether no level so far cut anything.
    pub fn is_uncut(&self) -> bool {
        self.uncut
    }

    /// Looks for the end of a solution on the last level.
    fn meet(&mut self) -> Result<(), String> {
        if self.met.is_none() {
            let ended = match self.goal {
                Some(goal) => self.current().without(&[goal], None)?.is_empty().then_some(goal),
                None => self.states.ended(self.current())?,
            };
            self.met = ended.map(|key| (self.depth, self.states.show(key)));
        }
        Ok(())
    }

    /// The last level.
    pub fn current(&self) -> &Level<S::Key> {
        &self.levels[self.levels.len() - 1]
    }

    /// The level so many before the last one, if it is held.
    pub fn before_last(&self, by: usize) -> Option<&Level<S::Key>> {
        self.levels.iter().rev().nth(by).map(|level| &**level)
    }

    /// The levels that a successor of the last one can be old on, the latest first.
    fn old(&self) -> Vec<&Level<S::Key>> {
        self.levels.iter().rev().enumerate().filter(|(by, _)| S::comes_back(*by)).map(|(_, level)| &**level).collect()
    }

    fn at(&self, depth: u32) -> String {
        format!("{} level {depth}", self.side)
    }

    /// The next level, which must be as the record says.
    pub fn step(&mut self, stated: &LevelRecord, cuts: &S::Cuts, mode: Mode) -> Result<(), String> {
        if self.depth.checked_add(1) != Some(stated.depth) {
            return Err(format!("{} is followed by level {}", self.at(self.depth), stated.depth));
        }
        let at = self.at(stated.depth);
        let next = match mode {
            Mode::Derive => self.derive(stated, cuts)?,
            Mode::Close(folder) => {
                let next = Self::open(folder, stated, &at)?;
                self.close(stated, cuts, &next)?;
                next
            }
            Mode::Sample(folder, sample) => {
                let next = Self::open(folder, stated, &at)?;
                self.sample(stated, cuts, &next, sample)?;
                next
            }
        };
        self.compare(stated, &next)?;
        self.uncut &= stated.pruned == 0;
        self.levels.push(Arc::new(next));
        if self.levels.len() > S::HELD {
            self.levels.remove(0);
        }
        self.depth += 1;
        self.meet()
    }

    /// Whether all that the last level leads to is old; `last` is what the record says of it.
    pub fn ends(&self, last: &LevelRecord, cuts: &S::Cuts) -> Result<(), String> {
        let beyond = LevelRecord { depth: self.depth.saturating_add(1), generated: u64::MAX, ..last.clone() };
        let old = self.old();
        self.batches(&beyond, cuts, |batch| match Self::fresh(batch, &old, &[])?.first() {
            None => Ok(()),
            Some(&key) => {
                let (at, new) = (self.at(self.depth), self.states.show(key));
                Err(format!("exhausted, but {at} leads to {new}, which is on no level"))
            }
        })
        .map(|_| ())
    }

    fn open(folder: &Path, stated: &LevelRecord, at: &str) -> Result<Level<S::Key>, String> {
        let file = stated.file.as_ref().ok_or_else(|| format!("{at} has no file"))?;
        Level::open(&below(folder, &file.name)?, file.identity.0, stated.states, stated.digest.0)
    }

    /// Expands the current level batch by batch: calls `sink` with ascending keys, and says how many successors there were, with
    /// those that are cut and without. More than the record states are not made: the budget was asked for these.
    fn batches(
        &self,
        stated: &LevelRecord,
        cuts: &S::Cuts,
        mut sink: impl FnMut(Vec<S::Key>) -> Result<(), String>,
    ) -> Result<(u64, u64), String> {
        // Smaller pieces than blocks: a level of one block keeps all threads busy, too.
        let group = memory::pieces(32 * rayon::current_num_threads());
        let at_once = memory::batch(size_of::<S::Key>(), BATCH);
        let all = 8 * self.current().blocks();
        let (mut batch, mut generated, mut emitted) = (Vec::new(), 0, 0);
        for first in (0..all).step_by(group) {
            let pieces = (first..(first + group).min(all)).into_par_iter();
            let expanded = pieces.map(|piece| {
                let (block, part) = (piece / 8, piece % 8);
                let mut keys = Vec::new();
                self.current().read(block, &mut keys)?;
                let size = keys.len().div_ceil(8);
                self.states.expand(keys.chunks(size).nth(part).unwrap_or_default(), self.depth, cuts)
            });
            for (keys, count) in expanded.collect::<Result<Vec<_>, String>>()? {
                generated += count;
                emitted += keys.len() as u64;
                batch.extend(keys);
            }
            if generated > stated.generated {
                let at = self.at(stated.depth);
                return Err(format!("{at}: generated {}, derived {generated} or more", stated.generated));
            }
            if batch.len() >= at_once {
                sink(sorted(std::mem::take(&mut batch)))?;
            }
        }
        sink(sorted(batch))?;
        Ok((generated, emitted))
    }

    /// Of ascending keys those that none of the old levels has; the others are marked.
    fn fresh(keys: Vec<S::Key>, old: &[&Level<S::Key>], marks: &[Marks]) -> Result<Vec<S::Key>, String> {
        old.iter().enumerate().try_fold(keys, |rest, (by, level)| level.without(&rest, marks.get(by)))
    }

    /// Derives the next level.
    fn derive(&self, stated: &LevelRecord, cuts: &S::Cuts) -> Result<Level<S::Key>, String> {
        let old = self.old();
        let marks: Vec<Marks> = old.iter().map(|level| Marks::new(level)).collect();
        let mut next: Vec<S::Key> = Vec::new();
        // New states that may not stay are out only at the end, and count as pruned.
        let most = stated.states.saturating_add(if S::sifts(self.depth + 1, cuts) { stated.pruned } else { 0 });
        let counts = self.batches(stated, cuts, |batch| {
            let rest = Self::fresh(batch, &old, &marks)?;
            next = if next.is_empty() { rest } else { merged(&next, &rest) };
            match next.len() as u64 > most {
                true => {
                    Err(format!("{}: states {}, derived {} or more", self.at(stated.depth), stated.states, next.len()))
                }
                false => Ok(()),
            }
        })?;
        let new = next.len() as u64;
        if S::sifts(self.depth + 1, cuts) {
            next = self.staying(&next, cuts)?;
        }
        let dropped = Some(new - next.len() as u64);
        self.account(stated, counts, (next.len() as u64, dropped), &marks)?;
        Ok(Level::Memory(next))
    }

    /// Those of some new states of the next level that may stay there.
    fn staying(&self, keys: &[S::Key], cuts: &S::Cuts) -> Result<Vec<S::Key>, String> {
        let pieces = keys.par_chunks(256).map(|keys| self.states.stay(keys, self.depth + 1, cuts));
        Ok(pieces.collect::<Result<Vec<_>, String>>()?.concat())
    }

    /// Proves that `next` is what the current level leads to: nothing is missing, and nothing too much.
    fn close(&self, stated: &LevelRecord, cuts: &S::Cuts, next: &Level<S::Key>) -> Result<(), String> {
        let old = self.old();
        let marks: Vec<Marks> = old.iter().map(|level| Marks::new(level)).collect();
        let reached = Marks::new(next);
        let sifts = S::sifts(self.depth + 1, cuts);
        // New states that may not stay, each once; where they become too many they are judged, but not counted.
        let mut dropped = Some(Vec::new());
        let counts = self.batches(stated, cuts, |batch| {
            let rest = Self::fresh(next.without(&batch, Some(&reached))?, &old, &marks)?;
            let lost = if sifts { self.staying(&rest, cuts)? } else { rest.clone() };
            if let Some(&lost) = lost.first() {
                return Err(self.lost(lost));
            }
            dropped =
                dropped.take().map(|all| merged(&all, &rest)).filter(|all| all.len() as u64 <= Self::most_dropped());
            Ok(())
        })?;
        if sifts {
            Self::all_pass(next, |keys| self.staying(keys, cuts), |key| self.stray(key))?;
        }
        Self::all_pass(next, |keys| Self::fresh(keys.to_vec(), &old, &[]), |key| self.stale(key))?;
        if let Some(position) = reached.first_missing(next) {
            let mut keys = Vec::new();
            let block = next.block_at(position);
            next.read(block, &mut keys)?;
            let key = keys[(position - next.start(block)) as usize];
            return Err(self.unsupported(key));
        }
        self.account(stated, counts, (next.len(), dropped.map(|all| all.len() as u64)), &marks)
    }

    /// So many new states that may not stay are counted.
    fn most_dropped() -> u64 {
        memory::states(size_of::<S::Key>(), MOST_STATES)
    }

    /// Of the next level every state passes `test`, which gives back those that do; what `fault` says of one that does not.
    fn all_pass(
        next: &Level<S::Key>,
        test: impl Fn(&[S::Key]) -> Result<Vec<S::Key>, String> + Sync,
        fault: impl Fn(S::Key) -> String + Sync,
    ) -> Result<(), String> {
        let block = |block: usize| -> Result<(), String> {
            let mut keys = Vec::new();
            next.read(block, &mut keys)?;
            let pass = test(&keys)?;
            first_without(&keys, &pass).map_or(Ok(()), |key| Err(fault(key)))
        };
        (0..next.blocks()).into_par_iter().try_for_each(block)
    }

    fn stray(&self, key: S::Key) -> String {
        format!("{} has {}, which the look-ahead cuts", self.at(self.depth + 1), self.states.show(key))
    }

    fn stale(&self, key: S::Key) -> String {
        format!("{} has {}, which is old: an earlier level has it", self.at(self.depth + 1), self.states.show(key))
    }

    fn lost(&self, key: S::Key) -> String {
        let (here, there) = (self.at(self.depth), self.depth + 1);
        format!(
            "not closed: from {here} one move leads to {}, which is neither on level {there} nor old, and no bound cuts it",
            self.states.show(key)
        )
    }

    fn unsupported(&self, key: S::Key) -> String {
        let (next, here) = (self.at(self.depth + 1), self.depth);
        format!("{next} has {}, which no state of level {here} leads to", self.states.show(key))
    }

    /// Looks at some states of the current level and some of `next`.
    fn sample(
        &mut self,
        stated: &LevelRecord,
        cuts: &S::Cuts,
        next: &Level<S::Key>,
        sample: u64,
    ) -> Result<(), String> {
        // The digest of the next level: fixed by the record, and not to be foreseen by what made a mistake before.
        let seed = stated.digest.0 as u64;
        let parents = Self::pick(self.current(), seed, sample)?;
        let pieces = parents.par_chunks(64).map(|keys| self.states.expand(keys, self.depth, cuts));
        let (mut successors, mut generated) = (Vec::new(), 0);
        for (keys, count) in pieces.collect::<Result<Vec<_>, _>>()? {
            successors.extend(keys);
            generated += count;
        }
        // What some of the states lead to is no more than what all do.
        let cut = generated - successors.len() as u64;
        if generated > stated.generated || cut > stated.pruned {
            let (at, LevelRecord { generated: all, pruned, .. }) = (self.at(stated.depth), stated);
            return Err(format!("{at}: generated {all}, pruned {pruned}; of a sample alone {generated} and {cut}"));
        }
        let rest = Self::fresh(next.without(&sorted(successors), None)?, &self.old(), &[])?;
        let sifts = S::sifts(self.depth + 1, cuts);
        let lost = if sifts { self.staying(&rest, cuts)? } else { rest };
        if let Some(&lost) = lost.first() {
            return Err(self.lost(lost));
        }
        self.sampled.0 += parents.len() as u64;
        self.sampled.1 += self.current().len();
        let children = Self::pick(next, !seed, sample)?;
        if let Some(key) = first_without(&children, &Self::fresh(children.clone(), &self.old(), &[])?) {
            return Err(self.stale(key));
        }
        for &child in children.iter().filter(|_| sifts) {
            if self.states.stay(&[child], self.depth + 1, cuts)?.is_empty() {
                return Err(self.stray(child));
            }
        }
        let before = |&key: &S::Key| self.states.before(key).map(sorted);
        let around = children.par_iter().map(before).collect::<Result<Vec<_>, _>>()?;
        let absent = self.current().without(&sorted(around.concat()), None)?;
        // Not any move from there will do: a bound may cut it.
        let is_led_to = |(child, around): (&S::Key, &Vec<S::Key>)| -> Result<bool, String> {
            let parents = around.iter().copied().filter(|key| absent.binary_search(key).is_err());
            let (led_to, _) = self.states.expand(&parents.collect::<Vec<_>>(), self.depth, cuts)?;
            Ok(led_to.contains(child))
        };
        let led_to = children.par_iter().zip(&around).map(is_led_to).collect::<Result<Vec<_>, _>>()?;
        match led_to.iter().position(|led_to| !led_to) {
            Some(child) => Err(self.unsupported(children[child])),
            None => Ok(()),
        }
    }

    /// The keys at some positions of a level.
    fn pick(level: &Level<S::Key>, seed: u64, sample: u64) -> Result<Vec<S::Key>, String> {
        let (mut keys, mut loaded, mut picked) = (Vec::new(), None, Vec::new());
        for position in chosen(seed, sample, level.len()) {
            let block = level.block_at(position);
            if loaded != Some(block) {
                level.read(block, &mut keys)?;
                loaded = Some(block);
            }
            picked.push(keys[(position - level.start(block)) as usize]);
        }
        Ok(picked)
    }

    /// Compares the conservation figures. Of new states so many were dropped; where nobody counted them, what was pruned and
    /// duplicates are known together alone.
    fn account(
        &self,
        stated: &LevelRecord,
        (generated, emitted): (u64, u64),
        (states, dropped): (u64, Option<u64>),
        marks: &[Marks],
    ) -> Result<(), String> {
        let old: u64 = marks.iter().map(Marks::count).sum();
        // Where nobody counted them there were more than that.
        let least = generated - emitted + dropped.unwrap_or(Self::most_dropped());
        let unknown = dropped.is_none();
        let pruned = if unknown { stated.pruned.max(least) } else { least };
        let found = [generated, pruned, (generated - old - states).saturating_sub(pruned), old, states];
        let said = [stated.generated, stated.pruned, stated.duplicates, stated.old, stated.states];
        if unknown && stated.pruned < least {
            return Err(format!("{}: pruned {}, at least {least}", self.at(stated.depth), stated.pruned));
        }
        let names = ["generated", "pruned", "duplicates", "old", "states"];
        let wrong = (0..names.len())
            .filter(|&i| found[i] != said[i])
            .map(|i| format!("{} {}, derived {}", names[i], said[i], found[i]));
        let wrong: Vec<String> = wrong.collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("{}: {}", self.at(stated.depth), wrong.join("; "))) }
    }

    /// Reads a level through, and compares count, digests and greatest centroid.
    fn compare(&self, stated: &LevelRecord, level: &Level<S::Key>) -> Result<(), String> {
        let block = |number: usize| -> Result<Found, String> {
            let (mut keys, mut found) = (Vec::new(), Found::default());
            level.read(number, &mut keys)?;
            for &key in &keys {
                found.centroid_max = found.centroid_max.max(self.states.look(key)?);
                let digests = PUBLISHED.map(|published| mix(published, key));
                found = Found { digests: sums(found.digests, digests), ..found };
            }
            found.states = keys.len() as u64;
            Ok(found)
        };
        let both = |a: Found, b: Found| {
            let centroid_max = a.centroid_max.max(b.centroid_max);
            Ok(Found { states: a.states + b.states, digests: sums(a.digests, b.digests), centroid_max })
        };
        let found = (0..level.blocks()).into_par_iter().map(block).try_reduce(Found::default, both)?;
        let at = self.at(stated.depth);
        if found.states != stated.states {
            return Err(format!("{at}: {} states, found {}", stated.states, found.states));
        }
        let said = [Some(stated.digest), stated.second_digest];
        for (name, said, found) in [("digest", said[0], found.digests[0]), ("second digest", said[1], found.digests[1])]
        {
            if let Some(said) = said.filter(|d| d.0 != found) {
                return Err(format!("{at}: {name} {said}, found {found:032x}"));
            }
        }
        match stated.centroid_max == found.centroid_max {
            true => Ok(()),
            false => {
                let shown = |centroid: Option<i64>| centroid.map_or("none".into(), |c| c.to_string());
                let (said, found) = (shown(stated.centroid_max), shown(found.centroid_max));
                Err(format!("{at}: largest centroid {said}, found {found}"))
            }
        }
    }
}

/// The first of ascending keys that `rest`, some of them, lacks.
fn first_without<N: Number>(keys: &[N], rest: &[N]) -> Option<N> {
    let rest = rest.iter().map(Some).chain(std::iter::repeat(None));
    keys.iter().zip(rest).find(|(key, rest)| Some(*key) != *rest).map(|(&key, _)| key)
}

fn sums(a: [u128; 2], b: [u128; 2]) -> [u128; 2] {
    [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
}

fn sorted<N: Number>(mut keys: Vec<N>) -> Vec<N> {
    keys.par_sort_unstable();
    keys.dedup();
    keys
}

/// Two ascending lists as one.
fn merged<N: Number>(a: &[N], b: &[N]) -> Vec<N> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (x, y) => x.or(y).copied().unwrap_or_default(),
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        all.push(next);
    }
    all
}

/// `sample` positions below `all`, ascending, in an order that the seed fixes (splitmix64); all where they are no more.
fn chosen(mut seed: u64, sample: u64, all: u64) -> Vec<u64> {
    if sample >= all {
        return (0..all).collect();
    }
    let mut positions: Vec<u64> = (0..sample)
        .map(|_| {
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut x = seed;
            x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((u128::from(x ^ x >> 31) * u128::from(all)) >> 64) as u64
        })
        .collect();
    positions.sort_unstable();
    // A state that was chosen twice is one state.
    positions.dedup();
    positions
}
