//! Chooses the cap of `leading(cap=trial)`: decides small lengths with one cap after another, and takes the cap that
//! needs the fewest successors.
//!
//! The cap decides which middles lead, and so how many states can reach one. No answer depends on it, but the effort may
//! differ tenfold, and which cap is best depends on the puzzle. The choice depends on the problem alone: a run that is
//! begun again chooses the same cap.

use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, Expander, Stopped};
use halma_rules::cells::Cells;
use halma_rules::centroid;
use halma_rules::job::{Job, MAX_LENGTH, Problem, Pruning, Search};
use halma_rules::problem::Transfer;

use super::transfer::options;
use super::{Question, RunError, folder};
use crate::solve::deepening::LengthSearch;
use crate::solve::transfer_search::{TransferOptions, TransferSearch};
use crate::solve::{Answer, Engine, Progress};

/// The trials decide all lengths up to the first odd one by which so many successors were made. Caps differ most at odd
/// lengths, where the middle is a move.
const ENOUGH: u64 = 2_000_000;
/// After so many caps that are no better than a greater one, no lesser ones are tried.
const WORSE: usize = 2;

/// The job with a cap in place of `trial`, or without one where none is better.
///
/// If the job's folder has an unfinished run that may be this one, its cap is taken.
///
/// # Errors
/// Where the trials were stopped. No cap is guessed then, because a resumed run keeps its cap.
pub(super) fn choose_cap(
    job: &Job,
    question: Question,
    expander: &Expander,
    progress: &dyn Progress,
    cancel: &CancellationToken,
) -> Result<Job, RunError> {
    let Problem::Transfer(problem) = &job.problem else { return Ok(job.clone()) };
    let asked = &job.search.pruning;
    if !asked.is_by_trial() {
        return Ok(job.clone());
    }
    let with = |pruning| Job { search: Search { pruning, ..job.search.clone() }, ..job.clone() };
    if let Some(dir) = &job.output.dir
        && let Some((begun, _)) = folder::manifest_job(dir)?
        && asked.may_become(&begun.search.pruning)
    {
        return Ok(with(begun.search.pruning));
    }
    let uncapped = asked.capped(None);
    if matches!(question, Question::Levels { .. }) || problem.symmetries().mirror.is_none() {
        return Ok(with(uncapped));
    }
    let limit = question.asked(job).1.unwrap_or(MAX_LENGTH);
    let trials = Trials { search: &job.search, problem, expander, cancel, limit };
    let Some(without) = trials.of(&uncapped, None)? else { return Ok(with(uncapped)) };
    let greatest = centroid::of_cells(problem, &problem.symmetries()).into_iter().max().unwrap_or(0);
    let (mut best, mut chosen, mut worse) = (without, None, 0);
    for cap in (1..greatest).rev() {
        let Some(trial) = trials.of(&asked.capped(Some(cap)), Some(best))? else { break };
        if trial.successors < best.successors {
            (best, chosen, worse) = (trial, Some(cap), 0);
        } else {
            worse += 1;
        }
        if worse == WORSE {
            break;
        }
    }
    // A cap that saves less than a third of the successors may do so by chance.
    let chosen = chosen.filter(|_| best.successors <= without.successors / 3 * 2);
    let of = |cap: Option<i32>| cap.map_or("without a cap".into(), |cap| format!("with cap={cap}"));
    progress.note(&format!("trials up to length {} choose the search {}", without.length, of(chosen)));
    Ok(with(asked.capped(chosen)))
}

/// The effort for all lengths up to one.
#[derive(Clone, Copy)]
struct Effort {
    length: u32,
    successors: u64,
}

/// Searches of small lengths.
struct Trials<'a> {
    search: &'a Search,
    problem: &'a Transfer,
    expander: &'a Expander,
    cancel: &'a CancellationToken,
    /// No greater length is tried.
    limit: u32,
}

impl Trials<'_> {
    /// The effort with this pruning to decide the lengths that `rival` decided; it ends early once it costs as much as `rival`. Without
    /// a rival: all lengths up to the first odd one that brings the total to [`ENOUGH`]. `None` if a solution, or the last length,
    /// comes before.
    fn of(&self, pruning: &Pruning, rival: Option<Effort>) -> Result<Option<Effort>, RunError> {
        let effort = match self.problem.lattice.len() > Cells::<2>::CAPACITY {
            true => self.within::<4, u128>(pruning, rival),
            false => self.within::<2, u64>(pruning, rival).or_else(|| self.within::<2, u128>(pruning, rival)),
        };
        effort.transpose().map(Option::flatten).map_err(|stopped| match stopped {
            Stopped::Store(fault) => fault.into(),
            Stopped::Contradiction(what) => RunError::Contradiction(what),
            stopped => RunError::InTrials(stopped),
        })
    }

    /// The same; `None` if the states do not fit.
    fn within<const W: usize, K: Key>(
        &self,
        pruning: &Pruning,
        rival: Option<Effort>,
    ) -> Option<Result<Option<Effort>, Stopped>> {
        let options = TransferOptions { pruning: pruning.clone(), ..options(self.search) };
        let engine = Engine::new(self.expander, self.cancel, &());
        TransferSearch::<W, K>::new(self.problem, options, engine).map(|mut search| self.effort(&mut search, rival))
    }

    fn effort<const W: usize>(
        &self,
        search: &mut impl LengthSearch<State = Cells<W>>,
        rival: Option<Effort>,
    ) -> Result<Option<Effort>, Stopped> {
        let Some(first) = search.lower_bound()? else { return Ok(None) };
        let mut successors = 0;
        for length in first..=rival.map_or(self.limit, |rival| rival.length) {
            for attempt in search.attempts(length..=length) {
                successors += attempt.levels.iter().map(|level| level.tally.generated).sum::<u64>();
                match attempt.answer {
                    Answer::Refuted => {}
                    Answer::Stopped(stopped) => return Err(stopped),
                    _ => return Ok(None),
                }
            }
            let enough = match rival {
                Some(rival) => successors >= rival.successors,
                None => successors >= ENOUGH && length % 2 == 1,
            };
            if enough {
                return Ok(Some(Effort { length, successors }));
            }
        }
        Ok(rival.map(|rival| Effort { successors, ..rival }))
    }
}
