//! Walks from level to level from one end: which levels are held, and whether each is as the record says.

use std::ops::Add;
use std::path::Path;
use std::sync::Arc;

use halma_record::record::{LengthRecord, LevelRecord, Side};

use super::Options;
use super::keys::{PUBLISHED, mix};
use super::level_file::{Level, below};
use super::level_step::{StateSpace, Step, sorted};
use super::memory;
use super::rejection::{Rejection, RejectionKind, or_none};
use crate::parallel;

/// The result for one level.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    states: u64,
    digests: [u128; 2],
    centroid_max: Option<i64>,
}

/// How a level is checked.
#[derive(Clone, Copy)]
enum How<'a> {
    /// Derived again from the previous level.
    Derive,
    /// Read from its file in this folder; every state of the previous level is expanded, and every successor looked up.
    Close(&'a Path),
    /// Read from its file; so many states on either side are checked.
    Sample(&'a Path, u64),
}

/// How the levels of a length are checked.
#[derive(Clone, Copy)]
pub(super) struct Mode<'a> {
    how: How<'a>,
    progress: &'a (dyn Fn(&str) + Sync),
}

/// A level that takes so many successors is named before it is checked.
const LONG: u64 = 100_000_000;

impl<'a> Mode<'a> {
    /// How to check a length's levels. If they are derived again, `held` states with keys of so many bytes are in
    /// memory at a time, which must fit the budget. The error says what is too much.
    pub fn of(
        entry: &LengthRecord,
        folder: &'a Path,
        options: &Options<'a>,
        budget: &mut u64,
        (held, key): (u64, usize),
    ) -> Result<Self, String> {
        // Level 0 is derived always: files say nothing where there is no other level.
        let mut others = entry.levels.iter().filter(|level| level.depth > 0).peekable();
        let with_files = others.peek().is_some() && others.all(|level| level.file.is_some());
        let how = match options.sample {
            _ if !with_files && entry.generated > *budget => {
                let what =
                    format!("length {}: levels of {} successors, kept in no files", entry.length, entry.generated);
                return Err(format!("{what}, and more than the {budget} left to derive again"));
            }
            _ if !with_files && let Err(too_much) = memory::fit_levels(held, entry.largest_level, key) => {
                return Err(format!("length {}: {held} states at a time, kept in no files, {too_much}", entry.length));
            }
            _ if !with_files => {
                *budget -= entry.generated;
                How::Derive
            }
            None => {
                // A bit for each state of a level and of those that are held beside it.
                memory::fit(&format!("length {}: marks of {held} states", entry.length), held / 8 * 3)?;
                How::Close(folder)
            }
            Some(sample) => How::Sample(folder, sample),
        };
        Ok(Self { how, progress: options.progress })
    }

    /// The same levels, every state of them where a sample was asked for.
    pub fn whole(self) -> Self {
        match self.how {
            How::Sample(folder, _) => Self { how: How::Close(folder), ..self },
            How::Derive | How::Close(_) => self,
        }
    }

    /// Whether a part of the states is checked only.
    pub fn is_sampled(self) -> bool {
        matches!(self.how, How::Sample(..))
    }

    /// How they were checked, for the report.
    pub fn describe(self, Sampled { expanded, of }: Sampled) -> String {
        match self.how {
            How::Derive => "derived again".to_string(),
            How::Close(_) => "read from their files and closed under moves".to_string(),
            How::Sample(..) => format!("read from their files; {expanded} of {of} states expanded"),
        }
    }
}

/// How many states of sampled levels were expanded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sampled {
    expanded: u64,
    /// How many there were.
    of: u64,
}

impl Add for Sampled {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { expanded: self.expanded + other.expanded, of: self.of + other.of }
    }
}

/// A walk: successive levels from one end, of which those are held on which states can recur.
pub(super) struct Walk<'a, S: StateSpace> {
    pub states: &'a S,
    /// The side of the levels.
    side: Side,
    depth: u32,
    /// The levels that are held, the last one at the end.
    levels: Vec<Arc<Level<S::Key>>>,
    /// The goal, if there is one; and the first level on which a solution ends, with the state in words.
    goal: Option<S::Key>,
    met: Option<(u32, String)>,
    /// Whether nothing has been pruned so far.
    unpruned: bool,
    /// How much of sampled levels was looked at.
    pub sampled: Sampled,
}

