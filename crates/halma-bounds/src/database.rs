//! The pattern databases of one problem (Culberson and Schaeffer, *Pattern databases*, 1998): distances to the target,
//! from the start, and to the middles of the leading half, by breadth-first search backward in the abstract space. Tables
//! are computed only as far as the lengths asked for need.

mod middles;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;

use halma_engine::search::Stopped;
use halma_engine::store::tables::TableStore;
use halma_record::job::Granularity;
use halma_rules::problem::Transfer;
use halma_rules::symmetry::Symmetries;

pub use self::middles::Middles;
use self::middles::Verdicts;
use super::abstraction::{Abstraction, FAR, Table, UNREACHED};
use super::frontier::{Frontier, WorkContext};
use super::partition::{Bands, Partition};

/// The most histograms of one database: a byte each. It does not depend on the memory budget, because levels depend on which
/// histograms are distinguished.
pub const MOST_HISTOGRAMS: u64 = 1 << 29;

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
    /// A cache by [`Middles`], with a place for each histogram.
    middles: [OnceLock<Vec<Verdicts>>; 2],
    /// The cache of tables that outlast the run.
    table_store: Option<Arc<dyn TableStore>>,
    /// The beginning of the names of these tables: everything that they depend on.
    statement: String,
}

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
        let values = abstraction.partition.values_of_cells();
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
            let table =
                |bytes: &[u8], frontier: &Frontier| Arc::new(Table::of_bytes(bytes, frontier.complete_to(reach)));
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
        let tables = [&self.to_target, &self.from_start];
        let mut bytes = Vec::with_capacity(8 + 2 * self.abstraction.space.count());
        bytes.extend([fronts.reach, fronts.between.unwrap_or(u32::MAX)].map(u32::to_le_bytes).as_flattened());
        tables.into_iter().for_each(|table| bytes.extend(table.each()));
        table_store.put(&self.ends(), &bytes);
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
                // Only other processes have to be told: the next images come from the frontier of the target.
                let mut images = Vec::new();
                self.abstraction.each_mirror_rank(ranks, |image| {
                    self.from_start.set(image, d);
                    if shared {
                        images.push(image);
                    }
                });
                images
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
            table.completed_to(frontier.complete_to(fronts.reach));
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
}
