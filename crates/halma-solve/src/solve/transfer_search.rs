//! Iterative deepening on the length of a transfer (Korf, *Depth-first iterative-deepening*, 1985): is there a solution
//! of exactly L moves, given that there is none shorter?
//!
//! The first L with a solution is the shortest length, because every shorter one has been refuted by then. Unlike
//! in the usual form, each iteration is breadth-first, level by level (*breadth-first heuristic search*, Zhou
//! and Hansen 2006): a bound for L prunes states, and only the last levels are needed for duplicate detection. Because
//! no shorter solution exists, a state that recurs on a later level may be dropped.
//!
//! This file chooses the technique. Each technique has a file of its own below, and reads the same `Setup`: problem,
//! tables, engine.

mod best_successors;
mod bounds;
pub mod count;
mod half;
mod image_distances;
mod leading;
mod learning;
mod mcc;
mod mirror_image;
mod narrowed;
mod palindrome_probe;
mod reversals;
mod setup;
mod shared_levels;
mod trace;
mod trailing;
mod truncate;
mod two_ended;
mod upper_bound;

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use halma_bounds::relaxed::LookAheadTables;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::tables::TableStore;
use halma_puzzles::transfer::ProblemTables;
use halma_record::record::PartitionRecord;
use halma_rules::cells::Cells;
use halma_rules::centroid;
use halma_rules::job::Pruning;
use halma_rules::problem::Transfer;
use halma_rules::symmetry::Symmetries;

use super::deepening::LengthSearch;
use super::level_sequence::LevelSequence;
use super::{Answer, Attempt, Counted, Engine, LevelFigures, Side, checked};
use count::{Counting, Solutions};
use half::MirroredHalf;
use leading::Leading;
pub(crate) use learning::{HORIZON, MOST_SAMPLES};
use learning::{LearningBeam, Rounds};
use mcc::MinimumCentroidSearch;
use narrowed::Narrowed;
pub(crate) use setup::has_changed;
use setup::{Setup, TransferProblem, TransferTables};
use shared_levels::SharedLevels;
use truncate::Truncation;
use two_ended::TwoEnded;
use upper_bound::UpperBound;

/// A solution of a known length.
#[derive(Clone)]
struct Solution<const W: usize> {
    length: u32,
    /// The armies from the start to the target.
    walk: Vec<Cells<W>>,
}

/// How a transfer is searched.
#[derive(Clone, Debug)]
pub struct TransferOptions {
    /// The pruning.
    pub pruning: Pruning,
    /// Whether only palindromic solutions are sought.
    pub palindromic: bool,
    /// Whether a state stands for all its images under K.
    pub symmetry: bool,
    /// The most histograms of one pattern database: a byte each.
    pub histograms: u64,
}

/// A search for the shortest solution of a transfer.
pub struct TransferSearch<'a, const W: usize, K: Key> {
    setup: Setup<'a, W, K>,
    upper_bound: UpperBound<W>,
    /// The shortest solution found by leading halves before all shorter lengths were decided. The search does not use it: a run
    /// that was resumed may not have it.
    longer: Option<Solution<W>>,
    shared: SharedLevels<K>,
    /// The rounds of a beam search that learns.
    rounds: Rounds<W>,
    /// The greatest length that is asked about, if there is one.
    greatest: Option<u32>,
}

/// The default size of a large level.
const LARGE: u64 = 100_000;

