//! From one level to the next: derived again, or proved to be what a file keeps.

use std::path::Path;

use rayon::prelude::*;

use super::board::Board;
use super::cuts::{Cut, Judge};
use super::file::{Level, Marks};
use super::keys::{Binomials, PUBLISHED, mix};
use super::moves::{Set, destinations};
use crate::record::LevelRecord;

/// Keys that are sorted at once.
const BATCH: usize = 12 << 20;

/// What all walks of one problem share.
pub(super) struct Ground {
    pub board: Board,
    pub jumps_only: bool,
    pub binomials: Binomials,
    pub men: usize,
    /// K, the identity included.
    pub fixing: Vec<Vec<u8>>,
    pub mirror: Option<Vec<u8>>,
    pub centroid: Option<Vec<i32>>,
}

impl Ground {
    /// The key of an army's image, which `scratch` is left with.
    #[inline]
    fn image_key(&self, image: &[u8], men: &[u8], scratch: &mut Vec<u8>) -> u128 {
        scratch.clear();
        scratch.extend(men.iter().map(|&c| image[usize::from(c)]));
        scratch.sort_unstable();
        self.binomials.rank(scratch)
    }

    /// The key of the state that an army stands for.
    #[inline]
    pub fn key(&self, men: &[u8], scratch: &mut Vec<u8>) -> u128 {
        self.fixing.iter().map(|image| self.image_key(image, men, scratch)).min().unwrap_or(0)
    }

    /// The army of a key.
    pub fn army(&self, key: u128) -> Result<Vec<u8>, String> {
        let mut men = vec![0; self.men];
        match self.binomials.unrank(key, &mut men) {
            true => Ok(men),
            false => Err(format!("{key} is the key of no army")),
        }
    }

    /// An army, for messages.
    fn show(&self, key: u128) -> String {
        self.army(key).map_or_else(|fault| fault, |men| self.board.names(&men))
    }

    /// Calls `each` with every move from an army, as cells, and the men after it, ascending.
    fn successors(&self, men: &[u8], mut each: impl FnMut(u8, u8, &[u8])) {
        let (set, mut found, mut after) = (Set::of(men), Vec::new(), Vec::new());
        for (i, &from) in men.iter().enumerate() {
            destinations(&self.board, set, from, self.jumps_only, &mut found);
            for &to in &found {
                after.clear();
                after.extend_from_slice(men);
                after[i] = to;
                after.sort_unstable();
                each(from, to, &after);
            }
        }
    }

