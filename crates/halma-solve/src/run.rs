//! A run: the execution of a job, from a question to its record. It chooses threads and memory, opens the run's folder,
//! starts the search for the kind of problem, and writes the record.

mod earlier_record;
mod folder;
mod game_job;
mod identity;
mod lengths;
mod models;
mod needs;
mod place;
pub mod rows;
mod share;
mod terms;
mod transfer;
mod trial;
mod writing;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use halma_engine::budget::plan::MemoryPlan;
use halma_engine::budget::{self, plan::Needs};
use halma_engine::search::exchange::{Alone, Exchange, Lost};
use halma_engine::search::{CancellationToken, Expander, Stopped};
use halma_engine::store::StoreError;
use halma_engine::store::workspace::Workspace;
use halma_puzzles::own::projection::ProjectionError;
use halma_record::record::{self, Asked, Record, RecordError, Verdict};
use halma_record::source::InputError;
use halma_record::words::counted;
use halma_rules::job::{Job, Output, Problem, ProblemSpec, Pruning, Puzzle};
use halma_rules::lattice::Lattice;

use crate::solve::{Engine, Progress};
pub use earlier_record::with_earlier_record;
pub use folder::{fingerprint, is_tried_out, manifest_job};
pub use place::place;
pub use share::check as check_shared;

/// A question about a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// The shortest solution, and the refutation of every shorter length.
    Solve,
    /// Whether a solution of at most so many moves exists.
    Prove {
        /// The greatest length that counts.
        max_length: u32,
    },
    /// The level sets themselves, unpruned, without a goal.
    Levels {
        /// The last level.
        depth: u32,
    },
    /// How many shortest solutions there are.
    Count,
}

impl Question {
    /// The question as a record states it: what is asked, the greatest length, the last level.
    #[must_use]
    pub fn asked(self, job: &Job) -> (Asked, Option<u32>, Option<u32>) {
        match self {
            Self::Solve => (Asked::Solve, job.search.max_length, None),
            Self::Prove { max_length } => (Asked::Prove, Some(max_length), None),
            Self::Levels { depth } => (Asked::Levels, None, Some(depth)),
            Self::Count => (Asked::Count, job.search.max_length, None),
        }
    }
}

