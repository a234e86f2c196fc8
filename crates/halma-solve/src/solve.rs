//! Iterative deepening on the length of a transfer (Korf, *Depth-first iterative-deepening*, 1985): is there a solution
//! of exactly L moves, given that none is shorter?
//!
//! The first L that has one is the shortest length, because every shorter one has been refuted by then. It departs from
//! the usual form in that each iteration is breadth-first, level by level (*breadth-first heuristic search*, Zhou and
//! Hansen 2006): a bound for L cuts states, and only the last levels are needed to find duplicates. Because no shorter
//! solution exists, a state that comes again on a later level may be dropped.

pub mod count;
pub mod game_search;
mod half;
mod images;
mod leading;
pub(crate) mod level_sequence;
mod mcc;
pub mod model_search;
mod narrowed;
mod palindrome_probe;
mod trace;
mod trailing;
mod truncate;
mod two_ended;
mod upper_bound;
pub(crate) mod walks;

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use halma_bounds::Bound;
use halma_bounds::abstraction::Table;
use halma_bounds::database::Databases;
use halma_bounds::frontier::WorkContext;
use halma_bounds::palindrome::Palindrome;
use halma_bounds::relaxed::{Filter, Ladders};
use halma_bounds::theorem1::Theorem1;
use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, Expander, Stopped, Tally, Watch};
use halma_engine::store::StoreError;
use halma_engine::store::tables::TableStore;
use halma_engine::store::workspace::Workspace;
use halma_puzzles::transfer::{ProblemTables, TransferPuzzle};
pub use halma_record::record::Side;
use halma_record::record::{FileRecord, PartitionRecord};
use halma_rules::cells::Cells;
use halma_rules::centroid;
pub use halma_rules::job::Pruning;
use halma_rules::moves;
use halma_rules::problem::Transfer;
use halma_rules::symmetry::Symmetries;

use level_sequence::{LevelLoop, LevelSequence};

/// One level of an attempt.
#[derive(Clone, Debug)]
pub struct LevelFigures {
    /// Moves from its side's end; for [`Side::Following`] from the start.
    pub depth: u32,
    /// Its side.
    pub side: Side,
    /// Its counts.
    pub tally: Tally,
    /// Bytes that it takes up.
    pub bytes: u64,
    /// Seconds that it took.
    pub seconds: f64,
    /// The file that keeps it.
    pub file: Option<FileRecord>,
}

/// The answer of an attempt at one length.
#[derive(Debug)]
pub enum Answer<S> {
    /// A solution: the positions from the start to the end, an army each, or two in a game.
    Found(Vec<S>),
    /// There is none of this length, if there is none shorter.
    Refuted,
    /// There is none of this length or any greater one: every state that can be reached was seen.
    Exhausted,
    /// Nothing was found, and nothing proved, for this reason.
    Unproved(String),
    /// The same, and no greater length would end otherwise.
    GivenUp(String),
    /// The search was stopped.
    Stopped(Stopped),
}

/// What came of one length.
#[derive(Debug)]
pub struct Attempt<S> {
    /// The length.
    pub length: u32,
    /// Where its leading levels decide the lengths after it, too: the greatest one.
    pub up_to: Option<u32>,
    /// Where what follows from its middle level decides the next length, too: that length.
    pub shared_with: Option<u32>,
    /// What came of it.
    pub answer: Answer<S>,
    /// The levels searched.
    pub levels: Vec<LevelFigures>,
    /// For the minimum centroid constraint: the C of the last run, and whether no army on its middle level exceeds it.
    pub c: Option<(i64, bool)>,
    /// Seconds taken.
    pub seconds: f64,
}

impl<S> Attempt<S> {
    /// An attempt without levels.
    fn of(length: u32, answer: Answer<S>, begun: Instant) -> Self {
        let seconds = begun.elapsed().as_secs_f64();
        Self { length, up_to: None, shared_with: None, answer, levels: Vec::new(), c: None, seconds }
    }
}

/// What a count came to.
#[derive(Debug)]
pub struct Counted<N> {
    /// The numbers, or why there are none.
    pub numbers: Result<N, Stopped>,
    /// The levels searched.
    pub levels: Vec<LevelFigures>,
}