    /// Keys of the states around one, sorted.
    pub fn around(&self, key: u128) -> Result<Vec<u128>, String> {
        let (mut keys, mut scratch) = (Vec::new(), Vec::new());
        self.successors(&self.army(key)?, |_, _, after| keys.push(self.key(after, &mut scratch)));
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    /// The successors of some parents that no cut drops, and how many there are with those.
    fn expand(&self, parents: &[u128], depth: u32, cuts: &[Cut]) -> Result<(Vec<u128>, u64), String> {
        let (mut judge, mut scratch) = (Judge::new(cuts, depth + 1), Vec::new());
        let (mut keys, mut generated) = (Vec::new(), 0);
        for &key in parents {
            let men = self.army(key)?;
            judge.enter(&men);
            self.successors(&men, |from, to, after| {
                generated += 1;
                if judge.admits(from, to, after) {
                    keys.push(self.key(after, &mut scratch));
                }
            });
        }
        Ok((keys, generated))
    }

    /// The first state of `level` whose mirror image is in `other`.
    pub fn meeting(&self, level: &Level, other: &Level) -> Result<Option<u128>, String> {
        let (small, large) = if level.len() <= other.len() { (level, other) } else { (other, level) };
        let mirror = self.mirror.as_ref().ok_or("there is no mirror")?;
        self.common(small, large, |key, scratch| {
            let men: Vec<u8> = self.army(key)?.iter().map(|&c| mirror[usize::from(c)]).collect();
            Ok(Some(self.key(&men, scratch)))
        })
    }

    /// Whether an image of a state of `small` is in `large`: the first such image.
    pub fn common(
        &self,
        small: &Level,
        large: &Level,
        image: impl Fn(u128, &mut Vec<u8>) -> Result<Option<u128>, String> + Sync,
    ) -> Result<Option<u128>, String> {
        const GROUP: usize = 512;
        for first in (0..small.blocks()).step_by(GROUP) {
            let images = |block: usize| -> Result<Vec<u128>, String> {
                let (mut keys, mut scratch, mut images) = (Vec::new(), Vec::new(), Vec::new());
                small.read(block, &mut keys)?;
                for &key in &keys {
                    images.extend(image(key, &mut scratch)?);
                }
                Ok(images)
            };
            let group = (first..(first + GROUP).min(small.blocks())).into_par_iter();
            let mut images = group.map(images).collect::<Result<Vec<_>, _>>()?.concat();
            images.par_sort_unstable();
            let rest = large.without(&images, None)?;
            if rest.len() < images.len() {
                let met = images.iter().zip(rest.iter().map(Some).chain(std::iter::repeat(None)));
                let met = met.into_iter().find(|(image, rest)| Some(*image) != *rest);
                return Ok(met.map(|(&image, _)| image));
            }
        }
        Ok(None)
    }

    /// A state of the level whose army is its own mirror image, or, for odd lengths, becomes it by one move.
    pub fn own_image(&self, level: &Level, odd: bool) -> Result<Option<u128>, String> {
        let mirror = self.mirror.as_ref().ok_or("there is no mirror")?;
        let own = |key: u128| -> Result<bool, String> {
            let men = self.army(key)?;
            let mut image: Vec<u8> = men.iter().map(|&c| mirror[usize::from(c)]).collect();
            image.sort_unstable();
            let mut own = !odd && image == men;
            if odd {
                self.successors(&men, |_, _, after| own |= after == image);
            }
            Ok(own)
        };
        let search = |block: usize| -> Result<Option<u128>, String> {
            let mut keys = Vec::new();
            level.read(block, &mut keys)?;
            keys.into_iter().find_map(|key| own(key).map(|own| own.then_some(key)).transpose()).transpose()
        };
        (0..level.blocks()).into_par_iter().find_map_first(|b| search(b).transpose()).transpose()
    }
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

/// Levels one after another from one end; the last two are held.
pub(super) struct Walk<'a> {
    ground: &'a Ground,
    /// What the levels are called.
    side: String,
    pub depth: u32,
    pub current: Level,
    pub previous: Level,
    /// Whether the other end has been met: a state that must not be on any level where everything is said to have been seen.
    goal: u128,
    pub met_goal: bool,
    /// States that were looked at in samples, and states there were.
    pub sampled: (u64, u64),
}

impl<'a> Walk<'a> {
    /// Level 0: `start` alone, and as the record says.
    pub fn begin(ground: &'a Ground, start: &[u8], goal: &[u8], stated: &LevelRecord) -> Result<Self, String> {
        let mut scratch = Vec::new();
        let side = format!("{:?}", stated.side).to_lowercase();
        let key = ground.key(start, &mut scratch);
        let (current, previous) = (Level::Memory(vec![key]), Level::Memory(Vec::new()));
        let goal = ground.key(goal, &mut scratch);
        let walk = Self { ground, side, depth: 0, current, previous, goal, met_goal: key == goal, sampled: (0, 0) };
        if stated.depth != 0 {
            return Err(format!("{} levels begin with level {}", walk.side, stated.depth));
        }
        walk.compare(stated, &walk.current)?;
        Ok(walk)
    }

    /// Levels go on under another name.
    pub fn rename(&mut self, side: &str) {
        self.side = side.into();
    }

    fn at(&self, depth: u32) -> String {
        format!("{} level {depth}", self.side)
    }

