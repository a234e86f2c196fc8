//! The abstract moves of the men of one group, if men only jump. Where they can go depends on their own histogram, and
//! on where the men of other groups let them jump. Few of these sets of jumps are different. So the moves are listed
//! for each set and each histogram of the group, when they are first asked for.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::group::{GROUPS, Group, GroupRanks};
use super::{Abstraction, reached_from};

/// The most combinations of what the men of other groups allow.
const MOST_COMBINATIONS: usize = 1 << 16;

/// The most lists of a group. A list takes some 100 bytes.
const MOST_LISTS: usize = 1 << 16;

/// By class of the group: the classes to which a man jumps from there.
type Landings = Vec<u32>;

/// What an abstract move changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// What the centroid gains.
    pub(super) gain: i32,
    /// What the rank gains, modulo 2^32.
    pub(super) rank: u32,
}

/// The lists of one group, for all threads.
#[derive(Debug)]
pub(super) struct MoveLists {
    /// For each other group, by rank: the digit of what its men allow in the number of a combination, times the digit's weight. Empty
    /// where they allow nothing.
    digits: [Vec<u32>; GROUPS],
    /// By combination: its set of jumps.
    set_of: Vec<u32>,
    sets: Vec<Landings>,
    /// By set of jumps, then by rank within the group.
    lists: Vec<OnceLock<Box<[Change]>>>,
}

impl MoveLists {
    /// `None` if men of `group` can jump over each other, or if the lists may take too much memory.
    pub(super) fn new(abstraction: &Abstraction, groups: &[Group], group: &Group) -> Option<Self> {
        let (mut digits, mut combinations) = (<[Vec<u32>; GROUPS]>::default(), vec![vec![0; group.classes.len()]]);
        for (other, digits) in groups.iter().zip(&mut digits) {
            let mut allowed = Numbered::default();
            let jumps_over = |men: &Vec<u8>| -> Landings {
                let occupied = other.classes.clone().zip(men).filter(|&(_, &men)| men > 0);
                let from =
                    |from: usize| occupied.clone().fold(0, |to, (class, _)| to | abstraction.jumps_over[class][from]);
                group.classes.clone().map(from).collect()
            };
            // Nobody asks where the men of a group without men can go.
            let men = other.men.iter().filter(|_| group.space.men() > 0);
            *digits = men.map(|men| allowed.number(jumps_over(men)) * combinations.len() as u32).collect();
            if other.classes == group.classes && allowed.all.iter().flatten().any(|&to| to != 0) {
                return None;
            }
            if allowed.all.len().max(1) * combinations.len() > MOST_COMBINATIONS {
                return None;
            }
            if !allowed.all.is_empty() {
                let with = |more: &Landings| {
                    let with = |all: &Landings| all.iter().zip(more).map(|(all, more)| all | more).collect();
                    combinations.iter().map(with).collect::<Vec<Landings>>()
                };
                combinations = allowed.all.iter().flat_map(with).collect();
            }
        }
        let mut sets = Numbered::default();
        let set_of = combinations.into_iter().map(|combination| sets.number(combination)).collect();
        let count = sets.all.len() * group.men.len();
        let lists = (count <= MOST_LISTS).then(|| std::iter::repeat_with(OnceLock::new).take(count).collect())?;
        Some(Self { digits, set_of, sets: sets.all, lists })
    }

    /// The moves of the men of `group`, which has the histogram `own`, in order of gain; `ranks` are those of all groups.
    #[inline(always)]
    pub(super) fn of(&self, group: &Group, ranks: &GroupRanks, own: usize) -> &[Change] {
        let digits = self.digits.iter().zip(ranks).map(|(digits, &rank)| digits.get(rank).copied().unwrap_or(0));
        let set = self.set_of[digits.sum::<u32>() as usize] as usize;
        self.lists[set * group.men.len() + own].get_or_init(|| group.moves(&self.sets[set], own))
    }
}

/// Different sets of jumps, numbered as they come.
#[derive(Default)]
struct Numbered {
    all: Vec<Landings>,
    numbers: HashMap<Landings, u32>,
}

impl Numbered {
    fn number(&mut self, landings: Landings) -> u32 {
        let Self { all, numbers } = self;
        *numbers.entry(landings).or_insert_with_key(|landings| {
            all.push(landings.clone());
            all.len() as u32 - 1
        })
    }
}

impl Group {
    /// The abstract moves of the men of a histogram, in order of gain.
    #[cold]
    fn moves(&self, jumps: &Landings, own: usize) -> Box<[Change]> {
        let (first, before) = (self.classes.start, &self.men[own]);
        let room = self.space.room(before) << first;
        let mut moves = Vec::new();
        for a in (0..before.len()).filter(|&a| before[a] > 0) {
            let reached = reached_from(first + a, |class| jumps[class - first] & room);
            for b in (0..before.len()).filter(|&b| b != a && reached >> (first + b) & 1 != 0) {
                let mut men = before.clone();
                men[a] -= 1;
                men[b] += 1;
                let image = self.space.rank(&men) as usize;
                let rank = (image as u32).wrapping_sub(own as u32).wrapping_mul(self.stride);
                moves.push(Change { gain: self.centroids[image] - self.centroids[own], rank });
            }
        }
        moves.sort_unstable_by_key(|change| (change.gain, change.rank));
        moves.into()
    }
}
