//! What all techniques for transfers read and none changes: the problem, its tables, and the engine.

use std::sync::{Arc, OnceLock};

use halma_bounds::database::Databases;
use halma_bounds::frontier::WorkContext;
use halma_bounds::relaxed::LookAheadTables;
use halma_bounds::theorem1::Theorem1;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::tables::TableStore;
use halma_puzzles::transfer::{ProblemTables, TransferPuzzle};
use halma_record::record::PartitionRecord;
use halma_rules::cells::Cells;
use halma_rules::job::{LookAhead, Pruning};
use halma_rules::problem::{self, Transfer};
use halma_rules::symmetry::Symmetries;

use crate::solve::Engine;
use crate::solve::length_labels::stem_of_length;

/// Distances of so many histograms take seconds or more, in which no level is made: progress says so.
const MANY_HISTOGRAMS: usize = 1 << 25;

/// Whether levels for so many moves differ from those of earlier programs. Until November 2026 the class look-ahead pruned too much
/// where 256 moves or more were left, which happens from length 512 on: a half has 256 moves.
pub(crate) fn has_changed(pruning: &Pruning, length: u32) -> bool {
    length >= 512 && matches!(pruning.look_ahead(), Some(LookAhead::ClassByClass(_)))
}

/// The problem of the search.
pub(super) struct TransferProblem<'a> {
    pub(super) transfer: &'a Transfer,
    /// K (the identity alone if symmetry is not used) and ρ.
    pub(super) symmetries: Symmetries,
    /// The centroid of each cell.
    pub(super) centroid: Vec<i32>,
    pub(super) pruning: Pruning,
    /// Whether only palindromic solutions are sought.
    pub(super) palindromic: bool,
}

impl TransferProblem<'_> {
    pub(super) fn has_mirror(&self) -> bool {
        self.symmetries.mirror.is_some()
    }

    /// The permutation ρ. Call it only if there is a mirror.
    pub(super) fn mirror(&self) -> &[u8] {
        self.symmetries
            .mirror
            .as_ref()
            .map(|mirror| &mirror.cells[..])
            .unwrap_or_else(|| unreachable!("there is no mirror"))
    }

    /// The army's mirror image. Without a mirror, the army itself, which is what a search from the target meets.
    pub(super) fn reflected<const W: usize>(&self, army: Cells<W>) -> Cells<W> {
        self.symmetries.mirror.as_ref().map_or(army, |mirror| mirror.apply(army))
    }

    /// The army at the start.
    pub(super) fn start<const W: usize>(&self) -> Cells<W> {
        problem::set(&self.transfer.start)
    }

    /// The last level of a search for solutions of `length` moves, if the mirror gives the other half.
    pub(super) fn last_level(&self, length: u32) -> u32 {
        if self.palindromic { length / 2 } else { length.div_ceil(2) }
    }

    /// Whether the technique is that of leading halves.
    pub(super) fn leads(&self) -> bool {
        matches!(self.pruning, Pruning::Leading { .. }) && self.has_mirror()
    }

    /// Whether one search can decide several lengths.
    pub(super) fn decides_several(&self) -> bool {
        self.leads() && !self.palindromic
    }
}

/// The tables of the problem, computed once for all lengths.
pub(super) struct TransferTables<const W: usize, K: Key> {
    /// Ranks of states, and moves.
    pub(super) states: Arc<ProblemTables<W, K>>,
    /// The tables of the look-ahead; `None` if the board is too large for it.
    pub(super) look_ahead_tables: Option<LookAheadTables>,
    /// Pattern databases, made when they are first needed.
    pub(super) databases: OnceLock<Arc<Databases>>,
    /// The most histograms of one of them: a byte each.
    pub(super) histograms: u64,
    /// The cache of tables that outlast the run.
    pub(super) store: Option<Arc<dyn TableStore>>,
}

/// The problem, its tables, the engine.
pub(super) struct Setup<'a, const W: usize, K: Key> {
    pub(super) problem: TransferProblem<'a>,
    pub(super) tables: TransferTables<W, K>,
    pub(super) engine: Engine<'a>,
    /// Levels with at least so many states are large, which starts probes and trailing levels. Answers do not depend on
    /// it.
    pub(super) large: u64,
}

