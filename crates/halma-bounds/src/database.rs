//! The pattern databases of one problem (Culberson and Schaeffer, *Pattern databases*, 1998): distances to the target,
//! from the start, and to the middles of the leading half, by breadth-first search backward in the abstract space. Tables
//! are computed only as far as the lengths asked for need.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;

use halma_engine::search::Stopped;
use halma_engine::store::tables::TableStore;
use halma_record::job::Granularity;
use halma_rules::problem::Transfer;
use halma_rules::symmetry::Symmetries;

use super::abstraction::{Abstraction, Extent, FAR, Jumps, Table, UNREACHED};
use super::distance_table::each_where;
use super::frontier::{Frontier, WorkContext};
use super::histogram::IncrementalUnranking;
use super::partition::{Bands, Partition};

/// The middle states to which a leading half leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middles {
    /// Those that are at least half way: of every solution and its mirrored reversal, one passes through such a middle.
    Leading,
    /// Those that continue as their own mirror image: palindromic solutions pass through one.
    Palindromic,
}

/// Distances between histograms, in abstract moves. They are computed only as far as needed: a search that goes half
/// the way needs distances of half the way, which few histograms have.
#[derive(Debug)]
pub struct Databases {
    /// The histograms and their moves.
    pub abstraction: Arc<Abstraction>,
    /// D_T: distances to the target's histogram.
    pub to_target: Arc<Table>,
    /// D_S: distances from the start's histogram.
    pub from_start: Arc<Table>,
    /// The value of each cell's class.
    values: Vec<i32>,
    /// The largest of them.
    most: i32,
    /// Whether D_S is the mirror image of D_T.
    mirrored: bool,
    fronts: Mutex<BfsFronts>,
    /// A cache by [`Middles`], for each histogram that was asked for: [`KNOWN`], bit 0 if solutions of even length may
    /// have it in the middle, bit 1 for odd lengths.
    middles: [OnceLock<Vec<AtomicU8>>; 2],
    /// The cache of tables that outlast the run.
    table_store: Option<Arc<dyn TableStore>>,
    /// The beginning of the names of these tables: everything that they depend on.
    statement: String,
}

const KNOWN: u8 = 1 << 2;

/// How far D_T and D_S have been computed.
#[derive(Debug)]
struct BfsFronts {
    /// Both tables have all distances up to this one.
    reach: u32,
    /// The histograms at that distance from the target and, if there is no mirror, from the start.
    frontiers: [Frontier; 2],
    /// The distance from start to target, once the tables meet.
    between: Option<u32>,
    /// The reach of the tables in the cache; `u32::MAX` once tables contain [`FAR`], because these are not cached.
    kept_reach: u32,
}

/// Restricts D_M to the histograms that levels before the middle may ask for.
struct BeforeMiddles<'a> {
    to_target: &'a Table,
    from_start: &'a Table,
    half: u32,
    following: u32,
    leading: bool,
}

impl Extent for BeforeMiddles<'_> {
    /// A state on level i has D_S <= i, so only histograms with D_S + D_M <= N are ever asked for. The histograms on
    /// their shortest abstract paths to a middle satisfy that, too.
    fn keeps(&self, rank: u32, distance: u8) -> bool {
        self.from_start.within(rank, self.half - u32::from(distance))
    }

    /// Histograms with D_S <= N, D_T within the following levels and c >= 0 are middles themselves. If a histogram is
    /// nearer to the target than that by a move, all its neighbours are within the following levels.
    fn below(&self, rank: u32) -> Option<i32> {
        (self.leading && self.to_target.within(rank, self.following.checked_sub(1)?)).then_some(0)
    }
}

