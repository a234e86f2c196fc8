//! Derives the levels of a certificate from the problem: breadth-first search in memory, bounded by pattern databases.
//!
//! There are three families of levels, all closed in the same way. F, from the start: states that can reach, by level
//! N, a middle that leads. E, from the middles on all these levels: states that can reach the target in the moves that
//! remain. G, from the target: states that can reach the last level of E. Without a mirror there is no leading half,
//! and E begins at the start.

use rayon::prelude::*;

use halma_bounds::abstraction::{Extent, Jumps, Table};
use halma_bounds::database::{Databases, MOST_HISTOGRAMS, Middles};
use halma_bounds::frontier::WorkContext;
use halma_bounds::histogram::NeighbourRanks;
use halma_engine::parallel;
use halma_engine::search::exchange::Alone;
use halma_engine::search::{CancellationToken, Stopped};
use halma_puzzles::rank::Ranks;
use halma_record::job::Granularity;
use halma_record::words::counted;
use halma_rules::cells::Cells;
use halma_rules::moves::{ComponentScratch, Mover};
use halma_rules::problem::{self, Transfer};
use halma_rules::symmetry::Symmetries;

use super::{Certificate, CertifyError, Levels, Resources};

type Set = Cells<2>;

/// States whose successors are sorted together, so that duplicates do not accumulate.
const PIECE: usize = 1 << 12;

/// States that are expanded before their successors are collected.
const BATCH: usize = PIECE << 8;

/// Keys that are collected before they are sorted.
const ROOM: usize = 1 << 24;

/// A level under construction. It is sorted whenever the number of new keys exceeds the number of distinct ones, and
/// `room`. So it is never longer than twice the level plus `room`.
struct Collected {
    keys: Vec<u64>,
    /// The length of the sorted prefix.
    ascending: usize,
    room: usize,
}

impl Collected {
    fn new(room: usize) -> Self {
        Self { keys: Vec::new(), ascending: 0, room }
    }

    fn add(&mut self, keys: &[u64]) {
        self.keys.extend_from_slice(keys);
        if self.keys.len() - self.ascending > self.ascending.max(self.room) {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.keys.par_sort_unstable();
        self.keys.dedup();
        self.ascending = self.keys.len();
    }

    fn finish(mut self) -> Vec<u64> {
        self.sort();
        self.keys.shrink_to_fit();
        self.keys
    }
}

/// Makes levels in memory.
struct LevelMaker<'a> {
    mover: Mover<2>,
    ranks: Ranks<u64>,
    symmetries: &'a Symmetries,
    databases: &'a Databases,
    /// The length to refute.
    length: u32,
    /// Half of it, where there is a leading half; else 0.
    half: u32,
    cancel: &'a CancellationToken,
    /// The injected fault.
    #[cfg(any(test, feature = "testing"))]
    fault: Option<crate::fault::Fault>,
}

/// Restricts the levels from the target to states that can meet E.
struct Behind<'a> {
    to_target: &'a Table,
    limit: u32,
}

impl Extent for Behind<'_> {
    fn keeps(&self, rank: u32, distance: u8) -> bool {
        self.to_target.within(rank, self.limit - u32::from(distance))
    }
}