    /// The next level, which must be as the record says.
    pub fn step(&mut self, stated: &LevelRecord, cuts: &[Cut], mode: Mode) -> Result<(), String> {
        if stated.depth != self.depth + 1 {
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
        self.met_goal |= next.without(&[self.goal], None)?.is_empty();
        self.previous = std::mem::replace(&mut self.current, next);
        self.depth += 1;
        Ok(())
    }

    fn open(folder: &Path, stated: &LevelRecord, at: &str) -> Result<Level, String> {
        let file = stated.file.as_ref().ok_or_else(|| format!("{at} has no file"))?;
        Level::open(&folder.join(&file.name), file.identity.0, stated.states, stated.digest.0)
    }

    /// Expands the current level batch by batch: calls `sink` with ascending keys, and says how many successors there were, with
    /// those that are cut and without.
    fn batches(
        &self,
        cuts: &[Cut],
        mut sink: impl FnMut(Vec<u128>) -> Result<(), String>,
    ) -> Result<(u64, u64), String> {
        let group = 4 * rayon::current_num_threads();
        let (mut batch, mut generated, mut emitted) = (Vec::new(), 0, 0);
        for first in (0..self.current.blocks()).step_by(group) {
            let blocks = (first..(first + group).min(self.current.blocks())).into_par_iter();
            // Smaller pieces than blocks: a level of one block keeps all threads busy, too.
            let pieces = blocks.flat_map(|b| (0..8usize).into_par_iter().map(move |part| (b, part)));
            let expanded = pieces.map(|(block, part)| {
                let mut keys = Vec::new();
                self.current.read(block, &mut keys)?;
                let size = keys.len().div_ceil(8);
                self.ground.expand(keys.chunks(size).nth(part).unwrap_or_default(), self.depth, cuts)
            });
            for (keys, count) in expanded.collect::<Result<Vec<_>, String>>()? {
                generated += count;
                emitted += keys.len() as u64;
                batch.extend(keys);
            }
            if batch.len() >= BATCH {
                sink(sorted(std::mem::take(&mut batch)))?;
            }
        }
        sink(sorted(batch))?;
        Ok((generated, emitted))
    }

    /// Derives the next level.
    fn derive(&self, stated: &LevelRecord, cuts: &[Cut]) -> Result<Level, String> {
        let marks = [Marks::new(&self.current), Marks::new(&self.previous)];
        let mut next: Vec<u128> = Vec::new();
        let counts = self.batches(cuts, |batch| {
            let rest = self.current.without(&batch, Some(&marks[0]))?;
            let rest = self.previous.without(&rest, Some(&marks[1]))?;
            next = if next.is_empty() { rest } else { merged(&next, &rest) };
            Ok(())
        })?;
        self.account(stated, counts, next.len() as u64, &marks)?;
        Ok(Level::Memory(next))
    }

    /// Proves that `next` is what the current level leads to: nothing is missing, and nothing too much.
    fn close(&self, stated: &LevelRecord, cuts: &[Cut], next: &Level) -> Result<(), String> {
        let marks = [Marks::new(&self.current), Marks::new(&self.previous)];
        let reached = Marks::new(next);
        let counts = self.batches(cuts, |batch| {
            let rest = next.without(&batch, Some(&reached))?;
            let rest = self.current.without(&rest, Some(&marks[0]))?;
            let rest = self.previous.without(&rest, Some(&marks[1]))?;
            rest.first().map_or(Ok(()), |&lost| Err(self.lost(lost)))
        })?;
        if let Some(position) = reached.first_missing(next) {
            let mut keys = Vec::new();
            let block = next.block_at(position);
            next.read(block, &mut keys)?;
            let key = keys[(position - next.start(block)) as usize];
            return Err(self.unsupported(key));
        }
        self.account(stated, counts, next.len(), &marks)
    }

    fn lost(&self, key: u128) -> String {
        let (here, there) = (self.at(self.depth), self.depth + 1);
        format!(
            "not closed: from {here} one move leads to {}, which is not on level {there} or the two before it, and no \
             bound cuts it",
            self.ground.show(key)
        )
    }

    fn unsupported(&self, key: u128) -> String {
        let (next, here) = (self.at(self.depth + 1), self.depth);
        format!("{next} has {}, which no state of level {here} leads to", self.ground.show(key))
    }

    /// Looks at some states of the current level and some of `next`.
    fn sample(&mut self, stated: &LevelRecord, cuts: &[Cut], next: &Level, sample: u64) -> Result<(), String> {
        // The digest of the next level: fixed by the record, and not to be foreseen by what made a mistake before.
        let seed = stated.digest.0 as u64;
        let parents = Self::pick(&self.current, seed, sample)?;
        let pieces = parents.par_chunks(64).map(|keys| self.ground.expand(keys, self.depth, cuts));
        let successors = pieces.collect::<Result<Vec<_>, _>>()?.into_iter().flat_map(|(keys, _)| keys).collect();
        let rest = next.without(&sorted(successors), None)?;
        let rest = self.current.without(&rest, None)?;
        if let Some(&lost) = self.previous.without(&rest, None)?.first() {
            return Err(self.lost(lost));
        }
        self.sampled.0 += parents.len() as u64;
        self.sampled.1 += self.current.len();
        // Every move can be undone, so what leads to a state is what it leads to.
        let children = Self::pick(next, !seed, sample)?;
        let around = children.par_iter().map(|&key| self.ground.around(key)).collect::<Result<Vec<_>, _>>()?;
        let absent = self.current.without(&sorted(around.concat()), None)?;
        let lone = |around: &Vec<u128>| around.iter().all(|key| absent.binary_search(key).is_ok());
        match around.iter().position(lone) {
            Some(child) => Err(self.unsupported(children[child])),
            None => Ok(()),
        }
    }

    /// The keys at some positions of a level.
    fn pick(level: &Level, seed: u64, sample: u64) -> Result<Vec<u128>, String> {
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

    /// Compares the conservation figures.
    fn account(
        &self,
        stated: &LevelRecord,
        (generated, emitted): (u64, u64),
        states: u64,
        marks: &[Marks],
    ) -> Result<(), String> {
        let old: u64 = marks.iter().map(Marks::count).sum();
        let found = [generated, generated - emitted, emitted - old - states, old, states];
        let said = [stated.generated, stated.pruned, stated.duplicates, stated.old, stated.states];
        let names = ["generated", "pruned", "duplicates", "old", "states"];
        let wrong = (0..names.len())
            .filter(|&i| found[i] != said[i])
            .map(|i| format!("{} {}, derived {}", names[i], said[i], found[i]));
        let wrong: Vec<String> = wrong.collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("{}: {}", self.at(stated.depth), wrong.join("; "))) }
    }