/// A level that is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Moves from its side's end.
    pub depth: u32,
    /// Its side.
    pub side: Side,
    /// The states to expand: those of the level before.
    pub states: u64,
    /// About how many states it may have, by how the levels before have grown.
    pub expected: Option<u64>,
}

/// What a search tells while it goes on.
pub trait Progress: Watch {
    /// A length is about to be tried.
    fn length(&self, _length: u32) {}
    /// A level is about to be made.
    fn begin(&self, _level: Begun) {}
    /// A level is complete, now or by an earlier process of the run.
    fn level(&self, _figures: &LevelFigures) {}
    /// Something else worth a line.
    fn note(&self, _text: &str) {}
}

/// No progress is told.
impl Progress for () {}

/// A solution and its length.
type Solution<const W: usize> = (u32, Vec<Cells<W>>);

/// What counts as a large level unless somebody says otherwise; small in tests so that every path is exercised.
fn large_level() -> u64 {
    #[cfg(any(test, feature = "testing"))]
    if cfg!(test) || halma_engine::fault::small_parts() {
        return 200;
    }
    100_000
}

/// Everything that attempts at one problem share.
pub struct TransferSearch<'a, const W: usize, K: Key> {
    problem: &'a Transfer,
    symmetries: Symmetries,
    centroid: Vec<i32>,
    tables: Arc<ProblemTables<W, K>>,
    /// What looks ahead need; `None` where the board is too large for them.
    ladders: Option<Ladders>,
    pruning: Pruning,
    palindromic: bool,
    databases: OnceLock<Arc<Databases>>,
    histograms: u64,
    tables_kept: Option<Arc<dyn TableStore>>,
    upper_bound: upper_bound::UpperBound<W>,
    expander: &'a Expander,
    stop: &'a CancellationToken,
    progress: &'a dyn Progress,
    workspace: Option<&'a Workspace>,
    /// Levels from the start that depend on no length, kept from one length to the next.
    kept: LevelSequence<K>,
    kept_complete: bool,
    /// How many of them stand in the figures of earlier attempts.
    reported: usize,
    /// Levels of so many states are large: worth a look ahead, or a change of sides.
    large: u64,
}