impl LevelMaker<'_> {
    fn canonical(&self, army: Set) -> u64 {
        let images = self.symmetries.fixing.iter().map(|k| self.ranks.rank(k.apply(army)));
        images.min().unwrap_or_else(|| self.ranks.rank(army))
    }

    fn men(&self, key: u64) -> Vec<u8> {
        let mut men = vec![0; self.ranks.men()];
        self.ranks.unrank(key, &mut men);
        men
    }

    /// Applies the injected fault to a level.
    #[cfg(any(test, feature = "testing"))]
    fn damage(&self, level: &mut Vec<u64>) {
        use crate::fault::Fault;
        match self.fault {
            Some(Fault::DropOneIn(n)) => level.retain(|key| key % n != 0),
            Some(Fault::LoseShard) => level.truncate(level.len() / 2),
            _ => {}
        }
    }

    /// The successors of `last` whose histograms `admits` accepts, without those on `last` and on `before`.
    fn grow(&self, before: &[u64], last: &[u64], admits: impl Fn(u32) -> bool + Sync) -> Result<Vec<u64>, Stopped> {
        let piece = |(): &mut (), keys: &[u64]| -> Result<Vec<u64>, Stopped> {
            self.cancel.check()?;
            let mut next = Vec::new();
            keys.iter().for_each(|&key| self.successors(key, &admits, &mut next));
            next.sort_unstable();
            next.dedup();
            next.retain(|key| last.binary_search(key).is_err() && before.binary_search(key).is_err());
            Ok(next)
        };
        let mut collected = Collected::new(ROOM);
        for batch in last.chunks(BATCH) {
            let pieces = parallel::map_chunks(batch, PIECE, || (), piece)?;
            pieces.iter().for_each(|keys| collected.add(keys));
        }
        #[cfg_attr(not(any(test, feature = "testing")), expect(unused_mut))]
        let mut next = collected.finish();
        #[cfg(any(test, feature = "testing"))]
        self.damage(&mut next);
        Ok(next)
    }

    fn successors(&self, key: u64, admits: &impl Fn(u32) -> bool, next: &mut Vec<u64>) {
        let abstraction = &self.databases.abstraction;
        let space = &abstraction.space;
        let men = self.men(key);
        let army: Set = men.iter().map(|&c| usize::from(c)).collect();
        let (mut scratch, mut reach) = (ComponentScratch::default(), vec![Set::EMPTY; men.len()]);
        self.mover.reach(&men, army, &mut scratch, &mut reach);
        let mut histogram = vec![0; space.classes()];
        abstraction.histogram(&men, &mut histogram);
        let mut around = NeighbourRanks::new(space);
        around.enter(space, &histogram);
        let class = |cell: usize| usize::from(abstraction.partition.class_of[cell]);
        for (&man, reach) in men.iter().zip(&reach) {
            let from = usize::from(man);
            reach.for_each(|to| {
                if admits(around.moved(class(from), class(to))) {
                    next.push(self.canonical(army.without(from).with(to)));
                }
            });
        }
    }

    /// Levels 0 to `last`. Level 0 is `sources`; `admits` is the bound of each level. Ends early after an empty level,
    /// or one for which `enough` holds.
    fn levels(
        &self,
        sources: Vec<u64>,
        last: u32,
        admits: impl Fn(u32, u32) -> bool + Sync,
        enough: impl Fn(&Levels) -> bool,
    ) -> Result<Levels, Stopped> {
        #[cfg(any(test, feature = "testing"))]
        let last = match self.fault {
            Some(crate::fault::Fault::StopEarly) => last.saturating_sub(1),
            Some(crate::fault::Fault::NoneWhenStopped) => last / 2,
            _ => last,
        };
        let mut levels = vec![sources];
        while levels.len() <= last as usize && levels.last().is_some_and(|l| !l.is_empty()) && !enough(&levels) {
            let depth = levels.len() as u32;
            let before = depth.checked_sub(2).map_or(&[][..], |d| &levels[d as usize][..]);
            #[cfg(any(test, feature = "testing"))]
            let admits = |depth: u32, rank: u32| {
                let early = u32::from(self.fault == Some(crate::fault::Fault::BoundOffByOne));
                depth + early <= last && admits(depth + early, rank)
            };
            let next = self.grow(before, &levels[depth as usize - 1], |rank| admits(depth, rank))?;
            levels.push(next);
        }
        Ok(levels)
    }

    fn context(&self) -> WorkContext<'_> {
        WorkContext { exchange: &Alone, cancel: self.cancel }
    }

    /// The moves from the middles to the target.
    fn following(&self) -> u32 {
        self.length - self.half
    }

    /// F, and the middles that lead on all its levels; without a leading half, no levels, and the start.
    fn leading_levels(&self, start: u64) -> Result<(Levels, Vec<u64>), Stopped> {
        if self.symmetries.mirror.is_none() {
            return Ok((Vec::new(), vec![start]));
        }
        let (databases, half) = (self.databases, self.half);
        let to_middles = databases.to_middles(self.length, Middles::Leading, self.context())?;
        let first = self.levels(vec![start], half, |i, rank| to_middles.within(rank, half - i), |_| false)?;
        let is_middle = |&key: &u64| {
            let mut histogram = vec![0; databases.abstraction.space.classes()];
            databases.abstraction.histogram(&self.men(key), &mut histogram);
            databases.is_middle(&histogram, self.length, &mut Jumps::default())
        };
        let mut middles: Vec<u64> = first.par_iter().flatten().copied().filter(is_middle).collect();
        middles.par_sort_unstable();
        Ok((first, middles))
    }

    /// E, and whether its last level, which is larger than `large`, is to be met from the target.
    fn following_levels(&self, middles: Vec<u64>, large: usize) -> Result<(Levels, bool), Stopped> {
        let (to_target, following) = (&self.databases.to_target, self.following());
        let outgrown = |levels: &Levels| {
            let [.., before, last] = &levels[..] else { return false };
            last.len() > large && last.len() > 2 * before.len()
        };
        let ahead = self.levels(middles, following, |i, rank| to_target.within(rank, following - i), outgrown)?;
        let open = outgrown(&ahead) && ahead.len() <= following as usize;
        Ok((ahead, open))
    }

    /// G: the levels from the target, of at most `limit` moves, to states of `ahead`.
    fn levels_behind(&self, target: u64, ahead: &Levels, limit: u32) -> Result<Levels, Stopped> {
        let (abstraction, to_target) = (&self.databases.abstraction, &self.databases.to_target);
        let images = |&key: &u64| {
            let men = self.men(key);
            let near = to_target.within(abstraction.rank_of(&men), limit);
            let fixing = self.symmetries.fixing.iter();
            let images = fixing.map(move |k| men.iter().map(|&c| k.cells[usize::from(c)]).collect());
            images.filter(move |_| near).map(|men: Vec<u8>| abstraction.rank_of(&men)).collect::<Vec<_>>()
        };
        let mut sources: Vec<u32> = ahead.par_iter().flatten().flat_map_iter(images).collect();
        sources.par_sort_unstable();
        sources.dedup();
        let table = abstraction.distances(&[sources], limit, &Behind { to_target, limit }, self.context())?;
        self.levels(vec![target], limit, |i, rank| table.within(rank, limit - i), |_| false)
    }

    /// Whether a state from the target is on a level of `ahead`: then there is a solution.
    fn meets(&self, ahead: &Levels, behind: &Levels) -> bool {
        #[cfg(any(test, feature = "testing"))]
        if self.fault == Some(crate::fault::Fault::Unmirrored) {
            return false;
        }
        behind.iter().flatten().any(|key| ahead.iter().any(|level| level.binary_search(key).is_ok()))
    }
}