impl Databases {
    /// The databases of `problem`, still empty, over the finest bands of centroids (within each type, where only jumps
    /// are allowed) that `granularity` and `limit` histograms allow.
    #[must_use]
    pub fn new(
        problem: &Transfer,
        symmetries: &Symmetries,
        centroid: &[i32],
        granularity: &Granularity,
        limit: u64,
    ) -> Self {
        let abstraction = Self::abstraction(problem, symmetries, centroid, granularity, limit);
        let ends = [&problem.target, &problem.start].map(|cells| {
            let men: Vec<u8> = cells.iter().map(|&c| c as u8).collect();
            abstraction.rank_of(&men)
        });
        let [to_target, from_start] = ends.map(|end| {
            let table = Table::new(abstraction.space.count());
            table.set(end, 0);
            Arc::new(table)
        });
        let between = (ends[0] == ends[1]).then_some(0);
        let statement = format!("from {} to {}, {}", ends[1], ends[0], abstraction.statement());
        let class_of = &abstraction.partition.class_of;
        let values: Vec<i32> = class_of.iter().map(|&c| abstraction.partition.values[usize::from(c)]).collect();
        Self {
            most: values.iter().copied().max().unwrap_or(0),
            values,
            abstraction: Arc::new(abstraction),
            to_target,
            from_start,
            mirrored: symmetries.mirror.is_some(),
            fronts: Mutex::new(BfsFronts { reach: 0, frontiers: ends.map(Frontier::of_all), between, kept_reach: 0 }),
            middles: Default::default(),
            table_store: None,
            statement,
        }
    }

    /// The abstraction of [`Self::new`].
    #[must_use]
    pub fn abstraction(
        problem: &Transfer,
        symmetries: &Symmetries,
        centroid: &[i32],
        granularity: &Granularity,
        limit: u64,
    ) -> Abstraction {
        let mirror = symmetries.mirror.as_ref().map(|m| &m.cells[..]);
        // Only steps change a man's type (Section 2.1 of the paper): without them each type keeps its men.
        let typed = problem.jumps_only && problem.types(&problem.start) == problem.types(&problem.target);
        let group = |c: usize| if typed { problem.lattice.board.type_of(c) } else { 0 };
        let groups: Vec<usize> = (0..problem.lattice.len()).map(group).collect();
        let classes = granularity.classes.map_or(usize::MAX, usize::from);
        let abstraction = |bands: Bands| {
            let partition = Partition::new(centroid, &bands, granularity.weights.as_ref(), &groups)?;
            // The coarsest bands have one class for each group, and one histogram, so they always fit the limit.
            let coarsest = partition.groups.iter().all(|&classes| classes == 1);
            let partition = Some(partition).filter(|p| coarsest || p.classes() <= classes)?;
            Abstraction::new(&problem.lattice, problem.jumps_only, partition, mirror, &problem.start, limit.max(1))
        };
        let mut bands = std::iter::successors(Some(Bands::finest(centroid, &groups)), |bands| bands.coarser(centroid));
        bands.find_map(abstraction).unwrap_or_else(|| unreachable!("one class in each group has one histogram"))
    }