    /// Reads a level through, and compares count, digests and greatest centroid.
    fn compare(&self, stated: &LevelRecord, level: &Level) -> Result<(), String> {
        let block = |number: usize| -> Result<Found, String> {
            let (mut keys, mut scratch, mut found) = (Vec::new(), Vec::new(), Found::default());
            level.read(number, &mut keys)?;
            for &key in &keys {
                let men = self.ground.army(key)?;
                if self.ground.key(&men, &mut scratch) != key {
                    return Err(format!("{} stands for another state", self.ground.show(key)));
                }
                let centroid = |values: &Vec<i32>| men.iter().map(|&c| i64::from(values[usize::from(c)])).sum();
                found.centroid_max = found.centroid_max.max(self.ground.centroid.as_ref().map(centroid));
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
        match stated.centroid_max {
            said if self.ground.centroid.is_some() && said != found.centroid_max => {
                Err(format!("{at}: largest centroid {said:?}, found {:?}", found.centroid_max))
            }
            _ => Ok(()),
        }
    }
}

fn sums(a: [u128; 2], b: [u128; 2]) -> [u128; 2] {
    [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
}

fn sorted(mut keys: Vec<u128>) -> Vec<u128> {
    keys.par_sort_unstable();
    keys.dedup();
    keys
}

/// Two ascending lists as one.
fn merged(a: &[u128], b: &[u128]) -> Vec<u128> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (x, y) => x.or(y).copied().unwrap_or(0),
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
    positions
}