/// Makes the certificate.
pub(super) fn derive(
    problem: Transfer,
    symmetries: Symmetries,
    centroid: &[i32],
    ranks: Ranks<u64>,
    length: u32,
    granularity: &Granularity,
    Resources { large, cancel, tell }: Resources,
) -> Result<Certificate, CertifyError> {
    #[cfg(any(test, feature = "testing"))]
    let fault = crate::fault::current();
    #[cfg(any(test, feature = "testing"))]
    let symmetries = crate::fault::symmetries(fault, symmetries);
    let leading = symmetries.mirror.is_some();
    let databases = Databases::new(&problem, &symmetries, centroid, granularity, MOST_HISTOGRAMS);
    let maker = LevelMaker {
        mover: Mover::new(&problem.lattice, problem.jumps_only),
        ranks,
        symmetries: &symmetries,
        databases: &databases,
        length,
        half: if leading { length / 2 } else { 0 },
        cancel,
        #[cfg(any(test, feature = "testing"))]
        fault,
    };
    databases.extend(maker.following(), maker.context())?;
    let [start, target] = [&problem.start, &problem.target].map(|cells| maker.canonical(problem::set(cells)));
    let all = |levels: &Levels| counted(levels.iter().map(Vec::len).sum(), "state");

    let (first, middles) = maker.leading_levels(start)?;
    tell(&format!("{} to the middle, {}", all(&first), counted(middles.len(), "middle")));

    let (ahead, open) = maker.following_levels(middles, large)?;
    let meeting = if open { maker.half + ahead.len() as u32 - 1 } else { length };
    tell(&format!("{} from there on, up to level {meeting}", all(&ahead)));

    let mut behind = vec![vec![target]];
    if open {
        behind = maker.levels_behind(target, &ahead, length - meeting)?;
        tell(&format!("{} from the target", all(&behind)));
    }
    if maker.meets(&ahead, &behind) {
        return Err(CertifyError::Wrong(format!("there is a solution of {length} moves or fewer")));
    }
    let partition = databases.abstraction.partition.clone();
    let families = [first, ahead, behind];
    Ok(Certificate { problem, symmetries, partition, length, leading, meeting, behind_is_bounded: open, families })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Collected;

    proptest! {
        #[test]
        fn a_level_collected_in_pieces_has_each_state_once_and_is_never_far_longer_than_that(
            pieces in prop::collection::vec(prop::collection::vec(0u64..60, 0..20), 0..40), room in 0usize..30,
        ) {
            let (mut collected, mut all) = (Collected::new(room), BTreeSet::new());
            for piece in &pieces {
                all.extend(piece.iter().copied());
                collected.add(piece);
                prop_assert!(collected.keys.len() <= all.len() + all.len().max(room));
            }
            prop_assert_eq!(collected.finish(), Vec::from_iter(all));
        }
    }
}