impl<'a, const W: usize, K: Key> TransferSearch<'a, W, K> {
    /// A search for the shortest solution of `problem`; `None` where its board or its ranks do not fit `W` and `K`.
    ///
    /// `symmetry` says whether states that K exchanges count as one; `histograms` is how many bytes one pattern database
    /// may have.
    #[must_use]
    pub fn new(
        problem: &'a Transfer,
        pruning: Pruning,
        palindromic: bool,
        symmetry: bool,
        histograms: u64,
        (expander, stop, progress): (&'a Expander, &'a CancellationToken, &'a dyn Progress),
    ) -> Option<Self> {
        let all = problem.symmetries();
        let centroid = centroid::of_cells(problem, &all);
        let symmetries = if symmetry { all } else { all.without_fixing() };
        #[cfg(any(test, feature = "testing"))]
        let symmetries = crate::fault::symmetries(expander.fault, symmetries);
        let tables = Arc::new(ProblemTables::new(problem, &symmetries.fixing, centroid.clone())?);
        Some(Self {
            problem,
            symmetries,
            centroid,
            tables,
            ladders: Ladders::new(&problem.lattice, problem.jumps_only),
            pruning,
            palindromic,
            databases: OnceLock::new(),
            histograms,
            tables_kept: None,
            upper_bound: upper_bound::UpperBound::default(),
            expander,
            stop,
            progress,
            workspace: None,
            kept: LevelSequence::new("all".into(), Side::Forward),
            kept_complete: true,
            reported: 0,
            large: large_level(),
        })
    }

    /// The same search in a run's folder: it takes up what it finds there, and leaves there what it stops with.
    #[must_use]
    pub fn within(mut self, workspace: Option<&'a Workspace>) -> Self {
        self.workspace = workspace;
        self
    }

    /// The same search, with pattern databases that stay from one run to the next; for one process. Answers do not
    /// depend on it.
    #[must_use]
    pub fn with_shelf(mut self, tables_kept: Option<Arc<dyn TableStore>>) -> Self {
        self.tables_kept = tables_kept;
        self
    }

    /// The same search, but levels of `states` states count as large. Answers do not depend on it.
    #[must_use]
    pub fn with_large(mut self, states: u64) -> Self {
        self.large = states;
        self
    }

    /// Says that earlier processes of the run have reported that many levels of attempts that share their levels.
    pub fn resume_after(&mut self, levels: usize) {
        if matches!(self.pruning, Pruning::None | Pruning::Truncate { .. }) {
            self.reported = levels;
        }
    }

    /// Figures of the shared levels that no attempt has reported yet.
    fn unreported(&mut self) -> Vec<LevelFigures> {
        let from = std::mem::replace(&mut self.reported, self.kept.figures.len());
        self.kept.figures.get(from..).unwrap_or_default().to_vec()
    }

    /// K and ρ.
    #[must_use]
    pub fn symmetries(&self) -> &Symmetries {
        &self.symmetries
    }

    /// The centroid by cell.
    #[must_use]
    pub fn centroid(&self) -> &[i32] {
        &self.centroid
    }

    /// The classes of the pattern databases, if any have been made.
    #[must_use]
    pub fn partition(&self) -> Option<PartitionRecord> {
        let partition = &self.databases.get()?.abstraction.partition;
        Some(PartitionRecord { class_of: partition.class_of.clone(), values: partition.values.clone() })
    }

    /// A length that no solution falls below, by the bounds that the pruning uses anyway; `None` where they show that
    /// there is no solution at all.
    ///
    /// # Errors
    /// What stopped the search for it.
    pub fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
        if self.problem.start == self.problem.target {
            return Ok(Some(0));
        }
        if self.problem.closed().is_some() {
            return Ok(None);
        }
        let least = Theorem1::<W>::lower_bound(self.problem).max(1);
        Ok(match &self.pruning {
            Pruning::Pattern { .. } | Pruning::Leading { .. } | Pruning::Narrowed { .. } => {
                let bound = self.expander.install(|| self.databases().lower_bound(self.context()))?;
                // A palindrome has a middle that is its own mirror image, or one move away from it.
                let possible = !self.palindromic
                    || bound.is_none()
                    || self.expander.install(|| self.databases().reflects_somewhere(self.context()))?;
                bound.filter(|_| possible).map(|length| length.max(least))
            }
            _ => Some(least),
        })
    }

    /// Sees to it that the pattern databases reach as far as searches for `length` moves ask them.
    fn extend_databases(&self, length: u32) -> Result<(), Stopped> {
        let reach = match (&self.pruning, self.symmetries.mirror.is_some()) {
            (Pruning::Leading { .. }, true) => length.div_ceil(2),
            (Pruning::Leading { .. } | Pruning::Pattern { .. } | Pruning::Narrowed { .. }, _) => length,
            _ => return Ok(()),
        };
        self.expander.install(|| self.databases().extend(reach, self.context()))
    }

    /// Decides whether a solution of exactly `length` moves exists, given that there is no shorter one.
    pub fn attempt(&mut self, length: u32) -> Attempt<Cells<W>> {
        let mut attempts = self.attempts(length..=length);
        attempts.pop().unwrap_or_else(|| unreachable!("every length has its attempt"))
    }