/// Why a job has no record.
#[derive(Debug, Error)]
pub enum RunError {
    /// The system refused the threads.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Levels under this pruning may lack solutions that a count needs.
    #[error(
        "pruning {0} does not keep all solutions to be counted: allowed are none, theorem-1, pattern, leading, narrowed"
    )]
    CountUnder(Pruning),
    /// The states do not fit any key.
    #[error("{men} men on {cells} cells are too many states to number")]
    TooLarge {
        /// Men.
        men: usize,
        /// Cells.
        cells: usize,
    },
    /// The states of a puzzle do not fit any key.
    #[error("{0}")]
    TooManyStates(Box<InputError>),
    /// A count of a puzzle in Rust with symmetries is not supported.
    #[error(
        "a puzzle in Rust does not say how many states its symmetries exchange: count with symmetry = false in [search]"
    )]
    UnknownClasses,
    /// The search cannot build on the earlier record that the job names.
    #[error("{0}")]
    EarlierRecord(String),
    /// The puzzle does not have this abstraction.
    #[error(transparent)]
    Projection(#[from] ProjectionError),
    /// Abstractions of puzzles with free rules are not supported.
    #[error("pruning projection: the puzzle has free rules; use --pruning none")]
    ProjectionOfFree,
    /// The puzzle has no lower bound of its own.
    #[error("the puzzle has no lower bound of its own: allowed prunings are none and, on a board, projection")]
    NoBound,
    /// Levels under a lower bound may lack solutions that a count needs.
    #[error(
        "levels under a lower bound are not those that a count of solutions sums up: count with pruning = \"none\""
    )]
    CountUnderBound,
    /// The puzzle has no goal, and the question needs one.
    #[error("{0}")]
    NoGoal(Box<InputError>),
    /// The memory budget is too small.
    #[error(
        "{} of memory are too little: this job needs at least {} with {threads} thread{}{}",
        size(*memory), size(*least), if *threads == 1 { "" } else { "s" }, of_which(*needs, fewer)
    )]
    TooLittleMemory {
        /// The budget.
        memory: u64,
        /// The least budget that suffices.
        least: u64,
        /// The number of threads.
        threads: usize,
        /// The part that is not for levels.
        needs: Needs,
        /// What makes tables smaller.
        fewer: &'static str,
    },
    /// The run's folder cannot be used, or a file in it is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A record cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The record of another problem is in the place of this one's.
    #[error("{}: the record of another problem", file.display())]
    OtherProblem {
        /// The record.
        file: PathBuf,
        /// Its problem.
        problem: Box<ProblemSpec>,
        /// The first key in which it differs from this one.
        key: Option<String>,
    },
    /// The record of another question is in the place of this one's, although the folder is named after this question.
    #[error("{}: the record of another question; move it away", file.display())]
    OtherQuestion {
        /// The record.
        file: PathBuf,
    },
    /// Another process of the search was lost.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The trials that choose a cap were stopped.
    #[error(
        "not finished: {0}, in the trials that choose a cap; nothing was kept. A cap may be named, as in leading(cap=4)"
    )]
    InTrials(Stopped),
    /// Several processes cannot do this together.
    #[error("several processes cannot {what}: {instead}")]
    NotShared {
        /// The operation.
        what: &'static str,
        /// The advice.
        instead: &'static str,
    },
    /// The results of the search contradict each other.
    #[error("a bug, no answer: {0}")]
    Contradiction(String),
    /// The solution found has an illegal move.
    #[error("a bug: move {number} of the solution found is illegal")]
    NoMove {
        /// The move, from 1.
        number: usize,
    },
}

/// A number of bytes, rounded up to a unit that the command line accepts.
fn size(bytes: u64) -> String {
    match bytes.div_ceil(1 << 20) {
        _ if bytes < 1 << 10 => counted(bytes as usize, "byte"),
        1 if bytes < 1 << 20 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        mib => format!("{mib} MiB"),
    }
}

/// The part of the least budget that is not for levels, and advice.
fn of_which(Needs { moves, tables, beam }: Needs, fewer: &str) -> String {
    let moves = (moves >> 20 > 0).then(|| format!("{} of it for the moves of the puzzle", size(moves)));
    let tables = (tables >> 20 > 0).then(|| format!("{} of it for pattern databases, less with {fewer}", size(tables)));
    let beam = (beam >> 20 > 0).then(|| format!("{} of it for the states that it keeps", size(beam)));
    moves.into_iter().chain(tables).chain(beam).map(|part| format!("; {part}")).collect()
}

