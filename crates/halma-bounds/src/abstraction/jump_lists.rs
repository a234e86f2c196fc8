//! The jumps within one group of classes, by what the men of the other groups allow. Few sets of jumps are different,
//! so the moves of each part under each of them are listed once, when they are first asked for.

use std::collections::HashMap;

use super::Abstraction;
use super::by_group::{GROUPS, Group, Parts};

/// The most sets of men in other groups that are told apart.
const MOST_SETS: usize = 1 << 18;

/// A thread begins anew when it has so many jumps, or places of lists, for a group: 8 MiB of either.
const MOST: usize = 1 << 20;

/// By class of the group: the classes to which a man jumps from there.
type Jumps = Vec<u32>;

/// What the men of other groups mean for the jumps of one group.
#[derive(Debug)]
pub(super) struct Crossings {
    /// For each other group the different jumps over its men.
    over: Vec<Vec<Jumps>>,
    /// For each group, by part: which of these the part allows, times what the next one adds to the number of the set.
    numbers: [Vec<u32>; GROUPS],
    /// How many sets of jumps there are if no two are equal.
    sets: usize,
}

/// A change by one abstract move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jump {
    /// What the centroid gains.
    pub(super) gain: i32,
    /// What the rank gains, modulo 2^32.
    pub(super) change: u32,
}

/// The lists that one thread has made for one group.
#[derive(Debug)]
pub(super) struct JumpLists {
    /// By number of a set of jumps: where its lists begin in `spans`.
    first_span: Vec<u32>,
    /// Where lists begin, by set of jumps: equal sets have the same lists.
    first_span_of: HashMap<Jumps, u32>,
    /// By part: the place of its list in `jumps`.
    spans: Vec<(u32, u32)>,
    jumps: Vec<Jump>,
}

/// Stands for lists that are not made yet.
const UNKNOWN: u32 = u32::MAX;

impl Crossings {
    /// `None` if men of `group` can jump over each other, or if there are too many sets of jumps.
    pub(super) fn new(abstraction: &Abstraction, groups: &[Group], group: &Group) -> Option<Self> {
        let (mut over, mut numbers, mut sets) = (Vec::new(), <[Vec<u32>; GROUPS]>::default(), 1);
        for (other, numbers) in groups.iter().zip(&mut numbers) {
            let mut different: Vec<Jumps> = Vec::new();
            let jumps = |men: &[u8]| -> Jumps {
                let occupied = other.classes.clone().zip(men).filter(|&(_, &men)| men > 0);
                let over =
                    |from: usize| occupied.clone().fold(0, |to, (class, _)| to | abstraction.jumps_over[class][from]);
                group.classes.clone().map(over).collect()
            };
            let places: Vec<usize> = other.men.iter().map(|men| place_of(jumps(men), &mut different)).collect();
            if other.classes == group.classes && different.iter().flatten().any(|&to| to != 0) {
                return None;
            }
            *numbers = places.iter().map(|place| (place * sets) as u32).collect();
            sets = sets.checked_mul(different.len()).filter(|&sets| sets <= MOST_SETS)?;
            over.push(different);
        }
        Some(Self { over, numbers, sets })
    }

    /// The number of the set of jumps that these parts allow.
    #[inline(always)]
    fn number(&self, parts: &Parts) -> usize {
        self.numbers.iter().zip(parts).map(|(numbers, &part)| numbers.get(part).copied().unwrap_or(0) as usize).sum()
    }

    /// The set of jumps with that number.
    fn jumps(&self, mut number: usize) -> Jumps {
        let mut all: Jumps = Vec::new();
        for different in &self.over {
            let jumps = &different[number % different.len()];
            number /= different.len();
            all.resize(jumps.len(), 0);
            all.iter_mut().zip(jumps).for_each(|(all, jumps)| *all |= jumps);
        }
        all
    }
}

/// The place of `value` among `all`, to which it is added if it is missing.
fn place_of(value: Jumps, all: &mut Vec<Jumps>) -> usize {
    all.iter().position(|other| *other == value).unwrap_or_else(|| {
        all.push(value);
        all.len() - 1
    })
}

impl JumpLists {
    pub(super) fn new(crossings: &Crossings) -> Self {
        Self {
            first_span: vec![UNKNOWN; crossings.sets],
            first_span_of: HashMap::new(),
            spans: Vec::new(),
            jumps: Vec::new(),
        }
    }

    /// The moves within `group` from a histogram with these parts, of which `part` is that of the group; in order of gain.
    #[inline(always)]
    pub(super) fn of(&mut self, group: &Group, crossings: &Crossings, parts: &Parts, part: usize) -> &[Jump] {
        let number = crossings.number(parts);
        let mut first = self.first_span[number];
        if first == UNKNOWN || self.spans[first as usize + part].0 == UNKNOWN {
            first = self.make(group, crossings, number, part);
        }
        let (from, to) = self.spans[first as usize + part];
        &self.jumps[from as usize..to as usize]
    }

    /// Makes that list; returns where the lists of its set of jumps begin.
    #[cold]
    fn make(&mut self, group: &Group, crossings: &Crossings, number: usize, part: usize) -> u32 {
        if self.jumps.len().max(self.spans.len()) > MOST {
            *self = Self::new(crossings);
        }
        let jumps = crossings.jumps(number);
        let spans = &mut self.spans;
        let first = *self.first_span_of.entry(jumps.clone()).or_insert_with(|| {
            let first = spans.len();
            spans.resize(first + group.men.len(), (UNKNOWN, 0));
            first as u32
        });
        self.first_span[number] = first;
        let span = first as usize + part;
        if self.spans[span].0 == UNKNOWN {
            let from = self.jumps.len();
            self.jumps.extend(group.moves(&jumps, part));
            self.jumps[from..].sort_unstable_by_key(|jump| (jump.gain, jump.change));
            self.spans[span] = (from as u32, self.jumps.len() as u32);
        }
        first
    }
}

impl Group {
    /// The abstract moves of the men of a part.
    fn moves(&self, jumps: &Jumps, part: usize) -> Vec<Jump> {
        let first = self.classes.start;
        let mut men = self.men[part].clone();
        let room = self.space.room(&men) << first;
        let mut moves = Vec::new();
        for a in (0..men.len()).filter(|&a| self.men[part][a] > 0) {
            let (mut reached, mut new) = (1u32 << (first + a), 1u32 << (first + a));
            while new != 0 {
                let to = jumps[new.trailing_zeros() as usize - first] & room & !reached;
                reached |= to;
                new = new & (new - 1) | to;
            }
            for b in (0..men.len()).filter(|&b| b != a && reached >> (first + b) & 1 != 0) {
                men[a] -= 1;
                men[b] += 1;
                let image = self.space.rank(&men) as usize;
                men[a] += 1;
                men[b] -= 1;
                let change = (image as u32).wrapping_sub(part as u32).wrapping_mul(self.stride);
                moves.push(Jump { gain: self.centroids[image] - self.centroids[part], change });
            }
        }
        moves
    }
}
