//! The run of a transfer: chooses the width of sets and keys, searches, and completes the record.

use std::sync::Arc;

use halma_bounds::database::MOST_HISTOGRAMS;
use halma_engine::key::Key;
use halma_engine::store::disk_tables::DiskTables;
use halma_engine::store::tables::TableStore;
use halma_record::record::{self, Count, Counts, Record, SymmetryRecord, Verdict};
use halma_rules::cells::Cells;
use halma_rules::job::Search;
use halma_rules::notation;
use halma_rules::problem::Transfer;

use super::{Context, Question, RunError};
use crate::solve::transfer_search::count::Solutions;
use crate::solve::transfer_search::{TransferOptions, TransferSearch};

/// The version of the program that made a pattern database; tables of another version are not used.
fn tables_of() -> String {
    record::source().map_or_else(|| format!("{} library", record::PROGRAM), Into::into)
}

/// How a transfer is searched, as a job states it.
pub(super) fn options(search: &Search) -> TransferOptions {
    let Search { palindromic, symmetry, .. } = *search;
    TransferOptions { pruning: search.pruning.clone(), palindromic, symmetry, histograms: MOST_HISTOGRAMS }
}

impl Context<'_> {
    /// The record of a transfer; `None` if its states do not fit any key.
    pub(super) fn transfer(self, problem: &Transfer) -> Result<Option<Record>, RunError> {
        // The narrowest sets and keys that hold the states. Every pair of widths compiles the search once more.
        if problem.lattice.len() > Cells::<2>::CAPACITY {
            return self.search::<4, u128>(problem);
        }
        match self.search::<2, u64>(problem)? {
            None => self.search::<2, u128>(problem),
            answered => Ok(answered),
        }
    }

    /// The record; `None` if the states do not fit.
    fn search<const W: usize, K: Key>(self, problem: &Transfer) -> Result<Option<Record>, RunError> {
        let search = TransferSearch::<W, K>::new(problem, options(&self.job.search), self.engine());
        let Some(mut search) = search else { return Ok(None) };
        let cache = self.job.output.cache.as_ref().filter(|_| !self.expander.exchange().is_shared());
        let cache = cache.map(|folder| DiskTables::open(folder, &tables_of())).transpose()?.map(Arc::new);
        search = search.with_table_store(cache.clone().map(|cache| cache as Arc<dyn TableStore>));
        let mut record = self.blank(SymmetryRecord::from(search.symmetries()));
        record.centroid = Some(search.centroid().to_vec());
        if !self.take_over::<K>(&mut record)? {
            return Ok(Some(record));
        }
        match self.question {
            Question::Levels { depth } => {
                let (figures, result) = search.levels(depth);
                self.levels_to(depth, &figures, result, &mut record)?;
            }
            Question::Solve | Question::Count | Question::Prove { .. } => {
                let moves = |walk: &[Cells<W>]| {
                    notation::write_walk(&problem.lattice, problem.jumps_only, walk)
                        .map_err(|number| RunError::NoMove { number })
                };
                self.lengths(&mut search, moves, &mut record)?;
                if record.verdict == Verdict::None && record.lower_bound.is_none() {
                    let closed = problem.closed();
                    record.impossible = closed.map(|c| c.record(&problem.lattice.board));
                }
                self.count(|length| search.count(length), &mut record)?;
            }
        }
        if let Some(fault) = cache.and_then(|cache| cache.first_error()) {
            self.progress.note(&fault);
        }
        record.partition = search.partition();
        self.measure(&mut record);
        Ok(Some(record))
    }
}

impl From<Solutions> for Counts {
    fn from(solutions: Solutions) -> Self {
        let mirrored = solutions.mirrored;
        Self {
            up_to_reversal: mirrored.map(|m| Count::from(m.up_to_reversal)),
            palindromic: mirrored.map(|m| Count::from(m.palindromic)),
            palindromic_up_to_symmetry: mirrored.map(|m| Count::from(m.palindromic_up_to_symmetry)),
            ..Self::of(solutions.sequences, solutions.up_to_symmetry)
        }
    }
}