impl<'a, const W: usize, K: Key> TransferSearch<'a, W, K> {
    /// A search for the shortest solution of `transfer`; `None` where its board or its ranks do not fit `W` and `K`.
    #[must_use]
    pub fn new(transfer: &'a Transfer, options: TransferOptions, engine: Engine<'a>) -> Option<Self> {
        let TransferOptions { pruning, palindromic, symmetry, histograms } = options;
        let all = transfer.symmetries();
        let centroid = centroid::of_cells(transfer, &all);
        let symmetries = if symmetry { all } else { all.without_fixing() };
        #[cfg(any(test, feature = "testing"))]
        let symmetries = crate::fault::symmetries(engine.expander.fault, symmetries);
        let large = LARGE;
        #[cfg(any(test, feature = "testing"))]
        let large = if cfg!(test) || engine.expander.small_parts { 200 } else { large };
        let tables = TransferTables {
            states: Arc::new(ProblemTables::new(transfer, &symmetries.fixing, centroid.clone())?),
            look_ahead_tables: LookAheadTables::new(&transfer.lattice, transfer.jumps_only),
            databases: OnceLock::new(),
            histograms,
            store: None,
        };
        let problem = TransferProblem { transfer, symmetries, centroid, pruning, palindromic };
        Some(Self {
            setup: Setup { problem, tables, engine, large },
            upper_bound: UpperBound::default(),
            longer: None,
            shared: SharedLevels::new(),
            rounds: Rounds::Ahead,
            greatest: None,
        })
    }

    /// The same search with a cache of pattern databases that outlast the run; for one process. Answers do not depend
    /// on it.
    #[must_use]
    pub fn with_table_store(mut self, store: Option<Arc<dyn TableStore>>) -> Self {
        self.setup.tables.store = store;
        self
    }

    /// The same search, but levels of `states` states count as large. Answers do not depend on it.
    #[must_use]
    pub fn with_large(mut self, states: u64) -> Self {
        self.setup.large = states;
        self
    }

    /// K and ρ.
    #[must_use]
    pub fn symmetries(&self) -> &Symmetries {
        &self.setup.problem.symmetries
    }

    /// The centroid of each cell.
    #[must_use]
    pub fn centroid(&self) -> &[i32] {
        &self.setup.problem.centroid
    }

    /// The classes of the pattern databases, if these have been made.
    #[must_use]
    pub fn partition(&self) -> Option<PartitionRecord> {
        self.setup.partition()
    }

    /// The answer of a technique other than leading halves; its levels go into `figures`. Under a
    /// minimum centroid constraint the last C, and whether it is consistent, go into `constraint`.
    fn answer(
        &mut self,
        length: u32,
        figures: &mut Vec<LevelFigures>,
        constraint: &mut Option<(i64, bool)>,
    ) -> Result<Answer<Cells<W>>, Stopped> {
        let Self { setup, shared, rounds, greatest, .. } = self;
        let problem = &setup.problem;
        if length == 0 {
            return Ok(match problem.transfer.start == problem.transfer.target {
                true => Answer::Found(vec![problem.start()]),
                false => Answer::Refuted,
            });
        }
        setup.extend_databases(length)?;
        let half = MirroredHalf { setup };
        match (&problem.pruning, problem.has_mirror()) {
            (&Pruning::Mcc { c, keep }, true) => {
                MinimumCentroidSearch { setup, given: c, keep }.decide(length, figures, constraint)
            }
            (Pruning::Narrowed { .. }, true) => Narrowed { setup }.decide(length, figures),
            (Pruning::Truncate { learning: Some(_), .. }, true) if problem.palindromic => {
                Ok(Answer::GivenUp("a beam search that learns does not look for palindromes".into()))
            }
            (Pruning::Truncate { learning: Some(_), .. }, true) if setup.engine.expander.exchange().is_shared() => {
                Ok(Answer::GivenUp("a beam search learns in one process".into()))
            }
            (&Pruning::Truncate { keep, beta, learning: Some(learning) }, true) => {
                LearningBeam { setup, keep, beta, learning, greatest: *greatest }.decide(length, rounds)
            }
            (&Pruning::Truncate { keep, beta, learning: None }, true) => {
                Truncation { setup, keep, beta }.decide(length, shared, figures)
            }
            (Pruning::None, true) if !problem.palindromic => half.unpruned(length, shared, figures),
            (Pruning::None | Pruning::Theorem1 | Pruning::Pattern { .. }, true) => {
                half.decide(length, setup.bounds(length), &setup.stem(length), figures)
            }
            (Pruning::Mcc { .. } | Pruning::Narrowed { .. } | Pruning::Truncate { .. }, false) => {
                Ok(Answer::GivenUp("this pruning needs a mirror, and the problem has none".into()))
            }
            (Pruning::None | Pruning::Theorem1 | Pruning::Pattern { .. } | Pruning::Leading { .. }, false) => {
                TwoEnded { setup }.decide(length, figures)
            }
            (Pruning::Leading { .. }, true) => unreachable!("decided by `Leading`"),
            (Pruning::Game(_) | Pruning::Beam { .. } | Pruning::Projection(_) | Pruning::Bound, _) => {
                Ok(Answer::GivenUp("this pruning is not for transfers".into()))
            }
        }
    }