/// Answers `question` for `job`. If the search is stopped, the record says so and, if the job has an output folder, the
/// run can be resumed from there. A run that is found in the folder is resumed. If another question's record is there,
/// everything goes to a folder beneath: see [`place`].
///
/// # Errors
/// Where the search could not begin, found an illegal solution, or met a damaged file.
pub fn run(
    job: &Job,
    question: Question,
    progress: &dyn Progress,
    cancel: &CancellationToken,
) -> Result<Record, RunError> {
    let run = || run_shared(job, question, progress, cancel, Arc::new(Alone));
    if rayon::current_thread_index().is_none() {
        return run();
    }
    // The search has a thread pool of its own, and this thread waits for it. If the caller were a worker of another
    // pool, it would begin its next task while it waits, on top of this one, and with many searches overflow its stack.
    std::thread::scope(|scope| scope.spawn(run).join()).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// [`run`] in one of several processes. All make the same call, each has its share of the work, all get the record, and
/// the first writes it.
///
/// # Errors
/// As [`run`]; and where a process is lost before the search has begun.
pub fn run_shared(
    job: &Job,
    question: Question,
    progress: &dyn Progress,
    cancel: &CancellationToken,
    exchange: Arc<dyn Exchange>,
) -> Result<Record, RunError> {
    let result = answer(job, question, progress, cancel, &exchange);
    match &result {
        Ok(record) if record.verdict == Verdict::Incomplete => {
            exchange.give_up(record.reason.as_deref().unwrap_or("it has no answer"));
        }
        Ok(_) => {}
        Err(error) => exchange.give_up(&error.to_string()),
    }
    result
}

fn answer(
    job: &Job,
    question: Question,
    progress: &dyn Progress,
    cancel: &CancellationToken,
    exchange: &Arc<dyn Exchange>,
) -> Result<Record, RunError> {
    let job = &*with_earlier_record(job, question)?;
    answerable(job, question)?;
    if exchange.is_shared() {
        check_shared(job, question)?;
    }
    let (dir, has_ended) = place::place_and_end(job, question)?.unzip();
    let has_ended = has_ended.unwrap_or(false);
    let output = Output { dir, ..job.output.clone() };
    let job = &Job { output, ..job.clone() };
    let beside = exchange.beside().max(1);
    let (threads, least) = affordable(job, question, beside)?;
    // Without a budget, three quarters of the available memory: spilling to disk is better than being killed by the
    // system.
    let available = || budget::available_memory().map(|m| (m / 4 * 3 / beside as u64).max(least));
    let memory = job.limits.memory.or_else(available);
    let expander = expander(threads, memory)?.sharing(Arc::clone(exchange));
    // A thread of the pool shares its work with the others without having to wake one of them first.
    let job = &expander.install(|| trial::choose_cap(job, question, &expander, progress, cancel))?;
    // If this run is stopped at once, the earlier record may say more than its own: see `with_earlier`.
    let goes_on = job.output.dir.as_deref().is_some_and(folder::has_run);
    let workspace = folder::workspace(job, question, &**exchange, has_ended)?;
    let context = Context { job, question, expander: &expander, workspace: &workspace, progress, cancel };
    let too_large = |men: &[usize], lattice: &Lattice| RunError::TooLarge { men: men.len(), cells: lattice.len() };
    let mut record = expander.install(|| match &job.problem {
        Problem::Transfer(problem) => {
            context.transfer(problem)?.ok_or_else(|| too_large(&problem.start, &problem.lattice))
        }
        Problem::Game(game) => context.game(game)?.ok_or_else(|| too_large(&game.blue, &game.lattice)),
        Problem::Puzzle(puzzle) => context.puzzle(puzzle)?.ok_or_else(|| too_many(puzzle)),
    })?;
    if record.verdict == Verdict::Incomplete
        && goes_on
        && !has_ended
        && let Some(dir) = &job.output.dir
    {
        record = writing::with_earlier(record, &dir.join(record::FILE));
    }
    if record.verdict != Verdict::Incomplete {
        // The first process has the answer, whatever becomes of the others now.
        match share::total(&mut record, &expander) {
            Err(lost) if exchange.process() == 0 => progress.note(&format!("resources of this process alone: {lost}")),
            summed => summed?,
        }
    }
    if let Some(dir) = job.output.dir.as_ref().filter(|_| exchange.process() == 0) {
        if has_ended && record.verdict == Verdict::Incomplete {
            progress.note(&format!("{} keeps the record of the run that ended there", dir.display()));
        } else {
            // The record is written before the run's files are removed: a kill in between leaves both, never neither.
            record.write(&dir.join(record::FILE))?;
        }
    }
    if record.verdict != Verdict::Incomplete || job.output.dir.is_none() {
        share::close(workspace, &**exchange)?;
    }
    Ok(record)
}

fn too_many(puzzle: &Puzzle) -> RunError {
    RunError::TooManyStates(Box::new(puzzle.too_many.clone()))
}

/// Whether the job's problem and pruning allow the question. Writes nothing.
///
/// # Errors
/// What they do not allow.
pub fn answerable(job: &Job, question: Question) -> Result<(), RunError> {
    let pruning = &job.search.pruning;
    match &job.problem {
        Problem::Transfer(_) if question == Question::Count && !pruning.keeps_all() => {
            Err(RunError::CountUnder(pruning.clone()))
        }
        Problem::Puzzle(puzzle) => models::check(puzzle, pruning, question),
        Problem::Transfer(_) | Problem::Game(_) => Ok(()),
    }
}

/// The number of threads of a job, of which `beside` processes run on this host, and the least memory that they need;
/// an error if the job allows less. Writes nothing.
///
/// # Errors
/// [`RunError::TooLittleMemory`].
pub fn affordable(job: &Job, question: Question, beside: usize) -> Result<(usize, u64), RunError> {
    let threads = job.limits.threads.unwrap_or_else(|| (processors() / beside).max(1));
    let needs = needs::of(job, question);
    let least = MemoryPlan::least(threads, needs);
    match job.limits.memory.filter(|&memory| memory < least) {
        Some(memory) => {
            let fewer = needs::fewer(&job.search.pruning);
            Err(RunError::TooLittleMemory { memory, least, threads, needs, fewer })
        }
        None => Ok((threads, least)),
    }
}

/// The processors that this process may use.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Starts the threads of a search within `memory` bytes, where that is given.
fn expander(threads: usize, memory: Option<u64>) -> Result<Expander, rayon::ThreadPoolBuildError> {
    // Must come before threads start, since they would already have arenas.
    MemoryPlan::new(memory, threads).arenas().into_iter().for_each(budget::limit_arenas);
    Expander::new(threads, memory)
}

/// What answering a job needs.
#[derive(Clone, Copy)]
struct Context<'a> {
    job: &'a Job,
    question: Question,
    expander: &'a Expander,
    workspace: &'a Workspace,
    progress: &'a dyn Progress,
    cancel: &'a CancellationToken,
}

