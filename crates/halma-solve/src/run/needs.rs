//! The memory that a job needs beside its levels, for tables and beams. A budget below it is refused before the run
//! begins, rather than after hours.

use halma_bounds::database::{Databases, MOST_HISTOGRAMS};
use halma_engine::budget::plan::Needs;
use halma_puzzles::own::projection;
use halma_rules::centroid;
use halma_rules::job::{Job, Problem, Pruning};
use halma_rules::problem::Transfer;
use halma_rules::puzzle::Compiled;

use super::Question;
use crate::solve::transfer_search::{HORIZON, MOST_SAMPLES};

/// Bytes for each application of a puzzle's rules, undone ones included, and for each cell on which one depends: measured at 820 for 3
/// cells, 917 for 4 and 1,209 for 7.
const APPLICATION: u64 = 560;
const CONDITION: u64 = 100;
/// Bytes of such tables that the program has room for in any case.
const ROOM: u64 = 4 << 20;
/// Bytes for each histogram of a pattern database: D_T, D_S, the distances to middles or images, and the frontiers.
const HISTOGRAM: u64 = 8;
/// The same if tables are cached.
const CACHED_HISTOGRAM: u64 = 12;
/// Bytes for each state that a beam search keeps: its score, twice while the best are selected, and its keys on all
/// levels, from which a solution is reconstructed.
const KEPT: u64 = 320;
/// Bytes for each state of a level of a beam search that learns: its key; its entry in the table of all states seen, of which there are
/// two for a while; and what states that meet take.
const SEEN: u64 = 130;
/// Bytes for each of its samples, in a list that doubles, and as it is written to the run's folder.
const SAMPLE: u64 = 3 * 48;

/// The memory that the question needs beside its levels.
pub(super) fn of(job: &Job, question: Question) -> Needs {
    let moves = moves(&job.problem);
    if matches!(question, Question::Levels { .. }) {
        return Needs { moves, ..Needs::default() };
    }
    let pruning = &job.search.pruning;
    let kept = match *pruning {
        Pruning::Truncate { keep, .. } | Pruning::Beam { keep, .. } => keep as u64,
        Pruning::Mcc { c: None, keep } => keep as u64,
        _ => 0,
    };
    let tables = match (&job.problem, pruning) {
        (Problem::Transfer(problem), Pruning::Pattern { .. } | Pruning::Leading { .. } | Pruning::Narrowed { .. }) => {
            let each = if job.output.cache.is_some() { CACHED_HISTOGRAM } else { HISTOGRAM };
            histograms(problem, pruning) * each
        }
        (Problem::Puzzle(puzzle), Pruning::Projection(named)) => projection::bytes(&puzzle.compiled, named),
        _ => 0,
    };
    let (each, samples) = match pruning.learning() {
        Some(_) => (KEPT + u64::from(HORIZON) * SEEN, MOST_SAMPLES as u64 * SAMPLE),
        None => (KEPT, 0),
    };
    Needs { moves, tables, beam: kept.saturating_mul(each).saturating_add(samples) }
}

/// What the moves of a puzzle by rules or blocks take beyond what the program has room for anyway.
fn moves(problem: &Problem) -> u64 {
    let Problem::Puzzle(puzzle) = problem else { return 0 };
    let Compiled::Grounded(task) = &*puzzle.compiled else { return 0 };
    let conditions: usize = task.steps.iter().map(|step| step.needs.len()).sum();
    (task.steps.len() as u64 * APPLICATION + conditions as u64 * CONDITION).saturating_sub(ROOM)
}

/// What makes the tables of this pruning smaller, in words.
pub(super) fn fewer(pruning: &Pruning) -> &'static str {
    match pruning {
        Pruning::Projection(_) => "fewer letters, blocks or pieces, as in projection(1/2)",
        Pruning::Pattern { .. } => "fewer classes, as in pattern(classes=9)",
        Pruning::Narrowed { .. } => "fewer classes, as in narrowed(classes=9)",
        _ => "fewer classes, as in leading(classes=9)",
    }
}

/// The number of histograms in the problem's pattern databases.
fn histograms(problem: &Transfer, pruning: &Pruning) -> u64 {
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(problem, &symmetries);
    Databases::abstraction(problem, &symmetries, &centroid, &pruning.granularity(), MOST_HISTOGRAMS).space.count()
        as u64
}