    /// Decides `lengths` in turn until one has a solution, given that there is no shorter one: an attempt for each, as far
    /// as they were decided together. At least the first is.
    pub fn attempts(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<Cells<W>>> {
        let (begun, length) = (Instant::now(), *lengths.start());
        self.progress.length(length);
        let mut attempts = Vec::new();
        if let Some(walk) = self.foreseen(length) {
            attempts.push(Attempt::of(length, Answer::Found(walk), begun));
        } else if self.leads() && length > 0 {
            let together = if self.decides_several() { lengths } else { length..=length };
            self.leading(together, &mut attempts);
        } else {
            let mut attempt = Attempt::of(length, Answer::Refuted, begun);
            attempt.answer = self.answer(length, &mut attempt).unwrap_or_else(Answer::Stopped);
            attempt.seconds = begun.elapsed().as_secs_f64();
            attempts.push(attempt);
        }
        #[cfg(any(test, feature = "testing"))]
        if self.expander.fault == Some(crate::fault::Fault::NoneWhenStopped) {
            for attempt in &mut attempts {
                if matches!(attempt.answer, Answer::Stopped(_)) {
                    attempt.answer = Answer::Refuted;
                }
            }
        }
        for attempt in &mut attempts {
            if let Answer::Found(walk) = &attempt.answer
                && let Err(fault) = self.check_walk(walk, attempt.length)
            {
                // A search that is wrong about what it found is wrong about what it refuted, too.
                let what = format!("the solution found is none: {fault}");
                attempt.answer = Answer::Stopped(Stopped::Contradiction(what));
            }
        }
        attempts
    }

    /// What a pruning other than the leading one finds; the levels go into `attempt`.
    fn answer(&mut self, length: u32, attempt: &mut Attempt<Cells<W>>) -> Result<Answer<Cells<W>>, Stopped> {
        if length == 0 {
            return Ok(match self.problem.start == self.problem.target {
                true => Answer::Found(vec![halma_rules::problem::set(&self.problem.start)]),
                false => Answer::Refuted,
            });
        }
        self.extend_databases(length)?;
        match (self.pruning.clone(), self.symmetries.mirror.is_some()) {
            (Pruning::Mcc { c, keep }, true) => self.mcc(length, c, keep, attempt),
            (Pruning::Narrowed { .. }, true) => self.narrowed(length, attempt),
            (Pruning::Truncate { keep, beta }, true) => self.truncated(length, keep, beta, attempt),
            (Pruning::None, true) => self.unpruned(length, attempt),
            (_, true) => self.mirrored_half(length, self.bounds(length), &format!("L{length}"), attempt),
            (Pruning::Mcc { .. } | Pruning::Narrowed { .. } | Pruning::Truncate { .. }, false) => {
                Ok(Answer::GivenUp("this pruning needs a mirror, and the problem has none".into()))
            }
            (_, false) => self.two_ended(length, attempt),
        }
    }

    /// Level sets without a goal: levels 0 to `depth` of the unpruned search.
    ///
    /// # Errors
    /// What stopped it, beside the levels that are complete.
    pub fn levels(&mut self, depth: u32) -> (Vec<LevelFigures>, Result<(), Stopped>) {
        let puzzle = TransferPuzzle::new(&self.tables, &self.problem.start, Vec::new());
        let mut trail = LevelSequence::new("levels".into(), Side::Forward);
        self.open(&puzzle, &mut trail);
        let result = (0..depth).try_for_each(|_| {
            self.grow(&puzzle, &mut trail)?;
            Ok(self.forget(&mut trail)?)
        });
        (trail.figures, result)
    }

    /// Those who make the pattern databases.
    fn context(&self) -> WorkContext<'_> {
        WorkContext { exchange: self.expander.exchange(), stop: self.stop }
    }

    fn databases(&self) -> &Arc<Databases> {
        self.databases.get_or_init(|| {
            let mut databases = Databases::new(
                self.problem,
                &self.symmetries,
                &self.centroid,
                self.pruning.granularity(),
                self.histograms,
            );
            if let Some(tables_kept) = &self.tables_kept {
                databases = databases.kept_on(Arc::clone(tables_kept));
            }
            let space = &databases.abstraction.space;
            self.progress.note(&format!("pattern database: {} classes, {} histograms", space.classes(), space.count()));
            Arc::new(databases)
        })
    }

    /// The permutation ρ. Only called where there is one.
    fn mirror(&self) -> &[u8] {
        self.symmetries.mirror.as_ref().map_or(&[], |m| &m.cells)
    }

    /// The bounds of the plain prunings for a search from the start.
    fn bounds(&self, length: u32) -> Vec<Arc<dyn Bound<W>>> {
        let mut bounds: Vec<Arc<dyn Bound<W>>> = Vec::new();
        match &self.pruning {
            Pruning::Theorem1 => bounds.push(Arc::new(Theorem1::new(self.problem, length))),
            Pruning::Pattern { .. } | Pruning::Narrowed { .. } => {
                bounds.push(self.pattern(&self.databases().to_target, length))
            }
            _ => {}
        }
        self.with_palindrome(bounds, length)
    }