impl<'a> Context<'a> {
    /// The engine for a search in the run's folder.
    fn engine(&self) -> Engine<'a> {
        Engine::new(self.expander, self.cancel, self.progress).within(Some(self.workspace))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use halma_engine::store::workspace;
    use rayon::prelude::*;

    use super::*;
    use crate::stops_after::StopsAfter;

    thread_local! {
        static UNDER_WAY: Cell<u32> = const { Cell::new(0) };
    }

    /// What it found before it is not to be trusted either.
    #[test]
    fn a_search_that_contradicts_itself_has_no_answer_and_fails() {
        let text = "[problem]\nkind = 'transfer'\nboard = 'S...T'\nmoves = 4\n[search]\npruning = 'none'\n";
        let job = Job::parse("job.toml".as_ref(), text).unwrap();
        let broken = Some(crate::fault::Fault::WrongMirror);
        let result = crate::fault::with(broken, || run(&job, Question::Solve, &(), &CancellationToken::after(None)));
        let error = result.map(|record| record.verdict).unwrap_err();
        assert!(matches!(error, RunError::Contradiction(_)), "{error}");
    }

    /// Problem 1 under 6-move rules, with its files in `folder`.
    fn job_in(folder: &Path, pruning: &str) -> Job {
        let text = format!(
            "[problem]\nkind = 'transfer'\nboard = '9x9'\nmoves = 6\narmy = 'triangle-3'\n[search]\npruning = '{pruning}'\n\
             [limits]\ncheckpoint = '1 ms'\n[output]\ndir = '{}'\n",
            folder.display()
        );
        Job::parse("job.toml".as_ref(), &text).unwrap()
    }