impl<'a, S: StateSpace> Walk<'a, S> {
    /// Begins at level 0 with `start` alone, and compares with the record.
    pub fn begin(states: &'a S, start: S::Key, goal: Option<S::Key>, stated: &LevelRecord) -> Result<Self, Rejection> {
        Self::begin_with(states, vec![start], goal, stated)
    }

    /// Begins at level 0 with all of `starts`, and compares with the record.
    pub fn begin_with(
        states: &'a S,
        starts: Vec<S::Key>,
        goal: Option<S::Key>,
        stated: &LevelRecord,
    ) -> Result<Self, Rejection> {
        let side = stated.side;
        let mut walk = Self::at_level_0(states, starts, goal, side);
        if stated.depth != 0 {
            let why = format!("{} levels begin with level {}", side.name(), stated.depth);
            return Err(RejectionKind::Levels.because(why).at_level(side, stated.depth));
        }
        let compared = walk.compare(stated, walk.current()).and_then(|()| walk.meet());
        compared.map_err(|fault| fault.at_level(side, 0))?;
        Ok(walk)
    }

    /// A walk that begins with all of `starts`, and that no record describes.
    pub fn unstated(states: &'a S, starts: Vec<S::Key>, side: Side) -> Result<Self, Rejection> {
        let mut walk = Self::at_level_0(states, starts, None, side);
        walk.meet()?;
        Ok(walk)
    }

    fn at_level_0(states: &'a S, starts: Vec<S::Key>, goal: Option<S::Key>, side: Side) -> Self {
        let levels = vec![Arc::new(Level::Memory(sorted(starts)))];
        Self { states, side, depth: 0, levels, goal, met: None, unpruned: true, sampled: Sampled::default() }
    }

    /// Derives the next level without a record's figures, and takes its successors from the budget. False if the level is
    /// too large to derive.
    pub fn follow(&mut self, bounds: &S::Bounds, budget: &mut u64) -> Result<bool, Rejection> {
        let Some((next, generated)) = self.last().unstated(bounds, *budget)? else { return Ok(false) };
        *budget -= generated;
        self.push(next)?;
        Ok(true)
    }

    /// Another walk that continues from here, as another side.
    pub fn branch(&self, side: Side) -> Self {
        let Self { states, depth, goal, unpruned, sampled, .. } = *self;
        let (levels, met) = (self.levels.clone(), self.met.clone());
        Self { states, side, depth, levels, goal, met, unpruned, sampled }
    }

    /// Says that some states of the last level will not be expanded.
    pub fn leave_some(&mut self) {
        self.unpruned = false;
    }

    /// The depth of the last level.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The side of its levels.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The first level on which a solution ends, with the state in words.
    pub fn met(&self) -> Option<&(u32, String)> {
        self.met.as_ref()
    }

    /// Whether nothing has been pruned so far.
    pub fn is_unpruned(&self) -> bool {
        self.unpruned
    }

    /// Looks for the end of a solution on the last level.
    fn meet(&mut self) -> Result<(), Rejection> {
        if self.met.is_none() {
            let ended = match self.goal {
                Some(goal) => self.current().without(&[goal], None)?.is_empty().then_some(goal),
                None => self.states.first_goal(self.current())?,
            };
            self.met = ended.map(|key| (self.depth, self.states.show(key)));
        }
        Ok(())
    }

    /// The last level.
    pub fn current(&self) -> &Level<S::Key> {
        &self.levels[self.levels.len() - 1]
    }

    /// The last level, to be held for longer than the walk holds it.
    pub fn shared(&self) -> Arc<Level<S::Key>> {
        Arc::clone(&self.levels[self.levels.len() - 1])
    }

    /// The level so many before the last one, if it is held.
    pub fn before_last(&self, by: usize) -> Option<&Level<S::Key>> {
        self.levels.iter().rev().nth(by).map(|level| &**level)
    }

    fn at(&self, depth: u32) -> String {
        format!("{} level {depth}", self.side.name())
    }