    fn pattern(&self, table: &Arc<Table>, limit: u32) -> Arc<dyn Bound<W>> {
        #[cfg(any(test, feature = "testing"))]
        let limit = limit - u32::from(self.expander.fault == Some(crate::fault::Fault::BoundOffByOne));
        Arc::new(halma_bounds::pattern::Pattern::new(&self.databases().abstraction, table, limit))
    }

    /// What drops new states of leading, following and trailing levels: those from which no relaxed moves come by level `limit`
    /// to within `near` of where the distances of `table` lead.
    fn filter(&self, table: &Arc<Table>, limit: u32, near: u32) -> Option<Arc<dyn Filter>> {
        let budgets = self.pruning.look_ahead()?;
        #[cfg(any(test, feature = "testing"))]
        let limit = limit - u32::from(self.expander.fault == Some(crate::fault::Fault::LookAheadOffByOne));
        Some(self.ladders.as_ref()?.filter(&self.databases().abstraction, table, (limit, near), budgets))
    }

    fn with_palindrome(&self, mut bounds: Vec<Arc<dyn Bound<W>>>, length: u32) -> Vec<Arc<dyn Bound<W>>> {
        if self.palindromic {
            bounds.push(self.palindrome_bound(length));
        }
        bounds
    }

    fn palindrome_bound(&self, length: u32) -> Arc<dyn Bound<W>> {
        Arc::new(Palindrome::new(self.mirror(), self.problem.start.len(), length))
    }

    /// What appends levels to trails.
    fn level_loop(&self) -> LevelLoop<'_> {
        let Self { expander, stop, progress, workspace, .. } = *self;
        LevelLoop { expander, stop, progress, workspace }
    }

    /// Puts level 0 of `puzzle` into `trail`.
    fn open(&self, puzzle: &TransferPuzzle<W, K>, trail: &mut LevelSequence<K>) {
        self.level_loop().open(puzzle, trail);
    }

    /// Appends the next level of `puzzle` to `trail`: as the run's folder has it, else by expanding the last one.
    fn grow(&self, puzzle: &TransferPuzzle<W, K>, trail: &mut LevelSequence<K>) -> Result<(), Stopped> {
        self.level_loop().grow(puzzle, trail)
    }

    /// Lets go of all levels of `trail` but the last two, which are all that the next one needs.
    fn forget(&self, trail: &mut LevelSequence<K>) -> Result<(), StoreError> {
        self.level_loop().forget(trail)
    }

    /// Whether the army walks from the start to the target in `length` legal moves, by the slow generator.
    fn check_walk(&self, walk: &[Cells<W>], length: u32) -> Result<(), String> {
        let ends = (walk.first().copied(), walk.last().copied());
        let set = |cells: &[usize]| Some(halma_rules::problem::set::<W>(cells));
        if ends != (set(&self.problem.start), set(&self.problem.target)) || walk.len() != length as usize + 1 {
            return Err("it does not lead from the start to the target in that many moves".into());
        }
        for (number, pair) in (1..).zip(walk.windows(2)) {
            let (gone, come) = (pair[0] & !pair[1], pair[1] & !pair[0]);
            let occupied: Vec<bool> = (0..self.problem.lattice.len()).map(|c| pair[0].contains(c)).collect();
            let legal = gone.len() == 1
                && come.len() == 1
                && gone.iter().zip(come.iter()).all(|(from, to)| {
                    moves::destinations(&self.problem.lattice, &occupied, from, self.problem.jumps_only).contains(&to)
                });
            if !legal {
                return Err(format!("move {number} is illegal"));
            }
        }
        Ok(())
    }
}

/// Whether every state that can be reached has been seen: the last level is empty, and no bound ever cut one.
fn exhausted(figures: &[LevelFigures]) -> bool {
    figures.last().is_some_and(|f| f.tally.states == 0) && figures.iter().all(|f| f.tally.pruned == 0)
}