    /// It has not entered yet what it had decided, while it makes its tables.
    #[test]
    fn a_run_that_is_stopped_again_at_once_keeps_what_its_record_said() {
        let (folder, at_once) = (tempfile::tempdir().unwrap(), CancellationToken::after(None));
        let job = job_in(folder.path(), "pattern");
        at_once.request();
        let stops = StopsAfter::levels(60);
        let before = run(&job, Question::Solve, &stops, &stops.cancel).unwrap();
        assert!(before.verdict == Verdict::Incomplete && before.refuted_up_to.is_some(), "{:?}", before.refuted_up_to);
        for _ in 0..2 {
            let again = run(&job, Question::Solve, &(), &at_once).unwrap();
            assert_eq!((again.verdict, again.refuted_up_to), (Verdict::Incomplete, before.refuted_up_to));
            assert_eq!(again.runs.len(), before.runs.len());
            assert_eq!(Record::read(&folder.path().join(record::FILE)).unwrap().runs.len(), before.runs.len());
        }
        let whole = run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
        assert_eq!((whole.verdict, whole.length), (Verdict::Optimal, Some(23)));

        // A record beside which no run is left is another run's.
        before.write(&folder.path().join(record::FILE)).unwrap();
        let anew = run(&job, Question::Solve, &(), &at_once).unwrap();
        assert_eq!((anew.verdict, anew.refuted_up_to), (Verdict::Incomplete, None));
    }

    #[test]
    fn a_smaller_question_does_not_remove_the_run_of_a_greater_one_that_was_killed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, list) = (folder.path().join(record::FILE), folder.path().join(workspace::MANIFEST));
        let job = job_in(folder.path(), "pattern");
        let ask = |question, levels| {
            let stops = StopsAfter::levels(levels);
            let record = run(&job, question, &stops, &stops.cancel);
            // A run that is killed has no record.
            let _ = std::fs::remove_file(&file);
            record
        };
        ask(Question::Levels { depth: 12 }, 5).unwrap();
        let deep = std::fs::read(&list).unwrap();
        assert_eq!(ask(Question::Levels { depth: 2 }, 99).unwrap().verdict, Verdict::Levels);
        assert_eq!(std::fs::read(&list).unwrap(), deep);
        assert!(folder.path().join("levels-2").join(record::FILE).exists());
        std::fs::remove_dir_all(folder.path()).unwrap();

        let refuted = ask(Question::Prove { max_length: 22 }, 60).unwrap().refuted_up_to.unwrap();
        assert!(refuted < 22, "{refuted}");
        for fewer in [refuted - 1, refuted] {
            let error = ask(Question::Prove { max_length: fewer }, 999).map(|record| record.verdict).unwrap_err();
            assert!(error.to_string().contains(&format!("has decided {refuted} moves")), "{error}");
            assert!(list.exists());
        }
        assert_eq!(ask(Question::Prove { max_length: 22 }, 999).unwrap().verdict, Verdict::None);
    }

    #[test]
    fn levels_go_on_whatever_pruning_their_job_has() {
        let folder = tempfile::tempdir().unwrap();
        let stops = StopsAfter::levels(3);
        let question = Question::Levels { depth: 5 };
        run(&job_in(folder.path(), "leading"), question, &stops, &stops.cancel).unwrap();
        let record = run(&job_in(folder.path(), "pattern"), question, &(), &CancellationToken::after(None)).unwrap();
        assert_eq!((record.verdict, record.runs[0].levels.len()), (Verdict::Levels, 6));
        // The second one asked of the same folder, and so replaced what was there.
        assert!(std::fs::read_dir(folder.path()).unwrap().all(|entry| !entry.unwrap().path().is_dir()));
    }

    /// Else with many searches they overflow its stack.
    #[test]
    fn a_worker_of_another_pool_begins_nothing_while_its_search_goes_on() {
        let text = "[problem]\nkind = 'transfer'\nboard = '9x9'\nmoves = 6\narmy = ['a1', 'b1', 'a2']\n";
        let job = Job::parse("job.toml".as_ref(), text).unwrap();
        let most = (0..64).into_par_iter().map(|_| {
            let under_way = UNDER_WAY.get() + 1;
            UNDER_WAY.set(under_way);
            let record = run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
            UNDER_WAY.set(under_way - 1);
            assert_eq!(record.verdict, Verdict::Optimal);
            under_way
        });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert_eq!(pool.install(|| most.max()), Some(1));
    }
}
