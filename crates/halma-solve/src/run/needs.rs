//! The memory that a job takes beside its levels, for tables and beams: a budget below it is refused before the run begins,
//! rather than after nine hours.

use halma_bounds::database::Databases;
use halma_engine::budget::plan::Needs;
use halma_puzzles::own::projection;
use halma_rules::centroid;
use halma_rules::job::{Job, Problem, Pruning};
use halma_rules::problem::Transfer;

use super::Question;
use super::transfer::DATABASE;

/// Bytes for each histogram of a pattern database: D_T, D_S, and the distances to middles or images; the frontiers
/// beside them.
const HISTOGRAM: u64 = 8;
/// The same where tables are read from a cache or put there.
const CACHED_HISTOGRAM: u64 = 12;
/// Bytes for each state that a truncated search keeps: its score twice while the best are chosen, and its keys on all
/// levels, from which a solution is read off.
const KEPT: u64 = 320;

/// What the question of the job needs beside its levels.
pub(super) fn of(job: &Job, question: Question) -> Needs {
    if matches!(question, Question::Levels { .. }) {
        return Needs::default();
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
    Needs { tables, beam: kept.saturating_mul(KEPT) }
}

/// How many histograms the problem's pattern databases tell apart.
fn histograms(problem: &Transfer, pruning: &Pruning) -> u64 {
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(problem, &symmetries);
    Databases::abstraction(problem, &symmetries, &centroid, pruning.granularity(), DATABASE).space.count() as u64
}