impl<const W: usize, K: Key> Setup<'_, W, K> {
    /// The beginning of the labels of levels for `length` moves.
    pub(super) fn stem(&self, length: u32) -> String {
        let stem = stem_of_length(length);
        if has_changed(&self.problem.pruning, length) { format!("{stem}-far") } else { stem }
    }

    /// The transfer from the start under `bounds`.
    pub(super) fn puzzle(&self, bounds: Vec<Arc<dyn halma_bounds::Bound<W>>>) -> TransferPuzzle<W, K> {
        TransferPuzzle::new(&self.tables.states, &self.problem.transfer.start, bounds)
    }

    /// The processes that compute pattern databases together.
    pub(super) fn work_context(&self) -> WorkContext<'_> {
        WorkContext { exchange: self.engine.expander.exchange(), cancel: self.engine.cancel }
    }

    /// The pattern databases; made when they are first needed.
    pub(super) fn databases(&self) -> &Arc<Databases> {
        let TransferTables { databases, histograms, store, .. } = &self.tables;
        let TransferProblem { transfer, symmetries, centroid, pruning, .. } = &self.problem;
        databases.get_or_init(|| {
            let mut databases = Databases::new(transfer, symmetries, centroid, &pruning.granularity(), *histograms);
            if let Some(store) = store {
                databases = databases.with_table_store(Arc::clone(store));
            }
            let space = &databases.abstraction.space;
            let (classes, histograms) = (space.classes(), space.count());
            self.engine.progress.note(&format!("pattern database: {classes} classes, {histograms} histograms"));
            Arc::new(databases)
        })
    }

    /// The classes of the pattern databases, if these have been made.
    pub(super) fn partition(&self) -> Option<PartitionRecord> {
        let partition = &self.tables.databases.get()?.abstraction.partition;
        Some(PartitionRecord { class_of: partition.class_of.clone(), values: partition.values.clone() })
    }

    /// Extends the pattern databases as far as searches for `length` moves need them.
    pub(super) fn extend_databases(&self, length: u32) -> Result<(), Stopped> {
        let reach = match (&self.problem.pruning, self.problem.has_mirror()) {
            (Pruning::Leading { .. }, true) => length.div_ceil(2),
            (Pruning::Leading { .. } | Pruning::Pattern { .. } | Pruning::Narrowed { .. }, _) => length,
            (Pruning::None | Pruning::Theorem1 | Pruning::Mcc { .. } | Pruning::Truncate { .. }, _) => return Ok(()),
            (Pruning::Game(_) | Pruning::Beam { .. } | Pruning::Projection(_) | Pruning::Bound, _) => return Ok(()),
        };
        if self.databases().abstraction.space.count() >= MANY_HISTOGRAMS {
            self.engine.progress.note(&format!("pattern database: distances for {length} moves"));
        }
        self.engine.expander.install(|| self.databases().extend(reach, self.work_context()))
    }

    /// A lower bound of every solution's length, from the bounds that the pruning uses; `None` if they show that there
    /// is no solution at all.
    pub(super) fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
        let TransferProblem { transfer, pruning, palindromic, .. } = &self.problem;
        if transfer.start == transfer.target {
            return Ok(Some(0));
        }
        if transfer.closed().is_some() {
            return Ok(None);
        }
        let least = Theorem1::<W>::lower_bound(transfer).max(1);
        if !matches!(pruning, Pruning::Pattern { .. } | Pruning::Leading { .. } | Pruning::Narrowed { .. }) {
            return Ok(Some(least));
        }
        let expander = self.engine.expander;
        let bound = expander.install(|| self.databases().lower_bound(self.work_context()))?;
        // A palindrome has a middle that is its own mirror image, or one move away from it.
        let possible = !palindromic
            || bound.is_none()
            || expander.install(|| self.databases().reflects_somewhere(self.work_context()))?;
        Ok(bound.filter(|_| possible).map(|length| length.max(least)))
    }
}