    /// The last level, as the first half of a step.
    fn last(&self) -> Step<'_, S> {
        Step { states: self.states, side: self.side, depth: self.depth, levels: &self.levels }
    }

    /// Makes the next level, which must be as the record says.
    pub fn step(&mut self, stated: &LevelRecord, bounds: &S::Bounds, mode: Mode) -> Result<(), Rejection> {
        self.next(stated, bounds, mode).map_err(|fault| fault.at_level(self.side, stated.depth))
    }

    fn next(&mut self, stated: &LevelRecord, bounds: &S::Bounds, mode: Mode) -> Result<(), Rejection> {
        if self.depth.checked_add(1) != Some(stated.depth) {
            let why = format!("{} is followed by level {}", self.at(self.depth), stated.depth);
            return RejectionKind::Levels.reject(why);
        }
        if stated.generated >= LONG {
            (mode.progress)(&format!("{}: {} successors", self.at(stated.depth), stated.generated));
        }
        let next = match mode.how {
            How::Derive => self.last().derive(stated, bounds)?,
            How::Close(folder) => {
                let next = self.open(folder, stated)?;
                self.last().close(stated, bounds, &next)?;
                next
            }
            How::Sample(folder, sample) => {
                let next = self.open(folder, stated)?;
                let expanded = self.last().sample(stated, bounds, &next, sample)?;
                self.sampled = self.sampled + Sampled { expanded, of: self.current().len() };
                next
            }
        };
        self.compare(stated, &next)?;
        self.unpruned &= stated.pruned == 0;
        self.push(next)
    }

    fn push(&mut self, next: Level<S::Key>) -> Result<(), Rejection> {
        self.levels.push(Arc::new(next));
        if self.levels.len() > S::LEVELS_HELD {
            self.levels.remove(0);
        }
        self.depth += 1;
        self.meet()
    }

    /// Checks that all successors of the last level are old; `last` is its entry in the record.
    pub fn ends(&self, last: &LevelRecord, bounds: &S::Bounds) -> Result<(), Rejection> {
        self.last().ends(last, bounds)
    }

    fn open(&self, folder: &Path, stated: &LevelRecord) -> Result<Level<S::Key>, Rejection> {
        let file = stated.file.as_ref();
        let file = file.ok_or_else(|| RejectionKind::File.because(format!("{} has no file", self.at(stated.depth))))?;
        Level::open(&below(folder, &file.name)?, file.identity.0, stated.states, stated.digest.0)
    }

    /// Checks that the last level is the one that the record states.
    pub fn check_against(&self, stated: &LevelRecord) -> Result<(), Rejection> {
        self.compare(stated, self.current())
    }

    /// Reads a level, and compares count, digests and largest centroid.
    fn compare(&self, stated: &LevelRecord, level: &Level<S::Key>) -> Result<(), Rejection> {
        let block = |number: usize| -> Result<Found, Rejection> {
            let (mut keys, mut found) = (Vec::new(), Found::default());
            level.read(number, &mut keys)?;
            for &key in &keys {
                found.centroid_max = found
                    .centroid_max
                    .max(self.states.checked_centroid(key).map_err(Rejection::of(RejectionKind::State))?);
                let digests = PUBLISHED.map(|published| mix(published, key));
                found = Found { digests: sums(found.digests, digests), ..found };
            }
            found.states = keys.len() as u64;
            Ok(found)
        };
        let both = |a: Found, b: Found| {
            let centroid_max = a.centroid_max.max(b.centroid_max);
            Found { states: a.states + b.states, digests: sums(a.digests, b.digests), centroid_max }
        };
        let found = parallel::map(level.blocks(), block)?.into_iter().fold(Found::default(), both);
        let fault = |kind: RejectionKind, why: String| {
            kind.because(format!("{}: {why}", self.at(stated.depth))).at_level(self.side, stated.depth)
        };
        if found.states != stated.states {
            let why = format!("{} states, found {}", stated.states, found.states);
            return Err(fault(RejectionKind::Figures, why));
        }
        let said = [Some(stated.digest), stated.second_digest];
        for (name, said, found) in [("digest", said[0], found.digests[0]), ("second digest", said[1], found.digests[1])]
        {
            if let Some(said) = said.filter(|d| d.0 != found) {
                return Err(fault(RejectionKind::Digest, format!("{name} {said}, found {found:032x}")));
            }
        }
        match stated.centroid_max == found.centroid_max {
            true => Ok(()),
            false => {
                let (said, found) = (or_none(stated.centroid_max), or_none(found.centroid_max));
                Err(fault(RejectionKind::Figures, format!("largest centroid {said}, found {found}")))
            }
        }
    }
}

fn sums(a: [u128; 2], b: [u128; 2]) -> [u128; 2] {
    [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
}