    /// Counts the solutions of `length` moves, given that there is none shorter. If only palindromes are sought, both
    /// refer to palindromic solutions.
    pub fn count(&mut self, length: u32) -> Counted<Solutions> {
        Counting { setup: &self.setup }.count(length, &mut self.shared)
    }

    /// The unpruned levels 0 to `depth`, without a goal, and what stopped them if they are fewer. If `depth` is
    /// `MAX_LENGTH`, the levels end with the first empty one (`levels --to-the-end`).
    pub fn levels(&mut self, depth: u32) -> (Vec<LevelFigures>, Result<(), Stopped>) {
        let sequence = LevelSequence::new("levels".into(), Side::Forward);
        self.setup.engine.levels(&self.setup.puzzle(Vec::new()), depth, sequence)
    }
}

impl<const W: usize, K: Key> LengthSearch for TransferSearch<'_, W, K> {
    type State = Cells<W>;

    /// From the bounds that the pruning uses.
    fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
        self.setup.lower_bound()
    }

    /// Levels that attempts do not share are reported anew.
    fn resume_after(&mut self, levels: usize) {
        if matches!(self.setup.problem.pruning, Pruning::None | Pruning::Truncate { .. }) {
            self.shared.resume_after(levels);
        }
    }

    fn last_together(&mut self, first: u32, greatest: Option<u32>, decided: &[(u32, u64)]) -> Result<u32, Stopped> {
        self.greatest = greatest;
        self.upper_bound.last_together(&self.setup, first, greatest, decided)
    }

    fn known(&self) -> Option<&[Cells<W>]> {
        let known = self.upper_bound.shortest().into_iter().chain(&self.longer);
        known.min_by_key(|solution| solution.length).map(|solution| &solution.walk[..])
    }

    fn attempts(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<Cells<W>>> {
        let (begun, length) = (Instant::now(), *lengths.start());
        let problem = &self.setup.problem;
        self.setup.engine.progress.length(length);
        let attempts = if let Some(walk) = self.upper_bound.found(length) {
            vec![Attempt::of(length, Answer::Found(walk), begun)]
        } else if problem.leads() && length > 0 {
            let together = if problem.decides_several() { lengths } else { length..=length };
            let probes = self.upper_bound.probes();
            let mut leading = Leading { setup: &self.setup, probes, longer: self.longer.take() };
            let attempts = leading.decide(together);
            self.longer = leading.longer;
            attempts
        } else {
            let (mut levels, mut c) = (Vec::new(), None);
            let answer = self.answer(length, &mut levels, &mut c).unwrap_or_else(Answer::Stopped);
            vec![Attempt { levels, c, ..Attempt::of(length, answer, begun) }]
        };
        let with_checked_answer = |attempt: Attempt<Cells<W>>| {
            let check = |walk: &[Cells<W>]| self.setup.check_walk(walk, attempt.length);
            Attempt { answer: checked(self.setup.engine, attempt.answer, check), ..attempt }
        };
        attempts.into_iter().map(with_checked_answer).collect()
    }
}