    /// The same, with a cache of tables that outlast the run; for searches in one process.
    #[must_use]
    pub fn with_table_store(mut self, table_store: Arc<dyn TableStore>) -> Self {
        let count = self.abstraction.space.count();
        if let Some(bytes) = table_store.get(&self.ends())
            && let Some((head, tables)) = bytes.split_at_checked(8)
            && tables.len() == 2 * count
        {
            let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| head[at + i]));
            let (reach, between) = (number(0), number(4));
            let frontier = |table: &[u8]| {
                let own: Vec<u32> =
                    (0u32..).zip(table).filter(|&(_, &d)| u32::from(d) == reach).map(|(r, _)| r).collect();
                Frontier { is_empty: own.is_empty(), own }
            };
            let frontiers = [&tables[..count], &tables[count..]].map(frontier);
            let between = (between != u32::MAX).then_some(between);
            let table = |bytes: &[u8], frontier: &Frontier| {
                Arc::new(Table::of_bytes(bytes, if frontier.is_empty { u32::MAX } else { reach }))
            };
            self.to_target = table(&tables[..count], &frontiers[0]);
            self.from_start = table(&tables[count..], &frontiers[1]);
            self.fronts = Mutex::new(BfsFronts { reach, frontiers, between, kept_reach: reach });
        }
        self.table_store = Some(table_store);
        self
    }

    /// The name of D_T and D_S in the cache.
    fn ends(&self) -> String {
        format!("ends {}", self.statement)
    }

    /// Puts D_T and D_S into the cache if they have grown.
    fn save_tables(&self, fronts: &mut BfsFronts) {
        let Some(table_store) = self.table_store.as_ref().filter(|_| fronts.reach > fronts.kept_reach) else { return };
        let numbers = [fronts.reach, fronts.between.unwrap_or(u32::MAX)].map(u32::to_le_bytes).concat();
        table_store.put(&self.ends(), &[numbers, self.to_target.bytes(), self.from_start.bytes()].concat());
        fronts.kept_reach = fronts.reach;
    }

    /// The abstract distance from start to target, a lower bound of every solution's length; `None` if the target
    /// cannot be reached even in the abstraction.
    ///
    /// # Errors
    /// Where one of the processes has to stop.
    pub fn lower_bound(&self, context: WorkContext) -> Result<Option<u32>, Stopped> {
        let mut fronts = self.fronts();
        while fronts.between.is_none() && fronts.reach < u32::from(FAR) && !fronts.frontiers[0].is_empty {
            self.advance(&mut fronts, context)?;
        }
        self.save_tables(&mut fronts);
        // Distances from FAR on are not distinguished: FAR is still a lower bound.
        Ok(fronts.between.or((!fronts.frontiers[0].is_empty).then_some(u32::from(FAR))))
    }

    /// Computes all distances of at most `moves` in both tables.
    ///
    /// # Errors
    /// Where one of the processes has to stop.
    pub fn extend(&self, moves: u32, context: WorkContext) -> Result<(), Stopped> {
        let mut fronts = self.fronts();
        while fronts.reach < moves.min(u32::from(FAR)) && fronts.frontiers.iter().any(|f| !f.is_empty) {
            self.advance(&mut fronts, context)?;
        }
        self.save_tables(&mut fronts);
        if moves > u32::from(FAR) {
            fronts.kept_reach = u32::MAX;
            // A table is complete, or the distances that it lacks are at least FAR.
            for (table, frontier) in [&self.to_target, &self.from_start].into_iter().zip(&fronts.frontiers) {
                if !frontier.is_empty {
                    table.fill_far();
                }
            }
        }
        Ok(())
    }

    /// Whether some reachable histogram may be the middle of a palindrome, of any length. Needs a mirror.
    ///
    /// # Errors
    /// Where one of the processes has to stop.
    pub fn reflects_somewhere(&self, context: WorkContext) -> Result<bool, Stopped> {
        let mut fronts = self.fronts();
        let count = self.abstraction.space.count();
        let mut seen = None;
        loop {
            // Those reached since the last iteration.
            let new = |rank: u32| match (self.to_target.get(rank), seen) {
                (UNREACHED, _) => false,
                (distance, Some(seen)) => u32::from(distance) > seen,
                (_, None) => true,
            };
            let here = context.parts(count).any(|ranks| {
                let mut kind = self.kind(Middles::Palindromic);
                ranks.into_iter().any(|rank| new(rank) && kind(rank) != 0)
            });
            if context.exchange.any(here)? {
                return Ok(true);
            }
            if fronts.frontiers[0].is_empty || fronts.reach >= u32::from(FAR) {
                // If the tables end at FAR, a middle may lie beyond.
                return Ok(!fronts.frontiers[0].is_empty);
            }
            seen = Some(fronts.reach);
            self.advance(&mut fronts, context)?;
        }
    }

    fn fronts(&self) -> MutexGuard<'_, BfsFronts> {
        self.fronts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more distance in both tables.
    fn advance(&self, fronts: &mut BfsFronts, context: WorkContext) -> Result<(), Stopped> {
        let d = (fronts.reach + 1) as u8;
        let Abstraction { space, .. } = &*self.abstraction;
        let next = self.abstraction.advance(&self.to_target, &fronts.frontiers[0], d, &(), context)?;
        fronts.frontiers[1] = if self.mirrored {
            let shared = context.exchange.is_shared();
            let image = |ranks: &[u32]| -> Vec<u32> {
                let mut unranking = IncrementalUnranking::new(space);
                let image = |&rank: &u32| {
                    let image = self.abstraction.mirror_rank(unranking.to(space, rank));
                    self.from_start.set(image, d);
                    image
                };
                // Only other processes have to be told: the next images come from the frontier of the target.
                let images = ranks.iter().map(image);
                if shared {
                    images.collect()
                } else {
                    images.for_each(drop);
                    Vec::new()
                }
            };
            let images = next.own_parts().map(image).collect::<Vec<_>>().concat();
            let joined = context.join(Ok(images), space.count(), |rank| self.from_start.claim(rank, d))?;
            Frontier { is_empty: next.is_empty, ..joined }
        } else {
            self.abstraction.advance(&self.from_start, &fronts.frontiers[1], d, &(), context)?
        };
        fronts.frontiers[0] = next;
        fronts.reach = u32::from(d);
        for (table, frontier) in [&self.to_target, &self.from_start].into_iter().zip(&fronts.frontiers) {
            table.completed_to(if frontier.is_empty { u32::MAX } else { fronts.reach });
        }
        // On a shortest path of 2d - 1 or 2d moves some histogram is d moves from the end, and d - 1 or d from the
        // beginning.
        if fronts.between.is_none() {
            let from_start = fronts.frontiers[0].own.par_iter().map(|&rank| self.from_start.get(rank));
            let nearest = from_start.filter(|&from_start| from_start != UNREACHED).min();
            let nearest = context.exchange.all_gather(nearest)?.into_iter().flatten().min();
            fronts.between = nearest.map(|from_start| u32::from(d) + u32::from(from_start));
        }
        Ok(())
    }

    /// D_M: the distances to the middles of solutions of `length` moves, on level `length / 2`. Entries are given only
    /// for histograms that a walk from the start can reach in time. Needs a mirror.
    ///
    /// Even lengths, 2N: the middle A_N has centroid c >= 0, or the mirrored reversal's has -c > 0. Odd lengths, 2N + 1:
    /// c(A_N) + c(A_(N+1)) >= 0 for the solution or for its mirrored reversal, where A_(N+1) is one move from A_N.
    ///
    /// # Errors
    /// Where one of the processes has to stop.
    pub fn to_middles(&self, length: u32, middles: Middles, context: WorkContext) -> Result<Table, Stopped> {
        let half = length / 2;
        let following = length - half;
        self.extend(following, context)?;
        let count = self.abstraction.space.count();
        let name = format!("to middles {middles:?} {length} {}", self.statement);
        if let Some(bytes) =
            self.table_store.as_ref().and_then(|table_store| table_store.get(&name)).filter(|b| b.len() == count)
        {
            return Ok(Table::of_bytes(&bytes, half));
        }
        let known = self.middles[middles as usize].get_or_init(|| {
            let mut known = Vec::new();
            known.resize_with(count, AtomicU8::default);
            known
        });
        let sources: Vec<Vec<u32>> = context
            .parts(count)
            .map(|ranks| {
                let mut kind = self.kind(middles);
                let admissible = |&at: &u32| {
                    let flags = &known[at as usize];
                    if flags.load(Ordering::Relaxed) == 0 {
                        flags.store(kind(at) | KNOWN, Ordering::Relaxed);
                    }
                    flags.load(Ordering::Relaxed) >> (length % 2) & 1 != 0
                };
                each_where(ranks, |ranks| self.mask_near(ranks, length)).filter(admissible).collect()
            })
            .collect();
        let leading = middles == Middles::Leading;
        let extent =
            BeforeMiddles { to_target: &self.to_target, from_start: &self.from_start, half, following, leading };
        let table = self.abstraction.distances(&[sources.concat()], half, &extent, context)?;
        if let Some(table_store) = &self.table_store {
            table_store.put(&name, &table.bytes());
        }
        Ok(table)
    }

    /// Whether the histogram may be the middle, in the leading half, of a solution of `length` moves. The tables must
    /// reach as far as half of it.
    #[must_use]
    pub fn is_middle(&self, histogram: &[u8], length: u32, jumps: &mut Jumps) -> bool {
        let rank = self.abstraction.space.rank(histogram);
        if !self.is_near(rank, length) {
            return false;
        }
        // D_M may have asked the same.
        let known = self.middles[Middles::Leading as usize]
            .get()
            .map_or(0, |known| known[rank as usize].load(Ordering::Relaxed));
        match known & KNOWN {
            0 => self.leads(histogram, !length.is_multiple_of(2), jumps),
            _ => known >> (length % 2) & 1 != 0,
        }
    }

    /// Whether the histogram is near enough to the start for the first half of `length` moves, and to the target for
    /// the second.
    fn is_near(&self, rank: u32, length: u32) -> bool {
        let half = length / 2;
        self.to_target.within(rank, length - half) && self.from_start.within(rank, half)
    }

    /// Those of `ranks` that [`Self::is_near`] holds for, as [`each_where`] asks for them.
    fn mask_near(&self, ranks: Range<u32>, length: u32) -> u64 {
        let half = length / 2;
        let to_target = self.to_target.mask_within(ranks.clone(), length - half);
        if to_target == 0 { 0 } else { to_target & self.from_start.mask_within(ranks, half) }
    }

    /// Computes whether a histogram may be a middle, whatever the length is otherwise: bit 0 for even lengths, bit 1
    /// for odd ones.
    fn kind(&self, middles: Middles) -> impl FnMut(u32) -> u8 {
        let space = &self.abstraction.space;
        let (mut unranking, mut jumps) = (IncrementalUnranking::new(space), Jumps::default());
        move |at| {
            let histogram = unranking.to(space, at);
            let mut admissible = |odd| match middles {
                Middles::Leading => self.leads(histogram, odd, &mut jumps),
                Middles::Palindromic => self.reflects(histogram, odd),
            };
            u8::from(admissible(false)) | u8::from(admissible(true)) << 1
        }
    }

    /// Whether a solution with such a middle leads, that is, is at least half way there.
    fn leads(&self, histogram: &[u8], odd: bool, jumps: &mut Jumps) -> bool {
        let c = self.abstraction.centroid(histogram);
        if c >= 0 || !odd {
            return c >= 0;
        }
        let (abstraction, values) = (&*self.abstraction, &self.abstraction.partition.values);
        let (room, needed) = (abstraction.space.room(histogram), -2 * c);
        let mut known_jumps = false;
        // Few men have a class with room so far ahead of their own.
        (0..histogram.len()).filter(|&a| histogram[a] > 0).any(|a| {
            let ahead = abstraction.group_from(a, values[a] + needed) & room;
            if ahead == 0 {
                return false;
            }
            if !known_jumps {
                abstraction.jumps(histogram, jumps);
                known_jumps = true;
            }
            abstraction.targets(histogram, jumps, a) & ahead != 0
        })
    }

    /// Whether an army can be a middle that leads, judged by the values of its men alone: no army that is one is refused.
    #[inline]
    pub(crate) fn may_lead(&self, men: &[u8], odd: bool) -> bool {
        let value = |&cell: &u8| self.values[usize::from(cell)];
        let c: i32 = men.iter().map(value).sum();
        c >= 0 || odd && men.iter().map(value).min().is_some_and(|last| 2 * c + self.most - last >= 0)
    }

    /// Whether the histogram is its own mirror image; for odd lengths, up to the man who moves in the middle.
    fn reflects(&self, histogram: &[u8], odd: bool) -> bool {
        let image = self.abstraction.mirror_image(histogram);
        let differences: u32 = histogram.iter().zip(image).map(|(&a, b)| u32::from(a.abs_diff(b))).sum();
        differences <= if odd { 2 } else { 0 }
    }
}
